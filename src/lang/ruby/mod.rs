//! Ruby without Ruby: the types that modules declare are read, templates and functions are run by an interpreter.
//!
//! `lexer` and `parser` read what real modules contain. Where a file only has to be described, what they do not know is
//! passed over. The interpreter in `run` refuses what it does not know. It knows nothing of the language around it but a
//! [`Host`](host::Host), which gives variables and calls functions. `regexp` and `number` serve that language too.

mod ast;
mod changes;
pub mod describe;
mod erb;
pub mod host;
mod lexer;
mod literal;
pub mod number;
mod parser;
pub mod regexp;
mod run;
pub mod shell;
pub mod sort;
mod statement;
pub mod token;

/// A name or text of a program.
pub type Text = std::sync::Arc<str>;

pub use run::{Function, Halt, Heap, NESTED, Ran, Rendered, Ruby, Table, Used, call_function, render, titles_of};

/// Reads a template without rendering it.
pub fn read_template(text: &str) -> Result<(), token::Fault> {
    erb::program(text).map(drop)
}
