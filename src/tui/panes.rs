//! Which pane hears the keys, and how much room each has.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::layout::{self, Divider, Moved};
use super::screen::Pane;
use super::state::State;

/// Columns that a key moves a divider by; rows are twice as high as columns are wide.
const STEP: i16 = 4;

/// The next pane in the order of Tab, or the one before.
pub fn turn_focus(state: &mut State, by: isize) {
    let panes = state.panes();
    let at = panes.iter().position(|pane| *pane == state.focus()).unwrap_or(0);
    state.set_focus(panes[(at as isize + by).rem_euclid(panes.len() as isize) as usize]);
}

/// The pane next to the focused one in a direction; where panes are not side by side, the next in turn.
pub fn point_focus(state: &mut State, dx: i32, dy: i32) {
    let layout = state.layout();
    let Some(here) = layout.pane(state.focus()) else { return };
    let middle =
        |area: Rect| (i32::from(area.x) + i32::from(area.width) / 2, i32::from(area.y) + i32::from(area.height) / 2);
    let (x, y) = middle(here);
    // Beyond the edge, and not only past a corner: a pane may be as wide as two that stand side by side.
    let ahead = |area: &Rect| {
        let is_beside = here.y < area.bottom() && area.y < here.bottom();
        let is_level = here.x < area.right() && area.x < here.right();
        match (dx.signum(), dy.signum()) {
            (1, _) => is_beside && area.x >= here.right(),
            (-1, _) => is_beside && area.right() <= here.x,
            (_, 1) => is_level && area.y >= here.bottom(),
            _ => is_level && area.bottom() <= here.y,
        }
    };
    let near = |area: &Rect| {
        let (other_x, other_y) = middle(*area);
        (other_x - x).abs() + (other_y - y).abs()
    };
    let hears = |pane: &Pane| state.panes().contains(pane);
    let best = layout.panes.iter().filter(|(pane, area)| hears(pane) && ahead(area)).min_by_key(|(_, area)| near(area));
    match best {
        Some((pane, _)) => state.set_focus(*pane),
        None if layout.panes.len() == 1 => turn_focus(state, if dx + dy > 0 { 1 } else { -1 }),
        None => {}
    }
}

/// Makes the focused pane wider, or narrower; higher or lower where panes stand above one another.
pub fn resize(state: &mut State, is_wider: bool) {
    let layout = state.layout();
    let (Some(area), Some(divider)) = (layout.pane(state.focus()), layout::divider(&layout)) else { return };
    let is_before = match divider {
        Divider::Column(x) => area.x < x,
        Divider::Row(y) => area.y < y,
    };
    let sign = if is_wider == is_before { 1 } else { -1 };
    move_divider(state, sign * if matches!(divider, Divider::Column(_)) { STEP } else { STEP / 2 });
}

/// All panes of the screen as they were made.
pub fn even(state: &mut State) {
    *state.moved_mut() = Moved::default();
}

/// Moves the divider as far as there is room.
fn move_divider(state: &mut State, by: i16) {
    let place = |state: &State| layout::divider(&state.layout());
    let before = place(state);
    let kept = *state.moved_mut();
    let moved = match before {
        Some(Divider::Column(_)) => Moved { columns: kept.columns.saturating_add(by), ..kept },
        Some(Divider::Row(_)) => Moved { rows: kept.rows.saturating_add(by), ..kept },
        None => return,
    };
    *state.moved_mut() = moved;
    // Not further than it went: or as many keys the other way would do nothing.
    *state.moved_mut() = match (before, place(state)) {
        (Some(Divider::Column(from)), Some(Divider::Column(to))) => {
            Moved { columns: kept.columns.saturating_add(to as i16 - from as i16), ..kept }
        }
        (Some(Divider::Row(from)), Some(Divider::Row(to))) => {
            Moved { rows: kept.rows.saturating_add(to as i16 - from as i16), ..kept }
        }
        _ => kept,
    };
}

/// The mouse takes a divider, drags it and lets it go; whether it was about one.
pub fn drag(state: &mut State, event: MouseEvent) -> bool {
    let layout = state.layout();
    let Some(divider) = layout::divider(&layout) else { return false };
    // Both borders belong to it.
    let (at, place, is_inside) = match divider {
        Divider::Column(x) => (event.column, x, event.row >= layout.header.height && event.row < layout.footer.y),
        Divider::Row(y) => (event.row, y, true),
    };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => {
            state.drags = is_inside && (at == place || at + 1 == place);
            // The click still gives the pane the focus.
            false
        }
        MouseEventKind::Drag(MouseButton::Left) if state.drags => {
            move_divider(state, at as i16 - place as i16);
            true
        }
        MouseEventKind::Up(MouseButton::Left) => std::mem::take(&mut state.drags),
        _ => false,
    }
}
