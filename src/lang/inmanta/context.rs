//! All that a model may ask the outside for, while it is loaded and while it runs.

use ::std::path::Path;
use ::std::sync::Arc;

use crate::diag::Code;
use crate::source::{Sources, Span};

/// Files as the loader sees them.
pub trait Files {
    /// The text of a file; `None` where there is none.
    fn text(&self, path: &Path) -> Option<Arc<str>>;
    fn is_folder(&self, path: &Path) -> bool;
    /// The names in a folder.
    fn names(&self, folder: &Path) -> Vec<String>;
    /// How a path is shown.
    fn shown(&self, path: &Path) -> String;
}

/// What a run may ask the world for.
pub trait Context {
    /// An environment variable.
    fn environment(&self, name: &str) -> Option<String>;
    /// The text of a file that belongs to a module or the project.
    fn file(&self, path: &Path) -> Option<Arc<str>>;
    /// The names of the files in a folder.
    fn files(&self, folder: &Path) -> Vec<String>;
    /// The folder of the project.
    fn project(&self) -> &Path;
    fn now(&self) -> i64;
    /// What the Python plugins of modules answer, in JSON; nothing where they may not run.
    fn plugin(&self, modules: &Arc<str>, request: &Arc<str>) -> Result<Option<String>, String>;
    /// Notes where the evaluation is, in case that this process dies there.
    fn note(&self, sources: &Sources, span: Span);
    /// Whether the work has to stop, and why.
    fn stopped(&self) -> Option<(Code, String)>;
}
