//! The last lines of run output, below the run. Screen 6 has the whole log.

use crate::tui::{cx::Cx, screen::Pane, screen::step::PlanScreen, widget::text};
use ratatui::prelude::{Buffer, Line, Rect, Span};

use crate::tui::look::{Look, Role};
use crate::tui::screen::log::{Entry, Source};
pub use crate::tui::screen::step::data::Output as State;
use crate::tui::widget::frame::{self, Frame};
use crate::tui::widget::list::{self, List, Move};

/// How many of the newest log lines are searched for run output.
const RECENT: usize = 1000;

impl State {
    /// How many of the lines, given their numbers oldest first, are not after the bottom one.
    fn shown(&self, numbers: impl Iterator<Item = usize>) -> usize {
        let last = self.last.unwrap_or(usize::MAX);
        numbers.take_while(|number| *number <= last).count()
    }
}

/// The recent output of runs, oldest first, with log numbers.
///
/// Dry runs are shown as far as they are valid: an undone step is out of the overlay, and so is a replaced run. Screen
/// 6 keeps them, marked as undone. Live runs are always shown.
fn lines<'c>(screen: &PlanScreen, cx: &'c Cx) -> Vec<(usize, &'c Entry)> {
    let holds = |entry: &Entry| entry.dry.as_ref().is_none_or(|dry| dry.run == screen.run && !dry.is_undone);
    let is_output = |(_, entry): &(usize, &Entry)| {
        matches!(entry.source, Source::Run | Source::Failure | Source::Problem) && holds(entry)
    };
    let mut lines: Vec<_> = cx.log.newest(RECENT).filter(is_output).collect();
    lines.reverse();
    lines
}

/// Scrolls back and forward; at the end the newest line is followed.
pub(super) fn go(screen: &mut PlanScreen, cx: &mut Cx, step: Move, count: usize, height: usize) {
    let numbers: Vec<usize> = lines(screen, cx).iter().map(|(number, _)| *number).collect();
    let end = screen.shows.output.shown(numbers.iter().copied()).max(height);
    let mut list = List { offset: end - height, cursor: end - height };
    list.scroll(step, count, numbers.len(), height);
    let end = list.offset + height;
    screen.shows.output.last = if end < numbers.len() { numbers.get(end - 1).copied() } else { None };
}

pub(super) fn view(screen: &PlanScreen, cx: &Cx, buf: &mut Buffer, area: Rect) {
    let look = &cx.look;
    let (lines, height) = (lines(screen, cx), usize::from(area.height.saturating_sub(2)));
    let end = screen.shows.output.shown(lines.iter().map(|(number, _)| *number)).max(height.min(lines.len()));
    let first = end.saturating_sub(height);
    let foot = if end < lines.len() { format!("{end} of {}", lines.len()) } else { String::new() };
    let (focused, scroll) = (cx.focus() == Pane::Output, Some((first, height, lines.len())));
    let inner = frame::draw(buf, area, look, &Frame { title: "Log", foot: &foot, focused, scroll });
    if lines.is_empty() {
        let words = "Run output appears here. Press 6 for the full log.";
        return list::draw_words(buf, inner, &[Line::styled(words, look.style(Role::Dim))]);
    }
    let shown = lines[first..end].iter().map(|(_, entry)| line(&cx.look, entry, usize::from(inner.width)));
    list::draw_text(buf, inner, 0, &shown.collect::<Vec<_>>());
}

fn line(look: &Look, entry: &Entry, width: usize) -> Line<'static> {
    let time = format!("{} ", entry.time);
    let words = text::safe(&entry.words);
    let words = text::fit(&words, width.saturating_sub(text::width(&time)), look.glyphs.cut).into_owned();
    let role = if entry.source == Source::Problem { Role::Error } else { Role::Text };
    Line::from(vec![Span::styled(time, look.style(Role::Dim)), Span::styled(words, look.style(role))])
}
