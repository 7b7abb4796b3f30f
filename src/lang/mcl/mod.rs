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
