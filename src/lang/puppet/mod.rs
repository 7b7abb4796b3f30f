//! Puppet: manifests to tokens to trees to values to the catalog to the graph.

pub mod arm;
pub mod ast;
pub mod builtin;
pub mod catalog;
pub mod call;
mod check;
mod conf;
pub mod convert;
mod declared;
mod environment;
pub mod eval;
mod facts;
pub mod format;
mod graph;
mod here;
pub mod ids;
pub mod issue;
mod language;
pub mod lexer;
mod loader;
pub mod lookup;
mod modules;
mod names;
mod nodes;
pub mod number;
mod output;
pub mod parser;
pub mod pn;
mod program;
mod puppetfile;
mod ruby;
pub mod scope;
mod search;
pub mod semver;
pub mod signature;
pub mod stop;
#[cfg(test)]
mod testing;
pub mod types;
pub mod unknown;
pub mod validate;
pub mod value;
pub mod words;
mod worker;

pub use language::Puppet;
