//! The outline: the definitions and declarations of the file.

use ratatui::prelude::{Buffer, Line, Rect};

use crate::highlight::{OutlineItem, OutlineKind, Plain};
use crate::tui::look::{Look, Role};
use crate::tui::screen::code::data::State as Code;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, screen::Pane};

/// Scrolls to the cursor. Without the focus, the cursor follows the position in the text.
pub(super) fn clamp(code: &mut Code, cx: &Cx) {
    let (_, height) = cx.room(Pane::Outline);
    let is_left = cx.focus() != Pane::Outline;
    let Some(doc) = code.doc() else { return };
    let (len, line) = (doc.outline.len(), doc.position.list.cursor);
    let here = doc.outline.partition_point(|item| item.line <= line).saturating_sub(1);
    if is_left && code.outlined.replace(here) != Some(here) {
        code.outline.cursor = here;
    }
    code.outline.clamp(len, height);
}

pub(super) fn view(code: &Code, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let focused = cx.focus() == Pane::Outline;
    let outline = code.doc().map(|doc| &doc.outline[..]).unwrap_or_default();
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = code.outline.extent(outline.len(), height);
    let inner = frame::draw(buf, area, &cx.look, &Frame { title: "Outline", focused, scroll, ..Frame::default() });
    if outline.is_empty() {
        let words = match code.doc().map(|doc| doc.document.plain()) {
            None => vec![],
            Some(None | Some(Plain::NoGrammar)) => vec![" No definitions or declarations.".to_string()],
            Some(Some(why)) => vec![" no outline or colours:".to_string(), format!(" {}", why.reason())],
        };
        let lines: Vec<_> = words.into_iter().map(|words| Line::styled(words, cx.look.style(Role::Dim))).collect();
        return list::draw_words(buf, inner, &lines);
    }
    list::draw(buf, inner, &cx.look, &code.outline, outline.len(), focused, |at| {
        let item = &outline[at];
        let role = match item.kind {
            OutlineKind::Resource => Role::Text,
            OutlineKind::Attribute | OutlineKind::Bind | OutlineKind::Import | OutlineKind::Include => Role::Dim,
            _ => Role::Strong,
        };
        let word = match item.kind {
            OutlineKind::Resource | OutlineKind::Bind | OutlineKind::Attribute | OutlineKind::Relation => "",
            OutlineKind::Function => "func ",
            kind => {
                return outline_line(item, &format!("{} ", kind.as_str()), &cx.look, role, usize::from(inner.width));
            }
        };
        outline_line(item, word, &cx.look, role, usize::from(inner.width))
    });
}

fn outline_line(item: &OutlineItem, word: &str, look: &Look, role: Role, width: usize) -> Line<'static> {
    let line = format!("{:indent$}{word}{}", "", item.name, indent = 1 + 2 * item.level.min(8));
    Line::styled(text::fit(&line, width, look.glyphs.cut).into_owned(), look.style(role))
}
