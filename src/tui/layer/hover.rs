//! The popup at the cursor: the symbol, its type and documentation, and where it is defined.

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Position, Rect, Span};

use super::{KeyResult, popup};
use crate::session::doc::{Doc, Parameter, Schema, doc};
use crate::session::{DeclaredKind, DeclaredParam, Here, Origin};
use crate::source::Place;
pub use crate::tui::layer::kinds::Hover;
use crate::tui::look::{Look, Role};
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, front::Front, keys::Key, references::Around, screen::code::Answer};

/// Wider lines are hard to read.
const WIDEST: u16 = 76;

impl Hover {
    pub fn new(answer: Box<Answer>) -> Self {
        Self { answer, offset: 0 }
    }

    /// Scrolls if there is more text than fits. Any other key closes it, and does its usual action.
    pub fn on_key(&mut self, key: Key, front: Front<'_>) -> KeyResult {
        let is_control = !key.mods.is_empty();
        let (area, lines) = place(self, front, body(front.cx));
        let height = usize::from(area.height.saturating_sub(2));
        let most = lines.len().saturating_sub(height);
        let by = (height / 2).max(1);
        match key.code {
            KeyCode::Esc | KeyCode::Char('K') => return KeyResult::Close,
            KeyCode::Char('d') if is_control && most > 0 => self.offset = (self.offset + by).min(most),
            KeyCode::PageDown if most > 0 => self.offset = (self.offset + by).min(most),
            KeyCode::Char('u') if is_control && most > 0 => self.offset = self.offset.min(most).saturating_sub(by),
            KeyCode::PageUp if most > 0 => self.offset = self.offset.min(most).saturating_sub(by),
            _ => return KeyResult::Through,
        }
        KeyResult::Stay
    }
}

fn body(cx: &Cx) -> Rect {
    let layout = cx.layout();
    let top = layout.header.height;
    Rect { x: 0, y: top, width: cx.window.width, height: layout.footer.y.saturating_sub(top) }
}

/// The popup's area beside the cursor, and its lines.
fn place(hover: &Hover, front: Front<'_>, body: Rect) -> (Rect, Vec<Line<'static>>) {
    let room = usize::from(WIDEST.min(body.width).saturating_sub(4)).max(1);
    let lines = lines(hover, front.step, front.cx, room);
    let widest = lines.iter().map(Line::width).max().unwrap_or(0).max(text::width(&title(&hover.answer.here, room)));
    let width = (widest as u16 + 4).min(body.width);
    // Lists have no text cursor: the popup covers the pane beside them.
    let cursor = front.screen.cursor(front.cx).unwrap_or(Position::new(body.width / 2, body.y));
    let (above, below) = (cursor.y.saturating_sub(body.y), body.bottom().saturating_sub(cursor.y + 1));
    let wanted = lines.len() as u16 + 2;
    let is_below = below >= wanted || below >= above;
    let height = wanted.min(if is_below { below } else { above });
    let x = cursor.x.saturating_sub(2).min(body.right().saturating_sub(width)).max(body.x);
    let y = if is_below { cursor.y + 1 } else { cursor.y - height };
    (Rect { x, y, width, height }, lines)
}

fn title(here: &Here, room: usize) -> String {
    // The name of a value would be its whole text, which is already visible.
    let name = if here.what == "value" { "" } else { &*here.name };
    let words = format!("{} {}", here.what, text::safe(name));
    text::fit(words.trim_end(), room, "…").into_owned()
}

