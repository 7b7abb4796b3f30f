//! systemd by its own tool: `systemctl show` to inspect, fixed verbs to change.

use std::path::Path;

use super::{no_manager, service};
use crate::host::local::tool;
use crate::host::{HostError, Output, Service, ServiceChange, Unit, Verb, Within};

/// The properties to request.
const PROPERTIES: &str = "--property=LoadState,ActiveState,UnitFileState,NeedDaemonReload";

/// The arguments before the verb.
fn scope(session: Option<&Path>) -> &'static [&'static str] {
    if session.is_some() { &["--user", "--no-ask-password"] } else { &["--system", "--no-ask-password"] }
}

/// The environment that leads to the user's own manager.
fn env(session: Option<&Path>) -> Vec<(&'static str, String)> {
    session.map(|folder| ("XDG_RUNTIME_DIR", folder.display().to_string())).into_iter().collect()
}

fn borrowed<'e>(env: &'e [(&'static str, String)]) -> Vec<(&'e str, &'e str)> {
    env.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// `why`: the error of the bus.
fn is_here(why: &str) -> Result<(), HostError> {
    if tool::has("systemctl") {
        return Ok(());
    }
    Err(no_manager(&format!("its bus does not respond ({why}), and `systemctl` is missing")))
}

pub(super) fn look(session: Option<&Path>, unit: &Unit, why: &str) -> Result<Service, HostError> {
    is_here(why)?;
    let args = [scope(session), &["show", PROPERTIES, "--", &unit.name]].concat();
    let output = tool::ask("systemctl", &args, &borrowed(&env(session)))?;
    if !output.succeeded() {
        return Err(no_manager(&tool::failure("systemctl", &output).to_string()));
    }
    Ok(read(&output))
}

/// Parses the output of `systemctl show`.
fn read(output: &Output) -> Service {
    let lines = tool::lines(output);
    service(|key| lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).unwrap_or_default())
}

pub(super) fn change(
    session: Option<&Path>,
    change: &ServiceChange,
    within: &Within,
    why: &str,
) -> Result<(), HostError> {
    is_here(why)?;
    let verb: &[&str] = match change.verb {
        Verb::Start => &["start"],
        Verb::Stop => &["stop"],
        Verb::Restart => &["restart"],
        Verb::Reload => &["try-reload-or-restart"],
        Verb::Enable => &["--force", "enable"],
        Verb::Disable => &["disable"],
        Verb::ReadUnits => &["daemon-reload"],
    };
    let name: &[&str] = if change.verb == Verb::ReadUnits { &[] } else { &["--", &change.unit.name] };
    tool::change("systemctl", &[scope(session), verb, name].concat(), &borrowed(&env(session)), within).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Active, Presence, Startup};

    /// Output of systemd 252.
    #[test]
    fn systemctl_output_is_parsed() {
        let read = |text: &str| read(&Output { stdout: text.as_bytes().to_vec(), ..Output::default() });
        let dbus = read("LoadState=loaded\nActiveState=active\nUnitFileState=static\nNeedDaemonReload=no\n");
        assert_eq!((dbus.presence, dbus.active, dbus.startup), (Presence::There, Active::Running, Startup::Static));
        let nginx = read("LoadState=loaded\nActiveState=active\nUnitFileState=enabled\nNeedDaemonReload=no\n");
        assert_eq!(nginx.startup, Startup::Enabled);
        let missing = read("LoadState=not-found\nActiveState=inactive\nUnitFileState=\nNeedDaemonReload=no\n");
        assert_eq!((missing.presence, missing.active), (Presence::Missing, Active::Stopped));
        assert_eq!(read("LoadState=masked\nActiveState=inactive\nUnitFileState=masked\n").presence, Presence::Masked);
        assert_eq!(read("LoadState=loaded\nUnitFileState=static\n").startup, Startup::Static);
        assert!(read("LoadState=loaded\nNeedDaemonReload=yes\n").stale);
        assert_eq!(read("\u{0}garbage\n=\n").active, Active::Stopped);
    }
}
