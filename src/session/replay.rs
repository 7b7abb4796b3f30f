//! A deploy of the past as a run: its turns come again as they went, on request, and go back; nothing is done.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value as Json;

use super::history::{Deploy, Outcome, amended_words};
use crate::engine::message::{Event, Pause, READY_TOLD, Request, TurnState};
use crate::graph::{Declaration, Graph, Mapping, Node, Params, Resource, ResourceId, Value};
use crate::plan::{Action, Certainty, Change, NotReached, Plan, Reversible, Step};

/// Said of what did not come to act, where nobody wrote down what was planned.
const NOT_KNOWN: &str = "unknown: not run";
/// Said of what did not come to act, where the plan is known.
const ONLY_PLANNED: &str = "as planned; not run";

/// A deploy that is gone through.
#[derive(Debug)]
pub struct Replay {
    /// What happened, oldest first.
    turns: Vec<Turn>,
    /// How much of it has come.
    at: usize,
    breakpoints: BTreeSet<ResourceId>,
}

#[derive(Clone, Debug)]
struct Turn {
    state: TurnState,
    step: Step,
    elapsed_ms: u64,
}

impl Replay {
    pub fn new(deploy: &Deploy) -> Self {
        let mut amended = deploy.amended.iter().peekable();
        // The next turn of such a resource is the one that was of another state.
        let mut wanted: BTreeMap<&ResourceId, String> = BTreeMap::new();
        let turn = |(at, outcome): (usize, &Outcome)| {
            while let Some(amended) = amended.next_if(|amended| amended.at <= at) {
                wanted.insert(&amended.resource, amended_words(amended));
            }
            let mut step = turned(outcome, at as u32 + 1);
            if let Some(words) = wanted.remove(&outcome.resource) {
                step.note = if step.note.is_empty() { words } else { format!("{words}; {}", step.note) };
            }
            Turn { state: state_of(outcome), step, elapsed_ms: outcome.elapsed_ms }
        };
        let turns = deploy.outcomes.iter().enumerate().map(turn).collect();
        Self { turns, at: 0, breakpoints: BTreeSet::new() }
    }

    /// Tells where it stands before the first request.
    pub fn start(&self, emit: &mut dyn FnMut(Event)) {
        self.pause(Pause::Start, emit);
    }

    /// Does what is asked of a run, as far as the past allows it.
    pub fn handle(&mut self, request: Request, emit: &mut dyn FnMut(Event)) {
        let why = match request {
            Request::Step => self.forward(emit),
            Request::Continue { until } => self.go_on(until.as_ref(), emit),
            Request::Finish => {
                while self.at < self.turns.len() {
                    self.forward(emit);
                }
                Pause::End
            }
            Request::Back => {
                self.back(emit);
                Pause::SteppedBack
            }
            Request::Break { resource, on } => {
                if on {
                    self.breakpoints.insert(resource);
                } else {
                    self.breakpoints.remove(&resource);
                }
                return;
            }
            Request::LeaveOut { .. } | Request::Stop | Request::Quit => return,
            Request::Over { .. }
            | Request::Skip
            | Request::Retry { .. }
            | Request::Amend { .. }
            | Request::Pick { .. } => Pause::Stepped,
        };
        self.pause(why, emit);
    }

    fn next(&self) -> Option<&ResourceId> {
        self.turns.get(self.at).map(|turn| &turn.step.resource)
    }

    fn forward(&mut self, emit: &mut dyn FnMut(Event)) -> Pause {
        let Some(turn) = self.turns.get(self.at) else { return Pause::End };
        self.at += 1;
        emit(turn.event());
        if matches!(turn.state, TurnState::Failed { .. }) { Pause::Failure } else { Pause::Stepped }
    }

    fn go_on(&mut self, until: Option<&ResourceId>, emit: &mut dyn FnMut(Event)) -> Pause {
        loop {
            match self.forward(emit) {
                Pause::Stepped => {}
                why => return why,
            }
            match self.next() {
                None => return Pause::End,
                next if next == until => return Pause::Cursor,
                Some(next) if self.breakpoints.contains(next) => return Pause::Breakpoint,
                Some(_) => {}
            }
        }
    }

    fn back(&mut self, emit: &mut dyn FnMut(Event)) {
        let Some(at) = self.at.checked_sub(1) else { return };
        self.at = at;
        let resource = &self.turns[at].step.resource;
        // A resource may have had several turns: the one before counts again.
        let before = self.turns[..at].iter().rev().find(|turn| turn.step.resource == *resource);
        let waits = Event::Turn { resource: resource.clone(), state: TurnState::Waiting, step: None, elapsed_ms: 0 };
        emit(before.map_or(waits, Turn::event));
    }

