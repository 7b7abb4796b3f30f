//! `resources`: removes what is not managed of a type. Not implemented here.

use super::refusal::{BOOLEAN, FLAG, invalid, is_digits, items, munging};
use super::{ResourceType, is_builtin};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "resources",
    doc: "Removes what is not managed of a type. Not implemented here.",
    params: &[("purge", "Whether it removes.")],
    others: "name unless_uid unless_system_user",
    refuse,
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
        "name" if !is_builtin(&text) => Some(format!("Could not find resource type '{text}'")),
        _ => None,
    }
}
