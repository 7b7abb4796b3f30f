//! Parameters of machines in machines, and of machines that are reached by their controllers.

use std::net::Ipv4Addr;

use super::address::card;
use super::files::written;
use super::{Given, absolute};
use crate::graph::Value;

pub(super) fn firmware(given: &Given) -> Result<(), String> {
    given.needs("provider")?;
    given.needs("file")?;
    given.text("file").map_or(Ok(()), |path| written("file", path))?;
    given.needs("version")
}

pub(super) fn container(given: &Given) -> Result<(), String> {
    given.is_one_of("state", &["running", "stopped", "removed"])?;
    given.needs("image")?;
    if let Some(env) = given.list("env").find(|env| !env.contains('=') || env.contains(' ')) {
        return Err(format!("`env` contains `{env}`; expected `NAME=value`"));
    }
    if let Some(Value::Map(protocols)) = given.params.get("ports") {
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

pub(super) fn image(given: &Given) -> Result<(), String> {
    given.is_one_of("state", &["exists", "absent"])?;
    protocol_version(given)
}

/// `v1.24`
fn protocol_version(given: &Given) -> Result<(), String> {
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

pub(super) fn hetzner(given: &Given) -> Result<(), String> {
    given.needs("apitoken")?;
    given.may_be("state", &["running", "off", "absent", "exists"])?;
    given.may_be("allowrebuild", &["ignore", "ifneeded"])?;
    given.may_be("serverrescuemode", &["linux32", "linux64", "freebsd64"])
}

pub(super) fn nspawn(given: &Given) -> Result<(), String> {
    if given.name.len() > 64 {
        return Err("the name is longer than 64 bytes".into());
    }
    given.is_one_of("state", &["running", "stopped"])
}

pub(super) fn virt(given: &Given) -> Result<(), String> {
    given.may_be("state", &["running", "paused", "shutoff"])?;
    startup(given)?;
    let most = given.int("maxcpus").unwrap_or(32);
    match given.int("cpus") {
        Some(cpus) if cpus > most => Err(format!("`cpus` is {cpus}, which is more than `maxcpus`, {most}")),
        _ => Ok(()),
    }
}

/// What starts with the machine, which what is gone after a stop cannot.
fn startup(given: &Given) -> Result<(), String> {
    given.may_be("startup", &["enabled", "disabled"])?;
    if given.is_true("transient") && given.is_filled("startup") {
        return Err("`startup` cannot be set with `transient`".into());
    }
    Ok(())
}

pub(super) fn network(given: &Given) -> Result<(), String> {
    given.may_be("state", &["up", "down"])?;
    startup(given)?;
    given.may_be("mode", &["nat"])?;
    if given.is_true("transient") && given.text("state") == Some("down") { Ok(()) } else { card(given) }
}

pub(super) fn range(given: &Given) -> Result<(), String> {
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

pub(super) fn builder(given: &Given) -> Result<(), String> {
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
    match given.list("mkdir").find(|path| !path.starts_with('/') || !path.ends_with('/')) {
        Some(path) => Err(format!("`mkdir` contains `{path}`; a folder must start and end with a slash")),
        None => Ok(()),
    }
}
