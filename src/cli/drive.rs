//! Drives a run from a command: one request at a time, and tracks the status of every resource.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use super::face::Aside;
use crate::engine::message::{Event, Pause, Request, TurnState};
use crate::engine::run_view::{Counts, Row, RunView};
use crate::graph::ways::Ways;
use crate::graph::{Graph, Node, Resource, ResourceId};
use crate::plan::stop::named;
use crate::plan::{Action, Step};
use crate::session::history::Undoing;
use crate::session::next_step::{self, Follows};
use crate::session::{Disconnected, Ended, Interrupts, Stepper, exit_code};
use crate::source::headline;

/// Whether the system denied an operation to this user.
pub fn is_refusal(error: &str) -> bool {
    ["permission denied", "operation not permitted"].iter().any(|why| error.contains(why))
}

/// How often interrupts are checked while nothing happens.
const LOOK: Duration = Duration::from_millis(50);

/// After this many events at once, more are expected.
const CROWD: usize = 16;

/// How long they may queue up.
const GATHER: Duration = Duration::from_millis(1);

/// A run with its known state.
pub struct Drive {
    stepper: Stepper,
    events: Receiver<Event>,
    interrupts: Interrupts,
    graph: Arc<Graph>,
    /// Breakpoints as written, with the steps where they stop.
    breakpoints: Vec<(String, BTreeSet<ResourceId>)>,
    /// The resources to skip.
    left_out: BTreeSet<ResourceId>,
    /// The status of every resource.
    view: RunView,
    pub next: Option<ResourceId>,
    at_work: BTreeMap<ResourceId, AtWork>,
    aside: Aside,
    /// Why the run waits now.
    pub why: Pause,
    /// The next step is a requested retry.
    pub is_again: bool,
    /// The last request changed the declaration of a resource.
    pub is_amended: bool,
    /// The dependencies of the nodes, computed on first use.
    ways: OnceCell<Ways>,
    /// The user wants to end it.
    pub interrupted: bool,
    /// The deploy that it undoes, and the progress.
    undo: Option<(u64, Undoing)>,
}

/// A running step.
struct AtWork {
    since: Instant,
    /// When to report it again.
    report_after: Duration,
}

impl AtWork {
    fn new() -> Self {
        Self { since: Instant::now(), report_after: Duration::from_secs(3) }
    }

    /// Whether to report a long step again; less and less often.
    fn is_due(&mut self) -> bool {
        let is_due = self.since.elapsed() >= self.report_after;
        if is_due {
            self.report_after *= 2;
        }
        is_due
    }
}

