//! Stored contents by hash, for before-images.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::host::error::errno_of;
use crate::host::local::together::Device;
use crate::source::hex;

/// The name of a content: its hash and its size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Digest {
    pub sha256: String,
    pub size: u64,
}

impl Digest {
    /// Hashes bytes.
    pub fn of(bytes: &[u8]) -> Self {
        let hash = <Sha256 as sha2::Digest>::digest(bytes);
        Digest { sha256: hex(&hash), size: bytes.len() as u64 }
    }

    /// Hashes the rest of an open file, without a size limit.
    pub fn of_file(file: OwnedFd) -> Result<Self, Errno> {
        pour(&mut File::from(file), &mut std::io::sink(), u64::MAX).map_err(|not| match not {
            NotKept::Errno(errno) => errno,
            NotKept::TooLarge => Errno::FBIG,
        })
    }
}

/// Why a content is not in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotKept {
    TooLarge,
    Errno(Errno),
}

impl From<std::io::Error> for NotKept {
    fn from(error: std::io::Error) -> Self {
        NotKept::Errno(errno_of(&error))
    }
}

/// Copies to the end, up to a cap, and hashes the bytes.
fn pour(from: &mut impl Read, to: &mut impl Write, cap: u64) -> Result<Digest, NotKept> {
    use sha2::Digest as _;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    let mut size = 0;
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        size += count as u64;
        if size > cap {
            return Err(NotKept::TooLarge);
        }
        hash.update(&buffer[..count]);
        to.write_all(&buffer[..count])?;
    }
    Ok(Digest { sha256: hex(&hash.finalize()), size })
}

/// A folder of contents named by hash.
#[derive(Debug)]
pub struct Blobs {
    dir: OwnedFd,
    path: PathBuf,
    next: AtomicU64,
}

/// A store for contents.
pub trait Keep {
    /// Stores the content of a file from its current offset.
    fn keep(&self, file: BorrowedFd, cap: u64) -> Result<Digest, NotKept>;

    fn keep_bytes(&self, bytes: &[u8]) -> Result<Digest, Errno>;
}

/// The prefix of the store's temporary files.
const TEMPORARY: &str = "new-";

impl Blobs {
    /// Opens the store in an existing folder.
    pub fn open(path: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
        Ok(Self { dir, path: path.into(), next: AtomicU64::new(0) })
    }

    /// Stores contents that become durable together.
    pub fn later(&self) -> Later<'_> {
        Later { blobs: self, device: Device::open(&self.dir), written: Mutex::default() }
    }

    /// On file systems that share blocks, a large content is not copied.
    fn fill(&self, from: impl AsFd, to: &mut File, cap: u64) -> Result<Digest, NotKept> {
        const WORTH_SHARING: i64 = 1 << 20;
        let size = rustix::fs::fstat(&from).map_err(NotKept::Errno)?.st_size;
        if size.cast_unsigned() > cap {
            return Err(NotKept::TooLarge);
        }
        if size >= WORTH_SHARING && rustix::fs::ioctl_ficlone(&*to, &from).is_ok() {
            to.seek(SeekFrom::Start(0))?;
            return pour(to, &mut std::io::sink(), cap);
        }
        let from = rustix::io::fcntl_dupfd_cloexec(&from, 0).map_err(NotKept::Errno)?;
        pour(&mut File::from(from), to, cap)
    }

    fn temporary(&self) -> Result<(String, File), NotKept> {
        let name = format!("{TEMPORARY}{}-{}", std::process::id(), self.next.fetch_add(1, Ordering::Relaxed));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.dir, &name, flags, Mode::RUSR | Mode::WUSR).map_err(NotKept::Errno)?;
        Ok((name, file.into()))
    }

    fn publish(&self, name: &str, digest: &Digest) -> Result<(), Errno> {
        rustix::fs::renameat(&self.dir, name, &self.dir, &digest.sha256)?;
        rustix::fs::fsync(&self.dir)
    }

    /// Whether a content is stored. Only its name and size are compared.
    pub fn holds(&self, digest: &Digest) -> bool {
        rustix::fs::statat(&self.dir, &digest.sha256, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| stat.st_size.cast_unsigned() == digest.size)
    }

    /// Reads a content and checks it against its hash.
    pub fn read(&self, digest: &Digest) -> Result<Vec<u8>, Errno> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.dir, &digest.sha256, flags, Mode::empty())?;
        let mut content = Vec::new();
        let found = pour(&mut File::from(file), &mut content, digest.size).map_err(|_| Errno::IO)?;
        if found == *digest { Ok(content) } else { Err(Errno::BADMSG) }
    }

    /// Removes the partial files of an interrupted run. Requires the lock.
    pub fn tidy(&self) -> Result<(), Errno> {
        for name in crate::host::local::names_in(&self.dir)? {
            if name.to_string_lossy().starts_with(TEMPORARY) {
                rustix::fs::unlinkat(&self.dir, &name, AtFlags::empty())?;
            }
        }
        Ok(())
    }

    /// Removes all other contents. Requires the lock. Returns the number of removed contents and their bytes.
    pub fn keep_only(&self, needed: &BTreeSet<String>) -> Result<(u64, u64), Errno> {
        let (mut count, mut bytes) = (0, 0);
        for name in crate::host::local::names_in(&self.dir)? {
            if name.to_str().is_some_and(|name| needed.contains(name)) {
                continue;
            }
            let stat = rustix::fs::statat(&self.dir, &name, AtFlags::SYMLINK_NOFOLLOW)?;
            rustix::fs::unlinkat(&self.dir, &name, AtFlags::empty())?;
            (count, bytes) = (count + 1, bytes + stat.st_size.cast_unsigned());
        }
        rustix::fs::fsync(&self.dir)?;
        Ok((count, bytes))
    }

    /// Returns the folder of the contents.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Each content is durable when the call returns.
