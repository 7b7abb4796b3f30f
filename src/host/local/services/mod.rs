//! Services of this machine, through systemd: over D-Bus, and by `systemctl` if no bus answers.
//!
//! Both read the same properties and use the same verbs. A change that was requested over the bus is not requested
//! again with `systemctl`, because it may have been done.

mod bus;
mod systemctl;
mod watch;

use std::path::{Path, PathBuf};

use super::{LocalLook, tool};
use crate::host::{
    Active, HostError, LookFiles, Presence, Service, ServiceChange, Startup, Unit, Verb, Within, is_unit_name,
};

use bus::{Bus, Failure};

pub use watch::follow_unit;

fn no_manager(why: &str) -> HostError {
    HostError::NoManager { what: "service manager", why: why.into() }
}

/// Checks that systemd runs this machine. A container usually has no service manager.
fn booted(look: &LocalLook) -> Result<(), HostError> {
    match look.stat(Path::new("/run/systemd/system"))? {
        Some(_) => Ok(()),
        None => Err(no_manager("systemd is not running")),
    }
}

/// Returns the session folder of the user's own manager; `None` for the machine's.
fn session(look: &LocalLook, unit: &Unit) -> Result<Option<PathBuf>, HostError> {
    if !unit.session {
        return Ok(None);
    }
    let folder = session_folder();
    if look.stat(&folder)?.is_none() {
        return Err(no_manager("the user has no session"));
    }
    Ok(Some(folder))
}

fn session_folder() -> PathBuf {
    PathBuf::from(format!("/run/user/{}", rustix::process::geteuid().as_raw()))
}

fn checked(unit: &Unit) -> Result<(), HostError> {
    if is_unit_name(&unit.name) { Ok(()) } else { Err(HostError::NoUnit { name: unit.name.clone() }) }
}

pub(super) fn look(look: &LocalLook, unit: &Unit) -> Result<Service, HostError> {
    checked(unit)?;
    booted(look)?;
    let session = session(look, unit)?;
    match bus::look(&Bus::of(session.as_deref()), &unit.name) {
        Ok(service) => Ok(service),
        Err(Failure::Told(error)) => Err(error),
        Err(Failure::Away(why)) => systemctl::look(session.as_deref(), unit, &why),
    }
}

pub(super) fn change(look: &LocalLook, change: &ServiceChange, within: &Within) -> Result<(), HostError> {
    let unit = &change.unit;
    checked(unit)?;
    booted(look)?;
    let session = session(look, unit)?;
    // `systemctl` also handles an old init script next to a unit.
    let starts = matches!(change.verb, Verb::Enable | Verb::Disable);
    if starts && has_script(look, &unit.name)? && tool::has("systemctl") {
        return systemctl::change(session.as_deref(), change, within, "");
    }
    match bus::change(&Bus::of(session.as_deref()), change, within) {
        Ok(()) => Ok(()),
        Err(Failure::Told(error)) => Err(error),
        Err(Failure::Away(why)) => systemctl::change(session.as_deref(), change, within, &why),
    }
}

fn has_script(look: &LocalLook, name: &str) -> Result<bool, HostError> {
    let Some(plain) = name.strip_suffix(".service") else { return Ok(false) };
    Ok(look.stat(&Path::new("/etc/init.d").join(plain))?.is_some())
}

/// Parses the properties of a unit, in systemd's words.
fn service<'v>(value: impl Fn(&str) -> &'v str) -> Service {
    Service {
        presence: match value("LoadState") {
            "not-found" => Presence::Missing,
            "masked" => Presence::Masked,
            _ => Presence::There,
        },
        active: match value("ActiveState") {
            "active" | "reloading" | "refreshing" => Active::Running,
            "failed" => Active::Failed,
            "activating" | "deactivating" => Active::Between,
            _ => Active::Stopped,
        },
        startup: match value("UnitFileState") {
            "enabled" => Startup::Enabled,
            "static" | "indirect" | "generated" | "transient" | "alias" => Startup::Static,
            // Also `enabled-runtime`, and `linked` units that nothing wants.
            _ => Startup::Disabled,
        },
        stale: value("NeedDaemonReload") == "yes",
    }
}
