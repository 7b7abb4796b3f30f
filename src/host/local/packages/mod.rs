//! Packages of this machine, through its package manager.
//!
//! A manager is a table of fixed command lines and parsers of their output. Its database shows which one this machine
//! has. Names and versions are validated before they appear in a command line.

mod apk;
mod apt;
mod deb;
mod declared;
mod fetch;
mod lock;
mod mtree;
mod pacman;
mod rpm;
mod together;

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::{LocalLook, tool};
use crate::host::{
    Archive, Contents, HostError, Installed, LookFiles, PackageChange, PackageEffect, PackageHold, Within,
    is_package_name, is_version,
};
use crate::source::printable;

pub use fetch::{FetchedArchives, fetch_archives};
pub(super) use together::Expected;

/// The number of bytes read of an archive's list of contents, or of its own files. The largest lists have a few
/// megabytes.
const LIST_CAP: usize = 64 << 20;

/// The supported managers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Manager {
    Apt,
    Rpm,
    Pacman,
    Apk,
}

/// Each manager with the database and the program that identify it.
const MANAGERS: &[(Manager, &[&str], &str)] = &[
    (Manager::Apt, &[apt::STATUS], "apt-get"),
    (Manager::Pacman, &["/var/lib/pacman/local"], "pacman"),
    (Manager::Apk, &["/lib/apk/db/installed", "/usr/lib/apk/db/installed"], "apk"),
    (Manager::Rpm, &["/usr/lib/sysimage/rpm", "/var/lib/rpm"], "rpm"),
];

fn manager(look: &LocalLook) -> Result<Manager, HostError> {
    for (manager, databases, program) in MANAGERS {
        for database in *databases {
            if look.stat_target(Path::new(database))?.is_some() && tool::has(program) {
                return Ok(*manager);
            }
        }
    }
    Err(HostError::NoManager { what: "package manager", why: "apt, dnf, pacman or apk not found".into() })
}

fn checked(name: &str) -> Result<(), HostError> {
    if is_package_name(name) {
        return Ok(());
    }
    Err(HostError::Refused(format!("`{}` is not a valid package name", printable(name))))
}

fn checked_change(change: &PackageChange) -> Result<(), HostError> {
    change.names().into_iter().try_for_each(checked)?;
    let PackageChange::Install { packages, .. } = change else { return Ok(()) };
    match packages.iter().filter_map(|package| package.version.as_deref()).find(|version| !is_version(version)) {
        None => Ok(()),
        Some(version) => Err(HostError::Refused(format!("`{}` is not a valid version", printable(version)))),
    }
}

pub(super) fn installed(look: &LocalLook, name: &str) -> Result<Option<Installed>, HostError> {
    checked(name)?;
    match manager(look)? {
        Manager::Apt => apt::installed(look, name),
        Manager::Rpm => rpm::installed(name),
        Manager::Pacman => pacman::installed(name),
        Manager::Apk => apk::installed(name),
    }
}

pub(super) fn offered(look: &LocalLook, name: &str) -> Result<Vec<String>, HostError> {
    checked(name)?;
    match manager(look)? {
        Manager::Apt => {
            let mut expected = look.expected.lock().unwrap_or_else(PoisonError::into_inner);
            match expected.offered(name)? {
                Some(versions) => Ok(versions.clone()),
                None => apt::offered(name),
            }
        }
        Manager::Rpm => rpm::offered(name),
        Manager::Pacman => pacman::offered(name),
        Manager::Apk => apk::offered(name),
    }
}

pub(super) fn effects(look: &LocalLook, changes: &[PackageChange]) -> Result<Option<Vec<PackageEffect>>, HostError> {
    changes.iter().try_for_each(checked_change)?;
    match manager(look)? {
        Manager::Apt => {
            let mut expected = look.expected.lock().unwrap_or_else(PoisonError::into_inner);
            let answer = match changes {
                [only] => expected.effects(look, only)?.cloned(),
                _ => expected.effects_together(look, changes)?,
            };
            match answer {
                Some(effects) => Ok(Some(effects)),
                None => apt::effects(changes).map(Some),
            }
        }
        Manager::Pacman => pacman::effects(changes),
        _ => Ok(None),
    }
}

