//! The documentation of resource kinds and functions, as plain data for `doc` and for hovers.

use std::path::Path;

use crate::diag::{Stage, nearest};
use crate::lang::{DeclaredKind, Feature, Names, language_with, languages};
use crate::module::LanguageName;
use crate::resource::{META, SCHEMAS, schema};
use crate::session::{Cancel, Session};
use crate::world::{Live, World};

pub use crate::lang::{Doc, Function, Variable};
pub use crate::resource::schema::example::example;
pub use crate::resource::{FieldType, MetaDefault, MetaParameter, Parameter, Schema};

/// Finds a kind, a function (`strings.to_lower`, `len`), a variable (`$hostname`) or a module of functions, optionally
/// of one language.
pub fn doc(name: &str, wanted: Option<LanguageName>) -> Option<Doc> {
    if let Some(variable) = name.strip_prefix('$') {
        return names(wanted).find_map(|names| names.variable(variable)).map(Doc::Variable);
    }
    // The requested language's own types come first.
    let named = names(wanted).filter(|_| wanted.is_some()).find_map(|names| names.declared(name));
    if let Some(declared) = named {
        return Some(Doc::Declared(declared));
    }
    schema(name)
        .map(Doc::Kind)
        .or_else(|| names(wanted).find_map(|names| names.function(name)).map(Doc::Function))
        .or_else(|| names(wanted).find_map(|names| names.declared(name)).map(Doc::Declared))
        .or_else(|| {
            names(wanted).find_map(|names| names.module(name)).map(|functions| Doc::Module(name.to_owned(), functions))
        })
}

fn names(wanted: Option<LanguageName>) -> impl Iterator<Item = &'static dyn Names> {
    languages().filter(move |language| wanted.is_none_or(|wanted| wanted == language.name())).map(|one| one.names())
}

impl Session {
    /// Returns the kinds that the program declares.
    pub fn declared_kinds(&self, cancel: &Cancel) -> Vec<DeclaredKind> {
        self.compile(Stage::Compile, cancel).kinds
    }
}

/// Returns the types that a file of a foreign language defines, as text of a language of ours, or an error.
pub fn foreign_types(file: &Path) -> Result<String, String> {
    let shown = file.display();
    let live: &dyn World = &Live::new();
    let bytes = live.file(file).map_err(|error| error.to_string())?;
    let text = std::str::from_utf8(&bytes).map_err(|_| format!("{shown} is not UTF-8 text"))?;
    let name = file.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let language = language_with(Feature::ForeignTypes).ok_or("no language reads foreign types")?;
    language.foreign_types(&name, text).map_err(|(line, reason)| format!("{shown}:{line}: {reason}"))
}

/// Returns the kind of a name.
pub fn kind(name: &str) -> Option<&'static Schema> {
    schema(name)
}

/// Returns every kind, sorted.
pub fn kinds() -> &'static [Schema] {
    SCHEMAS
}

/// Returns the parameters of every resource.
pub fn meta_parameters() -> &'static [MetaParameter] {
    META
}

/// Returns every function, by language, module and name.
pub fn functions(wanted: Option<LanguageName>) -> impl Iterator<Item = Function> {
    names(wanted).flat_map(Names::functions)
}

/// Returns the built-in types of a language, in its own words.
pub fn types(wanted: LanguageName) -> Vec<DeclaredKind> {
    let of =
        |names: &'static dyn Names| names.declared_names().into_iter().filter_map(move |name| names.declared(name));
    names(Some(wanted)).flat_map(of).collect()
}

/// Returns the nearest name.
///
/// `declared` are the kinds of a program.
pub fn near_doc(name: &str, wanted: Option<LanguageName>, declared: &[DeclaredKind]) -> Option<String> {
    let functions: Vec<String> = functions(wanted).map(|function| function.name).collect();
    let kinds = SCHEMAS.iter().map(|schema| schema.kind).chain(declared.iter().map(|kind| &*kind.name));
    let types: Vec<&str> = names(wanted).flat_map(Names::declared_names).collect();
    let names = kinds.chain(functions.iter().map(String::as_str)).chain(types);
    nearest(name, names).map(Into::into)
}
