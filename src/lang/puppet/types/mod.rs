//! The type system of Puppet's values.
//!
//! `ty` holds the types themselves. `parse` reads them from expressions, `print` writes them, `infer` finds the type of a
//! value, `assign` says what fits where, `mismatch` says why not, `new` makes values of types.

mod ty;

pub use ty::{Attribute, AttributeKind, Bound, Callable, Member, ObjectType, Size, Ty, Type, TypeAlias, TypeSet};
