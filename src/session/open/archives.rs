//! Package archives for previews: which are missing, and fetching them into the state folder.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::deploy::{StateError, StateFolder};
use crate::engine::{self, message::Event};
use crate::graph::{Graph, ResourceId};
use crate::host::{Archive, FetchedArchives, LocalLook, Look, Within, fetch_archives};
use crate::plan::Plan;
use crate::session::{Session, state_path};
use crate::world::{Cancel, Read, Sample};

impl Session {
    /// Returns this machine, with the archives that were fetched for previews.
    pub(in crate::session) fn look(&self, run_guards: bool) -> LocalLook {
        let look = LocalLook::new(run_guards);
        match self.archives_folder() {
            Some(folder) => look.with_archives(folder),
            None => look,
        }
    }

    fn archives_folder(&self) -> Option<PathBuf> {
        match self.world.read(&Read::StateFolder) {
            Ok(Sample::Path(state)) => Some(StateFolder::at(&state).archives()),
            _ => None,
        }
    }

    /// Returns a dry run, and the archives that are missing to know the contents of packages. Fetches nothing.
    pub fn preview_and_missing(
        &self,
        graph: &Arc<Graph>,
        cancel: &Cancel,
        progress: &mut dyn FnMut(&Event),
    ) -> (Plan, Vec<Archive>) {
        let look = Arc::new(self.look(self.options.run_guards));
        let options =
            engine::Options { stop: cancel.clone(), pending: self.pending_refreshes(graph), ..self.engine_options() };
        let seen = Arc::clone(&look);
        let entry = &self.entry.shown;
        let mut plan = engine::preview(Arc::clone(graph), seen, entry, options, &mut |event| progress(&event));
        plan.violations = self.violations(graph, &plan.steps);
        (plan, look.missing_archives())
    }

    /// Updates a plan for some resources and all their dependents: see [`engine::look_again`].
    pub fn look_again(
        &self,
        graph: &Arc<Graph>,
        plan: &Plan,
        wanted: &BTreeSet<ResourceId>,
        cancel: &Cancel,
        progress: &mut dyn FnMut(&Event),
    ) -> (Plan, BTreeSet<ResourceId>) {
        let look: Arc<dyn Look> = Arc::new(self.look(self.options.run_guards));
        let options =
            engine::Options { stop: cancel.clone(), pending: self.pending_refreshes(graph), ..self.engine_options() };
        let (mut plan, seen) = engine::look_again(graph, &look, plan, wanted, &options, &mut |event| progress(&event));
        plan.violations = self.violations(graph, &plan.steps);
        (plan, seen)
    }

    /// Fetches archives into the state folder, where previews find them. Writes nothing else.
    ///
    /// The machine's package manager fetches from its sources and verifies the archives. A graph must be prepared again
    /// afterwards, because the contents of packages affect its order.
    pub fn fetch_archives(&self, archives: &[Archive], within: &Within) -> Result<FetchedArchives, StateError> {
        let state = StateFolder::at(&state_path(self.options.state.as_ref())?);
        Ok(fetch_archives(&state.make_archives()?, archives, within)?)
    }
}
