//! The folds of the order: the steps of one class, or of one file, on a row.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::graph::{Graph, ResourceId};
use crate::plan::Plan;

/// Which steps belong together, and which of these groups are folded.
#[derive(Debug, Default)]
pub struct Folds {
    /// The group of each step of the plan.
    of: Vec<usize>,
    /// The name of each group.
    names: Vec<String>,
    /// The names of the folded ones, which stay for the next plan.
    closed: BTreeSet<String>,
    /// The visible rows; `None` while nothing is folded.
    lines: Option<Vec<Line>>,
    /// The visible row of each step.
    rows: Vec<usize>,
}

/// A visible row.
#[derive(Debug)]
pub enum Line {
    /// A step, by its position in the plan.
    Step(usize),
    /// A folded group: its name, and its steps.
    Group(usize, Vec<usize>),
}

impl Folds {
    /// The groups of another plan: a step is in its innermost class, or else in its file.
    pub fn renew(&mut self, plan: &Plan, graph: Option<&Graph>) {
        let inside = |id: &ResourceId| {
            let graph = graph?;
            graph.resource(graph.find(id)?)?.container.last().map(ToString::to_string)
        };
        let (mut found, mut names) = (FxHashMap::default(), Vec::new());
        let of = plan.steps.iter().map(|step| {
            let file = || step.source.as_ref().map_or_else(String::new, |place| place.file.to_string());
            let name = inside(&step.resource).unwrap_or_else(file);
            *found.entry(name.clone()).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        });
        self.of = of.collect();
        self.names = names;
        self.lines = None;
    }

    /// Makes the visible rows. Folds hide nothing from a filter.
    pub fn list(&mut self, is_filtered: bool) {
        self.lines = None;
        if is_filtered || self.closed.is_empty() {
            return;
        }
        let is_closed: Vec<bool> = self.names.iter().map(|name| self.closed.contains(name)).collect();
        let (mut lines, mut line_of) = (Vec::new(), vec![usize::MAX; self.names.len()]);
        self.rows = vec![0; self.of.len()];
        for (at, group) in self.of.iter().copied().enumerate() {
            let line = if is_closed[group] { line_of[group] } else { usize::MAX };
            if let Some(Line::Group(_, steps)) = lines.get_mut(line) {
                steps.push(at);
                self.rows[at] = line;
                continue;
            }
            self.rows[at] = lines.len();
            line_of[group] = lines.len();
            lines.push(if is_closed[group] { Line::Group(group, vec![at]) } else { Line::Step(at) });
        }
        self.lines = Some(lines);
    }

    pub fn lines(&self) -> Option<&[Line]> {
        self.lines.as_deref()
    }

    /// The visible row of a step; `None` while nothing is folded.
    pub fn row_of(&self, step: usize) -> Option<usize> {
        self.lines.as_ref().and(self.rows.get(step).copied())
    }

    /// The name and the steps of a folded group, by its visible row.
    pub fn group(&self, row: usize) -> Option<(&str, &[usize])> {
        match self.lines.as_ref()?.get(row)? {
            Line::Group(group, steps) => Some((&self.names[*group], steps)),
            Line::Step(_) => None,
        }
    }

    pub fn close_all(&mut self) {
        self.closed = self.names.iter().cloned().collect();
    }

    pub fn open_all(&mut self) {
        self.closed.clear();
    }

    /// Folds the group of a step, or unfolds it.
    pub fn toggle(&mut self, step: usize) {
        let Some(name) = self.of.get(step).map(|group| &self.names[*group]) else { return };
        if !self.closed.remove(name) {
            self.closed.insert(name.clone());
        }
    }

    /// Unfolds the group of a step; false if it is not folded.
    pub fn open(&mut self, step: usize) -> bool {
        let name = self.of.get(step).map(|group| &self.names[*group]);
        name.is_some_and(|name| self.closed.remove(name))
    }
}
