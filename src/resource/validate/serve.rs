//! Validates the parameters of network servers and clients.

use std::net::{IpAddr, Ipv4Addr};

use super::address::{is_address, is_ipv4, prefix};
use super::{Reader, absolute, duration, key, url};
use crate::graph::Value;

/// Validates a path on a server.
pub(in crate::resource) fn rooted(param: &str, path: &str) -> Result<(), String> {
    if path.starts_with('/') { Ok(()) } else { Err(format!("`{param}` is `{path}`; it must start with a slash")) }
}

/// Parses a listening address: `host:port`, where the host is an address or empty.
pub(in crate::resource) fn listens(address: &str) -> Result<&str, String> {
    match url::split_hostport(address) {
        Ok((host, _)) if host.is_empty() || is_address(host) => Ok(host),
        _ => Err(format!("`address` is `{address}`; expected for example `:80` or `127.0.0.1:80`")),
    }
}

/// Validates the absolute path of a folder, with a final slash.
pub(in crate::resource) fn folder(param: &str, path: &str) -> Result<(), String> {
    absolute(param, path)?;
    if path.ends_with('/') { Ok(()) } else { Err(format!("`{param}` is a folder, so it must end in a slash")) }
}

pub(super) fn form(given: &Reader) -> Result<(), String> {
    folder("path", given.or_name("path"))
}

pub(super) fn firewalld(given: &Reader) -> Result<(), String> {
    given.may_be("state", &["exists", "absent"])?;
    if given.list("services").any(str::is_empty) {
        return Err("`services` contains an empty string".into());
    }
    let is_port = |port: &str| {
        let parts = port.split_once('/');
        parts.is_some_and(|(number, protocol)| {
            number.parse::<i64>().is_ok_and(|number| number > 0) && !protocol.is_empty() && !protocol.contains('/')
        })
    };
    match given.list("ports").find(|port| !is_port(port)) {
        Some(port) => Err(format!("`ports` contains `{port}`; expected for example `80/tcp`")),
        None => Ok(()),
    }
}

pub(super) fn dhcp_server(given: &Reader) -> Result<(), String> {
    given.needs("interface")?;
    let host = listens(given.or_name("address"))?;
    if !host.is_empty() && !is_ipv4(host) {
        return Err(format!("`address` has the host `{host}`, which is not an IPv4 address"));
    }
    for param in ["dns", "routers"] {
        if let Some(address) = given.list(param).find(|address| !is_ipv4(address)) {
            return Err(format!("`{param}` contains `{address}`, which is not an IPv4 address"));
        }
    }
    if let Some(time) = given.filled("leasetime").filter(|time| duration::parse(time).is_none()) {
        return Err(format!("`leasetime` is `{time}`; it is like `1h` or `10m`"));
    }
    match given.filled("serverid").filter(|address| !is_ipv4(address)) {
        Some(address) => Err(format!("`serverid` is `{address}`, which is not an IPv4 address")),
        None => boot_program(given),
    }
}

/// Validates the place of a network boot program.
pub(super) fn boot_program(given: &Reader) -> Result<(), String> {
    match given.filled("nbp") {
        Some(address) if url::parse_any(address).map_or(true, |url| url.scheme != "tftp") => {
            Err(format!("`nbp` is `{address}`; it must start with `tftp://`"))
        }
        _ => Ok(()),
    }
}

pub(super) fn dhcp_range(given: &Reader) -> Result<(), String> {
    match (given.filled("from"), given.filled("to")) {
        (Some(from), Some(to)) => from_to(given, from, to)?,
        (Some(_), None) if !given.is_filled("to") => return Err("`from` needs `to`".into()),
        (None, Some(_)) if !given.is_filled("from") => return Err("`to` needs `from`".into()),
        _ if given.is_filled("from") => {}
        _ if given.is_filled("mask") => return Err("`mask` is for `from` and `to`; a network has its own".into()),
        _ if given.is_filled("network") => {
            given.text("network").map_or(Ok(()), |network| whole("`network`", network))?
        }
        _ => whole("the name", given.name)?,
    }
    if let Some(address) = given.list("skip").find(|address| !is_address(address) && prefix(address).is_none()) {
        return Err(format!("`skip` contains `{address}`, which is not an address"));
    }
    boot_program(given)
}

