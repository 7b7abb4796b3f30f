//! Which turns must wait for which because both touch a path, in the order that a dry run takes.
//!
//! A dry run takes one turn after the other, always the first of all that are ready. Of two turns that meet at a path,
//! the one that comes first there comes first here too, and is over before the other begins: what a preview said of either
//! then holds. The order is that of edges as well, so nothing can wait for itself.

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

/// Who waits for whom, beyond the edges.
#[derive(Default)]
pub(super) struct Footprints {
    after: FxHashMap<NodeIndex, Vec<NodeIndex>>,
    /// Those that wait, by what they wait for.
    held: FxHashMap<NodeIndex, Vec<NodeIndex>>,
}

/// Who touched a path last.
#[derive(Default)]
struct Touched {
    writer: Option<NodeIndex>,
    /// Since then.
    readers: Vec<NodeIndex>,
}

impl Footprints {
    /// Of all turns that are still to be taken; `picked` comes first.
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

    /// The turns that meet it at a path and come before it.
    pub fn before(&self, at: NodeIndex) -> &[NodeIndex] {
        self.after.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Whether a turn has to wait. Then [`Footprints::over`] lets it go.
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

    /// Those that waited for a turn which is over now. One that failed ends also the turns that it blocks.
    pub fn over(&mut self, states: &States, at: NodeIndex) -> Vec<NodeIndex> {
        if states.get(at).state == TurnState::Done {
            return self.held.remove(&at).unwrap_or_default();
        }
        let over: Vec<NodeIndex> = self.held.keys().copied().filter(|at| !states.is_open(*at)).collect();
        over.into_iter().filter_map(|at| self.held.remove(&at)).flatten().collect()
    }

    /// All that still wait, and do not any more.
    pub fn drain(&mut self) -> impl Iterator<Item = NodeIndex> {
        self.held.drain().flat_map(|(_, waiting)| waiting)
    }
}

/// The turns that are left, in the order of a dry run.
pub(super) fn order(states: &States, picked: Option<NodeIndex>) -> Vec<NodeIndex> {
    let (graph, links) = (states.graph(), states.links());
    let open = |at: &NodeIndex| states.is_open(*at);
    let all = || (0..graph.len() as u32).map(NodeIndex).filter(open);
    let mut waits: FxHashMap<NodeIndex, usize> =
        all().map(|at| (at, links.entering(graph, at).filter(|edge| open(&edge.from)).count())).collect();
    // What takes no turn is over at once; all else comes by number, but the picked one first.
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

/// A path whose parts end in a byte that no name holds: what lies below a path comes right after it.
type Key = Box<[u8]>;

const END: u8 = 0;

fn key(path: &Path) -> Key {
    path.as_os_str().as_bytes().iter().map(|byte| if *byte == b'/' { END } else { *byte }).collect()
}

/// The path and all above it.
fn above(key: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(key), |key| match key.iter().rposition(|byte| *byte == END)? {
        // The root folder is the end of its own name.
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

/// Everything that was written at, above or below the path comes before.
fn read(touched: &mut Paths, at: NodeIndex, path: Key, before: &mut FxHashSet<NodeIndex>) {
    before.extend(above(&path).filter_map(|above| touched.get(above)?.writer));
    before.extend(below(touched, &path).filter_map(|(_, there)| there.writer));
    touched.entry(path).or_default().readers.push(at);
}

/// Everything that touched the path, or what lies above or below, comes before; and this stands for all below from now on.
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
    fn what_lies_below_a_path_comes_right_after_it() {
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
