//! Conflicts with another change: reported, shown as a diff, and decided by the user.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use crate::cli::args::Format;
use crate::cli::ask::answer;
use crate::cli::exit::Exit;
use crate::cli::face::{Face, count};
use crate::cli::paint::Role;
use crate::cli::plan_text::write_change;
use crate::session::history::{self, Completion, Differences, Finding, OnConflict, StateError, Verdict};
use crate::session::in_own_words;
use crate::session::undo::Planned;

/// The help, which ends with the flag.
const HELP: &str = "use `--on-conflict keep` to leave their version, or `--on-conflict restore` to restore the version before the deploy";

/// Whether there is a terminal to ask on.
pub fn can_ask(format: Format) -> bool {
    format == Format::Text && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// The conflicts of interrupted operations. `Err` if nothing is to be done about them.
pub fn of_cut_off(
    face: &mut Face,
    state: Option<&PathBuf>,
    found: &[Finding],
    asks: bool,
) -> io::Result<Result<OnConflict, Exit>> {
    for found in found {
        face.note(format_args!("{}: {} {}", found.resource, found.words, completion_words(found.completion)));
    }
    let message =
        "a resource that was being changed when the deploy was interrupted has since been changed by someone else";
    decide(face, (message, HELP), asks, &mut || history::restoring(state, found))
}

/// The conflicts of an undo's steps.
pub fn of_undo(face: &mut Face, undo: &Planned, asks: bool) -> io::Result<Result<OnConflict, Exit>> {
    for step in undo.conflicts() {
        if let Verdict::Conflict { why, .. } = &step.verdict {
            face.note(format_args!("{}: {}: {why}", step.resource, step.words));
        }
    }
    let (deploy, conflicts) = (undo.deploy, count(undo.conflicts().count(), "conflict"));
    let since = undo.in_the_way().map_or("later changes".into(), |by| format!("deploy {by}"));
    let message = format!("deploy {deploy} cannot be undone completely: {conflicts} with {since}");
    let first = undo.in_the_way().map(|by| format!("undo that first with `workbench deploy undo {by}`; or {HELP}"));
    let help = first.as_deref().unwrap_or(HELP);
    decide(face, (&message, help), asks, &mut || Ok(undo.changes.clone()))
}

fn decide(
    face: &mut Face,
    (message, help): (&str, &str),
    asks: bool,
    restoring: &mut dyn FnMut() -> Result<Differences, StateError>,
) -> io::Result<Result<OnConflict, Exit>> {
    if !asks {
        return Ok(Err(face.refuse(message, help)));
    }
    writeln!(face.out, "{}", face.paint.role(Role::Warning, format!("{message}.")))?;
    loop {
        let question = "Keep their version, restore the version before the deploy, show the diff, or stop? [k/r/d/S] ";
        match answer(face, question)?.to_lowercase().as_str() {
            "k" | "keep" => return Ok(Ok(OnConflict::Keep)),
            "r" | "restore" => return Ok(Ok(OnConflict::Restore)),
            "d" | "diff" | "show" => match restoring() {
                Ok(changes) => show(face, &changes)?,
                Err(error) => face.note(error),
            },
            _ => return Ok(Err(face.refuse("nothing was changed", help))),
        }
    }
}

/// The diff from their version to the one before the deploy.
fn show(face: &mut Face, all: &Differences) -> io::Result<()> {
    for (resource, changes) in all {
        writeln!(
            face.out,
            "  {}  from their version to the version before the deploy",
            face.paint.role(Role::Name, resource)
        )?;
        let changes = in_own_words(resource, changes);
        let width = changes.iter().map(|change| change.property.len()).max().unwrap_or_default();
        changes.iter().try_for_each(|change| write_change(face, change, width))?;
        if changes.is_empty() {
            writeln!(face.out, "    (no diff to show)")?;
        }
    }
    Ok(())
}

/// Describes the state of an interrupted operation.
pub fn completion_words(completion: Completion) -> &'static str {
    match completion {
        Completion::Before => "was not done",
        Completion::After => "was done",
        Completion::Neither => "was changed by someone else",
        Completion::Unknown => "may have been done",
    }
}
