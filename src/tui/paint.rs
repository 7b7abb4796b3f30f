//! From one frame to the next: what has to be sent, in as few bytes as can be, since they may go over a slow line.
//!
//! Only cells that differ are sent ([`run`]), in the order in which the cursor ([`way`]) and the style ([`ink`]) change least
//! between them ([`pen`]); both stay as they are until the next frame. Text that was scrolled is moved by the terminal itself
//! ([`scroll`]), by a scrolling region with line feeds in it (VT100; all know it), where that comes out shorter than to send it
//! again: regions are as wide as the window, so what stands beside the text moves along and has to be put back. So is what moved
//! within a row ([`shift`]).

mod ink;
mod pen;
mod run;
mod scroll;
mod shift;
mod way;

use ratatui::buffer::{Buffer, Cell};

pub use ink::{Shade, shade};
pub use pen::Pen;
use run::{Run, runs_of_row};
use scroll::Scroll;
use shift::shift_row;

/// Shorter ones come out no shorter with a region to be set and taken back.
const FEWEST_BYTES: usize = 180;
/// So many hints may come in, or go, at once.
const MOST_SHIFTS: usize = 3;

/// Adds what makes of the frame that is shown the wanted one; of a different size it must be blank.
///
/// No scrolling region is in force before and after it. The cursor ends anywhere.
pub fn paint(pen: &mut Pen, shown: &Buffer, wanted: &Buffer, out: &mut String) {
    // Whoever else wrote meanwhile may have moved it, and nothing after this may end in a wrong place.
    pen.lose();
    let (mut plain, mut sent) = (*pen, String::new());
    let changed = changed_rows(shown, wanted);
    let mut wanting = runs(shown, wanted, &changed, pen.erases());
    if shown.area == wanted.area {
        shift_hints(&mut plain, shown, wanted, &mut wanting, &mut sent);
    }
    plain.write_all(&wanting, &mut sent);
    let scroll = (sent.len() >= FEWEST_BYTES).then(|| Scroll::between(shown, wanted, &changed)).flatten();
    if let Some(scroll) = scroll {
        let (mut scrolled, mut shorter) = (*pen, String::new());
        let moved = scroll.apply(shown, &mut scrolled, &mut shorter);
        let changed = changed_rows(&moved, wanted);
        scrolled.write_all(&runs(&moved, wanted, &changed, pen.erases()), &mut shorter);
        if shorter.len() < sent.len() {
            (plain, sent) = (scrolled, shorter);
        }
    }
    *pen = plain;
    out.push_str(&sent);
}

/// Has the terminal move what moved within the last row, where the hints are; the runs are those that are left then.
fn shift_hints(pen: &mut Pen, shown: &Buffer, wanted: &Buffer, runs: &mut Vec<Run>, out: &mut String) {
    let Some(y) = usize::from(wanted.area.height).checked_sub(1) else { return };
    let Some(first) = runs.iter().position(|run| run.at.1 == y) else { return };
    let begin = y * usize::from(wanted.area.width);
    let (mut row, new) = (shown.content[begin..].to_vec(), &wanted.content[begin..]);
    if (0..MOST_SHIFTS).take_while(|_| shift_row(pen, y, &mut row, new, out)).count() > 0 {
        runs.truncate(first);
        runs_of_row(y, &row, new, pen.erases(), runs);
    }
}

/// The rows that differ between two frames: all of them where the size does.
fn changed_rows(shown: &Buffer, wanted: &Buffer) -> Vec<usize> {
    let width = usize::from(wanted.area.width).max(1);
    if shown.area != wanted.area {
        return (0..usize::from(wanted.area.height)).collect();
    }
    let rows = shown.content.chunks(width).zip(wanted.content.chunks(width));
    rows.enumerate().filter(|(_, (old, new))| old != new).map(|(y, _)| y).collect()
}

