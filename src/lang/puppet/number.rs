//! Numbers as Ruby prints them.

/// A float: `1.0`, `1.0e+20`, `1.0e-07`.
pub fn float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let size = value.abs();
    if size == 0.0 || (1e-4..1e16).contains(&size) {
        return format!("{value:?}");
    }
    let text = format!("{value:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = if digits.contains('.') { digits.to_string() } else { format!("{digits}.0") };
    let (sign, exponent) = exponent.strip_prefix('-').map_or(("+", exponent), |e| ("-", e));
    format!("{digits}e{sign}{exponent:0>2}")
}

use super::value::Value;

/// A float without its fraction; nothing where it is outside of 64 bits.
pub fn whole(value: f64) -> Option<i64> {
    let limit = -(i64::MIN as f64);
    (-limit..limit).contains(&value).then(|| value.trunc() as i64)
}

/// A number as Puppet reads one from a string.
pub fn parse(text: &str) -> Option<Value> {
    if text.contains('\n') {
        return None;
    }
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest.trim_start()),
        None => (1, text.strip_prefix('+').map_or(text, str::trim_start)),
    };
    let integer = |digits: &str, radix: u32| {
        let fits = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
        if fits { i128::from_str_radix(digits, radix).ok().and_then(|v| i64::try_from(v * sign).ok()) } else { None }
    };
    let lower = digits.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return integer(hex, 16).map(Value::Int);
    }
    if let Some(binary) = lower.strip_prefix("0b") {
        return integer(binary, 2).map(Value::Int);
    }
    if lower.bytes().all(|b| b.is_ascii_digit()) && !lower.is_empty() {
        let radix = if lower.len() > 1 && lower.starts_with('0') { 8 } else { 10 };
        return integer(&lower, radix).map(Value::Int);
    }
    let is_float = lower.starts_with(|c: char| c.is_ascii_digit())
        && lower.ends_with(|c: char| c.is_ascii_digit())
        && lower.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'-' | b'+'));
    if is_float {
        lower.parse::<f64>().ok().filter(|v| v.is_finite()).map(|v| Value::Float(v * sign as f64))
    } else {
        None
    }
}
