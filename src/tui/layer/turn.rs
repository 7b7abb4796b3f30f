//! A question that no key caused waits: it never covers the one that the user is answering.

use crossterm::event::KeyCode;

use super::{Layer, question::Answer};
use crate::tui::cx::{Cx, Layers};
use crate::tui::screen::step::data::State as Step;
use crate::tui::{keymap::Action, keys::Key, screen::step};

impl Layers {
    /// After a message that is not a key: the layers that it pushed on top of `before` open ones wait until those are
    /// closed.
    pub(in crate::tui) fn wait_their_turn(&mut self, before: usize) {
        if before > 0 && self.open.len() > before {
            self.waiting.extend(self.open.drain(before..));
        }
    }

    /// All layers, the waiting ones last.
    pub(in crate::tui) fn all(&self) -> impl Iterator<Item = &Layer> {
        self.open.iter().chain(&self.waiting)
    }

    /// The same, mutable.
    pub(in crate::tui) fn all_mut(&mut self) -> impl Iterator<Item = &mut Layer> {
        self.open.iter_mut().chain(&mut self.waiting)
    }

    /// Removes questions that no longer apply, also waiting ones. Returns whether there were any.
    pub(in crate::tui) fn withdraw(&mut self, is_over: impl Fn(&Layer) -> bool) -> bool {
        let before = self.open.len() + self.waiting.len();
        // The user may be typing it.
        let top = self.open.last().filter(|layer| is_over(layer)).and_then(Layer::question);
        if let Some(Answer::Word { word, typed, .. }) = top.map(|question| &question.answer) {
            self.untyped = Some(word.strip_prefix(typed.as_str()).unwrap_or(word).to_owned());
        }
        self.open.retain(|layer| !is_over(layer));
        self.waiting.retain(|layer| !is_over(layer));
        self.open.len() + self.waiting.len() < before
    }

    /// Whether a key only continues a withdrawn word: it must not act on the screen below.
    pub(in crate::tui) fn types_on(&mut self, key: Key) -> bool {
        let Some(word) = self.untyped.take() else { return false };
        let mut left = word.chars();
        match key.code {
            KeyCode::Char(letter) if key.mods.is_empty() && left.next() == Some(letter) => {
                self.untyped = Some(left.collect());
                true
            }
            KeyCode::Enter => word.is_empty(),
            _ => false,
        }
    }
}

/// Shows the oldest waiting question once no other layer is open.
pub(in crate::tui) fn take_turns(step: &Step, cx: &mut Cx) {
    while cx.layers.open.is_empty()
        && let Some(layer) = cx.layers.waiting.pop_front()
    {
        if is_still_asked(step, &layer) {
            cx.layers.open.push(layer);
        }
    }
}

/// Whether a waiting question still applies.
fn is_still_asked(step: &Step, layer: &Layer) -> bool {
    layer.confirms() != Some(Action::Mend) || step::edit_retry::is_asked(step)
}
