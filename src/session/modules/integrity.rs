//! Checks the hashes of fetched modules before compiling, and reports differences.

use std::path::{Path, PathBuf};

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::fetch::{LOCK_FILE, Lock, LockError, Verified, real, verify};
use crate::lang::{CompileOptions, RunLimits};
use crate::module::{EntryPoint, ModuleState, ModuleTree, SearchFolder, load_text};
use crate::session::{Options, Report, Session};
use crate::source::{FileId, Sources, Span};
use crate::world::{Cancel, PathKind, Read, Sample, World};

/// The number of files and folders to watch in an edited module.
const MOST_FOLLOWED: usize = 4096;

impl Options {
    /// Returns the environment for compiling. Fails if the settings or a fetched module are invalid.
    pub(in crate::session) fn prepare(
        &self,
        world: &dyn World,
        entry: &EntryPoint,
        until: Stage,
        cancel: &Cancel,
    ) -> Result<CompileOptions, Report> {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
        let search = self.search(world, entry, &mut diagnostics);
        if !diagnostics.has_errors() {
            check_fetched(world, &entry.base, &search, &mut sources, &mut diagnostics);
        }
        if diagnostics.has_errors() {
            return Err(Report { sources, diagnostics });
        }
        let module_path = search.into_iter().map(|folder| folder.path).collect();
        let (cancel, limits) = (cancel.clone(), self.limits.clone());
        let run = RunLimits { cancel, limits, is_last: self.is_last, ..RunLimits::until(until) };
        Ok(CompileOptions { module_path, choices: self.choices.clone(), run })
    }
}

/// Hashes every fetched module of the lock in `base`, and reports differences at the lock's entries.
fn check_fetched(
    world: &dyn World,
    base: &Path,
    search: &[SearchFolder],
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) {
    let path = base.join(LOCK_FILE);
    if world.kind(&path) == PathKind::Missing {
        return;
    }
    let Some(file) = load_text(world, &path, None, sources, diagnostics) else { return };
    let text = &sources.file(file).text;
    let lock = match Lock::parse(text) {
        Ok(lock) => lock,
        Err(error) => {
            let at = match &error {
                LockError::Invalid { at: Some(at), .. } => at.clone(),
                _ => 0..0,
            };
            let diagnostic = Diagnostic::error(Code::InvalidLock, Span::new(file, at.start, at.end))
                .label(error.to_string())
                .help("restore it from version control, or delete it and run `workbench download`");
            return diagnostics.push(diagnostic);
        }
    };
    match verify(base, &lock, &folders(search)) {
        Ok(verified) => {
            for verified in verified.iter().filter(|verified| verified.is_edited()) {
                read_all(world, &verified.path);
                diagnostics.push(edited_module(sources, file, verified));
            }
        }
        Err(error) => diagnostics.push(
            Diagnostic::error(Code::ModuleEdited, Span::new(file, 0, 0))
                .label(format!("cannot hash the fetched module: {error}"))
                .help("fix that, or delete the module folder and run `workbench download`"),
        ),
    }
}

/// Reads the inputs of a module's hash, so that a watch notices the repair. The module is not compiled, so nothing else
/// reads its files.
fn read_all(world: &dyn World, module: &Path) {
    let mut folders = vec![module.to_path_buf()];
    let mut left = MOST_FOLLOWED;
    while let Some(folder) = folders.pop() {
        let Ok(Sample::Names(names)) = world.read(&Read::Folder(folder.clone())) else { continue };
        for path in names.iter().filter(|name| *name != ".git").map(|name| folder.join(name)) {
            let Some(fewer) = left.checked_sub(1) else { return };
            left = fewer;
            match world.kind(&path) {
                PathKind::Folder => folders.push(path),
                PathKind::File => drop(world.file(&path)),
                _ => {}
            }
        }
    }
}

impl Session {
    /// Adds the lock's information to a module tree: commits, edits, and unused modules.
    pub(in crate::session) fn with_lock(&self, mut tree: ModuleTree, search: &[SearchFolder]) -> ModuleTree {
        let verified = Lock::read(&self.entry.base)
            .ok()
            .and_then(|lock| verify(&self.entry.base, &lock, &folders(search)).ok())
            .unwrap_or_default();
        let places: Vec<PathBuf> = tree.modules.iter().map(|module| real(&module.path)).collect();
        for fetched in verified {
            let module_folder = real(&fetched.path);
            let module = match places.iter().position(|path| *path == module_folder) {
                Some(at) => &mut tree.modules[at],
                None => {
                    tree.modules.push(crate::module::Module {
                        name: fetched.locked.import.clone(),
                        path: fetched.path.clone(),
                        state: ModuleState::Unused,
                        revision: None,
                        version: None,
                        license: None,
                        files: Vec::new(),
                        imports: Vec::new(),
                        main: None,
                        used_by: Vec::new(),
                    });
                    let last = tree.modules.len() - 1;
                    &mut tree.modules[last]
                }
            };
            if fetched.is_edited() {
                module.state = ModuleState::Edited;
            }
            module.revision = Some(fetched.locked.revision().to_owned());
            module.version = module.version.take().or(fetched.locked.version);
        }
        tree
    }
}

fn folders(search: &[SearchFolder]) -> Vec<PathBuf> {
    search.iter().map(|folder| folder.path.clone()).collect()
}

fn edited_module(sources: &Sources, lock: FileId, verified: &Verified) -> Diagnostic {
    let Verified { locked, path, hash } = verified;
    let text = &sources.file(lock).text;
    let place = text.find(&format!("\"{}\"", locked.path)).map_or(0, |at| at + 1);
    let end = if place == 0 { 0 } else { place + locked.path.len() };
    Diagnostic::error(Code::ModuleEdited, Span::new(lock, place, end))
        .label(format!("its files have the hash {hash}, the lock file has {}", locked.hash))
        .help(format!(
            "to discard the edits, delete {} and run `workbench download`; to keep them as your own module, remove its \
            entry from the lock file",
            path.display()
        ))
}
