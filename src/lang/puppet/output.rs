//! What a compilation reports, and what it has spent.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::environment::Files;
use super::eval::left_out::LeftOut;
use super::issue::Issue;
use super::types::Ty;
use super::value::Value;
use crate::lang::Budget;

/// A message of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    pub level: &'static str,
    pub message: String,
}

/// The messages and problems of a compilation, and its budget.
pub struct Output<'w> {
    /// Asked whether the compilation has to end.
    pub files: &'w dyn Files,
    pub logs: Vec<Log>,
    /// Problems of files that were loaded later.
    pub issues: Vec<Issue>,
    /// Warnings that are given once.
    pub warned: BTreeSet<String>,
    /// What the compilation may still spend.
    pub budget: Rc<Budget>,
    /// Some value is unknown.
    pub has_unknown: bool,
    /// A loop may have ended with a `break`.
    pub has_open_break: bool,
    /// What was left out may have declared this.
    pub left_out: LeftOut,
    /// Large values by their types and addresses; held, so that no other value gets the address.
    pub instances: FxHashMap<(Ty, usize), Value>,
}

impl<'w> Output<'w> {
    /// No messages yet, and all of a budget.
    pub fn new(budget: Rc<Budget>, files: &'w dyn Files) -> Self {
        Self {
            files,
            logs: Vec::new(),
            issues: Vec::new(),
            warned: BTreeSet::new(),
            budget,
            has_unknown: false,
            has_open_break: false,
            left_out: LeftOut::default(),
            instances: FxHashMap::default(),
        }
    }
}
