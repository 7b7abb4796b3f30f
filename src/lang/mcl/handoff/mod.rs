//! A graph of any language as a program for mgmt, or the names of what has no such form.
//!
//! The program is compiled again before it leaves this file, and has to give the same graph: the same ids, parameters
//! and edges. What mgmt has no word for is refused at its place in the source: a kind, a parameter or a value. So are
//! two resources that would share a name. Containers have no form in mcl. The order through them becomes edges between
//! resources, with a notify where every edge on the way notifies, as in `engine/state.rs`.

mod fit;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::emit;
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::{Declaration, Edge, Graph, Mapping, Node, NodeIndex, Params, Reason, Resource, ResourceId, Value};
use crate::lang::{Choices, CompileOptions, RunLimits, Written};
use crate::module::{EntryPoint, LanguageName};
use crate::resource::{META, meta_parameter, schema};
use crate::source::Sources;
use crate::world::Memory;

/// The limit of edges that take the place of containers.
const MOST_EDGES: usize = 500_000;

/// Writes a checked program, or reports every obstacle.
pub fn handoff(graph: &Graph, sources: &Sources) -> Result<Written, Diagnostics> {
    let mut handoff = Handoff { sources, diagnostics: Diagnostics::new(Stage::Eval), notes: Vec::new() };
    let wanted = handoff.graph(graph);
    if !handoff.diagnostics.has_errors() {
        let text = emit::emit(&wanted);
        match difference(&wanted, &text) {
            None => return Ok(Written { text, graph: wanted, notes: handoff.notes() }),
            Some(why) => handoff.refuse_all(&format!("as mcl it is another program: {why}"), APPLY),
        }
    }
    Err(handoff.diagnostics)
}

/// The way that works for every graph.
const APPLY: &str = "`workbench apply` runs the program itself";

struct Handoff<'s> {
    sources: &'s Sources,
    diagnostics: Diagnostics,
    /// Each with the ids of its resources.
    notes: Vec<(&'static str, Vec<String>)>,
}

