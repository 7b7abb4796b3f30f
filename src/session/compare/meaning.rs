//! Runs two programs of any languages one after the other on machines in memory, from two start states.

use std::sync::Arc;

use crate::compare::{Meaning, Missing, Runs, judge, missing_edges};
use crate::engine;
use crate::graph::Graph;
use crate::host::{Look, Memory, Presence, Service};
use crate::session::Session;

/// Compares the end states of two programs, from this machine's state and from an empty one. Nothing is written.
pub fn compare_meaning(sides: [&Session; 2], graphs: [Graph; 2]) -> Meaning {
    let [one, other] = graphs;
    let graphs = [Arc::new(sides[0].ready(one)), Arc::new(sides[1].ready(other))];
    let starts: [Arc<dyn Look>; 2] = [Arc::new(sides[0].look(false)), Arc::new(empty(&graphs))];
    let runs = starts.map(|start| {
        let options = || sides[0].engine_options();
        let after = |first: usize, second: usize| {
            let both = [first, second].map(|side| (Arc::clone(&graphs[side]), &*sides[side].entry.shown));
            engine::preview_both(both, Arc::clone(&start), options)
        };
        let ([a, b_after_a], [b, a_after_b]) = (after(0, 1), after(1, 0));
        Runs { first: [a, b], after: [b_after_a, a_after_b] }
    });
    judge([&graphs[0], &graphs[1]], &runs)
}

/// A machine with nothing on it. The packages and services that the programs name are on offer, so that they can be
/// installed and started.
pub(in crate::session) fn empty(graphs: &[Arc<Graph>; 2]) -> Memory {
    let mut machine = Memory::default();
    for folder in ["/etc", "/home", "/opt", "/root", "/srv", "/tmp", "/usr", "/usr/local", "/usr/local/bin", "/var"] {
        machine = machine.dir(folder, 0o755);
    }
    for graph in graphs {
        for meant in graph.resources().filter_map(|(_, resource)| resource.mapping()) {
            machine = match &*meant.kind {
                "pkg" => machine.package(&meant.name, None, &["1.0"], &[]),
                "svc" => machine.service(&meant.name, Service::not_there(Presence::There)),
                _ => machine,
            };
        }
    }
    machine
}

impl Session {
    /// Finds steps that touch the same thing without an order. Reads nothing of the machine.
    pub fn missing_edges(&self, graph: &Graph) -> Vec<Missing> {
        let graph = Arc::new(graph.clone());
        let look = empty(&[Arc::clone(&graph), Arc::clone(&graph)]);
        missing_edges(&graph, &look)
    }
}
