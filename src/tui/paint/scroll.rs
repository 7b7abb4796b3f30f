//! Rows that moved up or down: found, and moved by the terminal itself.

use std::fmt::Write;
use std::hash::Hasher;
use std::ops::{Range, RangeInclusive};

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;
use rustc_hash::FxHasher;

use super::ink::{Shade, shade};
use super::pen::Pen;
use super::run::{UNKNOWN, is_apart, is_same};

/// Fewer rows that differ are sent as they are.
const FEWEST_SCROLLED: usize = 4;
/// What moved further than this is sent anew: little of it would be left, and looking for it takes time.
const FURTHEST: usize = 40;
/// The bytes, more or less, that bring the cursor to where something else differs.
const JUMP: isize = 8;
/// The columns that are compared at once where one looks for what was scrolled.
const PIECE: usize = 8;

/// Rows that moved: what stood on a row stands `by` rows higher now, or lower where that is negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scroll {
    /// The rows of the region, both within it.
    pub top: usize,
    pub bottom: usize,
    pub by: isize,
    /// The columns of the region; all of them where nothing is said.
    pub columns: Option<Range<usize>>,
}

impl Scroll {
    /// What moved between two frames of which these rows differ, if anything seems to have.
    ///
    /// `narrow`: some of the columns can be moved alone.
    pub fn between(shown: &Buffer, wanted: &Buffer, changed: &[usize], narrow: bool) -> Option<Self> {
        if shown.area != wanted.area || wanted.area.width == 0 || changed.len() < FEWEST_SCROLLED {
            return None;
        }
        let (&first, &last) = (changed.first()?, changed.last()?);
        let (old, new) = (pieces(shown, first..=last), pieces(wanted, first..=last));
        let by = distance(&old, &new, changed)?;
        let from = |row: usize| row.checked_add_signed(by).filter(|from| (first..=last).contains(from));
        let columns = narrow.then(|| moved_columns(shown, wanted, first..=last, from)).flatten();
        // How much of a row stands there already when those columns of it have moved by so much, against what does as it is.
        let gain = |row: usize, columns: Option<&Range<usize>>| {
            let Some(from) = from(row) else { return 0 };
            let same = |there: usize| match columns {
                Some(columns) => {
                    columns.clone().filter(|x| is_same(&cells(shown, there)[*x], &cells(wanted, row)[*x])).count()
                }
                None => {
                    let pieces = new[row - first].iter().zip(&old[there - first]);
                    pieces.filter(|(new, old)| **new != 0 && new == old).count()
                }
            };
            same(from) as isize - same(row) as isize
        };
        [columns, None].into_iter().find_map(|columns| {
            let gains: Vec<isize> = (first..=last).map(|row| gain(row, columns.as_ref())).collect();
            if gains.iter().sum::<isize>() <= 0 {
                return None;
            }
            let from = first + gains.iter().position(|gain| *gain > 0)?;
            let to = first + gains.iter().rposition(|gain| *gain > 0)?;
            let top = from.min(from.checked_add_signed(by)?);
            let bottom = to.max(to.checked_add_signed(by)?);
            Some(Self { top, bottom, by, columns })
        })
    }

    /// Tells the terminal to move the rows, and gives what it shows then.
    ///
    /// Terminals differ in the ground that new rows have.
    pub fn apply(&self, shown: &Buffer, pen: &mut Pen, out: &mut String) -> Buffer {
        let Self { top, bottom, by, ref columns } = *self;
        let width = usize::from(shown.area.width);
        let Range { start, end } = columns.clone().unwrap_or(0..width);
        if columns.is_some() {
            // DECLRMM and DECSLRM.
            let _ = write!(out, "\x1b[?69h\x1b[{};{}s", start + 1, end);
        }
        let _ = write!(out, "\x1b[{};{}r", top + 1, bottom + 1);
        // To be told a region brings the cursor somewhere else, and so does to be told of none.
        pen.lose();
        let count = by.unsigned_abs();
        if by > 0 {
            pen.go((start, bottom), out);
            out.extend(std::iter::repeat_n('\n', count));
        } else {
            pen.go((start, top), out);
            out.extend(std::iter::repeat_n("\x1bM", count));
        }
        // With the mode the columns are forgotten.
        out.push_str(if columns.is_some() { "\x1b[?69l\x1b[r" } else { "\x1b[r" });
        pen.lose();
        let mut moved = shown.clone();
        for y in top..=bottom {
            let to = &mut moved.content[y * width + start..y * width + end];
            match y.checked_add_signed(by).filter(|from| (top..=bottom).contains(from)) {
                Some(from) => to.clone_from_slice(&shown.content[from * width + start..from * width + end]),
                None => to.fill(Cell::new(UNKNOWN)),
            }
        }
        moved
    }
}

