//! Validates the parameters of containers, virtual machines, and machines that a controller manages.

use std::net::Ipv4Addr;

use super::address::card;
use super::{Reader, absolute, url};
use crate::graph::Value;
use crate::resource::reader::written;

/// The regions that mgmt knows.
const REGIONS: &[&str] = &[
    "ap-northeast-1",
    "ap-northeast-2",
    "ap-south-1",
    "ap-southeast-1",
    "ap-southeast-2",
    "ca-central-1",
    "cn-north-1",
    "eu-central-1",
    "eu-west-1",
    "eu-west-2",
    "sa-east-1",
    "us-east-1",
    "us-east-2",
    "us-gov-west-1",
    "us-west-1",
    "us-west-2",
];

pub(super) fn ec2(given: &Reader) -> Result<(), String> {
    given.must_be("state", &["running", "stopped", "terminated"])?;
    given.needs("region")?;
    if let Some(region) = given.text("region").filter(|region| !REGIONS.contains(region)) {
        return Err(format!("`region` is `{region}`, which is not a known region, such as `eu-west-1`"));
    }
    given.needs("type")?;
    if given.is_filled("watchendpoint") != given.is_filled("watchlistenaddr") {
        return Err("`watchendpoint` and `watchlistenaddr` are set together or not at all".into());
    }
    Ok(())
}

/// Returns the machine of a controller: `hostname`, or the host of the URL in the name.
fn controlled(given: &Reader) -> Result<(), String> {
    let in_name = || url::parse_any(given.name).is_ok_and(|url| !url.host_and_port().0.is_empty());
    if given.is_filled("hostname") || in_name() {
        Ok(())
    } else {
        Err("`hostname` must be set, or the name be a URL with a host".into())
    }
}

pub(super) fn power(given: &Reader) -> Result<(), String> {
    controlled(given)?;
    if given.is_filled("driver") {
        return given.may_be("driver", &["rpc", "gofish", "rpcs", "gofishs"]);
    }
    match url::parse_any(given.name).map(|url| url.scheme) {
        Ok(scheme) if ["rpc", "gofish", "rpcs", "gofishs"].contains(&&*scheme) => Ok(()),
        _ => Err("`driver` must be `rpc`, `gofish`, `rpcs` or `gofishs`, or begin the URL in the name".into()),
    }
}

pub(super) fn firmware(given: &Reader) -> Result<(), String> {
    controlled(given)?;
    given.needs("provider")?;
    given.needs("file")?;
    given.text("file").map_or(Ok(()), |path| written("file", path))?;
    given.needs("version")
}

pub(super) fn container(given: &Reader) -> Result<(), String> {
    given.is_one_of("state", &["running", "stopped", "removed"])?;
    given.needs("image")?;
    if let Some(env) = given.list("env").find(|env| !env.contains('=') || env.contains(' ')) {
        return Err(format!("`env` contains `{env}`; expected `NAME=value`"));
    }
    if let Some(Value::Map(protocols)) = given.get("ports") {
        for (protocol, ports) in protocols {
            if protocol.as_str().is_some_and(|protocol| !["tcp", "udp", "sctp"].contains(&protocol)) {
                return Err("the keys of `ports` must be `tcp`, `udp` or `sctp`".into());
            }
            let Value::Map(ports) = ports else { continue };
            let is_port = |port: &Value| port.as_int().is_none_or(|port| (1..=65_535).contains(&port));
            if !ports.iter().all(|(from, to)| is_port(from) && is_port(to)) {
                return Err("a port must be from 1 to 65535".into());
            }
        }
    }
    protocol_version(given)
}

pub(super) fn image(given: &Reader) -> Result<(), String> {
    given.is_one_of("state", &["exists", "absent"])?;
    protocol_version(given)
}

/// `v1.24`
fn protocol_version(given: &Reader) -> Result<(), String> {
    let Some(version) = given.filled("apiversion") else { return Ok(()) };
    let parts = version.strip_prefix('v').and_then(|rest| rest.split_once('.'));
    let is_right = parts.is_some_and(|(major, minor)| {
        major.len() == 1 && matches!(major.as_bytes()[0], b'1'..=b'9') && is_digits(minor)
    });
    if is_right { Ok(()) } else { Err(format!("`apiversion` is `{version}`; expected for example `v1.24`")) }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit())
}

pub(super) fn hetzner(given: &Reader) -> Result<(), String> {
    given.needs("apitoken")?;
    given.may_be("state", &["running", "off", "absent", "exists"])?;
    given.may_be("allowrebuild", &["ignore", "ifneeded"])?;
    given.may_be("serverrescuemode", &["linux32", "linux64", "freebsd64"])
}

pub(super) fn nspawn(given: &Reader) -> Result<(), String> {
    if given.name.len() > 64 {
        return Err("the name is longer than 64 bytes".into());
    }
    given.is_one_of("state", &["running", "stopped"])
}

