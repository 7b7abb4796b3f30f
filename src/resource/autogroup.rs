//! Automatic groups: resources that one turn can apply together, such as packages of one state, or a server with its
//! pages.
//!
//! Two resources may be grouped only if neither comes before the other, even indirectly. Equals (prints, packages) are
//! grouped if they have the same height in the graph, which is the length of the longest way to them: after merging
//! within one height, every edge still leads upwards. The parts of a server join it one by one, unless a member of the
//! group leads to them or comes from them. The reach of the group only grows, so the graph is walked once.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::order::order;
use crate::graph::{Declaration, Graph, Node, NodeIndex, Reason, Resource, ResourceId, Value};

/// A graph whose groups replace their members.
#[derive(Clone, Debug)]
pub struct Grouped {
    pub graph: Graph,
    /// In order of declaration.
    pub members: Vec<Member>,
}

/// A resource that is applied in the turn of another.
#[derive(Clone, Debug)]
pub struct Member {
    pub parent: ResourceId,
    pub resource: Resource,
}

/// Groups a graph without cycles. The last declared of equals, or the server, is the parent. The members' edges move to
/// it.
pub fn group(graph: &Graph) -> Grouped {
    let mut parents = Parents::alone(graph);
    join_servers(graph, &mut parents);
    if !order(&merged(graph, &parents).graph).cycles.is_empty() {
        // Each server's group alone has no cycle, but two of them together may have one.
        parents = Parents::alone(graph);
    }
    join_equals(graph, &mut parents);
    merged(graph, &parents)
}

/// The parent of each node. Most are their own.
struct Parents(Vec<NodeIndex>);

impl Parents {
    fn alone(graph: &Graph) -> Self {
        Self((0..graph.len() as u32).map(NodeIndex).collect())
    }

    fn of(&self, node: NodeIndex) -> NodeIndex {
        let direct = self.0[node.0 as usize];
        if direct == node { node } else { self.of(direct) }
    }
}

/// Returns the resources that may be grouped.
fn takers(graph: &Graph) -> impl DoubleEndedIterator<Item = (NodeIndex, &Declaration)> {
    graph.nodes().enumerate().filter_map(|(at, node)| {
        let Node::Resource(resource) = node else { return None };
        let off = resource.is_virtual || !resource.meta.autogroup();
        resource.wanted().filter(|_| !off).map(|wanted| (NodeIndex(at as u32), wanted))
    })
}

/// Returns the kind of the server that a kind belongs to.
fn server_kind(kind: &str) -> Option<&'static str> {
    let servers = ["http:server", "dhcp:server", "tftp:server", "virt:network"];
    match kind {
        "dhcp:host" | "dhcp:range" => Some("dhcp:server"),
        "tftp:file" => Some("tftp:server"),
        "virt:network:host" | "virt:network:range" => Some("virt:network"),
        _ => servers.into_iter().find(|server| kind.strip_prefix(server).is_some_and(|rest| rest.starts_with(':'))),
    }
}