/// Replaces the installations that will be asked about. Invalid package names are left out.
pub(super) fn expect(look: &LocalLook, changes: Vec<PackageChange>) {
    let changes = changes.into_iter().filter(|change| checked_change(change).is_ok()).collect();
    look.expected.lock().unwrap_or_else(PoisonError::into_inner).set(changes);
}

pub(super) fn contents(look: &LocalLook, name: &str, version: &str) -> Result<Option<Contents>, HostError> {
    checked(name)?;
    let archive = Archive { name: name.to_owned(), version: version.to_owned() };
    let so_far = || look.packed.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(contents) = so_far().held.get(&archive) {
        return Ok(Some(contents.clone()));
    }
    let contents = match manager(look)? {
        Manager::Apt => deb::contents(look, name, version)?,
        Manager::Pacman => pacman::contents(look, name, version)?,
        Manager::Rpm => rpm::contents(look, name, version)?,
        Manager::Apk => None,
    };
    match &contents {
        Some(contents) => drop(so_far().held.insert(archive, contents.clone())),
        None => drop(so_far().missing.insert(archive)),
    }
    Ok(contents)
}

pub(super) fn files(look: &LocalLook, name: &str) -> Result<Option<Vec<PathBuf>>, HostError> {
    checked(name)?;
    match manager(look)? {
        Manager::Apt => apt::files(look, name),
        Manager::Rpm => rpm::files(name),
        Manager::Pacman => pacman::files(name),
        // `apk` has no query for that without writing to its caches.
        Manager::Apk => Ok(None),
    }
}

pub(super) fn change(look: &LocalLook, change: &PackageChange, within: &Within) -> Result<Vec<String>, HostError> {
    checked_change(change)?;
    let manager = manager(look)?;
    let locks: &[&str] = match manager {
        Manager::Apt => apt::LOCKS,
        Manager::Rpm => &["/var/lib/rpm/.rpm.lock", "/usr/lib/sysimage/rpm/.rpm.lock"],
        Manager::Pacman => &[],
        Manager::Apk => &["/lib/apk/db/lock", "/usr/lib/apk/db/lock"],
    };
    let said = lock::wait(look, locks, within)?;
    match manager {
        Manager::Apt => apt::change(change, within)?,
        Manager::Rpm => rpm::change(change, within)?,
        Manager::Pacman => pacman::change(change, within)?,
        Manager::Apk => apk::change(change, within)?,
    }
    Ok(said)
}

pub(super) fn left_settings(look: &LocalLook, name: &str) -> Result<bool, HostError> {
    checked(name)?;
    match manager(look)? {
        Manager::Apt => apt::left_settings(look, name),
        // These remove configuration with the package, but save a changed file under another name.
        Manager::Rpm | Manager::Pacman | Manager::Apk => Ok(false),
    }
}

pub(super) fn can_hold(look: &LocalLook) -> Result<bool, HostError> {
    Ok(manager(look)? == Manager::Apt)
}

pub(super) fn hold(look: &LocalLook, hold: &PackageHold, within: &Within) -> Result<Vec<String>, HostError> {
    checked(&hold.name)?;
    if !can_hold(look)? {
        return Err(HostError::Refused("only apt can hold a package here".into()));
    }
    let said = lock::wait(look, apt::LOCKS, within)?;
    apt::hold(hold, within)?;
    Ok(said)
}

/// Returns package names, with versions if they are required.
fn named(change: &PackageChange, joined: &str) -> Vec<String> {
    match change {
        PackageChange::Remove { packages, .. } => packages.clone(),
        PackageChange::Install { packages, .. } => packages
            .iter()
            .map(|package| match &package.version {
                Some(version) if package.exact => format!("{}{joined}{version}", package.name),
                _ => package.name.clone(),
            })
            .collect(),
    }
}

/// Runs a manager with its own arguments and the packages of a change.
fn run(program: &str, args: &[&str], named: &[String], env: &[(&str, &str)], within: &Within) -> Result<(), HostError> {
    let args: Vec<&str> = args.iter().copied().chain(named.iter().map(String::as_str)).collect();
    tool::change(program, &args, env, within).map(drop)
}
