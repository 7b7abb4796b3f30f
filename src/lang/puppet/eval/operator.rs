//! Arithmetic, comparison and membership.

use std::cmp::Ordering;

use crate::lang::puppet::ast::Op;
use crate::lang::puppet::issue::IssueName;
use crate::lang::puppet::stop::{About, Computed, Problem};
use crate::lang::puppet::types::{self, Ty, Type};
use crate::lang::puppet::value::{Map, Value};

/// `==`: strings ignore the case of ASCII letters, numbers compare across kinds.
pub fn equals(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => a.eq_ignore_ascii_case(b),
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => *a as f64 == *b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| equals(a, b)),
        (Value::Hash(a), Value::Hash(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| equals(v, w)))
        }
        (Value::SemVer(a), Value::SemVer(b)) => a.compare(b).is_eq() && a.build == b.build,
        (Value::Timespan(_) | Value::Timestamp(_), Value::Int(_) | Value::Float(_))
        | (Value::Int(_) | Value::Float(_), Value::Timespan(_) | Value::Timestamp(_)) => {
            compare(a, b).is_some_and(Ordering::is_eq)
        }
        _ => a == b,
    }
}

/// The order of two values, if they have one.
pub fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => {
            Some(a.bytes().map(|b| b.to_ascii_lowercase()).cmp(b.bytes().map(|b| b.to_ascii_lowercase())))
        }
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Int(a), Value::Float(b)) => (*a as f64).partial_cmp(b),
        (Value::Float(a), Value::Int(b)) => a.partial_cmp(&(*b as f64)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Timespan(a), Value::Timespan(b)) | (Value::Timestamp(a), Value::Timestamp(b)) => Some(a.cmp(b)),
        (Value::SemVer(a), Value::SemVer(b)) => Some(a.compare(b)),
        (Value::Timespan(a), Value::Int(b)) => Some(a.cmp(&(i128::from(*b) * SECOND))),
        (Value::Int(a), Value::Timespan(b)) => Some((i128::from(*a) * SECOND).cmp(b)),
        (Value::Timespan(a), Value::Float(b)) => (*a as f64).partial_cmp(&(b * 1e9)),
        (Value::Float(a), Value::Timespan(b)) => (a * 1e9).partial_cmp(&(*b as f64)),
        (Value::Timestamp(a), Value::Int(b)) => Some(a.cmp(&(i128::from(*b) * SECOND))),
        (Value::Int(a), Value::Timestamp(b)) => Some((i128::from(*a) * SECOND).cmp(b)),
        (Value::Timestamp(a), Value::Float(b)) => (*a as f64).partial_cmp(&(b * 1e9)),
        (Value::Float(a), Value::Timestamp(b)) => (a * 1e9).partial_cmp(&(*b as f64)),
        _ => None,
    }
}

/// The order of two values as Ruby's `<=>` has it: of texts by their bytes, of arrays by their elements.
pub fn ruby_order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (Value::Array(a), Value::Array(b)) => {
            for (a, b) in a.iter().zip(b.iter()) {
                match ruby_order(a, b) {
                    Some(Ordering::Equal) => {}
                    order => return order,
                }
            }
            Some(a.len().cmp(&b.len()))
        }
        (a, b) if a == b => Some(Ordering::Equal),
        (a, b) => compare(a, b),
    }
}

/// A second in nanoseconds, the unit of timespans and timestamps.
pub const SECOND: i128 = 1_000_000_000;

/// `< <= > >=` of two values.
pub fn ordered(op: Op, a: &Value, b: &Value) -> Computed<bool> {
    if let (Value::Type(a), Value::Type(b)) = (a, b) {
        return Ok(match op {
            Op::Less => types::assignable(b, a) && a != b,
            Op::LessEqual => types::assignable(b, a),
            Op::Greater => types::assignable(a, b) && a != b,
            _ => types::assignable(a, b),
        });
    }
    let Some(order) = compare(a, b) else {
        let class = |v: &Value| types::infer_generic(v).to_string();
        return Err(Problem::new(
            IssueName::ComparisonNotPossible,
            format!(
                "Comparison of: {} {} {}, is not possible. Caused by 'Only Strings, Numbers, Timespans, Timestamps, and Versions are comparable'.",
                class(a),
                op.as_str(),
                class(b)
            ),
        ));
    };
    Ok(match op {
        Op::Less => order.is_lt(),
        Op::LessEqual => order.is_le(),
        Op::Greater => order.is_gt(),
        _ => order.is_ge(),
    })
}

