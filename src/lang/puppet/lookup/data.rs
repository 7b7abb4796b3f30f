//! Files of data: YAML, JSON and HOCON, read once, with the line of each key.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::yaml::{self, Document, Wrong};
use crate::lang::puppet::convert;
use crate::lang::puppet::value::{Map, Value};

/// Which level, and which of its files.
type Place = (usize, usize);

/// What was read and called so far.
#[derive(Debug, Default)]
pub struct Cache {
    pub(super) files: FxHashMap<PathBuf, Arc<File>>,
    /// What functions gave as a whole.
    pub hashes: FxHashMap<Place, Value>,
    /// What functions gave for a key.
    pub answers: FxHashMap<(Place, Value), Option<Value>>,
    pub contexts: FxHashMap<Place, Value>,
}

/// The data of a file.
#[derive(Debug, Default)]
pub struct File {
    pub(super) document: Document,
}

impl File {
    /// Returns the value of a key of the top level.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.document.value.get(key).cloned()
    }

    /// The line of a key; the first one where it is not known.
    pub fn line(&self, key: &str) -> u32 {
        self.document.lines.get(key).copied().unwrap_or(1)
    }

    /// Whether the value of a key has an integer of more than 64 bits.
    pub fn has_large_integer(&self, key: &str) -> bool {
        self.document.large.iter().any(|name| &**name == key)
    }

    /// Whether a key of the top level is a Ruby symbol.
    pub fn has_symbol(&self, key: &str) -> bool {
        self.document.symbols.iter().any(|name| &**name == key)
    }

    /// Returns the keys of the top level as text.
    pub fn keys(&self) -> impl Iterator<Item = String> {
        let map = match &self.document.value {
            Value::Hash(map) => Some(map),
            _ => None,
        };
        map.into_iter().flat_map(|map| map.keys().map(convert::string))
    }
}

/// Nothing is an empty hash.
pub(super) fn with_hash(document: Document) -> Document {
    Document { value: Value::hash(Map::default()), ..document }
}

/// JSON; it is YAML too, which has the lines of its keys.
pub(super) fn json(text: &str) -> Result<Document, Wrong> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => {
            let lines = yaml::read(text).map(|document| document.lines).unwrap_or_default();
            Ok(Document { value: convert::from_json(&value), lines, ..Document::default() })
        }
        Err(error) => {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default().to_string();
            Err(Wrong { message, line: error.line().max(1) as u32, column: error.column().max(1) as u32, help: None })
        }
    }
}
