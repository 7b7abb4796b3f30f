//! Functions that a model can call: those of `std`, built in, and those of modules, in Python.
//!
//! Python runs in a worker outside of the evaluation. All that the evaluation sees is a question and its answer, both text, so that
//! it can be recorded and replayed. A plugin that reads an attribute which was not sent along asks for it and is called again.

mod call;
mod sent;
mod signature;

use super::ast::NsId;
use super::names::Sym;
use super::std::Native;
use crate::source::Span;

pub use call::call;
pub use signature::{Described, PythonFiles, Signature, describe, line_of, ty};

/// A function under its name in a namespace.
#[derive(Debug)]
pub struct PluginDef {
    pub ns: NsId,
    pub name: Sym,
    /// Where it is defined; nothing for a built-in one.
    pub place: Option<Span>,
    pub body: Body,
}

#[derive(Clone, Copy, Debug)]
pub enum Body {
    /// One of std's, built in.
    Native(&'static Native),
    /// One in Python, with the number of its signature where plugins may run.
    Python(Option<u32>),
}
