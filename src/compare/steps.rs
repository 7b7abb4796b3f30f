//! The differences of two plans or deploys: their turns by resource.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::graphs::{Difference, What};
use super::values::is_same;
use crate::graph::{ResourceId, Value};
use crate::plan::{Change, Step};
use crate::source::Place;

/// One turn of a plan or a deploy.
#[derive(Clone, Debug, Default)]
pub struct Turn {
    pub resource: Option<ResourceId>,
    /// Its action, or its result.
    pub action: String,
    pub changes: Vec<Change>,
    /// Its direct requirements and the resources that it refreshes; `None` if they are not recorded.
    pub edges: Option<(Vec<ResourceId>, Vec<ResourceId>)>,
    pub source: Option<Place>,
    /// It is of a deploy, which recorded only what it changed, and not of a plan for now.
    pub is_past: bool,
}

impl From<&Step> for Turn {
    fn from(step: &Step) -> Self {
        let action = match (&step.error, &step.blocked_by) {
            (Some(error), _) => format!("fails: {error}"),
            (None, Some(by)) => format!("blocked by {by}"),
            _ => step.action.verb().into(),
        };
        Self {
            resource: Some(step.resource.clone()),
            action: if step.refresh { format!("{action}, refresh") } else { action },
            changes: step.changes.clone(),
            edges: Some((step.because.clone(), step.notifies.clone())),
            source: step.source.clone(),
            is_past: false,
        }
    }
}

/// Compares the turns of two plans or deploys, in the order of the second.
pub fn compare_turns(old: &[Turn], new: &[Turn]) -> Vec<Difference> {
    let by_id = |turns: &'_ [Turn]| -> BTreeMap<ResourceId, usize> {
        turns.iter().enumerate().filter_map(|(at, turn)| Some((turn.resource.clone()?, at))).collect()
    };
    let (before, after) = (by_id(old), by_id(new));
    let mut rows = Vec::new();
    for (id, now) in new.iter().filter_map(|turn| Some((turn.resource.as_ref()?, turn))) {
        match before.get(id).and_then(|at| old.get(*at)) {
            None => rows.push(row(id, What::Added, [None, now.source.clone()])),
            Some(then) => compare(id, then, now, (&before, &after), &mut rows),
        }
    }
    for (id, then) in old.iter().filter_map(|turn| Some((turn.resource.as_ref()?, turn))) {
        if !after.contains_key(id) {
            rows.push(row(id, What::Removed, [then.source.clone(), None]));
        }
    }
    rows
}

fn row(id: &ResourceId, what: What, places: [Option<Place>; 2]) -> Difference {
    let kind: Arc<str> = id.0.split('[').next().unwrap_or_default().to_lowercase().into();
    Difference { resource: id.clone(), kind, what, places }
}

fn compare(
    id: &ResourceId,
    then: &Turn,
    now: &Turn,
    (before, after): (&BTreeMap<ResourceId, usize>, &BTreeMap<ResourceId, usize>),
    rows: &mut Vec<Difference>,
) {
    let places = || [then.source.clone(), now.source.clone()];
    // A deploy did something, and a plan is what is left to do.
    if then.action != now.action && then.is_past == now.is_past {
        let value = |turn: &Turn| Some(Value::from(&*turn.action));
        let change = Change { property: "action".into(), from: value(then), to: value(now), sensitive: false };
        rows.push(row(id, What::Parameter(change), places()));
    }
    let of = |turn: &'_ Turn, name: &str| turn.changes.iter().find(|change| change.property == name).cloned();
    let only_new = now.changes.iter().filter(|change| of(then, &change.property).is_none());
    for name in then.changes.iter().chain(only_new).map(|change| &change.property) {
        let (old, new) = (of(then, name), of(now, name));
        let to = |change: &Option<Change>| change.as_ref().and_then(|change| change.to.clone());
        let (from, to) = match (&old, &new) {
            // What a plan does not change is as the deploy left it.
            (Some(_), None) if then.is_past && !now.is_past => continue,
            (None, Some(_)) if now.is_past && !then.is_past => continue,
            // What a deploy did not change was as the plan found it.
            (None, Some(change)) if then.is_past && !now.is_past => (change.from.clone(), change.to.clone()),
            (Some(change), None) if now.is_past && !then.is_past => (change.to.clone(), change.from.clone()),
            (old, new) => (to(old), to(new)),
        };
        let is_equal = match (&from, &to) {
            (Some(one), Some(other)) => is_same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        let sensitive = [&old, &new].into_iter().flatten().any(|change| change.sensitive);
        if !is_equal {
            let change = Change { property: name.clone(), from, to, sensitive };
            rows.push(row(id, What::Parameter(change), places()));
        }
    }
    let (Some((then_after, then_notifies)), Some((now_after, now_notifies))) = (&then.edges, &now.edges) else {
        return;
    };
    let is_both = |other: &ResourceId| before.contains_key(other) && after.contains_key(other);
    for (ones, others, is_new) in [(then_after, now_after, false), (now_after, then_after, true)] {
        for other in ones.iter().filter(|other| is_both(other) && !others.contains(other)) {
            rows.push(row(id, What::Order { after: other.clone(), is_new }, places()));
        }
    }
    for (ones, others, is_new) in [(then_notifies, now_notifies, false), (now_notifies, then_notifies, true)] {
        for other in ones.iter().filter(|other| is_both(other) && !others.contains(other)) {
            rows.push(row(other, What::Refresh { by: id.clone(), is_new }, [None, None]));
        }
    }
}
