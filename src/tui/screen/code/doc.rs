//! An open file: its text with colours, its outline, and its cursor.

use std::{path::PathBuf, sync::Arc};

use ratatui::text::Line;

use super::cursor::{self, Along, Glyph};
use super::fold::{Folding, Folds};
use crate::highlight::{Document, Fold, Grammar, OutlineItem, folds, outline};
use crate::tui::widget::list::{List, Move};

/// A line and a column, both from 1, as places count them.
pub type Spot = (u32, u32);

/// A parsed file with its outline, made by a worker.
#[derive(Debug)]
pub struct Paint {
    pub document: Document,
    pub outline: Vec<OutlineItem>,
    pub folds: Vec<Fold>,
}

impl Paint {
    /// Parses a text; the file name determines the language.
    pub fn new(text: Arc<str>, name: &str) -> Self {
        let document = Document::new(text, Grammar::of_file_name(name));
        let (outline, folds) = (outline(&document), folds(&document));
        Self { document, outline, folds }
    }
}

/// The cursor in a file, and the visible part.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    /// The cursor's line, from 0, and the first visible one.
    pub list: List,
    /// The byte offset of the character under the cursor.
    pub byte: usize,
    /// The column that vertical moves keep, also over shorter lines.
    goal: usize,
    /// How many columns are scrolled out of view on the left.
    pub left: usize,
}

#[derive(Debug)]
pub struct Doc {
    /// The name in places.
    pub name: Arc<str>,
    pub path: Option<PathBuf>,
    pub document: Document,
    /// Why its file cannot be read any more; the text is the last one that was read.
    pub gone: Option<String>,
    pub outline: Vec<OutlineItem>,
    pub(super) position: Position,
    pub(super) folds: Folds,
    /// The start of a selection.
    pub(super) anchor: Option<(usize, usize)>,
    /// The matches of the last search.
    pub(super) found: Found,
    /// The coloured lines of the last window, in order: colouring costs more than drawing.
    pub(super) painted: Vec<(usize, Line<'static>)>,
}

impl Doc {
    /// The line of the cursor, from 1.
    pub fn line(&self) -> u32 {
        self.position.list.cursor as u32 + 1
    }

    pub fn spot(&self) -> Spot {
        (self.line(), cursor::to_place(self.here(), self.position.byte))
    }

    pub fn len(&self) -> usize {
        // The cursor never goes to the empty line after a final line break.
        let count = self.document.line_count();
        if count > 1 && self.document.line_range(count - 1).is_empty() { count - 1 } else { count }
    }

    pub fn line_text(&self, line: usize) -> &str {
        &self.document.text()[self.document.line_range(line)]
    }

    fn here(&self) -> &str {
        self.line_text(self.position.list.cursor)
    }

    /// The character under the cursor; `None` on an empty line.
    pub(super) fn glyph(&self) -> Option<Glyph> {
        cursor::at_byte(self.here(), self.position.byte)
    }

    /// Goes to a place, or to the nearest one in the text.
    pub(super) fn go_to(&mut self, (line, column): Spot) {
        self.position.list.cursor = (line.saturating_sub(1) as usize).min(self.len().saturating_sub(1));
        self.reveal();
        self.put(cursor::of_place(self.here(), column));
    }

    /// Goes to a line's first word.
    pub(super) fn go_to_line(&mut self, line: usize) {
        self.position.list.cursor = line.min(self.len().saturating_sub(1));
        self.reveal();
        self.put(cursor::first_word(self.here()).unwrap_or(0));
    }

    /// Moves to another line, and keeps the column if that line is long enough.
    pub(super) fn go(&mut self, step: Move, count: usize, height: usize) {
        let mut rows = self.rows();
        rows.go(step, count, self.row_count(), height);
        self.position.list = self.lines_of(rows);
        self.position.byte = cursor::at_column(self.here(), self.position.goal).map_or(0, |glyph| glyph.byte);
    }

    /// Scrolls, and moves the cursor only as far as it must.
    pub(super) fn pan(&mut self, step: Move, count: usize, height: usize) {
        let mut rows = self.rows();
        let before = rows.cursor;
        rows.pan(step, count, self.row_count(), height);
        self.position.list = self.lines_of(rows);
        if rows.cursor != before {
            self.go_in_column(self.position.list.cursor);
        }
    }

