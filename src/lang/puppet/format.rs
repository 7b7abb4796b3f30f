//! `sprintf` as Ruby has it.

use super::convert::{ruby, string};
use super::stop::{Computed, Problem};
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::number;
use crate::lang::puppet::types;
use crate::lang::puppet::value::Value;
use crate::lang::ruby;
use crate::lang::shared::printf;

/// Widths and precisions above this are refused.
const MAX_WIDTH: usize = 10_000;

/// The name of the problem.
pub const TOO_WIDE: IssueName = IssueName::FormatTooWide;

/// One directive: `%-#10.3f`.
#[derive(Clone, Debug)]
pub(super) struct Spec {
    pub flags: String,
    pub width: Option<usize>,
    pub precision: Option<usize>,
    pub letter: char,
    /// The opening delimiter of a container.
    pub delimiter: Option<char>,
}

impl Spec {
    /// Whether the directive has a flag.
    pub fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    /// Refuses a width or a precision that is too large.
    pub fn check(&self) -> Computed<()> {
        let refused = |what: &str| Err(Problem::new(TOO_WIDE, format!("{what} of more than {MAX_WIDTH} in a format")));
        if self.width.is_some_and(|width| width > MAX_WIDTH) {
            return refused("a width");
        }
        // A text is cut at any precision.
        let is_cut = self.precision.is_some_and(|precision| precision > MAX_WIDTH) && !"sp".contains(self.letter);
        if is_cut { refused("a precision") } else { Ok(()) }
    }

    /// Pads a text with spaces to the width: on the left, or on the right with `-`.
    pub fn pad(&self, text: String) -> String {
        let width = self.width.unwrap_or(0);
        let length = text.chars().count();
        if length >= width {
            return text;
        }
        let blanks = " ".repeat(width - length);
        if self.has('-') { text + &blanks } else { blanks + &text }
    }

    /// A number with its sign, its prefix and zeros.
    fn number(&self, negative: bool, prefix: &str, digits: &str) -> String {
        let sign = printf::sign(negative, self.has('+'), self.has(' '));
        let mut digits = digits.to_string();
        if let Some(precision) = self.precision.filter(|_| "dixXobBu".contains(self.letter)) {
            digits = format!("{digits:0>width$}", width = precision);
        }
        let used = sign.len() + prefix.len() + digits.len();
        let width = self.width.unwrap_or(0);
        if self.has('0')
            && !self.has('-')
            && used < width
            && (self.precision.is_none() || !"dixXobBu".contains(self.letter))
        {
            digits = "0".repeat(width - used) + &digits;
        }
        self.pad(format!("{sign}{prefix}{digits}"))
    }
}

fn integer(spec: &Spec, value: i128) -> String {
    let size = value.unsigned_abs();
    let (radix, prefix) = match spec.letter {
        'x' => (16, "0x"),
        'X' => (16, "0X"),
        'o' => (8, "0"),
        'b' => (2, "0b"),
        'B' => (2, "0B"),
        _ => (10, ""),
    };
    let digits = printf::in_radix(size, radix, spec.letter == 'X');
    let prefix = if spec.has('#') && size != 0 { prefix } else { "" };
    spec.number(value < 0, prefix, &digits)
}

/// The character of a code point.
pub(super) fn character(code: i64) -> Computed<String> {
    let found = u32::try_from(code).ok().and_then(char::from_u32);
    found.map(String::from).ok_or_else(|| Problem::runtime(format!("{code} out of char range")))
}

/// A negative number as two's complement with endless leading digits: `..f01`.
fn complement(spec: &Spec, value: i64) -> String {
    let (bits, prefix) = match spec.letter {
        'x' => (4, "0x"),
        'X' => (4, "0X"),
        'o' => (3, "0"),
        'b' => (1, "0b"),
        _ => (1, "0B"),
    };
    let mask = (1i64 << bits) - 1;
    let digit = |value: i64| {
        let digit = char::from_digit((value & mask) as u32, 16).unwrap_or('0');
        if spec.letter == 'X' { digit.to_ascii_uppercase() } else { digit }
    };
    let mut digits = String::new();
    let mut rest = value;
    while rest != -1 {
        digits.insert(0, digit(rest));
        rest >>= bits;
    }
    let lead = digit(-1);
    digits.insert(0, lead);
    let prefix = if spec.has('#') { prefix } else { "" };
    let fill = |digits: String, width: usize| {
        let missing = width.saturating_sub(digits.len());
        lead.to_string().repeat(missing) + &digits
    };
    match (spec.precision, spec.width) {
        (Some(precision), _) => spec.pad(format!("{prefix}{}", fill(digits, precision))),
        (None, Some(width)) if spec.has('0') && !spec.has('-') => {
            format!("{prefix}..{}", fill(digits, width.saturating_sub(prefix.len() + 2)))
        }
        _ => spec.pad(format!("{prefix}..{digits}")),
    }
}

