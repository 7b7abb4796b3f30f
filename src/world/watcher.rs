//! Watches a world: waits until a read may have another result, and reads it again.
//!
//! A notification is only a hint. A change counts only if a read gives another sample. Files are watched through their
//! folders, so that a replaced file is noticed as well as a written one. The clock and the kernel's counters are
//! polled.

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

/// How long to wait for further writes of the same change.
const BURST: Duration = Duration::from_millis(20);

/// How often `go_on` is asked.
const SLICE: Duration = Duration::from_millis(50);

/// The same for a watcher with a nudge.
const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// The watched paths and reads.
pub struct Watcher {
    hints: Receiver<notify::Result<notify::Event>>,
    nudge: Nudge,
    /// How often `go_on` is asked.
    slice: Duration,
    notify: Option<RecommendedWatcher>,
    folders: BTreeSet<PathBuf>,
    reads: BTreeMap<Read, Result<Sample, ReadError>>,
    /// Paths whose changes are reported directly.
    paths: BTreeSet<PathBuf>,
    /// Those of them for which closing after a write is reported too, because that releases a lock.
    locks: BTreeSet<PathBuf>,
    /// Folders with everything below them.
    trees: BTreeSet<PathBuf>,
    /// Folders for which the system refused notifications.
    silent: BTreeSet<PathBuf>,
    /// The next time to poll reads without notifications.
    due: BTreeMap<Duration, Instant>,
    /// The folder of the shared store.
    state: Option<PathBuf>,
    /// The base of relative paths. It is saved because the current folder may be removed.
    here: PathBuf,
    /// Changes that were found outside of a wait.
    late: Vec<(Read, Result<Sample, ReadError>)>,
}

/// Makes a waiting watcher ask `go_on`.
#[derive(Clone, Debug)]
pub struct Nudge(Sender<notify::Result<notify::Event>>);

impl Nudge {
    /// Wakes the watcher. It does nothing if the watcher has ended.
    pub fn nudge(&self) {
        // A missing receiver means that the watcher has ended.
        let _ = self.0.send(Ok(notify::Event::default()));
    }
}

/// The changes found by a wait.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldChanges {
    /// Reads with new samples.
    pub changes: Vec<(Read, Result<Sample, ReadError>)>,
    /// Changed plain paths and trees.
    pub touched: BTreeSet<PathBuf>,
}

impl WorldChanges {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.touched.is_empty()
    }
}

impl Default for Watcher {
    /// Watches nothing yet. Without notifications from the system, files are polled every second.
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
    /// Makes a watcher that sleeps until something happens. It asks `go_on` only when nudged.
    pub fn patient() -> (Self, Nudge) {
        let watcher = Self { slice: PATIENCE, ..Self::default() };
        let nudge = watcher.nudge.clone();
        (watcher, nudge)
    }

    /// Also reports when these watched paths are closed.
    pub fn of_locks(mut self, locks: impl IntoIterator<Item = PathBuf>) -> Self {
        self.locks = locks.into_iter().map(|lock| absolute(&self.here, &lock)).collect();
        self
    }

    /// Reads everything again now: changes before the watch began cause no notification.
    pub fn look_again(&mut self, world: &dyn World) -> WorldChanges {
        let mut changes = std::mem::take(&mut self.late);
        changes.extend(self.read_again(world, &|_| true));
        WorldChanges { changes, touched: BTreeSet::new() }
    }

    /// Returns the time, in milliseconds since 1970.
    pub fn now() -> u64 {
        u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default()
    }

    /// Watches exactly these reads, with these samples, and these paths.
    pub fn watch(
        &mut self,
        world: &dyn World,
        reads: impl IntoIterator<Item = (Read, Result<Sample, ReadError>)>,
        paths: impl IntoIterator<Item = PathBuf>,
    ) {
        self.watch_with_trees(world, reads, paths, []);
    }

    /// The same, and these folders with everything below them.
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
        // A new read may have changed since its sample.
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

    /// Watches the folders of all paths, as they exist now.
    fn watch_folders(&mut self) {
        let Some(notify) = &mut self.notify else { return };
        let (state, here) = (self.state.as_deref(), &*self.here);
        let reads = self.reads.keys().filter_map(|read| path_of(read, state));
        let plain = self.paths.iter().chain(&self.trees).map(|path| Cow::Borrowed(path.as_path()));
        let mut folders: BTreeSet<PathBuf> =
            reads.chain(plain).flat_map(|path| folders_of(&absolute(here, &path))).collect();
        self.trees.iter().for_each(|tree| add_folders(&absolute(here, tree), &mut folders));
        for gone in self.folders.difference(&folders) {
            // The folder may have been removed, and its watch with it.
            let _ = notify.unwatch(gone);
        }
        self.silent.retain(|folder| folders.contains(folder));
        for folder in folders.difference(&self.folders) {
            // For example when the system's limit on watches is reached.
            if notify.watch(folder, RecursiveMode::NonRecursive).is_err() {
                self.silent.insert(folder.clone());
            }
        }
        self.folders = folders;
    }

