//! What Ruby makes of values: text, numbers, equality and the successor of a text.

use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

/// The value as text, as `to_s` gives it.
pub fn text(value: &Value) -> String {
    match value {
        Value::Array(_) | Value::Hash(_) => inspect(value),
        other => convert::string(other),
    }
}

/// The text of a value, also of a sensitive one.
pub fn open_text(value: &Value) -> String {
    match value {
        Value::Sensitive(inner) => text(inner),
        other => text(other),
    }
}

/// The value as Ruby's source would write it.
pub fn inspect(value: &Value) -> String {
    match value {
        Value::Undef => "nil".into(),
        Value::Default => ":default".into(),
        Value::Str(text) => quoted(text),
        Value::Array(list) => format!("[{}]", list.iter().map(inspect).collect::<Vec<_>>().join(", ")),
        Value::Hash(map) => {
            let entries: Vec<String> = map.iter().map(|(k, v)| format!("{}=>{}", inspect(k), inspect(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Sensitive(_) => "#<Sensitive [value redacted]>".into(),
        other => convert::string(other),
    }
}

/// A text in double quotes, with Ruby's escapes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '#' if matches!(chars.peek(), Some('{' | '$' | '@')) => out.push_str("\\#"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{c}' => out.push_str("\\f"),
            '\u{b}' => out.push_str("\\v"),
            '\u{8}' => out.push_str("\\b"),
            '\u{7}' => out.push_str("\\a"),
            '\u{1b}' => out.push_str("\\e"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                out.push_str(&format!("\\u{:04X}", c as u32));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Equality of values: an integer equals the float of the same number.
pub fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => *a as f64 == *b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equal(a, b)),
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|other| equal(v, other)))
        }
        (a, b) => a == b,
    }
}

/// The integer at the start of a text, or 0; nothing where it is outside of 64 bits.
pub fn leading_integer(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let mut value: i64 = 0;
    for c in digits.chars() {
        match c.to_digit(10) {
            Some(digit) => value = value.checked_mul(10)?.checked_add(sign * i64::from(digit))?,
            None if c == '_' => {}
            None => break,
        }
    }
    Some(value)
}

/// The value as an integer, as `to_i` gives it.
pub fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        Value::Float(value) => crate::lang::ruby::number::whole(*value),
        Value::Str(text) => leading_integer(text),
        Value::Undef => Some(0),
        _ => None,
    }
}

/// A text that is a number as a whole, as `Float()` reads it.
pub fn float(text: &str) -> Option<f64> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return u64::from_str_radix(hex, 16).ok().map(|value| sign * value as f64);
    }
    let is_plain = digits.bytes().all(|b| b.is_ascii_digit() || b"._eE+-".contains(&b));
    let has_gap = digits.starts_with('_') || digits.ends_with(['_', '.']) || digits.contains("__");
    let is_started = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !is_plain || has_gap || !is_started || digits.contains("._") || digits.contains("_.") || digits.contains(".e") {
        return None;
    }
    digits.replace('_', "").parse::<f64>().ok().map(|value| sign * value)
}

/// The text that follows another one: `az` to `ba`, `a9` to `b0`, `zz` to `aaa`.
pub fn successor(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let Some(last) = chars.iter().rposition(char::is_ascii_alphanumeric) else {
        if let Some(c) = chars.last_mut() {
            *c = char::from_u32(*c as u32 + 1).unwrap_or(*c);
        }
        return chars.into_iter().collect();
    };
    let mut at = last;
    loop {
        let (next, carries) = match chars[at] {
            'z' => ('a', true),
            'Z' => ('A', true),
            '9' => ('0', true),
            c => ((c as u8 + 1) as char, false),
        };
        chars[at] = next;
        if !carries {
            break;
        }
        // The next place to the left that counts; signs between letters or digits are passed over.
        match chars[..at].iter().rposition(char::is_ascii_alphanumeric) {
            Some(left) if left + 1 == at || chars[left].is_ascii_digit() == chars[at].is_ascii_digit() => at = left,
            _ => {
                chars.insert(at, if next == '0' { '1' } else { next });
                break;
            }
        }
    }
    chars.into_iter().collect()
}

/// The texts from one to another; nothing where there are more than `limit`.
pub fn upto(start: &str, end: &str, excludes_end: bool, limit: usize) -> Option<Vec<String>> {
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
    let mut out = Vec::new();
    if let ([a], [b]) = (start.as_bytes(), end.as_bytes())
        && a.is_ascii()
        && b.is_ascii()
    {
        let all = (*a..*b).chain((!excludes_end && a <= b).then_some(*b));
        return Some(all.map(|b| (b as char).to_string()).collect());
    }
    if digits(start)
        && digits(end)
        && let (Ok(a), Ok(b)) = (start.parse::<u64>(), end.parse::<u64>())
    {
        let width = start.len();
        let count = b.saturating_sub(a);
        if count >= limit as u64 || width.saturating_mul(count as usize) > limit.saturating_mul(64) {
            return None;
        }
        let all = (a..b).chain((!excludes_end && a <= b).then_some(b));
        let padded = |n: u64| {
            let digits = n.to_string();
            "0".repeat(width.saturating_sub(digits.len())) + &digits
        };
        return Some(all.map(padded).collect());
    }
    if start > end || excludes_end && start == end {
        return Some(out);
    }
    let behind = successor(end);
    let mut at = start.to_string();
    let mut size = 0;
    while at != behind {
        if excludes_end && at == end {
            break;
        }
        size += at.len();
        if out.len() >= limit || size > limit.saturating_mul(64) {
            return None;
        }
        out.push(at.clone());
        if at == end {
            break;
        }
        at = successor(&at);
        if at.chars().count() > end.chars().count() || at.is_empty() {
            break;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{float, quoted, successor, upto};

    #[test]
    fn successors_carry_as_in_ruby() {
        let pairs = [
            ("az", "ba"),
            ("zz", "aaa"),
            ("a9", "b0"),
            ("Az", "Ba"),
            ("Zz", "AAa"),
            ("1.9", "2.0"),
            ("a-9", "a-10"),
            ("9-9", "10-0"),
        ];
        for (text, next) in pairs {
            assert_eq!(successor(text), next, "{text}");
        }
        assert_eq!(upto("host08", "host11", false, 10).expect("four"), ["host08", "host09", "host10", "host11"]);
        assert_eq!(upto("a", "d", true, 10).expect("three"), ["a", "b", "c"]);
        assert_eq!(upto("a", "zzz", false, 3), None);
    }

    #[test]
    fn numbers_and_quotes_are_rubys() {
        assert_eq!(
            (float("1_0"), float("1."), float("0x1F"), float("1e3"), float("x")),
            (Some(10.0), None, Some(31.0), Some(1000.0), None)
        );
        assert_eq!(quoted("a#{b}\u{1}"), "\"a\\#{b}\\u0001\"");
    }
}
