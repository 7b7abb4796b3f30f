//! A line of the log: its source, level and resource.

use crate::diag::Level;
use crate::graph::ResourceId;
use crate::plan::{LEVELS, Query};
use crate::tui::{list::ListPane, look::Role, widget::text};
use rustc_hash::FxHashMap;
use std::{collections::VecDeque, ops::Range};

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
    pub is_undone: bool,
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
        if self.dry.as_ref().is_some_and(|dry| dry.is_undone) { "  (undone)" } else { "" }
    }
}

/// Older lines are dropped to limit the memory.
const MOST_LINES: usize = 100_000;
const MOST_BYTES: usize = 32 << 20;
/// A longer line is cut.
const LONGEST: usize = 16 << 10;

#[derive(Debug, Default)]
pub struct Lines {
    entries: VecDeque<Entry>,
    bytes: usize,
    /// How many lines were dropped: the number of the first remaining one.
    dropped: usize,
}

impl Lines {
    pub fn push(&mut self, time: &str, source: Source, words: String) {
        self.add(time, source, words, None);
    }

    /// Adds a line of a dry run, about one resource's step or the whole run.
    pub fn push_dry(&mut self, time: &str, source: Source, words: String, run: u64, resource: Option<ResourceId>) {
        self.add(time, source, words, Some(Dry { run, resource, is_undone: false }));
    }

    /// A step was undone: marks its line, and the lines about the run's end, as undone.
    pub fn mark_undone(&mut self, run: u64, resource: &ResourceId) {
        let mut is_found = false;
        let entries = self.entries.iter_mut().rev();
        for dry in entries.filter_map(|entry| entry.dry.as_mut()).filter(|dry| dry.run == run) {
            match &dry.resource {
                Some(other) if other != resource && is_found => break,
                Some(other) if other != resource => {}
                of => {
                    is_found |= of.is_some();
                    dry.is_undone = true;
                }
            }
        }
    }

    /// The steps of dry runs are about to run again: returns the line number of each valid step. Marks the lines about
    /// the runs' ends as undone.
    pub fn valid_lines(&mut self) -> FxHashMap<ResourceId, usize> {
        let mut lines = FxHashMap::default();
        for (at, entry) in self.entries.iter_mut().enumerate() {
            match entry.dry.as_mut().filter(|dry| !dry.is_undone) {
                Some(Dry { resource: Some(resource), .. }) => _ = lines.insert(resource.clone(), self.dropped + at),
                Some(end) => end.is_undone = true,
                None => {}
            }
        }
        lines
    }

    /// A step that has a line ran again. If the result is the same, the line is kept for the new run; else it is marked
    /// as undone.
    pub fn confirm(&mut self, number: usize, words: &str, run: u64) -> bool {
        let entry = number.checked_sub(self.dropped).and_then(|at| self.entries.get_mut(at));
        let Some(Entry { words: text, dry: Some(dry), .. }) = entry else { return false };
        let is_same = text == words;
        if is_same {
            dry.run = run;
        }
        dry.is_undone = !is_same;
        is_same
    }

    fn add(&mut self, time: &str, source: Source, mut words: String, dry: Option<Dry>) {
        if words.len() > LONGEST {
            words.truncate(words.floor_char_boundary(LONGEST));
            words.push_str(" (cut)");
        }
        let entry = Entry { time: time.into(), source, words, dry };
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        while self.entries.len() > MOST_LINES || self.bytes > MOST_BYTES {
            let Some(first) = self.entries.pop_front() else { break };
            self.bytes -= first.bytes();
            self.dropped += 1;
        }
    }

    /// The numbers of the lines, those of dropped ones excluded.
    pub fn numbers(&self) -> Range<usize> {
        self.dropped..self.count()
    }

    /// The number of the next line.
    pub fn count(&self) -> usize {
        self.dropped + self.entries.len()
    }

    pub fn get(&self, number: usize) -> Option<&Entry> {
        self.entries.get(number.checked_sub(self.dropped)?)
    }

    /// The newest lines with their numbers, the last first.
    pub fn newest(&self, most: usize) -> impl Iterator<Item = (usize, &Entry)> {
        self.entries.iter().enumerate().rev().take(most).map(|(at, entry)| (self.dropped + at, entry))
    }

    #[cfg(test)]
    pub fn text(&self) -> String {
        self.entries.iter().map(|entry| entry.line() + "\n").collect()
    }
}

/// The rows of the list: the numbers of the lines that match the filter.
#[derive(Debug, Default)]
pub struct Shown {
    /// The numbers of all lines so far.
    pub(super) all: Range<usize>,
    pub(super) filter: Option<Query>,
    /// The lines that match; only while there is a filter.
    pub(super) fitting: VecDeque<usize>,
}

#[derive(Debug)]
pub struct State {
    pub list: ListPane<Shown>,
    pub(super) follow: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_log_is_bounded() {
        let mut log = Lines::default();
        for at in 0..MOST_LINES + 10 {
            log.push("", Source::Run, at.to_string());
        }
        assert_eq!(log.numbers(), 10..MOST_LINES + 10);
        assert_eq!(log.get(10).map(|entry| &*entry.words), Some("10"));
        for _ in 0..3_000 {
            log.push("", Source::Run, "x".repeat(100_000));
        }
        assert!(log.bytes <= MOST_BYTES && log.bytes == log.entries.iter().map(Entry::bytes).sum::<usize>());
    }

    #[test]
    fn the_resource_of_a_line_is_found() {
        for (words, id) in [
            ("done http:server:file[/a b] in 3ms", Some("http:server:file[/a b]")),
            ("[note] svc[nginx]", Some("svc[nginx]")),
            ("nothing [here", None),
        ] {
            let entry = Entry { time: String::new(), source: Source::Run, words: words.into(), dry: None };
            assert_eq!(entry.resource(), id, "{words}");
        }
    }
}
