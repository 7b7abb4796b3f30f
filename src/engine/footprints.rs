//! Which turns must wait for each other because both touch a path, in the order of a dry run.
//!
//! A dry run takes one turn after another, always the first ready one. Of two turns that touch a path, the one that
//! comes first in a dry run also comes first here and ends before the other begins. Then the preview of both holds. The
//! order respects the edges, so there are no cycles.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::NodeIndex;
use crate::host::Look;
use crate::resource::{Aliases, Footprint};

use super::message::TurnState;
use super::state::States;

/// The waits between turns that edges do not express.
#[derive(Default)]
pub(super) struct Footprints {
    after: FxHashMap<NodeIndex, Vec<NodeIndex>>,
    /// The waiting turns, by the turn that they wait for.
    held: FxHashMap<NodeIndex, Vec<NodeIndex>>,
}

/// The last turns that touched a path.
#[derive(Default)]
struct Touched {
    writer: Option<NodeIndex>,
    /// The readers since the last write.
    readers: Vec<NodeIndex>,
}

impl Footprints {
    /// Computes the waits of all remaining turns; `picked` comes first.
    pub fn new(states: &States, picked: Option<NodeIndex>, look: &dyn Look) -> Self {
        let order = order(states, picked);
        let mut prints: Vec<(NodeIndex, Footprint)> = Vec::new();
        for at in order {
            let Some(wanted) = states.resource(at).and_then(|resource| resource.wanted()) else { continue };
            let entering = states.links().entering(states.graph(), at);
            let received: Vec<&str> = entering.filter_map(|edge| Some(&*edge.send.as_ref()?.1)).collect();
            let print = Footprint::of(wanted, &received, look);
            if !print.is_empty() {
                prints.push((at, print));
            }
        }
        let coming: Vec<_> = prints.iter().filter_map(|(_, print)| print.link.clone()).collect();
        let mut aliases = Aliases::new(look, coming.into_iter());
        aliases.learn(prints.iter().flat_map(|(_, print)| print.reads.iter().chain(&print.writes)));
        let mut touched = BTreeMap::new();
        let mut footprints = Self::default();
        for (at, print) in &prints {
            let mut before = FxHashSet::default();
            let mut all = |path: &PathBuf| aliases.all(path).unwrap_or_else(|| vec![PathBuf::from("/")]);
            for path in print.reads.iter().flat_map(&mut all) {
                read(&mut touched, *at, key(&path), &mut before);
            }
            for path in print.writes.iter().flat_map(&mut all) {
                write(&mut touched, *at, key(&path), &mut before);
            }
            before.remove(at);
            if !before.is_empty() {
                footprints.after.insert(*at, before.into_iter().collect());
            }
        }
        footprints
    }

