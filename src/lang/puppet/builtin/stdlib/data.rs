//! Functions that write data as JSON, YAML, TOML, Ruby and Python.

use std::sync::Arc;

use serde_json::Value as Json;

use super::{Function, ruby, wrong, yaml};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::convert;
use crate::lang::puppet::eval::Evaluator;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::types;
use crate::lang::puppet::value::{Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    old_name!("to_json"),
    old_name!("to_json_pretty"),
    old_name!("to_yaml"),
    old_name!("to_toml"),
    old_name!("to_ruby"),
    old_name!("to_python"),
    old_name!("type_of"),
    Function {
        name: "stdlib::to_json",
        signature: "stdlib::to_json(Any data)",
        doc: "The data as JSON in one line.",
        examples: &[("stdlib::to_json({'a' => [1, undef]})", "'{\"a\":[1,null]}'")],
        call: |_, c| written(c.arg(0), |v| json(v, &Layout::default(), 0)),
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::to_json_pretty",
        signature: "stdlib::to_json_pretty(Variant[Hash, Array] data, Optional[Boolean] skip_undef, Optional[Struct[{Optional[indent] => String, Optional[space] => String, Optional[space_before] => String, Optional[object_nl] => String, Optional[array_nl] => String, Optional[allow_nan] => Boolean, Optional[max_nesting] => Integer[-1, default]}]] options)",
        doc: "The data as JSON in several lines.",
        examples: &[("stdlib::to_json_pretty(['a'])", "\"[\\n  \\\"a\\\"\\n]\\n\"")],
        call: to_json_pretty,
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::to_yaml",
        signature: "stdlib::to_yaml(Any data, Optional[Hash] options)",
        doc: "The data as YAML.",
        examples: &[("stdlib::to_yaml({'a' => ['yes']})", "\"---\\na:\\n- 'yes'\\n\"")],
        call: |_, c| {
            let option = |name: &str| match c.arg(1).get(name) {
                Some(Value::Int(value)) => Some(*value),
                _ => None,
            };
            written(c.arg(0), |v| yaml::document(v, option("indentation"), option("line_width")))
        },
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::to_toml",
        signature: "stdlib::to_toml(Hash data)",
        doc: "The data as TOML.",
        examples: &[("stdlib::to_toml({'a' => {'b' => 1}})", "\"[a]\\nb = 1\\n\"")],
        call: |_, c| {
            written(c.arg(0), |v| {
                let mut out = String::new();
                if let Value::Hash(map) = v {
                    toml(&mut out, map, &[], 0);
                }
                out
            })
        },
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::to_ruby",
        signature: "stdlib::to_ruby(Any data)",
        doc: "The data as Ruby's source writes it.",
        examples: &[("stdlib::to_ruby({'a' => undef})", "'{\"a\" => nil}'")],
        call: |_, c| Ok(Value::str(source(&convert::json(c.arg(0)), &RUBY))),
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::to_python",
        signature: "stdlib::to_python(Any data)",
        doc: "The data as Python's source writes it.",
        examples: &[("stdlib::to_python({'a' => true})", "'{\"a\": True}'")],
        call: |_, c| Ok(Value::str(source(&convert::json(c.arg(0)), &PYTHON))),
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::type_of",
        signature: "stdlib::type_of(Any value)",
        doc: "The type of a value.",
        examples: &[("stdlib::type_of('a')", "String")],
        call: |_, c| Ok(Value::Type(types::infer(c.arg(0)))),
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::rewrap_sensitive_data",
        signature: "stdlib::rewrap_sensitive_data(Any data)",
        doc: "The data with what is sensitive in it opened, as a Sensitive where there was such a part.",
        examples: &[("stdlib::rewrap_sensitive_data({'a' => 1})", "{'a' => 1}")],
        call: rewrap,
        ..Function::PLAIN
    },
];

/// Data is not written deeper.
const DEPTH: usize = 200;

/// The value without Sensitive around its parts, and whether there was one.
fn opened(value: &Value, depth: usize) -> (Value, bool) {
    let mut found = false;
    let mut open = |value: &Value| {
        let (value, is_sensitive) = opened(value, depth + 1);
        found |= is_sensitive;
        value
    };
    let value = match value {
        _ if depth > DEPTH => value.clone(),
        Value::Sensitive(inner) => return (opened(inner, depth + 1).0, true),
        Value::Array(list) => Value::array(list.iter().map(&mut open).collect()),
        Value::Hash(map) => {
            let mut out = Map::default();
            for (key, value) in map.iter() {
                let key = if let Value::Sensitive(_) = key { open(key) } else { key.clone() };
                let value = open(value);
                out.insert(key, value);
            }
            Value::hash(out)
        }
        other => other.clone(),
    };
    (value, found)
}

/// A text made of data; it is sensitive where a part of the data is.
fn written(data: &Value, write: impl Fn(&Value) -> String) -> Run {
    let (data, is_sensitive) = opened(data, 0);
    let text = Value::str(write(&data));
    Ok(if is_sensitive { Value::Sensitive(Arc::new(text)) } else { text })
}

fn rewrap(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let (data, is_sensitive) = opened(call.arg(0), 0);
    let value = match &call.block {
        Some(block) => e.apply(block, &[data], call.span)?,
        None => data,
    };
    Ok(if is_sensitive { Value::Sensitive(Arc::new(value)) } else { value })
}

/// As long as one part between others may be: it comes again at each level.
const LONGEST: usize = 64;

/// What is between the parts of JSON.
#[derive(Default)]
struct Layout {
    indent: String,
    space: String,
    space_before: String,
    object_break: String,
    array_break: String,
}

