//! `encoding`: JSON and base64.

mod json;

use std::collections::BTreeMap;
use std::rc::Rc;

use super::call::{Call, Failure};
use super::{Function, Typing};
use crate::lang::mcl::types::Type;
use crate::lang::mcl::value::Value;
use json::Json;

/// The functions of the module `encoding`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "base64_decode",
        &["func(text str) str"],
        "Decodes base64; the result may be any bytes.",
        &[("encoding.base64_decode(\"aGk=\")", "\"hi\""), ("len(encoding.base64_decode(\"/wA=\"))", "2")],
        |call| {
            let text = call.str(0)?;
            call.budget.items(text.len())?;
            call.budget.has_room(2 * text.len())?;
            base64_decode(text).map(Value::text).ok_or_else(|| Failure::fatal("the text is not base64"))
        },
    ),
    Function::new(
        "base64_encode",
        &["func(text str) str"],
        "A string in base64, padded.",
        &[("encoding.base64_encode(\"hi\")", "\"aGk=\"")],
        |call| {
            let text = call.bytes(0)?;
            call.text_fits(text.len().saturating_mul(4) / 3)?;
            Ok(Value::str(base64_encode(text)))
        },
    ),
    Function::new(
        "decode_json",
        &["func(data str) ?1", "func(data str, type str) ?1"],
        "Decodes JSON to the type of its use or of the second argument. Unknown fields are errors.",
        &[("encoding.decode_json(\"[1, 2]\", \"[]int\")", "[1, 2]")],
        |call| decode(call, Strictness::Strict),
    )
    .typed(Typing::ByResultOrText),
    Function::new(
        "decode_json_flexible",
        &["func(data str) ?1", "func(data str, type str) ?1"],
        "As `decode_json`, but ignores unknown fields, and uses zero values for missing fields.",
        &[(
            "encoding.decode_json_flexible(\"{\\\"a\\\": 1, \\\"x\\\": 2}\", \"struct{a int; b str}\")",
            "struct{a => 1, b => \"\"}",
        )],
        |call| decode(call, Strictness::Flexible),
    )
    .typed(Typing::ByResultOrText),
];

/// The longest accepted JSON text, 8 MiB: its values take many times as much.
const JSON: usize = 8 << 20;

/// How to handle fields that differ from the type's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    Strict,
    Flexible,
}

fn decode(call: &mut Call, strictness: Strictness) -> Result<Value, Failure> {
    let ty = call.result.ok_or_else(|| Failure::fatal("the type of the value is unknown"))?;
    typed(call.str(0)?, ty, strictness)
}

/// Converts JSON text to a value of a type.
pub fn typed(json: &str, ty: &Type, strictness: Strictness) -> Result<Value, Failure> {
    if json.len() > JSON {
        return Err(Failure::fatal(format!("the JSON is longer than {JSON} bytes")));
    }
    let json = json::first_value(json).map_err(|why| Failure::fatal(format!("the text is not JSON: {why}")))?;
    convert(json, ty, strictness)
}

fn convert(json: Json, ty: &Type, strictness: Strictness) -> Result<Value, Failure> {
    match (ty, json) {
        (Type::Bool, Json::Bool(value)) => Ok(Value::Bool(value)),
        (Type::Str, Json::Text(text)) => Ok(Value::str(text)),
        (Type::Int, Json::Number(number)) => {
            let value = number.parse().map(Value::Int);
            value.map_err(|_| Failure::fatal(format!("the JSON has {number}, expected int")))
        }
        (Type::Float, Json::Number(number)) => match number.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Value::Float(value)),
            _ => Err(Failure::fatal(format!("the JSON has {number}, which no float can hold"))),
        },
        (Type::List(item), Json::Array(items)) => {
            let items: Result<_, _> = items.into_iter().map(|json| convert(json, item, strictness)).collect();
            Ok(Value::list(items?))
        }
        // The keys of JSON are only text.
        (Type::Map(key, value), Json::Object(pairs)) if **key == Type::Str || pairs.is_empty() => {
            let pairs: Result<_, Failure> = pairs
                .into_iter()
                .map(|(name, json)| Ok((Value::str(name), convert(json, value, strictness)?)))
                .collect();
            Ok(Value::Map(Rc::new(pairs?)))
        }
        (Type::Struct(fields), Json::Object(pairs)) => structure(fields, pairs, strictness),
        (ty, json) => Err(Failure::fatal(format!("the JSON has {}, expected {ty}", json.kind()))),
    }
}

fn structure(
    fields: &[(smol_str::SmolStr, std::sync::Arc<Type>)],
    mut pairs: BTreeMap<String, Json>,
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

/// The zero value of a type.
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

/// The number that a letter stands for.
fn digit(letter: u8) -> Option<u32> {
    Some(u32::from(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

/// Padding is required, line breaks are ignored.
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
            group = group << 6 | digit(*letter)?;
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
