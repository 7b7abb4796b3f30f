//! Numbers as Go's `fmt` writes them.

use std::fmt::{Result, Write};

use super::{Flags, text};
use crate::lang::mcl::builtin::limits::Capped;
use crate::lang::shared::printf;

/// Writes an integer in a radix, with the sign, prefix, precision and padding that the flags ask for.
pub fn integer(out: &mut Capped, number: i64, radix: u32, verb: char, flags: Flags) -> Result {
    let sign = printf::sign(number < 0, flags.plus, flags.space);
    let mut digits = printf::in_radix(number.unsigned_abs().into(), radix, verb == 'X');
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

/// Without a precision, with as many digits as make it unique.
pub fn float(out: &mut Capped, number: f64, verb: char, precision: Option<usize>, flags: Flags) -> Result {
    let size = number.abs();
    let digits = match verb {
        _ if number.is_nan() => "NaN".into(),
        _ if size.is_infinite() => "Inf".into(),
        'e' | 'E' => printf::exponential(size, precision),
        'f' | 'F' => match precision {
            Some(precision) => printf::fixed(size, precision),
            None => format!("{size}"),
        },
        'x' | 'X' => printf::hexadecimal(size, precision, 2),
        'b' => binary(size),
        _ => general(size, precision),
    };
    let digits = if verb.is_ascii_uppercase() && number.is_finite() { digits.to_ascii_uppercase() } else { digits };
    let plus = flags.plus || size.is_infinite();
    let sign = printf::sign(number.is_sign_negative() && !number.is_nan(), plus, flags.space);
    let zeros = flags.width.unwrap_or(0).saturating_sub(sign.len() + digits.len());
    if flags.zero && number.is_finite() {
        return write!(out, "{sign}{}{digits}", "0".repeat(zeros));
    }
    text::padded(out, &format!("{sign}{digits}"), Flags { zero: false, ..flags })
}

/// Exponential if it is very large or very small; without zeros at the end.
fn general(size: f64, precision: Option<usize>) -> String {
    let wanted = precision.map(|precision| precision.max(1));
    let (digits, power) = printf::digits(size, wanted);
    let digits = printf::trimmed(&digits);
    let count = digits.len() as i32;
    let limit = match wanted.map(|wanted| wanted as i32) {
        None => 6,
        Some(wanted) if wanted > count && count > power => count,
        Some(wanted) => wanted,
    };
    printf::placed(digits, power, -4..limit, false)
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
