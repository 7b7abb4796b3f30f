//! The kind `export`: stores the description of a resource, so that other programs of this machine can collect it.
//!
//! No program declares one. When a graph is prepared for a machine, each resource with `Meta:export` gets one per
//! target host, which comes after it and receives the same values. Each stored export of this program that is no longer
//! declared gets one that removes it. Secrets are never stored: the collecting program must provide them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use super::{Checked, Kind, Schema, Turn, kept, schema};
use crate::graph::{Declaration, Edge, Graph, Node, NodeIndex, Params, Reason, Resource, Value};
use crate::host::{FileKind, HostError, Look, Operation};
use crate::plan::{Action, Change};
use crate::world::{EXPORT_FORM, StoredExport, export_folder, export_name, exporter, exporter_of};

/// The kind `export`, which stores the description of a resource for other programs of this machine.
pub struct Export;

/// The stored description of a resource.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Described {
    pub params: Params,
    /// Without `export`, so that a collected resource is not exported again.
    #[serde(default)]
    pub meta: Params,
    /// The secret parameters, which are not stored.
    #[serde(default)]
    pub withheld: Vec<String>,
    /// The words by which its language selects it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Arc<str>>,
}

/// Who exports the resources of a graph.
pub struct Exporter<'a> {
    /// The program, as it is named among all on this machine.
    pub program: &'a str,
    /// The same for people.
    pub shown: &'a str,
    /// The host that the graph is for.
    pub host: &'a str,
    /// The language in whose words resources are stored; nothing where these are ours.
    pub language: Option<&'a str>,
}

/// The kind under which the store holds the resources of a language's type.
pub fn kind_of(language: &str, ty: &str) -> String {
    format!("{language}:{ty}")
}

/// The prefix of the kind's own parameters. No kind has such a parameter. All others belong to the resource.
const OWN: &str = "export:";
const FILE: &str = "export:file";
const KIND: &str = "export:kind";
const NAME: &str = "export:name";
const TO: &str = "export:to";
const PROGRAM: &str = "export:program";
const FROM: &str = "export:from";
const META: &str = "export:meta";
const TAGS: &str = "export:tags";
const OPEN: &str = "export:open";

impl Kind for Export {
    fn schema(&self) -> &'static Schema {
        &schema::EXPORT
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let path = place(turn)?;
        let have = held(&path, look)?;
        if turn.any_text(TO)?.is_none() {
            return Ok(match have {
                Have::Nothing => Checked::right(),
                _ => Checked {
                    action: Action::Remove,
                    operations: vec![Operation::RemoveFile { path }],
                    ..Checked::right().with_note("the program no longer exports it")
                },
            });
        }
        if turn.any_text(FROM)?.unwrap_or_default().is_empty() {
            return Ok(Checked::right().with_note("not stored: this machine has no host name"));
        }
        let before = have.described();
        let wanted = wanted(turn, &before)?;
        let note = match wanted.withheld.as_slice() {
            [] => String::new(),
            names => format!("without {} (secret, never stored)", quoted(names)),
        };
        let bytes = written(turn, &wanted)?;
        Ok(match have {
            Have::Bytes(have) if *have == *bytes => Checked::right(),
            Have::Unknown => return Err(HostError::Unknown { path }),
            have => {
                let action = if matches!(have, Have::Nothing) { Action::Create } else { Action::Change };
                let operations = kept::write_private(&path, bytes, 0o600, look)?;
                Checked { action, changes: changes(before, wanted), operations, ..Checked::right().with_note(note) }
            }
        })
    }

    fn mostly_waits(&self, _name: &str, _params: &Params) -> bool {
        true
    }
}

/// Returns the file of an export.
pub(super) fn place(turn: &Turn) -> Result<PathBuf, HostError> {
    let name = turn.text(FILE)?.filter(|name| exporter_of(name).is_some());
    let name = name.ok_or_else(|| HostError::Refused("its store path is missing".into()))?;
    Ok(export_folder(kept::folder(turn)?).join(name))
}

/// The present content of an export's file.
enum Have {
    Nothing,
    Bytes(Arc<[u8]>),
    /// Known after apply.
    Unknown,
}

impl Have {
    /// Returns the readable part.
    fn described(&self) -> Described {
        match self {
            Have::Bytes(bytes) => described(bytes).unwrap_or_default(),
            Have::Nothing | Have::Unknown => Described::default(),
        }
    }
}

fn held(path: &Path, look: &dyn Look) -> Result<Have, HostError> {
    match look.stat(path)?.map(|stat| stat.kind) {
        None => Ok(Have::Nothing),
        Some(FileKind::File) => Ok(look.read(path)?.map_or(Have::Unknown, Have::Bytes)),
        Some(found) => {
            let (found, wanted) = (found.words(), FileKind::File.words());
            Err(HostError::WrongKind { path: path.into(), found, wanted, hint_text: "delete it" })
        }
    }
}

