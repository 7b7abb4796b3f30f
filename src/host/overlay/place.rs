//! Resolves a path, following links through the layer and the machine below it.

use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use rustix::io::Errno;

use super::OverlayTurn;
use super::layer::{Content, Entry, Layer};
use super::system::{Covered, Facet, System};
use crate::host::{FileKind, HostError, Stat, split_path};

/// The kernel's limit on links in one path.
const LINKS: usize = 40;

/// A folder after its links were followed.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub path: PathBuf,
    /// Whether the machine's files are visible in it.
    pub base: bool,
    /// Whether it is below a path that an unknown step may make.
    pub unknown: bool,
    /// Whether its resolution depends on a guess.
    pub guess: bool,
}

impl Folder {
    /// Returns the folder as hidden or changed by a mount.
    fn under(self, system: &System) -> Self {
        match system.covered(&self.path) {
            None => self,
            Some(covered) => {
                let guess = self.guess || system.guesses(Facet::Mounts);
                Self { base: false, unknown: covered == Covered::Unknown, guess, ..self }
            }
        }
    }
}

/// A resolved path.
pub(super) struct Place {
    /// The folder, if it exists.
    pub folder: Option<Folder>,
    /// Without links in its folders.
    pub path: PathBuf,
    pub unknown: bool,
}

impl Place {
    /// Whether the machine's own files are visible at this place.
    pub fn base(&self) -> bool {
        self.folder.as_ref().is_some_and(|folder| folder.base)
    }
}

/// The entry at a place.
pub(super) enum PlaceEntry {
    Layer(Entry),
    Base(Stat),
    Nothing,
}

