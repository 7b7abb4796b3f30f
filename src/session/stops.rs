//! Checks the names in a breakpoint's conditions against the program and the kinds.

use crate::graph::Graph;
use crate::lang::{DeclaredKind, own_names};
use crate::plan::Step;
use crate::plan::stop::{Names, OTHER_PROPERTIES, Stop};
use crate::resource::SCHEMAS;

/// Returns the first word with an unknown name as `Err`.
///
/// `declared` are the kinds that the program declares.
pub fn check_stop<'a>(
    stop: &Stop,
    graph: &Graph,
    declared: &[DeclaredKind],
    steps: impl IntoIterator<Item = &'a Step>,
) -> Result<(), String> {
    let declared_params = declared.iter().flat_map(|kind| &kind.params).map(|param| &*param.name);
    let names = Names {
        kinds: SCHEMAS.iter().map(|schema| schema.kind).chain(declared.iter().map(|kind| &*kind.name)).collect(),
        fields: SCHEMAS
            .iter()
            .flat_map(|schema| schema.params)
            .map(|param| param.name)
            .chain(declared_params)
            .collect(),
        properties: OTHER_PROPERTIES.iter().copied().chain(own_names()).collect(),
    };
    stop.check(&names, graph, steps)
}
