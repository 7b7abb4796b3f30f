//! The picker: items found and ranked by workers. Typing narrows them, and a preview shows the selected one.

mod gather;
pub mod item;
mod preview;
pub mod ranking;
mod view;
pub mod data;

use crossterm::event::KeyCode;

use super::{KeyResult, edit};
pub use crate::tui::keymap::action::What;
pub use crate::tui::layer::picker::data::{Found, Notice, Picker};
use crate::tui::list::{self, ListPane, Rows};
use crate::tui::widget::list::{List, Move};
use crate::tui::{cx::Cx, effect::Effect, finder::Order, keys::Key};
pub use gather::{Source, files, items, open, places, resources, shown, symbols};
use item::{Item, Items};
pub use preview::{Preview, PreviewText, Wish};
pub use view::{cursor, view};

impl Rows for Found {
    /// The index of an item.
    type Key = usize;

    fn len(&self) -> usize {
        self.order.as_ref().map_or(self.items.len(), Vec::len)
    }

    fn key(&self, row: usize) -> Option<usize> {
        match &self.order {
            Some(order) => order.get(row).map(|at| *at as usize),
            None => (row < self.items.len()).then_some(row),
        }
    }

    fn find(&self, position: &usize) -> Option<usize> {
        match &self.order {
            Some(order) => order.iter().position(|at| *at as usize == *position),
            None => Some(*position),
        }
    }
}

impl Picker {
    fn new(pick: u64, what: What, title: String, at: usize) -> Self {
        let mut list = ListPane::default();
        list.at.cursor = at;
        Self {
            pick,
            what,
            title,
            words: String::new(),
            turn: 0,
            items_turn: 0,
            ranked: 0,
            list,
            is_done: false,
            asked: Some(String::new()),
            wished: None,
            preview: None,
        }
    }

    pub fn is_working(&self) -> bool {
        !self.is_done
    }

    fn item(&self, row: usize) -> Option<&Item> {
        self.list.rows.items.get(self.list.rows.key(row)?)
    }

    pub fn selected(&self) -> Option<&Item> {
        self.item(self.list.cursor())
    }

    pub fn on_key(&mut self, key: Key, cx: &Cx) -> KeyResult {
        match key.code {
            KeyCode::Esc => KeyResult::Close,
            KeyCode::Enter if self.selected().is_some() => KeyResult::Chosen,
            KeyCode::Enter => KeyResult::Stay,
            code => {
                match list::step(key, true) {
                    Some(step) => self.go(step, 1, cx),
                    None => _ = edit(&mut self.words, code, !key.mods.is_empty()),
                }
                KeyResult::Stay
            }
        }
    }

    pub fn go(&mut self, step: Move, count: usize, cx: &Cx) {
        let height = view::height(self, cx);
        self.list.go(step, count, height);
        self.list.clamp(height);
    }

    pub fn paste(&mut self, words: &str) {
        self.words.push_str(words);
    }

    /// The requests for workers after a change: new words, or another item to preview.
    pub fn wishes(&mut self, cx: &mut Cx) {
        if self.asked.as_ref() != Some(&self.words) {
            self.asked = Some(self.words.clone());
            self.turn += 1;
            self.is_done = false;
            self.list.at = List::default();
            cx.effect(Effect::Find(Order::Words { turn: self.turn, words: self.words.clone() }));
        }
        let selected = self.selected().map(|item| &item.target);
        if selected != self.wished.as_ref() && view::shows_preview(cx) {
            self.wished = selected.cloned();
            let wish = self.wished.clone().and_then(|target| preview::wish(self.pick, target, cx));
            match wish {
                Some(wish) => cx.effect(Effect::Find(Order::Preview(Box::new(wish)))),
                None => self.preview = self.wished.clone().map(Preview::without_source),
            }
        }
    }

    pub fn on_notice(&mut self, notice: Notice) {
        match notice {
            Notice::Items { turn, items, .. } => {
                self.begin_turn(turn);
                if turn == self.items_turn {
                    self.list.rows.items.add(items);
                }
            }
            Notice::Ranked { turn, order, is_done, .. } if turn == self.turn => {
                if self.what == What::Lines {
                    self.begin_turn(turn);
                }
                let held = self.list.selected().filter(|_| self.list.cursor() > 0 && turn == self.ranked);
                (self.list.rows.order, self.is_done, self.ranked) = (order, is_done, turn);
                held.iter().for_each(|at| _ = self.list.select(at));
            }
            Notice::Ranked { .. } => {}
            Notice::Preview { preview, .. } => {
                // A preview of an item that is no longer selected would appear beside another.
                if self.wished.as_ref() == Some(&preview.target) {
                    self.preview = Some(preview);
                }
            }
        }
    }

    /// Lines for older words go when the first new ones arrive, so that nothing flickers while the user types.
    fn begin_turn(&mut self, turn: u64) {
        if turn > self.items_turn && turn == self.turn {
            self.list.rows.items = Items::default();
            self.items_turn = turn;
        }
    }
}

/// Handles reports of workers to the top picker; drops those to another.
pub fn on_notice(cx: &mut Cx, notice: Notice) {
    let (Notice::Items { pick, .. } | Notice::Ranked { pick, .. } | Notice::Preview { pick, .. }) = notice;
    match cx.layers.open.pop() {
        Some(super::Layer::Picker(mut picker)) => {
            if picker.pick == pick {
                picker.on_notice(notice);
                let height = view::height(&picker, cx);
                picker.list.clamp(height);
                picker.wishes(cx);
            }
            cx.layers.open.push(super::Layer::Picker(picker));
        }
        other => cx.layers.open.extend(other),
    }
}
