//! The command line: text typed after `:`, with its completions above, and the history.

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Position, Rect, Span};

use super::{KeyResult, edit, popup};
use crate::tui::command::{self};
pub use crate::tui::layer::kinds::CommandLine;
use crate::tui::look::{Look, Role};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::{cx::Cx, front::Front, keys::Key, widget::text};

/// The most candidates in view.
const HEIGHT: usize = 10;

impl CommandLine {
    pub fn new(line: &str, front: Front<'_>) -> Self {
        let candidates = command::candidates(line, front);
        Self { line: line.into(), candidates, ..Self::default() }
    }

    pub fn on_key(&mut self, key: Key, front: Front<'_>) -> KeyResult {
        let is_control = !key.mods.is_empty();
        match key.code {
            KeyCode::Esc => return KeyResult::Close,
            KeyCode::Backspace if self.line.is_empty() => return KeyResult::Close,
            KeyCode::Enter => return KeyResult::Chosen,
            KeyCode::Tab => self.pick(true),
            KeyCode::BackTab => self.pick(false),
            KeyCode::Char('n') if is_control => self.pick(true),
            KeyCode::Char('p') if is_control => self.pick(false),
            KeyCode::Up => self.remember(self.back + 1, front),
            KeyCode::Down => self.remember(self.back.saturating_sub(1), front),
            code => {
                if edit(&mut self.line, code, is_control) {
                    self.back = 0;
                    self.relist(front);
                }
            }
        }
        KeyResult::Stay
    }

    pub fn paste(&mut self, words: &str, front: Front<'_>) {
        self.line.push_str(words);
        self.relist(front);
    }

    fn relist(&mut self, front: Front<'_>) {
        self.picked = None;
        self.candidates = command::candidates(&self.line, front);
    }

    /// Inserts the next candidate; after the last comes the typed text.
    fn pick(&mut self, forward: bool) {
        let all = self.candidates.len();
        let (at, typed) = match self.picked.take() {
            None => (if forward { Some(0) } else { all.checked_sub(1) }, self.line.clone()),
            Some((at, typed)) if forward => (Some(at + 1), typed),
            Some((at, typed)) => (at.checked_sub(1), typed),
        };
        match at.and_then(|at| Some((at, self.candidates.get(at)?))) {
            Some((at, candidate)) => {
                self.line.clone_from(&candidate.line);
                self.picked = Some((at, typed));
            }
            None => self.line = typed,
        }
    }

    /// Goes to a history line that starts with the typed text.
    fn remember(&mut self, back: usize, front: Front<'_>) {
        if self.back == 0 {
            self.draft.clone_from(&self.line);
        }
        let mut fitting =
            front.cx.typing.commands.iter().rev().filter(|line| line.starts_with(&self.draft) && **line != self.draft);
        let line = if back == 0 { Some(&self.draft) } else { fitting.nth(back - 1) };
        if let Some(line) = line.cloned() {
            (self.line, self.back) = (line, back);
            self.relist(front);
        }
    }
}

/// Draws the line in the footer: the part that fits, and the text cursor.
pub fn view_line(line: &CommandLine, look: &Look, buf: &mut Buffer, area: Rect) -> Position {
    let typed = format!(":{}", text::safe(&line.line));
    let shown = text::fit_end(&typed, usize::from(area.width).saturating_sub(2), look.glyphs.cut);
    let (x, y) = buf.set_stringn(area.x + 1, area.y, &shown, usize::from(area.width), look.style(Role::Strong));
    let hint = "Tab complete  Enter run  Esc close ";
    if x + 3 + hint.len() as u16 <= area.right() {
        buf.set_string(area.right() - hint.len() as u16, y, hint, look.style(Role::Dim));
    }
    Position::new(x.min(area.right().saturating_sub(1)), y)
}

pub fn view(line: &CommandLine, cx: &Cx, buf: &mut Buffer, body: Rect) {
    let look = &cx.look;
    if line.candidates.is_empty() || body.height < 4 {
        return;
    }
    let rows = line.candidates.len().min(HEIGHT).min(usize::from(body.height) - 2);
    let widest = line.candidates.iter().map(|one| text::width(&one.shown)).max().unwrap_or(0).min(40);
    let width = body.width.min(96);
    let area = Rect { x: body.x, y: body.bottom() - rows as u16 - 2, width, height: rows as u16 + 2 };
    let inner = popup(cx, buf, area, "Commands");
    let room = usize::from(inner.width);
    let at = line.picked.as_ref().map(|(at, _)| *at);
    let mut window = List { cursor: at.unwrap_or(0), ..List::default() };
    window.go(Move::Down, 0, line.candidates.len(), rows);
    window.clamp(line.candidates.len(), rows);
    let row = |row: usize| {
        let one = &line.candidates[row];
        let name = text::pad(&text::fit(&one.shown, widest, look.glyphs.cut), widest);
        let (words, role) = match &one.why_not {
            Some(why) => (format!("{} ({why})", one.title), Role::Dim),
            None => (one.title.clone(), Role::Text),
        };
        let words = text::fit(&words, room.saturating_sub(widest + 4), look.glyphs.cut).into_owned();
        Line::from(vec![
            Span::styled(format!(" {name}  "), look.style(if role == Role::Dim { Role::Dim } else { Role::Key })),
            Span::styled(words, look.style(role)),
        ])
    };
    // Nothing is selected before Tab.
    if at.is_none() {
        let lines: Vec<Line> = (window.offset..line.candidates.len()).take(rows).map(row).collect();
        return list::draw_text(buf, inner, 0, &lines);
    }
    list::draw(buf, inner, look, &window, line.candidates.len(), true, row);
}
