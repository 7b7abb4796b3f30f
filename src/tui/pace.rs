//! When a frame is drawn, and how much of it.
//!
//! Keys are answered at once; what workers tell waits for its turn, so that a flood of it costs neither the processor nor a
//! slow line. A key that is held down is answered with the pane it moves in: the panes beside it, which tell of the row under
//! the cursor, follow [`PAUSE`] after the last key, and every [`FOLLOW`] while it is still held. Somebody who passes thirty
//! rows a second reads the list; a pane sent with each of them would be most of the bytes, and read by nobody. A key that is
//! pressed once brings all panes with it, in the same frame.

use std::time::Duration;

use tokio::time::Instant;

use super::keys::Key;
use super::layout::Layout;
use super::state::State;

/// Frames for what workers tell are at least this far apart: thirty a second, as many as anybody follows. What they tell
/// after a rest is shown at once.
const FRAME: Duration = Duration::from_millis(33);
/// Frames for keys may follow each other sooner: somebody waits for them. A held key still cannot flood a slow terminal.
const ECHO: Duration = Duration::from_millis(3);
/// The same key so soon after itself is held down: keyboards repeat theirs every 30 to 50 milliseconds, no hand does.
const HELD: Duration = Duration::from_millis(80);
/// So long after the last key of a held one, the panes beside catch up: longer than keyboards take to repeat it.
const PAUSE: Duration = Duration::from_millis(60);
/// How far behind they may be while it is held.
const FOLLOW: Duration = Duration::from_millis(150);

/// How much of a frame is drawn anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// The pane with the focus, and what stands around the panes.
    Focused,
    All,
}

/// What is still to be drawn.
#[derive(Clone, Copy, Debug)]
struct Due {
    extent: Extent,
    /// Somebody waits for it.
    is_echo: bool,
}

/// What was drawn when, and what is still to be.
#[derive(Debug)]
pub struct Pace {
    due: Option<Due>,
    drawn: Instant,
    /// The last frame that answered a key.
    echoed: Option<Instant>,
    /// The last one that did not.
    told: Option<Instant>,
    /// The last frame of all panes.
    whole: Instant,
    key: Option<(Key, Instant)>,
    /// The panes beside are behind.
    is_behind: bool,
    /// Where things stood in the last frame; nothing where something lay over them.
    layout: Option<Layout>,
}

impl Pace {
    /// All was drawn just now.
    pub fn new(now: Instant) -> Self {
        Self { due: None, drawn: now, echoed: None, told: None, whole: now, key: None, is_behind: false, layout: None }
    }

    /// Workers told something.
    pub fn told(&mut self) {
        self.want(Extent::All, false);
    }

    /// Something is to be seen at once.
    pub fn changed(&mut self) {
        self.key = None;
        self.want(Extent::All, true);
    }

    /// A key came; `moves`: it moves the cursor of the pane with the focus and does nothing else.
    pub fn key(&mut self, key: Key, moves: bool, now: Instant) {
        let is_held = moves && self.key.is_some_and(|(last, at)| last == key && now.duration_since(at) < HELD);
        let is_late = now.duration_since(self.whole) >= FOLLOW;
        self.key = moves.then_some((key, now));
        self.want(if is_held && !is_late { Extent::Focused } else { Extent::All }, true);
    }

    fn want(&mut self, extent: Extent, is_echo: bool) {
        let due = self.due.get_or_insert(Due { extent, is_echo });
        due.extent = due.extent.max(extent);
        due.is_echo |= is_echo;
    }

    /// When the next frame is due.
    pub fn next(&self) -> Option<Instant> {
        match (self.due, self.key) {
            (Some(Due { is_echo: true, .. }), _) => Some(self.echoed.map_or(self.drawn, |at| at + ECHO)),
            (Some(_), _) => Some(self.told.map_or(self.drawn, |at| at + FRAME).max(self.drawn + ECHO)),
            (None, Some((_, at))) if self.is_behind => Some(at + PAUSE),
            (None, _) => self.is_behind.then_some(self.drawn + PAUSE),
        }
    }

