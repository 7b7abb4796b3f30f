//! The outline: what the file defines and declares.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::highlight::{OutlineItem, OutlineKind};
use crate::tui::look::Role;
use crate::tui::screen::Pane;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};

pub(super) fn view(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let focused = tui.focus() == Pane::Outline;
    let outline = tui.code.doc().map(|doc| &doc.outline[..]).unwrap_or_default();
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = tui.code.outline.extent(outline.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: "Outline", focused, scroll, ..Frame::default() });
    if outline.is_empty() {
        let words = if tui.code.doc().is_some() { " nothing defined or declared" } else { "" };
        return list::draw_text(buf, inner, 0, &[Line::styled(words, tui.look.style(Role::Dim))]);
    }
    list::draw(buf, inner, &tui.look, &tui.code.outline, outline.len(), focused, |at| {
        let item = &outline[at];
        let role = match item.kind {
            OutlineKind::Class | OutlineKind::Function => Role::Strong,
            OutlineKind::Resource => Role::Text,
            _ => Role::Dim,
        };
        let word = match item.kind {
            OutlineKind::Resource | OutlineKind::Bind => "",
            OutlineKind::Function => "func ",
            kind => return outline_line(item, &format!("{} ", kind.as_str()), tui, role, usize::from(inner.width)),
        };
        outline_line(item, word, tui, role, usize::from(inner.width))
    });
}

fn outline_line(item: &OutlineItem, word: &str, tui: &Tui, role: Role, width: usize) -> Line<'static> {
    let line = format!("{:indent$}{word}{}", "", item.name, indent = 1 + 2 * item.level.min(8));
    Line::styled(text::fit(&line, width, tui.look.glyphs.cut).into_owned(), tui.look.style(role))
}
