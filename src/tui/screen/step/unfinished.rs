//! An unfinished dry run: its saved form, and how it is resumed.

use super::State;
use super::redo::{Redo, Why};
use crate::graph::ResourceId;
use crate::plan::Plan;
use crate::tui::look::Role;
pub use crate::tui::screen::step::data::Unfinished;
use crate::tui::state::State as Tui;

impl Unfinished {
    /// `None` if no dry run is unfinished.
    pub fn of(state: &State) -> Option<Self> {
        let plan = state.plan.as_ref()?;
        if state.live.shows_live() || state.finished || state.again.taken.is_empty() {
            return None;
        }
        let turns = state
            .again
            .taken
            .iter()
            .filter_map(|(id, skipped)| Some((state.list.rows.find(id)?.more.planned, *skipped)));
        let next = state.next_id().map(|id| id.0.to_string());
        Some(Self { plan: plan.plan.clone(), turns: write(turns), next })
    }

    /// The steps to repeat.
    fn redo(&self, plan: &Plan) -> Redo {
        let step = |at: usize| plan.steps.get(at).map(|step| step.resource.clone());
        let turns = read(&self.turns, plan.steps.len());
        let turns = turns.into_iter().filter_map(|(at, skipped)| Some((step(at)?, skipped))).collect();
        Redo { turns, next: self.next.as_deref().map(|id| ResourceId(id.into())), why: Why::Restored }
    }
}

/// Resumes it, if the plan is the same.
pub(super) fn take_up(tui: &mut Tui) {
    let Some(plan) = tui.screens.step.plan.clone() else { return };
    let Some(unfinished) = tui.cx.saved.unfinished.take() else { return };
    if unfinished.plan == plan.plan {
        tui.screens.step.again.redo = Some(unfinished.redo(&plan));
    } else {
        let count = read(&unfinished.turns, usize::MAX).len();
        let words = format!("the plan changed since you quit: the {count} steps done then were discarded");
        tui.cx.show_notice(Role::Note, words);
    }
}

/// Writes the steps as ranges of positions.
fn write(turns: impl Iterator<Item = (usize, bool)>) -> String {
    let mut runs: Vec<(usize, usize, bool)> = Vec::new();
    for (at, skipped) in turns {
        match runs.last_mut() {
            Some((_, last, same)) if *last + 1 == at && *same == skipped => *last = at,
            _ => runs.push((at, at, skipped)),
        }
    }
    let word = |(first, last, skipped): (usize, usize, bool)| {
        let mark = if skipped { "x" } else { "" };
        if first == last { format!("{mark}{first}") } else { format!("{mark}{first}-{last}") }
    };
    runs.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Reads the steps, up to the plan's end; ignores what it cannot read.
fn read(words: &str, len: usize) -> Vec<(usize, bool)> {
    // A file that was edited by hand may contain anything.
    const MOST: usize = 1 << 20;
    let mut turns = Vec::new();
    for word in words.split_whitespace() {
        let (skipped, word) = word.strip_prefix('x').map_or((false, word), |word| (true, word));
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else { continue };
        let room = MOST.saturating_sub(turns.len());
        turns.extend((first..=last).take_while(|at| *at < len).take(room).map(|at| (at, skipped)));
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_kept_as_runs() {
        let turns = [(0, false), (1, false), (2, false), (4, true), (5, true), (3, false), (9, false)];
        let words = write(turns.into_iter());
        assert_eq!(words, "0-2 x4-5 3 9");
        assert_eq!(read(&words, 100), turns);
        assert_eq!(
            read("0-2 x-1 5-99999999999 abc 7-3", 7),
            [(0, false), (1, false), (2, false), (5, false), (6, false)]
        );
    }
}
