//! A question that no key caused waits: it never covers the one that the user is answering.

use crossterm::event::KeyCode;

use super::Layer;
use super::question::Answer;
use crate::tui::keymap::Action;
use crate::tui::keys::Key;
use crate::tui::screen::step;
use crate::tui::state::State;

impl State {
    /// After a message that is not a key: the layers that it pushed on top of `before` open ones wait until those are
    /// closed.
    pub(in crate::tui) fn wait_their_turn(&mut self, before: usize) {
        if before > 0 && self.layers.len() > before {
            self.waiting.extend(self.layers.drain(before..));
        }
    }

    /// Shows the oldest waiting question once no other layer is open.
    pub(in crate::tui) fn take_turns(&mut self) {
        while self.layers.is_empty()
            && let Some(layer) = self.waiting.pop_front()
        {
            if is_still_asked(self, &layer) {
                self.layers.push(layer);
            }
        }
    }

    /// All layers, the waiting ones last.
    pub(in crate::tui) fn all_layers(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().chain(&self.waiting)
    }

    /// The same, mutable.
    pub(in crate::tui) fn all_layers_mut(&mut self) -> impl Iterator<Item = &mut Layer> {
        self.layers.iter_mut().chain(&mut self.waiting)
    }

    /// Removes questions that no longer apply, also waiting ones. Returns whether there were any.
    pub(in crate::tui) fn withdraw(&mut self, is_over: impl Fn(&Layer) -> bool) -> bool {
        let before = self.layers.len() + self.waiting.len();
        // The user may be typing it.
        let top = self.layers.last().filter(|layer| is_over(layer)).and_then(Layer::question);
        if let Some(Answer::Word { word, typed, .. }) = top.map(|question| &question.answer) {
            self.typing.untyped = Some(word.strip_prefix(typed.as_str()).unwrap_or(word).to_owned());
        }
        self.layers.retain(|layer| !is_over(layer));
        self.waiting.retain(|layer| !is_over(layer));
        self.layers.len() + self.waiting.len() < before
    }

    /// Whether a key only continues a withdrawn word: it must not act on the screen below.
    pub(in crate::tui) fn types_on(&mut self, key: Key) -> bool {
        let Some(word) = self.typing.untyped.take() else { return false };
        let mut left = word.chars();
        match key.code {
            KeyCode::Char(letter) if key.mods.is_empty() && left.next() == Some(letter) => {
                self.typing.untyped = Some(left.collect());
                true
            }
            KeyCode::Enter => word.is_empty(),
            _ => false,
        }
    }
}

/// Whether a waiting question still applies.
fn is_still_asked(state: &State, layer: &Layer) -> bool {
    layer.confirms() != Some(Action::Mend) || step::edit_retry::is_asked(state)
}
