//! The text pane: the visible rows with problems below their lines.

use ratatui::prelude::{Buffer, Line, Position, Rect, Span};

use super::cursor::TAB;
use super::gutter::{self, Gutter};
use super::{problems, range, search};
use crate::highlight;
use crate::tui::screen::code::data::State as Code;
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::{cx::Cx, layout::inside, look::Role, screen::Pane, widget::text};

/// Scrolls, and moves the cursor only as far as it must. Problem texts take rows of the window too.
pub(super) fn pan(code: &mut Code, cx: &Cx, step: Move, count: usize) {
    let (_, height) = cx.room(Pane::Text);
    let Some(doc) = code.doc_mut() else { return };
    let before = doc.position.list.offset;
    doc.pan(step, count, height);
    let is_still = doc.position.list.offset == before;
    let Some(last) = visible(code, cx).iter().rev().find(|row| row.message.is_none()).map(|row| row.line) else {
        return;
    };
    let Some(doc) = code.doc_mut() else { return };
    if doc.position.list.cursor > last {
        doc.go_in_column(last);
    } else if is_still && step == Move::Down && last + 1 < doc.len() {
        // Without the problem texts all lines would fit: the cursor brings the rest into view.
        doc.go(step, last + count - doc.position.list.cursor, height);
    }
}

/// Scrolls the window to the cursor, and colours its lines.
pub(super) fn clamp(code: &mut Code, cx: &Cx) {
    let (width, height) = cx.room(Pane::Text);
    let words = code.words.clone();
    let Some(doc) = code.doc_mut() else { return };
    doc.clamp(width.saturating_sub(gutter::width(doc)), height);
    search::look(doc, &words);
    // Lines with problems are taller than one row: scrolls until the cursor's line is visible.
    for _ in 0..height {
        let shown = visible(code, cx);
        let Some(doc) = code.doc_mut() else { return };
        let list = &mut doc.position.list;
        if list.offset >= list.cursor || shown.iter().any(|row| row.line == list.cursor) {
            break;
        }
        list.offset = doc.folds.line_of(doc.folds.row_of(list.offset) + 1);
    }
    let theme = cx.look.theme.clone();
    let Some(doc) = code.doc_mut() else { return };
    let lines: Vec<usize> = doc.lines_in_view(height).collect();
    if !lines.iter().eq(doc.painted.iter().map(|(line, _)| line)) {
        // Consecutive lines are coloured together.
        let runs = lines.chunk_by(|line, next| line + 1 == *next);
        let coloured = runs.flat_map(|run| {
            let window = run[0]..run[0] + run.len();
            window.clone().zip(highlight::lines(&doc.document, window, &theme, TAB))
        });
        doc.painted = coloured.collect();
    }
}

/// One visible row of the text pane.
pub(super) struct Visible {
    /// From 0.
    pub line: usize,
    /// A row of a problem's text, below its line.
    pub message: Option<Line<'static>>,
}

/// The rows of the text pane, problems below their lines.
pub(super) fn visible(code: &Code, cx: &Cx) -> Vec<Visible> {
    let (width, height) = cx.room(Pane::Text);
    let Some(doc) = code.doc() else { return vec![] };
    let margin = gutter::width(doc);
    let problems = cx.programs.newest.as_ref().and_then(|program| program.problems_in(&doc.name));
    let mut rows = Vec::with_capacity(height);
    for line in doc.lines_in_view(height) {
        if rows.len() >= height {
            break;
        }
        rows.push(Visible { line, message: None });
        if doc.folds.closed_at(line).is_some() {
            continue;
        }
        let here = problems.and_then(|problems| problems.get(&(line as u32 + 1)));
        for at in here.into_iter().flatten() {
            let indent = margin + indentation(doc.line_text(line));
            let message = problems::inline_lines(cx, *at, indent, width);
            rows.extend(message.into_iter().map(|message| Visible { line, message: Some(message) }));
        }
    }
    rows.truncate(height);
    rows
}

