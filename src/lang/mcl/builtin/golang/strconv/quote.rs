//! Text in quotes, with the escapes of Go.

use crate::lang::mcl::print::{is_printable, write_quoted};

/// A text in double quotes, with escapes for unprintable characters.
pub fn quoted(text: &[u8], prints: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    // Writing to a text does not fail.
    write_quoted(&mut out, text, prints).unwrap_or_default();
    out
}

/// Whether a character is printable ASCII.
pub fn is_plain(c: char) -> bool {
    c.is_ascii() && !c.is_ascii_control()
}

/// As printable characters, and spaces of every kind.
pub fn is_graphic(c: char) -> bool {
    let space = matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}');
    space || is_printable(c)
}

/// The value of the quoted text at the start of a text, and its length there.
pub fn unquote(text: &str) -> Option<(Vec<u8>, usize)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    if quote == '`' {
        let end = text[1..].find('`')? + 1;
        return Some((text[1..end].replace('\r', "").into_bytes(), end + 1));
    }
    let mut bytes = Vec::new();
    let mut count = 0;
    let mut rest = &text[1..];
    while !rest.starts_with(quote) {
        rest = match rest.strip_prefix('\\') {
            Some(escape) => unescape(escape, quote, &mut bytes)?,
            None => {
                let c = rest.chars().next().filter(|c| *c != '\n')?;
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                &rest[c.len_utf8()..]
            }
        };
        count += 1;
    }
    // Single quotes contain exactly one character.
    (quote == '"' || count == 1).then(|| (bytes, text.len() - rest.len() + 1))
}

/// Adds the value of an escape; returns the rest.
fn unescape<'a>(escape: &'a str, quote: char, bytes: &mut Vec<u8>) -> Option<&'a str> {
    let kind = escape.chars().next()?;
    let simple = match kind {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        c if c == quote => c as u8,
        'x' | 'u' | 'U' | '0'..='7' => return numbered(escape, kind, bytes),
        _ => return None,
    };
    bytes.push(simple);
    Some(&escape[1..])
}

/// `\x41` and `\101` are bytes, `\u00e9` and `\U000000e9` characters.
fn numbered<'a>(escape: &'a str, kind: char, bytes: &mut Vec<u8>) -> Option<&'a str> {
    let (start, length, radix) = match kind {
        'x' => (1, 2, 16),
        'u' => (1, 4, 16),
        'U' => (1, 8, 16),
        _ => (0, 3, 8),
    };
    let digits = escape.get(start..start + length).filter(|digits| digits.chars().all(|c| c.is_digit(radix)))?;
    let number = u32::from_str_radix(digits, radix).ok()?;
    match kind {
        'u' | 'U' => bytes.extend_from_slice(char::from_u32(number)?.encode_utf8(&mut [0; 4]).as_bytes()),
        _ => bytes.push(u8::try_from(number).ok()?),
    }
    Some(&escape[start + length..])
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn quoted_texts_are_read() {
        for (text, want) in [
            ("\"a\\tb\\x41\\u00e9\\101\"", Some("a\tbAéA")),
            ("'x'", Some("x")),
            ("'\\''", Some("'")),
            ("`a\\n`", Some("a\\n")),
            ("\"\\xc3\\xa9\"", Some("é")),
            ("'xy'", None),
            ("''", None),
            ("\"a", None),
            ("\"\\q\"", None),
            ("\"a\nb\"", None),
            ("\"\\ud800\"", None),
            ("\"\\'\"", None),
            ("", None),
        ] {
            assert_eq!(unquote(text).map(|(plain, _)| plain).as_deref(), want.map(str::as_bytes), "{text}");
        }
    }
}
