//! A graph that another process receives while it is made.
//!
//! The maker reports the nodes in order as they are added, and the edges once; another thread writes them as parts. At the
//! end, [`Draft::rest`] compares the graph with what was sent, and returns the difference. So a part that was changed
//! later costs time, and nothing else. Small graphs have no parts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rustc_hash::FxHashMap;

use super::compact::{Bytes, Reader, STACK, Writer, to_bytes, whole_from_bytes};
use super::{Edge, Graph, Node, NodeIndex};

/// The nodes or edges of a part: few enough that the reader does not wait, enough to be worth a message.
const PART: usize = 512;

/// The maker's end. Clones share it; the default one sends nothing.
#[derive(Clone, Debug, Default)]
pub struct Draft(Option<Arc<Shared>>);

#[derive(Debug)]
struct Shared {
    /// How many nodes there are before the next part.
    next: AtomicUsize,
    sending: Mutex<Sending>,
}

/// Sends a part. `false` if it cannot be sent.
type SendPart = Box<dyn Fn(Bytes) -> bool + Send>;

struct Sending {
    send: Option<SendPart>,
    thread: Option<(Sender<Batch>, JoinHandle<Option<()>>)>,
    nodes: Vec<&'static Arc<Node>>,
    edges: Arc<Vec<Edge>>,
}

impl std::fmt::Debug for Sending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sending").field("nodes", &self.nodes.len()).finish_non_exhaustive()
    }
}

