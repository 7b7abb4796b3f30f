//! A list of which only the visible window is ever built or drawn.

use std::ops::Range;

use ratatui::prelude::{Buffer, Line, Rect};

use super::text;

use crate::tui::look::{Look, Role};

/// The cursor and scroll position of a list. The rows are stored elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List {
    pub cursor: usize,
    pub offset: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    Up,
    Down,
    HalfUp,
    HalfDown,
    PageUp,
    PageDown,
    Top,
    Bottom,
}

impl Move {
    /// The row after moving `count` times from `at`.
    fn apply(self, at: usize, count: usize, len: usize, height: usize) -> usize {
        let last = len.saturating_sub(1);
        let half = (height / 2).max(1);
        let page = height.max(1);
        let by = |step: usize| step.saturating_mul(count);
        match self {
            Move::Up => at.saturating_sub(by(1)),
            Move::Down => at.saturating_add(by(1)),
            Move::HalfUp => at.saturating_sub(by(half)),
            Move::HalfDown => at.saturating_add(by(half)),
            Move::PageUp => at.saturating_sub(by(page)),
            Move::PageDown => at.saturating_add(by(page)),
            Move::Top => 0,
            Move::Bottom => last,
        }
        .min(last)
    }
}

/// How many rows stay visible above and below the cursor, in a window of this height.
fn margin(height: usize) -> usize {
    (height / 5).min(3)
}

impl List {
    pub fn go(&mut self, step: Move, count: usize, len: usize, height: usize) {
        self.cursor = step.apply(self.cursor, count, len, height);
    }

    /// Scrolls, and moves the cursor only as far as it must.
    pub fn pan(&mut self, step: Move, count: usize, len: usize, height: usize) {
        let offset = step.apply(self.offset, count, len.saturating_sub(height) + 1, height);
        // Rows may be taller than one line: the offset may be further than one-line rows would need.
        self.offset = if step == Move::Down { offset.max(self.offset) } else { offset };
        let margin = margin(height);
        let first = if self.offset == 0 { 0 } else { self.offset + margin };
        let after = if self.offset + height >= len { len } else { self.offset + height - margin };
        let last = after.saturating_sub(1);
        self.cursor = self.cursor.clamp(first.min(last), last);
    }

    /// Scrolls panes of text without a cursor.
    pub fn scroll(&mut self, step: Move, count: usize, len: usize, height: usize) {
        self.offset = step.apply(self.offset, count, len.saturating_sub(height) + 1, height);
        self.cursor = self.offset;
    }

    /// Clamps the cursor and the window to the rows, with a few rows around the cursor in view.
    pub fn clamp(&mut self, len: usize, height: usize) {
        self.cursor = self.cursor.min(len.saturating_sub(1));
        let margin = margin(height);
        let below = (self.cursor + margin + 1).saturating_sub(height);
        let above = self.cursor.saturating_sub(margin);
        self.offset = self.offset.clamp(below.min(above), above.max(below));
        self.offset = self.offset.min(len.saturating_sub(height));
    }

    /// Clamps a window of text to its lines.
    pub fn clamp_text(&mut self, len: usize, height: usize) {
        self.offset = self.offset.min(len.saturating_sub(height));
        self.cursor = self.offset;
    }

    /// The position and size of the border's thumb.
    pub fn extent(&self, len: usize, height: usize) -> Option<(usize, usize, usize)> {
        Some((self.offset, height, len))
    }
}

#[derive(Debug, Default)]
pub struct Row<'a> {
    line: Line<'a>,
    /// The columns that mark the cursor's row; `None` for all of them.
    marked: Option<Range<usize>>,
}

impl<'a> Row<'a> {
    /// A row with a marked part, such as its name: the rest keeps its own colours, and need not be sent again when the
    /// cursor moves.
    pub fn marked(line: Line<'a>, columns: Range<usize>) -> Self {
        Self { line, marked: Some(columns) }
    }

    /// The marked area of a drawn row.
    fn mark(&self, area: Rect) -> Rect {
        let Some(Range { start, end }) = self.marked.clone() else { return area };
        let column = |at: usize| area.x.saturating_add(at.min(usize::from(area.width)) as u16);
        Rect { x: column(start), width: column(end) - column(start), ..area }
    }
}

impl<'a> From<Line<'a>> for Row<'a> {
    fn from(line: Line<'a>) -> Self {
        Self { line, marked: None }
    }
}