    /// Returns the earlier turns that touch a path of this one.
    pub fn before(&self, at: NodeIndex) -> &[NodeIndex] {
        self.after.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Whether a turn must wait. [`Footprints::over`] releases it.
    pub fn holds(&mut self, states: &States, at: NodeIndex) -> bool {
        let Some(after) = self.after.get_mut(&at) else { return false };
        while let Some(before) = after.last().copied() {
            if states.is_open(before) {
                self.held.entry(before).or_default().push(at);
                return true;
            }
            after.pop();
        }
        false
    }

    /// Returns the turns that waited for a finished one. A failed turn also finishes the turns that it blocks.
    pub fn over(&mut self, states: &States, at: NodeIndex) -> Vec<NodeIndex> {
        if states.get(at).state == TurnState::Done {
            return self.held.remove(&at).unwrap_or_default();
        }
        let over: Vec<NodeIndex> = self.held.keys().copied().filter(|at| !states.is_open(*at)).collect();
        over.into_iter().filter_map(|at| self.held.remove(&at)).flatten().collect()
    }

    /// Returns all turns that still wait, and releases them.
    pub fn drain(&mut self) -> impl Iterator<Item = NodeIndex> {
        self.held.drain().flat_map(|(_, waiting)| waiting)
    }
}

/// Returns the remaining turns in the order of a dry run.
pub(super) fn order(states: &States, picked: Option<NodeIndex>) -> Vec<NodeIndex> {
    let (graph, links) = (states.graph(), states.links());
    let open = |at: &NodeIndex| states.is_open(*at);
    let all = || (0..graph.len() as u32).map(NodeIndex).filter(open);
    let mut waits: FxHashMap<NodeIndex, usize> =
        all().map(|at| (at, links.entering(graph, at).filter(|edge| open(&edge.from)).count())).collect();
    // Nodes without a turn come first. The others follow by number, with the picked one first.
    let key = |at: NodeIndex| {
        let place = states.place(at);
        Reverse((states.resource(at).is_some(), Some(at) != picked, place, at))
    };
    let mut ready: BinaryHeap<_> = all().filter(|at| waits[at] == 0).map(key).collect();
    let mut order = Vec::with_capacity(waits.len());
    while let Some(Reverse((.., at))) = ready.pop() {
        order.push(at);
        for edge in links.leaving(graph, at) {
            if let Some(left) = waits.get_mut(&edge.to) {
                *left -= 1;
                if *left == 0 {
                    ready.push(key(edge.to));
                }
            }
        }
    }
    order
}

type Paths = BTreeMap<Key, Touched>;

/// A path whose components end in a byte that no name contains: the entries below a path sort directly after it.
type Key = Box<[u8]>;

const END: u8 = 0;

fn key(path: &Path) -> Key {
    path.as_os_str().as_bytes().iter().map(|byte| if *byte == b'/' { END } else { *byte }).collect()
}

/// Returns the path and its ancestors.
fn above(key: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(key), |key| match key.iter().rposition(|byte| *byte == END)? {
        // The key of the root folder is the separator alone.
        0 => (key.len() > 1).then_some(&key[..1]),
        at => Some(&key[..at]),
    })
}

fn below<'t>(touched: &'t Paths, path: &'t Key) -> impl Iterator<Item = (&'t Key, &'t Touched)> {
    let is_below = |there: &Key| match there.strip_prefix(&**path) {
        Some([]) => true,
        Some([first, ..]) => *first == END || **path == [END],
        None => false,
    };
    touched.range(path.clone()..).take_while(move |(there, _)| is_below(there))
}

/// Orders this reader after every write at, above or below the path.
fn read(touched: &mut Paths, at: NodeIndex, path: Key, before: &mut FxHashSet<NodeIndex>) {
    before.extend(above(&path).filter_map(|above| touched.get(above)?.writer));
    before.extend(below(touched, &path).filter_map(|(_, there)| there.writer));
    touched.entry(path).or_default().readers.push(at);
}

/// Orders this writer after every access to the path, its ancestors and its descendants. It replaces their records.
fn write(touched: &mut Paths, at: NodeIndex, path: Key, before: &mut FxHashSet<NodeIndex>) {
    for there in above(&path).skip(1).filter_map(|above| touched.get(above)) {
        before.extend(there.writer);
        before.extend(&there.readers);
    }
    let gone: Vec<Key> = below(touched, &path).map(|(path, _)| path.clone()).collect();
    for there in gone.into_iter().filter_map(|path| touched.remove(&path)) {
        before.extend(there.writer);
        before.extend(there.readers);
    }
    touched.insert(path, Touched { writer: Some(at), readers: Vec::new() });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_sort_right_after_their_folder() {
        let paths = ["/", "/a", "/a/b", "/a/b/c", "/a-b", "/a.b/c", "/ab", "shared store/a"];
        let touched: Paths = paths.iter().map(|path| (key(Path::new(path)), Touched::default())).collect();
        for path in paths.iter().chain(&["/x", "/a/b/c/d", "shared store"]) {
            let expected = paths.iter().filter(|there| Path::new(there).starts_with(path));
            let mut expected: Vec<Key> = expected.map(|there| key(Path::new(there))).collect();
            let mut found: Vec<Key> = below(&touched, &key(Path::new(path))).map(|(there, _)| there.clone()).collect();
            expected.sort();
            found.sort();
            assert_eq!(found, expected, "{path}");
            let mut over: Vec<Key> = Path::new(path).ancestors().map(key).filter(|key| !key.is_empty()).collect();
            over.dedup();
            assert_eq!(above(&key(Path::new(path))).map(Key::from).collect::<Vec<_>>(), over, "{path}");
        }
    }
}
