//! Kernel, processors, memory, who runs this, the path, the time zone, the kind of machine, and the keys of SSH.

use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::{Facts, Known, bytes, capacity, hash, known, size};
use crate::lang::puppet::value::{Map, Value};
use crate::source::hex;
use crate::world::{PathKind, ProcessNumber, Read, Sample};

/// What is read in any case.
pub(super) const READS: &[Known] = &[
    || Read::Machine,
    || Read::Hardware,
    || Read::Process(ProcessNumber::EffectiveUser),
    || Read::Process(ProcessNumber::EffectiveGroup),
    || Read::Environment,
    || Read::Now,
    || Read::File("/etc/group".into()),
    || Read::File("/sys/class/dmi/id/sys_vendor".into()),
    || Read::File("/sys/class/dmi/id/product_name".into()),
    || Read::Virtual,
    || Read::Kind("/.dockerenv".into()),
    || Read::File("/etc/ssh/ssh_host_rsa_key.pub".into()),
    || Read::File("/etc/ssh/ssh_host_dsa_key.pub".into()),
    || Read::File("/etc/ssh/ssh_host_ecdsa_key.pub".into()),
    || Read::File("/etc/ssh/ssh_host_ed25519_key.pub".into()),
];

/// Adds the facts about the machine and the user.
pub fn add(facts: &mut Facts<'_>) {
    kernel(facts);
    let hardware = facts.pairs(&Read::Hardware);
    let number = |name: &str| hardware.get(name).and_then(|text| text.parse::<u64>().ok());
    let part = |total: &str, free: &str| {
        let (total, free) = (number(total).filter(|total| *total > 0)?, number(free)?);
        let used = total.saturating_sub(free);
        Some(hash([
            ("available", size(free).into()),
            ("available_bytes", bytes(free)),
            ("capacity", capacity(used, total).into()),
            ("total", size(total).into()),
            ("total_bytes", bytes(total)),
            ("used", size(used).into()),
            ("used_bytes", bytes(used)),
        ]))
    };
    let system = part("memory.total", "memory.available").unwrap_or(Value::Undef);
    let swap = part("swap.total", "swap.free").unwrap_or(Value::Undef);
    facts.set("memory", hash([("swap", swap), ("system", system)]));
    let models: Vec<Value> =
        hardware.get("processors.models").map_or_else(Vec::new, |models| models.lines().map(Value::str).collect());
    let speed = number("processors.hertz").map_or(Value::Undef, |hertz| {
        let (number, unit) =
            if hertz >= 1_000_000_000 { (hertz as f64 / 1e9, "GHz") } else { (hertz as f64 / 1e6, "MHz") };
        format!("{number:.2} {unit}").into()
    });
    let count = |name: &str| number(name).map_or(Value::Undef, bytes);
    let processors = hash([
        ("cores", count("processors.cores")),
        ("count", (models.len() as i64).into()),
        ("isa", "unknown".into()),
        ("models", Value::array(models)),
        ("physicalcount", count("processors.sockets")),
        ("speed", speed),
        ("threads", count("processors.threads")),
    ]);
    facts.set("processors", processors);
    identity(facts);
    if let Some(path) = facts.pairs(&Read::Environment).get("PATH") {
        facts.set("path", path.as_str());
    }
    timezone(facts);
    kind(facts);
    ssh(facts);
}

fn kernel(facts: &mut Facts<'_>) {
    let machine = facts.pairs(&Read::Machine);
    let release = machine.get("release").cloned().unwrap_or_default();
    let version: String = release.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
    let major: Vec<&str> = version.split('.').take(2).collect();
    facts.set("kernel", machine.get("sysname").map_or("Linux", String::as_str));
    facts.set("kernelmajversion", major.join("."));
    facts.set("kernelrelease", release);
    facts.set("kernelversion", version);
}

