//! Presses that make a live run go on: one runs one step, and a key that is held down runs no more.

use std::time::Duration;

use super::keymap::Found;
use super::keys::Key;
use super::state::State;

/// The same key again within this time is held down.
const HELD: Duration = Duration::from_millis(100);

/// What is known of the last presses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presses {
    /// The last key, by the clock of the jobs.
    last: Option<(Key, Duration)>,
    /// The terminal says that the key is held down, set by the loop.
    pub is_repeat: bool,
    /// Something is at work, or what came of it was not drawn yet.
    is_undrawn: bool,
    ignored: usize,
}

impl Presses {
    /// How many presses were ignored since the last one that was not.
    pub fn ignored(&self) -> usize {
        self.ignored
    }

    /// A message was taken in.
    pub fn settle(&mut self, is_running: bool) {
        self.is_undrawn |= is_running;
    }

    /// All was drawn as it is now.
    pub fn drawn(&mut self, is_running: bool) {
        self.is_undrawn = is_running;
    }
}

/// Whether a key is dropped, for it would make a live run go on though nobody saw yet what came of the last one, or is held down.
pub fn drops(state: &mut State, key: Key) -> bool {
    let now = state.jobs.clock;
    let is_soon = |(last, at): (Key, Duration)| last == key && now.saturating_sub(at) < HELD;
    let is_held = std::mem::take(&mut state.presses.is_repeat) || state.presses.last.is_some_and(is_soon);
    state.presses.last = Some((key, now));
    let is_alone = state.layers.is_empty() && state.pending.keys.is_empty();
    let found = state.keymap.find(state.screen, &[key]);
    let drives = is_alone && matches!(found, Found::Action(entry) if entry.drives());
    let drops = drives && state.step.live.is_live() && (is_held || state.step.running || state.presses.is_undrawn);
    state.presses.ignored = if drops { state.presses.ignored + 1 } else { 0 };
    drops
}
