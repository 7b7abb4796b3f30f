//! `filebucket`: a place for replaced files. The journal keeps what is replaced.

use super::refusal::BOOLEAN;
use super::{ResourceType, nothing};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "filebucket",
    doc: "A place for replaced files. Accepted without effect: the journal keeps what is replaced.",
    params: &[("name", "The name (default: the title).")],
    idle: "path server port",
    refuse,
    map: Some(nothing),
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    match value {
        Value::Str(path) if name == "path" && !path.starts_with('/') && !BOOLEAN.contains(&&**path) => {
            Some("Filebucket paths must be absolute".into())
        }
        _ => None,
    }
}
