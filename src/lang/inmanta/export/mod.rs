//! From a finished model to resources: every instance of a resource type under its id, ordered by `requires`.

mod fields;
mod finished;
mod kinds;

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::{Class, Raise, Result};
use super::plugin;
use super::pystr;
use super::python::{Getter, ResourceClass};
use super::types::EntityId;
use super::value::{InstanceId, Value as Model};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::graph::{
    Declaration, Draft, Edge, Graph, Mapping, Meta, Node, NodeIndex, Reason, Resource, ResourceId, Value,
};
use crate::lang::{DeclaredKind, Places, after_folders, finish};
use crate::source::Span;
use fields::Fields;
use kinds::{KNOWN, Known, takes_events};

pub use finished::Finished;

/// What a model asks for.
#[derive(Debug, Default)]
pub struct Exported {
    pub graph: Graph,
    pub kinds: Vec<DeclaredKind>,
    /// What was left out or has no effect, with a place.
    pub notes: Vec<(Option<Span>, String)>,
    /// Functions of resource classes that were not run.
    pub not_run: BTreeSet<String>,
}

/// A type whose instances are exported.
struct Registered {
    entity: EntityId,
    name: String,
    agent: Vec<String>,
    id: String,
    known: Option<&'static Known>,
    /// How a module's own class makes the resource.
    class: Option<ResourceClass>,
}

/// What a class computes of one instance.
#[derive(Default)]
struct Computed(Vec<(Arc<str>, Value)>);

impl Computed {
    fn get(&self, field: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| &**name == field).map(|(_, value)| value)
    }
}

/// Agents that are always this machine.
const OWN: &[&str] = &["localhost", "internal"];

/// Attributes that say how a resource is treated, not how it is.
const TREATMENT: &[&str] =
    &["send_event", "receive_events", "report_only", "managed", "purge_on_delete", "purged", "requires", "provides"];

/// Exports a model for a host. `draft` gets the graph before it is complete.
pub fn export(
    model: Finished,
    classes: &[ResourceClass],
    host: &str,
    draft: &Draft,
    diagnostics: &mut Diagnostics,
) -> Result<Exported> {
    let registered = registered(model, classes);
    let mut exporter = filled(model, &registered, host, draft)?;
    exporter.connect();
    exporter.finish(draft, diagnostics);
    exporter.declare_kinds(&registered);
    Ok(exporter.made)
}

/// The instance that is exported under an id.
pub fn instance_of(
    model: Finished,
    classes: &[ResourceClass],
    host: &str,
    of: &ResourceId,
) -> Result<Option<InstanceId>> {
    let exporter = filled(model, &registered(model, classes), host, &Draft::default())?;
    let is_it = |node: &NodeIndex| exporter.made.graph.node(*node).id() == of;
    Ok(exporter.nodes.iter().find(|(_, nodes)| nodes.iter().any(is_it)).map(|(id, _)| *id))
}

/// An exporter with every resource, and no edges.
fn filled<'m, 'a>(
    model: Finished<'m, 'a>,
    registered: &[Registered],
    host: &'m str,
    draft: &Draft,
) -> Result<Exporter<'m, 'a>> {
    let mut exporter = Exporter {
        model,
        host,
        made: Exported::default(),
        nodes: FxHashMap::default(),
        reported: Vec::new(),
        odd_fields: BTreeSet::new(),
    };
    let by_entity = of_entities(model, registered);
    for (id, entity) in model.instances() {
        for class in &by_entity[entity.0 as usize] {
            exporter.add(id, &registered[*class])?;
            draft.on_nodes(&exporter.made.graph);
        }
    }
    Ok(exporter)
}

