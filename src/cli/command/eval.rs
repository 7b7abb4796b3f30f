//! `workbench eval`: the value of an expression.

use std::io;
use std::path::PathBuf;

use clap::Args;

use crate::cli::args::{Format, Global, Work};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::read_stdin;
use crate::session::{EvalCode, evaluate_code};

/// Evaluate an expression and print its value
///
/// CODE can be a program that ends with an expression. The language's own modules need no import.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench eval '1 / 4'\n  workbench eval 'strings.to_upper($hostname)'\n  \
                        workbench eval --format json '[1, 2][0]'\n  workbench eval --file site/values.mcl")]
pub struct Eval {
    /// Expression in quotes, or `-` for stdin
    #[arg(value_name = "CODE", required_unless_present = "file", conflicts_with = "file", allow_hyphen_values = true)]
    pub code: Option<String>,
    /// Read the code from a file; imports are relative to its folder
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    #[command(flatten)]
    pub work: Work,
}

impl Eval {
    /// Prints the value of the code.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let stdin = match self.code.as_deref() {
            Some("-") => match read_stdin(face) {
                Ok(bytes) => Some(bytes),
                Err(exit) => return Ok(exit),
            },
            _ => None,
        };
        let code = match (&self.file, &stdin, &self.code) {
            (Some(file), _, _) => EvalCode::File(file),
            (None, Some(bytes), _) => EvalCode::Stdin(bytes),
            (None, None, code) => EvalCode::Argument(code.as_deref().unwrap_or_default()),
        };
        match evaluate_code(code, self.format.form(), &self.work.options(global, &face.config)) {
            Ok(made) => face.made(&made, true),
            Err(report) => Ok(face.report(&report)),
        }
    }
}
