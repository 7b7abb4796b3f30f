//! An applier's order, and how it begins.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::deploy::{
    History, Holder, Lock, OnConflict, Recording, StateFolder, make_room, pending_refreshes, store_numbers,
};
use crate::engine::{self, message::Event};
use crate::graph::{Graph, ResourceId, Secrets};
use crate::host::journal::{Begin, Purpose};
use crate::plan::{SealKey, Step};
use crate::session::attach::resume::recover_for_resume;
use crate::session::attach::undo::{Planned, Prepared, UndoRequest};
use crate::session::history::{self, CutOff, Ready};
use crate::session::keeping::{enter, pass_over, who};
use crate::session::modules::trusted::Trusted;
use crate::session::{ApplyError, Cancel, Keeping, StateError, Stepper, state_path};

/// A graph to apply, with all settings.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::session) struct Order {
    pub graph: Arc<Graph>,
    /// The start entry of the history. User, time and purpose are added at the start.
    pub begin: Begin,
    pub work: Work,
    /// The folder of the history.
    pub state: PathBuf,
    /// The approved fetched modules.
    pub trusted: Trusted,
    /// Whether the user named that folder.
    pub is_state_named: bool,
    /// How long to wait for another applier.
    pub patience: Duration,
    /// Skips all other resources.
    pub only: Option<BTreeSet<ResourceId>>,
    pub jobs: usize,
    /// The approved steps.
    pub approved: Option<BTreeMap<ResourceId, Step>>,
    /// The key of the seals in those steps. It stays between a face and its applier.
    pub seal: Option<SealKey>,
    pub hostname: String,
    /// The number of deploys to keep in the history; by default all.
    pub deploys_kept: Option<usize>,
    /// The folder where kinds store data that outlives a run.
    pub kept: Option<PathBuf>,
    /// The folder of recorded reversals.
    pub reversals: Option<PathBuf>,
}

/// The possible orders.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::session) enum ApplierRequest {
    Run(Box<Order>),
    Undo(UndoOrder),
    /// Returns the interrupted deploy of a history. Begins nothing.
    CutOff(Where),
}

/// The place of a history.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::session) struct Where {
    pub state: PathBuf,
    pub is_state_named: bool,
}

impl Where {
    /// Returns the interrupted deploy of the history.
    pub fn cut_off(&self) -> Result<Option<CutOff>, StateError> {
        Ok(history::unfinished(Some(&self.state))?.map(|cut| CutOff::of(&cut)))
    }
}

/// A deploy to undo.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::session) struct UndoOrder {
    pub wanted: UndoRequest,
    pub state: PathBuf,
    pub is_state_named: bool,
    pub patience: Duration,
}

/// The kind of work.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::session) enum Work {
    Apply,
    /// Resumes an interrupted deploy.
    Resume {
        deploy: u64,
        on_conflict: OnConflict,
    },
}

/// A run that waits for its first request.
pub(in crate::session) struct Begun {
    pub stepper: Stepper,
    pub events: Receiver<Event>,
    /// The run holds it too.
    pub lock: Arc<Lock>,
    pub state: StateFolder,
}

impl ApplierRequest {
    /// Returns the same for root, with root's own history.
    pub fn for_root(self) -> Result<ApplierRequest, StateError> {
        Ok(match self {
            ApplierRequest::Run(order) => ApplierRequest::Run(Box::new(order.for_root()?)),
            ApplierRequest::Undo(order) => {
                let state = if order.is_state_named { order.state } else { state_path(None)? };
                ApplierRequest::Undo(UndoOrder { state, ..order })
            }
            ApplierRequest::CutOff(place) => {
                let state = if place.is_state_named { place.state } else { state_path(None)? };
                ApplierRequest::CutOff(Where { state, ..place })
            }
        })
    }
}

