//! A run: it advances only by requests, one turn at a time, and reports everything as events.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Instant;

use rustc_hash::FxHashSet;

use crate::graph::order::order;
use crate::graph::{Graph, Node, NodeIndex, Resource, ResourceId, Value};
use crate::host::{Host, Progress};
use crate::plan::{Action, Change, CompiledFor, SealKey, Step};
use crate::resource::{Aliases, Footprint, Managed, file_path, installations};
use crate::world::Cancel;

use super::message::{Event, Pause, READY_SHOWN, Request, TurnState};
use super::state::{NodeState, States};
use super::turn::{Outcome, TurnInput, take};

/// The options of a run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only check and report differences. Change nothing.
    pub noop: bool,
    /// Skips all other resources.
    pub only: Option<BTreeSet<ResourceId>>,
    /// The folder where kinds store data that outlives a run.
    pub state: Option<PathBuf>,
    /// The folder of recorded reversals for resources that leave the program.
    pub reversals: Option<PathBuf>,
    /// No turn will be undone, so no undo data is kept.
    pub one_way: bool,
    /// This machine's host name.
    pub hostname: String,
    /// What the graph was compiled for. A plan holds it.
    pub compiled_for: CompiledFor,
    /// The approved steps. A turn that finds another state fails and changes nothing.
    pub approved: Option<Arc<BTreeMap<ResourceId, Step>>>,
    /// Seals the contents that steps overwrite, for saved plans and for comparisons with them.
    pub seal: Option<SealKey>,
    /// Pending refreshes of an interrupted run.
    pub pending: BTreeSet<ResourceId>,
    /// Steps that are known from an earlier look, and taken as they are.
    pub known: Arc<BTreeMap<ResourceId, Step>>,
    /// Resources known to be unchanged: checked only if they are notified or receive a new value.
    pub unchanged: Arc<BTreeSet<ResourceId>>,
    /// A failed turn is not retried here, regardless of `retry`. The caller retries it.
    pub one_try: bool,
    /// The number of concurrent turns in a live run; 0 for one per core.
    pub jobs: usize,
    /// Ends a `Continue` after the current turns. The caller also sends `Stop`, which resets this.
    pub stop: Cancel,
    /// Also ends the running commands.
    pub abort: Cancel,
}

/// The application of a graph to a host.
pub struct Run {
    pub(super) states: States,
    pub(super) host: Arc<dyn Host>,
    pub(super) options: Options,
    pub(super) managed: Arc<Managed>,
    pub(super) picked: Option<NodeIndex>,
    pub(super) breakpoints: FxHashSet<NodeIndex>,
    /// Resources to skip at their turn.
    left_out: FxHashSet<NodeIndex>,
    /// The finished turns, oldest first.
    past: Vec<Past>,
    finished: bool,
}

/// A turn, with the data to undo it.
struct Past {
    at: NodeIndex,
    saved: Vec<(NodeIndex, NodeState)>,
    /// The number of turns that the host had opened before.
    host_turns: usize,
}

/// How a turn ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Well,
    Failed,
}

impl Run {
    /// Makes a run that has taken no turn yet.
    pub fn new(graph: Arc<Graph>, host: Box<dyn Host>, options: Options) -> Self {
        Self::on(graph, host.into(), options)
    }

    /// The same on a machine that other runs use before or after.
    pub fn on(graph: Arc<Graph>, host: Arc<dyn Host>, options: Options) -> Self {
        let managed = Arc::new(managed_paths(&graph, &*host));
        if host.is_dry() {
            host.expect(installations(&graph));
        }
        let mut states = States::new(graph);
        states.mark_pending(&options.pending);
        Self {
            states,
            host,
            options,
            managed,
            picked: None,
            breakpoints: FxHashSet::default(),
            left_out: FxHashSet::default(),
            past: Vec::new(),
            finished: false,
        }
    }

    /// Reports the state of the run before the first request.
    pub fn start(&mut self, emit: &mut dyn FnMut(Event)) {
        self.pause(Pause::Start, emit);
    }

    /// Performs a request, and reports the events.
    pub fn handle(&mut self, request: Request, emit: &mut dyn FnMut(Event)) {
        match request {
            Request::Step => self.step(emit),
            Request::Continue { until } => self.run_until(until.as_ref(), emit),
            Request::Over { around } => self.over(&around, emit),
            Request::Finish => self.run_to_end(emit),
            Request::Skip => self.skip(emit),
            Request::Retry { resource } => self.retry(&resource, emit),
            Request::Amend { resource, graph } => self.amend(*resource, graph, emit),
            Request::Pick { resource } => self.pick(&resource, emit),
            Request::Back => self.back(emit),
            Request::Break { resource, on } => self.set_breakpoint(&resource, on),
            Request::LeaveOut { resource, on } => self.set_left_out(&resource, on),
            Request::Stop => self.options.stop.reset(),
            Request::Quit => {}
        }
    }

