//! The kind `mount`: manages an entry of the mount table, and whether the file system is mounted.

mod table;

use std::path::{Component, Path, PathBuf};

use super::reader::Reader;
use super::steps::Steps;
use super::whole_file::WholeFile;
use super::{Checked, Kind, Schema, Turn, schema};
use crate::graph::Value;
use crate::host::{FileKind, HostError, Look, MountChange, Mounted, SystemChange};
use crate::plan::Action;
use crate::source::printable;

/// The kind `mount`, which manages an entry of the mount table and its mounted state.
pub struct Mount;

const TABLE: &str = "/etc/fstab";

/// Options that the kernel shows unchanged, so that they can be compared. Others may be rounded, renamed or missing.
const SHOWN: &[&str] = &["ro", "nosuid", "nodev", "noexec", "noatime", "nodiratime", "sync", "dirsync"];

impl Kind for Mount {
    fn schema(&self) -> &'static Schema {
        schema("mount").expect("the schemas name every built-in kind")
    }

    fn validate(&self, given: &Reader) -> Result<(), String> {
        given.must_be("state", &["exists", "absent"])?;
        if given.name.contains("//") {
            return Err("the name contains two slashes in a row".into());
        }
        Ok(())
    }

    fn shares(&self) -> Option<&'static str> {
        Some("the mount table")
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let target = target(turn)?;
        let table = match look.read(Path::new(TABLE)) {
            Ok(bytes) => String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
            Err(HostError::Missing { .. }) => String::new(),
            Err(error) => return Err(error),
        };
        let mounted = look.mounts()?.into_iter().rev().find(|there| there.target == target);
        match turn.text("state")? {
            Some("exists") => exists(turn, look, &target, &table, mounted),
            Some("absent") => absent(look, &target, &table, mounted),
            _ => Err(HostError::Refused("unknown `state`: use `exists` or `absent`".into())),
        }
    }
}

/// Returns the mount point, as the kernel writes it.
fn target(turn: &Turn) -> Result<String, HostError> {
    let name = turn.name;
    let bad = |why| Err(HostError::BadPath { path: PathBuf::from(name), why });
    if !name.starts_with('/') {
        return bad("it is not absolute");
    }
    if name.contains(|c: char| c.is_control()) {
        return bad("it contains a control character");
    }
    if name.contains("//") || Path::new(name).components().any(|part| part == Component::ParentDir) {
        return bad("it contains `.`, `..`, or extra slashes");
    }
    let trimmed = name.trim_end_matches('/');
    Ok(if trimmed.is_empty() { "/" } else { trimmed }.to_owned())
}

fn exists(
    turn: &Turn,
    look: &dyn Look,
    target: &str,
    table: &str,
    mounted: Option<Mounted>,
) -> Result<Checked, HostError> {
    let wanted = wanted(turn, target)?;
    if turn.text("mounted")? != Some("keep") {
        is_folder(look, target)?;
    }
    let is_to_be_mounted = mounted.is_none() && !matches!(turn.text("mounted")?, Some("keep" | "no"));
    if is_to_be_mounted && !is_known(&wanted.kind, look) {
        let kind = printable(&wanted.kind);
        return Err(HostError::Refused(format!("`type` is `{kind}`, a file system that this kernel does not have")));
    }
    let mut steps = Steps::default();
    let sorted = |mut entry: table::Entry| {
        entry.options.sort_unstable();
        entry
    };
    if table::entry(table, target).map(sorted) != Some(sorted(wanted.clone())) {
        let file = WholeFile { path: TABLE.into(), mode: 0o644, content: table::with(table, &wanted) };
        file.differs(look, "table", &mut steps)?;
    }
    let mount = Mounted {
        device: wanted.device.clone(),
        target: target.to_owned(),
        kind: wanted.kind.clone(),
        options: wanted.options.clone(),
    };
    match (turn.text("mounted")?, mounted) {
        (Some("keep"), _) | (Some("no"), None) => Ok(steps.seen(Action::Change)),
        (Some("no"), Some(there)) => {
            steps.differs("mounted", Some(shown(&there)), None);
            steps.change(SystemChange::Mount(MountChange::Unmount { target: target.to_owned() }), look)?;
            Ok(steps.seen(Action::Change))
        }
        (_, None) => {
            steps.differs("mounted", None, Some(format!("{} on {target}", wanted.device)));
            steps.change(SystemChange::Mount(MountChange::Mount(mount)), look)?;
            Ok(steps.seen(Action::Create))
        }
        (_, Some(there)) if is_another(&there, &wanted, look)? => {
            steps.differs("mounted", Some(shown(&there)), Some(shown(&mount)));
            steps.change(SystemChange::Mount(MountChange::Unmount { target: target.to_owned() }), look)?;
            steps.change(SystemChange::Mount(MountChange::Mount(mount)), look)?;
            Ok(steps.seen(Action::Replace))
        }
        (_, Some(there)) => {
            let flags = |options: &[String]| -> Vec<&str> {
                SHOWN.iter().copied().filter(|flag| options.iter().any(|option| option == flag)).collect()
            };
            let (have, want) = (flags(&there.options), flags(&wanted.options));
            if have != want {
                steps.differs("options", Some(have.join(",")), Some(want.join(",")));
                steps.change(SystemChange::Mount(MountChange::Remount(mount)), look)?;
            }
            Ok(steps.seen(Action::Change))
        }
    }
}

