//! Parameters of what serves over the network, and of what asks there.

use std::net::Ipv4Addr;

use super::address::{is_address, is_ipv4, is_network};
use super::{Given, absolute};

pub(super) fn http_client(given: &Given) -> Result<(), String> {
    absolute("file", given.text("file").filter(|path| !path.is_empty()).unwrap_or(given.name))?;
    if let Some(method) = given.filled("method").filter(|method| !METHODS.contains(method)) {
        return Err(format!("`method` is `{method}`; it must be one of {}", METHODS.join(", ")));
    }
    let (redirect, conditional) = (given.is_true("longpoll_redirect"), given.is_true("longpoll_conditional"));
    if redirect && conditional {
        return Err("`longpoll_redirect` and `longpoll_conditional` cannot both be set".into());
    }
    if given.is_true("longpoll") && !redirect && !conditional {
        return Err("`longpoll` needs `longpoll_redirect` or `longpoll_conditional`".into());
    }
    if let Some(hash) = given.text("sha256").filter(|hash| !hash.is_empty())
        && (hash.len() != 64 || !hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
    {
        return Err(format!("`sha256` is `{hash}`; it must be 64 lower-case hexadecimal digits"));
    }
    match given.text("url") {
        Some(url) if !(url.starts_with("http://") || url.starts_with("https://")) => {
            Err(format!("`url` is `{url}`; it must start with `https://` or `http://`"))
        }
        None if !given.is_set("url") => Err("`url` must be set".into()),
        _ => Ok(()),
    }
}

/// What may be asked of a server.
const METHODS: &[&str] = &["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "CONNECT", "OPTIONS", "TRACE"];

/// A path on a server.
pub(super) fn rooted(param: &str, path: &str) -> Result<(), String> {
    if path.starts_with('/') { Ok(()) } else { Err(format!("`{param}` is `{path}`; it must start with a slash")) }
}

/// Where something listens: `host:port`, the host an address or nothing.
fn listens(address: &str) -> Result<&str, String> {
    let host = address.rsplit_once(':').map(|(host, _)| host);
    let host = host.map(|host| host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host));
    match host {
        Some("") => Ok(""),
        Some(host) if is_address(host) && (is_ipv4(host) || address.starts_with('[')) => Ok(host),
        _ => Err(format!("`address` is `{address}`; expected for example `:80` or `127.0.0.1:80`")),
    }
}

/// A folder by its full path, with the slash at its end.
fn folder(param: &str, path: &str) -> Result<(), String> {
    absolute(param, path)?;
    if path.ends_with('/') { Ok(()) } else { Err(format!("`{param}` is a folder, so it must end in a slash")) }
}

pub(super) fn server(given: &Given) -> Result<(), String> {
    listens(given.or_name("address"))?;
    given.filled("root").map_or(Ok(()), |root| folder("root", root))
}

pub(super) fn served_file(given: &Given) -> Result<(), String> {
    given.not_both("path", "data")?;
    let Some(path) = given.filled("path") else { return Ok(()) };
    absolute("path", path)?;
    if given.is_true("longpoll") && path.ends_with('/') {
        return Err("`longpoll` is only for files, but `path` is a folder".into());
    }
    Ok(())
}

pub(super) fn proxy(given: &Given) -> Result<(), String> {
    rooted("path", given.or_name("path"))?;
    for param in ["sub", "cache"] {
        given.filled(param).map_or(Ok(()), |path| folder(param, path))?;
    }
    match given.filled("head") {
        Some(head) if !head.ends_with('/') => Err("`head` must end in a slash".into()),
        _ => Ok(()),
    }
}

pub(super) fn form(given: &Given) -> Result<(), String> {
    folder("path", given.or_name("path"))
}

pub(super) fn firewalld(given: &Given) -> Result<(), String> {
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

pub(super) fn dhcp_server(given: &Given) -> Result<(), String> {
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
    match given.filled("serverid").filter(|address| !is_ipv4(address)) {
        Some(address) => Err(format!("`serverid` is `{address}`, which is not an IPv4 address")),
        None => boot_program(given),
    }
}

/// Where a machine that boots from the network finds its program.
pub(super) fn boot_program(given: &Given) -> Result<(), String> {
    match given.filled("nbp") {
        Some(address) if !address.starts_with("tftp:") => {
            Err(format!("`nbp` is `{address}`; it must start with `tftp://`"))
        }
        _ => Ok(()),
    }
}

pub(super) fn dhcp_range(given: &Given) -> Result<(), String> {
    let bare = |text: &'_ str| text.split_once('/').map_or(text, |(address, _)| address).to_owned();
    match (given.filled("from"), given.filled("to")) {
        (Some(from), Some(to)) => {
            let (first, last) = (bare(from).parse::<Ipv4Addr>(), bare(to).parse::<Ipv4Addr>());
            if first.is_err() || last.is_err() {
                return Err("`from` and `to` must be IPv4 addresses".into());
            }
            if (from.contains('/') || to.contains('/')) == given.is_filled("mask") {
                return Err("set the mask once: in `mask`, or after a slash in `from` and `to`".into());
            }
        }
        (Some(_), None) if !given.is_set("to") => return Err("`from` needs `to`".into()),
        (None, Some(_)) if !given.is_set("from") => return Err("`to` needs `from`".into()),
        _ => {}
    }
    if let Some(address) = given.list("skip").find(|address| !is_address(address) && !is_network(address)) {
        return Err(format!("`skip` contains `{address}`, which is not an address"));
    }
    boot_program(given)
}