    /// Returns the next resource; `None` at the end.
    pub fn next(&self) -> Option<&ResourceId> {
        self.next_node().map(|at| self.states.graph().node(at).id())
    }

    /// Returns the ready resources, the next one first.
    pub fn ready(&self) -> impl Iterator<Item = &ResourceId> {
        let next = self.next_node();
        let others = self.states.ready().filter(move |at| Some(*at) != next);
        next.into_iter().chain(others).map(|at| self.states.graph().node(at).id())
    }

    /// Returns the state of each resource, in order of declaration.
    pub fn states(&self) -> impl Iterator<Item = (&ResourceId, &TurnState)> {
        self.states.resources().map(|(at, resource)| (&resource.id, &self.states.get(at).state))
    }

    /// Returns the steps of all turns in the order of the run, with the steps that were not reached.
    pub fn steps(&self) -> Vec<Step> {
        let steps = self.order().into_iter().zip(1..);
        steps.map(|(at, index)| Step { index, ..self.step_of(at) }).collect()
    }

    /// The same at the end of a run.
    pub fn into_steps(mut self) -> Vec<Step> {
        let steps = self.order().into_iter().zip(1..);
        let taken = steps.map(|(at, index)| match self.states.take_step(at) {
            Some(step) => Step { index, ..Arc::unwrap_or_clone(step) },
            None => Step { index, ..self.step_of(at) },
        });
        taken.collect()
    }

    /// Returns the nodes in turn order. Nodes without a turn keep their place, or follow if the user picked a node.
    fn order(&self) -> Vec<NodeIndex> {
        let mut seen = FxHashSet::default();
        let mut taken: Vec<NodeIndex> =
            self.past.iter().rev().map(|past| past.at).filter(|at| seen.insert(*at)).collect();
        taken.reverse();
        let takes_turn = |at: &NodeIndex| self.states.resource(*at).is_some();
        let ordered: Vec<NodeIndex> = order(self.states.graph()).order.into_iter().filter(takes_turn).collect();
        let is_in_order = ordered.iter().filter(|at| seen.contains(*at)).eq(&taken);
        let mut all = if is_in_order { ordered } else { taken };
        let placed: FxHashSet<NodeIndex> = all.iter().copied().collect();
        all.extend(self.states.resources().map(|(at, _)| at).filter(|at| !placed.contains(at)));
        all
    }

    /// Returns the step of a node's turn, or its state if it had none.
    fn step_of(&self, at: NodeIndex) -> Step {
        if let Some(step) = &self.states.get(at).step {
            return Step::clone(step);
        }
        let blocked_by = match &self.states.get(at).state {
            TurnState::Blocked { by } => Some(by.clone()),
            _ => None,
        };
        let note = blocked_by.as_ref().map_or_else(|| "was not run".to_owned(), |by| format!("is blocked by {by}"));
        Step { blocked_by, ..self.describe(at, &Outcome::unreached(note)) }
    }

    /// Returns the graph with the received values.
    pub fn result(&self) -> Graph {
        let mut graph = self.states.graph().clone();
        for at in (0..graph.len() as u32).map(NodeIndex) {
            let received = &self.states.get(at).received;
            if let (Node::Resource(resource), false) = (graph.node_mut(at), received.is_empty()) {
                for (name, value) in received {
                    resource.set(Arc::clone(name), value.clone());
                }
            }
        }
        graph
    }

    pub(super) fn next_node(&self) -> Option<NodeIndex> {
        self.picked.filter(|at| self.states.is_ready(*at)).or_else(|| self.states.ready().next())
    }

    fn find(&self, id: &ResourceId) -> Option<NodeIndex> {
        self.states.graph().find(id)
    }

    fn pause(&mut self, why: Pause, emit: &mut dyn FnMut(Event)) {
        self.predict_next(&why, emit);
        let ready: Vec<ResourceId> = self.ready().take(READY_SHOWN).cloned().collect();
        if !ready.is_empty() {
            emit(Event::Paused { next: ready.first().cloned(), ready, why });
            return;
        }
        emit(Event::Paused { next: None, ready, why: if why == Pause::Failure { why } else { Pause::End } });
        if !std::mem::replace(&mut self.finished, true) {
            emit(self.finish());
        }
    }

