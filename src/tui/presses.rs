//! Presses that make a live run go on: one press runs one step.
//!
//! A terminal sends a key that is held down as further presses: the first after 250 to 660 ms, as the keyboard is set, and then one
//! every 25 to 90 ms. The first of them look like a second press, so in LIVE a key that runs something is ignored
//!
//! - for 700 ms after it ran something, unless another key was pressed in between;
//! - within 100 ms of its last event, and where the terminal reports a repeat;
//! - while a step runs, and until its result is drawn.
//!
//! The footer shows how many presses were ignored.

use std::time::Duration;

use super::keymap::Found;
use super::keys::Key;
use super::state::State;

/// The same key again within this time is held down.
const HELD: Duration = Duration::from_millis(100);

/// Longer than any usual time until a keyboard repeats a key for the first time.
const FIRST_REPEAT: Duration = Duration::from_millis(700);

/// What is known of the last presses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presses {
    /// The last key, by the clock of the jobs.
    last: Option<(Key, Duration)>,
    /// When the last key ran something live; nothing where another key came since.
    ran: Option<Duration>,
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

    /// Takes in a key. Whether it may be held down.
    fn may_be_held(&mut self, key: Key, now: Duration) -> bool {
        let is_within = |at: Duration, span: Duration| now.saturating_sub(at) < span;
        let before = self.last.replace((key, now)).filter(|(last, _)| *last == key);
        self.ran = self.ran.filter(|_| before.is_some());
        std::mem::take(&mut self.is_repeat)
            || before.is_some_and(|(_, at)| is_within(at, HELD))
            || self.ran.is_some_and(|at| is_within(at, FIRST_REPEAT))
    }
}

/// Whether a key is ignored: it would make a live run go on, though it may be held down, or the last result was not seen yet.
pub fn drops(state: &mut State, key: Key) -> bool {
    let now = state.jobs.clock;
    let is_held = state.presses.may_be_held(key, now);
    let is_alone = state.layers.is_empty() && state.pending.keys.is_empty();
    let found = state.keymap.find(state.screen, &[key]);
    let drives = is_alone && matches!(found, Found::Action(entry) if entry.drives()) && state.step.live.is_live();
    let drops = drives && (is_held || state.step.running || state.presses.is_undrawn);
    if drives && !drops {
        state.presses.ran = Some(now);
    }
    state.presses.ignored = if drops { state.presses.ignored + 1 } else { 0 };
    drops
}
