//! How values of several levels become one, and keys with dots.

use std::collections::HashSet;

use crate::lang::puppet::convert;
use crate::lang::puppet::stop::{Computed, Problem};
use crate::lang::puppet::types;
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Map, Value, flattened};

/// Values inside of one another that are merged.
const MAX_DEPTH: usize = 200;

/// How the values of several places become one.
#[derive(Clone, Debug)]
pub enum Strategy {
    /// The first one; none was asked for.
    Default,
    First,
    Unique,
    Hash,
    Deep(Deep),
}

/// The options of a deep merge.
#[derive(Clone, Debug)]
pub struct Deep {
    name: &'static str,
    knockout: Option<String>,
    merges_hashes: bool,
    sorts: bool,
    /// As they were given.
    options: Option<Map>,
}

impl Strategy {
    /// The strategy that a name, or a hash with the key `strategy`, asks for.
    pub fn of(value: &Value) -> Computed<Self> {
        let (name, options) = match value {
            Value::Undef => return Ok(Strategy::Default),
            Value::Str(name) => (name.clone(), None),
            Value::Hash(map) => match map.get(&Value::str("strategy")) {
                Some(Value::Str(name)) => (name.clone(), Some(&**map).filter(|map| map.len() > 1)),
                _ => {
                    let message = "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'";
                    return Err(Problem::runtime(message).help("add the strategy, for example `strategy: deep`"));
                }
            },
            _ => {
                return Err(Problem::runtime("a merge strategy is a string or a hash")
                    .help("write `lookup(KEY, TYPE, MERGE, DEFAULT)`; MERGE is `first`, `unique`, `hash` or `deep`"));
            }
        };
        Ok(match &*name {
            "default" => Strategy::Default,
            "first" => Strategy::First,
            "unique" => Strategy::Unique,
            "hash" => Strategy::Hash,
            "deep" => Strategy::Deep(Deep::of("deep", options)?),
            "unconstrained_deep" => Strategy::Deep(Deep::of("unconstrained_deep", options)?),
            "reverse_deep" => Strategy::Deep(Deep::of("reverse_deep", options)?),
            other => {
                let help = match crate::diag::nearest(other, ["first", "unique", "hash", "deep"]) {
                    Some(near) => format!("did you mean `{near}`? Also: `first`, `unique`, `hash`, `deep`").into(),
                    None => crate::lang::puppet::issue::Text::from("use `first`, `unique`, `hash` or `deep`"),
                };
                return Err(Problem::runtime(format!("Unknown merge strategy: '{other}'")).help(help));
            }
        })
    }

    /// Whether the search ends with the first value.
    pub fn is_first(&self) -> bool {
        matches!(self, Strategy::Default | Strategy::First)
    }

    /// Returns the name of the strategy, as the options of a lookup have it.
    pub fn name(&self) -> &'static str {
        match self {
            Strategy::Default => "default",
            Strategy::First => "first",
            Strategy::Unique => "unique",
            Strategy::Hash => "hash",
            Strategy::Deep(deep) => deep.name,
        }
    }

    /// The steps that each part of a merge costs.
    pub fn steps(&self) -> u64 {
        match self {
            Strategy::Deep(deep) if deep.sorts => 6,
            _ => 3,
        }
    }

    /// Its options, without its name.
    pub fn options(&self) -> Option<Value> {
        let Strategy::Deep(Deep { options: Some(options), .. }) = self else { return None };
        let mut options = options.clone();
        options.shift_remove(&Value::str("strategy"));
        Some(Value::hash(options))
    }

    /// What a value is if only one place was asked.
    pub fn alone(&self, value: Value) -> Value {
        match (self, &value) {
            (Strategy::Unique, Value::Array(list)) => distinct(list.to_vec()),
            _ => value,
        }
    }

    /// What the first value of several is.
    pub fn begin(&self, value: Value) -> Value {
        if matches!(self, Strategy::Unique) { listed(flattened(&[value])) } else { value }
    }

    /// A value with one of less priority.
    pub fn merge(&self, high: Value, low: Value) -> Computed {
        match self {
            Strategy::Default | Strategy::First => Ok(high),
            Strategy::Unique => {
                for (which, value) in [("first", &high), ("second", &low)] {
                    if matches!(value, Value::Hash(_)) {
                        return Err(mismatch(which, "a Scalar or an Array value", value));
                    }
                }
                Ok(distinct(flattened(&[high, low])))
            }
            Strategy::Hash => match (&high, &low) {
                (Value::Hash(high), Value::Hash(low)) => {
                    let mut out = (**low).clone();
                    out.extend(high.iter().map(|(k, v)| (k.clone(), v.clone())));
                    Ok(Value::hash(out))
                }
                (Value::Hash(_), low) => Err(mismatch("second", "a Hash value", low)),
                (high, _) => Err(mismatch("first", "a Hash value", high)),
            },
            Strategy::Deep(deep) if deep.name == "reverse_deep" => Ok(deep.merge(&low, high, 0)),
            Strategy::Deep(deep) => Ok(deep.merge(&high, low, 0)),
        }
    }
}

