//! Loads files: parses the entry and, import by import, everything it needs, each file once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::lang::mcl::ast::{Ast, ExprId, File, StmtKind};
use crate::lang::mcl::builtin::{self, native::Native};
use crate::lang::mcl::parser;
use crate::module::{EntryPoint, ImportKind, Metadata, clean, load_text, parse_import, parse_metadata};
use crate::source::{FileId, Sources, Span};
use crate::world::{PathKind, Stop, World};

/// A module: its folder and its own module path.
#[derive(Debug)]
struct Module {
    base: PathBuf,
    /// Its own module path; the entry's is in the general list instead.
    path: Option<PathBuf>,
    /// Whether the search ends here.
    block: bool,
    importer: Option<usize>,
}

/// A file that was read and parsed.
#[derive(Debug)]
pub struct LoadedFile {
    pub tree: File,
    /// Its folder: local imports are relative to it.
    pub folder: PathBuf,
    /// The folder of its module: `deploy.readfile` and similar functions are relative to it.
    pub base: PathBuf,
    module: usize,
}

/// The target of an import.
pub struct Target {
    pub path: PathBuf,
    module: Module,
}

/// Reads and parses files.
pub struct Files<'a> {
    pub ast: Ast,
    pub sources: Sources,
    pub loaded: Vec<LoadedFile>,
    modules: Vec<Module>,
    world: &'a dyn World,
    module_path: &'a [PathBuf],
    pub stop: &'a Stop,
}

impl<'a> Files<'a> {
    /// Makes an empty set of files; nothing is read yet.
    pub fn new(world: &'a dyn World, module_path: &'a [PathBuf], stop: &'a Stop) -> Self {
        Self {
            ast: Ast::default(),
            sources: Sources::default(),
            loaded: Vec::new(),
            modules: Vec::new(),
            world,
            module_path,
            stop,
        }
    }

    /// Whether a file belongs to a fetched module, so that its user did not write it.
    pub fn is_fetched(&self, file: FileId) -> bool {
        let loaded = self.loaded.iter().skip(1).find(|loaded| loaded.tree.file == file);
        loaded.is_some_and(|loaded| self.module_path.iter().any(|path| loaded.folder.starts_with(path)))
    }

    /// Loads the entry; `None` if it cannot be read at all.
    pub fn load_entry(&mut self, entry: &EntryPoint, diags: &mut Diagnostics) -> Option<usize> {
        let module = Module { base: entry.base.clone(), path: None, block: false, importer: None };
        if let Some((name, code)) = &entry.code {
            let file = self.sources.add(name.clone(), None, code.clone());
            return Some(self.parse(file, entry.base.clone(), module, diags));
        }
        let path = entry.file.as_deref()?;
        diags.enter(Stage::Module);
        let file = load_text(self.world, path, None, &mut self.sources, diags)?;
        diags.enter(Stage::Parse);
        Some(self.parse(file, parent(path), module, diags))
    }

    /// Loads an entry that ends in an expression; also returns the variable with its value. System modules that it uses
    /// by their own names need no import.
    pub fn load_asked(&mut self, entry: &EntryPoint, diags: &mut Diagnostics) -> Option<(usize, ExprId)> {
        let (name, code) = entry.code.as_ref()?;
        let file = self.sources.add(name.clone(), entry.file.clone(), code.clone());
        let (tree, asked) = parser::load_asked(&mut self.ast, file, code, self.stop, diags);
        let asked = asked?;
        let alias = |name: &str| parse_import(name).ok().map(|parsed| parsed.alias.to_string());
        parser::import_used(&mut self.ast, &tree, builtin::is_module, alias);
        let module = Module { base: entry.base.clone(), path: None, block: false, importer: None };
        Some((self.add(tree, entry.base.clone(), module), asked))
    }

    /// Loads an imported file. Its errors belong to stage `scope`, as in the reference.
    pub fn load_import(&mut self, target: Target, at: Span, diags: &mut Diagnostics) -> Option<usize> {
        let file = load_text(self.world, &target.path, Some(at), &mut self.sources, diags)?;
        let loaded = self.parse(file, parent(&target.path), target.module, diags);
        self.refuse_side_effects(loaded, at, diags);
        Some(loaded)
    }

    /// Loads the mcl part of a built-in module.
    pub fn load_native(&mut self, native: &Native, at: Span, diags: &mut Diagnostics) -> usize {
        let file = self.sources.add(native.file_name(), None, native.text);
        let module = Module { base: PathBuf::new(), path: None, block: true, importer: None };
        let loaded = self.parse(file, PathBuf::new(), module, diags);
        self.refuse_side_effects(loaded, at, diags);
        loaded
    }