    fn finish(&self) -> Event {
        let (mut done, mut changed, mut failed, mut skipped, mut blocked) = (0, 0, 0, 0, 0);
        for (at, _) in self.states.resources() {
            let node = self.states.get(at);
            match node.state {
                TurnState::Done => {
                    done += 1;
                    changed += u32::from(node.applied);
                }
                TurnState::Failed { .. } => failed += 1,
                TurnState::Skipped => skipped += 1,
                TurnState::Blocked { .. } | TurnState::Waiting | TurnState::Running => blocked += 1,
            }
        }
        Event::Finished { done, changed, failed, skipped, blocked }
    }

    fn step(&mut self, emit: &mut dyn FnMut(Event)) {
        let why = match self.turn(emit) {
            None => Pause::End,
            Some(Ended::Well) => Pause::Stepped,
            Some(Ended::Failed) => Pause::Failure,
        };
        self.pause(why, emit);
    }

    /// Returns how many turns may run concurrently. A prediction runs one at a time, so that the order is always the
    /// same.
    fn jobs(&self) -> usize {
        match self.options.jobs {
            _ if self.host.is_dry() => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            jobs => jobs,
        }
    }

    /// Runs turns until something requires a pause. The first turn always runs, so that the run can leave a breakpoint,
    /// unless `until` is already the next resource.
    fn run_until(&mut self, until: Option<&ResourceId>, emit: &mut dyn FnMut(Event)) {
        let until = until.and_then(|id| self.find(id));
        if until.is_some() && until == self.next_node() {
            return self.pause(Pause::Cursor, emit);
        }
        let jobs = self.jobs();
        let why = if jobs > 1 { self.side_by_side(jobs, Some(until), emit) } else { self.one_by_one(until, emit) };
        self.pause(why, emit);
    }

    fn one_by_one(&mut self, until: Option<NodeIndex>, emit: &mut dyn FnMut(Event)) -> Pause {
        loop {
            match self.turn(emit) {
                None => return Pause::End,
                Some(Ended::Failed) => return Pause::Failure,
                Some(Ended::Well) => {}
            }
            match self.next_node() {
                None => return Pause::End,
                next if next == until => return Pause::Cursor,
                Some(next) if self.breakpoints.contains(&next) => return Pause::Breakpoint,
                _ if self.options.stop.is_cancelled() => return Pause::Stopped,
                _ => {}
            }
        }
    }

    /// Runs turns one by one until the next resource is outside the container.
    fn over(&mut self, around: &[Arc<str>], emit: &mut dyn FnMut(Event)) {
        let why = loop {
            match self.turn(emit) {
                None => break Pause::End,
                Some(Ended::Failed) => break Pause::Failure,
                Some(Ended::Well) => {}
            }
            let Some(next) = self.next_node() else { break Pause::End };
            let is_inside = self.states.resource(next).is_some_and(|resource| resource.container.starts_with(around));
            match () {
                () if self.breakpoints.contains(&next) => break Pause::Breakpoint,
                () if !is_inside => break Pause::Stepped,
                () if self.options.stop.is_cancelled() => break Pause::Stopped,
                () => {}
            }
        };
        self.pause(why, emit);
    }

    /// Runs turns until the end, past every failure.
    pub fn run_to_end(&mut self, emit: &mut dyn FnMut(Event)) {
        let jobs = self.jobs();
        // Even with one core, many turns may wait for the disk at once.
        if jobs > 1 || self.options.jobs == 0 && !self.host.is_dry() {
            self.side_by_side(jobs, None, emit);
        } else {
            while !self.options.stop.is_cancelled() && self.turn(emit).is_some() {}
        }
        let why = if self.next_node().is_some() { Pause::Stopped } else { Pause::End };
        self.pause(why, emit);
    }

    /// Takes the next turn; `None` at the end.
    fn turn(&mut self, emit: &mut dyn FnMut(Event)) -> Option<Ended> {
        let at = self.next_node()?;
        if self.is_left_out(at) {
            self.leave_out(at, emit);
            return Some(Ended::Well);
        }
        if let Some(step) = self.options.known.get(self.states.graph().node(at).id()) {
            let outcome = Outcome::known(step);
            return Some(self.turned(at, &outcome, Instant::now(), self.host.turns(), &mut |_| ()));
        }
        self.report_begun(at, emit);
        let (begun, host_turns) = (Instant::now(), self.host.turns());
        let outcome = if self.host.is_dry() {
            take(&*self.host, &self.given(at, self.options.noop))
        } else {
            self.take_aloud(at, emit)
        };
        Some(self.turned(at, &outcome, begun, host_turns, emit))
    }

