//! The screens. Each has its state, its part of update, and a view that decides nothing.

pub mod code;
pub mod comparing;
pub mod deploys;
pub mod graph;
pub mod log;
pub mod modules;
pub mod step;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::effect::Effect;
use super::keymap::Action;
use super::layout::Class;
use super::state::State;
use super::widget::list::Move;

/// A screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ScreenId {
    /// Called Plan on the screens.
    Step,
    Code,
    Graph,
    Modules,
    /// Called History on the screens.
    Deploys,
    Log,
}

/// A part of a screen that can have the focus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pane {
    Tree,
    Module,
    Text,
    Outline,
    Problems,
    Rails,
    Node,
    Order,
    What,
    Changes,
    Then,
    /// What, changes and then in one pane, if there is no room for three.
    Stop,
    /// The last lines of run output; only if there is room below the other panes.
    Output,
    /// The list of deploys, or the selected one.
    Deploys,
    Deploy,
    Log,
}

impl Pane {
    pub fn screen(self) -> ScreenId {
        match self {
            Pane::Tree | Pane::Module => ScreenId::Modules,
            Pane::Text | Pane::Outline | Pane::Problems => ScreenId::Code,
            Pane::Rails | Pane::Node => ScreenId::Graph,
            Pane::Order | Pane::What | Pane::Changes | Pane::Then | Pane::Stop | Pane::Output => ScreenId::Step,
            Pane::Deploys | Pane::Deploy => ScreenId::Deploys,
            Pane::Log => ScreenId::Log,
        }
    }
}

impl Pane {
    /// Its name in the footer.
    pub fn word(self) -> &'static str {
        match self {
            Pane::Tree => "modules",
            Pane::Module => "module",
            Pane::Text => "text",
            Pane::Outline => "outline",
            Pane::Problems => "problems",
            Pane::Rails => "graph",
            Pane::Order => "steps",
            Pane::Changes => "changes",
            Pane::Then => "effect",
            Pane::Deploys => "history",
            Pane::Log | Pane::Output => "log",
            Pane::Node | Pane::What | Pane::Stop | Pane::Deploy => "detail",
        }
    }
}

impl ScreenId {
    pub const ALL: [ScreenId; 6] =
        [ScreenId::Step, ScreenId::Code, ScreenId::Graph, ScreenId::Modules, ScreenId::Deploys, ScreenId::Log];

    pub fn title(self) -> &'static str {
        match self {
            ScreenId::Modules => "Modules",
            ScreenId::Code => "Code",
            ScreenId::Graph => "Graph",
            ScreenId::Step => "Plan",
            ScreenId::Deploys => "History",
            ScreenId::Log => "Log",
        }
    }

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            ScreenId::Modules => "modules",
            ScreenId::Code => "code",
            ScreenId::Graph => "graph",
            ScreenId::Step => "plan",
            ScreenId::Deploys => "history",
            ScreenId::Log => "log",
        }
    }

    /// The panes in the order of Tab; the first has the focus at the start. `more`: with the optional pane at the
    /// bottom.
    pub fn panes(self, class: Class, more: bool) -> &'static [Pane] {
        match (self, class) {
            (ScreenId::Modules, _) => &[Pane::Tree, Pane::Module],
            (ScreenId::Code, _) => &[Pane::Text, Pane::Outline, Pane::Problems],
            (ScreenId::Graph, _) => &[Pane::Rails, Pane::Node],
            (ScreenId::Step, Class::Wide) if more => {
                &[Pane::Order, Pane::What, Pane::Changes, Pane::Then, Pane::Output]
            }
            (ScreenId::Step, _) if more => &[Pane::Order, Pane::Stop, Pane::Output],
            (ScreenId::Step, Class::Wide) => &[Pane::Order, Pane::What, Pane::Changes, Pane::Then],
            (ScreenId::Step, _) => &[Pane::Order, Pane::Stop],
            (ScreenId::Deploys, _) => &[Pane::Deploys, Pane::Deploy],
            (ScreenId::Log, _) => &[Pane::Log],
        }
    }
}