/// How far below most of what is new in a row stood before; nothing where little did. `old` and `new` begin with the first of
/// the changed rows.
fn distance(old: &[Vec<u64>], new: &[Vec<u64>], changed: &[usize]) -> Option<isize> {
    let first = changed.first()?;
    // Piece by piece.
    let mut votes = [0_usize; 2 * FURTHEST + 1];
    for row in changed {
        let (new, old_here) = (&new[row - first], &old[row - first]);
        let near = || changed.iter().filter(|from| from.abs_diff(*row) <= FURTHEST);
        for column in (0..new.len()).filter(|column| new[*column] != 0 && new[*column] != old_here[*column]) {
            for from in near().filter(|from| old[**from - first][column] == new[column]) {
                votes[from + FURTHEST - row] += 1;
            }
        }
    }
    let (by, most) =
        votes.into_iter().enumerate().max_by_key(|(at, votes)| (*votes, usize::MAX - at.abs_diff(FURTHEST)))?;
    (most >= changed.len()).then_some(by as isize - FURTHEST as isize)
}

/// The columns that come out right when these rows have moved, where that is not all of them; `from`: where a row was before.
fn moved_columns(
    shown: &Buffer,
    wanted: &Buffer,
    rows: RangeInclusive<usize>,
    from: impl Fn(usize) -> Option<usize>,
) -> Option<Range<usize>> {
    let width = usize::from(shown.area.width);
    let mut gains = vec![0_isize; width];
    for y in rows.clone() {
        let new = cells(wanted, y);
        let mut add = |row: Option<&[Cell]>, sign: isize| {
            let mut is_run = false;
            for (x, gain) in gains.iter_mut().enumerate() {
                let differs = row.is_none_or(|row| !is_same(&row[x], &new[x]));
                *gain += sign * if differs { 1 + if is_run { 0 } else { JUMP } } else { 0 };
                is_run = differs;
            }
        };
        add(Some(cells(shown, y)), 1);
        add(from(y).map(|from| cells(shown, from)), -1);
    }
    let columns = best_range(&gains);
    let is_whole = |at: usize| rows.clone().all(|y| is_apart(cells(shown, y), at));
    // Margins with nothing between them are none.
    let is_part = (2..width).contains(&columns.len()) && is_whole(columns.start) && is_whole(columns.end);
    is_part.then_some(columns)
}

/// The columns beside each other that gain the most, as few as do.
fn best_range(gains: &[isize]) -> Range<usize> {
    let (mut best, mut most) = (0..0, 0);
    let (mut start, mut sum) = (0, 0);
    for (x, gain) in gains.iter().enumerate() {
        if sum <= 0 {
            (start, sum) = (x, 0);
        }
        sum += gain;
        if sum > most {
            (best, most) = (start..x + 1, sum);
        }
    }
    best
}

fn cells(buffer: &Buffer, y: usize) -> &[Cell] {
    let width = usize::from(buffer.area.width);
    &buffer.content[y * width..(y + 1) * width]
}

/// Rows in pieces that can be compared quickly; 0 is one without anything in it.
fn pieces(buffer: &Buffer, rows: RangeInclusive<usize>) -> Vec<Vec<u64>> {
    let width = usize::from(buffer.area.width);
    let row = |y: usize| &buffer.content[y * width..(y + 1) * width];
    rows.map(|y| row(y).chunks(PIECE).map(piece).collect()).collect()
}

fn piece(cells: &[Cell]) -> u64 {
    let mut hasher = FxHasher::default();
    let mut is_empty = true;
    for cell in cells {
        let symbol = match cell.symbol().as_bytes() {
            &[byte] => u64::from(byte),
            bytes => {
                hasher.write(bytes);
                0
            }
        };
        is_empty &= symbol == u64::from(b' ');
        hasher.write_u64(symbol | u64::from(cell.modifier.bits()) << 8 | code(cell.fg) << 24);
        hasher.write_u64(code(cell.bg));
    }
    if is_empty { 0 } else { hasher.finish().max(1) }
}

/// A colour as a number of 32 bits.
fn code(color: Color) -> u64 {
    match shade(color) {
        Shade::Own => 0,
        Shade::Indexed(index) => 1 << 24 | u64::from(index),
        Shade::Rgb(red, green, blue) => 2 << 24 | u64::from(u32::from_be_bytes([0, red, green, blue])),
    }
}
