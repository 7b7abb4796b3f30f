//! Whether two programs lead to the same end state: a verdict from dry runs of both, one after the other.
//!
//! Each program is run on a machine in memory, and then the other one on its result. If neither has anything left to
//! change, the end states are equal for this start. *Proven*: for the start states that were tried, which are this
//! machine's and an empty one's. *Not proven*: for all other states, and for steps whose effects an overlay cannot know,
//! such as commands. Those make the verdict undecided, unless another step shows a difference for certain.

use std::collections::{BTreeMap, BTreeSet};

use super::graphs::{Difference, What};
use crate::graph::{Graph, ResourceId, Value};
use crate::plan::{Action, Certainty, Change, Plan, Step};
use crate::source::Place;

/// What is known of two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The same end state, in the same order.
    Equal,
    /// The same end state; the order or the refreshes differ.
    EqualButOrder,
    /// Steps whose effects are unknown decide.
    Undecided,
    Different,
}

impl Verdict {
    /// Returns the verdict as users see it.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Equal => "equal",
            Verdict::EqualButOrder => "equal but for order or refreshes",
            Verdict::Undecided => "undecided",
            Verdict::Different => "different",
        }
    }
}

/// The dry runs from one start state.
#[derive(Clone, Debug)]
pub struct Runs {
    /// Both programs from the start.
    pub first: [Plan; 2],
    /// The second program after the first, and the first after the second.
    pub after: [Plan; 2],
}

/// A step that an overlay cannot predict.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// 0 for the first side.
    pub side: usize,
    pub resource: ResourceId,
    pub why: String,
    pub source: Option<Place>,
}

/// The verdict, with its reasons.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    pub verdict: Verdict,
    /// Properties with different ends, then differences in order and refreshes.
    pub rows: Vec<Difference>,
    pub unknown: Vec<Unknown>,
}

/// Names a resource in both programs: its kind and name in workbench's words.
type Key = (String, String);

/// Kinds without an effect on the machine.
const SILENT: [&str; 4] = ["msg", "noop", "print", "test"];

/// Judges two programs by their dry runs from several start states.
pub fn judge(graphs: [&Graph; 2], runs: &[Runs]) -> Meaning {
    let sides = graphs.map(Side::of);
    let (mut rows, mut unknown) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    for Runs { first, after } in runs {
        for (side, plan) in [(0, &first[0]), (1, &first[1]), (1, &after[0]), (0, &after[1])] {
            for step in plan.steps.iter().filter(|step| !sides[side].is_silent(step)) {
                if let Some(why) = unknown_why(step)
                    && seen.insert((side, step.resource.clone()))
                {
                    let (resource, source) = (step.resource.clone(), step.source.clone());
                    unknown.push(Unknown { side, resource, why, source });
                }
            }
        }
    }
    let mut known = BTreeSet::new();
    for Runs { after, .. } in runs {
        for (side, plan) in [(1, &after[0]), (0, &after[1])] {
            for step in plan.steps.iter().filter(|step| !sides[side].is_silent(step)) {
                sides_rows(&sides, side, step, &mut known, &mut rows);
            }
        }
    }
    let verdict = match (rows.is_empty(), unknown.is_empty()) {
        (false, _) => Verdict::Different,
        (true, false) => Verdict::Undecided,
        (true, true) => {
            if let Some(Runs { first, .. }) = runs.first() {
                order_rows(&sides, first, &mut rows);
            }
            if rows.is_empty() { Verdict::Equal } else { Verdict::EqualButOrder }
        }
    };
    Meaning { verdict, rows, unknown }
}

/// A program with its resources by key.
struct Side {
    keys: BTreeMap<ResourceId, Key>,
    places: BTreeMap<Key, Option<Place>>,
}

impl Side {
    fn of(graph: &Graph) -> Self {
        let (mut keys, mut places) = (BTreeMap::new(), BTreeMap::new());
        for (_, resource) in graph.resources() {
            let meant = resource.meant();
            let key = (meant.kind.to_string(), meant.name.to_string());
            keys.insert(resource.id.clone(), key.clone());
            places.insert(key, resource.source.clone());
        }
        Self { keys, places }
    }

    fn key(&self, id: &ResourceId) -> Key {
        self.keys.get(id).cloned().unwrap_or_else(|| (String::new(), id.0.to_string()))
    }

    fn is_silent(&self, step: &Step) -> bool {
        SILENT.contains(&&*self.key(&step.resource).0)
    }
}

