//! The screens. Each has its state, its part of update, and a view that decides nothing.

pub mod code;
pub mod comparing;
pub mod deploys;
pub mod graph;
pub mod log;
pub mod modules;
pub mod step;
pub mod pane;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::effect::Effect;
use super::keymap::Action;
use super::state::State;
use super::widget::list::Move;
use crate::tui::cx::Cx;
use crate::tui::screen::code::data::State as Code;
pub use crate::tui::screen::pane::{Pane, ScreenId};

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

/// The wheel on a pane: a list moves its cursor; text scrolls, as in editors.
pub fn roll(state: &mut State, pane: Pane, step: Move) -> Vec<Effect> {
    const ROWS: usize = 3;
    if pane == Pane::Text {
        code::pan(&mut state.screens.code, &state.cx, step, ROWS);
        return vec![];
    }
    go(state, pane, step, ROWS)
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
        ScreenId::Log => log::act(state, action),
    }
}

/// The position of the terminal's cursor; `None` on screens with lists.
pub fn cursor(code: &Code, cx: &Cx) -> Option<Position> {
    if cx.screen == ScreenId::Code { code::cursor(code, cx) } else { None }
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

/// Whether the list of the screen has a row.
pub fn shows_some(state: &State) -> bool {
    match state.cx.screen {
        ScreenId::Modules => !state.screens.modules.list.is_empty(),
        ScreenId::Graph => !state.screens.graph.list.is_empty(),
        ScreenId::Step => !state.screens.step.list.is_empty(),
        ScreenId::Deploys => !state.screens.deploys.list.is_empty(),
        ScreenId::Log => state.cx.log.len() > 0,
        ScreenId::Code => true,
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
