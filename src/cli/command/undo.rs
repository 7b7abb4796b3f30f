//! `workbench deploy undo`: takes a deploy back, newest deed first.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use clap::Args;
use serde_json::{Value as Json, json};

use super::apply::{not_begun, parted};
use super::cluster::{self, TargetArgs};
use super::conflict::{self, can_ask};
use super::deploy::{Bounds, unreadable};
use crate::cli::args::{Apart, Format, Global};
use crate::cli::ask::agreed;
use crate::cli::complete;
use crate::cli::drive::Drive;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::lines::LINES_VERSION;
use crate::cli::paint::Role;
use crate::cli::tell::{event_json, tell_text};
use crate::engine::message::{Event, Request};
use crate::session::history::{self, Holding, OnConflict, Ready, UndoStep, Undone, Verdict, Wanted, undone_words};
use crate::session::{ApplyError, Interrupts, Keeping, Mode};
use crate::source::printable;

/// Undo a deploy, newest change first
///
/// If a resource was changed since the deploy, nothing is undone without `--on-conflict`. A folder that the deploy created is
/// kept if it contains other files; `--on-conflict restore` deletes it. In a cluster, undo publishes the files of the previous
/// deploy again, as a new deploy.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench deploy undo\n  workbench deploy undo 6 --yes\n  \
    workbench deploy undo --target etcd://localhost:2379\n  workbench deploy undo --to 12 --target etcd://localhost:2379")]
