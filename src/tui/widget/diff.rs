//! A diff of two texts, with the differing words of each line; one below the other, or side by side.
//!
//! Texts are compared once ([`Diff::new`]) and kept in a [`Cache`]. Runs of equal lines stay runs, and a frame builds
//! only the lines of its window, so that its cost does not depend on the length of the texts.

mod cache;
mod words;

use std::{borrow::Cow, ops::Range, sync::Arc, time::Duration};

use ratatui::prelude::{Line, Span, Style};
use similar::{DiffOp, TextDiff};

use crate::plan::unshown::is_placeholder;

use self::words::{Pieces, crop, words};
use super::text;
use crate::tui::look::{Look, Role};
pub use cache::Cache;

/// Shorter texts are compared at once; a worker compares longer ones, because they would delay a key.
const AT_ONCE: usize = 8 * 1024;
/// Longer texts among other lines are shown as sizes.
const AMONG_OTHERS: usize = 64 * 1024;
/// Longer texts are shown as sizes.
const LIMIT: usize = 8 * 1024 * 1024;
/// A longer comparison gets coarser.
const PATIENCE: Duration = Duration::from_millis(4);
/// The same for long texts on a worker.
const LONG_PATIENCE: Duration = Duration::from_millis(500);
/// Longer lines are not compared word by word.
const WORDS_LIMIT: usize = 4 * 1024;
/// Equal lines around a difference.
const CONTEXT: usize = 2;
/// Two columns that are narrower show too little of each line.
const SIDE_BY_SIDE: usize = 60;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Old text on the left, new text on the right, if there is room for both.
    pub side_by_side: bool,
    /// Shows the equal lines too.
    pub whole: bool,
}

impl View {
    /// Whether this width has room for two columns.
    pub fn has_room(width: usize) -> bool {
        width >= SIDE_BY_SIDE
    }

    /// The view that fits into this width.
    fn in_width(self, width: usize) -> View {
        View { side_by_side: self.side_by_side && View::has_room(width), ..self }
    }
}

/// A text and the start of each line.
#[derive(Debug)]
struct Lines {
    text: Arc<str>,
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: Arc<str>) -> Self {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        // A text that ends with a line break has no further line after it.
        starts.pop_if(|last| *last == text.len());
        Self { text, starts }
    }

    fn line(&self, at: usize) -> &str {
        let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
        self.starts.get(at).map_or("", |start| &self.text[*start..end])
    }

    fn all(&self) -> Vec<&str> {
        (0..self.starts.len()).map(|at| self.line(at)).collect()
    }

    /// As drawn.
    fn clean(&self, at: usize) -> String {
        text::content(&self.widened(at))
    }

    /// The same with every invisible character shown.
    fn exact(&self, at: usize) -> String {
        text::safe(&self.widened(at))
    }

    fn widened(&self, at: usize) -> Cow<'_, str> {
        text::widen_tabs(self.line(at).trim_end_matches(['\n', '\r']))
    }
}

/// A run of lines. Positions count lines from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Run {
    /// Equal lines.
    Same { from: usize, to: usize, len: usize },
    /// Equal lines that are hidden, unless all are shown.
    Fold { from: usize, to: usize, len: usize },
    /// Lines that were removed and lines that were added.
    Differs { from: usize, gone: usize, to: usize, new: usize },
}

impl Run {
    fn rows(self, view: View) -> usize {
        match self {
            Run::Same { len, .. } => len,
            Run::Fold { len, .. } if view.whole => len,
            Run::Fold { .. } => 1,
            Run::Differs { gone, new, .. } if view.side_by_side => gone.max(new),
            Run::Differs { gone, new, .. } => gone + new,
        }
    }
}

#[derive(Debug)]
pub struct Diff {
    from: Lines,
    to: Lines,
    runs: Vec<Run>,
    /// A note below the diff.
    note: Option<String>,
}

impl Diff {
    /// Compares two texts line by line.
    pub fn new(from: Arc<str>, to: Arc<str>) -> Diff {
        let patience = if from.len().max(to.len()) > AT_ONCE { LONG_PATIENCE } else { PATIENCE };
        Self::within(patience, from, to)
    }

