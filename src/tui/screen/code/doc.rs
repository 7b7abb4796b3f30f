//! An open file: its text with colours, its outline, and where one stands in it.

use std::path::PathBuf;
use std::sync::Arc;

use ratatui::text::Line;

use super::cursor::{self, Along, Glyph};
use super::fold::{Folding, Folds};
use super::search::Found;
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
    /// Parses a text; what is in it is told by its file's name.
    pub fn new(text: Arc<str>, name: &str) -> Self {
        let document = Document::new(text, Grammar::of_file_name(name));
        let (outline, folds) = (outline(&document), folds(&document));
        Self { document, outline, folds }
    }
}

/// Where one stands in a file, and which part of it is in view.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stand {
    /// The line, from 0, and the first one in view.
    pub list: List,
    /// Where the character under the cursor begins in its line.
    pub byte: usize,
    /// The column that moves up and down keep to, also over shorter lines.
    goal: usize,
    /// How many columns are left of what is in view.
    pub left: usize,
}

/// An open file.
#[derive(Debug)]
pub struct Doc {
    /// As places name it.
    pub name: Arc<str>,
    pub path: Option<PathBuf>,
    pub document: Document,
    /// Why its file cannot be read any more: the text is what was read last.
    pub gone: Option<String>,
    pub outline: Vec<OutlineItem>,
    pub(super) stand: Stand,
    pub(super) folds: Folds,
    /// Where a selection began.
    pub(super) anchor: Option<(usize, usize)>,
    /// Where the words of the last search stand.
    pub(super) found: Found,
    /// The coloured lines of the last window, in order; colouring costs more than drawing.
    pub(super) painted: Vec<(usize, Line<'static>)>,
}

impl Doc {
    /// The line of the cursor, from 1.
    pub fn line(&self) -> u32 {
        self.stand.list.cursor as u32 + 1
    }

    /// Where the cursor is.
    pub fn spot(&self) -> Spot {
        (self.line(), cursor::to_place(self.here(), self.stand.byte))
    }

    pub fn len(&self) -> usize {
        // A line break at the end begins no line that one would want to stand on.
        let count = self.document.line_count();
        if count > 1 && self.document.line_range(count - 1).is_empty() { count - 1 } else { count }
    }

    pub fn line_text(&self, line: usize) -> &str {
        &self.document.text()[self.document.line_range(line)]
    }

    /// The line under the cursor.
    fn here(&self) -> &str {
        self.line_text(self.stand.list.cursor)
    }

    /// The character under the cursor; none on an empty line.
    pub(super) fn glyph(&self) -> Option<Glyph> {
        cursor::at_byte(self.here(), self.stand.byte)
    }

    /// Goes to a place, or as near as the text has it.
    pub(super) fn go_to(&mut self, (line, column): Spot) {
        self.stand.list.cursor = (line.saturating_sub(1) as usize).min(self.len().saturating_sub(1));
        self.reveal();
        self.put(cursor::of_place(self.here(), column));
    }

    /// Goes to a line's first word.
    pub(super) fn go_to_line(&mut self, line: usize) {
        self.stand.list.cursor = line.min(self.len().saturating_sub(1));
        self.reveal();
        self.put(cursor::first_word(self.here()).unwrap_or(0));
    }

    /// Moves to another line, in the same column where that line has it.
    pub(super) fn go(&mut self, step: Move, count: usize, height: usize) {
        let mut rows = self.rows();
        rows.go(step, count, self.row_count(), height);
        self.stand.list = self.lines_of(rows);
        self.stand.byte = cursor::at_column(self.here(), self.stand.goal).map_or(0, |glyph| glyph.byte);
    }

    /// Moves what is in view, and the cursor as far as it has to go along.
    pub(super) fn pan(&mut self, step: Move, count: usize, height: usize) {
        let mut rows = self.rows();
        let before = rows.cursor;
        rows.pan(step, count, self.row_count(), height);
        self.stand.list = self.lines_of(rows);
        if rows.cursor != before {
            self.go_in_column(self.stand.list.cursor);
        }
    }

    /// Goes to another line, in the same column where that line has it.
    pub(super) fn go_in_column(&mut self, line: usize) {
        self.stand.list.cursor = line;
        self.stand.byte = cursor::at_column(self.here(), self.stand.goal).map_or(0, |glyph| glyph.byte);
    }

    /// Goes to what is drawn at a line and column, both from 0.
    pub(super) fn go_to_drawn(&mut self, line: usize, column: usize) {
        self.stand.list.cursor = line;
        self.put(cursor::at_column(self.here(), column).map_or(0, |glyph| glyph.byte));
    }

    /// Moves along the line; by words also into the lines after and before it.
    pub(super) fn along(&mut self, way: Along, count: usize) {
        for _ in 0..count {
            match cursor::along(self.here(), self.stand.byte, way) {
                Some(byte) => self.put(byte),
                None => self.along_lines(way),
            }
        }
    }

    /// To the next or previous word on another line; stays where there is none.
    fn along_lines(&mut self, way: Along) {
        let at = self.stand.list.cursor;
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
        self.stand.list.cursor = line;
        self.reveal();
        self.put(byte);
    }

    /// The list of what folds leave, as rows.
    fn rows(&self) -> List {
        let List { cursor, offset, .. } = self.stand.list;
        List { cursor: self.folds.row_of(cursor), offset: self.folds.row_of(offset) }
    }

    fn lines_of(&self, rows: List) -> List {
        List { cursor: self.folds.line_of(rows.cursor), offset: self.folds.line_of(rows.offset) }
    }

    /// How many lines folds leave.
    pub(super) fn row_count(&self) -> usize {
        self.folds.row_of(self.len().saturating_sub(1)) + 1
    }

    /// The lines on the first rows that are in view.
    pub(super) fn lines_in_view(&self, height: usize) -> impl Iterator<Item = usize> {
        let first = self.folds.row_of(self.stand.list.offset);
        (first..(first + height).min(self.row_count())).map(|row| self.folds.line_of(row))
    }

    /// Opens what hides the cursor's line.
    fn reveal(&mut self) {
        self.folds.reveal(self.stand.list.cursor);
    }

    /// Folds or unfolds; the cursor goes to the line that stands for what hides it.
    pub(super) fn fold(&mut self, how: Folding) {
        let last = self.len().saturating_sub(1);
        self.folds.fold(how, self.stand.list.cursor.min(last));
        let there = self.folds.line_of(self.folds.row_of(self.stand.list.cursor));
        if there != self.stand.list.cursor {
            self.go_to_line(there);
        }
    }

    fn put(&mut self, byte: usize) {
        self.stand.byte = byte;
        self.stand.goal = self.glyph().map_or(0, |glyph| glyph.column);
    }

    /// Keeps the cursor on a character, after the text changed under it, and in view.
    pub(super) fn settle(&mut self, width: usize, height: usize) {
        let len = self.len();
        self.stand.list.cursor = self.stand.list.cursor.min(len.saturating_sub(1));
        let mut rows = self.rows();
        rows.settle(self.row_count(), height);
        self.stand.list = self.lines_of(rows);
        let glyph = self.glyph();
        self.stand.byte = glyph.map_or(0, |glyph| glyph.byte);
        let (first, after) = glyph.map_or((0, 1), |glyph| (glyph.column, glyph.column + glyph.width.max(1)));
        // Half a window at a time: each shift costs a whole picture.
        if after <= width {
            self.stand.left = 0;
        } else if first < self.stand.left || after > self.stand.left + width {
            self.stand.left = first.saturating_sub(width / 2);
        }
    }
}
