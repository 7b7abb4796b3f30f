//! `workbench model`: the instances of a model.

use std::io;

use clap::Args;

use crate::cli::args::{Entry, Format, Global};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::artifact;
use crate::session::Artifact;

/// Inmanta: print the top-level variables and all instances
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench model site/main.cf\n  workbench model --format json site/ | jq '.instances[].id'\n  \
                        workbench model --explain-freeze 'std::Host.files' site/"
)]
pub struct Model {
    #[command(flatten)]
    pub entry: Entry,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print the history of one list: what added to it, and what read it first and so froze it
    #[arg(long, value_name = "ATTRIBUTE")]
    pub explain_freeze: Option<String>,
}

impl Model {
    /// Prints the instances, or the history of one attribute.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let what = Artifact::Model { form: self.format.form(), explain: self.explain_freeze.clone() };
        artifact(face, global, &self.entry, &what)
    }
}
