//! Functions that turn values into booleans, numbers and texts.

use super::{Function, ruby, wrong};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::stop::{Help, help};
use crate::lang::puppet::types;
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "any2bool",
        signature: "any2bool(Any value)",
        doc: "The value as a boolean: numbers above 0, texts that mean yes, and every collection are true.",
        call: any2bool,
    },
    Function {
        name: "bool2num",
        signature: "bool2num(Variant[Boolean, String] value)",
        doc: "1 for true and 0 for false.",
        call: |_, c| {
            c.between(1, usize::MAX)?;
            str2bool(c, c.arg(0)).map(|is_true| Value::Int(i64::from(is_true)))
        },
    },
    Function {
        name: "bool2str",
        signature: "bool2str(Boolean value, Optional[String] if_true, Optional[String] if_false)",
        doc: "A text for each boolean: `true` and `false`, or two others.",
        call: bool2str,
    },
    Function {
        name: "clamp",
        signature: "clamp(Variant[Array, Numeric, String] *values)",
        doc: "The middle one of three numbers.",
        call: clamp,
    },
    Function {
        name: "convert_base",
        signature: "convert_base(Variant[String, Integer] number, Variant[String, Integer] base)",
        doc: "The digits of a number in a base from 2 to 36.",
        call: convert_base,
    },
    Function {
        name: "num2bool",
        signature: "num2bool(Any value)",
        doc: "Whether a number is above 0.",
        call: |_, c| {
            c.between(1, 1)?;
            num2bool(c, c.arg(0))
        },
    },
    Function {
        name: "str2bool",
        signature: "str2bool(Variant[Boolean, String] value)",
        doc: "Whether a text means yes.",
        call: |_, c| {
            c.between(1, usize::MAX)?;
            str2bool(c, c.arg(0)).map(Value::Bool)
        },
    },
    Function {
        name: "to_bytes",
        signature: "to_bytes(Variant[String, Numeric] size)",
        doc: "A size such as `4 kB` in bytes.",
        call: to_bytes,
    },
    Function {
        name: "is_a",
        signature: "is_a(Any value, Type type)",
        doc: "Whether the value is of a type.",
        call: |_, c| match c.arg(1) {
            Value::Type(ty) => Ok(Value::Bool(types::is_instance(ty, c.arg(0)))),
            other => wrong(c, 1, "a Type", other),
        },
    },
    Function {
        name: "pick",
        signature: "pick(Any *values)",
        doc: "The first value that is neither undef nor an empty text.",
        call: pick,
    },
    Function {
        name: "pick_default",
        signature: "pick_default(Any *values)",
        doc: "The first value that is neither undef nor an empty text, or the last one.",
        call: |_, c| match c.args.split_last() {
            Some((last, values)) => Ok(values.iter().find(|v| is_there(v)).unwrap_or(last).clone()),
            None => c.fail("pick_default(): at least one value is needed"),
        },
    },
];

fn is_there(value: &Value) -> bool {
    !matches!(value, Value::Undef) && value.as_str() != Some("")
}

fn pick(_: &mut Evaluator<'_>, call: &Call) -> Run {
    match call.args.iter().find(|v| is_there(v)) {
        Some(value) => Ok(value.clone()),
        None => call.fail("pick(): must receive at least one non empty value"),
    }
}

pub(super) fn str2bool(call: &Call, value: &Value) -> Run<bool> {
    let text = match value {
        Value::Bool(value) => return Ok(*value),
        Value::Str(text) => text,
        other => return wrong(call, 0, "a String or a Boolean", other),
    };
    let has_line = |words: &[&str]| text.lines().any(|line| words.iter().any(|word| word.eq_ignore_ascii_case(line)));
    if text.is_empty() || text.lines().any(str::is_empty) {
        return Ok(false);
    }
    if has_line(&["1", "t", "y", "true", "yes"]) {
        return Ok(true);
    }
    if has_line(&["0", "f", "n", "false", "no"]) || text.lines().any(|line| matches!(line, "undef" | "undefined")) {
        return Ok(false);
    }
    call.fail(format!("{}(): '{text}' does not mean yes or no", call.name))
}

fn num2bool(call: &Call, value: &Value) -> Run {
    let number = match value {
        Value::Int(value) => *value,
        Value::Float(value) => return Ok(Value::Bool(*value >= 1.0)),
        Value::Str(text) => match ruby::float(text) {
            Some(value) => return Ok(Value::Bool(value >= 1.0)),
            None => return call.fail(format!("{}(): '{text}' is not a number", call.name)),
        },
        other => match ruby::leading_integer(&ruby::text(other)) {
            Some(number) => number,
            None => return wrong(call, 0, "a number of 64 bits", other),
        },
    };
    Ok(Value::Bool(number > 0))
}

