//! The mouse: clicks and the wheel on panes, tabs and pickers. Every action also has a key.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::effect::Effect;
use super::keys::Key;
use super::layer::{KeyResult, Layer};
use super::layout::inside;
use super::screen::{self, step};
use super::state::State;
use super::update::{layered, run};
use super::view;
use super::widget::list::Move;

/// Handles a mouse event.
pub fn on_mouse(state: &mut State, event: MouseEvent) -> Vec<Effect> {
    // A popup about the cursor closes at the next mouse event.
    if matches!(state.layers.last(), Some(Layer::Hover(_))) && event.kind != MouseEventKind::Moved {
        state.layers.pop();
    }
    if !state.layers.is_empty() {
        return on_mouse_above(state, event);
    }
    if event.kind != MouseEventKind::Moved {
        step::live::stays(state);
    }
    let layout = state.layout();
    let at = (event.column, event.row).into();
    if event.kind == MouseEventKind::Down(MouseButton::Left) && layout.header.contains(at) {
        let hit = view::tab_at(state, event.column);
        return hit.map_or_else(Vec::new, |entry| run::run(state, entry, 1));
    }
    let Some((pane, area)) = layout.panes.into_iter().find(|(_, area)| area.contains(at)) else { return vec![] };
    if !state.panes().contains(&pane) {
        return vec![];
    }
    match event.kind {
        MouseEventKind::ScrollDown => screen::roll(state, pane, Move::Down),
        MouseEventKind::ScrollUp => screen::roll(state, pane, Move::Up),
        MouseEventKind::Down(MouseButton::Left) => {
            state.set_focus(pane);
            let inner = inside(area);
            if inner.contains(at) {
                let (row, column) = (event.row - inner.y, event.column - inner.x);
                screen::click(state, pane, (usize::from(row), usize::from(column)))
            } else {
                vec![]
            }
        }
        _ => vec![],
    }
}

/// The mouse over a picker; other layers only use keys.
fn on_mouse_above(state: &mut State, event: MouseEvent) -> Vec<Effect> {
    let mut picker = match state.layers.pop() {
        Some(Layer::Picker(picker)) => picker,
        other => {
            state.layers.extend(other);
            return vec![];
        }
    };
    let result = match event.kind {
        MouseEventKind::Down(MouseButton::Left) => picker.click((event.column, event.row).into(), state),
        MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => {
            let step = if event.kind == MouseEventKind::ScrollDown { Move::Down } else { Move::Up };
            picker.go(step, 3, state);
            KeyResult::Stay
        }
        _ => KeyResult::Stay,
    };
    layered::on_key_result(state, Layer::Picker(picker), result, Key::char(' '))
}
