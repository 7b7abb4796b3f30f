//! The panes of a screen: those that are visible, their areas, and the focus.

use super::layout::{self, Class, Layout, Shape, inside};
use super::screen::pane::{Pane, ScreenId};
use super::screen::step::status;
use super::state::State;
use super::tutor;

impl State {
    /// The panes of the screen, in the order of Tab.
    pub fn panes(&self) -> &'static [Pane] {
        let class = layout::class(self.cx.window.width, self.cx.window.height);
        let more = self.cx.screen == ScreenId::Step
            && layout::shows_output(
                self.cx.window.width,
                self.cx.window.height,
                tutor::rows(self) + status::rows(self),
            );
        self.cx.screen.panes(if self.merges() { class.min(Class::Narrow) } else { class }, more)
    }

    /// Whether the panes beside Step's order are merged: before the first step they show the plan.
    fn merges(&self) -> bool {
        self.cx.screen == ScreenId::Step && (self.screens.step.shows_summary() || !self.screens.step.is_loaded())
    }

    /// The pane that handles keys. If this size hides it, the nearest pane has the focus.
    pub fn focus(&self) -> Pane {
        let panes = self.panes();
        match self.cx.window.focus[self.cx.screen as usize] {
            pane if panes.contains(&pane) => pane,
            Pane::Stop => Pane::Changes,
            Pane::Output => Pane::Order,
            _ => panes[panes.len() - 1],
        }
    }

    /// Computes the layout of the current screen.
    pub fn layout(&self) -> Layout {
        let shape = Shape {
            zoom: self.cx.window.zoom,
            merge: self.merges(),
            failed: self.screens.step.shows_failure(),
            above: status::rows(self),
            below: tutor::rows(self),
        };
        layout::layout(self.cx.window.width, self.cx.window.height, self.cx.screen, self.focus(), shape)
    }

    /// Width and height inside a pane; zero if it is hidden.
    pub fn room(&self, pane: Pane) -> (usize, usize) {
        let area = self.layout().pane(pane).map(inside).unwrap_or_default();
        (usize::from(area.width), usize::from(area.height))
    }
}

/// Focuses the next or previous pane in the order of Tab.
pub fn turn_focus(state: &mut State, by: isize) {
    let panes = state.panes();
    let at = panes.iter().position(|pane| *pane == state.focus()).unwrap_or(0);
    state.cx.set_focus(panes[(at as isize + by).rem_euclid(panes.len() as isize) as usize]);
}
