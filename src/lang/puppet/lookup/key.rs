//! Keys with dots: the root, its module, and what is dug out of the value.

use super::explain::What;
use super::{At, Search};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::convert;
use crate::lang::puppet::lookup::Hiera;
use crate::lang::puppet::stop::{Run, runtime};
use crate::lang::puppet::value::{Map, Value};

/// Indexes above this make no array.
const MAX_INDEX: i64 = 10_000;

/// A key as it is looked up.
#[derive(Clone, Debug)]
pub struct Key {
    pub text: String,
    pub root: String,
    /// Names and indexes.
    pub segments: Vec<Value>,
}

impl Key {
    /// Parses a key, with quotes around parts that contain dots. Fails if a quote is not closed or a part is empty.
    pub fn of(text: &str) -> Result<Self, String> {
        let mut parts = split(text).ok_or_else(|| format!("Syntax error in key: '{text}'"))?.into_iter();
        let root = parts.next().map(|root| convert::string(&root)).unwrap_or_default();
        Ok(Self { text: text.into(), root, segments: parts.collect() })
    }

    /// The module that may have data for it.
    pub fn module(&self) -> Option<Text> {
        self.root.split_once("::").map(|(module, _)| module.into()).filter(|module: &Text| !module.is_empty())
    }

    /// All parts, as a function that digs by itself gets them.
    pub fn parts(&self) -> Value {
        let root = std::iter::once(Value::str(self.root.as_str()));
        Value::array(root.chain(self.segments.iter().cloned()).collect())
    }

    /// A value from which digging gives this one.
    pub fn around(&self, value: Value) -> Value {
        self.segments.iter().rev().fold(value, |inner, segment| match segment {
            Value::Int(index) if (0..MAX_INDEX).contains(index) => {
                let mut list = vec![Value::Undef; *index as usize];
                list.push(inner);
                Value::array(list)
            }
            other => Value::hash(Map::from_iter([(other.clone(), inner)])),
        })
    }
}

/// The parts of a name with dots; parts in quotes may have dots themselves.
pub fn split(text: &str) -> Option<Vec<Value>> {
    if !text.contains(['.', '\'', '"']) {
        return Some(vec![Value::str(text)]);
    }
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let trimmed = rest.trim_start();
        let quote = trimmed.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let (part, after) = match quote {
            Some(quote) => {
                let inner = &trimmed[1..];
                let (inner, after) = inner.split_once(quote).filter(|(inner, _)| !inner.is_empty())?;
                (Value::str(inner), after.trim_start())
            }
            None => {
                let end = rest.find(['.', '\'', '"']).unwrap_or(rest.len());
                let part = rest[..end].trim();
                if end == 0 {
                    return None;
                }
                let index = part.strip_prefix(':').unwrap_or(part);
                let digits = index.strip_prefix(['+', '-']).unwrap_or(index);
                let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                let number = part.parse().ok().filter(|_| is_number);
                (number.map_or_else(|| Value::str(part), Value::Int), &rest[end..])
            }
        };
        parts.push(part);
        match after.strip_prefix('.') {
            Some(after) if !after.is_empty() => rest = after,
            None if after.is_empty() => return Some(parts),
            _ => return None,
        }
    }
}

impl dyn Search<'_> + '_ {
    /// Follows the segments of a key into a value.
    pub(super) fn dig(&mut self, key: &str, segments: &[Value], value: Value, at: At) -> Run<Option<Value>> {
        if segments.is_empty() {
            return Ok(Some(value));
        }
        let shown: Vec<String> = segments.iter().map(convert::string).collect();
        self.explained(What::SubKey(shown.join(".")), |e| {
            let mut value = value;
            for segment in segments {
                match e.explained(What::Segment, |e| e.data().hiera.dig_one(key, segment, &value, at))? {
                    Some(found) => value = found,
                    None => return Ok(None),
                }
            }
            Ok(Some(value))
        })
    }
}

impl Hiera {
    fn dig_one(&mut self, key: &str, segment: &Value, value: &Value, at: At) -> Run<Option<Value>> {
        let name = convert::string(segment);
        let found = match (value, segment) {
            (Value::Undef, _) => None,
            (Value::Unknown(_), _) => return Ok(Some(Value::Unknown(None))),
            (Value::Array(list), Value::Int(index)) => usize::try_from(*index).ok().and_then(|at| list.get(at)),
            (Value::Hash(map), segment) => map.get(segment),
            (other, _) => {
                let class = ruby_class(other);
                let message = format!(
                    "Data Provider type mismatch: Got {class} when a hash-like object was expected to access value \
                    using '{name}' from key '{key}'"
                );
                return runtime(at.span, message);
            }
        };
        match found {
            Some(found) => self.report_found(&name, found),
            None => self.report_not_found(&name),
        }
        Ok(found.cloned())
    }
}

/// What Ruby calls the class of a value.
fn ruby_class(value: &Value) -> &'static str {
    match value {
        Value::Undef => "NilClass",
        Value::Bool(true) => "TrueClass",
        Value::Bool(false) => "FalseClass",
        Value::Int(_) => "Integer",
        Value::Float(_) => "Float",
        Value::Str(_) => "String",
        Value::Array(_) => "Array",
        Value::Hash(_) => "Hash",
        _ => "Object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_parts() {
        let shown = |text: &str| split(text).map(|parts| convert::inspect(&Value::array(parts)));
        assert_eq!(shown("a.b.2").as_deref(), Some("['a', 'b', 2]"));
        assert_eq!(shown("'a.b' . c").as_deref(), Some("['a.b', 'c']"));
        assert_eq!(shown("a::b").as_deref(), Some("['a::b']"));
        for wrong in ["a.", ".a", "a..b", "a'b", "'a"] {
            assert_eq!(shown(wrong), None, "{wrong}");
        }
    }
}
