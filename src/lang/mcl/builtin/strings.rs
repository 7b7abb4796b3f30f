//! `strings`: text. Lengths and positions count bytes.

use super::Function;
use super::call::{Call, Failure, texts};
use super::golang::strings::{find, is_space, pieces, replace, to_lower, to_upper};
use super::limits;
use crate::lang::mcl::value::Value;

/// The functions of the module `strings`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "contains",
        &["func(text str, part str) bool"],
        "Whether a string has another within it.",
        &[("strings.contains(\"seafood\", \"foo\")", "true")],
        |call| Ok(Value::Bool(find(call.bytes(0)?, call.bytes(1)?).is_some())),
    ),
    Function::new(
        "has_prefix",
        &["func(text str, prefix str) bool"],
        "Whether a string begins with another.",
        &[("strings.has_prefix(\"web1\", \"web\")", "true")],
        |call| Ok(Value::Bool(call.bytes(0)?.starts_with(call.bytes(1)?))),
    ),
    Function::new(
        "has_suffix",
        &["func(text str, suffix str) bool"],
        "Whether a string ends with another.",
        &[("strings.has_suffix(\"a.conf\", \".conf\")", "true")],
        |call| Ok(Value::Bool(call.bytes(0)?.ends_with(call.bytes(1)?))),
    ),
    Function::new(
        "join_nonempty",
        &["func(parts []str, separator str) str"],
        "The strings that are not empty, with a separator between them.",
        &[("strings.join_nonempty([\"a\", \"\", \"b\"], \"-\")", "\"a-b\"")],
        |call| {
            let parts: Vec<_> = call.byte_texts(0)?.into_iter().filter(|part| !part.is_empty()).collect();
            join(&parts, call.bytes(1)?)
        },
    ),
    Function::new(
        "left_pad",
        &["func(text str, pad str, length int) str"],
        "A string with a padding put before it until it is at least so many bytes long.",
        &[("strings.left_pad(\"7\", \"0\", 3)", "\"007\""), ("strings.left_pad(\"1234\", \"0\", 3)", "\"1234\"")],
        |call| Ok(Value::text([&*padding(call)?, call.bytes(0)?].concat())),
    ),
    Function::new(
        "replace_all",
        &["func(text str, old str, new str) str"],
        "A string with every `old` in it replaced.",
        &[("strings.replace_all(\"a.b.c\", \".\", \"-\")", "\"a-b-c\"")],
        |call| replace(call, -1),
    ),
    Function::new(
        "right_pad",
        &["func(text str, pad str, length int) str"],
        "A string with a padding put after it until it is at least so many bytes long.",
        &[("strings.right_pad(\"ab\", \".\", 4)", "\"ab..\""), ("strings.right_pad(\"a\", \"-=\", 4)", "\"a-=-=\"")],
        |call| Ok(Value::text([call.bytes(0)?, &*padding(call)?].concat())),
    ),
    Function::new(
        "split",
        &["func(text str, separator str) []str"],
        "The parts between separators; with an empty separator, the characters.",
        &[
            ("strings.split(\"a,b,,c\", \",\")", "[\"a\", \"b\", \"\", \"c\"]"),
            ("strings.split(\"hé\", \"\")", "[\"h\", \"é\"]"),
        ],
        |call| {
            if let (Value::Bytes(_), _) | (_, Value::Bytes(_)) = (call.arg(0)?, call.arg(1)?) {
                return split_bytes(call.bytes(0)?, call.bytes(1)?);
            }
            let (text, separator) = (call.str(0)?, call.str(1)?);
            // Counted first, because even the list of parts may be too long.
            call.items_fit(if separator.is_empty() { text.len() } else { text.matches(separator).count() + 1 })?;
            Ok(texts(pieces(text, separator)))
        },
    ),
    Function::new(
        "substr",
        &["func(text str, low int, high int) str"],
        "The bytes of a string from `low` to before `high`.",
        &[("strings.substr(\"hello\", 1, 3)", "\"el\""), ("strings.substr(\"hi\", 1, 9) <|> \"short\"", "\"short\"")],
        substr,
    ),
    Function::new(
        "to_lower",
        &["func(text str) str"],
        "A string in lower case.",
        &[("strings.to_lower(\"Ab\")", "\"ab\"")],
        |call| Ok(Value::str(to_lower(call.str(0)?))),
    ),
    Function::new(
        "to_upper",
        &["func(text str) str"],
        "A string in upper case.",
        &[("strings.to_upper(\"Ab\")", "\"AB\"")],
        |call| Ok(Value::str(to_upper(call.str(0)?))),
    ),
    Function::new(
        "trim_space",
        &["func(text str) str"],
        "A string without white space at both ends.",
        &[("strings.trim_space(\" a b\\n\")", "\"a b\"")],
        |call| Ok(Value::str(call.str(0)?.trim_matches(is_space))),
    ),
];

/// Joins texts with a separator. Fails if the result would be longer than the limit for a text.
pub fn join(parts: &[&[u8]], separator: &[u8]) -> Result<Value, Failure> {
    let between = separator.len().saturating_mul(parts.len().saturating_sub(1));
    limits::text(parts.iter().map(|part| part.len()).sum::<usize>().saturating_add(between))?;
    Ok(Value::text(parts.join(separator)))
}

/// The padding that brings the first argument to at least the length in the third: whole copies, in bytes.
fn padding(call: &Call) -> Result<Vec<u8>, Failure> {
    let (text, pad, length) = (call.bytes(0)?, call.bytes(1)?, call.int(2)?);
    let missing = usize::try_from(length).unwrap_or(0).saturating_sub(text.len());
    if missing == 0 {
        return Ok(Vec::new());
    }
    if pad.is_empty() {
        return Err(Failure::fatal("an empty padding never fills up"));
    }
    limits::text(missing.saturating_add(pad.len()).saturating_add(text.len()))?;
    Ok(pad.repeat(missing.div_ceil(pad.len())))
}

/// The parts between separators, if one of the texts is not UTF-8.
fn split_bytes(text: &[u8], separator: &[u8]) -> Result<Value, Failure> {
    if separator.is_empty() {
        return Err(Failure::fatal("the characters can be split in UTF-8 only"));
    }
    let (mut parts, mut from) = (Vec::new(), 0);
    for at in memchr::memmem::find_iter(text, separator) {
        parts.push(Value::text(text[from..at].to_vec()));
        limits::items(parts.len() + 1)?;
        from = at + separator.len();
    }
    parts.push(Value::text(text[from..].to_vec()));
    Ok(Value::list(parts))
}

fn substr(call: &mut Call) -> Result<Value, Failure> {
    let (text, low, high) = (call.bytes(0)?, call.int(1)?, call.int(2)?);
    let range = usize::try_from(low).ok().zip(usize::try_from(high).ok());
    match range.and_then(|(low, high)| text.get(low..high)) {
        Some(part) => Ok(Value::text(part.to_vec())),
        None => Err(Failure::catchable(format!(
            "bytes {low} to {high} are not within the {} of {}",
            text.len(),
            call.arg(0)?
        ))),
    }
}
