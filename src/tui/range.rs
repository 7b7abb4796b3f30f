//! What is selected from where `v` was pressed to the cursor, the same on every screen: characters of a text, rows of a list.

use super::screen::{ScreenId, code};
use super::state::State;
use super::widget::list::List;

/// Begins to select, or ends it.
pub fn toggle(state: &mut State) {
    match state.screen {
        ScreenId::Code => code::toggle_range(state),
        _ => {
            if let Some(list) = rows(state) {
                list.anchor = if list.anchor.is_some() { None } else { Some(list.cursor) };
            }
        }
    }
}

/// Whether one selects on the screen on show, also where no more than the row of the cursor is selected yet.
pub fn is_on(state: &State) -> bool {
    match state.screen {
        ScreenId::Code => code::is_selecting(state),
        ScreenId::Modules => state.modules.list().anchor.is_some(),
        ScreenId::Graph => state.graph.list().anchor.is_some(),
        ScreenId::Deploys => state.deploys.list().anchor.is_some(),
        ScreenId::Log => state.log.list().anchor.is_some(),
        ScreenId::Step => state.step.list().anchor.is_some(),
    }
}

/// Ends it; whether anything was selected.
pub fn drop(state: &mut State) -> bool {
    match state.screen {
        ScreenId::Code => code::drop_range(state),
        _ => rows(state).is_some_and(|list| list.anchor.take().is_some()),
    }
}

/// The list of the screen whose rows are selected.
fn rows(state: &mut State) -> Option<&mut List> {
    match state.screen {
        ScreenId::Modules => Some(state.modules.list_mut()),
        ScreenId::Graph => Some(state.graph.list_mut()),
        ScreenId::Deploys => Some(state.deploys.list_mut()),
        ScreenId::Log => Some(state.log.list_mut()),
        ScreenId::Step => Some(state.step.list_mut()),
        ScreenId::Code => None,
    }
}
