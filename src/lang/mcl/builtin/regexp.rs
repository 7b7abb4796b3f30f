//! `regexp`: regular expressions of RE2's syntax.

use super::Function;
use super::call::Failure;
use crate::lang::mcl::value::Value;

pub static FUNCTIONS: &[Function] = &[Function::new(
    "regexp",
    "match",
    &["func(pattern str, text str) bool"],
    "Whether a part of a text matches a pattern.",
    &[("regexp.match(\"^web[0-9]+$\", \"web12\")", "true"), ("regexp.match(\"b\", \"a\")", "false")],
    |call| {
        let pattern = regex::RegexBuilder::new(call.str(0)?).size_limit(4 << 20).build();
        match pattern {
            Ok(pattern) => Ok(Value::Bool(pattern.is_match(call.str(1)?))),
            Err(error) => Err(Failure::fatal(format!("the pattern is invalid: {}", one_line(&error)))),
        }
    },
)];

/// The last line of the error says what is wrong; those before it draw the pattern.
fn one_line(error: &regex::Error) -> String {
    let text = error.to_string();
    text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}