    /// Takes a turn, and passes on its progress messages.
    fn take_aloud(&self, at: NodeIndex, emit: &mut dyn FnMut(Event)) -> Outcome {
        let (sender, lines) = channel::<String>();
        let (host, given) = (&*self.host, self.given(at, self.options.noop));
        std::thread::scope(|scope| {
            let taken = scope.spawn(move || {
                let progress: Progress = Arc::new(move |line: &str| drop(sender.send(line.to_owned())));
                take(host, &TurnInput { progress: Some(&progress), ..given })
            });
            for line in lines {
                emit(Event::Output { resource: given.resource.id.clone(), line });
            }
            taken.join().expect("a try catches its panics")
        })
    }

    pub(super) fn is_left_out(&self, at: NodeIndex) -> bool {
        let id = self.states.graph().node(at).id();
        self.left_out.contains(&at) || self.options.only.as_ref().is_some_and(|only| !only.contains(id))
    }

    pub(super) fn report_begun(&self, at: NodeIndex, emit: &mut dyn FnMut(Event)) {
        let resource = self.states.graph().node(at).id().clone();
        emit(Event::Turn { resource, state: TurnState::Running, step: None, elapsed_ms: 0 });
    }

    /// Records and reports how a turn ended.
    pub(super) fn turned(
        &mut self,
        at: NodeIndex,
        outcome: &Outcome,
        begun: Instant,
        host_turns: usize,
        emit: &mut dyn FnMut(Event),
    ) -> Ended {
        let step = Arc::new(self.describe(at, outcome));
        for line in &outcome.lines {
            emit(Event::Output { resource: step.resource.clone(), line: line.clone() });
        }
        let blocked = match &outcome.error {
            _ if outcome.is_left => {
                let is_right = outcome.error.is_none() && outcome.action == Action::None;
                self.states.skipped(at, is_right, outcome, Arc::clone(&step))
            }
            None => {
                self.states.done(at, outcome, Arc::clone(&step));
                Vec::new()
            }
            Some(error) => self.states.failed(at, error.clone(), outcome.changed, Arc::clone(&step)),
        };
        self.remember(at, host_turns);
        self.report(at, Some(&step), begun, emit);
        self.report_blocked(&blocked, emit);
        self.send_received();
        if outcome.error.is_some() && !outcome.is_left { Ended::Failed } else { Ended::Well }
    }

    /// Sends the values that servers received to their receivers, when all turns are finished.
    fn send_received(&mut self) {
        if self.next_node().is_some() {
            return;
        }
        let lines = self.host.web().map(|web| web.received()).unwrap_or_default();
        for (id, sends) in lines {
            if let Some(at) = self.find(&id) {
                self.states.resend(at, &sends);
            }
        }
    }