    /// What is to be drawn now, if anything.
    pub fn due(&self, now: Instant) -> Option<Extent> {
        self.next().filter(|at| *at <= now)?;
        Some(self.due.map_or(Extent::All, |due| due.extent))
    }

    /// How much can be drawn: panes that stand elsewhere, or that something lies over, are drawn all.
    pub fn fitting(&self, wanted: Extent, state: &State) -> Extent {
        let stands = state.layers.is_empty() && self.layout.as_ref() == Some(&state.layout());
        if stands { wanted } else { Extent::All }
    }

    /// A frame was drawn.
    pub fn drawn(&mut self, extent: Extent, state: &State, now: Instant) {
        match self.due {
            Some(Due { is_echo: true, .. }) => self.echoed = Some(now),
            Some(_) => self.told = Some(now),
            None => {}
        }
        if extent == Extent::All {
            self.whole = now;
        }
        self.is_behind = extent == Extent::Focused;
        self.layout = state.layers.is_empty().then(|| state.layout());
        (self.due, self.drawn) = (None, now);
    }

    /// When the last frame was drawn.
    pub fn last(&self) -> Instant {
        self.drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::stage::Play;

    /// A second, a millisecond after the other: what happens in each, and for each frame when it was drawn and whether it was
    /// whole.
    fn second(mut happens: impl FnMut(&mut Pace, u64, Instant)) -> (Pace, Vec<(u64, bool)>) {
        let play = Play::new(120, 40);
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
        let mut frames = Vec::new();
        for ms in 1..1000 {
            let now = begin + Duration::from_millis(ms);
            happens(&mut pace, ms, now);
            if let Some(extent) = pace.due(now).map(|extent| pace.fitting(extent, &play.state)) {
                pace.drawn(extent, &play.state, now);
                frames.push((ms, extent == Extent::All));
            }
        }
        (pace, frames)
    }

    /// Keys every so many milliseconds.
    fn frames(every: u64, keys: usize, moves: bool) -> Vec<(u64, bool)> {
        let (pace, frames) = second(|pace, ms, now| {
            if ms % every == 0 && (ms / every) as usize <= keys {
                pace.key(Key::char('j'), moves, now);
            }
        });
        assert_eq!(pace.next(), None, "nothing is left to be done");
        frames
    }

    #[test]
    fn a_key_pressed_once_brings_all_panes() {
        assert_eq!(frames(500, 1, true), [(500, true)]);
        assert_eq!(frames(120, 3, true), [(120, true), (240, true), (360, true)]);
    }

    #[test]
    fn the_panes_beside_follow_a_held_key_now_and_then_and_when_it_ends() {
        let held = frames(30, 10, true);
        let whole: Vec<u64> = held.iter().filter(|(_, whole)| *whole).map(|(at, _)| *at).collect();
        assert_eq!(whole, [30, 180, 360], "the first, one on the way, and one after the last");
        assert_eq!(held.len(), 11);
    }

    #[test]
    fn what_does_more_than_move_is_drawn_whole() {
        assert!(frames(30, 10, false).iter().all(|(_, whole)| *whole));
    }

    #[test]
    fn a_key_waits_for_no_frame_of_the_workers() {
        let play = Play::new(120, 40);
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut pace = Pace::new(begin);
        pace.told();
        pace.drawn(Extent::All, &play.state, at(16));
        pace.told();
        assert_eq!(pace.due(at(17)), None);
        pace.key(Key::char('j'), true, at(17));
        assert_eq!(pace.due(at(17)), Some(Extent::All));
    }

    #[test]
    fn workers_are_heard_at_once_after_a_rest_and_thirty_times_a_second_in_a_flood() {
        let (_, frames) = second(|pace, ms, _| {
            if ms > 100 {
                pace.told();
            }
        });
        assert_eq!(frames[..3], [(101, true), (134, true), (167, true)]);
        assert_eq!(frames.len(), 28);
    }
}
