//! Values as they are sent to the worker, and as they come back.

use base64::Engine;
use serde_json::{Value as Json, json};

use super::super::convert;
use super::super::eval::Evaluator;
use super::super::lookup::context;
use super::super::semver::{Range, Version};
use super::super::stop::{Run, fail};
use super::super::types::{self, Type};
use super::super::value::{Map, Value};
use crate::lang::puppet::issue::IssueName;
use crate::lang::ruby::regexp::Regexp;
use crate::source::Span;

/// Values inside of one another.
const NESTED: usize = 250;

/// A value for the worker; `None` where it is unknown. What Ruby only passes on stays in `held`.
pub fn to_json(value: &Value, held: &mut Vec<Value>) -> Option<Json> {
    let text = || convert::string(value);
    Some(match value {
        Value::Undef => Json::Null,
        Value::Default => json!({ "$default": true }),
        Value::Bool(flag) => json!(flag),
        Value::Int(number) => json!(number),
        Value::Float(number) if number.is_finite() => json!(number),
        Value::Float(number) if number.is_nan() => json!({ "$float": "NaN" }),
        Value::Float(number) => json!({ "$float": if *number > 0.0 { "Infinity" } else { "-Infinity" } }),
        Value::Str(text) => json!(&**text),
        Value::Regexp(regexp) => json!({ "$regexp": &*regexp.source }),
        Value::Array(list) => list.iter().map(|item| to_json(item, held)).collect::<Option<Json>>()?,
        Value::Iterator(items) => items.items.iter().map(|item| to_json(item, held)).collect::<Option<Json>>()?,
        Value::Hash(map) => {
            let pair = |(key, item)| Some(json!([to_json(key, held)?, to_json(item, held)?]));
            json!({ "$hash": map.iter().map(pair).collect::<Option<Vec<Json>>>()? })
        }
        Value::Type(ty) => {
            let title = match &**ty {
                Type::Resource(Some(_), Some(title)) => Some(&**title),
                Type::Class(Some(name)) => Some(&**name),
                _ => None,
            };
            json!({ "$type": text(), "title": title })
        }
        Value::Sensitive(inner) => json!({ "$sensitive": to_json(inner, held)? }),
        Value::Timespan(nanoseconds) => json!({ "$timespan": nanoseconds.to_string(), "text": text() }),
        Value::Timestamp(nanoseconds) => json!({ "$timestamp": nanoseconds.to_string(), "text": text() }),
        Value::SemVer(_) => json!({ "$semver": text() }),
        Value::SemVerRange(_) => json!({ "$semver_range": text() }),
        Value::Uri(text) => json!({ "$uri": &**text }),
        Value::Binary(bytes) => json!({ "$binary": base64::engine::general_purpose::STANDARD.encode(bytes) }),
        Value::Unknown(_) => return None,
        Value::Object(object) => {
            held.push(value.clone());
            let at = held.len() - 1;
            if *types::object_name(&object.ty) == *context::NAME {
                let part = |name: &str| {
                    let found = object.attributes.iter().find(|(have, _)| **have == *name);
                    found.map_or(Json::Null, |(_, value)| convert::json(value))
                };
                json!({ "$context": at, "environment": part("environment_name"), "module": part("module_name") })
            } else {
                json!({ "$held": at, "text": text(), "class": &*types::object_name(&object.ty) })
            }
        }
    })
}

/// A hash of which some values are unknown: Ruby may use the others.
pub fn to_partial(map: &Map, held: &mut Vec<Value>) -> Json {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for (key, value) in map {
        let Some(name) = to_json(key, held) else { continue };
        match to_json(value, held) {
            Some(value) => known.push(json!([name, value])),
            None => unknown.push(name),
        }
    }
    if unknown.is_empty() {
        return json!({ "$hash": known });
    }
    json!({ "$partial": known, "unknown": unknown })
}

/// A value of the worker.
pub fn from_json(e: &mut Evaluator<'_>, json: &Json, held: &[Value], span: Span, depth: usize) -> Run {
    let wrong = |what: &str| fail(span, IssueName::RuntimeError, format!("Ruby gave {what}"));
    if depth > NESTED {
        return wrong("a value that nests too deep");
    }
    Ok(match json {
        Json::Null => Value::Undef,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match (number.as_i64(), number.is_f64(), number.as_f64()) {
            (Some(whole), ..) => Value::Int(whole),
            (None, true, Some(number)) => Value::Float(number),
            _ => return wrong("an integer outside of 64 bits"),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(list) => {
            let items = list.iter().map(|item| from_json(e, item, held, span, depth + 1));
            Value::array(items.collect::<Run<Vec<_>>>()?)
        }
        Json::Object(object) => {
            let Some((tag, inner)) = object.iter().next() else { return wrong("no value") };
            let text = inner.as_str().unwrap_or_default();
            match tag.as_str() {
                "$hash" => {
                    let mut map = Map::default();
                    for pair in inner.as_array().into_iter().flatten() {
                        let [key, item] = pair.as_array().map(Vec::as_slice).unwrap_or_default() else { continue };
                        let key = from_json(e, key, held, span, depth + 1)?;
                        map.insert(key, from_json(e, item, held, span, depth + 1)?);
                    }
                    Value::hash(map)
                }
                "$default" => Value::Default,
                "$symbol" => Value::str(text),
                "$float" => Value::Float(text.parse().unwrap_or(f64::NAN)),
                "$regexp" => Value::Regexp(Regexp::new(text).into()),
                "$sensitive" => match from_json(e, inner, held, span, depth + 1)? {
                    inner @ Value::Sensitive(_) => inner,
                    inner => Value::Sensitive(inner.into()),
                },
                "$type" => match e.catalog.reference(text) {
                    Some(id) => Value::Type(e.catalog.get(id).as_type()),
                    None => Value::Type(e.type_from_text(text, span)?),
                },
                "$held" => match inner.as_u64().and_then(|at| held.get(usize::try_from(at).ok()?)) {
                    Some(value) => value.clone(),
                    None => return wrong("a value that it did not get"),
                },
                "$timespan" => Value::Timespan(text.parse().unwrap_or_default()),
                "$timestamp" => Value::Timestamp(text.parse().unwrap_or_default()),
                "$semver" => match Version::parse(text) {
                    Some(version) => Value::SemVer(version.into()),
                    None => return wrong("a text that is no version"),
                },
                "$semver_range" => match Range::parse(text) {
                    Some(range) => Value::SemVerRange(range.into()),
                    None => return wrong("a text that is no range of versions"),
                },
                "$uri" => Value::Uri(text.into()),
                "$binary" => match base64::engine::general_purpose::STANDARD.decode(text) {
                    Ok(bytes) => Value::Binary(bytes.into()),
                    Err(_) => return wrong("bytes that are not base64"),
                },
                _ => return wrong("a value that the language does not have"),
            }
        }
    })
}

/// The bytes of a value that Ruby made.
pub fn size(value: &Value) -> usize {
    match value {
        Value::Str(text) => 16 + text.len(),
        Value::Array(list) => list.iter().map(size).sum::<usize>() + 16,
        Value::Hash(map) => map.iter().map(|(key, item)| size(key) + size(item) + 16).sum::<usize>() + 16,
        Value::Sensitive(inner) => size(inner),
        _ => 16,
    }
}
