//! `host`: a line of `/etc/hosts`.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::ResourceType;
use super::refusal::{PRESENCE, items};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "host",
    doc: "Manages a line in `/etc/hosts`.",
    params: &[
        ("ensure", "`present` (the default) or `absent`."),
        ("ip", "The address; required unless it is absent."),
        ("host_aliases", "Other names of the host."),
        ("comment", "A comment at the end of the line."),
        ("target", "The file (default: `/etc/hosts`)."),
    ],
    idle: "provider",
    others: "name",
    values: &[("ensure", PRESENCE)],
    refuse,
    refuse_name: Some(refuse_name),
    map: Some(map),
    ..ResourceType::PLAIN
};

fn refuse_name(name: &str) -> Option<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_part = |part: &str| {
        !part.is_empty()
            && part.starts_with(is_word)
            && part.ends_with(is_word)
            && part.chars().all(|c| is_word(c) || c == '-')
    };
    // What is behind the last point may be empty.
    let parts = name.trim_end_matches('.').split('.');
    parts.map(is_part).any(|is_part| !is_part).then(|| "Invalid host name".into())
}

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    items(value).into_iter().find_map(|one| {
        let text = convert::string(one);
        match name {
            "ip" => (!is_address(&text)).then(|| format!("Invalid IP address {}", convert::ruby(one))),
            "host_aliases" if text.trim().is_empty() => {
                Some("Host aliases cannot be an empty string. Use an empty array to delete all host_aliases ".into())
            }
            "host_aliases" => {
                text.contains(char::is_whitespace).then(|| "Host aliases cannot include whitespace".into())
            }
            "comment" => text.contains(['\n', '\r']).then(|| "Comment cannot include newline".into()),
            _ => None,
        }
    })
}

/// An address, of which leading zeros and a zone are allowed.
fn is_address(text: &str) -> bool {
    let bytes: Vec<&str> = text.split('.').collect();
    let is_byte = |byte: &&str| {
        (1..=3).contains(&byte.len())
            && byte.bytes().all(|b| b.is_ascii_digit())
            && byte.parse::<u16>().is_ok_and(|byte| byte <= 255)
    };
    let v6 = text.trim().split('%').next().unwrap_or_default();
    text.parse::<Ipv4Addr>().is_ok()
        || bytes.len() == 4 && bytes.iter().all(is_byte)
        || !text.contains(['\n', '\r']) && v6.parse::<Ipv6Addr>().is_ok()
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let name = g.name();
    let mut params = Params::default();
    params.set("state", g.state());
    params.set("file", Ours::Str(g.text("target").unwrap_or_else(|| "/etc/hosts".into()).into()));
    params.set("word", Ours::Int(1));
    if g.is_present() {
        let mut line = format!("{}\t{name}", g.text("ip").ok_or("`ip` is not set")?);
        let aliases = g.list("host_aliases");
        if !aliases.is_empty() {
            line.push_str(&format!("\t{}", aliases.join(" ")));
        }
        if let Some(comment) = g.text("comment").filter(|comment| !comment.is_empty()) {
            line.push_str(&format!("\t# {comment}"));
        }
        params.set("line", Ours::Str(line.into()));
    } else {
        g.ignore(&["ip", "host_aliases", "comment"]);
    }
    Ok(declaration("entry", name, params))
}
