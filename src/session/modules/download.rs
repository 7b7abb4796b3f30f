//! The session's side of a download: it walks the imports, and reports refusals at the imports.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::diag::{Code, Diagnostic, Diagnostics, Stage, nearest};
use crate::fetch::{
    self, AskAnyTime, Download, FetchEvent, ImportPlace, NeededModule, Patience, Permit, Refusal, Refused, Roots,
    Staged, Summary, TreeLimits, Update,
};
use crate::lang::language;
use crate::module::{
    EntryPoint, Import, Layout, Leads, Module, ModuleState, ModuleTree, SearchFolder, Source, load_text,
    unused_url_parts,
};
use crate::session::{Report, Session, panicked};
use crate::source::{Sources, Span, printable};
use crate::world::{Cancel, PathKind, Redirected, World};

/// The options of a download.
#[derive(Clone, Debug)]
pub struct DownloadOptions {
    pub update: Update,
    pub locked: bool,
    /// The unsafe features that the user allows.
    pub permits: BTreeSet<Permit>,
    /// How long a server may send nothing.
    pub silence: Duration,
    /// The size limit in bytes of one fetch and of one module.
    pub max_size: u64,
    pub jobs: usize,
}

impl Default for DownloadOptions {
    fn default() -> Self {
        Self {
            update: Update::Nothing,
            locked: false,
            permits: BTreeSet::new(),
            silence: Duration::from_secs(30),
            max_size: 256 << 20,
            jobs: 8,
        }
    }
}

/// Why nothing was fetched.
#[derive(Debug)]
pub struct NotFetched {
    pub report: Report,
    /// What the user could allow for another attempt.
    pub permits: BTreeSet<Permit>,
}

impl NotFetched {
    pub(in crate::session) fn because(diagnostic: Diagnostic) -> Box<Self> {
        let mut diagnostics = Diagnostics::new(Stage::Module);
        diagnostics.push(diagnostic);
        Box::new(Self { report: Report { sources: Sources::default(), diagnostics }, permits: BTreeSet::new() })
    }

    fn from_diagnostics(diagnostics: Diagnostics) -> Box<Self> {
        Box::new(Self { report: Report { sources: Sources::default(), diagnostics }, permits: BTreeSet::new() })
    }
}

/// The text of a file that is not written yet: where it will be, and where it is.
pub(in crate::session) type Draft<'a> = (&'a Path, &'a Path);

/// How a fetch communicates with its caller.
pub struct Around<'a> {
    pub cancel: &'a Cancel,
    /// Asks for logins that no helper knows.
    pub ask: Option<&'a AskAnyTime<'a>>,
    pub report: &'a mut (dyn FnMut(FetchEvent) + Send),
}

impl Session {
    /// Returns the download options of the settings.
    pub fn download_options(&self) -> DownloadOptions {
        let config = &self.options.config;
        let permits = config.fetch_allow().iter().filter_map(|word| Permit::parse(word)).collect();
        let default = DownloadOptions::default();
        DownloadOptions {
            permits,
            silence: config.fetch_timeout().map_or(default.silence, Duration::from_secs),
            ..default
        }
    }

    /// Fetches every missing remote import, recursively; all of them or none.
    pub fn download(&self, options: &DownloadOptions, around: Around<'_>) -> Result<Summary, Box<NotFetched>> {
        self.download_with(options, None, around)
    }

    /// Reports errors in the files that declare the entry's modules.
    pub fn declared(&self) -> Report {
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
        let layout = self.language().layout();
        layout.needs(&*self.world, &self.entry.base, Some(&self.entry), &mut sources, &mut diagnostics);
        Report { sources, diagnostics }
    }

    /// Warnings: parts of imports without an effect, and versions that do not fit the metadata.
    pub fn ignored_parts(&self) -> Report {
        let tree = self.modules();
        let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
        warn_unfit(&*self.world, &tree, &mut sources, &mut diagnostics);
        let asked = tree.modules.iter().flat_map(|importer| {
            let asked = |import: &Import| ImportPlace {
                name: import.name.clone(),
                file: importer.path.join(&import.file),
                line: import.line,
            };
            importer.imports.iter().map(asked)
        });
        warn_unused_url_parts(&*self.world, asked, &mut sources, &mut diagnostics);
        Report { sources, diagnostics }
    }

