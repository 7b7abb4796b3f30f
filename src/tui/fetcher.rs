//! Fetching modules for the Modules screen: one download at a time, on a thread of its own, that may ask for logins.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::message::Message;
use super::screen::modules::fetch::Told;
use crate::session::{Cancel, DownloadOptions, Fetched, Login, Session};

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
}

impl Fetcher {
    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>, state: Option<PathBuf>) -> Self {
        Self { session, messages, state, cancel: Cancel::default(), answer: None }
    }

    /// What was fetched before, with whether it may act here.
    pub fn fetched(&self) -> impl FnOnce() -> Vec<Fetched> + Send + 'static {
        let (session, state) = (Arc::clone(&self.session), self.state.clone());
        // What is wrong with the lock is told by compiling.
        move || session.fetched(state.as_ref()).unwrap_or_default()
    }

    pub fn download(&mut self, update: bool) {
        let cancel = Cancel::default();
        self.cancel = cancel.clone();
        let (answer, answers) = channel();
        self.answer = Some(answer);
        let (session, messages) = (Arc::clone(&self.session), self.messages.clone());
        spawn_blocking(move || {
            // The loop has ended: nobody is left to tell.
            let tell = |told: Told| drop(messages.send(Message::Fetch(told)));
            let answers = Mutex::new(answers);
            let ask = |url: &str| {
                // Several fetches may ask; the user is asked one thing at a time.
                let answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
                tell(Told::Asks(url.to_owned()));
                answered(&answers, &cancel)
            };
            let begun = Instant::now();
            let options = DownloadOptions { update, ..DownloadOptions::default() };
            let mut hear = |heard| tell(Told::Heard { heard, elapsed: begun.elapsed() });
            let ended = session.download(&options, &cancel, Some(&ask), &mut hear);
            tell(Told::Ended(ended.map_err(|report| {
                report.diagnostics.iter().map(|problem| super::in_a_line(problem, &report.sources)).collect()
            })));
        });
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

fn answered(answers: &Receiver<Option<Login>>, cancel: &Cancel) -> Option<Login> {
    loop {
        match answers.recv_timeout(LOOK) {
            Ok(login) => return login,
            Err(RecvTimeoutError::Timeout) if !cancel.is_cancelled() => {}
            Err(_) => return None,
        }
    }
}
