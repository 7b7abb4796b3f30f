//! Fetches the remote imports of an entry, then the imports of those modules, until none is missing.
//!
//! Everything is fetched beside where it belongs first; the walk sees it there as if it lay in place. Only when nothing
//! is missing any more, all of it moves at once. Any refusal on the way leaves the module path as it was.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::bring::{Asking, Bringer, Brought, Item, Todo, below, fits, root_of};
use super::hash::{TreeHash, short_name};
use super::hosts::Hosts;
use super::inside::Roots;
use super::lock::{Lock, Locked, lock_path, nested};
use super::many::{self, Reporter};
use super::mark::{Marked, mark};
use super::mirror::Progress;
use super::place::{Placing, Stage, finish_earlier, place};
use super::process::Fetcher;
use super::refusal::{Refusal, Refused};
use super::transport::{Login, Patience};
use super::tree::{Offence, TreeLimits};
use super::url::{Allowed, GitUrl};
use super::verify::{found, place_of, real};
use crate::module::{Source, Versions};
use crate::world::Cancel;

/// Which of the modules in the lock move to the newest commit of their refs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Update {
    #[default]
    Nothing,
    All,
    /// By their names, as imported.
    Only(BTreeSet<String>),
}

impl Update {
    /// Whether a module moves. A slash at the end of its name does not count.
    pub fn moves(&self, name: &str) -> bool {
        let plain = |name: &str| name.trim_end_matches('/').to_owned();
        match self {
            Update::Nothing => false,
            Update::All => true,
            Update::Only(names) => names.iter().any(|one| plain(one) == plain(name)),
        }
    }
}

/// The settings of a download.
pub struct Download<'a> {
    /// The folder of the lock; it must exist.
    pub base: &'a Path,
    /// Folders with modules outside of it.
    pub search: &'a [PathBuf],
    /// Where modules may be placed.
    pub roots: &'a Roots,
    /// This binary: it is started again for what fetches.
    pub program: &'a Path,
    /// The folder of the mirrors.
    pub cache: &'a Path,
    pub update: &'a Update,
    /// Refuses whatever the lock does not hold exactly.
    pub locked: bool,
    pub allowed: Allowed,
    pub limits: TreeLimits,
    pub patience: Patience,
    /// Bytes that one fetch may receive.
    pub cap: u64,
    /// How many fetches go on at once.
    pub jobs: usize,
    pub cancel: &'a Cancel,
    /// How versions of its modules compare.
    pub versions: &'a dyn Versions,
    /// Asks the user for a login where the helpers know none; several fetches may ask at once.
    pub ask: Option<&'a AskAnyTime<'a>>,
}

/// Asks for the user's login for a URL; `None` if the user declines.
pub type AskAnyTime<'a> = dyn Fn(&str) -> Option<Login> + Sync + 'a;

/// A statement that imports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportPlace {
    pub name: String,
    pub file: PathBuf,
    pub line: u32,
}

/// An imported remote module.
#[derive(Clone, Debug)]
pub struct NeededModule {
    /// As imported, without the ref; its folder's name where metadata asks for it.
    pub name: String,
    /// Its folder, present or future.
    pub target: PathBuf,
    /// The same, below a folder of the module path; only for those that metadata asks for.
    pub below: String,
    /// Where it may come from, the best first; empty where the names of the imports say it.
    pub sources: Vec<Source>,
    /// Whether a file that lists modules decides on its source.
    pub is_decided: bool,
    /// The version ranges that all have to match, each with the module that requires it.
    pub ranges: Vec<(String, ImportPlace)>,
    /// The modules that require it; never empty.
    pub asked: Vec<ImportPlace>,
    pub is_present: bool,
    /// Whether it is a checkout made with git.
    pub is_checkout: bool,
}

/// Where a module waits that belongs elsewhere: (where it belongs, where it waits).
pub type Staged = [(PathBuf, PathBuf)];

