//! `workbench fmt`: source in the layout that everybody knows.

use std::io::{self, Write};

use clap::Args;

use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::session::{format_file, replace_file};
use crate::source::printable;

/// Format source files
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench fmt site/*.mcl\n  workbench fmt --check site/*.mcl\n  \
                        workbench fmt --stdout site/main.mcl")]
pub struct Fmt {
    /// The files; those with syntax errors are left alone
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Write nothing; exit with 1 when a file is not formatted
    #[arg(long, conflicts_with = "stdout")]
    pub check: bool,
    /// Print the formatted text instead of writing it back
    #[arg(long)]
    pub stdout: bool,
}

impl Fmt {
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let mut exit = Exit::Done;
        let mut changed = 0;
        for path in &self.files {
            let formatted = match format_file(path) {
                Ok(formatted) => formatted,
                Err(report) => {
                    exit = face.report(&report);
                    continue;
                }
            };
            let differs = formatted.before != formatted.after;
            if self.stdout {
                face.out.write_all(formatted.after.as_bytes())?;
            } else if differs && self.check {
                writeln!(face.out, "{}", printable(path))?;
                exit = Exit::Refused;
            } else if differs && let Err(error) = replace_file(path, &formatted.after) {
                exit =
                    face.refuse(&format!("`{}` cannot be written: {error}", printable(path)), "check its permissions");
            } else {
                changed += usize::from(differs);
            }
        }
        if !self.stdout && !self.check {
            face.say(format!("{} formatted, {} looked at", changed, count(self.files.len(), "file")));
        }
        Ok(exit)
    }
}
