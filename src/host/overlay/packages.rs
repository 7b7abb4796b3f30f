//! Predicted packages, and what their files and scripts do to the rest of the machine.
//!
//! Of a package that was fetched already it can be read what it holds: its folders and links are then as sure as those
//! that we make, its files are there, those in `/etc` with what is in them, and what is not in its list does not come. Where its scripts
//! write besides, as far as they can be read, nothing is sure; all else stays so. Of any other package nobody knows what it
//! brings, and neither of one whose scripts may do anything: below the folders of packages a missing path is then unknown,
//! accounts may be made, and units may come.
//! *Accepted* as known: a file in `/etc/web/`, behind a fetched package that makes that folder and has no scripts.
//! *Predicted*: the same behind a package that is not here, or whose scripts may write there first.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::OverlayTurn;
use super::layer::{Content, Entry, Layer};
use super::system::{Facet, System};
use crate::host::{
    Act, Contents, FileKind, HostError, Installed, LookPackages, PackageChange, PackageEffect, Packed, Scripts,
};

/// Where packages put files.
const PACKAGED: &[&str] = &["/bin", "/boot", "/etc", "/lib", "/lib64", "/opt", "/sbin", "/srv", "/usr", "/var"];

/// Where no package puts files, inside of those.
const OWN: &[&str] = &["/usr/local", "/var/local", "/var/tmp"];

/// Where only a package itself puts files: other packages, which are told of it, keep their caches elsewhere.
const UNTOUCHED: &[&str] = &["/etc", "/opt", "/srv"];

/// The exceptions inside of those.
const TRIGGERED: &[&str] = &["/etc/ld.so.cache", "/etc/sgml", "/etc/shells", "/etc/ssl", "/etc/xml"];

/// Where a service is entered that is to start with the machine.
const STARTED: &[&str] = &["/etc/init.d", "/etc/rc", "/etc/systemd"];

/// What is unpacked beside a file of settings that was changed here.
const BESIDE: &[&str] = &["dpkg-new", "dpkg-dist", "dpkg-old", "dpkg-tmp", "ucf-dist", "ucf-old"];

/// What packages that come and go do to what nobody named.
#[derive(Clone, Debug, Default)]
pub(super) struct Packaged {
    /// Nobody knows what comes with one, or what its scripts do.
    anything: bool,
    /// One comes of which that is known.
    listed: bool,
    /// What the scripts of those do.
    scripts: Scripts,
    /// What comes with them.
    brought: BTreeSet<PathBuf>,
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

/// The packages of which something is not known.
#[derive(Default)]
struct Obscure {
    contents: Vec<String>,
    scripts: Vec<String>,
}

impl Obscure {
    fn words(&self) -> Vec<String> {
        let some = |names: &[String]| match names {
            [] => None,
            [one] => Some(format!("`{one}`")),
            [first, others @ ..] => Some(format!("`{first}` and {} more", others.len())),
        };
        let contents = some(&self.contents)
            .map(|names| format!("the files of {names} are unknown: not downloaded (`--fetch-packages`)"));
        let scripts =
            some(&self.scripts).map(|names| format!("the effects of the scripts of {names} are known after apply"));
        contents.into_iter().chain(scripts).collect()
    }
}

impl Packaged {
    /// Whether a package that an earlier step installs may put something at a path that is not there yet.
    pub fn may_bring(&self, path: &Path) -> bool {
        let is_in = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
        if !(self.anything || self.listed) {
            return false;
        }
        if self.scripts.may_make(path) {
            return true;
        }
        if !is_in(PACKAGED) || is_in(OWN) {
            return false;
        }
        self.anything
            || !is_in(UNTOUCHED)
            || is_in(TRIGGERED)
            || self.scripts.services && self.may_start(path)
            || self.is_beside(path)
    }

    /// Whether a folder may get more than is known of.
    pub fn may_fill(&self, folder: &Path) -> bool {
        let starts = STARTED.iter().any(|start| folder.to_string_lossy().starts_with(start));
        let in_it = |all: &BTreeSet<PathBuf>| all.iter().any(|there| there.parent() == Some(folder));
        self.may_bring(&folder.join("any"))
            || self.scripts.services && starts
            || in_it(&self.scripts.paths)
            || in_it(&self.scripts.folders)
            || in_it(&self.scripts.trees)
    }

    /// Whether a path may be a link that starts a service of a package. Another name of a unit ends like its own.
    fn may_start(&self, path: &Path) -> bool {
        let text = path.to_string_lossy();
        let is_unit = path.parent() == Some(Path::new("/etc/systemd/system"));
        let is_like = |there: &PathBuf| {
            there.to_string_lossy().contains("/systemd/system/") && there.extension() == path.extension()
        };
        STARTED.iter().any(|start| text.starts_with(start)) && (!is_unit || self.brought.iter().any(is_like))
    }

    fn is_beside(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str());
        ending.is_some_and(|ending| BESIDE.contains(&ending))
    }

    pub fn makes_accounts(&self) -> bool {
        self.anything || self.scripts.accounts
    }

    pub fn may_bring_units(&self) -> bool {
        self.anything
    }

    /// Whether something comes with a package for sure.
    pub fn brings(&self, path: &Path) -> bool {
        self.brought.contains(path)
    }

    /// Whether what is at a path is replaced, changed or taken away.
    pub fn moves(&self, path: &Path) -> bool {
        self.moved.contains(path) || self.scripts.may_write(path)
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
        let mut obscure = Obscure::default();
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
        Ok(obscure.words())
    }

    /// Predicts what one package does to files.
    fn unpack(&self, effect: &PackageEffect, packaged: &mut Packaged, obscure: &mut Obscure) -> Result<(), HostError> {
        let mut old = BTreeSet::new();
        if effect.from.is_some() {
            let files = self.base().files(&effect.name)?.unwrap_or_default();
            self.take_away(&files, effect.to.is_none(), packaged)?;
            old.extend(files);
        }
        let Some(version) = &effect.to else { return Ok(()) };
        match self.base().contents(&effect.name, version)? {
            Some(Contents { entries, scripts }) if !scripts.any => {
                packaged.listed = true;
                packaged.scripts.join(scripts);
                entries.iter().try_for_each(|packed| self.lay_out(packed, old.contains(&packed.path), packaged))
            }
            told => {
                let names = if told.is_none() { &mut obscure.contents } else { &mut obscure.scripts };
                names.push(effect.name.clone());
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
        let is_file = packed.kind != FileKind::Dir;
        if is_file {
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
                let may_change = was_here || packaged.scripts.may_write(&place.path);
                self.put_packed(&mut layer, place.path, packed, may_change)?;
            }
            None => {}
        }
        Ok(())
    }

    /// `may_change`: scripts may make something else of it.
    fn put_packed(&self, layer: &mut Layer, path: PathBuf, packed: &Packed, may_change: bool) -> Result<(), HostError> {
        let (uid, gid) = (self.base().uid(&packed.user)?, self.base().gid(&packed.group)?);
        let is_guess = may_change || self.leaned() || uid.is_none() || gid.is_none();
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
        PackageChange::Remove { packages } => packages.iter().map(|name| effect(name, None)).collect(),
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
