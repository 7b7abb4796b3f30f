//! Cancellation and time limits, shared between a caller and a worker.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    /// What ends the reads of this thread that wait.
    static OF_READS: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// A flag that a worker checks often enough to end within 100 ms. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Sets the flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Clears the flag after the worker has noticed it.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// The flag itself, for a signal handler.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }

    /// Reads in this thread; a read that waits for foreign code, or for the name of a machine, ends with a cancellation.
    pub fn during<T>(&self, read: impl FnOnce() -> T) -> T {
        let before = OF_READS.with(|cancel| cancel.replace(Some(self.clone())));
        let answer = read();
        OF_READS.with(|cancel| cancel.replace(before));
        answer
    }

    /// Whether the reads of this thread are cancelled.
    pub fn ends_reads() -> bool {
        OF_READS.with(|cancel| cancel.borrow().as_ref().is_some_and(Cancel::is_cancelled))
    }

    /// Whether the flag is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What can end work early: a cancellation, or a time limit.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    cancel: Cancel,
    /// The time limit, and its end.
    time: Option<(Duration, Instant)>,
    /// The milliseconds of work that has limits of its own.
    apart: Arc<AtomicU64>,
    /// The process exits after it.
    is_last: bool,
}

/// Why work ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    Cancelled,
    OutOfTime(Duration),
}

impl Stop {
    /// The time limit starts now.
    pub fn new(cancel: Cancel, time: Option<Duration>) -> Self {
        let time = time.and_then(|time| Some((time, Instant::now().checked_add(time)?)));
        Self { cancel, time, apart: Arc::default(), is_last: false }
    }

    /// The same for the last work of a process.
    pub fn last(self, is_last: bool) -> Self {
        Self { is_last, ..self }
    }

    /// Whether the work was ended and the process exits with it.
    pub fn ends_all(&self) -> bool {
        self.is_last && self.reached().is_some()
    }

    /// Frees the data of ended work. Freeing gigabytes would delay a caller who waits for the end. If the process exits
    /// too, the system frees them at once.
    pub fn release<T>(&self, remains: T) {
        if self.ends_all() {
            let _ = std::mem::ManuallyDrop::new(remains);
        }
    }

    /// Frees the data of finished work, unless the process exits after it.
    pub fn finish<T>(&self, remains: T) {
        if self.is_last {
            let _ = std::mem::ManuallyDrop::new(remains);
        }
    }

    /// Does work that has limits of its own: its time does not count.
    pub fn apart<T>(&self, work: impl FnOnce() -> T) -> T {
        let begin = Instant::now();
        let made = work();
        let took = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.apart.fetch_add(took, Ordering::Relaxed);
        made
    }

    /// Reads, and ends a read that waits with a cancellation.
    pub fn during<T>(&self, read: impl FnOnce() -> T) -> T {
        self.cancel.during(read)
    }

    /// Returns the same limits for other work. The time limit starts now.
    pub fn again(&self) -> Self {
        Self::new(self.cancel.clone(), self.time.map(|(time, _)| time)).last(self.is_last)
    }

    /// Returns why the work must end, if it must. Takes well under a microsecond.
    pub fn reached(&self) -> Option<Stopped> {
        if self.cancel.is_cancelled() {
            return Some(Stopped::Cancelled);
        }
        let apart = Duration::from_millis(self.apart.load(Ordering::Relaxed));
        self.time.filter(|(_, until)| Instant::now() >= *until + apart).map(|(time, _)| Stopped::OutOfTime(time))
    }
}
