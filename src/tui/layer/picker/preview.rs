//! The text around the selected item: read and coloured by a worker, drawn beside the list.

use std::sync::Arc;

use ratatui::prelude::{Buffer, Line, Modifier, Rect, Span};

use super::item::Target;
use crate::graph::ResourceId;
use crate::highlight::{self, Document, Grammar};
use crate::source::Place;
pub use crate::tui::layer::picker::data::{Preview, PreviewText, Wish};
use crate::tui::widget::frame::{self, Frame};
use crate::tui::{cx::Cx, look::Role, widget::text};

/// No preview is higher than this many lines.
const LINES: usize = 100;
const TAB: usize = 4;

impl Preview {
    /// Colours the text around the line; `Err` has the reason if there is no text.
    pub fn of(wish: Wish, document: Result<&Document, String>) -> Self {
        let line = wish.line.saturating_sub(1) as usize;
        let first = line.saturating_sub(LINES / 2);
        let lines = match document {
            Ok(document) => highlight::lines(document, first..first + LINES, &wish.theme, TAB),
            Err(words) => vec![Line::raw(text::safe(&words))],
        };
        Self { target: wish.target, name: wish.name, first, line, lines }
    }

    /// The preview of an item that no file declares.
    pub fn without_source(target: Target) -> Self {
        Self { target, name: String::new(), first: 0, line: 0, lines: vec![Line::raw("No source to show.")] }
    }

    /// A document for the preview.
    pub fn document(wish: &Wish, text: impl Into<Arc<str>>) -> Document {
        Document::new(text, Grammar::of_file_name(&wish.name))
    }
}

/// The source to read for a target; `None` if there is none.
pub fn wish(pick: u64, target: Target, cx: &Cx) -> Option<Wish> {
    let theme = Arc::clone(&cx.look.theme);
    let place = match &target {
        Target::File(path, (line, _)) => {
            let (name, line) = (path.to_string_lossy().into_owned(), *line);
            return Some(Wish { pick, name, text: PreviewText::File(path.clone()), line, theme, target });
        }
        Target::Place(place) => place.clone(),
        Target::Resource(id) => source_of(cx, id)?,
    };
    let programs = [cx.programs.newest.as_ref(), cx.programs.good.as_ref(), cx.graphed()];
    let text = programs.into_iter().flatten().find_map(|program| program.file(&place.file))?.text.clone();
    Some(Wish { pick, name: place.file.to_string(), text: PreviewText::AtHand(text), line: place.line, theme, target })
}

fn source_of(cx: &Cx, id: &ResourceId) -> Option<Place> {
    let program = cx.graphed()?;
    program.graph.resource(program.graph.find(id)?)?.source.clone()
}

pub fn view(preview: Option<&Preview>, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let look = &cx.look;
    let title = preview.map(|preview| text::safe(&preview.name)).unwrap_or_default();
    let room = usize::from(area.width).saturating_sub(4);
    let title = text::fit_end(&title, room, look.glyphs.cut);
    let inner = frame::draw(buf, area, look, &Frame { title: &title, ..Frame::default() });
    let Some(preview) = preview else { return };
    let height = usize::from(inner.height);
    let above = preview.line - preview.first;
    let skip = above.saturating_sub(height / 3).min(preview.lines.len().saturating_sub(height));
    for (y, (at, line)) in preview.lines.iter().enumerate().skip(skip).take(height).enumerate() {
        let number = preview.first + at + 1;
        let is_meant = preview.first + at == preview.line;
        let role = if is_meant { Role::LineNumberHere } else { Role::LineNumber };
        let is_source = !preview.name.is_empty();
        let number = if is_source { format!("{number:>4} ") } else { String::new() };
        let mut spans = vec![Span::styled(number, look.style(role))];
        spans.extend(line.spans.iter().cloned());
        let row = Rect { y: inner.y + y as u16, height: 1, ..inner };
        text::draw(buf, row.x, row.y, &Line::from(spans), row.width);
        if is_meant && preview.line > 0 {
            let style = look.selection(false).remove_modifier(Modifier::REVERSED);
            buf.set_style(Rect { x: row.x + 5.min(row.width), width: row.width.saturating_sub(5), ..row }, style);
        }
    }
}
