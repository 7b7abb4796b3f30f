//! Predicted packages, and the effects of their files and scripts on the rest of the machine.
//!
//! The archive of a fetched package lists its contents: its folders and links are then as certain as our own, its files
//! exist, and those in `/etc` have known contents. Maintainer scripts are not analysed. If a package has some, they may
//! change every other path below `/etc`, `/usr` and `/var`, and accounts and services. The contents of any other
//! package are unknown: below the folders of packages a missing path is then unknown, and accounts and units may
//! appear. *Known*: a file in `/etc/web/`, after a fetched package that makes that folder and has no scripts.
//! *Predicted*: the same after a package that is not fetched, or that has scripts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::OverlayTurn;
use super::layer::{Content, Entry, Layer};
use super::system::{Facet, System};
use crate::host::{
    Act, Contents, FileKind, HostError, Installed, LookPackages, PackageChange, PackageEffect, PackageHold, Packed,
};

/// Where packages put files.
const PACKAGED: &[&str] = &["/bin", "/boot", "/etc", "/lib", "/lib64", "/opt", "/sbin", "/srv", "/usr", "/var"];

/// Exceptions where no package puts files.
const OWN: &[&str] = &["/usr/local", "/var/local", "/var/tmp"];

/// Where only a package itself puts files. Triggers of other packages write elsewhere.
const UNTOUCHED: &[&str] = &["/etc", "/opt", "/srv"];

/// The exceptions to that.
const TRIGGERED: &[&str] = &["/etc/ld.so.cache", "/etc/sgml", "/etc/shells", "/etc/ssl", "/etc/xml"];

/// Where maintainer scripts are assumed to write.
const SCRIPTED: &[&str] = &["/etc", "/usr", "/var"];

/// The endings of files that are unpacked next to a changed configuration file.
const BESIDE: &[&str] = &["dpkg-new", "dpkg-dist", "dpkg-old", "dpkg-tmp", "ucf-dist", "ucf-old"];

/// The undeclared effects of installed and removed packages.
#[derive(Clone, Debug, Default)]
pub(super) struct Packaged {
    /// The contents of some package are unknown.
    anything: bool,
    /// The contents of some package are known.
    listed: bool,
    /// The first known package that has maintainer scripts.
    scripted: Option<String>,
    /// The new paths of packages.
    brought: BTreeSet<PathBuf>,
    /// All paths in their lists, including existing ones.
    own: BTreeSet<PathBuf>,
    /// Existing paths that are replaced or removed.
    moved: BTreeSet<PathBuf>,
}

/// The predicted effects of a package change.
pub(super) struct Predicted {
    change: PackageChange,
    effects: Option<Vec<PackageEffect>>,
    /// Whether the effects do not depend on earlier package changes.
    apart: bool,
}

/// The note for packages with unknown contents.
fn obscure_words(names: &[String]) -> Vec<String> {
    let names = match names {
        [] => return Vec::new(),
        [one] => format!("`{one}`"),
        [first, others @ ..] => format!("`{first}` and {} more", others.len()),
    };
    vec![format!("the files of {names} are unknown: not downloaded (`--fetch-packages`)")]
}

impl Packaged {
    /// Whether an installed package may put something at a path that does not exist yet.
    pub fn may_bring(&self, path: &Path) -> bool {
        let is_in = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        if !(self.anything || self.listed) || !is_in(PACKAGED) || is_in(OWN) {
            return false;
        }
        self.anything
            || !is_in(UNTOUCHED)
            || is_in(TRIGGERED)
            || self.is_beside(path)
            || self.scripting_package(path).is_some()
    }

    /// Whether a folder may get more entries than known.
    pub fn may_fill(&self, folder: &Path) -> bool {
        self.may_bring(&folder.join("any"))
    }

    fn is_beside(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| BESIDE.contains(&ending))
    }

    /// Returns the package whose scripts may change accounts and services.
    pub fn scripted(&self) -> Option<&str> {
        self.scripted.as_deref()
    }

    /// The same, if all contents of packages are known and only the effects of scripts are not.
    pub fn only_scripts(&self) -> Option<&str> {
        self.scripted().filter(|_| !self.anything)
    }

    /// Returns the package whose scripts may change a path. Paths of packages themselves, and their parent folders,
    /// stay known.
    pub fn scripting_package(&self, path: &Path) -> Option<&str> {
        let is_below = |folder: &&str| path.starts_with(folder) && path != Path::new(folder);
        let is_own = || self.own.range(path.to_path_buf()..).next().is_some_and(|own| own.starts_with(path));
        let may_write = SCRIPTED.iter().any(is_below) && !OWN.iter().any(|folder| path.starts_with(folder));
        self.scripted().filter(|_| may_write && !is_own())
    }

    /// Whether a package may create users or groups that are not predicted.
    pub fn makes_accounts(&self) -> bool {
        self.anything || self.scripted.is_some()
    }

    /// Whether a package may bring services that are not predicted.
    pub fn may_bring_units(&self) -> bool {
        self.anything || self.scripted.is_some()
    }

    /// Whether a package certainly brings a path.
    pub fn brings(&self, path: &Path) -> bool {
        self.brought.contains(path)
    }

    /// Whether a package replaces or removes an existing path.
    pub fn moves(&self, path: &Path) -> bool {
        self.moved.contains(path)
    }
}

