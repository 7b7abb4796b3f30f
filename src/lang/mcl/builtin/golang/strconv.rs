//! `golang/strconv`: converts scalars to text and back.

mod quote;

use super::super::Function;
use super::super::call::{Call, Failure};
use super::super::convert::{parse_bool, parse_float};
use crate::lang::mcl::print::{Quoted, is_printable};
use crate::lang::mcl::value::Value;

pub use quote::{is_plain, quoted, unquote};

/// The functions of the module `golang/strconv`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "append_bool",
        &["func(dst str, b bool) str"],
        "The text followed by `true` or `false`.",
        &[("strconv.append_bool(\"is \", true)", "\"is true\"")],
        |call| {
            let word = call.bool(1)?.to_string();
            append(call, &word)
        },
    ),
    Function::new(
        "append_int",
        &["func(dst str, i int, base int) str"],
        "The text followed by a number in a base from 2 to 36.",
        &[("strconv.append_int(\"0x\", 255, 16)", "\"0xff\"")],
        |call| {
            let digits = in_base(call.int(1)?, call.int(2)?)?;
            append(call, &digits)
        },
    ),
    Function::new(
        "append_quote",
        &["func(dst str, s str) str"],
        "The text followed by a second text in double quotes, as `quote` writes it.",
        &[("strconv.append_quote(\"a=\", \"b\")", "\"a=\\\"b\\\"\"")],
        |call| append(call, &quoted(call.bytes(1)?, is_printable)),
    ),
    Function::new(
        "append_quote_to_ascii",
        &["func(dst str, s str) str"],
        "The text followed by a second text in double quotes, as `quote_to_ascii` writes it.",
        &[("strconv.append_quote_to_ascii(\"\", \"é\")", "\"\\\"\\\\u00e9\\\"\"")],
        |call| append(call, &quoted(call.bytes(1)?, is_plain)),
    ),
    Function::new(
        "append_quote_to_graphic",
        &["func(dst str, s str) str"],
        "The text followed by a second text in double quotes, as `quote_to_graphic` writes it.",
        &[("strconv.append_quote_to_graphic(\"\", \"a\")", "\"\\\"a\\\"\"")],
        |call| append(call, &quoted(call.bytes(1)?, quote::is_graphic)),
    ),
    Function::new(
        "atoi",
        &["func(s str) int"],
        "Reads a whole number in decimal.",
        &[("strconv.atoi(\"-42\")", "-42")],
        |call| {
            let text = call.str(0)?;
            parse_int(text, 10, 64).map(Value::Int).map_err(|why| wrong(text, why))
        },
    ),
    Function::new(
        "can_backquote",
        &["func(s str) bool"],
        "Whether a string can be quoted with backquotes.",
        &[("strconv.can_backquote(\"a`b\")", "false")],
        |call| {
            let plain = |c: char| c == '\t' || !(c < ' ' || matches!(c, '`' | '\x7f' | '\u{feff}'));
            Ok(Value::Bool(call.str(0)?.chars().all(plain)))
        },
    ),
    Function::new(
        "format_bool",
        &["func(b bool) str"],
        "`true` or `false` as text.",
        &[("strconv.format_bool(true)", "\"true\"")],
        |call| Ok(Value::str(call.bool(0)?.to_string())),
    ),
    Function::new(
        "format_int",
        &["func(i int, base int) str"],
        "A number in a base from 2 to 36.",
        &[("strconv.format_int(-255, 16)", "\"-ff\"")],
        |call| Ok(Value::str(in_base(call.int(0)?, call.int(1)?)?)),
    ),
    Function::new("itoa", &["func(i int) str"], "A number in decimal.", &[("strconv.itoa(42)", "\"42\"")], |call| {
        Ok(Value::str(call.int(0)?.to_string()))
    }),
    Function::new(
        "parse_bool",
        &["func(str str) bool"],
        "Reads `1 t T true True TRUE` and `0 f F false False FALSE`.",
        &[("strconv.parse_bool(\"T\")", "true")],
        |call| {
            let text = call.str(0)?;
            parse_bool(text).map(Value::Bool).ok_or_else(|| wrong(text, "not true or false"))
        },
    ),
    Function::new(
        "parse_float",
        &["func(s str, bit_size int) float"],
        "Reads a number with or without fraction and exponent, of 32 or 64 bits.",
        &[("strconv.parse_float(\"2.5\", 64)", "2.5")],
        |call| {
            let text = call.str(0)?;
            let value = parse_float(text).ok_or_else(|| wrong(text, "it is not a number"))?;
            let narrow = f64::from(value as f32);
            match call.int(1)? {
                32 if narrow.is_infinite() && value.is_finite() => Err(wrong(text, "it is out of range")),
                32 => Ok(Value::Float(narrow)),
                _ => Ok(Value::Float(value)),
            }
        },
    ),
    Function::new(
        "parse_int",
        &["func(s str, base int, bit_size int) int"],
        "Reads a whole number in a base from 2 to 36 (0: from its prefix) with a bit size (0: 64).",
        &[("strconv.parse_int(\"ff\", 16, 64)", "255"), ("strconv.parse_int(\"0b11\", 0, 8)", "3")],
        |call| {
            let text = call.str(0)?;
            parse_int(text, call.int(1)?, call.int(2)?).map(Value::Int).map_err(|why| wrong(text, why))
        },
    ),
    Function::new(
        "quote",
        &["func(s str) str"],
        "A string in double quotes, with escapes.",
        &[("strconv.quote(\"a\\tb\")", "\"\\\"a\\\\tb\\\"\"")],
        |call| Ok(Value::str(quoted(call.bytes(0)?, is_printable))),
    ),
    Function::new(
        "quote_to_ascii",
        &["func(s str) str"],
        "A string in double quotes, with escapes for all that is not ASCII.",
        &[("strconv.quote_to_ascii(\"é\")", "\"\\\"\\\\u00e9\\\"\"")],
        |call| Ok(Value::str(quoted(call.bytes(0)?, is_plain))),
    ),
    Function::new(
        "quote_to_graphic",
        &["func(s str) str"],
        "A string in double quotes, with escapes for invisible characters except spaces.",
        &[("strconv.quote_to_graphic(\"a\\tb\")", "\"\\\"a\\\\tb\\\"\"")],
        |call| Ok(Value::str(quoted(call.bytes(0)?, quote::is_graphic))),
    ),
    Function::new(
        "quoted_prefix",
        &["func(s str) str"],
        "The quoted string that a string begins with, in its quotes.",
        &[("strconv.quoted_prefix(\"`a` b\")", "\"`a`\"")],
        |call| {
            let text = call.str(0)?;
            match quote::unquote(text) {
                Some((_, length)) => Ok(Value::str(&text[..length])),
                None => Err(wrong(text, "it does not begin with a quoted text")),
            }
        },
    ),
    Function::new(
        "unquote",
        &["func(s str) str"],
        "Unquotes a string.",
        &[("strconv.unquote(\"`a`\")", "\"a\"")],
        |call| {
            let text = call.str(0)?;
            match quote::unquote(text) {
                Some((plain, length)) if length == text.len() => Ok(Value::text(plain)),
                _ => Err(wrong(text, "it is not a quoted text")),
            }
        },
    ),
];

