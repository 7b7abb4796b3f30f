//! Disks and mounted file systems.

use std::path::PathBuf;

use super::{Facts, bytes, capacity, hash, known, size};
use crate::lang::puppet::value::{Map, Value};
use crate::world::{PathKind, Read};

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
    for name in facts.names("/sys/block") {
        let folder = PathBuf::from("/sys/block").join(&name);
        if facts.world.kind(&folder.join("device")) != PathKind::Folder {
            continue;
        }
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
    for line in facts.text("/proc/mounts").lines() {
        let words: Vec<String> = line.split_whitespace().map(unescaped).collect();
        let [device, path, filesystem, options, ..] = &words[..] else { continue };
        let is_kernels = (path.starts_with("/proc") || path.starts_with("/sys")) && filesystem != "tmpfs";
        if is_kernels || filesystem == "autofs" {
            continue;
        }
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
