//! Fetching and changing modules for the Modules screen: one download at a time, on a thread of its own, that may ask for
//! logins.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::message::Message;
use super::screen::modules::fetch::{Refusals, Told, Wanted};
use crate::diag::Code;
use crate::module::ModuleTree;
use crate::session::{
    Around, Cancel, Fetched, Login, NewImport, NotFetched, Permit, Pruning, Report, Session, Update, review_lines,
};

/// How far a download stands back where there is much to do, as `nice` counts.
const PATIENT: i32 = 10;

/// How often a question hears that nobody wants its answer any more.
const LOOK: Duration = Duration::from_millis(50);

/// Downloads and approves for one session.
pub struct Fetcher {
    session: Arc<Session>,
    messages: UnboundedSender<Message>,
    /// The folder for state that the user named.
    state: Option<PathBuf>,
    cancel: Cancel,
    /// Where the user's answer goes to.
    answer: Option<Sender<Option<Login>>>,
    /// The download that is at work, or was.
    at_work: Option<JoinHandle<()>>,
}

impl Fetcher {
    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>, state: Option<PathBuf>) -> Self {
        Self { session, messages, state, cancel: Cancel::default(), answer: None, at_work: None }
    }

    /// What was fetched before, with whether it may act here.
    pub fn fetched(&self) -> impl FnOnce(&ModuleTree) -> Vec<Fetched> + Send + 'static {
        let (session, state) = (Arc::clone(&self.session), self.state.clone());
        // What is wrong with the lock is told by compiling.
        move |tree| session.fetched(tree, state.as_ref()).unwrap_or_default()
    }

    /// `permits` hold beside what the settings allow.
    pub fn download(&mut self, wanted: Wanted, permits: BTreeSet<Permit>) {
        let cancel = Cancel::default();
        self.cancel = cancel.clone();
        let (answer, answers) = channel();
        self.answer = Some(answer);
        let (session, messages) = (Arc::clone(&self.session), self.messages.clone());
        // Not one of the pool's: what is asked of it would stay with the thread, and so come upon others' work.
        self.at_work = Some(std::thread::spawn(move || {
            // Keys and a run go before it; what it starts is as patient.
            let _ = rustix::process::nice(PATIENT);
            // The loop has ended: there is no receiver.
            let tell = |told: Told| drop(messages.send(Message::Fetch(told)));
            let answers = Mutex::new(answers);
            let ask = |url: &str| {
                // Several fetches may ask; the user is asked one thing at a time.
                let answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                tell(Told::Asks(url.to_owned()));
                answered(&answers, &cancel)
            };
            let begun = Instant::now();
            let mut options = session.download_options();
            options.update = match &wanted {
                Wanted::Update => Update::All,
                Wanted::Bump(name) => Update::Only(BTreeSet::from([name.clone()])),
                _ => Update::Nothing,
            };
            options.permits.extend(permits);
            let mut hear = |heard| tell(Told::Heard { heard, elapsed: begun.elapsed() });
            let around = Around { cancel: &cancel, ask: Some(&ask), report: &mut hear };
            tell(match &wanted {
                Wanted::Look => Told::Seen(session.remotes(&options, around).map_err(|not| refused(*not))),
                Wanted::Add(edit) => {
                    Told::Ended(session.add_import(edit, &options, around).map_err(|not| refused(*not)))
                }
                Wanted::Missing | Wanted::Update | Wanted::Bump(_) => {
                    Told::Ended(session.download(&options, around).map_err(|not| refused(*not)))
                }
            });
        }));
    }

    /// Ends a download, and waits until it has taken away what waited to be put in place; not for ever.
    pub fn end(&mut self) {
        const MOST: Duration = Duration::from_secs(1);
        self.stop();
        self.answer = None;
        let begun = Instant::now();
        while self.at_work.as_ref().is_some_and(|work| !work.is_finished()) && begun.elapsed() < MOST {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// How a file would look with an import more.
    pub fn plan_import(&self, wanted: NewImport) {
        self.work(move |session| {
            let planned = session.plan_import(&wanted);
            Told::Import(planned.map(Box::new).map_err(|report| lines(&report)))
        });
    }

    pub fn plan_pruning(&self) {
        self.work(|session| Told::Pruning(session.plan_pruning().map_err(|error| error.to_string())));
    }

    pub fn prune(&self, pruning: Pruning) {
        self.work(move |session| {
            let gone = session.prune_modules(&pruning, &Cancel::default());
            Told::Pruned(gone.map(|gone| gone.len()).map_err(|error| error.to_string()))
        });
    }

    fn work(&self, work: impl FnOnce(&Session) -> Told + Send + 'static) {
        let (session, messages) = (Arc::clone(&self.session), self.messages.clone());
        spawn_blocking(move || drop(messages.send(Message::Fetch(work(&session)))));
    }

    /// Passes the user's answer on; nothing where they gave none.
    pub fn login(&self, login: Option<Login>) {
        if let Some(answer) = &self.answer {
            let _ = answer.send(login);
        }
    }

    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// Reads what changed in a module since it was approved last.
    pub fn review(&self, module: Fetched) {
        let (session, state, messages) = (Arc::clone(&self.session), self.state.clone(), self.messages.clone());
        spawn_blocking(move || {
            let lines = match session.review(&module, state.as_ref()) {
                Ok(review) => review_lines(&module, &review),
                Err(why) => vec![format!("Cannot read the changes: {why}")],
            };
            drop(messages.send(Message::Fetch(Told::Reviewed(Box::new(module), lines))));
        });
    }

    /// Lets modules act on this machine, as they are.
    pub fn approve(&self, modules: Vec<Fetched>) {
        let (session, state, messages) = (Arc::clone(&self.session), self.state.clone(), self.messages.clone());
        spawn_blocking(move || {
            let done = session.approve(modules.iter(), state.as_ref());
            let told = Told::Approved(done.map(|()| modules).map_err(|error| error.to_string()));
            drop(messages.send(Message::Fetch(told)));
        });
    }
}

/// The refusals, a line each, what they are about, and what could be allowed.
fn refused(not: NotFetched) -> Refusals {
    let (problems, sources) = (&not.report.diagnostics, &not.report.sources);
    let of_imports = problems.iter().filter(|problem| problem.code == Code::ModuleNotFetched);
    let remotes = of_imports.filter_map(|problem| Some(sources.text(problem.span?).trim_matches('"').to_owned()));
    Refusals { remotes: remotes.collect(), lines: lines(&not.report), permits: not.permits }
}

/// The problems of a report, a line each.
fn lines(report: &Report) -> Vec<String> {
    report.diagnostics.iter().map(|problem| super::in_a_line(problem, &report.sources)).collect()
}

/// What the user answers; nothing where they do not want to, or nobody waits any more.
fn answered(answers: &Receiver<Option<Login>>, cancel: &Cancel) -> Option<Login> {
    loop {
        match answers.recv_timeout(LOOK) {
            Ok(login) => return login,
            Err(RecvTimeoutError::Timeout) if !cancel.is_cancelled() => {}
            Err(_) => return None,
        }
    }
}
