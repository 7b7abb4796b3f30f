//! Operators and casts, with Python's arithmetic.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};

use super::ast::Operator;
use super::error::{Class, Raise, Result};
use super::pattern::Pattern;
use super::pystr::{self, Instances};
use super::token::Compare;
use super::types::CastTo;
use super::value::{Value, compare, is_true};
use crate::diag::Code;
use crate::source::Span;

/// How many bits a number may have; a power could fill the memory.
const BITS: u64 = 1 << 20;

/// How long a text made of others may get.
const LONGEST: usize = pystr::LONGEST;

/// One operator on two values. `unknown` is the value of a result that is not known.
pub fn binary(
    operator: Operator,
    left: &Value,
    right: &Value,
    span: Span,
    unknown: Value,
    instances: &dyn Instances,
) -> Result<Value> {
    if operator == Operator::In {
        return contains(left, right, span, unknown, instances);
    }
    if left.is_unknown() || right.is_unknown() {
        return Ok(unknown);
    }
    match operator {
        Operator::Compare(Compare::Equal) => Ok(Value::Bool(left == right)),
        Operator::Compare(Compare::NotEqual) => Ok(Value::Bool(left != right)),
        Operator::Compare(how) => {
            if !left.is_number() || !right.is_number() {
                let other = if left.is_number() { right } else { left };
                let text = pystr::str(other, instances);
                let help = match text.parse::<f64>() {
                    Ok(_) => format!("write the number without quotes: `{text}`"),
                    Err(_) => "compare two numbers; `==` and `!=` compare all values".to_string(),
                };
                let ty = if matches!(other, Value::Str(_)) { "a string" } else { "no number" };
                let label = format!("only numbers have an order, and `{text}` is {ty}");
                return Err(Raise::at(Class::Typing, span, "Can only compare numbers.")
                    .with_label(label)
                    .with_help(help));
            }
            let order = compare(left, right);
            Ok(Value::Bool(match how {
                Compare::Less => order == Some(Ordering::Less),
                Compare::Greater => order == Some(Ordering::Greater),
                Compare::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
                _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            }))
        }
        _ => arithmetic(operator, left, right, span, instances),
    }
}

fn contains(left: &Value, right: &Value, span: Span, unknown: Value, instances: &dyn Instances) -> Result<Value> {
    if left.is_unknown() {
        return Ok(unknown);
    }
    match right {
        Value::Dict(dict) => Ok(Value::Bool(match left {
            Value::Str(key) => dict.get(key).is_some(),
            _ => false,
        })),
        Value::List(items) => {
            if items.contains(left) {
                return Ok(Value::Bool(true));
            }
            Ok(if items.iter().any(Value::is_unknown) { unknown } else { Value::Bool(false) })
        }
        other => {
            let message = format!("Operand two of 'in' can only be a list or dict ({})", pystr::str(other, instances));
            let help = match other {
                Value::Str(_) => {
                    "write a list of values on the right, `[…]`; a part of a text is found by a regular expression in a `typedef`"
                }
                _ => "write a list or a dictionary on the right: `VALUE in [A, B]`",
            };
            Err(Raise::at(Class::Typing, span, message).with_help(help))
        }
    }
}

