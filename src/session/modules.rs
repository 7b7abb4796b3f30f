//! The session's module tree, and single files that are only looked at.

use std::path::{Path, PathBuf};

use super::{Report, Session};
use crate::diag::{Diagnostics, Stage};
use crate::lang::mcl::ast::{Ast, StmtKind};
use crate::lang::mcl::{builtin::is_module, parser};
use crate::module::{ImportKind, ModuleTree, SearchFolder, load_text, module_tree, parse_import};
use crate::source::{FileId, Sources};
use crate::world::{Live, PathKind, Stop, World};

impl Session {
    /// The modules that the entry needs.
    pub fn modules(&self) -> ModuleTree {
        let read = || {
            let search = self.search_path();
            let mut tree = module_tree(&*self.world, &self.entry, &search, &imports);
            if let Some(file) = self.options.bundle.as_ref().and_then(|bundle| bundle.path.file_name()) {
                tree.call_entry(&file.to_string_lossy());
            }
            self.with_lock(tree, &search)
        };
        // A tree that cannot be walked is told where it matters, by compiling.
        super::job::run(read).unwrap_or_default()
    }

    /// Where imports are looked for, best first, each with the reason.
    pub fn search_path(&self) -> Vec<SearchFolder> {
        self.options.search(&*self.world, &self.entry, &mut Diagnostics::new(Stage::Module))
    }
}

/// The imports of one file, wherever they stand in it.
pub(super) fn imports(file: FileId, sources: &Sources) -> Vec<(String, u32)> {
    // What is wrong with the file is for compiling to say.
    imports_told(file, sources, &mut Diagnostics::new(Stage::Parse))
}

/// The same, for whoever has to know that they are all.
pub(super) fn imports_told(file: FileId, sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<(String, u32)> {
    let mut ast = Ast::default();
    parser::load(&mut ast, file, &sources.file(file).text, &Stop::default(), diagnostics);
    let import = |(_, stmt): (_, &crate::lang::mcl::ast::Stmt)| match &stmt.kind {
        StmtKind::Import { name, name_span, .. } => Some((name.to_string(), sources.place(*name_span).line)),
        _ => None,
    };
    ast.stmts.iter().filter_map(import).collect()
}

/// What an import leads to that is no module of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// A system module, which the language brings along.
    BuiltIn,
    /// A file of a module.
    File,
    /// Nothing: why not.
    Nothing(&'static str),
}

/// What an import leads to, by its name alone.
pub fn beyond(name: &str) -> Beyond {
    match parse_import(name).map(|import| import.kind) {
        Err(why) => Beyond::Nothing(why),
        Ok(ImportKind::System(module)) if is_module(&module) => Beyond::BuiltIn,
        Ok(ImportKind::System(_)) => Beyond::Nothing("no such system module"),
        Ok(_) => Beyond::File,
    }
}

/// The files and folders that a tree's modules import by where they lie.
pub(super) fn local_imports(tree: &ModuleTree) -> impl Iterator<Item = PathBuf> {
    tree.modules.iter().flat_map(|module| {
        module.imports.iter().filter_map(|import| match parse_import(&import.name).ok()?.kind {
            ImportKind::LocalFile(path) | ImportKind::LocalFolder(path) => {
                Some(module.path.join(&import.file).parent().unwrap_or(Path::new("")).join(path))
            }
            ImportKind::Remote { .. } | ImportKind::System(_) => None,
        })
    })
}

/// Whether nothing on this machine lies at a path.
pub fn is_missing(path: &str) -> bool {
    let world: &dyn World = &Live::new();
    world.kind(Path::new(path)) == PathKind::Missing
}

/// The text of one file on this machine.
pub fn read_source(path: &str) -> Result<String, Box<Report>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
    match load_text(&Live::new(), Path::new(path), None, &mut sources, &mut diagnostics) {
        Some(file) => Ok(sources.file(file).text.to_string()),
        None => Err(Box::new(Report { sources, diagnostics })),
    }
}
