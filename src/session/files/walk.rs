//! A walk through the files below a folder, in order of their names where that can be.
//!
//! A folder of very many names cannot be put in order before the last of them is read. It is set aside, and told after the
//! others in portions, each in order, as it is read: what is shown first stays where it is, and nobody waits.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags};

use super::rules::Rules;
use crate::world::Cancel;

/// A folder of more names is told as it is read.
const MANY_NAMES: usize = 4_096;
/// So many of its names are put in order and told together.
const PORTION: usize = 1_024;
const MOST_DEEP: usize = 64;

/// Goes through the files below a folder until it is told that there are enough. Links are not followed.
pub(super) fn walk(folder: &Path, rules: Rules, cancel: &Cancel, found: &mut dyn FnMut(PathBuf) -> bool) {
    // Whether there were enough makes no difference here.
    let _ = Walk { cancel, found, large: VecDeque::new() }.all(Folder { path: folder.to_path_buf(), depth: 0, rules });
}

/// A folder that is to be gone through.
struct Folder {
    path: PathBuf,
    depth: usize,
    /// What holds for its names.
    rules: Rules,
}

/// A name in a folder, and whether that is a folder too.
type Name = (OsString, bool);

/// What is left to do of a walk; each step says `None` where nothing more is wanted.
struct Walk<'a> {
    cancel: &'a Cancel,
    found: &'a mut dyn FnMut(PathBuf) -> bool,
    /// Folders that were set aside.
    large: VecDeque<Folder>,
}

impl Walk<'_> {
    fn all(&mut self, folder: Folder) -> Option<()> {
        self.below(folder)?;
        while let Some(folder) = self.large.pop_front() {
            self.as_it_is_read(&folder)?;
        }
        Some(())
    }

    /// Goes through a folder, and into each one in it where that stands among its names.
    fn below(&mut self, folder: Folder) -> Option<()> {
        let mut open = Vec::new();
        self.enter(folder, &mut open);
        while let Some((folder, names)) = open.last_mut() {
            let Some((name, is_folder)) = names.next() else {
                open.pop();
                continue;
            };
            if is_folder {
                let inner = folder.inner(&name);
                self.enter(inner, &mut open);
            } else {
                self.file(folder, &name)?;
            }
        }
        Some(())
    }

    fn enter(&mut self, folder: Folder, open: &mut Vec<(Folder, std::vec::IntoIter<Name>)>) {
        if folder.depth > MOST_DEEP {
            return;
        }
        let mut names: Vec<Name> = folder.names().take(MANY_NAMES + 1).collect();
        if names.len() > MANY_NAMES {
            return self.large.push_back(folder);
        }
        names.retain(|(name, is_folder)| !folder.rules.leave_out(name, *is_folder));
        names.sort_unstable();
        open.push((folder, names.into_iter()));
    }

    fn as_it_is_read(&mut self, folder: &Folder) -> Option<()> {
        let mut names = folder.names();
        let mut folders = Vec::new();
        loop {
            let mut portion: Vec<Name> = names.by_ref().take(PORTION).collect();
            if portion.is_empty() {
                break;
            }
            portion.retain(|(name, is_folder)| !folder.rules.leave_out(name, *is_folder));
            portion.sort_unstable();
            for (name, is_folder) in portion {
                if is_folder {
                    folders.push(name);
                } else {
                    self.file(folder, &name)?;
                }
            }
        }
        folders.sort_unstable();
        folders.iter().try_for_each(|name| self.below(folder.inner(name)))
    }

    fn file(&mut self, folder: &Folder, name: &OsStr) -> Option<()> {
        (!self.cancel.is_cancelled() && (self.found)(folder.path.join(name))).then_some(())
    }
}

impl Folder {
    fn inner(&self, name: &OsStr) -> Self {
        Self { path: self.path.join(name), depth: self.depth + 1, rules: self.rules.inside(name) }
    }

    /// The files and folders in it, in no order; what cannot be read has none.
    fn names(&self) -> impl Iterator<Item = Name> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(&self.path, flags, Mode::empty()).and_then(Dir::new);
        let entries = dir.into_iter().flatten().map_while(Result::ok);
        entries.filter_map(|entry| self.name(&entry))
    }

    fn name(&self, entry: &DirEntry) -> Option<Name> {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let kind = match entry.file_type() {
            // Some file systems say it only of each one.
            FileType::Unknown => {
                let about = rustix::fs::statat(CWD, self.path.join(name), AtFlags::SYMLINK_NOFOLLOW).ok()?;
                FileType::from_raw_mode(about.st_mode)
            }
            kind => kind,
        };
        let is_entry = name != "." && name != ".." && matches!(kind, FileType::RegularFile | FileType::Directory);
        is_entry.then(|| (name.to_owned(), kind == FileType::Directory))
    }
}
