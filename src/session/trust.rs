//! Which fetched modules may act on this machine: those that the user approved, by the hash of their files.
//!
//! What is fetched can be read, compiled and previewed at once, for none of that does anything. Whoever applies it runs it
//! as themselves, so somebody has to have looked at it first: here, or where the lock was made.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::trusted::Trusted;
use super::{ApplyError, Session, StateError, state_path};
use crate::deploy::{Approvals, StateFolder};
use crate::diag::{Diagnostics, Stage};
use crate::fetch::{FetchError, LOCK_FILE, Lock, verify};
use crate::graph::Graph;
use crate::module::ModuleState;

/// Kinds that leave a machine as it is.
const HARMLESS: [&str; 5] = ["noop", "print", "test", "value", "panic"];

/// A module that was fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// As imported.
    pub name: String,
    pub path: PathBuf,
    /// Of its files as they lie there now.
    pub hash: String,
    pub is_approved: bool,
}

/// A module that nobody approved, with what it would do: the kinds of its resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    pub module: Fetched,
    pub kinds: Vec<String>,
}

impl std::fmt::Display for Stranger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.module.name, self.kinds.join(", "))
    }
}

impl Session {
    /// The fetched modules of the entry's lock that lie here.
    pub fn fetched(&self, state: Option<&PathBuf>) -> Result<Vec<Fetched>, StateError> {
        self.fetched_in(&StateFolder::at(&state_path(state)?))
    }

    /// Those of them that a graph would let act here, and that nobody approved.
    pub fn strangers(&self, graph: &Graph, state: Option<&PathBuf>) -> Result<Vec<Stranger>, StateError> {
        let state = StateFolder::at(&state_path(state)?);
        Ok(strangers_among(&self.fetched_in(&state)?, graph))
    }

    /// Lets modules act here from now on, as they are.
    pub fn approve<'m>(
        &self,
        modules: impl Iterator<Item = &'m Fetched>,
        state: Option<&PathBuf>,
    ) -> Result<(), StateError> {
        let approved: Vec<_> = modules.map(|module| (module.hash.clone(), module.name.clone())).collect();
        Approvals::add(&StateFolder::open(&state_path(state)?)?, &approved)
    }

    /// Writes approvals into the lock, for all who use it. Gives how many modules it holds them for now.
    pub fn approve_in_lock(&self, modules: &[Fetched]) -> Result<usize, FetchError> {
        let base = &self.entry.base;
        if self.options.bundle.is_some() {
            return Err(FetchError::disk(base, "a bundle's own lock approves nothing; approve the bundle"));
        }
        let mut lock = Lock::read(base).map_err(|error| FetchError::disk(base, error))?;
        for locked in &mut lock.modules {
            locked.approved |= modules.iter().any(|module| module.hash == locked.hash.0);
        }
        lock.write(base)?;
        Ok(lock.modules.iter().filter(|locked| locked.approved).count())
    }

    /// Lets the user's own commands that only ask run, unless the program imports what nobody approved: not only its own
    /// guards could be harmful, a guard of the user's may be put together from what it says.
    pub(super) fn let_guards_run(&mut self) {
        self.guards_held_by = self.unapproved().unwrap_or_else(|error| vec![error.to_string()]);
        if self.guards_held_by.is_empty() {
            self.options.run_guards = true;
            self.world = std::sync::Arc::new(self.options.live());
        }
    }

    /// The modules that keep guards from running though that was asked for.
    pub fn guards_held_by(&self) -> &[String] {
        &self.guards_held_by
    }

    /// The names of imported modules that were fetched, and may not act here.
    fn unapproved(&self) -> Result<Vec<String>, StateError> {
        let state = StateFolder::at(&state_path(self.options.state.as_ref())?);
        let mut strangers = self.fetched_in(&state)?;
        strangers.retain(|module| !module.is_approved);
        if !strangers.is_empty() {
            let is_unused = |module: &crate::module::Module| module.state == ModuleState::Unused;
            let unused: Vec<_> = self.modules().modules.into_iter().filter(is_unused).map(|m| m.path).collect();
            strangers.retain(|module| !unused.contains(&module.path));
        }
        Ok(strangers.into_iter().map(|module| module.name).collect())
    }

    /// Refuses a run that lets a stranger act. Gives what it goes by.
    pub(super) fn check_trust(&self, graph: &Graph, state: &StateFolder) -> Result<Trusted, ApplyError> {
        let fetched = self.fetched_in(state)?;
        let strangers = strangers_among(&fetched, graph);
        if !strangers.is_empty() {
            return Err(ApplyError::Strangers(strangers));
        }
        self.remember_bundle(state)?;
        let bundle = self.options.bundle.as_ref().map(|bundle| &bundle.root);
        Ok(Trusted::new(&fetched, bundle, &Approvals::read(state)?, state))
    }

    fn fetched_in(&self, state: &StateFolder) -> Result<Vec<Fetched>, StateError> {
        let unreadable = |why: String| crate::host::HostError::Refused(why);
        let approvals = Approvals::read(state)?;
        let bundle = self.as_fetched(&approvals).map_err(|error| unreadable(error.to_string()))?;
        // What is in a bundle was approved with it, and its own lock approves nothing.
        let (by_bundle, by_lock) = match &bundle {
            Some(bundle) => (bundle.is_approved, false),
            None => (false, true),
        };
        let lock = Lock::read(&self.entry.base).map_err(|error| unreadable(format!("{LOCK_FILE}: {error}")))?;
        if lock.modules.is_empty() {
            return Ok(bundle.into_iter().collect());
        }
        let search = self.options.search(&*self.world, &self.entry, &mut Diagnostics::new(Stage::Module));
        let search: Vec<PathBuf> = search.into_iter().map(|folder| folder.path).collect();
        let verified = verify(&self.entry.base, &lock, &search).map_err(|error| unreadable(error.to_string()))?;
        let fetched = verified.into_iter().map(|module| Fetched {
            is_approved: by_bundle
                || approvals.has(&module.hash.0)
                || (by_lock && module.locked.approved && !module.is_edited()),
            name: module.locked.import,
            path: module.path,
            hash: module.hash.0,
        });
        Ok(bundle.into_iter().chain(fetched).collect())
    }
}

/// Those that a graph would let act, and that nobody approved.
fn strangers_among(fetched: &[Fetched], graph: &Graph) -> Vec<Stranger> {
    if fetched.iter().all(|module| module.is_approved) {
        return Vec::new();
    }
    let mut acts: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for (_, resource) in graph.resources() {
        let Some(place) = &resource.source else { continue };
        let file = Path::new(&*place.file);
        // The innermost: modules lie in one another.
        let home = fetched.iter().enumerate().filter(|(_, module)| file.starts_with(&module.path));
        let home = home.max_by_key(|(_, module)| module.path.components().count());
        let acting = |module: &Fetched| !module.is_approved && !HARMLESS.contains(&&*resource.declared.kind);
        if let Some((at, _)) = home.filter(|(_, module)| acting(module)) {
            acts.entry(at).or_default().insert(&resource.declared.kind);
        }
    }
    let stranger = |(at, kinds): (usize, BTreeSet<&str>)| Stranger {
        module: fetched[at].clone(),
        kinds: kinds.into_iter().map(str::to_string).collect(),
    };
    acts.into_iter().map(stranger).collect()
}
