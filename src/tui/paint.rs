//! From one frame to the next: what has to be sent, in as few bytes as can be, since they may go over a slow line.
//!
//! Only cells that differ are sent, styles as what changes of them, and short gaps are written over where that is shorter
//! than to jump. Text that was scrolled is moved by the terminal itself, by a scrolling region with line feeds in it (VT100;
//! all know it), where that comes out shorter than to send it again: regions are as wide as the window, so what stands
//! beside the text moves along and has to be put back.

use std::fmt::Write;
use std::hash::Hasher;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use rustc_hash::FxHasher;
use unicode_width::UnicodeWidthStr;

/// Fewer rows that differ are sent as they are.
const FEWEST_SCROLLED: usize = 4;
/// Shorter ones come out no shorter with a region to be set and taken back.
const FEWEST_BYTES: usize = 120;
/// What moved further than this is sent anew: little of it would be left, and looking for it takes time.
const FURTHEST: usize = 40;
/// The columns that are compared at once where one looks for what was scrolled.
const PIECE: usize = 8;
/// Longer gaps are jumped over.
const LONGEST_GAP: usize = 4;

/// Adds what makes of the frame that is shown the wanted one; of a different size it must be blank.
///
/// Before and after it nothing is in force: no colour, no scrolling region. The cursor ends anywhere.
pub fn paint(shown: &Buffer, wanted: &Buffer, out: &mut String) {
    let mut plain = Pen::default();
    let changed = plain.draw(shown, wanted);
    let is_little = changed < FEWEST_SCROLLED || plain.out.len() < FEWEST_BYTES;
    if let Some(scroll) = (!is_little).then(|| Scroll::between(shown, wanted)).flatten() {
        let mut scrolled = Pen::default();
        let moved = scroll.apply(shown, &mut scrolled.out);
        scrolled.draw(&moved, wanted);
        if scrolled.out.len() < plain.out.len() {
            plain = scrolled;
        }
    }
    out.push_str(&plain.out);
}

/// Adds a jump to a column and a row, both from 0.
pub fn jump(out: &mut String, x: u16, y: u16) {
    // The line of text cannot fail to be written to.
    let _ = if x == 0 { write!(out, "\x1b[{}H", y + 1) } else { write!(out, "\x1b[{};{}H", y + 1, x + 1) };
}

/// The way from a place to one that is not further up, told from where the cursor is: a column that changes in each row of a
/// list is written down that column.
fn steps((x, y): (usize, usize), (to_x, to_y): (usize, usize)) -> Option<String> {
    let mut out = String::new();
    match to_y.checked_sub(y)? {
        0 => {}
        // In the last row of all a line feed would scroll; there is one below this one.
        down @ 1..=3 => out.extend(std::iter::repeat_n('\n', down)),
        down => write!(out, "\x1b[{down}B").ok()?,
    }
    match (x.saturating_sub(to_x), to_x.saturating_sub(x)) {
        (0, 0) => {}
        _ if to_x == 0 => out.push('\r'),
        (left @ 1..=3, _) => out.extend(std::iter::repeat_n('\x08', left)),
        (left @ 1.., _) => write!(out, "\x1b[{left}D").ok()?,
        (0, 1) => out.push_str("\x1b[C"),
        (0, right) => write!(out, "\x1b[{right}C").ok()?,
    }
    Some(out)
}

/// How a cell looks.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Ink {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Ink {
    fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }

    /// The same to the eye, with another foreground where nothing is drawn in it.
    fn seen(self, cell: &Cell, fg: Color) -> Self {
        const DRAWN: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);
        if cell.symbol() == " " && !self.modifier.intersects(DRAWN) { Self { fg, ..self } } else { self }
    }
}

/// A rows' cells with the columns each takes: none where the one before reaches over it.
fn widths(cells: &[Cell]) -> impl Iterator<Item = Option<usize>> {
    let mut covered = 0;
    cells.iter().map(move |cell| {
        if covered > 0 {
            covered -= 1;
            return None;
        }
        let symbol = cell.symbol();
        let width = if symbol.len() == 1 { 1 } else { symbol.width().max(1) };
        covered = width - 1;
        Some(width)
    })
}

/// Writes cells, and knows where the terminal's cursor is and which style is in force.
#[derive(Default)]
struct Pen {
    out: String,
    /// None where it is not known.
    at: Option<(usize, usize)>,
    ink: Ink,
}

impl Pen {
    /// Tells how many rows differ.
    fn draw(&mut self, shown: &Buffer, wanted: &Buffer) -> usize {
        let width = usize::from(wanted.area.width).max(1);
        let blank = vec![Cell::EMPTY; if shown.area == wanted.area { 0 } else { width }];
        let mut changed = 0;
        for (y, new) in wanted.content.chunks(width).enumerate() {
            let old = if blank.is_empty() { &shown.content[y * width..(y + 1) * width] } else { &blank };
            if old != new {
                changed += 1;
                self.draw_row(y, old, new);
            }
        }
        self.use_ink(Ink::default());
        changed
    }

