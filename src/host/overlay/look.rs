//! Inspects files through the layer.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::OverlayTurn;
use super::layer::{Content, Entry};
use super::place::PlaceEntry;
use super::system::Covered;
use crate::host::{HostError, LookFiles, Stat};

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
            PlaceEntry::Layer(Entry::Link { target }) => Ok(target),
            _ => self.base().read_link(&place.path),
        }
    }

    fn list(&self, path: &Path) -> Result<Vec<OsString>, HostError> {
        let mut layer = self.overlay.layer();
        let place = self.walk(&mut layer, path, true)?;
        let shows_base = match self.find(&layer, &place)? {
            PlaceEntry::Base(_) => true,
            PlaceEntry::Layer(Entry::Dir { fresh, .. }) => !fresh && place.base(),
            PlaceEntry::Layer(Entry::Unknown) => return Err(HostError::Unknown { path: path.into() }),
            PlaceEntry::Nothing if self.may_appear(&layer, &place) => {
                return Err(HostError::Unknown { path: path.into() });
            }
            _ => return Err(HostError::Missing { path: path.into() }),
        };
        let covered = layer.system.covered(&place.path);
        if covered == Some(Covered::Unknown) {
            return Err(HostError::Unknown { path: path.into() });
        }
        let shows_base = shows_base && covered.is_none();
        self.lean_if(layer.system.packaged.may_fill(&place.path));
        self.lean_on_scripts(layer.system.packaged.scripting_package(&place.path.join("any")));
        let mut names: BTreeSet<OsString> = BTreeSet::new();
        if shows_base {
            names.extend(self.base().list(&place.path)?);
            self.lean_if(names.iter().any(|name| layer.system.packaged.moves(&place.path.join(name))));
        }
        let below = layer.entries.range(place.path.clone()..).take_while(|(there, _)| there.starts_with(&place.path));
        for (there, entry) in below.filter(|(there, _)| there.parent() == Some(&place.path)) {
            let Some(name) = there.file_name() else { continue };
            self.lean_if(layer.guesses.contains(there) || matches!(entry, Entry::Unknown));
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
            PlaceEntry::Base(_) => {
                drop(layer);
                self.base().modified(&place.path)
            }
            PlaceEntry::Nothing if self.may_appear(&layer, &place) => Ok(None),
            PlaceEntry::Nothing | PlaceEntry::Layer(Entry::Absent) if !place.unknown => {
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
            PlaceEntry::Base(_) | PlaceEntry::Layer(Entry::Dir { fresh: false, .. }) => {
                self.base().xattr(&place.path, name)
            }
            // A rewritten file keeps its attributes. A new one has none.
            PlaceEntry::Layer(Entry::File { .. }) if place.base() => self.base().xattr(&place.path, name),
            _ => Ok(None),
        }
    }
}
