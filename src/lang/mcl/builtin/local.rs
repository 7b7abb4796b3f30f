//! `local`: what belongs to this host alone.

use std::path::{Component, Path};

use sha2::{Digest, Sha256};

use super::Function;
use super::call::{Call, Failure, unexpected};
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{Read, Sample};

pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "local",
        "pool",
        &["func(namespace str, uid str) int"],
        "A number above 0 for a name within a namespace: always the same for the same name.",
        &[("local.pool(\"ports\", \"web\") == local.pool(\"ports\", \"web\")", "true")],
        |call| Ok(Value::Int(pool(call.str(0)?, call.str(1)?))),
    ),
    Function::new(
        "local",
        "vardir",
        &["func(path str) str"],
        "A state folder on this host, with a slash at the end. It is created at the first write.",
        &[],
        vardir,
    ),
];

/// A digest and not a counter, so that evaluating needs to write nothing.
fn pool(namespace: &str, uid: &str) -> i64 {
    let digest = Sha256::digest(format!("{}:{namespace}{uid}", namespace.len()));
    let number = digest.iter().take(4).fold(0, |number, byte| number << 8 | i64::from(*byte));
    (number & 0x7fff_ffff).max(1)
}

fn vardir(call: &mut Call) -> Result<Value, Failure> {
    let path = call.str(0)?;
    if Path::new(path).components().any(|part| part == Component::ParentDir) {
        return Err(Failure::fatal(format!("the path {} must not contain `..`", Quoted(path))));
    }
    let state = match call.world.read(&Read::StateFolder)? {
        Sample::Path(state) => state,
        other => return Err(unexpected(&other)),
    };
    let folder = state.join("vardir").join(path.trim_matches('/'));
    Ok(Value::str(format!("{}/", folder.display().to_string().trim_end_matches('/'))))
}
