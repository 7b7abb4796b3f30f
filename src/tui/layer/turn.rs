//! A question that nobody's key asked for waits for its turn: it never stands over what is answered just now.

use super::Layer;
use crate::tui::keymap::Action;
use crate::tui::screen::step;
use crate::tui::state::State;

impl State {
    /// A message that is no key was taken in where so many layers stood: what it put above them waits until they are closed.
    pub(in crate::tui) fn wait_their_turn(&mut self, stood: usize) {
        if stood > 0 && self.layers.len() > stood {
            self.waiting.extend(self.layers.drain(stood..));
        }
    }

    /// What has waited longest and is still to be asked stands, once nothing else does.
    pub(in crate::tui) fn take_turns(&mut self) {
        while self.layers.is_empty()
            && let Some(layer) = self.waiting.pop_front()
        {
            if is_still_asked(self, &layer) {
                self.layers.push(layer);
            }
        }
    }

    /// All layers, those that wait for their turn last.
    pub(in crate::tui) fn all_layers(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter().chain(&self.waiting)
    }

    /// The same, to be changed.
    pub(in crate::tui) fn all_layers_mut(&mut self) -> impl Iterator<Item = &mut Layer> {
        self.layers.iter_mut().chain(&mut self.waiting)
    }

    /// Takes away what is not asked any more, also where it waits for its turn. Whether there was any.
    pub(in crate::tui) fn withdraw(&mut self, is_over: impl Fn(&Layer) -> bool) -> bool {
        let before = self.layers.len() + self.waiting.len();
        self.layers.retain(|layer| !is_over(layer));
        self.waiting.retain(|layer| !is_over(layer));
        self.layers.len() + self.waiting.len() < before
    }
}

/// Whether a question that waited is one by now.
fn is_still_asked(state: &State, layer: &Layer) -> bool {
    match layer {
        Layer::Confirm { action: Action::Mend, .. } => step::mend::is_asked(state),
        _ => true,
    }
}