    /// The same, with the draft of a file.
    pub(in crate::session) fn download_with(
        &self,
        options: &DownloadOptions,
        draft: Option<Draft<'_>>,
        around: Around<'_>,
    ) -> Result<Summary, Box<NotFetched>> {
        let cancel = around.cancel.clone();
        if let Update::Only(names) = &options.update {
            self.check_locked(names)?;
        }
        let declared = self.declared();
        if declared.diagnostics.has_errors() {
            return Err(Box::new(NotFetched { report: declared, permits: BTreeSet::new() }));
        }
        let work = || {
            self.fetch_with(options, around, &mut |order, search, report| {
                let mut walk = |staged: &Staged| {
                    let mut staged = staged.to_vec();
                    staged.extend(draft.map(|(file, is)| (file.to_path_buf(), is.to_path_buf())));
                    let world = Redirected::new(Arc::clone(&self.world), &staged);
                    wanted(&world, &self.entry, &self.tree_in(&world, search))
                };
                fetch::download(order, &mut walk, report)
            })
        };
        let ended = crate::session::job::run(work)
            .unwrap_or_else(|bug| Err(NotFetched::from_diagnostics(panicked(&bug, Stage::Module))));
        if ended.is_ok() || !cancel.is_cancelled() {
            self.note_fetch(&ended);
        }
        ended
    }

    /// Returns the folders in which modules may be placed and removed: the entry's own with the repository around it, and
    /// the module paths that the user named.
    #[expect(clippy::disallowed_methods, reason = "where modules may be written is not what programs may see")]
    pub(in crate::session) fn roots(&self, search: &[SearchFolder]) -> Roots {
        let base = fetch::real(&self.entry.base);
        let repository = base.ancestors().find(|folder| folder.join(".git").exists());
        let by_user = search.iter().filter(|folder| folder.by_user).map(|folder| folder.path.as_path());
        let own = [Some(&*base), self.entry.environment.as_deref(), repository];
        Roots::new(own.into_iter().flatten().chain(by_user))
    }

    /// Whether all of these were fetched, so that nothing else can change.
    fn check_locked(&self, names: &BTreeSet<String>) -> Result<(), Box<NotFetched>> {
        // The download reports errors of the lock.
        let Ok(lock) = fetch::Lock::read(&self.entry.base) else { return Ok(()) };
        let is_locked = |name: &&String| lock.modules.iter().any(|locked| locked.import == name.trim_end_matches('/'));
        let Some(unknown) = names.iter().find(|name| !is_locked(name)) else { return Ok(()) };
        let known: Vec<&str> = lock.modules.iter().map(|locked| &*locked.import).collect();
        let help = match nearest(unknown, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "`workbench download` fetches missing modules".into(),
            None => format!("the lock has {}", known.join(", ")),
        };
        let label = format!("`{}` is not a fetched module of this entry", printable(unknown));
        Err(NotFetched::because(Diagnostic::placeless(Code::ModuleNotFetched).label(label).help(help)))
    }

    /// Prepares a fetch, runs it, and reports its refusals at the imports.
    pub(in crate::session) fn fetch_with<T>(
        &self,
        options: &DownloadOptions,
        around: Around<'_>,
        work: &mut Fetching<'_, T>,
    ) -> Result<T, Box<NotFetched>> {
        if self.options.bundle.is_some() {
            return Err(NotFetched::because(
                Diagnostic::placeless(Code::ModuleNotFetched)
                    .label("a bundle contains all its modules and cannot be changed")
                    .help("download in the source module, and make the bundle again"),
            ));
        }
        let mut diagnostics = Diagnostics::new(Stage::Module);
        let search = self.options.search(&*self.world, &self.entry, &mut diagnostics);
        if diagnostics.has_errors() {
            return Err(NotFetched::from_diagnostics(diagnostics));
        }
        let (program, cache) = places().ok_or_else(|| NotFetched::because(no_cache()))?;
        let limits =
            TreeLimits { total: options.max_size, shapes: fetch::shapes(&options.permits), ..TreeLimits::default() };
        let roots = self.roots(&search);
        let folders: Vec<PathBuf> = search.iter().map(|folder| folder.path.clone()).collect();
        let order = Download {
            base: &self.entry.base,
            search: &folders,
            roots: &roots,
            program: &program,
            cache: &cache,
            update: &options.update,
            locked: options.locked,
            allowed: fetch::transports(&options.permits),
            limits,
            patience: Patience::of(options.silence),
            cap: options.max_size,
            jobs: options.jobs,
            cancel: around.cancel,
            versions: self.language().layout().versions(),
            ask: around.ask,
        };
        work(&order, &search, around.report).map_err(|refused| {
            // A permission that the user already gave does not help.
            let more = |refused: &Refused| {
                refused.permits().into_iter().filter(|permit| !options.permits.contains(permit)).collect::<Vec<_>>()
            };
            let permits = refused.iter().flat_map(more).collect();
            Box::new(NotFetched { report: report(&*self.world, &refused, &more), permits })
        })
    }
}

