//! The palette: every action with its keys; typing narrows it, Enter runs the selected one.

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::fuzzy::Fuzzy;
use super::{KeyResult, centered, edit, popup, prompt};
use crate::tui::keymap::{Entry, TABLE};
pub use crate::tui::layer::kinds::Palette;
use crate::tui::list::{self, ListPane};
use crate::tui::widget::list as rows;
use crate::tui::{cx::Cx, front::Front, keys::Key, look::Role, parity, widget::text};

impl Palette {
    pub fn new(cx: &Cx) -> Self {
        let mut palette = Self::default();
        palette.relist(cx);
        palette
    }

    fn selected(&self) -> Option<&'static Entry> {
        self.list.selected().map(|at| &TABLE[at])
    }

    pub fn on_key(&mut self, key: Key, cx: &Cx) -> KeyResult {
        let is_control = !key.mods.is_empty();
        let height = height(cx);
        match key.code {
            KeyCode::Esc => return KeyResult::Close,
            KeyCode::Enter => {
                return match self.selected() {
                    // The line below shows where it works.
                    Some(entry) if !entry.works_on(cx.screen) => KeyResult::Stay,
                    Some(entry) => KeyResult::Run(entry.action),
                    None => KeyResult::Close,
                };
            }
            KeyCode::Char('Y') if !is_control => {
                return self.selected().map_or(KeyResult::Stay, |entry| KeyResult::Copy(entry.action));
            }
            code => match list::step(key, true) {
                Some(step) => {
                    self.list.go(step, 1, height);
                    self.list.clamp(height);
                }
                None if edit(&mut self.words, code, is_control) => self.relist(cx),
                None => {}
            },
        }
        KeyResult::Stay
    }

    pub fn paste(&mut self, words: &str, cx: &Cx) {
        self.words.push_str(words);
        self.relist(cx);
    }

    /// All actions, best match first. Without words, in the table's order: the screen's own first, those of other
    /// screens last.
    fn relist(&mut self, cx: &Cx) {
        let is_here = |entry: &Entry| entry.works_on(cx.screen);
        // An action that has other keys on this screen is listed once.
        let has_another = |entry: &Entry| TABLE.iter().any(|other| other.action == entry.action && is_here(other));
        let all = TABLE.iter().enumerate().filter(|(_, entry)| is_here(entry) || !has_another(entry));
        let mut scored: Vec<(u32, usize)> = if self.words.is_empty() {
            let rank = |entry: &Entry| if is_here(entry) { 1 + u32::from(!entry.screens.is_empty()) } else { 0 };
            all.map(|(at, entry)| (rank(entry), at)).collect()
        } else {
            const WHOLE: u32 = 1_000_000;
            let words = self.words.to_lowercase();
            let mut fuzzy = Fuzzy::new(&self.words);
            let scored = all.filter_map(|(at, entry)| {
                // Searches the keys too, so that `gs` finds its action.
                let line = format!("{} {} {}", entry.title, entry.id, cx.keymap.keys_of(entry));
                let score = fuzzy.score(&line)?;
                // A name that starts with the words comes before a name that contains them, and that before scattered
                // letters.
                let begins = entry.id.starts_with(&words);
                let holds = line.to_lowercase().contains(&words);
                let is_near = if is_here(entry) { 1_000 } else { 0 };
                Some((score + is_near + if begins { 2_000 } else { 0 } + if holds { WHOLE } else { 0 }, at))
            });
            let mut scored: Vec<_> = scored.collect();
            if scored.iter().any(|(score, _)| *score >= WHOLE) {
                scored.retain(|(score, _)| *score >= WHOLE);
            }
            scored
        };
        scored.sort_by_key(|(score, at)| (u32::MAX - score, *at));
        self.list = ListPane::new(scored.into_iter().map(|(_, at)| at).collect());
    }
}

/// The rows of the list, which `on_key` needs for paging.
fn height(cx: &Cx) -> usize {
    let area = area(cx, cx.layout().footer.y);
    usize::from(area.height).saturating_sub(4 + preview_height(cx, area))
}

/// Wide enough for every title, if the window is.
fn area(cx: &Cx, bottom: u16) -> Rect {
    let body = Rect { x: 0, y: 1.min(bottom), width: cx.window.width, height: bottom.saturating_sub(1) };
    centered(body, 118.min(body.width.saturating_sub(2)).max(84), body.height.saturating_sub(2).clamp(8, 30))
}

/// The columns before a title: the longest keys, as far as there is room, with a space on each side.
fn keys_room(cx: &Cx, area: Rect) -> usize {
    let longest = TABLE.iter().map(|entry| text::width(&cx.keymap.keys_of(entry))).max().unwrap_or(0);
    longest.min(usize::from(area.width) / 4) + 2
}

