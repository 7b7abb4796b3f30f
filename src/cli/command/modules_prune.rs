//! `workbench modules prune`: removes fetched modules without an import.

use std::io::{self, IsTerminal, Write};

use clap::Args;

use crate::cli::args::{Entry, Global};
use crate::cli::ask::agreed;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::open::open;
use crate::cli::paint::Role;
use crate::session::Cancel;
use crate::source::printable;

/// Remove fetched modules that are no longer imported
///
/// Removes only downloaded modules without local changes, with their entries in the lock file. Reports the others with
/// the reason.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench modules prune site/\n  workbench modules prune site/ --yes")]
pub struct Prune {
    #[command(flatten)]
    pub entry: Entry,
    /// Remove without asking
    #[arg(long)]
    pub yes: bool,
}

impl Prune {
    /// Lists the unused modules, asks, and removes them. Without `--yes` it needs a terminal.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        const HELP: &str = "fix that and try again; nothing else was removed";
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let pruning = match session.plan_pruning() {
            Ok(pruning) => pruning,
            Err(error) => return Ok(face.refuse(&error.to_string(), HELP)),
        };
        for line in pruning.removals() {
            writeln!(face.out, "{}", face.paint.role(Role::Remove, printable(&line)))?;
        }
        for line in pruning.kept() {
            writeln!(face.out, "{}", face.paint.role(Role::Quiet, printable(&line)))?;
        }
        let goes = pruning.goes().count();
        if goes == 0 {
            writeln!(face.out, "Nothing to remove.")?;
            return Ok(Exit::Done);
        }
        if !self.yes {
            if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
                face.out.flush()?;
                return Ok(face.refuse("this needs a terminal to ask for confirmation", "pass `--yes`"));
            }
            if !agreed(face, &format!("Remove {} and their lock entries? [y/N] ", count(goes, "module")))? {
                return Ok(face.refuse("nothing was removed", "answer `y` to remove them"));
            }
        }
        match session.prune_modules(&pruning, &Cancel::default()) {
            Ok(gone) => {
                writeln!(face.out, "{} removed", count(gone.len(), "module"))?;
                Ok(Exit::Done)
            }
            Err(error) => Ok(face.refuse(&error.to_string(), HELP)),
        }
    }
}
