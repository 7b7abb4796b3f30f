//! The nodes to compile for: a folder of facts, or one file with the facts or names of all nodes.
//!
//! Accepted: files as `puppet facts` or `facter --json` print them, in YAML or JSON; one file with a list of
//! `{"certname": ..., "facts": {...}}`, or with facts by node name; a text with one name a line. Rejected: two nodes of
//! one name, and a file that is none of these.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::world::{Live, PathKind, Read, ReadError, Sample, World};

/// More nodes are a mistake.
const MOST: usize = 100_000;

/// The endings of files of facts.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// A node to compile for.
#[derive(Clone, Debug)]
pub struct Node {
    pub name: String,
    pub(super) facts: Facts,
}

/// Where the facts of a node are.
#[derive(Clone, Debug)]
pub(super) enum Facts {
    /// Where the program's environment has them, or else this machine's.
    Default,
    File(PathBuf),
    /// A part of a file.
    Part(PathBuf, Arc<[u8]>),
}

impl Facts {
    /// The path that programs read them from.
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Facts::Default => None,
            Facts::File(path) | Facts::Part(path, _) => Some(path.clone()),
        }
    }

    /// Reads them; a large fleet's facts are not all in memory.
    pub fn read(&self) -> Option<Result<Arc<[u8]>, ReadError>> {
        match self {
            Facts::Default => None,
            Facts::File(path) => Some(plain(path)),
            Facts::Part(_, bytes) => Some(Ok(Arc::clone(bytes))),
        }
    }
}

/// The facts in a file. `puppet facts` puts them below `values`.
fn plain(path: &Path) -> Result<Arc<[u8]>, ReadError> {
    let bytes = (&Live::new() as &dyn World).file(path)?;
    let is_wrapped = |bytes: &[u8]| bytes.windows(6).take(512).any(|word| word == b"values");
    if !is_wrapped(&bytes) {
        return Ok(bytes);
    }
    let inner = read_value(&bytes).ok().and_then(|value| match value {
        Json::Object(mut object) => match object.remove("values") {
            Some(values @ Json::Object(_)) => Some(values),
            _ => None,
        },
        _ => None,
    });
    Ok(inner.map_or(bytes, |values| values.to_string().into_bytes().into()))
}

/// Why there are no nodes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NodesError {
    #[error("{0}")]
    Read(#[from] ReadError),
    #[error("{} has no file of facts: names end in .yaml, .yml or .json", .0.display())]
    NoFacts(PathBuf),
    #[error("{}: neither facts nor a list of node names", .0.display())]
    NotFacts(PathBuf),
    #[error("node `{0}` is there twice")]
    Twice(String),
    #[error("more than {MOST} nodes")]
    TooMany,
}

/// The nodes of `--nodes`, and those named by `--node`, in order.
pub fn read_nodes(path: Option<&Path>, names: &[String]) -> Result<Vec<Node>, NodesError> {
    let world: &dyn World = &Live::new();
    let mut nodes = match path {
        None => Vec::new(),
        Some(path) if world.kind(path) == PathKind::Folder => of_folder(world, path)?,
        Some(path) => of_file(world, path)?,
    };
    if path.is_none() {
        nodes.extend(names.iter().map(|name| Node { name: name.clone(), facts: Facts::Default }));
    } else if !names.is_empty() {
        // With both, the names select among the nodes.
        nodes.retain(|node| names.contains(&node.name));
        let is_missing = |name: &&String| !nodes.iter().any(|node| node.name == **name);
        nodes.extend(
            names
                .iter()
                .filter(is_missing)
                .map(|name| Node { name: name.clone(), facts: Facts::Default })
                .collect::<Vec<_>>(),
        );
    }
    if nodes.len() > MOST {
        return Err(NodesError::TooMany);
    }
    let mut seen = BTreeSet::new();
    match nodes.iter().find(|node| !seen.insert(&node.name)) {
        Some(node) => Err(NodesError::Twice(node.name.clone())),
        None => Ok(nodes),
    }
}

fn of_folder(world: &dyn World, folder: &Path) -> Result<Vec<Node>, NodesError> {
    let Sample::Names(names) = world.read(&Read::Folder(folder.into()))? else {
        return Err(NodesError::NoFacts(folder.into()));
    };
    let nodes: Vec<Node> = names
        .into_iter()
        .filter_map(|file| {
            let (stem, ending) = file.rsplit_once('.')?;
            let is_facts = ENDINGS.contains(&ending) && !stem.is_empty() && !stem.starts_with('.');
            is_facts.then(|| Node { name: stem.into(), facts: Facts::File(folder.join(&file)) })
        })
        .collect();
    if nodes.is_empty() { Err(NodesError::NoFacts(folder.into())) } else { Ok(nodes) }
}

fn of_file(world: &dyn World, path: &Path) -> Result<Vec<Node>, NodesError> {
    let bytes = world.file(path)?;
    let not_facts = || NodesError::NotFacts(path.into());
    let part = |name: String, facts: &Json| {
        let place = path.join(format!("{name}.json"));
        Node { name, facts: Facts::Part(place, facts.to_string().into_bytes().into()) }
    };
    match read_value(&bytes) {
        Ok(Json::Array(items)) => items.iter().map(|item| named(item, &part).ok_or_else(not_facts)).collect(),
        Ok(Json::Object(object)) => {
            if let Some(node) = named(&Json::Object(object.clone()), &part) {
                return Ok(vec![node]);
            }
            if is_facts(&object) {
                let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
                return Ok(vec![Node { name, facts: Facts::File(path.into()) }]);
            }
            let all = object.iter().map(|(name, facts)| match facts {
                Json::Object(_) => Ok(part(name.clone(), facts)),
                _ => Err(not_facts()),
            });
            all.collect()
        }
        _ => {
            let text = std::str::from_utf8(&bytes).map_err(|_| not_facts())?;
            let names: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            let is_name = |name: &&str| name.chars().all(|c| c.is_alphanumeric() || "._-:@".contains(c));
            if names.is_empty() || !names.iter().all(is_name) {
                return Err(not_facts());
            }
            Ok(names.into_iter().map(|name| Node { name: name.into(), facts: Facts::Default }).collect())
        }
    }
}

/// A node of `{"certname": ..., "facts": {...}}`, or of `puppet facts`.
fn named(item: &Json, part: &dyn Fn(String, &Json) -> Node) -> Option<Node> {
    let name = ["certname", "name"].iter().find_map(|key| item.get(*key)?.as_str())?;
    let facts = ["facts", "values"].iter().find_map(|key| item.get(*key).filter(|facts| facts.is_object()))?;
    Some(part(name.to_owned(), facts))
}

/// Whether an object has facts, and not nodes.
fn is_facts(object: &Map<String, Json>) -> bool {
    ["os", "networking", "kernel", "fqdn", "hostname", "facterversion"].iter().any(|fact| object.contains_key(*fact))
}

/// JSON, or else YAML.
fn read_value(bytes: &[u8]) -> Result<Json, ()> {
    serde_json::from_slice(bytes).or_else(|_| {
        let text = std::str::from_utf8(bytes).map_err(|_| ())?;
        let text = text.replacen("!ruby/object:Puppet::Node::Facts", "", 1);
        crate::module::parse_yaml(&text).map_err(|_| ())
    })
}
