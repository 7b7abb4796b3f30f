//! Languages: from an entry point to the one graph and diagnostics. What leaves this room is never a tree.

mod limits;
pub mod mcl;

use crate::diag::Diagnostics;
use crate::graph::Graph;
use crate::source::Sources;

pub use limits::{LIMITS, Limits, stopped};

/// What a compilation gives, whole or not: with errors the graph is empty.
#[derive(Clone, Debug)]
pub struct Compiled {
    pub graph: Graph,
    pub sources: Sources,
    pub diagnostics: Diagnostics,
}
