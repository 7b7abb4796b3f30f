//! The effects of each of several installations, from one simulation of all of them.
//!
//! `apt-get` takes about as long to simulate one installation as thirty. Therefore all packages that a preview will ask
//! about are simulated at once, and the result is divided: the effects of one installation are its packages and their
//! dependencies, as far as the simulation installs them. The division is exact if every dependency is met by an
//! installed package or by its first alternative. For any other package the manager could decide differently, so it is
//! simulated alone. *Accepted*: `cowsay`, which needs `libtext-charwidth-perl`. *Asked alone*: a package that needs
//! `default-mta | mail-agent`, in a program that also installs a mail agent.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::apt;
use crate::host::local::{LocalLook, tool};
use crate::host::{HostError, LookFiles, PackageChange, PackageEffect, compare_versions};

/// The installations that a preview will ask about, with the answers so far.
#[derive(Debug, Default)]
pub(in crate::host::local) struct Expected {
    changes: Vec<PackageChange>,
    /// The installed packages, read at the first question.
    installed: Option<Installed>,
    answers: BTreeMap<Group, Vec<(PackageChange, Vec<PackageEffect>)>>,
    /// The offered versions of the packages in the changes.
    offered: Option<BTreeMap<String, Vec<String>>>,
}

/// The installations of one simulation have the same permissions. Installed packages are simulated separately: a
/// preview rarely asks about them, and a held one makes the manager fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    allow_downgrade: bool,
    allow_untrusted: bool,
    is_here: bool,
}

impl Group {
    fn of(change: &PackageChange, installed: &Installed) -> Option<Self> {
        let PackageChange::Install { allow_downgrade, allow_untrusted, .. } = change else { return None };
        let is_here = change.names().iter().all(|name| installed.versions.contains_key(*name));
        Some(Self { allow_downgrade: *allow_downgrade, allow_untrusted: *allow_untrusted, is_here })
    }
}

impl Expected {
    /// Replaces the expected installations and drops the answers to earlier ones.
    pub fn set(&mut self, changes: Vec<PackageChange>) {
        *self = Self { changes, ..Self::default() };
    }

    /// Returns the offered versions of a package in an expected installation. `None` for any other package.
    pub fn offered(&mut self, name: &str) -> Result<Option<&Vec<String>>, HostError> {
        let names: Vec<&str> = self.changes.iter().flat_map(PackageChange::names).collect();
        if names.len() < 2 || !names.contains(&name) {
            return Ok(None);
        }
        if self.offered.is_none() {
            self.offered = Some(apt::offered_of(&names)?);
        }
        Ok(self.offered.iter().flatten().find(|(asked, _)| *asked == name).map(|(_, versions)| versions))
    }

    /// Returns the effects of one expected installation. `None` if it must be simulated alone.
    pub fn effects(
        &mut self,
        look: &LocalLook,
        change: &PackageChange,
    ) -> Result<Option<&Vec<PackageEffect>>, HostError> {
        if self.changes.len() < 2 || !self.changes.contains(change) {
            return Ok(None);
        }
        let installed = match &mut self.installed {
            Some(installed) => installed,
            none => none.insert(Installed::read(look)?),
        };
        let Some(group) = Group::of(change, installed) else { return Ok(None) };
        if !self.answers.contains_key(&group) {
            let members = self.changes.iter().filter(|change| Group::of(change, installed) == Some(group));
            self.answers.insert(group, divide(&members.collect::<Vec<_>>(), installed)?);
        }
        let answers = self.answers.get(&group).into_iter().flatten();
        Ok(answers.into_iter().find(|(asked, _)| asked == change).map(|(_, effects)| effects))
    }

    /// Returns the effects of several expected installations, one after another.
    pub fn effects_together(
        &mut self,
        look: &LocalLook,
        changes: &[PackageChange],
    ) -> Result<Option<Vec<PackageEffect>>, HostError> {
        let mut all: BTreeMap<String, PackageEffect> = BTreeMap::new();
        for change in changes {
            let Some(effects) = self.effects(look, change)? else { return Ok(None) };
            all.extend(effects.iter().map(|effect| (effect.name.clone(), effect.clone())));
        }
        Ok(Some(all.into_values().collect()))
    }
}

/// Simulates all changes at once and divides the effects. Changes with an uncertain part are left out.
fn divide(
    changes: &[&PackageChange],
    installed: &Installed,
) -> Result<Vec<(PackageChange, Vec<PackageEffect>)>, HostError> {
    let Some(effects) = simulate(changes)? else { return Ok(Vec::new()) };
    // A removal, or a package of another architecture, cannot be assigned to one installation.
    if effects.iter().any(|effect| effect.to.is_none() || effect.name.contains(':')) {
        return Ok(Vec::new());
    }
    let archive = Archive::ask(&effects)?;
    let part = |change: &&PackageChange| {
        let own = closure(change, &archive, installed)?;
        let effects = effects.iter().filter(|effect| own.contains(effect.name.as_str()));
        Some(((*change).clone(), effects.cloned().collect()))
    };
    Ok(changes.iter().filter_map(part).collect())
}

