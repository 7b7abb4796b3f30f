//! How modules of a language are described, named and found. Each language implements it; `session` passes it in.

use std::path::PathBuf;

use crate::diag::Diagnostics;
use crate::source::{FileId, Sources};

/// What an import's name leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leads {
    /// What the language brings along.
    BuiltIn,
    /// Relative to the folder of the importing file.
    File(PathBuf),
    /// The same; a module of its own.
    Folder(PathBuf),
    /// A module at a path below a folder of the module path. `url` is what to fetch, where the import says so.
    Module { url: Option<String>, path: PathBuf },
}

/// Modules of one language.
pub trait Layout: Sync {
    /// The imports of a file, each with its line, in order. Problems mean that they may not be all.
    fn imports(&self, file: FileId, sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<(String, u32)>;

    /// Where an import leads by its name; `Err` says why nowhere.
    fn leads(&self, import: &str) -> Result<Leads, &'static str>;
}

/// No modules at all.
pub struct NoLayout;

impl Layout for NoLayout {
    fn imports(&self, _file: FileId, _sources: &Sources, _diagnostics: &mut Diagnostics) -> Vec<(String, u32)> {
        Vec::new()
    }

    fn leads(&self, _import: &str) -> Result<Leads, &'static str> {
        Err("this language has no imports")
    }
}
