//! Files by the name of their content: classes and defines, functions and type aliases of modules and of the environment.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ast::Text;
use super::environment::Inputs;
use super::eval::Evaluator;
use super::output::Output;
use super::program::Program;
use super::stop::{Problem, Run, Stop};
use super::validate;
use crate::diag::Code;
use crate::diag::Severity;
use crate::lang::check::{self, Fault};
use crate::source::Span;

impl Inputs<'_> {
    /// The folder of a module; the first one on the module path counts.
    pub fn module_dir(&self, module: &str) -> Option<PathBuf> {
        self.settings.module_dir(self.files, module)
    }

    /// The folder of a module, or of the environment for `environment`.
    fn folder_of(&self, name: &str) -> Option<PathBuf> {
        if name == "environment" { Some(self.settings.environment.clone()) } else { self.module_dir(name) }
    }

    /// A path as messages show it: below the current folder.
    pub fn shown(&self, path: &Path) -> String {
        self.settings.shown(path)
    }
}

/// Finds and reads definitions. It has no access to scopes and the catalog.
pub struct Loader<'e, 'w> {
    pub program: &'e mut Program,
    pub inputs: &'e mut Inputs<'w>,
    pub output: &'e mut Output<'w>,
}

impl<'w> Evaluator<'w> {
    /// Returns the owners of the definitions.
    pub fn loader(&mut self) -> Loader<'_, 'w> {
        Loader { program: &mut self.program, inputs: &mut self.inputs, output: &mut self.output }
    }
}

impl Loader<'_, '_> {
    /// Loads `a::b::c` from `b/c.pp`, then what is above it, then `init.pp`.
    pub fn load_class_or_define(&mut self, name: &Text, _span: Span) -> Run<()> {
        let mut parts: Vec<&str> = name.split("::").collect();
        let module = parts.remove(0).to_string();
        let Some(folder) = self.inputs.module_dir(&module).map(|d| d.join("manifests")) else { return Ok(()) };
        self.check_metadata(&module)?;
        let mut parts: Vec<String> = parts.into_iter().map(str::to_string).collect();
        loop {
            let path = if parts.is_empty() {
                folder.join("init.pp")
            } else {
                folder.join(parts.join("/")).with_extension("pp")
            };
            self.load_file(&path)?;
            if self.program.classes.contains_key(name)
                || self.program.defines.contains_key(name)
                || parts.pop().is_none()
            {
                return Ok(());
            }
        }
    }

    /// Refuses a module whose metadata is no JSON, once.
    fn check_metadata(&mut self, module: &str) -> Run<()> {
        let Some(path) = self.inputs.module_dir(module).map(|folder| folder.join("metadata.json")) else {
            return Ok(());
        };
        if self.program.loaded.contains_key(&path) {
            return Ok(());
        }
        let bytes = self.inputs.files.read(&path);
        self.program.loaded.insert(path.clone(), bytes.is_some());
        let Some(bytes) = bytes else { return Ok(()) };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Err(Fault { line, column, why, help, .. }) = check::json(&text) else { return Ok(()) };
        let message = format!("{module} has an invalid and unparsable metadata.json file. The parse error: {why}");
        if self.inputs.settings.strict != super::conf::Strict::Error {
            self.output.warn_once(message);
            return Ok(());
        }
        let place = self.inputs.span_in_file(&path, &text, line, column);
        Err(Problem::runtime(message).code(Code::InvalidData).help(help).at(place))
    }

    /// Loads `a::b::c` from `functions/b/c.pp` of the module `a`, or of the environment for `environment`. A missing
    /// file is not an error.
    pub fn load_function(&mut self, name: &str, _span: Span) -> Run<()> {
        let mut parts: Vec<&str> = name.split("::").collect();
        let first = parts.remove(0);
        let Some(folder) = self.inputs.folder_of(first) else { return Ok(()) };
        let file = if parts.is_empty() { first.to_string() } else { parts.join("/") };
        self.load_file(&folder.join("functions").join(file).with_extension("pp"))
    }

    /// Loads the type `a::b::c` from `types/b/c.pp` of the module `a`, or of the environment for `environment`. A
    /// missing file is not an error.
    pub fn load_alias(&mut self, name: &Text, _span: Span) -> Run<()> {
        if !self.program.sought.insert(name.clone()) {
            return Ok(());
        }
        let mut parts: Vec<&str> = name.split("::").collect();
        let first = parts.remove(0);
        let Some(folder) = self.inputs.folder_of(first) else { return Ok(()) };
        self.check_metadata(first)?;
        let file = if parts.is_empty() { "init".to_string() } else { parts.join("/") };
        let path = folder.join("types").join(file).with_extension("pp");
        self.load_file(&path)?;
        if self.program.aliases.contains_key(name) {
            return Ok(());
        }
        // The file may define a type of another name.
        let sources = &self.inputs.sources;
        let is_here =
            |alias: &&super::program::Alias| sources.file(alias.definition.span.file).path.as_deref() == Some(&path);
        let Some(other) = self.program.aliases.values().find(is_here).map(|alias| alias.definition.clone()) else {
            return Ok(());
        };
        let wanted = super::names::capitalised(name);
        let message = format!(
            "The code loaded from {} produced type with the wrong name, expected {wanted}, actual {}",
            self.inputs.shown(&path),
            other.name
        );
        let lower = other.name.to_lowercase();
        let own = lower.split_once("::").map_or(&*lower, |(_, rest)| rest).replace("::", "/");
        let help = format!("name it `{wanted}`, or move it to types/{own}.pp and use `{}`", other.name);
        Err(Problem::new(super::issue::IssueName::IllegalDefinitionLocation, message).help(help).at(other.span))
    }

    /// Reads, checks and registers a file of definitions, once.
    fn load_file(&mut self, path: &Path) -> Run<()> {
        if self.program.loaded.contains_key(path) {
            return Ok(());
        }
        if let Some(program) = self.program.parsed.as_ref().and_then(|parsed| parsed.get(path)).cloned() {
            self.program.loaded.insert(path.to_path_buf(), true);
            return self.define(&program);
        }
        let bytes = self.inputs.files.read(path);
        self.program.loaded.insert(path.to_path_buf(), bytes.is_some());
        let Some(bytes) = bytes else { return Ok(()) };
        let shown = self.inputs.shown(path);
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let file = self.inputs.sources.add(shown, Some(path.to_path_buf()), text.as_str());
                let span = Span::new(file, at, at + char::REPLACEMENT_CHARACTER.len_utf8());
                let problem = Problem::runtime(format!("byte {} is not valid UTF-8", at + 1)).code(Code::InvalidUtf8);
                return Err(problem.help("save it as UTF-8").at(span));
            }
        };
        let file = self.inputs.sources.add(shown.clone(), Some(path.to_path_buf()), text.as_str());
        let mut warnings = Vec::new();
        let program = super::parser::parse(file, &text, false, &mut warnings).map_err(|mut issue| {
            issue.stage = crate::diag::Stage::Eval;
            Stop::Fail(issue)
        })?;
        let issues = validate::validate(&program, &shown, self.inputs.settings.strict);
        if let Some(first) = issues.iter().find(|i| i.severity == Severity::Error) {
            let first = first.clone();
            self.output.issues.extend(issues);
            return Err(Stop::Fail(Box::new(first)));
        }
        match &mut self.program.parsed {
            Some(parsed) => {
                let program = Arc::new(program);
                parsed.insert(path.to_path_buf(), Arc::clone(&program));
                self.define(&program)
            }
            None => self.define(&program),
        }
    }
}
