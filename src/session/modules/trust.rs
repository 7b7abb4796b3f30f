//! Decides which fetched modules may act on this machine: those that the user approved, by the hash of their files.
//!
//! A fetched module can be read, compiled and previewed at once, because that changes nothing. Applying it runs it with
//! the user's rights, so a user must have reviewed it first, here or where the lock was made. The way to a file of the
//! module does not matter: import, entry, link, or another module path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::deploy::{Approvals, Approved, StateFolder};
use crate::diag::{Diagnostics, Stage};
use crate::fetch::{
    FetchError, Homes, LOCK_FILE, Lock, Review, Subject, TreeHash, found, nested, real, review, short_commit, verify,
};
use crate::graph::Graph;
use crate::host::HostError;
use crate::module::{Layout, Leads, Module, ModuleTree};
use crate::session::modules::download::{places, wanted};
use crate::session::modules::local_imports;
use crate::session::modules::trusted::Trusted;
use crate::session::{ApplyError, Session, StateError, state_path};
use crate::world::{Judged, PathKind};

/// Kinds that do not change a machine.
const HARMLESS: [&str; 5] = ["noop", "print", "test", "value", "panic"];

/// A fetched module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The name in the import.
    pub name: String,
    pub path: PathBuf,
    /// The hash of its present files.
    pub hash: String,
    /// The commit in the lock.
    pub commit: Option<String>,
    /// The last approved commit in the lock.
    pub locked_approval: Option<String>,
    pub is_approved: bool,
    /// Whether a lock has it. Without an entry nothing is known of where its files come from.
    pub is_locked: bool,
    /// The modules inside its folder that were not fetched for this entry: the entry itself, or a module that it
    /// imports from another module's folder.
    pub holds: Vec<PathBuf>,
}

impl Fetched {
    /// Whether a module of the tree is this one, or a part of it.
    pub fn is(&self, module: &Module) -> bool {
        self.path == module.path || self.holds.contains(&module.path)
    }
}

/// An unapproved module, with the kinds of its resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    pub module: Fetched,
    pub kinds: Vec<String>,
}

impl std::fmt::Display for Stranger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let unlocked = if self.module.is_locked { "" } else { "; not in workbench.lock" };
        write!(f, "{} ({}{unlocked})", self.module.name, self.kinds.join(", "))
    }
}

impl Session {
    /// Returns the fetched modules of the entry's lock, and others that contain modules of its tree.
    pub fn fetched(&self, tree: &ModuleTree, state: Option<&PathBuf>) -> Result<Vec<Fetched>, StateError> {
        let files =
            tree.modules.iter().map(|module| module.path.clone()).chain(local_imports(tree, self.language().layout()));
        let mut fetched = self.fetched_in(&StateFolder::at(&state_path(state)?), files)?;
        for module in &tree.modules {
            let home = home_of(&fetched, &real(&module.path));
            if let Some(home) = home.filter(|at| !fetched[*at].is(module)) {
                fetched[home].holds.push(module.path.clone());
            }
        }
        Ok(fetched)
    }

    /// Returns those of them that are unapproved and would act in a graph.
    pub fn strangers(&self, graph: &Graph, state: Option<&PathBuf>) -> Result<Vec<Stranger>, StateError> {
        let state = StateFolder::at(&state_path(state)?);
        Ok(strangers_among(&self.fetched_in(&state, self.declared_in(graph)?)?, graph))
    }

