//! mcl, the language of mgmt: text to tokens to trees to scopes to types to values to the graph.
//!
//! Stages, each in its own file or folder: `parser` (with `lexer`, `interpolate` and `validate`; stage `parse`),
//! `scope` (imports are loaded here), `unify` (stage `type`), `eval` (values), `graph` (resources and edges). Input: an
//! entry point and a world. Output: the graph and diagnostics, never a tree.

pub mod ast;
pub mod builtin;
mod check;
pub mod emit;
pub mod eval;
pub mod evaluate;
pub mod format;
pub mod graph;
mod habit;
mod handoff;
pub mod here;
mod imports;
mod interpolate;
mod language;
mod lexer;
mod links;
mod literal;
pub mod migrate;
mod modules;
pub mod parser;
mod print;
pub mod scope;
mod templates;
pub mod tree;
pub mod types;
pub mod unify;
mod validate;
pub mod value;
mod words;

use super::{CompileOptions, Compiled, Outcome, RunLimits};
use eval::reactive::{Inputs, Reactive};
use scope::Resolved;
use unify::Types;

use crate::diag::{Diagnostics, Stage};
use crate::graph::Graph;
use crate::module::EntryPoint;
use crate::source::Sources;
use crate::world::{Stop, World};

pub use language::Mcl;

/// Compiles an entry: text to trees, names to declarations, trees to types, and all of it to the graph.
pub fn compile(world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
    compile_noting(world, entry, options, &mut |_| ())
}

/// The same; `note` sees the program as soon as its names are resolved.
fn compile_noting(
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    note: &mut dyn FnMut(&Resolved),
) -> Compiled {
    let stop = options.stop();
    let (resolved, types, mut diagnostics) = match typed(world, entry, options, &stop, note) {
        Ok(typed) => typed,
        Err(unfinished) => return *unfinished,
    };
    let draft = options.run.draft.clone();
    let limits = eval::Limits { stop: stop.clone(), draft, ..eval::Limits::of(&options.run.limits) };
    let graph = eval::run(&resolved, &types, world, &limits, &mut diagnostics);
    let bases: Vec<_> = resolved.files.iter().map(|file| (file.tree.file, file.base.clone())).collect();
    let mut compiled = unfinished(resolved, types, Diagnostics::new(Stage::Eval), &stop);
    compiled.diagnostics = templates::place(diagnostics, &bases, &mut compiled.sources, world);
    Compiled { graph, ..*compiled }
}

/// Compiles an entry and keeps it evaluated while `work` runs, from a point in time on (milliseconds since 1970).
/// `work` is not called if a stage before evaluation fails. One world has the program itself, another answers its
/// reads.
pub fn react<T>(
    files: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    now: u64,
    world: &dyn World,
    work: impl FnOnce(Reactive, Outcome, &Sources) -> T,
) -> Result<T, Box<Compiled>> {
    let stop = options.stop();
    let whole = CompileOptions { run: RunLimits { until: Stage::Eval, ..options.run.clone() }, ..options.clone() };
    let (resolved, types, _) = typed(files, entry, &whole, &stop, &mut |_| ())?;
    // A watched program has no end, but each event has one.
    let limits = eval::Limits { stop: stop.again(), ..eval::Limits::of(&options.run.limits) };
    let inputs = Inputs::new(world);
    let (reactive, outcome) = Reactive::start(&resolved, &types, &inputs, &limits, now);
    Ok(work(reactive, outcome, &resolved.sources))
}

/// All stages before evaluation. Returns the results so far if one of them fails, or is the last requested one.
fn typed(
    world: &dyn World,
    entry: &EntryPoint,
    options: &CompileOptions,
    stop: &Stop,
    note: &mut dyn FnMut(&Resolved),
) -> Result<(Resolved, Types, Diagnostics), Box<Compiled>> {
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    if options.run.until <= Stage::Parse {
        let parsed = scope::load(world, entry, stop, &mut diagnostics);
        return Err(unfinished(parsed, Types::default(), diagnostics, stop));
    }
    let resolved = scope::resolve(world, entry, &options.module_path, stop, &mut diagnostics);
    note(&resolved);
    if diagnostics.has_errors() || options.run.until <= Stage::Scope {
        return Err(unfinished(resolved, Types::default(), diagnostics, stop));
    }
    diagnostics.enter(Stage::Type);
    let limits = unify::Limits { stop: stop.clone(), ..unify::Limits::of(&options.run.limits) };
    let types = unify::solve(&resolved.ast, &resolved.scopes, &resolved.sources, &limits, &mut diagnostics);
    if diagnostics.has_errors() || options.run.until <= Stage::Graph {
        return Err(unfinished(resolved, types, diagnostics, stop));
    }
    diagnostics.enter(Stage::Eval);
    Ok((resolved, types, diagnostics))
}

/// The result if a stage before evaluation was the last one: values of an ill-typed program would mislead.
fn unfinished(resolved: Resolved, types: Types, diagnostics: Diagnostics, stop: &Stop) -> Box<Compiled> {
    let Resolved { ast, sources, files, scopes } = resolved;
    stop.finish((ast, files, scopes, types));
    Box::new(Compiled::new(Graph::default(), sources, diagnostics))
}
