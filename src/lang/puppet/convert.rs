//! Values to text: as interpolation, as `notice` and as Ruby's `inspect` print them, and as JSON.

use std::fmt::Write;

use base64::Engine;
use serde_json::{Value as Json, json};

use crate::lang::puppet::ast::Text;
use crate::lang::puppet::types;
use crate::lang::puppet::value::Value;
use crate::lang::ruby::number;

/// What interpolation makes of a value.
pub fn string(value: &Value) -> String {
    let mut out = String::new();
    append(&mut out, value);
    out
}

/// The same; a text stays the one it is.
pub fn text(value: &Value) -> Text {
    match value {
        Value::Str(text) => text.clone(),
        other => string(other).into(),
    }
}

/// Appends the text of a value, as interpolation shows it.
pub fn append(out: &mut String, value: &Value) {
    match value {
        Value::Undef => {}
        Value::Default => out.push_str("default"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Float(value) => out.push_str(&number::float(*value)),
        Value::Str(text) | Value::Uri(text) => out.push_str(text),
        Value::Regexp(regexp) => {
            let _ = write!(out, "/{}/", regexp.source.replace('/', "\\/"));
        }
        Value::Array(list) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                append(out, item);
            }
            out.push(']');
        }
        Value::Hash(map) => {
            out.push('{');
            for (i, (key, item)) in map.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                append(out, key);
                out.push_str(" => ");
                append(out, item);
            }
            out.push('}');
        }
        Value::Type(ty) => out.push_str(&types::written_out(ty)),
        Value::Object(object) => {
            let name = types::object_name(&object.ty);
            let _ = write!(out, "{name}({{");
            let mut is_first = true;
            for (attribute, item) in &object.entries() {
                out.push_str(if is_first { "" } else { ", " });
                is_first = false;
                let _ = write!(out, "'{attribute}' => {}", inspect(item));
            }
            out.push_str("})");
        }
        Value::Sensitive(_) => out.push_str("Sensitive [value redacted]"),
        Value::Iterator(items) => append(out, &Value::array(items.items.clone())),
        Value::Timespan(value) => out.push_str(&types::timespan_text(*value)),
        Value::Timestamp(value) => out.push_str(&types::timestamp_text(*value)),
        Value::SemVer(version) => {
            let _ = write!(out, "{version}");
        }
        Value::SemVerRange(range) => out.push_str(&range.text),
        Value::Binary(bytes) => out.push_str(&base64::engine::general_purpose::STANDARD.encode(bytes)),
        Value::Unknown(text) => out.push_str(text.as_deref().unwrap_or(super::unknown::SHOWN)),
    }
}

/// As source text would write it: strings in quotes, `undef`.
pub fn inspect(value: &Value) -> String {
    match value {
        Value::Undef => "undef".into(),
        Value::Str(text) => quoted(text),
        Value::Uri(text) => format!("URI({})", quoted(text)),
        Value::Regexp(regexp) => format!("/{}/", regexp.source.replace('/', "\\/")),
        Value::Array(list) => format!("[{}]", list.iter().map(inspect).collect::<Vec<_>>().join(", ")),
        Value::Iterator(items) => inspect(&Value::array(items.items.clone())),
        Value::Hash(map) => {
            let entries: Vec<String> = map.iter().map(|(k, v)| format!("{} => {}", inspect(k), inspect(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        Value::Timespan(value) => format!("Timespan('{}')", types::timespan_text(*value)),
        Value::Timestamp(value) => format!("Timestamp('{}')", types::timestamp_text(*value)),
        Value::SemVer(version) => format!("SemVer('{version}')"),
        Value::SemVerRange(range) => format!("SemVerRange('{}')", range.text),
        Value::Binary(bytes) => {
            format!("Binary('{}')", base64::engine::general_purpose::STANDARD.encode(bytes))
        }
        other => string(other),
    }
}

/// A string as source text: in single quotes where they do, else in double quotes.
pub fn quoted(text: &str) -> String {
    let needs_double = text.chars().any(|c| c.is_control());
    if !needs_double {
        return format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    }
    let mut out = String::from("\"");
    escape(&mut out, text);
    out.push('"');
    out
}

/// Appends a text as it is written in double quotes.
pub fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' | '\\' | '$' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:X}}}", c as u32);
            }
            c => out.push(c),
        }
    }
}

