//! Foreign code of modules, run by the user's own interpreters: one contained worker per interpreter, for the last
//! program.
//!
//! A request and its answer are texts, so that a call is a read like any other. A worker that needs something of the
//! evaluation answers with a question; the evaluation sends the same request again with more in it. What Ruby asks of the
//! network is a read of its own: a fixed program that runs no module's code looks it up.

mod interpreter;
mod place;
mod worker;

use std::sync::{Mutex, PoisonError};

use interpreter::{Found, Guest};
use place::Loads;
use worker::{FOR_CALL, Worker};

use crate::world::{Interpreter, PluginCall, ReadError};

/// The interpreters, each with the worker of the last program.
#[derive(Debug, Default)]
pub struct Foreign {
    python: Mutex<Slot>,
    ruby: Mutex<Slot>,
    resolver: Mutex<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    /// The interpreter, by the version that the program asked for.
    found: Option<(Option<String>, Found)>,
    worker: Option<Worker>,
}

impl Foreign {
    /// Passes a request to a worker. The first one starts it, and a failed one ends it.
    pub fn ask(&self, call: &PluginCall) -> Result<String, ReadError> {
        let (guest, slot) = match call.interpreter {
            Interpreter::Python => (&interpreter::PYTHON, &self.python),
            Interpreter::Ruby => (&interpreter::RUBY, &self.ruby),
            Interpreter::Resolver => (&interpreter::RESOLVER, &self.resolver),
        };
        slot.lock().unwrap_or_else(PoisonError::into_inner).ask(guest, call)
    }
}

impl Slot {
    fn ask(&mut self, guest: &'static Guest, call: &PluginCall) -> Result<String, ReadError> {
        if self.worker.as_ref().is_none_or(|worker| worker.modules != call.modules) {
            let version = Loads::of(&call.modules).python;
            let (_, found) = match &mut self.found {
                Some(found) if found.0 == version => found,
                other => {
                    let found = guest.find(version.as_deref())?;
                    other.insert((version, found))
                }
            };
            let mut worker = Worker::start(guest, found, &call.modules)?;
            if let Err(why) = worker.load() {
                // The module that was being loaded is named.
                return worker.loads.failed(&why, worker.at.as_ref()).ok_or_else(|| guest.failed(&why));
            }
            self.worker = Some(worker);
        }
        let Some(worker) = self.worker.as_mut() else { return Err(guest.failed("did not start")) };
        if call.request.is_empty() {
            return Ok(worker.described.clone());
        }
        let answer = worker.ask(&call.request, FOR_CALL).map_err(|why| match &worker.at {
            Some((file, line)) => guest.failed(&format!("{why}, at {file}:{line}")),
            None => guest.failed(&why),
        });
        if answer.is_err() {
            self.worker = None;
        }
        answer
    }
}