/// The number beside one whose shortest digits end in a 5 where they are cut: Ruby rounds it to the even digit, whatever
/// the exact value is. `kept` counts digits after the point or, where that is not asked for, all digits.
fn as_ruby_rounds(size: f64, kept: i32, after_point: bool) -> f64 {
    let (digits, exponent) = printf::digits(size, None);
    let kept = if after_point { kept + exponent + 1 } else { kept };
    let is_tie = kept >= 1 && digits.len() as i64 == i64::from(kept) + 1 && digits.ends_with('5');
    if !is_tie {
        return size;
    }
    match digits.as_bytes().get(kept as usize - 1) {
        Some(last) if last % 2 == 0 => f64::from_bits(size.to_bits() - 1),
        _ => f64::from_bits(size.to_bits() + 1),
    }
}

fn float(spec: &Spec, value: f64) -> String {
    if value.is_nan() || value.is_infinite() {
        let text = if value.is_nan() { "NaN" } else { "Inf" };
        return Spec { flags: spec.flags.replace('0', ""), ..spec.clone() }.number(
            value == f64::NEG_INFINITY,
            "",
            text,
        );
    }
    let size = value.abs();
    let precision = spec.precision.unwrap_or(6);
    let wanted = i32::try_from(precision).unwrap_or(i32::MAX - 400);
    let size = match spec.letter {
        'f' => as_ruby_rounds(size, wanted, true),
        'e' | 'E' => as_ruby_rounds(size, wanted + 1, false),
        'a' | 'A' => size,
        _ => as_ruby_rounds(size, wanted.max(1), false),
    };
    let text = match spec.letter {
        'f' => format!("{size:.precision$}"),
        'e' | 'E' => printf::exponential(size, Some(precision)),
        'a' | 'A' => printf::hexadecimal(size, None, 1),
        _ if spec.has('#') => {
            let count = precision.max(1);
            let (digits, exponent) = printf::digits(size, Some(count));
            printf::placed(&digits, exponent, -4..count as i32, false)
        }
        _ => printf::general(size, precision),
    };
    let text = if spec.letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
    spec.number(value.is_sign_negative() && value != 0.0, "", &text)
}

