//! The layers above a screen. They are a stack: the top one handles a key first.

pub mod breaks;
pub mod command;
pub mod conflict;
mod fuzzy;
pub mod hover;
pub mod jobs;
pub mod login;
pub mod palette;
pub mod picker;
pub mod question;
pub(super) mod turn;
mod which_key;
pub mod kinds;

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Position, Rect, Span};

use super::keymap::{Action, Found};
use super::look::{Look, Role};
use super::widget::frame::{self, Frame};
use super::widget::{list, text};
use super::{filter, keys::Key, message::Job};
use crate::session::history::OnConflict;
pub use crate::tui::layer::kinds::Layer;
use crate::tui::{cx::Cx, front::Front};
pub use question::Question;

/// What a key does to the top layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyResult {
    Stay,
    /// The layer closes; nothing else happens.
    Close,
    /// The layer closes, and the previous words are restored.
    Revert,
    /// The layer closes, and the action runs.
    Run(Action),
    /// The words changed.
    Words,
    /// The layer closes, and the selected item opens.
    Chosen,
    /// The same, with the alternative.
    ChosenOther,
    /// The layer stays, or another is pushed, and the breakpoints change.
    Breaks(breaks::Asked),
    /// The layer stays, and the equivalent command is copied.
    Copy(Action),
    /// The layer stays, and this job is stopped.
    Cancel(Job),
    /// The layer closes, and the undo or resume continues in this way.
    Decided(OnConflict),
    /// The layer closes, and the one below handles the key.
    Through,
}

pub fn on_key(layer: &mut Layer, key: Key, front: Front<'_>) -> KeyResult {
    let is_control = !key.mods.is_empty();
    match (layer, key.code) {
        (_, KeyCode::Char('c')) if is_control => KeyResult::Revert,
        (Layer::Question(question), _) => question.on_key(key, front.cx),
        (Layer::Prompt { .. }, KeyCode::Esc) => KeyResult::Revert,
        (Layer::Prompt { words, .. }, KeyCode::Enter) => {
            if filter::wrong(words, front.cx).is_some() {
                KeyResult::Stay
            } else {
                KeyResult::Close
            }
        }
        (Layer::Prompt { words, .. }, code) => {
            if edit(words, code, is_control) {
                KeyResult::Words
            } else {
                KeyResult::Stay
            }
        }
        (Layer::Breaks(breaks), _) => breaks.on_key(key, front.step),
        (Layer::Jobs(jobs), _) => jobs.on_key(key, front.cx),
        (Layer::Conflict(question), _) => question.on_key(key, front.cx),
        (Layer::Palette(palette), _) => palette.on_key(key, front.cx),
        (Layer::Hover(hover), _) => hover.on_key(key, front),
        (Layer::Picker(picker), _) => picker.on_key(key, front.cx),
        (Layer::Command(line), _) => line.on_key(key, front),
        (Layer::Login(login), _) => login.on_key(key),
    }
}

/// A click on a visible line of a layer's list selects it; on the selected one it is Enter.
pub fn on_click(layer: &mut Layer, line: usize) -> bool {
    let clicked = match layer {
        Layer::Palette(palette) => palette.list.click(line),
        Layer::Picker(picker) => picker.list.click(line),
        Layer::Breaks(breaks) => {
            let at = breaks.list.offset + line;
            Some(std::mem::replace(&mut breaks.list.cursor, at) == at)
        }
        _ => None,
    };
    clicked == Some(true)
}

/// Whether a key starts something that is typed: if it were dropped, the words after it would act as keys.
fn leads_on(key: Key, cx: &Cx) -> bool {
    use Action::{CommandLine, Filter, Palette, Screen};
    let found = cx.keymap.find(cx.screen, &[key]);
    matches!(found, Found::Action(entry) if matches!(entry.action, CommandLine | Filter | Palette | Screen(_)))
}

