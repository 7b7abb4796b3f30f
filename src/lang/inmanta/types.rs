//! Types of attributes and of plugin arguments.

/// The id of an entity in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntityId(pub u32);

/// The id of a defined type in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TypedefId(pub u32);

/// The primitive types that a model calls to convert a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastTo {
    Str,
    Float,
    Number,
    Int,
    Bool,
}

/// The type of an attribute, an argument or a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Ty {
    Str,
    Float,
    Number,
    Int,
    Bool,
    /// `list`: any literal values.
    LiteralList,
    /// `dict`: any literal values.
    LiteralDict,
    Entity(EntityId),
    Typedef(TypedefId),
    List(Box<Ty>),
    Nullable(Box<Ty>),
    /// Any value; of plugins only.
    Any,
    /// Any list; of plugins only.
    AnyList,
    /// Any dictionary; of plugins only.
    AnyDict,
}

impl Ty {
    /// The types that need no definition.
    /// The names of the types that need no program.
    pub const PRIMITIVES: [&'static str; 7] = ["string", "float", "number", "int", "bool", "list", "dict"];

    /// Finds a primitive type by its name in a model.
    pub fn primitive(name: &str) -> Option<Ty> {
        Some(match name {
            "string" => Ty::Str,
            "float" => Ty::Float,
            "number" => Ty::Number,
            "int" => Ty::Int,
            "bool" => Ty::Bool,
            "list" => Ty::LiteralList,
            "dict" => Ty::LiteralDict,
            _ => return None,
        })
    }

    /// The name of a type that needs no program.
    pub fn text(&self) -> &'static str {
        match self {
            Ty::Str => "string",
            Ty::Float => "float",
            Ty::Number => "number",
            Ty::Int => "int",
            Ty::Bool => "bool",
            Ty::LiteralList | Ty::AnyList => "list",
            Ty::LiteralDict | Ty::AnyDict => "dict",
            Ty::Any => "any",
            Ty::Entity(_) | Ty::Typedef(_) | Ty::List(_) | Ty::Nullable(_) => "",
        }
    }
}
