//! Steps that touch the same thing without an order between them, each with the edge that fixes it.
//!
//! A file is needed by what is below it, a user by what it owns, a package by its settings and its service, a unit file
//! by its service. Such a pair without an order works on one run and fails on the next. Automatic edges count. Accepted:
//! any order, also the reverse of ours. Rejected: guesses about commands, whose effects nobody declares.

use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::{Declaration, Graph, NodeIndex, ResourceId, Value};
use crate::host::Look;
use crate::resource::Footprint;
use crate::source::Place;

/// A missing edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// It should come first.
    pub from: ResourceId,
    pub to: ResourceId,
    pub why: String,
    pub places: [Option<Place>; 2],
}

/// What one resource provides and another one needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Provision {
    Path(PathBuf),
    User(String),
    Group(String),
    Package(String),
}

/// Finds the missing edges of a graph, whose edges include the automatic ones.
pub fn missing_edges(graph: &Graph, look: &dyn Look) -> Vec<Missing> {
    let order = Order::of(graph);
    let direct: FxHashSet<(NodeIndex, NodeIndex)> = graph.edges().iter().map(|edge| (edge.from, edge.to)).collect();
    let is_direct = |from: NodeIndex, to: NodeIndex| direct.contains(&(from, to)) || direct.contains(&(to, from));
    let mut providers: FxHashMap<Provision, Vec<NodeIndex>> = FxHashMap::default();
    for (at, resource) in graph.resources().filter(|(_, resource)| !resource.is_hidden()) {
        let Some(meant) = resource.mapping().filter(|meant| !is_absent(meant)) else { continue };
        for thing in provided(meant, look) {
            providers.entry(thing).or_default().push(at);
        }
    }
    let mut wanted: Vec<(NodeIndex, NodeIndex, String)> = Vec::new();
    for (at, resource) in graph.resources().filter(|(_, resource)| !resource.is_hidden()) {
        let Some(meant) = resource.mapping().filter(|meant| !is_absent(meant)) else { continue };
        for (things, why) in needed(meant, look) {
            // Of the folders above a path, the nearest one counts.
            let Some(found) = things.iter().find_map(|thing| providers.get(thing)) else { continue };
            let found = found.iter().filter(|from| **from != at && !is_direct(**from, at));
            wanted.extend(found.map(|from| (*from, at, why.clone())));
        }
    }
    // One search for each provider of which a direct edge does not decide.
    wanted.sort_by_key(|(from, to, _)| (*from, *to));
    wanted.dedup_by_key(|(from, to, _)| (*from, *to));
    let mut missing = Vec::new();
    for pairs in wanted.chunk_by(|one, other| one.0 == other.0) {
        let Some((from, ..)) = pairs.first() else { continue };
        let (after, before) = (order.reach(*from, &order.next), order.reach(*from, &order.previous));
        for (from, to, why) in pairs.iter().filter(|(_, to, _)| !after.contains(to) && !before.contains(to)) {
            let (Some(first), Some(second)) = (graph.resource(*from), graph.resource(*to)) else { continue };
            missing.push(Missing {
                from: first.id.clone(),
                to: second.id.clone(),
                why: why.clone(),
                places: [first.source.clone(), second.source.clone()],
            });
        }
    }
    missing
}

/// The order of a graph.
struct Order {
    next: Vec<Vec<NodeIndex>>,
    previous: Vec<Vec<NodeIndex>>,
}

impl Order {
    fn of(graph: &Graph) -> Self {
        let mut order = Self { next: vec![Vec::new(); graph.len()], previous: vec![Vec::new(); graph.len()] };
        for edge in graph.edges() {
            order.add(edge.from, edge.to);
        }
        order
    }

    fn add(&mut self, from: NodeIndex, to: NodeIndex) {
        if let Some(next) = self.next.get_mut(from.0 as usize) {
            next.push(to);
        }
        if let Some(previous) = self.previous.get_mut(to.0 as usize) {
            previous.push(from);
        }
    }

    fn reach(&self, from: NodeIndex, along: &[Vec<NodeIndex>]) -> FxHashSet<NodeIndex> {
        let (mut found, mut open) = (FxHashSet::default(), vec![from]);
        while let Some(at) = open.pop() {
            for next in along.get(at.0 as usize).into_iter().flatten() {
                if found.insert(*next) {
                    open.push(*next);
                }
            }
        }
        found
    }
}

fn text<'d>(meant: &'d Declaration, param: &str) -> Option<&'d str> {
    meant.params.get(param).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn is_absent(meant: &Declaration) -> bool {
    matches!(text(meant, "state"), Some("absent" | "uninstalled" | "purged"))
}

fn provided(meant: &Declaration, look: &dyn Look) -> Vec<Provision> {
    match &*meant.kind {
        "user" => vec![Provision::User(meant.name.to_string())],
        "group" => vec![Provision::Group(meant.name.to_string())],
        "pkg" => vec![Provision::Package(meant.name.to_string())],
        "file" | "mount" => Footprint::of(meant, &[], look).writes.into_iter().map(Provision::Path).collect(),
        _ => Vec::new(),
    }
}

/// What a resource needs, each as the alternatives of which the first that is managed counts, and why.
fn needed(meant: &Declaration, look: &dyn Look) -> Vec<(Vec<Provision>, String)> {
    let mut needed = Vec::new();
    let user = |name: &str| vec![Provision::User(name.into())];
    match &*meant.kind {
        "file" => {
            needed.extend(text(meant, "owner").map(|name| (user(name), format!("user {name} owns the file"))));
            let group = text(meant, "group");
            needed.extend(
                group.map(|name| (vec![Provision::Group(name.into())], format!("group {name} is that of the file"))),
            );
        }
        "user" => {
            let groups = meant.params.get("groups").and_then(Value::as_list).unwrap_or_default();
            let all = text(meant, "group").into_iter().chain(groups.iter().filter_map(Value::as_str));
            needed
                .extend(all.map(|name| (vec![Provision::Group(name.into())], format!("the user is in group {name}"))));
        }
        "exec" | "crontab" | "ssh:authorized_key" => {
            needed.extend(text(meant, "user").map(|name| (user(name), format!("it is for user {name}"))));
        }
        "svc" => {
            let name = meant.name.trim_end_matches(".service");
            needed.push((vec![Provision::Package(name.into())], format!("package {name} brings the service")));
            for folder in ["/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system"] {
                let unit = Path::new(folder).join(format!("{name}.service"));
                needed.push((vec![Provision::Path(unit)], "the file is the unit of the service".into()));
            }
        }
        _ => {}
    }
    for path in Footprint::of(meant, &[], look).writes {
        let below_etc = path.strip_prefix("/etc").ok().and_then(|rest| rest.components().next());
        if let Some(package) = below_etc.and_then(|part| part.as_os_str().to_str()) {
            let package = package.trim_end_matches(".conf");
            needed.push((vec![Provision::Package(package.into())], format!("package {package} has settings there")));
        }
        // A change in a file comes after the file itself.
        let is_in_file = !matches!(&*meant.kind, "file" | "mount");
        let above = path.ancestors().skip(usize::from(!is_in_file));
        let folders: Vec<Provision> =
            above.filter(|above| above.parent().is_some()).map(|above| Provision::Path(above.to_path_buf())).collect();
        if !folders.is_empty() {
            needed.push((folders, format!("{} is at or below that path", path.display())));
        }
    }
    needed
}
