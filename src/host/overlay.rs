//! Writes kept in memory over a read-only machine, so that later turns see what earlier ones would have done.
//!
//! The layer holds an entry for each path that a turn changed, by the path without links in its folders. A tombstone
//! hides what lies below it in the machine. Each turn logs what it replaced, so that it can be taken back exactly.
//! *Accepted*: a file in a folder that an earlier turn would make. *Unknown*: the same below a path that an unknown step
//! may make, because a "no" would be a guess.

mod system;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use rustix::io::Errno;

use super::{
    Act, ActCommands, ActFiles, Command, FileImage, FileKind, Host, HostError, Look, LookCommands, LookFiles, Output,
    Owner, Stat, split_path,
};
use system::{Covered, System};

/// As many links as the kernel follows in one path.
const LINKS: usize = 40;

/// A machine that predicts.
pub struct Overlay {
    base: Arc<dyn Look>,
    layer: Mutex<Layer>,
}

#[derive(Default)]
struct Layer {
    entries: BTreeMap<PathBuf, Entry>,
    /// All that is not a file.
    system: Arc<System>,
    /// What each turn replaced, oldest first.
    turns: Vec<Replaced>,
    /// Folders found before, by the path they were asked by.
    folders: FxHashMap<PathBuf, Folder>,
}

/// What one turn replaced.
#[derive(Default)]
struct Replaced {
    entries: Vec<(PathBuf, Option<Entry>)>,
    system: Option<Arc<System>>,
}

#[derive(Clone, Debug)]
enum Entry {
    /// A tombstone.
    Absent,
    File {
        content: Content,
        mode: u32,
        uid: u32,
        gid: u32,
    },
    /// `fresh`: nothing of the machine shows through.
    Dir {
        mode: u32,
        uid: u32,
        gid: u32,
        fresh: bool,
    },
    Link {
        target: PathBuf,
    },
    /// An unknown step may make something here.
    Unknown,
}

#[derive(Clone, Debug)]
enum Content {
    Bytes(Arc<[u8]>),
    /// As the machine has it at a path: the same one where only mode or owner changed, another where it was copied.
    Base {
        path: PathBuf,
        size: u64,
    },
    Unknown,
}

/// A folder after its links were followed.
#[derive(Clone, Debug)]
struct Folder {
    path: PathBuf,
    /// Whether the machine shows through.
    base: bool,
    /// Whether it lies below a path that an unknown step may make.
    unknown: bool,
}

impl Folder {
    /// As it is seen below what was mounted over it.
    fn under(self, system: &System) -> Self {
        match system.covered(&self.path) {
            None => self,
            Some(covered) => Self { base: false, unknown: covered == Covered::Unknown, ..self },
        }
    }
}

/// Where a path leads.
struct Place {
    /// The folder, where it is there.
    folder: Option<Folder>,
    /// Without links in its folders.
    path: PathBuf,
    unknown: bool,
}

impl Place {
    fn base(&self) -> bool {
        self.folder.as_ref().is_some_and(|folder| folder.base)
    }
}

/// What lies at a place.
enum Found {
    Layer(Entry),
    Base(Stat),
    Nothing,
}

impl Overlay {
    pub fn new(base: Arc<dyn Look>) -> Self {
        Self { base, layer: Mutex::default() }
    }

    fn layer(&self) -> MutexGuard<'_, Layer> {
        self.layer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Host for Overlay {
    fn turn(&self) -> Box<dyn Act + '_> {
        self.layer().turns.push(Replaced::default());
        Box::new(OverlayTurn { overlay: self, leaned: AtomicBool::new(false), foreseen: Mutex::default() })
    }

    fn is_dry(&self) -> bool {
        true
    }

    fn turns(&self) -> usize {
        self.layer().turns.len()
    }

    fn back_to(&self, turns: usize) -> bool {
        let mut layer = self.layer();
        while layer.turns.len() > turns {
            let turn = layer.turns.pop().unwrap_or_default();
            if let Some(system) = turn.system {
                layer.system = system;
            }
            for (path, before) in turn.entries.into_iter().rev() {
                match before {
                    Some(entry) => layer.entries.insert(path, entry),
                    None => layer.entries.remove(&path),
                };
            }
        }
        layer.folders.clear();
        true
    }
}

