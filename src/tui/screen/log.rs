//! Log: what happened, with the equivalent command of each action.

pub mod entry;

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use rustc_hash::FxHashMap;

use super::Pane;
use crate::graph::ResourceId;
use crate::plan::{Offered, Query};
use crate::tui::effect::Effect;
use crate::tui::filter;
use crate::tui::keymap::Action;
use crate::tui::layer::Layer;
use crate::tui::layer::command::CommandLine;
use crate::tui::look::Role;
pub use crate::tui::screen::log::entry::State;
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;
pub use entry::{Dry, Entry, Source};

/// Older lines are dropped to limit the memory.
const MOST_LINES: usize = 100_000;
const MOST_BYTES: usize = 32 << 20;
/// A longer line is cut.
const LONGEST: usize = 16 << 10;

impl Default for State {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            bytes: 0,
            dropped: 0,
            words: String::new(),
            shown: VecDeque::new(),
            start: None,
            list: List::default(),
            follow: true,
        }
    }
}

impl State {
    pub fn push(&mut self, time: &str, source: Source, words: String) {
        self.add(time, source, words, None);
    }

    /// Adds a line of a dry run, about one resource's step or the whole run.
    pub fn push_dry(&mut self, time: &str, source: Source, words: String, run: u64, resource: Option<ResourceId>) {
        self.add(time, source, words, Some(Dry { run, resource, is_taken_back: false }));
    }

    /// A step was undone: marks its line, and the lines about the run's end, as undone.
    pub fn take_back(&mut self, run: u64, resource: &ResourceId) {
        let mut is_found = false;
        for dry in self.entries.iter_mut().rev().filter_map(|entry| entry.dry.as_mut()).filter(|dry| dry.run == run) {
            match &dry.resource {
                Some(other) if other != resource && is_found => break,
                Some(other) if other != resource => {}
                of => {
                    is_found |= of.is_some();
                    dry.is_taken_back = true;
                }
            }
        }
    }

    /// The steps of dry runs are about to run again: returns the line number of each valid step. Marks the lines about
    /// the runs' ends as undone.
    pub fn valid_lines(&mut self) -> FxHashMap<ResourceId, usize> {
        let mut lines = FxHashMap::default();
        for (at, entry) in self.entries.iter_mut().enumerate() {
            match entry.dry.as_mut().filter(|dry| !dry.is_taken_back) {
                Some(Dry { resource: Some(resource), .. }) => _ = lines.insert(resource.clone(), self.dropped + at),
                Some(end) => end.is_taken_back = true,
                None => {}
            }
        }
        lines
    }

    /// A step that has a line ran again. If the result is the same, the line is kept for the new run; else it is marked
    /// as undone.
    pub fn confirm(&mut self, number: usize, words: &str, run: u64) -> bool {
        let entry = number.checked_sub(self.dropped).and_then(|at| self.entries.get_mut(at));
        let Some(Entry { words: text, dry: Some(dry), .. }) = entry else { return false };
        let is_same = text == words;
        if is_same {
            dry.run = run;
        }
        dry.is_taken_back = !is_same;
        is_same
    }

    fn add(&mut self, time: &str, source: Source, mut words: String, dry: Option<Dry>) {
        if words.len() > LONGEST {
            words.truncate(words.floor_char_boundary(LONGEST));
            words.push_str(" (cut)");
        }
        let entry = Entry { time: time.into(), source, words, dry };
        self.bytes += entry.bytes();
        if self.is_filtered() && self.fits(&entry, &self.query(), &mut String::new()) {
            self.shown.push_back(self.dropped + self.entries.len());
        }
        self.entries.push_back(entry);
        while self.entries.len() > MOST_LINES || self.bytes > MOST_BYTES {
            self.drop_first();
        }
        if self.follow {
            self.list.cursor = self.len().saturating_sub(1);
        }
    }

