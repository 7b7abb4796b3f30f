//! Values as they are sent to the worker, and as they come back.

use std::sync::Arc;

use num_bigint::BigInt;
use serde_json::{Value as Json, json};

use super::super::pystr;
use super::super::run::Machine;
use super::super::value::{InstanceId, NESTING, Value};

/// A value for the worker.
pub fn to_json(value: &Value, machine: &Machine) -> Json {
    match value {
        Value::Null | Value::Skipped => Json::Null,
        Value::Bool(flag) => json!(flag),
        Value::Int(number) => json!(number),
        Value::Big(number) => json!({ "$big": number.to_string() }),
        Value::Float(number) => json!({ "$float": pystr::float(*number) }),
        Value::Str(text) => json!(&**text),
        Value::List(items) => items.iter().map(|item| to_json(item, machine)).collect(),
        Value::Dict(dict) => {
            let pairs: Vec<Json> =
                dict.items.iter().map(|(key, item)| json!([&**key, to_json(item, machine)])).collect();
            json!({ "$dict": pairs })
        }
        Value::Instance(id) => {
            let entity = machine.instances[id.0 as usize].entity;
            json!({ "$ref": id.0, "$type": machine.program.entity_name(entity) })
        }
        Value::Unknown(_) => json!({ "$unknown": true }),
    }
}

/// A value of the worker; `None` where it is none.
pub fn from_json(json: &Json, machine: &mut Machine) -> Option<Value> {
    of_json(json, machine, 0)
}

fn of_json(json: &Json, machine: &mut Machine, depth: u32) -> Option<Value> {
    if depth > NESTING {
        return None;
    }
    Some(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => Value::Int(number.as_i64()?),
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => {
            let mut list = Vec::with_capacity(items.len());
            for item in items {
                match of_json(item, machine, depth + 1)? {
                    // Lists are flat.
                    Value::List(inner) => list.extend(inner.iter().cloned()),
                    value => list.push(value),
                }
            }
            Value::list(list)
        }
        Json::Object(object) => {
            let (tag, inner) = object.iter().next()?;
            match (tag.as_str(), inner) {
                ("$ref", id) => {
                    let id = u32::try_from(id.as_u64()?).ok().filter(|id| (*id as usize) < machine.instances.len())?;
                    Value::Instance(InstanceId(id))
                }
                ("$unknown", _) => machine.unknown(),
                ("$big", Json::String(digits)) => Value::integer(digits.parse::<BigInt>().ok()?),
                ("$float", Json::String(text)) => Value::Float(text.parse().ok()?),
                ("$dict", Json::Array(pairs)) => {
                    let mut items: Vec<(Arc<str>, Value)> = Vec::with_capacity(pairs.len());
                    for pair in pairs {
                        let [Json::String(key), value] = pair.as_array()?.as_slice() else { return None };
                        items.push((key.as_str().into(), of_json(value, machine, depth + 1)?));
                    }
                    Value::dict(items)
                }
                _ => return None,
            }
        }
    })
}