/// The types of this model: those that modules declare, and those that are known by name.
fn registered(model: Finished, classes: &[ResourceClass]) -> Vec<Registered> {
    let known_as = |name: &str| KNOWN.iter().find(|known| known.entity == name);
    let declared = classes.iter().map(|class| (&*class.entity, &*class.agent, &*class.id, Some(class)));
    let by_name = KNOWN.iter().map(|known| (known.entity, known.agent, known.id, None));
    let mut found: Vec<Registered> = Vec::new();
    for (name, agent, id, class) in declared.chain(by_name) {
        let Some(entity) = model.find_entity(name) else { continue };
        if !found.iter().any(|other| other.entity == entity) {
            let agent = agent.split('.').map(str::to_string).collect();
            let (name, id, known) = (name.to_string(), id.to_string(), known_as(name));
            found.push(Registered { entity, name, agent, id, known, class: class.cloned() });
        }
    }
    found
}

/// The registered types that the instances of each entity are exported under, its own first.
fn of_entities(model: Finished, registered: &[Registered]) -> Vec<Vec<usize>> {
    let types_of = |entity: EntityId| {
        let mut found: Vec<usize> =
            (0..registered.len()).filter(|at| model.is_subclass(entity, registered[*at].entity)).collect();
        found.sort_by_key(|at| registered[*at].entity != entity);
        found
    };
    model.entities().map(types_of).collect()
}

struct Exporter<'m, 'a> {
    model: Finished<'m, 'a>,
    host: &'m str,
    made: Exported,
    /// The resources of each instance.
    nodes: FxHashMap<InstanceId, Vec<NodeIndex>>,
    /// Attributes without effect that were reported, by type.
    reported: Vec<(EntityId, &'static str)>,
    /// Fields of resource classes that their entities do not have.
    odd_fields: BTreeSet<String>,
}

impl Exporter<'_, '_> {
    fn attribute(&self, id: InstanceId, name: &str) -> Option<&Model> {
        self.model.attribute(id, name)
    }

    fn flag(&self, id: InstanceId, name: &str) -> Option<bool> {
        match self.attribute(id, name) {
            Some(Model::Bool(flag)) => Some(*flag),
            _ => None,
        }
    }

    fn place(&self, id: InstanceId) -> Option<Span> {
        self.model.place(id)
    }

    /// The text at the end of a path of attributes; `None` where it is not known.
    fn text(&self, id: InstanceId, path: &[String], class: &Registered) -> Result<Option<String>, String> {
        let wrong = |what: &str| format!("{what} `{}` of {} cannot be read", path.join("."), class.name);
        let Some((last, before)) = path.split_last() else { return Err(wrong("the attribute")) };
        let mut at = id;
        for name in before {
            match self.attribute(at, name) {
                Some(Model::Instance(next)) => at = *next,
                Some(Model::Unknown(_)) => return Ok(None),
                _ => return Err(wrong("the path")),
            }
        }
        match self.attribute(at, last) {
            Some(Model::Unknown(_)) => Ok(None),
            None | Some(Model::Null | Model::List(_) | Model::Dict(_) | Model::Instance(_)) => {
                Err(wrong("the attribute"))
            }
            Some(value) => Ok(Some(self.model.text(value))),
        }
    }