    /// The same, coarser if it takes longer.
    fn within(patience: Duration, from: Arc<str>, to: Arc<str>) -> Diff {
        let (from, to) = (Lines::new(from), Lines::new(to));
        if from.text.len().max(to.text.len()) > LIMIT {
            let note = format!("too long to compare ({} and {} bytes)", from.text.len(), to.text.len());
            return Diff { from, to, runs: vec![], note: Some(note) };
        }
        let (old, new) = (from.all(), to.all());
        let ops = TextDiff::configure().timeout(patience).diff_slices(&old, &new).ops().to_vec();
        let mut runs: Vec<Run> = Vec::new();
        for (at, op) in ops.iter().enumerate() {
            let (was, is) = (op.old_range(), op.new_range());
            match op {
                DiffOp::Equal { .. } => {
                    push_equal(&mut runs, was.start, is.start, was.len(), (at > 0, at + 1 < ops.len()));
                }
                _ => match runs.last_mut() {
                    Some(Run::Differs { gone, new, .. }) => (*gone, *new) = (*gone + was.len(), *new + is.len()),
                    _ => runs.push(Run::Differs { from: was.start, gone: was.len(), to: is.start, new: is.len() }),
                },
            }
        }
        let breaks = from.text.ends_with('\n') != to.text.ends_with('\n');
        let is_text = |side: &Lines| !side.text.is_empty() && !is_placeholder(&side.text);
        let note = (breaks && is_text(&from) && is_text(&to)).then(|| {
            let which = if to.text.ends_with('\n') { "gains" } else { "loses" };
            format!("the last line {which} its newline")
        });
        drop((old, new));
        Diff { from, to, runs, note }
    }

    /// How many rows it takes in this width.
    pub fn len(&self, view: View, width: usize) -> usize {
        let view = view.in_width(width);
        self.runs.iter().map(|run| run.rows(view)).sum::<usize>() + usize::from(self.note.is_some())
    }

    /// Some of its rows.
    pub fn window(&self, view: View, rows: Range<usize>, width: usize, look: &Look) -> Vec<Line<'static>> {
        let view = view.in_width(width);
        let draw = Draw { diff: self, view, width, look };
        let (mut lines, mut above) = (Vec::new(), 0);
        for run in &self.runs {
            let (first, len) = (above, run.rows(view));
            above += len;
            if first >= rows.end {
                break;
            }
            let shown = rows.start.max(first)..rows.end.min(above);
            lines.extend(shown.map(|row| draw.row(*run, row - first)));
        }
        if let Some(note) = self.note.as_ref().filter(|_| rows.contains(&above)) {
            lines.push(Line::styled(note.clone(), look.style(Role::Dim)));
        }
        lines
    }
}

/// Keeps the lines next to a difference, and folds the rest if that saves rows.
fn push_equal(runs: &mut Vec<Run>, from: usize, to: usize, len: usize, (before, after): (bool, bool)) {
    let (head, tail) = (if before { CONTEXT } else { 0 }, if after { CONTEXT } else { 0 });
    let folded = len.saturating_sub(head + tail);
    if folded < 2 {
        runs.push(Run::Same { from, to, len });
        return;
    }
    let parts = [
        Run::Same { from, to, len: head },
        Run::Fold { from: from + head, to: to + head, len: folded },
        Run::Same { from: from + head + folded, to: to + head + folded, len: tail },
    ];
    runs.extend(parts.into_iter().filter(|run| !matches!(run, Run::Same { len: 0, .. })));
}

struct Draw<'a> {
    diff: &'a Diff,
    view: View,
    width: usize,
    look: &'a Look,
}

