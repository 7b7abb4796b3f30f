//! `golang/strings`: Go's functions for text. Lengths and positions count bytes.

use rustc_hash::FxHashSet;

use super::super::call::{Call, Failure};
use super::super::strings::join;
use super::super::{Function, limits};
use crate::lang::mcl::value::Value;

/// The functions of the module `golang/strings`.
pub static FUNCTIONS: &[Function] = &[
    Function::new("clone", &["func(s str) str"], "The same string.", &[("strings.clone(\"a\")", "\"a\"")], |call| {
        call.arg(0).cloned()
    }),
    Function::new(
        "compare",
        &["func(a str, b str) int"],
        "-1, 0 or 1, as `a` sorts before, with or after `b`.",
        &[("strings.compare(\"a\", \"b\")", "-1")],
        |call| Ok(Value::Int(call.bytes(0)?.cmp(call.bytes(1)?) as i64)),
    ),
    Function::new(
        "contains",
        &["func(s str, substr str) bool"],
        "Whether a string has another within it.",
        &[("strings.contains(\"seafood\", \"foo\")", "true")],
        |call| Ok(Value::Bool(find(call.bytes(0)?, call.bytes(1)?).is_some())),
    ),
    Function::new(
        "contains_any",
        &["func(s str, chars str) bool"],
        "Whether a string has any of some characters.",
        &[("strings.contains_any(\"abc\", \"xc\")", "true")],
        |call| Ok(Value::Bool(index_any(call)?.is_some())),
    ),
    Function::new(
        "count",
        &["func(s str, substr str) int"],
        "How often a string has another; for an empty one, the characters and one more.",
        &[("strings.count(\"cheese\", \"e\")", "3")],
        |call| {
            let (text, part) = (call.str(0)?, call.str(1)?);
            let count = if part.is_empty() { text.chars().count() + 1 } else { text.matches(part).count() };
            Ok(Value::Int(count as i64))
        },
    ),
    Function::new(
        "equal_fold",
        &["func(s str, t str) bool"],
        "Whether two strings differ in case only.",
        &[("strings.equal_fold(\"Go\", \"GO\")", "true")],
        |call| {
            // Each character is converted twice.
            call.budget.spend(call.str(0)?.len().min(call.str(1)?.len()) as u64)?;
            let (mut s, mut t) = (call.str(0)?.chars().map(fold), call.str(1)?.chars().map(fold));
            Ok(Value::Bool(s.by_ref().eq(t.by_ref())))
        },
    ),
    Function::new(
        "has_prefix",
        &["func(s str, prefix str) bool"],
        "Whether a string begins with another.",
        &[("strings.has_prefix(\"web1\", \"web\")", "true")],
        |call| Ok(Value::Bool(call.bytes(0)?.starts_with(call.bytes(1)?))),
    ),
    Function::new(
        "has_suffix",
        &["func(s str, suffix str) bool"],
        "Whether a string ends with another.",
        &[("strings.has_suffix(\"a.conf\", \".conf\")", "true")],
        |call| Ok(Value::Bool(call.bytes(0)?.ends_with(call.bytes(1)?))),
    ),
    Function::new(
        "index",
        &["func(s str, substr str) int"],
        "Where a string first has another; -1 where it does not.",
        &[("strings.index(\"chicken\", \"ken\")", "4"), ("strings.index(\"a\", \"b\")", "-1")],
        |call| position(find(call.bytes(0)?, call.bytes(1)?)),
    ),
    Function::new(
        "index_any",
        &["func(s str, chars str) int"],
        "Where a string first has any of some characters; -1 where it does not.",
        &[("strings.index_any(\"golang\", \"ny\")", "4")],
        |call| position(index_any(call)?),
    ),
    Function::new(
        "join",
        &["func(elems []str, sep str) str"],
        "Strings with a separator between them.",
        &[("strings.join([\"a\", \"b\"], \", \")", "\"a, b\"")],
        |call| join(&call.byte_texts(0)?, call.bytes(1)?),
    ),
    Function::new(
        "last_index",
        &["func(s str, substr str) int"],
        "Where a string last has another; -1 where it does not.",
        &[("strings.last_index(\"go gopher\", \"go\")", "3")],
        |call| position(call.str(0)?.rfind(call.str(1)?)),
    ),
    Function::new(
        "last_index_any",
        &["func(s str, chars str) int"],
        "Where a string last has any of some characters; -1 where it does not.",
        &[("strings.last_index_any(\"golang\", \"go\")", "5")],
        |call| {
            let chars = characters(call)?;
            position(call.str(0)?.rfind(|c| chars.contains(&c)))
        },
    ),
    Function::new(
        "repeat",
        &["func(s str, count int) str"],
        "A string so many times.",
        &[("strings.repeat(\"na\", 2)", "\"nana\"")],
        |call| {
            let text = call.bytes(0)?;
            let count = usize::try_from(call.int(1)?)
                .map_err(|_| Failure::fatal("a text cannot be repeated less than 0 times"))?;
            call.text_fits(text.len().saturating_mul(count))?;
            Ok(Value::text(text.repeat(if text.is_empty() { 0 } else { count })))
        },
    ),
    Function::new(
        "replace",
        &["func(s str, old str, new str, n int) str"],
        "A string with the first `n` of `old` in it replaced; all for a negative `n`.",
        &[("strings.replace(\"oink oink oink\", \"k\", \"ky\", 2)", "\"oinky oinky oink\"")],
        |call| replace(call, call.int(3)?),
    ),
    Function::new(
        "replace_all",
        &["func(s str, old str, new str) str"],
        "A string with every `old` in it replaced.",
        &[("strings.replace_all(\"a.b.c\", \".\", \"-\")", "\"a-b-c\"")],
        |call| replace(call, -1),
    ),
    Function::new(
        "title",
        &["func(s str) str"],
        "A string with each word's first letter in upper case.",
        &[("strings.title(\"her royal highness\")", "\"Her Royal Highness\"")],
        |call| Ok(Value::str(title(call.str(0)?))),
    ),
    Function::new(
        "to_lower",
        &["func(s str) str"],
        "A string in lower case.",
        &[("strings.to_lower(\"Ab\")", "\"ab\"")],
        |call| Ok(Value::str(to_lower(call.str(0)?))),
    ),
    Function::new(
        "to_title",
        &["func(s str) str"],
        "A string with every letter in title case.",
        &[("strings.to_title(\"her\")", "\"HER\"")],
        |call| Ok(Value::str(to_upper(call.str(0)?))),
    ),
    Function::new(
        "to_upper",
        &["func(s str) str"],
        "A string in upper case.",
        &[("strings.to_upper(\"Ab\")", "\"AB\"")],
        |call| Ok(Value::str(to_upper(call.str(0)?))),
    ),
    Function::new(
        "to_valid_utf_8",
        &["func(s str, replacement str) str"],
        "A text with each run of bytes that are not UTF-8 replaced.",
        &[("strings.to_valid_utf_8(\"a\", \"?\")", "\"a\"")],
        |call| {
            let replacement = call.bytes(1)?;
            let mut out = Vec::new();
            let mut within = false;
            for chunk in call.bytes(0)?.utf8_chunks() {
                within = within && chunk.valid().is_empty();
                out.extend_from_slice(chunk.valid().as_bytes());
                if !chunk.invalid().is_empty() && !within {
                    out.extend_from_slice(replacement);
                    within = true;
                }
                limits::text(out.len())?;
            }
            Ok(Value::text(out))
        },
    ),
    Function::new(
        "trim",
        &["func(s str, cutset str) str"],
        "A string without some characters at both ends.",
        &[("strings.trim(\"--a-b--\", \"-\")", "\"a-b\"")],
        |call| {
            let cutset = call.str(1)?;
            Ok(Value::str(call.str(0)?.trim_matches(|c| cutset.contains(c))))
        },
    ),
    Function::new(
        "trim_left",
        &["func(s str, cutset str) str"],
        "A string without some characters at its start.",
        &[("strings.trim_left(\"xxabc\", \"x\")", "\"abc\"")],
        |call| {
            let cutset = call.str(1)?;
            Ok(Value::str(call.str(0)?.trim_start_matches(|c| cutset.contains(c))))
        },
    ),
    Function::new(
        "trim_prefix",
        &["func(s str, prefix str) str"],
        "A string without another at its start.",
        &[("strings.trim_prefix(\"web1\", \"web\")", "\"1\"")],
        |call| {
            let text = call.bytes(0)?;
            Ok(Value::text(text.strip_prefix(call.bytes(1)?).unwrap_or(text).to_vec()))
        },
    ),
    Function::new(
        "trim_right",
        &["func(s str, cutset str) str"],
        "A string without some characters at its end.",
        &[("strings.trim_right(\"abcxx\", \"x\")", "\"abc\"")],
        |call| {
            let cutset = call.str(1)?;
            Ok(Value::str(call.str(0)?.trim_end_matches(|c| cutset.contains(c))))
        },
    ),
    Function::new(
        "trim_space",
        &["func(s str) str"],
        "A string without white space at both ends.",
        &[("strings.trim_space(\" a b\\n\")", "\"a b\"")],
        |call| Ok(Value::str(call.str(0)?.trim_matches(is_space))),
    ),
    Function::new(
        "trim_suffix",
        &["func(s str, suffix str) str"],
        "A string without another at its end.",
        &[("strings.trim_suffix(\"a.conf\", \".conf\")", "\"a\"")],
        |call| {
            let text = call.bytes(0)?;
            Ok(Value::text(text.strip_suffix(call.bytes(1)?).unwrap_or(text).to_vec()))
        },
    ),
];