/// Whether the kernel, a module or a program here supports a file system. True if that cannot be read.
fn is_known(kind: &str, look: &dyn Look) -> bool {
    let text = |path: &str| {
        let bytes = look.read(Path::new(path)).ok().flatten()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let Some(kernel) = text("/proc/filesystems") else { return true };
    let has_program = || look.stat(Path::new(&format!("/sbin/mount.{kind}"))).is_ok_and(|there| there.is_some());
    let has_module = || {
        let release = text("/proc/sys/kernel/osrelease").unwrap_or_default();
        let modules = text(&format!("/lib/modules/{}/modules.dep", release.trim())).unwrap_or_default();
        modules.contains(&format!("/{kind}.ko"))
    };
    ["auto", "none", "swap"].contains(&kind)
        || kind.starts_with("fuse.")
        || kernel.lines().any(|line| line.split_whitespace().next_back() == Some(kind))
        || has_program()
        || has_module()
}

fn absent(look: &dyn Look, target: &str, table: &str, mounted: Option<Mounted>) -> Result<Checked, HostError> {
    let mut steps = Steps::default();
    if let Some(there) = mounted {
        if target == "/" {
            return Err(HostError::BadPath { path: "/".into(), why: "it is the root folder" });
        }
        steps.differs("mounted", Some(shown(&there)), None);
        steps.change(SystemChange::Mount(MountChange::Unmount { target: target.to_owned() }), look)?;
    }
    if table::entry(table, target).is_some() {
        let file = WholeFile { path: TABLE.into(), mode: 0o644, content: table::without(table, target) };
        file.differs(look, "table", &mut steps)?;
    }
    Ok(steps.seen(Action::Remove))
}

fn shown(mounted: &Mounted) -> String {
    format!("{} on {} ({})", mounted.device, mounted.target, mounted.kind)
}

fn wanted(turn: &Turn, target: &str) -> Result<table::Entry, HostError> {
    let need = |param: &str| {
        let text = turn.text(param)?.ok_or_else(|| HostError::Refused(format!("`{param}` must be set")))?;
        if text.contains(|c: char| c.is_control()) {
            return Err(HostError::Refused(format!("`{param}` contains a control character")));
        }
        Ok(text.to_owned())
    };
    let number = |param: &str| -> Result<u32, HostError> {
        let bad = || HostError::Refused(format!("`{param}` must be a small number, 0 or more"));
        Ok(turn.int(param)?.map(u32::try_from).transpose().map_err(|_| bad())?.unwrap_or_default())
    };
    let mut options = Vec::new();
    if !matches!(turn.params.get("options"), None | Some(Value::Null)) {
        for (name, value) in turn.pairs("options")? {
            let option = if value.is_empty() { name.to_owned() } else { format!("{name}={value}") };
            if option.is_empty() || option.contains(|c: char| c.is_control() || c == ',') {
                return Err(HostError::Refused(format!("`{}` is not a valid mount option", printable(&option))));
            }
            options.push(option);
        }
    }
    options.sort_unstable();
    for option in turn.texts("option_list")? {
        if option.is_empty() || option.contains(|c: char| c.is_control() || c == ',') {
            return Err(HostError::Refused(format!("`{}` is not a valid mount option", printable(option))));
        }
        options.push(option.to_owned());
    }
    if options.is_empty() {
        options.push("defaults".to_owned());
    }
    Ok(table::Entry {
        device: need("device")?,
        target: target.to_owned(),
        kind: need("type")?,
        options,
        freq: number("freq")?,
        passno: number("passno")?,
    })
}

fn is_folder(look: &dyn Look, target: &str) -> Result<(), HostError> {
    let path = PathBuf::from(target);
    match look.stat_target(&path)? {
        None => Err(HostError::Missing { path }),
        // A file can be a mount point too.
        Some(stat) if matches!(stat.kind, FileKind::Dir | FileKind::File) => Ok(()),
        Some(stat) => {
            let (found, wanted) = (stat.kind.words(), FileKind::Dir.words());
            Err(HostError::WrongKind { path, found, wanted, hint_text: "" })
        }
    }
}

/// Whether another file system is mounted there. Devices are compared only if both are plain: the kernel shows loops,
/// binds and mappings under other names.
fn is_another(there: &Mounted, wanted: &table::Entry, look: &dyn Look) -> Result<bool, HostError> {
    if wanted.options.iter().any(|option| matches!(option.as_str(), "bind" | "rbind" | "loop")) {
        return Ok(false);
    }
    if !matches!(wanted.kind.as_str(), "auto" | "none") && there.kind != wanted.kind {
        return Ok(true);
    }
    let device = device(&wanted.device, look)?;
    let is_plain = |device: &str| {
        let indirect = ["/dev/mapper/", "/dev/loop", "/dev/dm-", "/dev/root"];
        device.starts_with("/dev/") && !indirect.iter().any(|prefix| device.starts_with(prefix))
    };
    Ok(is_plain(&device) && is_plain(&there.device) && device != there.device)
}

/// Returns the device behind a label or a link.
fn device(spec: &str, look: &dyn Look) -> Result<String, HostError> {
    let folders = [("UUID=", "uuid"), ("LABEL=", "label"), ("PARTUUID=", "partuuid"), ("PARTLABEL=", "partlabel")];
    let labelled = folders.iter().find_map(|(prefix, folder)| Some((spec.strip_prefix(prefix)?, folder)));
    let path = match labelled {
        Some((label, folder)) => Path::new("/dev/disk").join(format!("by-{folder}")).join(label.trim_matches('"')),
        None => PathBuf::from(spec),
    };
    if !path.starts_with("/dev") || !look.stat(&path)?.is_some_and(|stat| stat.kind == FileKind::Link) {
        return Ok(path.to_string_lossy().into_owned());
    }
    let joined = path.parent().unwrap_or(Path::new("/")).join(look.read_link(&path)?);
    let mut plain = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    Ok(plain.to_string_lossy().into_owned())
}
