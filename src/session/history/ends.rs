//! Compares the final states of two deploys: resources, property values, and results of turns.
//!
//! A journal records only changes. The values at the end of a deploy are therefore those that later deploys found, or
//! that this and earlier ones left. All deploys between the two are read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::graph::{ResourceId, Value};
use crate::plan::Change;
use crate::session::history::against::change_of;
use crate::session::history::{self, Deploy, Outcome, Purpose, StateError, Summary, entry_words, outcome_words};

/// The differences, and the number of equal resources.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    pub rows: Vec<Apart>,
    /// The number of resources with the same result in both.
    pub same: usize,
}

/// A resource with different final states.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    pub resource: ResourceId,
    /// The only deploy that has it.
    pub only: Option<u64>,
    /// The different results of its turns.
    pub turns: Option<String>,
    /// From the final value of the first deploy to that of the second.
    pub changes: Vec<Change>,
}

/// The first value found and the last value left of a property, after or by the older deploy.
#[derive(Debug, Default)]
struct Passed {
    first: Option<Option<Value>>,
    last: Option<Option<Value>>,
    is_secret: bool,
}

type Properties = BTreeMap<(ResourceId, String), Passed>;

/// Compares the final states of two deploys.
pub fn ends(state: Option<&PathBuf>, one: u64, other: u64) -> Result<Ends, StateError> {
    let (older, newer) = (one.min(other), one.max(other));
    let (first, last) = (history::deploy(state, Some(older))?, history::deploy(state, Some(newer))?);
    let between: Vec<u64> = history::newest_first(state)?
        .flatten()
        .map(|summary| summary.deploy)
        .filter(|deploy| (older + 1..newer).contains(deploy))
        .collect();
    let mut properties = Properties::new();
    left_by(changes(state, &first), &mut properties);
    for deploy in between.into_iter().rev() {
        // `deploy show` reports an unreadable deploy.
        if let Ok(deploy) = history::deploy(state, Some(deploy)) {
            passed_by(changes(state, &deploy), &mut properties);
        }
    }
    if newer != older {
        passed_by(changes(state, &last), &mut properties);
    }
    let ends = compare(&first, &last, properties);
    Ok(if one <= other { ends } else { ends.turned() })
}

/// Returns the deploys to compare if fewer than two are named: the named or newest one and the previous one of the same
/// entry. `None` if there is no previous one.
pub fn pair(state: Option<&PathBuf>, named: Option<u64>) -> Result<Option<(u64, u64)>, StateError> {
    let all: Vec<Summary> = history::newest_first(state)?.flatten().collect();
    let by_number: BTreeMap<u64, &Summary> = all.iter().map(|summary| (summary.deploy, summary)).collect();
    // An undo counts as the entry of the deploy that it undid.
    let entry = |deploy: u64| {
        let mut begin = by_number.get(&deploy)?.begin.as_ref()?;
        while let Purpose::Undo { deploy } = begin.purpose {
            begin = by_number.get(&deploy).filter(|back| back.deploy < begin.deploy)?.begin.as_ref()?;
        }
        Some(entry_words(begin))
    };
    let newest = || all.first().map(|summary| summary.deploy).ok_or(StateError::Empty);
    let deploy = named.map_or_else(newest, Ok)?;
    if !by_number.contains_key(&deploy) {
        return Err(StateError::NoDeploy(deploy));
    }
    let Some(here) = entry(deploy) else { return Ok(None) };
    let mut before = all.iter().map(|summary| summary.deploy).filter(|before| *before < deploy);
    Ok(before.find(|before| entry(*before).as_ref() == Some(&here)).map(|before| (before, deploy)))
}