/// The first few names.
pub fn shortened(names: &[impl ToString]) -> String {
    const SHOWN: usize = 3;
    let more = names.len().saturating_sub(SHOWN);
    let shown: Vec<String> = names.iter().take(SHOWN).map(ToString::to_string).collect();
    let shown = shown.join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

impl Drive {
    /// Makes the driver of a run that has not begun. Hidden resources get no row.
    pub fn new(
        stepper: Stepper,
        events: Receiver<Event>,
        interrupts: Interrupts,
        graph: Arc<Graph>,
        aside: Aside,
    ) -> Self {
        let shown = graph.resources().filter(|(_, one)| !one.is_hidden());
        let view = RunView::new(shown.map(|(_, one)| (one.id.clone(), ())));
        Self {
            stepper,
            events,
            interrupts,
            graph,
            breakpoints: Vec::new(),
            left_out: BTreeSet::new(),
            view,
            next: None,
            at_work: BTreeMap::new(),
            aside,
            why: Pause::Start,
            is_again: false,
            is_amended: false,
            ways: OnceCell::new(),
            interrupted: false,
            undo: None,
        }
    }

    /// The same for an undo, which has no resources.
    pub fn of_undo(
        stepper: Stepper,
        events: Receiver<Event>,
        interrupts: Interrupts,
        deploy: u64,
        aside: Aside,
    ) -> Self {
        let undo = Some((deploy, Undoing::default()));
        Self { undo, ..Self::new(stepper, events, interrupts, Arc::default(), aside) }
    }

    /// The deploy that is undone, and the progress.
    pub fn undo(&self) -> Option<(u64, &Undoing)> {
        self.undo.as_ref().map(|(deploy, undoing)| (*deploy, undoing))
    }

    /// Sends a request and handles events until the run waits again.
    pub fn ask(&mut self, request: Request, tell: &mut dyn FnMut(&Event) -> io::Result<()>) -> io::Result<()> {
        self.is_again = matches!(request, Request::Retry { .. } | Request::Amend { .. });
        self.is_amended = false;
        self.stepper.send(request);
        self.follow(tell)
    }

    /// Handles events until the run waits. If the output is closed, the current step still ends.
    pub fn follow(&mut self, tell: &mut dyn FnMut(&Event) -> io::Result<()>) -> io::Result<()> {
        let mut reported = Ok(());
        let mut crowd = 0;
        loop {
            match self.interrupts.count() {
                0 => {}
                1 => {
                    if !std::mem::replace(&mut self.interrupted, true) {
                        self.stepper.send(Request::Stop);
                        if !self.at_work.is_empty() || self.undo.is_some() {
                            let names: Vec<_> = self.at_work.keys().map(ResourceId::to_string).collect();
                            let apart = if self.stepper.is_apart() { ", a third time detaches" } else { "" };
                            let names = if names.is_empty() { "the current step".into() } else { shortened(&names) };
                            self.aside.note(format_args!("stopping after {names}; Ctrl-C again kills it{apart}"));
                        }
                    }
                }
                2 => self.stepper.abort(),
                _ if self.stepper.let_go() => {
                    (self.next, self.why) = (None, Pause::End);
                    return reported;
                }
                _ => self.stepper.abort(),
            }
            let event = match self.events.try_recv() {
                Ok(event) => {
                    crowd += 1;
                    event
                }
                // Waking up for each of many events costs more than handling them.
                Err(TryRecvError::Empty) if std::mem::take(&mut crowd) >= CROWD => {
                    std::thread::sleep(GATHER);
                    continue;
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => match self.events.recv_timeout(LOOK) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Timeout) => {
                        self.report_long_steps();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        (self.next, self.why) = (None, Pause::End);
                        return reported;
                    }
                },
            };
            if reported.is_ok() {
                reported = tell(&event);
            }
            self.view.on_event(&event);
            match event {
                Event::Turn { resource, state: TurnState::Running, .. } => {
                    self.at_work.insert(resource, AtWork::new());
                }
                Event::Turn { resource, .. } => drop(self.at_work.remove(&resource)),
                Event::Paused { next, why, .. } => {
                    (self.next, self.why) = (next, why);
                    return reported;
                }
                Event::TakenBack { resource, outcome, .. } => {
                    if let Some((_, undone)) = &mut self.undo {
                        undone.count(&resource, &outcome);
                    }
                }
                Event::Amended { resource, .. } => self.amend(*resource),
                Event::Output { .. } | Event::Finished { .. } => {}
            }
        }
    }

    /// The declaration of a resource changes from here on.
    fn amend(&mut self, resource: Resource) {
        self.set_preview(&resource.id, None);
        if let Some(at) = self.graph.find(&resource.id) {
            *Arc::make_mut(&mut self.graph).node_mut(at) = Node::Resource(resource);
        }
        self.is_amended = true;
    }

    /// The newer preview of a resource, if there is one.
    pub fn preview_of(&self, id: &ResourceId) -> Option<&Step> {
        self.view.find(id)?.preview()
    }

    /// Replaces the newer preview of a resource.
    pub fn set_preview(&mut self, id: &ResourceId, step: Option<Step>) {
        if let Some(row) = self.view.find_mut(id) {
            row.step = step.map(Box::new);
        }
    }

    fn report_long_steps(&mut self) {
        let due: Vec<_> =
            self.at_work.iter_mut().filter_map(|(id, turn)| turn.is_due().then_some((id, &*turn))).collect();
        if let Some(longest) = due.iter().map(|(_, turn)| turn.since.elapsed().as_secs()).max() {
            let names: Vec<_> = due.iter().map(|(resource, _)| resource.to_string()).collect();
            self.aside.note(format_args!("running for {longest} s: {}", shortened(&names)));
        }
    }

    /// The graph with the final values of the resources, once nothing is left to do.
    pub fn result(&self) -> Option<Graph> {
        self.stepper.result()
    }

    /// How the connection to a run in another process ended, if it has.
    pub fn disconnected(&self) -> Option<Disconnected> {
        self.stepper.disconnected()
    }

    /// The number of a recorded run in the history.
    pub fn deploy(&self) -> Option<u64> {
        self.stepper.deploy()
    }

    /// Skips a resource, or includes it again.
    pub fn leave_out(&mut self, resource: ResourceId) {
        let on = !self.left_out.remove(&resource);
        if on {
            self.left_out.insert(resource.clone());
        }
        self.stepper.send(Request::LeaveOut { resource, on });
    }

    /// Sets a breakpoint, or clears an existing one.
    pub fn toggle_break(&mut self, text: &str, places: BTreeSet<ResourceId>) {
        let all = |breaks: &[(String, BTreeSet<ResourceId>)]| -> BTreeSet<ResourceId> {
            breaks.iter().flat_map(|(_, places)| places).cloned().collect()
        };
        let before = all(&self.breakpoints);
        match self.breakpoints.iter().position(|(there, _)| there == text) {
            Some(at) => drop(self.breakpoints.remove(at)),
            None => self.breakpoints.push((text.to_owned(), places)),
        }
        let after = all(&self.breakpoints);
        // These requests have no answer.
        for resource in before.symmetric_difference(&after).cloned() {
            let on = after.contains(&resource);
            self.stepper.send(Request::Break { resource, on });
        }
    }

    /// Detaches from a run in another process; returns whether it did. A run in this process cannot be detached.
    pub fn let_go(&self) -> bool {
        self.stepper.let_go()
    }

    /// Returns the counter of interrupts.
    pub fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    /// Whether this breakpoint is set.
    pub fn is_break(&self, text: &str) -> bool {
        self.breakpoints.iter().any(|(there, _)| there == text)
    }

    /// Whether the run stops before a resource.
    pub fn stops_at(&self, id: &ResourceId) -> bool {
        self.breakpoints.iter().any(|(_, places)| places.contains(id))
    }

    /// Whether a resource will be skipped.
    pub fn is_left_out(&self, id: &ResourceId) -> bool {
        self.left_out.contains(id)
    }

    /// The rule that made the next resource next.
    pub fn why_next(&self, next: &ResourceId, chosen: Option<&str>) -> Option<String> {
        let node = self.graph.find(next)?;
        Some(next_step::why_next((&self.graph, self.ways()), node, self.view.ready.len(), chosen))
    }

    /// The effect of a step on its dependents.
    pub fn follows(&self, step: &Step) -> Option<Follows> {
        let node = self.graph.find(&step.resource)?;
        Some(Follows::of((&self.graph, self.ways()), (node, step), |id| self.state(id)))
    }

    fn ways(&self) -> &Ways {
        self.ways.get_or_init(|| Ways::of(&self.graph))
    }

    /// How many resources there are.
    pub fn total(&self) -> usize {
        self.view.rows().len()
    }

    /// The status of a resource.
    pub fn state(&self, id: &ResourceId) -> Option<&TurnState> {
        self.view.find(id).map(|row| &row.state)
    }

    /// Returns the graph of the run.
    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Whether the system denied an operation to this user.
    pub fn was_refused(&self) -> bool {
        let is_refused =
            |row: &Row| matches!(&row.state, TurnState::Failed { error, .. } if is_refusal(headline(error)));
        !self.stepper.is_root() && self.view.rows().iter().any(is_refused)
    }

    /// Whether a resource's step succeeded.
    pub fn is_done(&self, id: &ResourceId) -> bool {
        self.state(id) == Some(&TurnState::Done)
    }

    /// How a resource's step ended.
    pub fn ended(&self, id: &ResourceId) -> Ended {
        let Some(row) = self.view.find(id) else { return Ended::NotTaken };
        match row.state {
            TurnState::Done => {
                let has_changed = row.did.is_some_and(|did| did.action != Action::None && !did.is_noop);
                Ended::Well { changed: has_changed }
            }
            TurnState::Failed { is_undone: true, .. } => Ended::Undone,
            TurnState::Failed { .. } => Ended::Failed,
            _ => Ended::NotTaken,
        }
    }

    /// The exit code of an `exit` resource.
    pub fn asked_to_exit(&self) -> Option<u8> {
        let took_turn = |id: &ResourceId| self.ended(id) == Ended::Well { changed: true };
        let mut asked = self.graph.resources().map(|(_, one)| one).filter(|one| took_turn(&one.id));
        asked.find_map(exit_code)
    }

    /// Whether nothing is left to do.
    pub fn is_whole(&self) -> bool {
        self.why == Pause::End
            && self.next.is_none()
            && self.disconnected().is_none_or(|disconnected| disconnected == Disconnected::Ended)
    }

    /// Whether nothing remains to be run.
    pub fn is_over(&self) -> bool {
        self.why == Pause::End || (self.next.is_none() && self.why != Pause::Start)
    }

    /// The containers of a resource, outermost first.
    pub fn containers(&self, id: &ResourceId) -> &[Arc<str>] {
        self.resource(id).map_or(&[], |resource| &resource.container)
    }

    pub fn resource(&self, id: &ResourceId) -> Option<&Resource> {
        self.graph.find(id).and_then(|at| self.graph.resource(at))
    }

    /// The resource that a user means: by its id, or by a text that only one id contains.
    pub fn named(&self, text: &str) -> Result<ResourceId, String> {
        named(text, &self.graph)
    }

    /// Whether a resource has run, or cannot run any more.
    pub fn has_turned(&self, id: &ResourceId) -> bool {
        self.view.find(id).is_some_and(|row| !row.waits())
    }

    /// The last failure. It is asked at each question.
    pub fn failed(&self) -> Option<&ResourceId> {
        self.view.failed()
    }

    /// All failures, by name.
    pub fn all_failed(&self) -> BTreeSet<&ResourceId> {
        self.view.all_failed()
    }

    /// Whether root acts for another user.
    pub fn is_root(&self) -> bool {
        self.stepper.is_root()
    }

    /// How many resources have run, or cannot run any more.
    pub fn turned(&self) -> usize {
        self.view.counts().ended()
    }

    /// The same in words: `done` only if none failed, was skipped or is blocked.
    pub fn how_far(&self) -> String {
        let verb = if self.may_retry() { "finished" } else { "done" };
        format!("{} of {} {verb}", self.turned(), self.total())
    }

    /// Whether any step failed or was skipped. It is asked at each stop.
    pub fn may_retry(&self) -> bool {
        self.view.counts().failed + self.view.counts().skipped > 0
    }

    /// The failed and skipped steps, by name.
    pub fn to_retry(&self) -> BTreeSet<&ResourceId> {
        self.view.to_retry()
    }

    /// Counts the resources by state. `unable` counts skipped ones that have no native kind.
    pub fn counts(&self) -> Counts {
        let by = self.view.counts();
        let skipped = self.view.rows().iter().filter(|row| by.skipped > 0 && row.state == TurnState::Skipped);
        let is_unable = |row: &&Row| self.resource(&row.id).is_some_and(|one| one.mapping().is_none());
        Counts { unable: skipped.filter(is_unable).count(), ..by }
    }
}
