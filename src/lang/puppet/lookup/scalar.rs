//! Plain scalars of YAML as Ruby's Psych resolves them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::lang::puppet::value::Value;

/// What a plain scalar is.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    Value(Value),
    /// A symbol by its name.
    Symbol(String),
    /// An object of a class that data may not hold.
    Class(&'static str),
}

/// Resolves a plain scalar.
pub fn resolve(text: &str) -> Scalar {
    let value = |value| Scalar::Value(value);
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return value(Value::Undef),
        ".inf" | ".Inf" | ".INF" | "+.inf" => return value(Value::Float(f64::INFINITY)),
        "-.inf" | "-.Inf" | "-.INF" => return value(Value::Float(f64::NEG_INFINITY)),
        ".nan" | ".NaN" | ".NAN" => return value(Value::Float(f64::NAN)),
        _ => {}
    }
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(text));
    if text.len() <= 5 && is(&["yes", "true", "on"]) {
        return value(Value::Bool(true));
    }
    if text.len() <= 5 && is(&["no", "false", "off"]) {
        return value(Value::Bool(false));
    }
    if let Some(name) = text.strip_prefix(':').filter(|name| !name.is_empty()) {
        return Scalar::Symbol(name.trim_matches(['"', '\'']).to_string());
    }
    if is_date(text) {
        return Scalar::Class(if text.len() > 10 { "Time" } else { "Date" });
    }
    let number = sexagesimal(text).or_else(|| integer(text).map(Value::Int)).or_else(|| float(text));
    value(number.unwrap_or_else(|| Value::str(text)))
}

/// Whether a text is an integer of any size, as YAML writes one.
pub fn is_integer(text: &str) -> bool {
    let (_, digits) = signed(text);
    !digits.starts_with('0') && digits.len() > 18 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Base64, in lines or not.
pub fn binary(text: &str) -> Scalar {
    let compact: String = text.split_whitespace().collect();
    match STANDARD.decode(compact) {
        Ok(bytes) => Scalar::Value(match String::from_utf8(bytes) {
            Ok(text) => Value::str(text),
            Err(error) => Value::Binary(error.into_bytes().into()),
        }),
        Err(_) => Scalar::Value(Value::str(text)),
    }
}

fn is_date(text: &str) -> bool {
    let date = text.get(..10).unwrap_or_default();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let parts: Vec<&str> = date.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let in_range = |text: &str, most: u8| text.parse::<u8>().is_ok_and(|n| n <= most);
    let is_day = year.len() == 4 && digits(year) && in_range(month, 12) && in_range(day, 31);
    let rest = text.get(10..).unwrap_or_default();
    let mut chars = rest.chars();
    let is_time = match chars.next() {
        None => true,
        Some('T' | 't' | ' ') => {
            chars.as_str().trim_start().starts_with(|c: char| c.is_ascii_digit()) && rest.contains(':')
        }
        Some(_) => false,
    };
    is_day && is_time
}

/// `12:30:45` counts in sixties.
fn sexagesimal(text: &str) -> Option<Value> {
    let (sign, rest) = signed(text);
    let parts: Vec<&str> = rest.split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    let mut sum: i64 = 0;
    for (at, part) in parts.iter().enumerate() {
        let is_first = at == 0;
        let fits = part.bytes().all(|b| b.is_ascii_digit() || (is_first && b == b'_'));
        if part.is_empty() || !fits || (!is_first && part.len() > 2) {
            return None;
        }
        let number: i64 = part.replace('_', "").parse().ok()?;
        if !is_first && number > 59 {
            return None;
        }
        sum = sum.checked_add(number.checked_mul(60_i64.pow(2_u32.saturating_sub(at as u32)))?)?;
    }
    Some(Value::Int(sign * sum))
}

fn signed(text: &str) -> (i64, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn integer(text: &str) -> Option<i64> {
    let (sign, rest) = signed(text);
    let (digits, radix) = match rest.as_bytes() {
        [b'0', b'x' | b'X', ..] => (rest.get(2..)?, 16),
        [b'0', b'b' | b'B', ..] => (rest.get(2..)?, 2),
        [b'0', _, ..] => (rest.get(1..)?, 8),
        _ => (rest, 10),
    };
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    let digits: String = digits.chars().filter(|c| !matches!(c, '_' | ',')).collect();
    i64::from_str_radix(&digits, radix).ok().map(|number| sign * number)
}

/// Has a point, and an exponent only with a sign.
fn float(text: &str) -> Option<Value> {
    let (sign, rest) = signed(text);
    let (whole, fraction) = rest.split_once('.')?;
    let is_digits = |text: &str, more: &[u8]| text.bytes().all(|b| b.is_ascii_digit() || more.contains(&b));
    let (digits, exponent) = fraction.split_once(['e', 'E']).unwrap_or((fraction, "+0"));
    let has_sign = exponent.starts_with(['+', '-']) && exponent.len() > 1;
    let is_float = is_digits(whole, b"_,")
        && is_digits(digits, b"")
        && has_sign
        && is_digits(&exponent[1..], b"")
        && !(whole.is_empty() && digits.is_empty())
        && !whole.starts_with(['_', ',']);
    if !is_float {
        return None;
    }
    let whole: String = whole.chars().filter(char::is_ascii_digit).collect();
    let number: f64 = format!("0{whole}.{digits}0e{exponent}").parse().ok()?;
    Some(Value::Float(if sign < 0 { -number } else { number }))
}
