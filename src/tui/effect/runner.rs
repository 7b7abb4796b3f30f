//! Starts each effect: passes it on, or runs it on a thread.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::saving::StateWriter;
use super::{Effect, files, history, programs, settings, themes};
use crate::config::Config;
use crate::engine::message::Request;
use crate::session::live::Watched;
use crate::session::{self, Cancel, DriftWatch, FileWatch, HistoryWatch, Session, Stepper};
use crate::tui::message::{Job, Message};
use crate::tui::{
    applier::Applier, fetcher::Fetcher, finder::Finder, program::Program, screen::code::Paint, screen::graph, terminal,
    widget::diff::Diff,
};

pub struct Runner {
    session: Arc<Session>,
    messages: UnboundedSender<Message>,
    /// The dry run.
    stepper: Option<Stepper>,
    applier: Applier,
    fetcher: Fetcher,
    finder: Finder,
    /// The state folder that the user named.
    state: Option<PathBuf>,
    watched: Option<Watched>,
    /// The watch of the applied resources, with its number.
    drift: Option<(u64, DriftWatch)>,
    /// The watch of the inputs of the visible plan.
    plan_watch: Option<DriftWatch>,
    /// The watch of a history with an unresolved deploy.
    history: Option<HistoryWatch>,
    /// When the newest check of the machine started, in milliseconds since 1970.
    planned_at: u64,
    /// Ends the running compilation when a newer one starts.
    compiling: Cancel,
    planning: Cancel,
    looking: Cancel,
    /// Reports when the files of the newest compilation change.
    watch: Arc<FileWatch>,
    /// The same for the settings files.
    settings: Option<Arc<FileWatch>>,
    /// The settings in force.
    config: Arc<Mutex<Config>>,
    saving: StateWriter,
}