fn to_json_pretty(_: &mut Evaluator<'_>, call: &Call) -> Run {
    let mut data = call.arg(0).clone();
    if call.arg(1).is_true() {
        let stays = |value: &Value| !matches!(value, Value::Undef);
        data = match &data {
            Value::Array(list) => Value::array(list.iter().filter(|v| stays(v)).cloned().collect()),
            Value::Hash(map) => {
                Value::hash(map.iter().filter(|(_, v)| stays(v)).map(|(k, v)| (k.clone(), v.clone())).collect())
            }
            other => return wrong(call, 0, "a Hash or an Array", other),
        };
    }
    let option = |name: &str, default: &str| {
        call.arg(2).get(name).and_then(Value::as_str).map_or_else(|| default.to_string(), str::to_string)
    };
    let names = ["indent", "space", "space_before", "object_nl", "array_nl"];
    if let Some(name) = names.iter().find(|name| option(name, "").len() > LONGEST) {
        return call.fail(format!("{}(): `{name}` has more than {LONGEST} bytes", call.name));
    }
    let layout = Layout {
        indent: option("indent", "  "),
        space: option("space", " "),
        space_before: option("space_before", ""),
        object_break: option("object_nl", "\n"),
        array_break: option("array_nl", "\n"),
    };
    written(&data, |v| json(v, &layout, 0) + "\n")
}

fn json(value: &Value, layout: &Layout, depth: usize) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let margin = |depth: usize| layout.indent.repeat(depth);
    match value {
        _ if depth > DEPTH => "null".into(),
        Value::Undef => "null".into(),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => ruby::text(value),
        Value::Array(list) if list.is_empty() => {
            format!("[{0}{0}{1}]", layout.array_break, margin(depth))
        }
        Value::Array(list) => {
            let line = &layout.array_break;
            let items: Vec<String> = list.iter().map(|v| margin(depth + 1) + &json(v, layout, depth + 1)).collect();
            format!("[{line}{}{line}{}]", items.join(&format!(",{line}")), margin(depth))
        }
        Value::Hash(map) if map.is_empty() => format!("{{{}{}}}", layout.object_break, margin(depth)),
        Value::Hash(map) => {
            let line = &layout.object_break;
            let entry = |(key, value): (&Value, &Value)| {
                let (key, value) = (quoted(&ruby::text(key)), json(value, layout, depth + 1));
                format!("{}{key}{}:{}{value}", margin(depth + 1), layout.space_before, layout.space)
            };
            let entries: Vec<String> = map.iter().map(entry).collect();
            format!("{{{line}{}{line}{}}}", entries.join(&format!(",{line}")), margin(depth))
        }
        other => quoted(&ruby::text(other)),
    }
}

/// Entries of a table: plain ones first, then tables, then arrays of tables, each by name.
fn toml(out: &mut String, map: &Map, prefix: &[String], depth: usize) {
    if depth > DEPTH {
        return;
    }
    let is_tables = |value: &Value| matches!(value, Value::Array(list) if matches!(list.first(), Some(Value::Hash(_))));
    let mut entries: Vec<(String, &Value)> = map.iter().map(|(k, v)| (ruby::text(k), v)).collect();
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let plain = entries.iter().filter(|(_, v)| !matches!(v, Value::Hash(_)) && !is_tables(v));
    for (key, value) in plain {
        out.push_str(&format!("{} = {}\n", toml_key(key), toml_value(value)));
    }
    let below = |key: &str| prefix.iter().cloned().chain([toml_key(key)]).collect::<Vec<String>>();
    for (key, value) in &entries {
        let Value::Hash(inner) = value else { continue };
        let path = below(key);
        let has_plain = inner.values().any(|v| !matches!(v, Value::Hash(_)) && !is_tables(v));
        if has_plain || inner.is_empty() {
            out.push_str(&format!("[{}]\n", path.join(".")));
        }
        toml(out, inner, &path, depth + 1);
    }
    for (key, value) in &entries {
        let Value::Array(list) = value else { continue };
        if !is_tables(value) {
            continue;
        }
        let path = below(key);
        for table in list.iter() {
            out.push_str(&format!("[[{}]]\n", path.join(".")));
            if let Value::Hash(inner) = table {
                toml(out, inner, &path, depth + 1);
            }
        }
    }
}

fn toml_key(key: &str) -> String {
    if key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
        return key.into();
    }
    format!("\"{}\"", key.replace('"', "\\\""))
}

fn toml_value(value: &Value) -> String {
    match value {
        Value::Str(text) => {
            let mut text = ruby::quoted(text);
            for sign in ["#$", "#{", "#@"] {
                text = text.replace(&format!("\\{sign}"), sign);
            }
            text
        }
        other => ruby::inspect(other),
    }
}

/// How a language writes data.
struct Words {
    truth: [&'static str; 2],
    nothing: &'static str,
    arrow: &'static str,
}

const RUBY: Words = Words { truth: ["true", "false"], nothing: "nil", arrow: " => " };
const PYTHON: Words = Words { truth: ["True", "False"], nothing: "None", arrow: ": " };

fn source(data: &Json, words: &Words) -> String {
    match data {
        Json::Null => words.nothing.into(),
        Json::Bool(value) => words.truth[usize::from(!*value)].into(),
        Json::String(text) => ruby::quoted(text),
        Json::Array(list) => format!("[{}]", list.iter().map(|v| source(v, words)).collect::<Vec<_>>().join(", ")),
        Json::Object(map) => {
            let entry = |(k, v): (&String, &Json)| format!("{}{}{}", ruby::quoted(k), words.arrow, source(v, words));
            format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Json::Number(_) => ruby::text(&convert::from_json(data)),
    }
}
