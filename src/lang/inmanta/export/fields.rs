//! The attributes of one resource as values of a graph.

use std::sync::Arc;

use super::super::pystr::{self, Instances};
use super::super::value;
use crate::graph::Value;

/// What a resource is called, and its attributes that are no relations.
pub struct Fields {
    name: String,
    values: Vec<(Arc<str>, Value)>,
}

impl Fields {
    /// Makes the fields of a resource from its name and attributes.
    pub fn new(name: &str, values: Vec<(Arc<str>, Value)>) -> Self {
        Fields { name: name.to_string(), values }
    }

    #[cfg(test)]
    pub fn of(name: &str, values: Vec<(String, Value)>) -> Self {
        Fields::new(name, values.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }

    /// The value of the attribute that names it.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    pub fn get(&self, attribute: &str) -> Option<Value> {
        self.values.iter().find(|(name, _)| &**name == attribute).map(|(_, value)| value.clone())
    }

    /// The attributes with their values.
    pub fn into_values(self) -> impl Iterator<Item = (Arc<str>, Value)> {
        self.values.into_iter()
    }

    /// A value that is neither null nor an empty text: modules write both for "not set".
    pub fn set(&self, attribute: &str) -> Option<Value> {
        self.get(attribute).filter(|value| *value != Value::Null && value.as_str() != Some(""))
    }
}

/// A value of the model as a value of a graph.
pub fn plain(value: &value::Value, instances: &dyn Instances) -> Value {
    match value {
        value::Value::Null | value::Value::Skipped => Value::Null,
        value::Value::Bool(flag) => Value::Bool(*flag),
        value::Value::Int(number) => Value::Int(*number),
        value::Value::Float(number) => Value::Float(*number),
        value::Value::Str(text) => Value::Str(text.clone()),
        // A graph has no number of that size.
        value::Value::Big(_) | value::Value::Instance(_) => pystr::str(value, instances).as_str().into(),
        value::Value::List(items) => Value::List(items.iter().map(|item| plain(item, instances)).collect()),
        value::Value::Dict(dict) => {
            Value::Map(dict.items.iter().map(|(key, item)| (Value::Str(key.clone()), plain(item, instances))).collect())
        }
        value::Value::Unknown(_) => Value::Unknown,
    }
}
