//! A question that nobody's key asked for waits for its turn: it never stands over what is answered just now.

use crate::tui::state::State;

impl State {
    /// A message that is no key was taken in where so many layers stood: what it put above them waits until they are closed.
    pub(in crate::tui) fn wait_their_turn(&mut self, stood: usize) {
        if stood > 0 && self.layers.len() > stood {
            self.waiting.extend(self.layers.drain(stood..));
        }
    }

    /// What has waited longest stands, once nothing else does.
    pub(in crate::tui) fn take_turns(&mut self) {
        if self.layers.is_empty() {
            self.layers.extend(self.waiting.pop_front());
        }
    }
}
