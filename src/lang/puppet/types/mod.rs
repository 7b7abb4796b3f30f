//! The type system of Puppet's values.
//!
//! `ty` holds the types themselves. `make` makes types of names and parameters, `print` writes them, `infer` finds the type
//! of a value, `assign` says what fits where, `mismatch` says why not, `new` makes values of types, `time` reads and prints
//! points in time and durations, `object` makes object types.

mod assign;
mod infer;
mod make;
mod mismatch;
pub mod new;
mod object;
mod print;
mod time;
mod ty;

pub use assign::{assignable, is_instance, is_only_itself};
pub use infer::reduced;
pub use infer::{common, generalise, infer, infer_generic};
pub use make::{named, parameterise};
pub use mismatch::describe_mismatch;
pub use object::{attributes, object, object_name, with_name};
pub use time::{
    format_timespan, format_timestamp, parse_timespan, parse_timestamp, timespan_text, timestamp_text, zone,
};
pub use ty::{Attribute, AttributeKind, Bound, Callable, Member, ObjectType, Size, Ty, Type, TypeAlias, TypeSet};

/// A relative reference against a base, as URIs are added.
pub fn join_uri(base: &str, more: &str) -> String {
    if more.contains("://") {
        return more.to_string();
    }
    let (head, path) = match base.find("://") {
        Some(at) => {
            let rest = &base[at + 3..];
            let slash = rest.find('/').map_or(base.len(), |i| at + 3 + i);
            base.split_at(slash)
        }
        None => ("", base),
    };
    if more.starts_with('/') {
        return format!("{head}{more}");
    }
    let folder = path.rfind('/').map_or("/", |i| &path[..=i]);
    let mut parts: Vec<&str> = Vec::new();
    let joined = format!("{folder}{more}");
    for part in joined.split('/').skip(1) {
        match part {
            "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{head}/{}", parts.join("/"))
}
