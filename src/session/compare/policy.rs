//! The policies that a comparison breaks: those of both sides, checked for the resources that differ.

use rustc_hash::FxHashMap;

use crate::compare::{Difference, Outcome, What};
use crate::graph::{Graph, ResourceId, Value};
use crate::lang::own_name;
use crate::plan::policy::{Policy, Rule, Violation, violations as broken};
use crate::plan::{Action, Certainty, Reversible, Step};
use crate::session::Session;

/// Checks the rows of one node. A resource that is no longer declared, or becomes absent, counts as removed.
///
/// The policies of both sides count, so that a branch cannot remove one and break it at once.
pub(super) fn violations(sides: [&Session; 2], outcome: &Outcome, [old, new]: [&Graph; 2]) -> Vec<Violation> {
    let mut policies = sides[0].policies();
    for (rule, policy) in sides[1].policies() {
        let is_there = |known: &(Rule, Policy)| {
            known.0 == rule && known.1.when == policy.when && known.1.exceptions == policy.exceptions
        };
        if !policies.iter().any(is_there) {
            policies.push((rule, policy));
        }
    }
    let Outcome::Compared(rows) = outcome else { return Vec::new() };
    if policies.is_empty() || rows.is_empty() {
        return Vec::new();
    }
    let steps = steps(rows);
    let today = sides[1].today();
    let mut found = broken(&policies, new, &steps, today, own_name);
    // The old program declares the removed resources.
    let gone = steps.iter().filter(|step| new.find(&step.resource).is_none());
    for violation in broken(&policies, old, gone, today, own_name) {
        add(&mut found, violation);
    }
    found.sort_by_key(|violation| violation.rule);
    found
}

/// Adds a violation, or its resources to one of the same policy. Both sides can have different policies at one place.
fn add(found: &mut Vec<Violation>, violation: Violation) {
    let policy = |one: &Violation| (one.rule, one.when.clone(), one.by.clone());
    match found.iter_mut().find(|one| policy(one) == policy(&violation)) {
        Some(one) => one.resources.extend(violation.resources),
        None => found.push(violation),
    }
}

/// The rows of each resource as a step of a plan.
fn steps(rows: &[Difference]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut known: FxHashMap<&ResourceId, usize> = FxHashMap::default();
    for row in rows {
        let at = *known.entry(&row.resource).or_insert_with(|| {
            steps.push(step(&row.resource));
            steps.len() - 1
        });
        let step = &mut steps[at];
        match &row.what {
            What::Added => step.action = Action::Create,
            What::Removed => step.action = Action::Remove,
            What::Parameter(change) => {
                let is_absence = ["ensure", "state"].contains(&&*change.property);
                let becomes_absent = is_absence && change.to.as_ref().and_then(Value::as_str) == Some("absent");
                if step.action == Action::None || becomes_absent {
                    step.action = if becomes_absent { Action::Remove } else { Action::Change };
                }
                step.changes.push(change.clone());
            }
            What::Refresh { is_new, .. } => step.refresh |= is_new,
            What::Contained { .. } | What::Order { .. } | What::Sent { .. } => {}
        }
    }
    steps
}

fn step(resource: &ResourceId) -> Step {
    Step {
        index: 0,
        resource: resource.clone(),
        target: None,
        action: Action::None,
        refresh: false,
        certainty: Certainty::Known,
        changes: Vec::new(),
        because: Vec::new(),
        notifies: Vec::new(),
        reversible: Reversible::Yes,
        source: None,
        note: String::new(),
        is_noop: false,
        binds_what_is: false,
        seal: None,
        error: None,
        blocked_by: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_of_both_sides_at_one_line_stay_apart() {
        let violation = |rule, when: &str, id: &str| Violation {
            rule,
            when: when.into(),
            message: "no".into(),
            by: "workbench.toml:1".into(),
            resources: vec![ResourceId(id.into())],
            ended: Vec::new(),
        };
        let mut found = vec![violation(Rule::Warn, "creates", "file[/a]")];
        add(&mut found, violation(Rule::Deny, "destroys", "user[b]"));
        add(&mut found, violation(Rule::Deny, "destroys", "user[c]"));
        let shown: Vec<_> = found.iter().map(|one| (one.rule, one.resources.len())).collect();
        assert_eq!(shown, [(Rule::Warn, 1), (Rule::Deny, 2)]);
    }
}
