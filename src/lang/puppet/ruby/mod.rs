//! Ruby that is read and never run by Ruby: the types that modules declare, and templates.
//!
//! `lexer` and `parser` read what real modules contain. Where a file only has to be described, what they do not know is
//! passed over. A template is carried out by an interpreter of our own, which refuses what it does not know.

pub mod arm;
mod ast;
pub mod describe;
mod erb;
mod known;
mod lexer;
mod literal;
mod parser;
mod run;
mod statement;
pub mod token;

pub use run::{Called, Rendered, Used, call_function, render};

/// Reads a template without rendering it.
pub fn read_template(text: &str) -> Result<(), token::Fault> {
    erb::program(text).map(drop)
}
