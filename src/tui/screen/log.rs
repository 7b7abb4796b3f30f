//! Log: what happened, and the command that does the same as each action.

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::Pane;
use crate::tui::effect::Effect;
use crate::tui::keymap::Action;
use crate::tui::look::Role;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;

/// Older lines are dropped.
const LIMIT: usize = 10_000;

/// Where a line comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The command that does the same as an action.
    Command,
    Run,
    Work,
    Problem,
}

impl Source {
    fn word(self) -> (&'static str, Role) {
        match self {
            Source::Command => ("cmd", Role::Note),
            Source::Run => ("run", Role::Text),
            Source::Work => ("work", Role::Dim),
            Source::Problem => ("problem", Role::Error),
        }
    }
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub time: String,
    pub source: Source,
    pub words: String,
}

#[derive(Debug)]
pub struct State {
    entries: VecDeque<Entry>,
    dropped: usize,
    pub words: String,
    /// Positions that fit the filter; only while there is one.
    shown: Vec<usize>,
    list: List,
    follow: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            dropped: 0,
            words: String::new(),
            shown: Vec::new(),
            list: List::default(),
            follow: true,
        }
    }
}

impl State {
    pub fn push(&mut self, time: &str, source: Source, words: String) {
        if self.entries.len() == LIMIT {
            self.entries.pop_front();
            self.dropped += 1;
            self.list.cursor = self.list.cursor.saturating_sub(1);
            self.shown = self.shown.iter().filter_map(|at| at.checked_sub(1)).collect();
        }
        self.entries.push_back(Entry { time: time.into(), source, words });
        let last = self.entries.len() - 1;
        if !self.words.is_empty() && self.fits(last) {
            self.shown.push(last);
        }
        if self.follow {
            self.list.cursor = self.len().saturating_sub(1);
        }
    }

    fn fits(&self, at: usize) -> bool {
        self.entries[at].words.to_lowercase().contains(&self.words.to_lowercase())
    }

    fn len(&self) -> usize {
        if self.words.is_empty() { self.entries.len() } else { self.shown.len() }
    }

    fn entry(&self, row: usize) -> Option<&Entry> {
        let at = if self.words.is_empty() { row } else { *self.shown.get(row)? };
        self.entries.get(at)
    }

    /// The words to copy.
    pub fn selected(&self) -> Option<String> {
        self.entry(self.list.cursor).map(|entry| entry.words.clone())
    }
}

pub fn go(tui: &mut Tui, step: Move, count: usize) -> Vec<Effect> {
    let (_, height) = tui.room(Pane::Log);
    let len = tui.log.len();
    tui.log.list.go(step, count, len, height);
    tui.log.follow = tui.log.list.cursor + 1 >= len;
    vec![]
}

pub fn act(tui: &mut Tui, action: Action) -> Vec<Effect> {
    match action {
        Action::Follow => {
            tui.log.follow = true;
            tui.log.list.cursor = tui.log.len().saturating_sub(1);
        }
        _ => {}
    }
    vec![]
}

pub fn filter(tui: &mut Tui, words: &str) {
    tui.log.words = words.to_string();
    tui.log.shown = (0..tui.log.entries.len()).filter(|at| tui.log.fits(*at)).collect();
    tui.log.list.cursor = tui.log.len().saturating_sub(1);
}

pub fn settle(tui: &mut Tui) {
    let (_, height) = tui.room(Pane::Log);
    let len = tui.log.len();
    tui.log.list.settle(len, height);
}

pub fn view(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let state = &tui.log;
    let mut title = "Log".to_string();
    if !state.words.is_empty() {
        title.push_str(&format!("  /{}", text::safe(&state.words)));
    }
    if state.dropped > 0 {
        title.push_str(&format!("  {} older lines dropped", state.dropped));
    }
    let foot = if state.follow { "following".to_string() } else { state.list.foot(state.len()) };
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = state.list.extent(state.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, foot: &foot, focused: true, scroll });
    if state.len() == 0 {
        let words =
            if state.words.is_empty() { " Nothing has happened yet." } else { " No line fits. Esc clears the filter." };
        return list::draw_text(buf, inner, 0, &[Line::styled(words, tui.look.style(Role::Dim))]);
    }
    list::draw(buf, inner, &tui.look, &state.list, state.len(), true, |row| {
        let Some(entry) = state.entry(row) else { return Line::default() };
        let (word, role) = entry.source.word();
        Line::from(vec![
            Span::styled(format!("{} ", entry.time), tui.look.style(Role::Dim)),
            Span::styled(format!("{word:<8}"), tui.look.style(role)),
            Span::raw(text::safe(&entry.words)),
        ])
    });
}
