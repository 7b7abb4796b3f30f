//! `workbench keys` and `workbench themes`: what the screens answer to, and how they can look.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use crate::cli::args::Format;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::paint::Role;
use crate::highlight::BUILT_IN;
use crate::tui::KEYS;

/// List the keys of the screens
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench keys\n  workbench keys --format json | jq '.keys[].id'")]
pub struct Keys {
    /// How to print them
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl Keys {
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        if self.format == Format::Json {
            let keys: Vec<_> = KEYS.iter().map(|k| json!({"id": k.id, "keys": k.keys, "title": k.title})).collect();
            writeln!(face.out, "{}", json!({"version": 1, "keys": keys}))?;
            return Ok(Exit::Done);
        }
        let rows: Vec<_> = KEYS.iter().map(|k| (k.keys.join(" "), k.title, k.id)).collect();
        let keys = rows.iter().map(|(keys, ..)| keys.chars().count()).max().unwrap_or_default();
        let titles = rows.iter().map(|(_, title, _)| title.chars().count()).max().unwrap_or_default();
        for (names, title, id) in rows {
            let names = face.paint.role(Role::Name, format!("{names:keys$}"));
            writeln!(face.out, "{names}  {title:titles$}  {}", face.paint.role(Role::Quiet, id))?;
        }
        Ok(Exit::Done)
    }
}

/// List the themes that come along
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  workbench themes\n  workbench highlight --theme day site/main.mcl")]
pub struct Themes {}

impl Themes {
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        BUILT_IN.iter().try_for_each(|(name, _)| writeln!(face.out, "{name}"))?;
        Ok(Exit::Done)
    }
}
