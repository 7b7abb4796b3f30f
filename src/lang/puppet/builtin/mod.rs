//! The functions that every manifest can call. Each is a row.

mod annotation;
mod collection;
mod control;
mod data;
mod examples;
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

/// One built-in function.
pub struct Function {
    pub name: &'static str,
    /// How it is called, as text.
    pub signature: &'static str,
    pub doc: &'static str,
    pub call: fn(&mut Evaluator<'_>, &Call) -> Run<Value>,
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
pub use examples::EXAMPLES;
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
