//! Log: what happened, with the equivalent command of each action.

pub mod entry;
mod front;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use rustc_hash::FxHashMap;

use super::Pane;
use crate::graph::ResourceId;
use crate::plan::{Offered, Query};
use crate::tui::cx::Cx;
use crate::tui::cx::Request;
use crate::tui::effect::Effect;
use crate::tui::filter;
use crate::tui::keymap::Action;
use crate::tui::layer::Question;
use crate::tui::list::{ListPane, Rows};
use crate::tui::look::Role;
pub use crate::tui::screen::log::entry::State;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, Move};
use crate::tui::widget::text;
use entry::Lines;
pub use entry::{Dry, Entry, Source};

/// Older lines are dropped to limit the memory.
const MOST_LINES: usize = 100_000;
const MOST_BYTES: usize = 32 << 20;
/// A longer line is cut.
const LONGEST: usize = 16 << 10;

impl Default for State {
    fn default() -> Self {
        Self { list: ListPane::default(), follow: true }
    }
}

impl Rows for Lines {
    /// The number of a line, which stays valid when lines are dropped.
    type Key = usize;

    fn len(&self) -> usize {
        if self.filter.is_some() { self.shown.len() } else { self.entries.len() }
    }

    fn key(&self, at: usize) -> Option<usize> {
        match self.filter {
            Some(_) => self.shown.get(at).copied(),
            None => (at < self.entries.len()).then_some(self.dropped + at),
        }
    }

    /// Its row, or that of the next visible line.
    fn find(&self, number: &usize) -> Option<usize> {
        let at = match self.filter {
            Some(_) => self.shown.partition_point(|shown| shown < number),
            None => number.saturating_sub(self.dropped),
        };
        Some(at.min(self.len().checked_sub(1)?))
    }
}