/// Returns the changes of a deploy, in order. The effects of a failure are unknown. An undo reversed the changes of its
/// deploy.
fn changes(state: Option<&PathBuf>, deploy: &Deploy) -> Vec<(ResourceId, Change)> {
    let done = |deploy: &Deploy| -> BTreeSet<ResourceId> {
        let done = deploy.outcomes.iter().filter(|outcome| outcome.state == "done");
        done.map(|outcome| outcome.resource.clone()).collect()
    };
    let (mut back, mut of, mut is_back) = (Vec::new(), Cow::Borrowed(deploy), false);
    while let Purpose::Undo { deploy: earlier } = of.begin.purpose {
        let was = (earlier < of.begin.deploy).then(|| history::deploy(state, Some(earlier)).ok()).flatten();
        let Some(was) = was else { return Vec::new() };
        back.push(done(&of));
        (of, is_back) = (Cow::Owned(was), !is_back);
    }
    let is_meant = |id: &ResourceId| back.iter().all(|done| done.contains(id));
    let all = of.outcomes.iter().filter(|outcome| outcome.state == "done" && is_meant(&outcome.resource));
    let all =
        all.flat_map(|outcome| outcome.changes.iter().map(|change| (outcome.resource.clone(), change_of(change))));
    if !is_back {
        return all.collect();
    }
    let turned = |(id, change): (ResourceId, Change)| (id, turned(change));
    all.collect::<Vec<_>>().into_iter().rev().map(turned).collect()
}

fn turned(change: Change) -> Change {
    Change { from: change.to, to: change.from, ..change }
}

fn left_by(changes: Vec<(ResourceId, Change)>, properties: &mut Properties) {
    for (resource, change) in changes {
        properties.entry((resource, change.property)).or_default().first = Some(change.to);
    }
}

fn passed_by(changes: Vec<(ResourceId, Change)>, properties: &mut Properties) {
    for (resource, change) in changes {
        let passed = properties.entry((resource, change.property)).or_default();
        passed.first.get_or_insert(change.from);
        passed.last = Some(change.to);
        passed.is_secret |= change.sensitive;
    }
}

impl Passed {
    /// Returns the difference between the two values. Secret values only differ or not.
    fn change(self, property: String) -> Option<Change> {
        let (from, to) = (self.first?, self.last?);
        (self.is_secret || from != to).then_some(Change { property, from, to, sensitive: self.is_secret })
    }
}

fn compare(older: &Deploy, newer: &Deploy, properties: Properties) -> Ends {
    // Each resource with its last turn.
    let turns = |deploy: &'_ Deploy| -> BTreeMap<ResourceId, Outcome> {
        deploy.outcomes.iter().map(|outcome| (outcome.resource.clone(), outcome.clone())).collect()
    };
    let (olds, news) = (turns(older), turns(newer));
    let mut changed: BTreeMap<ResourceId, Vec<Change>> = BTreeMap::new();
    for ((resource, property), passed) in properties {
        changed.entry(resource).or_default().extend(passed.change(property));
    }
    // An undo has turns only for the operations that it undid, so missing resources mean nothing.
    let is_whole = |deploy: &Deploy| !matches!(deploy.begin.purpose, Purpose::Undo { .. });
    let both_whole = is_whole(older) && is_whole(newer);
    let mut ends = Ends::default();
    let resources: BTreeSet<&ResourceId> = olds.keys().chain(news.keys()).collect();
    for resource in resources {
        let (old, new) = (olds.get(resource), news.get(resource));
        let only = match (old, new) {
            (Some(_), None) if both_whole => Some(older.begin.deploy),
            (None, Some(_)) if both_whole => Some(newer.begin.deploy),
            _ => None,
        };
        let turns = old.zip(new).and_then(|(old, new)| {
            let (then, now) = (turn_words(old, older.begin.deploy), turn_words(new, newer.begin.deploy));
            let has_run = new.action == "run" && old.action != "run" && old.state == "done" && new.state == "done";
            match old.state == new.state {
                true => has_run.then(|| format!("ran in {}", newer.begin.deploy)),
                false => Some(format!("{then}, {now}")),
            }
        });
        let changes = changed.remove(resource).unwrap_or_default();
        if only.is_none() && turns.is_none() && changes.is_empty() {
            ends.same += usize::from(old.is_some() && new.is_some());
        } else {
            ends.rows.push(Apart { resource: resource.clone(), only, turns, changes });
        }
    }
    ends
}

/// Describes the result of a turn in a deploy.
fn turn_words(outcome: &Outcome, deploy: u64) -> String {
    let words = outcome_words(outcome);
    match outcome.state.as_str() {
        "failed" | "blocked" if !words.is_empty() => format!("{} in {deploy} ({words})", outcome.state),
        state => format!("{state} in {deploy}"),
    }
}

impl Ends {
    /// Swaps both sides.
    fn turned(mut self) -> Self {
        for change in self.rows.iter_mut().flat_map(|row| &mut row.changes) {
            *change = turned(change.clone());
        }
        self
    }
}
