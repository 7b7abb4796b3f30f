//! What a compilation reports, and what it has spent.

use std::collections::BTreeSet;

use super::issue::Issue;

/// A message of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    pub level: &'static str,
    pub message: String,
}

/// The messages and problems of a compilation, and its budget.
#[derive(Debug, Default)]
pub struct Output {
    pub logs: Vec<Log>,
    /// Problems of files that were loaded later.
    pub issues: Vec<Issue>,
    /// Warnings that are given once.
    pub warned: BTreeSet<String>,
    pub budget: Budget,
    /// Some value is unknown.
    pub has_unknown: bool,
}

/// What was spent.
#[derive(Debug, Default)]
pub struct Budget {
    pub steps: u64,
    /// Bytes of values that were built, freed or not.
    pub built: u64,
    pub next_look: u64,
}
