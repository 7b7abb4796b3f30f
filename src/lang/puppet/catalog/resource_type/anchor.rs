//! `anchor` of the module stdlib: only other resources are ordered around it.

use super::{ResourceType, nothing};

pub(super) const TYPE: ResourceType = ResourceType {
    name: "anchor",
    is_of_module: true,
    doc: "Does nothing: other resources are ordered around it. A type of the module stdlib.",
    params: &[("name", "Its name.")],
    map: Some(nothing),
    ..ResourceType::PLAIN
};
