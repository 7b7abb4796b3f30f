//! Numbers in the text of a program.

use super::value::Value;

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
