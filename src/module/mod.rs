//! Modules on disk: entry points, metadata, the tree of imports.
//!
//! Comes in: an entry as the user typed it. Goes out: an [`EntryPoint`] to compile, and the [`ModuleTree`] to show.
//! Deliberately absent: parsing of code, and what is special to a language: `session` passes in its [`Layout`].

mod entry;
mod git;
mod import;
mod layout;
mod load;
mod manifest;
mod metadata;
mod need;
mod path;
mod tree;

use std::path::PathBuf;
use std::sync::Arc;

pub use entry::{LanguageName, Typed, enterable_around, enterable_below, entry_files, resolve_entry, short_name};
pub use import::{ImportKind, ImportName, clean, parse_import, unheard};
pub use layout::{Layout, Leads, NoLayout};
pub use load::{add_text, load_text, shown};
pub use manifest::{Manifest, Requirement};
pub use metadata::{Metadata, parse_metadata};
pub use need::{Form, Need, NoVersions, Pick, Source, Versions, as_url, is_folder_name, line_at, newest};
pub use path::{SearchFolder, Wanted, module_path};
pub use tree::{Scan, module_tree};

/// Where compiling starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryPoint {
    pub language: LanguageName,
    /// The file that the entry is shown by; `None` for code that came as text, and for an entry of several files.
    pub file: Option<PathBuf>,
    /// The files to evaluate, in order. Empty for code that came as text, and for a module by itself: that is `include`.
    pub roots: Vec<PathBuf>,
    /// The name of a module that is an entry by itself: it is to be included, and its files are found by their names.
    pub include: Option<String>,
    /// The folder of the environment around the entry, which holds its modules and its data.
    pub environment: Option<PathBuf>,
    /// The code, where it came as text, with the name it is shown under: `<stdin>` or `<argument>`.
    pub code: Option<(String, Arc<str>)>,
    /// The folder that local imports and `files/` start from.
    pub base: PathBuf,
    /// The entry's metadata file, if it has one.
    pub metadata: Option<PathBuf>,
    /// As the user typed it, for plans and titles.
    pub shown: String,
}

/// All modules that an entry needs, and those that lie beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleTree {
    pub language: LanguageName,
    /// The entry's own module first.
    pub modules: Vec<Module>,
}

impl ModuleTree {
    /// Gives the entry another name than that of the folder it lies in.
    pub fn call_entry(&mut self, name: &str) {
        let Some(before) = self.modules.first_mut().map(|entry| std::mem::replace(&mut entry.name, name.to_owned()))
        else {
            return;
        };
        for module in &mut self.modules {
            let imports = module.imports.iter_mut().filter_map(|import| import.module.as_mut());
            for told in module.used_by.iter_mut().chain(imports).filter(|told| **told == before) {
                name.clone_into(told);
            }
        }
    }
}

/// One module.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// As imported: a URL, a path; the folder's name for the entry.
    pub name: String,
    /// Where it lies or would lie.
    pub path: PathBuf,
    pub state: ModuleState,
    /// The commit, where the module is a git checkout or was fetched; of an archive, its SHA-256.
    pub revision: Option<String>,
    /// As its own metadata has it.
    pub version: Option<String>,
    pub license: Option<String>,
    /// The file that it starts at, relative to `path`; nothing where that is not among its files.
    pub main: Option<PathBuf>,
    /// Its source files, relative to `path`, sorted.
    pub files: Vec<PathBuf>,
    pub imports: Vec<Import>,
    /// Names of the modules that import it.
    pub used_by: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleState {
    Present,
    Missing,
    /// Its files differ from its commit.
    Edited,
    /// The branch it follows is ahead.
    Behind,
    /// Nobody imports it.
    Unused,
}

/// One import statement, or another module that metadata asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// As written.
    pub name: String,
    /// Relative to the module's folder.
    pub file: PathBuf,
    pub line: u32,
    /// The [`Module::name`] it leads to; `None` for what the language brings along.
    pub module: Option<String>,
    /// The [`Module::path`] of that module.
    pub lies_at: Option<PathBuf>,
    /// What metadata asks for, where this is no statement of the program.
    pub need: Option<Box<Need>>,
    /// Whether the module is there in a version that metadata does not ask for.
    pub is_unfit: bool,
}
