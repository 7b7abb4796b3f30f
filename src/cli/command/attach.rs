//! `workbench attach`: attaches to an apply that runs or waits without a terminal.

use std::io::{self, IsTerminal};

use clap::Args;

use super::apply::{About, Reporting};
use super::undo::{Way, carry_out};
use super::workbench;
use crate::cli::args::{Apart, Entry, Format, Global, Work};
use crate::cli::ask::{Confirmation, answer as read_answer};
use crate::cli::drive::Drive;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::open_unreported;
use crate::cli::source_edit::Source;
use crate::plan::CompiledFor;
use crate::session::{ApplierStatus, AttachError, Cancel, Guest, Interrupts, Keeping, Mode, history};

/// Attach to an apply or undo that runs or waits in the background
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench attach\n  workbench attach --yes\n  workbench attach --stop")]
pub struct Attach {
    /// Continue to the end without asking
    #[arg(long, conflicts_with = "stop")]
    yes: bool,
    /// Ask at every step
    #[arg(long, conflicts_with = "stop")]
    step: bool,
    /// Stop after the current step; the remaining steps are not run
    #[arg(long)]
    stop: bool,
    /// Take over from another attached session
    #[arg(long)]
    take: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    #[command(flatten)]
    work: Work,
}

impl Attach {
    /// Attaches to the applier. On a terminal it opens the screens, unless an option answers the question.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let state = global.state_dir.as_ref();
        let status = match crate::session::look_in(state) {
            Ok(status) => status,
            Err(error) => return Ok(not_there(face, global, &error)),
        };
        if let Some(by) = status.driver.filter(|_| !self.take) {
            return Ok(not_there(face, global, &AttachError::Busy(by)));
        }
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let is_answered = self.yes || self.step || self.stop;
        let has_screen = status.undoes.is_none() && !status.entry.starts_with('<');
        if !is_answered && is_terminal && !global.plain && self.format == Format::Text && has_screen {
            return self.open_screens(face, global, &status);
        }
        if self.step && status.undoes.is_some() {
            return Ok(face.refuse("an undo only asks before it starts", "use `--yes` to continue to its end"));
        }
        if (self.step || !is_answered) && !is_terminal {
            return Ok(face.refuse(
                &format!("attach needs a terminal, --yes or --stop: {status}"),
                "use `--yes` to continue to its end, or `--stop` to end it",
            ));
        }
        let asked = Confirmation::name(&crate::session::machine(), status.other.as_deref());
        let question = format!("Attach to {status}?");
        let is_agreed = self.yes || self.stop || asked.is_agreed(face, &question, &mut read_answer)?;
        if !is_agreed {
            return Ok(face.refuse("not attached; it is still waiting", &asked.help()));
        }
        let guest = if self.take { Guest::Taker } else { Guest::Driver };
        let attached = match crate::session::attach(state, guest) {
            Ok(attached) => attached,
            Err(error) => return Ok(not_there(face, global, &error)),
        };
        let status = attached.status;
        if self.stop {
            let deploy = status.deploy;
            drop(attached.stepper);
            let (turned, total) = (status.turned, status.total);
            match status.undoes {
                Some(of) => face.note(format_args!(
                    "deploy {deploy} stopped after {turned} of {total} changes; `workbench deploy undo {of}` continues"
                )),
                None => face.note(format_args!(
                    "deploy {deploy} stopped after {turned} of {total} steps; `workbench deploy undo {deploy}` \
                    undoes it"
                )),
            }
            return Ok(Exit::Done);
        }
        let graph = attached.graph;
        let interrupts = Interrupts::catch()?;
        if let Some(undo) = attached.undo {
            let drive = Drive::of_undo(attached.stepper, attached.events, interrupts, undo.deploy, face.aside());
            return carry_out(face, self.format, drive);
        }
        // `None` if its program cannot be opened any more.
        let session =
            self.step.then(|| open_unreported(face, global, &self.entry(global, &status), false).ok()?.ok()).flatten();
        // Only the plain form shows a step in advance; a question alone needs no preview.
        let looks = session.as_ref().filter(|_| face.plain);
        let plan = looks.map(|session| session.preview(&graph, &Cancel::default(), &mut |_| ()));
        let keeping = Keeping { state: global.state_dir.clone(), ..Keeping::default() };
        let source = session.as_ref().and_then(|session| Source::of(session, keeping));
        let drive = Drive::new(attached.stepper, attached.events, interrupts, graph.clone(), face.aside());
        let compiled_for = compiled_for(global, status.deploy);
        let about = About { entry: status.entry, language: status.language, compiled_for };
        let reporting = Reporting {
            mode: Mode::Live,
            format: self.format,
            asks: self.step,
            plan,
            source,
            way: self.step.then_some(Way { global, apart: Apart::Auto, sudo: false }),
            detailed: false,
            into: None,
        };
        reporting.run(face, &about, &graph, drive)
    }

    /// The applied entry, from any folder.
    fn entry(&self, global: &Global, status: &ApplierStatus) -> Entry {
        // Code has no folder; any folder works for a preview.
        let is_code = status.entry.starts_with('<');
        let entry = if is_code { " ".into() } else { status.folder.join(&status.entry).display().to_string() };
        let deploy = status.deploy;
        let continues = compiled_for(global, deploy).map(|then| (format!("deploy {deploy}"), then));
        Entry { entry: Some(entry), work: self.work.clone(), continues }
    }

    /// Opens the screens on the applied entry.
    fn open_screens(&self, face: &mut Face, global: &Global, status: &ApplierStatus) -> io::Result<Exit> {
        let guest = if self.take { Guest::Taker } else { Guest::Driver };
        workbench::attach(face, global, &self.entry(global, status), (guest, status.clone()))
    }
}

/// What a deploy was compiled for; `None` if its record does not have it.
fn compiled_for(global: &Global, deploy: u64) -> Option<CompiledFor> {
    history::deploy(global.state_dir.as_ref(), Some(deploy)).ok()?.begin.made_for()
}

/// Reports why the attach failed.
fn not_there(face: &Face, global: &Global, error: &AttachError) -> Exit {
    let message = error.to_string();
    match error {
        AttachError::Busy(_) => {
            face.refuse(&message, "use `--take` to take over");
            Exit::Locked
        }
        AttachError::NotRunning => match history::cut_off(global.state_dir.as_ref()) {
            Ok(Some(cut)) => {
                let deploy = cut.begin.deploy;
                let help = format!(
                    "deploy {deploy} was interrupted: `workbench deploy resume` continues it, \
                    `workbench deploy undo {deploy}` undoes it"
                );
                face.refuse(&message, &help)
            }
            _ => face.refuse(&message, "`workbench deploy list` shows how each deploy ended"),
        },
        AttachError::Failed(_) => face.refuse(&message, "only the user who started it, or root, can attach"),
        AttachError::State(error) => face.refuse(&message, &error.way_out()),
    }
}