    /// Returns the plain paths and trees whose changes may be missed.
    pub fn blind(&self) -> BTreeSet<PathBuf> {
        let is_blind = |path: &Path| {
            let path = &*absolute(&self.here, path);
            self.notify.is_none()
                || self.silent.iter().any(|folder| folder.starts_with(path) || path.starts_with(folder))
        };
        self.paths.iter().chain(&self.trees).filter(|path| is_blind(path)).cloned().collect()
    }

    /// Returns the plain paths and trees that changed since a point in time, in milliseconds since 1970, according to
    /// the times of the files and folders: changes before the watch. A file deep in a tree that was overwritten in
    /// place is not found.
    pub fn touched_since(&self, since: u64) -> BTreeSet<PathBuf> {
        let is_new = |path: &Path| match std::fs::symlink_metadata(path) {
            Ok(stat) => {
                // A file system may report any time.
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

    /// Waits until something changes, a time is reached, or `go_on` returns false.
    pub fn wait(&mut self, world: &dyn World, until: Option<Instant>, is_running: &dyn Fn() -> bool) -> WorldChanges {
        let changes = std::mem::take(&mut self.late);
        if !changes.is_empty() {
            return WorldChanges { changes, touched: BTreeSet::new() };
        }
        while is_running() {
            let hinted = self.hinted(until);
            let mut seen = self.look(world, &hinted);
            seen.changes.extend(self.poll(world));
            if !seen.is_empty() || until.is_some_and(|until| Instant::now() >= until) {
                return seen;
            }
        }
        WorldChanges::default()
    }

    /// Collects the paths of notifications within a slice of time.
    fn hinted(&mut self, until: Option<Instant>) -> BTreeSet<PathBuf> {
        let end = self.due.values().copied().chain(until).min();
        let now = Instant::now();
        let slice = end.map_or(self.slice, |end| end.saturating_duration_since(now).min(self.slice));
        let mut paths = BTreeSet::new();
        match self.hints.recv_timeout(slice) {
            Ok(hint) => add(&mut paths, &self.locks, hint),
            Err(RecvTimeoutError::Timeout) => return paths,
            // This system has no notifications.
            Err(RecvTimeoutError::Disconnected) => std::thread::sleep(slice),
        }
        if !paths.is_empty() {
            std::thread::sleep(BURST);
            while let Ok(hint) = self.hints.try_recv() {
                add(&mut paths, &self.locks, hint);
            }
        }
        paths
    }

    /// Reads again what is at, above or below some paths.
    fn look(&mut self, world: &dyn World, hinted: &BTreeSet<PathBuf>) -> WorldChanges {
        if hinted.is_empty() {
            return WorldChanges::default();
        }
        let here = self.here.clone();
        // One comparison per path and per hint, instead of one per pair.
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
            // A folder appeared or disappeared, so the watched folders change.
            self.watch_folders();
        }
        let trees = self.trees.iter().filter(|tree| is_near(tree) || is_within(tree));
        let touched = self.paths.iter().filter(|path| is_near(path)).chain(trees).cloned().collect();
        let is_near = |read: &Read| path_of(read, state).is_some_and(|path| is_near(&path));
        WorldChanges { changes: self.read_again(world, &is_near), touched }
    }

    /// Polls the reads that are due.
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

/// Makes a path absolute, as in notifications.
fn absolute(here: &Path, path: &Path) -> PathBuf {
    let path = here.join(path);
    std::path::absolute(&path).unwrap_or(path)
}

fn add(paths: &mut BTreeSet<PathBuf>, locks: &BTreeSet<PathBuf>, hint: notify::Result<notify::Event>) {
    let Ok(event) = hint else { return };
    if event.need_rescan() {
        // An overflow of notifications: any path may have changed.
        paths.insert(PathBuf::from("/"));
    }
    // Reading a file must not cause another read. Closing a file is the only sign of a released lock.
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => {
            paths.extend(event.paths.into_iter().filter(|path| locks.contains(path)));
        }
        EventKind::Access(_) => {}
        _ => paths.extend(event.paths),
    }
}

/// Returns the path of a read.
fn path_of<'r>(read: &'r Read, state: Option<&Path>) -> Option<Cow<'r, Path>> {
    match read {
        Read::File(path) | Read::Kind(path) | Read::Folder(path) | Read::Link(path) => Some(Cow::Borrowed(path)),
        Read::Stored(key) => Some(Cow::Owned(stored_path(state?, key, None))),
        Read::StoredByHost(key) => Some(Cow::Owned(stored_by_host(state?, key))),
        Read::Exported(_) => Some(Cow::Owned(export_folder(state?))),
        _ => None,
    }
}

/// Returns the folders in which changes of a path show: the path itself if it is a folder, and the nearest existing
/// ancestor.
fn folders_of(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let own = path.is_dir().then(|| path.to_path_buf());
    let above = path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf);
    own.into_iter().chain(above)
}

/// The number of subfolders to watch. A larger tree is polled.
const FOLDERS: usize = 4096;

/// Adds all subfolders, without following links.
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

/// Returns the polling interval of a read; `None` if it cannot change while a program runs.
fn period_of(read: &Read, has_notify: bool) -> Option<Duration> {
    let seconds = match read {
        Read::Now | Read::Uptime => 1,
        Read::Load => 5,
        Read::Stored(_) | Read::StoredByHost(_) | Read::Exported(_) if !has_notify => 1,
        // The kernel's files change without notifications.
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