fn join_servers(graph: &Graph, parents: &mut Parents) {
    let mut wishes: Vec<(NodeIndex, &'static str, Option<&str>)> = Vec::new();
    for (at, wanted) in takers(graph) {
        if let Some(kind) = server_kind(&wanted.kind) {
            let named = wanted.params.get("server").or_else(|| wanted.params.get("network")).and_then(Value::as_str);
            wishes.push((at, kind, named.filter(|name| !name.is_empty())));
        }
    }
    if wishes.is_empty() {
        return;
    }
    let ways = Ways::new(graph);
    for (server, wanted) in takers(graph) {
        let mut group = Group::default();
        group.add(server, &ways);
        for (at, kind, named) in &wishes {
            let fits = *kind == &*wanted.kind && named.is_none_or(|name| *name == *wanted.name);
            if fits && parents.0[at.0 as usize] == *at && group.may_add(*at) {
                group.add(*at, &ways);
                parents.0[at.0 as usize] = server;
            }
        }
    }
}

/// Both directions of every edge.
struct Ways {
    after: Vec<Vec<NodeIndex>>,
    before: Vec<Vec<NodeIndex>>,
}

impl Ways {
    fn new(graph: &Graph) -> Self {
        let mut ways = Self { after: vec![Vec::new(); graph.len()], before: vec![Vec::new(); graph.len()] };
        for edge in graph.edges() {
            ways.after[edge.from.0 as usize].push(edge.to);
            ways.before[edge.to.0 as usize].push(edge.from);
        }
        ways
    }
}

/// The predecessors and successors of a group, including its members.
#[derive(Default)]
struct Group {
    after: FxHashSet<NodeIndex>,
    before: FxHashSet<NodeIndex>,
}

impl Group {
    fn may_add(&self, node: NodeIndex) -> bool {
        !self.after.contains(&node) && !self.before.contains(&node)
    }

    fn add(&mut self, node: NodeIndex, ways: &Ways) {
        for (seen, ways) in [(&mut self.after, &ways.after), (&mut self.before, &ways.before)] {
            let mut work = vec![node];
            while let Some(node) = work.pop() {
                if seen.insert(node) {
                    work.extend(&ways[node.0 as usize]);
                }
            }
        }
    }
}

/// Returns the common property of equals; `None` for kinds that are not grouped with equals.
fn likeness(wanted: &Declaration) -> Option<String> {
    let flag = |name: &str| wanted.params.get(name) == Some(&Value::Bool(true));
    match &*wanted.kind {
        "noop" => Some("noop".to_owned()),
        "print" if !flag("refresh_only") => Some("print".to_owned()),
        "test" if flag("alwaysgroup") => Some("test".to_owned()),
        "pkg" => {
            let state = wanted.params.get("state").and_then(Value::as_str)?;
            let flags = ["allowdowngrade", "allowuntrusted", "allownonfree", "allowunsupported"].map(flag);
            matches!(state, "installed" | "uninstalled" | "newest").then(|| format!("pkg {state} {flags:?}"))
        }
        _ => None,
    }
}

fn join_equals(graph: &Graph, parents: &mut Parents) {
    let heights = heights(graph, parents);
    let mut groups: BTreeMap<(u32, String), NodeIndex> = BTreeMap::new();
    // From the last to the first, so that the last one becomes the parent.
    for (at, wanted) in takers(graph).rev() {
        if let Some(likeness) = likeness(wanted) {
            parents.0[at.0 as usize] = *groups.entry((heights[at.0 as usize], likeness)).or_insert(at);
        }
    }
}

/// Returns the length of the longest way to each node. A server and its members count as one.
fn heights(graph: &Graph, parents: &Parents) -> Vec<u32> {
    let merged = merged(graph, parents).graph;
    let mut heights = vec![0; merged.len()];
    let ways = Ways::new(&merged);
    for node in order(&merged).order {
        for next in &ways.after[node.0 as usize] {
            heights[next.0 as usize] = heights[next.0 as usize].max(heights[node.0 as usize] + 1);
        }
    }
    let height = |at: u32| {
        let there = merged.find(graph.node(parents.of(NodeIndex(at))).id());
        there.map_or(0, |there| heights[there.0 as usize])
    };
    (0..graph.len() as u32).map(height).collect()
}

/// Returns the graph without the members, with their edges moved to the parents.
fn merged(graph: &Graph, parents: &Parents) -> Grouped {
    let mut grouped = Grouped { graph: Graph::default(), members: Vec::new() };
    let mut place: FxHashMap<NodeIndex, NodeIndex> = FxHashMap::default();
    for (at, node) in graph.nodes().enumerate() {
        let at = NodeIndex(at as u32);
        let parent = parents.of(at);
        match node {
            Node::Resource(resource) if parent != at => {
                let parent = graph.node(parent).id().clone();
                grouped.members.push(Member { parent, resource: resource.clone() });
            }
            _ => {
                if let Ok(there) = grouped.graph.add(node.clone()) {
                    place.insert(at, there);
                }
            }
        }
    }
    let mut plain: FxHashMap<(NodeIndex, NodeIndex), usize> = FxHashMap::default();
    for edge in graph.edges() {
        let (Some(from), Some(to)) = (place.get(&parents.of(edge.from)), place.get(&parents.of(edge.to))) else {
            continue;
        };
        if from == to {
            continue;
        }
        if edge.reason != Reason::Send {
            if let Some(there) = plain.get(&(*from, *to)) {
                grouped.graph.edges_mut()[*there].notify |= edge.notify;
                continue;
            }
            plain.insert((*from, *to), grouped.graph.edges().len());
        }
        grouped.graph.connect(crate::graph::Edge { from: *from, to: *to, ..edge.clone() });
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edge, Params};

    fn graph(resources: &[(&str, &str)], edges: &[(u32, u32)]) -> Graph {
        let mut graph = Graph::default();
        for (kind, name) in resources {
            let resource = Resource::new(kind, name, Params::default());
            graph.add(Node::Resource(resource)).expect("names differ");
        }
        for (from, to) in edges {
            let (from, to) = (NodeIndex(*from), NodeIndex(*to));
            graph.connect(Edge { from, to, notify: false, reason: Reason::Declared, send: None, source: None });
        }
        graph
    }

    fn groups(resources: &[(&str, &str)], edges: &[(u32, u32)]) -> Vec<String> {
        let grouped = group(&graph(resources, edges));
        assert!(order(&grouped.graph).cycles.is_empty());
        grouped.members.iter().map(|member| format!("{} in {}", member.resource.id, member.parent)).collect()
    }

    #[test]
    fn equals_at_one_height_are_one() {
        let prints = [("print", "a"), ("print", "b"), ("print", "c"), ("file", "/x")];
        assert_eq!(groups(&prints, &[]), ["print[a] in print[c]", "print[b] in print[c]"]);
        assert_eq!(groups(&prints, &[(0, 1), (1, 2)]), [] as [&str; 0]);
        assert_eq!(groups(&prints, &[(3, 0)]), ["print[b] in print[c]"]);
    }

    #[test]
    fn a_server_accepts_unprotected_requests() {
        let site = [("http:server", "s"), ("http:server:file", "/a"), ("exec", "e"), ("http:server:file", "/b")];
        let both = ["http:server:file[/a] in http:server[s]", "http:server:file[/b] in http:server[s]"];
        assert_eq!(groups(&site, &[]), both);
        assert_eq!(groups(&site, &[(0, 2)]), both);
        // Through the exec, the second comes after the first, so it cannot join the same turn.
        assert_eq!(groups(&site, &[(1, 2), (2, 3)]), both[..1]);
        assert_eq!(groups(&site, &[(0, 1)]), both[1..]);
    }

    #[test]
    fn servers_in_each_others_way_stay_alone() {
        let two = [("http:server", "s"), ("http:server:file", "/a"), ("tftp:server", "t"), ("tftp:file", "/b")];
        assert_eq!(groups(&two, &[(1, 2)]).len(), 2);
        assert_eq!(groups(&two, &[(1, 2), (3, 0)]), [] as [&str; 0]);
    }
}