    fn pause(&self, why: Pause, emit: &mut dyn FnMut(Event)) {
        let ready: Vec<ResourceId> = self.next().into_iter().take(READY_TOLD).cloned().collect();
        let why = if ready.is_empty() && why != Pause::Failure { Pause::End } else { why };
        emit(Event::Paused { next: ready.first().cloned(), ready, why });
        if self.at == self.turns.len() {
            emit(self.finished());
        }
    }

    fn finished(&self) -> Event {
        let last: BTreeMap<&ResourceId, &Turn> = self.turns.iter().map(|turn| (&turn.step.resource, turn)).collect();
        let (mut done, mut changed, mut failed, mut skipped, mut blocked) = (0, 0, 0, 0, 0);
        for turn in last.values() {
            match turn.state {
                TurnState::Done => {
                    done += 1;
                    changed += u32::from(turn.step.action != Action::None);
                }
                TurnState::Failed { .. } => failed += 1,
                TurnState::Skipped => skipped += 1,
                _ => blocked += 1,
            }
        }
        Event::Finished { done, changed, failed, skipped, blocked }
    }
}

impl Turn {
    fn event(&self) -> Event {
        Event::Turn {
            resource: self.step.resource.clone(),
            state: self.state.clone(),
            step: Some(self.step.clone()),
            elapsed_ms: self.elapsed_ms,
        }
    }
}

/// What a deploy did, and of what did not come to act what was planned, as a plan: each resource once, in the order in which they
/// had their first turns.
pub fn as_plan(deploy: &Deploy) -> Plan {
    let mut steps: Vec<Step> = Vec::new();
    let mut places: BTreeMap<&ResourceId, usize> = BTreeMap::new();
    for outcome in &deploy.outcomes {
        let at = *places.entry(&outcome.resource).or_insert(steps.len());
        let step = step_of(outcome, at as u32 + 1);
        match steps.get_mut(at) {
            Some(there) => *there = step,
            None => steps.push(step),
        }
    }
    Plan::new(&deploy.begin.entry, steps)
}

/// The same as it was before any turn: what was tried again, perhaps with another wanted state, stands as it was tried first.
pub fn as_begun(deploy: &Deploy) -> Plan {
    let mut seen = BTreeSet::new();
    let first = deploy.outcomes.iter().filter(|outcome| seen.insert(&outcome.resource));
    Plan::new(&deploy.begin.entry, first.zip(1..).map(|(outcome, number)| step_of(outcome, number)).collect())
}

/// A graph of the resources of a deploy. A journal names them and does not say what they need.
pub fn as_graph(deploy: &Deploy) -> Graph {
    let mut graph = Graph::default();
    for outcome in &deploy.outcomes {
        let id = outcome.resource.clone();
        let declared = Declaration { kind: "".into(), name: Arc::clone(&id.0), params: Params::default() };
        // Again where it had several turns.
        let _ = graph.add(Node::Resource(Resource::declare(id, declared, Mapping::Same)));
    }
    graph
}

fn state_of(outcome: &Outcome) -> TurnState {
    let error = || outcome.error.clone().unwrap_or_default();
    match outcome.state.as_str() {
        "done" => TurnState::Done,
        "failed" => TurnState::Failed { error: error(), is_undone: false },
        "blocked" => {
            let by = error();
            TurnState::Blocked { by: ResourceId(by.strip_suffix(" is not done").unwrap_or(&by).into()) }
        }
        _ => TurnState::Skipped,
    }
}

/// A step as its turn went: what was done is known.
fn turned(outcome: &Outcome, index: u32) -> Step {
    let step = step_of(outcome, index);
    let certainty = if outcome.state == "done" { Certainty::Known } else { step.certainty };
    Step { certainty, ..step }
}

/// A step as far as it was known before its turn.
fn step_of(outcome: &Outcome, index: u32) -> Step {
    let action = |word: &str| serde_json::from_value::<Action>(Json::from(word)).ok();
    let certainty = |word: &str| serde_json::from_value::<Certainty>(Json::from(word)).ok();
    let did = action(&outcome.action);
    let planned = outcome.planned.as_ref().and_then(|said| Some((action(&said.action)?, certainty(&said.certainty)?)));
    let (action, certainty, not_reached) = match (did, planned) {
        (Some(did), planned) => (did, planned.map_or(Certainty::Known, |(_, certainty)| certainty), None),
        (None, Some((action, certainty))) => (action, certainty, Some(NotReached::OnlyPlanned)),
        (None, None) => (Action::Unknown, Certainty::Unknown, Some(NotReached::NotKnown)),
    };
    let note = match not_reached {
        None => outcome.note.clone(),
        Some(NotReached::OnlyPlanned) => ONLY_PLANNED.into(),
        Some(NotReached::NotKnown) => NOT_KNOWN.into(),
    };
    Step {
        index,
        resource: outcome.resource.clone(),
        action,
        refresh: false,
        certainty,
        changes: outcome.changes.iter().map(change_of).collect(),
        because: Vec::new(),
        notifies: Vec::new(),
        reversible: Reversible::Yes,
        source: None,
        note,
        only_told: false,
        binds_what_is: false,
        seal: None,
        error: None,
        blocked_by: None,
        not_reached,
    }
}

