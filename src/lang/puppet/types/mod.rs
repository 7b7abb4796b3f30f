//! The type system of Puppet's values.
//!
//! `ty` holds the types themselves. `make` makes types of names and parameters, `print` writes them, `infer` finds the type
//! of a value, `instance` and `assign` say what fits where, `mismatch` says why not, `new` makes values of types, `time` reads and prints
//! points in time and durations, `object` makes object types.

mod annotation;
mod assign;
mod doc;
mod infer;
mod instance;
mod make;
mod mismatch;
pub mod model;
pub mod new;
mod object;
mod print;
mod time;
mod ty;
mod uri;

pub use annotation::{Annotation, declared_annotation, is_annotation, known_object};
pub use assign::{assignable, is_only_itself};
pub use doc::{described, doc};
pub use infer::reduced;
pub use infer::{common, generalise, infer, infer_generic};
pub use instance::{is_instance, known_instance};
pub use make::{named, names, parameterise};
pub use mismatch::{
    Mismatch, What, argument_mismatch, count_mismatch, describe_mismatch, parameter_mismatch, written_out,
};
pub use object::{attributes, object, with_name};
pub use print::expanded;
pub use time::{
    format_timespan, format_timestamp, is_too_wide, parse_timespan, parse_timestamp, timespan_text, timestamp_text,
    width, zone,
};
pub use ty::{
    Attribute, AttributeKind, Bound, Callable, Member, ObjectType, Size, Ty, Type, TypeAlias, TypeSet, object_name,
};
pub use uri::{join_uri, uri_parts};
