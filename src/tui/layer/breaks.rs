//! The list of breakpoints: failures first, then breakpoints, which can be edited, switched off and removed.

use crossterm::event::KeyCode;
use ratatui::prelude::{Buffer, Line, Rect, Span};

use super::{KeyResult, centered, draw_keys, key_lines, popup, widest};
use crate::plan::stop::BreakMode;
pub use crate::tui::layer::kinds::Breaks;
use crate::tui::screen::step::data::State as Step;
use crate::tui::widget::list as rows;
use crate::tui::{cx::Cx, keys::Key, list, look::Role, screen::step::breaks, widget::text};

/// The requested change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    Add,
    Edit(usize),
    Switch(usize),
    Remove(usize),
    /// Whether a failure stops a run.
    Failures,
}

impl Breaks {
    pub fn on_key(&mut self, key: Key, plan: &Step) -> KeyResult {
        let len = breaks::len(plan) + 1;
        // The first row is for failures.
        let at = self.list.cursor.min(len - 1).checked_sub(1);
        match key.code {
            KeyCode::Char('a') => return KeyResult::Breaks(Asked::Add),
            KeyCode::Enter | KeyCode::Char('e') => {
                let Some(at) = at else { return KeyResult::Breaks(Asked::Failures) };
                return breaks::when_at(plan, at).map_or(KeyResult::Stay, |at| KeyResult::Breaks(Asked::Edit(at)));
            }
            KeyCode::Char(' ') => return KeyResult::Breaks(at.map_or(Asked::Failures, Asked::Switch)),
            KeyCode::Char('x' | 'd') => return at.map_or(KeyResult::Stay, |at| KeyResult::Breaks(Asked::Remove(at))),
            KeyCode::Esc | KeyCode::Char('q' | 'B') => return KeyResult::Close,
            _ => list::step(key, false).into_iter().for_each(|step| self.list.go(step, 1, len, len)),
        }
        KeyResult::Stay
    }
}

pub fn view(breaks: &Breaks, step: &Step, cx: &Cx, buf: &mut Buffer, body: Rect) {
    let look = &cx.look;
    let stops = step.breaks.break_mode == BreakMode::Failure;
    let tail = if stops { "" } else { "off" };
    let failures = breaks::Shown { is_on: stops, words: "Stop on failure".into(), tail: tail.into() };
    let all: Vec<_> = std::iter::once(failures).chain(step.listed()).collect();
    let answers = [("a", "add"), ("Enter", "edit"), ("Space", "on or off"), ("x", "remove"), ("Esc", "cancel")];
    let keys = key_lines(cx, &answers, body);
    let longest = all.iter().map(|row| text::width(&row.words) + text::width(&row.tail) + 8).max().unwrap_or(0);
    let height = all.len() as u16;
    let width = (longest.max(widest(&keys)) + 4).min(usize::from(u16::MAX)) as u16;
    let inner = popup(cx, buf, centered(body, width, height.saturating_add(3 + keys.len() as u16)), "Breakpoints");
    let place = draw_keys(cx, buf, inner, &keys);
    cx.areas.add_lines(place);
    let mut window = breaks.list;
    window.clamp(all.len(), usize::from(place.height));
    rows::draw(buf, place, look, &window, all.len(), true, |at| {
        let breaks::Shown { is_on, words, tail } = &all[at];
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
}
