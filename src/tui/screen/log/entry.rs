//! A line of the log: its source, level and resource.

use crate::diag::Level;
use crate::graph::ResourceId;
use crate::plan::{LEVELS, Query};
use crate::tui::list::ListPane;
use crate::tui::look::Role;
use crate::tui::widget::text;
use std::collections::VecDeque;

/// The source of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The equivalent command of an action.
    Command,
    Run,
    /// A failure in a run.
    Failure,
    Work,
    Problem,
    /// Output of the program during its compilation.
    Program(Level),
}

impl Source {
    pub(super) fn word(self) -> (&'static str, Role) {
        match self {
            Source::Command => ("command", Role::Note),
            Source::Run => ("step", Role::Text),
            Source::Failure => ("step", Role::Failed),
            Source::Work => ("tool", Role::Dim),
            Source::Problem => ("problem", Role::Error),
            Source::Program(Level::Debug | Level::Info) => ("program", Role::Dim),
            Source::Program(Level::Notice) => ("program", Role::Text),
            Source::Program(Level::Warning) => ("program", Role::Warning),
            Source::Program(_) => ("program", Role::Error),
        }
    }

    /// The levels at which it is shown, as queries name them, the most verbose first.
    pub(super) fn levels(self) -> &'static [&'static str] {
        let least = match self {
            Source::Work | Source::Program(Level::Debug | Level::Info) => 1,
            Source::Command | Source::Run | Source::Program(Level::Notice) => 2,
            Source::Problem | Source::Failure | Source::Program(_) => 3,
        };
        &LEVELS[..least]
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub time: String,
    pub source: Source,
    pub words: String,
    /// Set for a line of a dry run.
    pub dry: Option<Dry>,
}

/// The dry run of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dry {
    pub run: u64,
    /// The resource of the step; `None` for the run as a whole.
    pub resource: Option<ResourceId>,
    /// The step was undone since.
    pub is_taken_back: bool,
}

impl Entry {
    pub(super) fn bytes(&self) -> usize {
        self.time.len() + self.words.len()
    }

    pub(super) fn line(&self) -> String {
        format!("{} {:<8}{}{}", self.time, self.word().0, text::safe(&self.words), self.mark())
    }

    /// The kind of line. A dry run has its own words, because it changed nothing.
    pub(super) fn word(&self) -> (&'static str, Role) {
        match (self.source.word(), &self.dry) {
            (("step", role), Some(_)) => ("dry", role),
            (word, _) => word,
        }
    }

    /// Its resource, or else the first one in its text.
    pub(super) fn resource(&self) -> Option<&str> {
        if let Some(id) = self.dry.as_ref().and_then(|dry| dry.resource.as_ref()) {
            return Some(&id.0);
        }
        let words = &*self.words;
        let (open, _) =
            words.match_indices('[').find(|(open, _)| words[..*open].ends_with(|c: char| c.is_ascii_alphanumeric()))?;
        let is_kind = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '_' | '-');
        let start = words[..open].rfind(|c| !is_kind(c)).map_or(0, |at| at + 1);
        let end = open + words[open..].find(']')? + 1;
        words.get(start..end)
    }

    /// The mark after its text.
    pub(super) fn mark(&self) -> &'static str {
        if self.dry.as_ref().is_some_and(|dry| dry.is_taken_back) { "  (undone)" } else { "" }
    }
}

/// All lines, and those that match the filter.
#[derive(Debug, Default)]
pub struct Lines {
    pub(super) entries: VecDeque<Entry>,
    pub(super) bytes: usize,
    /// How many lines were dropped: the number of the first remaining one.
    pub(super) dropped: usize,
    pub(super) filter: Option<Query>,
    /// The numbers of the lines that match the filter; only while there is one.
    pub(super) shown: VecDeque<usize>,
}

#[derive(Debug)]
pub struct State {
    pub list: ListPane<Lines>,
    pub(super) follow: bool,
}
