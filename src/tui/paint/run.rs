//! What of a row has to be written: runs of cells that look the same.
//!
//! Nobody sees which colour a blank would draw in, so blanks belong to any run with their ground; many of them at once are
//! erased rather than written.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::buffer::Cell;
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

use super::ink::Ink;

/// Longer gaps between cells that differ are jumped over; what stands in shorter ones is written again.
const LONGEST_GAP: usize = 4;
/// So many blanks at the end of a run are erased,
const ERASED: usize = 7;
/// and so many where something follows them, to which the cursor has to go.
const ERASED_AMID: usize = 13;

/// The symbol of a cell that shows nobody knows what.
pub const UNKNOWN: &str = "\u{10ffff}";

/// Cells beside each other that are written with one style.
#[derive(Debug)]
pub struct Run {
    /// The column and the row of its first cell.
    pub at: (usize, usize),
    pub look: Look,
    pub what: What,
    /// The column where the cursor is afterwards; `None` where terminals differ in that.
    pub end: Option<usize>,
}

/// What style a run needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Blanks: any that draws nothing, with this ground.
    Ground(Color),
    Ink(Ink),
}

#[derive(Debug)]
pub enum What {
    Text(String),
    /// So many cells are blanked, and the cursor stays.
    Erased(usize),
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let ink = Ink::of(cell);
        if text(cell) == " " && ink.is_plain() { Self::Ground(ink.bg) } else { Self::Ink(ink) }
    }

    /// The style to be used where another one is in force.
    pub fn ink(self, before: Ink) -> Ink {
        match self {
            Self::Ink(ink) => ink,
            Self::Ground(bg) if before.bg == bg && before.is_plain() => before,
            Self::Ground(bg) => before.on_ground(bg),
        }
    }

    /// The one that serves both, if any does.
    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Ground(bg), Self::Ink(ink)) | (Self::Ink(ink), Self::Ground(bg)) => {
                (ink.bg == bg && ink.is_plain()).then_some(Self::Ink(ink))
            }
            _ => (self == other).then_some(self),
        }
    }
}

/// What is written for a cell.
fn text(cell: &Cell) -> &str {
    let symbol = cell.symbol();
    // What draws nothing has no place in a cell; whoever put it there must not reach the terminal with it.
    if symbol.is_empty() || symbol.contains(|c: char| c.is_control()) { " " } else { symbol }
}

/// Whether a cell that is shown looks as another one would.
pub fn is_same(shown: &Cell, wanted: &Cell) -> bool {
    match (shown.symbol().as_bytes(), wanted.symbol().as_bytes()) {
        // Nearly all are such, and this is asked of every cell of a row.
        (&[one @ 0x20..0x7f], &[other @ 0x20..0x7f]) => {
            let is_alike = || Ink::of(shown) == Ink::of(wanted) || Look::of(shown) == Look::of(wanted);
            one == other && is_alike()
        }
        _ => shown.symbol() != UNKNOWN && text(shown) == text(wanted) && Look::of(shown) == Look::of(wanted),
    }
}

/// Whether a cell holds one character of which all know that it takes one column.
pub fn is_single(cell: &Cell) -> bool {
    let symbol = cell.symbol();
    symbol.len() == 1 || symbol == UNKNOWN || symbol.chars().nth(1).is_none() && symbol.width() == 1
}

/// Whether no cell before a column of a row reaches over it.
pub fn is_apart(row: &[Cell], at: usize) -> bool {
    /// No character is wider.
    const WIDEST: usize = 4;
    row[at.saturating_sub(WIDEST)..at].iter().all(is_single)
}

/// The columns that a row's cells take: none where the one before reaches over it. Those outside the range are not looked at.
fn widths(cells: &[Cell], range: Range<usize>) -> Vec<Option<usize>> {
    let mut covered = 0;
    let widths = cells[range.clone()].iter().map(|cell| {
        if covered > 0 {
            covered -= 1;
            return None;
        }
        let symbol = cell.symbol();
        let width = if symbol.len() == 1 { 1 } else { symbol.width().max(1) };
        covered = width - 1;
        Some(width)
    });
    let mut all = vec![Some(1); range.start];
    all.extend(widths);
    all.resize(cells.len(), Some(1));
    all
}

/// The columns between which two rows differ, and which no cell before or in them reaches out of.
fn differing(old: &[Cell], new: &[Cell]) -> Range<usize> {
    let is_same = |x: &usize| is_same(&old[*x], &new[*x]);
    let first = (0..new.len()).take_while(is_same).count();
    let end = new.len() - (first..new.len()).rev().take_while(is_same).count();
    let is_apart = |at: usize| is_apart(old, at) && is_apart(new, at);
    if is_apart(first) && is_apart(end) { first..end } else { 0..new.len() }
}

