//! Drives a run from a command: one request at a time, keeping count of where every resource stands.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use super::face::Aside;
use crate::engine::message::{Event, Pause, Request, TurnState};
use crate::graph::ways::Ways;
use crate::graph::{Graph, Node, Resource, ResourceId};
use crate::plan::stop::named;
use crate::plan::{Action, Step};
use crate::session::history::Undoing;
use crate::session::next_step::{self, Follows};
use crate::session::{Disconnected, Ended, Interrupts, Stepper, exit_code};
use crate::source::headline;

/// Whether an error says that the system refused something to this user.
pub fn is_refusal(error: &str) -> bool {
    ["permission denied", "operation not permitted"].iter().any(|why| error.contains(why))
}

/// How often interrupts are looked for while nothing happens.
const LOOK: Duration = Duration::from_millis(50);

/// After so many events at once more are on their way.
const CROWD: usize = 16;

/// How long they may gather.
const GATHER: Duration = Duration::from_millis(1);

/// A run with what is known about it.
pub struct Drive {
    stepper: Stepper,
    events: Receiver<Event>,
    interrupts: Interrupts,
    graph: Arc<Graph>,
    /// Breakpoints as they were written, with the places where they stop.
    breakpoints: Vec<(String, BTreeSet<ResourceId>)>,
    /// What is left out when its turn comes.
    left_out: BTreeSet<ResourceId>,
    states: BTreeMap<ResourceId, TurnState>,
    /// Of these, what failed or was left out; what failed; and what failed last, if it still stands so.
    to_retry: BTreeSet<ResourceId>,
    all_failed: BTreeSet<ResourceId>,
    failed: Option<ResourceId>,
    /// How many had no turn yet.
    waiting: usize,
    /// Whether the last turn changed it, or only told what it would change.
    changed: BTreeMap<ResourceId, Change>,
    pub next: Option<ResourceId>,
    at_work: BTreeMap<ResourceId, AtWork>,
    aside: Aside,
    /// Why the run waits now.
    pub why: Pause,
    /// How many could be next, as [`Event::Paused`] tells them.
    pub ready: usize,
    /// The next one is so since it was asked to be tried again.
    pub is_again: bool,
    /// The last request had the run want another state of a resource.
    pub is_amended: bool,
    /// What a resource would do, as it was found when it was to be tried again.
    foreseen: BTreeMap<ResourceId, Step>,
    /// Which nodes wait for which, once it was asked.
    ways: OnceCell<Ways>,
    /// The user wants it to end.
    pub interrupted: bool,
    /// The deploy that it takes back, and how far it came.
    undo: Option<(u64, Undoing)>,
}

/// A turn that has not ended.
struct AtWork {
    since: Instant,
    /// When it is next worth a word.
    tell_after: Duration,
}

impl AtWork {
    fn new() -> Self {
        Self { since: Instant::now(), tell_after: Duration::from_secs(3) }
    }

    /// Whether a long turn is worth a word again; less and less often.
    fn is_due(&mut self) -> bool {
        let is_due = self.since.elapsed() >= self.tell_after;
        if is_due {
            self.tell_after *= 2;
        }
        is_due
    }
}

/// What a turn did.
#[derive(Clone, Copy)]
enum Change {
    None,
    /// `noop` is set.
    Told,
    Made,
}

/// How many resources stand where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub waiting: usize,
    pub done: usize,
    pub changed: usize,
    /// Would have been changed, were it not for `noop`.
    pub told: usize,
    pub failed: usize,
    pub skipped: usize,
    /// Those of them that nothing here can apply.
    pub unable: usize,
    pub blocked: usize,
}

impl Counts {
    /// The count that scripts call so.
    pub fn get(&self, name: &str) -> Option<usize> {
        Some(match name {
            "changes" | "changed" => self.changed,
            "done" => self.done,
            "failed" => self.failed,
            "skipped" => self.skipped,
            "blocked" => self.blocked,
            "waiting" => self.waiting,
            _ => return None,
        })
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { waiting, done, changed, told: _, failed, skipped, unable: _, blocked } = self;
        write!(
            f,
            "{done} done ({changed} with changes), {failed} failed, {skipped} skipped, {blocked} blocked, {waiting} waiting"
        )
    }
}