impl Handoff<'_> {
    /// Returns the graph in mgmt's words.
    fn graph(&mut self, graph: &Graph) -> Graph {
        self.targets(graph);
        let Some(edges) = direct_edges(graph) else {
            self.refuse_all("its containers stand for too many edges", APPLY);
            return Graph::default();
        };
        let mut ways = fit::Ways::default();
        for edge in edges.iter().filter(|edge| edge.notify) {
            ways.notifies.insert(edge.from);
            ways.notified.insert(edge.to);
        }
        let mut made = Graph::default();
        let mut place_of: FxHashMap<NodeIndex, NodeIndex> = FxHashMap::default();
        for (at, resource) in graph.resources().filter(|(_, resource)| !is_left_out(resource)) {
            let Some(wanted) = self.resource(resource, &ways, at) else { continue };
            match made.add(Node::Resource(wanted)) {
                Ok(new) => drop(place_of.insert(at, new)),
                Err(there) => {
                    let other = made.node(there).id().clone();
                    self.refuse(resource, format!("another resource is `{other}` in mcl too"), "rename one of the two");
                }
            }
        }
        for edge in edges {
            if let (Some(from), Some(to)) = (place_of.get(&edge.from), place_of.get(&edge.to)) {
                made.connect(Edge { from: *from, to: *to, ..edge });
            }
        }
        made
    }

    /// A published program runs everywhere, so it cannot hold the parts of several machines.
    fn targets(&mut self, graph: &Graph) {
        let mut targets: Vec<_> = graph.resources().map(|(_, resource)| resource.target.as_deref()).collect();
        targets.sort_unstable();
        targets.dedup();
        match &targets[..] {
            [Some(one)] => self.notes.push(("mcl does not name the machine", vec![format!("`{one}`")])),
            [] | [None] => {}
            several => {
                let names: Vec<_> = several.iter().map(|target| target.unwrap_or("this machine")).collect();
                let label = format!("it has resources of several machines: {}", names.join(", "));
                self.refuse_all(&label, "write one program for each machine");
            }
        }
    }

    fn resource(&mut self, resource: &Resource, ways: &fit::Ways, at: NodeIndex) -> Option<Resource> {
        let before = self.diagnostics.error_count();
        let Some(wanted) = resource.mapping() else {
            self.refuse(resource, format!("mgmt has no kind for `{}`", resource.id), "write it with other resources");
            return None;
        };
        let Some(known) = schema(&wanted.kind) else {
            self.refuse(
                resource,
                format!("`{}`: {}", resource.id, fit::kind(&wanted.kind)),
                fit::kind_help(&wanted.kind),
            );
            return None;
        };
        let mut params = Params::default();
        for (name, value) in wanted.params.iter().filter(|(_, value)| **value != Value::Null) {
            if known.param(name).is_some() {
                if let Err(why) = has_text(value) {
                    self.refuse(resource, format!("`{name}` of `{}` {why}", resource.id), APPLY);
                }
                params.set(name.clone(), value.clone());
            }
        }
        let mut fit = fit::Fit {
            wanted,
            params,
            is_notified: ways.notified.contains(&at),
            notifies: ways.notifies.contains(&at),
        };
        for (name, value) in wanted.params.iter().filter(|(name, _)| known.param(name).is_none()) {
            match fit.param(name, value) {
                fit::Form::None => {}
                fit::Form::Note(note) => self.note(note, resource),
                fit::Form::Refused(why, help) => {
                    self.refuse(resource, format!("`{name}` of `{}` has no mcl form: {why}", resource.id), help);
                }
            }
        }
        if let Some(help) = is_in_module(resource) {
            let label = format!("`source` of `{}` is a file of the module, which mcl does not have", resource.id);
            self.refuse(resource, label, help);
        }
        let declared = Declaration { params: fit.params, ..wanted.clone() };
        let meta = self.meta(resource, &declared.name);
        let id = ResourceId(format!("{}[{}]", declared.kind, declared.name).into());
        let mut made = Resource::declare(id, declared, Mapping::Same);
        (made.meta, made.source, made.is_virtual) = (meta.into(), resource.source.clone(), resource.is_virtual);
        (self.diagnostics.error_count() == before).then_some(made)
    }

    fn meta(&mut self, resource: &Resource, name: &str) -> Params {
        let mut made = Params::default();
        for (name, value) in resource.meta.iter() {
            match meta_parameter(name) {
                Some(_) if has_text(value).is_ok() => made.set(name.clone(), value.clone()),
                _ => {
                    let label = format!("`{name}` of `{}` has no mcl form", resource.id);
                    self.refuse(resource, label, "remove it, or run the program with `workbench apply`");
                }
            }
        }
        if name.starts_with('$') {
            made.set("dollar", Value::Bool(true));
        }
        made
    }

    fn refuse(&mut self, resource: &Resource, label: String, help: &str) {
        let span = resource.source.as_ref().and_then(|place| self.sources.span(place));
        let refused = match (span, &resource.source) {
            (Some(span), _) => Diagnostic::error(Code::NoMclForm, span).label(label),
            (None, Some(place)) => Diagnostic::placeless(Code::NoMclForm).label(format!("{place}: {label}")),
            (None, None) => Diagnostic::placeless(Code::NoMclForm).label(label),
        };
        self.diagnostics.push(refused.help(help));
    }

    fn note(&mut self, note: &'static str, resource: &Resource) {
        let id = resource.id.to_string();
        match self.notes.iter_mut().find(|(have, _)| *have == note) {
            Some((_, ids)) => ids.push(id),
            None => self.notes.push((note, vec![id])),
        }
    }

    /// Returns a line for each note, which names the first resources.
    fn notes(self) -> Vec<String> {
        const NAMED: usize = 3;
        let line = |(note, ids): (&str, Vec<String>)| {
            let more = ids.len().saturating_sub(NAMED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("{}{more}: {note}", ids[..ids.len().min(NAMED)].join(", "))
        };
        self.notes.into_iter().map(line).collect()
    }

    fn refuse_all(&mut self, label: &str, help: &str) {
        self.diagnostics.push(Diagnostic::placeless(Code::NoMclForm).label(label).help(help));
    }
}

