//! The question layer: a text with what it affects, and the accepted answers. A report is a question without an answer.
//!
//! One rule decides how it is confirmed (see [`Agreement`](crate::session::Agreement)): `y` if everything can be undone,
//! and the typed name of the machine if something cannot, or if the user has not seen all of it: a program for another
//! host, a deploy of another session.

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::{KeyResult, centered, edit, key_lines, leads_on, popup, widest};
pub use crate::tui::layer::kinds::{Answer, Purpose, Question};
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, keymap::Action, keys::Key, look::Role};

impl Purpose {
    fn keys(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Purpose::SaveGraph => &[("Enter", "save a new file"), ("Ctrl-y", "copy"), ("Esc", "cancel")],
            Purpose::SaveDeploy(_) => &[("Enter", "save a new file"), ("Esc", "cancel")],
            Purpose::Breakpoint(_) => &[("Enter", "set"), ("Esc", "cancel")],
            Purpose::Import => &[("Enter", "continue"), ("Esc", "cancel")],
        }
    }
}

impl Question {
    pub fn on_key(&mut self, key: Key, cx: &Cx) -> KeyResult {
        let is_control = !key.mods.is_empty();
        if let Some(by) = scrolled_by(key.code) {
            self.from = self.from.saturating_add_signed(by).min(self.lines.len());
            return KeyResult::Stay;
        }
        match (&mut self.answer, key.code) {
            (Answer::Yes(action), KeyCode::Char('y')) => KeyResult::Run(*action),
            // A yes to a question that is not complete yet.
            (Answer::Loading(_), KeyCode::Char('y')) => KeyResult::Stay,
            // It may appear above anything the user was about to do.
            (Answer::Read, _) if leads_on(key, cx) => KeyResult::Through,
            (Answer::Yes(_) | Answer::Loading(_) | Answer::Read, _) => KeyResult::Close,
            (Answer::Keys(keys), KeyCode::Char(letter)) => {
                // The letters are those of the screen. A lower-case letter means the same here, except where its action
                // cannot be undone.
                let exact = keys.iter().find(|(there, ..)| *there == letter);
                let is_near = |(there, _, action): &&(char, &str, Action)| {
                    there.eq_ignore_ascii_case(&letter) && *action != Action::EndDetached
                };
                match exact.or_else(|| keys.iter().find(is_near)) {
                    Some((.., action)) => KeyResult::Run(*action),
                    None if leads_on(key, cx) => KeyResult::Through,
                    None => KeyResult::Close,
                }
            }
            (Answer::Keys(_), _) => KeyResult::Close,
            (Answer::Word { .. } | Answer::Text { .. }, KeyCode::Esc) => KeyResult::Close,
            (Answer::Word { word, other, typed, is_missed, action }, KeyCode::Enter) => {
                *is_missed = typed != word && other.as_ref() != Some(typed);
                if *is_missed { KeyResult::Stay } else { KeyResult::Run(*action) }
            }
            (Answer::Word { typed, is_missed, .. }, code) => {
                *is_missed = false;
                edit(typed, code, is_control);
                KeyResult::Stay
            }
            (Answer::Text { typed, purpose: Purpose::Import, .. }, KeyCode::Enter) if typed.trim().is_empty() => {
                KeyResult::Stay
            }
            (Answer::Text { .. }, KeyCode::Enter) => KeyResult::Chosen,
            (Answer::Text { purpose: Purpose::SaveGraph, .. }, KeyCode::Char('y')) if is_control => {
                KeyResult::ChosenOther
            }
            (Answer::Text { typed, error, .. }, code) => {
                if edit(typed, code, is_control) {
                    *error = None;
                }
                KeyResult::Stay
            }
        }
    }