    /// Returns the inputs of a turn. They borrow nothing that other turns change.
    pub(super) fn given(&self, at: NodeIndex, only_look: bool) -> TurnInput<'_> {
        let (node, graph) = (self.states.get(at), self.states.graph());
        TurnInput {
            resource: self.states.resource(at).expect("only resources that take turns become ready"),
            received: &node.received,
            guessed: node.guessed,
            refresh: node.refresh,
            shadow: node.shadow.map(|shadow| graph.node(shadow).id()),
            managed: &self.managed,
            state: self.options.state.as_deref(),
            hostname: &self.options.hostname,
            is_received: self.states.links().leaving(graph, at).any(|edge| edge.send.is_some()),
            is_unchanged: self.options.unchanged.contains(graph.node(at).id()),
            one_try: self.options.one_try,
            reversals: self.options.reversals.as_deref(),
            only_look,
            seal: self.options.seal.as_ref(),
            approved: self.options.approved.as_ref().and_then(|steps| steps.get(graph.node(at).id())),
            stop: &self.options.stop,
            abort: &self.options.abort,
            progress: None,
        }
    }

    fn remember(&mut self, at: NodeIndex, host_turns: usize) {
        self.picked = None;
        self.finished = false;
        let saved = if self.options.one_way { self.states.forget_saved() } else { self.states.take_saved() };
        self.past.push(Past { at, saved, host_turns });
    }

    pub(super) fn report(&self, at: NodeIndex, step: Option<&Step>, begun: Instant, emit: &mut dyn FnMut(Event)) {
        let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let resource = self.states.graph().node(at).id().clone();
        emit(Event::Turn { resource, state: self.states.get(at).state.clone(), step: step.cloned(), elapsed_ms });
    }

    fn report_blocked(&self, blocked: &[NodeIndex], emit: &mut dyn FnMut(Event)) {
        for at in blocked {
            self.report(*at, None, Instant::now(), emit);
        }
    }

    fn skip(&mut self, emit: &mut dyn FnMut(Event)) {
        if let Some(at) = self.next_node() {
            self.leave_out(at, emit);
        }
        self.pause(Pause::Stepped, emit);
    }

    /// Only checks the resource. Its dependents continue if it is unchanged, and are blocked otherwise.
    fn leave_out(&mut self, at: NodeIndex, emit: &mut dyn FnMut(Event)) {
        let (begun, host_turns) = (Instant::now(), self.host.turns());
        let outcome = take(&*self.host, &self.given(at, true));
        self.left_out(at, &outcome, begun, host_turns, emit);
    }

    pub(super) fn left_out(
        &mut self,
        at: NodeIndex,
        outcome: &Outcome,
        begun: Instant,
        host_turns: usize,
        emit: &mut dyn FnMut(Event),
    ) {
        let step = Arc::new(self.describe(at, outcome));
        let is_right = outcome.error.is_none() && outcome.action == Action::None;
        let blocked = self.states.skipped(at, is_right, outcome, Arc::clone(&step));
        self.remember(at, host_turns);
        self.report(at, Some(&step), begun, emit);
        self.report_blocked(&blocked, emit);
    }

    fn retry(&mut self, id: &ResourceId, emit: &mut dyn FnMut(Event)) {
        if let Some(at) = self.find(id)
            && self.states.again(at)
        {
            let saved = self.states.take_saved();
            let touched: BTreeSet<NodeIndex> = saved.iter().map(|(at, _)| *at).collect();
            // Undoing the newest turn also undoes this retry, in the right order.
            if let Some(past) = self.past.last_mut() {
                past.saved.extend(saved);
            }
            self.picked = Some(at);
            self.finished = false;
            let begun = Instant::now();
            let checked = self.look_again(at);
            for node in touched.into_iter().filter(|node| self.states.resource(*node).is_some()) {
                self.report(node, checked.as_ref().filter(|_| node == at), begun, emit);
            }
        }
        self.pause(Pause::Stepped, emit);
    }

    /// Replaces the parameters of a failed resource, whose next try uses them. Not on an overlay, where turns may be
    /// undone to an earlier state, and not if the resource's identity would change.
    fn amend(&mut self, resource: Resource, graph: String, emit: &mut dyn FnMut(Event)) {
        let has_failed = |at: &NodeIndex| matches!(self.states.get(*at).state, TurnState::Failed { .. });
        let at = self.find(&resource.id).filter(|at| !self.host.is_dry() && has_failed(at));
        let Some((at, changes)) = at.and_then(|at| Some((at, amendment(self.states.resource(at)?, &resource)?))) else {
            return self.pause(Pause::Failure, emit);
        };
        let id = resource.id.clone();
        self.states.amend(at, resource.clone());
        self.managed = Arc::new(managed_paths(self.states.graph(), &*self.host));
        emit(Event::Amended { resource: Box::new(resource), changes, graph });
        self.retry(&id, emit);
    }

    /// Checks a resource again before a retry in a live run. The next try compares with this result instead of the
    /// plan. The user sees it before they step.
    fn look_again(&mut self, at: NodeIndex) -> Option<Step> {
        self.options.approved.as_ref()?;
        let outcome = take(&*self.host, &TurnInput { approved: None, ..self.given(at, true) });
        let is_well = outcome.error.is_none();
        let step = self.would_do(at, outcome);
        if let Some(approved) = self.options.approved.as_mut().filter(|_| is_well) {
            Arc::make_mut(approved).insert(step.resource.clone(), step.clone());
        }
        Some(step)
    }

    fn pick(&mut self, id: &ResourceId, emit: &mut dyn FnMut(Event)) {
        self.picked = self.find(id).filter(|at| self.states.is_ready(*at)).or(self.picked);
        self.pause(Pause::Stepped, emit);
    }

    /// Undoes the last turn: exactly on an overlay, not at all on a host that cannot.
    fn back(&mut self, emit: &mut dyn FnMut(Event)) {
        let can_undo = !self.options.one_way;
        let Some(past) = self.past.pop_if(|past| can_undo && self.host.back_to(past.host_turns)) else {
            return self.pause(Pause::Stepped, emit);
        };
        let touched: BTreeMap<NodeIndex, ()> = past.saved.iter().map(|(at, _)| (*at, ())).collect();
        self.states.restore(past.saved);
        self.picked = Some(past.at);
        self.finished = false;
        for at in touched.into_keys().filter(|at| self.states.resource(*at).is_some()) {
            self.report(at, None, Instant::now(), emit);
        }
        self.pause(Pause::SteppedBack, emit);
    }

    fn set_breakpoint(&mut self, id: &ResourceId, on: bool) {
        if let Some(at) = self.find(id) {
            if on {
                self.breakpoints.insert(at)
            } else {
                self.breakpoints.remove(&at)
            };
        }
    }

    fn set_left_out(&mut self, id: &ResourceId, on: bool) {
        if let Some(at) = self.find(id) {
            if on {
                self.left_out.insert(at)
            } else {
                self.left_out.remove(&at)
            };
        }
    }

    pub(super) fn describe(&self, at: NodeIndex, outcome: &Outcome) -> Step {
        let graph = self.states.graph();
        let links = self.states.links();
        let ids = |nodes: &mut dyn Iterator<Item = NodeIndex>| {
            let nodes: BTreeSet<NodeIndex> = nodes.collect();
            nodes.into_iter().map(|node| graph.node(node).id().clone()).collect()
        };
        Step {
            index: self.past.len() as u32 + 1,
            resource: graph.node(at).id().clone(),
            target: graph.resource(at).and_then(|resource| resource.target.clone()),
            action: outcome.action,
            refresh: self.states.get(at).refresh,
            certainty: outcome.certainty,
            changes: outcome.changes.clone(),
            because: ids(&mut links.entering(graph, at).map(|edge| edge.from)),
            notifies: ids(&mut links.leaving(graph, at).filter(|edge| edge.notify).map(|edge| edge.to)),
            reversible: outcome.reversible,
            source: graph.resource(at).and_then(|resource| resource.source.clone()),
            note: outcome.note.clone(),
            is_noop: outcome.is_noop,
            binds_what_is: outcome.binds_what_is,
            seal: outcome.seal.clone(),
            error: outcome.error.clone(),
            blocked_by: None,
        }
    }
}

