//! The graph as input for mgmt's `run yaml`.
//!
//! That format has neither meta parameters nor sent values. Comments name what is missing. Edges that mgmt finds by
//! itself are left out.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::json;

use crate::graph::{Edge, Graph, Reason, Resource, Value};

/// Writes the graph under a name.
pub fn write_yaml(out: &mut dyn Write, graph: &Graph, name: &str) -> io::Result<()> {
    let name = if name.is_empty() { "graph" } else { name };
    writeln!(out, "---\ngraph: {}", json!(name))?;
    // Kinds in the order of their first resources.
    let mut kinds: Vec<&str> = Vec::new();
    let mut of_kind: BTreeMap<&str, Vec<&Resource>> = BTreeMap::new();
    for (_, resource) in graph.resources() {
        let kind = &*resource.meant().kind;
        if !of_kind.contains_key(kind) {
            kinds.push(kind);
        }
        of_kind.entry(kind).or_default().push(resource);
    }
    writeln!(out, "{}", if kinds.is_empty() { "resources: {}" } else { "resources:" })?;
    for kind in kinds {
        writeln!(out, "  {}:", json!(kind))?;
        of_kind[kind].iter().try_for_each(|resource| write_resource(out, resource))?;
    }
    let edges: Vec<_> = graph.edges().iter().filter(|edge| edge.reason != Reason::Auto).collect();
    writeln!(out, "{}", if edges.is_empty() { "edges: []" } else { "edges:" })?;
    edges.into_iter().enumerate().try_for_each(|(at, edge)| write_edge(out, graph, edge, at + 1))
}

fn write_resource(out: &mut dyn Write, resource: &Resource) -> io::Result<()> {
    writeln!(out, "  - name: {}", json!(&*resource.meant().name))?;
    for (name, value) in resource.meant().params.iter() {
        match flow(value) {
            Some(text) => writeln!(out, "    {name}: {text}")?,
            None if value.holds_secret() => writeln!(out, "    # the value of {name} is not shown")?,
            None => writeln!(out, "    # the value of {name} is not in the graph")?,
        }
    }
    for (name, _) in resource.meta.iter() {
        writeln!(out, "    # Meta:{name} has no place in this format")?;
    }
    Ok(())
}

fn write_edge(out: &mut dyn Write, graph: &Graph, edge: &Edge, number: usize) -> io::Result<()> {
    let (Some(from), Some(to)) = (graph.resource(edge.from), graph.resource(edge.to)) else { return Ok(()) };
    writeln!(out, "- name: e{number}")?;
    for (end, resource) in [("from", from), ("to", to)] {
        let declared = resource.meant();
        writeln!(out, "  {end}:\n    kind: {}\n    name: {}", json!(&*declared.kind), json!(&*declared.name))?;
    }
    if edge.notify {
        writeln!(out, "  notify: true")?;
    }
    match &edge.send {
        Some((sent, received)) => writeln!(out, "  # {sent} is sent to {received}, which has no place in this format"),
        None => Ok(()),
    }
}

/// Formats a value on one line: JSON, except that keys of maps may have any type. `None` if it cannot be written.
fn flow(value: &Value) -> Option<String> {
    let all = |parts: Vec<Option<String>>| parts.into_iter().collect::<Option<Vec<_>>>().map(|parts| parts.join(", "));
    match value {
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Str(_) => Some(value.to_json().to_string()),
        Value::Float(value) if value.is_nan() => Some(".nan".into()),
        Value::Float(value) if value.is_infinite() => Some(if *value > 0.0 { ".inf" } else { "-.inf" }.into()),
        Value::Float(_) => Some(value.to_json().to_string()),
        Value::List(items) => Some(format!("[{}]", all(items.iter().map(flow).collect())?)),
        Value::Map(pairs) => {
            let pair = |(key, value): &(Value, Value)| Some(format!("{}: {}", flow(key)?, flow(value)?));
            Some(format!("{{{}}}", all(pairs.iter().map(pair).collect())?))
        }
        Value::Struct(fields) => {
            let field = |(name, value): &(_, Value)| Some(format!("{name}: {}", flow(value)?));
            Some(format!("{{{}}}", all(fields.iter().map(field).collect())?))
        }
        Value::Bytes(_) | Value::Unknown | Value::Sensitive(_) | Value::Deferred(_) | Value::Ref(_) => None,
    }
}
