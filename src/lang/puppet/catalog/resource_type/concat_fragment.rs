//! `concat_fragment` of the module concat: its file has its content.

use super::ResourceType;
use crate::graph::{Meta, Params};
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};

pub(super) const TYPE: ResourceType = ResourceType {
    name: "concat_fragment",
    is_of_module: true,
    doc: "Adds a fragment to a `concat_file`. A type of the module concat.",
    params: &[
        ("name", "Its name."),
        ("target", "The path or title of the file."),
        ("tag", "Adds it to the files with this tag."),
        ("content", "The content."),
        ("source", "A file with the content, or several of which the first one that exists counts."),
        ("order", "Its place (default: 10)."),
    ],
    map: Some(map),
    ..ResourceType::PLAIN
};

/// A fragment changes nothing: its file has its content.
fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    g.ignore(&["target", "content", "source", "order", "tag", "name"]);
    Ok(declaration("noop", g.name(), Params::default()))
}