impl OverlayTurn<'_> {
    /// Returns the entry at a resolved path.
    pub(super) fn find(&self, layer: &Layer, place: &Place) -> Result<PlaceEntry, HostError> {
        if let Some(entry) = layer.entries.get(&place.path) {
            self.lean_if(layer.guesses.contains(&place.path) || entry.is_open());
            return Ok(PlaceEntry::Layer(entry.clone()));
        }
        if !place.base() {
            return Ok(PlaceEntry::Nothing);
        }
        self.lean_if(layer.system.packaged.moves(&place.path));
        self.lean_on_scripts(layer.system.packaged.scripting_package(&place.path));
        Ok(self.base().stat(&place.path)?.map_or(PlaceEntry::Nothing, PlaceEntry::Base))
    }

    /// Follows the links in the folders of a path, and optionally a final link.
    pub(super) fn walk(&self, layer: &mut Layer, path: &Path, follow: bool) -> Result<Place, HostError> {
        if path == Path::new("/") {
            let root = Folder { path: "/".into(), base: true, unknown: false, guess: false };
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
                PlaceEntry::Layer(Entry::Link { target }) => target,
                PlaceEntry::Base(stat) if stat.kind == FileKind::Link => self.base().read_link(&place.path)?,
                _ => return Ok(place),
            };
            let joined = place.path.parent().unwrap_or(Path::new("/")).join(target);
            match (joined.parent(), joined.file_name()) {
                (Some(up), Some(last)) => (parent, name) = (up.to_path_buf(), last.to_os_string()),
                // The link leads to the root folder or to `..`, which always is a folder.
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
        Err(HostError::io("read", path, Errno::LOOP))
    }

    /// Returns the folder at a path with all links followed. An inner `Err` if it does not exist: whether it may be
    /// created.
    fn folder(&self, layer: &mut Layer, path: &Path) -> Result<Result<Folder, bool>, HostError> {
        if let Some(folder) = layer.folders.get(path) {
            self.lean_if(folder.guess);
            return Ok(Ok(folder.clone()));
        }
        let mut guess = false;
        let mut folders = vec![Folder { path: "/".into(), base: true, unknown: false, guess: false }];
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
            guess |= layer.guesses.contains(&path) || layer.system.packaged.moves(&path);
            let target = match self.find(layer, &place)? {
                PlaceEntry::Layer(Entry::Dir { fresh, .. }) => {
                    folders.push(Folder { path, base: last.base && !fresh, unknown, guess }.under(&layer.system));
                    continue;
                }
                PlaceEntry::Base(stat) if stat.kind == FileKind::Dir => {
                    folders.push(Folder { path, base: true, unknown, guess }.under(&layer.system));
                    continue;
                }
                PlaceEntry::Layer(Entry::Unknown) => return Ok(Err(true)),
                PlaceEntry::Layer(Entry::Link { target }) => target,
                PlaceEntry::Base(stat) if stat.kind == FileKind::Link => self.base().read_link(&path)?,
                _ => return Ok(Err(unknown || layer.system.packaged.may_bring(&path))),
            };
            links += 1;
            if links > LINKS {
                return Err(HostError::io("read", &path, Errno::LOOP));
            }
            if target.is_absolute() {
                folders.truncate(1);
            }
            rest.extend(normal_parts(&target));
        }
        let found = folders.pop().expect("the root folder is never taken off");
        let found = Folder { guess: guess || found.guess, ..found };
        self.lean_if(found.guess);
        layer.folders.insert(path.to_path_buf(), found.clone());
        Ok(Ok(found))
    }

    /// Returns the source of a file's content, following links.
    pub(super) fn content(&self, path: &Path) -> Result<Content, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, true)?;
        match self.find(&layer, &place)? {
            PlaceEntry::Layer(Entry::File { content, .. }) => Ok(content),
            PlaceEntry::Base(stat) => Ok(Content::Base { path: place.path, size: stat.size }),
            PlaceEntry::Layer(Entry::Unknown) => Err(HostError::Unknown { path: path.into() }),
            PlaceEntry::Layer(Entry::Dir { .. }) => {
                let (found, wanted) = (FileKind::Dir.words(), FileKind::File.words());
                Err(HostError::WrongKind { path: path.into(), found, wanted, hint_text: "" })
            }
            PlaceEntry::Nothing if self.may_appear(&layer, &place) => Err(HostError::Unknown { path: path.into() }),
            _ if place.unknown => Err(HostError::Unknown { path: path.into() }),
            _ => Err(HostError::Missing { path: path.into() }),
        }
    }

    pub(super) fn stat_place(&self, layer: &Layer, place: &Place) -> Result<Option<Stat>, HostError> {
        match self.find(layer, place)? {
            PlaceEntry::Base(stat) => Ok(Some(stat)),
            PlaceEntry::Layer(Entry::Unknown) => Err(HostError::Unknown { path: place.path.clone() }),
            PlaceEntry::Nothing if self.may_appear(layer, place) => Err(self.not_there_yet(layer, place)),
            PlaceEntry::Layer(Entry::Absent) if place.unknown => Err(HostError::Unknown { path: place.path.clone() }),
            PlaceEntry::Nothing | PlaceEntry::Layer(Entry::Absent) => Ok(None),
            PlaceEntry::Layer(entry) => Ok(Some(entry.stat())),
        }
    }

    /// Returns the error for a path that may or may not exist later.
    fn not_there_yet(&self, layer: &Layer, place: &Place) -> HostError {
        let is_open = |path: &Path| {
            matches!(layer.entries.get(path), Some(Entry::Unknown))
                || layer.system.covered(path) == Some(Covered::Unknown)
        };
        let packaged = &layer.system.packaged;
        let package = packaged.only_scripts().and(packaged.scripting_package(&place.path));
        match package.filter(|_| !place.path.ancestors().any(is_open)) {
            Some(package) => {
                let what = place.path.to_string_lossy().into_owned();
                HostError::MayAppear { what, package: package.to_owned() }
            }
            None => HostError::Unknown { path: place.path.clone() },
        }
    }

    /// Whether an unknown step, or an earlier package installation, may create a missing path.
    pub(super) fn may_appear(&self, layer: &Layer, place: &Place) -> bool {
        let comes = place.unknown || layer.system.packaged.may_bring(&place.path);
        if comes {
            self.lean();
            self.lean_on_scripts(layer.system.packaged.scripting_package(&place.path));
        }
        comes
    }
}

/// The components of a path in reverse, so that the next one is at the end.
fn normal_parts(path: &Path) -> Vec<OsString> {
    let parts = path.components().rev().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        Component::ParentDir => Some(OsStr::new("..")),
        _ => None,
    });
    parts.map(OsStr::to_os_string).collect()
}