pub struct Undo {
    /// Deploy number; an undo can be undone too [default: the newest that changed something and is not undone yet]
    #[arg(add = complete::deploys())]
    id: Option<u64>,
    /// In a cluster: publish this deploy again, instead of the previous one
    #[arg(long, value_name = "ID", requires = "target", conflicts_with = "id")]
    to: Option<u64>,
    #[command(flatten)]
    target: TargetArgs,
    /// Undo without asking
    #[arg(long)]
    yes: bool,
    /// Whether to run in a background process
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    apart: Apart,
    /// Undo a deploy from root's history, with `sudo`
    #[arg(long, conflicts_with = "apart")]
    sudo: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Undo {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let asks = !self.yes;
        if asks && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            let help = "pass `--yes`, or use `workbench deploy show`";
            return Ok(face.refuse("undo needs a terminal to ask for confirmation", help));
        }
        if self.target.is_given() {
            return cluster::undo(face, &self.target, self.id, self.to, asks, self.format);
        }
        let mut on_conflict = self.bounds.on_conflict.into();
        let mut decided_for = BTreeSet::new();
        let aside = face.aside();
        let keeping = Keeping { apart: self.apart.is_wanted(), sudo: self.sudo, ..self.bounds.keeping(global) };
        // An answer to a question is about what was asked, and about no folder.
        let holding = if on_conflict == OnConflict::Restore { Holding::Goes } else { Holding::Stays };
        let undo = loop {
            let wanted = Wanted { deploy: self.id, on_conflict, holding };
            let planned = history::take_back(&keeping, wanted, &mut |holder| {
                aside.say(format_args!("waiting for another apply: {holder}"));
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
        let planned = &undo.planned;
        if self.format == Format::Text {
            if self.id.is_none() {
                let words = "is the newest that changed something and is not undone yet:";
                writeln!(face.out, "Deploy {} {words}", planned.deploy)?;
            }
            for step in &planned.steps {
                planned_text(face, step)?;
            }
            face.out.flush()?;
        }
        if let Some(damage) = &planned.damage {
            face.say(format_args!("{damage}; later changes cannot be undone"));
        }
        // What was decided of some of them says nothing of others.
        let is_open = on_conflict == OnConflict::Stop || !decided_for.is_empty();
        if is_open && planned.conflicts().any(|step| !decided_for.contains(&step.resource)) {
            match conflict::of_undo(face, planned, asks && can_ask(self.format))? {
                Ok(decided) => on_conflict = decided,
                Err(exit) => return Ok(exit),
            }
        }
        if planned.steps.is_empty() {
            writeln!(face.out, "Deploy {} changed nothing.", planned.deploy)?;
            return Ok(if planned.damage.is_some() { Exit::Failed } else { Exit::Done });
        }
        if asks && !agreed(face, "Undo this? [y/N] ")? {
            return Ok(face.refuse("nothing was undone", "answer `y` to undo it"));
        }
        undo.stepper.decide(on_conflict);
        let interrupts = Interrupts::catch_during(&undo.stepper)?;
        let drive = Drive::of_undo(undo.stepper, undo.events, interrupts, planned.deploy, face.aside());
        let exit = carry_out(face, self.format, drive)?;
        Ok(if planned.damage.is_some() && exit == Exit::Done { Exit::Failed } else { exit })
    }
}

/// Takes back what is left to be, telling what happens.
pub(super) fn carry_out(face: &mut Face, format: Format, mut drive: Drive) -> io::Result<Exit> {
    let began = Instant::now();
    let tell = |face: &mut Face, event: &Event| match format {
        Format::Text => tell_text(face, Mode::Live, event),
        Format::Json => match event_json(event, began) {
            Some(object) => face.line(object),
            None => Ok(()),
        },
    };
    // What cannot be told any more is still done to its end: half an undo serves nobody.
    let mut told = drive.hear(&mut |event| tell(face, event));
    if !drive.is_over() && !drive.interrupted {
        let heard = drive.ask(Request::Finish, &mut |event| tell(face, event));
        told = told.and(heard);
    }
    if let Some(exit) = parted(face, &drive) {
        return Ok(exit);
    }
    told?;
    let deploy = drive.deploy().unwrap_or_default();
    let (of, undoing) = drive.undo().map(|(of, undoing)| (of, undoing.clone())).unwrap_or_default();
    let (undone, words) = (undoing.deeds, undone_words(&undoing.resources));
    let is_whole = drive.is_whole();
    match format {
        Format::Text if is_whole => writeln!(face.out, "Deploy {deploy}: {words}.")?,
        Format::Text => {
            writeln!(face.out, "Deploy {deploy} was stopped: {words}; `workbench deploy undo {of}` continues.")?;
        }
        Format::Json => {
            // The counts of the summary itself are of deeds, of which each event tells one.
            let mut summary = counts_json(&undone);
            summary["event"] = "summary".into();
            summary["version"] = LINES_VERSION.into();
            summary["deploy"] = deploy.into();
            summary["resources"] = counts_json(&undoing.resources);
            face.line(summary)?;
        }
    }
    Ok(match undone.failed + undone.lost {
        _ if !is_whole => Exit::Stopped,
        0 => Exit::Done,
        _ => Exit::Failed,
    })
}

fn counts_json(undone: &Undone) -> Json {
    json!({"back": undone.back, "already": undone.already, "kept": undone.kept, "stayed": undone.stayed, "lost": undone.lost,
        "failed": undone.failed})
}

fn planned_text(face: &mut Face, step: &UndoStep) -> io::Result<()> {
    let (sign, role, words) = match &step.verdict {
        Verdict::Ready(_) => ("~", Role::Change, "will be undone".to_owned()),
        Verdict::Partly(_, why) => ("~", Role::Warning, format!("will be partly undone: {why}")),
        Verdict::Already => ("=", Role::Quiet, "is already as before".into()),
        Verdict::Conflict { why, .. } => ("!", Role::Warning, format!("conflict: {why}")),
        Verdict::Stays(why) => ("=", Role::Warning, format!("will be kept: {why}")),
        Verdict::Empties { why, .. } => ("!", Role::Warning, format!("will be deleted with its contents: {why}")),
        Verdict::Lost(why) => ("x", Role::Error, format!("cannot be undone: {why}")),
    };
    let paint = face.paint;
    let (name, what) = (paint.role(Role::Name, &step.resource), printable(&step.words));
    writeln!(face.out, "{} {name}  {what}: {}", paint.role(role, sign), paint.role(role, printable(&words)))
}
