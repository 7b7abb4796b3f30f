//! How a cell looks, and the shortest way from one look to another.

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::way::shorter;

/// What is drawn, or moves, in a cell without a character too.
const DRAWN: Modifier = Modifier::UNDERLINED
    .union(Modifier::REVERSED)
    .union(Modifier::CROSSED_OUT)
    .union(Modifier::SLOW_BLINK)
    .union(Modifier::RAPID_BLINK);

/// How a cell looks.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Ink {
    pub fg: Color,
    pub bg: Color,
    pub modifier: Modifier,
}

impl Ink {
    pub fn of(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }

    /// Whether nothing of it but the ground is seen where no character is.
    pub fn is_plain(self) -> bool {
        !self.modifier.intersects(DRAWN)
    }

    /// The nearest one that is plain and has that ground.
    pub fn on_ground(self, bg: Color) -> Self {
        Self { bg, modifier: self.modifier - DRAWN, ..self }
    }

    /// Adds what puts another one in force where this one is: what changes of it, or all anew where that is shorter.
    pub fn change(self, to: Self, out: &mut String) {
        if self == to {
            return;
        }
        let change = |out: &mut String| {
            let mut codes = Codes::begin(out);
            let gone = self.modifier - to.modifier;
            let mut kept = self.modifier - gone;
            for (modifiers, code) in OFF {
                if gone.intersects(modifiers) {
                    codes.push(code);
                    kept -= modifiers;
                }
            }
            codes.modifiers(to.modifier - kept);
            codes.colors(self, to);
            codes.end();
        };
        let anew = |out: &mut String| {
            let mut codes = Codes::begin(out);
            // Nothing but a reset needs no code at all.
            if to != Self::default() {
                codes.push(0);
            }
            codes.modifiers(to.modifier);
            codes.colors(Self::default(), to);
            codes.end();
        };
        shorter(out, change, anew);
    }
}

/// Adds a number as text; styles and places are full of them, and many are only tried.
pub fn number(number: usize, out: &mut String) {
    if number >= 10 {
        self::number(number / 10, out);
    }
    out.push(char::from(b'0' + (number % 10) as u8));
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

/// The codes of one sequence that sets a style (SGR).
struct Codes<'a> {
    out: &'a mut String,
    is_first: bool,
}

impl<'a> Codes<'a> {
    fn begin(out: &'a mut String) -> Self {
        out.push_str("\x1b[");
        Self { out, is_first: true }
    }

    fn end(self) {
        self.out.push('m');
    }

    fn push(&mut self, code: u8) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(';');
        }
        number(code.into(), self.out);
    }

    fn modifiers(&mut self, modifier: Modifier) {
        for (one, code) in ON {
            if modifier.contains(one) {
                self.push(code);
            }
        }
    }

    fn colors(&mut self, from: Ink, to: Ink) {
        for (from, to, base) in [(from.fg, to.fg, 30), (from.bg, to.bg, 40)] {
            if from == to {
                continue;
            }
            match shade(to) {
                Shade::Own => self.push(base + 9),
                Shade::Rgb(red, green, blue) => {
                    [base + 8, 2, red, green, blue].into_iter().for_each(|code| self.push(code))
                }
                // Those that know of no more colours than sixteen know them by these.
                Shade::Indexed(index @ 0..=7) => self.push(base + index),
                Shade::Indexed(index @ 8..=15) => self.push(base + 60 + index - 8),
                Shade::Indexed(index) => [base + 8, 5, index].into_iter().for_each(|code| self.push(code)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_of_a_style_is_sent() {
        let ink = |fg, modifier| Ink { fg, bg: Color::Rgb(1, 2, 3), modifier };
        let bold = ink(Color::Red, Modifier::BOLD | Modifier::DIM);
        let dim = ink(Color::Blue, Modifier::DIM);
        let none = ink(Color::Reset, Modifier::empty());
        let change = |from: Ink, to: Ink| {
            let mut out = String::new();
            from.change(to, &mut out);
            out
        };
        assert_eq!(change(bold, dim), "\x1b[22;2;34m");
        assert_eq!(change(dim, none), "\x1b[22;39m");
        assert_eq!(change(none, Ink::default()), "\x1b[m");
        assert_eq!(change(none, ink(Color::Indexed(200), Modifier::empty())), "\x1b[38;5;200m");
        assert_eq!(change(none, ink(Color::LightCyan, Modifier::empty())), "\x1b[96m");
    }
}
