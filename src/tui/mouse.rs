//! The mouse: clicks and the wheel on panes, and on what drawing registered. Every action also has a key.

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};
use ratatui::prelude::{Buffer, Position, Rect};

use super::layer::{self, Layer};
use super::screen::{Pane, code, step};
use super::{
    areas::Hit, keys::Key, layout::inside, state::State, update::key::on_key, update::run, widget::list::Move,
};
use super::{presses, view};

/// How many rows the wheel moves.
const ROWS: usize = 3;

pub fn on_mouse(state: &mut State, event: MouseEvent) {
    // A popup about the cursor closes at the next mouse event.
    if matches!(state.cx.layers.open.last(), Some(Layer::Hover(_))) && event.kind != MouseEventKind::Moved {
        state.cx.layers.open.pop();
    }
    let at = (event.column, event.row).into();
    let is_click = event.kind == MouseEventKind::Down(MouseButton::Left);
    let hit = if is_click { hit(state, at) } else { None };
    if !state.cx.layers.open.is_empty() {
        return on_mouse_above(state, event.kind, hit);
    }
    if event.kind != MouseEventKind::Moved {
        step::live::stays(&mut state.screens.step);
    }
    match hit {
        Some(Hit::Run(entry)) => return run::run(state, entry, 1),
        Some(Hit::Keys(keys)) => return press(state, &keys),
        Some(Hit::Line(_)) | None => {}
    }
    let layout = state.cx.layout();
    let Some((pane, area)) = layout.panes.into_iter().find(|(_, area)| area.contains(at)) else { return };
    if !state.cx.panes().contains(&pane) {
        return;
    }
    match event.kind {
        // A list moves its cursor; text scrolls, as in editors.
        MouseEventKind::ScrollDown | MouseEventKind::ScrollUp => {
            let step = if event.kind == MouseEventKind::ScrollDown { Move::Down } else { Move::Up };
            if pane == Pane::Text {
                return code::pan(&mut state.screens.code, &state.cx, step, ROWS);
            }
            state.go(pane, step, ROWS)
        }
        MouseEventKind::Down(MouseButton::Left) => {
            state.cx.set_focus(pane);
            let inner = inside(area);
            if inner.contains(at) {
                let (row, column) = (event.row - inner.y, event.column - inner.x);
                let (screen, beside) = state.screens.get_mut(pane.screen());
                screen.click(&mut state.cx, beside, pane, (usize::from(row), usize::from(column)))
            }
        }
        _ => {}
    }
}

/// The mouse over a layer: a hint acts as its key, a row is selected, and the wheel moves as the arrow keys do.
fn on_mouse_above(state: &mut State, kind: MouseEventKind, hit: Option<Hit>) {
    let is_typed = matches!(state.cx.layers.open.last(), Some(Layer::Command(_) | Layer::Prompt { .. }));
    match (kind, hit) {
        (_, Some(Hit::Keys(keys))) => press(state, &keys),
        (_, Some(Hit::Line(line))) => {
            let is_enter = state.cx.layers.open.last_mut().is_some_and(|layer| layer::on_click(layer, line));
            // A picker requests a preview of the row.
            let key = if is_enter { KeyCode::Enter } else { KeyCode::Null };
            press(state, &[Key { code: key, ..Key::char(' ') }])
        }
        (MouseEventKind::ScrollDown | MouseEventKind::ScrollUp, _) if !is_typed => {
            press(state, &[wheel(kind == MouseEventKind::ScrollDown); ROWS])
        }
        _ => {}
    }
}

fn press(state: &mut State, keys: &[Key]) {
    for key in keys {
        if !presses::drops(&state.screens.step, &mut state.cx, *key) {
            on_key(state, *key);
        }
    }
}

/// What a click at a position does now.
fn hit(state: &State, at: Position) -> Option<Hit> {
    view::view(state, &mut Buffer::empty(Rect::new(0, 0, state.cx.window.width, state.cx.window.height)));
    state.cx.areas.at(at)
}

/// A key of the wheel.
fn wheel(is_down: bool) -> Key {
    Key { code: if is_down { KeyCode::Down } else { KeyCode::Up }, ..Key::char(' ') }
}
