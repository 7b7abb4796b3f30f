//! Attributes of a resource as the Ruby code of its type reads them.

use super::Described;
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::value::Value;
use crate::lang::ruby::describe::{Allowed, Attribute, Literal};

/// Code of an attribute that leaves its value as it is.
const HARMLESS: [&str; 6] =
    ["validate", "def insync?", "def is_to_s", "def should_to_s", "def change_to_s", "def retrieve"];

/// What Ruby reads.
pub enum Seen {
    Value(Value),
    Symbol(Text),
}

impl Described {
    /// An attribute of a resource, or its default; `None` where only the type's own code can compute it.
    pub fn seen(&self, resource: &Resource, name: &str) -> Option<Seen> {
        let name = if name == "name" { self.namevar.as_deref().unwrap_or(name) } else { name };
        let attribute = self.attributes.iter().find(|one| one.name == name)?;
        let value = resource.parameter(name).filter(|value| **value != Value::Undef);
        let is_harmless = |what: &str| HARMLESS.contains(&what) || value.is_some() && what == "a computed default";
        if self.changes_attributes || attribute.has_alias || !attribute.rest.iter().all(|(_, what)| is_harmless(what)) {
            return None;
        }
        if let Some(value) = value {
            return seen_as(attribute, value);
        }
        if self.keys.iter().any(|key| &**key == name) {
            return None;
        }
        if self.namevar.as_deref() == Some(name) {
            return seen_as(attribute, &Value::Str(resource.title.clone()));
        }
        match &attribute.default {
            // Puppet takes a default `false` for none.
            None | Some(Literal::Bool(false)) => Some(Seen::Value(Value::Undef)),
            Some(Literal::Text(text)) if attribute.has_symbol => Some(Seen::Symbol(text.as_str().into())),
            Some(Literal::Text(text)) => seen_as(attribute, &Value::str(text.as_str())),
            Some(Literal::Bool(value)) => seen_as(attribute, &Value::Bool(*value)),
            Some(Literal::Int(value)) => seen_as(attribute, &Value::Int(*value)),
            Some(Literal::Float(value)) => seen_as(attribute, &Value::Float(*value)),
        }
    }
}

/// A value after the munging that every attribute has: one of its words becomes a symbol.
fn seen_as(attribute: &Attribute, value: &Value) -> Option<Seen> {
    let text = match value {
        Value::Unknown(_) => return Some(Seen::Value(value.clone())),
        Value::Str(text) => text.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Int(_) | Value::Float(_) | Value::Hash(_) if attribute.values.is_empty() => String::new(),
        Value::Array(_) if attribute.values.is_empty() && attribute.takes_list => String::new(),
        _ => return None,
    };
    let is_list = attribute.takes_list && !matches!(value, Value::Array(_));
    if is_list || attribute.is_boolean && attribute.values.is_empty() && !matches!(value, Value::Bool(_)) {
        return None;
    }
    let is_word = |one: &&Allowed| matches!(one, Allowed::Word(word) if *word == text);
    match attribute.values.iter().find(is_word) {
        Some(_) => Some(Seen::Symbol(text.as_str().into())),
        None if attribute.values.is_empty() => Some(Seen::Value(value.clone())),
        None => match attribute.values.iter().any(|one| matches!(one, Allowed::Pattern(_))) {
            true => Some(Seen::Value(value.clone())),
            false => None,
        },
    }
}
