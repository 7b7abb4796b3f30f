//! `workbench deploy undo`: undoes a deploy, newest change first.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::io::{self, IsTerminal, Write};
use std::str::FromStr;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value as Json, json};

use super::apply::{disconnected, not_begun};
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
use crate::cli::report::{event_json, report_text};
use crate::engine::message::{Event, Request};
use crate::session::history::{self, Holding, OnConflict, Ready, UndoSummary, Undone, undone_words};
use crate::session::undo::{self, UndoRequest, WhichDeploy};
use crate::session::{ApplyError, AtHand, Interrupts, Keeping, Mode, StateError};
use crate::source::printable;

/// Undo a deploy, newest change first
///
/// If a resource was changed since the deploy, nothing is undone without `--on-conflict`. A folder that the deploy
/// created is kept if it contains other files; `--on-conflict restore` deletes it with everything in it. With `--yes` and
/// without a number, undo is refused if the newest deploy is of another entry, or older than a refused apply. In a
/// cluster, undo publishes the files of the previous deploy again, as a new deploy.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench deploy undo\n  workbench deploy undo 6 --yes\n  workbench deploy undo site/\n  \
    workbench deploy undo --target etcd://localhost:2379\n  workbench deploy undo --to 12 --target etcd://localhost:2379"
)]
pub struct Undo {
    /// Deploy number, or an entry: its newest apply that is not undone yet [default: the entry of the current folder].
    /// The number of an undo applies the undone deploy again
    #[arg(value_name = "ID|ENTRY", add = complete::deploys())]
    which: Option<Which>,
    /// In a cluster: publish this deploy again, instead of the previous one
    #[arg(long, value_name = "ID", requires = "target", conflicts_with = "which")]
    to: Option<u64>,
    #[command(flatten)]
    target: TargetArgs,
    /// Undo without asking
    #[arg(long)]
    yes: bool,
    /// Whether to run in a background process, which survives a closed terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    apart: Apart,
    /// Undo a deploy from root's history, with `sudo`
    #[arg(long, conflicts_with = "apart")]
    sudo: bool,
    #[command(flatten)]
    bounds: Bounds,
    /// Exit with 2 instead of 0 if something cannot be undone
    #[arg(long)]
    detailed_exitcode: bool,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The deploy to undo.
#[derive(Clone, Debug)]
enum Which {
    Number(u64),
    Entry(String),
}

impl FromStr for Which {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(text.parse().map_or_else(|_| Which::Entry(text.into()), Which::Number))
    }
}

/// How the deploy of a run that asks at each step is undone.
pub(super) struct Way<'a> {
    pub global: &'a Global,
    pub apart: Apart,
    pub sudo: bool,
}

impl Way<'_> {
    /// Lists what an undo would do now. Only root can read root's history.
    pub fn list(&self, face: &mut Face, deploy: u64) -> io::Result<()> {
        if self.sudo {
            return Ok(());
        }
        match history::foresee_undo(self.global.state_dir.as_ref(), deploy) {
            Ok(steps) => write_foreseen(face, &UndoSummary::of(&steps)),
            Err(error) => writeln!(face.out, "{}", printable(&error.to_string())),
        }
    }

    /// Undoes it once it has ended, as confirmed.
    pub fn undo(&self, face: &mut Face, deploy: u64) -> io::Result<Exit> {
        let undo = Undo {
            which: Some(Which::Number(deploy)),
            to: None,
            target: TargetArgs::default(),
            yes: true,
            apart: self.apart,
            sudo: self.sudo,
            bounds: Bounds::waiting(Duration::from_secs(30)),
            detailed_exitcode: false,
            format: Format::Text,
        };
        undo.run(face, self.global)
    }
}

