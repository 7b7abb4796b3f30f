//! The diff view: side by side or one below the other, the same on all screens.

use super::{Pane, ScreenId};
use crate::tui::{cx::Cx, look::Role, widget::diff::View};

/// Switches the view.
pub fn turn(cx: &mut Cx) {
    cx.compared.diff_view.side_by_side = !cx.compared.diff_view.side_by_side;
    let (width, _) = cx.room(pane(cx));
    if cx.compared.diff_view.side_by_side && !View::has_room(width) {
        cx.show_notice(Role::Note, "not enough room: Tab focuses the pane, + zooms it");
    }
}

/// The pane with the diff.
fn pane(cx: &Cx) -> Pane {
    match cx.screen {
        ScreenId::Deploys => Pane::Deploy,
        _ if cx.panes().contains(&Pane::Changes) => Pane::Changes,
        _ => Pane::Stop,
    }
}
