//! Colours for terminals with fewer of them: each becomes the nearest available one.

use ratatui::style::{Color, Modifier, Style};

/// How many colours a terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// 24 bits.
    True,
    /// The 256 of xterm.
    Indexed,
    /// The 16 that every terminal names.
    Ansi,
    /// None.
    Mono,
}

impl Depth {
    /// The depth from the environment: `NO_COLOR`, `COLORTERM` and `TERM`.
    pub fn of_environment(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Self {
        let term = term.unwrap_or_default();
        if no_color.is_some_and(|value| !value.is_empty()) || term == "dumb" {
            Depth::Mono
        } else if matches!(colorterm, Some("truecolor" | "24bit")) || term.contains("direct") {
            Depth::True
        } else if term.contains("256color") {
            Depth::Indexed
        } else {
            Depth::Ansi
        }
    }
}

/// The style of a scope in fewer colours.
pub(super) fn reduce(scope: &str, style: Style, depth: Depth) -> Style {
    match depth {
        Depth::True => style,
        Depth::Indexed => recolored(style, |color| of_256(color).map(Color::Indexed)),
        Depth::Ansi => in_sixteen(scope, style),
        Depth::Mono => Style { fg: None, bg: None, underline_color: None, ..style },
    }
}

fn recolored(style: Style, to: impl Fn(Color) -> Option<Color>) -> Style {
    let to = |color: Color| to(color).unwrap_or(color);
    Style { fg: style.fg.map(to), bg: style.bg.map(to), underline_color: style.underline_color.map(to), ..style }
}

/// Sixteen colours have no shades for backgrounds: a highlight is drawn reversed, every other background is black or
/// white, and text in the colour of its background takes the opposite.
fn in_sixteen(scope: &str, style: Style) -> Style {
    const PICKED_OUT: &[&str] = &["ui.selection", "ui.menu.selected", "ui.cursor"];
    let mut reduced = recolored(style, |color| Some(NAMED[usize::from(of_sixteen(color)?)]));
    let Some((r, g, b)) = style.bg.and_then(rgb) else { return reduced };
    let dark = luma(r, g, b) < 128;
    if PICKED_OUT.iter().any(|picked| scope.starts_with(picked)) {
        return Style { fg: None, bg: None, ..reduced }.add_modifier(Modifier::REVERSED);
    }
    if scope.starts_with("ui.") {
        reduced.bg = Some(if dark { Color::Black } else { Color::White });
    }
    if reduced.fg == reduced.bg {
        reduced.fg = Some(if dark { Color::White } else { Color::Black });
    }
    reduced
}

fn luma(r: u8, g: u8, b: u8) -> u32 {
    (299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b)) / 1000
}

/// The index of the nearest colour; `None` for colours without an index, such as the terminal's default.
fn nearest(color: Color, among: std::ops::RangeInclusive<u8>) -> Option<u8> {
    let wanted = rgb(color)?;
    among.min_by_key(|index| distance(wanted, indexed(*index)))
}

/// A colour with a smaller distance between its strongest and weakest part is a grey.
const HUED: u8 = 40;

fn is_hued((r, g, b): (u8, u8, u8)) -> bool {
    r.max(g).max(b) - r.min(g).min(b) >= HUED
}

/// The nearest of the 256 colours. A colour with a hue stays one: there are so many greys that one of them is often
/// nearer.
fn of_256(color: Color) -> Option<u8> {
    let wanted = rgb(color)?;
    let is_kept = |index: &u8| !is_hued(wanted) || is_hued(indexed(*index));
    (16..=255).filter(is_kept).min_by_key(|index| distance(wanted, indexed(*index)))
}

/// The nearest of the sixteen colours. A colour keeps its hue, however pale it is: by distance every pastel would
/// become white.
fn of_sixteen(color: Color) -> Option<u8> {
    let (r, g, b) = rgb(color)?;
    let (least, most) = (r.min(g).min(b), r.max(g).max(b));
    if !is_hued((r, g, b)) {
        return nearest(color, 0..=15).filter(|index| matches!(index, 0 | 7 | 8 | 15)).or(Some(7));
    }
    let share = |part: u8| i32::from(part - least) * 255 / i32::from(most - least);
    let pure = Color::Rgb(share(r) as u8, share(g) as u8, share(b) as u8);
    // The first six hues are dark; their bright versions are eight places further.
    let hue = nearest(pure, 9..=14)?;
    Some(if luma(r, g, b) < 128 { hue - 8 } else { hue })
}

