//! Arrays and hashes.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use indexmap::IndexMap;

use super::{Function, HASH, Unknown};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::{Evaluator, operator};
use crate::lang::puppet::stop::{At, Help, Run};
use crate::lang::puppet::types;
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::Value;
use crate::lang::ruby::sort;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "dig",
        signature: "dig(Optional[Collection] data, Any *keys)",
        doc: "A value deep inside of a structure.",
        unknown: Unknown::Arranges,
        examples: &[("{'a' => [1, 2]}.dig('a', 1)", "2")],
        takes: &[("Callable[Optional[Collection], Any, 1]", "data arg")],
        is_pure: true,
        glances: true,
        passes_on: true,
        call: dig,
    },
    Function {
        name: "get",
        signature: "get(Any value, Optional[String] path, Optional[Any] default)",
        doc: "A value by a path with dots.",
        unknown: Unknown::Arranges,
        examples: &[("get({'a' => [5]}, 'a.0')", "5")],
        takes: &[(
            "Callable[Any, String, Any, 2, 3, Optional[Callable[1, 1]]]",
            "value dotted_string default_value block",
        )],
        is_pure: true,
        glances: true,
        passes_on: true,
        call: get,
    },
    Function {
        name: "getvar",
        signature: "getvar(String name, Optional[Any] default)",
        doc: "A variable's value by a path with dots.",
        unknown: Unknown::Arranges,
        examples: &[("getvar('nothing', 'none')", "'none'")],
        glances: true,
        passes_on: true,
        call: getvar,
        ..Function::PLAIN
    },
    Function {
        name: "flatten",
        signature: "flatten(Any *values)",
        doc: "One flat array.",
        examples: &[("flatten([1, [2, [3]]])", "[1, 2, 3]")],
        takes: &[("Callable[Any, 0]", "args")],
        is_pure: true,
        call: |_, c| Ok(Value::array(flatten(&c.args))),
        ..Function::PLAIN
    },
    Function {
        name: "keys",
        signature: "keys(Hash hash)",
        doc: "The keys of a hash.",
        unknown: Unknown::Arranges,
        examples: &[("keys({'a' => 1})", "['a']")],
        takes: HASH,
        is_pure: true,
        call: |_, c| match c.arg(0) {
            Value::Hash(m) if c.args.len() == 1 => Ok(Value::array(m.keys().cloned().collect())),
            _ => c.wrong_type("'keys' expects a Hash value"),
        },
        ..Function::PLAIN
    },
    Function {
        name: "values",
        signature: "values(Hash hash)",
        doc: "The values of a hash.",
        unknown: Unknown::Arranges,
        examples: &[("values({'a' => 1})", "[1]")],
        takes: HASH,
        is_pure: true,
        call: |_, c| match c.arg(0) {
            Value::Hash(m) if c.args.len() == 1 => Ok(Value::array(m.values().cloned().collect())),
            _ => c.wrong_type("'values' expects a Hash value"),
        },
        ..Function::PLAIN
    },
    Function {
        name: "join",
        signature: "join(Array list, Optional[String] separator)",
        doc: "The elements as one string.",
        examples: &[("join(['a', 'b'], '-')", "'a-b'")],
        takes: &[("Callable[Array, String, 1, 2]", "arg delimiter")],
        is_pure: true,
        glances: true,
        call: join,
        ..Function::PLAIN
    },
    Function {
        name: "sort",
        signature: "sort(Variant[Array, String] value)",
        doc: "The elements in order.",
        examples: &[("sort(['b', 'a'])", "['a', 'b']")],
        takes: &[
            ("Callable[String, Optional[Callable[2, 2]]]", "string_value block"),
            ("Callable[Array, Optional[Callable[2, 2]]]", "array_value block"),
        ],
        is_pure: true,
        glances: true,
        call: sort,
        ..Function::PLAIN
    },
    Function {
        name: "unique",
        signature: "unique(Variant[String, Iterable] value)",
        doc: "Each element once.",
        examples: &[("unique([1, 1, 2])", "[1, 2]")],
        takes: &[
            ("Callable[String, Optional[Callable[String]]]", "string block"),
            ("Callable[Hash, Optional[Callable[Any]]]", "hash block"),
            ("Callable[Array, Optional[Callable[Any]]]", "array block"),
            ("Callable[Iterable, Optional[Callable[Any]]]", "iterable block"),
        ],
        is_pure: true,
        call: unique,
        ..Function::PLAIN
    },
    Function {
        name: "length",
        signature: "length(Variant[Collection, String, Binary] value)",
        doc: "How many elements or characters.",
        examples: &[("length('four')", "4")],
        takes: &[("Callable[Collection]", "arg"), ("Callable[String]", "arg"), ("Callable[Binary]", "arg")],
        is_pure: true,
        unknown: Unknown::Arranges,
        glances: true,
        call: length,
        ..Function::PLAIN
    },
    Function {
        name: "size",
        signature: "size(Variant[Collection, String, Binary] value)",
        doc: "How many elements or characters.",
        examples: &[("size([1, 2])", "2")],
        takes: &[("Callable[Variant[Collection, String, Binary]]", "arg")],
        is_pure: true,
        unknown: Unknown::Arranges,
        glances: true,
        call: length,
        ..Function::PLAIN
    },
    Function {
        name: "empty",
        signature: "empty(Any value)",
        doc: "Whether nothing is in it.",
        examples: &[("empty([])", "true")],
        takes: &[
            ("Callable[Collection]", "coll"),
            ("Callable[Sensitive[String]]", "str"),
            ("Callable[String]", "str"),
            ("Callable[Numeric]", "num"),
            ("Callable[Binary]", "bin"),
            ("Callable[Undef]", "x"),
        ],
        is_pure: true,
        unknown: Unknown::Arranges,
        glances: true,
        call: empty,
        ..Function::PLAIN
    },
];