fn wrong(text: &str, why: &str) -> Failure {
    Failure::fatal(format!("cannot read {}: {why}", Quoted(text)))
}

/// The first argument with a text appended.
fn append(call: &Call, text: &str) -> Result<Value, Failure> {
    let before = call.bytes(0)?;
    call.text_fits(before.len().saturating_add(text.len()))?;
    Ok(Value::text([before, text.as_bytes()].concat()))
}

fn in_base(number: i64, base: i64) -> Result<String, Failure> {
    match u64::try_from(base) {
        Ok(base @ 2..=36) => Ok(format_int(number, base)),
        _ => Err(Failure::fatal(format!("the base must be 2 to 36, not {base}"))),
    }
}

fn format_int(number: i64, base: u64) -> String {
    let mut digits = Vec::new();
    let mut left = number.unsigned_abs();
    while left > 0 || digits.is_empty() {
        digits.push(char::from_digit((left % base) as u32, base as u32).unwrap_or('?'));
        left /= base;
    }
    digits.extend((number < 0).then_some('-'));
    digits.into_iter().rev().collect()
}

fn parse_int(text: &str, base: i64, bits: i64) -> Result<i64, &'static str> {
    const NOT_A_NUMBER: &str = "it is not a whole number";
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, digits) = match (base, lower.as_bytes()) {
        (0, [b'0', b'x', ..]) => (16, underscored(&lower[2..], true)?),
        (0, [b'0', b'b', ..]) => (2, underscored(&lower[2..], true)?),
        (0, [b'0', b'o', ..]) => (8, underscored(&lower[2..], true)?),
        (0, [b'0', _, ..]) => (8, underscored(&lower[1..], true)?),
        (0, _) => (10, underscored(&lower, false)?),
        (2..=36, _) => (base as u32, lower),
        _ => return Err("the base must be 0 or 2 to 36"),
    };
    // The sign was read before.
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return Err(NOT_A_NUMBER);
    }
    let bits = match bits {
        0 => 64,
        1..=64 => bits as u32,
        _ => return Err("the size must be 0 to 64 bits"),
    };
    let value = i128::from_str_radix(&digits, base).map_err(|_| "it is out of range")?;
    let value = if negative { -value } else { value };
    let limit = 1_i128 << (bits - 1);
    if value < -limit || value >= limit { Err("it is out of range") } else { Ok(value as i64) }
}

/// Digits without the single underscores between them, or after the prefix of a base.
fn underscored(digits: &str, prefixed: bool) -> Result<String, &'static str> {
    let misplaced = digits.contains("__") || digits.ends_with('_') || (digits.starts_with('_') && !prefixed);
    if misplaced { Err("its underscores are misplaced") } else { Ok(digits.replace('_', "")) }
}

#[cfg(test)]
mod tests {
    use super::{format_int, parse_int};

    #[test]
    fn numbers_go_there_and_back() {
        for (text, base, bits, want) in [
            ("-8000000000000000", 16, 64, Some(i64::MIN)),
            ("9223372036854775808", 10, 64, None),
            ("128", 10, 8, None),
            ("-128", 10, 8, Some(-128)),
            ("0x_f_f", 0, 0, Some(255)),
            ("010", 0, 0, Some(8)),
            ("0", 0, 0, Some(0)),
            ("1_000", 10, 0, None),
            ("1__0", 0, 0, None),
            ("--1", 10, 0, None),
            ("", 10, 0, None),
            ("9", 8, 0, None),
            ("1", 37, 0, None),
        ] {
            assert_eq!(parse_int(text, base, bits).ok(), want, "{text}");
        }
        assert_eq!(format_int(i64::MIN, 2).len(), 65);
        assert_eq!(format_int(0, 36), "0");
    }
}
