//! The screen in front: what is under its cursor, and what may be read beside it.

use std::path::PathBuf;

use super::screen::modules::data::State as Modules;
use super::screen::step::data::State as Step;
use super::screen::{Pane, Screen, ScreenId};
use super::{cx::Cx, keymap::Action, program::Program, state::State, widget::list::Move};
use crate::graph::{NodeIndex, ResourceId};
use crate::source::Place;

/// The screen in front, with the plan and the modules, which all screens show a part of.
#[derive(Clone, Copy)]
pub struct Front<'a> {
    pub cx: &'a Cx,
    pub step: &'a Step,
    pub modules: &'a Modules,
    pub screen: &'a dyn Screen,
}

impl State {
    pub fn front(&self) -> Front<'_> {
        let (cx, screens) = (&self.cx, &self.screens);
        let screen: &dyn Screen = match cx.screen {
            ScreenId::Step => &screens.step,
            ScreenId::Code => &screens.code,
            ScreenId::Graph => &screens.graph,
            ScreenId::Modules => &screens.modules,
            ScreenId::Deploys => &screens.deploys,
            ScreenId::Log => &screens.log,
        };
        Front { cx, step: &screens.step, modules: &screens.modules, screen }
    }

    pub fn go(&mut self, pane: Pane, step: Move, count: usize) {
        let (screen, beside) = self.screens.get_mut(pane.screen());
        screen.go(&mut self.cx, beside, pane, step, count)
    }

    pub fn act(&mut self, action: Action, count: usize) {
        let (screen, beside) = self.screens.get_mut(self.cx.screen);
        screen.act(&mut self.cx, beside, action, count)
    }

    /// Filters the screen in front, or searches its text.
    pub fn filter(&mut self, words: &str) {
        let (screen, beside) = self.screens.get_mut(self.cx.screen);
        screen.filter(&mut self.cx, beside, words);
    }
}

impl<'a> Front<'a> {
    /// The program of the visible rows.
    pub fn program(self) -> Option<&'a Program> {
        self.cx.program_on_show(self.step).map(|program| &**program)
    }

    /// The resources under the cursor. One line of code may declare several.
    pub fn resources(self) -> Vec<NodeIndex> {
        self.screen.resources(self)
    }

    /// The first one.
    pub fn resource(self) -> Option<NodeIndex> {
        self.resources().first().copied()
    }

    /// The first resource that the one under the cursor needs, or that needs it.
    pub fn neighbour(self, before: bool) -> Option<NodeIndex> {
        let program = self.program()?;
        let node = self.resource()?.0;
        let all = if before { program.wiring.needs(node) } else { program.wiring.followers(node) };
        all.first().copied().map(NodeIndex)
    }

    pub fn resource_id(self) -> Option<&'a ResourceId> {
        Some(&self.program()?.graph.resource(self.resource()?)?.id)
    }

    pub fn place(self) -> Option<Place> {
        self.screen.place(self)
    }

    /// The file and line for an editor.
    pub fn file(self) -> Option<(PathBuf, u32)> {
        self.screen.file(self)
    }

    /// The text that `y` copies.
    pub fn copy(self) -> Option<String> {
        self.screen.copy(self)
    }

    /// The text that `gy` copies: a file and a line, as compilers write them.
    pub fn copied_place(self) -> Option<String> {
        self.screen.copied_place(self)
    }

    /// The words that filter the screen's list, which Esc would clear.
    pub fn words(self) -> &'a str {
        self.screen.words()
    }
}
