//! Functions on texts.

use std::sync::Arc;

use super::super::pystr::{self, FormatError};
use super::super::value::Value;
use super::{Call, CallResult, Default, Native, fail, function};

const TEXT: &[super::Argument] = &[("string", "string", None)];

pub(super) const NATIVES: &[Native] = &[
    function(
        "replace",
        &[("string", "string", None), ("old", "string", None), ("new", "string", None)],
        "string",
        replace,
    ),
    function("capitalize", TEXT, "string", capitalize),
    function("upper", TEXT, "string", |call| Ok(Value::str(call.text(0).to_uppercase()))),
    function("lower", TEXT, "string", |call| Ok(Value::str(call.text(0).to_lowercase()))),
    function("limit", &[("string", "string", None), ("length", "int", None)], "string", limit),
    function("length", &[("value", "string", None)], "int", |call| Ok(Value::Int(call.text(0).chars().count() as i64))),
    function("split", &[("string_list", "string", None), ("delim", "string", None)], "list", split),
    function("format", &[("__string", "string", None)], "string", format_text).more().named(),
    function("hostname", &[("fqdn", "string", None)], "string", |call| {
        Ok(Value::str(call.text(0).split('.').next().unwrap_or_default()))
    }),
    function("json_loads", &[("s", "string", None)], "any", json_loads),
    function("json_dumps", &[("obj", "any", None)], "string", json_dumps),
    function("print", &[("message", "any", None)], "any", print).model(),
    function("assert", &[("expression", "bool", None), ("message", "string", Some(Default::Str("")))], "any", |call| {
        if call.bool(0) { Ok(Value::Null) } else { fail(format!("Assertion error: {}", call.text(1))) }
    }),
    function(
        "equals",
        &[("arg1", "any", None), ("arg2", "any", None), ("desc", "string?", Some(Default::Null))],
        "any",
        |call| {
            if call.arg(0) == call.arg(1) {
                return Ok(Value::Null);
            }
            let text = format!("{} != {}", call.shown(call.arg(0)), call.shown(call.arg(1)));
            match call.arg(2) {
                Value::Str(more) => fail(format!("{text}: {more}")),
                _ => fail(text),
            }
        },
    ),
];

/// How long a text made here may get.
const LONGEST: usize = 64 << 20;

fn replace(call: &mut Call) -> CallResult {
    let (text, old, new) = (call.text(0), call.text(1), call.text(2));
    let count = if old.is_empty() { text.chars().count() + 1 } else { text.matches(&*old).count() };
    if text.len() + count.saturating_mul(new.len()) > LONGEST {
        return fail("the text gets too long");
    }
    Ok(Value::str(text.replace(&*old, &new)))
}

fn capitalize(call: &mut Call) -> CallResult {
    let text = call.text(0);
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    Ok(Value::str(format!("{first}{}", characters.as_str().to_lowercase())))
}

fn limit(call: &mut Call) -> CallResult {
    let text = call.text(0);
    let count = text.chars().count() as i64;
    let length = call.int(1)?;
    let take = if length < 0 { (count + length).max(0) } else { length };
    Ok(Value::str(text.chars().take(take as usize).collect::<String>()))
}

fn split(call: &mut Call) -> CallResult {
    let (text, mark) = (call.text(0), call.text(1));
    if mark.is_empty() {
        return fail("empty separator");
    }
    Ok(Value::list(text.split(&*mark).map(Value::str).collect()))
}

/// Python's `str.format`: fields by number and by name.
fn format_text(call: &mut Call) -> CallResult {
    let text = call.text(0);
    let mut next = Some(0);
    formatted(call, &text, &mut next, 2).map(Value::str)
}

