//! The layers above a screen. They are a stack: the top one handles a key first.

pub mod breaks;
pub mod command;
pub mod conflict;
mod fuzzy;
pub mod hover;
pub mod jobs;
pub mod line;
pub mod login;
pub mod palette;
pub mod picker;
mod turn;
mod which_key;
pub mod kinds;

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::filter;
use super::keymap::{Action, Found};
use super::keys::Key;
use super::look::{Look, Role};
use super::message::Job;
use super::state::State;
use super::widget::frame::{self, Frame};
use super::widget::{list, text};
use crate::session::history::OnConflict;
pub use crate::tui::layer::kinds::Layer;

/// How far a key scrolls the text of a question.
fn scrolled_by(code: KeyCode) -> Option<isize> {
    Some(match code {
        KeyCode::Down => 1,
        KeyCode::Up => -1,
        KeyCode::PageDown => 5,
        KeyCode::PageUp => -5,
        _ => return None,
    })
}

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
    /// The layer stays, and scrolls by this many lines.
    Scroll(isize),
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

/// Sends a key to a layer.
pub fn on_key(layer: &mut Layer, key: Key, state: &State) -> KeyResult {
    let is_control = !key.mods.is_empty();
    match (layer, key.code) {
        (_, KeyCode::Char('c')) if is_control => KeyResult::Revert,
        (layer, code) if layer.text().is_some() && scrolled_by(code).is_some() => {
            KeyResult::Scroll(scrolled_by(code).unwrap_or(0))
        }
        (Layer::Confirm { action, .. }, KeyCode::Char('y')) => KeyResult::Run(*action),
        (Layer::Notice { .. }, _) if leads_on(key, state) => KeyResult::Through,
        // A yes to a question that is not complete yet.
        (Layer::Reading { .. }, KeyCode::Char('y')) => KeyResult::Stay,
        (Layer::Confirm { .. } | Layer::Reading { .. } | Layer::Notice { .. }, _) => KeyResult::Close,
        (Layer::Choose { choices, .. }, KeyCode::Char(letter)) => {
            // The letters are those of the screen. A lower-case letter means the same here, except where its action
            // cannot be undone.
            let exact = choices.iter().find(|(there, ..)| *there == letter);
            let is_near = |(there, _, action): &&(char, &str, Action)| {
                there.eq_ignore_ascii_case(&letter) && *action != Action::EndDetached
            };
            let chosen = exact.or_else(|| choices.iter().find(is_near));
            match chosen {
                Some((.., action)) => KeyResult::Run(*action),
                // It may appear above anything the user was about to do.
                None if leads_on(key, state) => KeyResult::Through,
                None => KeyResult::Close,
            }
        }
        (Layer::Choose { .. }, _) => KeyResult::Close,
        (Layer::Typed { .. }, KeyCode::Esc) => KeyResult::Close,
        (Layer::Typed { word, other, typed, is_missed, action, .. }, KeyCode::Enter) => {
            *is_missed = typed != word && other.as_ref() != Some(typed);
            if *is_missed { KeyResult::Stay } else { KeyResult::Run(*action) }
        }
        (Layer::Typed { typed, is_missed, .. }, code) => {
            *is_missed = false;
            edit(typed, code, is_control);
            KeyResult::Stay
        }
        (Layer::Words { .. }, KeyCode::Esc) => KeyResult::Close,
        (Layer::Words { typed, action, .. }, KeyCode::Enter) => {
            if typed.trim().is_empty() {
                KeyResult::Stay
            } else {
                KeyResult::Run(*action)
            }
        }
        (Layer::Words { typed, .. }, code) => {
            edit(typed, code, is_control);
            KeyResult::Stay
        }
        (Layer::Prompt { .. }, KeyCode::Esc) => KeyResult::Revert,
        (Layer::Prompt { words, .. }, KeyCode::Enter) => {
            if filter::wrong(words, state).is_some() {
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
        (Layer::Line(line), _) => line.on_key(key),
        (Layer::Breaks(breaks), _) => breaks.on_key(key, state),
        (Layer::Jobs(jobs), _) => jobs.on_key(key, state),
        (Layer::Conflict(question), _) => question.on_key(key, state),
        (Layer::Palette(palette), _) => palette.on_key(key, state),
        (Layer::Hover(hover), _) => hover.on_key(key, state),
        (Layer::Picker(picker), _) => picker.on_key(key, state),
        (Layer::Command(line), _) => line.on_key(key, state),
        (Layer::Login(login), _) => login.on_key(key),
    }
}

/// Whether a key starts something that is typed: if it were dropped, the words after it would act as keys.
fn leads_on(key: Key, state: &State) -> bool {
    use Action::{CommandLine, Filter, Palette, Screen};
    let found = state.keymap.find(state.screen, &[key]);
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

/// The title of a yes-or-no question.
fn matter(action: Action) -> &'static str {
    match action {
        Action::AddImport => "Add an import",
        Action::PruneModules => "Remove fetched modules",
        Action::Approve => "Approve modules",
        Action::UndoDeploy | Action::RollBack => "Undo",
        Action::LeaveOut | Action::Skip => "Skip",
        Action::Mend => "Use the edit",
        Action::Arm => "Apply?",
        // The lock was held.
        Action::ArmAgain => "Not applied",
        Action::Stop => "End deploy",
        Action::Quit => "Quit",
        _ => "Sure?",
    }
}

/// Draws all layers over the body.
pub fn view(state: &State, buf: &mut Buffer, body: Rect) {
    for layer in &state.layers {
        match layer {
            Layer::Palette(palette) => palette::view(palette, state, buf, body),
            Layer::Hover(hover) => hover::view(hover, state, buf, body),
            Layer::Picker(picker) => picker::view(picker, state, buf, body),
            Layer::Login(login) => login::view(login, state, buf, body),
            // The line itself is in the footer.
            Layer::Command(line) => command::view(line, state, buf, body),
            // The prompt is in the footer, where `view` draws it.
            Layer::Prompt { .. } => {}
            Layer::Confirm { lines, action } => {
                let answers = [("y", "yes"), ("any other key", "no")];
                view_question(state, buf, body, matter(*action), lines, key_lines(state, &answers, body));
            }
            Layer::Reading { lines, action } => {
                view_question(state, buf, body, matter(*action), lines, key_lines(state, &[("Esc", "cancel")], body));
            }
            Layer::Choose { title, lines, choices } => {
                let keys: Vec<String> = choices.iter().map(|(key, ..)| key.to_string()).collect();
                let mut answers: Vec<_> =
                    keys.iter().zip(choices).map(|(key, (_, words, _))| (key.as_str(), *words)).collect();
                answers.push(("Esc", "later"));
                view_question(state, buf, body, title, lines, key_lines(state, &answers, body));
            }
            Layer::Breaks(breaks) => breaks::view(breaks, state, buf, body),
            Layer::Jobs(jobs) => jobs::view(jobs, state, buf, body),
            Layer::Line(line) => line::view(line, state, buf, body),
            Layer::Conflict(question) => conflict::view(question, state, buf, body),
            Layer::Notice { title, lines } => {
                view_question(state, buf, body, title, lines, key_lines(state, &[("any key", "closes")], body));
            }
            Layer::Words { title, lines, typed, .. } => {
                let room = usize::from(body.width.saturating_sub(10));
                // The end of the typed text stays in view.
                let from = text::safe(typed).chars().count().saturating_sub(room);
                let shown: String = text::safe(typed).chars().skip(from).collect();
                let answer = Line::from(vec![
                    Span::styled(" > ", state.look.style(Role::Key)),
                    Span::styled(shown, state.look.style(Role::Strong)),
                    Span::styled("_", state.look.style(Role::Key)),
                ]);
                let mut lines = lines.clone();
                lines.push("Enter continue, Esc cancel".into());
                view_question(state, buf, body, title, &lines, vec![answer]);
            }
            Layer::Typed { lines, word, other, typed, is_missed, action } => {
                let answer = Line::from(vec![
                    Span::raw(format!(" type {} > ", text::safe(word))),
                    Span::styled(text::safe(typed), state.look.style(Role::Strong)),
                    Span::styled("_", state.look.style(Role::Key)),
                    Span::styled("   Esc cancel", state.look.style(Role::Dim)),
                ]);
                let title = match action {
                    Action::Attach => "Attach?",
                    Action::Resume | Action::RunAgain => "Resume?",
                    _ => "Apply?",
                };
                let missed = match other {
                    _ if !is_missed => None,
                    _ if typed.is_empty() => Some("Nothing was typed: nothing started.".to_owned()),
                    Some(other) => Some(format!("`{typed}` is not `{word}` or `{other}`: nothing started.")),
                    None => Some(format!("`{typed}` is not `{word}`: nothing started.")),
                };
                let missed = missed
                    .map(|missed| Line::styled(format!(" {}", text::safe(&missed)), state.look.style(Role::Warning)));
                view_question(state, buf, body, title, lines, missed.into_iter().chain([answer]).collect());
            }
        }
    }
    if state.pending.popup && state.layers.is_empty() {
        which_key::view(state, buf, body);
    }
}

/// The text cursor of the top layer; `None` if nothing is typed, or it is in the footer.
pub fn cursor(state: &State) -> Option<Position> {
    match state.layers.last()? {
        Layer::Picker(picker) => picker::cursor(picker, state),
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

/// The keys with their answers.
///
/// Uses as many lines as the width needs.
fn key_lines(state: &State, answers: &[(&str, &str)], body: Rect) -> Vec<Line<'static>> {
    let room = usize::from(body.width.saturating_sub(2));
    let mut lines = vec![Line::raw(" ")];
    for (key, words) in answers {
        let width = text::width(key) + 1 + text::width(words);
        let last = lines.last().map_or(0, Line::width);
        if last > 1 && last + width > room {
            lines.push(Line::raw(" "));
        }
        if let Some(line) = lines.last_mut() {
            line.push_span(Span::styled((*key).to_string(), state.look.style(Role::Key)));
            line.push_span(Span::raw(format!(" {words}   ")));
        }
    }
    lines
}

/// The columns for a question.
fn room(body: Rect) -> usize {
    usize::from(body.width.saturating_sub(4)).max(1)
}

/// The width of the lines, without trailing spaces.
fn widest(lines: &[Line]) -> usize {
    lines.iter().map(|line| text::width(line.to_string().trim_end())).max().unwrap_or(0)
}

/// A text above its answer line. The answer stays in view however many lines there are.
fn view_question(
    state: &State,
    buf: &mut Buffer,
    body: Rect,
    title: &str,
    lines: &[String],
    answers: Vec<Line<'static>>,
) {
    let most = room(body);
    let lines: Vec<String> = lines.iter().map(|line| text::safe(line)).collect();
    // Only a line that is too long is wrapped: wrapping removes its indentation.
    let fits = |line: &String| text::width(line) <= most;
    let lines: Vec<String> =
        lines.into_iter().flat_map(|line| if fits(&line) { vec![line] } else { text::wrap(&line, most) }).collect();
    let width = lines.iter().map(|line| text::width(line)).max().unwrap_or(0).max(widest(&answers)).max(28) as u16;
    let height = (lines.len() as u16).saturating_add(3 + answers.len() as u16);
    let area = centered(body, width + 4, height);
    let inner = popup(state, buf, area, title);
    let room = usize::from(inner.height).saturating_sub(1 + answers.len());
    let (all, glyphs) = (lines.len(), &state.look.glyphs);
    let from = state.read_from.min(all.saturating_sub(room));
    let rest = all.saturating_sub(from + room);
    let mut shown: Vec<Line> =
        lines.into_iter().skip(from).take(room).map(|line| Line::raw(format!(" {line}"))).collect();
    let cut = |count: usize, way: &str| {
        Line::styled(format!(" {} {count} more lines: {way}", glyphs.cut), state.look.style(Role::Dim))
    };
    if let Some(last) = shown.last_mut().filter(|_| rest > 0) {
        *last = cut(rest + 1, "Down");
    }
    if let Some(first) = shown.first_mut().filter(|_| from > 0 && room > 1) {
        *first = cut(from + 1, "Up");
    }
    if inner.height > 1 {
        shown.push(Line::raw(""));
    }
    shown.extend(answers);
    list::draw_text(buf, inner, 0, &shown);
}

/// A box of this size in the middle, no larger than the body.
fn centered(body: Rect, width: u16, height: u16) -> Rect {
    let width = width.min(body.width);
    let height = height.min(body.height);
    Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height }
}
