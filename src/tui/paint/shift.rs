//! Cells of a row that moved left or right, found, and moved by the terminal itself: what is put into a line of hints moves
//! those after it.
//!
//! Characters are inserted and deleted (ICH and DCH of ECMA-48; all since the VT102 know them), which moves all to the end of
//! the row; where only some of it moved the other one of the two puts the rest back.

use std::hash::BuildHasher;

use ratatui::buffer::Cell;
use rustc_hash::FxBuildHasher;

use super::pen::Pen;
use super::run::{UNKNOWN, is_same, is_single, runs_of_row};

/// What moved further is written again.
const FURTHEST: usize = 24;
/// Rows that take fewer bytes come out no shorter,
const FEWEST_BYTES: usize = 80;
/// and so few cells take no more.
const FEWEST_CELLS: usize = 16;

/// Cells of a row that moved. What is between them and where they were is not known afterwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shift {
    /// The first column that it touches, and the one after the last.
    from: usize,
    to: usize,
    by: usize,
    is_left: bool,
}

/// Has a row's cells moved where that makes the rest shorter, in what is shown too.
///
/// Gives whether it had.
pub fn shift_row(pen: &mut Pen, y: usize, shown: &mut [Cell], new: &[Cell], out: &mut String) -> bool {
    let cost = |pen: Pen, old: &[Cell]| {
        let mut runs = Vec::new();
        runs_of_row(y, old, new, pen.erases(), &mut runs);
        pen.cost(&runs)
    };
    let differing = shown.iter().zip(new).filter(|(old, new)| old.symbol() != new.symbol()).count();
    if differing < FEWEST_CELLS || !shown.iter().chain(new).all(is_single) {
        return false;
    }
    let as_it_is = cost(*pen, shown);
    let can = as_it_is >= FEWEST_BYTES;
    let Some(shift) = can.then(|| Shift::between(shown, new)).flatten() else { return false };
    let (mut after, mut moved, mut told) = (*pen, shown.to_vec(), String::new());
    shift.apply(y, &mut moved, &mut after, &mut told);
    if told.len() + cost(after, &moved) >= as_it_is {
        return false;
    }
    *pen = after;
    shown.clone_from_slice(&moved);
    out.push_str(&told);
    true
}

impl Shift {
    /// What of a row moved, if anything seems to have.
    fn between(old: &[Cell], new: &[Cell]) -> Option<Self> {
        let mut differing = (0..new.len()).filter(|x| !is_same(&old[*x], &new[*x]));
        let from = differing.next()?;
        let to = differing.next_back()? + 1;
        let (was, is): (Vec<u64>, Vec<u64>) = (old.iter().map(mark).collect(), new.iter().map(mark).collect());
        // So many cells with something in them stand where they are wanted when those from a column to another have moved.
        let kept = |shift: Self| {
            let (low, high) = (shift.from..shift.to - shift.by, shift.from + shift.by..shift.to);
            let (was, is) = if shift.is_left { (&was[high], &is[low]) } else { (&was[low], &is[high]) };
            was.iter().zip(is).filter(|(was, is)| was == is && **is != 0).count()
        };
        let most = FURTHEST.min((to - from).saturating_sub(1));
        let all = (1..=most).flat_map(|by| [true, false].map(|is_left| Self { from, to, by, is_left }));
        let best = all.max_by_key(|shift| (kept(*shift), std::cmp::Reverse(shift.by)))?;
        (kept(best) > 0).then_some(best)
    }

    fn apply(self, y: usize, row: &mut [Cell], pen: &mut Pen, out: &mut String) {
        let Self { from, to, by, is_left } = self;
        let (delete_at, insert_at) = if is_left { (from, to - by) } else { (to - by, from) };
        let has_rest = to < row.len();
        if is_left || has_rest {
            pen.go((delete_at, y), out);
            out.push_str(&format!("\x1b[{by}P"));
        }
        if !is_left || has_rest {
            pen.go((insert_at, y), out);
            out.push_str(&format!("\x1b[{by}@"));
        }
        let cells = &mut row[from..to];
        if is_left {
            cells.rotate_left(by);
        } else {
            cells.rotate_right(by);
        }
        row[insert_at..insert_at + by].fill(Cell::new(UNKNOWN));
    }
}

/// A number that stands for how a cell looks; 0 for one without a character.
fn mark(cell: &Cell) -> u64 {
    match cell.symbol() {
        " " | UNKNOWN => 0,
        symbol => FxBuildHasher.hash_one((symbol, cell.fg, cell.bg, cell.modifier)).max(1),
    }
}
