//! `workbench modules add`: adds an import to the source, fetched and locked.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::Args;

use super::download;
use crate::cli::args::{Entry, Global};
use crate::cli::ask::agreed;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::fetching::{self, FetchArgs};
use crate::cli::open::open;
use crate::cli::paint::Role;
use crate::session::NewImport;
use crate::source::printable;

/// Add an import to a source file, and fetch the module
///
/// Shows the change and asks first. If the fetch fails, nothing is written.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench modules add https://example.com/ntp/ site/\n  \
                        workbench modules add 'https://example.com/ntp/?ref=v2' site/ --as time --in site/base.mcl")]
pub struct Add {
    /// Import: a git URL, a folder such as `lib/`, a file, or a built-in module
    #[arg(value_name = "NAME")]
    pub name: String,
    #[command(flatten)]
    pub entry: Entry,
    /// File to change [default: the entry's main file]
    #[arg(long = "in", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Name of the import in the code [default: the last part of NAME]
    #[arg(long = "as", value_name = "WORD")]
    pub alias: Option<String>,
    /// Add it without asking
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub fetch: FetchArgs,
}

impl Add {
    /// Shows the new import, asks, fetches the module and adds the line.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let wanted = NewImport { name: self.name.clone(), file: self.file.clone(), alias: self.alias.clone() };
        let edit = match session.plan_import(&wanted) {
            Ok(edit) => edit,
            Err(report) => return Ok(face.report(&report)),
        };
        writeln!(face.out, "{}:{}", printable(&edit.path.to_string_lossy()), edit.line)?;
        for line in edit.diff() {
            let role = if line.starts_with('+') { Role::Create } else { Role::Quiet };
            writeln!(face.out, "{}", face.paint.role(role, printable(&line)))?;
        }
        if let Some(warning) = edit.warning() {
            face.note(format_args!("warning: {}", printable(&warning)));
        }
        if !self.yes {
            if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
                face.out.flush()?;
                return Ok(face.refuse("this needs a terminal to ask for confirmation", "pass `--yes`"));
            }
            if !agreed(face, "Fetch it and add this line? [y/N] ")? {
                return Ok(face.refuse("nothing was changed", "answer `y` to add it"));
            }
        }
        let options = self.fetch.options(&session);
        match fetching::run(face, global, options.silence, |around| session.add_import(&edit, &options, around)) {
            Ok(summary) => {
                download::write_report(face, &summary, 0)?;
                writeln!(face.out, "added to {}:{}", printable(&edit.path.to_string_lossy()), edit.line)?;
                Ok(Exit::Done)
            }
            Err(exit) => Ok(exit),
        }
    }
}
