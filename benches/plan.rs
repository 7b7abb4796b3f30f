//! What a preview costs: every resource looked at on an overlay over a machine in memory.

#[path = "inputs/entry.rs"]
mod entry;
mod inputs;

use std::sync::Arc;

use divan::Bencher;
use entry::{COUNTS, entry};
use inputs::{SHAPES, Shape, program};
use workbench::diag::Stage;
use workbench::engine::{Options, preview};
use workbench::graph::Graph;
use workbench::host::Memory;
use workbench::lang::{Choices, CompileOptions, RunLimits, mcl};
use workbench::world;

fn main() {
    divan::main();
}

fn graph(shape: Shape, count: usize) -> Arc<Graph> {
    let options =
        CompileOptions { module_path: Vec::new(), choices: Choices::default(), run: RunLimits::until(Stage::Eval) };
    let compiled = mcl::compile(&world::Memory::default(), &entry(&program(shape, count)), &options);
    assert!(!compiled.diagnostics.has_errors(), "{:?}", compiled.diagnostics);
    Arc::new(compiled.graph)
}

fn machine() -> Arc<Memory> {
    Arc::new(Memory::default().dir("/tmp", 0o1777).dir("/tmp/bench", 0o755))
}

#[divan::bench(args = COUNTS)]
fn preview_chain(bencher: Bencher, count: usize) {
    let (graph, machine) = (graph(Shape::Chain, count), machine());
    bencher.bench(|| preview(graph.clone(), machine.clone(), "bench", Options::default(), &mut |_| {}));
}

#[divan::bench(args = COUNTS)]
fn preview_flat(bencher: Bencher, count: usize) {
    let (graph, machine) = (graph(Shape::Flat, count), machine());
    bencher.bench(|| preview(graph.clone(), machine.clone(), "bench", Options::default(), &mut |_| {}));
}

#[divan::bench(args = SHAPES)]
fn preview_a_thousand(bencher: Bencher, shape: Shape) {
    let (graph, machine) = (graph(shape, 1_000), machine());
    bencher.bench(|| preview(graph.clone(), machine.clone(), "bench", Options::default(), &mut |_| {}));
}
