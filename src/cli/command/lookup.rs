//! `workbench lookup`: looks up a key in Hiera.

use std::io;

use clap::Args;

use crate::cli::args::{Entry, Format, Global};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::artifact;
use crate::session::Artifact;

/// Puppet: look a key up in Hiera for a node
///
/// Manifests are not evaluated: paths and data can use facts and the node's name, but no other variables.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench lookup ntp::servers\n  workbench lookup ntp::servers --explain --node web1.example.com\n  \
                        workbench lookup users site/ --merge unique\n  \
                        workbench lookup users site/ --merge '{strategy => deep, knockout_prefix => \"--\"}'"
)]
pub struct Lookup {
    /// Key, with dots for parts of its value
    #[arg(value_name = "KEY")]
    pub key: String,
    #[command(flatten)]
    pub entry: Entry,
    /// Print the search: every layer, level and file, and what each of them has
    #[arg(long)]
    pub explain: bool,
    /// How to merge: first, unique, hash, deep, or a hash in Puppet syntax [default: as the data says]
    #[arg(long, value_name = "STRATEGY")]
    pub merge: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t, conflicts_with = "explain")]
    pub format: Format,
}

impl Lookup {
    /// Prints the value of a key, or the search for it.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let what = Artifact::Lookup {
            key: self.key.clone(),
            merge: self.merge.clone(),
            explain: self.explain,
            form: self.format.form(),
        };
        artifact(face, global, &self.entry, &what)
    }
}