    fn draw_row(&mut self, y: usize, old: &[Cell], new: &[Cell]) {
        let differs = |(old, new): (Option<&Cell>, Option<&Cell>)| match (old, new) {
            (Some(old), Some(new)) => old.symbol() != new.symbol() || Ink::of(old) != Ink::of(new).seen(new, old.fg),
            (None, None) => false,
            _ => true,
        };
        let of_old: Vec<_> = widths(old).collect();
        let of_new: Vec<_> = widths(new).collect();
        let is_changed = |x: usize| differs((of_old[x].map(|_| &old[x]), of_new[x].map(|_| &new[x])));
        for x in 0..new.len() {
            let Some(width) = of_new[x] else { continue };
            if !(x..(x + width).min(new.len())).any(is_changed) {
                continue;
            }
            self.go(x, y, new, &of_new);
            self.put(&new[x], width, new.len());
        }
    }

    /// Goes to a cell of a row, over what is right already where that is the shortest way.
    fn go(&mut self, x: usize, y: usize, row: &[Cell], widths: &[Option<usize>]) {
        match self.at {
            Some(at) if at == (x, y) => {}
            Some((from, row_of)) if row_of == y && from < x => {
                let gap = from..x;
                let is_short = gap.len() <= LONGEST_GAP
                    && gap.clone().all(|x| {
                        widths[x] == Some(1)
                            && row[x].symbol().is_ascii()
                            && Ink::of(&row[x]).seen(&row[x], self.ink.fg) == self.ink
                    });
                if is_short {
                    gap.for_each(|x| self.put(&row[x], 1, row.len()));
                } else {
                    match gap.len() {
                        1 => self.out.push_str("\x1b[C"),
                        gap => drop(write!(self.out, "\x1b[{gap}C")),
                    }
                }
            }
            from => {
                let near = from.and_then(|from| steps(from, (x, y)));
                let mut far = String::new();
                jump(&mut far, x as u16, y as u16);
                self.out.push_str(near.as_ref().filter(|near| near.len() < far.len()).unwrap_or(&far));
            }
        }
        self.at = Some((x, y));
    }

    /// Writes a cell where the cursor is.
    fn put(&mut self, cell: &Cell, width: usize, columns: usize) {
        self.use_ink(Ink::of(cell).seen(cell, self.ink.fg));
        let symbol = cell.symbol();
        // What draws nothing has no place in a cell; whoever put it there must not reach the terminal with it.
        let is_control = symbol.is_empty() || symbol.contains(|c: char| c.is_control());
        self.out.push_str(if is_control { " " } else { symbol });
        // Terminals differ in how wide they draw what is more than a character; at the end of a row the next one is open.
        let is_sure = width == 1 && symbol.chars().nth(1).is_none();
        self.at = self.at.map(|(x, y)| (x + width, y)).filter(|(x, _)| is_sure && *x < columns);
    }

    /// Puts a style in force: what changes of it, or all anew where that is shorter.
    fn use_ink(&mut self, ink: Ink) {
        if ink == self.ink {
            return;
        }
        let mut change = String::new();
        let gone = self.ink.modifier - ink.modifier;
        let mut kept = self.ink.modifier - gone;
        for (modifiers, code) in OFF {
            if gone.intersects(modifiers) {
                push(&mut change, code);
                kept -= modifiers;
            }
        }
        modifiers(&mut change, ink.modifier - kept);
        colors(&mut change, self.ink, ink);
        let mut anew = String::new();
        modifiers(&mut anew, ink.modifier);
        colors(&mut anew, Ink::default(), ink);
        // Nothing but a reset needs no code at all.
        let reset = usize::from(!anew.is_empty());
        if anew.len() + reset * 2 < change.len() {
            let _ = write!(self.out, "\x1b[{}{anew}m", if anew.is_empty() { "" } else { "0;" });
        } else {
            let _ = write!(self.out, "\x1b[{change}m");
        }
        self.ink = ink;
    }
}

const ON: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

/// What ends modifiers; some go together.
const OFF: [(Modifier, u8); 7] = [
    (Modifier::BOLD.union(Modifier::DIM), 22),
    (Modifier::ITALIC, 23),
    (Modifier::UNDERLINED, 24),
    (Modifier::SLOW_BLINK.union(Modifier::RAPID_BLINK), 25),
    (Modifier::REVERSED, 27),
    (Modifier::HIDDEN, 28),
    (Modifier::CROSSED_OUT, 29),
];

