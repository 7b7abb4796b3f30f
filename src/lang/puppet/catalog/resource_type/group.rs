//! `group`: a user group.

use super::ResourceType;
use super::refusal::{FLAG, PRESENCE, is_digits};
use crate::graph::{Meta, Params};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "group",
    doc: "Manages a user group.",
    params: &[("ensure", "`present` (the default) or `absent`."), ("gid", "Its number.")],
    idle: "members auth_membership system allowdupe forcelocal provider",
    others: "name attributes attribute_membership ia_load_module",
    values: &[("ensure", PRESENCE), ("auth_membership", FLAG), ("system", FLAG), ("allowdupe", FLAG)],
    providers: &["groupadd", "aix", "directoryservice", "ldap", "pw"],
    refuse,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    match value {
        Value::Str(gid) if name == "gid" && !is_digits(gid.trim_start_matches('-')) && !gid.is_empty() => {
            Some(format!("Invalid GID {gid}"))
        }
        _ => None,
    }
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let mut params = Params::default();
    params.set("state", g.state());
    g.pass_int(&mut params, "gid", "gid");
    Ok(declaration("group", g.name(), params))
}