    /// Goes to another line, and keeps the column if that line is long enough.
    pub(super) fn go_in_column(&mut self, line: usize) {
        self.position.list.cursor = line;
        self.position.byte = cursor::at_column(self.here(), self.position.goal).map_or(0, |glyph| glyph.byte);
    }

    /// Goes to a drawn line and column, both from 0.
    pub(super) fn go_to_drawn(&mut self, line: usize, column: usize) {
        self.position.list.cursor = line;
        self.put(cursor::at_column(self.here(), column).map_or(0, |glyph| glyph.byte));
    }

    /// Moves along the line; moves by words also reach other lines.
    pub(super) fn along(&mut self, way: Along, count: usize) {
        for _ in 0..count {
            match cursor::along(self.here(), self.position.byte, way) {
                Some(byte) => self.put(byte),
                None => self.along_lines(way),
            }
        }
    }

    /// To the next or previous word on another line; stays if there is none.
    fn along_lines(&mut self, way: Along) {
        let at = self.position.list.cursor;
        let first_on = |line: &usize| cursor::first_word(self.line_text(*line)).map(|byte| (*line, byte));
        let found = match way {
            Along::WordBack => {
                let line = (0..at).rev().find(|line| first_on(line).is_some());
                line.and_then(|line| {
                    let text = self.line_text(line);
                    Some((line, cursor::along(text, text.len(), Along::WordBack)?))
                })
            }
            _ => (at + 1..self.len()).find_map(|line| first_on(&line)),
        };
        let Some((line, byte)) = found else { return };
        self.position.list.cursor = line;
        self.reveal();
        self.put(byte);
    }

    /// The list of unfolded lines, as rows.
    fn rows(&self) -> List {
        let List { cursor, offset, .. } = self.position.list;
        List { cursor: self.folds.row_of(cursor), offset: self.folds.row_of(offset) }
    }

    fn lines_of(&self, rows: List) -> List {
        List { cursor: self.folds.line_of(rows.cursor), offset: self.folds.line_of(rows.offset) }
    }

    /// How many lines are unfolded.
    pub(super) fn row_count(&self) -> usize {
        self.folds.row_of(self.len().saturating_sub(1)) + 1
    }

    /// The lines of the first visible rows.
    pub(super) fn lines_in_view(&self, height: usize) -> impl Iterator<Item = usize> {
        let first = self.folds.row_of(self.position.list.offset);
        (first..(first + height).min(self.row_count())).map(|row| self.folds.line_of(row))
    }

    /// Opens the folds around the cursor's line.
    fn reveal(&mut self) {
        self.folds.reveal(self.position.list.cursor);
    }

    /// Folds or unfolds; the cursor goes to the visible line of a fold that hides it.
    pub(super) fn fold(&mut self, how: Folding) {
        let last = self.len().saturating_sub(1);
        self.folds.fold(how, self.position.list.cursor.min(last));
        let there = self.folds.line_of(self.folds.row_of(self.position.list.cursor));
        if there != self.position.list.cursor {
            self.go_to_line(there);
        }
    }

    fn put(&mut self, byte: usize) {
        self.position.byte = byte;
        self.position.goal = self.glyph().map_or(0, |glyph| glyph.column);
    }

    /// Clamps the cursor to a character after the text has changed, and scrolls it into view.
    pub(super) fn clamp(&mut self, width: usize, height: usize) {
        let len = self.len();
        self.position.list.cursor = self.position.list.cursor.min(len.saturating_sub(1));
        let mut rows = self.rows();
        rows.clamp(self.row_count(), height);
        self.position.list = self.lines_of(rows);
        let glyph = self.glyph();
        self.position.byte = glyph.map_or(0, |glyph| glyph.byte);
        let (first, after) = glyph.map_or((0, 1), |glyph| (glyph.column, glyph.column + glyph.width.max(1)));
        // Half a window at a time: each scroll redraws everything.
        if after <= width {
            self.position.left = 0;
        } else if first < self.position.left || after > self.position.left + width {
            self.position.left = first.saturating_sub(width / 2);
        }
    }
}

/// The matches in a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) words: String,
    /// Lines from 0 and bytes in them, in order.
    pub(super) places: Vec<(usize, usize)>,
}
