//! The functions that every manifest can call. Each is a row.

mod annotation;
mod collection;
mod control;
mod data;
mod erb_fault;
mod iterate;
mod number;
mod random;
mod resource;
mod signature;
pub mod stdlib;
mod template;
mod text;

use super::call::Call;
use super::eval::Evaluator;
use super::stop::Run;
use super::value::Value;

/// What a function takes: callable types, each with the names of its parameters and its block.
pub type Signatures = &'static [(&'static str, &'static str)];

/// Signatures that several functions have.
const EACH: Signatures = &[
    ("Callable[Hash, Callable[2, 2]]", "hash block"),
    ("Callable[Hash, Callable[1, 1]]", "hash block"),
    ("Callable[Iterable, Callable[2, 2]]", "enumerable block"),
    ("Callable[Iterable, Callable[1, 1]]", "enumerable block"),
];
const NUMBER: Signatures = &[("Callable[Numeric]", "val"), ("Callable[String]", "val")];
const PATHS: Signatures = &[("Callable[String, 0]", "paths"), ("Callable[Array[String], 0]", "paths_array")];
const HASH: Signatures = &[("Callable[Hash]", "hsh")];

/// One built-in function.
pub struct Function {
    pub name: &'static str,
    /// How it is called, as text.
    pub signature: &'static str,
    pub doc: &'static str,
    /// Calls and what they give; a test evaluates each of them.
    pub examples: &'static [(&'static str, &'static str)],
    /// Computed in their order before a call. Without any, it checks its own arguments.
    pub takes: Signatures,
    /// The code of types can call it: `arm-functions/1`.
    pub is_pure: bool,
    pub unknown: Unknown,
    /// It does not visit the elements of its arguments, or its own code pays for each.
    pub glances: bool,
    /// It gives a part of its arguments, which was measured when it was made.
    pub passes_on: bool,
    pub call: fn(&mut Evaluator<'_>, &Call) -> Run<Value>,
}

/// What a function does with arguments that are unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// Its value is unknown too.
    Spreads,
    /// It shows them.
    Shows,
    /// Its whole effect depends on them, so it is left out.
    Acts,
    /// As `Acts`, but parts of an argument may be unknown.
    ActsOnParts,
    /// It only arranges its arguments, so parts of them may be unknown.
    Arranges,
    /// As `Arranges`, and whole arguments may be unknown.
    Chooses,
}

impl Function {
    const PLAIN: Self = Self {
        name: "",
        signature: "",
        doc: "",
        examples: &[],
        takes: &[],
        is_pure: false,
        unknown: Unknown::Spreads,
        glances: false,
        passes_on: false,
        call: |_, _| Ok(Value::Undef),
    };
}

const TABLES: [&[Function]; 9] = [
    annotation::FUNCTIONS,
    collection::FUNCTIONS,
    control::FUNCTIONS,
    data::FUNCTIONS,
    iterate::FUNCTIONS,
    number::FUNCTIONS,
    resource::FUNCTIONS,
    template::FUNCTIONS,
    text::FUNCTIONS,
];

pub use collection::{follow, path};
pub use number::versions;
pub use template::template_text;

/// All functions.
pub fn all() -> impl Iterator<Item = &'static Function> {
    TABLES.iter().flat_map(|table| table.iter())
}

/// A function by its name.
pub fn find(name: &str) -> Option<&'static Function> {
    static BY_NAME: std::sync::OnceLock<rustc_hash::FxHashMap<&str, &Function>> = std::sync::OnceLock::new();
    BY_NAME.get_or_init(|| all().map(|f| (f.name, f)).collect()).get(name).copied()
}

/// What a function gives that may pass its value through a lambda.
fn through_block(e: &mut Evaluator<'_>, call: &Call, value: Value) -> Run {
    match &call.block {
        Some(block) => e.apply(block, &[value], call.span),
        None => Ok(value),
    }
}

/// What a function does with unknown arguments; one that is not in a table spreads them.
pub fn policy(name: &str) -> Unknown {
    find(name).or_else(|| stdlib::find(name)).map_or(Unknown::Spreads, |function| function.unknown)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::puppet::convert;
    use crate::lang::puppet::testing::{compile, compile_with_modules};

    #[test]
    fn examples_give_the_documented_results() {
        for (call, wanted) in all().flat_map(|function| function.examples) {
            assert_eq!(convert::inspect(&compile(call).1), *wanted, "{call}");
        }
        for (call, wanted) in stdlib::all().flat_map(|function| function.examples) {
            assert_eq!(convert::inspect(&compile_with_modules(call).1), *wanted, "{call}");
        }
    }
}
