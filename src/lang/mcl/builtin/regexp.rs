//! `regexp`: regular expressions in RE2 syntax.

mod syntax;

use super::Function;
use super::call::{Call, Failure};
use crate::lang::mcl::value::Value;

/// The functions of the module `regexp`.
pub static FUNCTIONS: &[Function] = &[Function::new(
    "match",
    &["func(pattern str, text str) bool"],
    "Whether a part of a string matches a pattern.",
    &[("regexp.match(\"^web[0-9]+$\", \"web12\")", "true"), ("regexp.match(\"b\", \"a\")", "false")],
    matches,
)];

/// The steps for compiling a pattern: a short one can compile to many states.
const COMPILE: u64 = 50_000;
/// Additional steps for each repetition of its parts.
const REPEAT: u64 = 2_000;

/// The longest pattern. Its tree takes many times as much, before the limit of its size is reached.
const MOST_PATTERN: usize = 1 << 16;

/// The size limit of a compiled pattern: enough for a thousand letters of any class.
const MOST_SIZE: usize = 32 << 20;

fn matches(call: &mut Call) -> Result<Value, Failure> {
    let (text, subject) = (call.str(0)?, call.str(1)?);
    let invalid = |why: &str| Failure::fatal(format!("the pattern is invalid: {why}"));
    if text.len() > MOST_PATTERN {
        return Err(invalid(&format!("it is longer than {MOST_PATTERN} bytes")));
    }
    if call.cells.pattern.as_ref().is_none_or(|(source, _)| **source != *text) {
        let translated = syntax::translated(text).map_err(|why| invalid(&why))?;
        let too_many = |_| Failure { spent: true, ..Failure::fatal("too many patterns to compile") };
        call.budget.spend(COMPILE + translated.weight * REPEAT).map_err(too_many)?;
        let pattern = regex::bytes::RegexBuilder::new(&translated.text).size_limit(MOST_SIZE).build();
        call.cells.pattern = Some((text.into(), pattern.map_err(|error| invalid(&one_line(&error)))?));
    }
    let is_match = |(_, pattern): &(Box<str>, regex::bytes::Regex)| pattern.is_match(subject.as_bytes());
    Ok(Value::Bool(call.cells.pattern.as_ref().is_some_and(is_match)))
}

/// The last line of the error has the problem; those before it draw the pattern.
fn one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
