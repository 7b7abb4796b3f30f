//! `sys` and `sys/fwupd`: the state of this host.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Function;
use super::call::{Call, Failure, fields, unexpected};
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{Read, Sample};

/// The functions of the module `sys`.
pub static FUNCTIONS: &[Function] = &[
    Function::new("cpu_count", &["func() int"], "The number of processors of this host.", &[], |call| {
        integer(call, Read::CpuCount)
    }),
    Function::new("env", &["func() map{str: str}"], "The environment of this program.", &[], |call| {
        let pairs = environment(call)?.into_iter().map(|(name, value)| (Value::str(name), Value::str(value)));
        Ok(Value::Map(Rc::new(pairs.collect())))
    }),
    Function::new(
        "getenv",
        &["func(name str) str"],
        "A variable of the environment.",
        &[("sys.getenv(\"NO SUCH\") <|> \"unset\"", "\"unset\"")],
        |call| {
            let name = call.str(0)?;
            let value = environment(call)?.remove(name);
            value.map(Value::str).ok_or_else(|| Failure::catchable(format!("the environment has no {}", Quoted(name))))
        },
    ),
    Function::new(
        "hasenv",
        &["func(name str) bool"],
        "Whether the environment has a variable.",
        &[("sys.hasenv(\"NO SUCH\")", "false")],
        |call| Ok(Value::Bool(environment(call)?.contains_key(call.str(0)?))),
    ),
    Function::new("hostname", &["func() str"], "The name of this host.", &[], |call| {
        Ok(Value::str(call.world.hostname()))
    }),
    Function::new(
        "load",
        &["func() struct{x1 float; x5 float; x15 float}"],
        "The load of this host over the last 1, 5 and 15 minutes.",
        &[],
        |call| match call.world.read(&Read::Load)? {
            Sample::Load([x1, x5, x15]) => {
                Ok(fields([("x1", Value::Float(x1)), ("x5", Value::Float(x5)), ("x15", Value::Float(x15))]))
            }
            other => Err(unexpected(&other)),
        },
    ),
    Function::new("uptime", &["func() int"], "The uptime of this host in seconds.", &[], |call| {
        integer(call, Read::Uptime)
    }),
];

/// The functions of the module `sys/fwupd`.
pub static FWUPD: &[Function] =
    &[Function::new("reboot_needed", &["func() bool"], "Whether a firmware update waits for a reboot.", &[], |call| {
        match call.world.read(&Read::RebootNeeded)? {
            Sample::Flag(value) => Ok(Value::Bool(value)),
            other => Err(unexpected(&other)),
        }
    })];

/// Reads the environment variables of this program.
pub fn environment(call: &Call) -> Result<BTreeMap<String, String>, Failure> {
    match call.world.read(&Read::Environment)? {
        Sample::Pairs(pairs) => Ok(pairs),
        other => Err(unexpected(&other)),
    }
}

/// Reads an integer from the world. Fails if the read has another kind of result.
pub fn integer(call: &Call, read: Read) -> Result<Value, Failure> {
    match call.world.read(&read)? {
        Sample::Integer(value) => Ok(Value::Int(value)),
        other => Err(unexpected(&other)),
    }
}
