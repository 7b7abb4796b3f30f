//! Tells a face when files that a compilation read would read differently now.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use super::{Session, own_themes};
use crate::config::{Config, PROJECT_FILE};
use crate::diag::Stage;
use crate::lang::Compiled;
use crate::world::{Cancel, Frozen, Nudge, Read, ReadError, Sample, Watcher, World};

/// A file that changes all the time is told of no oftener.
const PACE: Duration = Duration::from_millis(100);

/// The files and folders that a compilation looked at, and what it saw.
pub struct FilesRead(Vec<(Read, Result<Sample, ReadError>)>);

/// A watch over the files of the newest compilation. It sleeps until one of them changes.
pub struct FileWatch {
    orders: Sender<FilesRead>,
    /// An order waits.
    waits: Arc<AtomicBool>,
    nudge: Nudge,
}

impl FileWatch {
    /// Watches these files, and no longer others.
    pub fn follow(&self, files: FilesRead) {
        // The thread ends only when this does.
        let _ = self.orders.send(files);
        self.waits.store(true, Ordering::SeqCst);
        self.nudge.nudge();
    }
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        // The thread asks for an order, and finds that there are none any more.
        self.orders = channel().0;
        self.waits.store(true, Ordering::SeqCst);
        self.nudge.nudge();
    }
}

impl Session {
    /// Compiles, and gives what was read of files beside it, to be watched.
    pub fn compile_noting_files(&self, until: Stage, cancel: &Cancel) -> (Compiled, FilesRead) {
        let world = Frozen::new(Arc::clone(&self.world));
        let compiled = self.compile_in(&world, until, cancel);
        let answers = world.answers().into_iter();
        (compiled, FilesRead(answers.filter(|(read, _)| path_of(read).is_some_and(is_kept)).collect()))
    }

    /// The files that settings are read from, with those that are not there yet, and the user's themes.
    pub fn settings_files(&self, config: &Config) -> FilesRead {
        let project = self.entry().base.join(PROJECT_FILE);
        let themes = config.themes_folder();
        let own = themes.iter().flat_map(|folder| {
            own_themes(config).into_iter().map(|name| Read::File(folder.join(format!("{name}.toml"))))
        });
        let files = config.file().map(Path::to_path_buf).into_iter().chain([project]).map(Read::File);
        let reads = files.chain(own).chain(themes.clone().map(Read::Folder));
        FilesRead(reads.map(|read| (read.clone(), self.world.read(&read))).collect())
    }

    /// Starts a watch that calls `told` from a thread of its own whenever followed files differ, with what they were read for.
    pub fn watch_files(&self, told: impl Fn(Vec<Read>) + Send + 'static) -> FileWatch {
        let (orders, waiting) = channel();
        let (watcher, nudge) = Watcher::patient();
        let waits = Arc::new(AtomicBool::new(false));
        let (world, flag) = (Arc::clone(&self.world), Arc::clone(&waits));
        thread::spawn(move || watch(&*world, watcher, &waiting, &flag, &told));
        FileWatch { orders, waits, nudge }
    }
}

fn watch(
    world: &dyn World,
    mut watcher: Watcher,
    orders: &Receiver<FilesRead>,
    waits: &AtomicBool,
    told: &dyn Fn(Vec<Read>),
) {
    // Nothing can change before there is something to follow.
    let Ok(FilesRead(first)) = orders.recv() else { return };
    watcher.watch(world, first, []);
    let mut seen = watcher.look_again(world);
    loop {
        if !seen.is_empty() {
            told(seen.changes.into_iter().map(|(read, _)| read).collect());
            thread::sleep(PACE);
        }
        waits.store(false, Ordering::SeqCst);
        seen = match orders.try_recv() {
            Ok(FilesRead(next)) => {
                watcher.watch(world, next, []);
                watcher.look_again(world)
            }
            Err(TryRecvError::Empty) => watcher.wait(world, None, &|| !waits.load(Ordering::SeqCst)),
            Err(TryRecvError::Disconnected) => return,
        };
    }
}

fn path_of(read: &Read) -> Option<&Path> {
    match read {
        Read::File(path) | Read::Kind(path) | Read::Folder(path) | Read::Link(path) => Some(path),
        _ => None,
    }
}

/// What the kernel makes up is another thing at every read.
fn is_kept(path: &Path) -> bool {
    !path.starts_with("/proc") && !path.starts_with("/sys")
}
