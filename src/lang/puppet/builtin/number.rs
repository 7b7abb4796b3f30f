//! Numbers: rounding, comparing, versions.

use std::cmp::Ordering;

use super::random::fqdn_rand;
use super::{Function, NUMBER};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::{Evaluator, operator};
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::types;
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "abs",
        signature: "abs(Numeric value)",
        doc: "The value without its sign.",
        examples: &[("abs(-3)", "3")],
        takes: NUMBER,
        is_pure: true,
        call: |e, c| rounded(e, c, f64::abs, true),
        ..Function::PLAIN
    },
    Function {
        name: "ceiling",
        signature: "ceiling(Numeric value)",
        doc: "The least integer that is not below the value.",
        examples: &[("ceiling(2.1)", "3")],
        takes: NUMBER,
        is_pure: true,
        call: |e, c| rounded(e, c, f64::ceil, false),
        ..Function::PLAIN
    },
    Function {
        name: "floor",
        signature: "floor(Numeric value)",
        doc: "The greatest integer that is not above the value.",
        examples: &[("floor(2.9)", "2")],
        takes: NUMBER,
        is_pure: true,
        call: |e, c| rounded(e, c, f64::floor, false),
        ..Function::PLAIN
    },
    Function {
        name: "round",
        signature: "round(Numeric value)",
        doc: "The nearest integer; halves go away from zero.",
        examples: &[("round(2.5)", "3")],
        takes: &[("Callable[Numeric]", "val")],
        is_pure: true,
        call: |e, c| rounded(e, c, f64::round, false),
        ..Function::PLAIN
    },
    Function {
        name: "max",
        signature: "max(Any *values)",
        doc: "The greatest of the values.",
        examples: &[("max(1, 3, 2)", "3")],
        takes: &[
            ("Callable[Numeric, 0]", "values"),
            ("Callable[String, 0]", "values"),
            ("Callable[SemVer, 0]", "values"),
            ("Callable[Timespan, 0]", "values"),
            ("Callable[Timestamp, 0]", "values"),
            ("Callable[Array[Numeric], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[String], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[SemVer], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[Timespan], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[Timestamp], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array, Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Any, 0, Callable[2, 2]]", "values block"),
            ("Callable[Any, 0]", "values"),
        ],
        is_pure: true,
        call: |e, c| extreme(e, c, Ordering::Greater),
        ..Function::PLAIN
    },
    Function {
        name: "min",
        signature: "min(Any *values)",
        doc: "The least of the values.",
        examples: &[("min(1, 3, 2)", "1")],
        takes: &[
            ("Callable[Numeric, 0]", "values"),
            ("Callable[String, 0]", "values"),
            ("Callable[SemVer, 0]", "values"),
            ("Callable[Timespan, 0]", "values"),
            ("Callable[Timestamp, 0]", "values"),
            ("Callable[Array[Numeric], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[SemVer], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[Timespan], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[Timestamp], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array[String], Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Array, Optional[Callable[2, 2]]]", "values block"),
            ("Callable[Any, 0, Callable[2, 2]]", "values block"),
            ("Callable[Any, 0]", "values"),
        ],
        is_pure: true,
        call: |e, c| extreme(e, c, Ordering::Less),
        ..Function::PLAIN
    },
    Function {
        name: "compare",
        signature: "compare(Any a, Any b, Optional[Boolean] ignore_case)",
        doc: "-1, 0 or 1 by the order of two values.",
        examples: &[("compare('a', 'B')", "-1")],
        is_pure: true,
        call: compare,
        ..Function::PLAIN
    },
    Function {
        name: "versioncmp",
        signature: "versioncmp(String a, String b, Optional[Boolean] ignore_trailing_zeroes)",
        doc: "-1, 0 or 1 by the order of two versions.",
        examples: &[("versioncmp('1.2', '1.10')", "-1")],
        takes: &[("Callable[String, String, Boolean, 2, 3]", "a b ignore_trailing_zeroes")],
        is_pure: true,
        call: versioncmp,
        ..Function::PLAIN
    },
    Function {
        name: "fqdn_rand",
        signature: "fqdn_rand(Integer max, Optional[Any] seed, Optional[Boolean] downcase)",
        doc: "A number below max that is always the same for one node and seed.",
        call: fqdn_rand,
        ..Function::PLAIN
    },
];

