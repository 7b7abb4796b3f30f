//! Watching a world: waits until something that was read may read differently, and reads it again.
//!
//! A notification is a hint only; what counts is whether a read gives another sample. Files are watched in the folders
//! that they lie in, so that a replaced file is seen as well as a written one. The clock and what the kernel counts are
//! read again in their own time.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::exported::export_folder;
use super::store::{stored_by_host, stored_path};
use super::{Read, ReadError, Sample, World};

/// How long writes that belong together are waited for.
const SETTLE: Duration = Duration::from_millis(20);

/// How often it is asked whether to go on waiting.
const SLICE: Duration = Duration::from_millis(50);

/// The same for one that is nudged.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// Paths and reads under watch.
pub struct Watcher {
    hints: Receiver<notify::Result<notify::Event>>,
    nudge: Nudge,
    /// How often it is asked whether to go on waiting.
    slice: Duration,
    notify: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    reads: BTreeMap<Read, Result<Sample, ReadError>>,
    /// Paths whose changes are told as they are.
    paths: BTreeSet<PathBuf>,
    /// Those of them for which also their closing is told, after they were opened for writing: so a lock is given back.
    locks: BTreeSet<PathBuf>,
    /// Folders for which changes anywhere below are told.
    trees: BTreeSet<PathBuf>,
    /// Folders that the system tells nothing of, though it was asked to.
    silent: BTreeSet<PathBuf>,
    /// When reads that no notification tells of are next due.
    due: BTreeMap<Duration, Instant>,
    /// The folder that holds the shared store.
    state: Option<PathBuf>,
    /// Where paths begin that do not say so, which nobody can ask any more once that folder is removed.
    here: PathBuf,
    /// Changes that nobody was waiting for.
    late: Vec<(Read, Result<Sample, ReadError>)>,
}

/// Makes a waiting watcher ask whether to go on.
#[derive(Clone, Debug)]
pub struct Nudge(Sender<notify::Result<notify::Event>>);

impl Nudge {
    pub fn nudge(&self) {
        // Nobody waits any longer: there is nothing to end.
        let _ = self.0.send(Ok(notify::Event::default()));
    }
}

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Reads with other samples than before.
    pub changes: Vec<(Read, Result<Sample, ReadError>)>,
    /// Those of the plain paths, and of the trees, that something happened to.
    pub touched: BTreeSet<PathBuf>,
}

impl Seen {
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.touched.is_empty()
    }
}

impl Default for Watcher {
    /// Watches nothing yet. Without notifications from the system, files are read again every second.
    fn default() -> Self {
        let (hint, hints) = channel();
        let nudge = Nudge(hint.clone());
        let notify = notify::recommended_watcher(hint).ok();
        let (folders, reads) = (BTreeSet::new(), BTreeMap::new());
        let (paths, due) = (BTreeSet::new(), BTreeMap::new());
        let (locks, trees, silent) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (late, here) = (Vec::new(), std::env::current_dir().unwrap_or_default());
        Self {
            hints,
            nudge,
            slice: SLICE,
            notify,
            folders,
            reads,
            paths,
            locks,
            trees,
            silent,
            due,
            state: None,
            here,
            late,
        }
    }
}

impl Watcher {
    /// A watcher that sleeps until something happens; whether to go on waiting it asks only when nudged.
    pub fn patient() -> (Self, Nudge) {
        let watcher = Self { slice: PATIENCE, ..Self::default() };
        let nudge = watcher.nudge.clone();
        (watcher, nudge)
    }

    /// Tells of these paths also that they were closed, where they are watched.
    pub fn of_locks(mut self, locks: impl IntoIterator<Item = PathBuf>) -> Self {
        self.locks = locks.into_iter().map(|lock| absolute(&self.here, &lock)).collect();
        self
    }

    /// Reads all again at once: what changed before it was watched, no notification tells of.
    pub fn look_again(&mut self, world: &dyn World) -> Seen {
        let mut changes = std::mem::take(&mut self.late);
        changes.extend(self.read_again(world, &|_| true));
        Seen { changes, touched: BTreeSet::new() }
    }

    /// The time of day, in milliseconds since 1970.
    pub fn now() -> u64 {
        u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default()
    }

