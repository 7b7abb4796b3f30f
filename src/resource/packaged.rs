//! Orders packages before their files, their units, and the programs of commands.
//!
//! The machine provides the files of a package, so these orderings are added when a graph is prepared for a machine,
//! not when a program is compiled. The files of a package that is neither installed nor fetched are unknown, so it gets
//! no ordering.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use super::autoedge::{path, programs, takers, text};
use super::svc::unit_name;
use crate::graph::{Edge, Graph, NodeIndex, Reason};
use crate::host::Look;

/// The folder of packages' unit files.
const UNITS: &str = "/usr/lib/systemd/system";

/// The known files of packages. Unknown ones are queried again.
pub type Lists = BTreeMap<String, Vec<PathBuf>>;

/// Adds the orderings, unless two nodes are ordered already.
pub fn add(graph: &mut Graph, look: &dyn Look, lists: &mut Lists) {
    let coming: Vec<(NodeIndex, String)> = takers(graph)
        .filter(|(_, wanted)| &*wanted.kind == "pkg" && text(wanted, "state") != Some("uninstalled"))
        .map(|(at, wanted)| (at, wanted.name.to_string()))
        .collect();
    if coming.is_empty() {
        return;
    }
    let asking = asking(graph);
    for (package, name) in coming {
        // If there is no package manager, the package's own turn reports that.
        if !lists.contains_key(&name)
            && let Ok(Some(files)) = look.files(&name)
        {
            lists.insert(name.clone(), files);
        }
        let files = lists.get(&name).map(Vec::as_slice).unwrap_or_default();
        let behind: BTreeSet<NodeIndex> =
            files.iter().filter_map(|file| asking.get(&merged(file))).flatten().copied().collect();
        for to in behind {
            if !leads(graph, package, to) && !leads(graph, to, package) {
                graph.connect(Edge {
                    from: package,
                    to,
                    notify: false,
                    reason: Reason::Auto,
                    send: None,
                    source: None,
                });
            }
        }
    }
}

/// Returns the nodes that need each path.
fn asking(graph: &Graph) -> BTreeMap<PathBuf, Vec<NodeIndex>> {
    let mut asking: BTreeMap<PathBuf, Vec<NodeIndex>> = BTreeMap::new();
    for (at, wanted) in takers(graph) {
        let paths: Vec<PathBuf> = match &*wanted.kind {
            "file" => vec![path(wanted).trim_end_matches('/').into()],
            "svc" => vec![Path::new(UNITS).join(unit_name(&wanted.name))],
            "exec" => programs(wanted).filter(|program| program.starts_with('/')).map(PathBuf::from).collect(),
            _ => continue,
        };
        paths.into_iter().for_each(|path| asking.entry(merged(&path)).or_default().push(at));
    }
    asking
}

/// Lists of packages still name `/bin` and `/lib`, which lead to `/usr` on most machines now.
fn merged(path: &Path) -> PathBuf {
    let is_moved = ["/bin", "/sbin", "/lib", "/lib64"].iter().any(|folder| path.starts_with(folder));
    match path.strip_prefix("/") {
        Ok(below) if is_moved => Path::new("/usr").join(below),
        _ => path.into(),
    }
}

/// Whether one node leads to another.
fn leads(graph: &Graph, from: NodeIndex, to: NodeIndex) -> bool {
    let mut seen = FxHashSet::from_iter([from]);
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        if at == to {
            return true;
        }
        open.extend(
            graph.edges().iter().filter(|edge| edge.from == at).map(|edge| edge.to).filter(|to| seen.insert(*to)),
        );
    }
    false
}
