//! The popup at the cursor: what stands there, its type and documentation, and where it is defined.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::{Heard, popup};
use crate::session::Here;
use crate::session::doc::{Doc, Schema, doc};
use crate::tui::keys::Key;
use crate::tui::look::Role;
use crate::tui::screen;
use crate::tui::state::State;
use crate::tui::widget::{list, text};

/// Wider lines are hard to read.
const WIDEST: u16 = 76;

/// What is shown, and how far it is scrolled.
#[derive(Clone, Debug)]
pub struct Hover {
    here: Here,
    offset: usize,
}

impl Hover {
    pub fn new(here: Here) -> Self {
        Self { here, offset: 0 }
    }

    /// Scrolls where there is more than fits; any other key closes it, and does what it always does.
    pub fn hear(&mut self, key: Key, state: &State) -> Heard {
        let is_control = !key.mods.is_empty();
        let (area, lines) = place(self, state, body(state));
        let height = usize::from(area.height.saturating_sub(2));
        let most = lines.len().saturating_sub(height);
        let by = (height / 2).max(1);
        match key.code {
            KeyCode::Esc | KeyCode::Char('K') => return Heard::Close,
            KeyCode::Char('d') if is_control && most > 0 => self.offset = (self.offset + by).min(most),
            KeyCode::PageDown if most > 0 => self.offset = (self.offset + by).min(most),
            KeyCode::Char('u') if is_control && most > 0 => self.offset = self.offset.min(most).saturating_sub(by),
            KeyCode::PageUp if most > 0 => self.offset = self.offset.min(most).saturating_sub(by),
            _ => return Heard::Through,
        }
        Heard::Stay
    }
}

fn body(state: &State) -> Rect {
    let layout = state.layout();
    let top = layout.header.height;
    Rect { x: 0, y: top, width: state.width, height: layout.footer.y.saturating_sub(top) }
}

/// Where it stands, beside the cursor and not over it, and its lines.
fn place(hover: &Hover, state: &State, body: Rect) -> (Rect, Vec<Line<'static>>) {
    let room = usize::from(WIDEST.min(body.width).saturating_sub(4)).max(1);
    let lines = lines(&hover.here, state, room);
    let widest = lines.iter().map(Line::width).max().unwrap_or(0).max(text::width(&title(&hover.here, room)));
    let width = (widest as u16 + 4).min(body.width);
    // Lists have no cursor: there it stands over what lies beside them.
    let cursor = screen::cursor(state).unwrap_or(Position::new(body.width / 2, body.y));
    let (above, below) = (cursor.y.saturating_sub(body.y), body.bottom().saturating_sub(cursor.y + 1));
    let wanted = lines.len() as u16 + 2;
    let is_below = below >= wanted || below >= above;
    let height = wanted.min(if is_below { below } else { above });
    let x = cursor.x.saturating_sub(2).min(body.right().saturating_sub(width)).max(body.x);
    let y = if is_below { cursor.y + 1 } else { cursor.y - height };
    (Rect { x, y, width, height }, lines)
}

fn title(here: &Here, room: usize) -> String {
    // The name of a value would be all of its text, which stands in view already.
    let name = if here.what == "value" { "" } else { &*here.name };
    let words = format!("{} {}", here.what, text::safe(name));
    text::fit(words.trim_end(), room, "…").into_owned()
}

fn lines(here: &Here, state: &State, room: usize) -> Vec<Line<'static>> {
    let look = &state.look;
    let wrapped =
        |words: &str| -> Vec<String> { words.lines().flat_map(|line| text::wrap(&text::safe(line), room)).collect() };
    let styled = |words: Vec<String>, role: Role| -> Vec<Line<'static>> {
        words.into_iter().map(|line| Line::styled(format!(" {line}"), look.style(role))).collect()
    };
    let mut parts = Vec::new();
    if let Some(ty) = &here.ty {
        parts.push(styled(wrapped(ty), Role::Strong));
    }
    if !here.doc.is_empty() {
        parts.push(styled(wrapped(&here.doc), Role::Text));
    }
    if here.what == "kind"
        && let Some(Doc::Kind(schema)) = doc(&here.name)
    {
        parts.push(parameters(schema, state, room));
    }
    let key = |key: &'static str| Span::styled(key, look.style(Role::Key));
    let dim = |words: String| Span::styled(words, look.style(Role::Dim));
    let uses = match here.uses.len() {
        0 => dim("used nowhere".into()),
        1 => dim("1 use".into()),
        many => dim(format!("{many} uses")),
    };
    let mut last = Vec::new();
    match &here.defined {
        Some(place) if *place == here.place => last.push(Line::from(vec![dim(" defined here".into())])),
        Some(place) => {
            let words = format!(" {}:{}:{}", text::safe(&place.file), place.line, place.column);
            let words = text::fit_end(&words, room.saturating_sub(3), look.glyphs.cut).into_owned();
            last.push(Line::from(vec![Span::raw(" "), key("gd"), dim(words)]));
        }
        None if here.what == "value" => {}
        None => last.push(Line::from(vec![dim(" built in: there is no source to go to".into())])),
    }
    if here.what != "value" {
        let mut spans = vec![Span::raw(" ")];
        if !here.uses.is_empty() {
            spans.extend([key("gr"), Span::raw(" ")]);
        }
        spans.push(uses);
        last.push(Line::from(spans));
    } else if here.ty.is_none() {
        last.push(Line::from(vec![dim(" no type could be found: errors elsewhere may hide it".into())]));
    }
    parts.push(last);
    parts.retain(|part| !part.is_empty());
    parts.join(&Line::default())
}

/// What a kind takes: each parameter with its type, what it is where it is not set, and what it does.
fn parameters(schema: &Schema, state: &State, room: usize) -> Vec<Line<'static>> {
    let names = schema.params.iter().map(|param| text::width(param.name)).max().unwrap_or(0);
    let mut lines = Vec::new();
    for param in schema.params {
        let default = param.default.map(|value| format!(" = {value}")).unwrap_or_default();
        let words = format!("{}{default}: {}", param.ty, param.doc);
        for (at, words) in text::wrap(&words, room.saturating_sub(names + 2)).into_iter().enumerate() {
            let name = text::pad(if at == 0 { param.name } else { "" }, names);
            lines.push(Line::from(vec![
                Span::styled(format!(" {name}  "), state.look.style(Role::Strong)),
                Span::styled(words, state.look.style(Role::Text)),
            ]));
        }
    }
    lines
}

pub fn view(hover: &Hover, state: &State, buf: &mut Buffer, body: Rect) {
    let (area, lines) = place(hover, state, body);
    let inner = popup(state, buf, area, &title(&hover.here, usize::from(area.width.saturating_sub(4))));
    let height = usize::from(inner.height);
    list::draw_text(buf, inner, hover.offset.min(lines.len().saturating_sub(height)), &lines);
    if lines.len() > height && area.height > 1 {
        let more = " Ctrl-d more ";
        let x = area.right().saturating_sub(more.len() as u16 + 1).max(area.x);
        buf.set_stringn(x, area.bottom() - 1, more, usize::from(area.right() - x), state.look.style(Role::Key));
    }
}