/// What differs in these rows.
fn runs(shown: &Buffer, wanted: &Buffer, changed: &[usize], erases: bool) -> Vec<Run> {
    let width = usize::from(wanted.area.width);
    let blank = vec![Cell::EMPTY; if shown.area == wanted.area { 0 } else { width }];
    let mut runs = Vec::new();
    for y in changed {
        let cells = y * width..(y + 1) * width;
        let old = if blank.is_empty() { &shown.content[cells.clone()] } else { &blank };
        runs_of_row(*y, old, &wanted.content[cells], erases, &mut runs);
    }
    runs
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use proptest::prelude::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Modifier, Style};

    use super::*;

    const WIDTH: u16 = 40;
    const HEIGHT: u16 = 14;

    fn frame(rows: &[String]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT));
        buffer.set_style(buffer.area, Style::new().bg(Color::Rgb(10, 20, 30)));
        for (y, row) in rows.iter().enumerate() {
            let number =
                Style::new().fg(Color::Indexed(y as u8)).add_modifier(Modifier::from_bits_truncate(1 << (y % 9)));
            buffer.set_stringn(0, y as u16, "│ beside", usize::from(WIDTH), Style::new());
            buffer.set_stringn(9, y as u16, row, usize::from(WIDTH - 9), number);
            if row.contains('x') {
                buffer.set_style(Rect::new(12, y as u16, 25, 1), Style::new().bg(Color::Indexed(17)));
            }
        }
        buffer
    }

    /// What an emulator shows in each cell: the text and how it looks.
    fn seen(screen: &vt100::Screen) -> Vec<String> {
        let cells = (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (y, x)));
        let cell = |(y, x): (u16, u16)| {
            let cell = screen.cell(y, x).expect("it is on the screen");
            let text = if cell.has_contents() { cell.contents() } else { " " };
            let marks = (cell.bold(), cell.italic(), cell.underline(), cell.inverse(), cell.dim());
            // Nobody sees the style of what is not drawn.
            let is_drawn = text != " " || cell.underline() || cell.inverse();
            format!("{text} {:?} {:?}", is_drawn.then(|| (cell.fgcolor(), marks)), cell.bgcolor())
        };
        cells.map(cell).collect()
    }

    fn painted(frames: &[Buffer], erases: bool) -> (vt100::Parser, Vec<usize>) {
        let cells = |count: u16| NonZero::new(count).expect("not nothing");
        let mut parser = vt100::Parser::new(cells(HEIGHT), cells(WIDTH), 0);
        let mut shown = Buffer::empty(frames[0].area);
        let (mut sizes, mut pen) = (Vec::new(), Pen::new(erases));
        for frame in frames {
            let mut out = String::new();
            paint(&mut pen, &shown, frame, &mut out);
            sizes.push(out.len());
            parser.process(out.as_bytes());
            shown = frame.clone();
        }
        (parser, sizes)
    }

    #[test]
    fn what_is_scrolled_is_not_sent_again() {
        let text: Vec<String> = (0..60).map(|line| format!("line {line} of a text {}", line * 7919)).collect();
        let at = |from: usize| frame(&text[from..from + usize::from(HEIGHT)]);
        // Rows that look alike wherever they stand.
        let plain = |from: usize| {
            let mut buffer = at(from);
            buffer.set_style(buffer.area, Style::reset());
            buffer
        };
        let (_, sizes) = painted(&[plain(3), plain(4), plain(14), plain(13), plain(13)], true);
        assert!(sizes[1] < 70 && sizes[3] < 70, "{sizes:?}");
        assert!(sizes[2] < sizes[0] && sizes[4] == 0, "{sizes:?}");
        let between = |shown: &Buffer, wanted: &Buffer| Scroll::between(shown, wanted, &changed_rows(shown, wanted));
        let scroll = between(&plain(3), &plain(5));
        assert_eq!(scroll, Some(Scroll { top: 0, bottom: 13, by: 2 }));
        assert_eq!(between(&plain(5), &plain(3)), Some(Scroll { top: 0, bottom: 13, by: -2 }));
    }

    /// Some terminals draw it in one column, and would leave what stood in the second.
    #[test]
    fn what_terminals_draw_narrower_leaves_nothing_beside_it() {
        let [before, after] = ["wide abcd", "wide \u{2702}\u{fe0f}cd"].map(|row| frame(&[row.to_owned()]));
        for (erases, blanks) in [(true, "\x1b[2X\u{2702}\u{fe0f}"), (false, "  \x1b[2D\u{2702}\u{fe0f}")] {
            let mut out = String::new();
            paint(&mut Pen::new(erases), &before, &after, &mut out);
            assert!(out.contains(blanks) && !out.contains(['a', 'c']), "{out:?}");
        }
    }

    #[test]
    fn what_is_put_into_a_row_moves_the_rest_of_it() {
        let hints =
            ["k up  g graph  n next  ? keys", "p pl  k up  g graph  n next  ? keys", "p pl  k up  g graph  ? keys"];
        let frames = [0, 1, 0, 1, 2].map(|hint| {
            let mut buffer = Buffer::empty(Rect::new(0, 0, WIDTH, HEIGHT));
            for (x, symbol) in hints[hint].char_indices() {
                let fg = Color::Rgb(if hints[hint][..x].ends_with(' ') { 200 } else { 100 }, 100, 100);
                buffer[(x as u16, HEIGHT - 1)].set_char(symbol).set_fg(fg);
            }
            buffer
        });
        let (there, sizes) = painted(&frames, true);
        let (fresh, _) = painted(&frames[4..], true);
        assert_eq!(seen(there.screen()), seen(fresh.screen()));
        assert!(sizes[1..].iter().all(|size| *size < 60), "{sizes:?}");
    }

    fn any_rows() -> impl Strategy<Value = Vec<String>> {
        let row = prop::sample::select(vec![
            "",
            "abc",
            "file[漢字]",
            "字 b",
            "a 漢",
            "x  y  z",
            "│ ○ │",
            "\t",
            "e\u{301}x",
            "x                      │ z",
            "漢                   字",
            "j down  k up  g graph  ? keys",
            "j down  p plan  k up  g graph",
            "k up  g graph  ? keys│",
            "p plan  k up  ? keys",
        ]);
        prop::collection::vec(row.prop_map(String::from), 0..usize::from(HEIGHT))
    }

    proptest! {
        /// Whatever was shown before: after it the terminal shows what it would from scratch.
        #[test]
        fn any_frame_becomes_any_other(all in prop::collection::vec((any_rows(), 0usize..6), 1..8), erases: bool) {
            let mut frames = Vec::new();
            for (rows, turn) in &all {
                let mut rows = rows.clone();
                frames.push(frame(&rows));
                // The same once more, moved.
                let turn = turn % rows.len().max(1);
                rows.rotate_left(turn);
                frames.push(frame(&rows));
            }
            let (there, _) = painted(&frames, erases);
            let (fresh, _) = painted(&frames[frames.len() - 1..], false);
            prop_assert_eq!(seen(there.screen()), seen(fresh.screen()));
        }
    }
}