pub(super) fn virt(given: &Reader) -> Result<(), String> {
    given.may_be("state", &["running", "paused", "shutoff"])?;
    startup(given)?;
    let most = given.int("maxcpus").unwrap_or(32);
    match given.int("cpus") {
        Some(cpus) if cpus > most => Err(format!("`cpus` is {cpus}, which is more than `maxcpus`, {most}")),
        _ => Ok(()),
    }
}

/// A transient machine, which does not survive a stop, cannot start with the host.
fn startup(given: &Reader) -> Result<(), String> {
    given.may_be("startup", &["enabled", "disabled"])?;
    if given.is_true("transient") && given.is_filled("startup") {
        return Err("`startup` cannot be set with `transient`".into());
    }
    Ok(())
}

pub(super) fn network(given: &Reader) -> Result<(), String> {
    given.may_be("state", &["up", "down"])?;
    startup(given)?;
    if let Some(uuid) = given.filled("uuid").filter(|uuid| !is_uuid(uuid)) {
        return Err(format!("`uuid` is `{uuid}`; it is like `123e4567-e89b-12d3-a456-426614174000`"));
    }
    given.may_be("mode", &["nat"])?;
    if given.is_true("transient") && given.text("state") == Some("down") { Ok(()) } else { card(given) }
}

/// With or without dashes, in braces, or as a URN.
fn is_uuid(text: &str) -> bool {
    let is_hex = |text: &str| text.bytes().all(|digit| digit.is_ascii_hexdigit());
    if text.len() == 32 {
        return is_hex(text);
    }
    let bare = match text.len() {
        45 if text.get(..9).is_some_and(|urn| urn.eq_ignore_ascii_case("urn:uuid:")) => &text[9..],
        38 => text.get(1..37).unwrap_or_default(),
        _ => text,
    };
    let parts: Vec<&str> = bare.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12]) && parts.iter().all(|part| is_hex(part))
}

pub(super) fn range(given: &Reader) -> Result<(), String> {
    let end = |param: &str| -> Result<Option<Ipv4Addr>, String> {
        given.needs(param)?;
        let Some(text) = given.text(param) else { return Ok(None) };
        let address = text.parse().map_err(|_| format!("`{param}` is `{text}`, which is not an IPv4 address"))?;
        Ok(Some(address))
    };
    match (end("start")?, end("end")?) {
        (Some(start), Some(end)) if start > end => Err("`start` comes after `end`".into()),
        _ => Ok(()),
    }
}

pub(super) fn builder(given: &Reader) -> Result<(), String> {
    absolute("output", given.or_name("output"))?;
    given.needs("os_version")?;
    given.may_be("format", &["raw", "qcow2"])?;
    if given.int("size").is_some_and(|size| size < 0) {
        return Err("`size` is below 0".into());
    }
    if let Some(package) = given.list("packages").find(|package| package.is_empty() || package.contains(',')) {
        return Err(format!("`packages` contains `{package}`, which is not a package name"));
    }
    for param in ["seeds", "run_cmd", "firstboot_cmd"] {
        if given.list(param).any(str::is_empty) {
            return Err(format!("`{param}` contains an empty string"));
        }
    }
    structs(given, "ssh_keys").try_for_each(key)?;
    structs(given, "copy_in").try_for_each(copied)?;
    match given.list("mkdir").find(|path| !path.starts_with('/') || !path.ends_with('/')) {
        Some(path) => Err(format!("`mkdir` contains `{path}`; a folder must start and end with a slash")),
        None => Ok(()),
    }
}

/// Returns the structs in a list, each as the text of its fields.
fn structs<'a>(given: &Reader<'a>, param: &str) -> impl Iterator<Item = Vec<(&'a str, &'a str)>> {
    let items = given.get(param).and_then(Value::as_list).unwrap_or_default().iter();
    items.filter_map(|item| match item {
        Value::Struct(fields) => {
            Some(fields.iter().filter_map(|(name, value)| Some((&**name, value.as_str()?))).collect())
        }
        _ => None,
    })
}

/// Validates a key that may log in.
fn key(fields: Vec<(&str, &str)>) -> Result<(), String> {
    for (name, value) in fields {
        if matches!(name, "type" | "key") && value.is_empty() {
            return Err(format!("`ssh_keys` holds a key with an empty `{name}`"));
        }
        if value.contains(char::is_whitespace) {
            return Err(format!("`ssh_keys` holds a key with a blank in its `{name}`"));
        }
    }
    Ok(())
}

/// Validates the source and the target of a copied file.
fn copied(fields: Vec<(&str, &str)>) -> Result<(), String> {
    for (name, value) in fields {
        if !value.starts_with('/') {
            return Err(format!("`copy_in` holds the {name} `{value}`, which is not an absolute path"));
        }
        if name == "dest" && !value.ends_with('/') {
            return Err(format!("`copy_in` holds the dest `{value}`, which is a folder, so it must end in a slash"));
        }
    }
    Ok(())
}