/// Returns the description to store, without secrets. A received value that was not sent this time stays as stored: a
/// password that is not saved is sent only once.
fn wanted(turn: &Turn, before: &Described) -> Result<Described, HostError> {
    let mut wanted = Described::default();
    for (name, value) in turn.params.iter().filter(|(name, _)| !name.starts_with(OWN)) {
        if value.holds_unknown() {
            return Err(HostError::UnknownValue { param: name.to_string() });
        }
        match value.holds_secret() {
            true => wanted.withheld.push(name.to_string()),
            false => wanted.params.set(name.clone(), value.clone()),
        }
    }
    if let Some(Value::Struct(meta)) = turn.params.get(META) {
        meta.iter().for_each(|(name, value)| wanted.meta.set(name.clone(), value.clone()));
    }
    for open in turn.texts(OPEN)?.into_iter().filter(|open| turn.params.get(open).is_none()) {
        if let Some(value) = before.params.get(open) {
            wanted.params.set(open, value.clone());
        }
        wanted.withheld.extend(before.withheld.iter().find(|name| *name == open).cloned());
    }
    wanted.withheld.sort();
    wanted.tags = turn.texts(TAGS)?.into_iter().map(Arc::from).collect();
    Ok(wanted)
}

fn written(turn: &Turn, wanted: &Described) -> Result<Vec<u8>, HostError> {
    let text = |param| Ok::<_, HostError>(turn.any_text(param)?.unwrap_or_default().to_owned());
    let stored = StoredExport {
        form: EXPORT_FORM,
        kind: text(KIND)?,
        name: text(NAME)?,
        from: text(FROM)?,
        to: text(TO)?,
        program: text(PROGRAM)?,
        resource: serde_json::to_value(wanted).map_err(|error| HostError::Refused(error.to_string()))?,
    };
    let mut bytes = serde_json::to_vec(&stored).map_err(|error| HostError::Refused(error.to_string()))?;
    if described(&bytes).as_ref() != Some(wanted) {
        return Err(HostError::Refused("it contains a value that cannot be stored, such as an infinite number".into()));
    }
    bytes.push(b'\n');
    Ok(bytes)
}

/// Parses a file of the store; `None` for a foreign file.
fn described(bytes: &[u8]) -> Option<Described> {
    let stored: StoredExport = serde_json::from_slice(bytes).ok()?;
    serde_json::from_value(stored.resource).ok()
}

/// Returns the differences between two descriptions.
fn changes(before: Described, wanted: Described) -> Vec<Change> {
    let mut all: BTreeMap<Arc<str>, (Option<Value>, Option<Value>)> = BTreeMap::new();
    let named = |described: Described| {
        let meta = described.meta.iter().map(|(name, value)| (Arc::from(format!("Meta:{name}")), value.clone()));
        let params = described.params.iter().map(|(name, value)| (Arc::clone(name), value.clone()));
        params.chain(meta).collect::<Vec<_>>()
    };
    named(before).into_iter().for_each(|(name, value)| all.entry(name).or_default().0 = Some(value));
    named(wanted).into_iter().for_each(|(name, value)| all.entry(name).or_default().1 = Some(value));
    let differing = all.into_iter().filter(|(_, (from, to))| from != to);
    differing.map(|(name, (from, to))| Change { property: name.to_string(), from, to, sensitive: false }).collect()
}

fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Whether a resource stores an export, and is not declared by the program.
pub fn is_export(resource: &Resource) -> bool {
    &*resource.shown().kind == schema::EXPORT.kind
}

/// Returns the graph as declared, without exports.
pub fn declared(graph: &Graph) -> Cow<'_, Graph> {
    if !graph.resources().any(|(_, resource)| is_export(resource)) {
        return Cow::Borrowed(graph);
    }
    let mut declared = Graph::default();
    let is_ours = |node: &Node| matches!(node, Node::Resource(resource) if is_export(resource));
    // Node ids in a graph are unique.
    let places: Vec<Option<NodeIndex>> =
        graph.nodes().map(|node| if is_ours(node) { None } else { declared.add(node.clone()).ok() }).collect();
    for edge in graph.edges() {
        if let (Some(from), Some(to)) = (places[edge.from.0 as usize], places[edge.to.0 as usize]) {
            declared.connect(Edge { from, to, ..edge.clone() });
        }
    }
    Cow::Owned(declared)
}

