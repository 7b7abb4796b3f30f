//! Functions of the module mysql.

use std::sync::Arc;

use sha1::{Digest, Sha1};

use super::{Function, Unknown, ruby, wrong};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::{Map, Value};
use crate::source::hex;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "mysql::password",
        signature: "mysql::password(Variant[String, Sensitive[String]] password, Optional[Boolean] sensitive)",
        doc: "The hash of a password, as MySQL stores it.",
        examples: &[("mysql::password('hello')", "'*6B4F89A54E2D27ECD7E8DA05B4AB8FD9D1D8B119'")],
        call: password,
        ..Function::PLAIN
    },
    Function {
        name: "mysql::strip_hash",
        signature: "mysql::strip_hash(Hash hash)",
        doc: "The hash without entries that are an empty text, also in hashes inside of it.",
        examples: &[("mysql::strip_hash({'a' => '', 'b' => {'c' => ''}})", "{'b' => {}}")],
        unknown: Unknown::Arranges,
        call: strip_hash,
        ..Function::PLAIN
    },
    Function {
        name: "mysql::normalise_and_deepmerge",
        signature: "mysql::normalise_and_deepmerge(Any *hashes)",
        doc: "The entries of all hashes, merged deeply; `a-b` and `a_b` are one key, and the last spelling counts.",
        examples: &[("mysql::normalise_and_deepmerge({'a-b' => 1}, {'a_b' => 2})", "{'a_b' => 2}")],
        unknown: Unknown::Arranges,
        call: normalise_and_deepmerge,
        ..Function::PLAIN
    },
];

/// Hashes are not merged deeper.
const DEPTH: usize = 200;

fn password(_: &mut Evaluator<'_>, call: &Call) -> Run {
    let text = ruby::open_text(call.arg(0));
    let is_hash = |line: &str| {
        line.len() == 41
            && line
                .strip_prefix('*')
                .is_some_and(|h| h.bytes().all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(&b)))
    };
    let hash = match &*text {
        "" => String::new(),
        text if text.lines().any(is_hash) => text.to_string(),
        text => format!("*{}", hex(&Sha1::digest(Sha1::digest(text))).to_uppercase()),
    };
    let hash = Value::str(hash);
    Ok(if call.arg(1).is_true() { Value::Sensitive(Arc::new(hash)) } else { hash })
}

fn strip_hash(_: &mut Evaluator<'_>, call: &Call) -> Run {
    fn full(map: &Map) -> Map {
        let entries = map.iter().filter(|(_, v)| v.as_str() != Some(""));
        entries.map(|(k, v)| (k.clone(), v.clone())).collect()
    }
    let Value::Hash(map) = call.arg(0) else { return wrong(call, 0, "a Hash", call.arg(0)) };
    let mut out = full(map);
    for value in out.values_mut() {
        if let Value::Hash(inner) = &*value {
            *value = Value::hash(full(inner));
        }
    }
    Ok(Value::hash(out))
}

fn normalise_and_deepmerge(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, usize::MAX)?;
    let mut out = Map::default();
    for (i, arg) in call.args.iter().enumerate() {
        match arg {
            Value::Str(text) if text.is_empty() => {}
            Value::Hash(map) => overlay(&mut out, map, 0),
            other => return wrong(call, i, "a Hash", other),
        }
    }
    Ok(Value::hash(out))
}

fn overlay(out: &mut Map, more: &Map, depth: usize) {
    for (key, value) in more {
        let is_there = respelled(out, key);
        match (out.get(key), value) {
            (Some(Value::Hash(old)), Value::Hash(new)) if is_there && depth < DEPTH => {
                let mut merged = (**old).clone();
                overlay(&mut merged, new, depth + 1);
                out.insert(key.clone(), Value::hash(merged));
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Whether a key is there; one with the other sign between its words gets this spelling.
fn respelled(map: &mut Map, key: &Value) -> bool {
    if map.contains_key(key) {
        return true;
    }
    let text = ruby::text(key);
    let other = if text.contains('-') { text.replace('-', "_") } else { text.replace('_', "-") };
    match map.shift_remove(&Value::str(other)) {
        Some(value) => {
            map.insert(key.clone(), value);
            true
        }
        None => false,
    }
}