    /// Adds an instance as a resource of one type.
    fn add(&mut self, id: InstanceId, class: &Registered) -> Result<()> {
        if self.flag(id, "managed") == Some(false) {
            return Ok(());
        }
        let Some(computed) = self.computed(id, class) else { return Ok(()) };
        let place = self.place(id);
        let agent = self.text(id, &class.agent, class);
        let name = match computed.get(&class.id) {
            Some(Value::Unknown) => Ok(None),
            Some(value) => Ok(Some(pystr::of_graph(value))),
            None => self.text(id, std::slice::from_ref(&class.id), class),
        };
        let (agent, name) = match (agent, name) {
            (Ok(Some(agent)), Ok(Some(name))) => (agent, name),
            (Err(reason), _) | (_, Err(reason)) => {
                self.made.notes.push((place, format!("a resource of type {} is left out: {reason}", class.name)));
                return Ok(());
            }
            _ => {
                let is_code = class.class.as_ref().is_some_and(|own| own.getter(&class.id) == Some(&Getter::Code));
                let why = if is_code { "; Python computes it, with `--run-plugins`" } else { "" };
                let message = format!("a resource of type {} is left out: its id is not known{why}", class.name);
                self.made.notes.push((place, message));
                return Ok(());
            }
        };
        let text = format!("{}[{agent},{}={name}]", class.name, class.id);
        if agent.contains(',') || name.contains(']') {
            let mut raise = Raise::new(Class::Resource, format!("`{text}` is no id of a resource"));
            raise.place = place;
            return Err(raise.with_help("an agent has no `,` and a value in an id no `]`"));
        }
        let resource = self.resource(id, class, computed, (&name, ResourceId(text.as_str().into()), &agent));
        match self.made.graph.add(Node::Resource(resource)) {
            Ok(node) => self.nodes.entry(id).or_default().push(node),
            Err(there) => return Err(self.twice(there, &text, place)),
        }
        Ok(())
    }

    /// The fields that the class of a resource computes; `None` if it leaves the resource out.
    fn computed(&mut self, id: InstanceId, class: &Registered) -> Option<Computed> {
        let mut found = Computed::default();
        let Some(own) = &class.class else { return Some(found) };
        // Only the worker knows all getters of a class.
        let is_own =
            |field: &&String| own.class.is_empty() && (*field == "purged" || !TREATMENT.contains(&field.as_str()));
        for field in own.fields.iter().flatten().filter(is_own) {
            let is_computed = own.getters.iter().any(|(name, _)| name == field);
            if !is_computed && self.attribute(id, field).is_none() {
                found.0.push((field.as_str().into(), Value::Unknown));
                self.note_odd_field(id, class, field);
            }
        }
        let mut asked: Vec<&str> = Vec::new();
        for (field, getter) in &own.getters {
            let is_used = *field == own.id || own.fields.as_ref().is_none_or(|fields| fields.contains(field));
            if !is_used || TREATMENT.contains(&field.as_str()) && field != "purged" {
                continue;
            }
            let value = match getter {
                Getter::Path(path) => self.at(id, path).map_or(Value::Unknown, |value| self.model.plain(value)),
                Getter::Ignore => return None,
                Getter::Code => Value::Unknown,
                Getter::Worker => {
                    asked.push(field);
                    continue;
                }
            };
            if *getter == Getter::Code {
                self.made.not_run.insert(format!("{}.get_{field}", class.name));
            }
            found.0.push((field.as_str().into(), value));
        }
        if asked.is_empty() {
            found.0.sort_by(|(one, _), (other, _)| one.cmp(other));
            return Some(found);
        }
        asked.sort_unstable();
        match self.model.exported(&class.name, &asked, id) {
            plugin::Exported::Fields(values, faults) => {
                found.0.extend(values.into_iter().map(|(name, value)| (name.into(), value)));
                for (fault, place) in faults {
                    self.made.notes.push((place.or(self.place(id)), fault));
                }
            }
            plugin::Exported::Ignored => return None,
            plugin::Exported::Failed(reason) => {
                found.0.extend(asked.iter().map(|field| ((*field).into(), Value::Unknown)));
                let message = format!("computed fields of {} are unknown: {reason}", class.name);
                self.made.notes.push((self.place(id), message));
            }
        }
        // The fields of a class are a set.
        found.0.sort_by(|(one, _), (other, _)| one.cmp(other));
        Some(found)
    }

    /// A field of a class that is not an attribute of its entity is a warning, once.
    fn note_odd_field(&mut self, id: InstanceId, class: &Registered, field: &str) {
        let fields = self.model.fields(id);
        let near = crate::diag::nearest(field, fields.iter().map(|(name, _)| &**name));
        let help = near.map_or(format!("add `get_{field}` to its class"), |near| format!("did you mean `{near}`?"));
        let message =
            format!("the field `{field}` of {} is unknown: the entity has no such attribute; {help}", class.name);
        if self.odd_fields.insert(message.clone()) {
            self.made.notes.push((self.place(id), message));
        }
    }

