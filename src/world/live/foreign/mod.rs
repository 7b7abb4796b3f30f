//! Foreign code of modules, run by the user's own interpreters: one contained worker per interpreter, for the last
//! program.
//!
//! A request and its answer are texts, so that a call is a read like any other. A worker that needs something of the
//! evaluation answers with a question; the evaluation sends the same request again with more in it. What Ruby asks of the
//! network is a read of its own: a fixed program that runs no module's code looks it up.

mod interpreter;
mod place;
mod worker;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use interpreter::{Guest, InstalledInterpreter};
use place::Loads;
use worker::{FOR_CALL, FOR_NAME, Worker};

use crate::world::look_up::is_look_up;
use crate::world::{Interpreter, PluginCall, ReadError};

/// Name servers that were late this often within [`REST`] are not asked again until then.
const SILENT: usize = 3;
const REST: Duration = Duration::from_secs(60);

/// Why a look-up has no answer.
const LATE: &str = "the name servers do not answer in time";
const NONE: &str = "the name servers give no answer now";

/// The answer of the resolver to a look-up that may succeed later.
const LATER: &str = r#"{"later":true}"#;

/// The interpreters, each with the worker of the last program.
#[derive(Debug, Default)]
pub struct Foreign {
    python: Mutex<Slot>,
    ruby: Mutex<Slot>,
    resolver: Mutex<Resolver>,
}

#[derive(Debug, Default)]
struct Slot {
    /// The interpreter, by the version that the program asked for.
    found: Option<(Option<String>, InstalledInterpreter)>,
    worker: Option<Worker>,
}

#[derive(Debug, Default)]
struct Resolver {
    slot: Slot,
    /// When look-ups had no answer in time.
    late: Vec<Instant>,
}

impl Foreign {
    /// Passes a request to a worker. The first one starts it, and a failed one ends it.
    pub fn ask(&self, call: &PluginCall) -> Result<String, ReadError> {
        let (guest, slot) = match call.interpreter {
            Interpreter::Python => (&interpreter::PYTHON, &self.python),
            Interpreter::Ruby => (&interpreter::RUBY, &self.ruby),
            Interpreter::Resolver => {
                return self.resolver.lock().unwrap_or_else(PoisonError::into_inner).look_up(&call.request);
            }
        };
        slot.lock().unwrap_or_else(PoisonError::into_inner).ask(guest, (&call.modules, &call.request))
    }
}

impl Slot {
    fn ask(&mut self, guest: &'static Guest, (modules, request): (&Arc<str>, &Arc<str>)) -> Result<String, ReadError> {
        if self.worker.as_ref().is_none_or(|worker| worker.modules != *modules || worker.is_outdated()) {
            let version = Loads::of(modules).python;
            let (_, found) = match &mut self.found {
                Some(found) if found.0 == version => found,
                other => {
                    let found = guest.find(version.as_deref())?;
                    other.insert((version, found))
                }
            };
            let mut worker = Worker::start(guest, found, modules)?;
            if let Err(why) = worker.load() {
                // The module that was being loaded is named.
                return worker.loads.failed(&why, worker.at.as_ref()).ok_or_else(|| guest.failed(&why));
            }
            self.worker = Some(worker);
        }
        let Some(worker) = self.worker.as_mut() else { return Err(guest.failed("did not start")) };
        if request.is_empty() {
            return Ok(worker.described.clone());
        }
        let patience = if guest.has_network { FOR_NAME } else { FOR_CALL };
        let answer = worker.ask(request, patience).map_err(|why| match &worker.at {
            Some((file, line)) => guest.failed(&format!("{why}, at {file}:{line}")),
            None => guest.failed(&why),
        });
        if answer.is_err() {
            self.worker = None;
        }
        answer
    }
}

impl Resolver {
    /// Looks up a name. One that has no answer in time ends the process that looked it up, which cannot be interrupted.
    fn look_up(&mut self, request: &Arc<str>) -> Result<String, ReadError> {
        let guest = &interpreter::RESOLVER;
        if !is_look_up(request) {
            return Err(guest.failed("this is not a look-up of a name"));
        }
        self.late.retain(|at| at.elapsed() < REST);
        if self.late.len() >= SILENT {
            return Err(guest.failed(LATE));
        }
        let begin = Instant::now();
        // The modules are of no use to it.
        let answer = self.slot.ask(guest, (&r#"{"load":[]}"#.into(), request));
        match answer {
            Ok(answer) if answer == LATER => Err(guest.failed(NONE)),
            Err(_) if self.slot.worker.is_none() && begin.elapsed() >= worker::LATE => {
                self.late.push(Instant::now());
                Err(guest.failed(LATE))
            }
            answer => answer,
        }
    }
}
