//! `convert`: converts between scalars.

use super::Function;
use super::call::Failure;
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;

/// The functions of the module `convert`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "format_bool",
        &["func(value bool) str"],
        "`true` or `false` as text.",
        &[("convert.format_bool(true)", "\"true\"")],
        |call| Ok(Value::str(call.bool(0)?.to_string())),
    ),
    Function::new(
        "int_to_str",
        &["func(value int) str"],
        "A number in decimal.",
        &[("convert.int_to_str(-42)", "\"-42\"")],
        |call| Ok(Value::str(call.int(0)?.to_string())),
    ),
    Function::new(
        "parse_bool",
        &["func(text str) bool"],
        "Reads `1 t T true True TRUE` and `0 f F false False FALSE`.",
        &[("convert.parse_bool(\"T\")", "true"), ("convert.parse_bool(\"yes\") <|> false", "false")],
        |call| {
            let text = call.str(0)?;
            parse_bool(text)
                .map(Value::Bool)
                .ok_or_else(|| Failure::catchable(format!("{} is not true or false", Quoted(text))))
        },
    ),
    Function::new(
        "str_to_float",
        &["func(text str) float"],
        "Reads a number with or without fraction and exponent.",
        &[("convert.str_to_float(\"-2.5e1\")", "-25.0"), ("convert.str_to_float(\"x\") <|> 0.0", "0.0")],
        |call| {
            let text = call.str(0)?;
            parse_float(text)
                .map(Value::Float)
                .ok_or_else(|| Failure::catchable(format!("{} is not a number", Quoted(text))))
        },
    ),
    Function::new(
        "str_to_int",
        &["func(text str) int"],
        "Reads a whole number in decimal.",
        &[("convert.str_to_int(\"-42\")", "-42"), ("convert.str_to_int(\"4.2\") <|> 0", "0")],
        |call| {
            let text = call.str(0)?;
            parse_int(text)
                .map(Value::Int)
                .ok_or_else(|| Failure::catchable(format!("{} is not a whole number", Quoted(text))))
        },
    ),
    Function::new(
        "to_float",
        &["func(value int) float"],
        "A whole number as a float.",
        &[("convert.to_float(3)", "3.0")],
        |call| Ok(Value::Float(call.int(0)? as f64)),
    ),
    Function::new(
        "to_int",
        &["func(value float) int"],
        "A float without its fraction.",
        &[("convert.to_int(-3.9)", "-3")],
        |call| Ok(Value::Int(call.float(0)? as i64)),
    ),
];

/// Parses the spellings of a bool that Go's `strconv.ParseBool` accepts; `None` for any other text.
pub fn parse_bool(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "True" | "TRUE" => Some(true),
        "0" | "f" | "F" | "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Decimal with an optional sign.
pub fn parse_int(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// As Go parses floats: too large is an error, not infinite; the names of infinity and NaN are valid.
pub fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        let value = parse_hexadecimal(&unsigned[2..])?;
        return Some(if text.starts_with('-') { -value } else { value });
    }
    if unsigned.len() < text.len() && unsigned.eq_ignore_ascii_case("nan") {
        return None;
    }
    let named = unsigned.starts_with(['i', 'I', 'n', 'N']);
    let value: f64 = if named { text.parse() } else { without_underscores(text, false)?.parse() }.ok()?;
    (value.is_finite() || named).then_some(value)
}

/// A number without its underscores, each of which must be between two digits.
fn without_underscores(text: &str, is_prefixed: bool) -> Option<String> {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let bytes = text.as_bytes();
    let stands =
        |at: usize| (if at == 0 { is_prefixed } else { is_digit(bytes.get(at - 1)) }) && is_digit(bytes.get(at + 1));
    let all_stand = bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || stands(at));
    all_stand.then(|| text.replace('_', ""))
}

/// What follows `0x`: hexadecimal digits with a fraction, and always an exponent of two.
fn parse_hexadecimal(text: &str) -> Option<f64> {
    let text = without_underscores(text, true)?;
    let (digits, exponent) = text.split_once(['p', 'P'])?;
    let exponent: i32 = exponent.parse().ok()?;
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all = [whole, fraction].concat();
    if all.is_empty() || all.len() > 16 || !all.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let number = u64::from_str_radix(&all, 16).ok()?;
    let value = number as f64 * 2f64.powi(exponent.saturating_sub(4 * fraction.len() as i32));
    value.is_finite().then_some(value)
}