    /// The value at the end of a path of attributes.
    fn at(&self, mut id: InstanceId, path: &[String]) -> Option<&Model> {
        let (last, before) = path.split_last()?;
        for name in before {
            match self.model.attribute(id, name) {
                Some(Model::Instance(next)) => id = *next,
                _ => return None,
            }
        }
        self.model.attribute(id, last)
    }

    fn resource(
        &mut self,
        id: InstanceId,
        class: &Registered,
        Computed(computed): Computed,
        (name, key, agent): (&str, ResourceId, &str),
    ) -> Resource {
        let mut values = self.model.fields(id);
        values.retain(|(name, _)| !computed.iter().any(|(other, _)| other == name));
        values.extend(computed);
        let fields = Fields::new(name, values);
        let (mapping, mut meta) = match class.known {
            Some(known) => {
                let mapped = (known.map)(&fields);
                for attribute in mapped.ignored {
                    self.report_ignored(id, class, attribute);
                }
                (Mapping::To(mapped.declaration), mapped.meta)
            }
            None => (Mapping::None, Meta::default()),
        };
        if self.flag(id, "report_only") == Some(true) {
            meta.set_noop();
        }
        let of_class = class.class.as_ref().and_then(|own| own.fields.as_ref());
        let shown = |name: &str, value: &Value| {
            of_class.is_none_or(|fields| fields.iter().any(|field| field == name))
                && (!TREATMENT.contains(&name) || (name == "purged" && *value != Value::Bool(false)))
        };
        for (name, value) in self.model.references(id) {
            if shown(&name, &value) {
                let message = format!("`{name}` of {key} is a reference: its value is unknown until an agent reads it");
                self.made.notes.push((self.model.place_of(id, &name).or(self.place(id)), message));
            }
        }
        let params = fields.into_values().filter(|(name, value)| shown(name, value)).collect();
        let declared = Declaration { kind: class.name.as_str().into(), name: name.into(), params };
        let mut resource = Resource::declare(key, declared, mapping);
        // The order is the model's alone.
        resource.meta = meta.as_declared();
        resource.source = self.place(id).map(|place| self.model.shown(place));
        let is_here = agent == self.host || OWN.contains(&agent);
        resource.target = Some(agent).filter(|_| !is_here).map(Arc::from);
        resource
    }

    fn report_ignored(&mut self, id: InstanceId, class: &Registered, attribute: &'static str) {
        if !self.reported.contains(&(class.entity, attribute)) {
            self.reported.push((class.entity, attribute));
            let message = format!("`{attribute}` of {} has no effect here", class.name);
            self.made.notes.push((self.place(id), message));
        }
    }

    fn twice(&self, there: NodeIndex, text: &str, place: Option<Span>) -> Box<Raise> {
        let message = format!("Resource {text} exists more than once in the configuration model");
        let mut raise = Raise::new(Class::Compiler, message).with_code(Code::DuplicateResource);
        raise.place = place;
        let first = self.nodes.iter().find(|(_, nodes)| nodes.contains(&there)).and_then(|(id, _)| self.place(*id));
        if let Some(first) = first {
            raise.related.push((first, "the first one is made here".to_string()));
        }
        raise.with_help("give it another name, or add an index to the entity so that both are one instance")
    }

