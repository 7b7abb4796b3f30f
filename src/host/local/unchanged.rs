//! Checks that a path is unchanged between its before-image and the rename, so that no change of another program is
//! lost.
//!
//! *Accepted*: a moment remains between the last check and the rename, which no system call closes. *Rejected*:
//! exchanging the two and checking then. A crash in between would leave the old content under a temporary name.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::AtFlags;
use rustix::io::Errno;

use crate::host::{HostError, split_path};

/// The inode number, size and change time of a path; `None` if it does not exist.
type Identity = Option<(u64, i64, i64, i64)>;

/// The paths that are about to be changed.
#[derive(Debug, Default)]
pub(in crate::host) struct Unchanged(Mutex<HashMap<PathBuf, Identity>>);

impl Unchanged {
    fn all(&self) -> MutexGuard<'_, HashMap<PathBuf, Identity>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the state of a path before its inspection. [`Self::hold`] compares with it.
    pub fn watch(&self, dir: &OwnedFd, path: &Path) -> Result<(), HostError> {
        let seen = seen(dir, path)?;
        self.all().insert(path.into(), seen);
        Ok(())
    }

    /// Fails if the path changed since, because the new state is not stored anywhere.
    pub fn hold(&self, dir: &OwnedFd, path: &Path) -> Result<(), HostError> {
        let Some(before) = self.all().remove(path) else { return Ok(()) };
        if seen(dir, path)? == before {
            return Ok(());
        }
        Err(HostError::Moved { path: path.into() })
    }

    /// Forgets a path that was removed on purpose.
    pub fn forget(&self, path: &Path) {
        self.all().remove(path);
    }
}

fn seen(dir: &OwnedFd, path: &Path) -> Result<Identity, HostError> {
    let (_, name): (_, &OsStr) = split_path(path)?;
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        #[allow(clippy::unnecessary_cast, reason = "the width differs between targets")]
        Ok(stat) => Ok(Some((stat.st_ino, stat.st_size as i64, stat.st_ctime as i64, stat.st_ctime_nsec as i64))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(HostError::io("read", path, errno)),
    }
}
