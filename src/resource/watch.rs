//! The sources of events for a resource: changes at a path, lines of a command, or time.
//!
//! They are derived from the parameters, like footprints. If the system has no notification for a change, such as of a
//! kernel parameter, the resource is polled.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::edit::expand;
use super::exec::ExecParams;
use super::svc::unit_name;
use super::{Turn, export, file_path, kv};
use crate::host::{Command, HostError, Look, Unit};

/// One source of events.
#[derive(Clone, Debug)]
pub enum Watch {
    /// Changes at a path. For a folder also of its list of names.
    Path(PathBuf),
    /// The same, and anywhere below.
    Tree(PathBuf),
    /// A running command writes a line.
    Lines(Box<Command>),
    /// The service manager reports a change of a unit.
    Unit(Unit),
    /// No notification: the resource is checked again after this time.
    Every(Duration),
    /// A timer: the notified resources are refreshed.
    Tick(Duration),
}

/// The polling interval if a check needs a process.
const ASKED: Duration = Duration::from_secs(5);

/// The polling interval of kernel files.
const READ: Duration = Duration::from_secs(2);

/// The databases of package managers.
const PACKAGES: &[&str] = &[
    "/var/lib/dpkg/status",
    "/var/lib/pacman/local",
    "/lib/apk/db/installed",
    "/usr/lib/apk/db/installed",
    "/var/lib/rpm/rpmdb.sqlite",
    "/var/lib/rpm/Packages",
    "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/usr/lib/sysimage/rpm/Packages.db",
];

/// Returns what to watch for a resource.
pub fn watches(kind: &str, turn: &Turn, look: &dyn Look) -> Result<Vec<Watch>, HostError> {
    let named = |param| Ok::<_, HostError>(turn.text(param)?.unwrap_or(turn.name));
    let paths = |paths: &[&str]| paths.iter().map(|path| Watch::Path(path.into())).collect::<Vec<_>>();
    Ok(match kind {
        "file" => file(turn)?,
        "exec" => command(turn, look)?,
        "line" => vec![Watch::Path(expand(turn.text("file")?.unwrap_or_default(), look)?)],
        "ssh:authorized_key" => keys(turn, look)?,
        "json:edit" => match named("store")?.strip_prefix("etcd:///") {
            Some(key) => vec![Watch::Path(kv::place(turn, key, false)?)],
            None => vec![Watch::Path(clean(named("store")?.trim_start_matches("file://")))],
        },
        "export" => vec![Watch::Path(export::place(turn)?)],
        "kv" => vec![Watch::Path(kv::place(turn, named("key")?, turn.flag("mapped")?)?)],
        "gzip" => [Some(named("path")?), turn.text("input")?].into_iter().flatten().map(at).collect(),
        "tar" => std::iter::once(named("path")?).chain(turn.texts("inputs")?).map(at).collect(),
        "http:client" => vec![at(named("file")?)],
        "http:server:file" => turn.text("path")?.into_iter().map(at).collect(),
        "user" | "group" => paths(&["/etc/passwd", "/etc/group"]),
        "pkg" => paths(PACKAGES),
        "hostname" => {
            let mut watches = paths(&["/etc/hostname", "/etc/machine-info"]);
            watches.push(Watch::Every(READ));
            watches
        }
        "mount" => vec![Watch::Path("/etc/fstab".into()), Watch::Every(READ)],
        "sysctl" => {
            let stored = turn
                .text("path")?
                .map_or_else(|| Path::new("/etc/sysctl.d").join(format!("99-{}.conf", turn.name)), PathBuf::from);
            vec![Watch::Path(stored), Watch::Every(READ)]
        }
        "cron" => {
            let unit = Unit { name: format!("{}.timer", turn.name), session: turn.flag("session")? };
            let mut watches = vec![Watch::Unit(unit)];
            if !turn.flag("session")? {
                watches.push(Watch::Path(Path::new("/etc/systemd/system").join(format!("{}.timer", turn.name))));
            }
            watches
        }
        "net" => {
            let stored = format!("/etc/systemd/network/mgmt-{}.network", turn.name);
            vec![Watch::Path(stored.into()), Watch::Every(ASKED)]
        }
        "svc" => vec![Watch::Unit(Unit { name: unit_name(turn.name), session: turn.flag("session")? })],
        "timer" => match u64::try_from(turn.int("interval")?.unwrap_or_default()) {
            Ok(seconds @ 1..) => vec![Watch::Tick(Duration::from_secs(seconds))],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    })
}

/// Returns the watch of a path. A final slash means everything below it.
fn at(path: &str) -> Watch {
    if path.ends_with('/') { Watch::Tree(clean(path)) } else { Watch::Path(clean(path)) }
}

fn clean(path: &str) -> PathBuf {
    PathBuf::from(if path.len() > 1 { path.trim_end_matches('/') } else { path })
}

/// Returns the watches of the file itself, and of the sources of its content.
fn file(turn: &Turn) -> Result<Vec<Watch>, HostError> {
    let path = clean(&file_path(turn.name, turn.params));
    let own = if turn.flag("recurse")? { Watch::Tree(path) } else { Watch::Path(path) };
    let is_read = |source: &&str| source.starts_with('/') && !matches!(turn.flag("symlink"), Ok(true));
    let source = turn.text("source")?.filter(is_read);
    let fragments = turn.texts("fragments")?.into_iter().map(|fragment| Watch::Path(clean(fragment)));
    Ok(std::iter::once(own).chain(source.map(at)).chain(fragments).collect())
}

fn command(turn: &Turn, look: &dyn Look) -> Result<Vec<Watch>, HostError> {
    let (files, command) = turn.typed.get::<ExecParams>()?.watched(turn, look)?;
    let lines = command.map(|command| Watch::Lines(Box::new(command)));
    Ok(files.into_iter().map(at).chain(lines).collect())
}

fn keys(turn: &Turn, look: &dyn Look) -> Result<Vec<Watch>, HostError> {
    let user = turn.text("user")?.unwrap_or_default();
    let file = turn.text("file")?.map_or_else(|| format!("~{user}/.ssh/authorized_keys"), str::to_owned);
    Ok(vec![Watch::Path(expand(&file, look)?)])
}
