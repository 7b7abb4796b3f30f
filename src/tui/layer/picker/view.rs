//! Draws a picker: the words, the visible rows with marked matches, and the preview beside or below.

use std::cell::RefCell;

use ratatui::prelude::{Buffer, Line, Position, Rect, Span};
use unicode_segmentation::UnicodeSegmentation;

use super::{Picker, What, preview};
use crate::tui::layer::{centered, popup, prompt};
use crate::tui::look::{Look, Role};
use crate::tui::widget::{list, text};
use crate::tui::{cx::Cx, layer::fuzzy::Fuzzy};

struct Places {
    all: Rect,
    /// The framed list.
    list: Rect,
    preview: Option<Rect>,
}

impl Places {
    fn new(cx: &Cx) -> Self {
        let bottom = cx.layout().footer.y;
        let body = Rect { x: 0, y: 1.min(bottom), width: cx.window.width, height: bottom.saturating_sub(1) };
        let wide = body.width >= 100;
        let all =
            if wide { centered(body, 160.min(body.width - 4), 44.min(body.height.saturating_sub(2))) } else { body };
        if wide {
            let left = all.width * 11 / 20;
            let list = Rect { width: left, ..all };
            return Self { all, list, preview: Some(Rect { x: all.x + left, width: all.width - left, ..all }) };
        }
        if all.height < 18 {
            return Self { all, list: all, preview: None };
        }
        let top = all.height / 2 + 1;
        let preview = Rect { y: all.y + top, height: all.height - top, ..all };
        Self { all, list: Rect { height: top, ..all }, preview: Some(preview) }
    }

    fn rows(&self) -> Rect {
        let inner = crate::tui::layout::inside(self.list);
        Rect { y: inner.y + 1.min(inner.height), height: inner.height.saturating_sub(2), ..inner }
    }
}

/// Whether there is room for a preview.
pub fn shows_preview(cx: &Cx) -> bool {
    Places::new(cx).preview.is_some()
}

/// The rows of the list, which `on_key` needs for paging.
pub fn height(_: &Picker, cx: &Cx) -> usize {
    usize::from(Places::new(cx).rows().height)
}

pub fn cursor(picker: &Picker, cx: &Cx) -> Option<Position> {
    let inner = crate::tui::layout::inside(Places::new(cx).list);
    let x = inner.x + 3 + text::width(&text::safe(&picker.words)) as u16;
    (inner.height > 2).then(|| Position::new(x.min(inner.right().saturating_sub(1)), inner.y))
}

