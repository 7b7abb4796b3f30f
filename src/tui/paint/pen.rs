//! What is in force at the terminal while cells are written: where its cursor is, and the style.

use super::ink::{Ink, number};
use super::run::{Run, What};
use super::way::way;

/// More runs are written as they come: cursor moves make no more, to choose would take time, and what costs is their text.
const FEW: usize = 32;
/// So many of the runs are tried as the first one,
const BEGINS: usize = 8;
/// and so many of those that are left are looked at for the nearest one.
const AT_ONCE: usize = 16;

/// Where the terminal's cursor is and how it writes, from one frame to the next.
#[derive(Clone, Copy, Debug)]
pub struct Pen {
    /// The column and the row of the cursor; `None` where nobody knows.
    at: Option<(usize, usize)>,
    ink: Ink,
    /// What is erased takes the ground that is in force (back_color_erase in terminfo(5)).
    erases: bool,
    /// The terminal scrolls between a left and a right margin (DECLRMM).
    has_margins: bool,
}

impl Pen {
    /// A terminal's that is in its own style.
    pub fn new(erases: bool) -> Self {
        Self { at: None, ink: Ink::default(), erases, has_margins: false }
    }

    /// The terminal said that it knows margins on the left and the right.
    pub fn take_margins(&mut self) {
        self.has_margins = true;
    }

    pub fn has_margins(self) -> bool {
        self.has_margins
    }

    pub fn erases(self) -> bool {
        self.erases
    }

    /// The terminal was told to be in its own style, and its cursor may be anywhere.
    pub fn reset(&mut self) {
        (self.at, self.ink) = (None, Ink::default());
    }

    /// Nobody knows where the cursor is.
    pub fn lose(&mut self) {
        self.at = None;
    }

    /// Brings the cursor to a column and a row, both from 0.
    pub fn go(&mut self, to: (usize, usize), out: &mut String) {
        if self.at != Some(to) {
            way(self.at, to, out);
            self.at = Some(to);
        }
    }

    /// Writes all runs in whichever order is the shortest of some: as they come, or one of them first and then always the one
    /// that takes the least to get to.
    pub fn write_all(&mut self, runs: &[Run], out: &mut String) {
        let begins = if (2..=FEW).contains(&runs.len()) { BEGINS } else { 0 };
        let mut steps =
            Steps { costs: vec![None; if begins > 0 { runs.len() * runs.len() } else { 0 }], tried: String::new() };
        let by_choice = (0..runs.len().min(begins)).map(|first| self.written_from(first, runs, &mut steps));
        let in_order = self.written(runs.iter());
        let (pen, shortest) = by_choice.fold(in_order, |best, new| if new.1.len() < best.1.len() { new } else { best });
        *self = pen;
        out.push_str(&shortest);
    }

    /// The bytes of all runs as they come.
    pub fn cost(self, runs: &[Run]) -> usize {
        self.written(runs.iter()).1.len()
    }

    fn written<'a>(mut self, runs: impl Iterator<Item = &'a Run>) -> (Self, String) {
        let mut out = String::new();
        runs.for_each(|run| self.write(run, &mut out));
        (self, out)
    }

    fn written_from(mut self, first: usize, runs: &[Run], steps: &mut Steps) -> (Self, String) {
        let mut out = String::new();
        let mut left: Vec<usize> = (0..runs.len()).collect();
        let mut next = Some(first);
        while let Some(place) = next {
            let chosen = left.remove(place);
            self.write(&runs[chosen], &mut out);
            next = (0..left.len().min(AT_ONCE)).min_by_key(|next| steps.cost(self, chosen, left[*next], runs));
        }
        (self, out)
    }

    fn write(&mut self, run: &Run, out: &mut String) {
        self.go(run.at, out);
        let ink = run.look.ink(self.ink);
        self.ink.change(ink, out);
        self.ink = ink;
        match &run.what {
            What::Text(text) => out.push_str(text),
            What::Erased(1) => out.push_str("\x1b[X"),
            What::Erased(count) => {
                out.push_str("\x1b[");
                number(*count, out);
                out.push('X');
            }
        }
        self.at = run.end.map(|end| (end, run.at.1));
    }
}

/// What it takes to get from one run to another, as far as that was asked for.
///
/// A run of blanks leaves the style in force that it found, more or less; what it found the first time stands for all, which
/// is good enough to choose by.
struct Steps {
    costs: Vec<Option<u16>>,
    tried: String,
}

impl Steps {
    /// The bytes that come between two runs.
    fn cost(&mut self, pen: Pen, from: usize, to: usize, runs: &[Run]) -> u16 {
        let known = &mut self.costs[from * runs.len() + to];
        *known.get_or_insert_with(|| {
            self.tried.clear();
            let run = &runs[to];
            if pen.at != Some(run.at) {
                way(pen.at, run.at, &mut self.tried);
            }
            pen.ink.change(run.look.ink(pen.ink), &mut self.tried);
            self.tried.len() as u16
        })
    }
}
