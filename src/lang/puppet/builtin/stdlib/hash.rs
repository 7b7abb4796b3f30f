//! Functions over hashes.

use super::{Function, Unknown, ruby, wrong};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "deep_merge",
        signature: "deep_merge(Hash *hashes)",
        doc: "The entries of all hashes; hashes inside of them are merged too, and later values win.",
        examples: &[("deep_merge({'a' => {'b' => 1}}, {'a' => {'c' => 2}})", "{'a' => {'b' => 1, 'c' => 2}}")],
        unknown: Unknown::Arranges,
        call: deep_merge,
        ..Function::PLAIN
    },
    Function {
        name: "delete_undef_values",
        signature: "delete_undef_values(Variant[Array, Hash] collection)",
        doc: "The collection without undef values.",
        examples: &[("delete_undef_values(['a', undef])", "['a']")],
        unknown: Unknown::Arranges,
        call: delete_undef_values,
        ..Function::PLAIN
    },
    Function {
        name: "join_keys_to_values",
        signature: "join_keys_to_values(Hash hash, String separator)",
        doc: "Texts of each key, the separator and its value.",
        examples: &[("join_keys_to_values({'a' => 1, 'b' => [2, 3]}, '=')", "['a=1', 'b=2', 'b=3']")],
        unknown: Unknown::Arranges,
        call: join_keys_to_values,
        ..Function::PLAIN
    },
    Function {
        name: "merge",
        signature: "merge(Any *hashes)",
        doc: "The same as stdlib::merge.",
        unknown: Unknown::Arranges,
        call: super::catalog::renamed,
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::merge",
        signature: "stdlib::merge(Any *hashes)",
        doc: "The entries of all hashes, later ones win. With a lambda: of the hashes that it gives for each element.",
        examples: &[("stdlib::merge({'a' => 1}, {'b' => 2})", "{'a' => 1, 'b' => 2}")],
        unknown: Unknown::Arranges,
        call: merge,
        ..Function::PLAIN
    },
];

/// Hashes are not merged deeper.
const DEPTH: usize = 200;

pub(super) fn hash(call: &Call, index: usize) -> Run<&Map> {
    match call.arg(index) {
        Value::Hash(map) => Ok(map),
        other => wrong(call, index, "a Hash", other),
    }
}

fn deep_merge(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, usize::MAX)?;
    let mut out = Map::default();
    for (i, arg) in call.args.iter().enumerate() {
        if arg.as_str() == Some("") {
            continue;
        }
        add(&mut out, hash(call, i)?, 0);
    }
    Ok(Value::hash(out))
}

fn add(out: &mut Map, more: &Map, depth: usize) {
    for (key, value) in more {
        match (out.get(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) if depth < DEPTH => {
                let mut merged = (**old).clone();
                add(&mut merged, new, depth + 1);
                out.insert(key.clone(), Value::hash(merged));
            }
            // It may be a hash with more keys.
            (Some(Value::Unknown(_)), Value::Hash(_)) => {
                out.insert(key.clone(), Value::Unknown(None));
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
}

fn delete_undef_values(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, usize::MAX)?;
    let stays = |value: &Value| !matches!(value, Value::Undef);
    match call.arg(0) {
        Value::Array(list) if list.iter().any(|value| matches!(value, Value::Unknown(_))) => Ok(Value::Unknown(None)),
        Value::Array(list) => Ok(Value::array(list.iter().filter(|v| stays(v)).cloned().collect())),
        Value::Hash(map) => {
            let left = map.iter().filter(|(_, v)| stays(v)).map(|(k, v)| (k.clone(), v.clone()));
            Ok(Value::hash(left.collect()))
        }
        other => wrong(call, 0, "an Array or a Hash", other),
    }
}

fn join_keys_to_values(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, 2)?;
    let separator = call.text(1)?;
    let joined = |key: &Value, value: &Value| {
        let is_unknown = unknown::is_in(key) || unknown::is_in(value);
        unknown::text(format!("{}{separator}{}", ruby::text(key), ruby::text(value)), is_unknown)
    };
    let mut out = Vec::new();
    for (key, value) in hash(call, 0)? {
        match value {
            Value::Array(list) => out.extend(list.iter().map(|item| joined(key, item))),
            Value::Str(text) if &**text == "undef" => out.push(Value::str(ruby::text(key))),
            value => out.push(joined(key, value)),
        }
    }
    Ok(Value::array(out))
}

fn merge(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let mut out = Map::default();
    let Some(block) = &call.block else {
        for (i, arg) in call.args.iter().enumerate() {
            match arg {
                Value::Hash(map) => out.extend(map.iter().map(|(k, v)| (k.clone(), v.clone()))),
                Value::Undef => {}
                Value::Str(text) if text.is_empty() => {}
                other => return wrong(call, i, "a Hash", other),
            }
        }
        return Ok(Value::hash(out));
    };
    let takes_index = block.arity().0 == 3;
    let items: Vec<Vec<Value>> = match call.arg(0) {
        Value::Hash(map) if takes_index => map.iter().map(|(k, v)| vec![k.clone(), v.clone()]).collect(),
        Value::Hash(map) => map.iter().map(|(k, v)| vec![Value::array(vec![k.clone(), v.clone()])]).collect(),
        other => {
            let list = match other {
                Value::Array(list) => list.to_vec(),
                Value::Iterator(items) => items.items.clone(),
                Value::Int(count) => (0..(*count).max(0)).map(Value::Int).collect(),
                Value::Str(text) => text.chars().map(|c| Value::str(c.to_string())).collect(),
                other => return wrong(call, 0, "an Iterable", other),
            };
            let index = |i: usize| takes_index.then_some(Value::Int(i as i64));
            list.into_iter().enumerate().map(|(i, v)| index(i).into_iter().chain([v]).collect()).collect()
        }
    };
    let mut is_open = false;
    for item in items {
        // What follows an unknown result is unknown too.
        let memo = if is_open { Value::Unknown(None) } else { Value::hash(out.clone()) };
        let args: Vec<Value> = [memo].into_iter().chain(item).collect();
        match e.apply(block, &args, call.span)? {
            Value::Hash(map) => out.extend(map.iter().map(|(k, v)| (k.clone(), v.clone()))),
            Value::Unknown(_) => is_open = true,
            _ => {}
        }
    }
    Ok(if is_open { Value::Unknown(None) } else { Value::hash(out) })
}
