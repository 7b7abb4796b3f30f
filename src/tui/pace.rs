//! When a frame is drawn, and how much of it.
//!
//! Keys are answered at once; what workers tell waits for its turn, so that a flood of it costs neither the processor nor a
//! slow line. A key that only moves the cursor is answered by all panes where that takes no more than [`MOST`] bytes, else by the
//! pane that it moves in; that one takes more only where it scrolls, or is another one than before. The others and the hints
//! follow once the hand rests, [`PAUSE`] after the last key, and every [`FOLLOW`] while it does not; so does what workers tell
//! meanwhile. Somebody who passes thirty rows a second reads the list; a pane sent with each of them would be most of the bytes,
//! and read by nobody.

use std::time::Duration;

use tokio::time::Instant;

use super::layer::Layer;
use super::layout::Layout;
use super::state::State;

/// Frames for what workers tell are at least this far apart: thirty a second, as many as anybody follows. What they tell
/// after a rest is shown at once.
const FRAME: Duration = Duration::from_millis(33);
/// Frames for keys may follow each other sooner: somebody waits for them. A held key still cannot flood a slow terminal.
const ECHO: Duration = Duration::from_millis(3);
/// What the frame of a move may take, in bytes, with all panes in it.
pub const MOST: usize = 200;
/// So long after the last move the panes beside catch up: longer than keyboards take to repeat a key, 30 to 50 milliseconds,
/// and too short to be waited for.
const PAUSE: Duration = Duration::from_millis(60);
/// Moves that follow each other sooner are of a key that is held, or of a hand that hurries as much.
const HELD: Duration = Duration::from_millis(150);
/// How far behind they may be while the cursor goes on.
const FOLLOW: Duration = Duration::from_millis(500);

/// How much of a frame is drawn anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// The pane that the cursor moves in.
    Focused,
    /// All of it where that takes no more than [`MOST`], else the same as [`Extent::Focused`].
    Fitting,
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
    /// The last key that moved the cursor, with nothing else since.
    moved: Option<Instant>,
    /// Since when the panes beside are behind, if they are.
    behind: Option<Instant>,
    /// Where things stood in the last frame.
    scene: Option<Scene>,
}

/// Where things stand: the panes, and the picker over them.
type Scene = (Layout, Option<u64>);

/// Nothing where something else lies over the panes.
fn scene(state: &State) -> Option<Scene> {
    match state.layers.last() {
        None => Some((state.layout(), None)),
        Some(Layer::Picker(picker)) => Some((state.layout(), Some(picker.pick))),
        Some(_) => None,
    }
}

impl Pace {
    /// All was drawn just now.
    pub fn new(now: Instant) -> Self {
        Self { due: None, drawn: now, echoed: None, told: None, moved: None, behind: None, scene: None }
    }

    /// Workers told something. While the cursor moves it waits with the panes beside: it may be about a row that was left.
    pub fn told(&mut self, now: Instant) {
        let is_moving = self.moved.is_some_and(|at| now.duration_since(at) < PAUSE);
        match self.behind {
            Some(since) if is_moving && now.duration_since(since) < FOLLOW => {}
            None if is_moving => self.behind = Some(now),
            _ => self.want(Extent::All, false),
        }
    }

    /// Something is to be seen at once.
    pub fn changed(&mut self) {
        self.moved = None;
        self.want(Extent::All, true);
    }

    /// A key came; `moves`: it moves the cursor of the pane with the focus and does nothing else. Whether such a key is held.
    pub fn key(&mut self, moves: bool, now: Instant) -> bool {
        let last = std::mem::replace(&mut self.moved, moves.then_some(now));
        let is_held = moves && last.is_some_and(|last| now.duration_since(last) < HELD);
        let extent = match self.behind {
            _ if !moves => Extent::All,
            None => Extent::Fitting,
            Some(since) if now.duration_since(since) < FOLLOW => Extent::Focused,
            Some(_) => Extent::All,
        };
        self.want(extent, true);
        is_held
    }

    fn want(&mut self, extent: Extent, is_echo: bool) {
        let due = self.due.get_or_insert(Due { extent, is_echo });
        due.extent = due.extent.max(extent);
        due.is_echo |= is_echo;
    }

    /// When the next frame is due.
    pub fn next(&self) -> Option<Instant> {
        match self.due {
            Some(Due { is_echo: true, .. }) => Some(self.echoed.map_or(self.drawn, |at| at + ECHO)),
            Some(_) => Some(self.told.map_or(self.drawn, |at| at + FRAME).max(self.drawn + ECHO)),
            None => self.behind.map(|_| self.moved.unwrap_or(self.drawn) + PAUSE),
        }
    }

    /// What is to be drawn now, if anything.
    pub fn due(&self, now: Instant) -> Option<Extent> {
        self.next().filter(|at| *at <= now)?;
        Some(self.due.map_or(Extent::All, |due| due.extent))
    }

