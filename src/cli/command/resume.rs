//! `workbench deploy resume`: goes on with a deploy that was cut off.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::sync::Arc;

use clap::Args;

use super::apply::{About, ENDED, Telling, not_begun};
use super::conflict::{self, can_ask};
use super::deploy::{Bounds, unreadable};
use crate::cli::args::{Apart, Entry, Format, Global, Work};
use crate::cli::ask::agreed;
use crate::cli::complete;
use crate::cli::drive::Drive;
use crate::cli::exit::Exit;
use crate::cli::face::Face;
use crate::cli::open::compile;
use crate::cli::plan_text::write_plan;
use crate::cli::previewed;
use crate::diag::Stage;
use crate::graph::{Graph, ResourceId};
use crate::plan::{Action, Plan};
use crate::session::against::{Cause, Difference, Why, against};
use crate::session::history::{self, CutOff, Purpose, Ready};
use crate::session::{ApplyError, Interrupts, Keeping, Mode, Session};

/// Go on with a deploy that was cut off
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench deploy resume\n  workbench deploy resume 7 --again          run a command that was cut off again\n  \
    workbench deploy resume --yes               without a question; there is none where there is no terminal\n  \
    workbench deploy resume --on-conflict keep  leave what somebody else did meanwhile"
)]
pub struct Resume {
    /// Its number [default: the one that was cut off]
    #[arg(add = complete::deploys())]
    id: Option<u64>,
    /// What it was an apply of, where that came as code or has moved [default: as it was given then]
    #[arg(long, value_name = "ENTRY")]
    entry: Option<String>,
    /// Go on also where the entry says something else now
    #[arg(long)]
    changed: bool,
    /// Run commands that were cut off again; nobody knows how far they came
    #[arg(long)]
    again: bool,
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Where it is at work
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    apart: Apart,
    /// As root, by way of `sudo`: what root's own history tells of
    #[arg(long, conflicts_with = "apart")]
    sudo: bool,
    #[command(flatten)]
    bounds: Bounds,
    #[command(flatten)]
    work: Work,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Resume {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        // What it goes on with was agreed to when it began, and what was not has words of its own: so what starts a machine may
        // resume without anybody there, and a program that reads JSON. Who is there is shown what it does, and asked.
        let asks = !self.yes && self.format == Format::Text && io::stdin().is_terminal();
        if asks && !io::stdout().is_terminal() {
            let help = "say `--yes`, or look with `workbench deploy show`";
            return Ok(face.refuse("a resume asks before it writes, and what it asks would not be seen", help));
        }
        let keeping = Keeping { apart: self.apart.is_wanted(), sudo: self.sudo, ..self.bounds.keeping(global) };
        let cut = match history::to_resume(&keeping) {
            Ok(Some(cut)) if self.id.is_none_or(|id| id == cut.begin.deploy) => cut,
            Ok(_) => {
                return Ok(face.refuse("no deploy was cut off", ENDED));
            }
            Err(ApplyError::State(error)) => return Ok(unreadable(face, &error)),
            Err(error) => return Ok(not_begun(face, global, &error)),
        };
        let id = cut.begin.deploy;
        if let Purpose::Undo { deploy } = cut.begin.purpose {
            let help = format!("`workbench deploy undo {deploy}` settles it and goes on");
            return Ok(face.refuse(&format!("deploy {id} is an undo of {deploy} that was cut off"), &help));
        }
        let typed = self.entry.clone().unwrap_or_else(|| history::place_words(&cut.begin));
        if self.entry.is_none() && cut.begin.entry.starts_with('<') {
            let help = "give the same code with `--entry`";
            return Ok(face.refuse("it was an apply of code that came as text, which is not kept", help));
        }
        let entry = Entry { entry: Some(typed), work: self.work.clone() };
        let (session, compiled) = match compile(face, global, &entry, Stage::Eval) {
            Ok(done) => done,
            Err(exit) => return Ok(exit),
        };
        let is_changed = history::graph_hash(&compiled.graph) != cut.begin.graph;
        if let Some((message, help)) = self.hurdles(&cut, is_changed) {
            return Ok(face.refuse(&message, &help));
        }
        let graph = if asks || is_changed {
            let (graph, plan) = match previewed::preview(face, &session, compiled.graph, false) {
                Ok(previewed) => previewed,
                Err(exit) => return Ok(exit),
            };
            if is_changed && !self.sudo {
                tell_changed(face, global, &plan, id);
            }
            if asks && self.sudo {
                face.say(format_args!("note: this is what you may look at; root may find otherwise"));
            }
            if asks {
                write_plan(face, &plan, &plan.steps.iter().collect::<Vec<_>>())?;
            }
            graph
        } else {
            Arc::new(session.ready(compiled.graph))
        };
        // What root would find, another user may not be able to look at.
        if !self.sudo {
            tell_again(face, &session, &graph, cut.ran);
        }
        if asks && !agreed(face, &format!("Go on with deploy {id}? [y/N] "))? {
            return Ok(face.refuse("nothing was done", "answer `y` to go on"));
        }
        let aside = face.aside();
        let mut on_conflict = self.bounds.on_conflict.into();
        let (stepper, events) = loop {
            let started = session.resume(Arc::clone(&graph), id, on_conflict, &keeping, &mut |holder| {
                aside.say(format_args!("waiting for another applier: {holder}"));
            });
            match started {
                Ok(Ready::Yes(started)) => break started,
                Ok(Ready::Conflict(found)) => {
                    match conflict::of_cut_off(face, global.state_dir.as_ref(), &found, asks && can_ask(self.format))? {
                        Ok(decided) => on_conflict = decided,
                        Err(exit) => return Ok(exit),
                    }
                }
                Err(error) => return Ok(not_begun(face, global, &error)),
            }
        };
        let interrupts = Interrupts::catch_during(&stepper)?;
        let drive = Drive::new(stepper, events, interrupts, Arc::clone(&graph), face.aside());
        let telling = Telling {
            mode: Mode::Live,
            format: self.format,
            asks: false,
            plan: None,
            source: None,
            detailed: false,
            into: None,
        };
        telling.run(face, &About::of(&session), &graph, drive)
    }

