//! Prints values: in `fmt.printf`, in errors, in `workbench eval`.

use std::fmt::{self, Display, Formatter, Write};

use super::value::Value;

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write!(f, "{}", Decimal(*value)),
            Value::Str(text) => write!(f, "{}", Quoted(text)),
            Value::Bytes(bytes) => write_quoted(f, bytes, is_printable),
            Value::List(items) => {
                f.write_char('[')?;
                separated(f, ", ", items.iter(), |f, item| write!(f, "{item}"))?;
                f.write_char(']')
            }
            Value::Map(pairs) => {
                f.write_char('{')?;
                separated(f, ", ", pairs.iter(), |f, (key, value)| write!(f, "{key}: {value}"))?;
                f.write_char('}')
            }
            Value::Struct(fields) => {
                f.write_str("struct{")?;
                separated(f, "; ", fields.iter(), |f, (name, value)| write!(f, "{name}: {value}"))?;
                f.write_char('}')
            }
            Value::Func(_) => f.write_str("func"),
        }
    }
}

fn separated<T>(
    f: &mut Formatter<'_>,
    between: &str,
    items: impl Iterator<Item = T>,
    print: impl Fn(&mut Formatter<'_>, T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.enumerate() {
        f.write_str(if i > 0 { between } else { "" })?;
        print(f, item)?;
    }
    Ok(())
}

/// The type of a value, as far as the value shows it: an empty list does not show its element type.
pub struct TypeOf<'a>(pub &'a Value);

impl Display for TypeOf<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::List(items) if !items.is_empty() => write!(f, "[]{}", TypeOf(&items[0])),
            Value::Map(pairs) => match pairs.first_key_value() {
                Some((key, value)) => write!(f, "map{{{}: {}}}", TypeOf(key), TypeOf(value)),
                None => f.write_str("map"),
            },
            Value::Struct(fields) => {
                f.write_str("struct{")?;
                separated(f, "; ", fields.iter(), |f, (name, value)| write!(f, "{name} {}", TypeOf(value)))?;
                f.write_char('}')
            }
            plain => f.write_str(plain.kind()),
        }
    }
}

/// A float in the fewest digits that read back the same, without an exponent.
pub struct Decimal(pub f64);

impl Display for Decimal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            value if value == f64::INFINITY => f.write_str("+Inf"),
            value if value == f64::NEG_INFINITY => f.write_str("-Inf"),
            value => write!(f, "{value}"),
        }
    }
}

/// Text in double quotes with the escapes of Go.
pub struct Quoted<'a>(pub &'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_quoted(f, self.0.as_bytes(), is_printable)
    }
}

/// Writes text in double quotes, with escapes for unprintable characters and for bytes that are not UTF-8.
pub fn write_quoted(f: &mut impl Write, text: &[u8], prints: impl Fn(char) -> bool) -> fmt::Result {
    f.write_char('"')?;
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                c if c != '\\' && prints(c) => f.write_char(c)?,
                c => write_escape(f, c)?,
            }
        }
        chunk.invalid().iter().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
    }
    f.write_char('"')
}

/// Writes a character as Go's escape for it.
pub fn write_escape(f: &mut impl Write, c: char) -> fmt::Result {
    match c {
        '\\' => f.write_str("\\\\"),
        '\x07' => f.write_str("\\a"),
        '\x08' => f.write_str("\\b"),
        '\x0c' => f.write_str("\\f"),
        '\n' => f.write_str("\\n"),
        '\r' => f.write_str("\\r"),
        '\t' => f.write_str("\\t"),
        '\x0b' => f.write_str("\\v"),
        c if c < ' ' || c == '\x7f' => write!(f, "\\x{:02x}", c as u32),
        c if (c as u32) < 0x10000 => write!(f, "\\u{:04x}", c as u32),
        c => write!(f, "\\U{:08x}", c as u32),
    }
}

/// Whether Go prints a character unescaped: letters, marks, numbers, punctuation, symbols and the plain space.
pub fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return !c.is_ascii_control();
    }
    // The standard library has the same classes, but exposes them only through its escaping; after a letter it does not
    // escape combining marks, like Go.
    let pair: [u8; 5] = {
        let mut bytes = [b'a', 0, 0, 0, 0];
        c.encode_utf8(&mut bytes[1..]);
        bytes
    };
    let text = std::str::from_utf8(&pair[..1 + c.len_utf8()]).unwrap_or("a");
    text.escape_debug().nth(1) != Some('\\')
}

#[cfg(test)]
mod tests {
    use super::{Decimal, Quoted};
    use crate::lang::mcl::value::Value;

    #[test]
    fn values_print_as_the_language_writes_them() {
        let pair = |a: i64, b: &str| (Value::Int(a), Value::str(b));
        let map = Value::Map(std::rc::Rc::new([pair(10, "b"), pair(9, "a")].into()));
        assert_eq!(map.to_string(), "{9: \"a\", 10: \"b\"}");
        let fields = vec![("b".into(), Value::Float(42.0)), ("a".into(), Value::list(vec![Value::Bool(true)]))];
        assert_eq!(Value::Struct(fields.into()).to_string(), "struct{b: 42; a: [true]}");
        assert_eq!(Decimal(1e21).to_string(), "1000000000000000000000");
        assert_eq!(Decimal(f64::NEG_INFINITY).to_string(), "-Inf");
        assert_eq!(
            Quoted("a\"\\\u{1b}é\u{301}\u{202e}\u{e000}😀\u{a0}").to_string(),
            "\"a\\\"\\\\\\x1bé\u{301}\\u202e\\ue000😀\\u00a0\""
        );
    }
}
