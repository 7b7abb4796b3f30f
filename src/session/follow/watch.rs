//! Reports changes of files that a compilation read.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use crate::config::{Config, PROJECT_FILE};
use crate::diag::Stage;
use crate::lang::Compiled;
use crate::session::{Session, own_themes};
use crate::world::{Cancel, Nudge, Read, ReadError, Sample, Watcher, World};

/// The shortest interval between reports of a file.
const PACE: Duration = Duration::from_millis(100);

/// The files and folders that a compilation read, with their contents.
pub struct FilesRead(Vec<(Read, Result<Sample, ReadError>)>);

/// A watch on the files of the newest compilation. It sleeps until one of them changes.
pub struct FileWatch {
    orders: Sender<FilesRead>,
    /// An order is pending.
    waits: Arc<AtomicBool>,
    nudge: Nudge,
}

impl FileWatch {
    /// Watches these files instead of the previous ones.
    pub fn follow(&self, files: FilesRead) {
        // The thread ends only with this value.
        let _ = self.orders.send(files);
        self.waits.store(true, Ordering::SeqCst);
        self.nudge.nudge();
    }
}

impl Drop for FileWatch {
    fn drop(&mut self) {
        // The thread ends when the channel is closed.
        self.orders = channel().0;
        self.waits.store(true, Ordering::SeqCst);
        self.nudge.nudge();
    }
}

impl Session {
    /// Compiles, and also returns the files that were read, for a watch.
    pub fn compile_noting_files(&self, until: Stage, cancel: &Cancel) -> (Compiled, FilesRead) {
        let (compiled, answers) = self.compile_noting(Arc::clone(&self.world), until, cancel);
        (compiled, FilesRead(answers.into_iter().filter(|(read, _)| path_of(read).is_some_and(is_kept)).collect()))
    }

    /// Returns the files of the settings, whether they exist or not, and the user's themes.
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

    /// Starts a watch that calls `on_change` on another thread whenever watched files change, with the reads that they
    /// affect.
    pub fn watch_files(&self, on_change: impl Fn(Vec<Read>) + Send + 'static) -> FileWatch {
        let (orders, waiting) = channel();
        let (watcher, nudge) = Watcher::patient();
        let waits = Arc::new(AtomicBool::new(false));
        let (world, flag) = (Arc::clone(&self.world), Arc::clone(&waits));
        thread::spawn(move || watch(&*world, watcher, &waiting, &flag, &on_change));
        FileWatch { orders, waits, nudge }
    }
}

fn watch(
    world: &dyn World,
    mut watcher: Watcher,
    orders: &Receiver<FilesRead>,
    waits: &AtomicBool,
    on_change: &dyn Fn(Vec<Read>),
) {
    // Without files there is nothing to watch.
    let Ok(FilesRead(first)) = orders.recv() else { return };
    watcher.watch(world, first, []);
    let mut seen = watcher.look_again(world);
    loop {
        if !seen.is_empty() {
            on_change(seen.changes.into_iter().map(|(read, _)| read).collect());
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

/// Files that the kernel generates differ at every read.
fn is_kept(path: &Path) -> bool {
    !path.starts_with("/proc") && !path.starts_with("/sys")
}