fn arithmetic(operator: Operator, left: &Value, right: &Value, span: Span, instances: &dyn Instances) -> Result<Value> {
    if let (Operator::Plus, Value::Str(text)) = (operator, left) {
        let Value::Str(more) = right else {
            let message = format!(
                "Can only concatenate str (not '{}' ({})) to str",
                right.type_name(),
                pystr::repr(right, instances)
            );
            let raise = Raise::at(Class::Typing, span, message);
            return Err(raise.with_help("convert it with `string(…)`, or write it into the text: `\"… {{ name }}\"`"));
        };
        if text.len() + more.len() > LONGEST {
            return Err(too_large(span));
        }
        return Ok(Value::str(format!("{text}{more}")));
    }
    if !left.is_number() || !right.is_number() {
        let message = format!(
            "Unsupported operand type(s) for {}: '{}' ({}) and '{}' ({})",
            operation(operator),
            left.type_name(),
            pystr::repr(left, instances),
            right.type_name(),
            pystr::repr(right, instances)
        );
        let raise = Raise::at(Class::Typing, span, message);
        return Err(match left {
            Value::Str(_) if operation(operator) == "modulo" => {
                raise.with_help("write values into a text as `\"… {{ name }}\"` or `f\"… {name}\"`")
            }
            Value::List(_) => raise.with_help("a list in a list is joined to it: `[FIRST, SECOND]`"),
            _ if matches!((left, right), (Value::Str(_), _) | (_, Value::Str(_))) => raise
                .with_help("convert the text to a number, `int(…)`, or write both into a text: `\"{{ a }}{{ b }}\"`"),
            _ => raise.with_help("calculate with two numbers only"),
        });
    }
    if matches!(left, Value::Float(_)) || matches!(right, Value::Float(_)) {
        let (Some(a), Some(b)) = (left.as_float(), right.as_float()) else { return Err(overflow(span)) };
        return floats(operator, a, b, span);
    }
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        let small = match operator {
            Operator::Plus => a.checked_add(*b),
            Operator::Minus => a.checked_sub(*b),
            Operator::Times => a.checked_mul(*b),
            _ => None,
        };
        if let Some(number) = small {
            return Ok(Value::Int(number));
        }
    }
    let (Some(a), Some(b)) = (left.as_big(), right.as_big()) else { return Err(overflow(span)) };
    integers(operator, &a, &b, span)
}

fn integers(operator: Operator, a: &BigInt, b: &BigInt, span: Span) -> Result<Value> {
    let fits = |number: BigInt| if number.bits() > BITS { Err(too_large(span)) } else { Ok(Value::integer(number)) };
    match operator {
        Operator::Plus => fits(a + b),
        Operator::Minus => fits(a - b),
        Operator::Times => fits(a * b),
        Operator::Divide => {
            if b.is_zero() {
                return Err(zero(span));
            }
            let (Some(a), Some(b)) = (a.to_f64(), b.to_f64()) else { return Err(overflow(span)) };
            let quotient = a / b;
            if quotient.is_finite() { Ok(Value::Float(quotient)) } else { Err(overflow(span)) }
        }
        Operator::Modulo => {
            if b.is_zero() {
                return Err(zero(span));
            }
            fits(a.mod_floor(b))
        }
        _ => {
            if b.is_negative() {
                let (Some(a), Some(b)) = (a.to_f64(), b.to_f64()) else { return Err(overflow(span)) };
                return floats(Operator::Power, a, b, span);
            }
            let Some(exponent) = b.to_u32() else {
                return match a.to_i64() {
                    Some(0 | 1) => Ok(Value::integer(a.clone())),
                    Some(-1) => Ok(Value::Int(if b.is_even() { 1 } else { -1 })),
                    _ => Err(too_large(span)),
                };
            };
            if a.bits().saturating_mul(u64::from(exponent)) > BITS {
                return Err(too_large(span));
            }
            Ok(Value::integer(a.pow(exponent)))
        }
    }
}

fn floats(operator: Operator, a: f64, b: f64, span: Span) -> Result<Value> {
    Ok(Value::Float(match operator {
        Operator::Plus => a + b,
        Operator::Minus => a - b,
        Operator::Times => a * b,
        Operator::Divide if b == 0.0 => return Err(zero(span)),
        Operator::Divide => a / b,
        Operator::Modulo if b == 0.0 => return Err(zero(span)),
        Operator::Modulo => {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                rest + b
            } else if rest == 0.0 {
                0.0_f64.copysign(b)
            } else {
                rest
            }
        }
        _ if a == 0.0 && b < 0.0 => return Err(zero(span)),
        _ if a < 0.0 && b.is_finite() && b.fract() != 0.0 => {
            return Err(Raise::at(Class::Internal, span, "the power of a negative number is no real number"));
        }
        _ => {
            let power = a.powf(b);
            if power.is_infinite() && a.is_finite() && b.is_finite() {
                return Err(overflow(span));
            }
            power
        }
    }))
}

