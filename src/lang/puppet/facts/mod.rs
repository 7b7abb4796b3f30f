//! The facts of a node: from a file, or what this machine is, as Facter structures it.
//!
//! Facts are a function of what is read through the world, so that a record replays them. Facts that change from moment to
//! moment, such as the load, are left out: a program that is followed would be compiled for each of them.

mod external;
mod machine;
mod network;
mod os;
mod storage;

use std::path::Path;

use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::convert;
use super::lookup::yaml;
use super::value::{Map, Value};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::module::load_text;
use crate::source::{Sources, Span, hex};
use crate::world::{Read, Sample, World};

pub use network::fqdn;

/// Facts from a JSON or YAML file, with the hash of the file.
pub fn from_file(
    world: &dyn World,
    path: &Path,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> Option<(Value, String)> {
    let file = load_text(world, path, None, sources, diagnostics)?;
    let text = sources.file(file).text.clone();
    let read = match serde_json::from_str(&text) {
        Ok(facts) => Ok(convert::from_json(&facts)),
        Err(_) => yaml::read(&text).map(|document| document.value),
    };
    let (problem, line) = match read {
        Ok(facts @ Value::Hash(_)) => return Some((facts, sha256(text.as_bytes()))),
        Ok(_) => ("facts are an object with names and values".to_string(), 1),
        Err(wrong) => (wrong.message, wrong.line),
    };
    let range = sources.file(file).line_range(line);
    let span = Span::new(file, range.start, range.end);
    diagnostics.push(Diagnostic::error(Code::InvalidSetting, span).label(problem));
    None
}

/// The version of Puppet whose behaviour this is.
pub const VERSION: &str = "8.11.0";

/// What this machine is, with the external facts of the machine and of modules.
pub fn of_machine(world: &dyn World, module_path: &[std::path::PathBuf], diagnostics: &mut Diagnostics) -> Value {
    let mut facts = Facts { world, map: Map::default() };
    let parts = [machine::READS, os::READS, network::READS, storage::READS, external::READS];
    facts.announce(parts.iter().flat_map(|part| part.iter().map(|read| read())));
    facts.set("facterversion", "4.11.0");
    facts.set("puppetversion", VERSION);
    // The facts that Puppet itself adds.
    facts.set("clientversion", VERSION);
    facts.set("clientnoop", false);
    facts.set("clientcert", fqdn(world).as_str());
    machine::add(&mut facts);
    os::add(&mut facts);
    network::add(&mut facts);
    storage::add(&mut facts);
    external::add(&mut facts, module_path, diagnostics);
    facts.map.sort_by(|a, _, b, _| convert::string(a).cmp(&convert::string(b)));
    Value::hash(facts.map)
}

/// The hash of a machine's facts without how full its memory and its file systems are, which differs at every moment.
pub fn lasting_sha256(facts: &Value) -> String {
    let Json::Object(mut facts) = convert::json(facts) else { return sha256(b"") };
    let is_fleeting = |name: &str| ["available", "used", "capacity"].iter().any(|start| name.starts_with(start));
    for name in ["memory", "mountpoints"] {
        let sizes = facts.get_mut(name).and_then(Json::as_object_mut);
        for one in sizes.into_iter().flat_map(|sizes| sizes.values_mut()).filter_map(Json::as_object_mut) {
            one.retain(|name, _| !is_fleeting(name));
        }
    }
    sha256(Json::Object(facts).to_string().as_bytes())
}

fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// A read that facts need in any case.
type Known = fn() -> Read;

/// The facts so far.
struct Facts<'w> {
    world: &'w dyn World,
    map: Map,
}

