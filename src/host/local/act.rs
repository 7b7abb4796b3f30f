//! Writes to this machine: temporary file, sync, rename, sync of the folder, all through handles on open folders.
//!
//! A turn opens a path's folder when it first inspects the path, and uses the same handle for all later work. If
//! another program swaps a folder or link in between, the operation cannot reach another place.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, Uid, XattrFlags};
use rustix::io::Errno;

use super::look::{LocalLook, stat_at, to_stat};
use super::together::{self, Together};
use super::unchanged::Unchanged;
use super::web::LiveWeb;
use super::{run, stream};
use crate::host::through::Through;
use crate::host::{
    Act, ActCommands, Command, FileImage, FileKind, HostError, Look, LookFiles, Operation, Output, Owner, Stat, Web,
    Within, split_path,
};

/// More handles than this are closed and reopened when needed.
const HELD: usize = 64;

/// Deeper trees are refused, because each level needs an open handle.
const TREE_DEPTH: usize = 128;

/// This machine for one turn.
pub(in crate::host) struct LocalTurn<'a> {
    pub(super) look: &'a LocalLook,
    /// A part of each temporary name.
    tag: &'a str,
    web: &'a LiveWeb,
    pub together: &'a Together,
    /// Shared by the turns of a batch.
    held: Arc<RwLock<HashMap<PathBuf, Arc<OwnedFd>>>>,
    /// The largest number of open handles.
    room: usize,
    /// Whether the caller makes folders durable later.
    syncs_later: bool,
    /// Paths that may be replaced only if they are unchanged since the inspection.
    pub seen: Arc<Unchanged>,
}

impl<'a> LocalTurn<'a> {
    /// Makes a single turn on this machine.
    pub fn new(look: &'a LocalLook, tag: &'a str, web: &'a LiveWeb, together: &'a Together) -> Self {
        Self { look, tag, web, together, held: Arc::default(), room: HELD, syncs_later: false, seen: Arc::default() }
    }

    /// For a batch whose turns share handles. The caller checks [`Self::held`] and makes the changed folders durable.
    pub fn for_many(self) -> Self {
        Self { room: usize::MAX, syncs_later: true, ..self }
    }

    /// Returns one of these turns.
    pub fn one(&self) -> Self {
        Self { held: Arc::clone(&self.held), syncs_later: false, seen: Arc::default(), ..*self }
    }

    /// Returns the number of open handles.
    pub fn held(&self) -> usize {
        self.held.read().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Makes a folder's entries durable, unless the caller does it later.
    fn sync_unless_later(&self, dir: &OwnedFd, path: &Path) -> Result<(), HostError> {
        if self.syncs_later { Ok(()) } else { sync_dir(dir, path) }
    }

    /// Returns the handle on the folder of a path, and the name in it.
    pub fn at<'p>(&self, path: &'p Path) -> Result<(Arc<OwnedFd>, &'p OsStr), HostError> {
        let (parent, name) = split_path(path)?;
        if let Some(dir) = self.held.read().unwrap_or_else(PoisonError::into_inner).get(parent) {
            return Ok((Arc::clone(dir), name));
        }
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have opened it first. All must use the same handle.
        if let Some(dir) = held.get(parent) {
            return Ok((Arc::clone(dir), name));
        }
        let dir = Arc::new(open_dir(CWD, parent, OFlags::empty()).map_err(|errno| match errno {
            Errno::NOENT => HostError::Missing { path: parent.into() },
            errno => HostError::io("open", parent, errno),
        })?);
        if held.len() >= self.room {
            held.clear();
        }
        held.insert(parent.into(), Arc::clone(&dir));
        Ok((dir, name))
    }

    fn forget(&self, path: &Path) {
        self.held.write().unwrap_or_else(PoisonError::into_inner).retain(|held, _| !held.starts_with(path));
        self.seen.forget(path);
    }
}

fn open_dir(dir: impl AsFd, path: impl rustix::path::Arg + Copy, extra: OFlags) -> Result<OwnedFd, Errno> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | extra;
    match rustix::fs::openat(&dir, path, flags | OFlags::RDONLY, Mode::empty()) {
        // A folder that may be entered but not listed is still usable.
        Err(Errno::ACCESS) => rustix::fs::openat(&dir, path, flags | OFlags::PATH, Mode::empty()),
        other => other,
    }
}

/// Returns the regular file that is about to be replaced, if it is readable.
fn open_replaced(dir: &OwnedFd, name: &OsStr) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let old = rustix::fs::openat(dir, name, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&old).ok()?;
    (to_stat(&stat).kind == FileKind::File).then_some(old)
}