/// `in`, without the match variables that a regular expression sets.
pub fn includes(needle: &Value, hay: &Value) -> Computed<bool> {
    Ok(match (needle, hay) {
        (Value::Str(needle), Value::Str(hay)) => hay.to_lowercase().contains(&needle.to_lowercase()),
        (Value::Regexp(regexp), Value::Str(hay)) => regexp.is_match(hay).map_err(Problem::regexp)?,
        (Value::Type(ty), Value::Array(list)) => list.iter().any(|v| types::is_instance(ty, v) || equals(needle, v)),
        (Value::Regexp(regexp), Value::Array(list)) => {
            for item in list.iter() {
                if let Value::Str(text) = item
                    && regexp.is_match(text).map_err(Problem::regexp)?
                {
                    return Ok(true);
                }
            }
            list.iter().any(|v| equals(needle, v))
        }
        (_, Value::Array(list)) => {
            for item in list.iter() {
                let in_range = matches!((needle, item), (Value::SemVer(v), Value::SemVerRange(r)) if r.includes(v));
                if in_range || equals(needle, item) {
                    return Ok(true);
                }
            }
            false
        }
        (_, Value::Hash(map)) => return includes(needle, &Value::array(map.keys().cloned().collect())),
        (Value::SemVer(version), Value::SemVerRange(range)) => range.includes(version),
        (Value::Str(text), Value::SemVerRange(range)) => {
            crate::lang::puppet::semver::Version::parse(text).is_some_and(|v| range.includes(&v))
        }
        (Value::Type(_), Value::Type(_)) => false,
        (Value::Binary(part), Value::Binary(bytes)) => {
            part.is_empty() || bytes.windows(part.len()).any(|w| *w == **part)
        }
        (Value::Str(part), Value::Binary(bytes)) => {
            part.is_empty() || bytes.windows(part.len()).any(|w| *w == *part.as_bytes())
        }
        (Value::Float(byte), Value::Binary(bytes)) => bytes.iter().any(|b| f64::from(*b) == *byte),
        (Value::Int(byte), Value::Binary(bytes)) => bytes.iter().any(|b| i64::from(*b) == *byte),
        _ => false,
    })
}

fn overflow(op: Op) -> Problem {
    Problem::new(
        IssueName::NumericOverflow,
        format!("A '{}' expression resulted in a value outside of Puppet Integer range", op.as_str()),
    )
}

/// `+ - * / % << >>`.
pub fn arithmetic(op: Op, a: &Value, b: &Value) -> Computed {
    match (op, a) {
        (Op::Add, Value::Array(list)) => return Ok(concatenate(list, b)),
        (Op::Add, Value::Hash(map)) => return merge(map, b),
        (Op::Add, Value::Binary(bytes)) => {
            let Value::Binary(more) = b else { return Err(Problem::runtime("Can only append Binary to a Binary")) };
            return Ok(Value::Binary([&**bytes, &**more].concat().into()));
        }
        (Op::Add, Value::Uri(base)) => {
            let (Value::Str(more) | Value::Uri(more)) = b else {
                return Err(Problem::runtime("An URI can only be merged with an URI or String"));
            };
            return Ok(Value::Uri(types::join_uri(base, more).into()));
        }
        (Op::Subtract, Value::Array(list)) => return Ok(without(list, b)),
        (Op::Subtract, Value::Hash(map)) => return Ok(without_keys(map, b)),
        (Op::LeftShift, Value::Array(list)) => {
            let mut list = list.to_vec();
            list.push(b.clone());
            return Ok(Value::array(list));
        }
        (Op::LeftShift, Value::Hash(_)) => return Err(not_applicable(op, a)),
        _ => {}
    }
    // Both sides are numbers, durations or versions before it counts whether the operator knows them.
    let (a, b) = (&number(a)?, &number(b)?);
    let is_time = |value: &Value| matches!(value, Value::Timespan(_) | Value::Timestamp(_));
    match (a, b) {
        (Value::Float(_), _) | (_, Value::Float(_)) if op == Op::Modulo => numeric(op, a.clone(), b.clone()),
        _ if is_time(a) || is_time(b) => time(op, a, b),
        (Value::SemVer(_), _) => Err(not_applicable(op, a)),
        (_, Value::SemVer(_)) if matches!(op, Op::LeftShift | Op::RightShift) => Err(not_applicable(op, a)),
        (_, Value::SemVer(_)) => Err(Problem::runtime("a version cannot be converted into a number")),
        _ => numeric(op, a.clone(), b.clone()),
    }
}

