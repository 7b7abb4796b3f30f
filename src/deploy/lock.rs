//! One applier at a time: a lock that the kernel gives back when its holder dies, with the holder's name on it.

use std::io::{Read, Seek, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::host::HostError;
use crate::world::Cancel;

/// How often a held lock is tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// Held as long as it lives.
#[derive(Debug)]
pub struct Lock {
    /// Closing it gives the lock back.
    _file: std::fs::File,
}

/// Who holds the lock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub since: String,
    pub command: String,
}

/// Why the lock was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockError {
    Held(Holder),
    Failed(HostError),
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.pid == 0 {
            return f.write_str("somebody who did not say who");
        }
        write!(f, "process {}, `{}`, since {}", self.pid, self.command, self.since)
    }
}

impl Lock {
    /// Takes the lock, waiting for as long as `patience`. `told` hears once who is waited for.
    pub fn take(
        path: &Path,
        me: &Holder,
        patience: Duration,
        cancel: &Cancel,
        told: &mut dyn FnMut(&Holder),
    ) -> Result<Lock, LockError> {
        let failed = |errno| LockError::Failed(HostError::io("lock", path, errno));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(CWD, path, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
        let mut file = std::fs::File::from(file);
        let begun = Instant::now();
        let mut said = false;
        loop {
            match rustix::fs::flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) => {}
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(failed(errno)),
            }
            if begun.elapsed() >= patience || cancel.is_cancelled() {
                return Err(LockError::Held(holder(&mut file)));
            }
            if !std::mem::replace(&mut said, true) {
                told(&holder(&mut file));
            }
            std::thread::sleep(PAUSE.min(patience));
        }
        // A name that cannot be written only makes the message of others shorter.
        let text = serde_json::to_string(me).unwrap_or_default();
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
        Ok(Lock { _file: file })
    }
}

/// Whether anybody holds a lock now; nothing where the kernel does not say.
///
/// It is only looked at: to take it for a moment would turn away who begins in that moment. Source: proc_locks(5).
pub fn is_held(path: &Path) -> Option<bool> {
    let stat = match rustix::fs::stat(path) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Some(false),
        Err(_) => return None,
    };
    let file = rustix::fs::openat(CWD, "/proc/locks", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut locks = String::new();
    std::fs::File::from(file).read_to_string(&mut locks).ok()?;
    let inode = format!(":{} ", stat.st_ino);
    Some(locks.lines().any(|line| line.contains(" FLOCK ") && line.contains(&inode)))
}

fn holder(file: &mut std::fs::File) -> Holder {
    const CAP: u64 = 64 << 10;
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(CAP).read_to_string(&mut text));
    read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
}
