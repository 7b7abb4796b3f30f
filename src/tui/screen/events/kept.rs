//! What is kept of the past: a row for each event that was taken in, and which resources it changed.
//!
//! Rows are numbered from the start of the watch. The oldest are dropped where the graphs that they hold on to grow too many.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::graph::ResourceId;
use crate::session::follow::Fate;
use crate::session::moment::Moment;

/// More nodes of graphs than this, and the oldest rows are dropped.
const MOST_NODES: usize = 4_000_000;
/// As many rows are kept, however large their graphs are.
const FEWEST_ROWS: usize = 2;

/// A row: an event that was taken in, or several in a row that made no difference.
#[derive(Debug)]
pub struct Row {
    /// The last of them, with what differs since before the first.
    pub moment: Arc<Moment>,
    /// When it came, `hh:mm:ss`.
    pub time: String,
    pub times: u32,
    /// What keeping it costs, in nodes.
    weight: usize,
}

/// How often a resource came out different, up to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The last time.
    pub fate: Fate,
    pub count: usize,
    /// The last time is that row.
    pub is_now: bool,
}

/// The rows at which a resource differed.
#[derive(Debug, Default)]
struct Marks {
    /// Those that were dropped.
    dropped: usize,
    rows: VecDeque<(usize, Fate)>,
}

/// The rows, oldest first.
#[derive(Debug, Default)]
pub struct Kept {
    rows: VecDeque<Row>,
    /// The number of the oldest row that is kept.
    dropped: usize,
    weight: usize,
    marks: FxHashMap<ResourceId, Marks>,
}

impl Kept {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// How many older rows were dropped; the numbers of rows count on from there.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// The number of the next row.
    pub fn end(&self) -> usize {
        self.dropped + self.rows.len()
    }

    /// The number of the newest row.
    pub fn newest(&self) -> usize {
        self.end().saturating_sub(1)
    }

    pub fn last(&self) -> Option<&Row> {
        self.rows.back()
    }

    /// A row by its place among those that are kept.
    pub fn at(&self, index: usize) -> Option<&Row> {
        self.rows.get(index)
    }

    /// A row by its number.
    pub fn numbered(&self, number: usize) -> Option<&Row> {
        self.rows.get(number.checked_sub(self.dropped)?)
    }

    /// What came of a resource until the row of this number.
    pub fn mark(&self, id: &ResourceId, until: usize) -> Option<Mark> {
        let marks = self.marks.get(id)?;
        let count = marks.rows.partition_point(|(row, _)| *row <= until);
        let (row, fate) = *marks.rows.get(count.checked_sub(1)?)?;
        Some(Mark { fate, count: marks.dropped + count, is_now: row == until })
    }

    /// Adds a row; what makes no difference may join the row before where that made none either. Returns how many were dropped.
    pub fn push(&mut self, time: String, moment: Arc<Moment>, may_join: bool) -> usize {
        if let Some(row) = self.rows.back_mut().filter(|row| may_join && joins(&row.moment, &moment)) {
            let mut joined = Moment::clone(&moment);
            for (change, before) in joined.changes.iter_mut().zip(&row.moment.changes) {
                change.from.clone_from(&before.from);
            }
            (row.moment, row.time, row.times) = (Arc::new(joined), time, row.times + 1);
            return 0;
        }
        let number = self.end();
        for one in &moment.resources {
            self.marks.entry(one.resource.clone()).or_default().rows.push_back((number, one.fate));
        }
        let is_new = self.rows.back().is_none_or(|row| !Arc::ptr_eq(&row.moment.graph, &moment.graph));
        let weight = 16 + moment.resources.len() * 8 + if is_new { moment.graph.len() } else { 0 };
        self.weight += weight;
        self.rows.push_back(Row { moment, time, times: 1, weight });
        let before = self.dropped;
        while self.weight > MOST_NODES && self.rows.len() > FEWEST_ROWS {
            self.drop_oldest();
        }
        self.dropped - before
    }

    fn drop_oldest(&mut self) {
        let Some(row) = self.rows.pop_front() else { return };
        for one in &row.moment.resources {
            if let Some(marks) = self.marks.get_mut(&one.resource) {
                marks.dropped += usize::from(marks.rows.pop_front().is_some());
            }
        }
        self.weight -= row.weight;
        self.dropped += 1;
    }
}

/// Whether neither made a difference, and both are of the same inputs.
fn joins(before: &Moment, now: &Moment) -> bool {
    let inputs = |moment: &Moment| moment.changes.iter().map(|change| change.input.clone()).collect::<Vec<_>>();
    before.is_still() && now.is_still() && now.fresh.is_empty() && inputs(before) == inputs(now)
}
