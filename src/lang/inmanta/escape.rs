//! Escapes in strings, as Python's `unicode_escape` decodes them over the bytes of the text.
//!
//! A character outside ASCII therefore becomes one character for each of its bytes: `é` reads as `Ã©`. Programs
//! depend on this, and only raw strings keep such characters.

use std::borrow::Cow;

/// The text of a string; `Err` says which escape cannot be read.
pub fn decode(text: &str) -> Result<Cow<'_, str>, String> {
    if !text.contains('\\') && text.is_ascii() {
        return Ok(Cow::Borrowed(text));
    }
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        if byte != b'\\' {
            out.push(char::from(byte));
            continue;
        }
        let Some(&escape) = bytes.get(at) else {
            return Err("a string ends with a lone backslash".to_string());
        };
        at += 1;
        match escape {
            b'\n' => {}
            b'\\' | b'\'' | b'"' => out.push(char::from(escape)),
            b'a' => out.push('\x07'),
            b'b' => out.push('\x08'),
            b'f' => out.push('\x0c'),
            b'n' => out.push('\n'),
            b'r' => out.push('\r'),
            b't' => out.push('\t'),
            b'v' => out.push('\x0b'),
            b'0'..=b'7' => {
                let len = bytes[at - 1..].iter().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count();
                let digits = &text[at - 1..at - 1 + len];
                at += len - 1;
                out.push(u32::from_str_radix(digits, 8).ok().and_then(char::from_u32).unwrap_or('\u{fffd}'));
            }
            b'x' => out.push(hex(text, &mut at, 2)?),
            b'u' => out.push(hex(text, &mut at, 4)?),
            b'U' => out.push(hex(text, &mut at, 8)?),
            b'N' => return Err("characters by name, `\\N{…}`, are not known here".to_string()),
            _ => {
                out.push('\\');
                out.push(char::from(escape));
            }
        }
    }
    Ok(Cow::Owned(out))
}

fn hex(text: &str, at: &mut usize, len: usize) -> Result<char, String> {
    let digits = text.get(*at..*at + len).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let Some(digits) = digits else {
        return Err(format!("an escape needs {len} hexadecimal digits"));
    };
    *at += len;
    let number = u32::from_str_radix(digits, 16).unwrap_or(u32::MAX);
    if number > 0x10_ffff {
        return Err("an escape names no character".to_string());
    }
    // Half of a surrogate pair is no character of its own.
    Ok(char::from_u32(number).unwrap_or('\u{fffd}'))
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_are_decoded_over_bytes() {
        assert_eq!(decode(r"a\n\x41\101\u00e9\q").as_deref(), Ok("a\nAA\u{e9}\\q"));
        assert_eq!(decode("é").as_deref(), Ok("Ã©"));
        assert!(decode(r"\x4").is_err());
    }
}
