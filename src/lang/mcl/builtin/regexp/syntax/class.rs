//! Character classes, and escapes, in and outside of brackets.

use super::Reader;

/// The meaning of an escape or a part of a class.
pub enum Signs {
    One(u32),
    /// Its text between the engine's brackets; with `^` before it if the class is negated.
    Class(String, bool),
}

/// Matches nothing: Go has patterns for surrogates, which no text contains.
const NONE: &str = "[^\\x{0}-\\x{10FFFF}]";

impl Signs {
    /// Its text outside of brackets.
    pub fn alone(&self) -> String {
        match self {
            Signs::One(code) => char::from_u32(*code).map_or(NONE.to_owned(), |c| format!("\\x{{{:X}}}", u32::from(c))),
            Signs::Class(inner, is_negated) => format!("[{}{inner}]", if *is_negated { "^" } else { "" }),
        }
    }
}

/// The part after `[`.
pub fn class(reader: &mut Reader) -> Result<String, String> {
    let mut out = String::from(if reader.skip('^') { "[^" } else { "[" });
    let mut is_first = true;
    loop {
        let Some(c) = reader.rest.chars().next() else { return Err("a class is not closed by `]`".into()) };
        if c == ']' && !is_first {
            reader.next();
            out.push(']');
            return Ok(out);
        }
        is_first = false;
        if let Some(named) = reader.rest.strip_prefix("[:")
            && let Some((name, rest)) = named.split_once(":]")
        {
            if !NAMED.contains(&name.strip_prefix('^').unwrap_or(name)) {
                return Err(format!("no class `[:{name}:]`"));
            }
            out.push_str(&format!("[:{name}:]"));
            reader.rest = rest;
            continue;
        }
        let low = match member(reader)? {
            Signs::One(low) => low,
            class => {
                out.push_str(&class.alone());
                continue;
            }
        };
        let is_range = reader.rest.starts_with('-') && reader.rest.len() >= 2 && !reader.rest.starts_with("-]");
        let high = if is_range {
            reader.next();
            match member(reader)? {
                Signs::One(high) if high >= low => high,
                _ => return Err("invalid range in a class".into()),
            }
        } else {
            low
        };
        range(&mut out, low, high);
    }
}

/// Writes a range without the surrogates.
fn range(out: &mut String, low: u32, high: u32) {
    let low = if (0xD800..=0xDFFF).contains(&low) { 0xE000 } else { low };
    let high = if (0xD800..=0xDFFF).contains(&high) { 0xD7FF } else { high };
    out.push_str(&if low > high { NONE.to_owned() } else { format!("\\x{{{low:X}}}-\\x{{{high:X}}}") });
}

/// A single character of a class, or a nested class.
fn member(reader: &mut Reader) -> Result<Signs, String> {
    match reader.next() {
        Some('\\') => escaped(reader),
        Some(c) => Ok(Signs::One(c.into())),
        None => Err("a class is not closed by `]`".into()),
    }
}

const NAMED: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

/// The part after a backslash, in and outside of brackets.
pub fn escaped(reader: &mut Reader) -> Result<Signs, String> {
    let Some(c) = reader.next() else { return Err("a backslash at the end".into()) };
    let class = |inner: &str, is_negated| Ok(Signs::Class(inner.to_owned(), is_negated));
    let one = |c: char| Ok(Signs::One(c.into()));
    match c {
        'd' | 'D' => class("0-9", c == 'D'),
        's' | 'S' => class("\\t\\n\\x0C\\r\\x20", c == 'S'),
        'w' | 'W' => class("0-9A-Za-z_", c == 'W'),
        'p' | 'P' => property(reader, c == 'P'),
        'x' => hexadecimal(reader),
        '0' => Ok(Signs::One(octal(reader, 0))),
        '1'..='7' if reader.rest.starts_with(|next: char| next.is_digit(8)) => {
            Ok(Signs::One(octal(reader, c.to_digit(8).unwrap_or_default())))
        }
        '1'..='9' => Err("back references are not supported".into()),
        'a' => one('\x07'),
        'f' => one('\x0C'),
        'n' => one('\n'),
        'r' => one('\r'),
        't' => one('\t'),
        'v' => one('\x0B'),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => one(c),
        c => Err(format!("`\\{c}` is not known")),
    }
}

/// Up to two more digits.
fn octal(reader: &mut Reader, first: u32) -> u32 {
    let mut code = first;
    for _ in 0..2 {
        let Some(digit) = reader.rest.chars().next().and_then(|next| next.to_digit(8)) else { break };
        reader.next();
        code = code * 8 + digit;
    }
    code
}

/// `\x41` or `\x{1F600}`
fn hexadecimal(reader: &mut Reader) -> Result<Signs, String> {
    let digits = match reader.rest.strip_prefix('{') {
        Some(rest) => rest.split_once('}'),
        None => reader.rest.split_at_checked(2),
    };
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_hexdigit());
    let found = digits.filter(|(text, _)| is_digits(text)).and_then(|(text, rest)| {
        let text = text.trim_start_matches('0');
        let code = if text.is_empty() { 0 } else { u32::from_str_radix(text, 16).ok()? };
        Some((code, rest))
    });
    match found {
        Some((code, rest)) if code <= 0x10_FFFF => {
            reader.rest = rest;
            Ok(Signs::One(code))
        }
        _ => Err("`\\x` is followed by two hexadecimal digits, or by a code in braces".into()),
    }
}

/// `\pL`, `\p{Greek}` or `\p{^Greek}`: a category or a script.
fn property(reader: &mut Reader, is_negated: bool) -> Result<Signs, String> {
    let (name, rest) = match reader.rest.strip_prefix('{') {
        Some(rest) => rest.split_once('}').ok_or("the braces of `\\p` are not closed")?,
        None => {
            let end = reader.rest.chars().next().map_or(0, char::len_utf8);
            reader.rest.split_at(end)
        }
    };
    reader.rest = rest;
    let (bare, inverted) = name.strip_prefix('^').map_or((name, false), |bare| (bare, true));
    let is_negated = is_negated != inverted;
    if !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ' ')) {
        if bare.eq_ignore_ascii_case("cs") || bare.eq_ignore_ascii_case("surrogate") {
            return Ok(Signs::Class("\\x{0}-\\x{10FFFF}".into(), !is_negated));
        }
        for kind in ["gc", "sc"] {
            let class = format!("\\p{{{kind}={bare}}}");
            if regex::Regex::new(&class).is_ok() {
                return Ok(Signs::Class(class, is_negated));
            }
        }
    }
    Err(format!("no category or script `{name}`"))
}