/// Draws one pane.
pub fn view(state: &State, buf: &mut Buffer, pane: Pane, area: Rect) {
    match pane.screen() {
        ScreenId::Modules => modules::view(state, buf, pane, area),
        ScreenId::Code => code::view(state, buf, pane, area),
        ScreenId::Graph => graph::view(state, buf, pane, area),
        ScreenId::Step => step::view(state, buf, pane, area),
        ScreenId::Deploys => deploys::view(state, buf, pane, area),
        ScreenId::Log => log::view(state, buf, area),
    }
}

/// Moves within the focused pane.
pub fn go(state: &mut State, pane: Pane, step: Move, count: usize) -> Vec<Effect> {
    match pane.screen() {
        ScreenId::Modules => modules::go(state, pane, step, count),
        ScreenId::Code => code::go(state, pane, step, count),
        ScreenId::Graph => graph::go(state, pane, step, count),
        ScreenId::Step => step::go(state, pane, step, count),
        ScreenId::Deploys => deploys::go(state, pane, step, count),
        ScreenId::Log => log::go(state, step, count),
    }
}

/// The wheel on a pane: a list moves its cursor; text scrolls, as in editors.
pub fn roll(state: &mut State, pane: Pane, step: Move) -> Vec<Effect> {
    const ROWS: usize = 3;
    if pane == Pane::Text {
        code::pan(state, step, ROWS);
        return vec![];
    }
    go(state, pane, step, ROWS)
}

/// Runs a screen's own action.
pub fn act(state: &mut State, action: Action, count: usize) -> Vec<Effect> {
    match state.screen {
        ScreenId::Modules => modules::act(state, action),
        ScreenId::Code => code::act(state, action, count),
        ScreenId::Graph => graph::act(state, action),
        ScreenId::Step => step::act(state, action, count),
        ScreenId::Deploys => deploys::act(state, action),
        ScreenId::Log => log::act(state, action),
    }
}

/// The position of the terminal's cursor; `None` on screens with lists.
pub fn cursor(state: &State) -> Option<Position> {
    if state.screen == ScreenId::Code { code::cursor(state) } else { None }
}

/// Clamps a screen's scroll positions to its cursors after a change.
pub fn clamp(state: &mut State) {
    match state.screen {
        ScreenId::Modules => modules::clamp(state),
        ScreenId::Code => code::clamp(state),
        ScreenId::Graph => graph::clamp(state),
        ScreenId::Step => step::clamp(state),
        ScreenId::Deploys => deploys::clamp(state),
        ScreenId::Log => log::clamp(state),
    }
}

/// Applies the filter or search line while it is typed.
pub fn filter(state: &mut State, words: &str) {
    match state.screen {
        ScreenId::Modules => modules::filter(state, words),
        ScreenId::Code => code::search(state, words),
        ScreenId::Graph => graph::filter(state, words),
        ScreenId::Step => step::filter(state, words),
        ScreenId::Deploys => deploys::filter(state, words),
        ScreenId::Log => log::filter(state, words),
    }
}

/// Whether the list of the screen has a row.
pub fn shows_some(state: &State) -> bool {
    match state.screen {
        ScreenId::Modules => state.modules.has_rows(),
        ScreenId::Graph => state.graph.shows_some(),
        ScreenId::Step => state.step.cursor_id().is_some(),
        ScreenId::Deploys => state.deploys.shows_some(),
        ScreenId::Log => state.log.len() > 0,
        ScreenId::Code => true,
    }
}

/// Selects what is under the mouse; row and column are counted inside the pane.
pub fn click(state: &mut State, pane: Pane, (row, column): (usize, usize)) -> Vec<Effect> {
    match pane {
        Pane::Tree => modules::select(state, row),
        Pane::Text | Pane::Outline | Pane::Problems => code::click(state, pane, (row, column)),
        Pane::Rails => graph::click(state, row),
        Pane::Order => step::click(state, row),
        Pane::Deploys => deploys::select(state, row),
        Pane::Log => log::click(state, row),
        _ => vec![],
    }
}
