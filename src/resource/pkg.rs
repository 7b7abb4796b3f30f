//! The kind `pkg`: keeps a package installed, at a version, or away.

use std::cmp::Ordering;

use super::reader::Reader;
use super::steps::Steps;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::{Graph, Params, Value};
use crate::host::{
    HostError, Installed, Look, PackageChange, PackageEffect, PackageHold, SystemChange, WantedPackage,
    compare_versions,
};
use crate::plan::Action;
use crate::source::printable;

/// The kind `pkg`, which manages whether a package is installed, and its version.
pub struct Pkg;

/// As many packages that come along are named.
const NAMED: usize = 12;

impl Kind for Pkg {
    fn schema(&self) -> &'static Schema {
        schema("pkg").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        match given.text("state") {
            Some("") => Err("`state` is empty; use for example `installed`".into()),
            Some("latest") => Err("`state` is `latest`; use `newest` for the newest version".into()),
            _ => Ok(()),
        }
    }

    fn shares(&self) -> Option<&'static str> {
        Some("the packages")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let mut installed = look.installed(turn.name)?;
        let wanted = match turn.text("hold")? {
            None => None,
            Some("yes") => Some(true),
            Some("no") => Some(false),
            Some(_) => return Err(HostError::Refused("`hold` must be `yes` or `no`".into())),
        };
        let was_held = installed.as_ref().is_some_and(|there| there.held);
        if let Some(there) = &mut installed
            && wanted == Some(false)
        {
            there.held = false;
        }
        let seen = state(turn, look, installed)?;
        let is_gone = turn.text("state")? == Some("uninstalled");
        match wanted {
            Some(wanted) if wanted != was_held && !is_gone => hold(turn, look, seen, wanted),
            _ => Ok(seen),
        }
    }
}

/// The version that is wanted, or none.
fn state(turn: &Turn, look: &dyn Look, installed: Option<Installed>) -> Result<Checked, HostError> {
    match (turn.text("state")?.unwrap_or("installed"), installed) {
        ("uninstalled", None) if turn.flag("purge")? && look.left_settings(turn.name)? => left(turn, look),
        ("uninstalled", None) | ("installed", Some(_)) => Ok(Checked::right()),
        ("uninstalled", Some(there)) => removed(turn, look, &there),
        ("installed", None) => install(turn, look, None, None),
        ("newest", there) => install(turn, look, there, None),
        (version, Some(there)) if there.version == version => Ok(Checked::right()),
        (version, there) => install(turn, look, there, Some(version)),
    }
}

/// Holds a package after its change, or gives it free before.
fn hold(turn: &Turn, look: &dyn Look, mut seen: Checked, wanted: bool) -> Result<Checked, HostError> {
    if !look.can_hold()? {
        return Err(HostError::Refused("only apt can hold a package here".into()));
    }
    let text = |held| Some(if held { "yes" } else { "no" }.to_owned());
    let mut steps = Steps::default();
    steps.differs("hold", text(!wanted), text(wanted));
    steps.change(SystemChange::Hold(PackageHold { name: turn.name.to_owned(), held: wanted }), look)?;
    let held = steps.seen(Action::Change);
    let at = if wanted { seen.operations.len() } else { 0 };
    seen.operations.splice(at..at, held.operations);
    seen.changes.extend(held.changes);
    if seen.action == Action::None {
        seen.action = Action::Change;
    }
    Ok(seen)
}

/// The settings of a package that is gone already.
fn left(turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
    let change = PackageChange::Remove { packages: vec![turn.name.to_owned()], purge: true };
    let mut steps = Steps::default();
    steps.differs("settings", Some("left behind".into()), None);
    steps.change(SystemChange::Package(change), look)?;
    Ok(steps.seen(Action::Remove))
}

fn held(turn: &Turn) -> HostError {
    HostError::Refused(format!("the package `{}` is held by the administrator", turn.name))
}

fn removed(turn: &Turn, look: &dyn Look, there: &Installed) -> Result<Checked, HostError> {
    if there.held {
        return Err(held(turn));
    }
    let change = PackageChange::Remove { packages: vec![turn.name.to_owned()], purge: turn.flag("purge")? };
    let mut steps = Steps::default();
    steps.differs("state", Some("installed".into()), Some("uninstalled".into()));
    steps.differs("version", Some(there.version.clone()), None);
    along(turn, &mut steps, &look.effects(&change)?.unwrap_or_default());
    steps.change(SystemChange::Package(change), look)?;
    Ok(steps.seen(Action::Remove))
}

