//! Whether a condition of a breakpoint names what there is, in the program or among what kinds of resources have.

use crate::graph::Graph;
use crate::lang::DeclaredKind;
use crate::plan::Step;
use crate::plan::stop::{Names, Stop};
use crate::resource::SCHEMAS;

/// What kinds tell as changed that is none of their parameters.
const OTHER_PROPERTIES: [&str; 15] = [
    "along",
    "code",
    "folder",
    "hold",
    "message",
    "mounted",
    "refresh",
    "selinux",
    "settings",
    "stored",
    "table",
    "transient_hostname",
    "type",
    "version",
    "written to",
];

/// `Err` names the first word that speaks of what is nowhere.
///
/// `declared` are the kinds that the program declares.
pub fn check_stop<'a>(
    stop: &Stop,
    graph: &Graph,
    declared: &[DeclaredKind],
    steps: impl IntoIterator<Item = &'a Step>,
) -> Result<(), String> {
    let theirs = declared.iter().flat_map(|kind| &kind.params).map(|param| &*param.name);
    let names = Names {
        kinds: SCHEMAS.iter().map(|schema| schema.kind).chain(declared.iter().map(|kind| &*kind.name)).collect(),
        fields: SCHEMAS.iter().flat_map(|schema| schema.params).map(|param| param.name).chain(theirs).collect(),
        properties: OTHER_PROPERTIES.to_vec(),
    };
    stop.check(&names, graph, steps)
}
