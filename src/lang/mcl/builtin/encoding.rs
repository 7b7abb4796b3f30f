//! `encoding`: JSON and base64.

use std::rc::Rc;

use super::call::{Call, Failure};
use super::{Function, Typing, limits};
use crate::lang::mcl::types::Type;
use crate::lang::mcl::value::Value;

pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "encoding",
        "base64_decode",
        &["func(text str) str"],
        "Decodes base64; the result must be UTF-8.",
        &[("encoding.base64_decode(\"aGk=\")", "\"hi\"")],
        |call| {
            let bytes = base64_decode(call.str(0)?).ok_or_else(|| Failure::fatal("the text is not base64"))?;
            let text = String::from_utf8(bytes).map_err(|_| Failure::fatal("the decoded base64 is not UTF-8"))?;
            Ok(Value::str(text))
        },
    ),
    Function::new(
        "encoding",
        "base64_encode",
        &["func(text str) str"],
        "A string in base64, padded.",
        &[("encoding.base64_encode(\"hi\")", "\"aGk=\"")],
        |call| {
            let text = call.str(0)?;
            limits::text(text.len().saturating_mul(4) / 3)?;
            Ok(Value::str(base64_encode(text.as_bytes())))
        },
    ),
    Function::new(
        "encoding",
        "decode_json",
        &["func(data str) ?1", "func(data str, type str) ?1"],
        "Decodes JSON to the type of its use or of the second argument. Unknown fields are errors.",
        &[("encoding.decode_json(\"[1, 2]\", \"[]int\")", "[1, 2]")],
        |call| decode(call, Strictness::Strict),
    )
    .typed(Typing::ByResultOrText),
    Function::new(
        "encoding",
        "decode_json_flexible",
        &["func(data str) ?1", "func(data str, type str) ?1"],
        "As `decode_json`, but ignores unknown fields, and uses zero values for missing fields and nulls.",
        &[(
            "encoding.decode_json_flexible(\"{\\\"a\\\": 1, \\\"x\\\": 2}\", \"struct{a int; b str}\")",
            "struct{a => 1, b => \"\"}",
        )],
        |call| decode(call, Strictness::Flexible),
    )
    .typed(Typing::ByResultOrText),
];

/// The longest JSON text that is read, 8 MiB: its values take many times as much.
const JSON: usize = 8 << 20;

/// What is done about fields that differ from the type's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    Strict,
    Flexible,
}

fn decode(call: &mut Call, strictness: Strictness) -> Result<Value, Failure> {
    let ty = call.result.ok_or_else(|| Failure::fatal("the type of the value is unknown"))?;
    typed(call.str(0)?, ty, strictness)
}

/// The value of JSON text, of a type.
pub fn typed(json: &str, ty: &Type, strictness: Strictness) -> Result<Value, Failure> {
    if json.len() > JSON {
        return Err(Failure::fatal(format!("the JSON is longer than {JSON} bytes")));
    }
    // Nesting is capped at 128 by the reader of JSON.
    let json: serde_json::Value =
        serde_json::from_str(json).map_err(|error| Failure::fatal(format!("the text is not JSON: {error}")))?;
    convert(json, ty, strictness)
}

fn convert(json: serde_json::Value, ty: &Type, strictness: Strictness) -> Result<Value, Failure> {
    use serde_json::Value as Json;
    match (ty, json) {
        (ty, Json::Null) if strictness == Strictness::Flexible => zero(ty),
        (Type::Bool, Json::Bool(value)) => Ok(Value::Bool(value)),
        (Type::Str, Json::String(text)) => Ok(Value::str(text)),
        (Type::Int, Json::Number(number)) => whole(&number),
        (Type::Float, Json::Number(number)) => Ok(Value::Float(number.as_f64().unwrap_or_default())),
        (Type::List(item), Json::Array(items)) => {
            let items: Result<_, _> = items.into_iter().map(|json| convert(json, item, strictness)).collect();
            Ok(Value::list(items?))
        }
        (Type::Map(key, value), Json::Object(pairs)) => {
            let pairs: Result<_, Failure> = pairs
                .into_iter()
                .map(|(name, json)| Ok((key_of(name, key)?, convert(json, value, strictness)?)))
                .collect();
            Ok(Value::Map(Rc::new(pairs?)))
        }
        (Type::Struct(fields), Json::Object(pairs)) => structure(fields, pairs, strictness),
        (ty, json) => Err(Failure::fatal(format!("the JSON has {}, expected {ty}", kind_of(&json)))),
    }
}