/// Whether a resource is declared but not applied, and mcl does not need it either.
fn is_left_out(resource: &Resource) -> bool {
    resource.is_virtual && !resource.meta.hidden()
}

/// Returns the way out if the source of a file is served by Puppet, from the module.
fn is_in_module(resource: &Resource) -> Option<&'static str> {
    let is_served = |value: &Value| value.as_str().is_some_and(|text| text.starts_with("puppet:"));
    let source = resource.shown().params.get("source")?;
    let is_in = is_served(source) || source.as_list().is_some_and(|items| items.iter().any(is_served));
    is_in.then_some("use `content => file('MODULE/FILE')`, so that the text itself is in the graph")
}

/// Why a value has no literal.
fn has_text(value: &Value) -> Result<(), &'static str> {
    match value {
        Value::Sensitive(_) => Err("is secret, and is not written down"),
        Value::Unknown | Value::Ref(_) => Err("is only known after an apply"),
        Value::Deferred(_) => Err("is computed, and is not in the graph"),
        Value::Bytes(_) => Err("is not text, and mcl has no literal for bytes"),
        Value::Null => Err("holds a value that is not set, which mcl does not have"),
        Value::List(items) => items.iter().try_for_each(has_text),
        Value::Map(pairs) => pairs.iter().try_for_each(|(key, value)| has_text(key).and_then(|()| has_text(value))),
        Value::Struct(fields) => fields.iter().try_for_each(|(_, value)| has_text(value)),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) => Ok(()),
    }
}

/// Returns the edges between resources, also those through containers; `None` if they are too many. Where the language
/// computes its own order, mgmt does not, so its automatic edges become declared ones.
fn direct_edges(graph: &Graph) -> Option<Vec<Edge>> {
    let is_passed = |at: NodeIndex| graph.resource(at).is_none_or(is_left_out);
    let mut leaving: FxHashMap<NodeIndex, Vec<&Edge>> = FxHashMap::default();
    for edge in graph.edges().iter().filter(|edge| is_passed(edge.from)) {
        leaving.entry(edge.from).or_default().push(edge);
    }
    let is_automatic = |at: NodeIndex| graph.resource(at).is_some_and(|resource| resource.meta.autoedge());
    let mut edges: Vec<Edge> = Vec::new();
    for edge in graph.edges().iter().filter(|edge| !is_passed(edge.from)) {
        if !is_passed(edge.to) {
            let is_found_again = edge.reason == Reason::Auto && is_automatic(edge.from) && is_automatic(edge.to);
            let reason = match edge.reason {
                Reason::Send => Reason::Send,
                Reason::Auto if is_found_again => Reason::Auto,
                _ => Reason::Declared,
            };
            edges.push(Edge { reason, ..edge.clone() });
            continue;
        }
        let mut seen: FxHashSet<(NodeIndex, bool)> = FxHashSet::default();
        let mut open = vec![(edge.to, edge.notify)];
        while let Some((at, notify)) = open.pop() {
            if !seen.insert((at, notify)) {
                continue;
            }
            if is_passed(at) {
                // An anchor passes on a refresh along edges that notify, a resource that is left out along all.
                let passes = |next: &Edge| {
                    if graph.resource(at).is_some() { notify || next.notify } else { notify && next.notify }
                };
                open.extend(leaving.get(&at).into_iter().flatten().map(|next| (next.to, passes(next))));
            } else if edges.len() < MOST_EDGES {
                edges.push(Edge {
                    from: edge.from,
                    to: at,
                    notify,
                    reason: Reason::Declared,
                    send: None,
                    source: None,
                });
            } else {
                return None;
            }
        }
    }
    // Several edges between two resources are one order, which notifies if one of them does.
    let mut first: FxHashMap<(NodeIndex, NodeIndex), usize> = FxHashMap::default();
    let mut merged: Vec<Edge> = Vec::new();
    for edge in edges {
        match first.get(&(edge.from, edge.to)).filter(|_| edge.reason == Reason::Declared) {
            Some(at) => merged[*at].notify |= edge.notify,
            None => {
                if edge.reason == Reason::Declared {
                    first.insert((edge.from, edge.to), merged.len());
                }
                merged.push(edge);
            }
        }
    }
    Some(merged)
}