fn identity(facts: &mut Facts<'_>) {
    let number = |which| facts.number(&Read::Process(which));
    let (uid, gid) = (number(ProcessNumber::EffectiveUser), number(ProcessNumber::EffectiveGroup));
    let user = uid.and_then(|uid| u32::try_from(uid).ok()).map(|uid| facts.world.read(&Read::AccountById(uid)));
    let user = match user {
        Some(Ok(Sample::Text(name))) => Value::str(name),
        _ => Value::Undef,
    };
    let groups = facts.text("/etc/group");
    let group = groups.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, _, number) = (fields.next()?, fields.next(), fields.next()?);
        (number.parse().ok() == gid).then_some(name)
    });
    let identity = hash([
        ("gid", gid.map_or(Value::Undef, Value::Int)),
        ("group", group.map_or(Value::Undef, Value::str)),
        ("privileged", (uid == Some(0)).into()),
        ("uid", uid.map_or(Value::Undef, Value::Int)),
        ("user", user),
    ]);
    facts.set("identity", identity);
}

/// The folder of zone files.
const ZONES: &str = "/usr/share/zoneinfo";

fn timezone(facts: &mut Facts<'_>) {
    let named = facts.pairs(&Read::Environment).get("TZ").filter(|zone| !zone.is_empty()).cloned();
    let linked = || match facts.world.read(&Read::Link(PathBuf::from("/etc/localtime"))) {
        Ok(Sample::Path(path)) => {
            path.to_str().and_then(|path| path.split_once("zoneinfo/")).map(|(_, zone)| zone.to_string())
        }
        _ => None,
    };
    let zone = named.or_else(linked).unwrap_or_else(|| "UTC".into());
    let now = facts.number(&Read::Now).and_then(|now| jiff::Timestamp::from_second(now).ok());
    let file = Path::new(ZONES).join(&zone);
    // A name must not lead out of that folder.
    let is_name = !zone.starts_with('/') && zone.split('/').all(|part| part != "..");
    let bytes = is_name.then(|| facts.world.file(&file).ok()).flatten();
    let zone = bytes.and_then(|bytes| jiff::tz::TimeZone::tzif(&zone, &bytes).ok()).zip(now);
    let short = zone.map(|(zone, now)| zone.to_offset_info(now).abbreviation().to_string());
    facts.set("timezone", short.unwrap_or_else(|| "UTC".into()));
}

/// Whether the machine is virtual, and which kind it is.
fn kind(facts: &mut Facts<'_>) {
    let is_there = |path: &str| facts.world.kind(Path::new(path)) != PathKind::Missing;
    let made = facts.text("/sys/class/dmi/id/sys_vendor") + " " + &facts.text("/sys/class/dmi/id/product_name");
    let is_virtual = matches!(facts.world.read(&Read::Virtual), Ok(Sample::Flag(true)));
    const MAKERS: [(&str, &str); 8] = [
        ("VMware", "vmware"),
        ("VirtualBox", "virtualbox"),
        ("innotek", "virtualbox"),
        ("Xen", "xenhvm"),
        ("Microsoft Corporation Virtual Machine", "hyperv"),
        ("Google", "gce"),
        ("Amazon EC2", "kvm"),
        ("Parallels", "parallels"),
    ];
    let name = if is_there("/.dockerenv") {
        "docker"
    } else if is_there("/run/.containerenv") {
        "podman"
    } else if !is_virtual {
        "physical"
    } else {
        MAKERS.iter().find(|(maker, _)| made.contains(maker)).map_or("kvm", |(_, name)| name)
    };
    facts.set("is_virtual", name != "physical");
    facts.set("virtual", name);
}

fn ssh(facts: &mut Facts<'_>) {
    const KINDS: [(&str, u8); 4] = [("rsa", 1), ("dsa", 2), ("ecdsa", 3), ("ed25519", 4)];
    let mut keys = Map::default();
    for (kind, number) in KINDS {
        let text = facts.text(format!("/etc/ssh/ssh_host_{kind}_key.pub"));
        let mut words = text.split_whitespace();
        let (Some(ty), Some(key)) = (words.next(), words.next()) else { continue };
        let Ok(raw) = STANDARD.decode(key) else { continue };
        let digest = hex(&Sha256::digest(&raw));
        let prints = hash([("sha256", format!("SSHFP {number} 2 {digest}").into())]);
        keys.insert(Value::str(kind), hash([("fingerprints", prints), ("key", known(key)), ("type", known(ty))]));
    }
    if !keys.is_empty() {
        facts.set("ssh", Value::hash(keys));
    }
}
