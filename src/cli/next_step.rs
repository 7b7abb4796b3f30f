//! A stop for people who have lines only: why the next step is next, what it changes, how surely, and what follows from
//! it.

use std::io::{self, Write};

use super::drive::Drive;
use super::face::Face;
use super::paint::Role;
use super::plan_text::{certainty_word, write_changes, write_remarks};
use crate::engine::message::Pause;
use crate::graph::ResourceId;
use crate::plan::{Action, Certainty, Reversible, Step};
use crate::session::Mode;
use crate::session::next_step::{is_command, notifies, reversible_word};
use crate::source::printable;

/// Writes the questions of a stop with their answers. Each takes a line or more. The caller writes the next step above.
pub fn write_next_step(face: &mut Face, mode: Mode, drive: &Drive, step: &Step) -> io::Result<()> {
    write_answer(face, "why next", &why_next(drive, &step.resource))?;
    write_changes(face, step)?;
    let error = step.error.iter().map(|error| ("would fail", error.clone()));
    let note = Some(("note", step.note.clone())).filter(|_| !step.note.is_empty());
    write_remarks(face, error.chain(note).collect())?;
    // What a step that fails would leave is not known.
    if step.error.is_none() {
        if step.action != Action::None {
            write_answer(face, "reversible", &reversible(step))?;
        }
        // Live the steps before it were taken: it rests on no overlay.
        if mode == Mode::Dry || step.certainty != Certainty::Predicted {
            write_answer(face, "certainty", &certainty(step))?;
        }
    }
    write_answer(face, "then", &then(drive, step))
}

fn write_answer(face: &mut Face, question: &str, words: &str) -> io::Result<()> {
    writeln!(face.out, "{} {}", face.paint.role(Role::Quiet, format!("{question}:")), printable(words))
}

/// By which rule a resource is next, and what else made it so.
pub fn why_next(drive: &Drive, next: &ResourceId) -> String {
    let chosen = match drive.why {
        _ if drive.is_again => Some("you retry it"),
        Pause::SteppedBack => Some("you stepped back to it"),
        _ => None,
    };
    drive.why_next(next, chosen).unwrap_or_default()
}

/// Whether it can be undone, and the reason where it is known; the note of a step may say more.
fn reversible(step: &Step) -> String {
    let holds_secret = || step.changes.iter().any(|change| change.sensitive);
    let why = match (step.reversible, step.action) {
        (Reversible::Yes, _) => "",
        _ if is_command(step) => " (a command; effects unknown)",
        (_, Action::Unknown) => " (known after apply)",
        (_, Action::Remove | Action::Replace) => " (the removed state is not fully saved)",
        (Reversible::No, _) if holds_secret() => " (secrets are not saved)",
        _ => "",
    };
    format!("{}{why}", reversible_word(step.reversible))
}

fn certainty(step: &Step) -> String {
    let why = match step.certainty {
        Certainty::Known => "",
        Certainty::Predicted => " (depends on an earlier step)",
        // The note says what of it.
        Certainty::Unknown if !step.note.is_empty() => "",
        Certainty::Unknown if step.action != Action::Unknown => "",
        Certainty::Unknown => "",
    };
    format!("{}{why}", certainty_word(step.certainty))
}

fn then(drive: &Drive, step: &Step) -> String {
    let mut words: Vec<String> =
        notifies(step, |id| drive.resource(id).is_some()).map(|whom| format!("notifies {whom}")).into_iter().collect();
    if let Some(follows) = drive.follows(step) {
        let leaving = if step.error.is_some() { "its failure" } else { "skipping it" };
        words.push(format!("unblocks {}", follows.unblocks()));
        words.push(format!("{leaving} {}", follows.blocks(step)));
    }
    words.join("; ")
}
