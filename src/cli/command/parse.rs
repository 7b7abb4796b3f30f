//! `workbench parse`: syntax only, and the tree.

use std::io::{self, Write};

use clap::Args;

use crate::cli::args::{Entry, Format, Global};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::open;
use crate::session::TreeForm;

/// Read an entry's syntax and print its tree
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench parse site/main.mcl\n  workbench parse --format json '$x = 1 + 2'")]
pub struct Parse {
    #[command(flatten)]
    pub entry: Entry,
    /// How to print the tree
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl Parse {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let form = match self.format {
            Format::Text => TreeForm::Text,
            Format::Json => TreeForm::Json,
        };
        let parsed = session.parse(form);
        let exit = face.diagnostics(&parsed.diagnostics, &parsed.sources);
        face.out.write_all(parsed.tree.as_bytes())?;
        Ok(exit)
    }
}