/// A report during a download.
#[derive(Clone, Debug)]
pub enum FetchEvent {
    /// So many modules are wanted, so many have to be fetched now.
    Round {
        wanted: usize,
        fetching: usize,
    },
    Begun {
        name: String,
    },
    Progress {
        name: String,
        progress: Progress,
    },
    Fetched {
        name: String,
        files: usize,
        bytes: u64,
    },
    /// Its remote was asked for its current version.
    Checked {
        name: String,
    },
    Failed {
        name: String,
    },
    /// Another download for the same entry is at work.
    Waiting,
}

/// What became of it.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Name, and version or commit.
    pub came: Vec<(String, String)>,
    /// Name, the version or commit before, that of now.
    pub moved: Vec<(String, String, String)>,
    pub stayed: Vec<String>,
    /// Present and not fetched by workbench: left alone.
    pub kept: Vec<String>,
    /// Edited since they were fetched: left alone.
    pub edited: Vec<String>,
    pub left_out: Vec<(String, Vec<Offence>)>,
    /// In the old lock, and no longer imported.
    pub unused: Vec<String>,
    /// An earlier download that was cut off was finished first.
    pub finished_earlier: bool,
}

/// Downloads all that the walk asks for. `walk` gives the remote modules that are wanted, seeing staged ones in place.
pub fn download(
    order: &Download<'_>,
    walk: &mut dyn FnMut(&Staged) -> Vec<NeededModule>,
    report: &mut dyn FnMut(FetchEvent),
) -> Result<Summary, Vec<Refused>> {
    let _alone =
        alone(order.base, order.cache, order.cancel, report).map_err(|error| vec![Refused::placeless(error.into())])?;
    let finished_earlier =
        finish_earlier(order.base, order.roots, order.locked).map_err(|refusal| vec![Refused::placeless(refusal)])?;
    let mut lock = Lock::read(order.base).map_err(|error| vec![Refused::placeless(error.into())])?;
    for locked in &mut lock.modules {
        // Once these depended on how the entry was named.
        if let Ok(url) = GitUrl::parse(&locked.import) {
            locked.path = lock_path(order.base, &order.base.join(&locked.path), &url.module_folder());
        }
    }
    let mut state = State {
        order,
        lock,
        staged: Vec::new(),
        stages: Vec::new(),
        decided: BTreeMap::new(),
        again: BTreeMap::new(),
        hosts: Hosts::default(),
    };
    let ended = state.close(walk, report).and_then(|wanted| state.finish(&wanted));
    drop(std::mem::take(&mut state.stages));
    ended.map(|summary| Summary { finished_earlier, ..summary })
}

/// Waits until no other download writes for the same entry; the kernel lets go of it when the process ends.
pub(super) fn alone(
    base: &Path,
    cache: &Path,
    cancel: &Cancel,
    report: &mut dyn FnMut(FetchEvent),
) -> Result<std::fs::File, super::FetchError> {
    const LOOK: Duration = Duration::from_millis(20);
    let base = base.canonicalize().unwrap_or_else(|_| base.to_path_buf());
    let name = short_name(base.as_os_str().as_encoded_bytes());
    std::fs::create_dir_all(cache).map_err(|error| super::FetchError::disk(cache, error))?;
    let path = cache.join(format!("entry-{name}.lock"));
    let file = std::fs::File::create(&path).map_err(|error| super::FetchError::disk(&path, error))?;
    let mut is_reported = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(std::fs::TryLockError::Error(error)) => return Err(super::FetchError::disk(&path, error)),
            Err(std::fs::TryLockError::WouldBlock) if cancel.is_cancelled() => {
                return Err(super::FetchError::Cancelled);
            }
            Err(std::fs::TryLockError::WouldBlock) => {
                if !std::mem::replace(&mut is_reported, true) {
                    report(FetchEvent::Waiting);
                }
                std::thread::sleep(LOOK);
            }
        }
    }
}

/// What happens with one module.
enum Decision {
    Stays(Locked),
    Edited(Locked),
    Kept,
    Comes {
        /// The present module, if workbench fetched it.
        before: Option<Box<Locked>>,
        locked: Box<Locked>,
        placing: Placing,
        left_out: Vec<Offence>,
    },
}

