//! Texts and characters as Go's `fmt` writes them.

use std::fmt::{Result, Write};

use super::Flags;
use crate::lang::mcl::builtin::golang::strconv;
use crate::lang::mcl::builtin::limits::Capped;
use crate::lang::mcl::print::is_printable;

/// Pads to the width: on the left, or on the right with `-`; with zeros on the left with `0`.
pub fn padded(out: &mut Capped, text: &str, flags: Flags) -> Result {
    let missing = flags.width.unwrap_or(0).saturating_sub(text.chars().count());
    let fill = |out: &mut Capped, with: &str| (0..missing).try_for_each(|_| out.write_str(with));
    if !flags.minus {
        fill(out, if flags.zero { "0" } else { " " })?;
    }
    out.write_str(text)?;
    if flags.minus { fill(out, " ") } else { Ok(()) }
}

/// As many characters as the precision allows.
fn cut(text: &str, flags: Flags) -> &str {
    match flags.precision.and_then(|precision| text.char_indices().nth(precision)) {
        Some((at, _)) => &text[..at],
        None => text,
    }
}

/// Writes a text as `%s` does: cut to the precision and padded to the width.
pub fn plain(out: &mut Capped, text: &str, flags: Flags) -> Result {
    padded(out, cut(text, flags), flags)
}

/// Writes a text as `%q` does: in double quotes, or with `#` in backquotes if the text allows it.
pub fn quoted(out: &mut Capped, text: &str, flags: Flags) -> Result {
    let text = cut(text, flags);
    let backquotes =
        flags.sharp && !text.contains(|c: char| c == '`' || c == '\u{feff}' || (c != '\t' && c.is_control()));
    let quoted = match flags.plus {
        _ if backquotes => format!("`{text}`"),
        true => strconv::quoted(text.as_bytes(), strconv::is_plain),
        false => strconv::quoted(text.as_bytes(), is_printable),
    };
    padded(out, &quoted, flags)
}

/// Writes bytes as `%x` or `%X` does; the precision limits the number of bytes.
pub fn hexadecimal(out: &mut Capped, bytes: &[u8], verb: char, flags: Flags) -> Result {
    let bytes = &bytes[..flags.precision.unwrap_or(bytes.len()).min(bytes.len())];
    let mark = if verb == 'X' { "0X" } else { "0x" };
    let mut text = String::from(if flags.sharp && !bytes.is_empty() { mark } else { "" });
    for (at, byte) in bytes.iter().enumerate() {
        if flags.space && at > 0 {
            text.push(' ');
            text.push_str(if flags.sharp { mark } else { "" });
        }
        match verb {
            'X' => write!(text, "{byte:02X}")?,
            _ => write!(text, "{byte:02x}")?,
        }
    }
    padded(out, &text, flags)
}

/// The character of a number; an invalid one becomes the replacement character.
pub fn character(number: i64) -> char {
    u32::try_from(number).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Writes a character as `%q` does: in single quotes; with `+` all but ASCII is escaped.
pub fn quoted_character(out: &mut Capped, c: char, flags: Flags) -> Result {
    let prints = |c: char| if flags.plus { c.is_ascii() && !c.is_ascii_control() } else { is_printable(c) };
    let quoted = match c {
        '\'' => "'\\''".to_owned(),
        '"' => "'\"'".to_owned(),
        c => {
            let text = strconv::quoted(c.encode_utf8(&mut [0; 4]).as_bytes(), prints);
            format!("'{}'", &text[1..text.len() - 1])
        }
    };
    padded(out, &quoted, flags)
}

/// `U+0041`, and with `#` the character after it.
pub fn code_point(out: &mut Capped, number: i64, flags: Flags) -> Result {
    let digits = flags.precision.unwrap_or(4).max(4);
    let mut text = format!("U+{number:0digits$X}");
    let c = character(number);
    if flags.sharp && is_printable(c) {
        write!(text, " '{c}'")?;
    }
    padded(out, &text, Flags { zero: false, ..flags })
}
