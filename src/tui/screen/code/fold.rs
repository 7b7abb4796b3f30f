//! Folds: maps lines of the text to visible rows and back.

use std::collections::BTreeSet;

use crate::highlight::Fold;
pub use crate::tui::keymap::action::Folding;

/// The folds of a text, and which of them are closed. Lines are counted from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Folds {
    /// By first line, at most one per line; they nest.
    all: Vec<Fold>,
    /// The first lines of the closed ones.
    closed: BTreeSet<usize>,
    /// The hidden lines of closed folds, without their first line. In order, without overlap.
    hidden: Vec<Fold>,
}

impl Folds {
    pub fn new(all: Vec<Fold>, closed: &BTreeSet<usize>) -> Self {
        let closed = all.iter().map(|fold| fold.first).filter(|first| closed.contains(first)).collect();
        let mut folds = Self { all, closed, hidden: Vec::new() };
        folds.update_hidden();
        folds
    }

    pub fn closed(&self) -> &BTreeSet<usize> {
        &self.closed
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The closed fold that starts at a visible line.
    pub fn closed_at(&self, line: usize) -> Option<Fold> {
        let at = self.hidden.binary_search_by_key(&line, |fold| fold.first).ok()?;
        Some(self.hidden[at])
    }

    /// The row of a line; of a hidden line, the row of the fold's first line.
    pub fn row_of(&self, line: usize) -> usize {
        let before = self.hidden.iter().take_while(|fold| fold.first < line);
        line - before.map(|fold| fold.last.min(line) - fold.first).sum::<usize>()
    }

    /// The line of a row.
    pub fn line_of(&self, row: usize) -> usize {
        let mut line = row;
        for fold in &self.hidden {
            if fold.first >= line {
                break;
            }
            line += fold.last - fold.first;
        }
        line
    }

    pub fn fold(&mut self, how: Folding, line: usize) {
        match how {
            Folding::OpenAll => self.closed.clear(),
            Folding::CloseAll => self.closed = self.all.iter().map(|fold| fold.first).collect(),
            Folding::Toggle if self.closed.contains(&line) => self.closed.retain(|first| *first != line),
            Folding::Toggle => self.close_around(line),
        }
        self.update_hidden();
    }

    /// Closes the innermost open fold around a line.
    fn close_around(&mut self, line: usize) {
        let holds = |fold: &&Fold| (fold.first..=fold.last).contains(&line) && !self.closed.contains(&fold.first);
        let innermost = self.all.iter().filter(holds).max_by_key(|fold| fold.first).map(|fold| fold.first);
        self.closed.extend(innermost);
    }

    /// Opens all folds around a line.
    pub fn reveal(&mut self, line: usize) {
        let hides = |fold: &&Fold| fold.first < line && line <= fold.last && self.closed.contains(&fold.first);
        let opened: Vec<usize> = self.all.iter().filter(hides).map(|fold| fold.first).collect();
        if !opened.is_empty() {
            self.closed.retain(|first| !opened.contains(first));
            self.update_hidden();
        }
    }

    fn update_hidden(&mut self) {
        self.hidden.clear();
        for fold in self.all.iter().filter(|fold| self.closed.contains(&fold.first)) {
            // Folds that start where another ends, as in `} else {`, hide no line twice.
            match self.hidden.last() {
                Some(around) if fold.first < around.last => {}
                Some(before) if fold.first == before.last => {
                    let (first, last) = (before.first, before.last.max(fold.last));
                    self.hidden.pop();
                    self.hidden.push(Fold { first, last });
                }
                _ => self.hidden.push(*fold),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_lines_lead_to_each_other() {
        let fold = |first, last| Fold { first, last };
        let mut folds = Folds::new(vec![fold(1, 6), fold(2, 4), fold(8, 9)], &BTreeSet::new());
        folds.fold(Folding::Toggle, 3);
        let rows = |folds: &Folds| (0..11).map(|line| folds.row_of(line)).collect::<Vec<_>>();
        assert_eq!(rows(&folds), [0, 1, 2, 2, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!((folds.line_of(2), folds.line_of(3), folds.line_of(8)), (2, 5, 10));
        folds.fold(Folding::Toggle, 3);
        assert_eq!(rows(&folds), [0, 1, 1, 1, 1, 1, 1, 2, 3, 4, 5]);
        folds.fold(Folding::Toggle, 8);
        assert_eq!((0..6).map(|row| folds.line_of(row)).collect::<Vec<_>>(), [0, 1, 7, 8, 10, 11]);
        folds.reveal(4);
        assert_eq!(rows(&folds), [0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 9]);
        folds.fold(Folding::CloseAll, 0);
        assert_eq!(folds.closed_at(1), Some(fold(1, 6)));
        assert_eq!(folds.closed_at(2), None);
        folds.fold(Folding::Toggle, 1);
        assert_eq!(folds.closed_at(2), Some(fold(2, 4)));
        folds.fold(Folding::OpenAll, 0);
        assert_eq!(rows(&folds), (0..11).collect::<Vec<_>>());
        // One fold starts on the last line of another.
        let mut folds = Folds::new(vec![fold(0, 2), fold(2, 4)], &BTreeSet::new());
        folds.fold(Folding::CloseAll, 0);
        assert_eq!((folds.row_of(4), folds.row_of(5), folds.line_of(1)), (0, 1, 5));
    }
}