    /// What stands in the way, all of it at once, and the words that lead past it.
    fn hurdles(&self, cut: &CutOff, is_changed: bool) -> Option<(String, String)> {
        let mut all = Vec::new();
        if let (Some((resource, words)), false) = (cut.commands.first(), self.again) {
            let message = format!("{resource}: {words} was cut off, and nobody knows how far it came");
            all.push((message, "`--again` lets its resource look, and run it again if it still has to".to_owned()));
        }
        if is_changed && !self.changed {
            let message = "the entry says something else than the deploy went by last".to_owned();
            let undo = format!("`workbench deploy undo {}` takes back what was done", cut.begin.deploy);
            all.push((message, format!("`--changed` says what differs, and goes on with what it says now; {undo}")));
        }
        let (messages, helps): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        (!messages.is_empty()).then(|| (messages.join("; and "), helps.join("; ")))
    }
}

/// Says what the entry describes otherwise than the deploy went by, as far as that one came.
fn tell_changed(face: &Face, global: &Global, plan: &Plan, deploy: u64) {
    let Ok(deploy) = history::deploy(global.state_dir.as_ref(), Some(deploy)) else { return };
    let mut is_told = false;
    for Difference { resource, why, because, .. } in against(plan, &deploy).differences {
        let edited = because.iter().filter(|(_, cause)| *cause == Cause::Edited);
        let properties: Vec<_> = edited.map(|(property, _)| property.as_str()).collect();
        if why == Why::Gone {
            face.say(format_args!("note: {resource} is no longer in the program"));
        } else if !properties.is_empty() {
            face.say(format_args!("note: {resource}: {} is asked for otherwise now", properties.join(", ")));
        } else {
            continue;
        }
        is_told = true;
    }
    if !is_told {
        face.say("note: what the entry says otherwise is of what the deploy did not come to");
    }
}

/// Says which commands that had run run again, for nothing on the machine says that they did.
fn tell_again(face: &Face, session: &Session, graph: &Arc<Graph>, ran: Vec<ResourceId>) {
    if ran.is_empty() {
        return;
    }
    let ran = BTreeSet::from_iter(ran);
    let plan = session.preview_of(graph, &ran);
    for step in plan.steps.iter().filter(|step| step.action == Action::Run && ran.contains(&step.resource)) {
        face.say(format_args!("note: {} ran already, and runs again: nothing says that it did", step.resource));
    }
}
