//! What drawing the graph costs: rails, the tree and folds.

#[allow(dead_code, reason = "this bench has sizes of its own")]
#[path = "inputs/entry.rs"]
mod entry;
#[allow(dead_code, reason = "two of the shapes say enough here")]
mod inputs;

use divan::Bencher;
use entry::entry;
use inputs::{Shape, program};
use workbench::diag::Stage;
use workbench::graph::order::order;
use workbench::graph::view::{Folds, Wiring, rails, tree};
use workbench::graph::{Anchor, Edge, Graph, Node, NodeIndex, Reason, ResourceId};
use workbench::lang::{Choices, CompileOptions, RunLimits, mcl};
use workbench::world;

fn main() {
    divan::main();
}

/// How many nodes.
const COUNTS: [usize; 3] = [1_000, 5_000, 10_000];

/// Nodes that each need two of the few before them: as many lines side by side as rails draw.
fn woven(count: usize) -> Graph {
    let mut graph = Graph::default();
    for at in 0..count {
        let id = ResourceId(format!("file[/srv/{at}]").into());
        graph
            .add(Node::Anchor(Anchor {
                id,
                kind: "class".into(),
                name: "n".into(),
                begin: true,
                rank: 0,
                source: None,
            }))
            .expect("each id once");
    }
    for at in 1..count {
        for back in [1 + at * 7 % 11, 1 + at * 5 % 13] {
            let Some(from) = at.checked_sub(back) else { continue };
            let (from, to) = (NodeIndex(from as u32), NodeIndex(at as u32));
            graph.connect(Edge { from, to, notify: false, reason: Reason::Declared, send: None, source: None });
        }
    }
    graph
}

fn compiled(shape: Shape, count: usize) -> Graph {
    let options =
        CompileOptions { module_path: Vec::new(), choices: Choices::default(), run: RunLimits::until(Stage::Eval) };
    let compiled = mcl::compile(&world::Memory::default(), &entry(&program(shape, count)), &options);
    assert!(!compiled.diagnostics.has_errors(), "{:?}", compiled.diagnostics);
    compiled.graph
}

fn wiring(graph: &Graph) -> Wiring {
    Wiring::new(graph, &order(graph).order)
}

const FOLDED: Folds = Folds { all: true, except: std::collections::BTreeSet::new() };

#[divan::bench(args = COUNTS)]
fn wiring_woven(bencher: Bencher, count: usize) {
    let graph = woven(count);
    bencher.bench(|| wiring(&graph));
}

#[divan::bench(args = COUNTS)]
fn rails_woven(bencher: Bencher, count: usize) {
    let graph = woven(count);
    let wiring = wiring(&graph);
    let drawn = rails(&graph, &wiring, None, &Folds::default(), false);
    assert!(!drawn.is_plain, "lines are drawn");
    bencher.bench(|| rails(&graph, &wiring, None, &Folds::default(), false));
}

#[divan::bench(args = COUNTS)]
fn rails_class(bencher: Bencher, count: usize) {
    let graph = compiled(Shape::Class, count / 2);
    let wiring = wiring(&graph);
    bencher.bench(|| rails(&graph, &wiring, None, &Folds::default(), false));
}

#[divan::bench(args = COUNTS)]
fn rails_class_folded(bencher: Bencher, count: usize) {
    let graph = compiled(Shape::Class, count / 2);
    let wiring = wiring(&graph);
    bencher.bench(|| rails(&graph, &wiring, None, &FOLDED, false));
}

#[divan::bench(args = COUNTS)]
fn tree_woven(bencher: Bencher, count: usize) {
    let graph = woven(count);
    let wiring = wiring(&graph);
    bencher.bench(|| tree(&graph, &wiring, None, &Folds::default(), false));
}

#[divan::bench(args = COUNTS)]
fn tree_chain(bencher: Bencher, count: usize) {
    let graph = compiled(Shape::Chain, count);
    let wiring = wiring(&graph);
    bencher.bench(|| tree(&graph, &wiring, None, &Folds::default(), false));
}

#[divan::bench(args = COUNTS)]
fn every_other_one(bencher: Bencher, count: usize) {
    let graph = woven(count);
    let wiring = wiring(&graph);
    let shown: Vec<bool> = (0..count).map(|at| at % 2 == 0).collect();
    bencher.bench(|| rails(&graph, &wiring, Some(&shown), &Folds::default(), false));
}
