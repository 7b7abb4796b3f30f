//! Writes files into the layer.

use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::OverlayTurn;
use super::layer::{Content, Entry, Layer};
use super::place::{Place, PlaceEntry};
use crate::host::{Act, FileImage, FileKind, HostError, LookFiles, Operation, Owner, Stat, Within};

impl OverlayTurn<'_> {
    /// Returns the place of a new file. Its folder must exist.
    fn writable(&self, layer: &mut Layer, path: &Path) -> Result<(Place, Option<Stat>), HostError> {
        let place = self.walk(layer, path, false)?;
        // A folder that a package may bring counts as existing, because the new file itself is known.
        let is_expected = place.unknown && layer.system.packaged.may_bring(&place.path);
        if place.folder.is_none() && !is_expected {
            let path = path.parent().unwrap_or(path).to_path_buf();
            return Err(if place.unknown { HostError::Unknown { path } } else { HostError::Missing { path } });
        }
        let stat = match self.stat_place(layer, &place) {
            Err(error) if error.is_unknown() => None,
            other => other?,
        };
        Ok((place, stat))
    }

    /// Returns the owner of a new file: the current user, or the group of a set-group folder.
    fn made_owner(&self, layer: &Layer, place: &Place, owner: Owner) -> Result<(u32, u32, u32), HostError> {
        let identity = self.base().identity();
        let folder = match place.path.parent() {
            Some(path) => match layer.entries.get(path) {
                Some(entry) => Some(entry.stat()),
                None if place.base() => self.base().stat(path)?,
                None => None,
            },
            None => None,
        };
        let inherited = folder.filter(|folder| folder.mode & 0o2000 != 0);
        let gid = inherited.map_or(identity.gid, |folder| folder.gid);
        let bit = if inherited.is_some() { 0o2000 } else { 0 };
        Ok((owner.uid.unwrap_or(identity.uid), owner.gid.unwrap_or(gid), bit))
    }

    /// Writes a file.
    fn put(&self, path: &Path, content: Content, mode: u32, owner: Owner) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, there) = self.writable(&mut layer, path)?;
        if there.is_some_and(|stat| stat.kind == FileKind::Dir) {
            return Err(HostError::io("replace", path, Errno::ISDIR));
        }
        let (uid, gid, _) = self.made_owner(&layer, &place, owner)?;
        if there.is_some_and(|stat| stat.kind == FileKind::Link) {
            layer.folders.clear();
        }
        layer.set(place.path, Entry::File { content, mode, uid, gid }, self.leaned());
        Ok(())
    }

    /// Copies an existing entry into the layer, so that a part of it can be changed.
    fn lift(&self, layer: &mut Layer, path: &Path) -> Result<(PathBuf, Entry), HostError> {
        let place = self.walk(layer, path, false)?;
        match self.find(layer, &place)? {
            PlaceEntry::Layer(Entry::Absent) | PlaceEntry::Nothing => Err(HostError::Missing { path: path.into() }),
            PlaceEntry::Layer(Entry::Unknown) => Err(HostError::Unknown { path: path.into() }),
            PlaceEntry::Layer(entry) => Ok((place.path, entry)),
            PlaceEntry::Base(Stat { kind, mode, uid, gid, size }) => {
                let entry = match kind {
                    FileKind::Dir => Entry::Dir { mode, uid, gid, fresh: false },
                    FileKind::Link => Entry::Link { target: self.base().read_link(&place.path)? },
                    FileKind::File | FileKind::Other => {
                        let path = place.path.clone();
                        Entry::File { content: Content::Base { path, size }, mode, uid, gid }
                    }
                };
                Ok((place.path, entry))
            }
        }
    }
}

/// One method for each operation.
impl OverlayTurn<'_> {
    pub(super) fn write(&self, operation: &Operation, within: &Within) -> Result<Vec<String>, HostError> {
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

    fn write_file(&self, path: &Path, image: &FileImage) -> Result<(), HostError> {
        let content = image.content.clone().map_or(Content::Unknown, Content::Bytes);
        self.put(path, content, image.mode, image.owner)
    }

    fn copy_file(&self, from: &Path, path: &Path, mode: u32, owner: Owner) -> Result<(), HostError> {
        let content = self.content(from)?;
        self.put(path, content, mode, owner)
    }

    fn make_dir(&self, path: &Path, mode: u32, owner: Owner) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, there) = self.writable(&mut layer, path)?;
        if there.is_some() {
            return Err(HostError::io("make", path, Errno::EXIST));
        }
        let (uid, gid, inherited) = self.made_owner(&layer, &place, owner)?;
        layer.set(place.path, Entry::Dir { mode: mode | inherited, uid, gid, fresh: true }, self.leaned());
        Ok(())
    }

    fn make_link(&self, path: &Path, target: &Path) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, there) = self.writable(&mut layer, path)?;
        if there.is_some_and(|stat| stat.kind == FileKind::Dir) {
            return Err(HostError::io("replace", path, Errno::ISDIR));
        }
        layer.set(place.path, Entry::Link { target: target.into() }, self.leaned());
        Ok(())
    }

    fn set_mode(&self, path: &Path, to: u32) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, mut entry) = self.lift(&mut layer, path)?;
        match &mut entry {
            Entry::File { mode, .. } | Entry::Dir { mode, .. } => *mode = to,
            _ => return Err(HostError::io("set the mode of", path, Errno::LOOP)),
        }
        layer.set(place, entry, self.leaned());
        Ok(())
    }

    fn set_owner(&self, path: &Path, owner: Owner) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, mut entry) = self.lift(&mut layer, path)?;
        if let Entry::File { uid, gid, .. } | Entry::Dir { uid, gid, .. } = &mut entry {
            (*uid, *gid) = (owner.uid.unwrap_or(*uid), owner.gid.unwrap_or(*gid));
        }
        layer.set(place, entry, self.leaned());
        Ok(())
    }

    /// Not stored: in a plan, a single resource manages the attributes, and it does not read them again.
    fn set_xattr(&self, path: &Path, _name: &str, _value: &[u8]) -> Result<(), HostError> {
        match self.stat(path)? {
            Some(_) => Ok(()),
            None => Err(HostError::Missing { path: path.into() }),
        }
    }

    fn remove_file(&self, path: &Path) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        match self.lift(&mut layer, path)? {
            (_, Entry::Dir { .. }) => Err(HostError::io("remove", path, Errno::ISDIR)),
            (place, _) => {
                layer.set(place, Entry::Absent, self.leaned());
                Ok(())
            }
        }
    }

    fn remove_dir(&self, path: &Path) -> Result<(), HostError> {
        if !self.list(path)?.is_empty() {
            return Err(HostError::io("remove", path, Errno::NOTEMPTY));
        }
        self.remove_tree(path)
    }

    fn remove_tree(&self, path: &Path) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, _) = self.lift(&mut layer, path)?;
        layer.drop_below(&place);
        layer.set(place, Entry::Absent, self.leaned());
        Ok(())
    }

    pub(super) fn create_unknown(&self, path: &Path) {
        let mut layer = self.overlay.layer();
        let Ok(place) = self.walk(&mut layer, path, false) else { return };
        if matches!(self.find(&layer, &place), Ok(PlaceEntry::Nothing | PlaceEntry::Layer(Entry::Absent))) {
            layer.set(place.path, Entry::Unknown, self.leaned());
        }
    }
}
