//! The operating system: its name, family, release, architecture, and SELinux.

use super::{Facts, Known, hash, known};
use crate::lang::puppet::value::Value;
use crate::world::Read;

/// Names by the ID of `/etc/os-release`, with their families.
const NAMES: [(&str, &str, &str); 17] = [
    ("debian", "Debian", "Debian"),
    ("ubuntu", "Ubuntu", "Debian"),
    ("linuxmint", "LinuxMint", "Debian"),
    ("raspbian", "Debian", "Debian"),
    ("rhel", "RedHat", "RedHat"),
    ("centos", "CentOS", "RedHat"),
    ("rocky", "Rocky", "RedHat"),
    ("almalinux", "AlmaLinux", "RedHat"),
    ("fedora", "Fedora", "RedHat"),
    ("ol", "OracleLinux", "RedHat"),
    ("amzn", "Amazon", "RedHat"),
    ("sles", "SLES", "Suse"),
    ("opensuse-leap", "OpenSuSE", "Suse"),
    ("arch", "Archlinux", "Archlinux"),
    ("alpine", "Alpine", "Linux"),
    ("gentoo", "Gentoo", "Gentoo"),
    ("slackware", "Slackware", "Slackware"),
];

/// What is read in any case.
pub(super) const READS: &[Known] =
    &[|| Read::File("/etc/os-release".into()), || Read::File("/sys/fs/selinux/enforce".into())];

/// Adds the facts about the operating system.
pub fn add(facts: &mut Facts<'_>) {
    let text = facts.text("/etc/os-release");
    let field = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_default().trim_matches(['"', '\'']).to_string()
    };
    let (id, like) = (field("ID"), field("ID_LIKE"));
    let entry = NAMES.iter().find(|(known, ..)| *known == id);
    let name = entry.map_or_else(|| field("NAME"), |(_, name, _)| (*name).to_string());
    let by_likeness = || {
        let families =
            [("debian", "Debian"), ("ubuntu", "Debian"), ("rhel", "RedHat"), ("fedora", "RedHat"), ("suse", "Suse")];
        families.iter().find(|(word, _)| like.contains(word)).map_or("Linux", |(_, family)| family)
    };
    let family = entry.map_or_else(by_likeness, |(_, _, family)| family);
    let full = full_release(facts, &id, field("VERSION_ID"));
    let release = release(&full, &name);
    let codename = Some(field("VERSION_CODENAME")).filter(|name| !name.is_empty());
    let codename = codename.unwrap_or_else(|| {
        let version = field("VERSION");
        version.split_once('(').map_or_else(String::new, |(_, rest)| rest.trim_end_matches(')').to_string())
    });
    let distro = hash([
        ("codename", known(&codename)),
        ("description", known(&field("PRETTY_NAME"))),
        ("id", known(&name)),
        ("release", release.clone()),
    ]);
    let hardware = facts.pairs(&Read::Machine).get("machine").cloned().unwrap_or_default();
    let architecture = match (&*hardware, family) {
        ("x86_64", "Debian" | "Gentoo") => "amd64",
        ("aarch64", "Debian") => "arm64",
        ("i586" | "i686", _) => "i386",
        (other, _) => other,
    };
    let os = hash([
        ("architecture", known(architecture)),
        ("distro", distro),
        ("family", family.into()),
        ("hardware", known(&hardware)),
        ("name", known(&name)),
        ("release", release),
        ("selinux", selinux(facts)),
    ]);
    facts.set("os", os);
}

/// The release with its minor number, which `/etc/os-release` may leave out.
fn full_release(facts: &Facts<'_>, id: &str, version: String) -> String {
    let file = match id {
        "debian" | "raspbian" => "/etc/debian_version",
        "rhel" | "centos" | "rocky" | "almalinux" | "ol" | "fedora" => "/etc/redhat-release",
        _ => return version,
    };
    let text = facts.text(file);
    let is_number = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    text.split_whitespace().find(is_number).map_or(version, str::to_string)
}

fn release(full: &str, name: &str) -> Value {
    let mut parts = full.split('.');
    let (major, minor) = (parts.next().unwrap_or_default(), parts.next());
    if name == "Ubuntu" || name == "LinuxMint" {
        return hash([("full", known(full)), ("major", known(full))]);
    }
    let minor = minor.map_or(Value::Undef, Value::str);
    hash([("full", known(full)), ("major", known(major)), ("minor", minor)])
}

fn selinux(facts: &Facts<'_>) -> Value {
    let enforce = facts.text("/sys/fs/selinux/enforce");
    if enforce.is_empty() {
        return hash([("enabled", false.into())]);
    }
    let config = facts.text("/etc/selinux/config");
    let field = |name: &str| {
        let value = config.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
        value.map_or(Value::Undef, |value| Value::str(value.trim()))
    };
    let is_enforced = enforce == "1";
    hash([
        ("config_mode", field("SELINUX")),
        ("config_policy", field("SELINUXTYPE")),
        ("current_mode", if is_enforced { "enforcing" } else { "permissive" }.into()),
        ("enabled", true.into()),
        ("enforced", is_enforced.into()),
        ("policy_version", known(&facts.text("/sys/fs/selinux/policyvers"))),
    ])
}
