//! The list pane of every list: selection, filter, folds, and the window of visible rows.

use crossterm::event::KeyCode;

use super::widget::list::{List, Move};
use super::{keymap::action::Folding, keys::Key, widget::text};

/// The visible rows of a list, in order.
pub trait Rows {
    /// The subject of a row, which stays when rows are added, hidden or shown.
    type Key: Clone + PartialEq;

    fn len(&self) -> usize;

    fn key(&self, at: usize) -> Option<Self::Key>;

    /// The row of a subject, or the row that hides it.
    fn find(&self, key: &Self::Key) -> Option<usize> {
        (0..self.len()).find(|at| self.key(*at).as_ref() == Some(key))
    }

    /// Whether a row belongs to the row above, and cannot be selected.
    fn is_beside(&self, _at: usize) -> bool {
        false
    }

    /// The drawn line of a row, and the number of drawn lines, if other lines are between the rows.
    fn line(&self, at: usize) -> usize {
        at
    }

    fn lines(&self) -> usize {
        self.len()
    }

    /// Folds or unfolds at a row, or all rows. Returns the row to select if the row's subject is hidden then.
    fn fold(&mut self, _how: Folding, _at: usize) -> Option<Self::Key> {
        None
    }

    /// Unfolds whatever hides a subject.
    fn reveal(&mut self, _key: &Self::Key) {}
}

impl<T: Clone + PartialEq> Rows for Vec<T> {
    type Key = T;

    fn len(&self) -> usize {
        self.len()
    }

    fn key(&self, at: usize) -> Option<T> {
        self.get(at).cloned()
    }
}

/// A list with its cursor, its window and its filter.
#[derive(Clone, Debug)]
pub struct ListPane<R: Rows> {
    pub rows: R,
    /// The cursor counts rows, the offset drawn lines.
    pub at: List,
    words: String,
    /// The row under the cursor before the first filter word; `None` once the cursor was moved.
    start: Option<R::Key>,
}

impl<R: Rows + Default> Default for ListPane<R> {
    fn default() -> Self {
        Self::new(R::default())
    }
}

impl<R: Rows> ListPane<R> {
    pub fn new(rows: R) -> Self {
        Self { rows, at: List::default(), words: String::new(), start: None }
    }

    pub fn cursor(&self) -> usize {
        self.at.cursor
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.len() == 0
    }

    /// The words of the filter; empty if there is none.
    pub fn words(&self) -> &str {
        &self.words
    }

    pub fn selected(&self) -> Option<R::Key> {
        self.rows.key(self.at.cursor)
    }

    /// Selects a subject; false if no row shows it.
    pub fn select(&mut self, key: &R::Key) -> bool {
        let found = self.rows.find(key);
        self.at.cursor = found.unwrap_or(self.at.cursor);
        found.is_some()
    }

    /// The same, and unfolds what hides it.
    pub fn show(&mut self, key: &R::Key) -> bool {
        self.rows.reveal(key);
        self.select(key)
    }

    /// Moves the cursor by the user's key; true if it reached another row.
    pub fn go(&mut self, step: Move, count: usize, height: usize) -> bool {
        let (before, len) = (self.at.cursor, self.rows.len());
        self.start = None;
        self.at.go(step, count, len, height);
        let at = self.at.cursor;
        if self.rows.is_beside(at) {
            let is_down = at > before && at + 1 < len;
            self.at.cursor = if is_down { at + 1 } else { at.saturating_sub(1) };
        }
        self.at.cursor != before
    }

    /// Selects the row on a visible line; whether it was selected before, or `None` if there is no row.
    pub fn click(&mut self, line: usize) -> Option<bool> {
        let line = self.at.offset + line;
        let len = self.rows.len();
        let at = if self.rows.lines() == len {
            Some(line).filter(|at| *at < len)
        } else {
            (0..len).find(|at| self.rows.line(*at) == line)
        }?;
        let at = at - usize::from(self.rows.is_beside(at));
        self.start = None;
        let was_selected = std::mem::replace(&mut self.at.cursor, at) == at;
        Some(was_selected)
    }

    /// Changes the rows; the cursor stays on its subject, or goes to the first row.
    pub fn renew(&mut self, change: impl FnOnce(&mut R)) {
        let here = self.selected();
        change(&mut self.rows);
        self.at.cursor = here.and_then(|key| self.rows.find(&key)).unwrap_or(0);
    }

    /// Folds or unfolds at the cursor, or all rows; the cursor stays on its subject, or goes to the row that hides it.
    pub fn fold(&mut self, how: Folding) {
        let (here, at) = (self.selected(), self.at.cursor);
        let hidden_by = self.rows.fold(how, at);
        let find = |key: Option<R::Key>| key.and_then(|key| self.rows.find(&key));
        let last = self.rows.len().saturating_sub(1);
        self.at.cursor = find(here).or_else(|| find(hidden_by)).unwrap_or(at.min(last));
    }

