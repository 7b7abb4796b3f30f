//! What compiling costs, stage by stage, and that it grows with the program and no faster.

#[path = "inputs/entry.rs"]
mod entry;
mod inputs;

use std::path::PathBuf;

use divan::{Bencher, black_box};
use entry::{COUNTS, entry};
use inputs::{SHAPES, Shape, program};
use workbench::diag::{Diagnostics, Stage};
use workbench::graph::Graph;
use workbench::graph::order::order;
use workbench::lang::Event;
use workbench::lang::mcl::{self, eval, scope, unify};
use workbench::lang::{Choices, CompileOptions, RunLimits};
use workbench::world::{Memory, Read, Sample, Stop};

fn main() {
    divan::main();
}

/// Runs up to the types; panics where the program is wrong, since it is ours.
fn typed(text: &str, world: &Memory) -> (scope::Resolved, unify::Types) {
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    let resolved = scope::resolve(world, &entry(text), &[], &Stop::default(), &mut diagnostics);
    let types = solve(&resolved, &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    (resolved, types)
}

fn solve(resolved: &scope::Resolved, diagnostics: &mut Diagnostics) -> unify::Types {
    let limits = unify::Limits { steps: u64::MAX, ..unify::Limits::default() };
    unify::solve(&resolved.ast, &resolved.scopes, &resolved.sources, &limits, diagnostics)
}

fn evaluate(resolved: &scope::Resolved, types: &unify::Types, world: &Memory) -> Graph {
    let mut diagnostics = Diagnostics::new(Stage::Eval);
    let graph = eval::run(resolved, types, world, &eval::Limits::default(), &mut diagnostics);
    assert!(!diagnostics.has_errors(), "{diagnostics:?}");
    graph
}

#[divan::bench(args = COUNTS)]
fn parse(bencher: Bencher, count: usize) {
    let entry = entry(&program(Shape::Chain, count));
    let world = Memory::default();
    bencher.bench(|| scope::load(black_box(&world), &entry, &Stop::default(), &mut Diagnostics::new(Stage::Parse)));
}

#[divan::bench(args = COUNTS)]
fn resolve(bencher: Bencher, count: usize) {
    let entry = entry(&program(Shape::Unify, count));
    let world = Memory::default();
    let path: &[PathBuf] = &[];
    bencher.bench(|| {
        scope::resolve(black_box(&world), &entry, path, &Stop::default(), &mut Diagnostics::new(Stage::Parse))
    });
}

#[divan::bench(args = COUNTS)]
fn unify_types(bencher: Bencher, count: usize) {
    let world = Memory::default();
    let (resolved, _) = typed(&program(Shape::Unify, count), &world);
    bencher.bench(|| solve(black_box(&resolved), &mut Diagnostics::new(Stage::Type)));
}

#[divan::bench(args = COUNTS)]
fn evaluate_chain(bencher: Bencher, count: usize) {
    let world = Memory::default();
    let (resolved, types) = typed(&program(Shape::Chain, count), &world);
    bencher.bench(|| evaluate(black_box(&resolved), &types, &world));
}

#[divan::bench(args = COUNTS)]
fn evaluate_loop(bencher: Bencher, count: usize) {
    let world = Memory::default();
    let (resolved, types) = typed(&program(Shape::Loop, count), &world);
    bencher.bench(|| evaluate(black_box(&resolved), &types, &world));
}

#[divan::bench(args = COUNTS)]
fn order_graph(bencher: Bencher, count: usize) {
    let world = Memory::default();
    let (resolved, types) = typed(&program(Shape::Chain, count), &world);
    let graph = evaluate(&resolved, &types, &world);
    bencher.bench(|| order(black_box(&graph)));
}

/// Takes events in, one after the other, in a program of `count` resources and `more`; each gives the new graph.
fn react(bencher: Bencher, count: usize, more: &str, sample: impl Fn(u64) -> String + Sync) {
    let entry = entry(&(program(Shape::Class, count / 2) + more));
    let world = Memory::default();
    let options =
        CompileOptions { module_path: Vec::new(), choices: Choices::default(), run: RunLimits::until(Stage::Eval) };
    let mut number = 0;
    mcl::react(&world, &entry, &options, 0, &world, |mut reactive, _, _| {
        bencher.bench_local(|| {
            number += 1;
            let held = (Read::Held("held".into()), Ok(Sample::Text(sample(number))));
            let outcome = reactive.event(&Event { at: number, changes: vec![held] });
            assert_eq!(outcome.resources.len(), 1);
            reactive.graph().clone()
        });
    })
    .expect("the program is right");
}

/// One changed input, on which one resource depends: the new graph, and what differs in it.
#[divan::bench(args = COUNTS)]
fn react_to_one_of(bencher: Bencher, count: usize) {
    let more = "import \"value\"\n$held = value.get_int(\"held\")\n\
        print \"held\" {\n\tmsg => fmt.printf(\"%d\", $held->value),\n}\n";
    react(bencher, count, more, |number| number.to_string());
}

/// The same where the resource comes and goes.
#[divan::bench(args = COUNTS)]
fn react_by_one_of(bencher: Bencher, count: usize) {
    let more = "import \"value\"\nif value.get_bool(\"held\")->value {\n\tprint \"held\" {}\n}\n";
    react(bencher, count, more, |number| (number % 2 == 1).to_string());
}

/// The same with a resource that automatic edges may lead to.
#[divan::bench(args = COUNTS)]
fn react_by_a_file_of(bencher: Bencher, count: usize) {
    let more = "import \"value\"\nif value.get_bool(\"held\")->value {\n\t\
        file \"/tmp/bench/held\" {\n\t\tstate => \"exists\",\n\t}\n}\n";
    react(bencher, count, more, |number| (number % 2 == 1).to_string());
}

/// All stages, for each shape of program.
#[divan::bench(args = SHAPES)]
fn compile_a_thousand(bencher: Bencher, shape: Shape) {
    let entry = entry(&program(shape, 1_000));
    let world = Memory::default();
    let options =
        CompileOptions { module_path: Vec::new(), choices: Choices::default(), run: RunLimits::until(Stage::Eval) };
    bencher.bench(|| {
        let compiled = mcl::compile(black_box(&world), &entry, &options);
        assert!(!compiled.diagnostics.has_errors());
        compiled
    });
}