impl UndoOrder {
    /// Takes the lock, and plans the undo in this process.
    pub fn begin(
        self,
        cancel: &Cancel,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<Ready<(Planned, Begun)>, ApplyError> {
        let Self { wanted, state, is_state_named: _, patience } = self;
        let keeping = Keeping { state: Some(state), patience, cancel: cancel.clone(), ..Keeping::default() };
        let (state, lock) = enter(&keeping, "deploy undo", on_wait)?;
        let lock = Arc::new(lock);
        Ok(Prepared::new(&state, &lock, wanted, cancel)?.map(|undo| {
            let planned = undo.planned.clone();
            let (stepper, events) = Stepper::take_back(undo);
            (planned, Begun { stepper, events, lock, state })
        }))
    }
}

impl Order {
    /// Whether the graph survives the transfer to another process unchanged. A graph with values that JSON cannot
    /// express, or with too deep nesting, is applied by the process that compiled it.
    pub fn crosses_whole(&self) -> bool {
        if [Some(&self.state), self.kept.as_ref(), self.reversals.as_ref()]
            .into_iter()
            .flatten()
            .any(|path| path.to_str().is_none())
        {
            return false;
        }
        if serde_json::to_vec(&self.trusted).is_err() {
            return false;
        }
        let crossed = serde_json::to_vec(&self.graph).and_then(|text| serde_json::from_slice::<Graph>(&text));
        crossed.is_ok_and(|crossed| crossed == *self.graph)
    }

    /// Returns the same for root, with root's own history.
    pub fn for_root(self) -> Result<Order, StateError> {
        let state = if self.is_state_named { self.state } else { state_path(None)? };
        let program = self.reversals.as_deref().and_then(Path::file_name);
        let reversals = program.map(|program| state.join("reversals").join(program));
        Ok(Order { kept: Some(state.clone()), reversals, state, ..self })
    }

    /// Starts the run in this process: takes the lock, recovers an interrupted deploy, and records the start.
    pub fn begin(self, cancel: &Cancel, on_wait: &mut dyn FnMut(&Holder)) -> Result<Ready<Begun>, ApplyError> {
        let Order {
            trusted,
            is_state_named: _,
            graph,
            begin,
            work,
            state,
            patience,
            only,
            jobs,
            approved,
            seal,
            hostname,
            deploys_kept,
            kept,
            reversals,
        } = self;
        let doing = match work {
            Work::Apply => format!("apply {}", begin.entry),
            Work::Resume { deploy, .. } => format!("deploy resume {deploy}"),
        };
        let keeping = Keeping { state: Some(state), patience, cancel: cancel.clone(), ..Keeping::default() };
        let (state, lock) = enter(&keeping, &doing, on_wait)?;
        trusted.holds_still()?;
        store_numbers(kept.as_deref().unwrap_or(state.path()), graph.numbers())?;
        let (purpose, pending) = match work {
            Work::Apply => {
                if let Some(deploy) = History::new(&state).unfinished()? {
                    pass_over(&state, deploy)?;
                }
                // Assumes no pending refreshes if the history is unreadable.
                (Purpose::Apply, pending_refreshes(&state, &graph, &begin).unwrap_or_default())
            }
            Work::Resume { deploy, on_conflict } => match recover_for_resume(&state, deploy, on_conflict, &graph)? {
                Ready::Yes(pending) => (Purpose::Resume { deploy }, pending),
                Ready::Conflict(found) => return Ok(Ready::Conflict(found)),
            },
        };
        make_room(&state, deploys_kept);
        let lock = Arc::new(lock);
        let Begin { time, user, behind, .. } = who();
        let begin = Begin { time, user, behind, purpose, ..begin };
        let (recording, host) = Recording::begin(&state, Arc::clone(&lock), begin, Secrets::of(&graph))?;
        let recording = recording.of_total(graph.resources().count());
        let recording = recording.of_plan(approved.iter().flat_map(BTreeMap::values));
        let approved = approved.map(Arc::new);
        let options = engine::Options {
            only,
            jobs,
            approved,
            seal,
            hostname,
            pending,
            state: kept,
            reversals,
            ..engine::Options::default()
        };
        let (stepper, events) = Stepper::start(graph, Box::new(host), options, Some(recording));
        Ok(Ready::Yes(Begun { stepper, events, lock, state }))
    }
}
