//! Functions that a model can call: those of `std`, built in, and those of modules, in Python.
//!
//! Python runs in a worker outside of the evaluation. All that the evaluation sees is a question and its answer, both text, so that
//! it can be recorded and replayed. A plugin that reads an attribute which was not sent along asks for it and is called again.

mod call;
mod describe;
mod read;
mod sent;
mod signature;

use super::ast::NsId;
use super::names::Sym;
use crate::source::Span;

pub use call::{Exported, call, call_direct, check_argument, export, missing_arguments};
pub use describe::{Described, PythonFiles, Surroundings, describe, line_of};
pub use read::read_plugins;
pub use signature::{Signature, ty};

/// A function under its name in a namespace.
#[derive(Debug)]
pub struct PluginDef {
    pub ns: NsId,
    pub name: Sym,
    /// Where it is defined; nothing for a built-in one.
    pub place: Option<Span>,
    pub body: Body,
}

/// A function of `std`, as the stages before the run see it.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    pub name: &'static str,
    /// Its place in the table of `std`.
    pub at: u32,
}

/// The code of a plugin.
#[derive(Clone, Copy, Debug)]
pub enum Body {
    Native(BuiltIn),
    /// One in Python, with the number of its signature where that is known.
    Python(Option<u32>),
}