fn zero(span: Span) -> Box<Raise> {
    Raise::at(Class::Internal, span, "division by zero")
        .with_code(Code::DivisionByZero)
        .with_help("check the divisor before the division")
}

fn overflow(span: Span) -> Box<Raise> {
    Raise::at(Class::Internal, span, "the number is too large for a float")
}

fn too_large(span: Span) -> Box<Raise> {
    Raise::at(Class::Runtime, span, "the result is too large").with_code(Code::EvaluationLimit)
}

fn operation(operator: Operator) -> &'static str {
    match operator {
        Operator::Plus => "plus",
        Operator::Minus => "minus",
        Operator::Times => "multiplication",
        Operator::Divide => "division",
        Operator::Modulo => "modulo",
        _ => "exponentiation",
    }
}

/// The error for a value where only a bool fits.
pub fn no_bool(value: &Value, what: &str, span: Span, instances: &dyn Instances) -> Box<Raise> {
    let text = pystr::str(value, instances);
    let message = format!("Invalid value `{text}`: {what} a boolean expression");
    Raise::at(Class::WrongValue, span, message).with_help(as_bool(value))
}

/// How to make a bool of a value.
pub fn as_bool(value: &Value) -> &'static str {
    match value {
        Value::Int(_) | Value::Big(_) | Value::Float(_) => "compare the number, as in `VALUE > 0`",
        Value::Str(_) => "compare the text, as in `VALUE != \"\"`; `true` and `false` have no quotes",
        Value::List(_) => "compare its length, as in `std::count(VALUE) > 0`",
        Value::Dict(_) => "ask for a key, as in `\"KEY\" in VALUE`",
        Value::Null => "compare it, as in `VALUE != null`, or ask `is defined`",
        Value::Instance(_) => "ask whether the relation is set, `VALUE is defined`, or compare one of its attributes",
        _ => "write a condition that is true or false",
    }
}

/// One side of `and` or `or`.
pub fn side(value: &Value, is_and: bool, is_left: bool, span: Span, instances: &dyn Instances) -> Result<bool> {
    let Value::Bool(flag) = value else {
        let message = format!(
            "Invalid {} hand value `{}`: `{}` expects a boolean",
            if is_left { "left" } else { "right" },
            pystr::str(value, instances),
            if is_and { "and" } else { "or" }
        );
        return Err(Raise::at(Class::Runtime, span, message).with_help(as_bool(value)));
    };
    Ok(*flag)
}

/// Negates a boolean; an unknown value becomes `unknown`. Fails for any other value.
pub fn not(value: &Value, span: Span, unknown: Value, instances: &dyn Instances) -> Result<Value> {
    match value {
        Value::Unknown(_) => Ok(unknown),
        Value::Bool(flag) => Ok(Value::Bool(!flag)),
        other => {
            let message = format!("Invalid value `{}`: `not` expects a boolean", pystr::str(other, instances));
            Err(Raise::at(Class::WrongValue, span, message).with_help(as_bool(other)))
        }
    }
}

/// Whether a text matches a pattern from its start.
pub fn matches(
    pattern: &Result<Pattern, String>,
    value: &Value,
    span: Span,
    unknown: Value,
    instances: &dyn Instances,
) -> Result<Value> {
    if value.is_unknown() {
        return Ok(unknown);
    }
    let Value::Str(text) = value else {
        let message = format!(
            "Regex can only be match with strings. {} is of type {}",
            pystr::str(value, instances),
            value.type_name()
        );
        let help = "a pattern is for texts: give the type the base `string`, or compare with `>`, `<` or `in`";
        return Err(Raise::at(Class::Typing, span, message).with_help(help));
    };
    let matched = pattern.as_ref().map_err(Clone::clone).and_then(|pattern| pattern.matches(text));
    matched.map(Value::Bool).map_err(|reason| {
        Raise::at(Class::Runtime, span, format!("the pattern cannot be matched: {reason}"))
            .with_code(Code::InvalidRegexp)
            .with_code(Code::EvaluationLimit)
    })
}

