//! The items of a picker, in the order in which they were found.

use std::{path::PathBuf, sync::Arc};

use crate::graph::ResourceId;
use crate::source::Place;
use crate::tui::screen::code::Spot;

/// Where an item leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    File(PathBuf, Spot),
    /// A place in one of the program's texts.
    Place(Place),
    Resource(ResourceId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Safe to draw.
    pub shown: String,
    /// Its other text; printable, and maybe empty.
    pub note: String,
    pub target: Target,
}

impl Item {
    /// The text that words are matched against.
    pub fn with_line<T>(&self, look: impl FnOnce(&str) -> T) -> T {
        if self.note.is_empty() { look(&self.shown) } else { look(&format!("{} {}", self.shown, self.note)) }
    }
}

/// Items in batches, as they arrived: a batch is shared and never copied.
#[derive(Clone, Debug, Default)]
pub struct Items {
    batches: Vec<Arc<[Item]>>,
    /// The position of the first item of each batch.
    starts: Vec<usize>,
    len: usize,
}

impl Items {
    pub fn add(&mut self, batch: Arc<[Item]>) {
        if !batch.is_empty() {
            self.starts.push(self.len);
            self.len += batch.len();
            self.batches.push(batch);
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn get(&self, at: usize) -> Option<&Item> {
        let batch = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
        self.batches[batch].get(at - self.starts[batch])
    }
}