/// Validates a network that has addresses other than its own.
fn whole(what: &str, network: &str) -> Result<(), String> {
    match prefix(network) {
        None => Err(format!("{what} is `{network}`, which is not a network such as `192.0.2.0/24`")),
        Some((IpAddr::V4(address), 32)) if address.is_broadcast() => {
            Err(format!("{what} is `{network}`, which has no address for a host"))
        }
        Some(_) => Ok(()),
    }
}

fn from_to(given: &Reader, from: &str, to: &str) -> Result<(), String> {
    let is_v4 = |text: &str| is_ipv4(text) || prefix(text).is_some_and(|(address, _)| address.is_ipv4());
    if !is_v4(from) || !is_v4(to) {
        return Err("`from` and `to` are IPv4 addresses".into());
    }
    if (from.contains('/') || to.contains('/')) == given.is_filled("mask") {
        return Err("set the mask only once: in `mask`, or after the slash in `from` and `to`".into());
    }
    let Some(mask) = given.filled("mask") else { return Ok(()) };
    let is_right = match mask.strip_prefix('/') {
        Some(bits) => bits.parse::<u8>().is_ok_and(|bits| bits <= 32),
        None => mask.parse::<Ipv4Addr>().is_ok_and(|mask| {
            let zeros = !u32::from(mask);
            zeros != u32::MAX && zeros & zeros.wrapping_add(1) == 0
        }),
    };
    if is_right { Ok(()) } else { Err(format!("`mask` is `{mask}`; it is like `/24` or `255.255.255.0`")) }
}

pub(super) fn consul(given: &Reader) -> Result<(), String> {
    let in_name = url::parse_any(given.name).ok().filter(|_| !given.is_filled("key"));
    let scheme = match given.filled("scheme") {
        Some(scheme) => scheme.to_owned(),
        None => in_name.as_ref().map(|url| url.scheme.clone()).unwrap_or_default(),
    };
    if in_name.is_some_and(|url| url.path.is_empty()) {
        return Err("the name is a URL without a path, which the key would be".into());
    }
    if matches!(&*scheme, "" | "http" | "https") {
        Ok(())
    } else {
        Err(format!("the scheme is `{scheme}`; it can be `http` or `https`"))
    }
}

pub(super) fn remote(given: &Reader) -> Result<(), String> {
    let text = given.or_name("remote");
    let shown = url::without_password(text);
    let whole = if text.contains("://") { text.to_owned() } else { format!("ssh://{text}") };
    let url = url::parse_any(&whole).map_err(|why| format!("the address `{shown}` {why}"))?;
    if url.scheme != "ssh" {
        return Err(format!("the address `{shown}` begins with `{}://`; only `ssh://` is known", url.scheme));
    }
    let (host, port) = url.host_and_port();
    if host.is_empty() {
        return Err(format!("the address `{shown}` has no host"));
    }
    if !port.is_empty() && port.parse::<u16>().is_err() {
        return Err(format!("the address `{shown}` has a port above 65535"));
    }
    if url.has_password && !given.is_true("allow_cleartext_password") {
        return Err("the address holds a password, so `allow_cleartext_password` must be true".into());
    }
    given.is_one_of("state", &["running", "stopped"])?;
    let is_off = |param: &str| given.get(param) == Some(&Value::Bool(false));
    if given.int("converger_timeout").is_some_and(|timeout| timeout < 0) {
        return Err("`converger_timeout` is below 0".into());
    }
    if is_off("transient") && !is_off("tunnelled") {
        return Err("`tunnelled` needs `transient`, which is false".into());
    }
    if is_off("transient") && given.is_set("converger_timeout") {
        return Err("`converger_timeout` needs `transient`, which is false".into());
    }
    if let Some(address) = given.filled("tunnel_addr").filter(|_| !is_off("tunnelled"))
        && let Err(why) = url::split_hostport(address)
    {
        return Err(format!("`tunnel_addr` is `{address}`, which {why}"));
    }
    if let Some(key) = given.filled("hostkey").filter(|key| key::kind_of(key).is_none()) {
        return Err(format!("`hostkey` is `{key}`, which is not the base64 of a public key"));
    }
    if given.text("ssh_id") == Some("") && !given.is_true("interactive") && !url.has_password {
        return Err("there is no way to log in: `ssh_id` is empty and `interactive` is not true".into());
    }
    Ok(())
}