/// The overlay for one turn.
struct OverlayTurn<'a> {
    overlay: &'a Overlay,
    leaned: AtomicBool,
    foreseen: Mutex<Option<system::Foreseen>>,
}

impl OverlayTurn<'_> {
    fn base(&self) -> &dyn Look {
        &*self.overlay.base
    }

    fn lean(&self) {
        self.leaned.store(true, Ordering::Relaxed);
    }

    /// What lies at a path whose folder is found.
    fn find(&self, layer: &Layer, place: &Place) -> Result<Found, HostError> {
        if let Some(entry) = layer.entries.get(&place.path) {
            self.lean();
            return Ok(Found::Layer(entry.clone()));
        }
        if !place.base() {
            // Where the folder is missing in the machine itself, nothing of ours was needed to know it.
            if place.folder.is_some() {
                self.lean();
            }
            return Ok(Found::Nothing);
        }
        Ok(self.base().stat(&place.path)?.map_or(Found::Nothing, Found::Base))
    }

    /// Follows links in the folders of a path, and at its end where asked for.
    fn walk(&self, layer: &mut Layer, path: &Path, follow: bool) -> Result<Place, HostError> {
        if path == Path::new("/") {
            let root = Folder { path: "/".into(), base: true, unknown: false };
            return Ok(Place { folder: Some(root), path: "/".into(), unknown: false });
        }
        let (parent, name) = split_path(path)?;
        let mut parent = parent.to_path_buf();
        let mut name = name.to_os_string();
        for _ in 0..LINKS {
            let place = match self.folder(layer, &parent)? {
                Ok(folder) => {
                    let (path, unknown) = (folder.path.join(&name), folder.unknown);
                    Place { folder: Some(folder), path, unknown }
                }
                Err(unknown) => return Ok(Place { folder: None, path: parent.join(name), unknown }),
            };
            if !follow {
                return Ok(place);
            }
            let target = match self.find(layer, &place)? {
                Found::Layer(Entry::Link { target }) => target,
                Found::Base(stat) if stat.kind == FileKind::Link => self.base().read_link(&place.path)?,
                _ => return Ok(place),
            };
            let joined = place.path.parent().unwrap_or(Path::new("/")).join(target);
            match (joined.parent(), joined.file_name()) {
                (Some(up), Some(last)) => (parent, name) = (up.to_path_buf(), last.to_os_string()),
                // The link leads to the root folder, or to `..`, which is a folder in any case.
                _ => {
                    return Ok(match self.folder(layer, &joined)? {
                        Ok(folder) => {
                            let (path, unknown) = (folder.path.clone(), folder.unknown);
                            Place { folder: Some(folder), path, unknown }
                        }
                        Err(unknown) => Place { folder: None, path: joined, unknown },
                    });
                }
            }
        }
        Err(HostError::io("look at", path, Errno::LOOP))
    }

    /// The folder at a path with all links followed. `Err` where there is none: whether it may come to be there.
    fn folder(&self, layer: &mut Layer, path: &Path) -> Result<Result<Folder, bool>, HostError> {
        if let Some(folder) = layer.folders.get(path) {
            return Ok(Ok(folder.clone()));
        }
        let mut folders = vec![Folder { path: "/".into(), base: true, unknown: false }];
        let mut rest: Vec<OsString> = normal_parts(path);
        let mut links = 0;
        while let Some(part) = rest.pop() {
            let last = folders.last().expect("the root folder is never taken off").clone();
            if part == ".." {
                if folders.len() > 1 {
                    folders.pop();
                }
                continue;
            }
            let (path, unknown) = (last.path.join(&part), last.unknown);
            let place = Place { folder: Some(last.clone()), path: path.clone(), unknown };
            let target = match self.find(layer, &place)? {
                Found::Layer(Entry::Dir { fresh, .. }) => {
                    folders.push(Folder { path, base: last.base && !fresh, unknown }.under(&layer.system));
                    continue;
                }
                Found::Base(stat) if stat.kind == FileKind::Dir => {
                    folders.push(Folder { path, base: true, unknown }.under(&layer.system));
                    continue;
                }
                Found::Layer(Entry::Unknown) => return Ok(Err(true)),
                Found::Layer(Entry::Link { target }) => target,
                Found::Base(stat) if stat.kind == FileKind::Link => self.base().read_link(&path)?,
                _ => return Ok(Err(unknown || last.base && layer.system.may_bring(&path))),
            };
            links += 1;
            if links > LINKS {
                return Err(HostError::io("look at", &path, Errno::LOOP));
            }
            if target.is_absolute() {
                folders.truncate(1);
            }
            rest.extend(normal_parts(&target));
        }
        let found = folders.pop().expect("the root folder is never taken off");
        layer.folders.insert(path.to_path_buf(), found.clone());
        Ok(Ok(found))
    }

    /// Where the content of a file comes from, following links.
    fn content(&self, path: &Path) -> Result<Content, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, true)?;
        match self.find(&layer, &place)? {
            Found::Layer(Entry::File { content, .. }) => Ok(content),
            Found::Base(stat) => Ok(Content::Base { path: place.path, size: stat.size }),
            Found::Layer(Entry::Unknown) => Err(HostError::Unknown { path: path.into() }),
            Found::Layer(Entry::Dir { .. }) => {
                let (found, wanted) = (FileKind::Dir.words(), FileKind::File.words());
                Err(HostError::WrongKind { path: path.into(), found, wanted, hint_text: "" })
            }
            Found::Nothing if self.may_come(&layer, &place) => Err(HostError::Unknown { path: path.into() }),
            _ if place.unknown => Err(HostError::Unknown { path: path.into() }),
            _ => Err(HostError::Missing { path: path.into() }),
        }
    }

    fn stat_place(&self, layer: &Layer, place: &Place) -> Result<Option<Stat>, HostError> {
        match self.find(layer, place)? {
            Found::Base(stat) => Ok(Some(stat)),
            Found::Layer(Entry::Unknown) => Err(HostError::Unknown { path: place.path.clone() }),
            Found::Nothing if self.may_come(layer, place) => Err(HostError::Unknown { path: place.path.clone() }),
            Found::Layer(Entry::Absent) if place.unknown => Err(HostError::Unknown { path: place.path.clone() }),
            Found::Nothing | Found::Layer(Entry::Absent) => Ok(None),
            Found::Layer(entry) => Ok(Some(entry_stat(&entry))),
        }
    }

    /// Whether an unknown step, or a package that is installed before, may put something where nothing is.
    fn may_come(&self, layer: &Layer, place: &Place) -> bool {
        let comes = place.unknown || place.base() && layer.system.may_bring(&place.path);
        if comes {
            self.lean();
        }
        comes
    }

    /// The place of something to be written: its folder has to be there.
    fn writable(&self, layer: &mut Layer, path: &Path) -> Result<(Place, Option<Stat>), HostError> {
        let place = self.walk(layer, path, false)?;
        // A folder that is expected with a package is taken as there: what is written is known all the same.
        let is_expected = place.unknown && layer.system.may_bring(&place.path);
        if place.folder.is_none() && !is_expected {
            let path = path.parent().unwrap_or(path).to_path_buf();
            return Err(if place.unknown { HostError::Unknown { path } } else { HostError::Missing { path } });
        }
        let stat = match self.stat_place(layer, &place) {
            Err(HostError::Unknown { .. }) => None,
            other => other?,
        };
        Ok((place, stat))
    }

    /// Who owns what is made in a folder: we, save that a set-group folder passes its group on.
    fn made_owner(&self, layer: &Layer, place: &Place, owner: Owner) -> Result<(u32, u32, u32), HostError> {
        let identity = self.base().identity();
        let folder = match place.path.parent() {
            Some(path) => match layer.entries.get(path) {
                Some(entry) => Some(entry_stat(entry)),
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

    /// Puts a file in place.
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
        layer.set(place.path, Entry::File { content, mode, uid, gid });
        Ok(())
    }

    /// An existing thing as an entry of the layer, so that it can be changed in part.
    fn lift(&self, layer: &mut Layer, path: &Path) -> Result<(PathBuf, Entry), HostError> {
        let place = self.walk(layer, path, false)?;
        match self.find(layer, &place)? {
            Found::Layer(Entry::Absent) | Found::Nothing => Err(HostError::Missing { path: path.into() }),
            Found::Layer(Entry::Unknown) => Err(HostError::Unknown { path: path.into() }),
            Found::Layer(entry) => Ok((place.path, entry)),
            Found::Base(Stat { kind, mode, uid, gid, size }) => {
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

/// The parts of a path in reverse, so that the next one is taken off the end.
fn normal_parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        Component::ParentDir => Some(OsStr::new("..")),
        _ => None,
    });
    parts.map(OsStr::to_os_string).collect()
}

fn entry_stat(entry: &Entry) -> Stat {
    match entry {
        Entry::File { content, mode, uid, gid } => {
            let size = match content {
                Content::Bytes(bytes) => bytes.len() as u64,
                Content::Base { size, .. } => *size,
                Content::Unknown => 0,
            };
            Stat { kind: FileKind::File, mode: *mode, uid: *uid, gid: *gid, size }
        }
        Entry::Dir { mode, uid, gid, .. } => Stat { kind: FileKind::Dir, mode: *mode, uid: *uid, gid: *gid, size: 0 },
        Entry::Link { target } => {
            let size = target.as_os_str().len() as u64;
            Stat { kind: FileKind::Link, mode: 0o777, uid: 0, gid: 0, size }
        }
        Entry::Absent | Entry::Unknown => Stat { kind: FileKind::Other, mode: 0, uid: 0, gid: 0, size: 0 },
    }
}

impl Layer {
    /// Changes an entry, and remembers what it was for the turn at work.
    fn set(&mut self, path: PathBuf, entry: Entry) {
        let keeps_folders = matches!(entry, Entry::Dir { .. } | Entry::File { .. });
        let before = self.entries.insert(path.clone(), entry);
        // A new plain folder or file cannot make a folder that was found before lead elsewhere; anything else may.
        if !keeps_folders || matches!(before, Some(Entry::Dir { .. } | Entry::Link { .. })) {
            self.folders.clear();
        }
        if let Some(turn) = self.turns.last_mut() {
            turn.entries.push((path, before));
        }
    }

    fn drop_below(&mut self, path: &Path) {
        let below: Vec<PathBuf> = self
            .entries
            .range(path.to_path_buf()..)
            .map(|(there, _)| there)
            .take_while(|there| there.starts_with(path))
            .cloned()
            .collect();
        for there in below {
            let before = self.entries.remove(&there);
            if let Some(turn) = self.turns.last_mut() {
                turn.entries.push((there, before));
            }
        }
    }
}

impl LookFiles for OverlayTurn<'_> {
    fn stat(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, false)?;
        self.stat_place(&layer, &place)
    }

    fn stat_target(&self, path: &Path) -> Result<Option<Stat>, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, true)?;
        self.stat_place(&layer, &place)
    }

    fn read(&self, path: &Path) -> Result<Option<Arc<[u8]>>, HostError> {
        match self.content(path)? {
            Content::Bytes(bytes) => Ok(Some(bytes)),
            Content::Unknown => Ok(None),
            Content::Base { path, .. } => self.base().read(&path),
        }
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, false)?;
        match self.find(&layer, &place)? {
            Found::Layer(Entry::Link { target }) => Ok(target),
            _ => self.base().read_link(&place.path),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, true)?;
        let shows_base = match self.find(&layer, &place)? {
            Found::Base(_) => true,
            Found::Layer(Entry::Dir { fresh, .. }) => !fresh && place.base(),
            Found::Layer(Entry::Unknown) => return Err(HostError::Unknown { path: path.into() }),
            Found::Nothing if self.may_come(&layer, &place) => return Err(HostError::Unknown { path: path.into() }),
            _ => return Err(HostError::Missing { path: path.into() }),
        };
        let covered = layer.system.covered(&place.path);
        if covered == Some(Covered::Unknown) {
            return Err(HostError::Unknown { path: path.into() });
        }
        let shows_base = shows_base && covered.is_none();
        let mut names: BTreeSet<OsString> = BTreeSet::new();
        if shows_base {
            names.extend(self.base().list(&place.path)?);
        }
        let below = layer.entries.range(place.path.clone()..).take_while(|(there, _)| there.starts_with(&place.path));
        for (there, entry) in below.filter(|(there, _)| there.parent() == Some(&place.path)) {
            let Some(name) = there.file_name() else { continue };
            match entry {
                Entry::Absent => names.remove(name),
                _ => names.insert(name.to_os_string()),
            };
        }
        Ok(names.into_iter().collect())
    }

    fn same(&self, one: &Path, other: &Path) -> Result<Option<bool>, HostError> {
        match (self.content(one)?, self.content(other)?) {
            (Content::Unknown, _) | (_, Content::Unknown) => Ok(None),
            (Content::Bytes(one), Content::Bytes(other)) => Ok(Some(one == other)),
            (Content::Base { path: one, .. }, Content::Base { path: other, .. }) => self.base().same(&one, &other),
            (Content::Base { path, size }, Content::Bytes(bytes))
            | (Content::Bytes(bytes), Content::Base { path, size }) => Ok(if size == bytes.len() as u64 {
                self.base().read(&path)?.map(|have| have == bytes)
            } else {
                Some(false)
            }),
        }
    }

    fn modified(&self, path: &Path) -> Result<Option<i64>, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, true)?;
        match self.find(&layer, &place)? {
            Found::Base(_) => {
                drop(layer);
                self.base().modified(&place.path)
            }
            Found::Nothing if self.may_come(&layer, &place) => Ok(None),
            Found::Nothing | Found::Layer(Entry::Absent) if !place.unknown => {
                Err(HostError::Missing { path: path.into() })
            }
            _ => Ok(None),
        }
    }

    fn xattr(&self, path: &Path, name: &str) -> Result<Option<Vec<u8>>, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, false)?;
        let found = self.find(&layer, &place)?;
        drop(layer);
        match found {
            Found::Base(_) | Found::Layer(Entry::Dir { fresh: false, .. }) => self.base().xattr(&place.path, name),
            // A file keeps its attributes when it is written anew; one that is not there yet has none.
            Found::Layer(Entry::File { .. }) if place.base() => self.base().xattr(&place.path, name),
            _ => Ok(None),
        }
    }
}

