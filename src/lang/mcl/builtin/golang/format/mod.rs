//! Go's `fmt` for the output of templates: verbs with widths, precisions and flags.
//!
//! A mistake in a format appears in the text, as in Go: `%!d(string=hi)`.

mod number;
mod text;

use std::fmt::{Result, Write};

use super::template::{Data, Width};
use crate::lang::mcl::builtin::limits::Capped;

/// The maximum width, as in Go.
const WIDEST: usize = 1_000_000;

/// The format of one value.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    plus: bool,
    minus: bool,
    sharp: bool,
    space: bool,
    zero: bool,
    width: Option<usize>,
    precision: Option<usize>,
    /// `%+v`: fields with their names.
    names: bool,
    /// `%#v`: as in a program.
    program: bool,
}

/// `fmt.Sprint`: values, with a space between two that are both not texts.
pub fn print(out: &mut Capped, args: &[Data]) -> Result {
    for (at, arg) in args.iter().enumerate() {
        let is_text = |data: &Data| matches!(data, Data::Str(_));
        if at > 0 && !is_text(arg) && !is_text(&args[at - 1]) {
            out.write_char(' ')?;
        }
        value(out, arg, 'v', Flags::default())?;
    }
    Ok(())
}

/// `fmt.Sprintln`: values with spaces between them, and a line break.
pub fn print_line(out: &mut Capped, args: &[Data]) -> Result {
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            out.write_char(' ')?;
        }
        value(out, arg, 'v', Flags::default())?;
    }
    out.write_char('\n')
}

/// `fmt.Sprintf`.
pub fn printf(out: &mut Capped, format: &str, args: &[Data]) -> Result {
    let mut reader = Reader { rest: format, args, next: 0, reordered: false, good: true };
    while let Some(at) = reader.rest.find('%') {
        out.write_str(&reader.rest[..at])?;
        reader.rest = &reader.rest[at + 1..];
        reader.verb(out)?;
    }
    out.write_str(reader.rest)?;
    if reader.reordered || reader.next >= args.len() {
        return Ok(());
    }
    out.write_str("%!(EXTRA ")?;
    for (at, arg) in args[reader.next..].iter().enumerate() {
        out.write_str(if at > 0 { ", " } else { "" })?;
        match arg {
            Data::Nil => out.write_str("<nil>")?,
            arg => {
                write!(out, "{}=", arg.type_name())?;
                value(out, arg, 'v', Flags::default())?;
            }
        }
    }
    out.write_char(')')
}

/// The rest of a format, and of its arguments.
struct Reader<'a> {
    rest: &'a str,
    args: &'a [Data],
    next: usize,
    /// Whether an argument was selected by its number.
    reordered: bool,
    /// Whether the last such number was valid.
    good: bool,
}

impl<'a> Reader<'a> {
    fn take(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// Writes what follows a percent sign.
    fn verb(&mut self, out: &mut Capped) -> Result {
        let mut flags = self.flags();
        self.good = true;
        let mut after = self.number_of_argument();
        if self.rest.starts_with('*') {
            self.rest = &self.rest[1..];
            match self.starred() {
                Some(width) => {
                    (flags.minus, flags.zero) = (flags.minus || width < 0, flags.zero && width >= 0);
                    flags.width = Some(width.unsigned_abs() as usize);
                }
                None => out.write_str("%!(BADWIDTH)")?,
            }
            after = false;
        } else {
            flags.width = self.count();
            if after && flags.width.is_some() {
                self.good = false;
            }
        }
        if self.rest.starts_with('.') {
            self.rest = &self.rest[1..];
            if after {
                self.good = false;
            }
            after = self.number_of_argument();
            if self.rest.starts_with('*') {
                self.rest = &self.rest[1..];
                flags.precision = self.starred().and_then(|precision| usize::try_from(precision).ok());
                if flags.precision.is_none() {
                    out.write_str("%!(BADPREC)")?;
                }
                after = false;
            } else {
                flags.precision = Some(self.count().unwrap_or(0));
            }
        }
        if !after {
            self.number_of_argument();
        }
        let Some(verb) = self.take() else { return out.write_str("%!(NOVERB)") };
        match verb {
            '%' => out.write_char('%'),
            verb if !self.good => write!(out, "%!{verb}(BADINDEX)"),
            verb if self.next >= self.args.len() => write!(out, "%!{verb}(MISSING)"),
            verb => {
                if verb == 'v' {
                    (flags.program, flags.sharp) = (flags.sharp, false);
                    (flags.names, flags.plus) = (flags.plus, false);
                }
                self.next += 1;
                value(out, &self.args[self.next - 1], verb, flags)
            }
        }
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::default();
        loop {
            match self.rest.bytes().next() {
                Some(b'#') => flags.sharp = true,
                Some(b'0') => flags.zero = !flags.minus,
                Some(b'+') => flags.plus = true,
                Some(b'-') => (flags.minus, flags.zero) = (true, false),
                Some(b' ') => flags.space = true,
                _ => return flags,
            }
            self.rest = &self.rest[1..];
        }
    }

    /// A number in the format, if one is here.
    fn count(&mut self) -> Option<usize> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.rest[..digits].parse().ok().filter(|number| *number <= WIDEST);
        if digits > 0 {
            self.rest = &self.rest[digits..];
        }
        number
    }

