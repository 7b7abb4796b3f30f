//! What a compilation is for, and the files around it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::conf::Conf;
use super::conf::Strict;
use super::value::Value;
use crate::source::{Sources, Span};
use crate::world::{Export, ReadError};

/// Reads the files of an environment, and what other nodes export.
pub trait Files {
    fn read(&self, path: &Path) -> Option<Vec<u8>>;
    /// The names in a folder, sorted.
    fn list(&self, path: &Path) -> Vec<String>;
    fn is_dir(&self, path: &Path) -> bool;
    fn exists(&self, path: &Path) -> bool;
    /// The resources of a type that other nodes export.
    fn exported(&self, _ty: &str) -> Result<Vec<Export>, ReadError> {
        Ok(Vec::new())
    }
    /// The answer of the worker that runs Ruby code of modules; `None` where it may not run.
    fn plugin(&self, _modules: &Arc<str>, _request: &Arc<str>) -> Result<Option<String>, String> {
        Ok(None)
    }
    /// The answer of a look-up of names of machines for that code; `None` where it may not run.
    fn look_up(&self, _modules: &Arc<str>, _request: &Arc<str>) -> Result<Option<String>, String> {
        Ok(None)
    }
    /// Notes where the evaluation is, in case that this process dies there.
    fn note(&self, _sources: &Sources, _span: Span) {}
    /// Whether the compilation has to end.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// What a compilation reads: its settings, the files, and the texts that were read for places in them.
pub struct Inputs<'w> {
    pub files: &'w dyn Files,
    pub settings: Settings,
    pub sources: Sources,
}

/// What a compilation is for.
pub struct Settings {
    pub node: String,
    /// The node is not this host.
    pub is_other_node: bool,
    pub facts: Value,
    /// Of the facts file, or of the machine's facts that last.
    pub facts_sha256: String,
    /// The folder with `modules/`, `hiera.yaml` and `environment.conf`.
    pub environment: PathBuf,
    pub environment_name: String,
    /// What paths of the program are relative to.
    pub working_folder: PathBuf,
    pub module_path: Vec<PathBuf>,
    pub strict: Strict,
    pub conf: Conf,
    /// What only Ruby could compute is unknown, and no error.
    pub allow_unknown: bool,
    /// Ruby code of modules may run.
    pub runs_plugins: bool,
    /// Exported resources go to the shared store and come from there.
    pub exported: bool,
    /// Values that come before all data.
    pub overrides: Vec<(String, Value)>,
    /// Steps of evaluation.
    pub steps: u64,
    /// Bytes of values that may be built.
    pub memory: u64,
    /// How many resources may be declared.
    pub resources: u64,
    pub now: i128,
}

impl Inputs<'_> {
    /// The modules on the module path: the folder and the name of each.
    pub fn modules(&self) -> impl Iterator<Item = (PathBuf, String)> {
        self.settings.module_path.iter().flat_map(|path| {
            let root = if path.as_os_str().is_empty() { Path::new(".") } else { path };
            self.files.list(root).into_iter().map(move |module| (path.join(&module), module))
        })
    }

    /// The first module that has a file.
    pub fn module_of_file(&self, file: &str) -> Option<String> {
        self.modules().find(|(folder, _)| self.files.exists(&folder.join(file))).map(|(_, module)| module)
    }
}

impl Settings {
    /// The folder of a module on the module path.
    pub fn module_dir(&self, files: &dyn Files, module: &str) -> Option<PathBuf> {
        // Another name could lead out of the folder of modules.
        let is_name = !matches!(module, "" | "." | "..") && !module.contains('/');
        self.module_path.iter().filter(|_| is_name).map(|path| path.join(module)).find(|path| files.is_dir(path))
    }

    /// A path as messages show it.
    pub fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.working_folder).unwrap_or(path);
        path.to_string_lossy().trim_start_matches("./").to_string()
    }
}