/// Makes a folder's entries durable. A folder that this process may not open for reading cannot be synced, and is left
/// to the system.
pub(in crate::host) fn sync_dir(dir: &OwnedFd, path: &Path) -> Result<(), HostError> {
    synced_dir(rustix::fs::fsync(dir), path)
}

pub(in crate::host) fn synced_dir(done: Result<(), Errno>, path: &Path) -> Result<(), HostError> {
    match done {
        Ok(()) | Err(Errno::BADF | Errno::INVAL) => Ok(()),
        Err(errno) => Err(HostError::io("sync the folder of", path, errno)),
    }
}

impl Through for LocalTurn<'_> {
    fn look(&self) -> &dyn Look {
        self.look
    }

    fn own_stat(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        match self.at(path) {
            Ok((dir, name)) => stat_at(&*dir, Path::new(name), path, AtFlags::SYMLINK_NOFOLLOW),
            Err(HostError::Missing { .. } | HostError::Io { errno: Errno::NOTDIR, .. }) => Ok(None),
            // The root folder has no parent folder.
            Err(HostError::BadPath { .. }) => self.look.stat(path),
            Err(error) => Err(error),
        }
    }

    fn own_web(&self) -> Option<&dyn Web> {
        Some(self.web)
    }
}

impl ActCommands for LocalTurn<'_> {
    fn run(&self, command: &Command) -> Result<Option<Output>, HostError> {
        run::run(command, self.look.minder.as_deref()).map(Some)
    }
}

impl Act for LocalTurn<'_> {
    fn perform_within(&self, operation: &Operation, within: &Within) -> Result<Vec<String>, HostError> {
        match operation {
            Operation::System(change) => return self.change(change, within),
            Operation::WriteFile { path, image } => self.write_file(path, image),
            Operation::CopyFile { from, path, mode, owner } => self.copy_file(from, path, *mode, *owner),
            Operation::MakeDir { path, mode, owner } => self.make_dir(path, *mode, *owner),
            Operation::MakeLink { path, target } => self.make_link(path, target),
            Operation::SetMode { path, mode } => self.set_mode(path, *mode),
            Operation::SetOwner { path, owner } => self.set_owner(path, *owner),
            Operation::SetXattr { path, name, value } => self.set_xattr(path, name, value),
            Operation::RemoveFile { path } => self.remove_file(path),
            Operation::RemoveDir { path } => self.remove_dir(path),
            Operation::RemoveTree { path } => self.remove_tree(path),
        }
        .map(|()| Vec::new())
    }
}

/// The name of a temporary entry. The tag lets recovery recognise the leftovers of a run.
pub(in crate::host) fn temporary_name(tag: &str, number: u32) -> String {
    format!(".workbench-{tag}-{number}.tmp")
}

/// Whether a name is a [`temporary_name`] with this tag.
pub(in crate::host) fn is_temporary(name: &OsStr, tag: &str) -> bool {
    let rest = name.to_str().and_then(|name| name.strip_prefix(".workbench-")?.strip_prefix(tag)?.strip_prefix('-'));
    rest.and_then(|rest| rest.strip_suffix(".tmp")).is_some_and(|number| number.parse::<u32>().is_ok())
}

/// A temporary entry, removed on drop unless it was renamed.
pub(in crate::host) struct Temporary {
    dir: Arc<OwnedFd>,
    name: OsString,
    is_dir: bool,
    kept: bool,
}

impl Temporary {
    /// Creates an entry under a free name. The name does not contain the target's, which may already have the maximum
    /// length.
    fn make<T>(
        dir: &Arc<OwnedFd>,
        tag: &str,
        is_dir: bool,
        mut make: impl FnMut(&OsStr) -> Result<T, Errno>,
    ) -> Result<(Self, T), Errno> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        const TRIES: u32 = 100;
        for _ in 0..TRIES {
            let name = OsString::from(temporary_name(tag, NEXT.fetch_add(1, Ordering::Relaxed)));
            match make(&name) {
                Ok(made) => return Ok((Self { dir: Arc::clone(dir), name, is_dir, kept: false }, made)),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::EXIST)
    }

    /// Moves the entry to its final name in the same folder, and replaces an existing entry.
    pub fn rename(mut self, name: &OsStr) -> Result<(), Errno> {
        rustix::fs::renameat(&self.dir, &self.name, &self.dir, name)?;
        self.kept = true;
        Ok(())
    }