    /// How much can be drawn: where things stand elsewhere than before, all of them are.
    pub fn fitting(&self, wanted: Extent, state: &State) -> Extent {
        let stands = self.scene.is_some() && self.scene == scene(state);
        if stands { wanted } else { Extent::All }
    }

    /// A frame was drawn; `whole`: all panes are as they should be.
    pub fn drawn(&mut self, whole: bool, state: &State, now: Instant) {
        match self.due {
            Some(Due { is_echo: true, .. }) => self.echoed = Some(now),
            Some(_) => self.told = Some(now),
            None => {}
        }
        self.behind = if whole { None } else { self.behind.or(Some(now)) };
        self.scene = scene(state);
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
    /// whole; `fits`: all panes take few bytes.
    fn second(fits: bool, mut happens: impl FnMut(&mut Pace, u64, Instant)) -> (Pace, Vec<(u64, bool)>) {
        let play = Play::new(120, 40);
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
        pace.drawn(true, &play.state, begin);
        let mut frames = Vec::new();
        for ms in 1..1000 {
            let now = begin + Duration::from_millis(ms);
            happens(&mut pace, ms, now);
            if let Some(extent) = pace.due(now).map(|extent| pace.fitting(extent, &play.state)) {
                let whole = extent == Extent::All || extent == Extent::Fitting && fits;
                pace.drawn(whole, &play.state, now);
                frames.push((ms, whole));
            }
        }
        (pace, frames)
    }

    /// Keys every so many milliseconds.
    fn frames(every: u64, keys: u64, moves: bool, fits: bool) -> Vec<(u64, bool)> {
        let (pace, frames) = second(fits, |pace, ms, now| {
            if ms % every == 0 && ms / every <= keys {
                pace.key(moves, now);
            }
        });
        assert_eq!(pace.next(), None, "nothing is left to be done");
        frames
    }

    #[test]
    fn a_move_brings_all_panes_where_they_take_few_bytes() {
        assert_eq!(frames(120, 3, true, true), [(120, true), (240, true), (360, true)]);
        assert!(frames(30, 20, true, true).iter().all(|(_, whole)| *whole));
    }

    #[test]
    fn panes_that_take_many_follow_when_the_hand_rests() {
        assert_eq!(frames(120, 2, true, false), [(120, false), (180, true), (240, false), (300, true)]);
        assert_eq!(frames(30, 3, true, false), [(30, false), (60, false), (90, false), (150, true)]);
    }

    #[test]
    fn panes_that_take_many_follow_a_held_key_now_and_then() {
        let held = frames(30, 30, true, false);
        let whole: Vec<u64> = held.iter().filter(|(_, whole)| *whole).map(|(at, _)| *at).collect();
        assert_eq!(whole, [540, 960], "one on the way, and one after the last");
        assert_eq!(held.len(), 31);
    }

    #[test]
    fn what_does_more_than_move_is_drawn_whole() {
        assert!(frames(30, 10, false, false).iter().all(|(_, whole)| *whole));
    }

    #[test]
    fn what_does_more_than_move_brings_those_that_are_behind() {
        let (_, frames) = second(false, |pace, ms, now| match ms {
            100 | 110 => _ = pace.key(ms == 100, now),
            _ => {}
        });
        assert_eq!(frames, [(100, false), (110, true)]);
    }

    #[test]
    fn a_key_is_held_where_moves_follow_each_other_closely() {
        let mut held = Vec::new();
        second(true, |pace, ms, now| match ms {
            100 | 350 | 380 | 410 | 450 | 700 => held.push(pace.key(ms != 410, now)),
            _ => {}
        });
        assert_eq!(held, [false, false, true, false, false, false]);
    }

    #[test]
    fn a_key_waits_for_no_frame_of_the_workers() {
        let play = Play::new(120, 40);
        let begin = Instant::now();
        let at = |ms| begin + Duration::from_millis(ms);
        let mut pace = Pace::new(begin);
        pace.told(begin);
        pace.drawn(true, &play.state, at(16));
        pace.told(at(16));
        assert_eq!(pace.due(at(17)), None);
        pace.key(true, at(17));
        assert_eq!(pace.due(at(17)), Some(Extent::All));
    }

    #[test]
    fn what_workers_tell_while_the_cursor_moves_waits_until_it_rests() {
        let (_, frames) = second(true, |pace, ms, now| match ms {
            100 | 130 | 160 => _ = pace.key(true, now),
            101 | 131 | 161 | 162 => pace.told(now),
            _ => {}
        });
        assert_eq!(frames, [(100, true), (130, false), (160, false), (220, true)]);
    }

    #[test]
    fn workers_are_heard_at_once_after_a_rest_and_thirty_times_a_second_in_a_flood() {
        let (_, frames) = second(true, |pace, ms, now| {
            if ms > 100 {
                pace.told(now);
            }
        });
        assert_eq!(frames[..3], [(101, true), (134, true), (167, true)]);
        assert_eq!(frames.len(), 28);
    }
}
