//! The machine as a node of a fleet sees it: its facts and its name, and everything else as on this machine.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::diag::Stage;
use crate::lang::{Choices, CompileOptions, Report};
use crate::session::compare::node::{Facts as NodeFacts, Node};
use crate::session::worker::NodeCompiler;
use crate::session::{Options, Session};
use crate::world::{Cancel, Fenced, Frozen, Read, ReadError, Sample, World};

/// The bytes of a file of facts.
type Facts = Result<Arc<[u8]>, ReadError>;

/// A world that becomes one node after another.
pub(super) struct OneNode {
    inner: Arc<dyn World>,
    node: Mutex<Current>,
}

#[derive(Default)]
struct Current {
    facts: Option<(PathBuf, Facts)>,
    host: Option<String>,
}

impl OneNode {
    /// Makes a world that has no node yet: it answers as `inner` does.
    pub fn new(inner: Arc<dyn World>) -> Self {
        Self { inner, node: Mutex::default() }
    }

    /// From now on this is that node. `takes_node`: the language is given its name, and reads this machine's own.
    pub fn become_node(&self, node: &Node, facts: Option<Facts>, takes_node: bool) {
        *self.node.lock().unwrap_or_else(PoisonError::into_inner) =
            Current { facts: node.facts.path().zip(facts), host: (!takes_node).then(|| node.name.clone()) };
    }
}

impl World for OneNode {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        {
            let node = self.node.lock().unwrap_or_else(PoisonError::into_inner);
            match (what, &node.facts, &node.host) {
                (Read::File(path), Some((facts, bytes)), _) if path == facts => {
                    return bytes.clone().map(Sample::Bytes);
                }
                (Read::Hostname, _, Some(host)) => return Ok(Sample::Text(host.clone())),
                _ => {}
            }
        }
        self.inner.read(what)
    }

    fn note(&self, file: &str, line: u32) {
        self.inner.note(file, line);
    }
}

impl Session {
    /// Whether the language is given the name of a node, and does not read this machine's.
    pub(super) fn takes_node(&self) -> bool {
        self.language().flags().contains(&"--node")
    }

    /// A fenced sample of the machine for all nodes, and the options for compiling them.
    pub(super) fn prepare_nodes(&self, cancel: &Cancel) -> (Arc<Fenced>, Result<CompileOptions, Report>) {
        let (_, world) = self.frozen(Arc::clone(&self.world));
        let options = self.prepare(&world, Stage::Eval, cancel);
        if let Ok(options) = &options {
            world.enclose(self.own_places(options), self.has_fetched(options));
        }
        (Arc::new(world), options)
    }

    /// The nodes that are compiled with this machine's facts, because they have none of their own.
    pub fn nodes_without_facts<'n>(&self, nodes: &'n [Node]) -> Vec<&'n str> {
        if !self.language().flags().contains(&"--facts") {
            return Vec::new();
        }
        let has_none = |node: &&Node| node.facts.path().is_none() && self.choices_for(node).facts().is_none();
        nodes.iter().filter(has_none).map(|node| &*node.name).collect()
    }

    pub(super) fn node_compiler<'w>(&'w self, machine: &'w OneNode, options: &CompileOptions) -> NodeCompiler<'w> {
        let Options { workplace, .. } = &self.options;
        workplace.node_compiler(machine, &self.entry, options.clone())
    }

    /// The user's choices for a node.
    pub(super) fn choices_for(&self, node: &Node) -> Choices {
        let mut choices = self.options.choices.clone();
        choices.share_exports(self.options.config.shares_exports());
        choices.pick_node(Some(node.name.clone()));
        if let Some(facts) = node.facts.path() {
            choices.set_facts(Some(facts));
        } else if choices.facts().is_none() {
            choices.set_facts(self.language().facts_of_node(&*self.world, &self.entry, &choices));
        }
        choices
    }
}

/// A program of a test, compiled for a node with its facts.
pub fn open_for_node(
    entry: &str,
    node: Option<&str>,
    facts: Option<&std::path::Path>,
    options: &Options,
) -> Result<Session, Box<Report>> {
    let given = facts.map_or(NodeFacts::Default, |path| NodeFacts::File(path.into()));
    let name = node.unwrap_or_default().to_owned();
    let node = Node { name: name.clone(), facts: given };
    let machine = OneNode::new(one_sample(options));
    if !name.is_empty() || facts.is_some() {
        machine.become_node(&node, node.facts.read(), name.is_empty());
    }
    let mut session = Session::open_in(Arc::new(machine), Some(entry), options.clone())?;
    let choices = &mut session.options.choices;
    choices.pick_node((!name.is_empty()).then_some(name));
    if facts.is_some() {
        choices.set_facts(facts.map(std::path::Path::to_path_buf));
    }
    Ok(session)
}

/// One sample of the machine for both sides.
pub(super) fn one_sample(options: &Options) -> Arc<dyn World> {
    Arc::new(Frozen::new(options.live()))
}