/// Adds the exports of a graph, and the removals of this exporter's other stored exports.
///
pub fn add(graph: &mut Graph, by: &Exporter<'_>, state: &Path, look: &dyn Look) {
    let exporter = &*exporter(by.program, by.host);
    let exported: Vec<(NodeIndex, Resource)> = graph
        .resources()
        .filter(|(_, resource)| resource.exported)
        .flat_map(|(at, resource)| hosts(resource).map(move |to| (at, storing(resource, to, exporter, by))))
        .collect();
    let files: FxHashSet<String> = exported.iter().filter_map(|(_, storing)| file_of(storing)).collect();
    let mut sends: FxHashMap<NodeIndex, Vec<Edge>> = FxHashMap::default();
    if !exported.is_empty() {
        for edge in graph.edges().iter().filter(|edge| edge.send.is_some()) {
            sends.entry(edge.to).or_default().push(edge.clone());
        }
    }
    for (of, mut storing) in exported {
        let received = sends.get(&of).into_iter().flatten().filter_map(|edge| edge.send.as_ref());
        let open = received.map(|(_, param)| Value::Str(param.clone())).collect();
        storing.set(OPEN, Value::List(open));
        // Two hidden resources with the same content are exported once.
        let Ok(at) = graph.add(Node::Resource(storing)) else { continue };
        let (reason, source) = (Reason::Auto, None);
        graph.connect(Edge { from: of, to: at, notify: false, reason, send: None, source });
        for edge in sends.get(&of).into_iter().flatten() {
            graph.connect(Edge { to: at, notify: false, reason, ..edge.clone() });
        }
    }
    for gone in stored_by(exporter, state, look).into_iter().filter(|name| !files.contains(name)) {
        // The id is not in the graph.
        let _ = graph.add(Node::Resource(removal(gone, state, look)));
    }
}

/// Returns the target hosts of a resource without duplicates.
fn hosts(resource: &Resource) -> impl Iterator<Item = Arc<str>> {
    let hosts: BTreeSet<Arc<str>> = resource.meta.export().filter(|host| !host.is_empty()).map(Arc::from).collect();
    hosts.into_iter()
}

fn storing(of: &Resource, to: Arc<str>, exporter: &str, by: &Exporter<'_>) -> Resource {
    let Declaration { kind, name, params } = if by.language.is_some() { of.shown() } else { of.meant() };
    let kind = by.language.map_or_else(|| kind.clone(), |language| kind_of(language, kind).into());
    // Another language has its own words for them among the parameters.
    let meta = of.meta.iter().filter(|(name, _)| by.language.is_none() && ***name != *"export");
    let own = [
        (FILE, Value::from(&*export_name(exporter, &kind, name, &to))),
        (KIND, Value::Str(kind.clone())),
        (NAME, Value::Str(name.clone())),
        (FROM, Value::from(by.host)),
        (TO, Value::Str(to.clone())),
        (PROGRAM, Value::from(by.shown)),
        (META, Value::Struct(meta.map(|(name, value)| (name.clone(), value.clone())).collect())),
        (TAGS, Value::List(of.tags.iter().cloned().map(Value::Str).collect())),
    ];
    let mut all = params.clone();
    own.into_iter().for_each(|(name, value)| all.set(name, value));
    let noop = of.meta.get("noop").filter(|_| by.language.is_none());
    let noop = noop.map(|noop| (Arc::from("noop"), noop.clone()));
    let mut storing = resource(format!("{kind}[{name}] to {to}"), all, Params::from_iter(noop));
    storing.container.clone_from(&of.container);
    storing.source.clone_from(&of.source);
    storing
}

fn removal(file: String, state: &Path, look: &dyn Look) -> Resource {
    let bytes = look.read(&export_folder(state).join(&file)).ok().flatten();
    let stored = bytes.and_then(|bytes| serde_json::from_slice::<StoredExport>(&bytes).ok());
    let name = match stored {
        Some(StoredExport { kind, name, to, .. }) => format!("{kind}[{name}] to {to}"),
        None => file.clone(),
    };
    let params = Params::from_iter([(Arc::from(FILE), Value::from(&*file))]);
    resource(name, params, Params::default())
}

fn resource(name: String, params: Params, meta: Params) -> Resource {
    let mut resource = Resource::new(schema::EXPORT.kind, &name, params);
    resource.meta = meta.into();
    resource
}

fn file_of(storing: &Resource) -> Option<String> {
    storing.shown().params.get(FILE).and_then(Value::as_str).map(str::to_owned)
}

/// Returns the files of an exporter.
fn stored_by(exporter: &str, state: &Path, look: &dyn Look) -> Vec<String> {
    let folder = export_folder(state);
    let is_there = matches!(look.stat_target(&folder), Ok(Some(_)));
    // If the folder cannot be listed, removals wait for a later run.
    let names = if is_there { look.list(&folder).unwrap_or_default() } else { Vec::new() };
    let names = names.into_iter().filter_map(|name| name.into_string().ok());
    names.filter(|name| exporter_of(name) == Some(exporter)).collect()
}
