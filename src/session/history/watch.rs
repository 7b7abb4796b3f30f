//! Watches the history for appliers that begin, end, resume or undo a deploy.
//!
//! It sleeps until then. A killed applier is noticed too, because the system closes its lock.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::deploy::{StateError, StateFolder};
use crate::session::{job, state_path};
use crate::world::{Live, Nudge, Watcher};

/// The shortest interval between reports, because an applier writes often.
const PACE: Duration = Duration::from_millis(250);

/// A watch on a history. Dropping it ends it.
#[derive(Debug)]
pub struct HistoryWatch {
    is_over: Arc<AtomicBool>,
    nudge: Nudge,
}

impl Drop for HistoryWatch {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        self.nudge.nudge();
    }
}

/// Watches the history below the state folder. `on_change` runs on another thread: at once, and after each write there.
pub fn watch_history(
    state: Option<&PathBuf>,
    mut on_change: impl FnMut() + Send + 'static,
) -> Result<HistoryWatch, StateError> {
    let state = StateFolder::at(&state_path(state)?);
    let (watcher, nudge) = Watcher::patient();
    let mut watcher = watcher.of_locks([state.lock()]);
    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    thread::spawn(move || {
        let world = Live::new();
        watcher.watch(&world, [], [state.lock(), state.socket(), state.deploys()]);
        while !over.load(Ordering::SeqCst) {
            // A panic there ends the watch and nothing else.
            if job::run(&mut on_change).is_err() {
                return;
            }
            thread::sleep(PACE);
            watcher.wait(&world, None, &|| !over.load(Ordering::SeqCst));
        }
    });
    Ok(HistoryWatch { is_over, nudge })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use rustix::fs::{CWD, FlockOperation, Mode, OFlags};

    use super::*;

    /// Relevant writes are reported. Reads and other files are not.
    #[test]
    fn writes_and_reverts_are_reported() {
        const SOON: Duration = Duration::from_secs(20);
        const NEVER: Duration = Duration::from_millis(600);
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateFolder::open(&folder.path().join("state")).expect("a folder for state");
        let at = |path: &std::path::Path, flags| rustix::fs::openat(CWD, path, flags, Mode::RUSR | Mode::WUSR);
        let write = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
        let lock = at(&state.lock(), write).expect("a file");
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).expect("it is free");
        let (sender, on_change) = channel();
        let path = state.path().to_path_buf();
        let watch = watch_history(Some(&path), move || _ = sender.send(())).expect("a watch");
        on_change.recv_timeout(SOON).expect("it is looked at once");
        drop(at(&state.lock(), OFlags::RDONLY | OFlags::CLOEXEC));
        drop(at(&state.path().join("kept"), write));
        assert!(on_change.recv_timeout(NEVER).is_err(), "the history has not changed");
        let journal = at(&state.journal(1), write).expect("a file");
        on_change.recv_timeout(SOON).expect("a deploy begins");
        rustix::io::write(&journal, b"deed").expect("it is written");
        on_change.recv_timeout(SOON).expect("an operation is logged");
        while on_change.recv_timeout(NEVER).is_ok() {}
        drop(at(&state.journal(1), write));
        assert!(on_change.recv_timeout(NEVER).is_err(), "nothing was written there");
        drop(lock);
        on_change.recv_timeout(SOON).expect("the lock is given back");
        drop(watch);
        drop(journal);
        let is_over = |on_change: Result<(), _>| on_change == Err(std::sync::mpsc::RecvTimeoutError::Disconnected);
        assert!((0..3).any(|_| is_over(on_change.recv_timeout(SOON))), "it ends");
    }
}