impl Facts<'_> {
    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.map.insert(Value::str(name), value.into());
    }

    /// The text of a file, without blanks around it; empty if it cannot be read.
    fn text(&self, path: impl AsRef<Path>) -> String {
        let bytes = self.world.file(path.as_ref()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).trim().to_string()
    }

    fn announce(&self, reads: impl IntoIterator<Item = Read>) {
        self.world.announce(&reads.into_iter().collect::<Vec<_>>());
    }

    fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        match self.world.read(&Read::Folder(path.as_ref().into())) {
            Ok(Sample::Names(names)) => names,
            _ => Vec::new(),
        }
    }

    fn pairs(&self, read: &Read) -> std::collections::BTreeMap<String, String> {
        match self.world.read(read) {
            Ok(Sample::Pairs(pairs)) => pairs,
            _ => std::collections::BTreeMap::new(),
        }
    }

    fn number(&self, read: &Read) -> Option<i64> {
        match self.world.read(read) {
            Ok(Sample::Integer(number)) => Some(number),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::str(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::str(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Int(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Value::Bool(flag)
    }
}

/// A hash of those entries that have a value.
fn hash<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let known = entries.into_iter().filter(|(_, value)| *value != Value::Undef);
    Value::hash(known.map(|(name, value)| (Value::str(name), value)).collect())
}

/// A text, or nothing where it is empty.
fn known(text: &str) -> Value {
    if text.is_empty() { Value::Undef } else { Value::str(text) }
}

/// A number of bytes as Facter prints it.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 7] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut unit = (bytes.ilog2() / 10) as usize;
    let mut number = (100.0 * bytes as f64 / 1024_f64.powi(unit as i32)).round() / 100.0;
    if number >= 1024.0 {
        unit += 1;
        number = 1.0;
    }
    format!("{number:.2} {}", UNITS.get(unit).unwrap_or(&"EiB"))
}

/// A part of a whole in percent.
fn capacity(used: u64, total: u64) -> String {
    match used {
        _ if used == total => "100%".into(),
        0 => "0%".into(),
        _ => format!("{:.2}%", 100.0 * used as f64 / total.max(1) as f64),
    }
}

fn bytes(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Interface, Memory};

    /// A machine as its files and its kernel describe it.
    fn machine() -> Memory {
        let file = |memory: Memory, path: &str, text: &str| {
            memory.with(Read::File(path.into()), Sample::Bytes(text.as_bytes().into()))
        };
        let pairs = |pairs: &[(&str, &str)]| {
            Sample::Pairs(pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect())
        };
        let addresses = vec!["192.0.2.7/24".to_string(), "fe80::1/64".into(), "2001:db8::7/64".into()];
        let eth0 = Interface { name: "eth0".into(), mac: "02:00:00:00:00:01".into(), addresses, wired: true };
        let memory = Memory::default()
            .with(Read::Hostname, Sample::Text("web1".into()))
            .with(Read::Interfaces, Sample::Interfaces(vec![eth0]))
            .with(Read::Machine, pairs(&[("sysname", "Linux"), ("release", "6.1.0-18-amd64"), ("machine", "x86_64")]))
            .with(
                Read::Hardware,
                pairs(&[("memory.total", "4096"), ("memory.available", "1024"), ("processors.models", "A\nA")]),
            )
            .with(Read::Space("/my disk".into()), pairs(&[("size", "4096"), ("free", "2048"), ("available", "1024")]))
            .with(
                Read::Folder("/etc/facter/facts.d".into()),
                Sample::Names(vec!["a.txt".into(), "b.yaml".into(), "c.json".into(), "d.sh".into()]),
            );
        let files = [
            (
                "/etc/os-release",
                "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_CODENAME=bookworm\n",
            ),
            ("/etc/debian_version", "12.5\n"),
            ("/etc/hosts", "127.0.0.1 localhost\n192.0.2.7 web1.example.com web1\n"),
            ("/proc/net/route", "Iface\tDestination\neth0\t00000000\t010200C0\n"),
            ("/proc/mounts", "proc /proc proc rw 0 0\n/dev/sdb /my\\040disk ext4 rw,noatime 0 0\n"),
            ("/etc/facter/facts.d/a.txt", "Role=web\nplace = here\n"),
            ("/etc/facter/facts.d/b.yaml", "tier: {name: front}\n"),
            ("/etc/facter/facts.d/c.json", "{broken"),
            ("/etc/facter/facts.d/d.sh", "#!/bin/sh\necho run=yes\n"),
        ];
        files.iter().fold(memory, |memory, (path, text)| file(memory, path, text))
    }

    #[test]
    fn facts_depend_only_on_reads() {
        let mut diagnostics = Diagnostics::new(crate::diag::Stage::Eval);
        let facts = of_machine(&machine(), &[], &mut diagnostics);
        let at = |path: &str| {
            let found = path.split('/').try_fold(facts.clone(), |value, name| value.get(name).cloned());
            found.map_or_else(|| "nothing".into(), |value| convert::inspect(&value))
        };
        assert_eq!(at("networking/fqdn"), "'web1.example.com'");
        assert_eq!(at("networking/domain"), "'example.com'");
        assert_eq!([at("networking/ip"), at("networking/primary")], ["'192.0.2.7'", "'eth0'"]);
        assert_eq!(at("networking/interfaces/eth0/ip6"), "'2001:db8::7'");
        assert_eq!(at("os/release"), "{'full' => '12.5', 'major' => '12', 'minor' => '5'}");
        assert_eq!([at("os/architecture"), at("os/distro/codename")], ["'amd64'", "'bookworm'"]);
        assert_eq!([at("kernelversion"), at("kernelmajversion")], ["'6.1.0'", "'6.1'"]);
        assert_eq!([at("memory/system/capacity"), at("processors/count")], ["'75.00%'", "2"]);
        assert_eq!(
            facts
                .get("mountpoints")
                .and_then(|all| all.get("/my disk")?.get("options"))
                .map(convert::inspect)
                .as_deref(),
            Some("['rw', 'noatime']")
        );
        assert_eq!([at("role"), at("place"), at("tier/name")], ["'web'", "'here'", "'front'"]);
        assert_eq!([at("run"), at("virtual"), at("timezone")], ["nothing", "'physical'", "'UTC'"]);
        assert_eq!(diagnostics.iter().count(), 1, "the broken file is named");
        assert!(!diagnostics.has_errors());
    }

    #[test]
    fn sizes_are_printed_as_facter_prints_them() {
        assert_eq!(size(1023), "1023 bytes");
        assert_eq!(size(274_877_906_944), "256.00 GiB");
        assert_eq!(size(25_276_063_744), "23.54 GiB");
        assert_eq!(size(1_048_575), "1.00 MiB");
        assert_eq!(capacity(2_199_228_416, 25_276_063_744), "8.70%");
    }
}
