//! The list of breakpoints: each can be edited, switched off and removed.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::{Heard, centered, key_line, popup};
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

/// What was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Add,
    Edit(usize),
    Switch(usize),
    Remove(usize),
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
            KeyCode::Char('x' | 'd') => return Heard::Breaks(Asked::Remove(at)),
            KeyCode::Esc | KeyCode::Char('q' | 'B') => return Heard::Close,
            _ => {}
        }
        Heard::Stay
    }
}

pub fn view(breaks: &Breaks, state: &State, buf: &mut Buffer, body: Rect) {
    let look = &state.look;
    let rows = rows(state);
    let answers = [("a", "add"), ("Enter", "edit"), ("Space", "on or off"), ("x", "remove"), ("Esc", "leaves")];
    let keys = key_line(state, &answers);
    let widest = rows.iter().map(|(_, words, tail)| text::width(words) + text::width(tail) + 8).max().unwrap_or(0);
    let width = (widest.max(keys.width()) + 4).min(usize::from(u16::MAX)) as u16;
    let inner = popup(state, buf, centered(body, width, rows.len() as u16 + 4), "Breakpoints");
    let place = Rect { height: inner.height.saturating_sub(2), ..inner };
    let mut window = breaks.list;
    window.settle(rows.len(), usize::from(place.height));
    list::draw(buf, place, look, &window, rows.len(), true, |at| {
        let (is_on, words, tail) = &rows[at];
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
    let last = Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner };
    list::draw_text(buf, last, 0, &[keys]);
}

/// Whether each is on, what it is called, and where it stops.
fn rows(state: &State) -> Vec<(bool, String, String)> {
    let step = &state.step;
    let plain = step.breakpoints.iter().map(|id| (true, id.to_string(), String::new()));
    let whens = step.whens.iter().map(|when| {
        let places = match (when.is_on, step.is_loaded()) {
            (false, _) => "off".to_string(),
            (true, false) => "once there is a plan".to_string(),
            (true, true) => format!("{} here", when.places.len()),
        };
        (when.is_on, text::safe(&when.text), places)
    });
    plain.chain(whens).collect()
}
