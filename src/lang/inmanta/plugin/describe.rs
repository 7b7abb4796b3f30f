//! What modules declare about their plugins, as the worker answers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::super::ast::NsId;
use super::super::context::Context;
use super::super::environment::Environment;
use super::super::error::{Class, Raise, Result};
use super::super::python::{Getter, ResourceClass, plugin_names};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::source::{FileId, Sources, Span, hex};

/// The Python files of a module.
#[derive(Debug)]
pub struct PythonFiles {
    pub module: String,
    /// The folder of the module.
    pub root: String,
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
    /// The resource types of the modules; `None` where the worker was not asked.
    pub classes: Option<Vec<ResourceClass>>,
    /// Packages that are missing for files without plugins, such as handlers, each with the place of its import.
    pub missing: Vec<(String, Option<Span>)>,
    /// The Python files by their paths.
    files: Vec<(PathBuf, FileId)>,
}

/// What the worker needs to know beside the modules.
#[derive(Debug, Default)]
pub struct Surroundings {
    pub project: PathBuf,
    /// Where modules may be, imported by the model or not.
    pub path: Vec<PathBuf>,
    pub environment: Option<Environment>,
}

/// A plugin as its Python module declares it.
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
#[serde(untagged)]
enum Answer {
    Described {
        plugins: Vec<DescribedPlugin>,
        resources: Vec<DescribedResource>,
        missing: Vec<(String, String, u32)>,
        install: String,
    },
    Failed {
        failed: Failed,
    },
    Refused {
        refused: String,
    },
}

#[derive(Deserialize)]
struct DescribedResource {
    entity: String,
    agent: String,
    id: String,
    fields: Vec<String>,
    computed: Vec<String>,
}

#[derive(Deserialize)]
struct Failed {
    module: String,
    part: String,
    pub(super) name: String,
    /// Where it failed, if that is in a file of a module.
    file: Option<PathBuf>,
    line: Option<u32>,
    class: String,
    text: String,
}

/// Lets the worker load all modules, and reports packages that they miss; nothing where plugins may not run.
pub fn describe(
    python: &[PythonFiles],
    around: &Surroundings,
    context: &dyn Context,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
) -> Result<Option<Described>> {
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
            json!({ "name": module.module, "folder": module.folder, "root": module.root, "files": files })
        })
        .collect();
    let mut modules = json!({ "load": load, "hash": hash, "project": around.project, "path": around.path });
    if let Some(environment) = &around.environment {
        modules["site"] = json!([environment.packages]);
        modules["python"] = json!(environment.version);
    }
    let modules: Arc<str> = modules.to_string().into();
    // The way out is behind a semicolon.
    let refused = |reason: String| {
        let (reason, help) =
            reason.split_once("; ").unwrap_or((&reason, "correct the module, or leave `--run-plugins` out"));
        Raise::new(Class::Compiler, format!("Unable to load the plug-ins: {reason}"))
            .with_code(Code::InvalidPlugin)
            .with_help(help)
    };
    let files: Vec<(PathBuf, FileId)> = python
        .iter()
        .flat_map(|module| &module.files)
        .filter_map(|(_, file)| Some((sources.file(*file).path.clone()?, *file)))
        .collect();
    let at = |file: &Path, line: u32| place_of(&files, file, line, sources);
    let Some(answer) = context.plugin(&modules, &Arc::from("")).map_err(refused)? else { return Ok(None) };
    let answer = serde_json::from_str(&answer).map_err(|error| refused(error.to_string()))?;
    match answer {
        Answer::Described { plugins, resources, missing, install } => {
            let mut of_handlers = Vec::new();
            for (package, file, line) in &missing {
                let own = files.iter().find(|(path, _)| path == Path::new(file));
                if own.is_some_and(|(_, file)| plugin_names(&sources.file(*file).text).is_empty()) {
                    // Only deploying needs it.
                    let message = format!(
                        "the package `{package}` is missing: code that uses it fails; `{install} {package}` installs it"
                    );
                    of_handlers.push((message, at(Path::new(file), *line)));
                    continue;
                }
                let any = || files.first().map(|(_, file)| line_of(*file, 1, sources));
                let Some(place) = at(Path::new(file), *line).or_else(any) else { continue };
                let label = format!("the Python package `{package}` is not installed");
                let problem = Diagnostic::error(Code::MissingPackage, place).label(label);
                let help = format!("`{install} {package}` installs it; a `venv` or `.venv` in the project is used too");
                diagnostics.push(problem.help(help));
            }
            let classes = resources.into_iter().map(|one| ResourceClass {
                entity: one.entity,
                agent: one.agent,
                id: one.id,
                class: String::new(),
                fields: Some(one.fields),
                getters: one.computed.into_iter().map(|name| (name, Getter::Worker)).collect(),
            });
            let classes = Some(classes.collect());
            Ok(Some(Described { modules, plugins, classes, missing: of_handlers, files }))
        }
        Answer::Refused { refused: reason } => Err(refused(reason)),
        Answer::Failed { failed } => {
            let message = format!(
                "Unable to load all plug-ins for module {}:\n\t{} while loading plugin module {}: {}",
                failed.module, failed.class, failed.name, failed.text
            );
            let label =
                format!("the Python code of `{}` does not load: {}: {}", failed.module, failed.class, failed.text);
            let mut raise = Raise::new(Class::Compiler, message).with_code(Code::InvalidPlugin).with_label(label);
            let module = python.iter().find(|module| module.module == failed.module);
            let file = module.and_then(|module| module.files.iter().find(|(part, _)| *part == failed.part));
            let exact = failed.file.as_deref().and_then(|file| at(file, failed.line.unwrap_or(1)));
            raise.place = exact.or(file.map(|(_, file)| line_of(*file, failed.line.unwrap_or(1), sources)));
            if failed.text.contains("cannot import name 'plugin' from 'inmanta'") {
                return Err(raise.with_help("write `from inmanta.plugins import plugin`"));
            }
            if failed.text.contains("No module named 'inmanta.") {
                let help = "the module is for another version of inmanta-core: install that version, or a newer module";
                return Err(raise.with_help(help));
            }
            Err(raise.with_help("correct this file, or leave `--run-plugins` out: results of plugins are then unknown"))
        }
    }
}

fn place_of(files: &[(PathBuf, FileId)], file: &Path, line: u32, sources: &Sources) -> Option<Span> {
    files.iter().find(|(path, _)| path == file).map(|(_, id)| line_of(*id, line, sources))
}

impl Described {
    /// Whether the worker answers questions; without it, signatures are known as far as their text shows.
    pub fn runs(&self) -> bool {
        self.classes.is_some()
    }

    /// A line of a module's Python file.
    pub fn place(&self, file: &Path, line: u32, sources: &Sources) -> Option<Span> {
        place_of(&self.files, file, line, sources)
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
