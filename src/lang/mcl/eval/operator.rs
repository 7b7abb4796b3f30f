//! The operators of the language on values. Numbers behave like Go's: integers wrap around, `/` returns a float.

use super::Fault;
use crate::diag::{Code, nearest};
use crate::lang::Budget;
use crate::lang::mcl::ast::BinaryOp;
use crate::lang::mcl::value::Value;
use crate::source::Span;

/// The value of `left op right`. Both sides have one type, which unification ensures. Comparing spends steps.
pub fn binary(op: BinaryOp, left: &Value, right: &Value, span: Span, budget: &Budget) -> Result<Value, Fault> {
    let too_large = || too_large(span);
    Ok(match op {
        BinaryOp::Add => return add(left, right).ok_or_else(|| ill_typed(op, span)),
        BinaryOp::Sub => number(left, right, i64::wrapping_sub, |a, b| a - b).ok_or_else(|| ill_typed(op, span))?,
        BinaryOp::Mul => number(left, right, i64::wrapping_mul, |a, b| a * b).ok_or_else(|| ill_typed(op, span))?,
        BinaryOp::Div => return divide(left, right, span),
        BinaryOp::Eq => Value::Bool(equal(left, right, budget).ok_or_else(too_large)?),
        BinaryOp::Ne => Value::Bool(!equal(left, right, budget).ok_or_else(too_large)?),
        BinaryOp::Lt => Value::Bool(less(left, right)),
        BinaryOp::Gt => Value::Bool(less(right, left)),
        BinaryOp::Le => Value::Bool(less(left, right) || left == right),
        BinaryOp::Ge => Value::Bool(less(right, left) || left == right),
        BinaryOp::And => Value::Bool(truth(left) && truth(right)),
        BinaryOp::Or => Value::Bool(truth(left) || truth(right)),
        BinaryOp::In => match right {
            Value::List(items) => Value::Bool(contains(items, left, budget).ok_or_else(too_large)?),
            _ => return Err(ill_typed(op, span)),
        },
    })
}

/// The number of keys of a map that are compared with a missing one.
const NEAR: usize = 1000;

/// Whether a condition holds.
pub fn truth(value: &Value) -> bool {
    matches!(value, Value::Bool(true))
}

/// `value[index]`: an item of a list or of a map. Finding a key spends steps.
pub fn index(value: &Value, index: &Value, span: Span, budget: &Budget) -> Result<Value, Fault> {
    match (value, index) {
        (Value::List(items), Value::Int(at)) => {
            usize::try_from(*at).ok().and_then(|at| items.get(at)).cloned().ok_or_else(|| {
                Fault::catchable(Code::UnknownKey, span, format!("no item {at} in a list of {}", items.len()))
            })
        }
        (Value::Map(pairs), key) => {
            measure(key, budget).ok_or_else(|| too_large(span))?;
            let missing = || {
                let label = format!("no key {} in a map of {}", brief(key), pairs.len());
                let fault = Fault::catchable(Code::UnknownKey, span, label);
                let keys = pairs.keys().filter_map(|key| if let Value::Str(key) = key { Some(&**key) } else { None });
                let near = if let Value::Str(key) = key { nearest(key, keys.take(NEAR)) } else { None };
                match near {
                    Some(near) => fault.help(format!("did you mean `\"{near}\"`? Or add a default with `<|>`")),
                    None => fault,
                }
            };
            pairs.get(key).cloned().ok_or_else(missing)
        }
        _ => Err(Fault::fatal(Code::TypeMismatch, span, "not a list or a map")),
    }
}

/// A field of a struct.
pub fn field(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Struct(fields) => fields.iter().find(|(have, _)| have == name).map(|(_, value)| value.clone()),
        _ => None,
    }
}

fn add(left: &Value, right: &Value) -> Option<Value> {
    match (left, right) {
        (Value::Str(a), Value::Str(b)) => Some(Value::str([&**a, &**b].concat())),
        (Value::Str(_) | Value::Bytes(_), Value::Str(_) | Value::Bytes(_)) => {
            Some(Value::text([left.as_bytes()?, right.as_bytes()?].concat()))
        }
        _ => number(left, right, i64::wrapping_add, |a, b| a + b),
    }
}

fn number(left: &Value, right: &Value, int: fn(i64, i64) -> i64, float: fn(f64, f64) -> f64) -> Option<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => Some(Value::Int(int(*a, *b))),
        (Value::Float(a), Value::Float(b)) => Some(Value::Float(float(*a, *b))),
        _ => None,
    }
}

