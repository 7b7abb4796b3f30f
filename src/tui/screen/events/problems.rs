//! What is wrong after an event, in words: where, and why.

use std::collections::BTreeSet;

use super::count_errors;
use crate::diag::{Diagnostic, Severity};
use crate::session::moment::Moment;
use crate::tui::widget::text;

/// More errors of one event than this are only counted in the log.
const MOST_LOGGED: usize = 20;

/// One of them: `web/main.mcl:11 evaluation failed: "x" is not a whole number`.
pub fn words(moment: &Moment, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.span.map(|span| moment.sources.place(span));
    let place = place.map(|place| format!("{}:{} ", text::safe(&place.file), place.line)).unwrap_or_default();
    format!("{place}{}: {}", diagnostic.code.summary(), text::safe(&diagnostic.label))
}

/// The errors of a moment that the one before did not have, a line each: what fails at every tick is told once.
pub fn new_errors(moment: &Moment, before: Option<&Moment>) -> Vec<String> {
    let mut told: BTreeSet<_> = before.into_iter().flat_map(errors).collect();
    let mut new: Vec<_> = errors(moment).filter(|words| told.insert(words.clone())).collect();
    let more = new.len().saturating_sub(MOST_LOGGED);
    if more > 0 {
        new.truncate(MOST_LOGGED);
        new.push(format!("and {} more", count_errors(more)));
    }
    new
}

fn errors(moment: &Moment) -> impl Iterator<Item = String> {
    let wrong = moment.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    wrong.map(|one| words(moment, one))
}
