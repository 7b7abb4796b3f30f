//! Predicted packages, and what their files and scripts do to the rest of the machine.
//!
//! The archive of a package that was fetched says what it holds: its folders and links are then as sure as those
//! that we make, its files are there, those in `/etc` with what is in them. Nobody reads its maintainer scripts. If it has some,
//! they may change every other path below `/etc`, `/usr` and `/var`, and accounts and services. Of any other package nobody
//! knows what it brings: below the folders of packages a missing path is then unknown, accounts may be made, and units may come.
//! *Known*: a file in `/etc/web/`, behind a fetched package that makes that folder and has no scripts.
//! *Predicted*: the same behind a package that is not here, or that has scripts.

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

/// Where no package puts files, inside of those.
const OWN: &[&str] = &["/usr/local", "/var/local", "/var/tmp"];

/// Where only a package itself puts files: other packages, which are told of it, keep their caches elsewhere.
const UNTOUCHED: &[&str] = &["/etc", "/opt", "/srv"];

/// The exceptions inside of those.
const TRIGGERED: &[&str] = &["/etc/ld.so.cache", "/etc/sgml", "/etc/shells", "/etc/ssl", "/etc/xml"];

/// Where maintainer scripts are taken to write.
const SCRIPTED: &[&str] = &["/etc", "/usr", "/var"];

/// What is unpacked beside a file of settings that was changed here.
const BESIDE: &[&str] = &["dpkg-new", "dpkg-dist", "dpkg-old", "dpkg-tmp", "ucf-dist", "ucf-old"];

/// What packages that come and go do to what nobody named.
#[derive(Clone, Debug, Default)]
pub(super) struct Packaged {
    /// Nobody knows what comes with one.
    anything: bool,
    /// One comes of which that is known.
    listed: bool,
    /// The first of those that has maintainer scripts.
    scripted: Option<String>,
    /// What comes with them.
    brought: BTreeSet<PathBuf>,
    /// All paths in their lists, also those that are there already.
    own: BTreeSet<PathBuf>,
    /// What is there already, and is replaced or taken away.
    moved: BTreeSet<PathBuf>,
}

/// What a change of packages was said to do.
pub(super) struct Foreseen {
    change: PackageChange,
    effects: Option<Vec<PackageEffect>>,
    /// Whether it does the same whatever earlier turns did to packages.
    apart: bool,
}

/// What to say of packages whose contents nobody knows.
fn obscure_words(names: &[String]) -> Vec<String> {
    let names = match names {
        [] => return Vec::new(),
        [one] => format!("`{one}`"),
        [first, others @ ..] => format!("`{first}` and {} more", others.len()),
    };
    vec![format!("the files of {names} are unknown: not downloaded (`--fetch-packages`)")]
}

impl Packaged {
    /// Whether a package that an earlier step installs may put something at a path that is not there yet.
    pub fn may_bring(&self, path: &Path) -> bool {
        let is_in = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        if !(self.anything || self.listed) || !is_in(PACKAGED) || is_in(OWN) {
            return false;
        }
        self.anything
            || !is_in(UNTOUCHED)
            || is_in(TRIGGERED)
            || self.is_beside(path)
            || self.scripts_behind(path).is_some()
    }

    /// Whether a folder may get more than is known of.
    pub fn may_fill(&self, folder: &Path) -> bool {
        self.may_bring(&folder.join("any"))
    }

