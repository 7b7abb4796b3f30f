//! `workbench deploy resume`: resumes an interrupted deploy.

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::sync::Arc;

use clap::Args;

use super::apply::{About, ENDED, Reporting, not_begun, note_refused};
use super::conflict::{self, can_ask};
use super::deploy::{Bounds, unreadable};
use crate::cli::args::{Apart, Entry, Format, Global, Work};
use crate::cli::ask::{Confirmation, answer as read_answer};
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
use crate::session::against::{Cause, Difference, Last, Why, against};
use crate::session::history::{self, CutOff, Purpose, Ready};
use crate::session::{self, ApplyError, Interrupts, Keeping, Mode, NotForHere, Session};

/// Continue an interrupted deploy
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  workbench deploy resume\n  workbench deploy resume 7 --again          run an interrupted command again\n  \
    workbench deploy resume --yes               without asking\n  \
    workbench deploy resume --on-conflict keep  continue from the version that others made"
)]
pub struct Resume {
    /// Deploy number [default: the interrupted one]
    #[arg(add = complete::deploys())]
    id: Option<u64>,
    /// Where the module is now, if it has moved; or the code, if the deploy was made from code [default: as recorded]
    #[arg(long, value_name = "ENTRY")]
    entry: Option<String>,
    /// Resume even if the module has changed
    #[arg(long)]
    changed: bool,
    /// Check interrupted commands, and run them again if needed; without it, a deploy with an interrupted command is
    /// not resumed
    #[arg(long)]
    again: bool,
    /// Resume without asking
    #[arg(long)]
    yes: bool,
    /// Whether to run in a background process, which survives a closed terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    apart: Apart,
    /// Resume a deploy from root's history, with `sudo`
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
    /// Resumes the deploy. A refusal before it starts is recorded in the history.
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let state = global.state_dir.as_ref();
        let before = history::last(state);
        let exit = self.attempt(face, global);
        let was_refused = !matches!(exit, Ok(Exit::Done)) && history::last(state) == before;
        if was_refused && matches!(history::cut_off(state), Ok(None)) {
            note_refused(global, || Some(self.entry.clone()), before);
        }
        exit
    }

    fn attempt(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        // The deploy was confirmed when it started, and anything beyond that has its own flag. So a boot script may
        // resume without a user, and so may a program that reads JSON. A user sees the effects, and is asked.
        let asks = !self.yes && self.format == Format::Text && io::stdin().is_terminal();
        if asks && !io::stdout().is_terminal() {
            let help = "pass `--yes`, or use `workbench deploy show`";
            return Ok(face.refuse("resume needs a terminal to ask for confirmation", help));
        }
        let keeping = Keeping { apart: self.apart.is_wanted(), sudo: self.sudo, ..self.bounds.keeping(global) };
        let cut = match session::to_resume(&keeping) {
            Ok(Some(cut)) if self.id.is_none_or(|id| id == cut.begin.deploy) => cut,
            Ok(_) => {
                return Ok(face.refuse("no deploy is interrupted", ENDED));
            }
            Err(ApplyError::State(error)) => return Ok(unreadable(face, &error)),
            Err(error) => return Ok(not_begun(face, global, &error)),
        };
        let id = cut.begin.deploy;
        if let Purpose::Undo { deploy } = cut.begin.purpose {
            let help = format!("`workbench deploy undo {deploy}` continues it");
            return Ok(face.refuse(&format!("deploy {id} is an interrupted undo of deploy {deploy}"), &help));
        }
        let typed = self.entry.clone().unwrap_or_else(|| history::place_words(&cut.begin));
        if self.entry.is_none() && cut.begin.entry.starts_with('<') {
            let help = "pass the same code with `--entry`";
            return Ok(face.refuse("the deploy was made from code, which is not recorded", help));
        }
        let made = format!("deploy {id}");
        let continues = cut.begin.made_for().map(|then| (made.clone(), then));
        let entry = Entry { entry: Some(typed), work: self.work.clone(), continues };
        let (session, compiled) = match compile(face, global, &entry, Stage::Eval) {
            Ok(done) => done,
            Err(exit) => return Ok(exit),
        };
        let is_changed = history::graph_hash(&compiled.graph) != cut.begin.graph;
        // The deploy was allowed when it started; a changed program may be for another host.
        if is_changed && let Err(why) = session.check_hosts(&compiled.graph, Mode::Live) {
            let allowed = cut.begin.as_host.as_deref();
            let allowed = allowed.or(cut.begin.compiled_for.as_ref().and_then(|then| then.node.as_deref()));
            if !matches!(&why, NotForHere::Other(other) if allowed == Some(&**other)) {
                return Ok(face.refuse(&why.to_string(), &format!("`workbench deploy undo {id}` undoes the deploy")));
            }
        }
        let then = cut.begin.made_for().filter(|_| is_changed);
        let causes = then.map(|then| then.differences(&made, &session.compiled_for())).unwrap_or_default();
        if let Some((message, help)) = self.hurdles(&cut, is_changed, &causes) {
            return Ok(face.refuse(&message, &help));
        }
        let graph = if asks || is_changed {
            let (graph, plan) = match previewed::preview(face, &session, compiled.graph, false) {
                Ok(previewed) => previewed,
                Err(exit) => return Ok(exit),
            };
            if is_changed && !self.sudo {
                report_changed(face, global, &plan, id);
            }
            if asks && self.sudo {
                face.note(format_args!("note: checked as your user; root may find other states"));
            }
            if asks {
                write_plan(face, &plan, &plan.steps.iter().collect::<Vec<_>>())?;
            }
            graph
        } else {
            Arc::new(session.ready(compiled.graph))
        };
        // Another user may not be able to read what root can.
        if !self.sudo {
            report_again(face, &session, &graph, cut.ran);
        }
        let asked = Confirmation::name(&session.hostname(), graph.hosts().other().as_deref());
        if asks && !asked.is_agreed(face, &format!("Resume deploy {id}?"), &mut read_answer)? {
            return Ok(face.refuse("nothing was done", &asked.help()));
        }
        let aside = face.aside();
        let mut on_conflict = self.bounds.on_conflict.into();
        let (stepper, events) = loop {
            let started = session.resume(Arc::clone(&graph), id, on_conflict, &keeping, &mut |holder| {
                aside.note(format_args!("waiting for another apply: {holder}"));
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
        let reporting = Reporting {
            mode: Mode::Live,
            format: self.format,
            asks: false,
            plan: None,
            source: None,
            way: None,
            detailed: false,
            into: None,
        };
        reporting.run(face, &About::of(&session), &graph, drive)
    }

    /// All obstacles at once, and the flags that override them.
    fn hurdles(&self, cut: &CutOff, is_changed: bool, causes: &[String]) -> Option<(String, String)> {
        let mut all = Vec::new();
        if let (Some((resource, words)), false) = (cut.commands.first(), self.again) {
            let message = format!("{resource}: {words} was interrupted; its effects are unknown");
            all.push((message, "use `--again` to check the resource and run it again if needed".to_owned()));
        }
        if is_changed && !self.changed {
            let message = match causes {
                [] if cut.begin.compiled_for.is_none() => {
                    "the program differs from that of the deploy, whose options an earlier version did not record"
                        .into()
                }
                [] => "the module has changed since the deploy".to_owned(),
                causes => causes.join("; and "),
            };
            let undo = format!("`workbench deploy undo {}` undoes it", cut.begin.deploy);
            all.push((message, format!("use `--changed` to see the differences and resume with the changes; {undo}")));
        }
        let (messages, helps): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        (!messages.is_empty()).then(|| (messages.join("; and "), helps.join("; ")))
    }
}

/// Reports how the module differs from the deploy's program, for the steps that ran.
fn report_changed(face: &Face, global: &Global, plan: &Plan, deploy: u64) {
    let Ok(deploy) = history::deploy(global.state_dir.as_ref(), Some(deploy)) else { return };
    let mut is_reported = false;
    for Difference { resource, why, because, .. } in against(plan, None, &Last::of(deploy)).differences {
        let edited = because.iter().filter(|(_, cause)| *cause == Cause::Edited);
        let properties: Vec<_> = edited.map(|(property, _)| property.as_str()).collect();
        if why == Why::Gone {
            face.note(format_args!("note: {resource} is no longer in the program"));
        } else if !properties.is_empty() {
            face.note(format_args!("note: {resource}: {} changed in the module", properties.join(", ")));
        } else {
            continue;
        }
        is_reported = true;
    }
    if !is_reported {
        face.note("note: the module changed only in resources that this deploy had not reached");
    }
}

/// Reports the commands that ran and will run again, because they have no guard.
fn report_again(face: &Face, session: &Session, graph: &Arc<Graph>, ran: Vec<ResourceId>) {
    if ran.is_empty() {
        return;
    }
    let ran = BTreeSet::from_iter(ran);
    let plan = session.preview_of(graph, &ran);
    for step in plan.steps.iter().filter(|step| step.action == Action::Run && ran.contains(&step.resource)) {
        face.note(format_args!("note: {} already ran and has no guard, so it will run again", step.resource));
    }
}