impl Lines {
    /// Whether a line matches by any of its text. `line` is a buffer.
    fn fits(entry: &Entry, query: &Query, line: &mut String) -> bool {
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

    fn narrow(&mut self, words: &str) {
        self.filter = (!words.is_empty()).then(|| Query::typed(words).unwrap_or_default());
        self.shown.clear();
        if let Some(query) = &self.filter {
            let mut line = String::new();
            let fitting = self.entries.iter().enumerate().filter(|(_, entry)| Self::fits(entry, query, &mut line));
            self.shown = fitting.map(|(at, _)| self.dropped + at).collect();
        }
    }

    fn entry(&self, row: usize) -> Option<&Entry> {
        self.entries.get(self.key(row)? - self.dropped)
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
        let entries = self.list.rows.entries.iter_mut().rev();
        for dry in entries.filter_map(|entry| entry.dry.as_mut()).filter(|dry| dry.run == run) {
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
        let dropped = self.list.rows.dropped;
        for (at, entry) in self.list.rows.entries.iter_mut().enumerate() {
            match entry.dry.as_mut().filter(|dry| !dry.is_taken_back) {
                Some(Dry { resource: Some(resource), .. }) => _ = lines.insert(resource.clone(), dropped + at),
                Some(end) => end.is_taken_back = true,
                None => {}
            }
        }
        lines
    }

    /// A step that has a line ran again. If the result is the same, the line is kept for the new run; else it is marked
    /// as undone.
    pub fn confirm(&mut self, number: usize, words: &str, run: u64) -> bool {
        let lines = &mut self.list.rows;
        let entry = number.checked_sub(lines.dropped).and_then(|at| lines.entries.get_mut(at));
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
        let lines = &mut self.list.rows;
        lines.bytes += entry.bytes();
        if lines.filter.as_ref().is_some_and(|query| Lines::fits(&entry, query, &mut String::new())) {
            lines.shown.push_back(lines.dropped + lines.entries.len());
        }
        lines.entries.push_back(entry);
        while self.list.rows.entries.len() > MOST_LINES || self.list.rows.bytes > MOST_BYTES {
            self.drop_first();
        }
        if self.follow {
            self.list.at.cursor = self.len().saturating_sub(1);
        }
    }

    fn drop_first(&mut self) {
        let lines = &mut self.list.rows;
        let Some(first) = lines.entries.pop_front() else { return };
        lines.bytes -= first.bytes();
        let was_shown = lines.filter.is_none() || lines.shown.front() == Some(&lines.dropped);
        lines.dropped += 1;
        if was_shown {
            lines.shown.pop_front();
            // The cursor stays on its line.
            self.list.at.cursor = self.list.at.cursor.saturating_sub(1);
            self.list.at.offset = self.list.at.offset.saturating_sub(1);
        }
    }

    /// Applies a filter; the cursor stays on its line, or goes to the next visible one.
    fn narrow(&mut self, words: &str) {
        self.list.filter(words, Lines::narrow);
        // A line that was searched for stays selected: the log does not jump to its end.
        self.follow &= self.list.cursor() == self.len().saturating_sub(1);
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Why there is no line under the cursor.
    pub fn why_nothing(&self) -> &'static str {
        if self.list.rows.entries.is_empty() { "no lines yet" } else { "no lines: Esc clears the filter" }
    }

    /// The selected lines, for the clipboard.
    pub fn selected(&self) -> Option<String> {
        self.list.rows.entry(self.list.cursor()).map(|entry| entry.words.clone())
    }

    /// The number of the next line.
    pub fn count(&self) -> usize {
        self.list.rows.dropped + self.list.rows.entries.len()
    }

    /// The newest lines with their numbers, the last first.
    pub fn newest(&self, most: usize) -> impl Iterator<Item = (usize, &Entry)> {
        let first = self.list.rows.dropped;
        self.list.rows.entries.iter().enumerate().rev().take(most).map(move |(at, entry)| (first + at, entry))
    }

    /// The resource that the line under the cursor names.
    pub fn resource(&self) -> Option<&str> {
        self.list.rows.entry(self.list.cursor())?.resource()
    }

    /// The visible lines, for a file.
    pub fn text(&self) -> String {
        let lines = (0..self.len()).filter_map(|row| self.list.rows.entry(row)).map(|entry| entry.line() + "\n");
        lines.collect()
    }
}

pub fn go(cx: &mut Cx, step: Move, count: usize) -> Vec<Effect> {
    let (_, height) = cx.room(Pane::Log);
    cx.log.list.go(step, count, height);
    cx.log.follow = cx.log.list.cursor() + 1 >= cx.log.len();
    vec![]
}

/// Selects the row under the mouse.
pub fn click(cx: &mut Cx, row: usize) -> Vec<Effect> {
    let (width, height) = cx.room(Pane::Log);
    let rows = cx.log.rows(width, height, cx);
    if let Some((at, _)) = rows.get(row) {
        cx.log.list.at.cursor = *at;
        cx.log.follow = at + 1 >= cx.log.len();
    }
    vec![]
}

pub fn act(cx: &mut Cx, action: Action) -> Vec<Effect> {
    match action {
        Action::OnlyThis => {
            let id = cx.log.resource().filter(|_| cx.log.list.words().is_empty()).map(str::to_string);
            filter(cx, &id.unwrap_or_default());
        }
        Action::Save => {
            cx.request(Request::Type("save workbench.log"));
        }
        Action::Open => {
            if let Some(entry) = cx.log.list.rows.entry(cx.log.list.cursor()) {
                let title = format!("{} {}", entry.time, entry.word().0);
                let lines = entry.words.lines().map(String::from).collect();
                cx.layers.open.push(Question::report(title, lines).into());
            }
        }
        _ => {}
    }
    vec![]
}

/// Goes to a line by its number, and clears a filter that hides it; false if it was dropped.
pub fn show(cx: &mut Cx, number: usize) -> bool {
    let state = &mut cx.log;
    if number < state.list.rows.dropped || number >= state.count() {
        return false;
    }
    state.narrow("");
    state.follow = false;
    state.list.select(&number)
}

pub fn filter(cx: &mut Cx, words: &str) {
    cx.log.narrow(words);
}

pub fn clamp(cx: &mut Cx) {
    let (width, height) = cx.room(Pane::Log);
    cx.log.list.clamp(height);
    // Wrapped lines take several rows: scrolls until the cursor's line is visible.
    while cx.log.list.at.offset < cx.log.list.cursor() {
        let rows = cx.log.rows(width, height + 1, cx);
        let last = rows.iter().rposition(|(at, _)| *at == cx.log.list.cursor());
        if last.is_some_and(|last| last < height) {
            break;
        }
        cx.log.list.at.offset += 1;
    }
}

/// The columns of the word for the kind of line.
const WORD: usize = 7;

impl State {
    /// The visible rows, each with its line.
    fn rows(&self, width: usize, height: usize, cx: &Cx) -> Vec<(usize, Line<'static>)> {
        let mut rows = Vec::with_capacity(height);
        for at in self.list.at.offset..self.len() {
            if rows.len() >= height {
                break;
            }
            let Some(entry) = self.list.rows.entry(at) else { break };
            rows.extend(self.drawn(entry, width, cx).into_iter().map(|line| (at, line)));
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
        self.list.rows.entry(row).map_or(0, |entry| text::width(&self.time(entry)) + WORD)
    }

    fn drawn(&self, entry: &Entry, width: usize, cx: &Cx) -> Vec<Line<'static>> {
        let (word, role) = entry.word();
        let time = self.time(entry);
        let lead = text::width(&time) + WORD + 1;
        let words = text::safe(&entry.words) + entry.mark();
        let style = if entry.mark().is_empty() { Style::default() } else { cx.look.style(Role::Dim) };
        let mut parts = text::wrap(&words, width.saturating_sub(lead).max(10)).into_iter();
        let first = Line::from(vec![
            Span::styled(time, cx.look.style(Role::Dim)),
            Span::styled(format!("{word:<WORD$}"), cx.look.style(role)),
            Span::raw(" "),
            Span::styled(parts.next().unwrap_or_default(), style),
        ]);
        std::iter::once(first).chain(parts.map(|part| Line::styled(format!("{:lead$}{part}", ""), style))).collect()
    }
}

pub fn view(cx: &Cx, buf: &mut Buffer, area: Rect) {
    let state = &cx.log;
    let lines = &state.list.rows;
    let mut title = state.list.titled("Log");
    if lines.dropped > 0 {
        title.push_str(&format!("  {} older lines deleted", lines.dropped));
    }
    let place = state.list.foot();
    let foot = if state.follow { format!("following  {place}").trim_end().to_string() } else { place };
    let scroll = state.list.extent(usize::from(area.height.saturating_sub(2)));
    let inner = frame::draw(buf, area, &cx.look, &Frame { title: &title, foot: &foot, focused: true, scroll });
    if state.len() == 0 {
        let dim = |words| vec![Line::styled(words, cx.look.style(Role::Dim))];
        let lines = match lines.entries.is_empty() {
            true => dim(" No lines yet."),
            false => filter::hides_all(cx, state, state.list.words(), (lines.entries.len(), "line", "lines")),
        };
        return list::draw_words(buf, inner, &lines);
    }
    let rows = state.rows(usize::from(inner.width), usize::from(inner.height), cx);
    for (y, (at, line)) in rows.iter().enumerate() {
        let row = Rect { y: inner.y + y as u16, height: 1, ..inner };
        text::draw(buf, row.x, row.y, line, row.width);
        if state.list.cursor() == *at {
            let marked = (state.marked(*at) as u16).min(row.width);
            buf.set_style(Rect { width: marked, ..row }, cx.look.selection(true));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_log_is_bounded_and_the_view_follows() {
        let mut log = State::default();
        log.narrow("odd");
        for at in 0..MOST_LINES + 10 {
            log.push("", Source::Run, format!("{} {at}", if at % 2 == 1 { "odd" } else { "even" }));
        }
        let lines = &log.list.rows;
        assert_eq!((lines.entries.len(), lines.dropped, log.len()), (MOST_LINES, 10, MOST_LINES / 2));
        assert_eq!(lines.entry(0).map(|entry| &*entry.words), Some("odd 11"));
        for _ in 0..3_000 {
            log.push("", Source::Run, "x".repeat(100_000));
        }
        let lines = &log.list.rows;
        assert!(lines.bytes <= MOST_BYTES && lines.bytes == lines.entries.iter().map(Entry::bytes).sum::<usize>());
        assert_eq!(log.len(), lines.shown.len());
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
