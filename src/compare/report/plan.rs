//! A plan as a report: removals first, then all steps in order.

use rustc_hash::FxHashSet;
use similar::TextDiff;

use super::{Detail, Document, Row, Section, Sort, group};
use crate::compare::Turn;
use crate::graph::{ResourceId, Value};
use crate::lang::{in_own_words, note_in_own_words};
use crate::plan::policy::{Rule, Violation, by_resource};
use crate::plan::{Action, Change, Plan, Reversible, Step};
use crate::source::printable;

/// Longer values are cut.
const LONGEST: usize = 400;

/// Makes a report of a plan. `apply` is the command that applies exactly this plan, if it is saved.
pub fn of_plan(plan: &Plan, steps: &[&Step], apply: Option<&str>) -> Document {
    let broken = by_resource(&plan.violations);
    // Containers have no step.
    let resources: FxHashSet<&ResourceId> = plan.steps.iter().map(|step| &step.resource).collect();
    let row = |step: &Step| {
        let mut row = row(step, &resources);
        let broken = broken.get(&step.resource).into_iter().flatten();
        row.notes.extend(broken.map(|violation| printable(&violation.to_string()).to_string()));
        row
    };
    let shown: Vec<&Step> = steps
        .iter()
        .copied()
        .filter(|step| {
            let is_idle = step.action == Action::None && !step.refresh && step.acts();
            !is_idle || broken.contains_key(&step.resource)
        })
        .collect();
    let removes = |step: &&&Step| matches!(step.action, Action::Remove | Action::Replace);
    let removals: Vec<Row> = shown.iter().filter(removes).map(|step| row(step)).collect();
    let order: Vec<Row> = shown.iter().map(|step| row(step)).collect();
    let mut sections = Vec::new();
    if !plan.violations.is_empty() {
        let rows = plan.violations.iter().map(violation).collect();
        sections.push(Section { title: "Policies".into(), rows, ..Section::default() });
    }
    if !removals.is_empty() {
        sections.push(Section { title: "Removed or replaced".into(), rows: group(removals), ..Section::default() });
    }
    sections.push(Section { title: "Steps in order".into(), rows: group(order), ..Section::default() });
    let position = |id: &ResourceId| shown.iter().position(|step| step.resource == *id);
    // A picture of thousands of steps shows nothing.
    let graph = if shown.len() > 200 {
        Vec::new()
    } else {
        let before = |step: &Step| step.because.iter().filter_map(position).collect();
        shown.iter().map(|step| (step.resource.to_string(), before(step))).collect()
    };
    let mut closing = vec![("Plan".into(), plan.plan.clone())];
    closing.extend(apply.map(|command| ("Apply exactly this plan".into(), command.to_owned())));
    Document {
        title: format!("Plan of {}", printable(&plan.entry)),
        summary: plan.summary.in_words(),
        sections,
        graph,
        closing,
    }
}

/// Makes a report of the turns of a deploy, in order. Unchanged resources are counted.
pub fn of_turns(title: &str, turns: &[Turn]) -> Document {
    let is_idle = |turn: &&Turn| turn.changes.is_empty() && ["none", "unchanged"].contains(&&*turn.action);
    let rows: Vec<Row> = turns
        .iter()
        .filter(|turn| !is_idle(turn))
        .map(|turn| Row {
            sort: match &*turn.action {
                "create" => Sort::Add,
                "remove" | "replace" => Sort::Remove,
                "failed" | "blocked" => Sort::Fail,
                "change" => Sort::Change,
                _ => Sort::Other,
            },
            names: turn.resource.iter().map(ToString::to_string).collect(),
            what: turn.action.clone(),
            details: turn.changes.iter().map(detail).collect(),
            ..Row::default()
        })
        .collect();
    let summary = format!("{} changed, {} unchanged", rows.len(), turns.len() - rows.len());
    let removals: Vec<Row> = rows.iter().filter(|row| row.sort == Sort::Remove).cloned().collect();
    let mut sections = Vec::new();
    if !removals.is_empty() {
        sections.push(Section { title: "Removed or replaced".into(), rows: group(removals), ..Section::default() });
    }
    sections.push(Section { title: "Steps in order".into(), rows: group(rows), ..Section::default() });
    Document { title: printable(title).to_string(), summary, sections, ..Document::default() }
}