fn divide(left: &Value, right: &Value, span: Span) -> Result<Value, Fault> {
    let (a, b) = match (left, right) {
        (Value::Int(a), Value::Int(b)) => (*a as f64, *b as f64),
        (Value::Float(a), Value::Float(b)) => (*a, *b),
        _ => return Err(ill_typed(BinaryOp::Div, span)),
    };
    if b == 0.0 {
        Err(Fault::catchable(Code::DivisionByZero, span, "the divisor is 0"))
    } else {
        Ok(Value::Float(a / b))
    }
}

/// Order of numbers; NaN is not less than anything.
fn less(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a < b,
        (Value::Float(a), Value::Float(b)) => a < b,
        _ => false,
    }
}

/// Unification refuses everything that ends here. It is still a failure and not a panic, because it depends on another
/// stage.
fn ill_typed(op: BinaryOp, span: Span) -> Fault {
    Fault::fatal(Code::InvalidOperand, span, format!("`{}` does not work for these values", op.as_str()))
}

/// A value in a message: whole if it is short.
pub fn brief(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Str(text) if text.chars().nth(40).is_some() => {
            format!("\"{}…\"", text.chars().take(40).collect::<String>())
        }
        Value::Str(text) => format!("\"{text}\""),
        Value::Bytes(bytes) => format!("a text of {} bytes", bytes.len()),
        Value::List(items) => format!("a list of {}", items.len()),
        Value::Map(pairs) => format!("a map of {}", pairs.len()),
        Value::Struct(_) => "a struct".to_owned(),
        Value::Func(_) => "a function".to_owned(),
    }
}

/// Whether two values are equal, within a budget; `None` if it is exceeded. Values share their parts, so a few lines
/// can contain a list with astronomically many items.
pub fn equal(left: &Value, right: &Value, budget: &Budget) -> Option<bool> {
    equal_at(DEPTH, left, right, budget)
}

/// The depth limit of a comparison; deeper values count as too large.
const DEPTH: u32 = 10_000;

fn equal_at(depth: u32, left: &Value, right: &Value, budget: &Budget) -> Option<bool> {
    budget.spend(1).ok()?;
    let depth = depth.checked_sub(1)?;
    Some(match (left, right) {
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Str(a), Value::Str(b)) if a.len() == b.len() => {
            budget.text(a.len()).ok()?;
            a == b
        }
        (Value::Bytes(a), Value::Bytes(b)) if a.len() == b.len() => {
            budget.text(a.len()).ok()?;
            a == b
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && all(a.iter().zip(b.iter()), |(a, b)| equal_at(depth, a, b, budget))?
        }
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && all(a.iter().zip(b.iter()), |((k, v), (l, w))| match equal_at(depth, k, l, budget)? {
                    true => equal_at(depth, v, w, budget),
                    false => Some(false),
                })?
        }
        (Value::Struct(a), Value::Struct(b)) => {
            a.len() == b.len() && all(a.iter().zip(b.iter()), |((_, a), (_, b))| equal_at(depth, a, b, budget))?
        }
        (a, b) => a == b,
    })
}

/// Spends the maximum cost of comparing a value with another one.
pub fn measure(value: &Value, budget: &Budget) -> Option<()> {
    measure_at(DEPTH, value, budget)
}

fn measure_at(depth: u32, value: &Value, budget: &Budget) -> Option<()> {
    budget.spend(1).ok()?;
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Str(text) => budget.text(text.len()).ok()?,
        Value::Bytes(bytes) => budget.text(bytes.len()).ok()?,
        Value::List(items) => items.iter().try_for_each(|item| measure_at(depth, item, budget))?,
        Value::Map(pairs) => pairs.iter().try_for_each(|(key, value)| {
            measure_at(depth, key, budget)?;
            measure_at(depth, value, budget)
        })?,
        Value::Struct(fields) => fields.iter().try_for_each(|(_, value)| measure_at(depth, value, budget))?,
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) => {}
    }
    Some(())
}

/// The failure of a comparison that exceeds the budget.
pub fn too_large(span: Span) -> Fault {
    Fault::fatal(Code::EvaluationLimit, span, "too large to compare")
}

/// Whether a list contains a value, within a budget as in [`equal`].
pub fn contains(items: &[Value], needle: &Value, budget: &Budget) -> Option<bool> {
    Some(!all(items.iter(), |item| equal(item, needle, budget).map(|same| !same))?)
}

fn all<T>(items: impl Iterator<Item = T>, mut holds: impl FnMut(T) -> Option<bool>) -> Option<bool> {
    for item in items {
        if !holds(item)? {
            return Some(false);
        }
    }
    Some(true)
}