impl crate::host::LookWeb for OverlayTurn<'_> {}

impl LookCommands for OverlayTurn<'_> {
    fn probe(&self, command: &Command) -> Result<Option<Output>, HostError> {
        // The guard sees the machine as it is now, which earlier turns would have changed.
        if !self.overlay.layer().entries.is_empty() {
            self.lean();
        }
        self.base().probe(command)
    }
}

impl ActCommands for OverlayTurn<'_> {
    fn run(&self, _command: &Command) -> Result<Option<Output>, HostError> {
        Ok(None)
    }
}

impl Act for OverlayTurn<'_> {
    fn leaned(&self) -> bool {
        self.leaned.load(Ordering::Relaxed)
    }

    fn predicts(&self) -> bool {
        true
    }
}

impl ActFiles for OverlayTurn<'_> {
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
        layer.set(place.path, Entry::Dir { mode: mode | inherited, uid, gid, fresh: true });
        Ok(())
    }

    fn make_link(&self, path: &Path, target: &Path) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, there) = self.writable(&mut layer, path)?;
        if there.is_some_and(|stat| stat.kind == FileKind::Dir) {
            return Err(HostError::io("replace", path, Errno::ISDIR));
        }
        layer.set(place.path, Entry::Link { target: target.into() });
        Ok(())
    }

    fn set_mode(&self, path: &Path, to: u32) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, mut entry) = self.lift(&mut layer, path)?;
        match &mut entry {
            Entry::File { mode, .. } | Entry::Dir { mode, .. } => *mode = to,
            _ => return Err(HostError::io("set the mode of", path, Errno::LOOP)),
        }
        layer.set(place, entry);
        Ok(())
    }

    fn set_owner(&self, path: &Path, owner: Owner) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let (place, mut entry) = self.lift(&mut layer, path)?;
        if let Entry::File { uid, gid, .. } | Entry::Dir { uid, gid, .. } = &mut entry {
            (*uid, *gid) = (owner.uid.unwrap_or(*uid), owner.gid.unwrap_or(*gid));
        }
        layer.set(place, entry);
        Ok(())
    }

    /// Not kept: what has attributes in the machine and in a plan is one resource, which does not look twice.
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
                layer.set(place, Entry::Absent);
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
        layer.set(place, Entry::Absent);
        Ok(())
    }

    fn may_create(&self, path: &Path) {
        let mut layer = self.overlay.layer();
        let Ok(place) = self.walk(&mut layer, path, false) else { return };
        if matches!(self.find(&layer, &place), Ok(Found::Nothing | Found::Layer(Entry::Absent))) {
            layer.set(place.path, Entry::Unknown);
        }
    }
}
