//! The built-in names of a language, as plain data for `doc` and completion.

use super::{DeclaredKind, Property};
use crate::resource::Schema;

/// The meaning of a name.
#[derive(Clone, Debug)]
pub enum Doc {
    Kind(&'static Schema),
    Function(Function),
    Variable(Variable),
    /// A type that the language declares in its own words, such as an entity.
    Declared(DeclaredKind),
    /// A module of functions, with their names.
    Module(String, Vec<String>),
}

/// A function of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name for `doc`, such as `strings.to_lower` or `stdlib::merge`.
    pub name: String,
    /// In the language's notation; several if arguments are optional.
    pub signatures: Vec<String>,
    pub doc: String,
    /// Calls and their results.
    pub examples: Vec<(String, String)>,
}

/// A variable of a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Without a sigil.
    pub name: String,
    pub ty: String,
    pub doc: String,
}

/// The names of one language; kinds are known in all.
pub trait Names: Sync {
    /// Every function, by module and name.
    fn functions(&self) -> Vec<Function>;

    /// One function by its whole name.
    fn function(&self, name: &str) -> Option<Function> {
        self.functions().into_iter().find(|function| function.name == name)
    }

    /// One variable, without its sigil.
    fn variable(&self, _name: &str) -> Option<Variable> {
        None
    }

    /// A built-in type in the language's own words.
    fn declared(&self, _name: &str) -> Option<DeclaredKind> {
        None
    }

    /// The names of these types.
    fn declared_names(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The properties that it names differently from our kinds.
    fn properties(&self) -> &'static [Property] {
        &[]
    }

    /// The functions of a built-in module.
    fn module(&self, _name: &str) -> Option<Vec<String>> {
        None
    }
}

/// No names at all.
pub struct NoNames;

impl Names for NoNames {
    fn functions(&self) -> Vec<Function> {
        Vec::new()
    }
}