/// Simulates several installations with the same permissions. Packages that are not offered are left out. `None` if the
/// manager fails.
fn simulate(changes: &[&PackageChange]) -> Result<Option<Vec<PackageEffect>>, HostError> {
    if let Ok(effects) = apt::simulate(changes.iter().copied()) {
        return Ok(Some(effects));
    }
    let names: Vec<&str> = changes.iter().flat_map(|change| change.names()).collect();
    let offered = apt::offered_of(&names)?;
    let is_offered = |change: &&PackageChange| {
        change.names().iter().all(|name| offered.get(*name).is_some_and(|versions| !versions.is_empty()))
    };
    let known: Vec<&PackageChange> = changes.iter().copied().filter(is_offered).collect();
    if known.is_empty() || known.len() == changes.len() {
        return Ok(None);
    }
    Ok(apt::simulate(known).ok())
}

/// Returns the packages that a change installs, with their dependencies. `None` if neither an installed package nor the
/// first alternative meets a dependency.
fn closure<'a>(change: &'a PackageChange, archive: &'a Archive, installed: &Installed) -> Option<FxHashSet<&'a str>> {
    let mut found: FxHashSet<&str> = FxHashSet::default();
    let mut open: Vec<&str> = change.names().into_iter().filter(|name| archive.packages.contains_key(*name)).collect();
    while let Some(name) = open.pop() {
        if !found.insert(name) {
            continue;
        }
        let package = archive.packages.get(name)?;
        // The manager upgrades the packages of one source together.
        let is_sibling = |(_, other): &(&String, &Offered)| other.is_upgrade && other.source == package.source;
        open.extend(archive.packages.iter().filter(is_sibling).map(|(name, _)| name.as_str()));
        for group in &package.needs {
            let is_met = |need: &Need| {
                let comes = archive.packages.get(&need.name).filter(|_| found.contains(need.name.as_str()));
                comes.is_some_and(|package| need.accepts(&package.version)) || installed.meets(need)
            };
            if group.iter().any(is_met) {
                continue;
            }
            let first = group.first()?;
            let (name, package) = archive.packages.get_key_value(&first.name)?;
            if !first.accepts(&package.version) {
                return None;
            }
            open.push(name);
        }
    }
    Some(found)
}

/// A dependency on a package.
#[derive(Debug, PartialEq, Eq)]
struct Need {
    name: String,
    /// Such as `>=` and `1.2`.
    version: Option<(String, String)>,
}

impl Need {
    /// Parses `libc6:any (>= 2.36)`.
    fn read(text: &str) -> Option<Self> {
        let (name, rest) = match text.split_once('(') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        let name = name.split(':').next()?.trim().to_owned();
        let version = match rest {
            None => None,
            Some(rest) => {
                let rest = rest.split(')').next()?.trim();
                let (relation, version) = rest.split_at(rest.find(|c: char| !"<>=".contains(c))?);
                Some((relation.to_owned(), version.trim().to_owned()))
            }
        };
        (!name.is_empty()).then_some(Self { name, version })
    }

    fn accepts(&self, there: &str) -> bool {
        let Some((relation, wanted)) = &self.version else { return true };
        let order = compare_versions(there, wanted);
        match relation.as_str() {
            "<<" => order == Ordering::Less,
            "<=" | "<" => order != Ordering::Greater,
            "=" => order == Ordering::Equal,
            ">=" | ">" => order != Ordering::Less,
            ">>" => order == Ordering::Greater,
            _ => false,
        }
    }
}

/// Parses a list of dependencies: groups of alternatives.
fn needs(text: &str) -> Vec<Vec<Need>> {
    let group = |group: &str| group.split('|').filter_map(|need| Need::read(need.trim())).collect::<Vec<_>>();
    text.split(',').map(group).filter(|group| !group.is_empty()).collect()
}

/// The versions that a simulation installs, from the manager's lists.
struct Archive {
    packages: FxHashMap<String, Offered>,
}

struct Offered {
    version: String,
    /// The name of its source package.
    source: String,
    /// An older version is installed.
    is_upgrade: bool,
    needs: Vec<Vec<Need>>,
}

impl Archive {
    fn ask(effects: &[PackageEffect]) -> Result<Self, HostError> {
        let named = |effect: &PackageEffect| effect.to.as_ref().map(|to| format!("{}={to}", effect.name));
        let names: Vec<String> = effects.iter().filter_map(named).collect();
        let args: Vec<&str> = ["show", "--"].into_iter().chain(names.iter().map(String::as_str)).collect();
        let shown = tool::ask_for_much("apt-cache", &args, &[], super::LIST_CAP)?;
        let is_upgrade = |effect: &&PackageEffect| effect.from.is_some();
        let upgrades: FxHashSet<&str> = effects.iter().filter(is_upgrade).map(|effect| &*effect.name).collect();
        let mut packages = FxHashMap::default();
        for entry in String::from_utf8_lossy(&shown.stdout).split("\n\n") {
            let (Some(name), Some(version)) = (field(entry, "Package"), field(entry, "Version")) else { continue };
            let lists = ["Pre-Depends", "Depends"].into_iter().filter_map(|key| field(entry, key));
            let source = field(entry, "Source").and_then(|source| source.split(' ').next()).unwrap_or(name);
            let offered = Offered {
                version: version.to_owned(),
                source: source.to_owned(),
                is_upgrade: upgrades.contains(name),
                needs: lists.flat_map(needs).collect(),
            };
            packages.insert(name.to_owned(), offered);
        }
        Ok(Self { packages })
    }
}

