//! Cuts the part of a graph that has work to do, so that it can be applied alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::graph::{Edge, Graph, NodeIndex, Resource, Value};

/// The outgoing and incoming edges of each node.
pub(super) struct Ways<'g> {
    graph: &'g Graph,
    on: FxHashMap<NodeIndex, Vec<&'g Edge>>,
    back: FxHashMap<NodeIndex, Vec<&'g Edge>>,
}

impl<'g> Ways<'g> {
    /// Collects the edges of each node.
    pub fn new(graph: &'g Graph) -> Self {
        let (mut on, mut back): (FxHashMap<_, Vec<_>>, FxHashMap<_, Vec<_>>) = Default::default();
        for edge in graph.edges() {
            on.entry(edge.from).or_default().push(edge);
            back.entry(edge.to).or_default().push(edge);
        }
        Self { graph, on, back }
    }

    /// Returns some nodes and everything after them along the selected edges.
    pub fn after(
        &self,
        from: impl IntoIterator<Item = NodeIndex>,
        counts: impl Fn(&Edge) -> bool,
    ) -> BTreeSet<NodeIndex> {
        reach(&self.on, from, |edge| counts(edge).then_some(edge.to))
    }

    /// Returns some nodes and everything before them.
    fn before(&self, from: impl IntoIterator<Item = NodeIndex>) -> BTreeSet<NodeIndex> {
        reach(&self.back, from, |edge| Some(edge.from))
    }

    /// Returns the graph of some nodes, with those that they notify or send to, and with the nodes between any two of
    /// them, which keep the order. Adds other nodes only if `may` allows them.
    pub fn part(&self, seeds: BTreeSet<NodeIndex>, may: impl Fn(NodeIndex) -> bool) -> Graph {
        let comes = |at: &NodeIndex| seeds.contains(at) || may(*at);
        let notifies = |edge: &Edge| edge.notify || edge.send.is_some();
        let mut kept = self.after(seeds.iter().copied(), notifies);
        kept.retain(comes);
        let between: Vec<NodeIndex> = {
            let after = self.after(kept.iter().copied(), |_| true);
            self.before(kept.iter().copied()).intersection(&after).copied().collect()
        };
        kept.extend(between.into_iter().filter(comes));
        self.keep_purged(&mut kept);
        let mut part = Graph::default();
        let mut moved: FxHashMap<NodeIndex, NodeIndex> = FxHashMap::default();
        for at in &kept {
            if let Ok(there) = part.add(self.graph.node(*at).clone()) {
                moved.insert(*at, there);
            }
        }
        for edge in self.graph.edges() {
            if let (Some(from), Some(to)) = (moved.get(&edge.from), moved.get(&edge.to)) {
                part.connect(Edge { from: *from, to: *to, ..edge.clone() });
            }
        }
        part
    }

    /// Returns the graph of some nodes without edges, so that each can be checked separately.
    pub fn alone(&self, mut wanted: BTreeSet<NodeIndex>) -> Graph {
        self.keep_purged(&mut wanted);
        let mut alone = Graph::default();
        for at in wanted {
            // Node ids in a graph are unique.
            let _ = alone.add(self.graph.node(at).clone());
        }
        alone
    }

    /// Adds the managed files in a purged folder.
    fn keep_purged(&self, kept: &mut BTreeSet<NodeIndex>) {
        let purged = |at: &NodeIndex| self.graph.resource(*at).filter(|one| purges(one)).and_then(managed_path);
        let folders: Vec<PathBuf> = kept.iter().filter_map(purged).collect();
        if folders.is_empty() {
            return;
        }
        let is_within = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
        let within = self.graph.resources().filter(|(_, one)| managed_path(one).is_some_and(|path| is_within(&path)));
        kept.extend(within.map(|(at, _)| at));
    }
}

fn reach(
    edges: &FxHashMap<NodeIndex, Vec<&Edge>>,
    from: impl IntoIterator<Item = NodeIndex>,
    next: impl Fn(&Edge) -> Option<NodeIndex>,
) -> BTreeSet<NodeIndex> {
    let mut reached: BTreeSet<NodeIndex> = from.into_iter().collect();
    let mut open: Vec<NodeIndex> = reached.iter().copied().collect();
    while let Some(at) = open.pop() {
        let on = edges.get(&at).into_iter().flatten().filter_map(|edge| next(edge));
        open.extend(on.filter(|to| reached.insert(*to)).collect::<Vec<_>>());
    }
    reached
}

fn purges(resource: &Resource) -> bool {
    resource.wanted().is_some_and(|wanted| wanted.params.get("purge").and_then(Value::as_bool) == Some(true))
}

/// Returns the path that a resource manages.
fn managed_path(resource: &Resource) -> Option<PathBuf> {
    let wanted = resource.wanted().filter(|wanted| &*wanted.kind == "file" && !resource.is_virtual)?;
    Some(crate::resource::file_path(&wanted.name, &wanted.params).trim_end_matches('/').into())
}
