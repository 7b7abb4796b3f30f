//! Compiles a text without any files, for unit tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::eval::{Evaluator, Files, Settings};
use super::parser;
use super::validate::Strict;
use super::value::{Map, Value};

/// No files at all.
struct Nothing;

impl Files for Nothing {
    fn read(&self, _path: &Path) -> Option<Vec<u8>> {
        None
    }

    fn list(&self, _path: &Path) -> Vec<String> {
        Vec::new()
    }

    fn is_dir(&self, _path: &Path) -> bool {
        false
    }

    fn exists(&self, _path: &Path) -> bool {
        false
    }
}

/// The compilation of a text, and the value of its last expression.
pub fn compile(code: &str) -> (Evaluator<'static>, Value) {
    let settings = Settings {
        node: "node".into(),
        is_other_node: false,
        facts: Value::hash(Map::default()),
        environment: PathBuf::new(),
        environment_name: "production".into(),
        working_folder: PathBuf::new(),
        module_path: Vec::new(),
        strict: Strict::Error,
        allow_unknown: false,
        overrides: Vec::new(),
        steps: 100_000,
        memory: 1 << 24,
        resources: 10_000,
        now: 0,
    };
    let mut evaluator = Evaluator::new(&Nothing, settings);
    let file = evaluator.sources.add("test", None, code);
    let program = parser::parse(file, code, false, &mut Vec::new()).unwrap_or_else(|issue| panic!("{code}: {issue:?}"));
    let value = evaluator.compile(&[Arc::new(program)], file).unwrap_or_else(|stop| panic!("{code}: {stop:?}"));
    (evaluator, value)
}
