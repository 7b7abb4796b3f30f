//! `world` and `world/collect`: data shared between hosts. Here a machine only shares with itself, in folders below the
//! state folder.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::Function;
use super::call::{Call, Failure, fields, texts, unexpected};
use crate::diag::nearest;
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::resource::{SCHEMAS, schema};
use crate::world::{Read, ReadError, Sample};

/// The functions of the module `world`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "getval",
        &["func(key str) struct{value str; exists bool}"],
        "The value of a key in the shared store.",
        &[],
        |call| {
            let (value, exists) = match shared(call, Read::Stored(call.str(0)?.into()))? {
                Some(Sample::Text(text)) => (text, true),
                Some(other) => return Err(unexpected(&other)),
                None => (String::new(), false),
            };
            Ok(fields([("value", Value::str(value)), ("exists", Value::Bool(exists))]))
        },
    ),
    Function::new(
        "kvlookup",
        &["func(namespace str) map{str: str}"],
        "The values of a key in the shared store, by host.",
        &[],
        |call| match shared(call, Read::StoredByHost(call.str(0)?.into()))? {
            Some(Sample::Pairs(pairs)) => {
                let pairs = pairs.into_iter().map(|(host, value)| (Value::str(host), Value::str(value)));
                Ok(Value::Map(Rc::new(pairs.collect())))
            }
            Some(other) => Err(unexpected(&other)),
            None => Ok(Value::Map(Rc::default())),
        },
    ),
    Function::new(
        "schedule",
        &["func(namespace str) []str"],
        "The hosts chosen from the pool of `schedule` resources.",
        &[],
        |call| match shared(call, Read::Scheduled(call.str(0)?.into()))? {
            Some(Sample::Names(hosts)) => Ok(texts(hosts)),
            Some(other) => Err(unexpected(&other)),
            None => Ok(texts::<&str>([])),
        },
    ),
];

/// The functions of the module `world/collect`.
pub static COLLECT: &[Function] = &[Function::new(
    "res",
    &["func(kind str) []struct{name str; host str}"],
    "The resources of a kind that programs applied on this machine export to this host, including this program. Exports of \
    other machines are not available.",
    &[],
    |call| match shared(call, Read::Exported(kind(call.str(0)?)?))? {
        Some(Sample::Exports(exports)) => {
            // Two programs of a host may export the same, and one may export for all hosts and for this one.
            let names: BTreeSet<_> = exports.into_iter().map(|export| (export.name, export.host)).collect();
            let exports = names.into_iter();
            let exports = exports.map(|(name, host)| fields([("name", Value::str(name)), ("host", Value::str(host))]));
            Ok(Value::list(exports.collect()))
        }
        Some(other) => Err(unexpected(&other)),
        None => Ok(Value::list(Vec::new())),
    },
)];

/// The name of a known kind.
fn kind(name: &str) -> Result<String, Failure> {
    if schema(name).is_none() {
        let near = nearest(name, SCHEMAS.iter().map(|schema| schema.kind));
        let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(Failure::fatal(format!("no resource kind {}{near}", Quoted(name))));
    }
    Ok(name.into())
}

/// The shared data; `None` if there is none, or no store.
fn shared(call: &Call, read: Read) -> Result<Option<Sample>, Failure> {
    match call.world.read(&read) {
        Ok(sample) => Ok(Some(sample)),
        Err(ReadError::Unknown(_) | ReadError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
