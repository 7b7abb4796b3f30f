//! One line on the terminal with the progress of a long run.

use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::args::{ErrorFormat, Format};
use super::face::Face;
use crate::engine::message::{Event, TurnState};
use crate::engine::run_view::RunView;

/// Shorter runs show no line.
const SOON: Duration = Duration::from_secs(1);

/// How often the line changes at most.
const PAUSE: Duration = Duration::from_millis(100);

/// Removes the line, wherever the cursor is in it.
pub const CLEAR: &str = "\r\x1b[K";

/// The progress of a run. It writes to stderr, if that is a terminal.
pub struct Progress {
    on: bool,
    total: usize,
    view: RunView,
    begun: Instant,
    drawn: Option<Instant>,
}

impl Progress {
    /// Makes the line. It is shown only on a terminal, with text as output and error format.
    pub fn new(face: &Face, format: Format, total: usize) -> Self {
        let speaks = !face.quiet && !face.plain && face.error_format == ErrorFormat::Text;
        let on = speaks && format == Format::Text && io::stderr().is_terminal();
        Self { on, total, view: RunView::without_steps(), begun: Instant::now(), drawn: None }
    }

    /// Removes the line before other output.
    pub fn clear(&mut self) {
        if self.drawn.is_some_and(|_| self.on) {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }

    /// Counts an event, and redraws the line when it is time.
    pub fn follow(&mut self, event: &Event) {
        if self.on {
            self.view.on_event(event);
        }
        if let Event::Turn { state: TurnState::Waiting | TurnState::Running, .. } = event {
            return;
        }
        if self.on && self.begun.elapsed() >= SOON && self.drawn.is_none_or(|at| at.elapsed() >= PAUSE) {
            self.drawn = Some(Instant::now());
            let _ = write!(io::stderr(), "{CLEAR}{}", self.words());
        }
    }

    fn words(&self) -> String {
        let counts = self.view.counts();
        let failed = if counts.failed > 0 { format!(", {} failed", counts.failed) } else { String::new() };
        let (ended, total, took) = (counts.ended().min(self.total), self.total, self.begun.elapsed());
        let verb = if counts.failed > 0 { "finished" } else { "done" };
        format!("{ended} of {total} {verb}{failed}, {} s", took.as_secs())
    }
}

/// The progress of work on many things at once, as `120 of 400 nodes`.
pub struct Counter {
    on: bool,
    noun: &'static str,
    total: usize,
    begun: Instant,
    drawn: Mutex<Option<Instant>>,
}

impl Counter {
    /// Makes a counter of `total` items. `noun` names one of them.
    pub fn new(face: &Face, format: Format, noun: &'static str, total: usize) -> Self {
        let Progress { on, begun, .. } = Progress::new(face, format, total);
        Self { on, noun, total, begun, drawn: Mutex::default() }
    }

    /// Reports how many are done, when it is time.
    pub fn report(&self, done: usize) {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if self.on && self.begun.elapsed() >= SOON && drawn.is_none_or(|at| at.elapsed() >= PAUSE) {
            *drawn = Some(Instant::now());
            let seconds = self.begun.elapsed().as_secs();
            let _ = write!(io::stderr(), "{CLEAR}{done} of {} {}, {seconds} s", self.total, self.noun);
        }
    }

    /// Removes the line before other output.
    pub fn clear(&self) {
        if self.drawn.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
    }
}
