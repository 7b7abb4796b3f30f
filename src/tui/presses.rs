//! Key presses that continue a live run: one press runs one step.
//!
//! A terminal sends a key that is held down as further presses: the first after 250 to 660 ms, depending on the keyboard
//! settings, then one every 25 to 90 ms. The first repeat looks like a second press, so in LIVE a key that runs something
//! is ignored
//!
//! - for 700 ms after it ran something, unless another key was pressed in between;
//! - within 100 ms of its last event, and if the terminal reports a repeat;
//! - while a step runs, and until its result is drawn.
//!
//! The footer shows how many presses were ignored.

use std::time::Duration;

use super::{cx::Cx, keymap::Found, keys::Key};
pub use crate::tui::parts::Presses;
use crate::tui::screen::step::data::State as Step;

/// The same key within this time counts as held down.
const HELD: Duration = Duration::from_millis(100);

/// Longer than the usual delay before a keyboard repeats a key.
const FIRST_REPEAT: Duration = Duration::from_millis(700);

impl Presses {
    /// How many presses were ignored since the last accepted one.
    pub fn ignored(&self) -> usize {
        self.ignored
    }

    /// After every message.
    pub fn on_message(&mut self, is_running: bool) {
        self.is_undrawn |= is_running;
    }

    /// After every frame.
    pub fn drawn(&mut self, is_running: bool) {
        self.is_undrawn = is_running;
    }

    /// Records a key. Returns whether it may be held down.
    fn may_be_held(&mut self, key: Key, now: Duration) -> bool {
        let is_within = |at: Duration, span: Duration| now.saturating_sub(at) < span;
        let before = self.last.replace((key, now)).filter(|(last, _)| *last == key);
        self.ran = self.ran.filter(|_| before.is_some());
        std::mem::take(&mut self.is_repeat)
            || before.is_some_and(|(_, at)| is_within(at, HELD))
            || self.ran.is_some_and(|at| is_within(at, FIRST_REPEAT))
    }
}

/// Whether a key is ignored: it would continue a live run, but it may be held down, or the last result is not drawn
/// yet.
pub fn drops(step: &Step, cx: &mut Cx, key: Key) -> bool {
    let now = cx.jobs.clock;
    let is_held = cx.typing.presses.may_be_held(key, now);
    let is_alone = cx.layers.open.is_empty() && cx.typing.pending.keys.is_empty();
    let found = cx.keymap.find(cx.screen, &[key]);
    let drives = is_alone && matches!(found, Found::Action(entry) if entry.drives()) && step.phase.is_live();
    let drops = drives && (is_held || step.is_running() || cx.typing.presses.is_undrawn);
    if drives && !drops {
        cx.typing.presses.ran = Some(now);
    }
    cx.typing.presses.ignored = if drops { cx.typing.presses.ignored + 1 } else { 0 };
    drops
}
