//! The outline: the definitions and declarations of the file.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::highlight::{OutlineItem, OutlineKind, Plain};
use crate::tui::look::{Look, Role};
use crate::tui::screen::Pane;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::{list, text};

/// Scrolls to the cursor. Without the focus, the cursor follows the position in the text.
pub(super) fn clamp(tui: &mut Tui) {
    let (_, height) = tui.cx.room(Pane::Outline);
    let is_left = tui.cx.focus() != Pane::Outline;
    let Some(doc) = tui.screens.code.doc() else { return };
    let (len, line) = (doc.outline.len(), doc.position.list.cursor);
    let here = doc.outline.partition_point(|item| item.line <= line).saturating_sub(1);
    if is_left && tui.screens.code.outlined.replace(here) != Some(here) {
        tui.screens.code.outline.cursor = here;
    }
    tui.screens.code.outline.clamp(len, height);
}

pub(super) fn view(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let focused = tui.cx.focus() == Pane::Outline;
    let outline = tui.screens.code.doc().map(|doc| &doc.outline[..]).unwrap_or_default();
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = tui.screens.code.outline.extent(outline.len(), height);
    let inner = frame::draw(buf, area, &tui.cx.look, &Frame { title: "Outline", focused, scroll, ..Frame::default() });
    if outline.is_empty() {
        let words = match tui.screens.code.doc().map(|doc| doc.document.plain()) {
            None => vec![],
            Some(None | Some(Plain::NoGrammar)) => vec![" No definitions or declarations.".to_string()],
            Some(Some(why)) => vec![" no outline or colours:".to_string(), format!(" {}", why.reason())],
        };
        let lines: Vec<_> = words.into_iter().map(|words| Line::styled(words, tui.cx.look.style(Role::Dim))).collect();
        return list::draw_words(buf, inner, &lines);
    }
    list::draw(buf, inner, &tui.cx.look, &tui.screens.code.outline, outline.len(), focused, |at| {
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
                return outline_line(
                    item,
                    &format!("{} ", kind.as_str()),
                    &tui.cx.look,
                    role,
                    usize::from(inner.width),
                );
            }
        };
        outline_line(item, word, &tui.cx.look, role, usize::from(inner.width))
    });
}

fn outline_line(item: &OutlineItem, word: &str, look: &Look, role: Role, width: usize) -> Line<'static> {
    let line = format!("{:indent$}{word}{}", "", item.name, indent = 1 + 2 * item.level.min(8));
    Line::styled(text::fit(&line, width, look.glyphs.cut).into_owned(), look.style(role))
}