fn not_applicable(op: Op, a: &Value) -> Problem {
    Problem::new(
        IssueName::OperatorNotApplicable,
        format!(
            "Operator '{}' is not applicable to {}.",
            op.as_str(),
            crate::lang::puppet::words::article(&class_of(a))
        ),
    )
    .about(About::Operand)
}

/// The name of a value's type without parameters.
fn class_of(value: &Value) -> String {
    types::infer_generic(value).to_string().split('[').next().unwrap_or_default().to_string()
}

/// A number; a string is never coerced, because `strict` makes that an error.
pub fn number(value: &Value) -> Computed {
    match value {
        Value::Int(_) | Value::Float(_) | Value::Timespan(_) | Value::Timestamp(_) | Value::SemVer(_) => {
            Ok(value.clone())
        }
        Value::Str(text) => Err(match crate::lang::puppet::number::parse(text) {
            Some(_) => Problem::new(
                IssueName::NumericCoercion,
                format!("The string '{text}' was automatically coerced to the numerical value {text}"),
            ),
            None => Problem::new(IssueName::NotNumeric, format!("The value '{text}' cannot be converted to Numeric."))
                .about(About::Number)
                .help(match text.contains("%s") || text.contains("%d") {
                    true => format!("write `sprintf('{text}', …)`, or one text with `${{NAME}}` in double quotes"),
                    false => {
                        "write `Integer($x)` to make a number of a text; texts are joined in one text: `\"${a}${b}\"`"
                            .into()
                    }
                }),
        }),
        Value::Type(ty) => Err(Problem::new(
            IssueName::NotNumeric,
            format!("The value '{}' cannot be converted to Numeric.", crate::lang::puppet::convert::string(value)),
        )
        .about(About::Number)
        .help(format!("`{ty}` is no number: two resources are ordered with `->`, or `~>` to refresh as well"))),
        other => Err(Problem::new(
            IssueName::NotNumeric,
            format!("The value '{}' cannot be converted to Numeric.", crate::lang::puppet::convert::string(other)),
        )
        .about(About::Number)),
    }
}