/// What a fact of the first key would be that only Ruby of a module computes.
fn missing_fact(e: &mut Evaluator<'_>, data: &Value, first: Option<&Value>) -> Option<Value> {
    let (Value::Hash(data), Value::Hash(facts), Some(Value::Str(first))) = (data, &e.inputs.settings.facts, first)
    else {
        return None;
    };
    let is_facts = Arc::ptr_eq(data, facts) && !facts.contains_key(&Value::Str(first.clone()));
    if is_facts { e.loader().ruby_fact(first) } else { None }
}

fn dig(e: &mut Evaluator<'_>, call: &Call) -> Run {
    if call.args.is_empty() {
        return call.wrong_count("'dig' expects at least 1 argument, got none");
    }
    if let Some(unknown) = missing_fact(e, call.arg(0), call.args.get(1)) {
        return Ok(unknown);
    }
    let mut at = call.arg(0).clone();
    for (i, key) in call.args.iter().enumerate().skip(1) {
        at = match (&at, key) {
            (Value::Undef, _) => return Ok(Value::Undef),
            (Value::Unknown(_), _) => return Ok(Value::Unknown(None)),
            (Value::Hash(map), key) => match map.get(key) {
                Some(value) if !map.keys().any(unknown::is_in) => value.clone(),
                _ if unknown::is_in(key) || map.keys().any(unknown::is_in) => return Ok(Value::Unknown(None)),
                _ => Value::Undef,
            },
            (Value::Array(list), Value::Int(index)) => element(list, *index),
            (Value::Array(_), _) => {
                return call.wrong_type(format!("'dig' expects an Integer index, got {}", types::infer_generic(key)));
            }
            (other, _) => {
                return call.fail(format!(
                    "The given data does not contain a Collection at {}, got '{}'",
                    i - 1,
                    types::infer_generic(other)
                ));
            }
        };
    }
    Ok(at)
}

/// An element by its index, which counts from the end if it is negative; undef where there is none.
pub(super) fn element(list: &[Value], index: i64) -> Value {
    let at = if index < 0 { index + list.len() as i64 } else { index };
    usize::try_from(at).ok().and_then(|i| list.get(i)).cloned().unwrap_or(Value::Undef)
}

/// The parts of a dotted path; quotes keep dots.
pub fn path(text: &str) -> Result<Vec<Value>, String> {
    let mut parts = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        let mut part = String::new();
        let quote = chars.next_if(|c| matches!(c, '\'' | '"'));
        match quote {
            Some(quote) => loop {
                match chars.next() {
                    Some(c) if c == quote => break,
                    Some(c) => part.push(c),
                    None => return Err(format!("Syntax error in dotted-navigation string '{text}'")),
                }
            },
            None => {
                while let Some(c) = chars.next_if(|c| *c != '.') {
                    part.push(c);
                }
                if part.is_empty() {
                    return Err(format!("Syntax error in dotted-navigation string '{text}'"));
                }
            }
        }
        let number = if quote.is_none() { part.parse::<i64>().ok() } else { None };
        parts.push(number.map_or_else(|| Value::str(part), Value::Int));
        match chars.next() {
            None => return Ok(parts),
            Some('.') => {}
            Some(_) => return Err(format!("Syntax error in dotted-navigation string '{text}'")),
        }
    }
}