/// What the reference adds where it knows no place.
const NOWHERE: &str = "\n   (file & line not available)";

/// A number from text, always decimal; `0x` where floats are read.
fn decimal(text: &str, keeps_float: bool) -> Option<Value> {
    let without: String = text.chars().filter(|c| *c != '_').collect();
    let text = if text.starts_with('_') || text.ends_with('_') { text } else { &*without };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    match text.parse::<i64>() {
        Ok(value) => Some(Value::Int(value)),
        Err(_) if keeps_float && !is_plain => None,
        Err(_) => text.parse::<f64>().ok().map(Value::Float).or_else(|| crate::lang::puppet::number::parse(text)),
    }
}

fn deprecated(e: &mut Evaluator<'_>, call: &Call, kind: &str) {
    let text = format!("The {}() function's auto conversion of String to {kind} is deprecated", call.name);
    e.output.log("warning", format!("{text} - change to convert input before calling{NOWHERE}"));
}

fn rounded(e: &mut Evaluator<'_>, call: &Call, round: fn(f64) -> f64, keeps_float: bool) -> Run {
    call.between(1, 1)?;
    let number = match call.arg(0) {
        Value::Str(text) if &*call.name != "round" => {
            deprecated(e, call, if keeps_float { "Numeric" } else { "Float" });
            match decimal(text, keeps_float) {
                Some(number) => number,
                None => {
                    let message = format!("{}(): cannot convert given value to a floating point value.", call.name);
                    return call.fail(message);
                }
            }
        }
        other => other.clone(),
    };
    let whole = match number {
        Value::Float(value) if keeps_float => return Ok(Value::Float(round(value))),
        Value::Float(value) => crate::lang::ruby::number::whole(round(value)),
        Value::Int(value) if keeps_float => value.checked_abs(),
        Value::Int(value) => Some(value),
        other => {
            let got = types::infer_generic(&other);
            return call.wrong_type(format!("'{}' parameter 'val' expects a Numeric value, got {got}", call.name));
        }
    };
    match whole {
        Some(value) => Ok(Value::Int(value)),
        None => call.fail(format!("{}(): the result is outside of the range of integers", call.name)),
    }
}

fn extreme(e: &mut Evaluator<'_>, call: &Call, wanted: Ordering) -> Run {
    let values = match &call.args[..] {
        [Value::Array(list)] => list.to_vec(),
        [Value::Hash(map)] if call.block.is_some() => {
            map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect()
        }
        args => args.to_vec(),
    };
    let Some(block) = &call.block else { return extreme_plain(e, call, &values, wanted) };
    let mut best: Option<Value> = None;
    let mut is_open = false;
    for value in values {
        let Some(so_far) = &best else {
            best = Some(value);
            continue;
        };
        let order = match e.apply(block, &[value.clone(), so_far.clone()], call.span)? {
            Value::Int(order) => order.cmp(&0),
            Value::Unknown(_) => {
                is_open = true;
                continue;
            }
            _ => return call.fail(format!("{}(): the block has to give an Integer", call.name)),
        };
        if order == wanted {
            best = Some(value);
        }
    }
    match best {
        Some(_) if is_open => Ok(Value::Unknown(None)),
        Some(value) => Ok(value),
        None => call.fail(format!("{}(): at least one value is needed", call.name)),
    }
}