/// Weighted by what eyes notice: green most, and red more if there is much of it.
fn distance(a: (u8, u8, u8), b: (u8, u8, u8)) -> i64 {
    let mean_red = (i64::from(a.0) + i64::from(b.0)) / 2;
    let (r, g, b) = (i64::from(a.0) - i64::from(b.0), i64::from(a.1) - i64::from(b.1), i64::from(a.2) - i64::from(b.2));
    (((512 + mean_red) * r * r) >> 8) + 4 * g * g + (((767 - mean_red) * b * b) >> 8)
}

/// The RGB value of a colour in xterm; `None` for the terminal's default.
pub(in crate::highlight) fn rgb(color: Color) -> Option<(u8, u8, u8)> {
    match color {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some((r, g, b)),
        Color::Indexed(index) => Some(indexed(index)),
        named => ansi_index(named).map(indexed),
    }
}

/// The index of a named colour among the sixteen.
pub(in crate::highlight) fn ansi_index(color: Color) -> Option<u8> {
    NAMED.iter().position(|named| *named == color).map(|at| at as u8)
}

const NAMED: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

const ANSI: [(u8, u8, u8); 16] = [
    (0, 0, 0),
    (205, 0, 0),
    (0, 205, 0),
    (205, 205, 0),
    (0, 0, 238),
    (205, 0, 205),
    (0, 205, 205),
    (229, 229, 229),
    (127, 127, 127),
    (255, 0, 0),
    (0, 255, 0),
    (255, 255, 0),
    (92, 92, 255),
    (255, 0, 255),
    (0, 255, 255),
    (255, 255, 255),
];

/// xterm's 256: sixteen named ones, a cube of 6 by 6 by 6, and 24 greys.
fn indexed(index: u8) -> (u8, u8, u8) {
    match index {
        0..=15 => ANSI[usize::from(index)],
        16..=231 => {
            let step = |c: u8| if c == 0 { 0 } else { 55 + 40 * c };
            let cube = index - 16;
            (step(cube / 36), step(cube / 6 % 6), step(cube % 6))
        }
        grey => {
            let level = 8 + 10 * (grey - 232);
            (level, level, level)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_is_itself_where_it_exists() {
        for index in 16..=255u8 {
            let (r, g, b) = indexed(index);
            let found = nearest(Color::Rgb(r, g, b), 16..=255).map(indexed);
            assert_eq!(found, Some((r, g, b)));
        }
        assert_eq!(nearest(Color::Rgb(250, 5, 5), 0..=15), Some(9));
        assert_eq!(nearest(Color::Reset, 0..=15), None);
    }

    #[test]
    fn a_pale_colour_keeps_its_hue_among_sixteen() {
        let named = |r, g, b| of_sixteen(Color::Rgb(r, g, b)).map(|index| NAMED[usize::from(index)]);
        assert_eq!(named(200, 166, 255), Some(Color::LightBlue));
        assert_eq!(named(240, 160, 240), Some(Color::LightMagenta));
        assert_eq!(named(111, 220, 198), Some(Color::LightCyan));
        assert_eq!(named(120, 30, 30), Some(Color::Red));
        assert_eq!(named(190, 195, 200), Some(Color::Gray));
        assert_eq!(of_sixteen(Color::Reset), None);
    }

    #[test]
    fn the_environment_decides() {
        let depth = Depth::of_environment;
        assert_eq!(depth(Some("1"), Some("truecolor"), Some("xterm-256color")), Depth::Mono);
        assert_eq!(depth(Some(""), Some("truecolor"), None), Depth::True);
        assert_eq!(depth(None, None, Some("tmux-256color")), Depth::Indexed);
        assert_eq!(depth(None, None, Some("linux")), Depth::Ansi);
    }
}
