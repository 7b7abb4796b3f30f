//! Functions on lists, dictionaries and bools.

use super::super::pystr;
use super::super::value::{Value, compare};
use super::{Call, CallResult, Default, Fail, Native, fail, function};

const LIST: &[super::Argument] = &[("item_list", "list", None)];

pub(super) const NATIVES: &[Native] = &[
    function("count", LIST, "int", |call| match call.machine() {
        Some((machine, _)) if machine.is_open_list(call.arg(0)) => Err(Fail::Unknown),
        _ => Ok(Value::Int(call.list(0).len() as i64)),
    }),
    function("len", LIST, "int", |call| {
        let items = call.list(0);
        if items.iter().any(Value::is_unknown) { Err(Fail::Unknown) } else { Ok(Value::Int(items.len() as i64)) }
    }),
    function("sequence", &[("i", "int", None), ("start", "int", Some(Default::Int(0)))], "list", sequence),
    function("at", &[("objects", "list", None), ("index", "int", None)], "any", |call| {
        element(&call.list(0), call.int(1)?)
    }),
    function("item", &[("objects", "list", None), ("index", "int", None)], "list", item),
    function("key_sort", &[("items", "list", None), ("key", "any", None)], "list", key_sort).model(),
    function("unique", LIST, "bool", unique),
    function("flatten", LIST, "list", flatten),
    function("select", &[("objects", "list", None), ("attr", "string", None)], "list", select).model(),
    function("filter", &[("values", "list", None), ("not_item", "std::Entity", None)], "list", |call| {
        let items = call.list(0);
        Ok(Value::list(items.iter().filter(|item| *item != call.arg(1)).cloned().collect()))
    }),
    function("dict_keys", &[("dct", "dict", None)], "string[]", |call| match call.arg(0) {
        Value::Dict(dict) => Ok(Value::list(dict.items.iter().map(|(key, _)| Value::Str(key.clone())).collect())),
        _ => Ok(Value::list(Vec::new())),
    }),
    function("dict_get", &[("dct", "dict", None), ("key", "string", None)], "string", |call| {
        let key = call.text(1);
        match call.arg(0) {
            Value::Dict(dict) => known(dict.get(&key).cloned()).unwrap_or_else(|| fail(format!("'{key}'"))),
            _ => fail("no dictionary"),
        }
    }),
    function("contains", &[("dct", "dict", None), ("key", "string", None)], "bool", |call| {
        let key = call.text(1);
        Ok(Value::Bool(matches!(call.arg(0), Value::Dict(dict) if dict.get(&key).is_some())))
    }),
    function("inlineif", &[("conditional", "bool", None), ("a", "any", None), ("b", "any", None)], "any", |call| {
        Ok(call.arg(if call.bool(0) { 1 } else { 2 }).clone())
    }),
    function("invert", &[("value", "bool", None)], "bool", |call| Ok(Value::Bool(!call.bool(0)))),
    function("isset", &[("value", "any", None)], "bool", |call| Ok(Value::Bool(!matches!(call.arg(0), Value::Null)))),
    function("is_unknown", &[("value", "any", None)], "bool", |call| Ok(Value::Bool(call.arg(0).is_unknown())))
        .unknown(),
];

/// A value of a list or a dictionary; one that is not known makes the result not known.
fn known(value: Option<Value>) -> Option<CallResult> {
    value.map(|value| if value.is_unknown() { Err(Fail::Unknown) } else { Ok(value) })
}

/// How long a sequence may be.
const LONGEST: i64 = 1_000_000;

fn sequence(call: &mut Call) -> CallResult {
    let (count, start) = (call.int(0)?.max(0), call.int(1)?);
    if count > LONGEST {
        return fail(format!("a sequence of more than {LONGEST} numbers"));
    }
    let Some(end) = start.checked_add(count) else { return fail("a number of the sequence is outside of 64 bits") };
    Ok(Value::list((start..end).map(Value::Int).collect()))
}