    /// Approves modules with their present files.
    pub fn approve<'m>(
        &self,
        modules: impl Iterator<Item = &'m Fetched>,
        state: Option<&PathBuf>,
    ) -> Result<(), StateError> {
        let approved = |module: &Fetched| {
            let Fetched { hash, name, commit, .. } = module.clone();
            Approved { hash, name, commit }
        };
        let approved: Vec<_> = modules.map(approved).collect();
        Approvals::add(&StateFolder::open(&state_path(state)?)?, &approved)
    }

    /// Returns the changes of a module since its last approval, for review.
    pub fn review(&self, module: &Fetched, state: Option<&PathBuf>) -> Result<Review, String> {
        let state = StateFolder::at(&state_path(state).map_err(|error| error.to_string())?);
        let approvals = Approvals::read(&state).map_err(|error| error.to_string())?;
        let from = Lock::read(&self.entry.base).unwrap_or_default().modules.into_iter();
        let from = from.filter(|locked| locked.import == module.name).find_map(|locked| locked.from);
        let subject = Subject {
            name: &module.name,
            from: from.as_deref(),
            folder: &module.path,
            nested: &module.holds,
            commit: module.commit.as_deref(),
            approved: approvals.last_commit(&module.name).or(module.locked_approval.as_deref()),
        };
        review(places().map(|(_, cache)| cache).as_deref(), subject).map_err(|error| error.to_string())
    }

    /// Writes approvals into the lock, for all of its users. Returns the number of approved modules.
    pub fn approve_in_lock(&self, modules: &[Fetched]) -> Result<usize, FetchError> {
        let base = &self.entry.base;
        if self.options.bundle.is_some() {
            return Err(FetchError::disk(
                base,
                "approvals in the lock file of a bundle are ignored; approve the bundle",
            ));
        }
        let mut lock = Lock::of_folder(base)?;
        let is_locked = |module: &Fetched| lock.modules.iter().any(|locked| locked.hash.0 == module.hash);
        if let Some(module) = modules.iter().find(|module| !is_locked(module)) {
            let why = format!("{} is not in this lock file; it was fetched for another entry", module.name);
            return Err(FetchError::disk(&base.join(LOCK_FILE), why));
        }
        for locked in &mut lock.modules {
            if modules.iter().any(|module| module.hash == locked.hash.0) {
                (locked.approved, locked.approved_before) = (true, None);
            }
        }
        lock.write(base)?;
        Ok(lock.modules.iter().filter(|locked| locked.approved).count())
    }

    /// Allows the user's guards and plugins, unless the program imports unapproved modules: a guard may use values from
    /// such a module, even if the module has no guards.
    pub(in crate::session) fn let_run(&mut self, guards: bool, plugins: bool) {
        self.guards_held_by = match self.judge() {
            Ok(judged) => judged.strangers,
            Err(error) => vec![error.to_string()],
        };
        if self.guards_held_by.is_empty() {
            self.options.run_guards = guards;
            self.options.choices.let_plugins_run(plugins);
            self.world = std::sync::Arc::new(self.options.live());
        } else {
            self.options.choices.plugins_held = plugins;
        }
    }

    /// Returns the modules that keep requested guards and plugins from running.
    pub fn guards_held_by(&self) -> &[String] {
        &self.guards_held_by
    }

    /// Finds the imported fetched modules that are not approved, and the places that the other ones import.
    pub(in crate::session) fn judge(&self) -> Result<Judged, StateError> {
        let state = StateFolder::at(&state_path(self.options.state.as_ref())?);
        let tree = self.tree_in(&*self.world, &self.search_path());
        let layout = self.language().layout();
        let used: Vec<PathBuf> = tree.modules.iter().map(|module| real(&module.path)).collect();
        let others = local_imports(&tree, layout).chain(self.entry.file.clone()).map(|path| real(&path));
        let used: Vec<PathBuf> = used.into_iter().chain(others).collect();
        let files = tree.modules.iter().map(|module| module.path.clone()).chain(local_imports(&tree, layout));
        let mut strangers = self.fetched_in(&state, files)?;
        strangers.retain(|module| !module.is_approved && used.iter().any(|path| path.starts_with(real(&module.path))));
        let own = own_imports(&tree, layout, &strangers);
        Ok(Judged { strangers: strangers.into_iter().map(|module| module.name).collect(), own })
    }

    /// Refuses a run with unapproved modules. Returns the approvals that it depends on.
    pub(in crate::session) fn check_trust(&self, graph: &Graph, state: &StateFolder) -> Result<Trusted, ApplyError> {
        let fetched = self.fetched_in(state, self.declared_in(graph)?)?;
        let strangers = strangers_among(&fetched, graph);
        if !strangers.is_empty() {
            return Err(ApplyError::Strangers(strangers));
        }
        self.remember_bundle(state)?;
        let bundle = self.options.bundle.as_ref().map(|bundle| &bundle.root);
        Ok(Trusted::new(&fetched, bundle, &Approvals::read(state)?, state))
    }

    /// Returns the files that declare a graph's resources. Fails if one cannot be found, because its module is then
    /// unknown.
    fn declared_in(&self, graph: &Graph) -> Result<BTreeSet<PathBuf>, StateError> {
        let code = self.entry.code.as_ref().map(|(name, _)| &**name);
        let places = graph.resources().filter_map(|(_, resource)| resource.source.as_ref());
        let files: BTreeSet<&str> = places.map(|place| &*place.file).filter(|file| Some(*file) != code).collect();
        match files.iter().find(|file| found(Path::new(file)).is_none()) {
            Some(gone) => Err(HostError::Refused(format!("`{gone}` was moved or deleted after compiling")).into()),
            None => Ok(files.into_iter().map(PathBuf::from).collect()),
        }
    }

    /// Returns the fetched modules of the entry's lock, and all others that contain the entry or one of `files`.
    fn fetched_in(
        &self,
        state: &StateFolder,
        files: impl IntoIterator<Item = PathBuf>,
    ) -> Result<Vec<Fetched>, StateError> {
        let refused = |error: &dyn std::fmt::Display| HostError::Refused(error.to_string());
        let approvals = Approvals::read(state)?;
        if let Some(bundle) = self.as_fetched(&approvals).map_err(|error| refused(&error))? {
            // Approving a bundle approves its contents. Its own lock approves nothing.
            let approved = bundle.is_approved;
            let inside = self.in_lock(|hash, _| approved || approvals.has(hash)).map_err(|error| refused(&error))?;
            return Ok(std::iter::once(bundle).chain(inside).collect());
        }
        let mut homes = Homes::default();
        let around = homes.around(&real(&self.entry.base)).map_err(|error| refused(&error))?;
        let mut fetched = match around.is_empty() {
            true => self.in_lock(|hash, by_lock| by_lock || approvals.has(hash)).map_err(|error| refused(&error))?,
            // The lock inside a fetched module is not trustworthy.
            false => Vec::new(),
        };
        if around.is_empty() {
            self.add_unlocked(&mut fetched, &mut homes, &approvals).map_err(|error| refused(&error))?;
        }
        for file in std::iter::once(self.entry.base.clone()).chain(self.entry.file.clone()).chain(files) {
            let real_path = real(&file);
            if home_of(&fetched, &real_path).is_some() {
                continue;
            }
            let around = homes.around(&real_path).map_err(|error| refused(&error))?;
            let places: Vec<PathBuf> = around.iter().map(|home| home.path.clone()).collect();
            for home in around {
                let hash = TreeHash::of_folder(&home.path, &nested(&places, &home.path));
                let hash = hash.map_err(|error| refused(&error))?.0;
                let is_approved = approvals.has(&hash);
                let (name, path, holds) = (home.import, home.path, Vec::new());
                let (commit, locked_approval) = (None, None);
                let is_locked = true;
                fetched.push(Fetched { name, path, hash, commit, locked_approval, is_approved, is_locked, holds });
            }
        }
        Ok(fetched)
    }

    /// Adds the modules of the module path that come from elsewhere by their imports, and that no lock has: the lock file
    /// or an entry of it is missing. The user's own checkouts are no such modules.
    fn add_unlocked(
        &self,
        fetched: &mut Vec<Fetched>,
        homes: &mut Homes,
        approvals: &Approvals,
    ) -> Result<(), FetchError> {
        let tree = self.tree_in(&*self.world, &self.search_path());
        // Metadata names a source for vendored modules, too. So it counts only where modules are fetched.
        let is_fetching = !self.language().layout().is_vendored()
            || self.world.kind(&self.entry.base.join(LOCK_FILE)) == PathKind::File;
        let wanted = wanted(&*self.world, &self.entry, &tree);
        let fetchable = wanted.iter().filter(|wanted| wanted.is_present && !wanted.is_checkout);
        let fetchable = fetchable.filter(|wanted| is_fetching || wanted.is_decided || wanted.sources.is_empty());
        let mut unlocked: Vec<(String, PathBuf)> = Vec::new();
        for wanted in fetchable {
            let path = real(&wanted.target);
            if home_of(fetched, &path).is_none() && homes.around(&path)?.is_empty() {
                unlocked.push((wanted.name.trim_end_matches('/').to_owned(), path));
            }
        }
        let places: Vec<PathBuf> = unlocked.iter().map(|(_, path)| path.clone()).collect();
        for (name, path) in unlocked {
            let hash = TreeHash::of_folder(&path, &nested(&places, &path))?.0;
            let is_approved = approvals.has(&hash);
            let (commit, locked_approval, holds) = (None, None, Vec::new());
            fetched.push(Fetched { name, path, hash, commit, locked_approval, is_approved, is_locked: false, holds });
        }
        Ok(())
    }

    /// Returns the modules of the entry's own lock. `approved` receives a hash, and whether the lock approves it.
    fn in_lock(&self, approved: impl Fn(&str, bool) -> bool) -> Result<Vec<Fetched>, FetchError> {
        let base = &self.entry.base;
        let lock = Lock::of_folder(base)?;
        if lock.modules.is_empty() {
            return Ok(Vec::new());
        }
        let search = self.options.search(&*self.world, &self.entry, &mut Diagnostics::new(Stage::Module));
        let search: Vec<PathBuf> = search.into_iter().map(|folder| folder.path).collect();
        let fetched = verify(base, &lock, &search)?.into_iter().map(|module| Fetched {
            is_locked: true,
            is_approved: approved(&module.hash.0, module.locked.approved && !module.is_edited()),
            commit: module.locked.commit().cloned(),
            locked_approval: module.locked.approved_commit().cloned(),
            name: module.locked.import,
            path: module.path,
            hash: module.hash.0,
            holds: Vec::new(),
        });
        Ok(fetched.collect())
    }
}

