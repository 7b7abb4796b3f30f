//! The focused pane.

use super::state::State;

/// Focuses the next or previous pane in the order of Tab.
pub fn turn_focus(state: &mut State, by: isize) {
    let panes = state.panes();
    let at = panes.iter().position(|pane| *pane == state.focus()).unwrap_or(0);
    state.set_focus(panes[(at as isize + by).rem_euclid(panes.len() as isize) as usize]);
}