impl OverlayTurn<'_> {
    /// Asks the package manager once for both the check and the prediction of a turn.
    fn predict(&self, change: &PackageChange) -> Result<Option<Vec<PackageEffect>>, HostError> {
        let mut predicted = self.predicted.lock().unwrap_or_else(PoisonError::into_inner);
        if predicted.as_ref().is_none_or(|predicted| predicted.change != *change) {
            let system = self.system();
            let mut effects = self.base().effects(change)?;
            if let Some(effects) = &mut effects {
                adapt(effects, &system);
            }
            let apart = match &effects {
                Some(effects) if !system.asked.is_empty() => self.is_apart(&system, change, effects)?,
                _ => true,
            };
            *predicted = Some(Predicted { change: change.clone(), effects, apart });
        }
        let Some(Predicted { effects, apart, .. }) = &*predicted else { return Ok(None) };
        self.lean_if(!apart);
        Ok(effects.clone())
    }

    /// Whether a change has the same effects after earlier changes as on the present machine, which the manager was
    /// asked about.
    ///
    /// That holds if the change needs only the packages that it names, and if all changes together have the same
    /// effects as each alone: then no earlier change interferes, and nothing that it needs was removed.
    fn is_apart(&self, system: &System, change: &PackageChange, own: &[PackageEffect]) -> Result<bool, HostError> {
        let names: Vec<&str> = change.names().into_iter().map(plain).collect();
        if !own.iter().all(|effect| names.contains(&plain(&effect.name))) {
            return Ok(false);
        }
        let all: Vec<PackageChange> = system.asked.iter().chain([change]).cloned().collect();
        let Some(together) = self.base().effects_together(&all)? else { return Ok(false) };
        let before = system.packages.iter().map(|(name, installed)| {
            let version = installed.as_ref().map(|installed| installed.version.clone());
            (plain(name).to_owned(), version)
        });
        let to = |effect: &PackageEffect| (plain(&effect.name).to_owned(), effect.to.clone());
        let expected: BTreeSet<_> = before.chain(own.iter().map(to)).collect();
        Ok(expected == together.iter().map(to).collect())
    }

    /// Predicts a change. Returns notes about the unpredictable parts.
    pub(super) fn change_package(&self, change: &PackageChange) -> Result<Vec<String>, HostError> {
        let effects = match self.effects(change)? {
            Some(effects) => effects,
            None => {
                self.lean();
                named(change)
            }
        };
        let mut packaged = self.system().packaged.clone();
        let mut obscure = Vec::new();
        for effect in &effects {
            self.unpack(effect, &mut packaged, &mut obscure)?;
        }
        self.set(Facet::Packages, |system| {
            system.packaged = packaged;
            system.asked.push(change.clone());
            for PackageEffect { name, to, .. } in effects {
                system.packages.insert(name, to.map(|version| Installed { version, held: false }));
            }
        });
        self.overlay.layer().folders.clear();
        Ok(obscure_words(&obscure))
    }

    /// Predicts that a package is held or released.
    pub(super) fn hold_package(&self, hold: &PackageHold) -> Result<Vec<String>, HostError> {
        if let Some(installed) = self.installed(&hold.name)? {
            let installed = Installed { held: hold.held, ..installed };
            self.set(Facet::Packages, |system| drop(system.packages.insert(hold.name.clone(), Some(installed))));
        }
        Ok(Vec::new())
    }

    /// Predicts the effects of one package on files.
    fn unpack(
        &self,
        effect: &PackageEffect,
        packaged: &mut Packaged,
        obscure: &mut Vec<String>,
    ) -> Result<(), HostError> {
        let mut old = BTreeSet::new();
        if effect.from.is_some() {
            let files = self.base().files(&effect.name)?.unwrap_or_default();
            self.take_away(&files, effect.to.is_none(), packaged)?;
            old.extend(files);
        }
        let Some(version) = &effect.to else { return Ok(()) };
        match self.base().contents(&effect.name, version)? {
            Some(Contents { entries, has_scripts }) => {
                packaged.listed = true;
                if has_scripts {
                    packaged.scripted.get_or_insert_with(|| effect.name.clone());
                }
                entries.iter().try_for_each(|packed| self.lay_out(packed, old.contains(&packed.path), packaged))
            }
            None => {
                obscure.push(effect.name.clone());
                packaged.anything = true;
                Ok(())
            }
        }
    }

    /// After an upgrade or a removal, an old path may or may not exist.
    fn take_away(&self, old: &[PathBuf], whole: bool, packaged: &mut Packaged) -> Result<(), HostError> {
        let listed: BTreeSet<&PathBuf> = old.iter().collect();
        for path in old.iter().rev() {
            match self.base().stat(path)? {
                // A folder is removed with its last entry.
                Some(stat) if stat.kind == FileKind::Dir => {
                    let is_left = |name| listed.contains(&path.join(name));
                    if whole && self.base().list(path)?.into_iter().all(is_left) {
                        packaged.moved.insert(path.clone());
                    }
                }
                Some(_) => drop(packaged.moved.insert(path.clone())),
                None => {}
            }
        }
        Ok(())
    }

    /// Adds a path of a package or replaces an existing one. `was_here`: the previous version had it too.
    fn lay_out(&self, packed: &Packed, was_here: bool, packaged: &mut Packaged) -> Result<(), HostError> {
        let mut layer = self.overlay.layer();
        let Ok(place) = self.walk(&mut layer, &packed.path, false) else { return Ok(()) };
        packaged.own.insert(place.path.clone());
        if packed.kind != FileKind::Dir {
            packaged.brought.insert(place.path.clone());
        }
        let there = match layer.entries.get(&place.path) {
            Some(Entry::Absent) => None,
            Some(entry) => Some(entry.stat().kind),
            None if place.base() => self.base().stat(&place.path)?.map(|stat| stat.kind),
            None => None,
        };
        match there {
            // An existing folder stays unchanged.
            Some(FileKind::Dir) => {}
            Some(_) => drop(packaged.moved.insert(place.path)),
            None if place.folder.is_some() => {
                // An upgrade does not restore a configuration file that the user removed.
                self.put_packed(&mut layer, place.path, packed, was_here)?;
            }
            None => {}
        }
        Ok(())
    }

    fn put_packed(&self, layer: &mut Layer, path: PathBuf, packed: &Packed, was_here: bool) -> Result<(), HostError> {
        let (uid, gid) = (self.base().uid(&packed.user)?, self.base().gid(&packed.group)?);
        let is_guess = was_here || self.leaned() || uid.is_none() || gid.is_none();
        let (mode, uid, gid) = (packed.mode, uid.unwrap_or_default(), gid.unwrap_or_default());
        let entry = match (packed.kind, &packed.target) {
            (FileKind::Dir, _) => Entry::Dir { mode, uid, gid, fresh: true },
            (FileKind::Link, Some(target)) => Entry::Link { target: target.clone() },
            _ => {
                let content = packed.text.clone().map_or(Content::Unknown, Content::Bytes);
                Entry::File { content, mode, uid, gid }
            }
        };
        layer.set(path, entry, is_guess);
        Ok(())
    }
}

