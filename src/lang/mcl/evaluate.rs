//! Evaluates one value instead of a graph: a program that ends in an expression, compiled as a whole.

use std::sync::Arc;

use super::parser::ASKED;
use super::types::Type;
use super::unify::InstanceId;
use super::{eval, scope, unify};
use crate::diag::{Diagnostics, Stage};
use crate::graph::{ResourceId, Value};
use crate::lang::CompileOptions;
use crate::module::EntryPoint;
use crate::source::Sources;
use crate::world::World;

/// The result of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// The value and its type; `None` with errors.
    pub value: Option<(Arc<Type>, Value)>,
    pub sources: Sources,
    pub diagnostics: Diagnostics,
}

/// Evaluates the expression at the end of an entry that is code.
pub fn evaluate(world: &dyn World, entry: &EntryPoint, options: &CompileOptions) -> Evaluated {
    let mut diagnostics = Diagnostics::new(Stage::Parse);
    let stop = options.stop();
    let (resolved, asked) = scope::resolve_asked(world, entry, &options.module_path, &stop, &mut diagnostics);
    let Some(asked) = asked.filter(|_| !diagnostics.has_errors()) else {
        return Evaluated { value: None, sources: resolved.sources, diagnostics };
    };
    diagnostics.enter(Stage::Type);
    let limits = unify::Limits { stop: stop.clone(), asked: Some(asked), ..unify::Limits::of(&options.run.limits) };
    let types = unify::solve(&resolved.ast, &resolved.scopes, &resolved.sources, &limits, &mut diagnostics);
    let ty = types.results.get(&(InstanceId(0), asked)).cloned();
    let Some(ty) = ty.filter(|_| !diagnostics.has_errors()) else {
        return Evaluated { value: None, sources: resolved.sources, diagnostics };
    };
    diagnostics.enter(Stage::Eval);
    let limits = eval::Limits { stop, ..eval::Limits::of(&options.run.limits) };
    let graph = eval::run(&resolved, &types, world, &limits, &mut diagnostics);
    let shown = graph.find(&ResourceId(format!("value[{ASKED}]").into())).and_then(|at| graph.resource(at));
    let value = shown.and_then(|resource| resource.meant().params.get("any")).cloned();
    Evaluated { value: value.map(|value| (ty, value)), sources: resolved.sources, diagnostics }
}