fn numeric(op: Op, a: Value, b: Value) -> Computed {
    use Value::{Float, Int};
    let by_zero = || Problem::new(IssueName::DivByZero, "Division by 0");
    Ok(match (a, b) {
        (Int(a), Int(b)) => Int(match op {
            Op::Add => a.checked_add(b).ok_or_else(|| overflow(op))?,
            Op::Subtract => a.checked_sub(b).ok_or_else(|| overflow(op))?,
            Op::Multiply => a.checked_mul(b).ok_or_else(|| overflow(op))?,
            Op::Divide if b == 0 => return Err(by_zero()),
            Op::Modulo if b == 0 => return Err(by_zero()),
            Op::Divide => {
                let quotient = a.checked_div(b).ok_or_else(|| overflow(op))?;
                if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
            }
            Op::Modulo => {
                let rest = a.checked_rem(b).unwrap_or(0);
                if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
            }
            Op::LeftShift | Op::RightShift => {
                let by = if op == Op::LeftShift { b } else { b.saturating_neg() };
                if by >= 0 {
                    u32::try_from(by)
                        .ok()
                        .filter(|by| *by < 64)
                        .and_then(|by| {
                            let wide = i128::from(a) << by;
                            i64::try_from(wide).ok()
                        })
                        .or(if a == 0 { Some(0) } else { None })
                        .ok_or_else(|| overflow(op))?
                } else {
                    a >> by.unsigned_abs().min(63)
                }
            }
            _ => return Err(Problem::runtime("no such operator")),
        }),
        (a @ (Int(_) | Float(_)), b @ (Int(_) | Float(_))) => {
            let as_float = |v: &Value| match v {
                Int(v) => *v as f64,
                Float(v) => *v,
                _ => 0.0,
            };
            let (x, y) = (as_float(&a), as_float(&b));
            let result = match op {
                Op::Add => x + y,
                Op::Subtract => x - y,
                Op::Multiply => x * y,
                Op::Divide if y == 0.0 => return Err(by_zero()),
                Op::Divide => x / y,
                _ => {
                    let value = if matches!(a, Float(_)) { &a } else { &b };
                    return Err(Problem::new(
                        if matches!(a, Float(_)) {
                            IssueName::OperatorNotApplicable
                        } else {
                            IssueName::OperatorNotApplicableWhen
                        },
                        format!("Operator '{}' is not applicable to {}", op.as_str(), types::infer_generic(value)),
                    )
                    .about(About::Operand));
                }
            };
            if !result.is_finite() {
                return Err(Problem::new(
                    IssueName::ResultIsInfinity,
                    format!("The result of the {} expression is Infinity", op.as_str()),
                ));
            }
            Float(result)
        }
        _ => {
            return Err(
                Problem::new(IssueName::NotNumeric, "The value cannot be converted to Numeric.").about(About::Number)
            );
        }
    })
}

fn concatenate(list: &[Value], more: &Value) -> Value {
    let mut list = list.to_vec();
    match more {
        Value::Array(more) => list.extend(more.iter().cloned()),
        Value::Hash(map) => list.extend(map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()]))),
        other => list.push(other.clone()),
    }
    Value::array(list)
}

fn merge(map: &Map, more: &Value) -> Computed {
    let mut map = map.clone();
    match more {
        Value::Hash(more) => map.extend(more.iter().map(|(k, v)| (k.clone(), v.clone()))),
        Value::Array(list) => map.extend(types::new::pairs(list)?),
        _ => return Err(Problem::runtime("Can only append Array or Hash to a Hash")),
    }
    Ok(Value::hash(map))
}

fn without(list: &[Value], less: &Value) -> Value {
    let gone: Vec<Value> = match less {
        Value::Array(less) => less.to_vec(),
        Value::Hash(map) => map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect(),
        other => vec![other.clone()],
    };
    let gone: std::collections::HashSet<&Value> = gone.iter().collect();
    Value::array(list.iter().filter(|v| !gone.contains(v)).cloned().collect())
}

fn without_keys(map: &Map, less: &Value) -> Value {
    let mut map = map.clone();
    match less {
        Value::Array(keys) => map.retain(|k, _| !keys.contains(k)),
        Value::Hash(less) => map.retain(|k, _| !less.contains_key(k)),
        key => map.retain(|k, _| k != key),
    }
    Value::hash(map)
}

