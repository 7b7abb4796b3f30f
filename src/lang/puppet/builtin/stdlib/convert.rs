//! Functions that turn values into booleans, numbers and texts.

use super::{Function, Unknown, ruby, wrong};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::types;
use crate::lang::puppet::value::Value;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "convert_base",
        signature: "convert_base(Variant[String, Integer] number, Variant[String, Integer] base)",
        doc: "The digits of a number in a base from 2 to 36.",
        examples: &[("convert_base('254', 16)", "'fe'")],
        call: convert_base,
        ..Function::PLAIN
    },
    Function {
        name: "num2bool",
        signature: "num2bool(Any value)",
        doc: "Whether a number is above 0.",
        examples: &[("num2bool('2')", "true")],
        call: |_, c| {
            c.between(1, 1)?;
            num2bool(c, c.arg(0))
        },
        ..Function::PLAIN
    },
    Function {
        name: "is_a",
        signature: "is_a(Any value, Type type)",
        doc: "Whether the value is of a type.",
        examples: &[("is_a(5, Integer)", "true")],
        call: |_, c| match c.arg(1) {
            Value::Type(ty) => Ok(Value::Bool(types::is_instance(ty, c.arg(0)))),
            other => wrong(c, 1, "a Type", other),
        },
        ..Function::PLAIN
    },
    Function {
        name: "pick",
        signature: "pick(Any *values)",
        doc: "The first value that is neither undef nor an empty text.",
        examples: &[("pick(undef, '', 'a')", "'a'")],
        unknown: Unknown::Chooses,
        call: pick,
        ..Function::PLAIN
    },
    Function {
        name: "pick_default",
        signature: "pick_default(Any *values)",
        doc: "The first value that is neither undef nor an empty text, or the last one.",
        examples: &[("pick_default('', 'b')", "'b'")],
        unknown: Unknown::Chooses,
        call: |_, c| match c.args.split_last() {
            Some((last, values)) => Ok(values.iter().find(|v| is_there(v)).unwrap_or(last).clone()),
            None => c.fail("pick_default(): at least one value is needed"),
        },
        ..Function::PLAIN
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