    /// Applies filter words. While words are added, the cursor prefers the row from before the first word to the row
    /// under it; once all rows are shown, the row under it wins.
    pub fn filter(&mut self, words: &str, apply: impl FnOnce(&mut R, &str)) {
        let here = self.selected();
        if self.words.is_empty() {
            self.start.clone_from(&here);
        }
        if words.is_empty()
            && let Some(key) = &here
        {
            self.rows.reveal(key);
        }
        apply(&mut self.rows, words);
        let is_typed_on = words.starts_with(&self.words) || self.words.starts_with(words);
        let start = self.start.as_ref().filter(|_| is_typed_on).and_then(|key| self.rows.find(key));
        let here = here.and_then(|key| self.rows.find(&key));
        let found = if words.is_empty() { here.or(start) } else { start.or(here) };
        self.at.cursor = found.unwrap_or(0);
        self.words = words.to_owned();
    }

    /// Forgets the filter words; the rows show all already.
    pub fn forget_words(&mut self) {
        self.words.clear();
    }

    /// The cursor in drawn lines.
    pub fn window(&self) -> List {
        List { cursor: self.rows.line(self.at.cursor), offset: self.at.offset }
    }

    /// Clamps the cursor and the window to the rows.
    pub fn clamp(&mut self, height: usize) {
        self.at.cursor = self.at.cursor.min(self.rows.len().saturating_sub(1));
        let mut window = self.window();
        window.clamp(self.rows.lines(), height);
        self.at.offset = window.offset;
    }

    /// `3 of 14` for the border, counting the rows that can be selected.
    pub fn foot(&self) -> String {
        let (at, len) = (self.at.cursor, self.rows.len());
        if len == 0 {
            return String::new();
        }
        let beside = |to: usize| (0..to).filter(|at| self.rows.is_beside(*at)).count();
        let at = at.min(len - 1);
        format!("{} of {}", at + 1 - beside(at + 1), len - beside(len))
    }

    /// The position and size of the border's thumb.
    pub fn extent(&self, height: usize) -> Option<(usize, usize, usize)> {
        self.at.extent(self.rows.lines(), height)
    }

    /// Adds the filter words to a title.
    pub fn titled(&self, title: impl Into<String>) -> String {
        let title = title.into();
        if self.words.is_empty() { title } else { format!("{title}  /{}", text::safe(&self.words)) }
    }
}

/// The cursor move of a key in a popup; with letters unless text is typed there.
pub fn step(key: Key, types: bool) -> Option<Move> {
    let is_control = !key.mods.is_empty();
    Some(match key.code {
        KeyCode::Up | KeyCode::BackTab => Move::Up,
        KeyCode::Down | KeyCode::Tab => Move::Down,
        KeyCode::Char('p' | 'k') if is_control => Move::Up,
        KeyCode::Char('n' | 'j') if is_control => Move::Down,
        KeyCode::Char('k') if !types => Move::Up,
        KeyCode::Char('j') if !types => Move::Down,
        KeyCode::Char('d') if is_control => Move::HalfDown,
        KeyCode::PageUp => Move::PageUp,
        KeyCode::PageDown => Move::PageDown,
        KeyCode::Home => Move::Top,
        KeyCode::End => Move::Bottom,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pane() -> ListPane<Vec<u32>> {
        ListPane::new((0..20).collect())
    }

    fn narrow(pane: &mut ListPane<Vec<u32>>, words: &str) {
        pane.filter(words, |rows, words| {
            *rows = (0..20).filter(|row| row.to_string().contains(words)).collect();
        });
    }

    #[test]
    fn the_cursor_returns_to_its_row_while_words_are_typed() {
        let mut pane = pane();
        pane.select(&13);
        narrow(&mut pane, "3");
        assert_eq!((pane.selected(), pane.foot()), (Some(13), "2 of 2".into()));
        narrow(&mut pane, "33");
        assert_eq!((pane.selected(), pane.foot()), (None, String::new()));
        narrow(&mut pane, "3");
        assert_eq!(pane.selected(), Some(13));
        assert!(pane.go(Move::Up, 1, 5));
        narrow(&mut pane, "");
        assert_eq!((pane.selected(), pane.titled("All")), (Some(3), "All".into()));
    }

    #[test]
    fn a_click_selects_the_row_on_its_line() {
        let mut pane = pane();
        pane.go(Move::Bottom, 1, 5);
        pane.clamp(5);
        assert_eq!((pane.click(0), pane.click(0), pane.click(9)), (Some(false), Some(true), None));
        assert_eq!(pane.selected(), Some(15));
    }
}