impl Decision {
    /// What the lock will have of it, if that may still change.
    fn locked(&self) -> Option<&Locked> {
        match self {
            Decision::Stays(locked) => Some(locked),
            Decision::Comes { locked, .. } => Some(locked),
            Decision::Edited(_) | Decision::Kept => None,
        }
    }
}

struct State<'a> {
    order: &'a Download<'a>,
    lock: Lock,
    staged: Vec<(PathBuf, PathBuf)>,
    stages: Vec<Stage>,
    decided: BTreeMap<PathBuf, Decision>,
    /// How often the version of a module was decided again because another module required another one.
    again: BTreeMap<PathBuf, usize>,
    hosts: Hosts,
}

impl State<'_> {
    /// Fetches until no module is missing; returns the resolved modules.
    fn close(
        &mut self,
        walk: &mut dyn FnMut(&Staged) -> Vec<NeededModule>,
        report: &mut dyn FnMut(FetchEvent),
    ) -> Result<Vec<NeededModule>, Vec<Refused>> {
        loop {
            let mut wanted = walk(&self.staged);
            // A folder around another module comes first.
            wanted.sort_by(|a, b| a.target.cmp(&b.target));
            let (mut todo, mut refused): (Vec<Todo>, _) = (Vec::new(), Vec::new());
            for module in &mut wanted {
                if let Err(refusal) = self.reconsider(module) {
                    refused.push(Refused { wanted: Some(module.clone()), refusal });
                    continue;
                }
                let is_inside = |todo: &Todo| module.target.starts_with(&todo.wanted.target);
                // Modules inside a new module are inspected once that one is here.
                if self.decided.contains_key(&module.target) || todo.iter().any(is_inside) {
                    continue;
                }
                match self.decide(module) {
                    Ok(Some(fetch)) => todo.push(fetch),
                    Ok(None) => {}
                    Err(refusal) => refused.push(Refused { wanted: Some(module.clone()), refusal }),
                }
            }
            if !refused.is_empty() {
                return Err(refused);
            }
            report(FetchEvent::Round { wanted: wanted.len(), fetching: todo.len() });
            if todo.is_empty() {
                return Ok(wanted);
            }
            self.fetch_all(todo, report)?;
        }
    }

    /// Revises a decision that another module's range excludes. There is no search: the newest version that fits all known
    /// ranges is picked, until nothing changes.
    fn reconsider(&mut self, wanted: &mut NeededModule) -> Result<(), Refusal> {
        const MOST: usize = 8;
        let Some(locked) = self.decided.get(&wanted.target).and_then(Decision::locked) else { return Ok(()) };
        if fits(locked, wanted, self.order.versions) {
            return Ok(());
        }
        let there = locked.version.clone();
        let again = self.again.entry(wanted.target.clone()).or_default();
        *again += 1;
        if *again > MOST {
            return Err(Refusal::NoVersion { ranges: wanted.ranges.clone(), there });
        }
        // The walk saw what waits as if it were there.
        if let Some(Decision::Comes { before, .. }) = self.decided.remove(&wanted.target) {
            wanted.is_present = before.is_some();
        }
        self.staged.retain(|(target, _)| *target != wanted.target);
        Ok(())
    }

    /// Whether and which commit of a module is to be fetched. What need not be is decided here.
    fn decide(&mut self, wanted: &NeededModule) -> Result<Option<Todo>, Refusal> {
        let asking = Asking::of(wanted)?;
        let below = below(wanted)?;
        let path = lock_path(self.order.base, &wanted.target, &below);
        let locked = self.locked_at(&path, &wanted.target).cloned();
        let path = locked.as_ref().map_or(path, |locked| locked.path.clone());
        let is_as_locked = locked.as_ref().is_some_and(|locked| {
            locked.import == wanted.name.trim_end_matches('/') && asking.is_met_by(locked, wanted, self.order.versions)
        });
        match (&locked, wanted.is_present) {
            (None, _) if self.order.locked => return Err(Refusal::NotLocked),
            (Some(locked), _) if self.order.locked && !is_as_locked => {
                let locked = locked.version.clone().or(locked.reference.clone());
                return Err(Refusal::LockMoved { locked, asked: asking.words(wanted) });
            }
            (None, true) => {
                self.decided.insert(wanted.target.clone(), Decision::Kept);
                return Ok(None);
            }
            (Some(locked), true) => {
                let stays = is_as_locked && !self.order.update.moves(&wanted.name);
                if let Err(refusal) = self.check_unchanged(wanted, locked) {
                    if !stays || self.order.locked {
                        return Err(refusal);
                    }
                    self.decided.insert(wanted.target.clone(), Decision::Edited(locked.clone()));
                    return Ok(None);
                }
                if stays {
                    self.decided.insert(wanted.target.clone(), Decision::Stays(locked.clone()));
                    return Ok(None);
                }
                self.check_inside(&wanted.target)?;
            }
            (_, false) => {}
        }
        asking.check_allowed(self.order)?;
        let is_pinned = is_as_locked && !self.order.update.moves(&wanted.name);
        let aim = asking.aim(locked.as_ref().filter(|_| is_pinned))?;
        let allow = locked.as_ref().map(|locked| locked.allow.clone()).unwrap_or_default();
        self.check_inside_project(&wanted.target, &below)?;
        let staged = self.stage_for(&wanted.target, &below)?.join(number());
        Ok(Some(Todo { wanted: wanted.clone(), aim, locked, is_pinned, allow, path, staged }))
    }

    /// The folder in which a module waits: beside the outermost one that is on its way too, so that it is not in the way
    /// when that one moves.
    fn stage_for(&mut self, target: &Path, below: &str) -> Result<PathBuf, Refusal> {
        let around = self.staged.iter().find(|(other, _)| target.starts_with(other));
        if let Some(stage) = around.and_then(|(_, staged)| staged.parent()) {
            return Ok(stage.to_path_buf());
        }
        let root = root_of(target, below);
        if let Some(there) = self.stages.iter().find(|stage| stage.is_in(&root)) {
            return Ok(there.folder.clone());
        }
        let stage = Stage::make(&root)?;
        let folder = stage.folder.clone();
        self.stages.push(stage);
        Ok(folder)
    }

    /// Settings, metadata, a lock or a link of the project may name any folder.
    fn check_inside_project(&self, target: &Path, below: &str) -> Result<(), Refusal> {
        let root = root_of(target, below);
        match [target, &root].into_iter().find(|path| !self.order.roots.hold(path)) {
            None => Ok(()),
            Some(path) => Err(Refusal::Outside { path: path.to_path_buf() }),
        }
    }

    fn check_unchanged(&self, wanted: &NeededModule, locked: &Locked) -> Result<(), Refusal> {
        if wanted.is_checkout {
            return Err(Refusal::OwnCheckout { path: wanted.target.clone() });
        }
        self.check_hash(&wanted.target, locked)
    }

    /// A module that is replaced takes those inside it along: none of them may have been edited.
    fn check_inside(&self, target: &Path) -> Result<(), Refusal> {
        let target = real(target);
        for (locked, path) in self.places() {
            if path != target && path.starts_with(&target) {
                self.check_hash(&path, locked)?;
            }
        }
        Ok(())
    }

    /// What the lock has of a module, also where another way led to it before.
    fn locked_at(&self, path: &str, target: &Path) -> Option<&Locked> {
        let by_place = || {
            let module_folder = found(target)?;
            self.places().into_iter().find(|(_, place)| *place == module_folder).map(|(locked, _)| locked)
        };
        self.lock.find(path).or_else(by_place)
    }

    /// The real folders of the locked modules that are here.
    fn places(&self) -> Vec<(&Locked, PathBuf)> {
        let place = |locked| Some((locked, real(&place_of(self.order.base, self.order.search, locked)?)));
        self.lock.modules.iter().filter_map(place).collect()
    }

    fn check_hash(&self, folder: &Path, locked: &Locked) -> Result<(), Refusal> {
        let all: Vec<PathBuf> = self.places().into_iter().map(|(_, path)| path).collect();
        let module_folder = real(folder);
        let hash = TreeHash::of_folder(&module_folder, &nested(&all, &module_folder))?;
        if hash == locked.hash {
            Ok(())
        } else {
            Err(Refusal::Edited { path: folder.to_path_buf(), is: hash, locked: locked.hash.clone() })
        }
    }

    fn fetch_all(&mut self, todo: Vec<Todo>, report: &mut dyn FnMut(FetchEvent)) -> Result<(), Vec<Refused>> {
        let (order, mut refused, mut came) = (self.order, Vec::new(), Vec::new());
        let work = |todo: Todo, fetcher: &mut Fetcher<'_>, reporter: &Reporter<'_, _>| {
            let mut bringer = Bringer { download: order, lock: &self.lock, hosts: &self.hosts, fetcher, reporter };
            let brought = bringer.bring(&todo);
            (todo, brought)
        };
        many::work(
            order.jobs,
            todo,
            || Fetcher::new(order.program),
            work,
            report,
            |(todo, brought), report| {
                let name = todo.wanted.name.clone();
                match brought {
                    Err(refusal) => {
                        report(FetchEvent::Failed { name });
                        refused.push(Refused { wanted: Some(todo.wanted), refusal });
                    }
                    Ok(brought) => {
                        report(FetchEvent::Fetched {
                            name,
                            files: brought.fetched.files,
                            bytes: brought.fetched.bytes,
                        });
                        came.push((todo, brought));
                    }
                }
            },
        );
        came.into_iter().for_each(|(todo, brought)| self.took(todo, brought));
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    fn took(&mut self, todo: Todo, Brought { fetched, item }: Brought) {
        let approved = self.lock.modules.iter().any(|module| module.approved && module.hash == fetched.hash);
        let before = self.lock.find(&todo.path).filter(|_| !approved);
        // Out of the cache it comes from nowhere new.
        let from = fetched.from.clone().or_else(|| {
            let before = todo.locked.as_ref().filter(|locked| locked.commit == fetched.commit);
            before.and_then(|locked| locked.from.clone())
        });
        let (reference, version, from) = match item {
            Item::Commit { url, .. } if todo.wanted.sources.is_empty() => (url.reference, None, from),
            Item::Commit { url, version, .. } => {
                let from = from.or_else(|| Some(url.to_string()));
                (url.reference, version, from)
            }
            Item::File { version, .. } => (None, Some(version), from),
        };
        let locked = Locked {
            import: todo.wanted.name.trim_end_matches('/').to_owned(),
            reference,
            from,
            path: todo.path,
            version,
            commit: fetched.commit,
            archive: fetched.archive,
            hash: fetched.hash.clone(),
            allow: fetched.used,
            approved,
            approved_before: before.and_then(|before| before.approved_commit().cloned()),
        };
        let target = todo.wanted.target;
        let before = todo.locked.filter(|_| todo.wanted.is_present);
        let is_same = |before: &Locked| before.revision() == locked.revision();
        if before.as_ref().is_some_and(is_same) && self.holds(&locked) {
            self.decided.insert(target, Decision::Stays(locked));
            return;
        }
        self.staged.push((target.clone(), todo.staged.clone()));
        let placing = Placing { staged: todo.staged, target: target.clone(), hash: fetched.hash };
        let (before, locked) = (before.map(Box::new), Box::new(locked));
        self.decided.insert(target, Decision::Comes { before, locked, placing, left_out: fetched.left_out });
    }

    /// Moves everything into place, and writes the lock.
    fn finish(&mut self, wanted: &[NeededModule]) -> Result<Summary, Vec<Refused>> {
        let (mut summary, mut lock, mut placings) = (Summary::default(), Lock::default(), Vec::new());
        for module in wanted {
            let name = module.name.clone();
            match self.decided.get(&module.target) {
                None | Some(Decision::Kept) => summary.kept.push(name),
                Some(Decision::Stays(locked)) => {
                    lock.modules.push(locked.clone());
                    summary.stayed.push(name);
                }
                Some(Decision::Edited(locked)) => {
                    lock.modules.push(locked.clone());
                    summary.edited.push(name);
                }
                Some(Decision::Comes { before, locked, placing, left_out }) => {
                    lock.modules.push((**locked).clone());
                    if !left_out.is_empty() {
                        summary.left_out.push((name.clone(), left_out.clone()));
                    }
                    let now = locked.shown().to_owned();
                    match before {
                        Some(before) => {
                            let before = if locked.version.is_some() { before.shown() } else { before.revision() };
                            summary.moved.push((name, before.to_owned(), now));
                        }
                        // It is inside a module that moves, and moves with it.
                        None if self.holds(locked) && module.target.exists() => summary.stayed.push(name),
                        None => summary.came.push((name, now)),
                    }
                    placings.push(placing.clone());
                }
            }
        }
        let is_unused = |locked: &&Locked| lock.find(&locked.path).is_none();
        let unused: Vec<Locked> = self.lock.modules.iter().filter(is_unused).cloned().collect();
        summary.unused = unused.iter().map(|locked| locked.path.clone()).collect();
        // Unused modules stay in the lock until the user removes them.
        lock.modules.extend(unused.into_iter().filter(|locked| {
            let place = place_of(self.order.base, self.order.search, locked);
            place.is_some_and(|place| !placings.iter().any(|placing| place.starts_with(&placing.target)))
        }));
        lock.modules.sort_by(|a, b| a.path.cmp(&b.path));
        lock.modules.dedup_by(|a, b| a.path == b.path);
        // A folder around another one goes first.
        placings.sort_by(|a, b| a.target.cmp(&b.target));
        if self.order.cancel.is_cancelled() {
            return Err(vec![Refused::placeless(super::FetchError::Cancelled.into())]);
        }
        // A locked download only adds missing modules.
        let failed = |error: super::FetchError| vec![Refused::placeless(error.into())];
        if !(self.order.locked && placings.is_empty()) {
            self.mark(wanted, &lock, &placings).map_err(failed)?;
        }
        place(self.order.base, placings, Some(&lock).filter(|_| !self.order.locked)).map_err(failed)?;
        Ok(summary)
    }

    /// Notes the fetched modules in folders that are not below the lock, before they are placed.
    fn mark(&self, wanted: &[NeededModule], lock: &Lock, placings: &[Placing]) -> Result<(), super::FetchError> {
        let base = real(self.order.base);
        let mut roots: BTreeMap<PathBuf, (Vec<Marked>, bool)> = BTreeMap::new();
        for module in wanted {
            let Ok(module_folder) = below(module) else { continue };
            let import = module.name.trim_end_matches('/');
            let Some(locked) = lock.modules.iter().find(|locked| locked.import == import) else { continue };
            let root = real(&root_of(&module.target, &module_folder));
            // Below the lock, or in another module of it, it is known without this.
            if root.starts_with(&base) || wanted.iter().any(|other| root.starts_with(real(&other.target))) {
                continue;
            }
            let (marked, comes) = roots.entry(root).or_default();
            marked.push(Marked { import: locked.import.clone(), path: module_folder });
            *comes |= placings.iter().any(|placing| placing.target == module.target);
        }
        for (root, (marked, comes)) in roots {
            match mark(&root, &base, &marked) {
                // A folder without new modules may be read-only; its notes are complete.
                Err(_) if !comes => {}
                ended => ended?,
            }
        }
        Ok(())
    }

    /// Whether the lock has a module as it came now.
    fn holds(&self, locked: &Locked) -> bool {
        self.lock.find(&locked.path).is_some_and(|before| before.hash == locked.hash)
    }
}

/// A number that no other has in this process.
fn number() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}