impl Undo {
    /// Undoes a deploy. In a cluster it publishes an earlier one again.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let asks = !self.yes;
        // First, because there may be no such deploy. Only root can read root's history.
        let number = match &self.which {
            Some(Which::Number(number)) => Some(*number),
            Some(Which::Entry(_)) | None => None,
        };
        if let Some(id) = number.filter(|_| !self.sudo && !self.target.is_given())
            && let Err(error @ StateError::NoDeploy(_)) = history::deploy(global.state_dir.as_ref(), Some(id))
        {
            return Ok(unreadable(face, &error));
        }
        if asks && !(io::stdin().is_terminal() && io::stdout().is_terminal()) {
            let help = "pass `--yes`, or use `workbench deploy show`";
            return Ok(face.refuse("undo needs a terminal to ask for confirmation", help));
        }
        if self.target.is_given() {
            if let Some(Which::Entry(entry)) = &self.which {
                let help = "`workbench deploy list --target` lists the numbers";
                return Ok(face.refuse(&format!("`{}` is not a deploy number", printable(entry)), help));
            }
            return cluster::undo(face, &self.target, number, self.to, asks, self.format);
        }
        let deploy = match &self.which {
            Some(Which::Number(number)) => WhichDeploy::Number(*number),
            which => {
                let entry = which
                    .as_ref()
                    .and_then(|which| if let Which::Entry(entry) = which { Some(&**entry) } else { None });
                match AtHand::of(entry, global.lang, global.state_dir.as_ref()) {
                    Ok(of) => WhichDeploy::Newest { of: Box::new(of), is_asked: asks },
                    Err(error) => return Ok(unreadable(face, &error)),
                }
            }
        };
        let mut on_conflict = self.bounds.on_conflict.into();
        let mut decided_for = BTreeSet::new();
        let aside = face.aside();
        let keeping = Keeping { apart: self.apart.is_wanted(), sudo: self.sudo, ..self.bounds.keeping(global) };
        // An answer concerns the shown resources, not the contents of folders.
        let holding = if on_conflict == OnConflict::Restore { Holding::Goes } else { Holding::Stays };
        let undo = loop {
            let wanted = UndoRequest { deploy: deploy.clone(), on_conflict, holding };
            let planned = undo::take_back(&keeping, wanted, &mut |holder| {
                aside.note(format_args!("waiting for another apply: {holder}"));
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
        let summary = UndoSummary::of(&planned.steps);
        if self.format == Format::Text {
            if let WhichDeploy::Newest { of, .. } = &deploy {
                let of = of.refused_after(planned.deploy).map_or(String::new(), |refused| {
                    format!(" A later apply of {} was refused and changed nothing.", printable(&refused.entry))
                });
                writeln!(face.out, "The newest deploy of this entry that is not undone is {}.{of}", planned.deploy)?;
            }
            write_foreseen(face, &summary)?;
            face.out.flush()?;
        }
        if let Some(damage) = &planned.damage {
            face.note(format_args!("{damage}; later changes cannot be undone"));
        }
        let is_lost = planned.damage.is_some() || summary.is_partly || !summary.lost.is_empty();
        // A decision about some of them does not apply to others.
        let is_open = on_conflict == OnConflict::Stop || !decided_for.is_empty();
        if is_open && planned.conflicts().any(|step| !decided_for.contains(&step.resource)) {
            match conflict::of_undo(face, planned, asks && can_ask(self.format))? {
                Ok(decided) => on_conflict = decided,
                Err(exit) => return Ok(exit),
            }
        }
        let deploy = planned.deploy;
        let question = match (summary.is_idle(), planned.is_interrupted) {
            (false, _) => format!("Undo deploy {deploy}? [y/N] "),
            (true, true) => {
                format!("Nothing in deploy {deploy} can be undone. It was interrupted: mark it as resolved? [y/N] ")
            }
            (true, false) => {
                let why = if planned.steps.is_empty() { "changed nothing" } else { "has nothing that can be undone" };
                writeln!(face.out, "Deploy {deploy} {why}.")?;
                return Ok(self.exit(Exit::Done, is_lost));
            }
        };
        if asks && !agreed(face, &question)? {
            return Ok(face.refuse("nothing was undone", "answer `y` to undo"));
        }
        undo.stepper.decide(on_conflict);
        let interrupts = Interrupts::catch_during(&undo.stepper)?;
        let drive = Drive::of_undo(undo.stepper, undo.events, interrupts, deploy, face.aside());
        let exit = carry_out(face, self.format, drive)?;
        Ok(self.exit(exit, is_lost))
    }

    /// A change that cannot be undone is not a failure: it was announced.
    fn exit(&self, exit: Exit, is_lost: bool) -> Exit {
        if self.detailed_exitcode && is_lost && exit == Exit::Done { Exit::Changes } else { exit }
    }
}

fn write_foreseen(face: &mut Face, summary: &UndoSummary) -> io::Result<()> {
    for (heading, names) in summary.groups() {
        writeln!(face.out, "{}", face.paint.role(Role::Title, heading))?;
        names.iter().try_for_each(|name| writeln!(face.out, "  {}", printable(name)))?;
    }
    Ok(())
}

/// Undoes the remaining changes, and reports the events.
pub(super) fn carry_out(face: &mut Face, format: Format, mut drive: Drive) -> io::Result<Exit> {
    let began = Instant::now();
    let tell = |face: &mut Face, event: &Event| match format {
        Format::Text => report_text(face, Mode::Live, event),
        Format::Json => match event_json(event, began) {
            Some(object) => face.line(object),
            None => Ok(()),
        },
    };
    // A closed output does not stop the undo: a half-finished undo helps no one.
    let mut result = drive.follow(&mut |event| tell(face, event));
    // Also if nothing is left to undo: that resolves an interrupted deploy.
    if drive.disconnected().is_none() && !drive.interrupted {
        let finished = drive.ask(Request::Finish, &mut |event| tell(face, event));
        result = result.and(finished);
    }
    if let Some(exit) = disconnected(face, &drive) {
        return Ok(exit);
    }
    result?;
    let deploy = drive.deploy().unwrap_or_default();
    let (of, undoing) = drive.undo().map(|(of, undoing)| (of, undoing.clone())).unwrap_or_default();
    let (undone, words) = (undoing.operations, undone_words(&undoing.resources));
    let is_whole = drive.is_whole();
    match format {
        Format::Text if is_whole => writeln!(face.out, "Deploy {deploy}: {words}.")?,
        Format::Text => {
            writeln!(face.out, "Deploy {deploy} was stopped: {words}; `workbench deploy undo {of}` continues.")?;
        }
        Format::Json => {
            // The counts of the summary itself are of operations, each reported by an event.
            let mut summary = counts_json(&undone);
            summary["event"] = "summary".into();
            summary["version"] = LINES_VERSION.into();
            summary["deploy"] = deploy.into();
            summary["resources"] = counts_json(&undoing.resources);
            face.line(summary)?;
        }
    }
    Ok(match undone.failed {
        _ if !is_whole => Exit::Stopped,
        0 => Exit::Done,
        _ => Exit::Failed,
    })
}

fn counts_json(undone: &Undone) -> Json {
    json!({"back": undone.back, "already": undone.already, "kept": undone.kept, "stayed": undone.stayed, "lost": undone.lost,
        "failed": undone.failed})
}
