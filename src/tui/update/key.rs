//! The meaning of a key: for the top layer, part of a count, part of a sequence, or an action of the table.

use crossterm::event::KeyCode;

use super::{layered::on_key_result, run::run};
use crate::tui::cx::{Cx, Pending};
use crate::tui::keymap::{Action, Found, GoWhere};
use crate::tui::screen::{Pane, ScreenId, step};
use crate::tui::{command, layer};
use crate::tui::{keys::Key, look::Role, state::State, widget::list::Move};

/// Handles a key: by the top layer, as a count, as a part of a sequence, or as an action.
pub fn on_key(state: &mut State, key: Key) {
    if state.cx.layers.open.is_empty() && state.cx.layers.types_on(key) {
        return;
    }
    state.cx.dismiss_notice();
    if let Some(mut top) = state.cx.layers.open.pop() {
        let result = layer::on_key(&mut top, key, state.front());
        return on_key_result(state, top, result, key);
    }
    step::live::stays(&mut state.screens.step);
    // A digit selects a screen; it starts a count only with relative line numbers.
    let counts = state.cx.screen == ScreenId::Code && state.screens.code.counts_from_cursor;
    if let Some(digit) = key.digit().filter(|_| counts && state.cx.typing.pending.keys.is_empty())
        && (digit > 0 || state.cx.typing.pending.count.is_some())
    {
        let count = state.cx.typing.pending.count.unwrap_or(0) * 10 + digit;
        state.cx.typing.pending.count = Some(count.min(9_999));
        return;
    }
    if key.code == KeyCode::Esc && state.cx.typing.pending.count.is_some() {
        state.cx.typing.pending = Pending::default();
        return;
    }
    if let Some(count) =
        state.cx.typing.pending.count.filter(|_| state.cx.typing.pending.keys.is_empty() && !is_counted(&state.cx, key))
    {
        return uncounted(state, count, vec![key]);
    }
    state.cx.typing.pending.keys.push(key);
    state.cx.typing.pending.popup = false;
    match state.cx.keymap.find(state.cx.screen, &state.cx.typing.pending.keys) {
        Found::Action(entry) => {
            let Pending { count, keys, .. } = std::mem::take(&mut state.cx.typing.pending);
            match count {
                Some(count) if !entry.takes_count() => uncounted(state, count, keys),
                // A count before the key to an end is a row number.
                Some(count) if matches!(entry.action, Action::Go(GoWhere::Top | GoWhere::Bottom)) => {
                    go_to_row(state, count)
                }
                count => run(state, entry, count.unwrap_or(1) as usize),
            }
        }
        Found::Prefix => {}
        Found::Nothing => match std::mem::take(&mut state.cx.typing.pending) {
            // It may be an action of the screen that the digit selects.
            Pending { count: Some(count), keys, .. } if keys.len() > 1 => uncounted(state, count, keys),
            _ => {}
        },
    }
}

/// Whether a key is an action that takes a count, or begins one.
fn is_counted(cx: &Cx, key: Key) -> bool {
    match cx.keymap.find(cx.screen, &[key]) {
        Found::Action(entry) => entry.takes_count(),
        Found::Prefix => cx.keymap.on(cx.screen).any(|(keys, entry)| keys[0] == key && entry.takes_count()),
        Found::Nothing => false,
    }
}

/// A digit before a key without a count: the digit selects its screen, and the key acts there.
fn uncounted(state: &mut State, count: u32, keys: Vec<Key>) {
    state.cx.typing.pending = Pending::default();
    let Some(screen) = state.cx.screen_of(count) else {
        return state.cx.show_notice(Role::Note, format!("{count}: a count must be followed by a move"));
    };
    run(state, screen, 1);
    for key in keys {
        on_key(state, key);
    }
}

/// Goes to a row of the focused pane by its number; in text to a line, even in a fold.
fn go_to_row(state: &mut State, number: u32) {
    let pane = state.cx.focus();
    if pane == Pane::Text {
        return command::go_to_line(&mut state.screens, &mut state.cx, number);
    }
    state.go(pane, Move::Top, 1);
    if number > 1 {
        state.go(pane, Move::Down, number as usize - 1);
    }
}

/// A prefix is pending: shows its popup. A lone digit is pending: selects its screen.
pub fn pending_due(state: &mut State) {
    if !state.cx.typing.pending.keys.is_empty() {
        state.cx.typing.pending.popup = true;
        return;
    }
    let Some(count) = state.cx.typing.pending.count.take() else { return };
    state.cx.screen_of(count).into_iter().for_each(|entry| run(state, entry, 1));
}