    /// The same, and fails if the name exists.
    fn rename_new(mut self, name: &OsStr) -> Result<(), Errno> {
        let flags = rustix::fs::RenameFlags::NOREPLACE;
        match rustix::fs::renameat_with(&self.dir, &self.name, &self.dir, name, flags) {
            Ok(()) => {}
            // Some file systems lack this. A folder still never replaces a file or a non-empty folder.
            Err(Errno::INVAL | Errno::NOSYS)
                if rustix::fs::accessat(&self.dir, name, rustix::fs::Access::EXISTS, AtFlags::empty()).is_err() =>
            {
                rustix::fs::renameat(&self.dir, &self.name, &self.dir, name)?;
            }
            Err(errno) => return Err(errno),
        }
        self.kept = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.kept {
            let flags = if self.is_dir { AtFlags::REMOVEDIR } else { AtFlags::empty() };
            // Report the original error.
            let _ = rustix::fs::unlinkat(&self.dir, &self.name, flags);
        }
    }
}

/// A file that is written but not renamed yet.
pub(in crate::host) struct Written {
    pub dir: Arc<OwnedFd>,
    pub file: OwnedFd,
    pub temporary: Temporary,
}

impl LocalTurn<'_> {
    /// Writes a file under a temporary name with the content from `fill`. Does not sync.
    pub fn stage(
        &self,
        path: &Path,
        mode: u32,
        owner: Owner,
        fill: impl FnOnce(&mut std::fs::File) -> Result<(), HostError>,
    ) -> Result<Written, HostError> {
        let (dir, name) = self.at(path)?;
        let failed = |errno| HostError::io("write", path, errno);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let make = |name: &OsStr| rustix::fs::openat(&*dir, name, flags, Mode::RUSR | Mode::WUSR);
        let (temporary, fd) = Temporary::make(&dir, self.tag, false, make).map_err(failed)?;
        let mut file = std::fs::File::from(fd);
        fill(&mut file)?;
        // Set the owner first, because that clears the set-user bits.
        if owner != Owner::default() {
            let (uid, gid) = raw(owner);
            rustix::fs::fchown(&file, uid, gid).map_err(|e| HostError::io("change the owner of", path, e))?;
        }
        if let Some(old) = open_replaced(&dir, name) {
            stream::keep_xattrs(old, &file, path)?;
        }
        rustix::fs::fchmod(&file, Mode::from_raw_mode(mode)).map_err(failed)?;
        Ok(Written { dir, file: file.into(), temporary })
    }

    /// Writes a file with the content from `fill`.
    fn put(
        &self,
        path: &Path,
        mode: u32,
        owner: Owner,
        fill: impl FnOnce(&mut std::fs::File) -> Result<(), HostError>,
    ) -> Result<(), HostError> {
        let (dir, name) = self.at(path)?;
        let shared = self.together.of(&dir);
        let written = self.stage(path, mode, owner, fill)?;
        together::sync(&shared, &written.file).map_err(|errno| HostError::io("write", path, errno))?;
        self.seen.hold(&dir, path)?;
        written.temporary.rename(name).map_err(|errno| HostError::io("replace", path, errno))?;
        synced_dir(together::sync(&shared, &written.dir), path)
    }

    /// Makes a link under a temporary name, then renames it.
    pub fn place_link(&self, path: &Path, target: &Path, owner: Owner) -> Result<(), HostError> {
        let (dir, name) = self.at(path)?;
        let make = |name: &OsStr| rustix::fs::symlinkat(target, &*dir, name);
        let (temporary, ()) =
            Temporary::make(&dir, self.tag, false, make).map_err(|errno| HostError::io("write", path, errno))?;
        if owner != Owner::default() {
            let (uid, gid) = raw(owner);
            rustix::fs::chownat(&*dir, &temporary.name, uid, gid, AtFlags::SYMLINK_NOFOLLOW)
                .map_err(|errno| HostError::io("change the owner of", path, errno))?;
        }
        self.seen.hold(&dir, path)?;
        temporary.rename(name).map_err(|errno| HostError::io("replace", path, errno))?;
        self.sync_unless_later(&dir, path)
    }

    /// Makes a complete folder under a temporary name, then renames it. `finish` receives the temporary path.
    pub fn place_dir(
        &self,
        path: &Path,
        finish: impl FnOnce(&OwnedFd, &Path) -> Result<(), HostError>,
    ) -> Result<(), HostError> {
        let (dir, name) = self.at(path)?;
        let failed = |errno| HostError::io("make", path, errno);
        let make = |name: &OsStr| rustix::fs::mkdirat(&*dir, name, Mode::RWXU);
        let (temporary, ()) = Temporary::make(&dir, self.tag, true, make).map_err(failed)?;
        let made = open_dir(&*dir, &*temporary.name, OFlags::NOFOLLOW).map_err(failed)?;
        let aside = path.with_file_name(&temporary.name);
        let finished = finish(&made, &aside);
        self.forget(&aside);
        if let Err(error) = finished {
            let device = rustix::fs::fstat(&*dir).map_err(failed)?.st_dev;
            // Report the original error.
            let _ = remove_below(&dir, &temporary.name, path, device, 0);
            return Err(error);
        }
        temporary.rename_new(name).map_err(failed)?;
        self.sync_unless_later(&dir, path)?;
        // In a batch, each of these would be another open handle.
        if !self.syncs_later {
            self.held.write().unwrap_or_else(PoisonError::into_inner).insert(path.into(), Arc::new(made));
        }
        Ok(())
    }
}

