//! Compiles a text without any files, for unit tests.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::conf::Strict;
use super::environment::{Files, Settings};
use super::eval::Evaluator;
use super::parser;
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

/// A module path on which every Ruby file is there, and nothing else.
struct Functions;

impl Files for Functions {
    fn read(&self, _path: &Path) -> Option<Vec<u8>> {
        None
    }

    fn list(&self, _path: &Path) -> Vec<String> {
        vec!["stdlib".into()]
    }

    fn is_dir(&self, _path: &Path) -> bool {
        true
    }

    fn exists(&self, path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "rb")
    }
}

/// The compilation of a text, and the value of its last expression.
pub fn compile(code: &str) -> (Evaluator<'static>, Value) {
    compile_in(code, &Nothing, Vec::new(), Value::hash(Map::default()))
}

/// The same where modules have every function in Ruby.
pub fn compile_with_modules(code: &str) -> (Evaluator<'static>, Value) {
    let facts = serde_json::json!({"os": {"name": "Debian", "family": "Debian", "release": {"major": "12"}}});
    compile_in(code, &Functions, vec![PathBuf::from("modules")], super::convert::from_json(&facts))
}

fn compile_in(
    code: &str,
    files: &'static dyn Files,
    module_path: Vec<PathBuf>,
    facts: Value,
) -> (Evaluator<'static>, Value) {
    let settings = Settings {
        node: "node".into(),
        is_other_node: false,
        facts,
        facts_sha256: String::new(),
        environment: PathBuf::new(),
        environment_name: "production".into(),
        working_folder: PathBuf::new(),
        module_path,
        strict: Strict::Error,
        conf: super::conf::Conf::default(),
        allow_unknown: false,
        runs_plugins: false,
        exported: false,
        overrides: Vec::new(),
        steps: 100_000,
        memory: 1 << 24,
        resources: 10_000,
        now: 0,
    };
    let mut evaluator = Evaluator::new(files, settings);
    let file = evaluator.inputs.sources.add("test", None, code);
    let program = parser::parse(file, code, false, &mut Vec::new()).unwrap_or_else(|issue| panic!("{code}: {issue:?}"));
    let value = evaluator.compile(&[Arc::new(program)], file).unwrap_or_else(|stop| panic!("{code}: {stop:?}"));
    (evaluator, value)
}
