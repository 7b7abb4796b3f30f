//! Texts about a deploy and its results, for all faces.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{Deploy, Share, Summary, Undone, UndoneBy, place_words};
use crate::graph::ResourceId;
use crate::host::journal::{Amended, Begin, Ending, Outcome, Purpose};
use crate::plan::CompiledFor;

/// Describes the purpose of a deploy, such as `undo of deploy 3`.
pub fn purpose_words(purpose: &Purpose) -> String {
    match purpose {
        Purpose::Apply => "apply".into(),
        Purpose::Resume { deploy } => format!("resume of deploy {deploy}"),
        Purpose::Undo { deploy } => format!("undo of deploy {deploy}"),
    }
}

/// Describes the operation and its target. An undo names a deploy instead of an entry.
pub fn what_words(begin: &Begin) -> String {
    let purpose = purpose_words(&begin.purpose);
    match begin.purpose {
        Purpose::Undo { .. } => purpose,
        Purpose::Apply | Purpose::Resume { .. } => format!("{purpose} {}", applied_words(begin)),
    }
}

/// The entry of a deploy, with the node if one was chosen: `/srv/site for node web1`.
pub fn applied_words(begin: &Begin) -> String {
    let node = begin.compiled_for.as_deref().map(CompiledFor::node_words).unwrap_or_default();
    format!("{}{node}", place_words(begin))
}

/// Describes a deploy without an end. `at_work` is `None` if it is unknown whether its applier still runs.
pub fn unfinished_words(at_work: Option<bool>) -> &'static str {
    match at_work {
        Some(true) => "is running",
        Some(false) => "was interrupted",
        None => "was interrupted, or is running",
    }
}

/// Describes how a deploy ended. `at_work` is as in [`unfinished_words`].
pub fn status_words(summary: &Summary, at_work: Option<bool>) -> String {
    if summary.end.is_none() { unfinished_words(at_work).into() } else { ending_words(summary) }
}

/// Numbers the attempts of each resource, one per outcome of a deploy. An undo retries nothing: there a resource has
/// one outcome for each undone operation.
pub fn tries(deploy: &Deploy) -> impl Iterator<Item = usize> {
    let mut tries: BTreeMap<&ResourceId, usize> = BTreeMap::new();
    let is_undo = matches!(deploy.begin.purpose, Purpose::Undo { .. });
    deploy.outcomes.iter().map(move |outcome| {
        let tried = tries.entry(&outcome.resource).or_default();
        *tried += usize::from(!is_undo || *tried == 0);
        *tried
    })
}

/// Describes how a deploy ended.
pub fn ending_words(summary: &Summary) -> String {
    let Some(end) = &summary.end else { return unfinished_words(None).into() };
    let how = match end.how {
        Ending::Finished => "",
        Ending::Stopped => ", stopped early",
        Ending::CutOff => ", interrupted, resolved",
    };
    if let Some(undone) = &end.undone {
        return undone_words(undone) + how;
    }
    let mut words = format!("{} change{}", end.changed, if end.changed == 1 { "" } else { "s" });
    // An undo reports operations that were unnecessary or not allowed as skipped.
    let is_undo = summary.begin.as_ref().is_some_and(|begin| matches!(begin.purpose, Purpose::Undo { .. }));
    let left = if is_undo { "kept" } else { "skipped" };
    for (count, what) in [(end.failed, "failed"), (end.blocked, "blocked"), (end.skipped, left)] {
        if count > 0 {
            words += &format!(", {count} {what}");
        }
    }
    if end.again > 0 {
        let times = if end.again == 1 { "once".to_owned() } else { format!("{} times", end.again) };
        words += &format!(", the same {times} more until {}", end.time);
    }
    words + how
}

/// Describes the results of an undo, counted by resources.
pub fn undone_words(undone: &Undone) -> String {
    let mut words = format!("{} undone", undone.back);
    for (count, what) in [
        (undone.already, "already undone"),
        (undone.kept, "kept because changed since"),
        (undone.stayed, "kept because not empty"),
        (undone.lost, "cannot be undone"),
        (undone.failed, "failed"),
    ] {
        if count > 0 {
            words.push_str(&format!(", {count} {what}"));
        }
    }
    words
}

/// Describes which deploy undid a deploy, for lists.
pub fn undone_by_words(UndoneBy { by, share }: UndoneBy) -> String {
    match share {
        Share::All => format!("undone by #{by}"),
        Share::Part => format!("partly undone by #{by}"),
        Share::Nothing => format!("#{by} undid nothing"),
    }
}

/// Explains why a deploy cannot be undone again.
pub fn already_undone_words(deploy: u64, UndoneBy { by, share }: UndoneBy) -> String {
    match share {
        Share::All => format!("deploy {deploy} is already undone by deploy {by}"),
        Share::Part => format!("deploy {deploy} is already partly undone by deploy {by}; the rest was kept"),
        Share::Nothing => format!("deploy {by} already tried to undo deploy {deploy} and undid nothing"),
    }
}

/// `1 resource`, `3 resources`.
pub fn resources(count: u64) -> String {
    format!("{count} resource{}", if count == 1 { "" } else { "s" })
}

/// Returns when a resource's turn ended; for journals of earlier versions, when the deploy began.
pub fn outcome_time<'a>(deploy: &'a Deploy, outcome: &'a Outcome) -> &'a str {
    if outcome.time.is_empty() { &deploy.begin.time } else { &outcome.time }
}

/// Returns the note or error of a resource's outcome.
pub fn outcome_words(outcome: &Outcome) -> &str {
    match (&outcome.error, outcome.note.as_str()) {
        (Some(error), _) => error,
        (None, "") => &outcome.action,
        (None, note) => note,
    }
}

/// Describes which parameters of a resource changed during a deploy.
pub fn amended_words(amended: &Amended) -> String {
    let changes: Vec<String> = amended.changes.iter().map(change_words).collect();
    format!("edited during the deploy, after a failure: {}", changes.join(", "))
}

/// Formats one recorded change of a property. The text is not yet escaped for a terminal.
pub fn change_words(change: &Json) -> String {
    let side = |side: &Json| match side {
        Json::String(text) => format!("{text:?}"),
        Json::Null => "not set".into(),
        other if other.get("$sensitive").is_some() => "(secret)".into(),
        other => other.to_string(),
    };
    let property = change["property"].as_str().unwrap_or_default();
    format!("{property}: {} -> {}", side(&change["from"]), side(&change["to"]))
}
