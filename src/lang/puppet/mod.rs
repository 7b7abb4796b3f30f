//! Puppet: manifests to tokens to trees to values to the catalog to the graph.

pub mod ast;
pub mod issue;
pub mod lexer;
pub mod number;
pub mod parser;
pub mod pn;
pub mod regexp;
pub mod semver;
pub mod types;
pub mod validate;
pub mod value;
pub mod words;
