//! Watching a program: takes events, and returns the differences of the graph.
//!
//! A language may keep its program evaluated. All others are compiled again at each event, by [`recompile`].

use serde::{Deserialize, Serialize};

use super::Compiled;
use crate::diag::{Diagnostics, LogEntry, Stage};
use crate::graph::delta::{Delta, Fate, delta};
use crate::graph::{Graph, ResourceId};
use crate::source::{Place, Sources};
use crate::world::{Frozen, Read, ReadError, Sample, World};

/// An answer of a world.
pub type Answer = Result<Sample, ReadError>;

/// An event: at that time, these reads give those samples. Without any, only time has passed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// In milliseconds since 1970.
    pub at: u64,
    pub changes: Vec<(Read, Answer)>,
}

/// A changed input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    pub input: Read,
    pub from: Answer,
    pub to: Answer,
    /// Where the program reads it.
    pub place: Option<Place>,
}

/// Why a resource changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Trigger {
    Input(Read),
    /// A remembered value is too old now.
    Time,
}

/// A resource that differs from the previous graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceChange {
    pub resource: ResourceId,
    pub fate: Fate,
    /// First the changes of this event, then those of earlier events that had errors.
    pub because: Vec<Trigger>,
}

/// The effect of an event.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// The changed inputs that are in use.
    pub changes: Vec<Change>,
    /// Changes from earlier events with errors: they reach the graph with this event.
    pub earlier: Vec<Change>,
    /// The differences of the graph. Empty with errors: the graph stays as it was.
    pub resources: Vec<ResourceChange>,
    /// Whether the order between resources changed.
    pub edges: bool,
    pub diagnostics: Diagnostics,
    pub log: Vec<LogEntry>,
    /// How many statements ran.
    pub ran: usize,
}

impl Outcome {
    /// Whether there is a new graph.
    pub fn is_new(&self) -> bool {
        !self.resources.is_empty() || self.edges
    }
}

/// A watched program.
pub trait Following {
    /// Handles an event. Time does not go back: an event from before the last one counts as at that one's time.
    fn event(&mut self, event: &Event) -> Outcome;
    /// The last graph without errors.
    fn graph(&self) -> &Graph;
    /// The program's files.
    fn sources(&self) -> &Sources;
    /// What the program reads, with the samples that it uses.
    fn inputs(&self) -> Vec<(Read, Answer)>;
    /// When the result changes without an input, in milliseconds since 1970.
    fn next_wake(&self) -> Option<u64> {
        None
    }
    /// Whether it takes no further events: the caller must follow the program again.
    fn has_ended(&self) -> bool {
        false
    }
}

/// What the caller does with a watched program. It runs at most once.
pub type Work<'w> = &'w mut dyn FnMut(&mut dyn Following, Outcome);

/// Watches a program by compiling all of it again at each event, and compares the graphs.
pub fn recompile(compile: &dyn Fn(&dyn World) -> Compiled, world: &dyn World, work: Work<'_>) {
    let mut program = Recompiled {
        compile,
        world,
        graph: Graph::default(),
        sources: Sources::default(),
        inputs: Vec::new(),
        earlier: Vec::new(),
    };
    let first = program.compile(Vec::new());
    work(&mut program, first);
}

struct Recompiled<'a> {
    compile: &'a dyn Fn(&dyn World) -> Compiled,
    world: &'a dyn World,
    graph: Graph,
    sources: Sources,
    /// What the last compilation read, sorted.
    inputs: Vec<(Read, Answer)>,
    /// Changes that no graph shows yet, because the program has had errors since.
    earlier: Vec<Change>,
}

impl Recompiled<'_> {
    fn compile(&mut self, changes: Vec<Change>) -> Outcome {
        let frozen = Frozen::new(self.world);
        let Compiled { graph, sources, diagnostics, log, .. } = (self.compile)(&frozen);
        self.inputs = frozen.answers();
        self.sources = sources;
        if diagnostics.has_errors() {
            self.earlier.extend(changes.iter().cloned());
            return Outcome {
                changes,
                earlier: Vec::new(),
                resources: Vec::new(),
                edges: false,
                diagnostics,
                log,
                ran: 1,
            };
        }
        let Delta { resources, edges } = delta(&self.graph, &graph);
        let earlier = std::mem::take(&mut self.earlier);
        // It is unknown which input changed which resource: any of them may have.
        let because: Vec<Trigger> =
            changes.iter().chain(&earlier).map(|change| Trigger::Input(change.input.clone())).collect();
        let resources = resources
            .into_iter()
            .map(|(resource, fate)| ResourceChange { resource, fate, because: because.clone() })
            .collect();
        self.graph = graph;
        Outcome { changes, earlier, resources, edges, diagnostics, log, ran: 1 }
    }
}

impl Following for Recompiled<'_> {
    fn event(&mut self, event: &Event) -> Outcome {
        let mut changes = Vec::new();
        for (input, to) in &event.changes {
            let Ok(at) = self.inputs.binary_search_by(|(read, _)| read.cmp(input)) else { continue };
            let from = &self.inputs[at].1;
            if from != to {
                changes.push(Change { input: input.clone(), from: from.clone(), to: to.clone(), place: None });
            }
        }
        if changes.is_empty() {
            let diagnostics = Diagnostics::new(Stage::Eval);
            let (earlier, resources, log) = Default::default();
            return Outcome { changes, earlier, resources, edges: false, diagnostics, log, ran: 0 };
        }
        self.compile(changes)
    }

    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn inputs(&self) -> Vec<(Read, Answer)> {
        self.inputs.clone()
    }
}
