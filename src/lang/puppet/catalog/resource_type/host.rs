//! `host`: a line of `/etc/hosts`.

use super::ResourceType;
use super::refusal::PRESENCE;
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::kinds::{Given, Made, declaration};

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
    map: Some(map),
    ..ResourceType::PLAIN
};

fn map(g: &Given, _meta: &mut Meta) -> Made {
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
