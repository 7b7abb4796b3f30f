//! How values of several levels become one, and keys with dots.

use std::sync::Arc;

use crate::lang::puppet::value::{Map, Value};

#[derive(Clone, Debug)]
pub enum Strategy {
    First,
    Unique,
    Hash,
    Deep { knockout: Option<String>, merges_arrays: bool, sorts: bool },
}

impl Strategy {
    pub fn of(value: &Value) -> Result<Self, String> {
        let (name, options) = match value {
            Value::Str(name) => (name.to_string(), None),
            Value::Hash(map) => match map.get(&Value::str("strategy")) {
                Some(Value::Str(name)) => (name.to_string(), Some(value)),
                _ => return Err("a merge needs a strategy".into()),
            },
            Value::Undef => return Ok(Strategy::First),
            _ => return Err("a merge is a string or a hash".into()),
        };
        let flag = |name: &str| matches!(options.and_then(|o| o.get(name)), Some(Value::Bool(true)));
        Ok(match name.as_str() {
            "first" | "default" => Strategy::First,
            "unique" => Strategy::Unique,
            "hash" => Strategy::Hash,
            "deep" | "reverse_deep" | "unconstrained_deep" => Strategy::Deep {
                knockout: match options.and_then(|o| o.get("knockout_prefix")) {
                    Some(Value::Str(prefix)) => Some(prefix.to_string()),
                    _ => None,
                },
                merges_arrays: flag("merge_hash_arrays"),
                sorts: flag("sort_merged_arrays"),
            },
            other => return Err(format!("Unknown merge strategy: '{other}'")),
        })
    }

    /// One value of several, the first with the highest priority.
    pub fn merge(&self, values: Vec<Value>) -> Result<Option<Value>, String> {
        if values.is_empty() {
            return Ok(None);
        }
        Ok(Some(match self {
            Strategy::First => values.into_iter().next().unwrap_or(Value::Undef),
            Strategy::Unique => {
                let mut out: Vec<Value> = Vec::new();
                for value in &values {
                    if matches!(value, Value::Hash(_)) {
                        return Err("The unique merge strategy cannot merge a Hash".into());
                    }
                    flatten(value, &mut out);
                }
                let mut seen = std::collections::HashSet::new();
                out.retain(|v| seen.insert(v.clone()));
                Value::array(out)
            }
            Strategy::Hash => {
                let mut out = Map::default();
                for value in values.iter().rev() {
                    let Value::Hash(map) = value else {
                        return Err("The hash merge strategy merges hashes only".into());
                    };
                    out.extend(map.iter().map(|(k, v)| (k.clone(), v.clone())));
                }
                Value::hash(out)
            }
            Strategy::Deep { knockout, sorts, .. } => {
                let mut values = values.into_iter();
                let mut out = values.next().unwrap_or(Value::Undef);
                for value in values {
                    out = deep(out, value, knockout.as_deref(), *sorts);
                }
                if let Some(prefix) = knockout {
                    out = knocked(&out, prefix);
                }
                out
            }
        }))
    }
}

fn flatten(value: &Value, out: &mut Vec<Value>) {
    match value {
        Value::Array(list) => list.iter().for_each(|v| flatten(v, out)),
        other => out.push(other.clone()),
    }
}

/// The higher value, with what only the lower one has.
fn deep(high: Value, low: Value, knockout: Option<&str>, sorts: bool) -> Value {
    match (high, low) {
        (Value::Hash(high), Value::Hash(low)) => {
            let mut out = (*low).clone();
            for (key, value) in high.iter() {
                if let Some(prefix) = knockout
                    && let Value::Str(text) = key
                    && let Some(name) = text.strip_prefix(prefix)
                {
                    out.shift_remove(&Value::str(name));
                    continue;
                }
                let merged = match out.get(key) {
                    Some(below) => deep(value.clone(), below.clone(), knockout, sorts),
                    None => value.clone(),
                };
                out.insert(key.clone(), merged);
            }
            Value::hash(out)
        }
        (Value::Array(high), Value::Array(low)) => {
            let mut out = low.to_vec();
            for value in high.iter() {
                if !out.contains(value) {
                    out.push(value.clone());
                }
            }
            if let Some(prefix) = knockout {
                let gone: Vec<String> = out
                    .iter()
                    .filter_map(|v| v.as_str().and_then(|t| t.strip_prefix(prefix)).map(str::to_string))
                    .collect();
                out.retain(|v| v.as_str().is_none_or(|t| !t.starts_with(prefix) && !gone.iter().any(|g| g == t)));
            }
            if sorts {
                out.sort_by_key(crate::lang::puppet::eval::convert::string);
            }
            Value::Array(Arc::new(out))
        }
        (high, _) => high,
    }
}

fn knocked(value: &Value, prefix: &str) -> Value {
    match value {
        Value::Hash(map) => {
            let kept = map.iter().filter(|(k, _)| k.as_str().is_none_or(|t| !t.starts_with(prefix)));
            Value::hash(kept.map(|(k, v)| (k.clone(), knocked(v, prefix))).collect())
        }
        Value::Array(list) => Value::array(
            list.iter()
                .filter(|v| v.as_str().is_none_or(|t| !t.starts_with(prefix)))
                .map(|v| knocked(v, prefix))
                .collect(),
        ),
        other => other.clone(),
    }
}

/// A key's root and what is dug out of its value.
pub fn key_parts(key: &str) -> Result<(String, Vec<Value>), String> {
    if !key.contains(['.', '\'', '"']) {
        return Ok((key.to_string(), Vec::new()));
    }
    let parts = crate::lang::puppet::builtin::path(key)?;
    let mut parts = parts.into_iter();
    let root = parts.next().map(|p| crate::lang::puppet::eval::convert::string(&p)).unwrap_or_default();
    Ok((root, parts.collect()))
}

pub fn dig(value: &Value, rest: &[Value]) -> Option<Value> {
    crate::lang::puppet::builtin::follow(value, rest)
}

/// A file name pattern with `*`, `?`, `[…]` and `{…}`.
pub fn wildcard(pattern: &str, name: &str) -> bool {
    let mut source = String::from("\\A");
    for c in pattern.chars() {
        match c {
            '*' => source.push_str("[^/]*"),
            '?' => source.push_str("[^/]"),
            '{' => source.push_str("(?:"),
            '}' => source.push(')'),
            ',' => source.push('|'),
            '[' | ']' => source.push(c),
            c if c.is_alphanumeric() => source.push(c),
            c => source.extend(['\\', c]),
        }
    }
    source.push_str("\\z");
    crate::lang::puppet::regexp::Regexp::new(source).is_match(name).unwrap_or(false)
}
