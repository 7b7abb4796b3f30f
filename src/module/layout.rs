//! How a language describes, names and finds modules. Each language implements it; `session` passes it in.

use std::path::{Path, PathBuf};

use super::{EntryPoint, Manifest, Need, NoVersions, SearchFolder, Source, Versions};
use crate::diag::Diagnostics;
use crate::source::{FileId, Sources};
use crate::world::{PathKind, World};

/// The target of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leads {
    /// A built-in module of the language.
    BuiltIn,
    /// Relative to the folder of the importing file.
    File(PathBuf),
    /// The same; a module of its own.
    Folder(PathBuf),
    /// A module at a path below a folder of the module path. `url` is what to fetch, if the import has one.
    Module { url: Option<String>, path: PathBuf },
}

/// Modules of one language.
pub trait Layout: Sync {
    /// The imports of a file, each with its line, in order. After a problem the list may be incomplete.
    fn imports(&self, file: FileId, sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<(String, u32)>;

    /// The target of an import's name; `Err` has the reason if there is none.
    fn leads(&self, import: &str) -> Result<Leads, &'static str>;

    /// The files that describe a module, by precedence.
    fn metadata(&self) -> &'static [&'static str] {
        &[]
    }

    /// The settings in a module's folder; the defaults if there are none or they are unreadable.
    fn manifest(&self, world: &dyn World, folder: &Path) -> Manifest {
        let _ = (world, folder);
        Manifest::default()
    }

    /// The files of a module where the walk over imports starts, relative to its folder.
    fn begins(&self, manifest: &Manifest) -> Vec<PathBuf> {
        vec![manifest.main.clone()]
    }

    /// Whether a file of this name is source text of the language.
    fn is_source(&self, name: &str) -> bool;

    /// Whether a folder holds a module.
    fn is_module(&self, world: &dyn World, folder: &Path) -> bool {
        self.metadata().iter().any(|name| world.kind(&folder.join(name)) == PathKind::File)
    }

    /// Environment variables with folders of the module path, besides `WORKBENCH_MODULE_PATH`.
    fn variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// The language's own folders of the module path besides flags, variables and settings, best first, each with the
    /// reason. They need not exist.
    fn candidates(&self, world: &dyn World, entry: &EntryPoint) -> Vec<SearchFolder> {
        let _ = (world, entry);
        Vec::new()
    }

    /// The modules that the metadata of a module requires; `entry` is set for the entry's own folder. Errors of a file
    /// are reported with their places.
    fn needs(
        &self,
        world: &dyn World,
        folder: &Path,
        entry: Option<&EntryPoint>,
        sources: &mut Sources,
        diagnostics: &mut Diagnostics,
    ) -> Vec<Need> {
        let _ = (world, folder, entry, sources, diagnostics);
        Vec::new()
    }

    /// The project's sources for a module of this name, best first.
    fn sources(&self, world: &dyn World, entry: &EntryPoint, name: &str) -> Vec<Source> {
        let _ = (world, entry, name);
        Vec::new()
    }

    /// The folder for fetched modules, if it is not the first of the module path.
    fn home(&self, world: &dyn World, entry: &EntryPoint) -> Option<PathBuf> {
        let _ = (world, entry);
        None
    }

    /// The possible folders of a module below one of the module path, best first.
    fn places(&self, below: &Path) -> Vec<PathBuf> {
        vec![below.to_path_buf()]
    }

    /// The folder that, below one of the module path, replaces a built-in module.
    fn replaces(&self, import: &str) -> Option<PathBuf> {
        let _ = import;
        None
    }

    /// Whether modules come with a program as a rule: then a source in their metadata does not mean that they were
    /// fetched, and imports do not name one.
    fn is_vendored(&self) -> bool {
        false
    }

    /// The comparison of its versions.
    fn versions(&self) -> &dyn Versions {
        &NoVersions
    }

    /// Folders and files of a module that only an apply reads, relative to its folder.
    fn carried(&self, manifest: &Manifest) -> Vec<PathBuf> {
        Some(&manifest.files).filter(|files| !files.is_empty()).map(PathBuf::from).into_iter().collect()
    }
}
