//! mcl, the language of mgmt: text to tokens to trees to scopes to types to values to the graph.
//!
//! Stages, each in its own file or folder: `parser` (with `lexer`, `interpolate` and `validate`; stage `parse`), `scope`
//! (imports are loaded here), `unify` (stage `type`), `eval` (values), `graph` (resources and edges).
//! Comes in: an entry point and a world. Goes out: the graph and diagnostics, never a tree.

pub mod ast;
pub mod builtin;
pub mod emit;
pub mod eval;
pub mod evaluate;
pub mod format;
pub mod graph;
mod interpolate;
mod lexer;
mod literal;
pub mod parser;
mod print;
pub mod scope;
pub mod tree;
pub mod types;
pub mod unify;
mod validate;
pub mod value;

use std::path::PathBuf;

use super::Compiled;
use crate::diag::{Diagnostics, Stage};
use crate::graph::Graph;
use crate::module::EntryPoint;
use crate::source::Sources;
use crate::world::{Cancel, World};

/// How far to compile, and where to look.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Where remote imports may lie, best first.
    pub module_path: Vec<PathBuf>,
    /// The last stage to run.
    pub until: Stage,
    /// Set from outside to end the work.
    pub cancel: Cancel,
}

/// Compiles an entry: text to trees, names to declarations, trees to types, and all of it to the graph.
pub fn compile(world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    if options.until <= Stage::Parse {
        let parsed = scope::load(world, entry, &mut diagnostics);
        return unfinished(parsed.sources, diagnostics);
    }
    let resolved = scope::resolve(world, entry, &options.module_path, &mut diagnostics);
    if diagnostics.has_errors() || options.until <= Stage::Scope {
        return unfinished(resolved.sources, diagnostics);
    }
    diagnostics.enter(Stage::Type);
    let cancelled = || options.cancel.is_cancelled();
    let limits = unify::Limits { cancelled: &cancelled, ..unify::Limits::default() };
    let types = unify::solve(&resolved.ast, &resolved.scopes, &resolved.sources, &limits, &mut diagnostics);
    if diagnostics.has_errors() || options.until <= Stage::Graph {
        return unfinished(resolved.sources, diagnostics);
    }
    diagnostics.enter(Stage::Eval);
    let limits = eval::Limits { cancel: options.cancel.clone(), ..eval::Limits::default() };
    let graph = eval::run(&resolved, &types, world, &limits, &mut diagnostics);
    Compiled { graph, sources: resolved.sources, diagnostics }
}

/// What there is when a stage before evaluation was the last one: values of an ill-typed program would mislead.
fn unfinished(sources: Sources, diagnostics: Diagnostics) -> Compiled {
    Compiled { graph: Graph::default(), sources, diagnostics }
}
