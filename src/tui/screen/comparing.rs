//! The diff view: side by side or one below the other, the same on all screens.

use super::{Pane, ScreenId};
use crate::tui::look::Role;
use crate::tui::state::State;
use crate::tui::widget::diff::View;

/// Switches the view.
pub fn turn(tui: &mut State) {
    tui.cx.compared.diff_view.side_by_side = !tui.cx.compared.diff_view.side_by_side;
    let (width, _) = tui.cx.room(pane(tui));
    if tui.cx.compared.diff_view.side_by_side && !View::has_room(width) {
        tui.cx.show_notice(Role::Note, "not enough room: Tab focuses the pane, + zooms it");
    }
}

/// The pane with the diff.
fn pane(tui: &State) -> Pane {
    match tui.cx.screen {
        ScreenId::Deploys => Pane::Deploy,
        _ if tui.cx.panes().contains(&Pane::Changes) => Pane::Changes,
        _ => Pane::Stop,
    }
}
