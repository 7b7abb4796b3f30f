//! Numbers as Ruby prints them.

use crate::lang::shared::printf;

/// A float: `1.0`, `1.0e+20`, `1.0e-07`.
pub fn float(value: f64) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity".into() } else { "-Infinity".into() };
    }
    let size = value.abs();
    if size == 0.0 || (1e-4..1e15).contains(&size) {
        return format!("{value:?}");
    }
    let text = printf::exponential(size, None);
    let sign = if value < 0.0 { "-" } else { "" };
    match text.split_once('e').filter(|(digits, _)| !digits.contains('.')) {
        Some((digits, exponent)) => format!("{sign}{digits}.0e{exponent}"),
        None => format!("{sign}{text}"),
    }
}

/// A float without its fraction; nothing where it is outside of 64 bits.
pub fn whole(value: f64) -> Option<i64> {
    let limit = -(i64::MIN as f64);
    (-limit..limit).contains(&value).then(|| value.trunc() as i64)
}
