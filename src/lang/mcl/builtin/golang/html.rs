//! `golang/html`: escapes and unescapes HTML.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::super::Function;
use crate::lang::mcl::value::Value;

/// The functions of the module `golang/html`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "escape_string",
        &["func(s str) str"],
        "Escapes `< > & ' \"` for HTML.",
        &[("html.escape_string(\"<a href='x'>\")", "\"&lt;a href=&#39;x&#39;&gt;\"")],
        |call| {
            let text = call.str(0)?;
            call.text_fits(text.len().saturating_mul(5))?;
            Ok(Value::str(escape(text)))
        },
    ),
    Function::new(
        "unescape_string",
        &["func(s str) str"],
        "Unescapes HTML character references.",
        &[("html.unescape_string(\"&lt;&eacute;&#x21;&gt;\")", "\"<é!>\"")],
        |call| {
            let text = call.str(0)?;
            // A name may be three bytes, and is searched in a table.
            call.budget.spend(text.len() as u64)?;
            Ok(Value::str(unescape(text)))
        },
    ),
];

/// Replaces `& ' < > "` by HTML entities, as Go's `html.EscapeString` does.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '\'' => out.push_str("&#39;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            c => out.push(c),
        }
    }
    out
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let taken = match rest.strip_prefix('#') {
            Some(number) => numbered(number, &mut out).map(|taken| taken + 1),
            None => named(rest, &mut out),
        };
        match taken {
            Some(taken) => rest = &rest[taken..],
            None => out.push('&'),
        }
    }
    out.push_str(rest);
    out
}

/// Decodes the number after `&#`; returns how many bytes it takes.
fn numbered(text: &str, out: &mut String) -> Option<usize> {
    let (digits, radix, prefix) = match text.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 1),
        None => (text, 10, 0),
    };
    let count = digits.bytes().take_while(|byte| char::from(*byte).is_digit(radix)).count();
    if count == 0 {
        return None;
    }
    // Too many digits are a number that is too large, which becomes the replacement character.
    let number = u32::from_str_radix(&digits[..count], radix).unwrap_or(u32::MAX);
    out.push(match number {
        0 => '\u{fffd}',
        0x80..=0x9f => WINDOWS[number as usize - 0x80],
        number => char::from_u32(number).unwrap_or('\u{fffd}'),
    });
    Some(prefix + count + usize::from(digits[count..].starts_with(';')))
}

/// Decodes the name after `&`; without a semicolon the longest known name counts.
fn named(text: &str, out: &mut String) -> Option<usize> {
    let letters = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let whole = letters + usize::from(text[letters..].starts_with(';'));
    // Names without a semicolon have at most 6 letters.
    let found = std::iter::once(whole).chain((2..=letters.min(6)).rev()).find_map(|length| {
        let characters = entities().get(&text[..length])?;
        Some((length, characters))
    })?;
    for number in found.1.split('+') {
        out.extend(u32::from_str_radix(number, 16).ok().and_then(char::from_u32));
    }
    Some(found.0)
}

/// Every entity name of HTML 5, with its semicolon if it needs one, and the numbers of its characters.
fn entities() -> &'static FxHashMap<&'static str, &'static str> {
    static ENTITIES: OnceLock<FxHashMap<&str, &str>> = OnceLock::new();
    ENTITIES.get_or_init(|| {
        include_str!("entities.txt").split_ascii_whitespace().filter_map(|pair| pair.split_once('=')).collect()
    })
}

/// Numbers that HTML reads as Windows-1252 and not as control characters.
const WINDOWS: [char; 32] = [
    '\u{20ac}', '\u{81}', '\u{201a}', '\u{192}', '\u{201e}', '\u{2026}', '\u{2020}', '\u{2021}', '\u{2c6}', '\u{2030}',
    '\u{160}', '\u{2039}', '\u{152}', '\u{8d}', '\u{17d}', '\u{8f}', '\u{90}', '\u{2018}', '\u{2019}', '\u{201c}',
    '\u{201d}', '\u{2022}', '\u{2013}', '\u{2014}', '\u{2dc}', '\u{2122}', '\u{161}', '\u{203a}', '\u{153}', '\u{9d}',
    '\u{17e}', '\u{178}',
];

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn names_and_numbers_are_read() {
        for (text, want) in [
            ("&amp;lt;", "&lt;"),
            ("&notit; &notin;", "¬it; ∉"),
            ("&#128;&#x110000;&#0;&#99999999999;", "€\u{fffd}\u{fffd}\u{fffd}"),
            ("a & b &; &#; &#x; &nosuch; &", "a & b &; &#; &#x; &nosuch; &"),
            ("&lté&#65é", "<éAé"),
        ] {
            assert_eq!(unescape(text), want, "{text}");
        }
    }
}