/// Returns the changed parameters of a resource that is edited during a run. `None` if nothing changed, or if more than
/// the parameters changed.
pub fn amendment(before: &Resource, now: &Resource) -> Option<Vec<Change>> {
    let kind = |resource: &Resource| resource.wanted().map(|wanted| Arc::clone(&wanted.kind));
    let is_in_place = before.id == now.id
        && before.shown().kind == now.shown().kind
        && before.shown().name == now.shown().name
        && before.container == now.container
        && kind(before) == kind(now)
        && before.meta == now.meta
        && before.target == now.target
        && before.is_virtual == now.is_virtual
        && before.exported == now.exported;
    let (had, wants) = (&before.meant().params, &now.meant().params);
    let names: BTreeSet<&Arc<str>> = had.iter().chain(wants.iter()).map(|(name, _)| name).collect();
    let change = |name: &Arc<str>| {
        let (from, to) = (had.get(name).cloned(), wants.get(name).cloned());
        let sensitive = [&from, &to].into_iter().flatten().any(Value::holds_secret);
        (from != to).then(|| Change { property: name.to_string(), from, to, sensitive })
    };
    let changes: Vec<Change> = names.into_iter().filter_map(change).collect();
    (is_in_place && !changes.is_empty()).then_some(changes)
}

/// Returns the paths that file resources manage, for purging.
fn managed_paths(graph: &Graph, host: &dyn Host) -> Managed {
    let wanted = || graph.resources().filter_map(|(_, resource)| resource.wanted());
    let files = || wanted().filter(|wanted| &*wanted.kind == "file");
    let purges = files().any(|wanted| wanted.params.get("purge").and_then(Value::as_bool) == Some(true));
    if !purges {
        return Managed::default();
    }
    let path = |path: String| PathBuf::from(path.trim_end_matches('/').to_owned());
    let look = host.turn();
    let coming = files().filter_map(|wanted| Footprint::of(wanted, &[], &*look).link);
    let mut aliases = Aliases::new(&*look, coming);
    let mut managed = Managed::default();
    for wanted in files() {
        managed.add(&path(file_path(&wanted.name, &wanted.params)), &mut aliases);
    }
    managed
}
