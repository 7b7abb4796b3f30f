//! The last lines of what runs tell, below the run itself. Screen 6 has all that was.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tui::look::Role;
use crate::tui::screen::Pane;
use crate::tui::screen::log::{Entry, Source};
use crate::tui::state::State as Tui;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};
use crate::tui::widget::text;

/// What runs told is looked for among so many lines of the log.
const RECENT: usize = 1000;

/// What the pane remembers.
#[derive(Debug, Default)]
pub struct State {
    /// The number, in the log, of the line at the bottom; the newest where one does not look back.
    last: Option<usize>,
}

impl State {
    /// How many of the lines come up to the one at the bottom, of those with these numbers, oldest first.
    fn shown(&self, numbers: impl Iterator<Item = usize>) -> usize {
        let last = self.last.unwrap_or(usize::MAX);
        numbers.take_while(|number| *number <= last).count()
    }
}

/// What runs told of late, oldest first, with the numbers of the lines in the log.
///
/// Of dry runs only what holds: a step that was taken back is out of the overlay, and so is all of a run that another replaced.
/// Screen 6 keeps them, and says so. What was done on this machine stays.
fn lines(tui: &Tui) -> Vec<(usize, &Entry)> {
    let holds = |entry: &Entry| entry.dry.as_ref().is_none_or(|dry| dry.run == tui.step.run && !dry.is_taken_back);
    let is_told = |(_, entry): &(usize, &Entry)| {
        matches!(entry.source, Source::Run | Source::Failure | Source::Problem) && holds(entry)
    };
    let mut lines: Vec<_> = tui.log.newest(RECENT).filter(is_told).collect();
    lines.reverse();
    lines
}

/// Looks back, and on again; at the end the newest line is followed.
pub(super) fn go(tui: &mut Tui, step: Move, count: usize, height: usize) {
    let numbers: Vec<usize> = lines(tui).iter().map(|(number, _)| *number).collect();
    let end = tui.step.said.shown(numbers.iter().copied()).max(height);
    let mut list = List { offset: end - height, cursor: end - height };
    list.scroll(step, count, numbers.len(), height);
    let end = list.offset + height;
    tui.step.said.last = if end < numbers.len() { numbers.get(end - 1).copied() } else { None };
}

pub(super) fn view(tui: &Tui, buf: &mut Buffer, area: Rect) {
    let look = &tui.look;
    let (lines, height) = (lines(tui), usize::from(area.height.saturating_sub(2)));
    let end = tui.step.said.shown(lines.iter().map(|(number, _)| *number)).max(height.min(lines.len()));
    let first = end.saturating_sub(height);
    let foot = if end < lines.len() { format!("{end} of {}", lines.len()) } else { String::new() };
    let (focused, scroll) = (tui.focus() == Pane::Said, Some((first, height, lines.len())));
    let inner = frame::draw(buf, area, look, &Frame { title: "Log", foot: &foot, focused, scroll });
    if lines.is_empty() {
        let words = "Run output appears here. Press 6 for the full log.";
        return list::draw_words(buf, inner, &[Line::styled(words, look.style(Role::Dim))]);
    }
    let shown = lines[first..end].iter().map(|(_, entry)| line(tui, entry, usize::from(inner.width)));
    list::draw_text(buf, inner, 0, &shown.collect::<Vec<_>>());
}

fn line(tui: &Tui, entry: &Entry, width: usize) -> Line<'static> {
    let look = &tui.look;
    let time = format!("{} ", entry.time);
    let words = text::safe(&entry.words);
    let words = text::fit(&words, width.saturating_sub(text::width(&time)), look.glyphs.cut).into_owned();
    let role = if entry.source == Source::Problem { Role::Error } else { Role::Text };
    Line::from(vec![Span::styled(time, look.style(Role::Dim)), Span::styled(words, look.style(role))])
}