impl Draw<'_> {
    fn row(&self, run: Run, row: usize) -> Line<'static> {
        match run {
            Run::Same { to, .. } => self.same(to + row),
            Run::Fold { to, .. } if self.view.whole => self.same(to + row),
            Run::Fold { from, to, len } => {
                let arrow = self.look.glyphs.arrow;
                let words = format!("@@ {len} equal lines, line {} {arrow} {} @@", from + len + 1, to + len + 1);
                let is_last = to + len == self.diff.to.starts.len();
                let words = if is_last { format!("@@ {len} equal lines @@") } else { words };
                Line::styled(text::fit(&words, self.width, "").into_owned(), self.look.style(Role::Dim))
            }
            Run::Differs { from, gone, to, new } if self.view.side_by_side => {
                let (old, come) = ((row < gone).then_some(from + row), (row < new).then_some(to + row));
                let (left, right) = self.pair(old, come);
                let (left_room, right_room) = self.rooms();
                let mut spans = match old {
                    Some(_) => self.marked("- ", &left, Role::Gone, left_room),
                    None => vec![],
                };
                pad(&mut spans, left_room);
                spans.push(self.middle());
                if come.is_some() {
                    spans.extend(self.marked("+ ", &right, Role::New, right_room));
                }
                Line::from(spans)
            }
            Run::Differs { from, gone, to, new } => match row.checked_sub(gone) {
                None => {
                    let (pieces, _) = self.pair(Some(from + row), (row < new).then_some(to + row));
                    Line::from(self.marked("- ", &pieces, Role::Gone, self.width))
                }
                Some(at) => {
                    let (_, pieces) = self.pair((at < gone).then_some(from + at), Some(to + at));
                    Line::from(self.marked("+ ", &pieces, Role::New, self.width))
                }
            },
        }
    }

    /// A line that both texts have.
    fn same(&self, at: usize) -> Line<'static> {
        let pieces = vec![(false, self.diff.to.clean(at))];
        let plain = self.look.style(Role::Text);
        if !self.view.side_by_side {
            return Line::from(self.spans("  ", &pieces, (plain, plain), self.width));
        }
        let (left_room, right_room) = self.rooms();
        let mut spans = self.spans("  ", &pieces, (plain, plain), left_room);
        pad(&mut spans, left_room);
        spans.push(self.middle());
        spans.extend(self.spans("  ", &pieces, (plain, plain), right_room));
        Line::from(spans)
    }

    /// The columns of each side.
    fn rooms(&self) -> (usize, usize) {
        let left = self.width.saturating_sub(1) / 2;
        (left, self.width.saturating_sub(1 + left))
    }

    fn middle(&self) -> Span<'static> {
        Span::styled(self.look.glyphs.vertical, self.look.style(Role::Border))
    }

    /// The pieces of an old line and of the new one in its place, with their differences.
    fn pair(&self, old: Option<usize>, new: Option<usize>) -> (Pieces, Pieces) {
        let drawn = |line: fn(&Lines, usize) -> String| {
            let side = |lines: &Lines, at: Option<usize>| at.map(|at| line(lines, at)).unwrap_or_default();
            (side(&self.diff.from, old), side(&self.diff.to, new))
        };
        let (mut from, mut to) = drawn(Lines::clean);
        if from == to {
            (from, to) = drawn(Lines::exact);
        }
        if old.is_none() || new.is_none() || from.len().max(to.len()) > WORDS_LIMIT {
            return (vec![(false, from)], vec![(false, to)]);
        }
        words(&from, &to)
    }

    fn marked(&self, mark: &'static str, pieces: &Pieces, role: Role, room: usize) -> Vec<Span<'static>> {
        self.spans(mark, pieces, (self.look.style(role), self.look.changed_word(role)), room)
    }

    fn spans(&self, mark: &'static str, pieces: &Pieces, styles: (Style, Style), room: usize) -> Vec<Span<'static>> {
        let (plain, differs) = styles;
        let pieces = crop(pieces, room.saturating_sub(text::width(mark)), self.look.glyphs.cut);
        let mut spans = vec![Span::styled(mark, plain)];
        spans.extend(pieces.into_iter().map(|(is_changed, piece)| {
            let style = if is_changed { differs } else { plain };
            Span::styled(piece, style)
        }));
        spans
    }
}

fn pad(spans: &mut Vec<Span<'static>>, room: usize) {
    let used: usize = spans.iter().map(Span::width).sum();
    spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
}

/// A whole diff among other lines; of long texts only their sizes.
pub fn lines(from: &str, to: &str, view: View, width: usize, look: &Look) -> Vec<Line<'static>> {
    if from.len().max(to.len()) > AMONG_OTHERS {
        let words = format!("too long to compare here ({} and {} bytes)", from.len(), to.len());
        return vec![Line::styled(words, look.style(Role::Dim))];
    }
    let diff = Diff::within(PATIENCE, from.into(), to.into());
    diff.window(view, 0..usize::MAX, width, look)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::highlight::Theme;
    use crate::tui::look::ASCII;

    fn drawn(from: &str, to: &str, view: View, width: usize) -> Vec<String> {
        let look = Look::new(Theme::built_in("mono").expect("compiled in"), &ASCII);
        lines(from, to, view, width, &look).iter().map(|line| line.to_string().trim_end().to_string()).collect()
    }

    const UNIFIED: View = View { side_by_side: false, whole: false };
    const SIDES: View = View { side_by_side: true, whole: false };

    #[test]
    fn equal_runs_are_folded() {
        let text = |middle: &str| -> String {
            (0..20).map(|n| if n == 10 { format!("{middle}\n") } else { format!("{n}\n") }).collect()
        };
        let (from, to) = (text("a"), text("b"));
        let folded = drawn(&from, &to, UNIFIED, 80);
        let wanted =
            ["@@ 8 equal lines, line 9 -> 9 @@", "  8", "  9", "- a", "+ b", "  11", "  12", "@@ 7 equal lines @@"];
        assert_eq!(folded, wanted);
        let whole = View { whole: true, ..UNIFIED };
        assert_eq!(drawn(&from, &to, whole, 80).len(), 21);
        assert_eq!(drawn(&from, &to, SIDES, 80)[3].split('|').map(str::trim).collect::<Vec<_>>(), ["- a", "+ b"]);
        // There is no room for two columns.
        assert_eq!(drawn(&from, &to, SIDES, 50), folded);
    }

    /// A window of rows is that part of all rows, in every view.
    #[test]
    fn windows_are_parts_of_the_whole() {
        let look = Look::new(Theme::built_in("mono").expect("compiled in"), &ASCII);
        let from: String = (0..300).map(|n| format!("line {n}\n")).collect();
        let to = from.replace("line 7", "other 7").replace("line 100\n", "") + "more";
        let diff = Diff::new(from.into(), to.into());
        for (side_by_side, whole) in [(false, false), (false, true), (true, false), (true, true)] {
            let view = View { side_by_side, whole };
            let all = diff.window(view, 0..usize::MAX, 100, &look);
            assert_eq!(all.len(), diff.len(view, 100));
            for start in (0..all.len()).step_by(7) {
                let end = (start + 13).min(all.len());
                assert_eq!(diff.window(view, start..start + 13, 100, &look), all[start..end], "{start} {view:?}");
            }
        }
    }

    #[test]
    fn ends_and_strange_breaks_are_reported() {
        assert_eq!(drawn("", "", UNIFIED, 80), Vec::<String>::new());
        assert_eq!(drawn("x", "x\n", UNIFIED, 80).last().map(String::as_str), Some("the last line gains its newline"));
        assert_eq!(drawn("a\rb\n", "a\rc\rd\n", UNIFIED, 80).len(), 2);
        let binary = "(4 bytes, sha256 0a1b2c3d4e5f...)";
        assert_eq!(drawn(binary, "a\nb\n", UNIFIED, 80), [&format!("- {binary}"), "+ a", "+ b"]);
    }

    /// Joined emoji take the same columns everywhere; if nothing else differs, the joiners are named.
    #[test]
    fn joined_emoji_are_side_by_side() {
        let (family, three) = ("all 👩\u{200d}👩\u{200d}👧 here\n", "all 👩👩👧 here\n");
        assert_eq!(drawn(family, "none\n", UNIFIED, 80), ["- all 👩👩👧 here", "+ none"]);
        let named = "- all 👩\\u{200d}👩\\u{200d}👧 here";
        assert_eq!(drawn(family, three, UNIFIED, 80), [named, "+ all 👩👩👧 here"]);
    }

    /// A difference is visible however long the line.
    #[test]
    fn long_lines_are_cut_around_the_difference() {
        let long = |end: &str| format!("{} {end} {}\n", "same ".repeat(40), "tail ".repeat(40));
        for view in [UNIFIED, SIDES] {
            let rows = drawn(&long("two"), &long("four"), view, 70).join("\n");
            assert!(rows.contains("two") && rows.contains("four"), "{rows}");
            assert!(rows.lines().all(|row| text::width(row) <= 70), "{rows}");
        }
    }
}