/// Follows a path; `None` where something is missing.
pub fn follow(value: &Value, keys: &[Value]) -> Option<Value> {
    let mut at = value.clone();
    for key in keys {
        at = match (&at, key) {
            (Value::Unknown(_), _) => return Some(Value::Unknown(None)),
            (Value::Hash(map), key) => match map.get(key).or_else(|| map.get(&Value::str(convert::string(key)))) {
                Some(value) if !map.keys().any(unknown::is_in) => value.clone(),
                _ if map.keys().any(unknown::is_in) => return Some(Value::Unknown(None)),
                _ => return None,
            },
            (Value::Array(list), Value::Int(index)) => match element(list, *index) {
                Value::Undef => return None,
                found => found,
            },
            (Value::Object(object), key) => {
                object.entries().into_iter().find(|(n, _)| **n == *convert::string(key)).map(|(_, v)| v)?
            }
            _ => return None,
        };
    }
    Some(at)
}

/// What was found, or the default, or what the lambda gives.
fn or_default(e: &mut Evaluator<'_>, call: &Call, found: Option<Value>, default: Option<&Value>) -> Run {
    match (found, default) {
        (Some(value), _) if value != Value::Undef => Ok(value),
        (_, Some(default)) => Ok(default.clone()),
        (_, None) => match &call.block {
            Some(block) => {
                let args: Vec<Value> = if block.arity().1 == 0 { Vec::new() } else { vec![Value::Undef] };
                e.apply(block, &args, call.span)
            }
            None => Ok(Value::Undef),
        },
    }
}

fn get(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let value = call.arg(0);
    let keys = match call.args.get(1) {
        None | Some(Value::Undef) => Vec::new(),
        Some(Value::Str(text)) if text.is_empty() => Vec::new(),
        Some(Value::Str(text)) => path(text).at(call.span)?,
        Some(_) => return call.wrong_type("'get' parameter 'dotted_string' expects a String value"),
    };
    if let Some(unknown) = missing_fact(e, value, keys.first()) {
        return Ok(unknown);
    }
    let found = follow(value, &keys);
    or_default(e, call, found, call.args.get(2))
}