    fn parse(&mut self, file: FileId, folder: PathBuf, module: Module, diags: &mut Diagnostics) -> usize {
        let text = Arc::clone(&self.sources.file(file).text);
        let tree = parser::load(&mut self.ast, file, &text, self.stop, diags);
        self.add(tree, folder, module)
    }

    fn add(&mut self, tree: File, folder: PathBuf, module: Module) -> usize {
        let base = module.base.clone();
        self.modules.push(module);
        self.loaded.push(LoadedFile { tree, folder, base, module: self.modules.len() - 1 });
        self.loaded.len() - 1
    }

    /// The target of an import of a loaded file; `Ok(None)` for built-in modules.
    pub fn locate(&mut self, from: usize, kind: &ImportKind, at: Span, diags: &mut Diagnostics) -> Option<Target> {
        let importer = self.loaded[from].module;
        match kind {
            ImportKind::System(_) => None,
            ImportKind::LocalFile(relative) => {
                let path = clean(&self.loaded[from].folder.join(relative));
                let module = Module { base: parent(&path), path: None, block: false, importer: Some(importer) };
                Some(Target { path, module })
            }
            ImportKind::LocalFolder(relative) => {
                let folder = clean(&self.loaded[from].folder.join(relative));
                self.enter_folder(folder, importer, at, diags)
            }
            ImportKind::Remote { url, path } => {
                let candidates = self.candidates(importer, path);
                match candidates.iter().find(|c| self.world.kind(&c.join("metadata.yaml")) == PathKind::File) {
                    Some(folder) => self.enter_folder(folder.clone(), importer, at, diags),
                    None => {
                        diags.push(missing_module(url, &candidates, at));
                        None
                    }
                }
            }
        }
    }

    /// The possible folders of a remote module, best first: the importer's own path, its importers' upward, then the
    /// general list.
    fn candidates(&self, importer: usize, path: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut module = Some(importer);
        while let Some(at) = module {
            found.extend(self.modules[at].path.as_ref().map(|own| clean(&own.join(path))));
            module = self.modules[at].importer.filter(|_| !self.modules[at].block);
        }
        found.extend(self.module_path.iter().map(|general| clean(&general.join(path))));
        found
    }

    fn enter_folder(&mut self, folder: PathBuf, importer: usize, at: Span, diags: &mut Diagnostics) -> Option<Target> {
        let metadata_path = folder.join("metadata.yaml");
        let metadata = match self.world.kind(&metadata_path) {
            PathKind::File => {
                let file = load_text(self.world, &metadata_path, Some(at), &mut self.sources, diags)?;
                parse_metadata(&self.sources, file, diags)?
            }
            _ => Metadata::default(),
        };
        let path = clean(&folder.join(&metadata.main));
        let own = (!metadata.path.is_empty()).then(|| clean(&folder.join(&metadata.path)));
        let module = Module { base: folder, path: own, block: metadata.parent_path_block, importer: Some(importer) };
        Some(Target { path, module })
    }

    /// An imported file may only contain definitions; side effects of the import are refused.
    fn refuse_side_effects(&self, loaded: usize, at: Span, diags: &mut Diagnostics) {
        for stmt in &self.ast.blocks[self.loaded[loaded].tree.body].stmts {
            let stmt = &self.ast.stmts[*stmt];
            let what = match stmt.kind {
                StmtKind::Bind { .. } | StmtKind::Func { .. } | StmtKind::Class { .. } | StmtKind::Import { .. } => {
                    continue;
                }
                StmtKind::Resource(_) => "a resource",
                StmtKind::Collect(_) => "a collect",
                StmtKind::Edge { .. } => "an edge",
                StmtKind::Include { .. } => "an include",
                StmtKind::If { .. } => "an if statement",
                StmtKind::For { .. } | StmtKind::ForKv { .. } => "a loop",
                StmtKind::Panic { .. } => "a panic",
            };
            diags.push(
                Diagnostic::error(Code::ModuleSideEffect, stmt.span)
                    .label(format!("{what} at the top level of an imported file"))
                    .related(at, "imported here")
                    .help("move it into a class, and include that class"),
            );
        }
    }
}

fn missing_module(url: &str, candidates: &[PathBuf], at: Span) -> Diagnostic {
    let looked: Vec<_> = candidates.iter().map(|c| format!("`{}`", c.display())).collect();
    let label = match looked.as_slice() {
        [] => format!("`{url}` not found: no module path is set"),
        looked => format!("`{url}` not found in {}", looked.join(", ")),
    };
    Diagnostic::error(Code::MissingModule, at)
        .label(label)
        .help("fetch it with `workbench download`, or set its folder with `--module-path`")
}

fn parent(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}
