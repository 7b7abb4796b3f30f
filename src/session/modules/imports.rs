//! Adds imports to the user's source, and removes modules that nothing imports any more.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::fetch::{self, FetchError, Lock, Summary, Unused};
use crate::lang::{ImportEdit, NewImport};
use crate::module::{Layout, Leads, module_tree};
use crate::session::modules::download::{Around, DownloadOptions, NotFetched, no_cache, places};
use crate::session::{Report, Session, modules, replace_file};
use crate::source::{FileId, Sources};
use crate::world::{Cancel, Live};

impl Session {
    /// Returns a file with one more import.
    pub fn plan_import(&self, wanted: &NewImport) -> Result<ImportEdit, Box<Report>> {
        if self.options.bundle.is_some() {
            let diagnostic = Diagnostic::placeless(Code::ImportNotAdded)
                .label("a bundle cannot be changed")
                .help("change the source module, and make the bundle again");
            return Err(Box::new(Report::of(diagnostic)));
        }
        self.options.workplace.plan_import(&*self.world, &self.entry, wanted)
    }

    /// Fetches the module of an import and then adds the import: both or neither.
    pub fn add_import(
        &self,
        edit: &ImportEdit,
        options: &DownloadOptions,
        around: Around<'_>,
    ) -> Result<Summary, Box<NotFetched>> {
        let failed = |what: &str, error: &dyn std::fmt::Display| {
            NotFetched::because(
                Diagnostic::placeless(Code::ImportNotAdded)
                    .label(format!("{what}: {error}"))
                    .help("free some space or change the permissions, then try again"),
            )
        };
        let is_remote = matches!(self.language().layout().leads(&edit.name), Ok(Leads::Module { url: Some(_), .. }));
        let summary = if is_remote {
            let draft = tempfile::NamedTempFile::new().and_then(|mut file| {
                file.write_all(edit.after.as_bytes())?;
                Ok(file)
            });
            let draft = draft.map_err(|error| failed("cannot write a temporary file", &error))?;
            self.download_with(options, Some((&edit.path, draft.path())), around)?
        } else {
            Summary::default()
        };
        let shown = edit.path.display().to_string();
        match modules::read_source(&shown) {
            Ok(now) if now == edit.before => {}
            _ => return Err(failed(&shown, &"it changed in the meantime and was not touched")),
        }
        replace_file(&shown, &edit.after).map_err(|error| failed(&shown, &error))?;
        Ok(summary)
    }

    /// Returns the unused modules to remove, and those to keep.
    pub fn plan_pruning(&self) -> Result<Pruning, FetchError> {
        let lock = Lock::of_folder(&self.entry.base)?;
        let search = self.search_path();
        let roots = self.roots(&search);
        let search: Vec<PathBuf> = search.into_iter().map(|folder| folder.path).collect();
        let imported = self.imported()?;
        let unused = fetch::unused(&self.entry.base, &lock, &search, &imported, &roots)?;
        let known: Vec<PathBuf> =
            fetch::verify(&self.entry.base, &lock, &search)?.into_iter().map(|m| m.path).collect();
        let is_known = |path: &PathBuf| imported.contains(path) || known.contains(path);
        let layout = self.language().layout();
        let foreign = search.iter().flat_map(|folder| modules_below(folder, layout, &is_known)).collect();
        Ok(Pruning { unused, foreign })
    }

    /// Removes the planned modules that are still unused. Returns the removed ones.
    pub fn prune_modules(&self, pruning: &Pruning, cancel: &Cancel) -> Result<Vec<Unused>, FetchError> {
        let no_home = || FetchError::disk(&self.entry.base, no_cache().label);
        let (_, cache) = places().ok_or_else(no_home)?;
        let search = self.search_path();
        let roots = self.roots(&search);
        let search: Vec<PathBuf> = search.into_iter().map(|folder| folder.path).collect();
        fetch::prune(&self.entry.base, &cache, &search, &self.imported()?, &roots, &pruning.unused, cancel)
    }

    /// Returns the paths of all imported modules, whether present or not. Fails if a file cannot be parsed completely,
    /// because its imports would count as unused.
    fn imported(&self) -> Result<Vec<PathBuf>, FetchError> {
        let broken = std::cell::RefCell::new(None);
        if self.declared().diagnostics.has_errors() {
            broken.replace(Some("a file that lists modules has errors".to_owned()));
        }
        let scan = |file: FileId, sources: &Sources| {
            let mut diagnostics = Diagnostics::new(Stage::Parse);
            let imports = self.language().layout().imports(file, sources, &mut diagnostics);
            if diagnostics.has_errors() {
                broken.borrow_mut().get_or_insert_with(|| "a file of the program has syntax errors".to_owned());
            }
            imports
        };
        let tree = module_tree(&*self.world, &self.entry, &self.search_path(), self.language().layout(), &scan);
        match broken.take() {
            Some(why) => {
                let why = why + ": its imports are unknown (see `check` and `modules`)";
                Err(FetchError::disk(Path::new(&self.entry.shown), why))
            }
            None => Ok(tree.modules.into_iter().skip(1).map(|module| module.path).collect()),
        }
    }
}

/// The plan of a removal of unused modules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pruning {
    pub unused: Vec<Unused>,
    /// Modules in the module path that workbench did not fetch. They stay.
    pub foreign: Vec<PathBuf>,
}

impl Pruning {
    /// Returns the unused modules that will be removed.
    pub fn goes(&self) -> impl Iterator<Item = &Unused> {
        self.unused.iter().filter(|unused| unused.goes())
    }

    /// Describes the removals, one per line.
    pub fn removals(&self) -> Vec<String> {
        let line = |unused: &Unused| match &unused.path {
            Some(path) => format!("- {}  {}", path.display(), unused.locked.import),
            None => format!("- {}  {} (lock entry only)", unused.locked.path, unused.locked.import),
        };
        self.goes().map(line).collect()
    }

    /// Describes the unused modules that stay, with the reason, one per line.
    pub fn kept(&self) -> Vec<String> {
        let why = |unused: &Unused| match &unused.fate {
            fetch::Removal::Goes => None,
            fetch::Removal::Edited => Some("edited since it was fetched".into()),
            fetch::Removal::Checkout => Some("your own checkout".into()),
            fetch::Removal::Outside => Some("a link to it leads out of the project".into()),
            fetch::Removal::Around(inner) => Some(format!("contains {}", inner.display())),
        };
        let kept = self.unused.iter().filter_map(|unused| {
            let path = unused.path.as_ref()?;
            Some(format!("  kept: {}, {}", path.display(), why(unused)?))
        });
        let foreign =
            self.foreign.iter().map(|path| format!("  kept: {}, not downloaded by workbench", path.display()));
        kept.chain(foreign).collect()
    }
}

/// Returns the outermost unknown folders below another that contain a module.
#[expect(clippy::disallowed_methods, reason = "the user asked what of the module path could be removed")]
fn modules_below(folder: &Path, layout: &dyn Layout, is_known: &dyn Fn(&PathBuf) -> bool) -> Vec<PathBuf> {
    const DEPTH: usize = 6;
    const MOST: usize = 50;
    let (mut found, mut folders) = (Vec::new(), vec![(folder.to_path_buf(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            if found.len() >= MOST || is_hidden || !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            if !is_known(&path) && layout.is_module(&Live::new(), &path) {
                found.push(path);
            } else if depth < DEPTH {
                folders.push((path, depth + 1));
            }
        }
    }
    found.sort();
    found
}