/// Without a lambda, numbers in strings count as numbers, and what is left counts as text.
fn extreme_plain(e: &mut Evaluator<'_>, call: &Call, values: &[Value], wanted: Ordering) -> Run {
    let Some(first) = values.first() else {
        return call.fail(format!("{}(): at least one value is needed", call.name));
    };
    if values.len() == 1 {
        return Ok(first.clone());
    }
    let number = |value: &Value| match value {
        Value::Int(_) | Value::Float(_) => Some(value.clone()),
        Value::Str(text) if text.bytes().any(|b| b.is_ascii_digit()) => {
            decimal(text, false).filter(|_| !text.contains(['x', 'X']))
        }
        _ => None,
    };
    let comparable = values.iter().all(|v| operator::compare(first, v).is_some());
    let is_text = values.iter().all(|v| matches!(v, Value::Str(_)));
    let numbers: Option<Vec<Value>> = values.iter().map(number).collect();
    let keys: Vec<Value> = match numbers {
        Some(numbers) => {
            if values.iter().any(|v| matches!(v, Value::Str(_))) {
                e.output.log("warning", format!("The {}() function's auto conversion of String to Numeric is deprecated - change to convert input before calling, or use lambda{NOWHERE}", call.name));
            }
            numbers
        }
        None if is_text || comparable => values.to_vec(),
        None => {
            e.output.log("warning", format!("The {}() function's auto conversion of Any to String is deprecated - change to convert input before calling, or use lambda{NOWHERE}", call.name));
            values.iter().map(|v| Value::str(crate::lang::puppet::convert::string(v))).collect()
        }
    };
    let mut best = 0;
    for (i, key) in keys.iter().enumerate().skip(1) {
        // Texts compare by their bytes here.
        if operator::ruby_order(key, &keys[best]) == Some(wanted) {
            best = i;
        }
    }
    Ok(values[best].clone())
}

fn compare(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, 3)?;
    e.output.pay_order(call.arg(0), call.arg(1), call.span)?;
    let order = match (call.arg(0), call.arg(1), call.args.get(2)) {
        (Value::Str(a), Value::Str(b), Some(Value::Bool(false))) => Some(a.cmp(b)),
        (Value::Str(_), Value::Str(_), None | Some(Value::Bool(true))) => operator::compare(call.arg(0), call.arg(1)),
        (_, _, Some(_)) => return call.fail("compare(): can only use ignore_case with strings"),
        (a, b, None) => {
            let same_kind = matches!((a, b), (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)))
                || std::mem::discriminant(a) == std::mem::discriminant(b)
                || matches!(
                    (a, b),
                    (Value::Timespan(_) | Value::Timestamp(_), Value::Int(_) | Value::Float(_))
                        | (Value::Int(_) | Value::Float(_), Value::Timespan(_) | Value::Timestamp(_))
                );
            if same_kind { operator::compare(a, b) } else { None }
        }
    };
    match order {
        Some(order) => Ok(Value::Int(order as i64)),
        None => call.fail("compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp are comparable"),
    }
}

fn versioncmp(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let (a, b) = (call.text(0)?, call.text(1)?);
    // A part may be one byte.
    e.output.spend_items(a.len() + b.len(), call.span)?;
    let trims = matches!(call.args.get(2), Some(Value::Bool(true)));
    let trim = |text: &str| {
        let mut text = text;
        while trims && text.ends_with(".0") {
            text = &text[..text.len() - 2];
        }
        text.to_string()
    };
    Ok(Value::Int(versions(&trim(&a), &trim(&b)) as i64))
}

/// The order of two versions: digits by number, the rest by text.
pub fn versions(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (segments(a), segments(b));
    while let (Some(x), Some(y)) = (left.next(), right.next()) {
        if x == y {
            continue;
        }
        for sign in ["-", "."] {
            match (x == sign, y == sign) {
                (true, false) => return Ordering::Less,
                (false, true) => return Ordering::Greater,
                _ => {}
            }
        }
        let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
        return if digits(x) && digits(y) && !x.starts_with('0') && !y.starts_with('0')
            || digits(x) && digits(y) && (x == "0" || y == "0")
        {
            x.len().cmp(&y.len()).then_with(|| x.cmp(y))
        } else if digits(x) && digits(y) {
            x.to_lowercase().cmp(&y.to_lowercase())
        } else {
            x.to_uppercase().cmp(&y.to_uppercase())
        };
    }
    a.cmp(b)
}

fn segments(mut rest: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let length = match rest.chars().next()? {
            '-' | '.' => 1,
            c if c.is_ascii_digit() => rest.bytes().take_while(u8::is_ascii_digit).count(),
            _ => rest.find(|c: char| c == '-' || c == '.' || c.is_ascii_digit()).unwrap_or(rest.len()),
        };
        let (segment, after) = rest.split_at(length);
        rest = after;
        Some(segment)
    })
}