fn any2bool(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, usize::MAX)?;
    match call.arg(0) {
        Value::Bool(value) => Ok(Value::Bool(*value)),
        Value::Undef => Ok(Value::Bool(false)),
        value @ (Value::Int(_) | Value::Float(_)) => num2bool(call, value),
        value @ Value::Str(text) if ruby::float(text).is_some() => num2bool(call, value),
        value @ Value::Str(_) => str2bool(call, value).map(Value::Bool),
        _ => Ok(Value::Bool(true)),
    }
}

fn bool2str(_: &mut Evaluator<'_>, call: &Call) -> Run {
    if !matches!(call.args.len(), 1 | 3) {
        return call.fail(format!("'bool2str' expects 1 or 3 arguments, got {}", call.args.len())).help(help::COUNT);
    }
    let Value::Bool(value) = call.arg(0) else { return wrong(call, 0, "a Boolean", call.arg(0)) };
    let word = |index: usize, default: &str| match call.args.get(index) {
        None | Some(Value::Undef | Value::Bool(false)) => Ok(Value::str(default)),
        Some(text @ Value::Str(_)) => Ok(text.clone()),
        Some(other) => wrong(call, index, "a String", other),
    };
    let (if_true, if_false) = (word(1, "true")?, word(2, "false")?);
    Ok(if *value { if_true } else { if_false })
}

fn clamp(_: &mut Evaluator<'_>, call: &Call) -> Run {
    let mut flat = Vec::new();
    super::super::collection::flatten(&call.args, &mut flat);
    let mut numbers = Vec::new();
    for (i, value) in flat.iter().enumerate() {
        let number = match value {
            Value::Str(text) if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) => None,
            value => ruby::integer(value),
        };
        let Some(number) = number else { return wrong(call, i, "a number", value) };
        numbers.push(number);
    }
    numbers.sort_unstable();
    match numbers[..] {
        [_, middle, _] => Ok(Value::Int(middle)),
        _ => call.fail(format!("clamp(): three numbers are needed, got {}", numbers.len())),
    }
}

fn convert_base(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, 2)?;
    let number = |index: usize| match call.arg(index) {
        Value::Int(value) => Ok(i128::from(*value)),
        Value::Str(text) if !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) => {
            match text.parse::<i128>() {
                Ok(number) => Ok(number),
                Err(_) => call.fail(format!("{}(): {text} is outside of 128 bits", call.name)),
            }
        }
        other => wrong(call, index, "an integer or its digits", other),
    };
    let (value, base) = (number(0)?, number(1)?);
    if !(2..=36).contains(&base) {
        return call.fail(format!("convert_base(): the base has to be from 2 to 36, got {base}"));
    }
    let (mut rest, base) = (value.unsigned_abs(), base.unsigned_abs());
    let mut digits = Vec::new();
    while rest > 0 || digits.is_empty() {
        digits.extend(char::from_digit((rest % base) as u32, base as u32));
        rest /= base;
    }
    if value < 0 {
        digits.push('-');
    }
    Ok(Value::str(digits.iter().rev().collect::<String>()))
}

fn to_bytes(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    let text = match call.arg(0) {
        number @ (Value::Int(_) | Value::Float(_)) => return Ok(number.clone()),
        Value::Str(text) => text,
        other => return wrong(call, 0, "a String or a number", other),
    };
    let end = text.find(|c: char| !c.is_ascii_digit() && !".e+-".contains(c)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let mut value = 0.0;
    for length in (1..=number.len()).rev() {
        if let Some(found) = number.get(..length).and_then(ruby::float) {
            value = found;
            break;
        }
    }
    let unit = unit.trim_start().chars().next().filter(|c| !matches!(c, 'b' | 'B'));
    let power = match unit {
        None => 0,
        Some('k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        Some('E') => 60,
        Some(other) => return call.fail(format!("to_bytes(): '{other}' is not a unit")),
    };
    match crate::lang::ruby::number::whole(value * (1u64 << power) as f64) {
        Some(bytes) => Ok(Value::Int(bytes)),
        None => call.fail(format!("to_bytes(): '{text}' is outside of 64 bits")),
    }
}
