//! Applies with a history: takes the lock, checks for an interrupted deploy, and records everything.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::deploy::{Holder, StateFolder, graph_hash};
use crate::engine::message::Event;
use crate::graph::Graph;
use crate::host::journal::{Begin, Module, Purpose};
use crate::host::own_program;
use crate::module::ModuleState;
use crate::plan::SetValues;
use crate::resource::reversal;
use crate::session::attach::{self, ApplierRequest, Order, Work};
use crate::session::history::Ready;
use crate::session::keeping::who;
use crate::session::{ApplyError, Keeping, Mode, RunOptions, Session, Stepper, state_path};

impl Session {
    /// Starts a recorded run on this machine. `on_wait` receives the holder of the lock during a wait.
    ///
    /// Fails if another applier is running, or if the newest deploy was interrupted, because it may have a
    /// half-finished change.
    pub fn apply(
        &self,
        graph: Arc<Graph>,
        options: RunOptions,
        keeping: &Keeping,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<(Stepper, Receiver<Event>), ApplyError> {
        self.check_hosts(&graph, Mode::Live)?;
        let denied = self.denials(&graph, options.only.as_ref());
        if !denied.is_empty() {
            return Err(ApplyError::Denied(denied));
        }
        match self.begin(graph, Work::Apply, options, keeping, on_wait)? {
            Ready::Yes(started) => Ok(started),
            Ready::Conflict(_) => unreachable!("only what was cut off can be in conflict"),
        }
    }

    /// Starts a recorded run, in this process or a separate one.
    pub(in crate::session) fn begin(
        &self,
        graph: Arc<Graph>,
        work: Work,
        options: RunOptions,
        keeping: &Keeping,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<Ready<(Stepper, Receiver<Event>)>, ApplyError> {
        let state = state_path(keeping.state.as_ref())?;
        let ours = if keeping.is_for_root() { state_path(None)? } else { state.clone() };
        let trusted = self.check_trust(&graph, &StateFolder::at(&ours))?;
        // The other options are for `apply_kept`.
        let jobs = self.jobs(&options);
        let RunOptions { only, approved, plan, .. } = options;
        let engine = self.engine_options();
        let order = Order {
            begin: Begin { plan, ..self.beginning(&graph, Purpose::Apply) },
            graph,
            work,
            state,
            trusted,
            is_state_named: keeping.state.is_some(),
            patience: keeping.patience,
            only,
            jobs,
            approved: approved.map(|frozen| frozen.expected()),
            hostname: engine.hostname,
            deploys_kept: self.options().config.deploys_kept(),
            kept: engine.state,
            reversals: engine.reversals,
            seal: engine.seal,
        };
        let run = |started: attach::Started| (started.stepper, started.events);
        if keeping.is_for_root() {
            if let Some(id) = reversal::first_in(&order.graph) {
                let why =
                    "the data to reverse it would be in root's history, which later runs of this user cannot read";
                return Err(ApplyError::Sudo(format!("{id} sets `reverse`: {why}")));
            }
            return match order.crosses_whole() {
                true => {
                    let asked = ApplierRequest::Run(Box::new(order));
                    Ok(attach::start_as_root(&asked, keeping, on_wait)?.map(run))
                }
                false => {
                    Err(ApplyError::Sudo("the graph contains values that cannot be passed to the apply process".into()))
                }
            };
        }
        match own_program().filter(|_| keeping.apart && order.crosses_whole()) {
            Some(program) => {
                let asked = ApplierRequest::Run(Box::new(order));
                Ok(attach::start(&program, &asked, &keeping.cancel, on_wait)?.map(run))
            }
            None => Ok(order.begin(&keeping.cancel, on_wait)?.map(|begun| (begun.stepper, begun.events))),
        }
    }

    /// Returns the start entry of a deploy.
    pub(in crate::session) fn beginning(&self, graph: &Graph, purpose: Purpose) -> Begin {
        let as_host = graph.hosts().other().map(|other| other.to_string());
        let (modules, graph) = std::thread::scope(|scope| {
            let graph = scope.spawn(|| graph_hash(graph));
            (self.modules().modules, graph.join().expect("hashing a graph cannot fail"))
        });
        let modules = modules.into_iter().filter(|module| module.state != ModuleState::Unused);
        let compiled_for = self.compiled_for();
        Begin {
            entry: self.place(),
            language: self.entry().language.as_str().into(),
            modules: modules
                .map(|module| Module {
                    path: if module.path.as_os_str().is_empty() {
                        ".".into()
                    } else {
                        module.path.display().to_string()
                    },
                    commit: module.revision,
                    edited: module.state == ModuleState::Edited,
                })
                .collect(),
            graph,
            as_host,
            set_values: SetValues::of(&compiled_for),
            compiled_for: Some(Box::new(compiled_for)),
            purpose,
            ..who()
        }
    }
}
