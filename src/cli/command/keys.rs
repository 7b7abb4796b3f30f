//! `workbench keys`: the key bindings of the screens.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use crate::cli::args::Format;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::paint::Role;
use crate::tui::{KeyRow, key_rows};

/// List the key bindings of the TUI
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench keys\n  workbench keys --format json | jq '.keys[].id'")]
pub struct Keys {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl Keys {
    /// Prints the key bindings. An invalid binding in the settings is an error.
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let mut config = face.config.clone();
        let before = config.diagnostics().error_count();
        let rows = key_rows(&mut config);
        if config.diagnostics().error_count() > before {
            face.diagnostics(config.diagnostics(), config.sources());
            return Ok(Exit::Refused);
        }
        if self.format == Format::Json {
            let on = |row: &KeyRow| row.on.iter().map(|(s, key)| json!({"screen": s, "key": key})).collect::<Vec<_>>();
            let row = |row: &KeyRow| {
                json!({
                    "id": row.id, "keys": row.keys, "title": row.title, "screens": row.screens, "on": on(row),
                    "yours": row.yours,
                })
            };
            let keys: Vec<_> = rows.iter().map(row).collect();
            writeln!(face.out, "{}", json!({"version": 1, "keys": keys}))?;
            return Ok(Exit::Done);
        }
        let names: Vec<_> = rows.iter().map(names).collect();
        let width = names.iter().map(|keys| keys.chars().count()).max().unwrap_or_default();
        let titles = rows.iter().map(|row| row.title.chars().count()).max().unwrap_or_default();
        for (row, names) in rows.iter().zip(names) {
            let names = face.paint.role(Role::Name, format!("{names:width$}"));
            let yours = if row.yours { "  (yours)" } else { "" };
            let id = face.paint.role(Role::Quiet, format!("{}{yours}", row.id));
            writeln!(face.out, "{names}  {:titles$}  {id}", row.title)?;
        }
        Ok(Exit::Done)
    }
}

fn names(row: &KeyRow) -> String {
    let everywhere = row.keys.iter().cloned();
    everywhere.chain(row.on.iter().map(|(screen, key)| format!("{key} ({screen})"))).collect::<Vec<_>>().join(", ")
}