/// One method for each operation.
impl LocalTurn<'_> {
    fn write_file(&self, path: &Path, image: &FileImage) -> Result<(), HostError> {
        let Some(content) = &image.content else { return Err(HostError::UnknownValue { param: "content".into() }) };
        self.put(path, image.mode, image.owner, |file| {
            file.write_all(content).map_err(|error| HostError::std("write", path, &error))
        })
    }

    fn copy_file(&self, from: &Path, path: &Path, mode: u32, owner: Owner) -> Result<(), HostError> {
        self.put(path, mode, owner, |file| stream::copy(from, file, path))
    }

    fn make_dir(&self, path: &Path, mode: u32, owner: Owner) -> Result<(), HostError> {
        let failed = |errno| HostError::io("make", path, errno);
        self.place_dir(path, |made, _| {
            if owner != Owner::default() {
                let (uid, gid) = raw(owner);
                rustix::fs::fchown(made, uid, gid).map_err(|e| HostError::io("change the owner of", path, e))?;
            }
            // A folder inherits the set-group bit from its parent, and keeps it.
            let inherited = to_stat(&rustix::fs::fstat(made).map_err(failed)?).mode & 0o2000;
            rustix::fs::fchmod(made, Mode::from_raw_mode(mode | inherited)).map_err(failed)
        })
    }

    fn make_link(&self, path: &Path, target: &Path) -> Result<(), HostError> {
        self.place_link(path, target, Owner::default())
    }

    pub(in crate::host) fn set_mode(&self, path: &Path, mode: u32) -> Result<(), HostError> {
        let (dir, name) = self.at(path)?;
        let failed = |errno| HostError::io("set the mode of", path, errno);
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&*dir, name, flags, Mode::empty()).map_err(failed)?;
        if to_stat(&rustix::fs::fstat(&fd).map_err(failed)?).kind == FileKind::Link {
            return Err(failed(Errno::LOOP));
        }
        // `fchmod` fails on a handle that is not open for reading. The name under /proc refers to the same file.
        let itself = format!("/proc/self/fd/{}", fd.as_raw_fd());
        rustix::fs::chmodat(CWD, itself, Mode::from_raw_mode(mode), AtFlags::empty()).map_err(failed)?;
        self.sync_unless_later(&dir, path)
    }

    pub(in crate::host) fn set_owner(&self, path: &Path, owner: Owner) -> Result<(), HostError> {
        let (dir, name) = self.at(path)?;
        let (uid, gid) = raw(owner);
        rustix::fs::chownat(&*dir, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|errno| HostError::io("change the owner of", path, errno))?;
        self.sync_unless_later(&dir, path)
    }

    fn set_xattr(&self, path: &Path, name: &str, value: &[u8]) -> Result<(), HostError> {
        let (dir, entry) = self.at(path)?;
        let failed = |errno| HostError::io("set an attribute of", path, errno);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(&*dir, entry, flags, Mode::empty()).map_err(failed)?;
        rustix::fs::fsetxattr(&fd, name, value, XattrFlags::empty()).map_err(failed)
    }

    pub(in crate::host) fn remove_file(&self, path: &Path) -> Result<(), HostError> {
        let (dir, name) = self.at(path)?;
        self.seen.hold(&dir, path)?;
        rustix::fs::unlinkat(&*dir, name, AtFlags::empty()).map_err(|e| HostError::io("remove", path, e))?;
        self.sync_unless_later(&dir, path)
    }

    pub(in crate::host) fn remove_dir(&self, path: &Path) -> Result<(), HostError> {
        let (dir, name) = self.at(path)?;
        rustix::fs::unlinkat(&*dir, name, AtFlags::REMOVEDIR).map_err(|e| HostError::io("remove", path, e))?;
        self.forget(path);
        self.sync_unless_later(&dir, path)
    }

    pub(in crate::host) fn remove_tree(&self, path: &Path) -> Result<(), HostError> {
        let (dir, name) = self.at(path)?;
        let failed = |errno| HostError::io("remove", path, errno);
        let device = rustix::fs::fstat(&*dir).map_err(failed)?.st_dev;
        look_below(&dir, name, path, device, 0)?;
        // The rename removes the folder at once, even if removing its contents fails.
        let aside = |aside: &OsStr| {
            let flags = rustix::fs::RenameFlags::NOREPLACE;
            rustix::fs::renameat_with(&*dir, name, &*dir, aside, flags)
        };
        let gone = match Temporary::make(&dir, self.tag, true, aside) {
            Ok((temporary, ())) => Some(temporary),
            // Some file systems lack this. There the contents are removed one by one.
            Err(Errno::INVAL | Errno::NOSYS) => None,
            Err(errno) => return Err(failed(errno)),
        };
        self.forget(path);
        let removed = remove_below(&dir, gone.as_ref().map_or(name, |gone| &gone.name), path, device, 0);
        if let Some(mut gone) = gone {
            gone.kept = removed.is_ok();
            if removed.is_err() {
                // A visible remainder is better than a hidden one.
                let back = rustix::fs::renameat(&*dir, &gone.name, &*dir, name);
                gone.kept = back.is_ok();
            }
        }
        removed?;
        self.sync_unless_later(&dir, path)
    }
}