    fn drop_first(&mut self) {
        let Some(first) = self.entries.pop_front() else { return };
        self.bytes -= first.bytes();
        let was_shown = !self.is_filtered() || self.shown.front() == Some(&self.dropped);
        self.dropped += 1;
        if was_shown {
            self.shown.pop_front();
            // The cursor stays on its line.
            self.list.cursor = self.list.cursor.saturating_sub(1);
            self.list.offset = self.list.offset.saturating_sub(1);
        }
    }

    fn is_filtered(&self) -> bool {
        !self.words.is_empty()
    }

    fn query(&self) -> Query {
        Query::typed(&self.words).unwrap_or_default()
    }

    /// Whether a line matches by any of its text. `line` is a buffer.
    fn fits(&self, entry: &Entry, query: &Query, line: &mut String) -> bool {
        let (kind, resource) = (entry.word().0, entry.resource());
        line.clear();
        line.extend([&*entry.time, " ", kind, " ", &*entry.words, entry.mark()]);
        let offered = Offered {
            kind: Some(kind),
            mapped: resource.and_then(|id| Some(id.split_once('[')?.0)),
            resource,
            levels: entry.source.levels(),
            ..Offered::text(line)
        };
        query.fits(&offered)
    }

    /// Applies a filter; the cursor stays on its line, or goes to the next visible one.
    fn narrow(&mut self, words: &str) {
        self.start = self.number().or(self.start);
        self.words = words.to_string();
        self.shown.clear();
        if self.is_filtered() {
            let (query, mut line) = (self.query(), String::new());
            let fitting = self.entries.iter().enumerate().filter(|(_, entry)| self.fits(entry, &query, &mut line));
            self.shown = fitting.map(|(at, _)| self.dropped + at).collect();
        }
        let last = self.len().saturating_sub(1);
        let at = self.start.map(|kept| match self.is_filtered() {
            true => self.shown.partition_point(|shown| *shown < kept),
            false => kept.saturating_sub(self.dropped),
        });
        self.list.cursor = at.unwrap_or(last).min(last);
        // A line that was searched for stays selected: the log does not jump to its end.
        self.follow &= self.list.cursor == last;
    }

    pub fn len(&self) -> usize {
        if self.is_filtered() { self.shown.len() } else { self.entries.len() }
    }

    fn entry(&self, row: usize) -> Option<&Entry> {
        let at = if self.is_filtered() { self.shown.get(row)? - self.dropped } else { row };
        self.entries.get(at)
    }

    /// Why there is no line under the cursor.
    pub fn why_nothing(&self) -> &'static str {
        if self.entries.is_empty() { "no lines yet" } else { "no lines: Esc clears the filter" }
    }

    /// The selected lines, for the clipboard.
    pub fn selected(&self) -> Option<String> {
        self.entry(self.list.cursor).map(|entry| entry.words.clone())
    }

    /// The number of the line under the cursor, which stays valid when lines are dropped.
    pub fn number(&self) -> Option<usize> {
        let row = self.list.cursor;
        let number = if self.is_filtered() { *self.shown.get(row)? } else { self.dropped + row };
        (number < self.dropped + self.entries.len()).then_some(number)
    }

    /// The number of the next line.
    pub fn count(&self) -> usize {
        self.dropped + self.entries.len()
    }

    /// The newest lines with their numbers, the last first.
    pub fn newest(&self, most: usize) -> impl Iterator<Item = (usize, &Entry)> {
        let first = self.dropped;
        self.entries.iter().enumerate().rev().take(most).map(move |(at, entry)| (first + at, entry))
    }

    /// The resource that the line under the cursor names.
    pub fn resource(&self) -> Option<&str> {
        self.entry(self.list.cursor)?.resource()
    }

    /// The visible lines, for a file.
    pub fn text(&self) -> String {
        let lines = (0..self.len()).filter_map(|row| self.entry(row)).map(|entry| entry.line() + "\n");
        lines.collect()
    }
}

