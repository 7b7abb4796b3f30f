//! What modules declare about their plugins, as the worker answers.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::super::ast::NsId;
use super::super::context::Context;
use super::super::error::{Class, Raise, Result};
use crate::diag::Code;
use crate::source::{FileId, Sources, Span, hex};

/// The Python files of a module.
#[derive(Debug)]
pub struct PythonFiles {
    pub module: String,
    pub folder: String,
    /// The part of the module that each file is, empty for the module itself, and the file.
    pub files: Vec<(String, FileId)>,
}

/// What the modules of a project declare.
#[derive(Debug, Default)]
pub struct Described {
    /// Names the modules in each question to the worker.
    pub modules: Arc<str>,
    pub plugins: Vec<DescribedPlugin>,
}

#[derive(Debug, Deserialize)]
pub struct DescribedPlugin {
    /// The Python module, below `inmanta_plugins`.
    pub module: String,
    pub name: String,
    pub(super) line: u32,
    pub(super) parameters: Vec<DescribedParameter>,
    pub(super) returns: String,
    pub(super) allow_unknown: bool,
    /// Its namespace in the model, and its place.
    #[serde(skip)]
    pub home: Option<(NsId, Span)>,
}

#[derive(Debug, Deserialize)]
pub(super) struct DescribedParameter {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) ty: Option<String>,
    pub(super) kind: String,
    pub(super) optional: bool,
}

#[derive(Deserialize)]
enum Answer {
    #[serde(rename = "plugins")]
    Plugins(Vec<DescribedPlugin>),
    #[serde(rename = "failed")]
    Failed(Failed),
    #[serde(rename = "refused")]
    Refused(String),
}

#[derive(Deserialize)]
struct Failed {
    module: String,
    part: String,
    pub(super) name: String,
    line: Option<u32>,
    class: String,
    text: String,
}

/// Lets the worker load all modules; nothing where plugins may not run.
pub fn describe(python: &[PythonFiles], context: &dyn Context, sources: &Sources) -> Result<Option<Described>> {
    if python.is_empty() {
        return Ok(None);
    }
    let mut hash = Sha256::new();
    for (_, file) in python.iter().flat_map(|module| &module.files) {
        hash.update(sources.file(*file).text.as_bytes());
        hash.update([0]);
    }
    let hash = hex(&hash.finalize());
    let load: Vec<_> = python
        .iter()
        .map(|module| {
            let files: Vec<&str> = module.files.iter().map(|(part, _)| part.as_str()).collect();
            json!({ "name": module.module, "folder": module.folder, "files": files })
        })
        .collect();
    let modules: Arc<str> = json!({ "load": load, "hash": hash }).to_string().into();
    let refused = |reason: String| {
        Raise::new(Class::Compiler, format!("Unable to load the plug-ins: {reason}")).with_code(Code::InvalidPlugin)
    };
    let Some(answer) = context.plugin(&modules, &Arc::from("")).map_err(refused)? else { return Ok(None) };
    let answer = serde_json::from_str(&answer).map_err(|error| refused(error.to_string()))?;
    match answer {
        Answer::Plugins(plugins) => Ok(Some(Described { modules, plugins })),
        Answer::Refused(reason) => Err(refused(reason)),
        Answer::Failed(failed) => {
            let message = format!(
                "Unable to load all plug-ins for module {}:\n\t{} while loading plugin module {}: {}",
                failed.module, failed.class, failed.name, failed.text
            );
            let mut raise = Raise::new(Class::Compiler, message).with_code(Code::InvalidPlugin);
            let module = python.iter().find(|module| module.module == failed.module);
            let file = module.and_then(|module| module.files.iter().find(|(part, _)| *part == failed.part));
            raise.place = file.map(|(_, file)| line_of(*file, failed.line.unwrap_or(1), sources));
            Err(raise)
        }
    }
}

/// The text of a line.
pub fn line_of(file: FileId, line: u32, sources: &Sources) -> Span {
    let text = &sources.file(file).text;
    let mut start = 0;
    for (at, content) in text.split_inclusive('\n').enumerate() {
        if at as u32 + 1 >= line {
            return Span::new(file, start, start + content.trim_end().len());
        }
        start += content.len();
    }
    Span::new(file, 0, 0)
}

impl DescribedPlugin {
    /// Where it is defined. A line of a decorator counts as the first line of a function; the name is below.
    pub fn place(&self, file: FileId, sources: &Sources) -> Span {
        let text = &sources.file(file).text;
        let lines = text.lines().skip(self.line as usize - usize::from(self.line > 0));
        let below = lines.take_while(|line| !line.trim_start().starts_with("def ")).count();
        line_of(file, self.line + below as u32, sources)
    }
}
