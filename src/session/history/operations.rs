//! The log of all operations: deploys, saved plans and fetches.

use std::path::{Component, Path, PathBuf};

use crate::deploy::note;
use crate::host::journal::Purpose;
use crate::plan::{Plan, SavedPlan, Tally};
use crate::session::history::{StateError, Summary};
use crate::session::{Downloaded, NotFetched, Session, keeping, state_path};

pub use super::words::{REFUSED_WORDS, fetch_words, plan_words};
pub use crate::deploy::{Fetch, MadePlan, Operation, Operations, What};

/// One line of the log of operations.
#[derive(Clone, Debug, PartialEq)]
pub enum LogEntry {
    Deploy(Box<Summary>),
    Operation(Operation),
}

impl LogEntry {
    /// Returns the kind as in queries; `None` if it is unreadable.
    pub fn kind(&self) -> Option<&'static str> {
        Some(match self {
            LogEntry::Deploy(summary) => match summary.begin.as_ref()?.purpose {
                Purpose::Apply => "apply",
                Purpose::Resume { .. } => "resume",
                Purpose::Undo { .. } => "undo",
            },
            LogEntry::Operation(Operation { what: What::Plan(_), .. }) => "plan",
            LogEntry::Operation(Operation { what: What::Fetch(_), .. }) => "fetch",
            LogEntry::Operation(Operation { what: What::Refused { .. }, .. }) => "apply",
        })
    }
}

/// Returns plans and fetches, oldest first.
pub fn operations(state: Option<&PathBuf>) -> Result<Operations, StateError> {
    crate::deploy::operations(&state_path(state)?)
}

/// Merges deploys and operations, newest first. Deploys are ordered by their numbers, regardless of the clock.
pub fn merge_log(deploys: Vec<Summary>, operations: Vec<Operation>) -> Vec<LogEntry> {
    let mut all = Vec::with_capacity(deploys.len() + operations.len());
    let mut operations = operations.into_iter().rev().peekable();
    for deploy in deploys {
        if let Some(begin) = &deploy.begin {
            while let Some(operation) = operations.next_if(|operation| operation.time > begin.time) {
                all.push(LogEntry::Operation(operation));
            }
        }
        all.push(LogEntry::Deploy(Box::new(deploy)));
    }
    all.extend(operations.map(LogEntry::Operation));
    all
}

impl Session {
    /// Records a plan. A saved plan is recorded with its own hash and its file.
    pub fn note_plan(&self, plan: &Plan, saved: Option<(&SavedPlan, &Path)>) {
        let tally = Tally::of(&plan.steps);
        let made = MadePlan {
            plan: saved.map_or(&plan.plan, |(saved, _)| &saved.plan).clone(),
            path: self.entry_path(),
            compiled_for: Some(Box::new(plan.compiled_for.clone())),
            summary: plan.summary,
            failing: tally.would_fail,
            tally: Some(Box::new(tally)),
            file: saved.map(|(_, file)| std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf())),
        };
        self.note(What::Plan(made));
    }

    /// Returns the path of the entry; `None` for code passed as text.
    pub fn entry_path(&self) -> Option<PathBuf> {
        let entry = self.entry();
        let bundle = self.options().bundle.as_ref().map(|bundle| &bundle.path);
        let path = bundle.or(entry.file.as_ref().filter(|_| entry.code.is_none()));
        path.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()))
    }

    /// Returns the name of the entry in the history: its absolute path, or the display name of code.
    #[expect(clippy::disallowed_methods, reason = "it names what the user entered, which programs do not see")]
    pub(in crate::session) fn place(&self) -> String {
        let entry = self.entry();
        if entry.code.is_some() {
            return entry.shown.clone();
        }
        let typed = self.options().bundle.as_ref().map_or(Path::new(&entry.shown), |bundle| &bundle.path);
        let path = std::path::absolute(typed).unwrap_or_else(|_| typed.to_path_buf());
        // `..` after a link leads elsewhere.
        let turns = path.components().any(|part| part == Component::ParentDir);
        let path = path.canonicalize().ok().filter(|_| turns).unwrap_or(path);
        path.components().collect::<PathBuf>().to_str().map_or_else(|| entry.shown.clone(), str::to_owned)
    }

    /// Records the changes of a fetch, or why it was refused. A fetch without changes is not recorded.
    pub(in crate::session) fn note_fetch(&self, ended: &Result<Downloaded, Box<NotFetched>>) {
        let fetch = match ended {
            Ok(summary) if summary.came.is_empty() && summary.moved.is_empty() => return,
            Ok(summary) => Fetch {
                came: summary.came.clone(),
                moved: summary.moved.clone(),
                stayed: summary.stayed.len() + summary.edited.len() + summary.kept.len(),
                ..Fetch::default()
            },
            Err(not) => {
                let first = not.report.diagnostics.iter().next();
                let words = |problem: &crate::diag::Diagnostic| match problem.label.as_str() {
                    "" => problem.code.summary().to_owned(),
                    label => label.to_owned(),
                };
                Fetch { refused: Some(first.map(words).unwrap_or_default()), ..Fetch::default() }
            }
        };
        self.note(What::Fetch(fetch));
    }

    fn note(&self, what: What) {
        let Ok(state) = state_path(self.options().state.as_ref()) else { return };
        let who = keeping::who();
        let user = who.behind.unwrap_or(who.user);
        let operation = Operation { time: who.time, user, entry: self.place(), what };
        // A failure only leaves out a line of the list. An apply reports what is wrong with the folder.
        let _ = note(&state, operation);
    }
}