/// The packages of this machine with the names that they provide.
#[derive(Debug)]
struct Installed {
    /// The installed versions of each name; `None` is a provided name without a version.
    versions: FxHashMap<String, BTreeSet<Option<String>>>,
}

impl Installed {
    fn read(look: &LocalLook) -> Result<Self, HostError> {
        let text = look.read(Path::new(apt::STATUS))?.unwrap_or_default();
        Ok(Self::parse(&String::from_utf8_lossy(&text)))
    }

    fn parse(text: &str) -> Self {
        let mut versions: FxHashMap<String, BTreeSet<Option<String>>> = FxHashMap::default();
        for entry in text.split("\n\n") {
            if !field(entry, "Status").is_some_and(|status| status.ends_with(" installed")) {
                continue;
            }
            if let (Some(name), Some(version)) = (field(entry, "Package"), field(entry, "Version")) {
                versions.entry(name.to_owned()).or_default().insert(Some(version.to_owned()));
            }
            for provided in field(entry, "Provides").map(needs).into_iter().flatten().flatten() {
                let version = provided.version.map(|(_, version)| version);
                versions.entry(provided.name).or_default().insert(version);
            }
        }
        Self { versions }
    }

    fn meets(&self, need: &Need) -> bool {
        self.versions.get(&need.name).is_some_and(|versions| {
            versions.iter().any(|version| match version {
                Some(version) => need.accepts(version),
                None => need.version.is_none(),
            })
        })
    }
}

/// Returns a field of an entry in a Debian control file.
fn field<'a>(entry: &'a str, key: &str) -> Option<&'a str> {
    entry.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::WantedPackage;

    fn install(name: &str) -> PackageChange {
        let package = WantedPackage { name: name.to_owned(), version: None, exact: false };
        PackageChange::Install { packages: vec![package], allow_downgrade: false, allow_untrusted: false }
    }

    fn archive(packages: &[(&str, &str, &str)]) -> Archive {
        let offered = |(name, version, depends): &(&str, &str, &str)| {
            let source = name.split('-').next().unwrap_or_default().to_owned();
            let is_upgrade = name.ends_with("-doc");
            (name.to_string(), Offered { version: version.to_string(), source, is_upgrade, needs: needs(depends) })
        };
        Archive { packages: packages.iter().map(offered).collect() }
    }

    #[test]
    fn each_installation_gets_its_own_dependencies() {
        let installed = Installed::parse(
            "Package: libc6\nStatus: install ok installed\nVersion: 2.36\nProvides: libc-any, libm (= 2)\n\n\
             Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n",
        );
        let archive = archive(&[
            ("a", "1", "libc6 (>= 2.30), b, libm (>= 1)"),
            ("b", "2", "libc-any, c:any (>= 2) | d"),
            ("c", "2", "b, gone | libc6"),
            ("late", "1", "x | b"),
            ("old", "1", "c (<< 2)"),
            ("c-doc", "2", ""),
        ]);
        let closure = |name: &str| {
            closure(&install(name), &archive, &installed)
                .map(|found| found.into_iter().map(str::to_owned).collect::<BTreeSet<_>>())
        };
        let names = |names: &[&str]| Some(names.iter().map(|name| name.to_string()).collect::<BTreeSet<_>>());
        assert_eq!(closure("a"), names(&["a", "b", "c", "c-doc"]));
        assert_eq!(closure("b"), names(&["b", "c", "c-doc"]));
        assert_eq!(closure("late"), None, "the manager could take `x`");
        assert_eq!(closure("old"), None, "no version that comes is old enough");
        assert_eq!(closure("missing"), names(&[]), "nothing is installed for it");
    }

    #[test]
    fn dependencies_are_read() {
        let need = |name: &str, version: Option<(&str, &str)>| Need {
            name: name.into(),
            version: version.map(|(relation, version)| (relation.into(), version.into())),
        };
        let read = needs("libc6 (>= 2.36), debconf (>= 0.5) | debconf-2.0, perl:any, (, ");
        assert_eq!(read.len(), 3, "{read:?}");
        assert_eq!(read[0], [need("libc6", Some((">=", "2.36")))]);
        assert_eq!(read[1], [need("debconf", Some((">=", "0.5"))), need("debconf-2.0", None)]);
        assert_eq!(read[2], [need("perl", None)]);
        assert!(need("a", Some(("<<", "2"))).accepts("1") && !need("a", Some(("<<", "2"))).accepts("2"));
        assert!(!need("a", Some(("??", "2"))).accepts("2"));
    }
}
