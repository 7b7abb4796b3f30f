//! Texts of floats in the forms of C's `printf`, which the languages share.

use std::ops::Range;

/// A double has at most as many digits after its point. Rust's formatting panics above 65,535.
const MOST_DIGITS: usize = 1074;

/// The significant digits of a number that is not negative, and the exponent of the first of them. Without a count, as
/// many digits as make the number unique.
pub fn digits(size: f64, count: Option<usize>) -> (String, i32) {
    let text = match count {
        Some(count) => format!("{size:.*e}", count.saturating_sub(1).min(MOST_DIGITS)),
        None => format!("{size:e}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mut digits = mantissa.replace('.', "");
    let missing = count.unwrap_or(0).saturating_sub(digits.len());
    digits.extend(std::iter::repeat_n('0', missing));
    (digits, exponent.parse().unwrap_or(0))
}

/// `%f` of C. Digits after the point that a float cannot have are zeros.
pub fn fixed(size: f64, precision: usize) -> String {
    let exact = precision.min(MOST_DIGITS);
    format!("{size:.exact$}") + &"0".repeat(precision - exact)
}

/// The digits without zeros at the end.
pub fn trimmed(digits: &str) -> &str {
    match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    }
}

/// Digits with their point: plain if the exponent is in the range, else as [`exponential`] writes them. `keeps_point`:
/// a plain whole number ends in `.0`.
pub fn placed(digits: &str, exponent: i32, plain: Range<i32>, keeps_point: bool) -> String {
    if !plain.contains(&exponent) {
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{first}{point}{rest}e{}", signed(exponent, 2));
    }
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    if exponent < 0 {
        return format!("0.{}{digits}", zeros(-exponent - 1));
    }
    let whole = exponent as usize + 1;
    if digits.len() <= whole {
        let point = if keeps_point { ".0" } else { "" };
        return format!("{digits}{}{point}", zeros((whole - digits.len()) as i32));
    }
    format!("{}.{}", &digits[..whole], &digits[whole..])
}

/// `1.5e+06`: as many digits after the point, and two digits of exponent at least.
pub fn exponential(size: f64, precision: Option<usize>) -> String {
    let (digits, exponent) = digits(size, precision.map(|precision| precision + 1));
    placed(&digits, exponent, 0..0, false)
}

/// `%g` of C: as many significant digits, plain or exponential, without zeros at the end.
pub fn general(size: f64, count: usize) -> String {
    let (digits, exponent) = digits(size, Some(count.max(1)));
    placed(trimmed(&digits), exponent, -4..count.max(1) as i32, false)
}

/// `0x1.8p+00` with as many digits of exponent; without a precision, with as many as make the number unique.
pub fn hexadecimal(size: f64, precision: Option<usize>, width: usize) -> String {
    let bits = size.to_bits();
    let (mut mantissa, mut exponent) = (bits & ((1 << 52) - 1), ((bits >> 52) & 0x7ff) as i32 - 1023);
    if size == 0.0 {
        exponent = 0;
    } else if exponent == -1023 {
        // Too small for a leading one: shifts it to the usual place.
        let shift = mantissa.leading_zeros() as i32 - 11;
        (mantissa, exponent) = ((mantissa << shift) & ((1 << 52) - 1), -1022 - shift);
    }
    let mut lead = u64::from(size != 0.0);
    let kept = precision.filter(|precision| *precision < 13);
    if let Some(kept) = kept {
        let dropped = 52 - 4 * kept as u32;
        let whole = (lead << 52) | mantissa;
        let (half, low) = (1_u64 << (dropped - 1), whole & ((1 << dropped) - 1));
        let up = low > half || (low == half && (whole >> dropped) & 1 == 1);
        let mut rounded = ((whole >> dropped) + u64::from(up)) << dropped;
        if rounded >> 53 > 0 {
            (rounded, exponent) = (rounded >> 1, exponent + 1);
        }
        (lead, mantissa) = (rounded >> 52, rounded & ((1 << 52) - 1));
    }
    let digits = format!("{mantissa:013x}");
    let digits = match precision {
        Some(precision) => digits.chars().chain(std::iter::repeat('0')).take(precision).collect(),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{}", signed(exponent, width))
}

/// An exponent with its sign, and with as many digits at least.
fn signed(exponent: i32, width: usize) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{sign}{:0width$}", exponent.unsigned_abs())
}

/// A number in a radix of 2, 8, 10 or 16.
pub fn in_radix(number: u128, radix: u32, upper: bool) -> String {
    match (radix, upper) {
        (2, _) => format!("{number:b}"),
        (8, _) => format!("{number:o}"),
        (16, true) => format!("{number:X}"),
        (16, false) => format!("{number:x}"),
        _ => number.to_string(),
    }
}

/// The sign of a number: one that is not negative gets a plus or a blank on request.
pub fn sign(is_negative: bool, plus: bool, blank: bool) -> &'static str {
    match (is_negative, plus, blank) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_those_of_printf() {
        assert_eq!(exponential(1_500_000.0, Some(1)), "1.5e+06");
        assert_eq!(exponential(1e-100, None), "1e-100");
        assert_eq!(
            [0.0, 1e5, 1e6, 1e-5, 0.000_123_4].map(|size| general(size, 6)).join(" "),
            "0 100000 1e+06 1e-05 0.0001234"
        );
        assert_eq!(hexadecimal(1.5, None, 2), "0x1.8p+00");
        assert_eq!(hexadecimal(0.0, None, 1), "0x0p+0");
        assert_eq!(hexadecimal(5e-324, None, 1), "0x1p-1074");
    }
}