/// Processes an order, with the search folders of modules.
pub(in crate::session) type Fetching<'f, T> =
    dyn FnMut(&Download<'_>, &[SearchFolder], &mut dyn FnMut(FetchEvent)) -> Result<T, Vec<Refused>> + 'f;

pub(in crate::session) fn no_cache() -> Diagnostic {
    Diagnostic::placeless(Code::ModuleNotFetched)
        .label("no cache folder: this user has no home folder")
        .help("set `WORKBENCH_CACHE` to a folder")
}

/// Returns this program's file, and the folder of repository mirrors.
#[expect(clippy::disallowed_methods, reason = "where we keep our own things is not what programs may see")]
pub(in crate::session) fn places() -> Option<(PathBuf, PathBuf)> {
    let program = std::env::current_exe().ok()?;
    let named = std::env::var_os("WORKBENCH_CACHE").filter(|path| !path.is_empty()).map(PathBuf::from);
    let own = || Some(directories::ProjectDirs::from("", "", "workbench")?.cache_dir().to_path_buf());
    Some((program, named.or_else(own)?.join("git")))
}

/// Returns the remote modules of a tree, each with its imports.
pub(in crate::session) fn wanted(world: &dyn World, entry: &EntryPoint, tree: &ModuleTree) -> Vec<NeededModule> {
    let layout = language(tree.language).layout();
    let is_remote = |name: &str| matches!(layout.leads(name), Ok(Leads::Module { url: Some(_), .. }));
    let mut all = Vec::new();
    for module in tree.modules.iter().skip(1) {
        let leads = |importer: &Module| {
            let imports = importer.imports.iter().filter(|import| import.module_folder.as_ref() == Some(&module.path));
            imports.map(|import| (importer.path.join(&import.file), import.clone())).collect::<Vec<_>>()
        };
        let imports: Vec<(PathBuf, Import)> = tree.modules.iter().flat_map(leads).collect();
        let (mut sources, mut ranges, mut below, mut is_decided) = (Vec::new(), Vec::new(), String::new(), false);
        let asked = |(file, import): &(PathBuf, Import)| ImportPlace {
            name: import.name.clone(),
            file: file.clone(),
            line: import.line,
        };
        if !is_remote(&module.name) {
            // One file may decide alone. If none does, all of them count.
            let decides = |(_, import): &&(PathBuf, Import)| import.need.as_ref().is_some_and(|need| need.decides);
            is_decided = imports.iter().any(|one| decides(&one));
            let counts: Vec<&(PathBuf, Import)> = match imports.iter().find(decides) {
                Some(one) => vec![one],
                None => imports.iter().collect(),
            };
            sources = counts
                .iter()
                .map(|(_, import)| sources_of(world, entry, layout, import))
                .find(|all| !all.is_empty())
                .unwrap_or_default();
            if sources.is_empty() {
                continue;
            }
            let range = |one: &&(PathBuf, Import)| {
                let range = one.1.need.as_ref().map(|need| need.range.clone()).filter(|range| !range.is_empty())?;
                Some((range, asked(one)))
            };
            ranges = counts.iter().filter_map(range).collect();
            below = module.name.clone();
        }
        all.push(NeededModule {
            name: module.name.clone(),
            target: module.path.clone(),
            below,
            sources,
            is_decided,
            ranges,
            asked: imports.iter().map(asked).collect(),
            is_present: module.state != ModuleState::Missing,
            is_checkout: world.kind(&module.path.join(".git")) != PathKind::Missing,
        });
    }
    all
}

/// Returns the possible sources of an import.
fn sources_of(world: &dyn World, entry: &EntryPoint, layout: &dyn Layout, import: &Import) -> Vec<Source> {
    match &import.need {
        Some(need) if need.decides || !need.sources.is_empty() => need.sources.clone(),
        _ => layout.sources(world, entry, &import.name),
    }
}

/// Returns the refusals as diagnostics at their imports.
fn report(world: &dyn World, refused: &[Refused], more: &dyn Fn(&Refused) -> Vec<Permit>) -> Report {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Module));
    for refused in refused {
        let Refused { wanted, refusal } = refused;
        let name = wanted.as_ref().map_or_else(String::new, |wanted| format!("`{}`: ", wanted.name));
        let mut asked = match (refusal, wanted) {
            (Refusal::RefsDisagree { one, other }, _) => vec![one.1.clone(), other.1.clone()],
            (Refusal::NoVersion { ranges, .. }, Some(_)) if !ranges.is_empty() => {
                ranges.iter().map(|(_, asked)| asked.clone()).collect()
            }
            (_, Some(wanted)) => wanted.asked.clone(),
            (_, None) => Vec::new(),
        }
        .into_iter();
        let first = asked.next().and_then(|asked| place(world, &mut sources, &asked));
        let mut diagnostic = match first {
            Some(span) => Diagnostic::error(refusal.code(), span),
            None => Diagnostic::placeless(refusal.code()),
        };
        let is_declared = wanted.as_ref().is_some_and(|wanted| !wanted.sources.is_empty());
        let also = if is_declared { "also required here" } else { "also imported here" };
        for asked in asked.take(3) {
            if let Some(span) = place(world, &mut sources, &asked) {
                diagnostic = diagnostic.related(span, also);
            }
        }
        let plainly = match more(refused)[..] {
            [Permit::Git] if !matches!(refusal, Refusal::Url(_)) => "; `--allow git` also tries it without encryption",
            _ => "",
        };
        diagnostics.push(diagnostic.label(format!("{name}{refusal}")).help(refusal.help() + plainly));
    }
    let asked = refused.iter().filter_map(|refused| refused.wanted.as_ref()).flat_map(|wanted| wanted.asked.clone());
    warn_unused_url_parts(world, asked, &mut sources, &mut diagnostics);
    Report { sources, diagnostics }
}

