//! The picker: a list of places; typing narrows it, Enter goes to the selected one.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::fuzzy::Fuzzy;
use super::{Heard, centered, edit, popup, prompt};
use crate::source::Place;
use crate::tui::keys::Key;
use crate::tui::look::Role;
use crate::tui::state::State;
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;

/// A place to go to.
#[derive(Clone, Debug)]
pub struct Item {
    /// The place as shown.
    pub shown: String,
    /// The line of source there.
    pub text: String,
    pub place: Place,
}

/// What the picker remembers.
#[derive(Clone, Debug)]
pub struct Picker {
    title: String,
    items: Vec<Item>,
    words: String,
    /// Positions of the items that fit, best first.
    shown: Vec<usize>,
    list: List,
}

impl Picker {
    /// A picker on which the item at a position is selected.
    pub fn new(title: String, items: Vec<Item>, at: usize) -> Self {
        let shown = (0..items.len()).collect();
        Self { title, items, words: String::new(), shown, list: List { cursor: at, offset: 0 } }
    }

    pub fn selected(&self) -> Option<&Item> {
        self.items.get(*self.shown.get(self.list.cursor)?)
    }

    pub fn hear(&mut self, key: Key, state: &State) -> Heard {
        let is_control = !key.mods.is_empty();
        let height = height(self, state);
        let step = match key.code {
            KeyCode::Esc => return Heard::Close,
            KeyCode::Enter => return if self.selected().is_some() { Heard::Chosen } else { Heard::Close },
            KeyCode::Up | KeyCode::BackTab => Move::Up,
            KeyCode::Down | KeyCode::Tab => Move::Down,
            KeyCode::Char('p' | 'k') if is_control => Move::Up,
            KeyCode::Char('n' | 'j') if is_control => Move::Down,
            KeyCode::PageUp => Move::PageUp,
            KeyCode::PageDown => Move::PageDown,
            code => {
                if edit(&mut self.words, code, is_control) {
                    self.relist();
                }
                return Heard::Stay;
            }
        };
        self.list.go(step, 1, self.shown.len(), height);
        self.list.settle(self.shown.len(), height);
        Heard::Stay
    }

    pub fn paste(&mut self, words: &str) {
        self.words.push_str(words);
        self.relist();
    }

    fn relist(&mut self) {
        let mut fuzzy = Fuzzy::new(&self.words);
        let items = self.items.iter().enumerate();
        let fitting = items.filter_map(|(at, item)| {
            let score = fuzzy.score(&format!("{} {}", item.shown, item.text))?;
            Some((std::cmp::Reverse(score), at))
        });
        let mut scored: Vec<_> = fitting.collect();
        scored.sort_unstable();
        self.shown = scored.into_iter().map(|(_, at)| at).collect();
        self.list = List::default();
    }
}

fn height(picker: &Picker, state: &State) -> usize {
    usize::from(area(picker, state, state.layout().footer.y).height).saturating_sub(4)
}

fn area(picker: &Picker, state: &State, bottom: u16) -> Rect {
    let body = Rect { x: 0, y: 1.min(bottom), width: state.width, height: bottom.saturating_sub(1) };
    // As high as all items need, so that it does not jump while one types.
    let wanted = u16::try_from(picker.items.len()).unwrap_or(u16::MAX).saturating_add(4);
    centered(body, 100, wanted.min(body.height.saturating_sub(2).clamp(8, 30)))
}

pub fn view(picker: &Picker, state: &State, buf: &mut Buffer, body: Rect) {
    let look = &state.look;
    let inner = popup(state, buf, area(picker, state, body.bottom()), &picker.title);
    if inner.height < 3 {
        return;
    }
    buf.set_line(inner.x, inner.y, &prompt(look, &picker.words), inner.width);
    let rows = Rect { y: inner.y + 1, height: inner.height - 2, ..inner };
    if picker.shown.is_empty() {
        list::draw_text(buf, rows, 0, &[Line::styled(" None of them fits.", look.style(Role::Dim))]);
    }
    let mut shown = picker.list;
    // The size may have changed since the last key.
    shown.settle(picker.shown.len(), usize::from(rows.height));
    let width = usize::from(inner.width);
    let widest = picker.items.iter().map(|item| text::width(&item.shown)).max().unwrap_or(0);
    let first = widest.min(width / 2);
    list::draw(buf, rows, look, &shown, picker.shown.len(), true, |row| {
        let item = &picker.items[picker.shown[row]];
        let place = text::pad(&text::fit_end(&item.shown, first, look.glyphs.cut), first);
        Line::from(vec![
            Span::styled(format!(" {place}  "), look.style(Role::Dim)),
            Span::raw(text::fit(&item.text, width.saturating_sub(first + 3), look.glyphs.cut).into_owned()),
        ])
    });
    let foot = Line::styled(" Enter goes there   Esc leaves", look.style(Role::Dim));
    buf.set_line(inner.x, inner.bottom() - 1, &foot, inner.width);
}
