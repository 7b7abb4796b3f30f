//! Inspects this machine: files, accounts, and the user's guards if they may run.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;

use super::packages::Expected;
use super::{accounts, minder, run, stream};
use crate::host::{
    Accounts, Archive, Command, Contents, FileKind, HostError, Identity, LookAccounts, LookCommands, LookFiles, Output,
    READ_CAP, Stat,
};

/// This machine, read-only.
#[derive(Clone, Debug)]
pub struct LocalLook {
    run_guards: bool,
    /// The minder program for commands. Without one, this process minds them and finds fewer descendants.
    pub(super) minder: Option<PathBuf>,
    /// The identity does not change, and reading it costs a system call per new file.
    identity: OnceLock<Identity>,
    /// A folder with package archives, in addition to the manager's own cache.
    pub(super) archives: Option<PathBuf>,
    /// The answers about packages so far, shared by all clones.
    pub(super) packed: Arc<Mutex<PackedSoFar>>,
    /// The installations that a preview will ask about, shared by all clones.
    pub(super) expected: Arc<Mutex<Expected>>,
}

/// The answers about packages that are not installed.
#[derive(Debug, Default)]
pub(super) struct PackedSoFar {
    /// The contents of available archives.
    pub held: BTreeMap<Archive, Contents>,
    /// The archives that are not available.
    pub missing: BTreeSet<Archive>,
}

impl LocalLook {
    /// `run_guards`: whether the user's guards may run.
    pub fn new(run_guards: bool) -> Self {
        Self {
            run_guards,
            minder: minder::own_program(),
            identity: OnceLock::new(),
            archives: None,
            packed: Arc::default(),
            expected: Arc::default(),
        }
    }

    /// The same, with a folder of package archives; see [`fetch_archives`](super::fetch_archives).
    pub fn with_archives(self, folder: PathBuf) -> Self {
        Self { archives: Some(folder), ..self }
    }

    /// Returns the archives that were needed to know a package's contents and are not available.
    pub fn missing_archives(&self) -> Vec<Archive> {
        self.packed.lock().unwrap_or_else(PoisonError::into_inner).missing.iter().cloned().collect()
    }
}

impl LookFiles for LocalLook {
    fn stat(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        stat_at(CWD, path, path, AtFlags::SYMLINK_NOFOLLOW)
    }

    fn stat_target(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        stat_at(CWD, path, path, AtFlags::empty())
    }

    fn read(&self, path: &Path) -> Result<Option<Arc<[u8]>>, HostError> {
        let (file, stat) = open_file(path)?;
        // The size may be wrong (as in /proc), so the cap applies to the bytes read.
        let mut content = Vec::with_capacity(stat.size.min(READ_CAP) as usize);
        file.take(READ_CAP + 1).read_to_end(&mut content).map_err(|error| HostError::std("read", path, &error))?;
        if content.len() as u64 > READ_CAP {
            return Err(HostError::TooLarge { path: path.into(), cap: READ_CAP });
        }
        Ok(Some(content.into()))
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, HostError> {
        let target = rustix::fs::readlinkat(CWD, path, Vec::new()).map_err(|e| HostError::io("read", path, e))?;
        Ok(OsString::from_vec(target.into_bytes()).into())
    }

    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError> {
        let failed = |error: std::io::Error| HostError::std("list", path, &error);
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name());
        }
        names.sort_unstable();
        Ok(names)
    }

    fn same(&self, one: &Path, other: &Path) -> Result<Option<bool>, HostError> {
        stream::same(one, other).map(Some)
    }

    fn modified(&self, path: &Path) -> Result<Option<i64>, HostError> {
        match rustix::fs::statat(CWD, path, AtFlags::empty()) {
            Ok(stat) => Ok(Some(stat.st_mtime.saturating_mul(1_000_000_000).saturating_add(stat.st_mtime_nsec as i64))),
            Err(Errno::NOENT | Errno::NOTDIR) => Err(HostError::Missing { path: path.into() }),
            Err(errno) => Err(HostError::io("read", path, errno)),
        }
    }

    fn xattr(&self, path: &Path, name: &str) -> Result<Option<Vec<u8>>, HostError> {
        stream::xattr(path, name)
    }
}

/// Opens a regular file for reading, following links.
pub(super) fn open_file(path: &Path) -> Result<(std::fs::File, Stat), HostError> {
    // Without O_NONBLOCK, opening a pipe without a writer would wait for ever.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(|errno| match errno {
        Errno::NOENT | Errno::NOTDIR => HostError::Missing { path: path.into() },
        errno => HostError::io("read", path, errno),
    })?;
    let stat = to_stat(&rustix::fs::fstat(&fd).map_err(|errno| HostError::io("read", path, errno))?);
    if stat.kind != FileKind::File {
        let (found, wanted) = (stat.kind.words(), FileKind::File.words());
        return Err(HostError::WrongKind { path: path.into(), found, wanted, hint_text: "" });
    }
    Ok((fd.into(), stat))
}

/// Returns `None` if the path does not exist.
pub(super) fn stat_at(
    dir: impl rustix::fd::AsFd,
    name: &Path,
    path: &Path,
    flags: AtFlags,
) -> Result<Option<Stat>, HostError> {
    match rustix::fs::statat(dir, name, flags) {
        Ok(stat) => Ok(Some(to_stat(&stat))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(HostError::io("read", path, errno)),
    }
}

pub(super) fn to_stat(stat: &rustix::fs::Stat) -> Stat {
    let kind = FileKind::from_raw_mode(stat.st_mode);
    let mode = stat.st_mode & 0o7777;
    Stat { kind, mode, uid: stat.st_uid, gid: stat.st_gid, size: stat.st_size.max(0) as u64 }
}

impl LookAccounts for LocalLook {
    fn identity(&self) -> Identity {
        *self.identity.get_or_init(|| {
            let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
            Identity { uid, gid, umask: umask() }
        })
    }

    fn uid(&self, name: &str) -> Result<Option<u32>, HostError> {
        Ok(uzers::get_user_by_name(name).map(|user| user.uid()))
    }

    fn gid(&self, name: &str) -> Result<Option<u32>, HostError> {
        Ok(uzers::get_group_by_name(name).map(|group| group.gid()))
    }

    fn user_name(&self, uid: u32) -> Option<String> {
        Some(uzers::get_user_by_uid(uid)?.name().to_string_lossy().into_owned())
    }

    fn group_name(&self, gid: u32) -> Option<String> {
        Some(uzers::get_group_by_gid(gid)?.name().to_string_lossy().into_owned())
    }

    fn accounts(&self) -> Result<Accounts, HostError> {
        accounts::read(self)
    }
}

/// The system call that reads the mask also sets it, for all threads. Reading it from /proc does not.
fn umask() -> u32 {
    const USUAL: u32 = 0o022;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
    line.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok()).unwrap_or(USUAL)
}

/// A preview sends no requests.
impl crate::host::LookWeb for LocalLook {}

impl LookCommands for LocalLook {
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError> {
        if self.run_guards { run::run(command, self.minder.as_deref()).map(Some) } else { Ok(None) }
    }
}
