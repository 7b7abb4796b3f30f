//! Asking clusters for the Deploys screen: each question on a thread of its own, so that a silent server holds up no key.

use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::fetcher::{answered, lines};
use super::message::{Job, Message};
use super::screen::deploys::cluster::{Flags, Order, Previewed, Told, Trouble};
use super::terminal;
use crate::session::target::{self, OfferOptions, Place, Target, TargetError};
use crate::session::{Cancel, Login, Report, Session};

/// A cursor that goes on within this time asks for nothing.
const REST: Duration = Duration::from_millis(150);

/// Asks for one session.
pub struct Clusters {
    session: Arc<Session>,
    messages: UnboundedSender<Message>,
    /// Those that answered, by their place in the settings.
    reached: Arc<Mutex<HashMap<usize, Arc<dyn Target>>>>,
    /// Ends what is asked now.
    asking: Cancel,
    /// Ends the look at one deploy.
    showing: Cancel,
    /// Ends the way to the cluster on show, and the waiting for its new deploys.
    following: Cancel,
    /// Where the user's answers go to: a password of one cluster is nothing for another.
    answers: HashMap<usize, Sender<Option<Login>>>,
}

impl Clusters {
    pub fn new(session: Arc<Session>, messages: UnboundedSender<Message>) -> Self {
        let (asking, showing, following) = (Cancel::default(), Cancel::default(), Cancel::default());
        Self { session, messages, reached: Arc::default(), asking, showing, following, answers: HashMap::new() }
    }

    /// `at` is the cluster's place in the settings.
    pub fn order(&mut self, at: usize, order: Order) {
        match order {
            Order::Reach(place) => self.reach(at, place),
            Order::Leave => std::mem::take(&mut self.following).cancel(),
            Order::Stop => {
                std::mem::take(&mut self.asking).cancel();
                std::mem::take(&mut self.showing).cancel();
            }
            Order::Login(login) => {
                if let Some(answer) = self.answers.remove(&at) {
                    let _ = answer.send(login);
                }
            }
            Order::Show(id) => {
                std::mem::take(&mut self.showing).cancel();
                let cancel = self.showing.clone();
                self.ask(at, move |target, _| {
                    std::thread::sleep(REST);
                    if cancel.is_cancelled() {
                        return Told::Shown(id, Err(trouble(&TargetError::Cancelled)));
                    }
                    Told::Shown(id, target.show(Some(id), &cancel).map_err(|error| trouble(&error)))
                });
            }
            Order::Preview { flags, asks } => {
                let (session, cancel) = (Arc::clone(&self.session), self.asking.clone());
                self.ask(at, move |target, _| Told::Previewed {
                    asks,
                    result: preview(&session, target, flags, &cancel).map(Box::new),
                });
            }
            Order::Push { offered, over } => {
                let cancel = self.asking.clone();
                self.ask(at, move |target, tell| {
                    let mut hear = |heard| tell(Told::Heard(heard));
                    let published = target.publish(&offered.offer, over, 0, &mut hear, &cancel);
                    Told::Pushed(published.map_err(|error| trouble(&error)))
                });
            }
            Order::GoBack { to, over, entry } => {
                let cancel = self.asking.clone();
                self.ask(at, move |target, tell| {
                    let writer = target::writer(&entry);
                    let mut hear = |heard| tell(Told::Heard(heard));
                    let published = target.rollback(to, over, writer, &mut hear, &cancel);
                    Told::WentBack { to, result: published.map_err(|error| trouble(&error)) }
                });
            }
        }
    }