fn element(items: &[Value], at: i64) -> CallResult {
    let place = if at < 0 { at.saturating_add(items.len() as i64) } else { at };
    let found = usize::try_from(place).ok().and_then(|place| items.get(place)).cloned();
    known(found).unwrap_or_else(|| fail("list index out of range"))
}

fn item(call: &mut Call) -> CallResult {
    let at = call.int(1)?;
    let mut found = Vec::new();
    for inner in call.list(0).iter() {
        match inner {
            Value::List(items) => found.push(element(items, at)?),
            Value::Str(text) => {
                let characters: Vec<Value> = text.chars().map(|character| Value::str(character.to_string())).collect();
                found.push(element(&characters, at)?);
            }
            Value::Unknown(_) => return Err(Fail::Unknown),
            other => return fail(format!("'{}' object is not subscriptable", other.type_name())),
        }
    }
    Ok(Value::list(found))
}

/// Sorts instances by an attribute; several are given as a list.
fn key_sort(call: &mut Call) -> CallResult {
    let names: Vec<String> = match call.arg(1) {
        Value::Str(name) => vec![name.to_string()],
        other => return fail(format!("attribute name must be a string, not {}", other.type_name())),
    };
    let mut keyed: Vec<(Vec<Value>, Value)> = Vec::new();
    for item in call.list(0).iter() {
        let mut keys = Vec::with_capacity(names.len());
        for name in &names {
            let mut value = item.clone();
            for part in name.split('.') {
                value = call.attribute(&value, part)?;
            }
            keys.push(value);
        }
        keyed.push((keys, item.clone()));
    }
    let mut is_mixed = false;
    keyed.sort_by(|(a, _), (b, _)| {
        let pairs = a.iter().zip(b);
        for (a, b) in pairs {
            let order = match (a, b) {
                (Value::Str(a), Value::Str(b)) => Some(a.chars().cmp(b.chars())),
                (a, b) if a.is_number() && b.is_number() => compare(a, b),
                _ => None,
            };
            match order {
                Some(std::cmp::Ordering::Equal) => {}
                Some(order) => return order,
                None => is_mixed = true,
            }
        }
        std::cmp::Ordering::Equal
    });
    if is_mixed {
        return fail("'<' not supported between these values");
    }
    Ok(Value::list(keyed.into_iter().map(|(_, item)| item).collect()))
}

fn unique(call: &mut Call) -> CallResult {
    let items = call.list(0);
    let mut seen = rustc_hash::FxHashSet::default();
    for item in items.iter() {
        match item {
            Value::Unknown(_) => return Err(Fail::Unknown),
            Value::List(_) | Value::Dict(_) => return fail(format!("unhashable type: '{}'", item.type_name())),
            _ => {}
        }
        let key = match item {
            Value::Float(number) if number.fract() == 0.0 && number.is_finite() => format!("{number:.0}"),
            Value::Bool(flag) => u8::from(*flag).to_string(),
            Value::Str(text) => format!("'{text}"),
            Value::Instance(id) => format!("@{}", id.0),
            other => pystr::repr(other, &pystr::NoInstances),
        };
        if !seen.insert(key) {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn flatten(call: &mut Call) -> CallResult {
    let mut found = Vec::new();
    for item in call.list(0).iter() {
        match item {
            Value::List(items) => found.extend(items.iter().cloned()),
            Value::Str(text) => found.extend(text.chars().map(|character| Value::str(character.to_string()))),
            Value::Dict(dict) => found.extend(dict.items.iter().map(|(key, _)| Value::Str(key.clone()))),
            Value::Unknown(_) => return Err(Fail::Unknown),
            other => return fail(format!("'{}' object is not iterable", other.type_name())),
        }
    }
    Ok(Value::list(found))
}

fn select(call: &mut Call) -> CallResult {
    let name = call.text(1);
    let mut found = Vec::new();
    for item in call.list(0).iter() {
        found.push(call.attribute(item, &name)?);
    }
    Ok(Value::list(found))
}
