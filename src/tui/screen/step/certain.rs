//! How sure what a row waits to do is, where the run stands now.
//!
//! A plan says `predicted` of what rests on an earlier step that may turn out otherwise. Live, that step is really taken at
//! some time: what it left lies on the machine, and the row is judged against that and no longer against the overlay. What is
//! known only while applying stays so until the run itself looks at the row once more, before it waits there.

use super::State;
use super::live::Phase;
use super::rows::Row;
use crate::engine::message::TurnState;
use crate::plan::{Certainty, Step};

impl State {
    /// How sure a row's step is: as planned, but known once all that it rests on was applied.
    pub(super) fn certainty(&self, row: &Row, step: &Step) -> Certainty {
        let may_be_known = step.certainty == Certainty::Predicted && row.state == TurnState::Waiting;
        match may_be_known
            && self.live.phase == Phase::Live
            && self.rows.rests_on_needs(row)
            && self.needs_are_done(row)
        {
            true => Certainty::Known,
            false => step.certainty,
        }
    }

    /// Whether all that a row needs had its turn and did well, through what takes no turn itself.
    fn needs_are_done(&self, row: &Row) -> bool {
        let Some(program) = &self.program else { return false };
        let Some(node) = program.graph.find(&row.id) else { return false };
        let mut open = vec![node];
        let mut seen = vec![node];
        while let Some(at) = open.pop() {
            let needs = program.ways.needs[at.0 as usize].iter().map(|edge| program.graph.edges()[*edge as usize].from);
            for need in needs {
                match self.rows.find(program.id(need)) {
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
