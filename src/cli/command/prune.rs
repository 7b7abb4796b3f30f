//! `workbench deploy prune`: deletes old deploys.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use clap::Args;

use super::apply::not_begun;
use super::deploy::unreadable;
use crate::cli::args::{Global, duration};
use crate::cli::ask::agreed;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::session::{ApplyError, Keeping, bundle, history};

/// Delete old deploys from the history
///
/// Deleted deploys cannot be shown or undone any more. The newest deploy is always kept. If a kept deploy is the resume
/// of an interrupted one, that one and all later deploys are kept too. The setting `deploys-kept` does the same at the
/// start of each apply.
///
/// Also deletes the cached files of bundles that were not used today.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench deploy prune --keep 50\n  workbench deploy prune --keep 1 --yes")]
pub struct Prune {
    /// Number of newest deploys to keep [default: the setting `deploys-kept`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Delete without asking
    #[arg(long)]
    yes: bool,
    /// How long to wait for the lock, such as `30s`, `5m`
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    lock_timeout: Duration,
}

impl Prune {
    /// Deletes all deploys but the newest ones. It asks first, unless `--yes` is passed.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let Some(keep) = self.keep.map(|keep| keep as usize).or_else(|| face.config.deploys_kept()) else {
            return Ok(face.refuse("no number of deploys to keep", "pass `--keep N`, or set `deploys-kept`"));
        };
        let prunable = match history::prunable(global.state_dir.as_ref(), keep) {
            Ok(prunable) => prunable,
            Err(error) => return Ok(unreadable(face, &error)),
        };
        let (Some(first), Some(last)) = (prunable.first(), prunable.last()) else {
            if !unpacked(face, global)? {
                writeln!(face.out, "Nothing to delete.")?;
            }
            return Ok(Exit::Done);
        };
        if !self.yes {
            if !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
                return Ok(face.refuse("this needs a terminal to ask for confirmation", "pass `--yes`"));
            }
            let count = prunable.len();
            if !agreed(face, &format!("Delete {count} deploys, {first} to {last}? This cannot be undone. [y/N] "))? {
                return Ok(face.refuse("nothing was deleted", "answer `y` to delete them"));
            }
        }
        let keeping = Keeping { state: global.state_dir.clone(), patience: self.lock_timeout, ..Keeping::default() };
        let aside = face.aside();
        let pruned = history::prune(&keeping, keep, &mut |holder| {
            aside.note(format_args!("waiting for another apply: {holder}"));
        });
        match pruned {
            Ok(pruned) => {
                let deploys = count(pruned.deploys as usize, "deploy");
                let contents = count(pruned.contents as usize, "saved content");
                writeln!(face.out, "Deleted: {deploys}, {contents} of {} KiB.", pruned.bytes.div_ceil(1024))?;
                unpacked(face, global)?;
                Ok(Exit::Done)
            }
            Err(ApplyError::State(error)) => Ok(unreadable(face, &error)),
            Err(error) => Ok(not_begun(face, global, &error)),
        }
    }
}

/// Removes unpacked bundles; `true` if there were any.
fn unpacked(face: &mut Face, global: &Global) -> io::Result<bool> {
    // An unpacked bundle that cannot be removed now only takes space, and is removed later.
    let gone = bundle::prune_unpacked(global.state_dir.as_ref()).unwrap_or_default();
    if gone > 0 {
        writeln!(
            face.out,
            "Deleted: {} (bundle files are unpacked again when needed).",
            count(gone, "unpacked bundle")
        )?;
    }
    Ok(gone > 0)
}