/// `next` is the number of the next field without a name; nothing once a field has a number.
fn formatted(call: &Call, text: &str, next: &mut Option<usize>, depth: u32) -> Result<String, super::Fail> {
    let mut made = String::new();
    for piece in pystr::pieces(text).or_else(fail)? {
        made.push_str(&piece.text);
        let Some(field) = piece.field else { continue };
        if depth == 0 {
            return fail("Max string recursion exceeded");
        }
        let end = field.name.find(['.', '[']).unwrap_or(field.name.len());
        let (root, path) = field.name.split_at(end);
        let mut value = if root.is_empty() {
            let Some(at) = *next else {
                return fail("cannot switch from manual field specification to automatic field numbering");
            };
            *next = Some(at + 1);
            call.more.get(at).cloned()
        } else if let Ok(at) = root.parse::<usize>() {
            if next.take().is_some_and(|next| next > 0) {
                return fail("cannot switch from automatic field numbering to manual field specification");
            }
            call.more.get(at).cloned()
        } else {
            call.named.iter().find(|(name, _)| **name == *root).map(|(_, value)| value.clone())
        };
        for part in path.split(['.', '[']).filter(|part| !part.is_empty()) {
            let key = part.trim_end_matches(']');
            value = match value {
                Some(Value::List(items)) => key.parse::<usize>().ok().and_then(|at| items.get(at).cloned()),
                Some(Value::Dict(dict)) => dict.get(key).cloned(),
                Some(instance @ Value::Instance(_)) => Some(call.attribute(&instance, key)?),
                _ => None,
            };
        }
        let Some(value) = value else { return fail(format!("no value for the field '{}'", field.name)) };
        let value = match (field.conversion, &value) {
            (Some('r'), _) => Value::str(pystr::repr(&value, call.model())),
            (_, Value::Null | Value::List(_) | Value::Dict(_) | Value::Instance(_)) => Value::str(call.shown(&value)),
            _ => value,
        };
        let spec = formatted(call, &field.spec, next, depth - 1)?;
        match pystr::format(&value, &spec, call.model()) {
            Ok(text) => made.push_str(&text),
            Err(FormatError::Value(reason) | FormatError::Type(reason)) => return fail(reason),
        }
    }
    Ok(made)
}

fn json_loads(call: &mut Call) -> CallResult {
    let text = call.text(0);
    let parsed: serde_json::Value = serde_json::from_str(&text).or_else(|error| fail(error.to_string()))?;
    from_json(&parsed)
}

fn from_json(value: &serde_json::Value) -> CallResult {
    Ok(match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(flag) => Value::Bool(*flag),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(whole) => Value::Int(whole),
            None => match number.to_string().parse::<num_bigint::BigInt>() {
                Ok(big) => Value::integer(big),
                Err(_) => Value::Float(number.as_f64().unwrap_or(f64::INFINITY)),
            },
        },
        serde_json::Value::String(text) => Value::str(text.as_str()),
        serde_json::Value::Array(items) => Value::list(items.iter().map(from_json).collect::<Result<_, _>>()?),
        serde_json::Value::Object(items) => {
            let mut made: Vec<(Arc<str>, Value)> = Vec::with_capacity(items.len());
            for (key, item) in items {
                made.push((key.as_str().into(), from_json(item)?));
            }
            Value::dict(made)
        }
    })
}

fn json_dumps(call: &mut Call) -> CallResult {
    let mut out = String::new();
    write_json(call.arg(0), &mut out)?;
    Ok(Value::str(out))
}

/// JSON as Python writes it: blanks after `,` and `:`, and ASCII only.
fn write_json(value: &Value, out: &mut String) -> Result<(), super::Fail> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Int(number) => out.push_str(&number.to_string()),
        Value::Big(number) => out.push_str(&number.to_string()),
        Value::Float(number) if number.is_nan() => out.push_str("NaN"),
        Value::Float(number) if number.is_infinite() => {
            out.push_str(if *number > 0.0 { "Infinity" } else { "-Infinity" });
        }
        Value::Float(number) => out.push_str(&pystr::float(*number)),
        Value::Str(text) => write_json_text(text, out),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_json(item, out)?;
            }
            out.push(']');
        }
        Value::Dict(dict) => {
            out.push('{');
            for (at, (key, item)) in dict.items.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                write_json_text(key, out);
                out.push_str(": ");
                write_json(item, out)?;
            }
            out.push('}');
        }
        Value::Unknown(_) => return Err(super::Fail::Unknown),
        Value::Instance(_) | Value::Skipped => return fail("an instance is not JSON serializable"),
    }
    Ok(())
}

/// Writes a text in double quotes, as JSON and in ASCII.
pub fn write_json_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='~' => out.push(character),
            _ => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    out.push('"');
}

/// How much a model may print.
const MOST_PRINTED: usize = 16 << 20;

fn print(call: &mut Call) -> CallResult {
    let text = call.shown(call.arg(0));
    if let super::Place::Model { machine, .. } = &mut call.place {
        if machine.output.len() + text.len() > MOST_PRINTED {
            return fail("the model prints too much");
        }
        machine.output.push_str(&text);
        machine.output.push('\n');
    }
    Ok(Value::Null)
}
