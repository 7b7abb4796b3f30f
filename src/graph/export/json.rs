//! The JSON of `graph --format json`, written while the graph is walked, so that there is no second copy in memory.

use std::io::{self, Write};

use serde_json::{Map, Value as Json, json};

use crate::graph::{Declaration, Edge, Graph, Mapping, Node, Resource, ResourceId};
use crate::source::Place;

/// Writes the whole graph as one object, one resource and one edge per line.
pub fn write_json(out: &mut dyn Write, graph: &Graph, language: &str, entry: &str) -> io::Result<()> {
    write_lists(out, graph, language, entry)?;
    out.write_all(b"}\n")
}

/// The same for a graph after an apply, with the members of groups in a separate list, each with its parent.
pub fn write_grouped_json<'a>(
    out: &mut dyn Write,
    graph: &Graph,
    members: impl Iterator<Item = (&'a ResourceId, &'a Resource)>,
    language: &str,
    entry: &str,
) -> io::Result<()> {
    write_lists(out, graph, language, entry)?;
    out.write_all(b",\n\"groups\":[")?;
    let member = |(parent, resource): (&ResourceId, &Resource)| {
        let mut object = Map::from_iter([("parent".into(), json!(&*parent.0))]);
        declaration(resource.shown(), &mut object);
        Json::Object(object)
    };
    list(out, members.map(member))?;
    out.write_all(b"]}\n")
}

fn write_lists(out: &mut dyn Write, graph: &Graph, language: &str, entry: &str) -> io::Result<()> {
    write!(out, "{{\"version\":1,\"language\":{},\"entry\":{},\n\"resources\":[", json!(language), json!(entry))?;
    list(out, graph.resources().map(|(_, resource)| resource_json(resource)))?;
    out.write_all(b"],\n\"edges\":[")?;
    list(out, graph.edges().iter().map(|edge| edge_json(graph, edge)))?;
    out.write_all(b"]")?;
    if graph.has_anchors() {
        out.write_all(b",\n\"anchors\":[")?;
        list(out, graph.nodes().filter_map(anchor_json))?;
        out.write_all(b"]")?;
    }
    Ok(())
}

fn anchor_json(node: &Node) -> Option<Json> {
    let Node::Anchor(anchor) = node else { return None };
    Some(json!({
        "id": &*anchor.id.0, "kind": &*anchor.kind, "name": &*anchor.name, "begin": anchor.begin,
        "source": source(anchor.source.as_ref()),
    }))
}

fn list(out: &mut dyn Write, items: impl Iterator<Item = Json>) -> io::Result<()> {
    for (at, item) in items.enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &item)?;
    }
    Ok(())
}

/// Returns a resource as declared, and its mapping if that differs.
pub fn resource_json(resource: &Resource) -> Json {
    let mut object = Map::new();
    object.insert("id".into(), json!(&*resource.id.0));
    declaration(resource.shown(), &mut object);
    match &resource.mapped {
        Mapping::Same => {}
        Mapping::To(mapped) if mapped == resource.shown() => {}
        Mapping::To(mapped) => {
            let mut inner = Map::new();
            declaration(mapped, &mut inner);
            object.insert("mapped".into(), Json::Object(inner));
        }
        Mapping::None => {
            object.insert("mapped".into(), Json::Null);
        }
    }
    object.insert("meta".into(), resource.meta.to_json());
    object.insert("source".into(), source(resource.source.as_ref()));
    object.insert("container".into(), resource.container.iter().map(|name| json!(&**name)).collect());
    if !resource.tags.is_empty() {
        object.insert("tags".into(), resource.tags.iter().map(|tag| json!(&**tag)).collect());
    }
    if let Some(target) = &resource.target {
        object.insert("target".into(), json!(&**target));
    }
    object.insert("virtual".into(), json!(resource.is_virtual));
    object.insert("exported".into(), json!(resource.exported));
    Json::Object(object)
}

fn declaration(declared: &Declaration, object: &mut Map<String, Json>) {
    object.insert("kind".into(), json!(&*declared.kind));
    object.insert("name".into(), json!(&*declared.name));
    object.insert("params".into(), declared.params.to_json());
}

/// Returns an edge.
pub fn edge_json(graph: &Graph, edge: &Edge) -> Json {
    json!({
        "from": &*graph.node(edge.from).id().0,
        "to": &*graph.node(edge.to).id().0,
        "notify": edge.notify,
        "reason": edge.reason,
        "send": edge.send.as_ref().map(|(sent, _)| &**sent),
        "recv": edge.send.as_ref().map(|(_, received)| &**received),
        "source": source(edge.source.as_ref()),
    })
}

fn source(place: Option<&Place>) -> Json {
    place.map_or(Json::Null, |p| json!({"file": &*p.file, "line": p.line, "column": p.column}))
}