/// Work for the thread that writes.
enum Batch {
    Nodes(&'static [Arc<Node>]),
    Edges(&'static [Edge]),
}

impl Draft {
    /// Sends the parts of one graph. For the last graph of a process: what was sent is never freed.
    pub fn new(send: impl Fn(Bytes) -> bool + Send + 'static) -> Self {
        let (nodes, edges) = Default::default();
        let sending = Mutex::new(Sending { send: Some(Box::new(send)), thread: None, nodes, edges });
        Self(Some(Arc::new(Shared { next: PART.into(), sending })))
    }

    /// Nodes were added. Costs next to nothing for most nodes.
    pub fn on_nodes(&self, graph: &Graph) {
        if let Some(shared) = &self.0
            && graph.nodes.len() >= shared.next.load(Ordering::Relaxed)
        {
            shared.next.store(graph.nodes.len() + PART, Ordering::Relaxed);
            shared.sending.lock().unwrap_or_else(PoisonError::into_inner).nodes(graph);
        }
    }

    /// All declared nodes and edges were added.
    pub fn on_edges(&self, graph: &Graph) {
        if let Some(shared) = &self.0
            && graph.nodes.len() >= PART
        {
            let mut sending = shared.sending.lock().unwrap_or_else(PoisonError::into_inner);
            sending.nodes(graph);
            sending.edges(graph);
        }
    }

    /// Waits until all parts are sent, and returns what is missing of the finished graph; `None` if nothing was sent, or
    /// if a value is nested too deeply.
    pub fn rest(&self, graph: &Graph) -> Option<Bytes> {
        let mut sending = self.0.as_ref()?.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let (sender, thread) = sending.thread.take()?;
        drop(sender);
        let is_sent = matches!(thread.join(), Ok(Some(())));
        sending.rest(graph, is_sent).map(Bytes)
    }
}

impl Sending {
    fn nodes(&mut self, graph: &Graph) {
        if let Some(nodes) = graph.nodes.get(self.nodes.len()..).filter(|nodes| !nodes.is_empty()) {
            let nodes: &'static [_] = nodes.to_vec().leak();
            self.nodes.extend(nodes);
            self.pass(Batch::Nodes(nodes));
        }
    }

    fn edges(&mut self, graph: &Graph) {
        if self.edges.is_empty() {
            self.edges = Arc::clone(&graph.edges);
            // It remains shared, so a change to it makes another list.
            let edges: &'static Arc<Vec<Edge>> = Box::leak(Box::new(Arc::clone(&graph.edges)));
            self.pass(Batch::Edges(edges));
        }
    }

    /// Passes work to the thread, which starts with the first one.
    fn pass(&mut self, made: Batch) {
        if let Some(send) = self.send.take() {
            let (sender, receiver) = channel();
            let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || write(&receiver, &send));
            self.thread = thread.ok().map(|thread| (sender, thread));
        }
        if let Some((sender, _)) = &self.thread {
            // A thread that has ended sends nothing more, which the end notices.
            let _ = sender.send(made);
        }
    }

    fn rest(&self, graph: &Graph, is_sent: bool) -> Option<Vec<u8>> {
        let Some(more) = graph.nodes.get(self.nodes.len()..).filter(|_| is_sent) else {
            let mut bytes = to_bytes(graph)?;
            bytes.push(WHOLE);
            return Some(bytes);
        };
        let mut writer = Writer::default();
        let pairs = graph.nodes.iter().zip(&self.nodes).zip(0..);
        let changed: Vec<_> = pairs.filter(|((now, sent), _)| !Arc::ptr_eq(now, sent)).collect();
        writer.list(changed.len());
        for ((node, _), at) in changed {
            writer.number(at);
            writer.node(node)?;
        }
        let has_edges = Arc::ptr_eq(&self.edges, &graph.edges) || graph.edges.starts_with(&self.edges);
        writer.flag(has_edges);
        let more_edges = if has_edges { &graph.edges[self.edges.len()..] } else { &graph.edges[..] };
        writer.part(more, more_edges)?;
        writer.numbers(&graph.numbers);
        let mut bytes = writer.take();
        bytes.push(DIFFERENCE);
        Some(bytes)
    }
}

/// The last byte of a rest: its form.
const DIFFERENCE: u8 = 0;
const WHOLE: u8 = 1;

/// Writes parts, until there is no more work or one cannot be sent.
fn write(work: &Receiver<Batch>, send: &SendPart) -> Option<()> {
    let mut writer = Writer::default();
    for made in work {
        match made {
            Batch::Nodes(nodes) => {
                for nodes in nodes.chunks(PART) {
                    writer.part(nodes, &[])?;
                    send(Bytes(writer.take())).then_some(())?;
                }
            }
            Batch::Edges(edges) => {
                for edges in edges.chunks(PART) {
                    writer.part(&[], edges)?;
                    send(Bytes(writer.take())).then_some(())?;
                }
            }
        }
    }
    Some(())
}

/// The receiver's end.
#[derive(Debug, Default)]
pub struct Drafted {
    reader: Reader<'static>,
    graph: Graph,
    /// The size of all parts in bytes.
    pub size: usize,
}

impl Drafted {
    /// Adds a part; `None` if it is not of that form.
    pub fn add(&mut self, part: &Bytes) -> Option<()> {
        self.size = self.size.checked_add(part.0.len())?;
        let mut reader = self.reader.of(&part.0);
        let (nodes, edges) = reader.part()?;
        self.reader = reader.of(&[]);
        self.extend(nodes, edges);
        Some(())
    }

    fn extend(&mut self, more: Vec<Arc<Node>>, more_edges: Vec<Edge>) {
        let Graph { nodes, edges, index, .. } = &mut self.graph;
        let (nodes, index) = (Arc::make_mut(nodes), Arc::make_mut(index));
        for node in more {
            index.insert(node.id().clone(), NodeIndex(nodes.len() as u32));
            nodes.push(node);
        }
        Arc::make_mut(edges).extend(more_edges);
    }