fn mismatch(which: &str, expected: &str, value: &Value) -> Problem {
    let got = types::infer_generic(value);
    Problem::wrong_type(format!("The {which} element of the merge has wrong type, expects {expected}, got {got}"))
        .help("give the key values of one type in all levels, or use another strategy")
}

fn distinct(mut list: Vec<Value>) -> Value {
    let mut seen = HashSet::new();
    list.retain(|value| seen.insert(value.clone()));
    listed(list)
}

/// A list that was flattened or compared: one with an unknown value may have had another length.
fn listed(list: Vec<Value>) -> Value {
    if list.iter().any(unknown::is_in) { Value::Unknown(None) } else { Value::array(list) }
}

/// Help for the options of a merge.
const OPTIONS: &str = "use `knockout_prefix`, `sort_merged_arrays` and `merge_hash_arrays`";

impl Deep {
    fn of(name: &'static str, options: Option<&Map>) -> Computed<Self> {
        let mut deep = Self { name, knockout: None, merges_hashes: false, sorts: false, options: options.cloned() };
        for (key, value) in options.into_iter().flatten() {
            match (key.as_str().unwrap_or_default(), value) {
                ("strategy", _) | (_, Value::Undef) => {}
                ("knockout_prefix", Value::Str(prefix)) if !prefix.is_empty() => {
                    deep.knockout = Some(prefix.to_string());
                }
                ("knockout_prefix", Value::Str(_)) => {
                    return Err(Problem::runtime("knockout_prefix cannot be an empty string in deep_merge!")
                        .help("write a prefix such as `--`, or remove the option"));
                }
                ("merge_hash_arrays", Value::Bool(flag)) => deep.merges_hashes = *flag,
                ("sort_merged_arrays", Value::Bool(flag)) => deep.sorts = *flag,
                ("merge_debug", Value::Bool(_)) => {}
                (_, _) if name != "deep" => {}
                (known @ ("knockout_prefix" | "merge_hash_arrays" | "sort_merged_arrays" | "merge_debug"), value) => {
                    let got = types::infer_generic(value);
                    let expected = if known == "knockout_prefix" { "a String" } else { "a Boolean" };
                    let message = format!(
                        "The merge options has wrong type, entry '{known}' expects {expected} value, got {got}"
                    );
                    return Err(Problem::wrong_type(message).help(OPTIONS));
                }
                (unknown, _) => {
                    let message = format!("The merge options has wrong type, unrecognized key '{unknown}'");
                    return Err(Problem::wrong_type(message).help(OPTIONS));
                }
            }
        }
        Ok(deep)
    }

    /// Merges `source` over `below`, as the Ruby library does that Puppet uses.
    fn merge(&self, source: &Value, below: Value, depth: usize) -> Value {
        if depth > MAX_DEPTH || *source == Value::Undef {
            return below;
        }
        if !below.is_true() {
            return source.clone();
        }
        match source {
            // What it has may be merged.
            Value::Hash(_) | Value::Array(_) if matches!(below, Value::Unknown(_)) => below,
            Value::Hash(hash) => self.hashes(hash, below, depth),
            Value::Array(list) => self.arrays(list, below, depth),
            source if self.knocks(source) => Value::str(""),
            _ => source.clone(),
        }
    }

    fn hashes(&self, hash: &Map, below: Value, depth: usize) -> Value {
        let mut out = match below {
            Value::Hash(below) => (*below).clone(),
            below if hash.is_empty() => return below,
            _ => hash.clone(),
        };
        for (key, value) in hash {
            let under = out.get(key).filter(|under| under.is_true()).unwrap_or(value).clone();
            out.insert(key.clone(), self.merge(value, under, depth + 1));
        }
        Value::hash(out)
    }

