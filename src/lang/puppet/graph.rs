//! The finished catalog as our graph: resources, and containers as begin and end.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::ast::Form;
use super::catalog::{Catalog, Finished, Sort, kinds, order, ral};
use super::convert;
use super::ids::ResourceId as Id;
use super::names::capitalised;
use super::types::Type;
use super::unknown::is_deferred;
use super::value::Value;
use crate::graph::Value as Shown;
use crate::graph::{Anchor, Declaration, Draft, Edge, Graph, Mapping, Node, NodeIndex, Reason, Resource, ResourceId};
use crate::lang::Places;
use crate::lang::shared::texts::Texts;
use crate::source::{Place, Span};

/// What has no effect here: a sentence and where it is set.
#[derive(Default)]
pub struct Notes {
    list: Vec<(String, Place)>,
    seen: BTreeSet<String>,
}

impl Notes {
    /// Once for each key.
    fn add(&mut self, key: String, text: impl FnOnce() -> String, place: impl FnOnce() -> Place) {
        if self.seen.insert(key) {
            self.list.push((text(), place()));
        }
    }
}

/// The graph of a catalog.
pub struct Built {
    pub graph: Graph,
    /// Parameters without effect here, each with the place of its resource.
    pub notes: Vec<(String, Place)>,
    pub declared: Declared,
}

/// Where the parts of the graph are declared.
#[derive(Default)]
pub struct Declared {
    /// The resource of each node.
    nodes: Vec<Id>,
    edges: Vec<Option<Span>>,
}

/// The declarations in a catalog.
pub struct InCatalog<'a> {
    pub catalog: &'a Catalog,
    pub declared: &'a Declared,
}

impl Places for InCatalog<'_> {
    fn node(&self, at: NodeIndex) -> Option<Span> {
        self.declared.nodes.get(at.0 as usize).map(|id| self.catalog.get(*id).span)
    }

    fn parameter(&self, at: NodeIndex, param: &str) -> Option<Span> {
        let resource = self.catalog.get(*self.declared.nodes.get(at.0 as usize)?);
        let own = OTHER_NAMES.iter().filter(|(_, ours)| *ours == param).map(|(own, _)| *own);
        own.chain([param]).find_map(|name| resource.parameters.get(name)).map(|parameter| parameter.span)
    }

    fn edge(&self, edge: usize) -> Option<Span> {
        self.declared.edges.get(edge).copied().flatten()
    }
}

/// Parameters that a kind has under another name: Puppet's and ours.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("ensure", "state"),
    ("target", "source"),
    ("ensure", "symlink"),
    ("mode", "mode_change"),
    ("home", "homedir"),
    ("gid", "group"),
    ("command", "cmd"),
    ("environment", "env"),
    ("onlyif", "ifcmd"),
    ("unless", "nifcmd"),
    ("refresh", "refreshcmd"),
    ("line", "content"),
    ("path", "file"),
    ("message", "msg"),
    ("enable", "startup"),
];

/// Builds the graph of a finished catalog. `draft` gets it on the way.
pub fn graph(e: &Finished<'_>, draft: &Draft) -> Built {
    let mut graph = Graph::default();
    let mut notes = Notes::default();
    let mut nodes_of = Vec::new();
    let mut texts = Texts::default();
    let mut ends: Vec<Option<(NodeIndex, NodeIndex)>> = Vec::new();
    for id in e.catalog.ids() {
        let resource = e.catalog.get(id);
        let place = Some(e.inputs.sources.place(resource.span));
        let nodes = if resource.sort == Sort::Builtin {
            let node = graph.add(Node::Resource(plain(e, id, &mut notes, &mut texts))).ok();
            node.map(|n| (n, n))
        } else {
            let rank = graph.len() as u32;
            let kind = match resource.sort {
                Sort::Class => "class",
                Sort::Node => "node",
                _ if &*resource.ty == "stage" => "stage",
                _ => "define",
            };
            let anchor = |begin: bool| {
                let reference = resource.reference();
                let name =
                    if resource.sort == Sort::Define { reference.as_str().into() } else { resource.title.clone() };
                Node::Anchor(Anchor {
                    id: ResourceId(if begin { reference.into() } else { format!("{reference}/end").into() }),
                    kind: kind.into(),
                    name,
                    begin,
                    rank,
                    source: place.clone(),
                })
            };
            graph.add(anchor(true)).ok().zip(graph.add(anchor(false)).ok())
        };
        ends.push(nodes);
        if resource.sort == Sort::Define && resource.is_exported && e.inputs.settings.exported {
            let _ = graph.add(Node::Resource(exported_define(e, id, &mut notes, &mut texts)));
        }
        nodes_of.resize(graph.len(), id);
        draft.on_nodes(&graph);
    }
    let mut edges = Vec::new();
    let mut connect = |from: NodeIndex, to: NodeIndex, notify: bool, reason: Reason, span: Option<Span>| {
        graph.connect(Edge { from, to, notify, reason, send: None, source: None });
        edges.push(span);
    };
    for nodes in ends.iter().flatten().filter(|(begin, end)| begin != end) {
        connect(nodes.0, nodes.1, false, Reason::Containment, None);
    }
    let at = |id: Id| ends.get(id.0 as usize).copied().flatten();
    for (container, id) in &e.catalog.edges {
        if let (Some(outer), Some(inner)) = (at(*container), at(*id)) {
            connect(outer.0, inner.0, true, Reason::Containment, None);
            connect(inner.1, outer.1, true, Reason::Containment, None);
        }
    }
    for relation in order::relationships(e) {
        if let (Some(source), Some(target)) = (at(relation.source), at(relation.target)) {
            let reason = if relation.span.is_none() { Reason::Auto } else { Reason::Declared };
            connect(source.1, target.0, relation.refresh, reason, relation.span);
        }
    }
    // The file of a `concat_file` is made while applying, and needs its folder.
    for id in e.catalog.ids().filter(|id| &*e.catalog.get(*id).ty == "concat_file") {
        let folder = ral::folder_of(e.catalog, &e.name_of(e.catalog.get(id)), id);
        if let (Some(folder), Some(file)) = (folder.and_then(at), at(id)) {
            connect(folder.1, file.0, false, Reason::Auto, None);
        }
    }
    Built { graph, notes: notes.list, declared: Declared { nodes: nodes_of, edges } }
}