fn lines(hover: &Hover, step: &Step, cx: &Cx, room: usize) -> Vec<Line<'static>> {
    let here = &hover.answer.here;
    let look = &cx.look;
    let wrapped =
        |words: &str| -> Vec<String> { words.lines().flat_map(|line| text::wrap(&text::safe(line), room)).collect() };
    let styled = |words: Vec<String>, role: Role| -> Vec<Line<'static>> {
        words.into_iter().map(|line| Line::styled(format!(" {line}"), look.style(role))).collect()
    };
    let mut parts = Vec::new();
    if let Some(around) = &hover.answer.around {
        parts.push(styled(summary(around).iter().flat_map(|line| wrapped(line)).collect(), Role::Strong));
    }
    if let Some(ty) = &here.ty {
        parts.push(styled(wrapped(ty), Role::Strong));
    }
    if let Some(words) = &here.undefined {
        parts.push(styled(wrapped(words), Role::Error));
    }
    if !here.doc.is_empty() {
        parts.push(styled(wrapped(&here.doc), Role::Text));
    }
    if let Some(written) = &here.resource {
        let program = cx.program_on_show(step);
        let declared = program.and_then(|program| program.kinds.iter().find(|kind| *kind.name == *written.kind));
        match (declared, doc(&written.kind, None)) {
            (Some(kind), _) => {
                if kind.doc != here.doc {
                    parts.push(styled(wrapped(&kind.doc), Role::Text));
                }
                parts.push(parameters(&declared_rows(kind), &cx.look, room));
            }
            (None, Some(Doc::Kind(schema))) => parts.push(parameters(&rows(schema), &cx.look, room)),
            _ => {}
        }
    }
    if let Some(merged) = &here.merged {
        parts.push(styled(wrapped(&format!("value {merged}, merged from several levels")), Role::Text));
    }
    for (at, Origin { place, level, value }) in here.data.iter().enumerate() {
        let words = match at {
            _ if here.merged.is_some() => {
                let goes = if at == 0 { "; gd goes there" } else { "" };
                format!("{}:{}, level {level}: {value}{goes}", place.file, place.line)
            }
            0 => format!("value {value} from {}:{}, level {level}; gd goes there", place.file, place.line),
            _ => format!("also in {}:{}, level {level}: {value}", place.file, place.line),
        };
        let role = if at == 0 && here.merged.is_none() { Role::Text } else { Role::Dim };
        parts.push(styled(wrapped(&words), role));
    }
    parts.push(why(&hover.answer.why, cx, room));
    let key = |key: &'static str| Span::styled(key, look.style(Role::Key));
    let dim = |words: String| Span::styled(words, look.style(Role::Dim));
    let (count, word) = match &hover.answer.around {
        Some(around) => (around.len(), "reference"),
        None => (here.uses.len(), "use"),
    };
    let uses = match count {
        0 if hover.answer.around.is_some() => dim("no references".into()),
        0 => dim("not used".into()),
        1 => dim(format!("1 {word}")),
        many => dim(format!("{many} {word}s")),
    };
    let mut last = Vec::new();
    match &here.defined {
        Some(place) if *place == here.place && here.resource.is_some() => {
            let words = format!("{}:{}:{}", text::safe(&place.file), place.line, place.column);
            let words = text::fit_end(&words, room, look.glyphs.cut).into_owned();
            last.push(Line::from(vec![dim(format!(" {words}"))]));
        }
        Some(place) if *place == here.place => last.push(Line::from(vec![dim(" defined here".into())])),
        Some(place) => {
            let words = format!(" {}:{}:{}", text::safe(&place.file), place.line, place.column);
            let words = text::fit_end(&words, room.saturating_sub(3), look.glyphs.cut).into_owned();
            last.push(Line::from(vec![Span::raw(" "), key("gd"), dim(words)]));
        }
        None if here.what == "value" || here.undefined.is_some() => {}
        None if here.resource.is_some() => last.push(Line::from(vec![dim(" not declared".into())])),
        None => last.push(Line::from(vec![dim(" built in, no source".into())])),
    }
    if here.what != "value" {
        let mut spans = vec![Span::raw(" ")];
        if count > 0 {
            spans.extend([key("gr"), Span::raw(" ")]);
        }
        spans.push(uses);
        last.push(Line::from(spans));
    } else if here.ty.is_none() {
        last.push(Line::from(vec![dim(" type unknown (maybe because of other errors)".into())]));
    }
    // The parameters of a kind are long: the resource's own details come first.
    match parts.first_mut().filter(|_| hover.answer.around.is_some()) {
        Some(summary) => summary.extend(last),
        None => parts.push(last),
    }
    parts.retain(|part| !part.is_empty());
    parts.join(&Line::default())
}