pub(super) fn change_of(change: &Json) -> Change {
    let is_secret = |side: &Json| side.get("$sensitive").is_some();
    let (from, to) = (&change["from"], &change["to"]);
    Change {
        property: change["property"].as_str().unwrap_or_default().into(),
        from: (!from.is_null()).then(|| value_of(from)),
        to: (!to.is_null() || change["set"] != Json::Bool(false)).then(|| value_of(to)),
        sensitive: change["sensitive"] == Json::Bool(true) || is_secret(from) || is_secret(to),
    }
}

/// A value as a journal keeps it.
fn value_of(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => {
            number.as_i64().map_or_else(|| Value::Float(number.as_f64().unwrap_or_default()), Value::Int)
        }
        Json::String(text) => Value::Str(text.as_str().into()),
        Json::Array(items) => Value::List(items.iter().map(value_of).collect()),
        Json::Object(fields) if fields.contains_key("$sensitive") => Value::Sensitive(Box::new(Value::Null)),
        Json::Object(fields) if fields.contains_key("$unknown") => Value::Unknown,
        Json::Object(fields) => {
            Value::Struct(fields.iter().map(|(name, value)| (name.as_str().into(), value_of(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::journal::{Begin, Record};

    fn outcome(json: Json) -> Outcome {
        serde_json::from_value(json).expect("an outcome")
    }

    /// What was wanted otherwise amid a deploy is told with the turn that tried it so, and with no other.
    #[test]
    fn an_amendment_is_told_with_its_turn() {
        let ended = |state: &str| {
            let json = serde_json::json!({"record": "outcome", "resource": "a[b]", "state": state, "action": "change"});
            serde_json::from_value(json).expect("a record")
        };
        let amended = serde_json::json!({
            "record": "amended", "resource": "a[b]", "time": "", "graph": "",
            "changes": [{"property": "mode", "from": "0600", "to": "0644"}]
        });
        let read = |json: Json| serde_json::from_value(json).expect("a record");
        let records = vec![
            Record::Begin(Begin::default()),
            ended("failed"),
            ended("failed"),
            read(amended),
            ended("failed"),
            ended("done"),
        ];
        let deploy = Deploy::from_records(records, None).expect("a deploy");
        let notes: Vec<_> = Replay::new(&deploy).turns.into_iter().map(|turn| turn.step.note).collect();
        let told = "changed within the deploy, after it had failed: mode: \"0600\" -> \"0644\"";
        assert_eq!(notes, ["", "", told, ""]);
    }

    /// Before any turn stands what was tried first, and a plan of what was done tells of the last try.
    #[test]
    fn what_was_tried_again_stands_as_it_was_tried_first() {
        let ended = |note: &str| {
            let json = serde_json::json!({"record": "outcome", "resource": "a[b]", "state": "failed", "action": "run", "note": note});
            serde_json::from_value(json).expect("a record")
        };
        let records = vec![Record::Begin(Begin::default()), ended("first"), ended("second")];
        let deploy = Deploy::from_records(records, None).expect("a deploy");
        let notes = |plan: Plan| plan.steps.into_iter().map(|step| step.note).collect::<Vec<_>>();
        assert_eq!((notes(as_begun(&deploy)), notes(as_plan(&deploy))), (vec!["first".into()], vec!["second".into()]));
    }

    /// What a resource itself notes may read like anything.
    #[test]
    fn what_was_not_reached_is_no_matter_of_words() {
        let done =
            outcome(serde_json::json!({"resource": "a[b]", "action": "change", "state": "done", "note": NOT_KNOWN}));
        assert_eq!(turned(&done, 1).not_reached, None);
        let blocked = serde_json::json!({"resource": "a[b]", "action": "", "state": "blocked"});
        assert_eq!(
            turned(&outcome(blocked.clone()), 1).not_reached,
            Some(NotReached::NotKnown),
            "as old records have it"
        );
        let mut planned = blocked;
        planned["planned"] = serde_json::json!({"action": "create", "certainty": "known"});
        assert_eq!(turned(&outcome(planned), 1).not_reached, Some(NotReached::OnlyPlanned));
    }
}