/// Arithmetic with points in time and durations.
fn time(op: Op, a: &Value, b: &Value) -> Computed {
    use Value::{Float, Int, Timespan, Timestamp};
    let nanos = |v: &Value| match v {
        Int(v) => Some(i128::from(*v) * SECOND),
        Float(v) => Some((v * 1e9).round() as i128),
        Timespan(v) => Some(*v),
        _ => None,
    };
    let refused = || {
        let class = |value| crate::lang::puppet::words::article(class_of(value).as_str());
        Err(match (op, a) {
            (Op::LeftShift | Op::RightShift, Timespan(_)) => not_applicable(op, a),
            (Op::LeftShift | Op::RightShift | Op::Multiply | Op::Divide | Op::Modulo, Timestamp(_)) => {
                not_applicable(op, a)
            }
            (_, Timespan(_) | Timestamp(_)) => {
                Problem::runtime(format!("{} cannot be combined with {} by '{}'", class(a), class(b), op.as_str()))
            }
            _ => Problem::new(
                IssueName::OperatorNotApplicableWhen,
                format!(
                    "Operator '{}' is not applicable to {} when right side is {}.",
                    op.as_str(),
                    class(a),
                    class(b)
                ),
            )
            .about(About::Operand),
        })
    };
    Ok(match (op, a, b) {
        (Op::Add, Timestamp(a), b) => match nanos(b) {
            Some(b) => Timestamp(a + b),
            None => return refused(),
        },
        (Op::Add, Timespan(a), Timestamp(b)) => Timestamp(a + b),
        (Op::Add, Int(_) | Float(_), Timestamp(b)) => match nanos(a) {
            Some(a) => Timestamp(a + b),
            None => return refused(),
        },
        (Op::Add, a, b) => match (nanos(a), nanos(b)) {
            (Some(a), Some(b)) => Timespan(a + b),
            _ => return refused(),
        },
        (Op::Subtract, Timestamp(a), Timestamp(b)) => Timespan(a - b),
        (Op::Subtract, Timestamp(a), b) => match nanos(b) {
            Some(b) => Timestamp(a - b),
            None => return refused(),
        },
        (Op::Subtract, a, b) => match (nanos(a), nanos(b)) {
            (Some(a), Some(b)) => Timespan(a - b),
            _ => return refused(),
        },
        (Op::Multiply, Timespan(a), Int(b)) | (Op::Multiply, Int(b), Timespan(a)) => Timespan(a * i128::from(*b)),
        (Op::Multiply, Timespan(a), Float(b)) | (Op::Multiply, Float(b), Timespan(a)) => {
            Timespan((*a as f64 * b) as i128)
        }
        (Op::Divide, Timespan(_), Timespan(0)) | (Op::Divide | Op::Modulo, Timespan(_), Int(0)) => {
            return Err(Problem::new(IssueName::DivByZero, "Division by 0"));
        }
        (Op::Divide, Timespan(a), Timespan(b)) => Float(*a as f64 / *b as f64),
        (Op::Divide, Timespan(a), Int(b)) => Timespan(a.div_euclid(i128::from(*b))),
        (Op::Divide, Timespan(a), Float(b)) => Timespan((*a as f64 / b) as i128),
        (Op::Modulo, Timespan(a), Timespan(b)) if *b != 0 => Timespan(a.rem_euclid(*b)),
        (Op::Modulo, Timespan(a), Int(b)) => Timespan(a.rem_euclid(i128::from(*b) * SECOND)),
        _ => return refused(),
    })
}

/// Whether a value matches an option of `case` or a selector, without match variables.
pub fn matches(value: &Value, pattern: &Value) -> Computed<bool> {
    Ok(match (value, pattern) {
        (_, Value::Default) => matches!(value, Value::Default),
        (Value::Type(_), Value::Type(b)) => types::is_instance(b, value),
        (_, Value::Type(ty)) => types::is_instance(ty, value),
        (Value::Str(text), Value::Regexp(regexp)) => regexp.is_match(text).map_err(Problem::regexp)?,
        (Value::Array(list), Value::Array(patterns)) => {
            if list.len() != patterns.len() {
                return Ok(false);
            }
            for (value, pattern) in list.iter().zip(patterns.iter()) {
                if !matches!(pattern, Value::Default) && !matches(value, pattern)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Hash(map), Value::Hash(patterns)) => {
            for (key, pattern) in patterns.iter() {
                match map.get(key) {
                    Some(value) if matches!(pattern, Value::Default) || matches(value, pattern)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Value::SemVer(version), Value::SemVerRange(range)) => range.includes(version),
        (Value::Str(text), Value::SemVerRange(range)) => {
            crate::lang::puppet::semver::Version::parse(text).is_some_and(|v| range.includes(&v))
        }
        (Value::Str(text), Value::SemVer(version)) => {
            crate::lang::puppet::semver::Version::parse(text).is_some_and(|v| v.compare(version).is_eq())
        }
        _ => equals(value, pattern),
    })
}

/// The type that a reference names, for those who compare by type.
pub fn is_reference(ty: &Ty) -> bool {
    matches!(**ty, Type::Resource(Some(_), Some(_)) | Type::Class(Some(_)))
}
