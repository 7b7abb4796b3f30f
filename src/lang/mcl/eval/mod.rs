//! Evaluation: computes values, resources and edges from a typed program and a world.
//!
//! There are two machines, both with their own stacks instead of recursion, so that no input can overflow ours:
//! [`machine`] evaluates expressions (with [`name`] and [`call`]), [`statement`] walks blocks, branches, loops and
//! classes and collects their declarations. Every step costs fuel, every value counts against a budget, and a flag
//! cancels the run.
//!
//! A value is computed once, on first use, and stored in a cell of a [`frame`]; so is its failure. All cells are in one
//! arena for the whole evaluation. An unused value is never computed.
//!
//! [`reactive`] keeps an evaluation: it records for each cell and each statement which reads of the world and which
//! cells it used, and evaluates again only what an event makes stale. The state of functions (`history`, random
//! numbers) is stored by the [`Spot`] of their call, which is the same in every evaluation.

mod budget;
mod call;
mod closure;
mod fault;
mod frame;
mod machine;
mod name;
pub mod operator;
pub mod reactive;
mod resource;
mod spot;
mod statement;

use super::graph;
use super::scope::Resolved;
use super::unify::Types;
use crate::diag::Diagnostics;
use crate::graph::{Draft, Graph};
use crate::world::{Stop, World};

pub use closure::Closure;
pub use fault::Fault;
pub use machine::Machine;
pub use spot::Spot;

/// The limits of one evaluation.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Steps of both machines together.
    pub steps: u64,
    /// How many expressions may wait for another one's value.
    pub depth: usize,
    /// How deep functions with function arguments may call each other; each level takes some of our own stack.
    pub calls: u32,
    /// Bytes of created values and frames, approximately, freed or not.
    pub memory: u64,
    /// Resources and edges declared.
    pub declared: usize,
    /// Cancels it from outside.
    pub stop: Stop,
    /// Receives the graph while it is built.
    pub draft: Draft,
}

impl Default for Limits {
    fn default() -> Self {
        Self::of(&crate::lang::Limits::default())
    }
}

impl Limits {
    /// Converts the user's limits; `memory` becomes bytes, and the number of nested calls is fixed.
    pub fn of(limits: &crate::lang::Limits) -> Self {
        let count = |limit: u64| usize::try_from(limit).unwrap_or(usize::MAX);
        Self {
            steps: limits.steps,
            depth: count(limits.depth),
            calls: 1_000,
            memory: limits.memory.saturating_mul(1 << 20),
            declared: count(limits.resources),
            stop: Stop::default(),
            draft: Draft::default(),
        }
    }
}

/// Evaluates a program to its resource graph. With errors the graph is empty: a part would be mistaken for the whole.
pub fn run(program: &Resolved, types: &Types, world: &dyn World, limits: &Limits, diags: &mut Diagnostics) -> Graph {
    let errors = diags.error_count();
    let mut machine = Machine::new(program, types, world, limits);
    let declared = statement::Executor::new(&mut machine).run(diags);
    if diags.error_count() > errors {
        limits.stop.release((machine, declared));
        return Graph::default();
    }
    let numbers = machine.remembered.numbers.new_ones();
    drop(machine);
    let mut graph = graph::build(program, declared, world, &limits.stop, &limits.draft, diags);
    if diags.error_count() == errors {
        graph.set_numbers(numbers);
    }
    graph
}