    /// The last lines, which stay in view however long the text is.
    fn answer_lines(&self, cx: &Cx, body: Rect) -> Vec<Line<'static>> {
        let look = &cx.look;
        let typing = |typed: &str, lead: String, room: usize| {
            let typed = text::safe(typed);
            let typed = text::fit_end(&typed, room.saturating_sub(text::width(&lead)), look.glyphs.cut).into_owned();
            vec![
                Span::raw(lead),
                Span::styled(typed, look.style(Role::Strong)),
                Span::styled("_", look.style(Role::Key)),
            ]
        };
        let room = usize::from(body.width.saturating_sub(8)).max(1);
        match &self.answer {
            Answer::Read => key_lines(cx, &[("any key", "closes")], body),
            Answer::Loading(_) => key_lines(cx, &[("Esc", "cancel")], body),
            Answer::Yes(_) => key_lines(cx, &[("y", "yes"), ("any other key", "no")], body),
            Answer::Keys(keys) => {
                let letters: Vec<String> = keys.iter().map(|(key, ..)| key.to_string()).collect();
                let mut answers: Vec<_> =
                    letters.iter().zip(keys).map(|(key, (_, words, _))| (key.as_str(), *words)).collect();
                answers.push(("Esc", "later"));
                key_lines(cx, &answers, body)
            }
            Answer::Word { word, other, typed, is_missed, .. } => {
                let missed = match other {
                    _ if !is_missed => None,
                    _ if typed.is_empty() => Some("Nothing was typed: nothing started.".to_owned()),
                    Some(other) => Some(format!("`{typed}` is not `{word}` or `{other}`: nothing started.")),
                    None => Some(format!("`{typed}` is not `{word}`: nothing started.")),
                };
                let missed = missed
                    .map(|missed| Line::styled(format!(" {}", text::safe(&missed)), cx.look.style(Role::Warning)));
                let mut spans = typing(typed, format!(" type {} > ", text::safe(word)), room + text::width(word));
                spans.push(Span::raw("   "));
                spans.push(Span::styled("Esc", look.style(Role::Key)));
                spans.push(Span::styled(" cancel", look.style(Role::Dim)));
                missed.into_iter().chain([Line::from(spans)]).collect()
            }
            Answer::Text { typed, error, purpose } => {
                let mut lines = vec![Line::from(typing(typed, " > ".into(), room))];
                if let Some(error) = error {
                    let error = format!(" {} {error}", look.glyphs.failed);
                    lines.extend(text::wrap_line(&Line::styled(error, look.style(Role::Error)), room));
                }
                lines.push(Line::raw(""));
                lines.extend(key_lines(cx, purpose.keys(), body));
                lines
            }
        }
    }
}

/// How far a key scrolls the text.
fn scrolled_by(code: KeyCode) -> Option<isize> {
    Some(match code {
        KeyCode::Down => 1,
        KeyCode::Up => -1,
        KeyCode::PageDown => 5,
        KeyCode::PageUp => -5,
        _ => return None,
    })
}

pub fn view(question: &Question, cx: &Cx, buf: &mut Buffer, body: Rect) {
    let most = usize::from(body.width.saturating_sub(4)).max(1);
    let answers = question.answer_lines(cx, body);
    let lines = question.lines.iter().map(|line| text::safe(line));
    // Only a line that is too long is wrapped: wrapping removes its indentation.
    let fits = |line: &String| text::width(line) <= most;
    let lines: Vec<String> =
        lines.flat_map(|line| if fits(&line) { vec![line] } else { text::wrap(&line, most) }).collect();
    let width = lines.iter().map(|line| text::width(line)).max().unwrap_or(0).max(widest(&answers)).max(28) as u16;
    let height = (lines.len() as u16).saturating_add(3 + answers.len() as u16);
    let inner = popup(cx, buf, centered(body, width + 4, height), &question.title);
    let room = usize::from(inner.height).saturating_sub(1 + answers.len());
    let (all, glyphs) = (lines.len(), &cx.look.glyphs);
    let from = question.from.min(all.saturating_sub(room));
    let rest = all.saturating_sub(from + room);
    let mut shown: Vec<Line> =
        lines.into_iter().skip(from).take(room).map(|line| Line::raw(format!(" {line}"))).collect();
    let cut = |count: usize, way: &str| {
        Line::styled(format!(" {} {count} more lines: {way}", glyphs.cut), cx.look.style(Role::Dim))
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
    let first = shown.len() as u16;
    for (y, line) in (inner.y + first..inner.bottom()).zip(&answers) {
        cx.areas.add_hints(&cx.look, (inner.x, y), line);
    }
    shown.extend(answers);
    list::draw_text(buf, inner, 0, &shown);
}
