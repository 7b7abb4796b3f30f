//! Files of data: YAML, JSON and HOCON, read once, with the line of each key.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::yaml::{self, Document};
use super::{At, Evaluator};
use super::{hocon, yaml::Wrong};
use crate::lang::puppet::convert;
use crate::lang::puppet::stop::Run;
use crate::lang::puppet::value::{Map, Value};

/// Which level, and which of its files.
type Place = (usize, usize);

/// What was read and called so far.
#[derive(Debug, Default)]
pub struct Cache {
    files: FxHashMap<PathBuf, Arc<File>>,
    /// What functions gave as a whole.
    pub hashes: FxHashMap<Place, Value>,
    /// What functions gave for a key.
    pub answers: FxHashMap<(Place, Value), Option<Value>>,
    pub contexts: FxHashMap<Place, Value>,
}

/// The data of a file.
#[derive(Debug, Default)]
pub struct File {
    document: Document,
}

impl File {
    pub fn get(&self, key: &str) -> Option<Value> {
        self.document.value.get(key).cloned()
    }

    /// The line of a key; the first one where it is not known.
    pub fn line(&self, key: &str) -> u32 {
        self.document.lines.get(key).copied().unwrap_or(1)
    }

    pub fn has_symbol(&self, key: &str) -> bool {
        self.document.symbols.iter().any(|name| &**name == key)
    }

    pub fn keys(&self) -> impl Iterator<Item = String> {
        let map = match &self.document.value {
            Value::Hash(map) => Some(map),
            _ => None,
        };
        map.into_iter().flat_map(|map| map.keys().map(convert::string))
    }
}

impl Evaluator<'_> {
    /// The data of a file, as a function of this name reads it.
    pub(super) fn data_file(&mut self, path: &Path, function: &str, at: At) -> Run<Arc<File>> {
        if let Some(file) = self.hiera.data.files.get(path) {
            return Ok(file.clone());
        }
        let bytes = self.files.read(path).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let read = match function {
            "json_data" => json(&text),
            "hocon_data" => hocon::read(&text),
            _ => yaml::read(&text),
        };
        let document = match read {
            Ok(document) => document,
            Err(wrong) => {
                let message = format!("Unable to parse ({}): {wrong}", self.shown(path));
                let place = (wrong.line as usize, wrong.column as usize);
                return self.wrong_in_file(path, &text, place, "RUNTIME_ERROR", message);
            }
        };
        let document = match &document.value {
            Value::Hash(_) => document,
            Value::Undef if function != "yaml_data" => with_hash(document),
            other => {
                let message = format!("{}: file does not contain a valid yaml hash", self.shown(path));
                if !matches!(other, Value::Undef | Value::Bool(false))
                    && self.settings.strict == crate::lang::puppet::validate::Strict::Error
                {
                    return self.wrong_in_file(path, &text, (1, 1), "RUNTIME_ERROR", message);
                }
                self.log("warning", message);
                with_hash(document)
            }
        };
        let document = Document { value: self.weighed(document.value, at.span)?, ..document };
        let file = Arc::new(File { document });
        self.hiera.data.files.insert(path.to_path_buf(), file.clone());
        Ok(file)
    }
}

/// Nothing is an empty hash.
fn with_hash(document: Document) -> Document {
    Document { value: Value::hash(Map::default()), ..document }
}

/// JSON; it is YAML too, which has the lines of its keys.
fn json(text: &str) -> Result<Document, Wrong> {
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(value) => {
            let lines = yaml::read(text).map(|document| document.lines).unwrap_or_default();
            Ok(Document { value: convert::from_json(&value), lines, ..Document::default() })
        }
        Err(error) => {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default().to_string();
            Err(Wrong { message, line: error.line().max(1) as u32, column: error.column().max(1) as u32 })
        }
    }
}
