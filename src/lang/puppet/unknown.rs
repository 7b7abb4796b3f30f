//! Values that are known only while applying: what holds one, and how messages show it.

use std::sync::Arc;

use super::types::object_name;
use super::value::Value;

/// How messages show an unknown value.
pub const SHOWN: &str = "(unknown)";

/// The end of messages about Ruby.
pub const RUBY: &str = "Ruby that workbench cannot interpret";

/// The end of messages about templates that are not rendered.
pub const OUTSIDE: &str = "outside of the Ruby that templates may use";

/// Values are not searched deeper: none is nested more.
const DEPTH: usize = 250;

/// Whether a value is unknown, or holds something unknown.
pub fn is_in(value: &Value) -> bool {
    holds(value, 0)
}

fn holds(value: &Value, depth: usize) -> bool {
    match value {
        Value::Unknown(_) => true,
        Value::Array(list) => depth < DEPTH && list.iter().any(|item| holds(item, depth + 1)),
        Value::Hash(map) => depth < DEPTH && map.iter().any(|(k, v)| holds(k, depth + 1) || holds(v, depth + 1)),
        Value::Sensitive(inner) => depth < DEPTH && holds(inner, depth + 1),
        Value::Iterator(items) => depth < DEPTH && items.items.iter().any(|item| holds(item, depth + 1)),
        _ => false,
    }
}

/// A text that was made of values: unknown if one of them was.
pub fn text(shown: String, is_unknown: bool) -> Value {
    if is_unknown { Value::Unknown(Some(shown.into())) } else { Value::str(shown) }
}

/// Whether a value is a function call that runs while the catalog is applied.
pub fn is_deferred(value: &Value) -> bool {
    matches!(value, Value::Object(object) if *object_name(&object.ty) == *"Deferred")
}

/// A value in which each Deferred is unknown; nothing where it holds none. Bounded by [`DEPTH`]: a deeper value is unknown.
pub fn without_deferred(value: &Value) -> Option<Value> {
    fn holds_deferred(value: &Value, depth: usize) -> bool {
        match value {
            Value::Array(list) => depth >= DEPTH || list.iter().any(|item| holds_deferred(item, depth + 1)),
            Value::Hash(map) => depth >= DEPTH || map.iter().any(|(_, item)| holds_deferred(item, depth + 1)),
            Value::Sensitive(inner) => depth >= DEPTH || holds_deferred(inner, depth + 1),
            other => is_deferred(other),
        }
    }
    fn replaced(value: &Value, depth: usize) -> Value {
        match value {
            _ if depth > DEPTH => Value::Unknown(None),
            Value::Array(list) => {
                Value::Array(list.iter().map(|item| replaced(item, depth + 1)).collect::<Vec<_>>().into())
            }
            Value::Hash(map) => {
                Value::Hash(Arc::new(map.iter().map(|(k, item)| (k.clone(), replaced(item, depth + 1))).collect()))
            }
            Value::Sensitive(inner) => Value::Sensitive(replaced(inner, depth + 1).into()),
            other if is_deferred(other) => Value::Unknown(None),
            other => other.clone(),
        }
    }
    holds_deferred(value, 0).then(|| replaced(value, 0))
}

/// What a template has rendered so far, and what is known of its parts.
#[derive(Default)]
pub struct Rendering {
    pub text: String,
    pub is_sensitive: bool,
    pub is_unknown: bool,
}

impl Rendering {
    /// The finished text as a value.
    pub fn into_value(self) -> Value {
        let text = text(self.text, self.is_unknown);
        if self.is_sensitive { Value::Sensitive(Arc::new(text)) } else { text }
    }
}
