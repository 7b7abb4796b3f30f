//! Ruby that is read and never run by Ruby: the types that modules declare, and templates.
//!
//! `lexer` and `parser` read what real modules contain. Where a file only has to be described, what they do not know is
//! passed over. A template is carried out by an interpreter of our own, which refuses what it does not know.

mod ast;
pub mod describe;
mod erb;
mod lexer;
mod literal;
pub mod number;
mod parser;
pub mod regexp;
mod run;
pub mod sort;
mod statement;
pub mod token;

/// A name or text of a program.
pub type Text = std::sync::Arc<str>;

pub use run::{Called, Rendered, Used, call_function, render};

/// Reads a template without rendering it.
pub fn read_template(text: &str) -> Result<(), token::Fault> {
    erb::program(text).map(drop)
}
