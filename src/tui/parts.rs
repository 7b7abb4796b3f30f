//! The data of what every screen shares: jobs, the watch of inputs, the tutor, and key presses.

use crate::session::follow::Read;
use crate::session::moment::Moment;
use crate::tui::layer::picker::data::{Source, Wish};
use crate::tui::{keys::Key, message::Job, options::Options, program::Program};
use std::collections::{BTreeSet, VecDeque};
use std::{sync::Arc, time::Duration};

#[derive(Debug, Default)]
pub struct Events {
    pub(super) is_on: bool,
    /// It started automatically after a live run. It ends automatically if the program reads no inputs.
    pub(super) is_own: bool,
    /// Counts watches, so that reports of an ended watch are ignored.
    pub run: u64,
    /// The program's state at the newest event.
    pub(super) moment: Option<Arc<Moment>>,
    /// The graph of the newest event; that of the event before while it is indexed.
    pub(super) program: Option<Arc<Program>>,
    pub(super) indexing: bool,
    /// What the program reads.
    pub(super) inputs: BTreeSet<Read>,
    /// It failed and cannot continue.
    pub(super) broke: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Running {
    pub job: Job,
    /// On the clock of [`Jobs`].
    pub since: Duration,
    /// How much of how much is done, if known.
    pub done: Option<(usize, usize)>,
    /// How often the log reported it.
    pub(super) beats: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    pub job: Job,
    pub took: Duration,
    /// When, as the log writes it.
    pub at: String,
}

/// All jobs, the oldest first. One job can be there more than once: each start has an end.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    pub(super) running: Vec<Running>,
    /// The newest last.
    pub(super) ended: VecDeque<Ended>,
    /// The time since the face started, set by the loop: nothing else reads a clock.
    pub clock: Duration,
}

/// The state of recent presses.
#[derive(Clone, Copy, Debug, Default)]
pub struct Presses {
    /// The last key, with its time on the jobs' clock.
    pub(super) last: Option<(Key, Duration)>,
    /// When the last key ran something live; `None` after another key.
    pub(super) ran: Option<Duration>,
    /// The terminal reports that the key is held down; set by the loop.
    pub is_repeat: bool,
    /// Something is running, or its result is not drawn yet.
    pub(super) is_undrawn: bool,
    pub(super) ignored: usize,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Tutor {
    /// The current task; the number of tasks when all are done.
    pub at: usize,
    /// The finished ones, one bit each.
    pub(super) done: u16,
    /// A deploy was undone since the start.
    pub(super) undid: bool,
    /// A lookup found no symbol.
    pub(super) missed: bool,
}

/// The settings, read again.
#[derive(Debug)]
pub struct Notice {
    /// Their values; `None` if they have errors.
    pub options: Option<Box<Options>>,
    /// The theme is another one, or looks different.
    pub is_another_theme: bool,
    /// The new problems, one line each, with their places.
    pub problems: Vec<String>,
    /// Changed settings that take effect at the next start.
    pub later: Vec<&'static str>,
}

/// A request of a picker.
#[derive(Clone, Debug)]
pub enum Order {
    Begin { pick: u64, source: Source },
    Words { turn: u64, words: String },
    Preview(Box<Wish>),
    End,
}
