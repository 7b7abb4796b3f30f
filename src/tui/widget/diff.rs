//! Two texts side by side in one column: what goes, what comes, and which words of a line differ.

use std::time::Duration;

use ratatui::text::{Line, Span};
use similar::{DiffOp, TextDiff};

use super::text;
use crate::tui::look::{Look, Role};

/// Longer texts are told by their sizes: comparing them would hold up a key.
const LIMIT: usize = 64 * 1024;
/// The comparison gets coarser rather than slower than this.
const PATIENCE: Duration = Duration::from_millis(4);
const CONTEXT: usize = 2;

/// One line of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// Where a run of equal lines was left out.
    Hunk {
        from: usize,
        to: usize,
    },
    Same(String),
    /// Pieces, and whether each is what differs.
    Gone(Vec<(bool, String)>),
    New(Vec<(bool, String)>),
    Note(String),
}

/// Compares two texts line by line.
pub fn compare(from: &str, to: &str) -> Vec<DiffLine> {
    if from.len() > LIMIT || to.len() > LIMIT {
        return vec![DiffLine::Note(format!(
            "{} bytes become {} bytes; too long to compare here",
            from.len(),
            to.len()
        ))];
    }
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(from, to);
    let (old, new): (Vec<&str>, Vec<&str>) = (from.split_inclusive('\n').collect(), to.split_inclusive('\n').collect());
    let mut lines = Vec::new();
    for group in diff.grouped_ops(CONTEXT) {
        if let Some(first) = group.first().filter(|op| op.old_range().start + op.new_range().start > 0) {
            lines.push(DiffLine::Hunk { from: first.old_range().start + 1, to: first.new_range().start + 1 });
        }
        for op in group {
            push_op(&mut lines, op, &old, &new);
        }
    }
    if from.ends_with('\n') != to.ends_with('\n') && !from.is_empty() && !to.is_empty() {
        let which = if to.ends_with('\n') { "gains" } else { "loses" };
        lines.push(DiffLine::Note(format!("the last line {which} its line break")));
    }
    lines
}

fn push_op(lines: &mut Vec<DiffLine>, op: DiffOp, old: &[&str], new: &[&str]) {
    let (gone, come) = (&old[op.old_range()], &new[op.new_range()]);
    match op {
        DiffOp::Equal { .. } => lines.extend(come.iter().map(|line| DiffLine::Same(clean(line)))),
        DiffOp::Delete { .. } => lines.extend(gone.iter().map(|line| DiffLine::Gone(vec![(false, clean(line))]))),
        DiffOp::Insert { .. } => lines.extend(come.iter().map(|line| DiffLine::New(vec![(false, clean(line))]))),
        DiffOp::Replace { .. } => {
            let pairs: Vec<_> = gone.iter().zip(come).map(|(a, b)| words(&clean(a), &clean(b))).collect();
            let (mut before, mut after): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            before.extend(gone.iter().skip(come.len()).map(|line| vec![(false, clean(line))]));
            after.extend(come.iter().skip(gone.len()).map(|line| vec![(false, clean(line))]));
            lines.extend(before.into_iter().map(DiffLine::Gone));
            lines.extend(after.into_iter().map(DiffLine::New));
        }
    }
}

type Pieces = Vec<(bool, String)>;

/// The pieces of two lines, and which of them differ.
fn words(from: &str, to: &str) -> (Pieces, Pieces) {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(from, to);
    let (mut gone, mut new) = (Pieces::new(), Pieces::new());
    for change in diff.iter_all_changes() {
        match change.tag() {
            similar::ChangeTag::Equal => {
                push_piece(&mut gone, false, change.value());
                push_piece(&mut new, false, change.value());
            }
            similar::ChangeTag::Delete => push_piece(&mut gone, true, change.value()),
            similar::ChangeTag::Insert => push_piece(&mut new, true, change.value()),
        }
    }
    (gone, new)
}

fn push_piece(pieces: &mut Pieces, differs: bool, piece: &str) {
    match pieces.last_mut() {
        Some((same, there)) if *same == differs => there.push_str(piece),
        _ => pieces.push((differs, piece.to_string())),
    }
}

fn clean(line: &str) -> String {
    text::safe(&text::widen_tabs(line.trim_end_matches(['\n', '\r'])))
}

/// A comparison as lines to draw.
pub fn lines(diff: &[DiffLine], look: &Look) -> Vec<Line<'static>> {
    diff.iter()
        .map(|line| match line {
            DiffLine::Hunk { from, to } => {
                Line::styled(format!("@@ line {from} {} {to} @@", look.glyphs.arrow), look.style(Role::Dim))
            }
            DiffLine::Same(line) => Line::raw(format!("  {line}")),
            DiffLine::Gone(pieces) => marked("- ", pieces, look, Role::Gone),
            DiffLine::New(pieces) => marked("+ ", pieces, look, Role::New),
            DiffLine::Note(words) => Line::styled(words.clone(), look.style(Role::Dim)),
        })
        .collect()
}

fn marked(mark: &'static str, pieces: &[(bool, String)], look: &Look, role: Role) -> Line<'static> {
    let (plain, differs) = (look.style(role), look.changed_word(role));
    let mut spans = vec![Span::styled(mark, plain)];
    spans.extend(
        pieces.iter().map(|(changed, piece)| Span::styled(piece.clone(), if *changed { differs } else { plain })),
    );
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_are_marked() {
        let lines = compare("a\nworkers 2;\nb\n", "a\nworkers 4;\nb\n");
        assert_eq!(lines[0], DiffLine::Same("a".into()));
        assert_eq!(lines[1], DiffLine::Gone(vec![(false, "workers ".into()), (true, "2;".into())]));
        assert_eq!(lines[2], DiffLine::New(vec![(false, "workers ".into()), (true, "4;".into())]));
        assert_eq!(compare("", ""), []);
        assert_eq!(compare("x", "x\n").last(), Some(&DiffLine::Note("the last line gains its line break".into())));
    }
}