    /// Connects, lists, and then tells of every deploy that comes.
    fn reach(&mut self, at: usize, place: Place) {
        std::mem::take(&mut self.following).cancel();
        let (cancel, reached) = (self.following.clone(), Arc::clone(&self.reached));
        let (answer, answers) = channel();
        self.answers.insert(at, answer);
        self.work(at, move |tell| {
            // Whoever only passes by is asked for no password.
            std::thread::sleep(REST);
            if cancel.is_cancelled() {
                return tell(Told::Reached(Err(trouble(&TargetError::Cancelled))));
            }
            let mut ask = |user: &str| {
                tell(Told::Asks { user: user.to_owned() });
                answered(&answers, &cancel).map(|login| login.password)
            };
            let known = hold(&reached).remove(&at);
            let target = match known {
                Some(target) => Ok(target),
                None => target::target(&place, &mut ask, &cancel).map(Arc::from),
            };
            let listed = target.and_then(|target: Arc<dyn Target>| {
                let facts = target.probe(&cancel)?;
                let deploys = target.deploys(&cancel)?;
                Ok((target, facts, deploys))
            });
            let (target, newest) = match listed {
                Ok((target, facts, deploys)) => {
                    let newest = deploys.last().map_or(0, |deploy| deploy.id);
                    hold(&reached).insert(at, Arc::clone(&target));
                    tell(Told::Reached(Ok((facts, deploys))));
                    (target, newest)
                }
                Err(error) => return tell(Told::Reached(Err(trouble(&error)))),
            };
            let mut hear = |deploy| {
                tell(Told::Came(Box::new(deploy)));
                true
            };
            match target.watch(newest, &mut hear, &cancel) {
                Ok(()) | Err(TargetError::Cancelled) => {}
                Err(error) => tell(Told::Lost(trouble(&error))),
            }
        });
    }

    /// Asks a cluster that answered before.
    fn ask(&self, at: usize, ask: impl FnOnce(&dyn Target, &dyn Fn(Told)) -> Told + Send + 'static) {
        let target = hold(&self.reached).get(&at).cloned();
        self.work(at, move |tell| {
            let told = match target {
                Some(target) => ask(&*target, tell),
                None => {
                    Told::Reached(Err(Trouble { lines: vec!["it was not asked yet".into()], ..Trouble::default() }))
                }
            };
            tell(told);
        });
    }

    /// Works on a thread; a panic there becomes a message and not the end.
    fn work(&self, at: usize, work: impl FnOnce(&dyn Fn(Told)) + Send + 'static) {
        let (messages, failed) = (self.messages.clone(), self.messages.clone());
        tokio::spawn(async move {
            // The loop has ended: nobody is left to tell.
            let tell = move |told: Told| drop(messages.send(Message::Cluster(at, told)));
            if spawn_blocking(move || work(&tell)).await.is_err() {
                let words = terminal::take_last_words().unwrap_or_default();
                let _ = failed.send(Message::Failed { job: Job::Cluster, words });
            }
        });
    }

    /// Tells all work to end.
    pub fn end(&self) {
        self.asking.cancel();
        self.showing.cancel();
        self.following.cancel();
    }
}

fn hold<T>(kept: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn preview(session: &Session, target: &dyn Target, flags: Flags, cancel: &Cancel) -> Result<Previewed, Trouble> {
    let options = OfferOptions { no_git: flags.no_git, force: flags.force, ..OfferOptions::default() };
    let offered = session.offer(&options, cancel).map_err(|report| of_report(&report, cancel))?;
    let comparison = target.preview(&offered.offer, cancel).map_err(|error| trouble(&error))?;
    Ok(Previewed { offered: Arc::new(offered), comparison, flags })
}

/// Why not, with the way out.
fn trouble(error: &TargetError) -> Trouble {
    let was_stopped = *error == TargetError::Cancelled;
    let lines = vec![error.to_string(), String::new(), error.help().to_owned()];
    Trouble { lines, was_stopped, helps: Flags::named(error.help()) }
}

fn of_report(report: &Report, cancel: &Cancel) -> Trouble {
    let help: String = report.diagnostics.iter().filter_map(|problem| problem.help.as_deref()).collect();
    Trouble { lines: lines(report), was_stopped: cancel.is_cancelled(), helps: Flags::named(&help) }
}
