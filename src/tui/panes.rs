//! The panes of a screen: those that are visible, their areas, and the focus.

use super::cx::{Cx, Window};
use super::layout::{self, Class, Layout, Shape, inside};
use super::screen::pane::{Pane, ScreenId};
use super::{screen::step::status, state::State, tutor};

impl State {
    /// Notes what affects the layout beside size, screen and focus.
    pub fn measure(&mut self) {
        self.cx.lesson = tutor::current_words(self);
        let below = tutor::rows(&self.cx);
        let step = &self.screens.step;
        let window = &mut self.cx.window;
        window.merges_plan = step.shows_summary() || !step.is_loaded();
        window.has_failed = step.shows_failure();
        window.is_run = step.phase.is_live();
        window.has_turned = step.has_turned();
        window.below = below;
    }
}

impl Cx {
    /// The panes of the screen, in the order of Tab.
    pub fn panes(&self) -> &'static [Pane] {
        let (width, height) = (self.window.width, self.window.height);
        let more = self.screen == ScreenId::Step
            && layout::shows_output(width, height, self.window.below + status::rows(self));
        let class = layout::class(width, height);
        self.screen.panes(if self.merges() { class.min(Class::Narrow) } else { class }, more)
    }

    /// Whether the panes beside Step's order are merged: before the first step they show the plan.
    fn merges(&self) -> bool {
        self.screen == ScreenId::Step && self.window.merges_plan
    }

    /// The pane that handles keys. If this size hides it, the nearest pane has the focus.
    pub fn focus(&self) -> Pane {
        let panes = self.panes();
        match self.window.focus[self.screen as usize] {
            pane if panes.contains(&pane) => pane,
            Pane::Stop => Pane::Changes,
            Pane::Output => Pane::Order,
            _ => panes[panes.len() - 1],
        }
    }

    pub fn set_focus(&mut self, pane: Pane) {
        self.window.focus[pane.screen() as usize] = pane;
    }

    pub fn turn_focus(&mut self, by: isize) {
        let panes = self.panes();
        let at = panes.iter().position(|pane| *pane == self.focus()).unwrap_or(0);
        self.set_focus(panes[(at as isize + by).rem_euclid(panes.len() as isize) as usize]);
    }

    pub fn layout(&self) -> Layout {
        let Window { width, height, zoom, has_failed, below, .. } = self.window;
        let shape = Shape { zoom, merge: self.merges(), failed: has_failed, above: status::rows(self), below };
        layout::layout(width, height, self.screen, self.focus(), shape)
    }

    /// Width and height inside a pane; zero if it is hidden.
    pub fn room(&self, pane: Pane) -> (usize, usize) {
        let area = self.layout().pane(pane).map(inside).unwrap_or_default();
        (usize::from(area.width), usize::from(area.height))
    }
}