    /// Watches these reads, which gave these samples, and these paths; and nothing else.
    pub fn watch(
        &mut self,
        world: &dyn World,
        reads: impl IntoIterator<Item = (Read, Result<Sample, ReadError>)>,
        paths: impl IntoIterator<Item = PathBuf>,
    ) {
        self.watch_with_trees(world, reads, paths, []);
    }

    /// The same, and these folders with all that lies below them.
    pub fn watch_with_trees(
        &mut self,
        world: &dyn World,
        reads: impl IntoIterator<Item = (Read, Result<Sample, ReadError>)>,
        paths: impl IntoIterator<Item = PathBuf>,
        trees: impl IntoIterator<Item = PathBuf>,
    ) {
        self.trees = trees.into_iter().collect();
        if let Ok(Sample::Path(state)) = world.read(&Read::StateFolder) {
            self.state = Some(state);
        }
        let before = std::mem::replace(&mut self.reads, reads.into_iter().collect());
        self.paths = paths.into_iter().collect();
        self.late.clear();
        self.watch_folders();
        // What nobody watched until now may have changed since it was read.
        let state = self.state.clone();
        let is_new = |read: &Read| !before.contains_key(read) && path_of(read, state.as_deref()).is_some();
        self.late = self.read_again(world, &is_new);
        let now = Instant::now();
        let periods: BTreeSet<Duration> = self.reads.keys().filter_map(|read| self.period(read)).collect();
        self.due.retain(|period, _| periods.contains(period));
        for period in periods {
            self.due.entry(period).or_insert(now + period);
        }
    }

    /// Watches the folders in which changes show, as they stand now.
    fn watch_folders(&mut self) {
        let Some(notify) = &mut self.notify else { return };
        let (state, here) = (self.state.as_deref(), &*self.here);
        let reads = self.reads.keys().filter_map(|read| path_of(read, state));
        let plain = self.paths.iter().chain(&self.trees).map(|path| Cow::Borrowed(path.as_path()));
        let mut folders: BTreeSet<PathBuf> =
            reads.chain(plain).flat_map(|path| folders_of(&absolute(here, &path))).collect();
        self.trees.iter().for_each(|tree| add_folders(&absolute(here, tree), &mut folders));
        for gone in self.folders.difference(&folders) {
            // It may have been removed, and its watch with it.
            let _ = notify.unwatch(gone);
        }
        self.silent.retain(|folder| folders.contains(folder));
        for folder in folders.difference(&self.folders) {
            // As when the system has no watch left to give.
            if notify.watch(folder, RecursiveMode::NonRecursive).is_err() {
                self.silent.insert(folder.clone());
            }
        }
        self.folders = folders;
    }

    /// Those of the plain paths and trees whose changes may go unseen.
    pub fn blind(&self) -> BTreeSet<PathBuf> {
        let is_blind = |path: &Path| {
            let path = &*absolute(&self.here, path);
            self.notify.is_none()
                || self.silent.iter().any(|folder| folder.starts_with(path) || path.starts_with(folder))
        };
        self.paths.iter().chain(&self.trees).filter(|path| is_blind(path)).cloned().collect()
    }

    /// Those of the plain paths and trees that something happened to since a point in time, in milliseconds since 1970, as far
    /// as the times of what lies there tell, and of the folders around: what was changed before it was watched. Of a file deep
    /// in a tree that was written over in its place nothing tells.
    pub fn touched_since(&self, since: u64) -> BTreeSet<PathBuf> {
        let is_new = |path: &Path| match std::fs::symlink_metadata(path) {
            Ok(stat) => {
                // A file system may say any time that it likes.
                let seconds = u64::try_from(stat.ctime()).unwrap_or_default();
                seconds.saturating_mul(1000).saturating_add(stat.ctime_nsec() as u64 / 1_000_000) >= since
            }
            Err(_) => false,
        };
        let new_folders: BTreeSet<&Path> =
            self.folders.iter().map(PathBuf::as_path).filter(|folder| is_new(folder)).collect();
        let above: BTreeSet<&Path> = new_folders.iter().flat_map(|folder| folder.ancestors()).collect();
        let is_gone = |path: &Path| {
            let left = path.ancestors().skip(1).find(|folder| self.folders.contains(*folder));
            left.is_some_and(|folder| new_folders.contains(folder)) && std::fs::symlink_metadata(path).is_err()
        };
        let is_touched = |path: &PathBuf| {
            let at = &*absolute(&self.here, path);
            is_new(at) || is_gone(at) || self.trees.contains(path) && above.contains(at)
        };
        self.paths.iter().chain(&self.trees).filter(|path| is_touched(path)).cloned().collect()
    }

