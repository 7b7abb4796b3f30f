//! The screens. Each has its state, its part of update, and a view that decides nothing.

pub mod code;
pub mod comparing;
pub mod deploys;
pub mod graph;
pub mod log;
pub mod modules;
pub mod step;
pub mod pane;

use std::path::PathBuf;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::cx::Cx;
use super::effect::Effect;
use super::front::Front;
use super::keymap::{Action, Enabled, When};
use super::program::Program;
use super::state::State;
use super::widget::list::Move;
use crate::graph::{Node, NodeIndex};
use crate::plan::RESOURCE_KEYS;
use crate::source::Place;
pub use crate::tui::screen::pane::{Pane, ScreenId};

/// What the screens have in common.
pub trait Screen {
    /// The words that filter its list.
    fn words(&self) -> &str;

    /// The keys that the words may start with.
    fn filter_keys(&self) -> &'static [&'static str] {
        &RESOURCE_KEYS
    }

    /// Example words, shown while none are typed.
    fn filter_example(&self) -> &'static str {
        "words, kind:file, act:create, state:failed, !nginx"
    }

    /// Whether its list has a row.
    fn has_rows(&self) -> bool;

    /// Whether text is selected, even if only one character.
    fn is_selecting(&self) -> bool {
        false
    }

    /// The position of the terminal's cursor; `None` on screens with lists.
    fn cursor(&self, _: &Cx) -> Option<Position> {
        None
    }

    /// The resources under the cursor.
    fn resources(&self, _: Front<'_>) -> Vec<NodeIndex> {
        vec![]
    }

    /// Why there is none.
    fn no_resource(&self) -> &'static str {
        "no resource here"
    }

    /// The name under the cursor, as a search text; text screens have their own.
    fn name(&self, front: Front<'_>) -> Option<String> {
        Some(bare(front.program()?, front.resource()?))
    }

    /// Where the resource under the cursor is declared.
    fn place(&self, front: Front<'_>) -> Option<Place> {
        front.program()?.graph.resource(front.resource()?)?.source.clone()
    }

    /// The file and line for an editor.
    fn file(&self, front: Front<'_>) -> Option<(PathBuf, u32)> {
        let place = self.place(front)?;
        Some((front.cx.path_of(&place)?, place.line))
    }

    /// Why there is none.
    fn no_file(&self) -> &'static str {
        "no file here"
    }

    /// The text that `y` copies.
    fn copy(&self, front: Front<'_>) -> Option<String>;

    /// The text that `gy` copies.
    fn copied_place(&self, front: Front<'_>) -> Option<String> {
        self.place(front).map(|place| format!("{}:{}", place.file, place.line))
    }

    /// On a list of deploys, the one under the cursor and the one to compare it with.
    fn deploys(&self) -> Option<[Option<u64>; 2]> {
        None
    }

    /// Whether one of its own actions is enabled.
    fn enabled(&self, when: When, front: Front<'_>) -> Enabled;
}

/// The name of a node without its kind.
fn bare(program: &Program, node: NodeIndex) -> String {
    match program.graph.node(node) {
        Node::Resource(resource) => resource.shown().name.to_string(),
        Node::Anchor(_) => program.id(node).0.to_string(),
    }
}

/// Draws one pane.
pub fn view(state: &State, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane.screen() {
        ScreenId::Modules => modules::view(&state.screens.modules, &state.cx, buf, pane, area),
        ScreenId::Code => code::view(&state.screens.code, &state.screens.step, &state.cx, buf, pane, area),
        ScreenId::Graph => graph::view(&state.screens.graph, &state.screens.step, &state.cx, buf, pane, area),
        ScreenId::Step => step::view(&state.screens.step, &state.cx, buf, pane, area),
        ScreenId::Deploys => deploys::view(&state.screens.deploys, &state.screens.step, &state.cx, buf, pane, area),
        ScreenId::Log => log::view(&state.cx, buf, area),
    }
}

/// Moves within the focused pane.
pub fn go(state: &mut State, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    match pane.screen() {
        ScreenId::Modules => modules::go(&mut state.screens.modules, &mut state.cx, pane, step, count),
        ScreenId::Code => code::go(&mut state.screens.code, &state.cx, pane, step, count),
        ScreenId::Graph => graph::go(&mut state.screens.graph, &state.screens.step, &state.cx, pane, step, count),
        ScreenId::Step => step::go(&mut state.screens.step, &mut state.cx, pane, step, count),
        ScreenId::Deploys => deploys::go(&mut state.screens.deploys, &mut state.cx, pane, step, count),
        ScreenId::Log => log::go(&mut state.cx, step, count),
    }
}

/// Runs a screen's own action.
pub fn act(state: &mut State, action: Action, count: usize) -> Vec<Effect> {
    match state.cx.screen {
        ScreenId::Modules => modules::act(&mut state.screens.modules, &mut state.cx, action),
        ScreenId::Code => {
            code::act(&state.screens.graph, &mut state.screens.code, &state.screens.step, &mut state.cx, action, count)
        }
        ScreenId::Graph => {
            graph::act(&mut state.screens.graph, &state.screens.code, &state.screens.step, &mut state.cx, action)
        }
        ScreenId::Step => step::act(&mut state.screens.step, &mut state.cx, action, count),
        ScreenId::Deploys => deploys::act(&mut state.screens.deploys, &mut state.cx, action),
        ScreenId::Log => log::act(&mut state.cx, action),
    }
}

/// Clamps a screen's scroll positions to its cursors after a change.
pub fn clamp(state: &mut State) {
    match state.cx.screen {
        ScreenId::Modules => modules::clamp(&mut state.screens.modules, &state.cx),
        ScreenId::Code => code::clamp(&mut state.screens.code, &state.cx),
        ScreenId::Graph => graph::clamp(&mut state.screens.graph, &state.screens.step, &state.cx),
        ScreenId::Step => step::clamp(&mut state.screens.step, &mut state.cx),
        ScreenId::Deploys => deploys::clamp(&mut state.screens.deploys, &state.cx),
        ScreenId::Log => log::clamp(&mut state.cx),
    }
}

/// Applies the filter or search line while it is typed.
pub fn filter(state: &mut State, words: &str) {
    match state.cx.screen {
        ScreenId::Modules => modules::filter(&mut state.screens.modules, words),
        ScreenId::Code => code::search(&mut state.screens.code, &mut state.cx, words),
        ScreenId::Graph => graph::filter(&mut state.screens.graph, &state.screens.step, &state.cx, words),
        ScreenId::Step => step::filter(&mut state.screens.step, words),
        ScreenId::Deploys => deploys::filter(&mut state.screens.deploys, &state.cx, words),
        ScreenId::Log => log::filter(&mut state.cx, words),
    }
}

/// Selects what is under the mouse; row and column are counted inside the pane.
pub fn click(state: &mut State, pane: Pane, (row, column): (usize, usize)) -> Vec<Effect> {
    match pane {
        Pane::Tree => modules::select(&mut state.screens.modules, &mut state.cx, row),
        Pane::Text | Pane::Outline | Pane::Problems => code::click(
            &state.screens.graph,
            &mut state.screens.code,
            &state.screens.step,
            &mut state.cx,
            pane,
            (row, column),
        ),
        Pane::Rails => graph::click(&mut state.screens.graph, row),
        Pane::Node => graph::click_neighbour(&mut state.screens.graph, &state.screens.step, &state.cx, row),
        Pane::Order => step::click(&mut state.screens.step, row),
        Pane::Deploys => deploys::select(&mut state.screens.deploys, &mut state.cx, row),
        Pane::Log => log::click(&mut state.cx, row),
        _ => vec![],
    }
}
