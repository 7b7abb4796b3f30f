//! A pane's border with its title, its position text, and a scroll thumb.

use ratatui::prelude::{Buffer, Rect, Style};

use super::text;
use crate::tui::layout::inside;
use crate::tui::look::{Look, Role};

/// The texts of a pane's border.
#[derive(Default)]
pub struct Frame<'a> {
    pub title: &'a str,
    /// Bottom right, such as `3 of 14`.
    pub foot: &'a str,
    pub focused: bool,
    /// First visible row, visible rows, all rows.
    pub scroll: Option<(usize, usize, usize)>,
}

/// Draws the border and returns the room inside it.
pub fn draw(buf: &mut Buffer, area: Rect, look: &Look, frame: &Frame) -> Rect {
    let area = area.intersection(buf.area);
    if area.width < 2 || area.height < 2 {
        return Rect { width: 0, height: 0, ..area };
    }
    let (corners, [level, upright], style) = look.border(frame.focused);
    let (left, right) = (area.x, area.right() - 1);
    let (top, bottom) = (area.y, area.bottom() - 1);
    for x in left..=right {
        put(buf, x, top, level, style);
        put(buf, x, bottom, level, style);
    }
    for y in top..=bottom {
        put(buf, left, y, upright, style);
        put(buf, right, y, upright, style);
    }
    for (glyph, (x, y)) in corners.iter().zip([(left, top), (right, top), (left, bottom), (right, bottom)]) {
        put(buf, x, y, glyph, style);
    }
    let room = usize::from(area.width).saturating_sub(4);
    if !frame.title.is_empty() && room > 2 {
        let title = text::fit(frame.title, room, look.glyphs.cut);
        let title_style = if frame.focused { style.patch(look.style(Role::Title)) } else { look.style(Role::Text) };
        buf.set_stringn(left + 2, top, title, room, title_style);
    }
    if !frame.foot.is_empty() && text::width(frame.foot) <= room {
        let x = right - 1 - text::width(frame.foot) as u16;
        buf.set_stringn(x, bottom, frame.foot, room, style);
    }
    if let Some((first, shown, all)) = frame.scroll.filter(|(_, shown, all)| all > shown) {
        let track = usize::from(area.height - 2);
        let length = (track * shown / all).max(1);
        let at = if all > shown { (track - length.min(track)) * first / (all - shown) } else { 0 };
        for y in at..(at + length).min(track) {
            put(buf, right, top + 1 + y as u16, look.glyphs.thumb, style);
        }
    }
    inside(area)
}

fn put(buf: &mut Buffer, x: u16, y: u16, glyph: &str, style: Style) {
    if let Some(cell) = buf.cell_mut((x, y)) {
        cell.set_symbol(glyph).set_style(style);
    }
}
