//! The functions and variables of the language as data: signature, documentation, examples and what they do.
//!
//! One file per module of functions, each with a sorted list; [`FUNCTIONS`] joins them. Examples are a function's help
//! and its test.

use std::path::Path;

use rustc_hash::FxHashMap;

use super::types::Type;
use super::value::Value;
use crate::world::World;

/// A built-in function.
#[derive(Debug)]
pub struct Function {
    /// With its module: `strings.to_lower`, `golang/strings.join` is `golang/strings` + `join`; plain for `len`.
    pub module: &'static str,
    pub name: &'static str,
    /// In mcl's syntax, `?1` for type variables; several where arguments may be left out.
    pub signatures: &'static [&'static str],
    pub doc: &'static str,
    /// Calls and what they give, both in mcl.
    pub examples: &'static [(&'static str, &'static str)],
    /// Typing that a signature cannot say.
    pub typing: Typing,
    /// The kinds that `?1` may be, in the words of [`Type::kind`]; empty for any.
    pub kinds: &'static [&'static str],
    /// Whether its errors can be caught by `<|>`.
    pub call: fn(&mut Call) -> Result<Value, Failure>,
}

/// How a call's type is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// By the signatures alone.
    Signature,
    /// By the signatures, and the function is told the result's type at the call: [`Call::result`].
    ByResult,
    /// By the signature, whose last parameter may be given any number of times, also never.
    Variadic,
    /// As [`Typing::ByResult`]; with two arguments the second, where it is known before solving, names the result's type.
    ByResultOrText,
    /// `fmt.printf`: the first argument's text gives the types of the others.
    Format,
    /// `golang.template`: a format and, if there is one, a value of any type.
    Template,
}

/// What a function gets.
pub struct Call<'a> {
    pub args: &'a [Value],
    /// The type that the call must have; only with [`Typing::ByResult`].
    pub result: Option<&'a Type>,
    pub world: &'a dyn World,
    /// The folder of the file that holds the call.
    pub folder: &'a Path,
    /// The folder of the entry point.
    pub root: &'a Path,
    /// Calls a function value; errors pass through.
    pub apply: &'a mut Apply<'a>,
    /// What functions remember of one evaluation; starts empty.
    pub cells: &'a mut Cells,
}

/// What functions remember within one evaluation: how often each was called.
#[derive(Debug, Default)]
pub struct Cells {
    calls: FxHashMap<&'static str, u64>,
}

impl Cells {
    /// Counts a call; the first one is 1.
    pub fn count(&mut self, function: &'static str) -> u64 {
        let calls = self.calls.entry(function).or_default();
        *calls += 1;
        *calls
    }
}

/// How a function calls a function value that it was given.
pub type Apply<'a> = dyn FnMut(&Value, &[Value]) -> Result<Value, Failure> + 'a;

/// Why a function has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub message: String,
    /// Whether `<|>` catches it; anything else ends the evaluation.
    pub catchable: bool,
}

impl Failure {
    pub fn catchable(message: impl Into<String>) -> Self {
        Self { message: message.into(), catchable: true }
    }

    pub fn fatal(message: impl Into<String>) -> Self {
        Self { message: message.into(), catchable: false }
    }
}

/// A variable of the language.
#[derive(Debug)]
pub struct Variable {
    /// Without the dollar sign: `hostname`, `const.res.file.state.exists`, `os.family_debian` (with its module's name).
    pub name: &'static str,
    pub ty: &'static str,
    pub doc: &'static str,
    pub value: fn(&dyn World) -> Value,
}

/// Every function, sorted by module and name.
pub static FUNCTIONS: &[&[Function]] = &[];

/// Every variable, sorted by name.
pub static VARIABLES: &[Variable] = &[];

/// Whether `import "name"` finds built-in functions.
pub fn is_module(module: &str) -> bool {
    !module.is_empty() && FUNCTIONS.iter().flat_map(|list| list.iter()).any(|f| f.module == module)
}

/// A function by module (empty for those that need no import) and name.
pub fn function(module: &str, name: &str) -> Option<&'static Function> {
    FUNCTIONS.iter().flat_map(|list| list.iter()).find(|f| f.module == module && f.name == name)
}

/// A variable by its full name.
pub fn variable(name: &str) -> Option<&'static Variable> {
    VARIABLES.iter().find(|v| v.name == name)
}

/// The modules that have built-in functions, sorted; the empty one is what needs no import.
pub fn modules() -> impl Iterator<Item = &'static str> {
    let names: std::collections::BTreeSet<_> =
        FUNCTIONS.iter().flat_map(|list| list.iter()).map(|f| f.module).collect();
    names.into_iter()
}

/// The functions of a module.
pub fn names_in(module: &str) -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().flat_map(|list| list.iter()).filter(move |f| f.module == module).map(|f| f.name)
}
