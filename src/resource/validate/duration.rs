//! Durations in Go's syntax, such as `1h30m` or `-1.5s`.

/// Returns nanoseconds; `None` if the text is invalid or does not fit into 64 bits.
pub fn parse(text: &str) -> Option<i64> {
    let (sign, mut rest) = match text.strip_prefix(['-', '+']) {
        Some(rest) => (if text.starts_with('-') { -1 } else { 1 }, rest),
        None => (1, text),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total = 0_i128;
    while !rest.is_empty() {
        let number = &rest[..rest.find(|c: char| c != '.' && !c.is_ascii_digit())?];
        rest = &rest[number.len()..];
        let unit = &rest[..rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len())];
        rest = &rest[unit.len()..];
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        if (whole.is_empty() && part.is_empty()) || part.contains('.') {
            return None;
        }
        let digits = |text: &str| if text.is_empty() { Some(0) } else { text.parse::<i64>().ok() };
        // Further digits are less than a nanosecond in every unit.
        let part = &part[..part.len().min(16)];
        let scale = 10_i128.pow(part.len() as u32);
        let nanoseconds = i128::from(nanoseconds(unit)?);
        total += i128::from(digits(whole)?) * nanoseconds + i128::from(digits(part)?) * nanoseconds / scale;
        if total > i128::from(i64::MAX) + 1 {
            return None;
        }
    }
    if text.trim_start_matches(['-', '+']).is_empty() { None } else { i64::try_from(sign * total).ok() }
}

fn nanoseconds(unit: &str) -> Option<i64> {
    match unit {
        "ns" => Some(1),
        "us" | "µs" | "μs" => Some(1_000),
        "ms" => Some(1_000_000),
        "s" => Some(1_000_000_000),
        "m" => Some(60_000_000_000),
        "h" => Some(3_600_000_000_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn spans_have_units() {
        for (text, want) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("1h30m", Some(5_400_000_000_000)),
            ("-1.5s", Some(-1_500_000_000)),
            ("+.5µs", Some(500)),
            ("1.ms", Some(1_000_000)),
            ("9223372036854775807ns", Some(i64::MAX)),
            ("9223372036854775808ns", None),
            ("2562048h", None),
            ("", None),
            ("-", None),
            ("1", None),
            (".s", None),
            ("1.2.3s", None),
            ("1x", None),
            ("s", None),
            ("1 s", None),
            ("é", None),
        ] {
            assert_eq!(parse(text), want, "{text}");
        }
    }
}
