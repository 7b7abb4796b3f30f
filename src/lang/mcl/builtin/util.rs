//! `util`: functions without another module.

use super::Function;
use super::call::{Call, Failure, unexpected};
use crate::lang::mcl::value::Value;
use crate::world::{Read, Sample};

/// The functions of the module `util`.
pub static FUNCTIONS: &[Function] = &[Function::new(
    "hostname_mapper",
    &["func(names map{str: str}) str"],
    "The value in a map for one of this host's hardware addresses; empty if there is none.",
    &[],
    hostname_mapper,
)];

fn hostname_mapper(call: &mut Call) -> Result<Value, Failure> {
    let interfaces = match call.world.read(&Read::Interfaces)? {
        Sample::Interfaces(interfaces) => interfaces,
        other => return Err(unexpected(&other)),
    };
    for (mac, name) in call.map(0)? {
        let Value::Str(mac) = mac else { continue };
        if interfaces.iter().any(|interface| !interface.mac.is_empty() && interface.mac.eq_ignore_ascii_case(mac)) {
            return Ok(name.clone());
        }
    }
    Ok(Value::str(""))
}