/// Warns about present modules in a version that the metadata does not ask for.
fn warn_unfit(world: &dyn World, tree: &ModuleTree, sources: &mut Sources, diagnostics: &mut Diagnostics) {
    for importer in &tree.modules {
        for import in importer.imports.iter().filter(|import| import.is_unfit) {
            let (Some(need), Some(at)) = (&import.need, &import.module_folder) else { continue };
            let there = tree.modules.iter().find(|module| module.path == *at);
            let version = there.and_then(|module| module.version.as_deref()).unwrap_or_default();
            let asked =
                ImportPlace { name: import.name.clone(), file: importer.path.join(&import.file), line: import.line };
            if let Some(span) = place(world, sources, &asked) {
                let label = format!("`{}` is required, {} is there", need.range, printable(version));
                let help = "change the version of one of the two, then run `workbench download`";
                diagnostics.push(Diagnostic::warning(Code::UnfitVersion, span).label(label).help(help));
            }
        }
    }
}

/// Warns of parts of imports without an effect: their author may expect another version.
fn warn_unused_url_parts(
    world: &dyn World,
    asked: impl Iterator<Item = ImportPlace>,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) {
    for asked in asked {
        let Some((words, help)) = unused_url_parts(&asked.name) else { continue };
        if let Some(span) = place(world, sources, &asked) {
            diagnostics.push(Diagnostic::warning(Code::UnheardParameter, span).label(words).help(help));
        }
    }
}

/// Finds the name in an import statement.
fn place(world: &dyn World, sources: &mut Sources, asked: &ImportPlace) -> Option<Span> {
    let id = match sources.by_path(&asked.file) {
        Some(id) => id,
        None => load_text(world, Path::new(&asked.file), None, sources, &mut Diagnostics::new(Stage::Module))?,
    };
    let file = sources.file(id);
    let start =
        file.text.split_inclusive('\n').take(asked.line.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    // A requested import has no place in a file yet.
    let line = file.text[start..].lines().next()?;
    let (at, length) = match line.find(&asked.name) {
        Some(at) => (at, asked.name.len()),
        // The name contains escapes.
        None => (line.find("import")?, line.trim_end().len()),
    };
    Some(Span::new(id, start + at, start + (at + length).min(line.len())))
}