pub(super) fn view(text_screen: &Code, step: &Step, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let look = &cx.look;
    let focused = cx.focus() == Pane::Text;
    let Some(doc) = text_screen.doc() else {
        let inner = frame::draw(buf, area, look, &Frame { title: "Code", focused, ..Frame::default() });
        return list::draw_words(buf, inner, &nothing_open(text_screen, step, cx));
    };
    let mut title = text::safe(&doc.name);
    match doc.document.plain() {
        Some(plain) => title.push_str(&format!("  (no colours: {})", plain.reason())),
        None => title.extend(doc.document.grammar().map(|grammar| format!("  {}", grammar.name()))),
    }
    if doc.gone.is_some() {
        title.push_str(&format!("  {} deleted: showing the last version", look.glyphs.failed));
    }
    if !text_screen.words.is_empty() {
        title.push_str(&format!("  /{}", text::safe(&text_screen.words)));
    }
    let (line, column) = doc.spot();
    let matches = doc.found.count(line as usize - 1, doc.position.byte).map(|count| format!("{count}  "));
    let foot = format!("{}line {line} of {}, column {column}", matches.unwrap_or_default(), doc.len());
    let height = usize::from(area.height.saturating_sub(2));
    let top = List { cursor: 0, offset: doc.folds.row_of(doc.position.list.offset) };
    let scroll = top.extent(doc.row_count(), height);
    let inner = frame::draw(buf, area, look, &Frame { title: &title, foot: &foot, focused, scroll });
    let margin = gutter::width(doc);
    let gutter = Gutter::new(cx, step, text_screen.counts_from_cursor, doc);
    for (y, row) in visible(text_screen, cx).iter().take(usize::from(inner.height)).enumerate() {
        let at = Rect { y: inner.y + y as u16, height: 1, ..inner };
        match &row.message {
            Some(message) => {
                text::draw(buf, at.x, at.y, message, at.width);
            }
            None => {
                let fold = doc.folds.closed_at(row.line);
                let last = fold.map_or(row.line, |fold| fold.last);
                let mut line = Line::from(gutter.marks(row.line, last, row.line == doc.position.list.cursor));
                let code = doc.painted.binary_search_by_key(&row.line, |(line, _)| *line);
                let code = code.ok().map(|at| text::skip(&doc.painted[at].1, doc.position.left));
                line.spans.extend(code.unwrap_or_default());
                line.spans.extend(fold.map(|fold| {
                    let words = format!(" {} {} lines", look.glyphs.shut, fold.last - fold.first);
                    Span::styled(words, look.style(Role::Note))
                }));
                text::draw(buf, at.x, at.y, &line, at.width);
                search::mark_matches(buf, at, margin, &text_screen.words, look);
                range::mark(doc, row.line, buf, at, margin, look);
            }
        }
    }
}

/// The position of the drawn cursor; `None` if it is out of view.
pub(super) fn cursor(code: &Code, cx: &Cx) -> Option<Position> {
    let area = inside(cx.layout().pane(Pane::Text)?);
    let doc = code.doc()?;
    let row = visible(code, cx).iter().position(|row| row.line == doc.position.list.cursor)?;
    let column = doc.glyph().map_or(0, |glyph| glyph.column).checked_sub(doc.position.left)? + gutter::width(doc);
    let at = Position::new(area.x + u16::try_from(column).ok()?, area.y + u16::try_from(row).ok()?);
    area.contains(at).then_some(at)
}

fn nothing_open(code: &Code, step: &Step, cx: &Cx) -> Vec<Line<'static>> {
    let dim = cx.look.style(Role::Dim);
    if let Some(words) = &code.trouble {
        return vec![Line::styled(format!(" {}", text::safe(words)), cx.look.style(Role::Error))];
    }
    if cx.is_spinning(step) {
        return vec![Line::styled(" reading…", dim)];
    }
    vec![Line::raw(" No file is open."), Line::styled(" Modules (4) lists the files; Enter opens one here.", dim)]
}

fn indentation(line: &str) -> usize {
    let end = line.len() - line.trim_start().len();
    text::width(&text::widen_tabs(&line[..end]))
}
