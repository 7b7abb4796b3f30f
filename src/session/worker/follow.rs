//! A followed program in a worker, as a [`Following`] in the face.

use super::client::Working;
use super::wire::{FromWorker, SentGraph, State};
use crate::diag::Diagnostics;
use crate::graph::Graph;
use crate::lang::{Answer, Compiled, Event, Following, Outcome, Report};
use crate::source::Sources;
use crate::world::Read;

/// The last state of the program.
pub struct Followed<'w> {
    working: Working<'w>,
    graph: Graph,
    sources: Sources,
    inputs: Vec<(Read, Answer)>,
    wake: Option<u64>,
    has_ended: bool,
}

impl<'w> Followed<'w> {
    /// Waits for the first state. `Err` if a stage before evaluation fails.
    pub fn begin(mut working: Working<'w>) -> Result<(Self, Outcome), Box<Compiled>> {
        match working.answer() {
            Ok(FromWorker::State(state)) => {
                let mut followed = Self {
                    working,
                    graph: Graph::default(),
                    sources: Sources::default(),
                    inputs: Vec::new(),
                    wake: None,
                    has_ended: false,
                };
                let outcome = followed.enter(*state);
                Ok((followed, outcome))
            }
            Ok(FromWorker::Compiled(compiled)) => Err(Box::new(compiled)),
            Ok(_) => Err(Box::new(Compiled::of(Report::unexpected()))),
            Err(report) => Err(Box::new(Compiled::of(*report))),
        }
    }

    fn enter(&mut self, state: State) -> Outcome {
        let State { outcome, graph, sources, inputs, wake } = state;
        match graph {
            Some(SentGraph::Whole(graph)) => self.graph = graph,
            Some(SentGraph::Changed(changed)) => self.graph.replace(changed),
            _ => {}
        }
        self.sources = sources.unwrap_or_else(|| std::mem::take(&mut self.sources));
        self.inputs = inputs.unwrap_or_else(|| std::mem::take(&mut self.inputs));
        self.wake = wake;
        outcome
    }
}

impl Following for Followed<'_> {
    fn event(&mut self, event: &Event) -> Outcome {
        if self.working.is_dead() || self.working.send(event).is_err() {
            // It died between two events: the caller begins again, and nothing is lost but what the program remembers.
            self.has_ended = true;
            return failed(Diagnostics::new(crate::diag::Stage::Eval));
        }
        match self.working.answer() {
            Ok(FromWorker::State(state)) => self.enter(*state),
            other => {
                self.has_ended = true;
                let report = other.map_or_else(|report| *report, |_| Report::unexpected());
                self.sources = report.sources;
                failed(report.diagnostics)
            }
        }
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

    fn next_wake(&self) -> Option<u64> {
        self.wake
    }

    fn has_ended(&self) -> bool {
        self.has_ended
    }
}

/// The outcome of an event without an answer.
fn failed(diagnostics: Diagnostics) -> Outcome {
    let (changes, earlier, resources, log) = Default::default();
    Outcome { changes, earlier, resources, edges: false, diagnostics, log, ran: 0 }
}