impl Runner {
    /// `state` is the state folder that the user named.
    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>, state: Option<PathBuf>) -> Self {
        let applier = Applier::new(session.clone(), messages.clone(), state.clone());
        let fetcher = Fetcher::new(session.clone(), messages.clone(), state.clone());
        let finder = Finder::new(session.clone(), messages.clone());
        let (compiling, planning, looking) = (Cancel::default(), Cancel::default(), Cancel::default());
        let changes = messages.clone();
        let watch = Arc::new(session.watch_files(move |reads| {
            // The loop has ended: there is no receiver.
            let _ = changes.send(Message::FilesChanged(reads));
        }));
        let config = Arc::new(Mutex::new(session.options().config.clone()));
        Self {
            settings: None,
            config,
            saving: StateWriter::default(),
            session,
            messages,
            stepper: None,
            applier,
            fetcher,
            finder,
            state,
            watched: None,
            drift: None,
            plan_watch: None,
            history: None,
            planned_at: 0,
            compiling,
            planning,
            looking,
            watch,
        }
    }

    /// The entry was opened again, for another purpose.
    fn use_session(&mut self, session: Arc<Session>) {
        session.keep_worker();
        self.applier.use_session(Arc::clone(&session));
        self.fetcher.use_session(Arc::clone(&session));
        self.finder.use_session(Arc::clone(&session));
        self.session = session;
    }

    /// Starts an effect. The loop handles those that need the terminal.
    pub fn start(&mut self, effect: Effect) {
        let session = self.session.clone();
        match effect {
            Effect::Quit
            | Effect::Suspend
            | Effect::Repaint
            | Effect::Edit { .. }
            | Effect::AskSudo { .. }
            | Effect::Copy(_) => {}
            Effect::Recall => {
                let state = self.state.clone();
                self.work(Job::Read, move || history::recall(&session, &state));
            }
            Effect::Theme(name) => {
                self.work(Job::Read, move || themes::named(session.options().config.clone(), &name));
            }
            Effect::FollowSettings => self.follow_settings(),
            Effect::ReadSettings { light } => {
                let (config, watch, state) = (Arc::clone(&self.config), self.settings.clone(), self.state.clone());
                self.work(Job::Read, move || {
                    if let Some(watch) = watch {
                        // Before they are read, so that no change in between is missed.
                        watch.follow(settings::files(&session, &config.lock().unwrap_or_else(PoisonError::into_inner)));
                    }
                    settings::again(&session, state.as_ref(), &config, light)
                });
            }
            Effect::SaveLog { path, text } => self.work(Job::Read, move || files::save_log(path, &text)),
            Effect::LoadModules => {
                let fetched = self.fetcher.fetched();
                self.work(Job::Modules, move || {
                    let tree = session.modules();
                    let fetched = fetched(&tree);
                    let remembered = session.remembered(&tree);
                    Message::Modules(tree, fetched, remembered)
                });
            }
            Effect::Find(order) => self.finder.order(order),
            Effect::Download { wanted, permits } => self.fetcher.download(wanted, permits),
            Effect::PlanImport(wanted) => self.fetcher.plan_import(wanted),
            Effect::PlanPruning => self.fetcher.plan_pruning(),
            Effect::PruneModules(pruning) => self.fetcher.prune(pruning),
            Effect::StopDownload => self.fetcher.stop(),
            Effect::ListDeploys => {
                let (state, messages) = (self.state.clone(), self.messages.clone());
                self.work(Job::History, move || {
                    // Shows the first screen before the rest is read. The loop may have ended: there may be no
                    // receiver.
                    if let Some(newest) = history::newest(&state) {
                        let _ = messages.send(newest);
                    }
                    history::list(&state)
                });
            }
            Effect::ReadDeploy(deploy) => {
                let state = self.state.clone();
                self.work(Job::History, move || history::one(&state, deploy));
            }
            Effect::ExportDeploy { deploy, file } => {
                let state = self.state.clone();
                self.work(Job::Export, move || history::export(&state, deploy, file));
            }
            Effect::CompareDeploys(one, other) => {
                let state = self.state.clone();
                self.work(Job::History, move || history::compare(&state, one, other));
            }
            Effect::CompareWithLast { plan, program, run } => {
                let state = self.state.clone();
                self.work(Job::History, move || {
                    let graph = program.as_ref().map(|program| &*program.graph);
                    history::compare_with_last(&session, &state, &plan, graph, run)
                });
            }
            Effect::Compare { ask, run } => {
                self.work(Job::Diff, move || {
                    let result = session.compare_asked(&ask).map(Box::new);
                    Message::Compared { run, result }
                });
            }
            Effect::Diff { from, to } => {
                self.work(Job::Diff, move || Message::Diffed(Arc::new(Diff::new(from, to))));
            }
            Effect::Login(login) => self.fetcher.login(login),
            Effect::Approve(modules) => self.fetcher.approve(modules),
            Effect::Review(module) => self.fetcher.review(module),
            Effect::PickNode(name) => session.pick_node(&name),
            Effect::Compile { turn } => {
                let (cancel, watch) = (renewed(&mut self.compiling), Arc::clone(&self.watch));
                self.work(Job::Compile, move || programs::compile(&session, turn, &cancel, &watch));
            }
            Effect::Cancel(Job::Compile) => self.compiling.cancel(),
            Effect::Cancel(Job::Plan) => self.planning.cancel(),
            Effect::Cancel(Job::LookUp) => self.looking.cancel(),
            Effect::Cancel(_) => {}
            Effect::Draw { program, ask, number } => self.work(Job::Rails, move || {
                let picture = graph::draw(&program, &ask);
                Message::Drawn { picture, number }
            }),
            Effect::Export(export) => self.work(Job::Export, move || files::export(export)),
            Effect::Watch { run } => self.watch_inputs(run),
            Effect::EndWatch => self.watched = None,
            Effect::WatchDrift { graph, run } => {
                let messages = self.messages.clone();
                // The loop has ended: there is no receiver.
                let send = move |drift| drop(messages.send(Message::Drift { run, drift }));
                self.drift = Some((run, session.watch_drift(graph, send)));
            }
            Effect::EndDrift(run) => drop(self.drift.take_if(|(watched, _)| *watched == run)),
            Effect::WatchPlan { graph, plan, run } => {
                let messages = self.messages.clone();
                // The loop has ended: there is no receiver.
                let send = move |found| drop(messages.send(Message::Outdated { run, found }));
                self.plan_watch = Some(session.watch_plan(graph, plan, self.planned_at, send));
            }
            Effect::EndPlanWatch => self.plan_watch = None,
            Effect::Index { moment, run, kinds } => {
                let index = move || Arc::new(Program::of_moment(&moment, kinds));
                self.work(Job::Index, move || Message::Indexed { run, program: index() });
            }
            Effect::ReadFile { path } => self.work(Job::Read, move || files::read(&session, path)),
            Effect::ReadReadme(path) => self.work(Job::Read, move || files::readme(&session, path)),
            Effect::Paint { name, path, text } => self.work(Job::Paint, move || {
                let paint = Paint::new(text, &name);
                Message::Painted { name, path, paint }
            }),
            Effect::LookUp { path, name, spot, asked, graphed } => {
                let cancel = renewed(&mut self.looking);
                let what = (name, spot);
                self.work(Job::LookUp, move || {
                    programs::look_up(&session, path.as_deref(), what, asked, graphed, &cancel)
                });
            }
            Effect::Plan { program, turn } => {
                let (cancel, messages) = (self.looks(), self.messages.clone());
                let state = self.state.clone();
                self.work(Job::Plan, move || {
                    programs::plan(&session, state.as_ref(), program, turn, &cancel, &messages)
                });
            }
            Effect::LookAgain(asked) => {
                let (cancel, messages) = (self.looks(), self.messages.clone());
                self.work(Job::Plan, move || programs::look_again(&session, *asked, &cancel, &messages));
            }
            Effect::Reopen { deploy, then } => {
                self.work(Job::Plan, move || programs::reopen(&session, deploy, &then));
            }
            Effect::UseSession(session) => self.use_session(session),
            Effect::NoteRefused => {
                let state = self.state.clone();
                drop(spawn_blocking(move || session.note_refused(state.as_ref())));
            }
            Effect::OpenPlan { file, is_adopted, program, turn } => {
                let (cancel, messages) = (self.looks(), self.messages.clone());
                let state = self.state.clone();
                self.work(Job::Plan, move || {
                    let adopted = if is_adopted { None } else { programs::adopted(&session, &file) };
                    adopted.unwrap_or_else(|| {
                        programs::open_plan(&session, state.as_ref(), file, program, turn, &cancel, &messages)
                    })
                });
            }
            Effect::NotePlan(plan) => drop(spawn_blocking(move || session.note_plan(&plan, None))),
            Effect::StartRun { program, run } => self.start_run(program, run),
            Effect::Rehearse(request) => self.stepper.iter().for_each(|stepper| stepper.send(request.clone().into())),
            Effect::Send(request) => drop(self.applier.send(request)),
            Effect::Arm { program, plan, left_out, run, as_root } => {
                self.stepper = None;
                self.applier.arm(program, plan, left_out, run, as_root);
            }
            Effect::Resume { program, cut, decided, run } => {
                self.stepper = None;
                self.applier.resume(program, cut, decided, run);
            }
            Effect::Amend { program, resource, run } => self.applier.amend(program, resource, run),
            Effect::Attach { run, guest } => {
                self.stepper = None;
                self.applier.attach(run, guest);
            }
            Effect::EndDetached => self.applier.end_detached(),
            Effect::GiveUp => self.applier.give_up(),
            Effect::Abort => self.applier.abort(),
            Effect::LetGo => self.applier.let_go(),
            Effect::EndLive => self.applier.end(),
            Effect::PlanUndo { deploy, ask } => self.applier.plan_undo(deploy, ask),
            Effect::Undo { deploy, decided, run, as_root } => self.applier.undo(deploy, decided, run, as_root),
            Effect::Inspect { as_root } => self.applier.inspect(as_root),
            Effect::FollowHistory(is_wanted) => {
                let applier = self.applier.clone();
                let watch = is_wanted.then(|| session::watch_history(self.state.as_ref(), move || applier.look_on()));
                // Without a state folder there is no history.
                self.history = watch.and_then(Result::ok);
            }
        }
    }

    /// Starts a check of the machine: cancels the one before, and returns the new cancel handle.
    fn looks(&mut self) -> Cancel {
        self.planned_at = session::now();
        renewed(&mut self.planning)
    }

    /// Reports to a face when a file of the settings changes.
    fn follow_settings(&mut self) {
        let messages = self.messages.clone();
        // The loop has ended: there is no receiver.
        let changed = move || drop(messages.send(Message::SettingsChanged));
        let on_change = changed.clone();
        let watch = Arc::new(self.session.watch_files(move |_| on_change()));
        self.settings = Some(Arc::clone(&watch));
        let (session, config) = (Arc::clone(&self.session), Arc::clone(&self.config));
        spawn_blocking(move || {
            let before = config.lock().unwrap_or_else(PoisonError::into_inner).clone();
            watch.follow(settings::files(&session, &before));
            // They may have changed between the start and the watch.
            if settings::are_outdated(&session, &before) {
                changed();
            }
        });
    }

    /// Starts a run and a thread that forwards its events.
    fn start_run(&mut self, program: Arc<Program>, run: u64) {
        let (stepper, events) = self.session.stepper(program.graph.clone());
        self.stepper = Some(stepper);
        let messages = self.messages.clone();
        spawn_blocking(move || {
            for event in events {
                if messages.send(Message::Run { run, event }).is_err() {
                    return;
                }
            }
        });
    }

    /// Watches the program's inputs; the reports come from a thread of the watch.
    fn watch_inputs(&mut self, run: u64) {
        let messages = self.messages.clone();
        // The loop has ended: there is no receiver.
        let send = move |news| drop(messages.send(Message::Watched { run, news }));
        self.watched = Some(self.session.watch_inputs(send));
    }

    /// Works on a thread. A panic there becomes a message.
    fn work(&self, job: Job, work: impl FnOnce() -> Message + Send + 'static) {
        let messages = self.messages.clone();
        tokio::spawn(async move {
            let message = match spawn_blocking(work).await {
                Ok(message) => message,
                Err(_) => Message::Failed { job, words: terminal::take_last_words().unwrap_or_default() },
            };
            // The loop has ended: there is no receiver.
            let _ = messages.send(message);
        });
    }

    /// Saves the session's state, on a thread.
    pub fn keep(&mut self, words: String) {
        if let Some(write) = self.saving.write(words, Arc::clone(&self.session), self.state.clone()) {
            spawn_blocking(write);
        }
    }

    /// The same on exit, when it must be finished before the process ends.
    pub fn keep_last(&mut self, words: String) {
        // A thread may be writing the same text now, and would end with the process.
        self.saving.forget();
        if let Some(write) = self.saving.write(words, Arc::clone(&self.session), self.state.clone()) {
            write();
        }
    }

    /// Waits until a live run has finished its step and recorded its end.
    pub fn finish(&self) {
        self.applier.finish();
    }

    /// Detaches from a live run: a later session can attach to it.
    pub fn leave(&self) {
        self.applier.leave();
    }

    /// Waits a moment for a stopped fetch, so that it removes its partial files.
    pub fn end_fetch(&mut self) {
        self.fetcher.end();
    }

    pub fn cancel(&mut self) {
        (self.watched, self.drift, self.plan_watch, self.history) = (None, None, None, None);
        self.fetcher.stop();
        self.finder.end();
        self.applier.send(Request::Quit);
        self.compiling.cancel();
        self.planning.cancel();
        self.looking.cancel();
        if let Some(stepper) = &self.stepper {
            stepper.send(Request::Quit);
        }
    }
}

/// Ends the running job, and returns the handle that ends the next.
fn renewed(cancel: &mut Cancel) -> Cancel {
    std::mem::take(cancel).cancel();
    cancel.clone()
}