fn position(at: Option<usize>) -> Result<Value, Failure> {
    Ok(Value::Int(at.map_or(-1, |at| at as i64)))
}

fn index_any(call: &Call) -> Result<Option<usize>, Failure> {
    let chars = characters(call)?;
    Ok(call.str(0)?.find(|c| chars.contains(&c)))
}

/// The characters that are searched for. Pays for the search.
fn characters(call: &Call) -> Result<FxHashSet<char>, Failure> {
    let (text, chars) = (call.str(0)?, call.str(1)?);
    call.budget.items(text.len())?;
    call.budget.spend(chars.len() as u64)?;
    Ok(chars.chars().collect())
}

/// Unicode white space, which is also Go's.
pub fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// Go maps character by character: `ß` stays, and no character becomes two.
pub fn to_upper(text: &str) -> String {
    text.chars().map(upper).collect()
}

/// Character by character, like [`to_upper`].
pub fn to_lower(text: &str) -> String {
    text.chars().map(lower).collect()
}

fn upper(c: char) -> char {
    let mut mapped = c.to_uppercase();
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

fn lower(c: char) -> char {
    // The dotted capital I becomes two characters in the full mapping, and a plain i in Go's.
    c.to_lowercase().next().unwrap_or(c)
}

fn fold(c: char) -> char {
    lower(upper(c))
}

/// A letter starts a word after anything but letters, digits, underscores and, beyond ASCII, other than spaces.
pub fn title(text: &str) -> String {
    let mut before = ' ';
    text.chars()
        .map(|c| {
            let after_word =
                before.is_alphanumeric() || before == '_' || (!before.is_ascii() && !before.is_whitespace());
            before = c;
            if after_word { c } else { upper(c) }
        })
        .collect()
}

/// The parts between separators; with an empty one, the characters.
pub fn pieces<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    match separator {
        "" => text.split_inclusive(|_| true).collect(),
        separator => text.split(separator).collect(),
    }
}