/// Whether a turn is still to come to its end.
fn waits(state: &TurnState) -> bool {
    matches!(state, TurnState::Waiting | TurnState::Running)
}

fn may_be_tried_again(state: &TurnState) -> bool {
    matches!(state, TurnState::Failed { .. } | TurnState::Skipped)
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
    pub fn new(
        stepper: Stepper,
        events: Receiver<Event>,
        interrupts: Interrupts,
        graph: Arc<Graph>,
        aside: Aside,
    ) -> Self {
        let states: BTreeMap<_, _> = graph
            .resources()
            .filter(|(_, r)| !r.is_hidden())
            .map(|(_, r)| (r.id.clone(), TurnState::Waiting))
            .collect();
        let waiting = states.len();
        Self {
            stepper,
            events,
            interrupts,
            graph,
            breakpoints: Vec::new(),
            left_out: BTreeSet::new(),
            states,
            to_retry: BTreeSet::new(),
            all_failed: BTreeSet::new(),
            failed: None,
            waiting,
            changed: BTreeMap::new(),
            next: None,
            at_work: BTreeMap::new(),
            aside,
            why: Pause::Start,
            ready: 0,
            is_again: false,
            is_amended: false,
            foreseen: BTreeMap::new(),
            ways: OnceCell::new(),
            interrupted: false,
            undo: None,
        }
    }

    /// The same of an undo, which knows no resources.
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

    /// The deploy that is taken back, and how far that came.
    pub fn undo(&self) -> Option<(u64, &Undoing)> {
        self.undo.as_ref().map(|(deploy, undoing)| (*deploy, undoing))
    }

    /// Sends a request and hears events until the run waits again.
    pub fn ask(&mut self, request: Request, tell: &mut dyn FnMut(&Event) -> io::Result<()>) -> io::Result<()> {
        self.is_again = matches!(request, Request::Retry { .. } | Request::Amend { .. });
        self.is_amended = false;
        self.stepper.send(request);
        self.hear(tell)
    }

    /// Hears events until the run waits. A face that cannot write any more still lets the step at work end.
    pub fn hear(&mut self, tell: &mut dyn FnMut(&Event) -> io::Result<()>) -> io::Result<()> {
        let mut told = Ok(());
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
                            self.aside.say(format_args!("stopping after {names}; Ctrl-C again kills it{apart}"));
                        }
                    }
                }
                2 => self.stepper.abort(),
                _ if self.stepper.let_go() => {
                    (self.next, self.why) = (None, Pause::End);
                    return told;
                }
                _ => self.stepper.abort(),
            }
            let event = match self.events.try_recv() {
                Ok(event) => {
                    crowd += 1;
                    event
                }
                // To be woken for each event of a crowd costs more than what is heard.
                Err(TryRecvError::Empty) if std::mem::take(&mut crowd) >= CROWD => {
                    std::thread::sleep(GATHER);
                    continue;
                }
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => match self.events.recv_timeout(LOOK) {
                    Ok(event) => event,
                    Err(RecvTimeoutError::Timeout) => {
                        self.tell_long_turns();
                        continue;
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        (self.next, self.why) = (None, Pause::End);
                        return told;
                    }
                },
            };
            if told.is_ok() {
                told = tell(&event);
            }
            match event {
                Event::Turn { resource, state, step, .. } => {
                    if matches!(state, TurnState::Running) {
                        self.at_work.insert(resource.clone(), AtWork::new());
                    } else {
                        self.at_work.remove(&resource);
                    }
                    if let (TurnState::Waiting, Some(step)) = (&state, &step) {
                        self.foreseen.insert(resource.clone(), step.clone());
                    }
                    if let Some(step) = step {
                        let change = match step.action {
                            Action::None => Change::None,
                            _ if step.is_noop => Change::Told,
                            _ => Change::Made,
                        };
                        self.changed.insert(resource.clone(), change);
                    }
                    self.stands(resource, state);
                }
                Event::Paused { next, why, ready } => {
                    (self.next, self.why, self.ready) = (next, why, ready.len());
                    return told;
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

    /// Notes where a resource stands now.
    fn stands(&mut self, resource: ResourceId, state: TurnState) {
        if matches!(state, TurnState::Failed { .. }) {
            self.failed = Some(resource.clone());
            self.all_failed.insert(resource.clone());
        } else {
            self.all_failed.remove(&resource);
        }
        if may_be_tried_again(&state) {
            self.to_retry.insert(resource.clone());
        } else {
            self.to_retry.remove(&resource);
        }
        self.waiting += usize::from(waits(&state));
        let before = self.states.insert(resource, state);
        self.waiting -= usize::from(before.is_some_and(|before| waits(&before)));
    }

    /// Another state of a resource is wanted from here on.
    fn amend(&mut self, resource: Resource) {
        self.foreseen.remove(&resource.id);
        if let Some(at) = self.graph.find(&resource.id) {
            *Arc::make_mut(&mut self.graph).node_mut(at) = Node::Resource(resource);
        }
        self.is_amended = true;
    }

    /// What a resource would do, as it was looked at since the plan was made.
    pub fn foreseen(&self, id: &ResourceId) -> Option<&Step> {
        self.foreseen.get(id)
    }

    /// It was looked at what a resource would do now.
    pub fn foresee(&mut self, step: Step) {
        self.foreseen.insert(step.resource.clone(), step);
    }

    fn tell_long_turns(&mut self) {
        let due: Vec<_> =
            self.at_work.iter_mut().filter_map(|(id, turn)| turn.is_due().then_some((id, &*turn))).collect();
        if let Some(longest) = due.iter().map(|(_, turn)| turn.since.elapsed().as_secs()).max() {
            let names: Vec<_> = due.iter().map(|(resource, _)| resource.to_string()).collect();
            self.aside.say(format_args!("running for {longest} s: {}", shortened(&names)));
        }
    }

    /// The graph with the values that resources ended with, once nothing is left to do.
    pub fn result(&self) -> Option<Graph> {
        self.stepper.result()
    }

    /// How a run in a process of its own was parted from, once it was.
    pub fn parted(&self) -> Option<Disconnected> {
        self.stepper.disconnected()
    }

    /// The number in the history of a run that is written down.
    pub fn deploy(&self) -> Option<u64> {
        self.stepper.deploy()
    }

    /// Leaves a resource out when its turn comes, or no more.
    pub fn leave_out(&mut self, resource: ResourceId) {
        let on = !self.left_out.remove(&resource);
        if on {
            self.left_out.insert(resource.clone());
        }
        self.stepper.send(Request::LeaveOut { resource, on });
    }

    /// Sets a breakpoint, or clears the one that is there.
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
        // These tell nothing back.
        for resource in before.symmetric_difference(&after).cloned() {
            let on = after.contains(&resource);
            self.stepper.send(Request::Break { resource, on });
        }
    }

    /// Leaves a run in a process of its own to itself. Any other stays; whether this one was left.
    pub fn let_go(&self) -> bool {
        self.stepper.let_go()
    }

    pub fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    /// Whether a breakpoint was set by these words.
    pub fn is_break(&self, text: &str) -> bool {
        self.breakpoints.iter().any(|(there, _)| there == text)
    }

    /// Whether the run stops before a resource.
    pub fn stops_at(&self, id: &ResourceId) -> bool {
        self.breakpoints.iter().any(|(_, places)| places.contains(id))
    }

    /// Whether a resource is left out when its turn comes.
    pub fn is_left_out(&self, id: &ResourceId) -> bool {
        self.left_out.contains(id)
    }

    /// By which rule the next resource is that.
    pub fn why_next(&self, next: &ResourceId, chosen: Option<&str>) -> Option<String> {
        let node = self.graph.find(next)?;
        Some(next_step::why_next((&self.graph, self.ways()), node, self.ready, chosen))
    }

    /// What the step of a resource does to those that wait for it.
    pub fn follows(&self, step: &Step) -> Option<Follows> {
        let node = self.graph.find(&step.resource)?;
        Some(Follows::of((&self.graph, self.ways()), (node, step), |id| self.states.get(id)))
    }

    fn ways(&self) -> &Ways {
        self.ways.get_or_init(|| Ways::of(&self.graph))
    }

    /// How many resources there are.
    pub fn total(&self) -> usize {
        self.states.len()
    }

    /// Where a resource stands.
    pub fn state(&self, id: &ResourceId) -> Option<&TurnState> {
        self.states.get(id)
    }

    pub fn graph(&self) -> &Arc<Graph> {
        &self.graph
    }

    /// Whether the system refused something to this user.
    pub fn was_refused(&self) -> bool {
        !self.stepper.is_root()
            && self
                .states
                .values()
                .any(|state| matches!(state, TurnState::Failed { error, .. } if is_refusal(headline(error))))
    }

    /// Whether a resource's turn ended well.
    pub fn is_done(&self, id: &ResourceId) -> bool {
        matches!(self.states.get(id), Some(TurnState::Done))
    }

    /// How a resource's turn ended.
    pub fn ended(&self, id: &ResourceId) -> Ended {
        match self.states.get(id) {
            Some(TurnState::Done) => Ended::Well { changed: matches!(self.changed.get(id), Some(Change::Made)) },
            Some(TurnState::Failed { is_undone: true, .. }) => Ended::Undone,
            Some(TurnState::Failed { .. }) => Ended::Failed,
            _ => Ended::NotTaken,
        }
    }

    /// The code that an `exit` resource asked to leave with.
    pub fn asked_to_exit(&self) -> Option<u8> {
        let took_turn = |id: &ResourceId| self.ended(id) == Ended::Well { changed: true };
        let mut asked = self.graph.resources().map(|(_, one)| one).filter(|one| took_turn(&one.id));
        asked.find_map(exit_code)
    }

    /// Whether nothing is left to do.
    pub fn is_whole(&self) -> bool {
        self.why == Pause::End
            && self.next.is_none()
            && self.parted().is_none_or(|parted| parted == Disconnected::Ended)
    }

    pub fn is_over(&self) -> bool {
        self.why == Pause::End || (self.next.is_none() && self.why != Pause::Start)
    }

    /// The containers of a resource, outermost first.
    pub fn containers(&self, id: &ResourceId) -> &[Arc<str>] {
        self.resource(id).map_or(&[], |resource| &resource.container)
    }

    fn resource(&self, id: &ResourceId) -> Option<&Resource> {
        self.graph.find(id).and_then(|at| self.graph.resource(at))
    }

    /// The resource that a user means: its id, or the only one whose id holds the text.
    pub fn named(&self, text: &str) -> Result<ResourceId, String> {
        named(text, &self.graph)
    }

    /// Whether a resource has taken its turn, or lost it.
    pub fn has_turned(&self, id: &ResourceId) -> bool {
        self.states.get(id).is_some_and(|state| !waits(state))
    }

    /// What failed, the last first. It is asked at each question.
    pub fn failed(&self) -> Option<&ResourceId> {
        self.failed.as_ref().filter(|id| self.all_failed.contains(*id)).or_else(|| self.all_failed.first())
    }

    /// All that failed, by name.
    pub fn all_failed(&self) -> &BTreeSet<ResourceId> {
        &self.all_failed
    }

    /// Whether root is at work for one who is not.
    pub fn is_root(&self) -> bool {
        self.stepper.is_root()
    }

    /// How many resources have had their turn, or lost it.
    pub fn turned(&self) -> usize {
        self.total() - self.waiting
    }

    /// The same in words: done are they only where none failed, was left out or is blocked.
    pub fn how_far(&self) -> String {
        let verb = if self.may_retry() { "finished" } else { "done" };
        format!("{} of {} {verb}", self.turned(), self.total())
    }

    /// Whether anything failed or was left out. It is asked at each stop.
    pub fn may_retry(&self) -> bool {
        !self.to_retry.is_empty()
    }

    /// What failed or was left out, by name.
    pub fn to_retry(&self) -> &BTreeSet<ResourceId> {
        &self.to_retry
    }

    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for (id, state) in &self.states {
            match state {
                TurnState::Waiting | TurnState::Running => counts.waiting += 1,
                TurnState::Done => {
                    counts.done += 1;
                    match self.changed.get(id) {
                        Some(Change::Made) => counts.changed += 1,
                        Some(Change::Told) => counts.told += 1,
                        Some(Change::None) | None => {}
                    }
                }
                TurnState::Failed { .. } => counts.failed += 1,
                TurnState::Skipped => {
                    counts.skipped += 1;
                    counts.unable += usize::from(self.resource(id).is_some_and(|one| one.wanted().is_none()));
                }
                TurnState::Blocked { .. } => counts.blocked += 1,
            }
        }
        counts
    }
}
