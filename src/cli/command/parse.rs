//! `workbench parse`: prints the syntax tree.

use std::io;

use clap::Args;

use crate::cli::args::{Entry, Format, Global};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::artifact;
use crate::session::Artifact;

/// Parse a module and print its syntax tree
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench parse site/main.mcl\n  workbench parse --format json '$x = 1 + 2'")]
pub struct Parse {
    #[command(flatten)]
    pub entry: Entry,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl Parse {
    /// Prints the syntax tree.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        artifact(face, global, &self.entry, &Artifact::Tree(self.format.form()))
    }
}
