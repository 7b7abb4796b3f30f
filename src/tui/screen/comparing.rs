//! How the screens compare texts: side by side or one below the other. All do it the same way.

use super::{Pane, ScreenId};
use crate::tui::look::Role;
use crate::tui::state::State;
use crate::tui::widget::diff::View;

/// Compares in the other way.
pub fn turn(tui: &mut State) {
    tui.diff_view.side_by_side = !tui.diff_view.side_by_side;
    let (width, _) = tui.room(pane(tui));
    if tui.diff_view.side_by_side && !View::has_room(width) {
        tui.say(Role::Note, "not enough room: Tab focuses the pane, + zooms it");
    }
}

/// Where the texts are.
fn pane(tui: &State) -> Pane {
    match tui.screen {
        ScreenId::Deploys => Pane::Deploy,
        _ if tui.panes().contains(&Pane::Changes) => Pane::Changes,
        _ => Pane::Stop,
    }
}
