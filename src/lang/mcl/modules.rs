//! Modules of mcl: imports of a file, and what a name leads to.

use super::ast::{Ast, Stmt, StmtKind};
use super::builtin::is_module;
use super::parser;
use crate::diag::Diagnostics;
use crate::module::{ImportKind, Layout, Leads, parse_import};
use crate::source::{FileId, Sources};
use crate::world::Stop;

/// How mcl's modules are described, named and found.
pub struct Modules;

impl Layout for Modules {
    /// Wherever they are in the file.
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
}
