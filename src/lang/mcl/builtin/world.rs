//! `world` and `world/collect`: what hosts share. Where no store is at hand it is empty.

use std::rc::Rc;

use super::Function;
use super::call::{Call, Failure, fields, texts, unexpected};
use crate::lang::mcl::value::Value;
use crate::world::{Read, ReadError, Sample};

pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "world",
        "getval",
        &["func(key str) struct{value str; exists bool}"],
        "What the shared store holds under a key.",
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
        "world",
        "kvlookup",
        &["func(namespace str) map{str: str}"],
        "What each host stored under a key, by host.",
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
        "world",
        "schedule",
        &["func(namespace str) []str"],
        "The hosts that are chosen for a task that resources of the kind `schedule` offer to do.",
        &[],
        |call| match shared(call, Read::Scheduled(call.str(0)?.into()))? {
            Some(Sample::Names(hosts)) => Ok(texts(hosts)),
            Some(other) => Err(unexpected(&other)),
            None => Ok(texts::<&str>([])),
        },
    ),
];

pub static COLLECT: &[Function] = &[Function::new(
    "world/collect",
    "res",
    &["func(kind str) []struct{name str; host str}"],
    "The resources of a kind that hosts export to this one.",
    &[],
    |call| match shared(call, Read::Exported(call.str(0)?.into()))? {
        Some(Sample::Exports(exports)) => {
            let exports = exports
                .into_iter()
                .map(|export| fields([("name", Value::str(export.name)), ("host", Value::str(export.host))]));
            Ok(Value::list(exports.collect()))
        }
        Some(other) => Err(unexpected(&other)),
        None => Ok(Value::list(Vec::new())),
    },
)];

/// What the store has; nothing where it does not, or where there is no store.
fn shared(call: &Call, read: Read) -> Result<Option<Sample>, Failure> {
    match call.world.read(&read) {
        Ok(sample) => Ok(Some(sample)),
        Err(ReadError::Unknown(_) | ReadError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
