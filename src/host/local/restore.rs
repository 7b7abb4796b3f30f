//! Restores before-images, and removes the temporary files of an interrupted run.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, Timespec, Timestamps};
use rustix::io::Errno;

use super::act::{LocalTurn, Written, is_temporary, names_in, remove_below, sync_dir};
use crate::host::journal::{Attributes, Blobs, Entry, Image, Tree, set_xattrs};
use crate::host::{FileKind, HostError, LookFiles, Owner, split_path};

impl LocalTurn<'_> {
    /// Restores an image at a path. Removes what is in the way. The caller has recorded it.
    pub fn restore(&self, path: &Path, image: &Image, blobs: &Blobs) -> Result<(), HostError> {
        let there = self.stat(path)?;
        let is_dir = there.is_some_and(|there| there.kind == FileKind::Dir);
        match image {
            Image::Absent => match there {
                None => Ok(()),
                Some(_) if is_dir => self.remove_tree(path),
                Some(_) => self.remove_file(path),
            },
            Image::File { content, attributes, modified } => {
                let digest = content.digest().ok_or_else(|| lost(path, image))?;
                let content = blobs.read(digest).map_err(|errno| HostError::journal("restore a content", errno))?;
                if is_dir {
                    self.remove_tree(path)?;
                }
                self.put_file(path, &content, attributes, *modified)
            }
            Image::Link { target, uid, gid } => {
                if is_dir {
                    self.remove_tree(path)?;
                }
                self.place_link(path, target, Owner { uid: Some(*uid), gid: Some(*gid) })
            }
            Image::Dir { attributes, tree: None } if is_dir => self.put_attributes(path, attributes),
            Image::Dir { attributes, tree } => {
                match there {
                    Some(_) if is_dir => self.remove_tree(path)?,
                    Some(_) => self.remove_file(path)?,
                    None => {}
                }
                let entries = list(tree.as_ref(), blobs)?;
                self.place_dir(path, |made, aside| {
                    self.put_entries(aside, &entries, blobs)?;
                    put_attributes_on(made, attributes).map_err(|errno| HostError::io("restore", path, errno))
                })
            }
            Image::Other { .. } => Err(lost(path, image)),
        }
    }

    fn put_file(
        &self,
        path: &Path,
        content: &[u8],
        attributes: &Attributes,
        modified: (i64, i64),
    ) -> Result<(), HostError> {
        let failed = |errno| HostError::io("restore", path, errno);
        let (_, name) = split_path(path)?;
        let written = self.stage_restored(path, content, attributes, modified)?;
        rustix::fs::fsync(&written.file).map_err(failed)?;
        self.seen.hold(&written.dir, path)?;
        written.temporary.rename(name).map_err(failed)?;
        sync_dir(&written.dir, path)
    }

    /// Writes a recorded file under a temporary name. Does not sync.
    pub fn stage_restored(
        &self,
        path: &Path,
        content: &[u8],
        attributes: &Attributes,
        modified: (i64, i64),
    ) -> Result<Written, HostError> {
        let failed = |errno| HostError::io("restore", path, errno);
        let written = self.stage(path, 0o600, Owner::default(), |file| {
            file.write_all(content).map_err(|error| HostError::std("restore", path, &error))
        })?;
        put_attributes_on(&written.file, attributes).map_err(failed)?;
        let time = Timespec { tv_sec: modified.0, tv_nsec: modified.1 };
        rustix::fs::futimens(&written.file, &Timestamps { last_access: time, last_modification: time })
            .map_err(failed)?;
        Ok(written)
    }

    /// Each folder comes before its contents.
    fn put_entries(&self, root: &Path, entries: &[Entry], blobs: &Blobs) -> Result<(), HostError> {
        for entry in entries {
            let image = match &entry.image {
                // The folder's own mode may forbid writing into it.
                Image::Dir { attributes, .. } => {
                    let attributes = Attributes { mode: attributes.mode | 0o700, ..attributes.clone() };
                    Image::Dir { attributes, tree: None }
                }
                other => other.clone(),
            };
            self.restore(&root.join(&entry.path), &image, blobs)?;
        }
        for entry in entries.iter().rev() {
            if let Image::Dir { attributes, .. } = &entry.image {
                self.put_attributes(&root.join(&entry.path), attributes)?;
            }
        }
        Ok(())
    }

    /// Restores the contents of a folder after a failed operation. `before` is the folder's state before it.
    pub fn make_whole(&self, path: &Path, before: &Image, blobs: &Blobs) -> Result<(), HostError> {
        let Image::Dir { tree: Some(tree @ Tree::Kept { .. }), .. } = before else { return Ok(()) };
        match self.stat(path)? {
            None => return self.restore(path, before, blobs),
            Some(there) if there.kind != FileKind::Dir => return Ok(()),
            Some(_) => {}
        }
        let mut missing = Vec::new();
        for entry in list(Some(tree), blobs)? {
            if self.stat(&path.join(&entry.path))?.is_none() {
                missing.push(entry);
            }
        }
        self.put_entries(path, &missing, blobs)
    }

    /// Sets mode, owner and extended attributes only.
    pub fn put_attributes(&self, path: &Path, attributes: &Attributes) -> Result<(), HostError> {
        let owner = Owner { uid: Some(attributes.uid), gid: Some(attributes.gid) };
        let there = self.stat(path)?.ok_or_else(|| HostError::Missing { path: path.into() })?;
        if (there.uid, there.gid) != (attributes.uid, attributes.gid) {
            self.set_owner(path, owner)?;
        }
        if there.kind == FileKind::Link {
            return Ok(());
        }
        self.set_mode(path, attributes.mode)?;
        let failed = |errno| HostError::io("restore the attributes of", path, errno);
        let (dir, name) = self.at(path)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&*dir, name, flags, Mode::empty()).map_err(failed)?;
        set_xattrs(&file, &attributes.xattrs).map_err(failed)
    }
}