    /// Waits until something differs, a point in time is reached, or nobody wants to wait any longer.
    pub fn wait(&mut self, world: &dyn World, until: Option<Instant>, go_on: &dyn Fn() -> bool) -> Seen {
        let changes = std::mem::take(&mut self.late);
        if !changes.is_empty() {
            return Seen { changes, touched: BTreeSet::new() };
        }
        while go_on() {
            let hinted = self.hinted(until);
            let mut seen = self.look(world, &hinted);
            seen.changes.extend(self.poll(world));
            if !seen.is_empty() || until.is_some_and(|until| Instant::now() >= until) {
                return seen;
            }
        }
        Seen::default()
    }

    /// Forgets that paths were touched until now: by our own writes. What is read may differ by them, and is looked at.
    pub fn forget_touches(&mut self, world: &dyn World) {
        std::thread::sleep(SETTLE);
        let mut paths = BTreeSet::new();
        while let Ok(hint) = self.hints.try_recv() {
            add(&mut paths, &self.locks, hint);
        }
        let seen = self.look(world, &paths);
        self.late.extend(seen.changes);
    }

    /// The paths that hints came for, within a slice of time.
    fn hinted(&mut self, until: Option<Instant>) -> BTreeSet<PathBuf> {
        let end = self.due.values().copied().chain(until).min();
        let now = Instant::now();
        let slice = end.map_or(self.slice, |end| end.saturating_duration_since(now).min(self.slice));
        let mut paths = BTreeSet::new();
        match self.hints.recv_timeout(slice) {
            Ok(hint) => add(&mut paths, &self.locks, hint),
            Err(RecvTimeoutError::Timeout) => return paths,
            // No notifications on this system.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(slice),
        }
        if !paths.is_empty() {
            std::thread::sleep(SETTLE);
            while let Ok(hint) = self.hints.try_recv() {
                add(&mut paths, &self.locks, hint);
            }
        }
        paths
    }

    /// Reads again what lies at, above or below some paths.
    fn look(&mut self, world: &dyn World, hinted: &BTreeSet<PathBuf>) -> Seen {
        if hinted.is_empty() {
            return Seen::default();
        }
        let here = self.here.clone();
        // One look at each path and each hint, however many there are of both.
        let above: BTreeSet<&Path> = hinted.iter().flat_map(|hint| hint.ancestors().skip(1)).collect();
        let parents: BTreeSet<&Path> = hinted.iter().filter_map(|hint| hint.parent()).collect();
        let is_near = |path: &Path| {
            let path = &*absolute(&here, path);
            parents.contains(path) || path.ancestors().any(|one| hinted.contains(one))
        };
        let is_below = |path: &Path| path.ancestors().skip(1).any(|one| hinted.contains(one));
        let state = self.state.clone();
        let state = state.as_deref();
        let mut watched = self.reads.keys().filter_map(|read| path_of(read, state));
        let mut plain = self.paths.iter().chain(&self.trees);
        let is_within = |tree: &Path| {
            let tree = &*absolute(&here, tree);
            above.contains(tree) || hinted.contains(tree)
        };
        let grows = |tree: &Path| is_within(tree) && hinted.iter().any(|hint| hint.is_dir());
        if plain.any(|path| is_below(&absolute(&here, path)))
            || watched.any(|path| is_below(&absolute(&here, &path)))
            || self.trees.iter().any(|tree| grows(tree))
        {
            // A folder came or went, and with it those to watch.
            self.watch_folders();
        }
        let trees = self.trees.iter().filter(|tree| is_near(tree) || is_within(tree));
        let touched = self.paths.iter().filter(|path| is_near(path)).chain(trees).cloned().collect();
        let is_near = |read: &Read| path_of(read, state).is_some_and(|path| is_near(&path));
        Seen { changes: self.read_again(world, &is_near), touched }
    }

