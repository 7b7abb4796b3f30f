//! `workbench themes`: lists the themes.

use std::io::{self, Write};

use clap::Args;
use serde_json::json;

use crate::cli::args::Format;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::paint::Role;
use crate::highlight::{BUILT_IN, Theme};
use crate::session::{own_themes, theme, theme_named};
use crate::source::printable;

/// List the built-in themes, and yours in the config folder
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench themes\n  workbench --theme day site/\n  \
                  workbench themes --format json | jq -r '.themes[] | select(.ground == \"light\").name'")]
pub struct Themes {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

struct Row {
    name: String,
    is_yours: bool,
    /// The background that it is for; `None` if the theme cannot be read.
    ground: Option<&'static str>,
}

impl Themes {
    /// Prints the names of the themes, with the current one marked.
    pub fn run(&self, face: &mut Face) -> io::Result<Exit> {
        let mut config = face.config.clone();
        // For a dark terminal: only the screens query the real background.
        let current = theme(&mut config, false).name;
        let own = own_themes(&config);
        let built_in = BUILT_IN.iter().filter(|(name, _)| !own.iter().any(|own| own == name));
        let names = built_in.map(|(name, _)| (String::from(*name), false)).collect::<Vec<_>>();
        let names = names.into_iter().chain(own.into_iter().map(|name| (name, true)));
        let rows: Vec<Row> = names
            .map(|(name, is_yours)| {
                let ground = theme_named(&mut config, &name).map(|theme| words(&theme));
                Row { name, is_yours, ground }
            })
            .collect();
        if self.format == Format::Json {
            let row = |row: &Row| json!({"name": row.name, "yours": row.is_yours, "ground": row.ground});
            let themes: Vec<_> = rows.iter().map(row).collect();
            writeln!(face.out, "{}", json!({"version": 1, "current": current, "themes": themes}))?;
            return Ok(Exit::Done);
        }
        let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
        for Row { name, is_yours, ground } in &rows {
            let mark = if *name == current { "*" } else { " " };
            let yours = if *is_yours { ", yours" } else { "" };
            let about =
                face.paint.role(Role::Quiet, format!("{}{yours}", ground.unwrap_or("invalid: run config check")));
            writeln!(face.out, "{mark} {}  {about}", printable(&format!("{name:width$}")))?;
        }
        Ok(Exit::Done)
    }
}

fn words(theme: &Theme) -> &'static str {
    match theme.is_light() {
        Some(true) => "light",
        Some(false) => "dark",
        None => "any",
    }
}
