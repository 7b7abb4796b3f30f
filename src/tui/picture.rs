//! A frame as a picture: SVG with every colour, or plain text.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

/// The cell size of a picture, in pixels.
const WIDTH: u32 = 9;
const HEIGHT: u32 = 17;
/// The distance from a cell's top to its baseline.
const BASELINE: u32 = 13;
const MARGIN: u32 = 12;

/// The frame as text, one line per row.
pub fn text(frame: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..frame.area.height {
        let mut row = String::new();
        let mut covered = 0;
        for x in 0..frame.area.width {
            let Some(cell) = frame.cell((x, y)).filter(|_| x >= covered) else { continue };
            row.push_str(cell.symbol());
            // A wide character covers the cells after it.
            covered = x + cell.symbol().width().max(1) as u16;
        }
        out.push_str(row.trim_end());
        out.push('\n');
    }
    out
}

/// The frame as an SVG image that looks the same in every viewer: each run of letters is stretched to its cells.
pub fn svg(frame: &Buffer, ink: Color, paper: Color) -> String {
    let (width, height) = (u32::from(frame.area.width) * WIDTH, u32::from(frame.area.height) * HEIGHT);
    let (full_width, full_height) = (width + 2 * MARGIN, height + 2 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{full_width}\" height=\"{full_height}\" \
         viewBox=\"0 0 {full_width} {full_height}\">\n<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"{}\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"15\">\n",
        css(paper, "#101418")
    );
    let (ink, paper) = (css(ink, "#d8dee9"), css(paper, "#101418"));
    for y in 0..frame.area.height {
        row(frame, y, &ink, &paper, &mut out);
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// Neighbouring cells with the same style.
struct Run {
    x: u16,
    cells: u16,
    text: String,
    ink: String,
    paper: Option<String>,
    modifiers: Modifier,
}

fn row(frame: &Buffer, y: u16, ink: &str, paper: &str, out: &mut String) {
    let mut runs: Vec<Run> = Vec::new();
    let mut covered = 0;
    for x in 0..frame.area.width {
        let Some(cell) = frame.cell((x, y)).filter(|_| x >= covered) else { continue };
        let cells = cell.symbol().width().max(1) as u16;
        covered = x + cells;
        let (cell_ink, cell_paper) = colors(cell, ink, paper);
        match runs.last_mut() {
            Some(run)
                if run.ink == cell_ink
                    && run.paper == cell_paper
                    && run.modifiers == cell.modifier
                    && is_of_one_font(&run.text, cell.symbol()) =>
            {
                run.text.push_str(cell.symbol());
                run.cells += cells;
            }
            _ => runs.push(Run {
                x,
                cells,
                text: cell.symbol().into(),
                ink: cell_ink,
                paper: cell_paper,
                modifiers: cell.modifier,
            }),
        }
    }
    for run in &runs {
        draw(run, y, out);
    }
}

/// Letters and line drawing may come from two fonts of a viewer, with different widths.
fn is_of_one_font(text: &str, symbol: &str) -> bool {
    symbol == " " || text.trim().is_empty() || text.is_ascii() == symbol.is_ascii()
}

fn draw(run: &Run, y: u16, out: &mut String) {
    let (x, top) = (MARGIN + u32::from(run.x) * WIDTH, MARGIN + u32::from(y) * HEIGHT);
    let width = u32::from(run.cells) * WIDTH;
    // Writing to a string cannot fail.
    if let Some(paper) = &run.paper {
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"{HEIGHT}\" fill=\"{paper}\"/>");
    }
    // Viewers strip spaces at the ends and merge others; the rest would be stretched over all cells.
    let blank = |c: char| c == ' ';
    let text = run.text.trim_matches(blank);
    if text.is_empty() {
        return;
    }
    let (before, after) = (
        run.text.len() - run.text.trim_start_matches(blank).len(),
        run.text.len() - run.text.trim_end_matches(blank).len(),
    );
    let x = x + before as u32 * WIDTH;
    let width = width - (before + after) as u32 * WIDTH;
    let text = text.replace(' ', "\u{a0}");
    let mut style = String::new();
    for (modifier, css) in [
        (Modifier::BOLD, " font-weight=\"bold\""),
        (Modifier::ITALIC, " font-style=\"italic\""),
        (Modifier::UNDERLINED, " text-decoration=\"underline\""),
        (Modifier::CROSSED_OUT, " text-decoration=\"line-through\""),
        (Modifier::DIM, " opacity=\"0.6\""),
    ] {
        if run.modifiers.contains(modifier) {
            style.push_str(css);
        }
    }
    let baseline = top + BASELINE;
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{baseline}\" textLength=\"{width}\" fill=\"{}\"{style}>{}</text>",
        run.ink,
        escaped(&text)
    );
}

/// The foreground, and the background if it is not the default.
fn colors(cell: &Cell, ink: &str, paper: &str) -> (String, Option<String>) {
    let (mut front, mut back) = (css(cell.fg, ink), css(cell.bg, paper));
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut front, &mut back);
    }
    let back = (back != paper).then_some(back);
    (front, back)
}

/// A colour in SVG; `default` for the terminal's own.
fn css(color: Color, default: &str) -> String {
    const NAMED: [u32; 16] = [
        0x000000, 0xcc4b4b, 0x4caf50, 0xc8a030, 0x4f8cc9, 0xa86cc1, 0x3fa7a7, 0xc8ccd4, 0x6b7280, 0xf07070, 0x7ddc83,
        0xf0d070, 0x7fb5f5, 0xd09ae8, 0x70d8d8, 0xffffff,
    ];
    let number = match shade(color) {
        Shade::Own => return default.into(),
        Shade::Rgb(r, g, b) => return format!("#{r:02x}{g:02x}{b:02x}"),
        Shade::Indexed(number) => number,
    };
    match number {
        0..16 => format!("#{:06x}", NAMED[usize::from(number)]),
        // The cube of 6 levels a channel that 256-colour terminals agree on, and the greys after it.
        16..232 => {
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            let n = number - 16;
            format!("#{:02x}{:02x}{:02x}", level(n / 36), level(n / 6 % 6), level(n % 6))
        }
        grey => format!("#{0:02x}{0:02x}{0:02x}", 8 + 10 * (grey - 232)),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A terminal colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shade {
    /// The terminal's own colour.
    Own,
    Rgb(u8, u8, u8),
    /// An index in the palette of 256.
    Indexed(u8),
}

/// The terminal colour of a style's colour.
fn shade(color: Color) -> Shade {
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

#[cfg(test)]
mod tests {
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn wide_letters_and_markup_keep_their_cells() {
        let mut frame = Buffer::empty(ratatui::layout::Rect::new(0, 0, 8, 1));
        frame.set_string(0, 0, "漢<a", Style::new().fg(Color::Indexed(196)));
        assert_eq!(text(&frame), "漢<a\n");
        let picture = svg(&frame, Color::Reset, Color::Reset);
        assert!(picture.contains(">漢</text>") && picture.contains(">&lt;a</text>"), "{picture}");
        assert!(!picture.contains("> "), "no spaces at the ends: {picture}");
        assert!(picture.contains("textLength=\"18\" fill=\"#ff0000\""), "{picture}");
    }
}
