//! The differing words of two corresponding lines, and the visible part of them.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::widget::text;

/// The time limit for two lines.
const PATIENCE: Duration = Duration::from_millis(1);

/// The pieces of a line, and whether each differs from the other line.
pub(super) type Pieces = Vec<(bool, String)>;

/// Cuts a line to a width: if the difference would be hidden, its start is cut too.
pub(super) fn crop(pieces: &Pieces, room: usize, mark: &str) -> Pieces {
    let total: usize = pieces.iter().map(|(_, piece)| text::width(piece)).sum();
    if total <= room {
        return pieces.clone();
    }
    let before = pieces.iter().take_while(|(differs, _)| !differs).map(|(_, piece)| text::width(piece)).sum::<usize>();
    let skip = if before < total && before > room * 2 / 3 { before - room / 3 } else { 0 };
    let skip = skip.min(total - room);
    let mut out = Pieces::new();
    let (mut column, mut used) = (0, 0);
    if skip > 0 {
        push_piece(&mut out, false, mark);
        used += text::width(mark);
    }
    for (differs, piece) in pieces {
        for grapheme in piece.graphemes(true) {
            let width = text::width(grapheme);
            column += width;
            if column <= skip + if skip > 0 { text::width(mark) } else { 0 } {
                continue;
            }
            if used + width + text::width(mark) > room {
                push_piece(&mut out, false, mark);
                return out;
            }
            push_piece(&mut out, *differs, grapheme);
            used += width;
        }
    }
    out
}

/// The pieces of two lines, and which of them differ.
pub(super) fn words(from: &str, to: &str) -> (Pieces, Pieces) {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(from, to);
    let (mut gone, mut new) = (Pieces::new(), Pieces::new());
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => {
                push_piece(&mut gone, false, change.value());
                push_piece(&mut new, false, change.value());
            }
            ChangeTag::Delete => push_piece(&mut gone, true, change.value()),
            ChangeTag::Insert => push_piece(&mut new, true, change.value()),
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

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_that_differ_are_marked() {
        let (gone, new) = words("workers 2;", "workers 4;");
        assert_eq!(gone, [(false, "workers ".into()), (true, "2;".into())]);
        assert_eq!(new, [(false, "workers ".into()), (true, "4;".into())]);
    }
}