    fn is_beside(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| BESIDE.contains(&ending))
    }

    /// The package whose scripts may change accounts and services.
    pub fn scripted(&self) -> Option<&str> {
        self.scripted.as_deref()
    }

    /// The same, where all that comes with packages is known but for what their scripts do.
    pub fn only_scripts(&self) -> Option<&str> {
        self.scripted().filter(|_| !self.anything)
    }

    /// The package whose scripts may change a path. What packages bring themselves, and the folders that lead there, stay known.
    pub fn scripts_behind(&self, path: &Path) -> Option<&str> {
        let is_below = |folder: &&str| path.starts_with(folder) && path != Path::new(folder);
        let is_own = || self.own.range(path.to_path_buf()..).next().is_some_and(|own| own.starts_with(path));
        let may_write = SCRIPTED.iter().any(is_below) && !OWN.iter().any(|folder| path.starts_with(folder));
        self.scripted().filter(|_| may_write && !is_own())
    }

    pub fn makes_accounts(&self) -> bool {
        self.anything || self.scripted.is_some()
    }

    pub fn may_bring_units(&self) -> bool {
        self.anything || self.scripted.is_some()
    }

    /// Whether something comes with a package for sure.
    pub fn brings(&self, path: &Path) -> bool {
        self.brought.contains(path)
    }

    /// Whether what is at a path is replaced or taken away.
    pub fn moves(&self, path: &Path) -> bool {
        self.moved.contains(path)
    }
}

impl OverlayTurn<'_> {
    /// Asks the machine's manager once for what a turn checks and then predicts.
    fn foresee(&self, change: &PackageChange) -> Result<Option<Vec<PackageEffect>>, HostError> {
        let mut foreseen = self.foreseen.lock().unwrap_or_else(PoisonError::into_inner);
        if foreseen.as_ref().is_none_or(|foreseen| foreseen.change != *change) {
            let system = self.system();
            let mut effects = self.base().effects(change)?;
            if let Some(effects) = &mut effects {
                adapt(effects, &system);
            }
            let apart = match &effects {
                Some(effects) if !system.asked.is_empty() => self.is_apart(&system, change, effects)?,
                _ => true,
            };
            *foreseen = Some(Foreseen { change: change.clone(), effects, apart });
        }
        let Some(Foreseen { effects, apart, .. }) = &*foreseen else { return Ok(None) };
        self.lean_if(!apart);
        Ok(effects.clone())
    }

    /// Whether a change does the same after earlier ones as on the machine as it is, of which the manager was asked.
    ///
    /// It does where it needs nothing but what it names, and all together come to what each came to alone: then nothing that
    /// came in between is in its way, and nothing that it needs has gone.
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

    /// Predicts a change. Gives what there is to say of what cannot be predicted.
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

    /// Predicts that a package is held or free.
    pub(super) fn hold_package(&self, hold: &PackageHold) -> Result<Vec<String>, HostError> {
        if let Some(installed) = self.installed(&hold.name)? {
            let installed = Installed { held: hold.held, ..installed };
            self.set(Facet::Packages, |system| drop(system.packages.insert(hold.name.clone(), Some(installed))));
        }
        Ok(Vec::new())
    }

    /// Predicts what one package does to files.
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

    /// What was there before a newer version, or a removal, is not for sure there after it.
    fn take_away(&self, old: &[PathBuf], whole: bool, packaged: &mut Packaged) -> Result<(), HostError> {
        let listed: BTreeSet<&PathBuf> = old.iter().collect();
        for path in old.iter().rev() {
            match self.base().stat(path)? {
                // A folder goes with the last that lies in it.
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

    /// Something comes to lie where it is not yet, or replaces what is there. `was_here`: the version before brought it too.
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
            // A folder that is there stays as it is.
            Some(FileKind::Dir) => {}
            Some(_) => drop(packaged.moved.insert(place.path)),
            None if place.folder.is_some() => {
                // Settings that were removed here stay away when a newer version comes.
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

/// A package's name without its architecture.
fn plain(name: &str) -> &str {
    name.split(':').next().unwrap_or_default()
}

/// What effects are on packages that earlier turns changed.
fn adapt(effects: &mut Vec<PackageEffect>, system: &System) {
    for effect in effects.iter_mut() {
        if let Some(installed) = system.packages.get(&effect.name) {
            effect.from = installed.as_ref().map(|installed| installed.version.clone());
        }
    }
    effects.retain(|effect| effect.from != effect.to);
}

/// What a change names, where the manager cannot tell what else it does.
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
        // Another package's installation may have been needed to know this one's state.
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
        self.foresee(change)
    }
}
