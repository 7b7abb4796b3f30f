//! `workbench deploy undo`: takes a deploy back, newest deed first.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};

use clap::Args;
use serde_json::json;

use super::apply::{agreed, not_begun};
use super::conflict::{self, can_ask};
use super::deploy::{Bounds, unreadable};
use crate::cli::args::{Format, Global};
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::paint::Role;
use crate::session::ApplyError;
use crate::session::history::{self, OnConflict, Ready, UndoOutcome, UndoStep, Verdict, undone_words};
use crate::source::printable;

/// Take a deploy back, newest deed first
///
/// Where something is not as the deploy left it, nothing at all is done unless `--on-conflict` says what to do. A folder that
/// the deploy made stays where it holds what a command or somebody else put there; `--on-conflict restore` removes it with that.
#[derive(Args, Debug)]
pub struct Undo {
    /// Its number; an undo can be taken back too [default: the newest that stands]
    id: Option<u64>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Undo {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let asks = !self.yes;
        if asks && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            let help = "say `--yes`, or look with `workbench deploy show`";
            return Ok(face.refuse("an undo asks before it writes, and there is no terminal to ask on", help));
        }
        let mut on_conflict = self.bounds.on_conflict.into();
        let mut decided_for = BTreeSet::new();
        let aside = face.aside();
        let undo = loop {
            let planned = history::Undo::plan(&self.bounds.keeping(global), self.id, on_conflict, &mut |holder| {
                aside.say(format_args!("waiting for another applier: {holder}"));
            });
            match planned {
                Ok(Ready::Yes(undo)) => break undo,
                Ok(Ready::Conflict(found)) => {
                    match conflict::of_cut_off(face, global.state_dir.as_ref(), &found, asks && can_ask(self.format))? {
                        Ok(decided) => on_conflict = decided,
                        Err(exit) => return Ok(exit),
                    }
                    decided_for.extend(found.into_iter().map(|found| found.resource));
                }
                Err(ApplyError::State(error)) => return Ok(unreadable(face, &error)),
                Err(error) => return Ok(not_begun(face, global, &error)),
            }
        };
        if self.format == Format::Text {
            for step in &undo.steps {
                planned_text(face, step)?;
            }
            face.out.flush()?;
        }
        // What was decided of some of them says nothing of others.
        let is_news = |step: &UndoStep| is_conflict(step) && !decided_for.contains(&step.resource);
        let is_open = on_conflict == OnConflict::Stop || !decided_for.is_empty();
        if is_open && undo.steps.iter().any(is_news) {
            match conflict::of_undo(face, &undo, asks && can_ask(self.format))? {
                Ok(decided) => on_conflict = decided,
                Err(exit) => return Ok(exit),
            }
        }
        if undo.steps.is_empty() {
            writeln!(face.out, "Deploy {} changed nothing.", undo.deploy)?;
            return Ok(Exit::Done);
        }
        if asks && !agreed(face, "Take this back? [y/N] ")? {
            return Ok(face.refuse("nothing was taken back", "answer `y` to take it back"));
        }
        let format = self.format;
        let mut told = Ok(());
        let performed = undo.perform(on_conflict, &mut |step, outcome| {
            if told.is_ok() {
                told = outcome_told(face, format, step, outcome);
            }
        });
        told?;
        let (deploy, undone) = match performed {
            Ok(performed) => performed,
            Err(error) => return Ok(not_begun(face, global, &error)),
        };
        match format {
            Format::Text => {
                writeln!(face.out, "Deploy {deploy}: {}.", undone_words(&undone))?;
            }
            Format::Json => writeln!(
                face.out,
                "{}",
                json!({"event": "summary", "deploy": deploy, "back": undone.back, "already": undone.already,
                       "kept": undone.kept, "stayed": undone.stayed, "lost": undone.lost, "failed": undone.failed})
            )?,
        }
        Ok(if undone.failed + undone.lost > 0 { Exit::Failed } else { Exit::Done })
    }
}

fn is_conflict(step: &UndoStep) -> bool {
    matches!(step.verdict, Verdict::Conflict { .. })
}

fn planned_text(face: &mut Face, step: &UndoStep) -> io::Result<()> {
    let (sign, role, words) = match &step.verdict {
        Verdict::Ready(_) => ("~", Role::Change, "will be taken back".to_owned()),
        Verdict::Partly(_, why) => ("~", Role::Warning, format!("will be taken back in part: {why}")),
        Verdict::Already => ("=", Role::Quiet, "is as before already".into()),
        Verdict::Conflict { why, .. } => ("!", Role::Warning, format!("conflict: {why}")),
        Verdict::Stays { why, .. } => ("=", Role::Warning, format!("is kept: {why}")),
        Verdict::Lost(why) => ("x", Role::Error, format!("cannot be taken back: {why}")),
    };
    let paint = face.paint;
    let (name, what) = (paint.role(Role::Name, &step.resource), printable(&step.words));
    writeln!(face.out, "{} {name}  {what}: {}", paint.role(role, sign), paint.role(role, printable(&words)))
}

fn outcome_told(face: &mut Face, format: Format, step: &UndoStep, outcome: &UndoOutcome) -> io::Result<()> {
    if format == Format::Json {
        let (event, error) = match outcome {
            UndoOutcome::Back => ("done", None),
            UndoOutcome::Already | UndoOutcome::Kept => ("skipped", None),
            UndoOutcome::Stayed(why) | UndoOutcome::Lost(why) => ("skipped", Some(why)),
            UndoOutcome::Failed(error) => ("failed", Some(error)),
        };
        let object =
            json!({"event": event, "resource": step.resource, "undoes": [step.deploy, step.number], "error": error});
        return writeln!(face.out, "{object}");
    }
    if let UndoOutcome::Failed(error) = outcome {
        let words = format!("{}: {} failed: {error}", step.resource, step.words);
        writeln!(face.out, "{} {}", face.paint.role(Role::Error, "x"), printable(&words))?;
    }
    if let UndoOutcome::Stayed(why) = outcome {
        let words = format!("{}: {}: kept: {why}", step.resource, step.words);
        writeln!(face.out, "{} {}", face.paint.role(Role::Warning, "="), printable(&words))?;
    }
    Ok(())
}