/// Compiles the program, and returns the first difference to the graph that it was made from.
fn difference(wanted: &Graph, text: &str) -> Option<String> {
    let entry = EntryPoint {
        language: LanguageName::Mcl,
        code: Some(("<graph>".into(), text.into())),
        shown: "<graph>".into(),
        ..EntryPoint::default()
    };
    let run = RunLimits::until(Stage::Eval);
    let options = CompileOptions { module_path: Vec::new(), choices: Choices::default(), run };
    let compiled = super::compile(&Memory::default(), &entry, &options);
    if let Some(error) =
        compiled.diagnostics.iter().find(|diagnostic| diagnostic.severity == crate::diag::Severity::Error)
    {
        let what = if error.label.is_empty() { error.code.summary() } else { &error.label };
        return Some(format!("{} ({})", what, error.code.as_str()));
    }
    let (before, after) = (resources(wanted), resources(&compiled.graph));
    if let Some((id, _)) = before.iter().find(|(id, resource)| after.get(*id) != Some(resource)) {
        return Some(match after.contains_key(id) {
            true => format!("`{id}` has other parameters"),
            false => format!("`{id}` is not in it"),
        });
    }
    if let Some(id) = after.keys().find(|id| !before.contains_key(*id)) {
        return Some(format!("it also has `{id}`"));
    }
    let (before, after) = (edges(wanted), edges(&compiled.graph));
    let lost = before.iter().find(|(ends, notify)| after.get(*ends) != Some(notify));
    let more = || after.iter().find(|(ends, _)| !before.contains_key(*ends));
    lost.or_else(more).map(|((from, to, _), _)| format!("the edge from `{from}` to `{to}` differs"))
}

/// Parameters and meta parameters by name, in a form that does not depend on the order of a map.
type Essence = (BTreeMap<String, String>, BTreeMap<String, String>);

fn resources(graph: &Graph) -> BTreeMap<String, Essence> {
    let named = |params: &mut dyn Iterator<Item = (String, &Value)>| -> BTreeMap<String, String> {
        params.map(|(name, value)| (name, sorted(value).to_string())).collect()
    };
    let essence = |(_, resource): (NodeIndex, &Resource)| {
        let params = named(&mut resource.meant().params.iter().map(|(name, value)| (name.to_string(), value)));
        let is_set = |name: &str, value: &Value| !META.iter().any(|meta| meta.name == name && meta.is_default(value));
        let meta = resource.meta.iter().filter(|(name, value)| is_set(name, value));
        let meta = named(&mut meta.map(|(name, value)| (name.to_string(), value)));
        (resource.id.0.to_string(), (params, meta))
    };
    graph.resources().map(essence).collect()
}

fn sorted(value: &Value) -> serde_json::Value {
    match value {
        Value::Map(pairs) => {
            let pair = |(key, value): &(Value, Value)| (key.to_json().to_string(), sorted(value));
            pairs.iter().map(pair).collect::<BTreeMap<_, _>>().into_iter().collect()
        }
        Value::List(items) => items.iter().map(sorted).collect(),
        other => other.to_json(),
    }
}

/// Both ends and what is sent.
type Ends = (String, String, String);

fn edges(graph: &Graph) -> BTreeMap<Ends, bool> {
    let mut all: BTreeMap<Ends, bool> = BTreeMap::new();
    for edge in graph.edges() {
        let name = |at: NodeIndex| graph.node(at).id().0.to_string();
        let sent = edge.send.as_ref().map_or(String::new(), |(sent, received)| format!("{sent} {received}"));
        *all.entry((name(edge.from), name(edge.to), sent)).or_default() |= edge.notify;
    }
    all
}
