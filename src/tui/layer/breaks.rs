//! The list of breakpoints: each can be edited, switched off and removed.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Heard, centered, key_lines, popup, widest};
use crate::tui::keys::Key;
use crate::tui::look::Role;
use crate::tui::screen::step::breaks;
use crate::tui::state::State;
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;

/// Where one stands in the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Breaks {
    list: List,
}

/// What stands where there is none.
const NONE: &str = " None are set: a adds one; b on Step, Graph or Code sets one on a resource.";

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Add,
    Edit(usize),
    Switch(usize),
    Remove(usize),
    /// What else a run stops for.
    Mode,
}

impl Breaks {
    pub fn hear(&mut self, key: Key, state: &State) -> Heard {
        let len = breaks::len(state);
        let at = self.list.cursor.min(len.saturating_sub(1));
        match key.code {
            KeyCode::Char('j') | KeyCode::Down => self.list.go(Move::Down, 1, len, len),
            KeyCode::Char('k') | KeyCode::Up => self.list.go(Move::Up, 1, len, len),
            KeyCode::Char('a') => return Heard::Breaks(Asked::Add),
            KeyCode::Enter | KeyCode::Char('e') => {
                return breaks::when_at(state, at).map_or(Heard::Stay, |at| Heard::Breaks(Asked::Edit(at)));
            }
            KeyCode::Char(' ') => return Heard::Breaks(Asked::Switch(at)),
            KeyCode::Char('M') => return Heard::Breaks(Asked::Mode),
            KeyCode::Char('x' | 'd') => return Heard::Breaks(Asked::Remove(at)),
            KeyCode::Esc | KeyCode::Char('q' | 'B') => return Heard::Close,
            _ => {}
        }
        Heard::Stay
    }
}

/// How many lines that takes.
fn height_of_none(body: Rect) -> usize {
    text::wrap(NONE, usize::from(body.width.saturating_sub(2))).len()
}

pub fn view(breaks: &Breaks, state: &State, buf: &mut Buffer, body: Rect) {
    let look = &state.look;
    let rows = state.step.listed();
    let mode = state.step.break_mode;
    let mode = format!(" c stops {} ({})", mode.words(), mode.name());
    let mut answers = vec![
        ("a", "add"),
        ("Enter", "edit"),
        ("Space", "on or off"),
        ("x", "remove"),
        ("M", "mode"),
        ("Esc", "leaves"),
    ];
    if rows.is_empty() {
        answers.retain(|(key, _)| matches!(*key, "a" | "M" | "Esc"));
    }
    let keys = key_lines(state, &answers, body);
    let longest = rows.iter().map(|row| text::width(&row.words) + text::width(&row.tail) + 8).max().unwrap_or(0);
    let (longest, height) = match rows.len() {
        0 => (text::width(NONE), height_of_none(body)),
        count => (longest, count),
    };
    let width = (longest.max(widest(&keys)).max(text::width(&mode)) + 4).min(usize::from(u16::MAX)) as u16;
    let inner =
        popup(state, buf, centered(body, width, (height as u16).saturating_add(5 + keys.len() as u16)), "Breakpoints");
    let first =
        Line::styled(text::fit(&mode, usize::from(inner.width), look.glyphs.cut).into_owned(), look.style(Role::Dim));
    list::draw_text(buf, Rect { height: inner.height.min(1), ..inner }, 0, &[first]);
    let place = Rect {
        y: (inner.y + 2).min(inner.bottom()),
        height: inner.height.saturating_sub(3 + keys.len() as u16),
        ..inner
    };
    if rows.is_empty() {
        let words = Line::styled(NONE, look.style(Role::Dim));
        list::draw_words(buf, place, &[words]);
    }
    let mut window = breaks.list;
    window.settle(rows.len(), usize::from(place.height));
    list::draw(buf, place, look, &window, rows.len(), true, |at| {
        let breaks::Shown { is_on, words, tail } = &rows[at];
        let (glyph, role) = match is_on {
            true => (look.glyphs.breakpoint, Role::Breakpoint),
            false => (look.glyphs.waiting, Role::Dim),
        };
        let room = usize::from(inner.width).saturating_sub(6 + text::width(tail));
        let words = text::pad(&text::fit_middle(words, room, look.glyphs.cut), room);
        Line::from(vec![
            Span::styled(format!(" {glyph} "), look.style(role)),
            Span::styled(words, look.style(if *is_on { Role::Text } else { Role::Dim })),
            Span::styled(format!(" {tail}"), look.style(Role::Dim)),
        ])
    });
    let last = inner.height.min(keys.len() as u16);
    list::draw_text(buf, Rect { y: inner.bottom() - last, height: last, ..inner }, 0, &keys);
}
