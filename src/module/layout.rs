//! How modules of a language are described, named and found. Each language implements it; `session` passes it in.

use std::path::{Path, PathBuf};

use super::{EntryPoint, Manifest, Need, NoVersions, SearchFolder, Source, Versions};
use crate::diag::Diagnostics;
use crate::source::{FileId, Sources};
use crate::world::{PathKind, World};

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

    /// The files that describe a module, the one that counts first.
    fn metadata(&self) -> &'static [&'static str] {
        &[]
    }

    /// What a module in a folder says about itself; the defaults where it says nothing or cannot be read.
    fn manifest(&self, world: &dyn World, folder: &Path) -> Manifest {
        let _ = (world, folder);
        Manifest::default()
    }

    /// The files of a module that the walk over imports begins with, relative to its folder.
    fn begins(&self, manifest: &Manifest) -> Vec<PathBuf> {
        vec![manifest.main.clone()]
    }

    /// Whether a file of this name is source text of the language.
    fn is_source(&self, name: &str) -> bool;

    /// Whether a folder holds a module.
    fn is_module(&self, world: &dyn World, folder: &Path) -> bool {
        self.metadata().iter().any(|name| world.kind(&folder.join(name)) == PathKind::File)
    }

    /// Variables of the environment that name folders of the module path, besides `WORKBENCH_MODULE_PATH`.
    fn variables(&self) -> &'static [&'static str] {
        &[]
    }

    /// Folders of the module path that the language knows of besides flags, variables and settings, best first, each with
    /// the reason. They need not exist.
    fn candidates(&self, world: &dyn World, entry: &EntryPoint) -> Vec<SearchFolder> {
        let _ = (world, entry);
        Vec::new()
    }

    /// The modules that the metadata of a module asks for; `entry` is set for the entry's own folder. What is wrong in a file is
    /// reported with its place.
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

    /// Where a module of this name may come from, as the project says it, the best first.
    fn sources(&self, world: &dyn World, entry: &EntryPoint, name: &str) -> Vec<Source> {
        let _ = (world, entry, name);
        Vec::new()
    }

    /// The folder that fetched modules go into, where that is not the first of the module path.
    fn home(&self, world: &dyn World, entry: &EntryPoint) -> Option<PathBuf> {
        let _ = (world, entry);
        None
    }

    /// The folders below one of the module path that may be a module, the best first.
    fn places(&self, below: &Path) -> Vec<PathBuf> {
        vec![below.to_path_buf()]
    }

    /// The folder that, below one of the module path, takes the place of a module that the language brings along.
    fn replaces(&self, import: &str) -> Option<PathBuf> {
        let _ = import;
        None
    }

    /// How its versions compare.
    fn versions(&self) -> &dyn Versions {
        &NoVersions
    }

    /// Folders and files of a module that an apply reads and no compilation does, relative to its folder.
    fn carried(&self, manifest: &Manifest) -> Vec<PathBuf> {
        Some(&manifest.files).filter(|files| !files.is_empty()).map(PathBuf::from).into_iter().collect()
    }
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

    fn is_source(&self, _name: &str) -> bool {
        false
    }
}
