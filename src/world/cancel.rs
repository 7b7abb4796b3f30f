//! When work in progress has to end before its end, shared between who asks and who works.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that long work looks at often enough to end within 100 ms. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Takes the wish back, once it was heard.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What ends work before its end: somebody's wish, or that its time is over.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    cancel: Cancel,
    /// How long it may take, and when that is over.
    time: Option<(Duration, Instant)>,
    /// The process ends after it.
    is_last: bool,
}

/// Why work ends before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Cancelled,
    OutOfTime(Duration),
}

impl Stop {
    /// Its time begins now.
    pub fn new(cancel: Cancel, time: Option<Duration>) -> Self {
        let time = time.and_then(|time| Some((time, Instant::now().checked_add(time)?)));
        Self { cancel, time, is_last: false }
    }

    /// The same for the last work of a process.
    pub fn last(self, is_last: bool) -> Self {
        Self { is_last, ..self }
    }

    /// Whether it had to end, and the process ends with it.
    pub fn ends_all(&self) -> bool {
        self.is_last && self.reached().is_some()
    }

    /// Frees what ended work leaves behind. Gigabytes of it take longer than who waits for the end should wait; where the
    /// process ends as well, the system takes them back at once.
    pub fn release<T>(&self, remains: T) {
        if self.ends_all() {
            let _ = std::mem::ManuallyDrop::new(remains);
        }
    }

    /// The same for other work of the same length: its time begins now.
    pub fn again(&self) -> Self {
        Self::new(self.cancel.clone(), self.time.map(|(time, _)| time)).last(self.is_last)
    }

    /// Why the work has to end, if it has to. Takes well under a microsecond.
    pub fn reached(&self) -> Option<Stopped> {
        if self.cancel.is_cancelled() {
            return Some(Stopped::Cancelled);
        }
        self.time.filter(|(_, until)| Instant::now() >= *until).map(|(time, _)| Stopped::OutOfTime(time))
    }
}