fn structure(
    fields: &[(smol_str::SmolStr, std::sync::Arc<Type>)],
    mut pairs: serde_json::Map<String, serde_json::Value>,
    strictness: Strictness,
) -> Result<Value, Failure> {
    let mut values = Vec::with_capacity(fields.len());
    for (name, ty) in fields {
        let value = match (pairs.remove(name.as_str()), strictness) {
            (Some(json), _) => convert(json, ty, strictness)?,
            (None, Strictness::Flexible) => zero(ty)?,
            (None, Strictness::Strict) => return Err(Failure::fatal(format!("the JSON has no field {name}"))),
        };
        values.push((name.clone(), value));
    }
    match pairs.keys().next() {
        Some(name) if strictness == Strictness::Strict => {
            Err(Failure::fatal(format!("the type has no field for the JSON's {name:?}")))
        }
        _ => Ok(Value::Struct(Rc::new(values))),
    }
}

/// JSON's numbers are floats; a whole one fits an int also as `1.0`.
fn whole(number: &serde_json::Number) -> Result<Value, Failure> {
    let float =
        || number.as_f64().filter(|value| value.fract() == 0.0 && value.abs() < 9.0e15).map(|value| value as i64);
    let value = number.as_i64().or_else(float);
    value.map(Value::Int).ok_or_else(|| Failure::fatal(format!("the JSON has {number}, expected int")))
}

/// JSON's keys are text; those of other scalars are written as text.
fn key_of(name: String, ty: &Type) -> Result<Value, Failure> {
    let key = match ty {
        Type::Str => Some(Value::str(name.as_str())),
        Type::Int => name.parse().ok().map(Value::Int),
        Type::Float => name.parse().ok().map(Value::Float),
        Type::Bool => name.parse().ok().map(Value::Bool),
        _ => None,
    };
    key.ok_or_else(|| Failure::fatal(format!("the JSON has the key {name:?}, expected {ty}")))
}

fn kind_of(json: &serde_json::Value) -> &'static str {
    match json {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "a bool",
        serde_json::Value::Number(_) => "a number",
        serde_json::Value::String(_) => "a string",
        serde_json::Value::Array(_) => "an array",
        serde_json::Value::Object(_) => "an object",
    }
}

/// The value of a type that stands for nothing.
pub fn zero(ty: &Type) -> Result<Value, Failure> {
    match ty {
        Type::Bool => Ok(Value::Bool(false)),
        Type::Str => Ok(Value::str("")),
        Type::Int => Ok(Value::Int(0)),
        Type::Float => Ok(Value::Float(0.0)),
        Type::List(_) => Ok(Value::list(Vec::new())),
        Type::Map(..) => Ok(Value::Map(Rc::default())),
        Type::Struct(fields) => {
            let fields: Result<_, Failure> = fields.iter().map(|(name, ty)| Ok((name.clone(), zero(ty)?))).collect();
            Ok(Value::Struct(Rc::new(fields?)))
        }
        Type::Func(..) | Type::Variant => Err(Failure::fatal(format!("{ty} has no zero value"))),
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64_encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = (0..3).fold(0, |group, at| group << 8 | u32::from(chunk.get(at).copied().unwrap_or_default()));
        for at in 0..4 {
            let letter = ALPHABET[(group >> (18 - 6 * at) & 63) as usize];
            out.push(if at <= chunk.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// Padding is needed, line breaks are skipped.
fn base64_decode(text: &str) -> Option<Vec<u8>> {
    let letters: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\r' | b'\n')).collect();
    let mut out = Vec::with_capacity(letters.len() / 4 * 3);
    let groups = letters.chunks(4);
    let last = groups.len();
    for (at, chunk) in groups.enumerate() {
        let padding = chunk.iter().rev().take_while(|byte| **byte == b'=').count();
        if chunk.len() != 4 || padding > 2 || (padding > 0 && at + 1 < last) {
            return None;
        }
        let mut group = 0;
        for letter in &chunk[..4 - padding] {
            group = group << 6 | ALPHABET.iter().position(|have| have == letter)? as u32;
        }
        let bytes = (group << (6 * padding)).to_be_bytes();
        out.extend_from_slice(&bytes[1..4 - padding]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{base64_decode, base64_encode};

    #[test]
    fn base64_goes_there_and_back() {
        for (plain, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
            assert_eq!(base64_encode(plain.as_bytes()), encoded);
            assert_eq!(base64_decode(encoded).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(base64_decode("Zm9v\nYg==\n").as_deref(), Some(&b"foob"[..]));
        for wrong in ["Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Z!==", "Zm 9"] {
            assert_eq!(base64_decode(wrong), None, "{wrong}");
        }
    }
}
