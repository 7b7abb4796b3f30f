//! The session's module tree, and the display of single files.

pub(super) mod download;
pub(super) mod imports;
pub(super) mod remote;
pub(super) mod trust;
pub(super) mod trusted;
pub(super) mod integrity;

use std::path::{Path, PathBuf};

use crate::diag::{Diagnostics, Stage};
use crate::lang::{language, languages};
use crate::module::{LanguageName, Layout, Leads, ModuleTree, SearchFolder, load_text, module_tree};
use crate::session::{Report, Session};
use crate::source::{FileId, Sources};
use crate::world::{Live, PathKind, World};

impl Session {
    /// Returns the modules that the entry needs.
    pub fn modules(&self) -> ModuleTree {
        let read = || {
            let search = self.search_path();
            let mut tree = self.tree_in(&*self.world, &search);
            if let Some(file) = self.options.bundle.as_ref().and_then(|bundle| bundle.path.file_name()) {
                tree.call_entry(&file.to_string_lossy());
            }
            self.with_lock(tree, &search)
        };
        // Compiling reports why a tree cannot be read.
        crate::session::job::run(read).unwrap_or_default()
    }

    /// Returns the modules that the entry needs, in a world, as far as its files can be parsed. Compiling reports their
    /// errors.
    pub(in crate::session) fn tree_in(&self, world: &dyn World, search: &[SearchFolder]) -> ModuleTree {
        let layout = self.language().layout();
        let scanner = self.options.workplace.scanner(self.entry.language);
        let scan = |file: FileId, sources: &Sources| scanner.imports(file, sources);
        module_tree(world, &self.entry, search, layout, &scan)
    }

    /// Returns the search folders of imports in order of preference, each with the reason.
    pub fn search_path(&self) -> Vec<SearchFolder> {
        self.options.search(&*self.world, &self.entry, &mut Diagnostics::new(Stage::Module))
    }
}

/// The target of an import that is not a module of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// A system module, which belongs to the language.
    BuiltIn,
    /// A file of a module.
    File,
    /// Nothing, with the reason.
    Nothing(&'static str),
}

/// Classifies the target of a language's import by its name.
pub fn beyond(name: LanguageName, import: &str) -> Beyond {
    match language(name).layout().leads(import) {
        Err(why) => Beyond::Nothing(why),
        Ok(Leads::BuiltIn) => Beyond::BuiltIn,
        Ok(_) => Beyond::File,
    }
}

/// Describes a file of a module by its name; `None` if the language does not know it.
pub fn about_file(name: LanguageName, file: &Path) -> Option<String> {
    let mut all = std::iter::once(language(name)).chain(languages());
    let describes = all.find(|one| one.layout().metadata().iter().any(|metadata| file == Path::new(metadata)));
    let metadata = describes.map(|one| format!("{} module metadata", one.name().title()));
    metadata.or_else(|| LanguageName::of_file(file).map(|name| format!("{} source", name.title())))
}

/// Returns the files and folders that a tree's modules import by path.
pub(in crate::session) fn local_imports<'a>(
    tree: &'a ModuleTree,
    layout: &'a dyn Layout,
) -> impl Iterator<Item = PathBuf> + 'a {
    tree.modules.iter().flat_map(move |module| {
        module.imports.iter().filter_map(move |import| match layout.leads(&import.name).ok()? {
            Leads::File(path) | Leads::Folder(path) => {
                Some(module.path.join(&import.file).parent().unwrap_or(Path::new("")).join(path))
            }
            Leads::Module { .. } | Leads::BuiltIn => None,
        })
    })
}

/// Whether a path does not exist on this machine.
pub fn is_missing(path: &str) -> bool {
    let world: &dyn World = &Live::new();
    world.kind(Path::new(path)) == PathKind::Missing
}

/// Returns the text of one file on this machine.
pub fn read_source(path: &str) -> Result<String, Box<Report>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
    match load_text(&Live::new(), Path::new(path), None, &mut sources, &mut diagnostics) {
        Some(file) => Ok(sources.file(file).text.to_string()),
        None => Err(Box::new(Report { sources, diagnostics })),
    }
}