/// Returns the modules of a program and what they import by path, from the entry on. An unapproved module has only its
/// own folder.
fn own_imports(tree: &ModuleTree, layout: &dyn Layout, strangers: &[Fetched]) -> Vec<PathBuf> {
    let places: Vec<PathBuf> = strangers.iter().map(|module| real(&module.path)).collect();
    let (mut own, mut seen, mut open) = (places.clone(), BTreeSet::from([0]), vec![0]);
    while let Some(at) = open.pop() {
        let Some(module) = tree.modules.get(at) else { continue };
        let real_path = real(&module.path);
        if places.iter().any(|place| real_path.starts_with(place)) {
            continue;
        }
        own.push(module.path.clone());
        for import in &module.imports {
            if let Ok(Leads::File(path) | Leads::Folder(path)) = layout.leads(&import.name) {
                own.push(module.path.join(&import.file).parent().unwrap_or(Path::new("")).join(path));
            }
            let next =
                import.module.as_ref().and_then(|name| tree.modules.iter().position(|other| other.name == *name));
            open.extend(next.filter(|next| seen.insert(*next)));
        }
    }
    own
}

/// Formats a review as lines: the approved state, commits, differences, and unreadable parts.
pub fn review_lines(module: &Fetched, review: &Review) -> Vec<String> {
    let mut lines = vec![module.name.clone()];
    lines.push(match &review.from {
        Some(from) => format!("Last approved: commit {}", short_commit(from)),
        None => "Not approved before: the whole tree is shown.".into(),
    });
    if let Some(commit) = &module.commit {
        lines.push(format!("Now: commit {}", short_commit(commit)));
    }
    lines.extend(review.notes.iter().cloned());
    if !review.commits.is_empty() {
        lines.push(format!("Commits: {}", review.commits.len()));
        lines.extend(review.commits.iter().map(|commit| format!("  {commit}")));
    }
    lines.extend(review.diff.iter().map(|line| line.replace('\t', "    ")));
    lines
}