/// Replaces the first `count` of `old`, all for a negative count. An empty `old` matches before each character and at
/// the end.
pub fn replace(call: &Call, count: i64) -> Result<Value, Failure> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let (Value::Str(text), Value::Str(old), Value::Str(new)) = (call.arg(0)?, call.arg(1)?, call.arg(2)?) else {
        return replace_bytes(call, count);
    };
    let found = if old.is_empty() { text.chars().count() + 1 } else { text.matches(&**old).count() };
    call.text_fits(text.len().saturating_add(found.min(count).saturating_mul(new.len())))?;
    Ok(Value::str(text.replacen(&**old, new, count)))
}

/// Like [`replace`], if one of the texts is not UTF-8.
fn replace_bytes(call: &Call, count: usize) -> Result<Value, Failure> {
    let (text, old, new) = (call.bytes(0)?, call.bytes(1)?, call.bytes(2)?);
    if old.is_empty() {
        return Err(Failure::fatal("an empty text can be replaced in UTF-8 only"));
    }
    let (mut out, mut from) = (Vec::new(), 0);
    for at in memchr::memmem::find_iter(text, old).take(count) {
        out.extend_from_slice(&text[from..at]);
        out.extend_from_slice(new);
        limits::text(out.len())?;
        from = at + old.len();
    }
    out.extend_from_slice(&text[from..]);
    call.text_fits(out.len())?;
    Ok(Value::text(out))
}

/// The first position of a text in another.
pub fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}
