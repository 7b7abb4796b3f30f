//! The sentences about the history for users: what was planned, fetched or changed.

use super::operations::{Fetch, MadePlan};
use crate::graph::Value;
use crate::host::journal::{Content, Image};
use crate::plan::{Moved, Side};
use crate::source::printable;

/// Describes the state of a path after a step.
pub fn image_words(image: &Image) -> String {
    match image {
        Image::File { content, attributes, .. } => match content {
            Content::Kept(digest) | Content::Hashed(digest) => {
                format!("a file of {} bytes, mode {:04o}", digest.size, attributes.mode)
            }
            _ => format!("a file, mode {:04o}", attributes.mode),
        },
        Image::Dir { attributes, .. } => format!("a folder, mode {:04o}", attributes.mode),
        Image::Link { target, .. } => format!("a link to {}", target.display()),
        other => other.words().to_owned(),
    }
}

/// Describes the nonzero counts of a plan, in the words of Step and `workbench preview`.
pub fn plan_words(plan: &MadePlan) -> String {
    let tally = plan.tally();
    let sums = &tally.acts;
    let acts = [
        (sums.create, "create"),
        (sums.change, "change"),
        (sums.replace, "replace"),
        (sums.remove, "remove"),
        (sums.run, "run"),
        (sums.refresh, "refresh"),
        (sums.unknown, "unknown"),
    ];
    let ends = [(tally.would_fail, "would fail"), (tally.would_be_blocked, "would be blocked")];
    let acts = acts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{word} {n}"));
    let words: Vec<_> =
        acts.chain(ends.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}"))).collect();
    if words.is_empty() { "no changes".into() } else { words.join(", ") }
}

/// The result of a refused apply.
pub const REFUSED_WORDS: &str = "refused: nothing was changed";

/// Describes the result of a fetch.
pub fn fetch_words(fetch: &Fetch) -> String {
    if let Some(refused) = &fetch.refused {
        return format!("refused: {refused}");
    }
    let all = [
        (fetch.came.len(), "fetched"),
        (fetch.moved.len(), "updated"),
        (fetch.more, "more"),
        (fetch.stayed, "unchanged"),
    ];
    let words: Vec<_> = all.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}")).collect();
    words.join(", ")
}

/// Describes one reason why a saved plan no longer holds.
pub fn moved_words(moved: &Moved) -> String {
    match moved {
        Moved::CompiledFor { words } => words.clone(),
        Moved::Source { file } => format!("{file} changed"),
        Moved::Module { name, from, to } => {
            let commit = |commit: &Option<String>| commit.clone().unwrap_or_else(|| "no commit".into());
            format!("module {name} changed from {} to {}", commit(from), commit(to))
        }
        Moved::Gone { resource } => format!("{resource} is no longer declared"),
        Moved::New { resource } => format!("{resource} is new"),
        Moved::Declared { resource } => format!("the declaration of {resource} changed"),
        Moved::Action { resource, .. } => format!("{resource} {}", difference_words(moved)),
        Moved::Sealed { resource }
        | Moved::Property { resource, .. }
        | Moved::Fails { resource, .. }
        | Moved::Blocked { resource, .. }
        | Moved::Works { resource, .. } => {
            format!("{resource}: {}", difference_words(moved))
        }
    }
}

/// The same for a resource that still exists, without its name.
pub(in crate::session) fn difference_words(moved: &Moved) -> String {
    match moved {
        Moved::Action { expected, found, .. } => {
            let (expected, found) = (format!("{expected:?}").to_lowercase(), format!("{found:?}").to_lowercase());
            format!("action: expected {expected}, now {found}")
        }
        Moved::Sealed { .. } => "its current content changed (private, not shown)".into(),
        Moved::Property { property, expected, found, .. } => {
            format!("{property}: {}, {}", expected_words(expected), found_words(expected, found))
        }
        Moved::Fails { why, .. } => format!("would fail now: {why}"),
        Moved::Blocked { by, .. } => format!("would be blocked now by {by}"),
        Moved::Works { why, .. } => format!("was to fail ({why}), would be applied now"),
        other => moved_words(other),
    }
}

fn expected_words(side: &Side) -> String {
    match side {
        Side::Read(value) => format!("expected {}", shown(value)),
        Side::Wanted(value) => format!("planned {}", shown(value)),
        Side::Right => "expected no change".into(),
        Side::NotRead => "unknown in the plan".into(),
    }
}

fn found_words(expected: &Side, found: &Side) -> String {
    match found {
        Side::Read(value) => format!("found {}", shown(value)),
        Side::Wanted(Some(value)) if value.holds_unknown() => "now known only after apply".into(),
        Side::Wanted(value) => format!("now planned {}", shown(value)),
        Side::Right if *expected == Side::Read(None) => "is already set as planned".into(),
        Side::Right => "is already as planned".into(),
        Side::NotRead => "now known only after apply".into(),
    }
}

/// Formats a value briefly.
fn shown(value: &Option<Value>) -> String {
    const LONGEST: usize = 60;
    let text = match value {
        None => return "unset".into(),
        Some(Value::Sensitive(_)) => return "(sensitive)".into(),
        Some(Value::Unknown) => return "known after apply".into(),
        Some(value) => value.to_json().to_string(),
    };
    let short: String = text.chars().take(LONGEST).collect();
    let dots = if short.len() < text.len() { "..." } else { "" };
    format!("{}{dots}", printable(&short))
}
