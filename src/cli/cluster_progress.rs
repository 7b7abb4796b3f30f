//! One line on the terminal with the progress of a request to a cluster, and its duration.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::args::{ErrorFormat, Format};
use super::face::{Aside, Face, count};
use super::progress::CLEAR;
use crate::session::target::PublishEvent;
use crate::source::printable;

/// Shorter work shows no line.
const SOON: Duration = Duration::from_secs(1);
/// How often the line is redrawn.
const PACE: Duration = Duration::from_millis(250);

/// It writes to stderr, if that is a terminal. A server may be silent, so a thread redraws the line.
pub struct ClusterProgress {
    aside: Aside,
    line: Arc<Line>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Line {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    words: String,
    is_drawn: bool,
    has_ended: bool,
}

impl Line {
    fn hold(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self, begun: Instant) {
        let (mut state, mut wait) = (self.hold(), SOON);
        loop {
            let waited = self.ended.wait_timeout_while(state, wait, |state| !state.has_ended);
            state = waited.map_or_else(|error| error.into_inner().0, |(state, _)| state);
            if state.has_ended {
                return;
            }
            let seconds = begun.elapsed().as_secs();
            let _ = write!(io::stderr(), "{CLEAR}{}, {seconds} s; Ctrl-C stops", printable(&state.words));
            (state.is_drawn, wait) = (true, PACE);
        }
    }
}

impl ClusterProgress {
    /// Shows work in progress; `words` describe it.
    pub fn new(face: &Face, format: Format, words: &str) -> Self {
        let speaks = !face.quiet && !face.plain && face.error_format == ErrorFormat::Text;
        let is_on = speaks && format == Format::Text && io::stderr().is_terminal();
        let line = Arc::new(Line::default());
        line.hold().words = words.to_owned();
        let writer = is_on.then(|| {
            let (line, begun) = (Arc::clone(&line), Instant::now());
            std::thread::spawn(move || line.write(begun))
        });
        Self { aside: face.aside(), line, writer }
    }

    /// Shows an event of a publication.
    pub fn follow(&mut self, event: PublishEvent) {
        let words = match event {
            PublishEvent::Sent(done, all) => format!("{done} of {all} contents written"),
            PublishEvent::ReadBack(done, all) => format!("{done} of {all} contents verified"),
            PublishEvent::Raced(id) => {
                return self.note(format_args!("someone else published deploy {id}; trying the next number"));
            }
            PublishEvent::Swept(gone) => {
                let trees = count(gone, "tree");
                return self.note(format_args!("removed {trees} left by interrupted pushes"));
            }
        };
        self.line.hold().words = words;
    }

    /// Prints a permanent line in place of the progress line.
    fn note(&self, words: std::fmt::Arguments) {
        let _state = self.line.hold();
        self.aside.note(words);
    }
}

/// Removes the line before other output.
impl Drop for ClusterProgress {
    fn drop(&mut self) {
        let mut state = self.line.hold();
        state.has_ended = true;
        if std::mem::take(&mut state.is_drawn) {
            let _ = write!(io::stderr(), "{CLEAR}");
        }
        drop(state);
        self.line.ended.notify_all();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}