fn push(codes: &mut String, code: u8) {
    let part = if codes.is_empty() { "" } else { ";" };
    let _ = write!(codes, "{part}{code}");
}

fn modifiers(codes: &mut String, modifier: Modifier) {
    for (one, code) in ON {
        if modifier.contains(one) {
            push(codes, code);
        }
    }
}

fn colors(codes: &mut String, from: Ink, to: Ink) {
    for (color, base) in [(to.fg, 30), (to.bg, 40)]
        .into_iter()
        .zip([from.fg, from.bg])
        .filter_map(|((to, base), from)| (from != to).then_some((to, base)))
    {
        match shade(color) {
            Shade::Own => push(codes, base + 9),
            Shade::Rgb(red, green, blue) => {
                push(codes, base + 8);
                let _ = write!(codes, ";2;{red};{green};{blue}");
            }
            Shade::Indexed(index) => {
                push(codes, base + 8);
                let _ = write!(codes, ";5;{index}");
            }
        }
    }
}

/// A colour as terminals know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Whatever the terminal has of its own.
    Own,
    Rgb(u8, u8, u8),
    /// A place in the palette of 256.
    Indexed(u8),
}

/// What a colour is to a terminal.
pub fn shade(color: Color) -> Shade {
    Shade::Indexed(match color {
        Color::Reset => return Shade::Own,
        Color::Rgb(red, green, blue) => return Shade::Rgb(red, green, blue),
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    })
}

/// Rows that moved: what stood on a row stands `by` rows higher now, or lower where that is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scroll {
    /// The rows of the region, both within it.
    top: usize,
    bottom: usize,
    by: isize,
}

impl Scroll {
    /// What moved between two frames, if anything seems to have.
    fn between(shown: &Buffer, wanted: &Buffer) -> Option<Self> {
        if shown.area != wanted.area || wanted.area.width == 0 {
            return None;
        }
        let (old, new) = (pieces(shown), pieces(wanted));
        let changed: Vec<usize> = (0..new.len()).filter(|row| old[*row] != new[*row]).collect();
        let (&first, &last) = (changed.first()?, changed.last()?);
        if changed.len() < FEWEST_SCROLLED {
            return None;
        }
        // How far away what is new in a row stood before, piece by piece.
        let mut votes = [0_usize; 2 * FURTHEST + 1];
        for row in &changed {
            let from = row.saturating_sub(FURTHEST).max(first)..=(row + FURTHEST).min(last);
            for column in (0..new[*row].len()).filter(|column| new[*row][*column] != old[*row][*column]) {
                let piece = new[*row][column];
                if piece == 0 {
                    continue;
                }
                for from in from.clone().filter(|from| old[*from][column] == piece) {
                    votes[from + FURTHEST - row] += 1;
                }
            }
        }
        let by = (0..votes.len())
            .filter(|at| votes[*at] > 0)
            .max_by_key(|at| (votes[*at], usize::MAX - at.abs_diff(FURTHEST)))?;
        let by = by as isize - FURTHEST as isize;
        // How much of a row stands there already when all has moved by so much, against what does as it is.
        let gain = |row: usize| {
            let from = row.checked_add_signed(by).filter(|from| (first..=last).contains(from));
            let same = |there: &[u64]| new[row].iter().zip(there).filter(|(new, old)| **new != 0 && new == old).count();
            from.map_or(0, |from| same(&old[from]) as isize - same(&old[row]) as isize)
        };
        let gains: Vec<isize> = (first..=last).map(gain).collect();
        if gains.iter().sum::<isize>() <= 0 {
            return None;
        }
        let from = first + gains.iter().position(|gain| *gain > 0)?;
        let to = first + gains.iter().rposition(|gain| *gain > 0)?;
        let top = from.min(from.checked_add_signed(by)?);
        let bottom = to.max(to.checked_add_signed(by)?);
        Some(Self { top, bottom, by })
    }

    /// Tells the terminal to move the rows, and gives what it shows then.
    fn apply(self, shown: &Buffer, out: &mut String) -> Buffer {
        let Self { top, bottom, by } = self;
        let _ = write!(out, "\x1b[{};{}r", top + 1, bottom + 1);
        let count = by.unsigned_abs();
        let width = usize::from(shown.area.width);
        let mut moved = shown.clone();
        let region = &mut moved.content[top * width..(bottom + 1) * width];
        if by > 0 {
            jump(out, 0, bottom as u16);
            out.extend(std::iter::repeat_n('\n', count));
            region.rotate_left(count * width);
            let from = region.len() - count * width;
            region[from..].iter_mut().for_each(Cell::reset);
        } else {
            jump(out, 0, top as u16);
            out.extend(std::iter::repeat_n("\x1bM", count));
            region.rotate_right(count * width);
            region[..count * width].iter_mut().for_each(Cell::reset);
        }
        out.push_str("\x1b[r");
        moved
    }
}

