//! What stands above a screen. Layers are a stack: the top one hears the key first.

mod fuzzy;
pub mod hover;
pub mod palette;
pub mod picker;

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::keymap::Action;
use super::keys::{self, Key};
use super::look::Role;
use super::state::State;
use super::widget::frame::{self, Frame};
use super::widget::{list, text};
use hover::Hover;
use palette::Palette;
use picker::Picker;

/// One layer.
#[derive(Clone, Debug)]
pub enum Layer {
    Palette(Palette),
    /// What stands under the cursor.
    Hover(Hover),
    /// Places to choose from.
    Picker(Picker),
    /// The filter or search line, and what was there before it.
    Prompt {
        words: String,
        before: String,
    },
    /// A question; the default does nothing.
    Confirm {
        lines: Vec<String>,
        action: Action,
    },
}

impl Layer {
    pub fn confirm(lines: Vec<String>, action: Action) -> Self {
        Layer::Confirm { lines, action }
    }
}

/// What a key did to the top layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Stay,
    /// The layer goes; nothing else happens.
    Close,
    /// The layer goes, and the words before it come back.
    Revert,
    /// The layer goes, and this is done.
    Run(Action),
    /// The words changed.
    Words,
    /// The layer goes, and what it has selected is gone to.
    Chosen,
    /// The layer goes, and what is below hears the key.
    Through,
}

/// Gives a key to a layer.
pub fn hear(layer: &mut Layer, key: Key, state: &State) -> Heard {
    let is_control = !key.mods.is_empty();
    match (layer, key.code) {
        (_, KeyCode::Char('c')) if is_control => Heard::Revert,
        (Layer::Confirm { action, .. }, KeyCode::Char('y')) => Heard::Run(*action),
        (Layer::Confirm { .. }, _) => Heard::Close,
        (Layer::Prompt { .. }, KeyCode::Esc) => Heard::Revert,
        (Layer::Prompt { .. }, KeyCode::Enter) => Heard::Close,
        (Layer::Prompt { words, .. }, code) => {
            if edit(words, code, is_control) {
                Heard::Words
            } else {
                Heard::Stay
            }
        }
        (Layer::Palette(palette), _) => palette.hear(key, state),
        (Layer::Hover(hover), _) => hover.hear(key, state),
        (Layer::Picker(picker), _) => picker.hear(key, state),
    }
}

/// Edits a line of words; true where it changed.
fn edit(words: &mut String, code: KeyCode, is_control: bool) -> bool {
    match code {
        KeyCode::Char('u') if is_control => words.clear(),
        KeyCode::Char('w') if is_control => {
            let kept = words.trim_end().rfind(' ').map_or(0, |at| at + 1);
            words.truncate(kept);
        }
        KeyCode::Char('h') if is_control => drop(words.pop()),
        KeyCode::Char(c) if !is_control => words.push(c),
        KeyCode::Backspace => drop(words.pop()),
        _ => return false,
    }
    true
}

/// Draws all layers over the body.
pub fn view(state: &State, buf: &mut Buffer, body: Rect) {
    for layer in &state.layers {
        match layer {
            Layer::Palette(palette) => palette::view(palette, state, buf, body),
            Layer::Hover(hover) => hover::view(hover, state, buf, body),
            Layer::Picker(picker) => picker::view(picker, state, buf, body),
            // The prompt stands in the footer, where `view` draws it.
            Layer::Prompt { .. } => {}
            Layer::Confirm { lines, .. } => view_confirm(state, buf, body, lines),
        }
    }
    if state.pending.popup && state.layers.is_empty() {
        view_pending(state, buf, body);
    }
}

/// Clears a place for a popup and frames it.
fn popup(state: &State, buf: &mut Buffer, area: Rect, title: &str) -> Rect {
    let area = area.intersection(buf.area);
    for position in area.positions() {
        if let Some(cell) = buf.cell_mut(position) {
            cell.reset();
        }
    }
    buf.set_style(area, state.look.style(Role::Page));
    buf.set_style(area, state.look.style(Role::Popup));
    frame::draw(buf, area, &state.look, &Frame { title, focused: true, ..Frame::default() })
}

fn view_confirm(state: &State, buf: &mut Buffer, body: Rect, lines: &[String]) {
    let width = lines.iter().map(|line| text::width(line)).max().unwrap_or(0).max(28) as u16 + 6;
    let height = lines.len() as u16 + 4;
    let area = centered(body, width, height);
    let inner = popup(state, buf, area, "Sure?");
    let mut shown: Vec<Line> = lines.iter().map(|line| Line::raw(format!(" {line}"))).collect();
    let key = |key: &'static str| Span::styled(key, state.look.style(Role::Key));
    shown.push(Line::raw(""));
    shown.push(Line::from(vec![
        Span::raw(" "),
        key("y"),
        Span::raw(" yes   "),
        key("any other key"),
        Span::raw(" no"),
    ]));
    list::draw_text(buf, inner, 0, &shown);
}

/// The keys that may follow what was pressed.
fn view_pending(state: &State, buf: &mut Buffer, body: Rect) {
    let mut rows: Vec<(String, &str, bool)> = Vec::new();
    for (keys, entry) in state.keymap.on(state.screen) {
        if keys.len() > state.pending.keys.len() && keys.starts_with(&state.pending.keys) {
            let rest = keys::show(&keys[state.pending.keys.len()..]);
            rows.push((rest, entry.title, (entry.enabled)(state).is_ok()));
        }
    }
    let width = rows.iter().map(|(_, title, _)| text::width(title)).max().unwrap_or(0) as u16 + 12;
    let height = rows.len() as u16 + 2;
    let width = width.min(body.width);
    let height = height.min(body.height);
    let area = Rect { x: body.right() - width, y: body.bottom() - height, width, height };
    let inner = popup(state, buf, area, &keys::show(&state.pending.keys));
    let lines: Vec<Line> = rows
        .iter()
        .map(|(key, title, enabled)| {
            let role = if *enabled { Role::Text } else { Role::Dim };
            Line::from(vec![
                Span::styled(format!(" {key:<6} "), state.look.style(Role::Key)),
                Span::styled(*title, state.look.style(role)),
            ])
        })
        .collect();
    list::draw_text(buf, inner, 0, &lines);
}

/// A box of a size in the middle, no larger than the body.
fn centered(body: Rect, width: u16, height: u16) -> Rect {
    let width = width.min(body.width);
    let height = height.min(body.height);
    Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height }
}
