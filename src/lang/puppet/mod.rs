//! Puppet: manifests to tokens to trees to values to the catalog to the graph.

pub mod arm;
pub mod ast;
pub mod builtin;
pub mod catalog;
mod check;
mod declared;
pub mod eval;
mod facts;
mod graph;
mod here;
pub mod issue;
mod kinds;
mod language;
pub mod lexer;
mod loader;
pub mod lookup;
mod modules;
mod nodes;
pub mod number;
pub mod parser;
pub mod pn;
mod puppetfile;
pub mod scope;
mod search;
pub mod semver;
#[cfg(test)]
mod testing;
pub mod types;
pub mod validate;
pub mod value;
mod way_out;
pub mod words;

pub use language::Puppet;