fn list(tree: Option<&Tree>, blobs: &Blobs) -> Result<Vec<Entry>, HostError> {
    let list = match tree {
        None => return Ok(Vec::new()),
        Some(Tree::Lost(why)) => return Err(HostError::Refused(format!("its contents were not saved: {why}"))),
        Some(Tree::Kept { list, .. }) => list,
    };
    let failed = |errno| HostError::journal("restore a folder", errno);
    serde_json::from_slice(&blobs.read(list).map_err(failed)?).map_err(|_| failed(Errno::BADMSG))
}

fn lost(path: &Path, image: &Image) -> HostError {
    let why = image.loss().unwrap_or_else(|| "unknown".into());
    HostError::Refused(format!("cannot restore {}: {why}", path.display()))
}

/// The owner first, because that clears set-user bits; the mode last, because an access list changes it.
fn put_attributes_on(file: &OwnedFd, attributes: &Attributes) -> Result<(), Errno> {
    let stat = rustix::fs::fstat(file)?;
    if (stat.st_uid, stat.st_gid) != (attributes.uid, attributes.gid) {
        let owner = Owner { uid: Some(attributes.uid), gid: Some(attributes.gid) };
        let (uid, gid) = super::act::raw(owner);
        rustix::fs::fchown(file, uid, gid)?;
    }
    set_xattrs(file, &attributes.xattrs)?;
    rustix::fs::fchmod(file, Mode::from_raw_mode(attributes.mode))
}

/// Removes the temporary files of a tag from a folder. Returns their number.
pub(in crate::host) fn remove_leftovers(folder: &Path, tag: &str) -> Result<usize, HostError> {
    let failed = |errno| HostError::io("tidy", folder, errno);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let dir = match rustix::fs::openat(CWD, folder, flags, Mode::empty()) {
        Ok(dir) => dir,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(0),
        Err(errno) => return Err(failed(errno)),
    };
    let device = rustix::fs::fstat(&dir).map_err(failed)?.st_dev;
    let mut removed = 0;
    for name in names_in(&dir).map_err(failed)? {
        if !is_temporary(&name, tag) {
            continue;
        }
        match rustix::fs::unlinkat(&dir, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR | Errno::PERM) => remove_below(&dir, &name, &folder.join(&name), device, 0)?,
            Err(errno) => return Err(failed(errno)),
        }
        removed += 1;
    }
    Ok(removed)
}
