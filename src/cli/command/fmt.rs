//! `workbench fmt`: formats source files.

use std::io::{self, Write};

use clap::Args;

use crate::cli::args::{FormatFlags, Global};
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::read_stdin;
use crate::session::{Formatted, Forms, Text, format_text, replace_file, source_files};
use crate::source::printable;

/// Format source files
///
/// Only the layout changes. `--migrate` also rewrites old syntax and reports each rewrite.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench fmt site/\n  workbench fmt --check site/*.mcl\n  \
                        workbench fmt --stdout site/main.mcl\n  workbench fmt - < main.mcl\n  \
                        workbench fmt --migrate --check old/")]
pub struct Fmt {
    /// Files, folders with source files, or `-` for stdin; files with syntax errors are not changed
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<String>,
    /// Write nothing; exit with 1 if a file is not formatted
    #[arg(long, conflicts_with = "stdout")]
    pub check: bool,
    /// Print the formatted text instead of writing the file
    #[arg(long)]
    pub stdout: bool,
    /// Rewrite old syntax to current syntax
    #[arg(long)]
    pub migrate: bool,
    #[command(flatten)]
    pub language: FormatFlags,
}

impl Fmt {
    /// Formats each file, or checks it with `--check`.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let mut exit = Exit::Done;
        let mut changed = 0;
        let mut seen = 0;
        for path in &self.files {
            if path == "-" {
                exit = self.stdin(face, global)?.unwrap_or(exit);
                continue;
            }
            let files = match source_files(path) {
                Ok(files) => files,
                Err(error) => {
                    exit = face.refuse(&format!("`{}` cannot be read: {error}", printable(path)), "check the path");
                    continue;
                }
            };
            if files.is_empty() {
                face.note(format!("no source files in `{}`", printable(path)));
            }
            for file in files {
                match format_text(Text::File(&file), self.forms(), &self.language.options(global)) {
                    Ok(formatted) => {
                        seen += 1;
                        match self.file(face, &file, &formatted)? {
                            Some(refused) => exit = refused,
                            None => changed += usize::from(formatted.before != formatted.after),
                        }
                    }
                    Err(report) => exit = face.report(&report),
                }
            }
        }
        if !self.stdout && !self.check && seen > 0 {
            face.note(format!("{} formatted, {} checked", changed, count(seen, "file")));
        }
        Ok(exit)
    }

    fn forms(&self) -> Forms {
        if self.migrate { Forms::Migrated } else { Forms::Kept }
    }

    /// Prints, writes or checks one file; returns an exit code for a refusal.
    fn file(&self, face: &mut Face, path: &str, formatted: &Formatted) -> io::Result<Option<Exit>> {
        self.write_report(face, path, formatted);
        let differs = formatted.before != formatted.after;
        if self.stdout {
            face.data();
            face.out.write_all(formatted.after.as_bytes())?;
        } else if differs && self.check {
            writeln!(face.out, "{}", printable(path))?;
            return Ok(Some(Exit::Refused));
        } else if differs && let Err(error) = replace_file(path, &formatted.after) {
            let message = format!("`{}` cannot be written: {error}", printable(path));
            return Ok(Some(face.refuse(&message, "check its permissions")));
        }
        Ok(None)
    }

    /// Standard input to standard output.
    fn stdin(&self, face: &mut Face, global: &Global) -> io::Result<Option<Exit>> {
        let bytes = match read_stdin(face) {
            Ok(bytes) => bytes,
            Err(exit) => return Ok(Some(exit)),
        };
        let formatted = match format_text(Text::Stdin(&bytes), self.forms(), &self.language.options(global)) {
            Ok(formatted) => formatted,
            Err(report) => return Ok(Some(face.report(&report))),
        };
        self.write_report(face, "<stdin>", &formatted);
        if self.check {
            if formatted.before == formatted.after {
                return Ok(None);
            }
            writeln!(face.out, "<stdin>")?;
            return Ok(Some(Exit::Refused));
        }
        face.data();
        face.out.write_all(formatted.after.as_bytes())?;
        Ok(None)
    }

    /// Reports each rewrite.
    fn write_report(&self, face: &mut Face, path: &str, formatted: &Formatted) {
        for (line, what) in &formatted.rewrites {
            face.note(format!("{}:{line}: {what}", printable(path)));
        }
    }
}