/// Each row in pieces that can be compared quickly; 0 is one without anything in it.
fn pieces(buffer: &Buffer) -> Vec<Vec<u64>> {
    let rows = buffer.content.chunks(usize::from(buffer.area.width));
    rows.map(|row| row.chunks(PIECE).map(piece).collect()).collect()
}

fn piece(cells: &[Cell]) -> u64 {
    let mut hasher = FxHasher::default();
    let mut is_empty = true;
    for cell in cells {
        let symbol = match cell.symbol().as_bytes() {
            &[byte] => u64::from(byte),
            bytes => {
                hasher.write(bytes);
                0
            }
        };
        is_empty &= symbol == u64::from(b' ');
        hasher.write_u64(symbol | u64::from(cell.modifier.bits()) << 8 | code(cell.fg) << 24);
        hasher.write_u64(code(cell.bg));
    }
    if is_empty { 0 } else { hasher.finish().max(1) }
}

/// A colour as a number of 32 bits.
fn code(color: Color) -> u64 {
    match shade(color) {
        Shade::Own => 0,
        Shade::Indexed(index) => 1 << 24 | u64::from(index),
        Shade::Rgb(red, green, blue) => 2 << 24 | u64::from(u32::from_be_bytes([0, red, green, blue])),
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use proptest::prelude::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

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
            // Nobody sees the colour of what is not drawn.
            let is_drawn = text != " " || cell.underline() || cell.inverse();
            format!("{text} {:?} {:?} {marks:?}", is_drawn.then(|| cell.fgcolor()), cell.bgcolor())
        };
        cells.map(cell).collect()
    }

    fn painted(frames: &[Buffer]) -> (vt100::Parser, Vec<usize>) {
        let cells = |count: u16| NonZero::new(count).expect("not nothing");
        let mut parser = vt100::Parser::new(cells(HEIGHT), cells(WIDTH), 0);
        let mut shown = Buffer::empty(frames[0].area);
        let mut sizes = Vec::new();
        for frame in frames {
            let mut out = String::new();
            paint(&shown, frame, &mut out);
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
        let (_, sizes) = painted(&[plain(3), plain(4), plain(14), plain(13), plain(13)]);
        assert!(sizes[1] < 70 && sizes[3] < 70, "{sizes:?}");
        assert!(sizes[2] < sizes[0] && sizes[4] == 0, "{sizes:?}");
        let scroll = Scroll::between(&plain(3), &plain(5));
        assert_eq!(scroll, Some(Scroll { top: 0, bottom: 13, by: 2 }));
        assert_eq!(Scroll::between(&plain(5), &plain(3)), Some(Scroll { top: 0, bottom: 13, by: -2 }));
    }

    #[test]
    fn styles_are_sent_as_what_changes_of_them() {
        let ink = |fg, modifier| Ink { fg, bg: Color::Rgb(1, 2, 3), modifier };
        let mut pen = Pen { ink: ink(Color::Red, Modifier::BOLD | Modifier::DIM), ..Pen::default() };
        pen.use_ink(ink(Color::Blue, Modifier::DIM));
        assert_eq!(std::mem::take(&mut pen.out), "\x1b[22;2;38;5;4m");
        pen.use_ink(ink(Color::Reset, Modifier::empty()));
        assert_eq!(std::mem::take(&mut pen.out), "\x1b[22;39m");
        pen.use_ink(Ink::default());
        assert_eq!(std::mem::take(&mut pen.out), "\x1b[m");
    }

    fn any_rows() -> impl Strategy<Value = Vec<String>> {
        let row =
            prop::sample::select(vec!["", "abc", "file[漢字]", "字 b", "a 漢", "x  y  z", "│ ○ │", "\t", "e\u{301}x"]);
        prop::collection::vec(row.prop_map(String::from), 0..usize::from(HEIGHT))
    }

    proptest! {
        /// Whatever was shown before: after it the terminal shows what it would from scratch.
        #[test]
        fn any_frame_becomes_any_other(all in prop::collection::vec((any_rows(), 0usize..6), 1..8)) {
            let mut frames = Vec::new();
            for (rows, turn) in &all {
                let mut rows = rows.clone();
                frames.push(frame(&rows));
                // The same once more, moved.
                let turn = turn % rows.len().max(1);
                rows.rotate_left(turn);
                frames.push(frame(&rows));
            }
            let (there, _) = painted(&frames);
            let (fresh, _) = painted(&frames[frames.len() - 1..]);
            prop_assert_eq!(seen(there.screen()), seen(fresh.screen()));
        }
    }
}
