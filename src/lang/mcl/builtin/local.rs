//! `local`: state of this host alone.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;

use super::Function;
use super::call::{Call, Failure, unexpected};
use crate::graph::Numbers;
use crate::lang::mcl::print::Quoted;
use crate::lang::mcl::value::Value;
use crate::world::{Read, ReadError, Sample, pool_path};

/// The functions of the module `local`.
pub static FUNCTIONS: &[Function] = &[
    Function::new(
        "pool",
        &["func(namespace str, uid str) int"],
        "A number for a name within a namespace: 1 for the first name, then the next ones. An apply stores them, so that a \
         name keeps its number.",
        &[
            ("local.pool(\"ports\", \"web\")", "1"),
            (
                "[local.pool(\"a\", \"x\"), local.pool(\"a\", \"y\"), local.pool(\"a\", \"x\"), local.pool(\"b\", \"x\")]",
                "[1, 2, 1, 1]",
            ),
        ],
        pool,
    ),
    Function::new(
        "vardir",
        &["func(path str) str"],
        "A state folder on this host, with a slash at the end. It is created at the first write.",
        &[],
        vardir,
    ),
];

/// The numbers of the pools that this evaluation used.
#[derive(Clone, Debug, Default)]
pub struct PoolNumbers(BTreeMap<String, Pool>);

/// The numbers of one pool.
#[derive(Clone, Debug, Default)]
struct Pool {
    /// The file where they were stored, with its content.
    file: Option<Arc<[u8]>>,
    stored: BTreeMap<String, i64>,
    /// Those that are not stored yet.
    new: BTreeMap<String, i64>,
    highest: i64,
}

impl PoolNumbers {
    /// The numbers for an apply to store.
    pub fn new_ones(&self) -> Numbers {
        let new = self.0.iter().filter(|(_, pool)| !pool.new.is_empty());
        new.map(|(name, pool)| (name.clone(), pool.new.clone())).collect()
    }
}

impl Pool {
    /// Loads the stored numbers, which may have changed since.
    fn load(&mut self, bytes: Option<Arc<[u8]>>) -> Result<(), serde_json::Error> {
        if self.file != bytes {
            self.stored = bytes.as_deref().map_or(Ok(BTreeMap::new()), serde_json::from_slice)?;
            self.new.retain(|name, _| !self.stored.contains_key(name));
            self.highest = self.stored.values().chain(self.new.values()).copied().max().unwrap_or(0);
            self.file = bytes;
        }
        Ok(())
    }

    /// The number of a name; a new name gets the next one.
    fn number(&mut self, name: &str) -> Option<i64> {
        if let Some(number) = self.stored.get(name).or(self.new.get(name)) {
            return Some(*number);
        }
        self.highest = self.highest.checked_add(1)?;
        self.new.insert(name.to_owned(), self.highest);
        Some(self.highest)
    }
}

/// Numbers count up from 1 in the order of their first use; an apply stores them.
fn pool(call: &mut Call) -> Result<Value, Failure> {
    let (namespace, name) = (call.str(0)?, call.str(1)?);
    for (what, text) in [("pool", namespace), ("name", name)] {
        if text.is_empty() || text.contains('/') {
            return Err(Failure::fatal(format!("the {what} {} must not be empty nor hold a slash", Quoted(text))));
        }
    }
    let bytes = match call.world.read(&Read::StateFolder) {
        Ok(Sample::Path(state)) => match call.world.file(&pool_path(&state, namespace)) {
            Ok(bytes) => Some(bytes),
            Err(ReadError::NotFound(_)) => None,
            Err(error) => return Err(error.into()),
        },
        // Nothing is stored there.
        _ => None,
    };
    let pool = call.cells.numbers.0.entry(namespace.to_owned()).or_default();
    pool.load(bytes).map_err(|error| {
        Failure::fatal(format!("the numbers of the pool {} cannot be read: {error}", Quoted(namespace)))
    })?;
    let number = pool.number(name).ok_or_else(|| Failure::fatal("the pool has no number left"))?;
    Ok(Value::Int(number))
}

fn vardir(call: &mut Call) -> Result<Value, Failure> {
    let path = call.str(0)?;
    if Path::new(path).components().any(|part| part == Component::ParentDir) {
        return Err(Failure::fatal(format!("the path {} must not contain `..`", Quoted(path))));
    }
    if path.starts_with('/') || !path.ends_with('/') {
        return Err(Failure::fatal(format!("the path {} must end in a slash and not begin with one", Quoted(path))));
    }
    let state = match call.world.read(&Read::StateFolder)? {
        Sample::Path(state) => state,
        other => return Err(unexpected(&other)),
    };
    let folder = state.join("vardir").join(path.trim_matches('/'));
    Ok(Value::str(format!("{}/", folder.display().to_string().trim_end_matches('/'))))
}
