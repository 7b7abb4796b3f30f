//! Ctrl-C as a number: the first asks to stop after the resource at work, the second to end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::world::Cancel;

/// How often the user asked to stop, counted from when this was made.
#[derive(Clone, Debug, Default)]
pub struct Interrupts(Arc<AtomicUsize>);

impl Interrupts {
    /// Catches the signals from now on, until the process ends.
    pub fn catch() -> std::io::Result<Self> {
        Self::catch_for(Cancel::default())
    }

    /// The same; the first signal also cancels.
    pub fn catch_for(cancel: Cancel) -> std::io::Result<Self> {
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let interrupts = Self::default();
        let counted = interrupts.clone();
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            for _ in signals.forever() {
                counted.0.fetch_add(1, Ordering::Relaxed);
                cancel.cancel();
            }
        })?;
        Ok(interrupts)
    }

    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}