/// A policy that is broken, with the resources that break it.
pub(super) fn violation(violation: &Violation) -> Row {
    let names: Vec<String> = violation.resources.iter().map(ToString::to_string).collect();
    let sort = if violation.rule == Rule::Deny { Sort::Fail } else { Sort::Other };
    let what = printable(&violation.to_string()).to_string();
    Row { sort, names, what, ..Row::default() }
}

fn row(step: &Step, resources: &FxHashSet<&ResourceId>) -> Row {
    let (sort, what) = match step {
        step if step.error.is_some() => (Sort::Fail, "would fail"),
        step if step.is_blocked() => (Sort::Fail, "would be blocked"),
        step => match step.action {
            Action::Create => (Sort::Add, "create"),
            Action::Change => (Sort::Change, "change"),
            Action::Replace => (Sort::Remove, "replace"),
            Action::Remove => (Sort::Remove, "remove"),
            Action::Run => (Sort::Other, "run"),
            Action::Unknown => (Sort::Other, "unknown until apply"),
            Action::None => (Sort::Other, "unchanged"),
        },
    };
    let mut notes = Vec::new();
    notes.extend(step.error.clone());
    if !step.note.is_empty() {
        notes.push(note_in_own_words(&step.resource, &step.note));
    }
    for (verb, ids) in [("after", &step.because), ("refreshes", &step.notifies)] {
        let ids: Vec<&ResourceId> = ids.iter().filter(|id| resources.contains(id)).collect();
        let first: Vec<String> = ids.iter().take(4).map(ToString::to_string).collect();
        let more = ids.len().saturating_sub(4);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.extend((!ids.is_empty()).then(|| format!("{verb} {}{more}", first.join(", "))));
    }
    match step.reversible {
        Reversible::Partly if step.action != Action::None => notes.push("can be undone in part".into()),
        Reversible::No if step.action != Action::None => notes.push("cannot be undone".into()),
        _ => {}
    }
    Row {
        sort,
        names: vec![step.resource.to_string()],
        what: if step.refresh { format!("{what}, refresh") } else { what.into() },
        place: step.source.as_ref().map(ToString::to_string).unwrap_or_default(),
        details: in_own_words(&step.resource, &step.changes).iter().map(detail).collect(),
        notes: notes.iter().map(|note| printable(note).to_string()).collect(),
    }
}

/// A change with its values as text; secrets have none.
pub(super) fn detail(change: &Change) -> Detail {
    let property = printable(&change.property).to_string();
    let hidden = || Some("(sensitive)".to_owned());
    let text = |value: &Option<Value>| match value {
        None => None,
        Some(value) if change.sensitive || value.holds_secret() => hidden(),
        Some(Value::Unknown) => Some("(known after apply)".into()),
        Some(Value::Str(text)) => Some(short(text)),
        Some(value) => Some(short(&value.to_json().to_string())),
    };
    let plain = |value: &Option<Value>| match value {
        None => Some(String::new()),
        Some(Value::Str(text)) => Some(text.to_string()),
        Some(_) => None,
    };
    let is_long = |text: &str| text.trim_end().contains('\n');
    match (plain(&change.from), plain(&change.to)) {
        (Some(from), Some(to)) if !change.sensitive && (is_long(&from) || is_long(&to)) => {
            let diff = TextDiff::from_lines(&from, &to).unified_diff().context_radius(2).to_string();
            let lines = diff.lines().map(|line| printable(line).to_string()).collect();
            Detail { property, lines, ..Detail::default() }
        }
        _ => Detail { property, from: text(&change.from), to: text(&change.to), lines: Vec::new() },
    }
}

fn short(text: &str) -> String {
    let cut: String = text.chars().take(LONGEST).collect();
    let dots = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{dots}", printable(&cut))
}