/// Adds what makes of a row that is shown the wanted one, from left to right.
///
/// `erases`: what the terminal erases takes the ground that is in force.
pub fn runs_of_row(y: usize, old: &[Cell], new: &[Cell], erases: bool, runs: &mut Vec<Run>) {
    let range = differing(old, new);
    let of_old = widths(old, range.clone());
    let of_new = widths(new, range.clone());
    let is_changed = |x: usize| match (of_old[x], of_new[x]) {
        (Some(_), Some(_)) => !is_same(&old[x], &new[x]),
        (None, None) => false,
        _ => true,
    };
    let mut row = Row { y, columns: new.len(), erases, runs, open: None };
    for x in range {
        let Some(width) = of_new[x] else { continue };
        if (x..(x + width).min(new.len())).any(is_changed) {
            row.bridge(x, new, &of_new);
            row.put(x, &new[x], width);
        }
    }
    row.close(false);
}

/// A row whose runs are gathered.
struct Row<'a> {
    y: usize,
    columns: usize,
    erases: bool,
    runs: &'a mut Vec<Run>,
    open: Option<Open>,
}

/// A run that may become longer.
struct Open {
    x: usize,
    look: Look,
    text: String,
    end: usize,
    /// So many of its last cells are blank.
    blanks: usize,
}

impl Row<'_> {
    /// Writes over a gap before a cell where that is the shortest way to it.
    fn bridge(&mut self, to: usize, row: &[Cell], widths: &[Option<usize>]) {
        let Some(open) = &self.open else { return };
        let (look, gap) = (open.look, open.end..to);
        let joins =
            |x: usize| widths[x] == Some(1) && text(&row[x]).is_ascii() && look.and(Look::of(&row[x])) == Some(look);
        if gap.len() <= LONGEST_GAP && gap.clone().all(joins) {
            gap.for_each(|x| self.put(x, &row[x], 1));
        } else if !gap.is_empty() {
            self.close(false);
        }
    }

    fn put(&mut self, x: usize, cell: &Cell, width: usize) {
        let look = Look::of(cell);
        // Terminals differ in how wide they draw what is more than a character.
        let is_doubtful = text(cell).chars().nth(1).is_some();
        let written = self.blanked(x, width, cell, is_doubtful);
        let is_blank = matches!(look, Look::Ground(_));
        let is_far = |open: &Open| self.erases && !is_blank && open.blanks >= ERASED_AMID;
        match &mut self.open {
            Some(open) if open.look.and(look).is_some() && !is_far(open) => {
                open.look = open.look.and(look).unwrap_or(look);
                open.text.push_str(&written);
                open.end = x + width;
                open.blanks = if is_blank { open.blanks + 1 } else { 0 };
            }
            _ => {
                self.close(true);
                self.open =
                    Some(Open { x, look, text: written.into_owned(), end: x + width, blanks: usize::from(is_blank) });
            }
        }
        if width > 1 || is_doubtful {
            self.close_at(None, true);
        }
    }

    /// The text of a cell; of one that a terminal may draw narrower, behind what blanks its columns, so that nothing of what stood
    /// there shows beside it.
    fn blanked<'c>(&self, x: usize, width: usize, cell: &'c Cell, is_doubtful: bool) -> Cow<'c, str> {
        let text = text(cell);
        if !is_doubtful || width < 2 {
            return text.into();
        }
        match self.erases {
            true => format!("\x1b[{width}X{text}").into(),
            // Behind the last column there is no way back that all terminals agree on.
            false if x + width < self.columns => format!("{}\x1b[{width}D{text}", " ".repeat(width)).into(),
            false => text.into(),
        }
    }

    /// The open run is whole; `is_followed` by another one without a gap.
    fn close(&mut self, is_followed: bool) {
        let end = self.open.as_ref().map(|open| open.end);
        self.close_at(end, is_followed);
    }

    fn close_at(&mut self, end: Option<usize>, is_followed: bool) {
        let Some(Open { x, look, mut text, end: last, blanks }) = self.open.take() else { return };
        let most = if is_followed { ERASED_AMID } else { ERASED };
        let erased = if self.erases && blanks >= most { blanks } else { 0 };
        text.truncate(text.len() - erased);
        let from = last - erased;
        // At the end of a row the next one is open.
        let end = if erased > 0 { Some(from) } else { end.filter(|end| *end < self.columns) };
        if !text.is_empty() {
            self.runs.push(Run { at: (x, self.y), look, what: What::Text(text), end });
        }
        if let (1.., Some(ground)) = (erased, look.ground()) {
            let (look, what) = (Look::Ground(ground), What::Erased(erased));
            self.runs.push(Run { at: (from, self.y), look, what, end: Some(from) });
        }
    }
}

impl Look {
    fn ground(self) -> Option<Color> {
        match self {
            Self::Ground(bg) => Some(bg),
            Self::Ink(ink) => ink.is_plain().then_some(ink.bg),
        }
    }
}