/// Edits a line of text; true if it changed.
pub(super) fn edit(words: &mut String, code: KeyCode, is_control: bool) -> bool {
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

pub fn view(front: Front<'_>, buf: &mut Buffer, body: Rect) {
    for layer in &front.cx.layers.open {
        // Only the top layer reacts to the mouse.
        front.cx.areas.clear();
        match layer {
            Layer::Palette(palette) => palette::view(palette, front, buf, body),
            Layer::Hover(hover) => hover::view(hover, front, buf, body),
            Layer::Picker(picker) => picker::view(picker, front.cx, buf, body),
            Layer::Login(login) => login::view(login, front.cx, buf, body),
            // The line itself is in the footer.
            Layer::Command(line) => command::view(line, front.cx, buf, body),
            // The prompt is in the footer, where `view` draws it.
            Layer::Prompt { .. } => {}
            Layer::Question(question) => question::view(question, front.cx, buf, body),
            Layer::Breaks(breaks) => breaks::view(breaks, front.step, front.cx, buf, body),
            Layer::Jobs(jobs) => jobs::view(jobs, front.modules, front.cx, buf, body),
            Layer::Conflict(question) => conflict::view(question, front.cx, buf, body),
        }
    }
    if front.cx.typing.pending.popup && front.cx.layers.open.is_empty() {
        which_key::view(front, buf, body);
    }
}

/// The text cursor of the top layer; `None` if nothing is typed, or it is in the footer.
pub fn cursor(cx: &Cx) -> Option<Position> {
    match cx.layers.open.last()? {
        Layer::Picker(picker) => picker::cursor(picker, cx),
        _ => None,
    }
}

/// The line with the text that narrows a list.
fn prompt(look: &Look, words: &str) -> Line<'static> {
    Line::from(vec![
        Span::styled(" > ", look.style(Role::Key)),
        Span::raw(text::safe(words)),
        Span::styled(if words.is_empty() { "type to filter" } else { "" }, look.style(Role::Dim)),
    ])
}

/// Clears and frames the area of a popup.
fn popup(cx: &Cx, buf: &mut Buffer, area: Rect, title: &str) -> Rect {
    let area = area.intersection(buf.area);
    for position in area.positions() {
        if let Some(cell) = buf.cell_mut(position) {
            cell.reset();
        }
    }
    buf.set_style(area, cx.look.style(Role::Page));
    buf.set_style(area, cx.look.style(Role::Popup));
    frame::draw(buf, area, &cx.look, &Frame { title, focused: true, ..Frame::default() })
}

/// The keys with their answers.
///
/// Uses as many lines as the width needs.
fn key_lines(cx: &Cx, answers: &[(&str, &str)], body: Rect) -> Vec<Line<'static>> {
    let room = usize::from(body.width.saturating_sub(2));
    let mut lines = vec![Line::raw(" ")];
    for (key, words) in answers {
        let width = text::width(key) + 1 + text::width(words);
        let last = lines.last().map_or(0, Line::width);
        if last > 1 && last + width > room {
            lines.push(Line::raw(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.push_span(Span::styled((*key).to_string(), cx.look.style(Role::Key)));
            line.push_span(Span::raw(format!(" {words}   ")));
        }
    }
    lines
}

/// Draws the lines of [`key_lines`] at the bottom of a popup; returns the room above them and a blank line.
fn draw_keys(cx: &Cx, buf: &mut Buffer, inner: Rect, keys: &[Line]) -> Rect {
    let height = inner.height.min(keys.len() as u16);
    let place = Rect { y: inner.bottom() - height, height, ..inner };
    list::draw_text(buf, place, 0, keys);
    place.rows().zip(keys).for_each(|(row, line)| cx.areas.add_hints(&cx.look, (row.x, row.y), line));
    Rect { height: inner.height.saturating_sub(1 + keys.len() as u16), ..inner }
}

/// The width of the lines, without trailing spaces.
fn widest(lines: &[Line]) -> usize {
    lines.iter().map(|line| text::width(line.to_string().trim_end())).max().unwrap_or(0)
}

/// A box of this size in the middle, no larger than the body.
fn centered(body: Rect, width: u16, height: u16) -> Rect {
    let width = width.min(body.width);
    let height = height.min(body.height);
    Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height }
}