pub fn go(tui: &mut Tui, step: Move, count: usize) -> Vec<Effect> {
    let (_, height) = tui.room(Pane::Log);
    let len = tui.log.len();
    tui.log.list.go(step, count, len, height);
    tui.log.follow = tui.log.list.cursor + 1 >= len;
    vec![]
}

/// Selects the row under the mouse.
pub fn click(tui: &mut Tui, row: usize) -> Vec<Effect> {
    let (width, height) = tui.room(Pane::Log);
    let rows = tui.log.rows(width, height, tui);
    if let Some((at, _)) = rows.get(row) {
        tui.log.list.cursor = *at;
        tui.log.follow = at + 1 >= tui.log.len();
    }
    vec![]
}

pub fn act(tui: &mut Tui, action: Action) -> Vec<Effect> {
    match action {
        Action::OnlyThis => {
            let id = tui.log.resource().filter(|_| tui.log.words.is_empty()).map(str::to_string);
            filter(tui, &id.unwrap_or_default());
        }
        Action::Save => {
            let line = CommandLine::new("save workbench.log", tui);
            tui.layers.push(Layer::Command(Box::new(line)));
        }
        Action::Open => {
            if let Some(entry) = tui.log.entry(tui.log.list.cursor) {
                let title = format!("{} {}", entry.time, entry.word().0);
                let lines = entry.words.lines().map(String::from).collect();
                tui.layers.push(Layer::Notice { title, lines });
            }
        }
        _ => {}
    }
    vec![]
}

/// Goes to a line by its number, and clears a filter that hides it; false if it was dropped.
pub fn show(tui: &mut Tui, number: usize) -> bool {
    let state = &mut tui.log;
    let Some(row) = number.checked_sub(state.dropped).filter(|row| *row < state.entries.len()) else { return false };
    state.narrow("");
    (state.list.cursor, state.follow) = (row, false);
    true
}

pub fn filter(tui: &mut Tui, words: &str) {
    tui.log.narrow(words);
}

pub fn clamp(tui: &mut Tui) {
    let (width, height) = tui.room(Pane::Log);
    let len = tui.log.len();
    tui.log.list.clamp(len, height);
    // Wrapped lines take several rows: scrolls until the cursor's line is visible.
    while tui.log.list.offset < tui.log.list.cursor {
        let rows = tui.log.rows(width, height + 1, tui);
        let last = rows.iter().rposition(|(at, _)| *at == tui.log.list.cursor);
        if last.is_some_and(|last| last < height) {
            break;
        }
        tui.log.list.offset += 1;
    }
}

/// The columns of the word for the kind of line.
const WORD: usize = 7;

impl State {
    /// The visible rows, each with its line.
    fn rows(&self, width: usize, height: usize, tui: &Tui) -> Vec<(usize, Line<'static>)> {
        let mut rows = Vec::with_capacity(height);
        for at in self.list.offset..self.len() {
            if rows.len() >= height {
                break;
            }
            let Some(entry) = self.entry(at) else { break };
            rows.extend(self.drawn(entry, width, tui).into_iter().map(|line| (at, line)));
        }
        rows.truncate(height);
        rows
    }

    /// The time as shown, with the gap after it.
    fn time(&self, entry: &Entry) -> String {
        format!("{} ", entry.time)
    }

    /// The highlighted columns of the cursor's row: the time and the kind of line.
    fn marked(&self, row: usize) -> usize {
        self.entry(row).map_or(0, |entry| text::width(&self.time(entry)) + WORD)
    }