fn getvar(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 2)?;
    let text = call.text(0)?;
    let (name, rest) = text.split_once('.').map_or((&*text, None), |(n, r)| (n, Some(r)));
    let is_name = !name.is_empty()
        && name.trim_start_matches("::").split("::").all(|p| {
            p.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
                && p.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
    if !is_name {
        return call.wrong_type(format!("'getvar' parameter 'get_string' expects a match for Pattern, got '{text}'"));
    }
    let keys = match rest {
        Some(rest) => path(rest).at(call.span)?,
        None => Vec::new(),
    };
    let value = e.scopes.lookup(call.scope, name);
    if let Some(unknown) = value.as_ref().and_then(|value| missing_fact(e, value, keys.first())) {
        return Ok(unknown);
    }
    let class = name.trim_start_matches("::").rsplit_once("::").map(|(class, _)| class);
    if value.is_none() && class.is_some_and(|class| e.output.left_out.may_declare("class", class)) {
        return Ok(Value::Unknown(None));
    }
    let found = value.and_then(|value| follow(&value, &keys));
    or_default(e, call, found, call.args.get(1))
}

/// The items of a list; arrays and iterators are replaced by their items, at any depth.
pub fn flatten(list: &[Value]) -> Vec<Value> {
    fn add(list: &[Value], out: &mut Vec<Value>) {
        for item in list {
            match item {
                Value::Array(inner) => add(inner, out),
                Value::Iterator(items) => add(&items.items, out),
                other => out.push(other.clone()),
            }
        }
    }
    let mut out = Vec::new();
    add(list, &mut out);
    out
}

fn join(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let separator = if call.args.len() > 1 { call.text(1)? } else { "".into() };
    let Value::Array(list) = call.arg(0) else {
        return call.wrong_type("'join' expects an Array value");
    };
    let flat = flatten(list);
    let separators = separator.len().saturating_mul(flat.len().saturating_sub(1));
    e.output.build(separators, call.span)?;
    e.output.spend_text(separators, call.span)?;
    let mut text = String::new();
    for (at, value) in flat.iter().enumerate() {
        text.push_str(if at > 0 { &separator } else { "" });
        match value {
            Value::Hash(_) => {
                let shown = convert::ruby(value);
                e.output.build(shown.len(), call.span)?;
                text.push_str(&shown);
            }
            other => text.push_str(&e.output.joined(std::iter::once(other), "", call.span)?),
        }
    }
    Ok(Value::str(text))
}

fn sort(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let (list, is_text) = match call.arg(0) {
        Value::Array(list) => (list.to_vec(), false),
        Value::Str(text) => (text.chars().map(|c| Value::str(c.to_string())).collect(), true),
        other => {
            return call
                .wrong_type(format!("'sort' expects an Array or String value, got {}", types::infer_generic(other)));
        }
    };
    e.output.spend(list.len() as u64 * u64::from(list.len().max(1).ilog2()) / 2, call.span)?;
    let mut is_open = false;
    let sorted = sort::sorted(list, |a, b| match &call.block {
        Some(block) => match e.apply(block, &[a.clone(), b.clone()], call.span)? {
            Value::Int(order) => Ok(order.cmp(&0)),
            Value::Unknown(_) => {
                is_open = true;
                Ok(Ordering::Equal)
            }
            _ => call.fail("sort(): the block has to give an Integer"),
        },
        None => operator::ruby_order(a, b).map_or_else(
            || {
                let (a, b) = (types::infer_generic(a), types::infer_generic(b));
                call.fail(format!("comparison of {a} with {b} failed"))
            },
            Ok,
        ),
    })?;
    if is_open {
        return Ok(Value::Unknown(None));
    }
    if is_text {
        return Ok(Value::str(sorted.iter().map(convert::string).collect::<String>()));
    }
    Ok(Value::array(sorted))
}

fn unique(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let is_open = std::cell::Cell::new(false);
    let mut key = |value: &Value| match &call.block {
        Some(block) => e.apply(block, std::slice::from_ref(value), call.span).inspect(|key| {
            is_open.set(is_open.get() || unknown::is_in(key));
        }),
        None => Ok(value.clone()),
    };
    let mut seen = HashSet::new();
    let found = match call.arg(0) {
        Value::Str(text) => {
            let mut out = String::new();
            for c in text.chars() {
                if seen.insert(key(&Value::str(c.to_string()))?) {
                    out.push(c);
                }
            }
            Value::str(out)
        }
        Value::Hash(map) => {
            let mut groups: IndexMap<Value, (Vec<Value>, Vec<Value>)> = IndexMap::new();
            for (name, value) in map.iter() {
                let (names, values) = groups.entry(key(value)?).or_default();
                names.push(name.clone());
                values.push(value.clone());
            }
            let pairs = groups.into_values().map(|(names, mut values)| {
                let mut seen = HashSet::new();
                values.retain(|value| seen.insert(value.clone()));
                (Value::array(names), Value::array(values))
            });
            Value::hash(pairs.collect())
        }
        other => {
            let list = match other {
                Value::Array(list) => list.to_vec(),
                Value::Iterator(items) => items.items.clone(),
                Value::Int(1_000_001..) => {
                    return call
                        .fail("'unique': a range of more than 1000000 numbers")
                        .help("iterate over a smaller range");
                }
                Value::Int(count) => (0..*count).map(Value::Int).collect(),
                Value::Type(_) | Value::Binary(_) => match types::new::new(
                    &types::Type::Array(types::Type::Any.into(), types::Size::ANY).into(),
                    std::slice::from_ref(other),
                ) {
                    Ok(Value::Array(list)) => list.to_vec(),
                    _ => return call.wrong_type("'unique' expects an Iterable value"),
                },
                _ => return call.wrong_type("'unique' expects an Iterable value"),
            };
            let mut out = Vec::new();
            for value in list {
                if seen.insert(key(&value)?) {
                    out.push(value);
                }
            }
            Value::array(out)
        }
    };
    Ok(if is_open.get() { Value::Unknown(None) } else { found })
}

fn length(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    let count = match call.arg(0) {
        Value::Str(text) => text.chars().count(),
        Value::Array(list) => list.len(),
        Value::Hash(map) => map.len(),
        Value::Binary(bytes) => bytes.len(),
        Value::Sensitive(inner) => match &**inner {
            Value::Str(text) => text.chars().count(),
            _ => return call.wrong_type("'length' expects a Collection or String value"),
        },
        other => {
            return call.wrong_type(format!(
                "'{}' expects a value of type Collection, String, or Binary, got {}",
                call.name,
                types::infer_generic(other)
            ));
        }
    };
    Ok(Value::Int(count as i64))
}

fn empty(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    Ok(Value::Bool(match call.arg(0) {
        Value::Undef => true,
        Value::Str(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Hash(map) => map.is_empty(),
        Value::Binary(bytes) => bytes.is_empty(),
        Value::Sensitive(inner) => match &**inner {
            Value::Str(text) => text.is_empty(),
            Value::Array(list) => list.is_empty(),
            Value::Hash(map) => map.is_empty(),
            _ => false,
        },
        Value::Int(_) | Value::Float(_) => {
            let place = e.inputs.sources.place(call.span);
            e.output.log(
                "warning",
                format!(
                    "Calling function empty() with Numeric value is deprecated.\n   (file: {}, line: {})",
                    place.file, place.line
                ),
            );
            false
        }
        other => {
            return call.wrong_type(format!(
                "'empty' expects a Collection or String value, got {}",
                types::infer_generic(other)
            ));
        }
    }))
}
