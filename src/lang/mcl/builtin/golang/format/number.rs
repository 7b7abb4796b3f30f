//! Numbers as Go's `fmt` writes them.

use std::fmt::{Result, Write};

use super::{Flags, text};
use crate::lang::mcl::builtin::limits::Capped;

pub fn integer(out: &mut Capped, number: i64, radix: u64, verb: char, flags: Flags) -> Result {
    let sign = sign(number < 0, flags);
    let mut digits = digits(number.unsigned_abs(), radix, verb == 'X');
    let least = match flags.precision {
        Some(0) if number == 0 => return text::padded(out, "", Flags { zero: false, ..flags }),
        Some(precision) => precision,
        None if flags.zero => flags.width.unwrap_or(0).saturating_sub(sign.len()),
        None => 0,
    };
    if digits.len() < least {
        digits.insert_str(0, &"0".repeat(least - digits.len()));
    }
    if flags.sharp {
        match (radix, verb) {
            (2, _) => digits.insert_str(0, "0b"),
            (8, _) if !digits.starts_with('0') => digits.insert(0, '0'),
            (16, verb) => digits.insert_str(0, if verb == 'X' { "0X" } else { "0x" }),
            _ => {}
        }
    }
    if verb == 'O' {
        digits.insert_str(0, "0o");
    }
    digits.insert_str(0, sign);
    text::padded(out, &digits, Flags { zero: false, ..flags })
}

fn digits(mut number: u64, radix: u64, upper: bool) -> String {
    let mut digits = Vec::new();
    while number > 0 || digits.is_empty() {
        // A digit is less than the radix, and that is 16 at most.
        let digit = char::from_digit((number % radix) as u32, 16).unwrap_or('0');
        digits.push(if upper { digit.to_ascii_uppercase() } else { digit });
        number /= radix;
    }
    digits.iter().rev().collect()
}

fn sign(negative: bool, flags: Flags) -> &'static str {
    match (negative, flags.plus, flags.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

/// Without a precision, with as many digits as make it unique.
pub fn float(out: &mut Capped, number: f64, verb: char, precision: Option<usize>, flags: Flags) -> Result {
    let size = number.abs();
    let digits = match verb {
        _ if number.is_nan() => "NaN".into(),
        _ if size.is_infinite() => "Inf".into(),
        'e' | 'E' => exponential(size, precision),
        'f' | 'F' => match precision {
            Some(precision) => format!("{size:.precision$}"),
            None => format!("{size}"),
        },
        'x' | 'X' => hexadecimal(size, precision),
        'b' => binary(size),
        _ => general(size, precision),
    };
    let digits = if verb.is_ascii_uppercase() && number.is_finite() { digits.to_ascii_uppercase() } else { digits };
    let plus = flags.plus || size.is_infinite();
    let sign = sign(number.is_sign_negative() && !number.is_nan(), Flags { plus, ..flags });
    let zeros = flags.width.unwrap_or(0).saturating_sub(sign.len() + digits.len());
    if flags.zero && number.is_finite() {
        return write!(out, "{sign}{}{digits}", "0".repeat(zeros));
    }
    text::padded(out, &format!("{sign}{digits}"), Flags { zero: false, ..flags })
}

/// `1.5e+06`: two digits of exponent at least.
fn exponential(size: f64, precision: Option<usize>) -> String {
    let text = match precision {
        Some(precision) => format!("{size:.precision$e}"),
        None => format!("{size:e}"),
    };
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// Exponential if it is very large or very small; without zeros at the end.
fn general(size: f64, precision: Option<usize>) -> String {
    let wanted = precision.map(|precision| precision.max(1));
    let text = exponential(size, wanted.map(|digits| digits - 1));
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
    let digits: String = digits.chars().filter(|c| *c != '.').collect();
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    let (count, power): (i32, i32) = (digits.len() as i32, exponent.parse().unwrap_or(0));
    let limit = match wanted.map(|wanted| wanted as i32) {
        None => 6,
        Some(wanted) if wanted > count && count > power => count,
        Some(wanted) => wanted,
    };
    if power < -4 || power >= limit {
        let point = if count > 1 { "." } else { "" };
        return format!("{}{point}{}e{exponent}", &digits[..1], &digits[1..]);
    }
    let before = usize::try_from(power + 1).unwrap_or(0);
    match before {
        0 => format!("0.{}{digits}", "0".repeat(usize::try_from(-power - 1).unwrap_or(0))),
        before if before >= digits.len() => format!("{digits:0<before$}"),
        before => format!("{}.{}", &digits[..before], &digits[before..]),
    }
}

/// `0x1.8p+00`.
fn hexadecimal(size: f64, precision: Option<usize>) -> String {
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
        Some(precision) => format!("{digits:0<precision$}")[..precision].to_owned(),
        None => digits.trim_end_matches('0').to_owned(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// `6755399441055744p-52`.
fn binary(size: f64) -> String {
    let bits = size.to_bits();
    let (mantissa, exponent) = (bits & ((1 << 52) - 1), ((bits >> 52) & 0x7ff) as i32);
    match exponent {
        0 => format!("{mantissa}p-1074"),
        exponent => format!("{}p{:+}", mantissa | (1 << 52), exponent - 1075),
    }
}