/// Draws the visible rows, building only those.
pub fn draw<'a, R: Into<Row<'a>>>(
    buf: &mut Buffer,
    area: Rect,
    look: &Look,
    list: &List,
    len: usize,
    focused: bool,
    row: impl Fn(usize) -> R,
) {
    for (y, index) in (list.offset..len).take(usize::from(area.height)).enumerate() {
        let at = Rect { y: area.y + y as u16, height: 1, ..area };
        let row: Row = row(index).into();
        text::draw(buf, at.x, at.y, &row.line, area.width);
        if index == list.cursor {
            buf.set_style(row.mark(at), look.selection(focused));
        }
    }
}

/// Draws a window of ready lines.
pub fn draw_text(buf: &mut Buffer, area: Rect, offset: usize, lines: &[Line]) {
    for (y, line) in lines.iter().skip(offset).take(usize::from(area.height)).enumerate() {
        text::draw(buf, area.x, area.y + y as u16, line, area.width);
    }
}

/// The same for lines that may be wider than the pane: a cut line has a mark at its end.
pub fn draw_cut(buf: &mut Buffer, area: Rect, look: &Look, offset: usize, lines: &[Line]) {
    for (y, line) in lines.iter().skip(offset).take(usize::from(area.height)).enumerate() {
        let y = area.y + y as u16;
        let is_cut = line.width() > usize::from(area.width) && area.width > 0;
        let x = text::draw(buf, area.x, y, line, if is_cut { area.width - 1 } else { area.width });
        if is_cut {
            buf.set_stringn(x, y, look.glyphs.cut, usize::from(area.right() - x), look.style(Role::Dim));
        }
    }
}

/// Draws a few sentences, each in one style, wrapped to the pane.
pub fn draw_words(buf: &mut Buffer, area: Rect, sentences: &[Line]) {
    let room = usize::from(area.width);
    let lines: Vec<Line> = sentences.iter().flat_map(|line| text::wrap_line(line, room)).collect();
    draw_text(buf, area, 0, &lines);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_texts_show_an_ellipsis() {
        let look =
            Look::new(crate::highlight::Theme::built_in("mono").expect("compiled in"), &crate::tui::look::UNICODE);
        for (words, drawn) in
            [("fits", "fits "), ("fits.", "fits."), ("fits not", "fits…"), ("漢字漢字", "漢字…"), ("a漢字漢", "a漢… ")]
        {
            let area = Rect::new(0, 0, 5, 1);
            let mut buf = Buffer::empty(area);
            draw_cut(&mut buf, area, &look, 0, &[Line::raw(words)]);
            let cells = |buf: &Buffer| buf.content.iter().map(|cell| cell.symbol().to_owned()).collect::<Vec<_>>();
            assert_eq!(cells(&buf), cells(&Buffer::with_lines([drawn])), "{words}");
        }
    }

    #[test]
    fn cursor_stays_in_the_window() {
        let mut list = List::default();
        for (step, count) in [(Move::Down, 30), (Move::HalfUp, 1), (Move::Bottom, 1), (Move::PageUp, 2), (Move::Top, 1)]
        {
            list.go(step, count, 100, 10);
            list.clamp(100, 10);
            assert!(list.cursor >= list.offset && list.cursor < list.offset + 10, "{step:?}: {list:?}");
        }
        list.clamp(0, 10);
        assert_eq!(list, List::default());
        list.clamp(3, 0);
    }

    /// A panned window stays when it is clamped.
    #[test]
    fn a_window_takes_the_cursor_along_at_its_edges() {
        let mut list = List { cursor: 4, offset: 0 };
        for (step, count, offset, cursor) in [
            (Move::Down, 1, 1, 4),
            (Move::Down, 3, 4, 6),
            (Move::Down, 200, 90, 92),
            (Move::Up, 1, 89, 92),
            (Move::Up, 20, 69, 76),
            (Move::Up, 200, 0, 7),
        ] {
            list.pan(step, count, 100, 10);
            assert_eq!((list.offset, list.cursor), (offset, cursor), "{step:?} {count}");
            let panned = list;
            list.clamp(100, 10);
            assert_eq!(list, panned, "{step:?} {count}");
        }
        for (len, height) in [(0, 10), (3, 10), (5, 0)] {
            list.pan(Move::Down, 3, len, height);
            assert!(list.cursor < len.max(1) && list.offset < len.max(1), "{len} {height}: {list:?}");
        }
    }
}