/// Why the effect of a step is unknown.
fn unknown_why(step: &Step) -> Option<String> {
    if let Some(error) = &step.error {
        return Some(format!("would fail: {error}"));
    }
    if let Some(by) = &step.blocked_by {
        return Some(format!("would be blocked by {by}"));
    }
    let holds_unknown = |change: &Change| change.to.as_ref().is_some_and(Value::holds_unknown);
    match step.action {
        Action::Run => Some("runs a command".into()),
        Action::Unknown if step.note.is_empty() => Some("known after apply".into()),
        Action::Unknown => Some(step.note.clone()),
        _ if step.certainty == Certainty::Unknown || step.changes.iter().any(holds_unknown) => {
            Some(if step.note.is_empty() { "uses a value known after apply".into() } else { step.note.clone() })
        }
        _ => None,
    }
}

/// Adds what a program still changes after the other one.
fn sides_rows(
    sides: &[Side; 2],
    side: usize,
    step: &Step,
    known: &mut BTreeSet<(Key, String)>,
    rows: &mut Vec<Difference>,
) {
    // A step that is only reported changes nothing.
    if step.action == Action::None || step.is_noop || unknown_why(step).is_some() {
        return;
    }
    let key = sides[side].key(&step.resource);
    let place = |side: usize| sides[side].places.get(&key).cloned().flatten();
    let row = |what: What| Difference {
        resource: step.resource.clone(),
        kind: key.0.as_str().into(),
        what,
        places: [place(0), place(1)],
    };
    for change in &step.changes {
        if !known.insert((key.clone(), change.property.clone())) {
            continue;
        }
        let (from, to) = match side {
            1 => (change.from.clone(), change.to.clone()),
            _ => (change.to.clone(), change.from.clone()),
        };
        rows.push(row(What::Parameter(Change { from, to, ..change.clone() })));
    }
    if step.changes.is_empty() && known.insert((key.clone(), String::new())) {
        rows.push(row(if side == 1 { What::Added } else { What::Removed }));
    }
}

/// Adds the orders and refreshes that only one program has, between resources of both.
fn order_rows(sides: &[Side; 2], plans: &[Plan; 2], rows: &mut Vec<Difference>) {
    let links = [0, 1].map(|side: usize| Links::of(&sides[side], &plans[side]));
    for (one, other) in [(0, 1), (1, 0)] {
        let is_new = one == 1;
        for (from, to, notify) in &links[one].all {
            if !links[other].nodes.contains(from) || !links[other].nodes.contains(to) {
                continue;
            }
            let name = |key: &Key| ResourceId(format!("{}[{}]", key.0, key.1).into());
            let places = [0, 1].map(|side: usize| sides[side].places.get(to).cloned().flatten());
            let row = |what: What| Difference {
                resource: name(to),
                kind: to.0.as_str().into(),
                what,
                places: places.clone(),
            };
            if *notify && !links[other].notifies.contains(&(from.clone(), to.clone())) {
                rows.push(row(What::Refresh { by: name(from), is_new }));
            }
            if !links[other].reaches(from, to) {
                rows.push(row(What::Order { after: name(from), is_new }));
            }
        }
    }
}

/// The edges of a plan.
struct Links {
    nodes: BTreeSet<Key>,
    all: Vec<(Key, Key, bool)>,
    next: BTreeMap<Key, Vec<Key>>,
    notifies: BTreeSet<(Key, Key)>,
}

impl Links {
    fn of(side: &Side, plan: &Plan) -> Self {
        let nodes: BTreeSet<Key> = plan.steps.iter().map(|step| side.key(&step.resource)).collect();
        let mut notifies = BTreeSet::new();
        for step in &plan.steps {
            notifies.extend(step.notifies.iter().map(|to| (side.key(&step.resource), side.key(to))));
        }
        let mut edges: BTreeSet<(Key, Key)> = notifies.clone();
        for step in &plan.steps {
            edges.extend(step.because.iter().map(|from| (side.key(from), side.key(&step.resource))));
        }
        let mut next: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
        for (from, to) in &edges {
            next.entry(from.clone()).or_default().push(to.clone());
        }
        let all = edges.into_iter().map(|pair| {
            let notify = notifies.contains(&pair);
            (pair.0, pair.1, notify)
        });
        Self { nodes, all: all.collect(), next, notifies }
    }

    fn reaches(&self, from: &Key, to: &Key) -> bool {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
        while let Some(at) = open.pop() {
            for next in self.next.get(at).into_iter().flatten() {
                if next == to {
                    return true;
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        false
    }
}
