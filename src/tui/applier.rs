//! Live runs for the screens: started, resumed and undone on worker threads, under the lock.

mod undo;
mod inspect;
mod refusal;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{collections::BTreeSet, path::PathBuf, sync::mpsc::Receiver, time::Duration};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::screen::step::conflict::{Conflict, Decided, Of};
use super::screen::step::live::{Cut, Notice, Refusal, changed_words};
use super::screen::step::saved::{Next, Reopened};
use super::{message::Message, program::Program, screen::step::detached};
use crate::diag::{Diagnostics, Stage};
use crate::engine::message::{Event, Request};
use crate::graph::{Graph, ResourceId};
use crate::lang::Compiled;
use crate::plan::{CompiledFor, Plan};
use crate::session::history::{self, Completion, Finding, OnConflict, Ready, StateError};
use crate::session::{self, AttachError, Cancel, Disconnected, Guest, Keeping, RunOptions, Session, Stepper};
use crate::source::Sources;

/// A live run and its reports.
type Started = (Stepper, Receiver<Event>);

/// A run that we just ended may still hold the lock.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub struct Applier {
    session: Arc<Session>,
    messages: UnboundedSender<Message>,
    state: Option<PathBuf>,
    stepper: Arc<Mutex<Option<Stepper>>>,
    /// Held while a run starts, ends or is undone, so that only one happens at a time.
    at_work: Arc<Mutex<()>>,
    /// Cancels the wait for a lock, and the inspection before the newest run or undo starts.
    cancel: Arc<Mutex<Cancel>>,
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Applier {
    /// Replaces the session. Runs in progress continue with the old one.
    pub fn use_session(&mut self, session: Arc<Session>) {
        self.session = session;
    }

    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>, state: Option<PathBuf>) -> Self {
        let (stepper, at_work, cancel) = Default::default();
        Self { session, messages, state, stepper, at_work, cancel }
    }

    fn keeping(&self) -> Keeping {
        Keeping {
            state: self.state.clone(),
            patience: PATIENCE,
            cancel: self.cancel(),
            apart: true,
            ..Keeping::default()
        }
    }

    /// The same, run as root if the user asked for that. `sudo` must not prompt while the screens are up.
    fn keeping_as(&self, as_root: bool) -> Keeping {
        Keeping { sudo: as_root, is_silent: true, ..self.keeping() }
    }

    fn post(&self, notice: Notice) {
        // The loop has ended: there is no receiver.
        let _ = self.messages.send(Message::Live(notice));
    }

    fn cancel(&self) -> Cancel {
        hold(&self.cancel).clone()
    }

    /// This applier with a cancel handle of its own; an order that was cancelled before stays cancelled.
    fn ordered(&self) -> Applier {
        let cancel = Cancel::default();
        *hold(&self.cancel) = cancel.clone();
        Applier { cancel: Arc::new(Mutex::new(cancel)), ..self.clone() }
    }

    /// Cancels the last order. If it has not started, nothing is done; if it has just started, it stops.
    pub fn give_up(&self) {
        let stepper = hold(&self.stepper);
        self.cancel().cancel();
        if let Some(stepper) = &*stepper {
            stepper.send(Request::Stop);
        }
    }

    /// Sends a request to the live run; false if there is none.
    pub fn send(&self, request: Request) -> bool {
        let stepper = hold(&self.stepper);
        stepper.iter().for_each(|stepper| stepper.send(request.clone()));
        stepper.is_some()
    }

    /// Kills the running command too.
    pub fn abort(&self) {
        if let Some(stepper) = &*hold(&self.stepper) {
            stepper.abort();
        }
    }

    /// Applies the graph of an approved plan. A step that differs from the plan fails and changes nothing.
    pub fn arm(&self, program: Arc<Program>, plan: Arc<Plan>, left_out: BTreeSet<ResourceId>, run: u64, as_root: bool) {
        let applier = self.ordered();
        spawn_blocking(move || {
            applier.begin(run, || {
                let session = &applier.session;
                let approved = session.freeze(&plan, &program.graph, &program.sources);
                let ids = || program.graph.resources().map(|(_, resource)| resource.id.clone());
                let only = (!left_out.is_empty()).then(|| ids().filter(|id| !left_out.contains(id)).collect());
                let plan = Some(plan.plan.clone());
                let options = RunOptions { approved: Some(approved), plan, only, ..RunOptions::default() };
                session.apply(program.graph.clone(), options, &applier.keeping_as(as_root), &mut |_| ()).map_err(
                    |error| {
                        session.note_refused(applier.state.as_ref());
                        applier.refusal(error, as_root)
                    },
                )
            });
        });
    }

    /// Has the live run retry a failed resource with the declaration of a program.
    pub fn amend(&self, program: Arc<Program>, resource: ResourceId, run: u64) {
        let applier = self.clone();
        spawn_blocking(move || {
            let as_root = hold(&applier.stepper).as_ref().is_some_and(Stepper::is_root);
            let asked = applier.session.amend_request(&program.graph, &resource, &applier.keeping_as(as_root));
            let why_unread = match asked {
                Ok(request) => (!applier.send(request)).then(|| "the run has ended".to_owned()),
                Err(why) => Some(why),
            };
            if let Some(why) = why_unread {
                applier.post(Notice::NotAmended { run, resource, why });
            }
        });
    }

    pub fn resume(&self, program: Arc<Program>, cut: Cut, decided: Option<Decided>, run: u64) {
        let applier = self.ordered();
        spawn_blocking(move || applier.begin(run, || applier.resume_cut(&program, cut, decided)));
    }

    fn resume_cut(&self, program: &Program, cut: Cut, decided: Option<Decided>) -> Result<Started, Refusal> {
        if history::graph_hash(&program.graph) != cut.graph {
            return Err(Refusal::Other(changed_words(&cut)));
        }
        let mut on_conflict = OnConflict::Stop;
        loop {
            let graph = program.graph.clone();
            let keeping = self.keeping_as(cut.as_root);
            let ready = self.session.resume(graph, cut.deploy, on_conflict, &keeping, &mut |_| ());
            let found = match ready.map_err(|error| self.refusal(error, cut.as_root))? {
                Ready::Yes(started) => return Ok(started),
                Ready::Conflict(found) => found,
            };
            if cut.as_root {
                // Only root can read the earlier content, so there is nothing to show and decide here.
                let lines = found.iter().map(|found| format!("{}: {}", found.resource, found.words));
                let head = "Someone else changed the interrupted resource; nothing was changed.".to_string();
                let way = format!("workbench deploy resume {} --sudo --on-conflict keep, or restore", cut.deploy);
                return Err(Refusal::Other(std::iter::once(head).chain(lines).chain([way]).collect()));
            }
            let conflict = self.conflict(Of::Resume(cut.clone()), &found);
            let conflict = conflict.map_err(|error| Refusal::Other(vec![error.to_string()]))?;
            on_conflict = match answer(decided.as_ref(), &conflict) {
                Some(answer) if on_conflict == OnConflict::Stop => answer,
                _ => return Err(Refusal::Conflict(Box::new(conflict))),
            };
        }
    }

    /// Someone else's change to the resource at which a deploy was interrupted.
    fn conflict(&self, of: Of, found: &[Finding]) -> Result<Conflict, StateError> {
        let is_theirs = |found: &&Finding| found.completion == Completion::Neither;
        let lines = found.iter().filter(is_theirs).map(|found| format!("{}: {}", found.resource, found.words));
        let changes = history::restoring(self.state.as_ref(), found)?;
        Ok(Conflict { of, by: None, lines: lines.collect(), changes })
    }

    fn begin(&self, run: u64, start: impl FnOnce() -> Result<Started, Refusal>) {
        let working = hold(&self.at_work);
        let (stepper, events) = match start() {
            // It may have started in the same moment. It has done nothing, and ends when it is dropped.
            Ok(_) | Err(_) if self.cancel().is_cancelled() => {
                return self.post(Notice::Refused { run, why: Refusal::GivenUp });
            }
            Ok(started) => started,
            Err(why) => return self.post(Notice::Refused { run, why }),
        };
        let deploy = stepper.deploy().unwrap_or_default();
        *hold(&self.stepper) = Some(stepper);
        drop(working);
        // Keys that the screens offer now would be lost before the run waits for them.
        let first = events.recv().ok();
        self.post(Notice::Begun { run, deploy, first });
        self.pass_on(run, events);
    }

    fn pass_on(&self, run: u64, events: Receiver<Event>) {
        for event in events {
            if self.messages.send(Message::Run { run, event }).is_err() {
                return;
            }
        }
        // A run that we ended was removed before.
        let disconnected = hold(&self.stepper).as_ref().and_then(Stepper::disconnected);
        let notice = match disconnected {
            Some(Disconnected::Taken(by)) => detached::Notice::Taken { run, by },
            Some(Disconnected::Lost) => detached::Notice::Lost { run },
            Some(Disconnected::Ended) => detached::Notice::EndedThere { run },
            Some(Disconnected::Left) => detached::Notice::Left { run },
            None => return,
        };
        self.close();
        self.post_detached(notice);
    }

    /// Attaches to an applier, and plans its graph again so that the screens show what is left.
    pub fn attach(&self, run: u64, guest: Guest) {
        let applier = self.clone();
        spawn_blocking(move || {
            let working = hold(&applier.at_work);
            let attached = match session::attach(applier.state.as_ref(), guest) {
                Ok(attached) => attached,
                Err(error) => {
                    let mut lines = vec![format!("{error}.")];
                    if let AttachError::Busy(_) = error {
                        lines.push("`workbench attach --take` takes over.".into());
                    }
                    return applier.post_detached(detached::Notice::NotAttached { run, lines });
                }
            };
            if attached.undo.is_some() {
                attached.stepper.send(Request::Finish);
            }
            *hold(&applier.stepper) = Some(attached.stepper);
            drop(working);
            if let Some(undo) = attached.undo {
                applier.post_detached(detached::Notice::Undoing { run, status: attached.status });
                return applier.follow_undo(run, &undo, attached.events);
            }
            let is_other = !applier.session.is_at(&attached.status.folder.join(&attached.status.entry));
            let reopened = if is_other { None } else { applier.reopened(attached.status.deploy) };
            if let Some((session, then)) = reopened {
                // The loop has ended: there is no receiver.
                let _ = applier.messages.send(Message::Reopened(Reopened::new(session, &then, Next::Run)));
            }
            let plan = Arc::new(applier.session.preview(&attached.graph, &applier.cancel(), &mut |_| ()));
            let diagnostics = Diagnostics::new(Stage::Eval);
            let graph = Graph::clone(&attached.graph);
            let program = Program::new(Compiled::new(graph, Sources::default(), diagnostics));
            let (program, status) = (Arc::new(program), attached.status);
            applier.post_detached(detached::Notice::Attached { run, status, is_other, program, plan });
            applier.pass_on(run, attached.events);
        });
    }

    /// Opens the entry for what a deploy was compiled for; `None` if it is compiled for that already.
    fn reopened(&self, deploy: u64) -> Option<(Session, CompiledFor)> {
        let then = history::deploy(self.state.as_ref(), Some(deploy)).ok()?.begin.made_for()?;
        let is_for_it = then.has_options_of(&self.session.compiled_for());
        let session = (!is_for_it).then(|| self.session.reopened(&format!("deploy {deploy}"), &then))?.ok()?;
        Some((session, then))
    }

    pub fn end_detached(&self) {
        let applier = self.clone();
        spawn_blocking(move || {
            let _working = hold(&applier.at_work);
            let ended = session::attach(applier.state.as_ref(), Guest::Driver);
            applier.post_detached(detached::Notice::Ended(ended.map_err(|error| error.to_string()).map(|attached| {
                drop(attached.stepper);
                attached.status
            })));
        });
    }

    fn post_detached(&self, notice: detached::Notice) {
        // The loop has ended: there is no receiver.
        let _ = self.messages.send(Message::Detached(notice));
    }

    /// Ends the live run after the current step, and releases the lock.
    pub fn end(&self) {
        if hold(&self.stepper).is_some() {
            let applier = self.clone();
            spawn_blocking(move || applier.close());
        }
    }

    fn close(&self) {
        let _working = hold(&self.at_work);
        let stepper = hold(&self.stepper).take();
        let Some(stepper) = stepper else { return };
        // Not under the mutex: this waits for the current step.
        drop(stepper);
        // A reader of the list finds the end from now on. The receiver may be gone.
        let _ = self.messages.send(Message::Deploys(super::screen::deploys::Notice::Ended));
    }

    /// Ends everything and waits for it: quitting must not leave an interrupted deploy.
    pub fn finish(&self) {
        self.cancel().cancel();
        self.close();
    }

    /// Detaches from the live run. An undo continues to its end.
    pub fn leave(&self) {
        self.cancel().cancel();
        let _working = hold(&self.at_work);
        if let Some(stepper) = hold(&self.stepper).take() {
            stepper.leave();
        }
    }

    /// Detaches from the live run. It finishes its current step and waits until a process attaches.
    pub fn let_go(&self) {
        if let Some(stepper) = &*hold(&self.stepper) {
            stepper.let_go();
        }
    }
}

/// The decision about exactly this conflict.
fn answer(decided: Option<&Decided>, conflict: &Conflict) -> Option<OnConflict> {
    decided.filter(|decided| decided.changes == conflict.changes).map(|decided| decided.on_conflict)
}
