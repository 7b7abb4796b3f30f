//! `resources`: removes what is not managed of a type. Not implemented here.

use super::refusal::{BOOLEAN, FLAG, invalid, is_digits, items, munging};
use super::{ResourceType, find};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "resources",
    doc: "Removes what is not managed of a type. Not implemented here.",
    params: &[("purge", "Whether it removes.")],
    others: "name unless_uid unless_system_user",
    refuse,
    refuse_whole,
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    match name {
        "purge" if !FLAG.contains(&&*text) => Some(munging(name, value, "expected a boolean value")),
        "unless_system_user" if !BOOLEAN.contains(&&*text) && !is_digits(&text) => {
            Some(invalid(value, "Valid values are true, false. Valid values match /^\\d+$/."))
        }
        "unless_uid" => items(value).into_iter().find_map(|one| match one {
            Value::Str(uid) if uid.trim().parse::<i64>().is_err() => {
                Some(munging(name, one, &format!("invalid value for Integer(): {}", convert::ruby(one))))
            }
            _ => None,
        }),
        _ => None,
    }
}

/// Only resources that can be absent can be removed. Whether there is a type is checked where the types of modules are known.
fn refuse_whole(resource: &Resource) -> Option<String> {
    let purges = resource.parameter("purge").is_some_and(|purge| ["true", "yes"].contains(&&*convert::string(purge)));
    let name = resource.parameter("name").map_or_else(|| resource.title.to_string(), convert::string);
    let is_without = find(&name).is_some_and(|ty| !ty.is_open && !ty.parameters().any(|name| name == "ensure"));
    (purges && is_without).then(|| "Purging is only supported on types that accept 'ensure'".into())
}
