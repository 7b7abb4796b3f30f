//! The question about someone else's change: their version and the version before, line by line, and the answers.

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::{KeyResult, centered, draw_keys, key_lines, popup, widest};
use crate::session::history::OnConflict;
use crate::session::in_own_words;
pub use crate::tui::layer::kinds::Difference;
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, keys::Key, look::Role, screen::step::change_lines, screen::step::conflict::Conflict};

/// Wider lines are hard to read.
const WIDEST: u16 = 100;

const ANSWERS: [(&str, &str); 3] = [("t", "keep"), ("r", "restore"), ("Esc", "stop")];

impl Difference {
    pub fn new(conflict: Conflict) -> Self {
        Self { conflict, offset: 0 }
    }

    /// Only an answer's own key answers; a scroll key decides nothing.
    pub fn on_key(&mut self, key: Key, cx: &Cx) -> KeyResult {
        let is_control = !key.mods.is_empty();
        let (height, len) = (room(cx), lines(self, cx, width(cx.window.width)).len());
        let (most, half) = (len.saturating_sub(height), (height / 2).max(1));
        self.offset = self.offset.min(most);
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') => return KeyResult::Close,
            KeyCode::Char('t') => return KeyResult::Decided(OnConflict::Keep),
            KeyCode::Char('r') => return KeyResult::Decided(OnConflict::Restore),
            KeyCode::Char('d') if is_control => self.offset = (self.offset + half).min(most),
            KeyCode::Char('u') if is_control => self.offset = self.offset.saturating_sub(half),
            KeyCode::PageDown => self.offset = (self.offset + half).min(most),
            KeyCode::PageUp => self.offset = self.offset.saturating_sub(half),
            KeyCode::Down | KeyCode::Char('j') => self.offset = (self.offset + 1).min(most),
            KeyCode::Up | KeyCode::Char('k') => self.offset = self.offset.saturating_sub(1),
            _ => {}
        }
        KeyResult::Stay
    }
}

fn width(screen: u16) -> usize {
    usize::from(WIDEST.min(screen).saturating_sub(4)).max(1)
}

/// How many lines of the difference are in view above the answers.
fn room(cx: &Cx) -> usize {
    let layout = cx.layout();
    usize::from(layout.footer.y.saturating_sub(layout.header.height)).saturating_sub(4).max(1)
}

fn lines(question: &Difference, cx: &Cx, width: usize) -> Vec<Line<'static>> {
    let (look, conflict) = (&cx.look, &question.conflict);
    let wrapped = |words: &str| text::wrap(&text::safe(words), width.saturating_sub(1));
    let head = match conflict.by {
        None => {
            "Someone else changed this since the deploy; nothing was undone.\nTheir version (-) and the version before the deploy (+):".into()
        }
        Some(by) => format!(
            "Deploy {by} changed this since; nothing was undone. Undo that deploy first: u on its row.\nIts version (-) and the version before \
             the deploy (+):"
        ),
    };
    let mut lines: Vec<Line> = head.lines().flat_map(wrapped).map(Line::raw).collect();
    lines.extend(
        conflict.lines.iter().flat_map(|line| wrapped(line)).map(|line| Line::styled(line, look.style(Role::Dim))),
    );
    for (resource, changes) in &conflict.changes {
        lines.push(Line::default());
        lines.push(Line::styled(text::safe(&resource.to_string()), look.style(Role::Title)));
        lines.extend(
            in_own_words(resource, changes).iter().flat_map(|change| change_lines(cx, change, width.saturating_sub(1))),
        );
        if changes.is_empty() {
            lines.push(Line::styled("(no diff to show)", look.style(Role::Dim)));
        }
    }
    lines
}

pub fn view(question: &Difference, cx: &Cx, buf: &mut Buffer, body: Rect) {
    let room_wide = width(body.width);
    let lines = lines(question, cx, room_wide);
    let answers = key_lines(cx, &ANSWERS, body);
    let last = answers.len() as u16;
    let widest = widest(&lines).max(widest(&answers)).min(room_wide);
    let area = centered(body, widest as u16 + 4, (lines.len() as u16).saturating_add(3 + last));
    let inner = popup(cx, buf, area, "Conflict");
    let place = draw_keys(cx, buf, inner, &answers);
    let height = usize::from(place.height);
    let text = Rect { x: inner.x + 1, width: inner.width.saturating_sub(1), ..place };
    list::draw_text(buf, text, question.offset.min(lines.len().saturating_sub(height)), &lines);
    if lines.len() > height && area.width > 16 {
        let more = Span::styled(" Ctrl-d more ", cx.look.style(Role::Key));
        buf.set_span(area.right() - 15, area.bottom() - 1, &more, 13);
    }
}
