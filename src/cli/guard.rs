//! The last step of the output: line breaks, tabs and our colours pass; all else that a terminal would act on is shown.
//!
//! Texts of programs, data and modules are made visible where they are formatted ([`printable`](crate::source::printable)).
//! Whatever is not is made visible here, so no command can forget it. Data for programs, such as a formatted source, goes
//! to a pipe or a file as it is.

use std::io::{self, IsTerminal, Stderr, Stdout, Write};

use crate::source::is_hostile;

/// A stream that people read, on a terminal or later.
#[derive(Debug)]
pub struct Guarded<W> {
    to: W,
    is_terminal: bool,
    /// Whether this is data for programs.
    is_data: bool,
    has_colors: bool,
    /// The start of a character or a colour whose end has not been written yet.
    begun: Vec<u8>,
}

/// The standard output.
pub fn out(has_colors: bool) -> Guarded<Stdout> {
    Guarded::new(io::stdout(), io::stdout().is_terminal(), has_colors)
}

/// The standard error output.
pub fn err(has_colors: bool) -> Guarded<Stderr> {
    Guarded::new(io::stderr(), io::stderr().is_terminal(), has_colors)
}

impl<W: Write> Guarded<W> {
    fn new(to: W, is_terminal: bool, has_colors: bool) -> Self {
        Self { to, is_terminal, is_data: false, has_colors, begun: Vec::new() }
    }

    /// Declares what follows to be data: only a terminal gets it changed.
    pub fn mark_data(&mut self) {
        self.is_data = true;
    }

    /// Writes what is complete, and with `all` the rest too.
    fn pass(&mut self, all: bool) -> io::Result<()> {
        let (shown, taken) = visible(&self.begun, self.has_colors, all);
        self.begun.drain(..taken);
        self.to.write_all(shown.as_bytes())
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        if (self.is_data && !self.is_terminal) || (self.begun.is_empty() && bytes.iter().all(is_plain)) {
            return self.to.write(bytes);
        }
        self.begun.extend_from_slice(bytes);
        self.pass(false).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.begun.is_empty() {
            self.pass(true)?;
        }
        self.to.flush()
    }
}

/// The text that may be written, and how many bytes it is made of. What may yet become a character or a colour is left,
/// unless this is `all`.
fn visible(bytes: &[u8], has_colors: bool, all: bool) -> (String, usize) {
    let mut shown = String::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let (text, wrong) = match str::from_utf8(rest) {
            Ok(text) => (text, 0),
            Err(error) => {
                let valid = str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default();
                // Without a length the end of a character may be still to come.
                let wrong = error.error_len().unwrap_or(if all { rest.len() - valid.len() } else { 0 });
                (valid, wrong)
            }
        };
        let taken = show(text, has_colors, all || wrong > 0, &mut shown);
        at += taken;
        if taken < text.len() || (text.is_empty() && wrong == 0) {
            break;
        }
        rest[text.len()..text.len() + wrong].iter().for_each(|byte| shown.push_str(&format!("\\x{byte:02x}")));
        at += wrong;
    }
    (shown, at)
}

/// Appends what of a text may be written, and gives how many bytes of it that is.
fn show(text: &str, has_colors: bool, all: bool, shown: &mut String) -> usize {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match c {
            '\x1b' => match color(rest).filter(|_| has_colors) {
                Some(length) if length > 0 => {
                    shown.push_str(&rest[..length]);
                    rest = &rest[length..];
                    continue;
                }
                Some(_) if !all => break,
                _ => shown.push_str("\\x1b"),
            },
            '\n' | '\t' => shown.push(c),
            c if !is_hostile(c) => shown.push(c),
            c if c.is_ascii() => shown.push_str(&format!("\\x{:02x}", u32::from(c))),
            // As JSON writes it, so that JSON stays what it is.
            c => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| shown.push_str(&format!("\\u{unit:04x}"))),
        }
        rest = &rest[c.len_utf8()..];
    }
    text.len() - rest.len()
}

/// The length of the colour at the start of a text; 0 for one whose end is missing.
fn color(text: &str) -> Option<usize> {
    const LONGEST: usize = 40;
    let after = text.strip_prefix("\x1b")?;
    let Some(params) = after.strip_prefix('[') else { return after.is_empty().then_some(0) };
    match params.find(|c: char| !matches!(c, '0'..='9' | ';')) {
        Some(end) => (params[end..].starts_with('m') && is_plain(&params[..end])).then_some(end + 3),
        None => (params.len() < LONGEST).then_some(0),
    }
}

/// Whether these are the colours and weights that this program uses: nothing that hides, blinks or changes letters.
fn is_plain(params: &str) -> bool {
    let mut params = params.split(';').map(|param| param.parse().unwrap_or(0));
    while let Some(param) = params.next() {
        let rest = match (param, &mut params) {
            (38 | 48, rest) => match rest.next() {
                Some(2) => 3,
                Some(5) => 1,
                _ => return false,
            },
            (0..=4 | 7 | 9 | 22..=24 | 27 | 29..=37 | 39..=47 | 49 | 90..=97 | 100..=107, _) => 0_usize,
            _ => return false,
        };
        for _ in 0..rest {
            params.next();
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(parts: &[&[u8]]) -> String {
        let mut out = Guarded::new(Vec::new(), true, true);
        parts.iter().for_each(|part| out.write_all(part).expect("memory takes it"));
        out.flush().expect("memory takes it");
        String::from_utf8(out.to).expect("only whole characters are written")
    }

    #[test]
    fn only_colours_pass() {
        for (text, shown) in [
            ("a\tb\n\x1b[1;31mé\x1b[0m\x1b[38;2;1;2;3m", "a\tb\n\x1b[1;31mé\x1b[0m\x1b[38;2;1;2;3m"),
            ("\x1b[2J\x1b]0;x\x07\r\x08", "\\x1b[2J\\x1b]0;x\\x07\\x0d\\x08"),
            ("\u{9b}31m\u{202e}\u{200b}", "\\u009b31m\\u202e\\u200b"),
            ("\u{e0041}", "\\udb40\\udc41"),
            ("\x1b[?25l\x1b[[1m\x1b", "\\x1b[?25l\\x1b[[1m\\x1b"),
            ("\x1bc\x1b[1", "\\x1bc\\x1b[1"),
            ("\x1b[8m\x1b[5;31m\x1b[38;5;8m", "\\x1b[8m\\x1b[5;31m\x1b[38;5;8m"),
        ] {
            assert_eq!(written(&[text.as_bytes()]), shown, "{text:?}");
            // However it is divided.
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(written(&bytes), shown, "{text:?}");
        }
        assert_eq!(written(&[b"a\xffb\xe6\xbc"]), "a\\xffb\\xe6\\xbc");
    }

    #[test]
    fn a_pipe_receives_plain_data_and_text() {
        let written = |is_data: bool| {
            let mut out = Guarded::new(Vec::new(), false, false);
            if is_data {
                out.mark_data();
            }
            out.write_all(b"\x1b[2J\x1b[31m\xff").and_then(|()| out.flush()).expect("memory takes it");
            out.to
        };
        assert_eq!(written(true), b"\x1b[2J\x1b[31m\xff");
        assert_eq!(written(false), b"\\x1b[2J\\x1b[31m\\xff");
    }
}