/// Returns a package's name without its architecture.
fn plain(name: &str) -> &str {
    name.split(':').next().unwrap_or_default()
}

/// Adjusts effects to packages that earlier turns changed.
fn adapt(effects: &mut Vec<PackageEffect>, system: &System) {
    for effect in effects.iter_mut() {
        if let Some(installed) = system.packages.get(&effect.name) {
            effect.from = installed.as_ref().map(|installed| installed.version.clone());
        }
    }
    effects.retain(|effect| effect.from != effect.to);
}

/// Returns the named packages of a change, if the manager cannot list the other effects.
fn named(change: &PackageChange) -> Vec<PackageEffect> {
    let effect = |name: &str, to: Option<String>| PackageEffect { name: name.to_owned(), from: None, to };
    match change {
        PackageChange::Install { packages, .. } => {
            let version = |version: &Option<String>| Some(version.clone().unwrap_or_default());
            packages.iter().map(|package| effect(&package.name, version(&package.version))).collect()
        }
        PackageChange::Remove { packages, .. } => packages.iter().map(|name| effect(name, None)).collect(),
    }
}

impl LookPackages for OverlayTurn<'_> {
    fn installed(&self, name: &str) -> Result<Option<Installed>, HostError> {
        // The state of this package may depend on another package's installation.
        self.lean_on(Facet::Packages);
        match self.system().packages.get(name) {
            Some(installed) => Ok(installed.clone()),
            None => self.base().installed(name),
        }
    }

    fn left_settings(&self, name: &str) -> Result<bool, HostError> {
        self.lean_on(Facet::Packages);
        self.base().left_settings(name)
    }

    fn can_hold(&self) -> Result<bool, HostError> {
        self.base().can_hold()
    }

    fn offered(&self, name: &str) -> Result<Vec<String>, HostError> {
        let versions = self.base().offered(name)?;
        let sources = ["/etc/apt", "/etc/yum.repos.d", "/etc/pacman.conf", "/etc/pacman.d", "/etc/apk"];
        let is_source = |path: &Path| sources.iter().any(|source| path.starts_with(source));
        if self.overlay.layer().entries.keys().any(|path| is_source(path)) {
            self.lean();
            if versions.is_empty() {
                return Err(HostError::UnknownName { what: "package", name: name.to_owned() });
            }
        }
        Ok(versions)
    }

    fn effects(&self, change: &PackageChange) -> Result<Option<Vec<PackageEffect>>, HostError> {
        self.predict(change)
    }
}
