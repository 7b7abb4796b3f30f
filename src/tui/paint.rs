//! From one frame to the next: what has to be sent, in as few bytes as can be, since they may go over a slow line.
//!
//! Only cells that differ are sent ([`run`]), in the order in which the cursor ([`way`]) and the style ([`ink`]) change least
//! between them ([`pen`]); both stay as they are until the next frame. Text that was scrolled is moved by the terminal itself
//! ([`scroll`]), by a scrolling region with line feeds in it (VT100; all know it), where that comes out shorter than to send it
//! again. Regions are as wide as the window, so what stands beside the text moves along and has to be put back; but in terminals
//! that know margins on the left and the right too (VT420), which they are asked. What moved within a row is moved as well
//! ([`shift`]).

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
    let scroll = (sent.len() >= FEWEST_BYTES).then(|| Scroll::between(shown, wanted, &changed, pen.has_margins()));
    if let Some(scroll) = scroll.flatten() {
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
        painted_by(Pen::new(erases), frames)
    }

    fn with_margins(mut pen: Pen) -> Pen {
        pen.take_margins();
        pen
    }

    fn painted_by(mut pen: Pen, frames: &[Buffer]) -> (vt100::Parser, Vec<usize>) {
        let cells = |count: u16| NonZero::new(count).expect("not nothing");
        let mut parser = vt100::Parser::new(cells(HEIGHT), cells(WIDTH), 0);
        let mut shown = Buffer::empty(frames[0].area);
        let mut sizes = Vec::new();
        for frame in frames {
            let mut out = String::new();
            paint(&mut pen, &shown, frame, &mut out);
            sizes.push(out.len());
            process(&mut parser, &out);
            shown = frame.clone();
        }
        (parser, sizes)
    }

    /// The emulator knows no margins on the left and the right: what is scrolled between them is written where it goes.
    fn process(parser: &mut vt100::Parser, out: &str) {
        let mut rest = out;
        while let Some((before, after)) = rest.split_once("\x1b[?69h") {
            let (scroll, after) = after.split_once("\x1b[?69l").expect("the mode is taken back");
            parser.process(before.as_bytes());
            scroll_between(parser, scroll);
            rest = after;
        }
        parser.process(rest.as_bytes());
    }

    /// `scroll`: margins, a region, a place, and line feeds or reverse indexes there.
    fn scroll_between(parser: &mut vt100::Parser, scroll: &str) {
        let numbers = |text: &str| text.split(';').map(|it| it.parse().expect("a number")).collect::<Vec<u16>>();
        let (columns, rest) = scroll.strip_prefix("\x1b[").and_then(|it| it.split_once("s\x1b[")).expect("margins");
        let (rows, rest) = rest.split_once("r\x1b[").expect("a region");
        let (place, feeds) = rest.split_once('H').expect("a place");
        let (&[left, right], &[top, bottom]) = (&numbers(columns)[..], &numbers(rows)[..]) else {
            panic!("{scroll:?}")
        };
        let by = match feeds.replace("\x1bM", "^") {
            up if up.chars().all(|it| it == '^') => -(up.len() as i16),
            down if down.chars().all(|it| it == '\n') => down.len() as i16,
            other => panic!("{other:?}"),
        };
        assert!(left < right, "terminals take no narrower margins: {scroll:?}");
        assert_eq!([numbers(place), vec![1]].concat()[..2], [if by > 0 { bottom } else { top }, left], "{scroll:?}");
        let mut written = String::new();
        for y in top - 1..bottom {
            let from = y.checked_add_signed(by).filter(|from| (top - 1..bottom).contains(from));
            for x in left - 1..right {
                let cell = from.and_then(|from| parser.screen().cell(from, x));
                let (text, style) =
                    cell.map_or(("#".to_owned(), String::new()), |cell| (cell.contents().into(), sgr(cell)));
                let is_covered = cell.is_some_and(vt100::Cell::is_wide_continuation);
                if !is_covered {
                    let text = if text.is_empty() { " " } else { &text };
                    written.push_str(&format!("\x1b[{};{}H\x1b[0{style}m{text}", y + 1, x + 1));
                }
            }
        }
        let before = parser.screen().attributes_formatted();
        parser.process(written.as_bytes());
        parser.process(before.as_bytes());
    }

    fn sgr(cell: &vt100::Cell) -> String {
        let color = |color, base| match color {
            vt100::Color::Default => String::new(),
            vt100::Color::Idx(index) => format!(";{base};5;{index}"),
            vt100::Color::Rgb(red, green, blue) => format!(";{base};2;{red};{green};{blue}"),
        };
        let marks = [cell.bold(), cell.dim(), cell.italic(), cell.underline(), cell.inverse()];
        let marks = marks.into_iter().zip([1, 2, 3, 4, 7]).filter(|(has, _)| *has);
        let marks: String = marks.map(|(_, code)| format!(";{code}")).collect();
        format!("{marks}{}{}", color(cell.fgcolor(), 38), color(cell.bgcolor(), 48))
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
        let between =
            |shown: &Buffer, wanted: &Buffer| Scroll::between(shown, wanted, &changed_rows(shown, wanted), false);
        let scroll = between(&plain(3), &plain(5));
        assert_eq!(scroll, Some(Scroll { top: 0, bottom: 13, by: 2, columns: None }));
        assert_eq!(between(&plain(5), &plain(3)), Some(Scroll { top: 0, bottom: 13, by: -2, columns: None }));
    }

    #[test]
    fn what_stands_beside_stays_where_there_are_margins() {
        // Something else in each row beside the text that is scrolled.
        let at = |from: usize| {
            let mut buffer = frame(&[]);
            for y in 0..HEIGHT {
                buffer.set_stringn(0, y, format!("│ {:>6}│", u32::from(y) * 7919), usize::from(WIDTH), Style::new());
                let line = from + usize::from(y);
                buffer.set_stringn(10, y, format!("{line} is {:x}", line * line * 7919), 28, Style::new());
                buffer.set_string(WIDTH - 1, y, ["│", "┃"][usize::from(y) % 2], Style::new());
            }
            buffer
        };
        let frames = [at(50), at(51), at(53), at(52)];
        let (there, sizes) = painted_by(with_margins(Pen::new(true)), &frames);
        let (fresh, _) = painted(&frames[3..], true);
        assert_eq!(seen(there.screen()), seen(fresh.screen()));
        let (_, without) = painted(&frames, true);
        assert!(sizes[1] < 90 && sizes[1] * 2 < without[1], "{sizes:?} {without:?}");
        let scroll = Scroll::between(&frames[0], &frames[1], &changed_rows(&frames[0], &frames[1]), true);
        let columns = scroll.and_then(|scroll| scroll.columns);
        assert!(columns.as_ref().is_some_and(|columns| columns.start >= 10 && columns.end <= 39), "{columns:?}");
    }

    #[test]
    fn what_moves_in_a_single_column_is_moved_otherwise() {
        let at = |from: usize| {
            let mut buffer = frame(&[]);
            for y in 0..HEIGHT {
                let letter = char::from(b'a' + ((from + usize::from(y)) * 7 % 26) as u8);
                buffer.set_string(10, y, letter.to_string(), Style::new());
                buffer.set_string(14, y, format!("{:>8}", u32::from(y) * 7919), Style::new());
                buffer.set_string(30, y, letter.to_string(), Style::new());
            }
            buffer
        };
        let frames = [at(0), at(1), at(2)];
        let (there, _) = painted_by(with_margins(Pen::new(true)), &frames);
        let (fresh, _) = painted(&frames[2..], true);
        assert_eq!(seen(there.screen()), seen(fresh.screen()));
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
        fn any_frame_becomes_any_other(
            all in prop::collection::vec((any_rows(), 0usize..6), 1..8), erases: bool, margins: bool,
        ) {
            let mut frames = Vec::new();
            for (rows, turn) in &all {
                let mut rows = rows.clone();
                frames.push(frame(&rows));
                // The same once more, moved.
                let turn = turn % rows.len().max(1);
                rows.rotate_left(turn);
                frames.push(frame(&rows));
            }
            let pen = Pen::new(erases);
            let (there, _) = painted_by(if margins { with_margins(pen) } else { pen }, &frames);
            let (fresh, _) = painted(&frames[frames.len() - 1..], false);
            prop_assert_eq!(seen(there.screen()), seen(fresh.screen()));
        }
    }
}