    /// `[3]`: selects the next argument. Returns whether there is such a number here.
    fn number_of_argument(&mut self) -> bool {
        if !self.rest.starts_with('[') {
            return false;
        }
        self.reordered = true;
        let Some(end) = self.rest.find(']') else {
            self.good = false;
            self.rest = &self.rest[1..];
            return false;
        };
        let number = self.rest[1..end].parse::<usize>();
        self.rest = &self.rest[end + 1..];
        match &number {
            Ok(number) if (1..=self.args.len()).contains(number) => self.next = number - 1,
            _ => self.good = false,
        }
        number.is_ok()
    }

    /// A width or precision that is an argument.
    fn starred(&mut self) -> Option<i64> {
        let arg = self.args.get(self.next);
        self.next = (self.next + 1).min(self.args.len());
        match arg {
            Some(Data::Int(number, _)) if number.unsigned_abs() <= WIDEST as u64 => Some(*number),
            _ => None,
        }
    }
}

/// Writes one value by a verb.
fn value(out: &mut Capped, data: &Data, verb: char, flags: Flags) -> Result {
    match (data, verb) {
        (Data::Nil, 'v' | 'T') => text::padded(out, "<nil>", flags),
        (data, 'T') => text::plain(out, &data.type_name(), flags),
        (Data::Bool(value), 'v' | 't') => text::padded(out, if *value { "true" } else { "false" }, flags),
        (Data::Int(number, Width::Byte), 'v') if flags.program => write!(out, "{number:#x}"),
        (Data::Int(number, _), 'v' | 'd') => number::integer(out, *number, 10, verb, flags),
        (Data::Int(number, _), 'b') => number::integer(out, *number, 2, verb, flags),
        (Data::Int(number, _), 'o' | 'O') => number::integer(out, *number, 8, verb, flags),
        (Data::Int(number, _), 'x' | 'X') => number::integer(out, *number, 16, verb, flags),
        (Data::Int(number, _), 'c') => text::padded(out, text::character(*number).encode_utf8(&mut [0; 4]), flags),
        (Data::Int(number, _), 'q') => text::quoted_character(out, text::character(*number), flags),
        (Data::Int(number, _), 'U') => text::code_point(out, *number, flags),
        (Data::Float(number), 'v') => number::float(out, *number, 'g', flags.precision, flags),
        (Data::Float(number), 'e' | 'E' | 'f' | 'F') => {
            number::float(out, *number, verb, flags.precision.or(Some(6)), flags)
        }
        (Data::Float(number), 'g' | 'G' | 'b' | 'x' | 'X') => number::float(out, *number, verb, flags.precision, flags),
        (Data::Str(text), 'v') if flags.program => text::quoted(out, text, flags),
        (Data::Str(text), 'v' | 's') => text::plain(out, text, flags),
        (Data::Str(text), 'q') => text::quoted(out, text, flags),
        (Data::Str(text), 'x' | 'X') => text::hexadecimal(out, text.as_bytes(), verb, flags),
        (Data::List(_) | Data::Map(_) | Data::Key(_), 'p') => wrong(out, data, verb),
        (Data::List(items), _) => {
            let (open, between, close) = if flags.program { ("{", ", ", "}") } else { ("[", " ", "]") };
            if flags.program {
                out.write_str(&data.type_name())?;
            }
            out.write_str(open)?;
            for (at, item) in items.iter().enumerate() {
                out.write_str(if at > 0 { between } else { "" })?;
                value(out, item, verb, flags)?;
            }
            out.write_str(close)
        }
        (Data::Map(map), _) => {
            let (open, between, close) = if flags.program { ("{", ", ", "}") } else { ("[", " ", "]") };
            out.write_str(&if flags.program { data.type_name() } else { "map".into() })?;
            out.write_str(open)?;
            for (at, (key, item)) in map.pairs.iter().enumerate() {
                out.write_str(if at > 0 { between } else { "" })?;
                value(out, key, verb, flags)?;
                out.write_char(':')?;
                value(out, item, verb, flags)?;
            }
            out.write_str(close)
        }
        (Data::Key(fields), _) => {
            out.write_str(&if flags.program { data.type_name() } else { String::new() })?;
            out.write_char('{')?;
            for (at, (name, item)) in fields.iter().enumerate() {
                out.write_str(if at == 0 {
                    ""
                } else if flags.program {
                    ", "
                } else {
                    " "
                })?;
                if flags.program || flags.names {
                    write!(out, "{name}:")?;
                }
                value(out, item, verb, flags)?;
            }
            out.write_char('}')
        }
        _ => wrong(out, data, verb),
    }
}

/// A verb that does not fit the value.
fn wrong(out: &mut Capped, data: &Data, verb: char) -> Result {
    match data {
        Data::Nil => write!(out, "%!{verb}(<nil>)"),
        data => {
            write!(out, "%!{verb}({}=", data.type_name())?;
            value(out, data, 'v', Flags::default())?;
            out.write_char(')')
        }
    }
}
