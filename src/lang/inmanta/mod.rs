//! Inmanta: reads a model, runs it with the reference's scheduler, and shows its variables and instances.

mod ast;
mod error;
mod escape;
mod lexer;
mod names;
mod parser;
mod pattern;
mod pystr;
mod sexpr;
mod token;
mod value;
mod walk;

use crate::diag::{Diagnostics, Stage};
use crate::source::FileId;

/// Which syntax a program is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    #[default]
    Today,
    /// The syntax of inmanta-core 4.0.0.
    V4,
}

/// The syntax tree of one file as s-expressions; nothing where it has an error.
pub fn tree(text: &str, file: FileId, edition: Edition, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    diagnostics.enter(Stage::Parse);
    let mut names = names::Names::default();
    let mut ast = ast::Ast::default();
    match parser::parse(text, file, ast::NsId(0), edition, &mut names, &mut ast) {
        Ok(tops) => Some(sexpr::print(&tops, &ast, &names)),
        Err(raise) => {
            raise.report(diagnostics);
            None
        }
    }
}
