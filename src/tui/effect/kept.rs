//! The state of the session, saved while the screens run and at their end: the newest, whichever thread is first.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::session::{Session, keepsakes};

/// Writes the saved state of one session.
#[derive(Clone, Default)]
pub struct Kept {
    /// Counts what was to be written.
    newest: Arc<AtomicU64>,
    turn: Arc<Mutex<()>>,
    /// What was to be written last.
    words: String,
}

impl Kept {
    /// What is written next is written, whatever was before.
    pub fn forget(&mut self) {
        self.words.clear();
    }

    /// What writes these words, to be called where one may wait; nothing where they are written already.
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
                // The next time begins elsewhere then; it is tried again with the next change, and at the end.
                let _ = keepsakes::keep(state.as_ref(), &name, &words);
            }
        })
    }
}
