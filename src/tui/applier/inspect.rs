//! Checks the newest deploy: whether it is resolved, detached, interrupted, or running.

use std::path::PathBuf;

use tokio::task::spawn_blocking;

use super::{Applier, refusal};
use crate::session::history::{self, Deploy, StateError};
use crate::session::{self, ApplierStatus, AttachError};
use crate::tui::{screen::step::detached, screen::step::live::Notice};

/// The status of a history's newest deploy.
#[derive(Debug)]
enum Looked {
    Waits(ApplierStatus),
    Driven(ApplierStatus),
    CutOff(Box<Deploy>),
    /// All was checked: nothing is interrupted, and no process is running.
    Resolved,
    /// Not everything could be checked, and why.
    Unknown(String),
}

impl Applier {
    /// Checks whether the newest deploy is interrupted without a running process, or detached.
    ///
    /// `as_root`: also in root's history, where `sudo` needs no password for that.
    pub fn inspect(&self, as_root: bool) {
        let applier = self.clone();
        spawn_blocking(move || {
            let state = applier.state.as_ref();
            let looked = look(state, || history::is_at_work(state).map_err(|error| error.to_string()));
            let may_be_roots = matches!(looked, Looked::Resolved | Looked::Unknown(_));
            applier.send_found(looked);
            if as_root && may_be_roots {
                applier.post(match session::to_resume(&applier.keeping_as(true)) {
                    Ok(Some(cut)) => Notice::CutOff(refusal::interrupted_as_root(&applier.session, &cut)),
                    Ok(None) => Notice::Resolved { as_root: true },
                    Err(error) => Notice::NotKnown { as_root: true, why: error.to_string() },
                });
            }
        });
    }

    /// Checks again, because a process uses the history: it reports once that process has ended.
    pub fn look_on(&self) {
        let state = self.state.as_ref();
        // Taking the lock for this check would look like a process at work on the history.
        let at_work = || history::at_work(state).ok_or("cannot determine whether another apply is running".to_string());
        match look(state, at_work) {
            Looked::Unknown(_) => {}
            looked => self.send_found(looked),
        }
    }

    fn send_found(&self, looked: Looked) {
        match looked {
            Looked::Waits(status) => self.post_detached(detached::Notice::Waits(status)),
            Looked::Driven(status) => self.post_detached(detached::Notice::Driven(status)),
            Looked::CutOff(cut) => self.post(Notice::CutOff(refusal::interrupted_deploy(&self.session, &cut))),
            Looked::Resolved => self.post(Notice::Resolved { as_root: false }),
            Looked::Unknown(why) => self.post(Notice::NotKnown { as_root: false, why }),
        }
    }
}

/// Checks the history. `at_work` reports whether a process without a socket holds the lock.
fn look(state: Option<&PathBuf>, at_work: impl Fn() -> Result<bool, String>) -> Looked {
    let why_unread = match session::look_in(state) {
        Ok(status) if status.is_parked() => return Looked::Waits(status),
        Ok(status) => return Looked::Driven(status),
        Err(AttachError::NotRunning) => None,
        Err(error) => Some(error.to_string()),
    };
    let cut = history::cut_off_unless(state, || at_work().map_err(Unseen));
    match (cut, why_unread) {
        (Ok(Some(cut)), _) => Looked::CutOff(Box::new(cut)),
        (Err(Unseen(why)), _) | (Ok(None), Some(why)) => Looked::Unknown(why),
        (Ok(None), None) => match at_work() {
            Ok(true) => Looked::Unknown("another apply is running on this machine".into()),
            Ok(false) => Looked::Resolved,
            Err(why) => Looked::Unknown(why),
        },
    }
}

/// Why it could not be checked.
struct Unseen(String);

impl From<StateError> for Unseen {
    fn from(error: StateError) -> Self {
        Unseen(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use rustix::fs::{CWD, FlockOperation, Mode, OFlags};

    use super::*;

    fn look_by_trying(state: &PathBuf) -> Looked {
        look(Some(state), || history::is_at_work(Some(state)).map_err(|error| error.to_string()))
    }

    /// A deploy is only resolved if all was checked and no process is running.
    #[test]
    fn unreadable_deploys_are_not_resolved() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("state");
        rustix::fs::mkdir(&state, Mode::RWXU).expect("a folder");
        assert!(matches!(look_by_trying(&state), Looked::Resolved));
        // A process is running that cannot be reached.
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC;
        let lock = rustix::fs::openat(CWD, state.join("lock"), flags, Mode::RUSR | Mode::WUSR).expect("a file");
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).expect("it is free");
        let looked = look_by_trying(&state);
        assert!(matches!(&looked, Looked::Unknown(why) if why.contains("another apply")), "{looked:?}");
        // If that cannot be determined, nothing is reported.
        let looked = look(Some(&state), || Err("not seen".into()));
        assert!(matches!(&looked, Looked::Unknown(why) if why == "not seen"), "{looked:?}");
        drop(lock);
        assert!(matches!(look_by_trying(&state), Looked::Resolved));
        // It can be reached, and its answer is invalid.
        let listener = UnixListener::bind(state.join("applier.sock")).expect("a socket");
        let mute = std::thread::spawn(move || drop(listener.accept()));
        let looked = look_by_trying(&state);
        assert!(matches!(&looked, Looked::Unknown(why) if why.contains("cannot connect")), "{looked:?}");
        mute.join().expect("it ends");
        let looked = look_by_trying(&state.join("lock"));
        assert!(matches!(looked, Looked::Unknown(_)), "{looked:?}");
    }
}