/// Fails before any change if a tree cannot be removed completely.
fn look_below(dir: &OwnedFd, name: &OsStr, path: &Path, device: u64, depth: usize) -> Result<(), HostError> {
    let failed = |errno| HostError::io("remove", path, errno);
    if depth > TREE_DEPTH {
        return Err(HostError::BadPath { path: path.into(), why: "it is nested too deep to be removed" });
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let here = rustix::fs::openat(dir, name, flags, Mode::empty()).map_err(failed)?;
    if rustix::fs::fstat(&here).map_err(failed)?.st_dev != device {
        return Err(HostError::BadPath { path: path.into(), why: "another file system is mounted there" });
    }
    for name in names_in(&here).map_err(failed)? {
        let stat = rustix::fs::statat(&here, &name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
        if to_stat(&stat).kind == FileKind::Dir {
            look_below(&here, &name, &path.join(&name), device, depth + 1)?;
        }
    }
    Ok(())
}

/// Removes a folder with its contents, never through a link and never across a mount.
pub(super) fn remove_below(
    dir: &OwnedFd,
    name: &OsStr,
    path: &Path,
    device: u64,
    depth: usize,
) -> Result<(), HostError> {
    let failed = |errno| HostError::io("remove", path, errno);
    if depth > TREE_DEPTH {
        return Err(HostError::BadPath { path: path.into(), why: "it is nested too deep to be removed" });
    }
    let here = rustix::fs::openat(
        dir,
        name,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .map_err(failed)?;
    if rustix::fs::fstat(&here).map_err(failed)?.st_dev != device {
        return Err(HostError::BadPath { path: path.into(), why: "another file system is mounted there" });
    }
    for name in names_in(&here).map_err(failed)? {
        let below = path.join(&name);
        match rustix::fs::unlinkat(&here, &name, AtFlags::empty()) {
            Ok(()) => {}
            Err(Errno::ISDIR | Errno::PERM) => remove_below(&here, &name, &below, device, depth + 1)?,
            Err(errno) => return Err(HostError::io("remove", &below, errno)),
        }
    }
    rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR).map_err(failed)
}

/// Read completely before any removal, because some file systems skip entries if a folder shrinks during the read.
pub(in crate::host) fn names_in(dir: &OwnedFd) -> Result<Vec<OsString>, Errno> {
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        let bytes = entry.file_name().to_bytes();
        if !matches!(bytes, b"." | b"..") {
            names.push(OsString::from_vec(bytes.to_vec()));
        }
    }
    Ok(names)
}

pub(super) fn raw(owner: Owner) -> (Option<Uid>, Option<Gid>) {
    (owner.uid.map(Uid::from_raw), owner.gid.map(Gid::from_raw))
}