    fn arrays(&self, list: &[Value], below: Value, depth: usize) -> Value {
        let mut list = list.to_vec();
        let mut below = below;
        if let Some(prefix) = &self.knockout {
            let naked = Value::str(prefix.as_str());
            if list.contains(&naked) {
                list.retain(|item| *item != naked);
                below = match below {
                    Value::Array(_) => Value::array(Vec::new()),
                    Value::Hash(_) => Value::hash(Map::default()),
                    Value::Str(_) => Value::str(""),
                    _ => Value::Undef,
                };
            }
        }
        let Value::Array(below) = below else {
            list.retain(|item| !self.knocks(item));
            return Value::array(list);
        };
        let mut below = below.to_vec();
        if let Some(prefix) = &self.knockout {
            let mut gone = HashSet::new();
            for item in list.iter().filter(|item| self.knocks(item)) {
                gone.insert(Value::str(item.as_str().unwrap_or_default().trim_start_matches(prefix.as_str())));
                gone.insert(item.clone());
            }
            below.retain(|there| !gone.contains(there));
            list.retain(|item| !self.knocks(item));
        }
        let are_hashes = |list: &[Value]| list.iter().all(|item| matches!(item, Value::Hash(_)));
        if self.merges_hashes && are_hashes(&list) && are_hashes(&below) {
            let empty = Value::hash(Map::default());
            let more = list.iter().skip(below.len()).cloned().collect::<Vec<_>>();
            let merged = below.into_iter().enumerate();
            below = merged.map(|(at, low)| self.merge(list.get(at).unwrap_or(&empty), low, depth + 1)).collect();
            below.extend(more);
        } else {
            below.extend(list);
            match distinct(below) {
                Value::Array(list) => below = list.to_vec(),
                unknown => return unknown,
            }
        }
        if self.sorts {
            // Numbers among texts are texts: the order has to be the same for all.
            if below.iter().all(|item| matches!(item, Value::Int(_))) {
                below.sort_by_key(|item| if let Value::Int(number) = item { *number } else { 0 });
            } else {
                below.sort_by_cached_key(convert::string);
            }
        }
        Value::array(below)
    }

    fn knocks(&self, value: &Value) -> bool {
        let prefix = self.knockout.as_deref();
        prefix.is_some_and(|prefix| value.as_str().is_some_and(|text| text.starts_with(prefix)))
    }
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
    crate::lang::ruby::regexp::Regexp::new(source).is_match(name).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        super::super::yaml::read(text).expect("it is YAML").value
    }

    fn merged(options: &str, high: &str, low: &str) -> String {
        let strategy = Strategy::of(&value(options)).expect("it is a strategy");
        let merged = strategy.merge(strategy.begin(value(high)), value(low)).expect("they can be merged");
        convert::inspect(&merged)
    }

    #[test]
    fn strategies_merge_as_puppet_does() {
        assert_eq!(merged("unique", "[b, [a]]", "[a, c]"), "['b', 'a', 'c']");
        assert_eq!(merged("hash", "{a: 1, c: 3}", "{b: 2, a: 9}"), "{'b' => 2, 'a' => 1, 'c' => 3}");
        assert_eq!(
            merged("deep", "{a: {x: 1}, l: [1]}", "{a: {y: 2}, l: [2]}"),
            "{'a' => {'y' => 2, 'x' => 1}, 'l' => [2, 1]}"
        );
        assert_eq!(merged("{strategy: deep, knockout_prefix: '--'}", "[--a, b]", "[a, c]"), "['c', 'b']");
        assert_eq!(merged("{strategy: deep, knockout_prefix: '--'}", "{x: --}", "{x: [1]}"), "{'x' => ''}");
        assert_eq!(
            merged("{strategy: deep, merge_hash_arrays: true}", "[{y: 1}]", "[{z: 2}]"),
            "[{'z' => 2, 'y' => 1}]"
        );
        assert_eq!(merged("{strategy: deep, sort_merged_arrays: true}", "[b, a]", "[c]"), "['a', 'b', 'c']");
        assert_eq!(merged("{strategy: deep, sort_merged_arrays: true}", "[10, 9]", "[2]"), "[2, 9, 10]");
        // Numbers by size and texts by letters would have no common order: 9, 10, '2a', 9.
        assert_eq!(merged("{strategy: deep, sort_merged_arrays: true}", "[10, 9]", "[2a]"), "[10, '2a', 9]");
        assert!(Strategy::of(&value("{strategy: deep, x: 1}")).is_err());
        assert!(Strategy::of(&value("wide")).is_err());
    }
}
