//! `value`: the values of `value` resources.

use super::call::{Call, Failure, fields, unexpected};
use super::encoding::{Strictness, typed, zero};
use super::{Function, Typing};
use crate::lang::mcl::types::Type;
use crate::lang::mcl::value::Value;
use crate::world::{Read, ReadError, Sample};

/// The functions of the module `value`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "get",
        &["func(key str) struct{value ?1; ready bool}"],
        "The value of the `value` resource with that name, and whether it is set yet.",
        &[],
        |call| match call.result {
            Some(Type::Struct(fields)) if fields.len() == 2 => get(call, &fields[0].1),
            _ => Err(Failure::fatal("the type of the value is unknown")),
        },
    )
    .typed(Typing::ByResult),
    Function::new(
        "get_bool",
        &["func(key str) struct{value bool; ready bool}"],
        "As `value.get`, for a bool.",
        &[],
        |call| get(call, &Type::Bool),
    ),
    Function::new(
        "get_float",
        &["func(key str) struct{value float; ready bool}"],
        "As `value.get`, for a float.",
        &[],
        |call| get(call, &Type::Float),
    ),
    Function::new(
        "get_int",
        &["func(key str) struct{value int; ready bool}"],
        "As `value.get`, for an int.",
        &[],
        |call| get(call, &Type::Int),
    ),
    Function::new(
        "get_str",
        &["func(key str) struct{value str; ready bool}"],
        "As `value.get`, for a str.",
        &[],
        |call| get(call, &Type::Str),
    ),
];

fn get(call: &Call, ty: &Type) -> Result<Value, Failure> {
    let (value, ready) = match call.world.read(&Read::Held(call.str(0)?.into())) {
        Ok(Sample::Text(json)) => (typed(&json, ty, Strictness::Strict)?, true),
        Ok(other) => return Err(unexpected(&other)),
        // Nothing was applied yet.
        Err(ReadError::Unknown(_)) => (zero(ty)?, false),
        Err(error) => return Err(error.into()),
    };
    Ok(fields([("value", value), ("ready", Value::Bool(ready))]))
}
