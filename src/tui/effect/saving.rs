//! Saves the session's state, during the session and on exit. The newest state wins, whichever thread is first.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::session::{Session, keepsakes};

/// Writes the saved state of one session.
#[derive(Clone, Default)]
pub struct StateWriter {
    /// Counts the writes.
    newest: Arc<AtomicU64>,
    turn: Arc<Mutex<()>>,
    /// The text of the last write.
    words: String,
}

impl StateWriter {
    /// Makes the next write happen even if its text is the same.
    pub fn forget(&mut self) {
        self.words.clear();
    }

    /// Returns the write, for a thread that may block; `None` if this text is written already.
    pub fn write(
        &mut self,
        words: String,
        session: Arc<Session>,
        state: Option<PathBuf>,
    ) -> Option<impl FnOnce() + Send + use<>> {
        if self.words == words {
            return None;
        }
        self.words.clone_from(&words);
        let number = self.newest.fetch_add(1, Ordering::SeqCst) + 1;
        let (newest, turn) = (Arc::clone(&self.newest), Arc::clone(&self.turn));
        Some(move || {
            let _turn = turn.lock().unwrap_or_else(PoisonError::into_inner);
            if newest.load(Ordering::SeqCst) != number {
                return;
            }
            if let Some(name) = session.keepsake() {
                // The next session starts without it. The next change, and the exit, try again.
                let _ = keepsakes::keep(state.as_ref(), &name, &words);
            }
        })
    }
}
