//! Evaluation: a typed program and a world give values, resources and edges.
//!
//! An explicit machine, not recursion: no input can blow the stack, every step costs fuel and can be cancelled, and a
//! value is computed once, when first asked for.

/// A function with the frame it was made in.
#[derive(Debug)]
pub struct Closure;