    /// What is required comes first, and its event reaches what requires it.
    fn connect(&mut self) {
        let mut edges = Vec::new();
        let mut lost = Vec::new();
        for (id, _) in self.model.instances() {
            let Some(nodes) = self.nodes.get(&id) else { continue };
            let Some(Model::List(required)) = self.attribute(id, "requires") else { continue };
            let mut is_met = required.is_empty();
            for item in required.iter() {
                let Model::Instance(other) = item else { continue };
                let sources = self.nodes.get(other).map_or(&[][..], Vec::as_slice);
                is_met |= !sources.is_empty();
                let is_event =
                    self.flag(*other, "send_event").unwrap_or(false) && self.flag(id, "receive_events").unwrap_or(true);
                edges.extend(sources.iter().flat_map(|from| nodes.iter().map(move |to| (*from, *to, is_event))));
            }
            if !is_met {
                lost.push(id);
            }
        }
        for (from, to, is_event) in edges {
            let takes_events = self.made.graph.resource(to).is_some_and(|resource| takes_events(&resource.mapped));
            let notify = is_event && takes_events;
            self.made.graph.connect(Edge { from, to, notify, reason: Reason::Declared, send: None, source: None });
        }
        for id in lost {
            let message = "this resource requires only things that are no resources: it waits for nothing";
            self.made.notes.push((self.place(id), message.to_string()));
        }
    }

    /// Completes the graph; with errors it is empty.
    fn finish(&mut self, draft: &Draft, diagnostics: &mut Diagnostics) {
        let mut graph = std::mem::take(&mut self.made.graph);
        let mut found = Diagnostics::new(Stage::Compile);
        let nodes = self.nodes.iter().flat_map(|(id, nodes)| nodes.iter().map(|node| (*node, *id))).collect();
        let automatic = |graph: &mut Graph| {
            after_folders(graph);
            Ok(())
        };
        let edges = graph.edges().iter().map(|edge| edge.to).collect();
        finish(&mut graph, &Declared { exporter: self, nodes, edges }, automatic, draft, &mut found);
        if !found.has_errors() {
            self.made.graph = graph;
        }
        for diagnostic in found.iter() {
            let class = if diagnostic.code == Code::DependencyCycle { Class::DependencyCycle } else { Class::Resource };
            diagnostics.push(Diagnostic { error: Some(class.name().to_owned()), ..diagnostic.clone() });
        }
    }

    /// Types that nothing here implements are described by their entities.
    fn declare_kinds(&mut self, registered: &[Registered]) {
        for class in registered.iter().filter(|class| class.known.is_none()) {
            let (span, params) = self.model.described(class.entity);
            self.made.kinds.push(DeclaredKind {
                name: class.name.as_str().into(),
                params,
                doc: String::new(),
                source: Some(self.model.shown(span)),
            });
        }
    }
}

/// Where the parts of the graph are in the model.
struct Declared<'e, 'm, 'a> {
    exporter: &'e Exporter<'m, 'a>,
    nodes: FxHashMap<NodeIndex, InstanceId>,
    /// What waits, of each declared edge.
    edges: Vec<NodeIndex>,
}

/// Parameters that a kind has under another name: the attributes and ours.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("permissions", "mode"),
    ("purged", "state"),
    ("target", "source"),
    ("src", "source"),
    ("command", "cmd"),
    ("environment", "env"),
    ("onlyif", "ifcmd"),
    ("unless", "nifcmd"),
    ("reload", "refreshcmd"),
    ("onboot", "startup"),
];

impl Places for Declared<'_, '_, '_> {
    fn node(&self, at: NodeIndex) -> Option<Span> {
        self.exporter.place(*self.nodes.get(&at)?)
    }

    fn parameter(&self, at: NodeIndex, param: &str) -> Option<Span> {
        let id = *self.nodes.get(&at)?;
        let others = OTHER_NAMES.iter().filter(|(_, ours)| *ours == param).map(|(attribute, _)| *attribute);
        std::iter::once(param).chain(others).find_map(|name| self.exporter.model.place_of(id, name))
    }

    fn edge(&self, edge: usize) -> Option<Span> {
        let waits = self.edges.get(edge)?;
        let id = *self.nodes.get(waits)?;
        self.exporter.model.place_of(id, "requires").or_else(|| self.exporter.place(id))
    }
}
