//! Log: what happened, with the equivalent command of each action.

pub mod entry;
mod front;

use ratatui::prelude::{Buffer, Line, Rect, Span, Style};

use super::{Beside, Pane, Screen};
use crate::plan::{Offered, Query};
use crate::tui::cx::{Cx, Request};
use crate::tui::list::{ListPane, Rows};
pub use crate::tui::screen::log::entry::State;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, Move};
use crate::tui::{filter, front::Front, keymap::Action, layer::Question, look::Role, widget::text};
use entry::Shown;
pub use entry::{Entry, Lines, Source};

impl Default for State {
    fn default() -> Self {
        Self { list: ListPane::default(), follow: true }
    }
}

impl Rows for Shown {
    /// The number of a line, which stays valid when lines are dropped.
    type Key = usize;

    fn len(&self) -> usize {
        if self.filter.is_some() { self.fitting.len() } else { self.all.len() }
    }

    fn key(&self, at: usize) -> Option<usize> {
        match self.filter {
            Some(_) => self.fitting.get(at).copied(),
            None => (at < self.all.len()).then_some(self.all.start + at),
        }
    }

    /// Its row, or that of the next visible line.
    fn find(&self, number: &usize) -> Option<usize> {
        Some(self.before(*number).min(self.len().checked_sub(1)?))
    }
}

impl Shown {
    /// How many rows show a line before this one.
    fn before(&self, number: usize) -> usize {
        match self.filter {
            Some(_) => self.fitting.partition_point(|shown| *shown < number),
            None => number.saturating_sub(self.all.start),
        }
    }

    /// Adds the new lines, and removes the dropped ones; returns how many of these were shown.
    fn catch_up(&mut self, lines: &Lines) -> usize {
        let (seen, all) = (self.all.end, lines.numbers());
        let gone = self.before(all.start).min(self.len());
        self.fitting.drain(..gone.min(self.fitting.len()));
        self.add_fitting(lines, seen.max(all.start));
        self.all = all;
        gone
    }

    fn narrow(&mut self, words: &str, lines: &Lines) {
        self.filter = (!words.is_empty()).then(|| Query::typed(words).unwrap_or_default());
        self.fitting.clear();
        self.all = lines.numbers();
        self.add_fitting(lines, self.all.start);
    }

    /// Adds the matching lines from a number on.
    fn add_fitting(&mut self, lines: &Lines, from: usize) {
        let Some(query) = &self.filter else { return };
        let mut line = String::new();
        let matches = |number: &usize| lines.get(*number).is_some_and(|entry| fits(entry, query, &mut line));
        self.fitting.extend((from..lines.count()).filter(matches));
    }
}

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

impl State {
    /// Lists the new lines. The cursor stays on its line, or follows the last one.
    pub fn catch_up(&mut self, lines: &Lines) {
        let gone = self.list.rows.catch_up(lines);
        self.list.at.cursor = self.list.at.cursor.saturating_sub(gone);
        self.list.at.offset = self.list.at.offset.saturating_sub(gone);
        if self.follow {
            self.list.at.cursor = self.list.len().saturating_sub(1);
        }
    }

    /// Applies a filter; the cursor stays on its line, or goes to the next visible one.
    fn narrow(&mut self, words: &str, lines: &Lines) {
        self.list.filter(words, |rows, words| rows.narrow(words, lines));
        // A line that was searched for stays selected: the log does not jump to its end.
        self.follow &= self.is_at_end();
    }

    fn is_at_end(&self) -> bool {
        self.list.cursor() + 1 >= self.list.len()
    }

    /// Why there is no line under the cursor.
    pub fn why_nothing(&self) -> &'static str {
        if self.list.rows.all.is_empty() { "no lines yet" } else { "no lines: Esc clears the filter" }
    }

    fn row<'l>(&self, at: usize, lines: &'l Lines) -> Option<&'l Entry> {
        lines.get(self.list.rows.key(at)?)
    }

    pub fn entry<'l>(&self, lines: &'l Lines) -> Option<&'l Entry> {
        self.row(self.list.cursor(), lines)
    }

    /// The resource that the line under the cursor names.
    pub fn resource<'l>(&self, lines: &'l Lines) -> Option<&'l str> {
        self.entry(lines)?.resource()
    }

    /// The visible lines, for a file.
    pub fn text(&self, lines: &Lines) -> String {
        let rows = (0..self.list.len()).filter_map(|at| self.row(at, lines));
        rows.map(|entry| entry.line() + "\n").collect()
    }

    /// The visible rows, each with its line.
    fn rows(&self, width: usize, height: usize, cx: &Cx) -> Vec<(usize, Line<'static>)> {
        let shown = (self.list.at.offset..self.list.len()).map_while(|at| Some((at, self.row(at, &cx.log)?)));
        shown
            .flat_map(|(at, entry)| drawn(entry, width, cx).into_iter().map(move |line| (at, line)))
            .take(height)
            .collect()
    }
}

/// Goes to a line by its number, and clears a filter that hides it; false if it was dropped.
pub fn show(log: &mut State, cx: &Cx, number: usize) -> bool {
    if !cx.log.numbers().contains(&number) {
        return false;
    }
    log.narrow("", &cx.log);
    log.follow = false;
    log.list.select(&number)
}

