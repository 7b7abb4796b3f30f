//! The state that lasts between the applies of one run: the lock, the servers, the held values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use crate::deploy::{History, Lock, Recording, Repeats, StateFolder, make_room, pending_refreshes};
use crate::engine::message::Event;
use crate::graph::{Graph, Resource, ResourceId, Secrets};
use crate::host::journal::Purpose;
use crate::host::{LiveWeb, Web};
use crate::lang::Answer;
use crate::session::keeping::{enter, pass_over};
use crate::session::{ApplyError, Holder, Keeping, RunOptions, Session, Stepper};
use crate::world::{Read, ReadError, Sample};

/// Keeps the lock, and keeps servers open, until this is dropped.
pub struct Keeper {
    state: StateFolder,
    lock: Arc<Lock>,
    web: Arc<LiveWeb>,
    repeats: Arc<Repeats>,
    /// The values of `value` resources, as JSON by their names.
    held: BTreeMap<String, String>,
    /// Nothing was applied yet.
    is_first: AtomicBool,
}

impl Session {
    /// Takes the lock for the lifetime of the result. `on_wait` receives the holder of the lock during a wait.
    pub fn keep(&self, keeping: &Keeping, on_wait: &mut dyn FnMut(&Holder)) -> Result<Keeper, ApplyError> {
        let (state, lock) = enter(keeping, &format!("run {}", self.entry().shown), on_wait)?;
        let (web, repeats, held) = Default::default();
        Ok(Keeper { state, lock: Arc::new(lock), web, repeats, held, is_first: AtomicBool::new(true) })
    }

    /// Starts a recorded run on the kept machine, like [`Session::apply`].
    pub fn apply_kept(
        &self,
        graph: Arc<Graph>,
        options: RunOptions,
        keeper: &Keeper,
    ) -> Result<(Stepper, Receiver<Event>), ApplyError> {
        let state = &keeper.state;
        if let Some(deploy) = History::new(state).unfinished()? {
            pass_over(state, deploy)?;
        }
        self.check_trust(&graph, state)?;
        make_room(state, self.options().config.deploys_kept());
        let begin = self.beginning(&graph, Purpose::Apply);
        let mut options = self.with_choices(options);
        // Later, this run itself knows its pending refreshes.
        if keeper.is_first.swap(false, Ordering::Relaxed) {
            options.pending.extend(pending_refreshes(state, &graph, &begin).unwrap_or_default());
        }
        let (recording, host) = Recording::begin(state, Arc::clone(&keeper.lock), begin, Secrets::of(&graph))?;
        let recording = recording.of_total(graph.resources().count()).forgetting_idle(state, &keeper.repeats);
        let host = Box::new(host.with_web(Arc::clone(&keeper.web)));
        Ok(Stepper::start(graph, host, options, Some(recording)))
    }
}

impl Keeper {
    /// Closes servers and forgets values of resources that were removed. Returns the changed answers of `value.get`.
    pub fn keep_only(&mut self, graph: &Graph) -> Vec<(Read, Answer)> {
        self.web.keep_only(&|id| graph.find(id).is_some());
        let described: BTreeSet<&str> = values(graph).map(|(_, name, _)| name).collect();
        let gone = self.held.extract_if(.., |name, _| !described.contains(name.as_str()));
        gone.map(|(name, _)| (Read::Held(name.clone()), answer(&name, None))).collect()
    }

    /// Whether a server received a value that a resource now sends.
    pub fn has_received(&self) -> bool {
        self.web.wait(Duration::ZERO)
    }

    /// Returns the resources that now send another value.
    pub fn received(&self) -> BTreeSet<ResourceId> {
        self.web.received().into_iter().map(|(id, _)| id).collect()
    }

    /// Stores the final values of `value` resources. Returns the changed answers of `value.get`.
    pub fn hold(&mut self, ended: &Graph, is_done: impl Fn(&ResourceId) -> bool) -> Vec<(Read, Answer)> {
        let mut changes = Vec::new();
        for (_, name, json) in values(ended).filter(|(id, ..)| is_done(id)) {
            if self.held.get(name) != json.as_ref() {
                changes.push((Read::Held(name.to_owned()), answer(name, json.as_ref())));
                match json {
                    Some(json) => drop(self.held.insert(name.to_owned(), json)),
                    None => drop(self.held.remove(name)),
                }
            }
        }
        changes
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // If this fails, the stored count is too small.
        let _ = self.repeats.write_count(&self.state);
    }
}

fn answer(name: &str, json: Option<&String>) -> Answer {
    json.map(|json| Sample::Text(json.clone())).ok_or_else(|| ReadError::Unknown(format!("value {name}")))
}

/// Returns the `value` resources of a graph, each with its value. A secret is never passed to the program.
fn values(graph: &Graph) -> impl Iterator<Item = (&ResourceId, &str, Option<String>)> {
    let wanted = |resource: &Resource| resource.wanted().is_some_and(|wanted| &*wanted.kind == "value");
    graph.resources().map(|(_, resource)| resource).filter(move |resource| wanted(resource)).map(|resource| {
        let of = resource.meant();
        let any = of.params.get("any").filter(|any| !any.holds_secret());
        (&resource.id, &*of.name, any.map(|any| any.to_json().to_string()))
    })
}
