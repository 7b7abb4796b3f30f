//! The whole state of the screens, as plain data. Only `update` changes it.

use super::cx::Cx;
use super::look::Look;
use super::screen::code::data::State as Code;
use super::screen::deploys::data::State as Deploys;
use super::screen::graph::data::State as Graph;
use super::screen::modules::data::State as Modules;
use super::screen::step::data::State as Step;

/// What each screen owns.
#[derive(Debug, Default)]
pub struct Screens {
    pub step: Step,
    pub code: Code,
    pub graph: Graph,
    pub modules: Modules,
    pub deploys: Deploys,
}

/// The whole state of the face.
#[derive(Debug)]
pub struct State {
    pub cx: Cx,
    pub screens: Screens,
}

impl State {
    /// Makes the first state for a terminal of this size. Nothing is compiled yet.
    pub fn new(width: u16, height: u16, look: Look, title: String, entry: String) -> Self {
        Self { cx: Cx::new((width, height), look, title, entry), screens: Screens::default() }
    }

    /// The program of the visible rows.
    pub fn program_on_show(&self) -> Option<&Arc<Program>> {
        if self.cx.screen == ScreenId::Step { self.screens.step.program() } else { self.cx.graphed() }
    }

    /// Uses a theme for everything from now on.
    pub fn set_theme(&mut self, theme: Theme) {
        let theme = theme.at_depth(self.cx.colors.depth);
        if theme != *self.cx.look.theme {
            self.cx.look = Look::new(theme, self.cx.look.glyphs);
            self.screens.code.forget_colors();
        }
    }

    /// The other host that the shown program was compiled for.
    pub fn other_host(&self) -> Option<Arc<str>> {
        let other = |program: &Arc<Program>| program.hosts.clone().other();
        let shown = self.screens.step.program().and_then(other);
        // A live run is of the program that was confirmed.
        let newest = || self.cx.programs.newest.as_ref().filter(|_| !self.screens.step.phase.is_live()).and_then(other);
        shown.or_else(newest)
    }

    /// Whether something moves by itself.
    pub fn is_spinning(&self) -> bool {
        !self.cx.jobs.is_empty()
            || self.screens.step.is_running()
            || self.cx.events.is_at_work()
            || self.cx.is_finding()
    }
}
