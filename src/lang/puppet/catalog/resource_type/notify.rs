//! `notify`: a message in the log.

use super::ResourceType;
use super::refusal::BOOLEAN;
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};

pub(super) const TYPE: ResourceType = ResourceType {
    name: "notify",
    is_isomorphic: false,
    doc: "Writes a message to the log. It is a change at every apply, so it also notifies other resources.",
    params: &[("message", "The message (default: the title).")],
    idle: "withpath",
    others: "name",
    values: &[("withpath", BOOLEAN)],
    map: Some(map),
    ..ResourceType::PLAIN
};

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let mut params = Params::default();
    let body = g.text("message").unwrap_or_else(|| g.name());
    params.set("body", g.guarded("message", Ours::Str(body.into())));
    params.set("priority", "Notice".into());
    params.set("always", Ours::Bool(true));
    g.ignore(&["name"]);
    Ok(declaration("msg", &*g.resource.title, params))
}