/// Ruby's `sprintf`, up to as many bytes.
pub fn sprintf(format: &str, args: &[Value], room: usize) -> Computed<String> {
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    let mut next = 0;
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = Spec { flags: String::new(), width: None, precision: None, letter: '%', delimiter: None };
        let mut named: Option<Value> = None;
        let mut take = |position: Option<usize>| -> Computed {
            let index = position.unwrap_or_else(|| {
                next += 1;
                next - 1
            });
            args.get(index).cloned().ok_or_else(|| Problem::runtime("too few arguments"))
        };
        let mut position = None;
        loop {
            match chars.peek().copied() {
                Some(flag @ ('-' | '+' | ' ' | '0' | '#')) => {
                    spec.flags.push(flag);
                    chars.next();
                }
                Some(open @ ('<' | '{')) => {
                    chars.next();
                    let close = if open == '<' { '>' } else { '}' };
                    let name: String = chars.by_ref().take_while(|c| *c != close).collect();
                    let found = args.first().and_then(|h| h.get(&name)).cloned();
                    let Some(found) = found else {
                        return Err(Problem::runtime(format!("key{open}{name}{close} not found")));
                    };
                    if open == '{' {
                        spec.check()?;
                        out.push_str(&spec.pad(string(&found)));
                        spec.letter = '\0';
                        break;
                    }
                    named = Some(found);
                }
                Some('*') => {
                    chars.next();
                    // `%*2$d`: the second argument is the width.
                    let mut ahead = chars.clone();
                    let digits: String = std::iter::from_fn(|| ahead.next_if(char::is_ascii_digit)).collect();
                    let at = digits.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
                    let at = at.filter(|_| ahead.next_if_eq(&'$').is_some());
                    if at.is_some() {
                        chars = ahead;
                    }
                    if let Value::Int(width) = take(at)? {
                        if width < 0 {
                            spec.flags.push('-');
                        }
                        spec.width = Some(usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX));
                    }
                }
                Some(d) if d.is_ascii_digit() => {
                    let digits: String = std::iter::from_fn(|| chars.next_if(char::is_ascii_digit)).collect();
                    if chars.next_if_eq(&'$').is_some() {
                        position = digits.parse::<usize>().ok().and_then(|p| p.checked_sub(1));
                    } else {
                        spec.width = Some(digits.parse().unwrap_or(usize::MAX));
                    }
                }
                Some('.') => {
                    chars.next();
                    let digits: String = std::iter::from_fn(|| chars.next_if(char::is_ascii_digit)).collect();
                    spec.precision = Some(match digits.is_empty() {
                        true => 0,
                        false => digits.parse().unwrap_or(usize::MAX),
                    });
                }
                Some(letter) => {
                    chars.next();
                    spec.letter = letter;
                    break;
                }
                None => return Err(Problem::runtime("incomplete format specifier; use %% (double %) instead")),
            }
        }
        match spec.letter {
            '\0' => continue,
            '%' if spec.width.is_none() && spec.precision.is_none() && spec.flags.is_empty() => {
                out.push('%');
                continue;
            }
            '%' => return Err(Problem::runtime("invalid format character - %")),
            _ => {}
        }
        let value = match named {
            Some(value) => value,
            None => take(position)?,
        };
        out.push_str(&formatted(&spec, &value)?);
        if out.len() > room {
            return Err(Problem::new(TOO_WIDE, "a text that is larger than the limit of memory"));
        }
    }
    Ok(out)
}

fn as_number(value: &Value) -> Computed {
    Ok(match value {
        Value::Int(_) | Value::Float(_) => value.clone(),
        Value::Str(text) => {
            number::parse(text).ok_or_else(|| Problem::runtime(format!("invalid value for Float(): \"{text}\"")))?
        }
        Value::Timestamp(value) | Value::Timespan(value) => Value::Float(*value as f64 / 1e9),
        other => return Err(Problem::runtime(format!("can't convert {} into Integer", types::infer_generic(other)))),
    })
}

pub(super) fn formatted(spec: &Spec, value: &Value) -> Computed<String> {
    spec.check()?;
    Ok(match spec.letter {
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'b' | 'B' => match as_number(value)? {
            Value::Int(value) if value < 0 && "xXobB".contains(spec.letter) && !spec.has('+') && !spec.has(' ') => {
                complement(spec, value)
            }
            Value::Int(value) => integer(spec, i128::from(value)),
            Value::Float(value) => match ruby::number::whole(value.floor()) {
                Some(whole) => return formatted(spec, &Value::Int(whole)),
                // A float has its digits in full, also outside of 64 bits.
                None if value.is_finite() && "diu".contains(spec.letter) => {
                    spec.number(value < 0.0, "", &format!("{:.0}", value.abs().floor()))
                }
                None => {
                    return Err(Problem::runtime(format!("{} is outside of 64 bits", ruby::number::float(value))));
                }
            },
            _ => String::new(),
        },
        'f' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => match as_number(value)? {
            Value::Int(value) => float(spec, value as f64),
            Value::Float(value) => float(spec, value),
            _ => String::new(),
        },
        'c' => match value {
            Value::Str(text) => match text.chars().next() {
                Some(first) => spec.pad(first.to_string()),
                None => return Err(Problem::runtime("%c requires a character")),
            },
            other => match as_number(other)? {
                Value::Float(code) => spec.pad(character(ruby::number::whole(code).unwrap_or(-1))?),
                Value::Int(code) => spec.pad(character(code)?),
                _ => String::new(),
            },
        },
        's' => {
            let text = match value {
                Value::Array(_) | Value::Hash(_) => ruby(value),
                other => string(other),
            };
            spec.pad(cut(text, spec.precision))
        }
        'p' => spec.pad(cut(ruby(value), spec.precision)),
        other => return Err(Problem::runtime(format!("malformed format string - %{other}"))),
    })
}

pub(super) fn cut(text: String, precision: Option<usize>) -> String {
    match precision {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    }
}