/// A call of a primitive type.
pub fn cast(to: CastTo, values: &[Value], has_named: bool, span: Span, instances: &dyn Instances) -> Result<Value> {
    if has_named {
        let raise = Raise::at(Class::Runtime, span, "Only positional arguments allowed in type cast");
        return Err(raise.with_help("write the value alone: `int(VALUE)`"));
    }
    let [value] = values else {
        let texts: Vec<_> = values.iter().map(|value| pystr::repr(value, instances)).collect();
        let message = format!("Illegal arguments {}: type cast expects exactly 1 argument", texts.join(","));
        return Err(Raise::at(Class::Runtime, span, message).with_help("write one value: `int(VALUE)`"));
    };
    if value.is_unknown() {
        return Ok(value.clone());
    }
    let made = match to {
        CastTo::Str => match value {
            Value::Bool(flag) => Some(Value::str(if *flag { "true" } else { "false" })),
            other => {
                let text = pystr::str(other, instances);
                if text.len() > LONGEST {
                    return Err(too_large(span));
                }
                Some(Value::str(text))
            }
        },
        CastTo::Bool => Some(Value::Bool(!matches!(value, Value::Null) && is_true(value))),
        CastTo::Int => whole(value),
        CastTo::Number if matches!(value, Value::Int(_) | Value::Big(_) | Value::Bool(_)) => whole(value),
        CastTo::Float | CastTo::Number => as_float(value).map(Value::Float),
    };
    made.ok_or_else(|| {
        let name = match to {
            CastTo::Str => "string",
            CastTo::Float => "float",
            CastTo::Number => "number",
            CastTo::Int => "int",
            CastTo::Bool => "bool",
        };
        let help = match to {
            CastTo::Int | CastTo::Number | CastTo::Float => "convert a text of digits only, such as `\"42\"`",
            _ => "convert a number, a text or a bool",
        };
        Raise::new(Class::Runtime, format!("Failed to cast '{}' to {name}", pystr::str(value, instances)))
            .with_help(help)
    })
}

/// Python's `int`.
fn whole(value: &Value) -> Option<Value> {
    match value {
        Value::Int(_) | Value::Big(_) => Some(value.clone()),
        Value::Bool(flag) => Some(Value::Int(i64::from(*flag))),
        Value::Float(number) => {
            num_traits::FromPrimitive::from_f64(number.trunc()).map(|number: BigInt| Value::integer(number))
        }
        Value::Str(text) => digits(text.trim()).and_then(|text| text.parse::<BigInt>().ok()).map(Value::integer),
        _ => None,
    }
}

/// The text without the underscores that Python allows between digits.
fn digits(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'_' && !(at > 0 && is_digit(at - 1) && is_digit(at + 1)) {
            return None;
        }
    }
    (bytes.len() <= 4300).then(|| text.replace('_', ""))
}

/// Python's `float`.
fn as_float(value: &Value) -> Option<f64> {
    let Value::Str(text) = value else { return value.as_float() };
    let text = digits(text.trim())?;
    let lower = text.to_ascii_lowercase();
    match lower.trim_start_matches(['+', '-']) {
        "inf" | "infinity" => Some(if lower.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }),
        "nan" => Some(f64::NAN),
        plain if plain.starts_with(|c: char| c.is_ascii_digit() || c == '.') => lower.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::pystr::NoInstances;
    use super::*;
    use crate::source::FileId;

    #[test]
    fn arithmetic_follows_python() {
        let span = Span::new(FileId(0), 0, 0);
        let of = |operator, a: Value, b: Value| binary(operator, &a, &b, span, Value::Unknown(0), &NoInstances).ok();
        assert_eq!(of(Operator::Modulo, Value::Int(-7), Value::Int(3)), Some(Value::Int(2)));
        assert_eq!(of(Operator::Power, Value::Int(2), Value::Int(-1)), Some(Value::Float(0.5)));
        assert_eq!(of(Operator::Divide, Value::Int(1), Value::Int(0)), None);
        assert_eq!(of(Operator::Power, Value::Int(10), Value::Int(100_000_000)), None);
        let big = of(Operator::Times, Value::Int(i64::MAX), Value::Int(2));
        assert_eq!(big.map(|big| pystr::repr(&big, &NoInstances)).as_deref(), Some("18446744073709551614"));
    }
}
