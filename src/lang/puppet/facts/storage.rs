//! Disks and mounted file systems.

use std::path::PathBuf;

use super::{Facts, Known, bytes, capacity, hash, known, size};
use crate::lang::puppet::value::{Map, Value};
use crate::world::{PathKind, Read};

/// What is read in any case.
pub(super) const READS: &[Known] = &[|| Read::Folder("/sys/block".into()), || Read::File("/proc/mounts".into())];

const BLOCKS: &str = "/sys/block";

/// The files about a disk.
const OF_A_DISK: [&str; 6] =
    ["size", "queue/rotational", "device/model", "device/serial", "device/vendor", "device/wwid"];

/// Adds the facts `disks` and `mountpoints`, each unless it is empty.
pub fn add(facts: &mut Facts<'_>) {
    let disks = disks(facts);
    if !disks.is_empty() {
        facts.set("disks", Value::hash(disks));
    }
    let mountpoints = mountpoints(facts);
    if !mountpoints.is_empty() {
        facts.set("mountpoints", Value::hash(mountpoints));
    }
}

fn disks(facts: &Facts<'_>) -> Map {
    let mut disks = Map::default();
    let names = facts.names(BLOCKS);
    facts.announce(names.iter().map(|name| Read::Kind(PathBuf::from(BLOCKS).join(name).join("device"))));
    for name in names {
        let folder = PathBuf::from(BLOCKS).join(&name);
        if facts.world.kind(&folder.join("device")) != PathKind::Folder {
            continue;
        }
        facts.announce(OF_A_DISK.map(|path| Read::File(folder.join(path))));
        let text = |path: &str| known(&facts.text(folder.join(path)));
        let total = facts.text(folder.join("size")).parse::<u64>().map(|blocks| blocks.saturating_mul(512)).ok();
        let ty = match &*facts.text(folder.join("queue/rotational")) {
            "0" => "ssd".into(),
            "1" => "hdd".into(),
            _ => Value::Undef,
        };
        let disk = hash([
            ("model", text("device/model")),
            ("serial", text("device/serial")),
            ("size", total.map_or(Value::Undef, |total| size(total).into())),
            ("size_bytes", total.map_or(Value::Undef, bytes)),
            ("type", ty),
            ("vendor", text("device/vendor")),
            ("wwn", text("device/wwid")),
        ]);
        disks.insert(Value::str(name), disk);
    }
    disks
}

fn mountpoints(facts: &Facts<'_>) -> Map {
    let mut mountpoints = Map::default();
    let text = facts.text("/proc/mounts");
    let mounts = text.lines().filter_map(|line| {
        let words: Vec<String> = line.split_whitespace().take(4).map(unescaped).collect();
        let mount: [String; 4] = words.try_into().ok()?;
        let [_, path, filesystem, _] = &mount;
        let is_kernels = (path.starts_with("/proc") || path.starts_with("/sys")) && filesystem != "tmpfs";
        (!is_kernels && filesystem != "autofs").then_some(mount)
    });
    let mounts: Vec<[String; 4]> = mounts.collect();
    facts.announce(mounts.iter().map(|[_, path, ..]| Read::Space(path.into())));
    for [device, path, filesystem, options] in &mounts {
        let space = facts.pairs(&Read::Space(path.into()));
        let number = |name: &str| space.get(name).and_then(|text| text.parse::<u64>().ok());
        let (Some(total), Some(free), Some(available)) = (number("size"), number("free"), number("available")) else {
            continue;
        };
        let used = total.saturating_sub(free);
        let mountpoint = hash([
            ("available", size(available).into()),
            ("available_bytes", bytes(available)),
            ("capacity", capacity(used, total).into()),
            ("device", device.as_str().into()),
            ("filesystem", filesystem.as_str().into()),
            ("options", Value::array(options.split(',').map(Value::str).collect())),
            ("size", size(total).into()),
            ("size_bytes", bytes(total)),
            ("used", size(used).into()),
            ("used_bytes", bytes(used)),
        ]);
        mountpoints.insert(Value::str(path.as_str()), mountpoint);
    }
    mountpoints
}

/// The kernel writes blanks in paths as octal numbers.
fn unescaped(word: &str) -> String {
    let mut out = String::new();
    let mut rest = word;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        match after.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                out.push(char::from(byte));
                rest = &after[3..];
            }
            None => {
                out.push('\\');
                rest = after;
            }
        }
    }
    out + rest
}
