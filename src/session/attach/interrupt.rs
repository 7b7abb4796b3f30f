//! Counts interrupts: the first Ctrl-C stops after the current resource, the second ends it.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::session::Stepper;
use crate::world::Cancel;

/// How often the user asked to stop, since the creation of this value.
#[derive(Clone, Debug, Default)]
pub struct Interrupts(Arc<Counter>);

#[derive(Debug, Default)]
struct Counter {
    count: AtomicUsize,
    /// Another program has the keyboard.
    is_suspended: AtomicBool,
}

impl Counter {
    /// Counts a signal, unless it is for another program.
    fn counts(&self, signal: c_int) -> bool {
        // With Ctrl-C the terminal signals every program, and it is meant for the one with the keyboard.
        let is_ours = signal != SIGINT || !self.is_suspended.load(Ordering::Relaxed);
        if signal == SIGHUP {
            // Both the kernel and the shell report a closed terminal. That counts once.
            self.count.fetch_max(1, Ordering::Relaxed);
        } else if is_ours {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
        is_ours
    }
}

impl Interrupts {
    /// Catches the signals until the process ends.
    pub fn catch() -> std::io::Result<Self> {
        Self::catch_for(Cancel::default())
    }

    /// The same; the first signal also cancels.
    pub fn catch_for(cancel: Cancel) -> std::io::Result<Self> {
        Self::catch_all(&[SIGINT, SIGTERM], cancel)
    }

    /// The same during a run. For a recorded run in this process, a hangup also stops, because it would interrupt the
    /// deploy. A run in a separate process outlives this one.
    pub fn catch_during(run: &Stepper) -> std::io::Result<Self> {
        let is_ours = run.deploy().is_some() && !run.is_apart();
        if is_ours { Self::catch_with_hangup() } else { Self::catch() }
    }

    /// The same for work in this process. A hangup counts too, unless this process was started to outlive its terminal.
    pub fn catch_with_hangup() -> std::io::Result<Self> {
        match ignores_hangup() {
            true => Self::catch(),
            false => Self::catch_all(&[SIGINT, SIGTERM, SIGHUP], Cancel::default()),
        }
    }

    fn catch_all(signals: &[c_int], cancel: Cancel) -> std::io::Result<Self> {
        let mut signals = Signals::new(signals)?;
        let interrupts = Self::default();
        let counted = interrupts.clone();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for signal in signals.forever() {
                if counted.0.counts(signal) {
                    cancel.cancel();
                }
            }
        })?;
        Ok(interrupts)
    }

    /// Returns the number of interrupts so far.
    pub fn count(&self) -> usize {
        self.0.count.load(Ordering::Relaxed)
    }

    /// Ignores Ctrl-C while another program has the keyboard.
    pub fn lending<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.is_suspended.store(true, Ordering::Relaxed);
        let done = work();
        self.0.is_suspended.store(false, Ordering::Relaxed);
        done
    }
}

/// Whether this process was started to outlive its terminal, as by `nohup`. Reading the handler would replace it, so
/// this reads the kernel's table.
#[allow(clippy::disallowed_methods, reason = "it is about this process, and none of what a program may read")]
fn ignores_hangup() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & (1 << (SIGHUP - 1)) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_closes_once_and_ignores_foreign_input() {
        let interrupts = Interrupts::default();
        let counts = |signals: &[c_int]| signals.iter().map(|signal| interrupts.0.counts(*signal)).collect::<Vec<_>>();
        assert_eq!(interrupts.lending(|| counts(&[SIGINT, SIGINT])), [false, false]);
        assert_eq!(interrupts.count(), 0);
        assert_eq!(counts(&[SIGHUP, SIGHUP, SIGHUP]), [true; 3]);
        assert_eq!(interrupts.count(), 1, "the step at work is done to its end");
        counts(&[SIGINT, SIGHUP, SIGTERM]);
        assert_eq!(interrupts.count(), 3);
        assert_eq!(interrupts.lending(|| counts(&[SIGTERM])), [true]);
    }
}