    /// Returns the graph, completed by the rest; `None` if that is not of its form.
    pub fn complete(&mut self, rest: &Bytes) -> Option<Graph> {
        let (form, rest) = rest.0.split_last()?;
        if *form == WHOLE {
            return whole_from_bytes(rest);
        }
        let mut reader = Reader::default().of(rest);
        let changed = reader.many(|reader| Some((reader.small()?, Arc::new(reader.node()?))))?;
        let has_edges = reader.flag()?;
        let (more, more_edges) = reader.part()?;
        if !has_edges {
            self.graph.edges = Arc::default();
        }
        self.extend(more, more_edges);
        let Graph { nodes, index, numbers, .. } = &mut self.graph;
        *numbers = Arc::new(reader.numbers()?);
        if !changed.is_empty() {
            let nodes = Arc::make_mut(nodes);
            for (at, node) in changed {
                *nodes.get_mut(at as usize)? = node;
            }
            let ids = nodes.iter().zip(0..).map(|(node, at)| (node.id().clone(), NodeIndex(at)));
            *index = Arc::new(ids.collect::<FxHashMap<_, _>>());
        }
        Some(std::mem::take(&mut self.graph)).filter(Graph::is_whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Params, Reason, Resource, Value};

    fn node(at: usize) -> Node {
        let content = Value::from(format!("line {}", at % 7).as_str());
        Node::Resource(Resource::new("file", &format!("/x/{at}"), Params::from_iter([("content".into(), content)])))
    }

    fn edge(to: usize) -> Edge {
        let (from, to) = (NodeIndex(0), NodeIndex(to as u32));
        Edge { from, to, notify: false, reason: Reason::Declared, send: None, source: None }
    }

    /// Makes a graph of some size with a draft, and returns what a receiver makes of its parts, and their number.
    fn passed(count: usize, change: impl FnOnce(&mut Graph)) -> (Graph, Option<Graph>, usize) {
        let (sender, parts) = channel();
        let draft = Draft::new(move |part| sender.send(part).is_ok());
        let mut graph = Graph::default();
        for at in 0..count {
            graph.add(node(at)).expect("is new");
            draft.on_nodes(&graph);
        }
        (1..count).for_each(|to| graph.connect(edge(to)));
        draft.on_edges(&graph);
        change(&mut graph);
        let rest = draft.rest(&graph);
        drop(draft);
        let (mut drafted, mut count) = (Drafted::default(), 0);
        for part in parts {
            drafted.add(&part).expect("is a part");
            count += 1;
        }
        (graph, rest.and_then(|rest| drafted.complete(&rest)), count)
    }

    #[test]
    fn a_graph_comes_back_however_it_is_changed_after_its_parts() {
        let count = 2 * PART + PART / 2;
        let changes: [fn(&mut Graph); 6] = [
            |_| (),
            |graph| graph.connect(edge(1)),
            |graph| graph.edges_mut()[7].notify = true,
            |graph| {
                graph.add(node(9_999)).expect("is new");
                graph.set_numbers([("pool".to_owned(), [("name".to_owned(), 3)].into())].into());
            },
            |graph| {
                let Node::Resource(resource) = graph.node_mut(NodeIndex(5)) else { return };
                resource.set("content", Value::from("another"));
            },
            |graph| *graph = Graph::default(),
        ];
        for (at, change) in changes.into_iter().enumerate() {
            let (graph, passed, parts) = passed(count, change);
            assert!(passed.as_ref() == Some(&graph), "change {at}");
            // Two and a half of nodes, of which the half comes with the edges.
            assert_eq!(parts, 6, "change {at}");
        }
        let (graph, passed, _) = passed(count, |_| ());
        let ids = graph.nodes().map(Node::id);
        assert!(passed.is_some_and(|passed| ids.zip(0..).all(|(id, at)| passed.find(id) == Some(NodeIndex(at)))));
    }

    #[test]
    fn a_small_graph_has_no_parts() {
        let (_, passed, parts) = passed(PART - 1, |_| ());
        assert_eq!((passed, parts), (None, 0));
    }

    #[test]
    fn what_is_not_of_the_form_is_refused() {
        let mut writer = Writer::default();
        let (nodes, edges) = ([Arc::new(node(0))], [edge(3)]);
        writer.part(&nodes, &edges).expect("is not deep");
        let part = writer.take();
        for len in 0..part.len() {
            assert!(Drafted::default().add(&Bytes(part[..len].to_vec())).is_none(), "{len}");
        }
        let rest = |bytes: &[u8]| {
            let mut drafted = Drafted::default();
            drafted.add(&Bytes(part.clone())).expect("is a part");
            drafted.complete(&Bytes(bytes.to_vec()))
        };
        assert!(rest(&[]).is_none());
        // The edge has no end.
        assert!(rest(&[0, 1, 0, 0, 0, DIFFERENCE]).is_none());
        assert!(rest(&[0, 0, 0, 0, 0, DIFFERENCE]).is_some_and(|graph| graph.len() == 1));
        assert!(rest(&[9, 9, 9, DIFFERENCE]).is_none());
    }
}
