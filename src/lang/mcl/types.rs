//! mcl's types, as written and as known after unification.

use std::fmt;
use std::sync::Arc;

use smol_str::SmolStr;

/// A type without variables. Struct types with other field order or names differ; names of function arguments do not
/// count.
#[derive(Clone, Debug)]
pub enum Type {
    Bool,
    Str,
    Int,
    Float,
    List(Arc<Type>),
    Map(Arc<Type>, Arc<Type>),
    Struct(Vec<(SmolStr, Arc<Type>)>),
    Func(Vec<(Option<SmolStr>, Arc<Type>)>, Arc<Type>),
    /// Parses, but no value has it.
    Variant,
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Type::List(a), Type::List(b)) => a == b,
            (Type::Map(k, v), Type::Map(l, w)) => k == l && v == w,
            (Type::Struct(a), Type::Struct(b)) => a == b,
            (Type::Func(a, r), Type::Func(b, s)) => {
                a.len() == b.len() && r == s && a.iter().zip(b).all(|((_, x), (_, y))| x == y)
            }
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        }
    }
}

impl Type {
    /// The kind alone, in the words of error messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Type::Bool => "bool",
            Type::Str => "str",
            Type::Int => "int",
            Type::Float => "float",
            Type::List(_) => "list",
            Type::Map(..) => "map",
            Type::Struct(_) => "struct",
            Type::Func(..) => "func",
            Type::Variant => "variant",
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::List(item) => write!(f, "[]{item}"),
            Type::Map(key, value) => write!(f, "map{{{key}: {value}}}"),
            Type::Struct(fields) => {
                f.write_str("struct{")?;
                for (i, (name, ty)) in fields.iter().enumerate() {
                    write!(f, "{}{name} {ty}", if i > 0 { "; " } else { "" })?;
                }
                f.write_str("}")
            }
            Type::Func(params, returns) => {
                f.write_str("func(")?;
                for (i, (name, ty)) in params.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    match name {
                        Some(name) => write!(f, "${name} {ty}")?,
                        None => write!(f, "{ty}")?,
                    }
                }
                write!(f, ") {returns}")
            }
            plain => f.write_str(plain.kind()),
        }
    }
}
