//! Services of this machine, through systemd: asked by `systemctl show`, told by fixed verbs.

use std::path::Path;

use super::{LocalLook, tool};
use crate::host::{
    Active, HostError, LookFiles, Output, Presence, Service, ServiceChange, Startup, Unit, Verb, Within, is_unit_name,
};

/// The properties that say all that is asked for.
const PROPERTIES: &str = "--property=LoadState,ActiveState,UnitFileState,NeedDaemonReload";

fn no_manager(why: &str) -> HostError {
    HostError::NoManager { what: "service manager", why: why.into() }
}

/// Whether systemd runs this machine; a container usually has no service manager at all.
fn booted(look: &LocalLook) -> Result<(), HostError> {
    if !tool::has("systemctl") {
        return Err(no_manager("`systemctl` is missing"));
    }
    match look.stat(Path::new("/run/systemd/system"))? {
        Some(_) => Ok(()),
        None => Err(no_manager("systemd is not running")),
    }
}

/// What the user's own manager is found by.
fn session_env(look: &LocalLook, unit: &Unit) -> Result<Vec<(&'static str, String)>, HostError> {
    if !unit.session {
        return Ok(Vec::new());
    }
    let folder = format!("/run/user/{}", rustix::process::geteuid().as_raw());
    if look.stat(Path::new(&folder))?.is_none() {
        return Err(no_manager("the user has no session"));
    }
    Ok(vec![("XDG_RUNTIME_DIR", folder)])
}

/// The arguments before the verb.
fn scope(unit: &Unit) -> &'static [&'static str] {
    if unit.session { &["--user", "--no-ask-password"] } else { &["--system", "--no-ask-password"] }
}

pub(super) fn look(look: &LocalLook, unit: &Unit) -> Result<Service, HostError> {
    if !is_unit_name(&unit.name) {
        return Err(HostError::NoUnit { name: unit.name.clone() });
    }
    booted(look)?;
    let env = session_env(look, unit)?;
    let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let args = [scope(unit), &["show", PROPERTIES, "--", &unit.name]].concat();
    let output = tool::ask("systemctl", &args, &env)?;
    if !output.succeeded() {
        return Err(no_manager(&tool::failure("systemctl", &output).to_string()));
    }
    Ok(service(&output))
}

/// Reads what `systemctl show` tells.
fn service(output: &Output) -> Service {
    let lines = tool::lines(output);
    let value = |key: &str| lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).unwrap_or_default();
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
            // Also enabled until the next start only, and linked without being wanted by anything.
            _ => Startup::Disabled,
        },
        stale: value("NeedDaemonReload") == "yes",
    }
}

pub(super) fn change(look: &LocalLook, change: &ServiceChange, within: &Within) -> Result<(), HostError> {
    let unit = &change.unit;
    if !is_unit_name(&unit.name) {
        return Err(HostError::NoUnit { name: unit.name.clone() });
    }
    booted(look)?;
    let env = session_env(look, unit)?;
    let env: Vec<(&str, &str)> = env.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let verb: &[&str] = match change.verb {
        Verb::Start => &["start"],
        Verb::Stop => &["stop"],
        Verb::Restart => &["restart"],
        Verb::Reload => &["try-reload-or-restart"],
        Verb::Enable => &["--force", "enable"],
        Verb::Disable => &["disable"],
        Verb::ReadUnits => &["daemon-reload"],
    };
    let name: &[&str] = if change.verb == Verb::ReadUnits { &[] } else { &["--", &unit.name] };
    tool::change("systemctl", &[scope(unit), verb, name].concat(), &env, within).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Service {
        service(&Output { stdout: text.as_bytes().to_vec(), ..Output::default() })
    }

    #[test]
    fn what_systemctl_tells_is_read() {
        let nginx = read("LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nNeedDaemonReload=no\n");
        assert_eq!((nginx.presence, nginx.active, nginx.startup), (Presence::There, Active::Running, Startup::Enabled));
        assert_eq!(read("LoadState=not-found\nActiveState=inactive\n").presence, Presence::Missing);
        assert_eq!(read("LoadState=masked\n").presence, Presence::Masked);
        assert_eq!(read("LoadState=loaded\nUnitFileState=static\n").startup, Startup::Static);
        assert!(read("LoadState=loaded\nNeedDaemonReload=yes\n").stale);
    }
}
