//! mcl, the language of mgmt: text to tokens to trees to scopes to types to values to the graph.
//!
//! Stages, each in its own file or folder: `lexer`, `parser`, `ast`, `interpolate` (stage `parse`), `scope` (imports are
//! loaded here), `unify` (stage `type`), `eval` (values), `graph` (resources and edges).

pub mod ast;
pub mod builtin;
pub mod eval;
pub mod scope;
pub mod types;
pub mod unify;
pub mod value;