    /// Reads again what is due.
    fn poll(&mut self, world: &dyn World) -> Vec<(Read, Result<Sample, ReadError>)> {
        let now = Instant::now();
        let due: BTreeSet<Duration> =
            self.due.iter().filter(|(_, at)| **at <= now).map(|(period, _)| *period).collect();
        if due.is_empty() {
            return Vec::new();
        }
        for period in &due {
            self.due.insert(*period, now + *period);
        }
        let has_notify = self.notify.is_some();
        self.read_again(world, &|read| period_of(read, has_notify).is_some_and(|period| due.contains(&period)))
    }

    fn read_again(
        &mut self,
        world: &dyn World,
        which: &dyn Fn(&Read) -> bool,
    ) -> Vec<(Read, Result<Sample, ReadError>)> {
        let mut changes = Vec::new();
        for (read, known) in self.reads.iter_mut().filter(|(read, _)| which(read)) {
            let answer = world.read(read);
            if answer != *known {
                *known = answer.clone();
                changes.push((read.clone(), answer));
            }
        }
        changes
    }

    fn period(&self, read: &Read) -> Option<Duration> {
        period_of(read, self.notify.is_some())
    }
}

/// A path as hints name it.
fn absolute(here: &Path, path: &Path) -> PathBuf {
    let path = here.join(path);
    std::path::absolute(&path).unwrap_or(path)
}

fn add(paths: &mut BTreeSet<PathBuf>, locks: &BTreeSet<PathBuf>, hint: notify::Result<notify::Event>) {
    let Ok(event) = hint else { return };
    if event.need_rescan() {
        // More happened than the system could tell: it may have been anywhere.
        paths.insert(PathBuf::from("/"));
    }
    // Reading a file must not lead to reading it again. A lock is given back without a word but that.
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => {
            paths.extend(event.paths.into_iter().filter(|path| locks.contains(path)));
        }
        EventKind::Access(_) => {}
        _ => paths.extend(event.paths),
    }
}

/// The path that a read is about.
fn path_of<'r>(read: &'r Read, state: Option<&Path>) -> Option<Cow<'r, Path>> {
    match read {
        Read::File(path) | Read::Kind(path) | Read::Folder(path) | Read::Link(path) => Some(Cow::Borrowed(path)),
        Read::Stored(key) => Some(Cow::Owned(stored_path(state?, key, None))),
        Read::StoredByHost(key) => Some(Cow::Owned(stored_by_host(state?, key))),
        Read::Exported(_) => Some(Cow::Owned(export_folder(state?))),
        _ => None,
    }
}

/// The folders in which changes at a path show: the path itself where it is one, and the nearest one above that is there.
fn folders_of(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let own = path.is_dir().then(|| path.to_path_buf());
    let above = path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf);
    own.into_iter().chain(above)
}

/// So many folders below one are watched; a larger tree is looked at in time only.
const FOLDERS: usize = 4096;

/// Adds all folders below one, without following links.
fn add_folders(tree: &Path, folders: &mut BTreeSet<PathBuf>) {
    let mut open = vec![tree.to_path_buf()];
    let mut count = 0;
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        count += 1;
        if count > FOLDERS {
            return;
        }
        let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        open.extend(entries.flatten().filter(is_folder).map(|entry| entry.path()));
        folders.insert(folder);
    }
}

/// How often a read is repeated without being told to; never where nothing changes it while a program runs.
fn period_of(read: &Read, has_notify: bool) -> Option<Duration> {
    let seconds = match read {
        Read::Now | Read::Uptime => 1,
        Read::Load => 5,
        Read::Stored(_) | Read::StoredByHost(_) | Read::Exported(_) if !has_notify => 1,
        // The kernel's files change without a word.
        _ if path_of(read, None)
            .is_some_and(|path| !has_notify || path.starts_with("/proc") || path.starts_with("/sys")) =>
        {
            1
        }
        Read::Hostname
        | Read::Account(_)
        | Read::AccountById(_)
        | Read::CpuCount
        | Read::KernelModules
        | Read::Interfaces => 10,
        _ => return None,
    };
    Some(Duration::from_secs(seconds))
}