/// `wanted`: this version and no other; otherwise the one that the manager takes by itself.
fn install(turn: &Turn, look: &dyn Look, there: Option<Installed>, wanted: Option<&str>) -> Result<Checked, HostError> {
    if let Some(version) = wanted {
        is_offered(turn, look, there.as_ref(), version)?;
    }
    let package = package(turn.name, wanted);
    let change = |package| installation(package, turn.params);
    let effects = match look.effects(&change(package.clone())) {
        Ok(effects) => effects,
        // The manager's own words are of little help where it does not know the package at all.
        Err(error @ HostError::Refused(_)) => return Err(unknown_package(turn, look)?.unwrap_or(error)),
        Err(error) => return Err(error),
    };
    let has_effects = effects.is_some();
    let version = match (&effects, wanted) {
        (_, Some(version)) => Some(version.to_owned()),
        (Some(effects), None) => {
            let own = effects.iter().find(|effect| is_own(turn, effect));
            own.and_then(|effect| effect.to.clone())
        }
        (None, None) => {
            let newest = look.offered(turn.name)?.into_iter().next();
            if newest.is_none() {
                return Err(no_package(turn));
            }
            newest
        }
    };
    let from = there.as_ref().map(|there| there.version.clone());
    if version.is_none() && there.is_none() {
        let why = "the package manager refused to install it without a reason";
        return Err(unknown_package(turn, look)?.unwrap_or(HostError::Refused(why.into())));
    }
    if version.is_none() || version == from {
        return Ok(Checked::right());
    }
    if there.as_ref().is_some_and(|there| there.held) {
        return Err(held(turn));
    }
    let mut steps = Steps::default();
    if there.is_none() {
        steps.differs("state", Some("uninstalled".into()), Some("installed".into()));
    }
    steps.differs("version", from, version.clone());
    along(turn, &mut steps, &effects.unwrap_or_default());
    // Where the manager tells by itself what it would do, it is asked for no more than was simulated.
    let package = if has_effects { package } else { WantedPackage { version, ..package } };
    steps.change(SystemChange::Package(change(package)), look)?;
    Ok(steps.seen(if there.is_none() { Action::Create } else { Action::Change }))
}

fn package(name: &str, wanted: Option<&str>) -> WantedPackage {
    WantedPackage { name: name.to_owned(), version: wanted.map(str::to_owned), exact: wanted.is_some() }
}

fn installation(package: WantedPackage, params: &Params) -> PackageChange {
    let flag = |name: &str| params.get(name).and_then(Value::as_bool).unwrap_or_default();
    PackageChange::Install {
        packages: vec![package],
        allow_downgrade: flag("allowdowngrade"),
        allow_untrusted: flag("allowuntrusted"),
    }
}

/// The installations that the resources of a graph will ask the package manager about.
pub fn installations(graph: &Graph) -> Vec<PackageChange> {
    let wanted = graph.resources().filter_map(|(_, resource)| resource.wanted());
    let packages = wanted.filter(|wanted| &*wanted.kind == "pkg");
    let change = |(name, params): (&str, &Params)| {
        let state = match params.get("state") {
            None => "installed",
            Some(Value::Str(state)) => &**state,
            Some(_) => return None,
        };
        let version = match state {
            "uninstalled" => return None,
            "" | "installed" | "newest" => None,
            version => Some(version),
        };
        Some(installation(package(name, version), params))
    };
    packages.filter_map(|wanted| change((&wanted.name, &wanted.params))).collect()
}

/// Refuses a version that cannot be had, and an older one where that is not asked for.
fn is_offered(turn: &Turn, look: &dyn Look, there: Option<&Installed>, version: &str) -> Result<(), HostError> {
    let offered = look.offered(turn.name)?;
    if offered.is_empty() {
        return Err(no_package(turn));
    }
    if !offered.iter().any(|there| there == version) {
        let (version, offers) = (printable(version), offered.join("`, `"));
        return Err(HostError::Refused(format!("version `{version}` is not available; available: `{offers}`")));
    }
    let is_older = there.is_some_and(|there| compare_versions(version, &there.version) == Ordering::Less);
    if is_older && !turn.flag("allowdowngrade")? {
        let why = "a newer version is installed; set `allowdowngrade => true` to replace it";
        return Err(HostError::Refused(why.into()));
    }
    Ok(())
}

fn no_package(turn: &Turn) -> HostError {
    HostError::NoPackage {
        name: turn.name.to_owned(),
        hint_text: "the name may be different here, or the package lists may be outdated",
    }
}

fn unknown_package(turn: &Turn, look: &dyn Look) -> Result<Option<HostError>, HostError> {
    Ok(look.offered(turn.name)?.is_empty().then(|| no_package(turn)))
}

/// Whether an effect is on the package itself, which a manager may name with or without its architecture.
fn is_own(turn: &Turn, effect: &PackageEffect) -> bool {
    let plain = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
    effect.name == turn.name || plain(&effect.name) == plain(turn.name)
}

/// Tells what else would come, change or go.
fn along(turn: &Turn, steps: &mut Steps, effects: &[PackageEffect]) {
    let others: Vec<&PackageEffect> = effects.iter().filter(|effect| !is_own(turn, effect)).collect();
    let shown = |name: &str, version: &Option<String>| version.as_ref().map(|version| format!("{name} {version}"));
    for effect in others.iter().take(NAMED) {
        steps.differs("along", shown(&effect.name, &effect.from), shown(&effect.name, &effect.to));
    }
    if others.len() > NAMED {
        steps.note(format!("{} other packages change too", others.len()));
    }
    let gone = others.iter().filter(|effect| effect.to.is_none()).count();
    if gone > 0 {
        steps.note(format!("{gone} other {} removed", if gone == 1 { "package is" } else { "packages are" }));
    }
}