/// A resource's links in the graph and the text, in a line or two.
fn summary(around: &Around) -> Vec<String> {
    let mut lines = Vec::new();
    match &*around.resources {
        [] if around.has_graph => lines.push("not in the graph".into()),
        [] | [_] => {}
        [one, other] => lines.push(format!("{one} and {other}")),
        [first, .., last] => lines.push(format!("{} resources: {first} to {last}", around.resources.len())),
    }
    let counted = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        many_of => Some(format!("{many_of} {many}")),
    };
    // However many resources notify it, it is refreshed once, in its turn.
    let once = if around.notifiers > 0 { ", 1 refresh" } else { "" };
    let notifiers = counted(around.notifiers, "notifier", "notifiers").map(|words| words + once);
    let counts = [
        notifiers,
        counted(around.refreshes, "refreshed by it", "refreshed by it"),
        counted(around.needs, "other dependency", "other dependencies"),
        counted(around.dependents, "dependent", "dependents"),
    ];
    let counts: Vec<_> = counts.into_iter().flatten().collect();
    match (counts.is_empty(), around.resources.is_empty()) {
        (false, _) => lines.push(counts.join("; ")),
        (true, false) => lines.push("no dependencies or dependents".into()),
        (true, true) => {}
    }
    lines
}

/// Why the resource is as it is: each reason below its place.
fn why(rows: &[(Option<Place>, String)], cx: &Cx, room: usize) -> Vec<Line<'static>> {
    let look = &cx.look;
    let mut lines = Vec::new();
    let mut last = None;
    for (place, words) in rows {
        let shown = place.as_ref().map(|place| format!("{}:{}", text::safe(&place.file), place.line));
        if let Some(shown) = shown.filter(|shown| last.as_ref() != Some(shown)) {
            let cut = text::fit_end(&shown, room, look.glyphs.cut).into_owned();
            lines.push(Line::styled(format!(" {cut}"), look.style(Role::Dim)));
            last = Some(shown);
        }
        for row in text::wrap(&text::safe(words), room.saturating_sub(2)) {
            lines.push(Line::styled(format!("   {row}"), look.style(Role::Text)));
        }
    }
    if !lines.is_empty() {
        lines.insert(0, Line::styled(" why", look.style(Role::Strong)));
    }
    lines
}

/// The parameters of a kind: each with its type, its default and its effect.
fn parameters(rows: &[(String, String)], look: &Look, room: usize) -> Vec<Line<'static>> {
    let names = rows.iter().map(|(name, _)| text::width(name)).max().unwrap_or(0);
    let mut lines = Vec::new();
    for (name, words) in rows {
        for (at, words) in text::wrap(words, room.saturating_sub(names + 2)).into_iter().enumerate() {
            let name = text::pad(if at == 0 { name } else { "" }, names);
            lines.push(Line::from(vec![
                Span::styled(format!(" {name}  "), look.style(Role::Strong)),
                Span::styled(words, look.style(Role::Text)),
            ]));
        }
    }
    lines
}

fn rows(schema: &Schema) -> Vec<(String, String)> {
    let row = |param: &Parameter| {
        let default = param.default.map(|value| format!(" = {value}")).unwrap_or_default();
        (param.name.to_string(), format!("{}{default}: {}", param.ty, param.doc))
    };
    schema.params.iter().map(row).collect()
}

fn declared_rows(kind: &DeclaredKind) -> Vec<(String, String)> {
    let row = |param: &DeclaredParam| {
        let required = if param.is_required { ", required" } else { "" };
        (text::safe(&param.name), text::safe(format!("{}{required}: {}", param.ty, param.doc).trim_end_matches(": ")))
    };
    kind.params.iter().map(row).collect()
}

pub fn view(hover: &Hover, front: Front<'_>, buf: &mut Buffer, body: Rect) {
    let (area, lines) = place(hover, front, body);
    let inner = popup(front.cx, buf, area, &title(&hover.answer.here, usize::from(area.width.saturating_sub(4))));
    let height = usize::from(inner.height);
    list::draw_text(buf, inner, hover.offset.min(lines.len().saturating_sub(height)), &lines);
    if lines.len() > height && area.height > 1 {
        let more = " Ctrl-d more ";
        let x = area.right().saturating_sub(more.len() as u16 + 1).max(area.x);
        buf.set_stringn(x, area.bottom() - 1, more, usize::from(area.right() - x), front.cx.look.style(Role::Key));
    }
}
