//! What is replaced is what was looked at: who saves a file between its before-image and the rename loses nothing.
//!
//! *Accepted*: a moment remains between the last look and the rename, which no call closes. *Rejected*: exchanging the two
//! and looking then, for a crash in between would leave the old content under a name of ours.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::host::{HostError, split_path};

/// What lies at a path, by its number, its size and when it was changed last; nothing where nothing does.
type Seen = Option<(u64, i64, i64, i64)>;

/// The paths that are about to be changed.
#[derive(Debug, Default)]
pub(in crate::host) struct Stills(Mutex<HashMap<PathBuf, Seen>>);

impl Stills {
    fn all(&self) -> MutexGuard<'_, HashMap<PathBuf, Seen>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what lies at a path, before it is looked at closely. From here on it is replaced only as that.
    pub fn watch(&self, dir: &OwnedFd, path: &Path) -> Result<(), HostError> {
        let seen = seen(dir, path)?;
        self.all().insert(path.into(), seen);
        Ok(())
    }

    /// Refuses to replace what somebody changed since: nobody has kept it.
    pub fn hold(&self, dir: &OwnedFd, path: &Path) -> Result<(), HostError> {
        let Some(before) = self.all().remove(path) else { return Ok(()) };
        if seen(dir, path)? == before {
            return Ok(());
        }
        Err(HostError::Moved { path: path.into() })
    }

    /// What lay there has gone on purpose.
    pub fn forget(&self, path: &Path) {
        self.all().remove(path);
    }
}

fn seen(dir: &OwnedFd, path: &Path) -> Result<Seen, HostError> {
    let (_, name): (_, &OsStr) = split_path(path)?;
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        #[allow(clippy::unnecessary_cast, reason = "the width differs between targets")]
        Ok(stat) => Ok(Some((stat.st_ino, stat.st_size as i64, stat.st_ctime as i64, stat.st_ctime_nsec as i64))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(HostError::io("read", path, errno)),
    }
}
