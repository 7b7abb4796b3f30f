//! Modules on disk: entry points, metadata, the tree of imports.
//!
//! Input: an entry as the user typed it. Output: an [`EntryPoint`] to compile, and the [`ModuleTree`] to show.
//! Deliberately absent: parsing of code, and the rules of a language: `session` passes in its [`Layout`].

mod entry;
mod git;
mod import;
mod language;
mod layout;
mod load;
mod manifest;
mod metadata;
mod need;
mod own;
mod path;
mod tree;
mod yaml;

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use entry::{Typed, enterable_around, enterable_below, entry_files, resolve_entry, short_name};
pub use import::{ImportKind, ImportName, clean, parse_import, unused_url_parts};
pub use language::LanguageName;
pub use layout::{Layout, Leads};
pub use load::{add_text, load_text, shown};
pub use manifest::{Manifest, Requirement};
pub use metadata::{LONGEST, MOST_NEEDS, Metadata, parse_metadata, parse_yaml};
pub use need::{Form, Need, NoVersions, Pick, Source, Versions, as_url, is_folder_name, line_at, newest};
pub use own::own_files;
pub use path::{PathSettings, SearchFolder, folders_of_variables, module_path};
pub use tree::{Scan, module_tree};
pub use yaml::{advice as yaml_advice, cause_line as yaml_cause_line, line_of as yaml_line};

/// Where compilation starts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EntryPoint {
    pub language: LanguageName,
    /// The file shown for the entry; `None` for code that was given as text, and for an entry of several files.
    pub file: Option<PathBuf>,
    /// The files to evaluate, in order. Empty for code that was given as text, and for a module by itself: that is
    /// `include`.
    pub roots: Vec<PathBuf>,
    /// The name of a module that is an entry by itself: it is included, and its files are found by their names.
    pub include: Option<String>,
    /// The folder of the environment around the entry, which holds its modules and its data.
    pub environment: Option<PathBuf>,
    /// The code, if it was given as text, with its shown name: `<stdin>` or `<argument>`.
    pub code: Option<(String, Arc<str>)>,
    /// The base folder of local imports and `files/`.
    pub base: PathBuf,
    /// The entry's metadata file, if it has one.
    pub metadata: Option<PathBuf>,
    /// As the user typed it, for plans and titles.
    pub shown: String,
}

/// All modules that an entry needs, and the unused ones beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleTree {
    pub language: LanguageName,
    /// The entry's own module first.
    pub modules: Vec<Module>,
}

impl ModuleTree {
    /// Gives the entry another name than that of its folder.
    pub fn call_entry(&mut self, name: &str) {
        let Some(before) = self.modules.first_mut().map(|entry| std::mem::replace(&mut entry.name, name.to_owned()))
        else {
            return;
        };
        for module in &mut self.modules {
            let imports = module.imports.iter_mut().filter_map(|import| import.module.as_mut());
            for name_used in module.used_by.iter_mut().chain(imports).filter(|name_used| **name_used == before) {
                name.clone_into(name_used);
            }
        }
    }
}

/// One module.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// As imported: a URL, a path; the folder's name for the entry.
    pub name: String,
    /// Its folder, or where that would be.
    pub path: PathBuf,
    pub state: ModuleState,
    /// The commit of a git checkout or a fetched module; the SHA-256 of an archive.
    pub revision: Option<String>,
    /// From its own metadata.
    pub version: Option<String>,
    pub license: Option<String>,
    /// Its main file, relative to `path`; `None` if it is not among its files.
    pub main: Option<PathBuf>,
    /// Its source files, relative to `path`, sorted.
    pub files: Vec<PathBuf>,
    pub imports: Vec<Import>,
    /// Names of the modules that import it.
    pub used_by: Vec<String>,
}

/// The state of a module on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleState {
    Present,
    Missing,
    /// Its files differ from its commit.
    Edited,
    /// Its branch has newer commits.
    Behind,
    /// No module imports it.
    Unused,
}

/// One import statement, or a requirement of the metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// As written.
    pub name: String,
    /// Relative to the module's folder.
    pub file: PathBuf,
    pub line: u32,
    /// The [`Module::name`] of its target; `None` for a built-in module.
    pub module: Option<String>,
    /// The [`Module::path`] of that module.
    pub module_folder: Option<PathBuf>,
    /// The requirement, if this is not a statement of the program.
    pub need: Option<Box<Need>>,
    /// Whether the module has a version that the metadata does not allow.
    pub is_unfit: bool,
}