fn plain(e: &Finished<'_>, id: Id, notes: &mut Notes, texts: &mut Texts) -> Resource {
    let resource = e.catalog.get(id);
    let params = resource.parameters.iter().map(|(name, parameter)| {
        let value = shown(&parameter.value);
        let is_secret = resource.sensitive.contains(name) || e.hiera.holds_secret(&parameter.value);
        (name.clone(), if is_secret { Shown::Sensitive(Box::new(value)) } else { value })
    });
    let params = params.collect();
    let declared = Declaration { kind: resource.ty.clone(), name: resource.title.clone(), params };
    let id_text = ResourceId(resource.reference().into());
    let mut mapped = kinds::map(e, id);
    if let Mapping::To(ours) = &mut mapped.mapping {
        ours.kind = texts.share(&ours.kind);
        texts.share_params(&mut ours.params);
    }
    let is_virtual = resource.form != Form::Regular;
    for name in mapped.without_effect.iter().filter(|_| !is_virtual) {
        let place = || e.inputs.sources.place(resource.parameters.get(&**name).map_or(resource.span, |p| p.span));
        let text = || format!("`{name}` of {} has no effect here", resource.reference());
        notes.add(format!("{} {name}", resource.ty), text, place);
    }
    if let Some(why) = mapped.why.as_ref().filter(|_| !is_virtual) {
        let text = || format!("{} has no implementation here: {why}", resource.reference());
        // A reason that begins with a parameter is at that parameter.
        let name =
            why.strip_prefix('`').and_then(|rest| rest.split_once('`')).and_then(|(name, _)| name.split(' ').next());
        let parameter = name.and_then(|name| resource.parameters.get(name));
        let place = parameter.map_or(resource.span, |parameter| parameter.span);
        notes.add(resource.reference(), text, || e.inputs.sources.place(place));
    }
    let mut node = Resource::declare(id_text, declared, mapped.mapping);
    node.meta = mapped.meta;
    if e.inputs.settings.is_other_node {
        node.target = Some((&*e.inputs.settings.node).into());
    }
    node.tags = resource.tags.iter().cloned().collect();
    node.container = containers(e, id, texts);
    node.source = Some(e.inputs.sources.place(resource.span));
    node.is_virtual = is_virtual;
    node.exported = resource.is_exported;
    if resource.is_exported && e.inputs.settings.exported {
        node.meta.set_exported();
    }
    node
}

/// What of a define is exported. Its ends are anchors, and these have no parameters.
fn exported_define(e: &Finished<'_>, id: Id, notes: &mut Notes, texts: &mut Texts) -> Resource {
    let mut node = plain(e, id, notes, texts);
    node.id = ResourceId(format!("{}/exported", node.id).into());
    node.is_virtual = true;
    node
}

/// The classes and defines around a resource, outermost first.
fn containers(e: &Finished<'_>, id: Id, texts: &mut Texts) -> Vec<Arc<str>> {
    let mut out: Vec<Arc<str>> = Vec::new();
    let mut at = e.scopes.get(e.catalog.get(id).scope).resource;
    while let Some(container) = at {
        let resource = e.catalog.get(container);
        match resource.sort {
            Sort::Class if &*resource.title != "main" => out.push(texts.share(&format!("class {}", resource.title))),
            Sort::Define => out.push(texts.share(&resource.reference())),
            _ => {}
        }
        at = e.scopes.get(resource.scope).resource.filter(|next| *next != container && out.len() < 100);
    }
    out.reverse();
    out
}

fn shown(value: &Value) -> Shown {
    match value {
        Value::Undef => Shown::Null,
        Value::Bool(value) => Shown::Bool(*value),
        Value::Int(value) => Shown::Int(*value),
        Value::Float(value) => Shown::Float(*value),
        Value::Array(list) => Shown::List(list.iter().map(shown).collect()),
        Value::Hash(map) => Shown::Map(map.iter().map(|(k, v)| (shown(k), shown(v))).collect()),
        Value::Unknown(_) => Shown::Unknown,
        Value::Sensitive(inner) => Shown::Sensitive(Box::new(shown(inner))),
        // A function that runs while the catalog is applied.
        deferred if is_deferred(deferred) => Shown::Unknown,
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(name), Some(title)) => Shown::Str(format!("{}[{title}]", capitalised(name)).into()),
            Type::Class(Some(name)) => Shown::Str(format!("Class[{}]", capitalised(name)).into()),
            _ => Shown::Str(convert::text(value)),
        },
        other => Shown::Str(convert::text(other)),
    }
}
