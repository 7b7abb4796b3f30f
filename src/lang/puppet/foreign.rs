//! Ruby that the user's own interpreter runs: what a compilation stores about it, and how a call ends. [`worker`](super::worker)
//! has the conversation.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::ast::Text;
use super::call::Block;
use super::ids::ScopeId;
use super::value::Value;
use crate::source::Span;

/// What a compilation knows of the worker.
#[derive(Debug, Default)]
pub struct Worker {
    /// The modules, as each request names them.
    pub modules: Option<Arc<str>>,
    pub functions: FxHashMap<Text, Arc<Described>>,
    /// Calls inside of one another.
    pub depth: u32,
    /// The look-ups of names of machines.
    pub names: FxHashSet<Arc<str>>,
    /// A block of Ruby had no value: the function that it was passed to has none.
    pub has_lost_block: bool,
}

/// What a request is for: the place of the call in the program.
#[derive(Clone, Copy)]
pub struct From<'c> {
    pub scope: ScopeId,
    pub span: Span,
    pub block: Option<&'c Block>,
}

/// A function as its file declares it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Described {
    pub dispatches: Vec<Dispatch>,
    /// Dispatches whose methods give the message of a mismatch.
    pub mismatches: Vec<Dispatch>,
    /// Types of the function's own, as `Name = Type`.
    pub types: Vec<String>,
}

/// A signature of a function in Ruby; its types are the text in the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Dispatch {
    pub params: Vec<Param>,
    pub block: Option<BlockParam>,
    pub returns: Option<String>,
}

/// A parameter of a signature.
#[derive(Debug, Deserialize)]
pub struct Param {
    #[serde(rename = "type")]
    pub ty: String,
    pub name: String,
    pub optional: bool,
    pub repeated: bool,
}

/// The block of a signature.
#[derive(Debug, Deserialize)]
pub struct BlockParam {
    #[serde(rename = "type")]
    pub ty: String,
    pub optional: bool,
}

/// How a call of a function ended.
pub enum Called {
    Value(Value),
    /// A provider of data has nothing.
    Nothing,
    /// It needs what the worker does not have.
    Outside(String),
}
