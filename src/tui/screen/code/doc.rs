//! An open file: its text with colours, its outline, and where one stands in it.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use ratatui::text::Line;

use crate::highlight::{Document, OutlineItem};
use crate::tui::widget::list::List;

/// A parsed file with its outline, made by a worker.
#[derive(Debug)]
pub struct Paint {
    pub document: Document,
    pub outline: Vec<OutlineItem>,
}

/// An open file.
#[derive(Debug)]
pub struct Doc {
    /// As places name it.
    pub name: Arc<str>,
    pub path: Option<PathBuf>,
    pub document: Document,
    pub outline: Vec<OutlineItem>,
    pub(super) list: List,
    /// The coloured lines of the last window; colouring costs more than drawing.
    pub(super) painted: (Range<usize>, Vec<Line<'static>>),
}

impl Doc {
    /// The line of the cursor, from 1.
    pub fn line(&self) -> u32 {
        self.list.cursor as u32 + 1
    }

    pub(super) fn len(&self) -> usize {
        // A line break at the end begins no line that one would want to stand on.
        let count = self.document.line_count();
        if count > 1 && self.document.line_range(count - 1).is_empty() { count - 1 } else { count }
    }

    pub(super) fn line_text(&self, line: usize) -> &str {
        &self.document.text()[self.document.line_range(line)]
    }
}
