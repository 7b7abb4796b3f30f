//! A line of the log: where it comes from, how much it matters, and what it tells of.

use crate::diag::Level;
use crate::graph::ResourceId;
use crate::plan::LEVELS;
use crate::tui::look::Role;
use crate::tui::widget::text;

/// Where a line comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The command that does the same as an action.
    Command,
    Run,
    /// What went wrong in a run.
    Failure,
    Work,
    Problem,
    /// What the program printed while it was compiled.
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

    /// The levels at which it is shown, as queries name them, the one that shows most first.
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
    /// What a dry run told, and nothing did.
    pub dry: Option<Dry>,
}

/// Of which dry run a line is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dry {
    pub run: u64,
    /// Whose turn it tells of; nothing where it is of the run as a whole.
    pub resource: Option<ResourceId>,
    /// One stepped back over that turn since.
    pub is_taken_back: bool,
}

impl Entry {
    pub(super) fn bytes(&self) -> usize {
        self.time.len() + self.words.len()
    }

    pub(super) fn line(&self) -> String {
        format!("{} {:<8}{}{}", self.time, self.word().0, text::safe(&self.words), self.fate())
    }

    /// What it is of. A dry run says so: what it did was not done.
    pub(super) fn word(&self) -> (&'static str, Role) {
        match (self.source.word(), &self.dry) {
            (("step", role), Some(_)) => ("dry", role),
            (word, _) => word,
        }
    }

    /// The resource that it tells of, or else the first that its words name.
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

    /// What became of what it tells, behind its words.
    pub(super) fn fate(&self) -> &'static str {
        if self.dry.as_ref().is_some_and(|dry| dry.is_taken_back) { "  (undone)" } else { "" }
    }
}
