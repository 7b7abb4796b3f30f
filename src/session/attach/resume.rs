//! Resumes an interrupted deploy: finds it, completes its record, and applies the rest.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use crate::deploy::{History, Holder, OnConflict, StateFolder, pending_after, recover};
use crate::engine::message::Event;
use crate::graph::{Graph, ResourceId};
use crate::session::attach::{Where, Work, cut_off_of_root};
use crate::session::history::{CutOff, Ready};
use crate::session::{ApplyError, Keeping, RunOptions, Session, Stepper, state_path};

/// Returns the interrupted deploy in this user's history, or through `sudo` in root's.
pub fn to_resume(keeping: &Keeping) -> Result<Option<CutOff>, ApplyError> {
    let place = Where { state: state_path(keeping.state.as_ref())?, is_state_named: keeping.state.is_some() };
    match keeping.is_for_root() {
        true => cut_off_of_root(place, keeping),
        false => Ok(place.cut_off()?),
    }
}

impl Session {
    /// Resumes an interrupted deploy: completes its record, then applies the graph with the pending refreshes.
    ///
    /// A finished resource is found unchanged by its check, so the result is as if there had been no interruption.
    pub fn resume(
        &self,
        graph: Arc<Graph>,
        deploy: u64,
        on_conflict: OnConflict,
        keeping: &Keeping,
        on_wait: &mut dyn FnMut(&Holder),
    ) -> Result<Ready<(Stepper, Receiver<Event>)>, ApplyError> {
        self.begin(graph, Work::Resume { deploy, on_conflict }, RunOptions::default(), keeping, on_wait)
    }
}

/// Completes the record of an interrupted deploy, so that it can be resumed, and gives the pending refreshes. Refused if
/// another run came first: the approved steps no longer apply then.
pub(in crate::session) fn recover_for_resume(
    state: &StateFolder,
    deploy: u64,
    on_conflict: OnConflict,
    graph: &Graph,
) -> Result<Ready<BTreeSet<ResourceId>>, ApplyError> {
    if History::new(state).read(deploy)?.end.is_some() {
        return Err(ApplyError::AlreadyEnded(deploy));
    }
    let recovered = recover(state, deploy, on_conflict)?;
    if !recovered.is_closed {
        return Ok(Ready::Conflict(recovered.found));
    }
    let mut chain = History::new(state).read_chain(deploy)?;
    chain.reverse();
    Ok(Ready::Yes(pending_after(graph, &chain)))
}
