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

/// A float without its fraction; nothing where it is outside of 64 bits.
pub fn whole(value: f64) -> Option<i64> {
    let limit = -(i64::MIN as f64);
    (-limit..limit).contains(&value).then(|| value.trunc() as i64)
}
