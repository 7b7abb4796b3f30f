//! The functions and variables of the language as data: signature, documentation, examples and implementation.
//!
//! One file per module of functions, each with a sorted list; [`MODULES`] joins them. Examples are a function's help
//! and its test.

mod call;
#[cfg(test)]
mod check;
mod convert;
mod datetime;
mod deploy;
mod encoding;
mod example;
pub mod fmt;
mod global;
mod golang;
mod iter;
mod limits;
mod list;
mod local;
mod map;
mod math;
pub mod native;
mod net;
mod os;
mod past;
mod provisioner;
mod regexp;
mod strings;
mod sys;
mod test;
mod util;
mod value;
mod variables;
mod world;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::value::Value;
use crate::world::World;

pub use call::{Apply, Call, Cells, Failure};
pub use limits::TEXT;
pub use os::own_home;
pub use past::{Past, PastUses};

/// A built-in function.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// With its module: `strings.to_lower`, `golang/strings.join` is `golang/strings` + `join`. Empty for a function
    /// that needs no import, such as `len`, and for one in the list of its own module: [`functions`] fills it.
    pub module: &'static str,
    pub name: &'static str,
    /// In mcl's syntax, with `?1` for type variables; several if arguments are optional.
    pub signatures: &'static [&'static str],
    pub doc: &'static str,
    /// Calls and their results, both in mcl.
    pub examples: &'static [(&'static str, &'static str)],
    /// Typing that a signature cannot express.
    pub typing: Typing,
    /// The kinds that `?1` may be, in the words of [`super::types::Type::kind`]; empty for any.
    pub kinds: &'static [&'static str],
    /// Whether its errors can be caught by `<|>`.
    pub call: fn(&mut Call) -> Result<Value, Failure>,
}

impl Function {
    /// With its module, for `workbench doc`.
    pub fn full_name(&self) -> String {
        if self.module.is_empty() { self.name.into() } else { format!("{}.{}", self.module, self.name) }
    }

    /// Its signatures for display: a parameter that may be repeated or omitted ends with `...`.
    pub fn forms(&self) -> impl Iterator<Item = String> {
        let shown = |text: &&str| match (self.typing, text.rsplit_once(") ")) {
            (Typing::Variadic, Some((params, result))) => format!("{params} ...) {result}"),
            (Typing::Format, Some((params, result))) => format!("{params}, a ...) {result}"),
            _ => (*text).to_string(),
        };
        self.signatures.iter().map(shown)
    }

    /// A function that is typed by its signatures. [`MODULES`] names its module.
    const fn new(
        name: &'static str,
        signatures: &'static [&'static str],
        doc: &'static str,
        examples: &'static [(&'static str, &'static str)],
        call: fn(&mut Call) -> Result<Value, Failure>,
    ) -> Self {
        Self { module: "", name, signatures, doc, examples, typing: Typing::Signature, kinds: &[], call }
    }

    const fn typed(mut self, typing: Typing) -> Self {
        self.typing = typing;
        self
    }

    const fn of_kinds(mut self, kinds: &'static [&'static str]) -> Self {
        self.kinds = kinds;
        self
    }
}

/// How a call is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typing {
    /// By the signatures alone.
    Signature,
    /// By the signatures, and the function gets the result's type at the call: [`Call::result`].
    ByResult,
    /// By the signature, whose last parameter may be repeated or omitted.
    Variadic,
    /// Like [`Typing::ByResult`]; with two arguments the second, if it is known before solving, names the result's
    /// type.
    ByResultOrText,
    /// `fmt.printf`: the text of the first argument determines the types of the others.
    Format,
    /// `golang.template`: a format and, if there is one, a value of any type.
    Template,
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

/// The modules with their functions, sorted.
static MODULES: &[(&str, &[Function])] = &[
    ("", global::FUNCTIONS),
    ("convert", convert::FUNCTIONS),
    ("datetime", datetime::FUNCTIONS),
    ("deploy", deploy::FUNCTIONS),
    ("embedded/provisioner", provisioner::FUNCTIONS),
    ("encoding", encoding::FUNCTIONS),
    ("example", example::FUNCTIONS),
    ("example/nested", example::NESTED),
    ("fmt", fmt::FUNCTIONS),
    ("golang", golang::FUNCTIONS),
    ("golang/html", golang::html::FUNCTIONS),
    ("golang/math", golang::math::FUNCTIONS),
    ("golang/math/rand", golang::rand::FUNCTIONS),
    ("golang/os", golang::os::FUNCTIONS),
    ("golang/os/exec", golang::os::EXEC),
    ("golang/path", golang::path::FUNCTIONS),
    ("golang/path/filepath", golang::path::FILEPATH),
    ("golang/runtime", golang::os::RUNTIME),
    ("golang/strconv", golang::strconv::FUNCTIONS),
    ("golang/strings", golang::strings::FUNCTIONS),
    ("iter", iter::FUNCTIONS),
    ("list", list::FUNCTIONS),
    ("local", local::FUNCTIONS),
    ("map", map::FUNCTIONS),
    ("math", math::FUNCTIONS),
    ("net", net::FUNCTIONS),
    ("net/http", net::HTTP),
    ("os", os::FUNCTIONS),
    ("regexp", regexp::FUNCTIONS),
    ("strings", strings::FUNCTIONS),
    ("sys", sys::FUNCTIONS),
    ("sys/fwupd", sys::FWUPD),
    ("test", test::FUNCTIONS),
    ("util", util::FUNCTIONS),
    ("value", value::FUNCTIONS),
    ("world", world::FUNCTIONS),
    ("world/collect", world::COLLECT),
];

/// Every function, sorted by module and name.
pub fn functions() -> &'static [Function] {
    static ALL: LazyLock<Vec<Function>> = LazyLock::new(|| {
        let named = |(module, list): &(&'static str, &[Function])| {
            let module = *module;
            list.iter().map(move |function| Function { module, ..*function }).collect::<Vec<_>>()
        };
        MODULES.iter().flat_map(named).collect()
    });
    &ALL
}

/// Every variable, sorted by name.
pub use variables::VARIABLES;

/// Whether `import "name"` finds built-in functions.
pub fn is_module(module: &str) -> bool {
    !module.is_empty() && modules().any(|known| known == module)
}

/// A function by module (empty for those that need no import) and name.
pub fn function(module: &str, name: &str) -> Option<&'static Function> {
    static INDEX: LazyLock<FxHashMap<(&str, &str), &Function>> =
        LazyLock::new(|| functions().iter().map(|f| ((f.module, f.name), f)).collect());
    INDEX.get(&(module, name)).copied()
}

/// A variable by its full name.
pub fn variable(name: &str) -> Option<&'static Variable> {
    let at = VARIABLES.binary_search_by(|v| v.name.cmp(name)).ok()?;
    Some(&VARIABLES[at])
}

/// The modules with built-in functions, sorted; the empty one has those without an import.
pub fn modules() -> impl Iterator<Item = &'static str> {
    MODULES.iter().map(|(module, _)| *module)
}

/// The functions of a module.
pub fn names_in(module: &str) -> impl Iterator<Item = &'static str> {
    functions().iter().filter(move |f| f.module == module).map(|f| f.name)
}