pub fn view(picker: &Picker, cx: &Cx, buf: &mut Buffer, _: Rect) {
    let look = &cx.look;
    let places = Places::new(cx);
    if places.all.height < 4 || places.all.width < 10 {
        return;
    }
    let inner = popup(cx, buf, places.list, &picker.title);
    if let Some(area) = places.preview {
        popup(cx, buf, area, "");
        preview::view(picker.preview.as_ref(), cx, buf, area.intersection(buf.area));
    }
    let mut line = prompt(look, &picker.words);
    let hint = if picker.what == What::Lines { "type words or an expression" } else { "type to filter" };
    if picker.words.is_empty()
        && let Some(last) = line.spans.last_mut()
    {
        *last = Span::styled(hint, look.style(Role::Dim));
    }
    text::draw(buf, inner.x, inner.y, &line, inner.width);
    let rows = places.rows().intersection(buf.area);
    cx.areas.add_lines(rows);
    if picker.list.is_empty() {
        let words = empty(picker);
        list::draw_text(buf, rows, 0, &[Line::styled(words, look.style(Role::Dim))]);
    }
    let mut shown = picker.list.at;
    // The size may have changed since the last key.
    shown.clamp(picker.list.len(), usize::from(rows.height));
    let width = usize::from(inner.width);
    let visible = shown.offset..(shown.offset + usize::from(rows.height)).min(picker.list.len());
    let widest = visible.filter_map(|row| picker.item(row)).map(|item| text::width(&item.shown)).max().unwrap_or(0);
    let columns = Columns { width, first: widest.min(width * 3 / 5).max(width.saturating_sub(40).min(widest)) };
    let is_fuzzy = picker.what != What::Lines && !picker.words.trim().is_empty();
    let fuzzy = is_fuzzy.then(|| RefCell::new(Fuzzy::of_paths(&picker.words)));
    for (y, at) in (shown.offset..picker.list.len()).take(usize::from(rows.height)).enumerate() {
        let Some(item) = picker.item(at) else { continue };
        let row = Rect { y: rows.y + y as u16, height: 1, ..rows };
        let marks = fuzzy.as_ref().map(|fuzzy| fuzzy.borrow_mut().fitting(&item.shown)).unwrap_or_default();
        text::draw(buf, row.x, row.y, &columns.line(&item.shown, &item.note, &marks, cx), row.width);
        if at == shown.cursor {
            // Restyles the name alone: a cursor move sends the restyled cells twice.
            buf.set_style(Rect { width: row.width.min(columns.first as u16 + 2), ..row }, look.selection(true));
        }
    }
    let count = match (picker.list.len(), picker.list.rows.items.len()) {
        (0, _) => String::new(),
        (len, all) if len == all => format!("{} of {len}", shown.cursor.min(len - 1) + 1),
        (len, all) => format!("{} of {len} ({all} in all)", shown.cursor.min(len - 1) + 1),
    };
    let foot = format!(" Enter open  Esc close  {count}{}", if picker.is_done { "" } else { ", searching" });
    let foot = text::fit(&foot, width, look.glyphs.cut).into_owned();
    text::draw(buf, inner.x, inner.bottom() - 1, &Line::styled(foot, look.style(Role::Dim)), inner.width);
}

fn empty(picker: &Picker) -> &'static str {
    match (picker.is_done, picker.what) {
        (_, What::Lines) if picker.words.is_empty() => "",
        (false, _) => " searching",
        (true, What::Lines) => " No matching line.",
        (true, _) if picker.list.rows.items.len() > 0 => " No match.",
        (true, What::Files) => " No files here.",
        (true, What::Symbols) => " No classes, functions or variables.",
        (true, _) => " Nothing yet.",
    }
}

struct Columns {
    width: usize,
    first: usize,
}

impl Columns {
    /// Marks the matching characters; a row that does not fit loses its least important part.
    fn line(&self, shown: &str, note: &str, marks: &[u32], cx: &Cx) -> Line<'static> {
        let look = &cx.look;
        let room = if note.is_empty() { self.width.saturating_sub(2) } else { self.first };
        let cut = text::fit_end(shown, room, look.glyphs.cut);
        // Positions count characters of the whole text. A cut removes some at the start and puts its mark there.
        let lost = shown.chars().count() as i64 - cut.chars().count() as i64;
        let kept = if lost == 0 { 0 } else { look.glyphs.cut.chars().count() as i64 };
        let mut spans = vec![Span::raw(" ")];
        let mut at = 0;
        let mut run = (false, String::new());
        for grapheme in cut.graphemes(true) {
            let chars = grapheme.chars().count() as i64;
            let is_marked = at >= kept && (at..at + chars).any(|at| marks.binary_search(&((at + lost) as u32)).is_ok());
            if is_marked != run.0 {
                flush(&mut spans, &mut run, &cx.look);
                run.0 = is_marked;
            }
            run.1.push_str(grapheme);
            at += chars;
        }
        flush(&mut spans, &mut run, &cx.look);
        if !note.is_empty() {
            let pad = self.first.saturating_sub(text::width(&cut)) + 2;
            let room = self.width.saturating_sub(self.first + 4);
            spans.push(Span::raw(" ".repeat(pad)));
            spans.push(Span::styled(text::fit(note, room, look.glyphs.cut).into_owned(), look.style(Role::Dim)));
        }
        Line::from(spans)
    }
}

fn flush(spans: &mut Vec<Span<'static>>, run: &mut (bool, String), look: &Look) {
    let words = std::mem::take(&mut run.1);
    if !words.is_empty() {
        spans.push(if run.0 { Span::styled(words, look.style(Role::Key)) } else { Span::raw(words) });
    }
}
