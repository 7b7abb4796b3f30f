//! Rows that moved up or down: found, and moved by the terminal itself.

use std::fmt::Write;
use std::hash::Hasher;
use std::ops::RangeInclusive;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;
use rustc_hash::FxHasher;

use super::ink::{Shade, shade};
use super::pen::Pen;
use super::run::UNKNOWN;

/// Fewer rows that differ are sent as they are.
const FEWEST_SCROLLED: usize = 4;
/// What moved further than this is sent anew: little of it would be left, and looking for it takes time.
const FURTHEST: usize = 40;
/// The columns that are compared at once where one looks for what was scrolled.
const PIECE: usize = 8;

/// Rows that moved: what stood on a row stands `by` rows higher now, or lower where that is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scroll {
    /// The rows of the region, both within it.
    pub top: usize,
    pub bottom: usize,
    pub by: isize,
}

impl Scroll {
    /// What moved between two frames of which these rows differ, if anything seems to have.
    pub fn between(shown: &Buffer, wanted: &Buffer, changed: &[usize]) -> Option<Self> {
        if shown.area != wanted.area || wanted.area.width == 0 || changed.len() < FEWEST_SCROLLED {
            return None;
        }
        let (&first, &last) = (changed.first()?, changed.last()?);
        let (old, new) = (pieces(shown, first..=last), pieces(wanted, first..=last));
        // How far away what is new in a row stood before, piece by piece.
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
        if most < changed.len() {
            return None;
        }
        let by = by as isize - FURTHEST as isize;
        // How much of a row stands there already when all has moved by so much, against what does as it is.
        let gain = |row: usize| {
            let new = &new[row - first];
            let same = |there: &[u64]| new.iter().zip(there).filter(|(new, old)| **new != 0 && new == old).count();
            let from = row.checked_add_signed(by).filter(|from| (first..=last).contains(from));
            from.map_or(0, |from| same(&old[from - first]) as isize - same(&old[row - first]) as isize)
        };
        let gains: Vec<isize> = (first..=last).map(gain).collect();
        if gains.iter().sum::<isize>() <= 0 {
            return None;
        }
        let from = first + gains.iter().position(|gain| *gain > 0)?;
        let to = first + gains.iter().rposition(|gain| *gain > 0)?;
        let top = from.min(from.checked_add_signed(by)?);
        let bottom = to.max(to.checked_add_signed(by)?);
        Some(Self { top, bottom, by })
    }

    /// Tells the terminal to move the rows, and gives what it shows then.
    ///
    /// Terminals differ in the ground that new rows have.
    pub fn apply(self, shown: &Buffer, pen: &mut Pen, out: &mut String) -> Buffer {
        let Self { top, bottom, by } = self;
        let _ = write!(out, "\x1b[{};{}r", top + 1, bottom + 1);
        // To be told a region brings the cursor somewhere else, and so does to be told of none.
        pen.lose();
        let count = by.unsigned_abs();
        let width = usize::from(shown.area.width);
        let mut moved = shown.clone();
        let region = &mut moved.content[top * width..(bottom + 1) * width];
        let new = if by > 0 {
            pen.go((0, bottom), out);
            out.extend(std::iter::repeat_n('\n', count));
            region.rotate_left(count * width);
            region.len() - count * width..region.len()
        } else {
            pen.go((0, top), out);
            out.extend(std::iter::repeat_n("\x1bM", count));
            region.rotate_right(count * width);
            0..count * width
        };
        region[new].fill(Cell::new(UNKNOWN));
        out.push_str("\x1b[r");
        pen.lose();
        moved
    }
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