/// The columns of the word for the kind of line.
const WORD: usize = 7;

fn drawn(entry: &Entry, width: usize, cx: &Cx) -> Vec<Line<'static>> {
    let (word, role) = entry.word();
    let time = format!("{} ", entry.time);
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

impl Screen for State {
    fn view(&self, front: Front<'_>, buf: &mut Buffer, _: Pane, area: Rect) {
        let (cx, dropped) = (front.cx, front.cx.log.numbers().start);
        let mut title = self.list.titled("Log");
        if dropped > 0 {
            title.push_str(&format!("  {dropped} older lines deleted"));
        }
        let place = self.list.foot();
        let foot = if self.follow { format!("following  {place}").trim_end().to_string() } else { place };
        let scroll = self.list.extent(usize::from(area.height.saturating_sub(2)));
        let inner = frame::draw(buf, area, &cx.look, &Frame { title: &title, foot: &foot, focused: true, scroll });
        if self.list.is_empty() {
            let all = self.list.rows.all.len();
            let lines = match all {
                0 => vec![Line::styled(" No lines yet.", cx.look.style(Role::Dim))],
                _ => filter::hides_all(cx, self, self.list.words(), (all, "line", "lines")),
            };
            return list::draw_words(buf, inner, &lines);
        }
        let rows = self.rows(usize::from(inner.width), usize::from(inner.height), cx);
        for (y, (at, line)) in rows.iter().enumerate() {
            let row = Rect { y: inner.y + y as u16, height: 1, ..inner };
            text::draw(buf, row.x, row.y, line, row.width);
            if self.list.cursor() == *at {
                // The time and the kind of line.
                let marked = self.row(*at, &cx.log).map_or(0, |entry| text::width(&entry.time) + 1 + WORD);
                let marked = (marked as u16).min(row.width);
                buf.set_style(Rect { width: marked, ..row }, cx.look.selection(true));
            }
        }
    }

    fn go(&mut self, cx: &mut Cx, _: Beside<'_>, pane: Pane, step: Move, count: usize) {
        self.list.go(step, count, cx.room(pane).1);
        self.follow = self.is_at_end();
    }

    fn click(&mut self, cx: &mut Cx, _: Beside<'_>, pane: Pane, (row, _): (usize, usize)) {
        let (width, height) = cx.room(pane);
        if let Some((at, _)) = self.rows(width, height, cx).get(row) {
            self.list.at.cursor = *at;
            self.follow = self.is_at_end();
        }
    }

    fn act(&mut self, cx: &mut Cx, _: Beside<'_>, action: Action, _: usize) {
        match action {
            Action::OnlyThis => {
                let id = self.resource(&cx.log).filter(|_| self.list.words().is_empty());
                self.narrow(id.unwrap_or_default(), &cx.log);
            }
            Action::Save => cx.request(Request::Type("save workbench.log")),
            Action::Open => {
                if let Some(entry) = self.entry(&cx.log) {
                    let title = format!("{} {}", entry.time, entry.word().0);
                    let lines = entry.words.lines().map(String::from).collect();
                    cx.layers.open.push(Question::report(title, lines).into());
                }
            }
            _ => {}
        }
    }

    fn clamp(&mut self, cx: &mut Cx, _: Beside<'_>) {
        let (width, height) = cx.room(Pane::Log);
        self.list.clamp(height);
        // Wrapped lines take several rows: scrolls until the cursor's line is visible.
        while self.list.at.offset < self.list.cursor() {
            let rows = self.rows(width, height + 1, cx);
            let last = rows.iter().rposition(|(at, _)| *at == self.list.cursor());
            if last.is_some_and(|last| last < height) {
                break;
            }
            self.list.at.offset += 1;
        }
    }

    fn filter(&mut self, cx: &mut Cx, _: Beside<'_>, words: &str) {
        self.narrow(words, &cx.log);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filtered_list_follows_the_log() {
        let (mut log, mut lines) = (State::default(), Lines::default());
        log.narrow("odd", &lines);
        for at in 0..100_010 {
            lines.push("", Source::Run, format!("{} {at}", if at % 2 == 1 { "odd" } else { "even" }));
            if at % 30_000 == 0 {
                log.catch_up(&lines);
            }
        }
        log.catch_up(&lines);
        assert_eq!((log.list.len(), log.list.cursor()), (50_000, 49_999));
        assert_eq!(log.row(0, &lines).map(|entry| &*entry.words), Some("odd 11"));
        log.narrow("", &lines);
        assert_eq!((log.list.len(), log.list.rows.key(0)), (100_000, Some(10)));
    }

    #[test]
    fn all_that_a_line_shows_is_found() {
        let (mut log, mut lines) = (State::default(), Lines::default());
        lines.push("12:01:09", Source::Command, "workbench preview .".into());
        lines.push("12:01:10", Source::Work, "compiled".into());
        for (words, count) in
            [("command", 1), ("!command", 1), ("12:01", 2), ("12:01:10", 1), ("command preview", 1), ("zzz", 0)]
        {
            log.narrow(words, &lines);
            assert_eq!(log.list.len(), count, "{words}");
        }
        assert_eq!(log.why_nothing(), "no lines: Esc clears the filter");
    }
}
