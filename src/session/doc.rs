//! What a resource kind takes and what a function does, as plain data for `doc` and for hovers.

use crate::diag::nearest;
use crate::lang::mcl::builtin::{FUNCTIONS, Function, VARIABLES, Variable, modules, names_in};
use crate::resource::{META, SCHEMAS};

pub use crate::resource::schema::example::example;
pub use crate::resource::{FieldType, MetaDefault, MetaParameter, Parameter, Schema};

/// What a name stands for.
pub enum Doc {
    Kind(&'static Schema),
    Function(&'static Function),
    Variable(&'static Variable),
    /// A module of functions, with their names.
    Module(&'static str, Vec<&'static str>),
}

/// Finds a kind, a function (`strings.to_lower`, `len`), a variable (`$hostname`) or a module of functions.
pub fn doc(name: &str) -> Option<Doc> {
    if let Some(variable) = name.strip_prefix('$') {
        return VARIABLES.iter().find(|v| v.name == variable).map(Doc::Variable);
    }
    let kind = SCHEMAS.iter().find(|schema| schema.kind == name).map(Doc::Kind);
    kind.or_else(|| functions().find(|function| full_name(function) == name).map(Doc::Function)).or_else(|| {
        modules()
            .find(|module| !module.is_empty() && *module == name)
            .map(|module| Doc::Module(module, names_in(module).collect()))
    })
}

/// Every kind, sorted.
pub fn kinds() -> &'static [Schema] {
    SCHEMAS
}

/// The parameters that every resource has.
pub fn meta_parameters() -> &'static [MetaParameter] {
    META
}

/// Every function, by module and name.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    FUNCTIONS.iter().flat_map(|list| list.iter())
}

/// As it is called after `import "module"`.
pub fn full_name(function: &Function) -> String {
    function.full_name()
}

/// The name that was probably meant.
pub fn near_doc(name: &str) -> Option<String> {
    let functions: Vec<String> = functions().map(full_name).collect();
    let names = SCHEMAS.iter().map(|schema| schema.kind).chain(functions.iter().map(String::as_str));
    nearest(name, names).map(Into::into)
}
