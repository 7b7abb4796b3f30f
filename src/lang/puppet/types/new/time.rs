//! New durations and points in time.

use super::{NANOS, arg, refused};
use crate::lang::puppet::convert::string;
use crate::lang::puppet::stop::{Computed, Problem};
use crate::lang::puppet::types::{Ty, parse_timespan, parse_timestamp, zone as zone_of};
use crate::lang::puppet::value::Value;

fn formats(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Str(text)) => vec![text.to_string()],
        Some(Value::Array(list)) => list.iter().map(string).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn timespan(ty: &Ty, args: &[Value]) -> Computed {
    let integer = |value: Option<&Value>| match value {
        None | Some(Value::Undef) => Ok(0),
        Some(Value::Int(value)) => Ok(i128::from(*value)),
        Some(other) => Err(refused(ty, other)),
    };
    Ok(Value::Timespan(match args {
        [] => 0,
        [Value::Int(value)] => i128::from(*value) * NANOS,
        [Value::Float(value)] => (value * 1e9).round() as i128,
        [Value::Timespan(value)] => *value,
        [Value::Str(text)] => parse_timespan(text, &[])?,
        [Value::Str(text), given] => parse_timespan(text, &formats(Some(given)))?,
        [Value::Hash(map)] => {
            let get = |name: &str| map.get(&Value::str(name));
            if let Some(Value::Str(text)) = get("string") {
                parse_timespan(text, &formats(get("format")))?
            } else {
                const NAMES: [&str; 8] =
                    ["negative", "days", "hours", "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"];
                if !map.keys().all(|k| matches!(k, Value::Str(k) if NAMES.contains(&&**k))) {
                    return Err(refused(ty, &args[0]));
                }
                let seconds = ((integer(get("days"))? * 24 + integer(get("hours"))?) * 60 + integer(get("minutes"))?)
                    * 60
                    + integer(get("seconds"))?;
                let nanos = (integer(get("milliseconds"))? * 1000 + integer(get("microseconds"))?) * 1000
                    + integer(get("nanoseconds"))?;
                let total = seconds * NANOS + nanos;
                if matches!(get("negative"), Some(Value::Bool(true))) { -total } else { total }
            }
        }
        [_, _, _, _, ..] if args.len() <= 7 => {
            let part = |i: usize| integer(args.get(i));
            let seconds = ((part(0)? * 24 + part(1)?) * 60 + part(2)?) * 60 + part(3)?;
            seconds * NANOS + (part(4)? * 1000 + part(5)?) * 1000 + part(6)?
        }
        _ => return Err(refused(ty, args.first().unwrap_or(&Value::Undef))),
    }))
}

pub(super) fn timestamp(ty: &Ty, args: &[Value]) -> Computed {
    let zone = |value: Option<&Value>| match value {
        Some(Value::Str(name)) => {
            zone_of(name).map(Some).ok_or_else(|| Problem::runtime(format!("Illegal timezone '{name}'")))
        }
        _ => Ok(None),
    };
    Ok(Value::Timestamp(match args {
        [Value::Int(value)] => i128::from(*value) * NANOS,
        [Value::Float(value)] => (value * 1e9).round() as i128,
        [Value::Timestamp(value)] => *value,
        [Value::Str(text)] => parse_timestamp(text, &[], None)?,
        [Value::Str(_), Value::Array(list), ..] if list.is_empty() => {
            return Err(Problem::wrong_type("'new_timestamp' parameter 'format' expects size to be at least 1, got 0"));
        }
        [Value::Str(text), _] => parse_timestamp(text, &formats(arg(args, 1)), None)?,
        [Value::Str(_), _, Value::Str(_)]
            if formats(arg(args, 1)).iter().any(|f| f.contains("%z") || f.contains("%Z")) =>
        {
            return Err(Problem::runtime(
                "Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument",
            ));
        }
        [Value::Str(text), _, zone_name] => parse_timestamp(text, &formats(arg(args, 1)), zone(Some(zone_name))?)?,
        [Value::Hash(map)] => {
            let get = |name: &str| map.get(&Value::str(name));
            match get("string") {
                Some(Value::Str(text)) => parse_timestamp(text, &formats(get("format")), zone(get("timezone"))?)?,
                _ => return Err(refused(ty, &args[0])),
            }
        }
        _ => return Err(refused(ty, args.first().unwrap_or(&Value::Undef))),
    }))
}