/// As Ruby's `inspect` prints plain data.
pub fn ruby(value: &Value) -> String {
    match value {
        Value::Undef => "nil".into(),
        Value::Default => ":default".into(),
        Value::Str(text) => {
            let mut out = String::from("\"");
            for c in text.chars() {
                match c {
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    '"' => out.push_str("\\\""),
                    '\\' => out.push_str("\\\\"),
                    c => out.push(c),
                }
            }
            out.push('"');
            out
        }
        Value::Array(list) => format!("[{}]", list.iter().map(ruby).collect::<Vec<_>>().join(", ")),
        Value::Hash(map) => {
            let entries: Vec<String> = map.iter().map(|(k, v)| format!("{}=>{}", ruby(k), ruby(v))).collect();
            format!("{{{}}}", entries.join(", "))
        }
        other => string(other),
    }
}

/// As JSON; what JSON cannot hold is an object with `__ptype`.
pub fn json(value: &Value) -> Json {
    let rich = |ptype: &str, text: String| json!({"__ptype": ptype, "__pvalue": text});
    match value {
        Value::Undef => Json::Null,
        Value::Default => json!({"__ptype": "Default"}),
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value),
        Value::Str(text) => json!(&**text),
        Value::Regexp(regexp) => rich("Regexp", regexp.source.to_string()),
        Value::Array(list) => Json::Array(list.iter().map(json).collect()),
        Value::Iterator(items) => Json::Array(items.items.iter().map(json).collect()),
        Value::Hash(map) if map.keys().all(|k| matches!(k, Value::Str(k) if !k.starts_with("__p"))) => {
            Json::Object(map.iter().map(|(k, v)| (string(k), json(v))).collect())
        }
        Value::Hash(map) => {
            let flat: Vec<Json> = map.iter().flat_map(|(k, v)| [json(k), json(v)]).collect();
            json!({"__ptype": "Hash", "__pvalue": flat})
        }
        Value::Type(ty) => {
            let is_known = types::known_object(&types::object_name(ty)).is_some() || **ty == types::Type::Deferred;
            rich("Type", if is_known { types::expanded(ty) } else { ty.to_string() })
        }
        Value::Object(object) => {
            let mut out = serde_json::Map::new();
            out.insert("__ptype".into(), json!(&*types::object_name(&object.ty)));
            for (name, item) in &object.entries() {
                out.insert(name.to_string(), json(item));
            }
            Json::Object(out)
        }
        Value::Sensitive(inner) => json!({"__ptype": "Sensitive", "__pvalue": json(inner)}),
        Value::Timespan(value) => rich("Timespan", types::timespan_text(*value)),
        Value::Timestamp(value) => rich("Timestamp", types::timestamp_text(*value)),
        Value::SemVer(version) => rich("SemVer", version.to_string()),
        Value::SemVerRange(range) => rich("SemVerRange", range.text.to_string()),
        Value::Binary(bytes) => rich("Binary", base64::engine::general_purpose::STANDARD.encode(bytes)),
        Value::Uri(text) => rich("URI", text.to_string()),
        Value::Unknown(_) => json!({"__ptype": "Unknown"}),
    }
}

/// Data read from JSON or YAML.
pub fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(value) => Value::Int(value),
            None => Value::Float(number.as_f64().unwrap_or(0.0)),
        },
        Json::String(text) => Value::str(text.as_str()),
        Json::Array(list) => Value::array(list.iter().map(from_json).collect()),
        Json::Object(map) => Value::hash(map.iter().map(|(k, v)| (Value::str(k.as_str()), from_json(v))).collect()),
    }
}