    fn drawn(&self, entry: &Entry, width: usize, tui: &Tui) -> Vec<Line<'static>> {
        let (word, role) = entry.word();
        let time = self.time(entry);
        let lead = text::width(&time) + WORD + 1;
        let words = text::safe(&entry.words) + entry.mark();
        let style = if entry.mark().is_empty() { Style::default() } else { tui.look.style(Role::Dim) };
        let mut parts = text::wrap(&words, width.saturating_sub(lead).max(10)).into_iter();
        let first = Line::from(vec![
            Span::styled(time, tui.look.style(Role::Dim)),
            Span::styled(format!("{word:<WORD$}"), tui.look.style(role)),
            Span::raw(" "),
            Span::styled(parts.next().unwrap_or_default(), style),
        ]);
        std::iter::once(first).chain(parts.map(|part| Line::styled(format!("{:lead$}{part}", ""), style))).collect()
    }
}

pub fn view(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let state = &tui.log;
    let mut title = "Log".to_string();
    if !state.words.is_empty() {
        title.push_str(&format!("  /{}", text::safe(&state.words)));
    }
    if state.dropped > 0 {
        title.push_str(&format!("  {} older lines deleted", state.dropped));
    }
    let place = state.list.foot(state.len());
    let foot = if state.follow { format!("following  {place}").trim_end().to_string() } else { place };
    let height = usize::from(area.height.saturating_sub(2));
    let scroll = state.list.extent(state.len(), height);
    let inner = frame::draw(buf, area, &tui.look, &Frame { title: &title, foot: &foot, focused: true, scroll });
    if state.len() == 0 {
        let dim = |words| vec![Line::styled(words, tui.look.style(Role::Dim))];
        let lines = match state.entries.is_empty() {
            true => dim(" No lines yet."),
            false => filter::hides_all(tui, &state.words, (state.entries.len(), "line", "lines")),
        };
        return list::draw_words(buf, inner, &lines);
    }
    let rows = state.rows(usize::from(inner.width), usize::from(inner.height), tui);
    for (y, (at, line)) in rows.iter().enumerate() {
        let row = Rect { y: inner.y + y as u16, height: 1, ..inner };
        text::draw(buf, row.x, row.y, line, row.width);
        if state.list.cursor == *at {
            let marked = (state.marked(*at) as u16).min(row.width);
            buf.set_style(Rect { width: marked, ..row }, tui.look.selection(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_log_is_bounded_and_the_view_follows() {
        let mut log = State { words: "odd".into(), ..State::default() };
        for at in 0..MOST_LINES + 10 {
            log.push("", Source::Run, format!("{} {at}", if at % 2 == 1 { "odd" } else { "even" }));
        }
        assert_eq!((log.entries.len(), log.dropped, log.len()), (MOST_LINES, 10, MOST_LINES / 2));
        assert_eq!(log.entry(0).map(|entry| &*entry.words), Some("odd 11"));
        for _ in 0..3_000 {
            log.push("", Source::Run, "x".repeat(100_000));
        }
        assert!(log.bytes <= MOST_BYTES && log.bytes == log.entries.iter().map(Entry::bytes).sum::<usize>());
        assert_eq!(log.len(), log.shown.len());
    }

    #[test]
    fn all_that_a_line_shows_is_found() {
        let mut log = State::default();
        log.push("12:01:09", Source::Command, "workbench preview .".into());
        log.push("12:01:10", Source::Work, "compiled".into());
        for (words, count) in
            [("command", 1), ("!command", 1), ("12:01", 2), ("12:01:10", 1), ("command preview", 1), ("zzz", 0)]
        {
            log.narrow(words);
            assert_eq!(log.len(), count, "{words}");
        }
        assert_eq!(log.why_nothing(), "no lines: Esc clears the filter");
    }

    #[test]
    fn the_resource_of_a_line_is_found() {
        let mut log = State::default();
        for (words, id) in [
            ("done http:server:file[/a b] in 3ms", Some("http:server:file[/a b]")),
            ("[note] svc[nginx]", Some("svc[nginx]")),
            ("nothing [here", None),
        ] {
            log.push("", Source::Run, words.into());
            assert_eq!(log.resource(), id, "{words}");
        }
    }
}
