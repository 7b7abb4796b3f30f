//! Fetches and changes modules for the Modules screen: one download at a time, on its own thread, which may ask for
//! logins.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{collections::BTreeSet, path::PathBuf, thread::JoinHandle};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::message::Message;
use super::screen::modules::fetch::{Notice, Refusals, Task};
use crate::diag::Code;
use crate::module::ModuleTree;
use crate::session::{
    Around, Cancel, Fetched, Login, NewImport, NotFetched, Permit, Pruning, Report, Session, Update, review_lines,
};

/// The `nice` value of a download.
const PATIENT: i32 = 10;

/// How often a question checks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

pub struct Fetcher {
    session: Arc<Session>,
    messages: UnboundedSender<Message>,
    /// The state folder that the user named.
    state: Option<PathBuf>,
    cancel: Cancel,
    /// Where the user's answer is sent.
    answer: Option<Sender<Option<Login>>>,
    /// The running download, or the last one.
    at_work: Option<JoinHandle<()>>,
}

impl Fetcher {
    /// Replaces the session. A download in progress continues with the old one.
    pub fn use_session(&mut self, session: Arc<Session>) {
        self.session = session;
    }

    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>, state: Option<PathBuf>) -> Self {
        Self { session, messages, state, cancel: Cancel::default(), answer: None, at_work: None }
    }

    /// The fetched modules, each with its approval.
    pub fn fetched(&self) -> impl FnOnce(&ModuleTree) -> Vec<Fetched> + Send + 'static {
        let (session, state) = (Arc::clone(&self.session), self.state.clone());
        // Compiling reports what is wrong with the lock.
        move |tree| session.fetched(tree, state.as_ref()).unwrap_or_default()
    }

    /// `permits` apply in addition to the settings.
    pub fn download(&mut self, task: Task, permits: BTreeSet<Permit>) {
        let cancel = Cancel::default();
        self.cancel = cancel.clone();
        let (answer, answers) = channel();
        self.answer = Some(answer);
        let (session, messages) = (Arc::clone(&self.session), self.messages.clone());
        // Not a thread of the pool: its `nice` value would stay with the thread and slow other work.
        self.at_work = Some(std::thread::spawn(move || {
            // Keys and runs have priority. Its child processes inherit the value.
            let _ = rustix::process::nice(PATIENT);
            // The loop has ended: there is no receiver.
            let send = |notice: Notice| drop(messages.send(Message::Fetch(notice)));
            let answers = Mutex::new(answers);
            let ask = |url: &str| {
                // Several fetches may ask; the user answers one question at a time.
                let answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                send(Notice::Asks(url.to_owned()));
                answered(&answers, &cancel)
            };
            let begun = Instant::now();
            let mut options = session.download_options();
            options.update = match &task {
                Task::Update => Update::All,
                Task::Bump(name) => Update::Only(BTreeSet::from([name.clone()])),
                _ => Update::Nothing,
            };
            options.permits.extend(permits);
            let mut on_event = |event| send(Notice::Progress { event, elapsed: begun.elapsed() });
            let around = Around { cancel: &cancel, ask: Some(&ask), report: &mut on_event };
            send(match &task {
                Task::Look => Notice::Seen(session.remotes(&options, around).map_err(|not| refused(*not))),
                Task::Add(edit) => {
                    Notice::Ended(session.add_import(edit, &options, around).map_err(|not| refused(*not)))
                }
                Task::Missing | Task::Update | Task::Bump(_) => {
                    Notice::Ended(session.download(&options, around).map_err(|not| refused(*not)))
                }
            });
        }));
    }

    /// Ends a download, and waits a limited time until its partial files are removed.
    pub fn end(&mut self) {
        const MOST: Duration = Duration::from_secs(1);
        self.stop();
        self.answer = None;
        let begun = Instant::now();
        while self.at_work.as_ref().is_some_and(|work| !work.is_finished()) && begun.elapsed() < MOST {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The file with an additional import.
    pub fn plan_import(&self, task: NewImport) {
        self.work(move |session| {
            let planned = session.plan_import(&task);
            Notice::Import(planned.map(Box::new).map_err(|report| lines(&report)))
        });
    }

    /// Finds the unused modules on a worker.
    pub fn plan_pruning(&self) {
        self.work(|session| Notice::Pruning(session.plan_pruning().map_err(|error| error.to_string())));
    }

    pub fn prune(&self, pruning: Pruning) {
        self.work(move |session| {
            let gone = session.prune_modules(&pruning, &Cancel::default());
            Notice::Pruned(gone.map(|gone| gone.len()).map_err(|error| error.to_string()))
        });
    }

    fn work(&self, work: impl FnOnce(&Session) -> Notice + Send + 'static) {
        let (session, messages) = (Arc::clone(&self.session), self.messages.clone());
        spawn_blocking(move || drop(messages.send(Message::Fetch(work(&session)))));
    }

    /// Passes the user's answer on; `None` if they gave none.
    pub fn login(&self, login: Option<Login>) {
        if let Some(answer) = &self.answer {
            let _ = answer.send(login);
        }
    }

    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// Reads what changed in a module since it was last approved.
    pub fn review(&self, module: Fetched) {
        let (session, state, messages) = (Arc::clone(&self.session), self.state.clone(), self.messages.clone());
        spawn_blocking(move || {
            let lines = match session.review(&module, state.as_ref()) {
                Ok(review) => review_lines(&module, &review),
                Err(why) => vec![format!("Cannot read the changes: {why}")],
            };
            drop(messages.send(Message::Fetch(Notice::Reviewed(Box::new(module), lines))));
        });
    }

    pub fn approve(&self, modules: Vec<Fetched>) {
        let (session, state, messages) = (Arc::clone(&self.session), self.state.clone(), self.messages.clone());
        spawn_blocking(move || {
            let done = session.approve(modules.iter(), state.as_ref());
            let notice = Notice::Approved(done.map(|()| modules).map_err(|error| error.to_string()));
            drop(messages.send(Message::Fetch(notice)));
        });
    }
}

/// The refusals, one line each, with their modules and the permissions that would help.
fn refused(not: NotFetched) -> Refusals {
    let (problems, sources) = (&not.report.diagnostics, &not.report.sources);
    let of_imports = problems.iter().filter(|problem| problem.code == Code::ModuleNotFetched);
    let remotes = of_imports.filter_map(|problem| Some(sources.text(problem.span?).trim_matches('"').to_owned()));
    Refusals { remotes: remotes.collect(), lines: lines(&not.report), permits: not.permits }
}

/// The problems of a report, one line each.
fn lines(report: &Report) -> Vec<String> {
    report.diagnostics.iter().map(|problem| super::in_a_line(problem, &report.sources)).collect()
}

/// The user's answer; `None` if they cancelled or the download ended.
fn answered(answers: &Receiver<Option<Login>>, cancel: &Cancel) -> Option<Login> {
    loop {
        match answers.recv_timeout(LOOK) {
            Ok(login) => return login,
            Err(RecvTimeoutError::Timeout) if !cancel.is_cancelled() => {}
            Err(_) => return None,
        }
    }
}
