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
use workbench::lang::mcl::eval::reactive::Event;
use workbench::lang::mcl::{self, CompileOptions, eval, scope, unify};
use workbench::world::{Cancel, Memory, Read, Sample, Stop};

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

/// One changed input, on which one resource depends: the new graph, and what differs in it.
#[divan::bench(args = COUNTS)]
fn react_to_one_of(bencher: Bencher, count: usize) {
    let mut text = program(Shape::Class, count / 2);
    text.push_str("import \"value\"\n$held = value.get_int(\"number\")\n");
    text.push_str("print \"held\" {\n\tmsg => fmt.printf(\"%d\", $held->value),\n}\n");
    let entry = entry(&text);
    let world = Memory::default();
    let options = CompileOptions {
        module_path: Vec::new(),
        until: Stage::Eval,
        cancel: Cancel::default(),
        limits: Default::default(),
    };
    let mut number = 0;
    mcl::react(&world, &entry, &options, 0, &world, |mut reactive, _, _| {
        bencher.bench_local(|| {
            number += 1;
            let held = (Read::Held("number".into()), Ok(Sample::Text(number.to_string())));
            let outcome = reactive.event(&Event { at: number, changes: vec![held] });
            assert_eq!(outcome.resources.len(), 1);
        });
    })
    .expect("the program is right");
}

/// The same where the resource comes and goes, so that the graph is built anew.
#[divan::bench(args = COUNTS)]
fn react_by_one_of(bencher: Bencher, count: usize) {
    let mut text = program(Shape::Class, count / 2);
    text.push_str("import \"value\"\nif value.get_bool(\"on\")->value {\n\tprint \"held\" {}\n}\n");
    let entry = entry(&text);
    let world = Memory::default();
    let options = CompileOptions {
        module_path: Vec::new(),
        until: Stage::Eval,
        cancel: Cancel::default(),
        limits: Default::default(),
    };
    let mut number = 0;
    mcl::react(&world, &entry, &options, 0, &world, |mut reactive, _, _| {
        bencher.bench_local(|| {
            number += 1;
            let held = (Read::Held("on".into()), Ok(Sample::Text((number % 2 == 1).to_string())));
            let outcome = reactive.event(&Event { at: number, changes: vec![held] });
            assert_eq!(outcome.resources.len(), 1);
        });
    })
    .expect("the program is right");
}

/// All stages, for each shape of program.
#[divan::bench(args = SHAPES)]
fn compile_a_thousand(bencher: Bencher, shape: Shape) {
    let entry = entry(&program(shape, 1_000));
    let world = Memory::default();
    let options = CompileOptions {
        module_path: Vec::new(),
        until: Stage::Eval,
        cancel: Cancel::default(),
        limits: Default::default(),
    };
    bencher.bench(|| {
        let compiled = mcl::compile(black_box(&world), &entry, &options);
        assert!(!compiled.diagnostics.has_errors());
        compiled
    });
}