/// The columns for titles in a box.
fn title_room(cx: &Cx, area: Rect) -> usize {
    usize::from(area.width).saturating_sub(2 + keys_room(cx, area) + 1)
}

/// How many lines the whole title takes below the list, if titles are cut in it.
fn preview_height(cx: &Cx, area: Rect) -> usize {
    const LEAST: u16 = 14;
    const MOST: usize = 3;
    let longest = TABLE.iter().map(|entry| text::width(entry.title)).max().unwrap_or(0);
    if longest <= title_room(cx, area) || area.height < LEAST {
        return 0;
    }
    let lines = TABLE.iter().map(|entry| preview(entry, area.width).len()).max().unwrap_or(0);
    if lines > MOST { 0 } else { lines }
}

/// A whole title, wrapped to the width of the box.
fn preview(entry: &Entry, width: u16) -> Vec<String> {
    text::wrap(entry.title, usize::from(width).saturating_sub(4))
}

pub fn view(palette: &Palette, front: Front<'_>, buf: &mut Buffer, body: Rect) {
    let look = &front.cx.look;
    let area = area(front.cx, body.bottom());
    let title = format!("Actions on {}", front.cx.screen.title());
    let inner = popup(front.cx, buf, area, &title);
    if inner.height < 3 {
        return;
    }
    buf.set_line(inner.x, inner.y, &prompt(look, &palette.words), inner.width);
    let below = preview_height(front.cx, area) as u16;
    let place = Rect { y: inner.y + 1, height: (inner.height - 2).saturating_sub(below), ..inner };
    if palette.list.is_empty() {
        rows::draw_text(buf, place, 0, &[Line::styled(" No matching action.", look.style(Role::Dim))]);
    }
    front.cx.areas.add_lines(place);
    let (width, keys) = (usize::from(inner.width), keys_room(front.cx, area));
    rows::draw(buf, place, look, &palette.list.at, palette.list.len(), true, |row| {
        entry_line(&TABLE[palette.list.rows[row]], front, width, keys)
    });
    if let Some(entry) = palette.selected().filter(|_| below > 0) {
        let strong = look.style(Role::Strong);
        let words = preview(entry, area.width).into_iter();
        let lines: Vec<Line> = words.map(|words| Line::styled(format!(" {words}"), strong)).collect();
        rows::draw_text(buf, Rect { y: place.bottom(), height: below, ..inner }, 0, &lines);
    }
    let foot = match palette.selected().map(|entry| entry.available(front)) {
        Some(Err(why)) => Line::styled(format!(" not now: {why}"), look.style(Role::Warning)),
        _ => {
            let same = palette.selected().map(|entry| match parity::here(entry.action, front) {
                Ok(command) => format!("Y copies `{command}`"),
                Err(why) => format!("no command: {why}"),
            });
            let words = format!(" Enter run   Esc close   {}", text::safe(&same.unwrap_or_default()));
            let words = text::fit(&words, usize::from(inner.width), look.glyphs.cut).into_owned();
            Line::styled(words, look.style(Role::Dim))
        }
    };
    buf.set_line(inner.x, inner.bottom() - 1, &foot, inner.width);
}

fn entry_line(entry: &'static Entry, front: Front<'_>, width: usize, room: usize) -> Line<'static> {
    let look = &front.cx.look;
    let keys = front.cx.keymap.keys_of(entry);
    // The keys stay whole. The title is whole below the list.
    let keys = text::pad(&keys, room - 2);
    let room = width.saturating_sub(text::width(&keys) + 3);
    let (title, role) = match entry.available(front) {
        Ok(()) => (entry.title.to_string(), Role::Text),
        // A disabled action keeps its place and shows the start of its reason, if there is room. The line below shows
        // the reason of the selected one.
        Err(why) => {
            const LEAST: usize = 12;
            let title = text::fit(entry.title, room, look.glyphs.cut).into_owned();
            let room = room.saturating_sub(text::width(&title) + 3);
            let has_room = room >= LEAST.min(text::width(&why));
            let why = format!(" ({})", text::fit(&why, room, look.glyphs.cut));
            (if has_room { title + &why } else { title }, Role::Dim)
        }
    };
    Line::from(vec![
        Span::raw(" "),
        Span::styled(keys, look.style(if role == Role::Dim { Role::Dim } else { Role::Key })),
        Span::raw(" "),
        Span::styled(text::fit(&title, room, look.glyphs.cut).into_owned(), look.style(role)),
    ])
}