/// Returns the innermost fetched module that contains `file`, a path without links. Modules may be nested.
fn home_of(fetched: &[Fetched], file: &Path) -> Option<usize> {
    let places = fetched.iter().map(|module| real(&module.path)).enumerate();
    let around = places.filter(|(_, place)| file.starts_with(place));
    around.max_by_key(|(_, place)| place.components().count()).map(|(at, _)| at)
}

/// Returns the unapproved modules that would act in a graph.
fn strangers_among(fetched: &[Fetched], graph: &Graph) -> Vec<Stranger> {
    if fetched.iter().all(|module| module.is_approved) {
        return Vec::new();
    }
    let mut acts: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    let mut homes: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (_, resource) in graph.resources() {
        let Some(place) = &resource.source else { continue };
        let home = *homes.entry(&place.file).or_insert_with(|| home_of(fetched, &real(Path::new(&*place.file))));
        // A resource without a kind does nothing.
        let Some(kind) = resource.wanted().map(|wanted| &*wanted.kind).filter(|kind| !HARMLESS.contains(kind)) else {
            continue;
        };
        if let Some(at) = home.filter(|at| !fetched[*at].is_approved) {
            acts.entry(at).or_default().insert(kind);
        }
    }
    let stranger = |(at, kinds): (usize, BTreeSet<&str>)| Stranger {
        module: fetched[at].clone(),
        kinds: kinds.into_iter().map(str::to_string).collect(),
    };
    acts.into_iter().map(stranger).collect()
}
