//! How certain the effect of a pending row is at the current point of the run.
//!
//! A plan says `predicted` if a step depends on an earlier one that may have another result. In a live run that step
//! has been applied at some point: its result is on the machine, and the row is checked against that instead of the
//! overlay. An effect that is known only after apply stays so until the run checks the row again, before it waits
//! there.

use super::{State, rows::Row};
use crate::engine::message::TurnState;
use crate::plan::{Certainty, Step};
use crate::tui::look::Look;

/// The count of rows with a certainty. The mark of an unknown one would read as part of the count.
pub(super) fn count_words(look: &Look, certainty: Certainty, count: usize) -> String {
    let (mark, word, _) = look.certainty(certainty);
    match certainty {
        Certainty::Unknown => format!("{count} unknown until apply"),
        Certainty::Known | Certainty::Predicted => format!("{mark} {count} {word}"),
    }
}

impl State {
    /// The certainty of a row's step: as planned, but known once its requirements were applied.
    pub(super) fn certainty(&self, row: &Row, step: &Step) -> Certainty {
        let may_be_known = step.certainty == Certainty::Predicted && row.state == TurnState::Waiting;
        match may_be_known
            && self.phase.live().is_some()
            && self.list.rows.rests_on_needs(row)
            && self.needs_are_done(row)
        {
            true => Certainty::Known,
            false => step.certainty,
        }
    }

    /// Whether all requirements of a row ran successfully, including those behind nodes without a step.
    fn needs_are_done(&self, row: &Row) -> bool {
        let Some(program) = &self.program else { return false };
        let Some(node) = program.graph.find(&row.id) else { return false };
        let mut open = vec![node];
        let mut seen = vec![node];
        while let Some(at) = open.pop() {
            let needs = program.ways.needs[at.0 as usize].iter().map(|edge| program.graph.edges()[*edge as usize].from);
            for need in needs {
                match self.list.rows.find(program.id(need)) {
                    Some(row) if row.state == TurnState::Done => {}
                    Some(_) => return false,
                    None if seen.contains(&need) => {}
                    None => {
                        seen.push(need);
                        open.push(need);
                    }
                }
            }
        }
        true
    }
}
