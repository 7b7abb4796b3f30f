//! `workbench highlight`: a source file in colour, for a terminal or a web page.

use std::io::{self, Write};

use clap::{Args, ValueEnum};

use crate::cli::args::Global;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, depth};
use crate::highlight::{Document, Grammar, Theme, ansi, html};
use crate::session::{theme, theme_named};

/// Print a source file in colour
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench highlight site/main.mcl\n  workbench highlight --theme day --format html site/main.mcl > main.html"
)]
pub struct Highlight {
    /// File; the language is detected from its name
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Output for a terminal or a web page
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Theme: a name from `workbench themes` [default: from your settings]
    #[arg(long, value_name = "NAME")]
    pub theme: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Ansi,
    Html,
}

impl Highlight {
    /// Prints the file in colour.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let mut config = face.config.clone();
        let theme = match &self.theme {
            Some(name) => theme_named(&mut config, name),
            None => Some(theme(&mut config, false)),
        };
        let Some(theme) = theme.filter(|_| !config.diagnostics().has_errors()) else {
            return Ok(face.diagnostics(config.diagnostics(), config.sources()));
        };
        let text = match crate::session::read_source(&self.file) {
            Ok(text) => text,
            Err(report) => return Ok(face.report(&report)),
        };
        let grammar = global.lang.and_then(Grammar::of_language).or_else(|| Grammar::of_file_name(&self.file));
        let document = Document::new(text, grammar);
        if let Some(plain) = document.plain() {
            face.note(format!("shown without colours: {}", plain.reason()));
        }
        match self.format {
            Format::Html => {
                face.data();
                face.out.write_all(html(&document, &theme, &self.file).as_bytes())?;
            }
            Format::Ansi if face.paint.on => {
                face.out.write_all(ansi(&document, &theme.at_depth(depth())).as_bytes())?
            }
            // Without colours the theme has no effect, but hostile characters are still named.
            Format::Ansi => face.out.write_all(ansi(&document, &Theme::default()).as_bytes())?,
        }
        Ok(Exit::Done)
    }
}
