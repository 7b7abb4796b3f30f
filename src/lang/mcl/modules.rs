//! Modules of mcl: the imports of a file, and their targets.

use std::path::{Path, PathBuf};

use super::ast::{Ast, Stmt, StmtKind};
use super::builtin::is_module;
use super::parser;
use crate::diag::{Diagnostics, Stage};
use crate::module::{
    EntryPoint, ImportKind, Layout, Leads, Manifest, Metadata, SearchFolder, load_text, parse_import, parse_metadata,
};
use crate::source::{FileId, Sources};
use crate::world::{PathKind, Stop, World};

/// How mcl describes, names and finds modules.
pub struct Modules;

impl Layout for Modules {
    /// Anywhere in the file.
    fn imports(&self, file: FileId, sources: &Sources, diagnostics: &mut Diagnostics) -> Vec<(String, u32)> {
        let mut ast = Ast::default();
        parser::load(&mut ast, file, &sources.file(file).text, &Stop::default(), diagnostics);
        let import = |(_, stmt): (_, &Stmt)| match &stmt.kind {
            StmtKind::Import { name, name_span, .. } => Some((name.to_string(), sources.place(*name_span).line)),
            _ => None,
        };
        ast.stmts.iter().filter_map(import).collect()
    }

    fn leads(&self, import: &str) -> Result<Leads, &'static str> {
        match parse_import(import)?.kind {
            ImportKind::System(module) if is_module(&module) => Ok(Leads::BuiltIn),
            ImportKind::System(_) => Err("no such built-in module"),
            ImportKind::LocalFile(path) => Ok(Leads::File(path)),
            ImportKind::LocalFolder(path) => Ok(Leads::Folder(path)),
            ImportKind::Remote { url, path } => Ok(Leads::Module { url: Some(url), path }),
        }
    }

    fn metadata(&self) -> &'static [&'static str] {
        &[METADATA]
    }

    fn manifest(&self, world: &dyn World, folder: &Path) -> Manifest {
        let path = folder.join(METADATA);
        // Compiling reports its errors.
        let read = Some(&path).filter(|path| world.kind(path) == PathKind::File).and_then(|path| read(world, path));
        read.unwrap_or_default().into()
    }

    fn is_source(&self, name: &str) -> bool {
        name.ends_with(".mcl")
    }

    fn variables(&self) -> &'static [&'static str] {
        &["MGMT_MODULE_PATH"]
    }

    /// The `path` of the entry's metadata, whose errors were reported when the entry was found.
    fn candidates(&self, world: &dyn World, entry: &EntryPoint) -> Vec<SearchFolder> {
        let named = |file: &PathBuf| {
            let path = read(world, file).map(|metadata| metadata.path).filter(|path| !path.is_empty())?;
            Some(SearchFolder::of_project(entry.base.join(path), format!("`path` in {}", file.display())))
        };
        entry.metadata.as_ref().and_then(named).into_iter().collect()
    }
}

const METADATA: &str = "metadata.yaml";

fn read(world: &dyn World, path: &Path) -> Option<Metadata> {
    let (mut sources, mut unheard) = (Sources::default(), Diagnostics::new(Stage::Module));
    let file = load_text(world, path, None, &mut sources, &mut unheard)?;
    parse_metadata(&sources, file, &mut unheard)
}