impl Keep for Blobs {
    fn keep(&self, file: BorrowedFd, cap: u64) -> Result<Digest, NotKept> {
        let (name, mut to) = self.temporary()?;
        let kept = self.fill(file, &mut to, cap).and_then(|digest| {
            rustix::fs::fsync(&to).map_err(NotKept::Errno)?;
            self.publish(&name, &digest).map_err(NotKept::Errno)?;
            Ok(digest)
        });
        if kept.is_err() {
            let _ = rustix::fs::unlinkat(&self.dir, &name, AtFlags::empty());
        }
        kept
    }

    fn keep_bytes(&self, bytes: &[u8]) -> Result<Digest, Errno> {
        let digest = Digest::of(bytes);
        if self.holds(&digest) {
            return Ok(digest);
        }
        let (name, mut to) = self.temporary().map_err(|not| match not {
            NotKept::Errno(errno) => errno,
            NotKept::TooLarge => Errno::FBIG,
        })?;
        let written = to
            .write_all(bytes)
            .map_err(|error| errno_of(&error))
            .and_then(|()| rustix::fs::fsync(&to))
            .and_then(|()| self.publish(&name, &digest));
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&self.dir, &name, AtFlags::empty());
        }
        written.map(|()| digest)
    }
}

/// Contents that become durable together, in [`Later::commit`].
pub struct Later<'a> {
    blobs: &'a Blobs,
    device: Option<Device>,
    written: Mutex<Vec<(String, Digest)>>,
}

impl Keep for Later<'_> {
    fn keep(&self, file: BorrowedFd, cap: u64) -> Result<Digest, NotKept> {
        let (name, mut to) = self.blobs.temporary()?;
        let filled = self.blobs.fill(file, &mut to, cap).and_then(|digest| {
            if self.device.is_none() {
                rustix::fs::fsync(&to).map_err(NotKept::Errno)?;
            }
            Ok(digest)
        });
        match &filled {
            Ok(digest) => self.written().push((name, digest.clone())),
            Err(_) => drop(rustix::fs::unlinkat(&self.blobs.dir, &name, AtFlags::empty())),
        }
        filled
    }

    fn keep_bytes(&self, bytes: &[u8]) -> Result<Digest, Errno> {
        self.blobs.keep_bytes(bytes)
    }
}

impl Later<'_> {
    fn written(&self) -> MutexGuard<'_, Vec<(String, Digest)>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes all contents durable. Only then are they renamed to their hashes, because readers trust the name.
    pub fn commit(&self) -> Result<(), Errno> {
        if self.written().is_empty() {
            return Ok(());
        }
        if let Some(device) = &self.device {
            device.sync_all()?;
        }
        while let Some((name, digest)) = self.written().pop() {
            rustix::fs::renameat(&self.blobs.dir, name, &self.blobs.dir, &digest.sha256)?;
        }
        rustix::fs::fsync(&self.blobs.dir)
    }
}

impl Drop for Later<'_> {
    fn drop(&mut self) {
        for (name, _) in std::mem::take(&mut *self.written()) {
            // The next deploy removes the rest.
            let _ = rustix::fs::unlinkat(&self.blobs.dir, &name, AtFlags::empty());
        }
    }
}
