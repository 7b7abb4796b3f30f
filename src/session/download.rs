//! The session's side of a download: it walks the imports, and tells refusals where the imports stand.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Report, Session, modules, panicked};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::fetch::{
    self, Allowed, AskAnyTime, Asked, Download, Heard, Refusal, Refused, Staged, Summary, TreeLimits, Wanted,
};
use crate::module::{ImportKind, ModuleState, load_text, module_tree, parse_import};
use crate::source::{Sources, Span};
use crate::world::{Cancel, PathKind, Redirected, World};

/// How a download goes about it.
#[derive(Clone, Debug)]
pub struct DownloadOptions {
    pub update: bool,
    pub locked: bool,
    pub allowed: Allowed,
    /// Links and submodules in modules are left out instead of refused.
    pub leave_out_links: bool,
    /// Bytes that one fetch may receive, and a module may have.
    pub max_size: u64,
    pub jobs: usize,
}

impl Default for DownloadOptions {
    fn default() -> Self {
        Self {
            update: false,
            locked: false,
            allowed: Allowed::default(),
            leave_out_links: false,
            max_size: 256 << 20,
            jobs: 8,
        }
    }
}

impl Session {
    /// Fetches every remote import that is missing, and theirs; all of them or none. `ask` gives logins that no helper
    /// knows.
    pub fn download(
        &self,
        options: &DownloadOptions,
        cancel: &Cancel,
        ask: Option<&AskAnyTime<'_>>,
        hear: &mut (dyn FnMut(Heard) + Send),
    ) -> Result<Summary, Box<Report>> {
        let work = || self.download_here(options, cancel, ask, hear);
        super::job::run(work).unwrap_or_else(|bug| {
            Err(Box::new(Report { sources: Sources::default(), diagnostics: panicked(&bug, Stage::Module) }))
        })
    }

    fn download_here(
        &self,
        options: &DownloadOptions,
        cancel: &Cancel,
        ask: Option<&AskAnyTime<'_>>,
        hear: &mut dyn FnMut(Heard),
    ) -> Result<Summary, Box<Report>> {
        let refuse = |diagnostic: Diagnostic| {
            let mut diagnostics = Diagnostics::new(Stage::Module);
            diagnostics.push(diagnostic);
            Box::new(Report { sources: Sources::default(), diagnostics })
        };
        if self.options.bundle.is_some() {
            return Err(refuse(
                Diagnostic::placeless(Code::ModuleNotFetched)
                    .label("a bundle holds all its modules, and nothing is added to it")
                    .help("download into the program that it was made of, and make it again"),
            ));
        }
        let mut diagnostics = Diagnostics::new(Stage::Module);
        let search = self.options.search(&*self.world, &self.entry, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(Box::new(Report { sources: Sources::default(), diagnostics }));
        }
        let (program, cache) = places().ok_or_else(|| {
            refuse(
                Diagnostic::placeless(Code::ModuleNotFetched)
                    .label("there is no folder for the cache: this user has no home")
                    .help("set `WORKBENCH_CACHE` to a folder"),
            )
        })?;
        let limits =
            TreeLimits { total: options.max_size, leave_out_links: options.leave_out_links, ..TreeLimits::default() };
        let order = Download {
            base: &self.entry.base,
            program: &program,
            cache: &cache,
            update: options.update,
            locked: options.locked,
            allowed: options.allowed,
            limits,
            cap: options.max_size,
            jobs: options.jobs,
            cancel,
            ask,
        };
        let mut walk = |staged: &Staged| {
            let world = Redirected::new(Arc::clone(&self.world), staged);
            wanted(&world, &module_tree(&world, &self.entry, &search, &modules::imports))
        };
        fetch::download(&order, &mut walk, hear).map_err(|refused| Box::new(report(&*self.world, &refused)))
    }
}

/// This binary, and where mirrors of repositories are kept.
#[expect(clippy::disallowed_methods, reason = "where we keep our own things is not what programs may see")]
fn places() -> Option<(PathBuf, PathBuf)> {
    let program = std::env::current_exe().ok()?;
    let named = std::env::var_os("WORKBENCH_CACHE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let own = || Some(directories::ProjectDirs::from("", "", "workbench")?.cache_dir().to_path_buf());
    Some((program, named.or_else(own)?.join("git")))
}

/// The remote modules of a tree, each with the imports that lead to it.
fn wanted(world: &dyn World, tree: &crate::module::ModuleTree) -> Vec<Wanted> {
    let is_remote = |name: &str| matches!(parse_import(name).map(|import| import.kind), Ok(ImportKind::Remote { .. }));
    let remote = tree.modules.iter().skip(1).filter(|module| is_remote(&module.name));
    remote
        .map(|module| {
            let importers = tree.modules.iter().flat_map(|importer| {
                let leads = importer.imports.iter().filter(|import| import.lies_at.as_ref() == Some(&module.path));
                leads.map(|import| Asked {
                    name: import.name.clone(),
                    file: importer.path.join(&import.file),
                    line: import.line,
                })
            });
            Wanted {
                name: module.name.clone(),
                target: module.path.clone(),
                asked: importers.collect(),
                is_present: module.state != ModuleState::Missing,
                is_checkout: world.kind(&module.path.join(".git")) != PathKind::Missing,
            }
        })
        .collect()
}

/// The refusals as diagnostics at the imports that they concern.
fn report(world: &dyn World, refused: &[Refused]) -> Report {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
    for Refused { wanted, refusal } in refused {
        let name = wanted.as_ref().map_or_else(String::new, |wanted| format!("`{}`: ", wanted.name));
        let mut asked = match (refusal, wanted) {
            (Refusal::RefsDisagree { one, other }, _) => vec![one.1.clone(), other.1.clone()],
            (_, Some(wanted)) => wanted.asked.clone(),
            (_, None) => Vec::new(),
        }
        .into_iter();
        let first = asked.next().and_then(|asked| place(world, &mut sources, &asked));
        let mut diagnostic = match first {
            Some(span) => Diagnostic::error(refusal.code(), span),
            None => Diagnostic::placeless(refusal.code()),
        };
        for asked in asked.take(3) {
            if let Some(span) = place(world, &mut sources, &asked) {
                diagnostic = diagnostic.related(span, "also imported here");
            }
        }
        diagnostics.push(diagnostic.label(format!("{name}{refusal}")).help(refusal.help()));
    }
    Report { sources, diagnostics }
}

/// The name in an import statement.
fn place(world: &dyn World, sources: &mut Sources, asked: &Asked) -> Option<Span> {
    let id = match sources.by_path(&asked.file) {
        Some(id) => id,
        None => load_text(world, Path::new(&asked.file), None, sources, &mut Diagnostics::new(Stage::Module))?,
    };
    let file = sources.file(id);
    let start =
        file.text.split_inclusive('\n').take(asked.line.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let at = file.text[start..].find(&asked.name).map_or(start, |at| start + at);
    Some(Span::new(id, at, (at + asked.name.len()).min(file.text.len())))
}
