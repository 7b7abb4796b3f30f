//! Values as they are sent to the worker, and as they come back.

use std::sync::Arc;

use num_bigint::BigInt;
use serde_json::{Map, Value as Json, json};

use super::super::ast::NodeId;
use super::super::names::Sym;
use super::super::pystr;
use super::super::run::{Flow, Machine, Run, ScopeId};
use super::super::value::{InstanceId, NESTING, Value};
use crate::graph;

/// A value for the worker.
pub fn to_json(value: &Value, machine: &Machine) -> Json {
    match value {
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
        Value::Unknown(_) => match machine.reference_key(value) {
            Some(key) => json!({ "$reference": &**key }),
            None => plain(value),
        },
        other => plain(other),
    }
}

/// A value without instances for the worker.
pub fn plain(value: &Value) -> Json {
    match value {
        Value::Null | Value::Skipped => Json::Null,
        Value::Bool(flag) => json!(flag),
        Value::Int(number) => json!(number),
        Value::Big(number) => json!({ "$big": number.to_string() }),
        Value::Float(number) => json!({ "$float": pystr::float(*number) }),
        Value::Str(text) => json!(&**text),
        Value::List(items) => items.iter().map(plain).collect(),
        Value::Dict(dict) => {
            let pairs: Vec<Json> = dict.items.iter().map(|(key, item)| json!([&**key, plain(item)])).collect();
            json!({ "$dict": pairs })
        }
        Value::Instance(_) | Value::Unknown(_) => json!({ "$unknown": true }),
    }
}

/// A value of the worker; `None` where it is none. A dataclass becomes an instance of its entity, made at the call.
pub fn from_json(json: &Json, machine: &mut Machine, scope: ScopeId, call: NodeId) -> Run<Option<Value>> {
    let mut reader = Reader { machine, scope, call, failed: None };
    let value = reader.value(json, 0);
    reader.failed.map_or(Ok(value), Err)
}

/// A value of the worker without instances; `None` where it is none.
pub fn plain_value(json: &Json) -> Option<Value> {
    Some(match json {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => Value::Int(number.as_i64()?),
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(items) => Value::list(items.iter().map(plain_value).collect::<Option<_>>()?),
        Json::Object(object) => match object.iter().next().map(|(tag, inner)| (tag.as_str(), inner))? {
            ("$big", Json::String(digits)) => Value::integer(digits.parse::<BigInt>().ok()?),
            ("$float", Json::String(text)) => Value::Float(text.parse().ok()?),
            _ => return None,
        },
    })
}

/// A value of the worker as a value of a graph; unknown where it is none.
pub fn graph_value(json: &Json) -> graph::Value {
    match json {
        Json::Null => graph::Value::Null,
        Json::Bool(flag) => graph::Value::Bool(*flag),
        Json::Number(number) => number.as_i64().map_or(graph::Value::Unknown, graph::Value::Int),
        Json::String(text) => text.as_str().into(),
        Json::Array(items) => graph::Value::List(items.iter().map(graph_value).collect()),
        Json::Object(object) => match object.iter().next().map(|(tag, inner)| (tag.as_str(), inner)) {
            Some(("$big", Json::String(digits))) => digits.as_str().into(),
            Some(("$float", Json::String(text))) => text.parse().map_or(graph::Value::Unknown, graph::Value::Float),
            Some(("$dict", Json::Array(pairs))) => {
                let pair = |pair: &Json| Some((pair.get(0)?.as_str()?.into(), graph_value(pair.get(1)?)));
                graph::Value::Map(pairs.iter().filter_map(pair).collect())
            }
            _ => graph::Value::Unknown,
        },
    }
}

struct Reader<'r, 'a> {
    machine: &'r mut Machine<'a>,
    scope: ScopeId,
    call: NodeId,
    /// Why an instance could not be made.
    failed: Option<Flow>,
}

impl Reader<'_, '_> {
    fn value(&mut self, json: &Json, depth: u32) -> Option<Value> {
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
                    match self.value(item, depth + 1)? {
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
                        let id = u32::try_from(id.as_u64()?)
                            .ok()
                            .filter(|id| (*id as usize) < self.machine.instances.len())?;
                        Value::Instance(InstanceId(id))
                    }
                    ("$unknown", _) => self.machine.unknown(),
                    ("$reference", Json::String(key)) => self.machine.reference(key),
                    ("$big", Json::String(digits)) => Value::integer(digits.parse::<BigInt>().ok()?),
                    ("$float", Json::String(text)) => Value::Float(text.parse().ok()?),
                    ("$dict", Json::Array(pairs)) => {
                        let mut items: Vec<(Arc<str>, Value)> = Vec::with_capacity(pairs.len());
                        for pair in pairs {
                            let [Json::String(key), value] = pair.as_array()?.as_slice() else { return None };
                            items.push((key.as_str().into(), self.value(value, depth + 1)?));
                        }
                        Value::dict(items)
                    }
                    ("$data", Json::Object(data)) => return self.data(data, depth),
                    _ => return None,
                }
            }
        })
    }

    fn data(&mut self, data: &Map<String, Json>, depth: u32) -> Option<Value> {
        let program = self.machine.program;
        let entity = program.find_entity(data.get("type")?.as_str()?)?;
        let base = program.find_entity("std::Dataclass")?;
        let mut fields: Vec<(Sym, Value)> = Vec::new();
        for field in data.get("fields")?.as_array()? {
            let [Json::String(name), value] = field.as_array()?.as_slice() else { return None };
            let name = program.names.find(name).filter(|name| program.attribute_of(entity, *name).is_some())?;
            fields.push((name, self.value(value, depth + 1)?));
        }
        if !program.is_subclass(entity, base) {
            return None;
        }
        match self.machine.construct_with(self.call, entity, &fields, self.scope) {
            Ok(instance) => Some(Value::Instance(instance)),
            Err(flow) => {
                self.failed = Some(flow);
                None
            }
        }
    }
}
