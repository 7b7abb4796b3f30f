//! A value in a graph: the value of a parameter, independent of any language's evaluator.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ResourceId;

/// A plain value, or a mark for one that is unknown, secret or deferred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Set to nothing (Puppet's `undef`, Inmanta's `null`). An unset parameter is absent instead.
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Arc<str>),
    /// Text that is not UTF-8.
    Bytes(Arc<[u8]>),
    List(Vec<Value>),
    /// In the language's own order. Keys are scalars or structs of them.
    Map(Vec<(Value, Value)>),
    /// Fields in the order of their type.
    Struct(Vec<(Arc<str>, Value)>),
    /// Known after apply.
    Unknown,
    /// Never shown, logged or stored as plain text.
    Sensitive(Box<Value>),
    /// Computed during the apply, from a description.
    Deferred(Box<Value>),
    Ref(ResourceId),
}

impl Value {
    /// Returns a text, also if it is sensitive; `None` for a value of another type.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            Value::Sensitive(inner) => inner.as_str(),
            _ => None,
        }
    }

    /// Returns the bytes of a text.
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Value::Bytes(bytes) => Some(bytes),
            Value::Sensitive(inner) => inner.as_bytes(),
            other => other.as_str().map(str::as_bytes),
        }
    }

    /// Returns a boolean, also if it is sensitive; `None` for a value of another type.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            Value::Sensitive(inner) => inner.as_bool(),
            _ => None,
        }
    }

    /// Returns an integer, also if it is sensitive; `None` for a value of another type.
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(value) => Some(*value),
            Value::Sensitive(inner) => inner.as_int(),
            _ => None,
        }
    }

    /// Returns the items of a list, also if it is sensitive; `None` for a value of another type.
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Value::List(items) => Some(items),
            Value::Sensitive(inner) => inner.as_list(),
            _ => None,
        }
    }

    /// Whether a part of it must never be shown or stored.
    pub fn holds_secret(&self) -> bool {
        match self {
            Value::Sensitive(_) => true,
            Value::List(items) => items.iter().any(Value::holds_secret),
            Value::Map(pairs) => pairs.iter().any(|(key, value)| key.holds_secret() || value.holds_secret()),
            Value::Struct(fields) => fields.iter().any(|(_, value)| value.holds_secret()),
            Value::Deferred(how) => how.holds_secret(),
            _ => false,
        }
    }

    /// The value with a fixed text in the place of each secret.
    pub fn blind(&self) -> Value {
        match self {
            Value::Sensitive(inner) => inner.blinded(),
            Value::List(items) => Value::List(items.iter().map(Value::blind).collect()),
            Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (key.blind(), value.blind())).collect()),
            Value::Struct(fields) => {
                Value::Struct(fields.iter().map(|(name, value)| (Arc::clone(name), value.blind())).collect())
            }
            other => other.clone(),
        }
    }

    /// Replaces every scalar of a secret value.
    fn blinded(&self) -> Value {
        match self {
            Value::Sensitive(inner) => inner.blinded(),
            Value::List(items) => Value::List(items.iter().map(Value::blinded).collect()),
            Value::Map(pairs) => Value::Map(pairs.iter().map(|(key, value)| (key.clone(), value.blinded())).collect()),
            Value::Struct(fields) => {
                Value::Struct(fields.iter().map(|(name, value)| (Arc::clone(name), value.blinded())).collect())
            }
            Value::Null | Value::Unknown | Value::Deferred(_) | Value::Ref(_) => self.clone(),
            _ => Value::from(super::HIDDEN),
        }
    }

    /// Whether a part of it is text that is not UTF-8.
    pub fn holds_bytes(&self) -> bool {
        match self {
            Value::Bytes(_) => true,
            Value::Sensitive(inner) => inner.holds_bytes(),
            Value::List(items) => items.iter().any(Value::holds_bytes),
            Value::Map(pairs) => pairs.iter().any(|(key, value)| key.holds_bytes() || value.holds_bytes()),
            Value::Struct(fields) => fields.iter().any(|(_, value)| value.holds_bytes()),
            _ => false,
        }
    }

    /// Whether a part of it is not known yet.
    pub fn holds_unknown(&self) -> bool {
        match self {
            Value::Unknown | Value::Deferred(_) => true,
            Value::Sensitive(inner) => inner.holds_unknown(),
            Value::List(items) => items.iter().any(Value::holds_unknown),
            Value::Map(pairs) => pairs.iter().any(|(key, value)| key.holds_unknown() || value.holds_unknown()),
            Value::Struct(fields) => fields.iter().any(|(_, value)| value.holds_unknown()),
            _ => false,
        }
    }

    /// Returns the JSON of `graph --format json`: marks as `{"$unknown":true}`, `{"$sensitive":true}` (never the text),
    /// `{"$deferred":...}`, `{"$ref":id}`, `{"$bytes":text}` with escapes such as `\xff`; floats always with a point.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => json!(value),
            Value::Int(value) => json!(value),
            Value::Float(value) if value.is_finite() => json!(value),
            Value::Float(value) => {
                json!({ "$float": if value.is_nan() { "nan" } else if *value > 0.0 { "inf" } else { "-inf" } })
            }
            Value::Str(text) => json!(&**text),
            Value::Bytes(bytes) => json!({ "$bytes": escaped(bytes) }),
            Value::List(items) => items.iter().map(Value::to_json).collect(),
            Value::Map(pairs) => {
                serde_json::Value::Object(pairs.iter().map(|(key, value)| (key.to_key(), value.to_json())).collect())
            }
            Value::Struct(fields) => serde_json::Value::Object(
                fields.iter().map(|(name, value)| (name.to_string(), value.to_json())).collect(),
            ),
            Value::Unknown => json!({ "$unknown": true }),
            Value::Sensitive(_) => json!({ "$sensitive": true }),
            Value::Deferred(how) => json!({ "$deferred": how.to_json() }),
            Value::Ref(id) => json!({ "$ref": &*id.0 }),
        }
    }

    /// Returns a map's key for JSON: text as it is, anything else as its JSON.
    fn to_key(&self) -> String {
        match self {
            Value::Str(text) => text.to_string(),
            other => other.to_json().to_string(),
        }
    }
}

/// Formats bytes as text: invalid UTF-8 as `\xff`, and a backslash as two.
pub fn escaped(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(&chunk.valid().replace('\\', "\\\\"));
        out.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    out
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Str(text.into())
    }
}

/// Named values in the order they were set. They are few, so this is a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Params(Vec<(Arc<str>, Value)>);

impl Params {
    /// Returns the value with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(have, _)| &**have == name).map(|(_, value)| value)
    }

    /// Sets a value, in place if the name exists.
    pub fn set(&mut self, name: impl Into<Arc<str>>, value: Value) {
        let name = name.into();
        match self.0.iter_mut().find(|(have, _)| *have == name) {
            Some((_, there)) => *there = value,
            None => self.0.push((name, value)),
        }
    }

    /// Removes the value with this name and returns it. The others stay in order.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(have, _)| &**have == name)?;
        Some(self.0.remove(at).1)
    }

    /// Returns the names and values in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Arc<str>, &Value)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    /// Returns all parameters, with their names, for changes in place.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&mut Arc<str>, &mut Value)> {
        self.0.iter_mut().map(|(name, value)| (name, value))
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns a JSON object with one member per value.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::Value::Object(self.iter().map(|(name, value)| (name.to_string(), value.to_json())).collect())
    }
}

impl FromIterator<(Arc<str>, Value)> for Params {
    fn from_iter<I: IntoIterator<Item = (Arc<str>, Value)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}
