//! Shared disk syncs: turns that wait at the same time share one sync of their file system.
//!
//! Writing a file waits twice, for its content and for its name. A single turn syncs its own file or folder, which is
//! cheapest. With many waiting turns, the first one syncs the whole file system for all that wait at that time, and the
//! others gather for the next sync. *Accepted*: an error of that sync fails all turns that waited for it, because it
//! does not say whose content was lost. *Rejected*: the same on file systems or kernels that do not report a lost write
//! there. Each turn syncs for itself.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Fewer turns than this sync separately, because a full sync would also write unrelated data.
pub const FEW: usize = 4;

/// At this number the sync no longer waits for more.
const MANY: usize = 128;

/// How long the sync waits for more turns, as long as new ones arrive.
const GATHER: Duration = Duration::from_millis(1);

/// File systems whose sync as a whole writes contents and names like a sync of each file.
const KNOWN: [i64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994];

/// The file systems of a run.
#[derive(Debug, Default)]
pub struct Together {
    by_device: Mutex<HashMap<u64, Option<Arc<Device>>>>,
}

/// One file system. `None` if each turn must sync separately.
pub type Shared = Option<Arc<Device>>;

/// A file system whose waiting turns share syncs.
#[derive(Debug)]
pub struct Device {
    /// Opened before any write, so that a sync reports all write errors since.
    handle: OwnedFd,
    rounds: Mutex<Rounds>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct Rounds {
    /// The number of the next round.
    gathering: u64,
    waiting: usize,
    syncing: bool,
    /// The size of the last round. After a large one it pays to wait for more.
    crowd: usize,
    /// The results of rounds, until all waiting turns have read them.
    ends: HashMap<u64, (End, usize)>,
}

#[derive(Clone, Copy, Debug)]
enum End {
    Synced,
    Failed(Errno),
    /// Too few turns waited.
    EachForItself,
}

impl Together {
    /// Returns the file system of a folder. Call this before the first write there.
    pub fn of(&self, folder: &OwnedFd) -> Shared {
        let device = rustix::fs::fstat(folder).ok()?.st_dev;
        let mut by_device = self.by_device.lock().unwrap_or_else(PoisonError::into_inner);
        by_device.entry(device).or_insert_with(|| Device::open(folder).map(Arc::new)).clone()
    }
}

/// Makes a file or folder durable, together with all others that wait now.
pub fn sync(shared: &Shared, own: &OwnedFd) -> Result<(), Errno> {
    match shared {
        Some(device) => device.sync(own),
        None => rustix::fs::fsync(own),
    }
}

impl Device {
    /// Opens the file system of a folder, if one sync can replace the syncs of its files.
    pub fn open(folder: &OwnedFd) -> Option<Self> {
        #[allow(clippy::unnecessary_cast, reason = "the width differs between targets")]
        let kind = rustix::fs::fstatfs(folder).ok()?.f_type as i64;
        if !KNOWN.contains(&kind) || !reports_write_errors(rustix::system::uname().release().to_str().ok()?) {
            return None;
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(folder, ".", flags, Mode::empty()).ok()?;
        Some(Self { handle, rounds: Mutex::default(), ended: Condvar::new() })
    }

    /// Makes all writes to the file system durable.
    pub fn sync_all(&self) -> Result<(), Errno> {
        rustix::fs::syncfs(&self.handle)
    }

    fn gather<'a>(&'a self, mut rounds: MutexGuard<'a, Rounds>) -> MutexGuard<'a, Rounds> {
        let mut before = 0;
        while rounds.crowd >= FEW && rounds.waiting > before && rounds.waiting < MANY {
            before = rounds.waiting;
            drop(rounds);
            std::thread::sleep(GATHER);
            rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        }
        rounds
    }

    fn sync(&self, own: &OwnedFd) -> Result<(), Errno> {
        let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = rounds.gathering;
        rounds.waiting += 1;
        while rounds.syncing && !rounds.ends.contains_key(&mine) {
            rounds = self.ended.wait(rounds).unwrap_or_else(PoisonError::into_inner);
        }
        let Some(end) = rounds.take_end(mine) else {
            rounds.syncing = true;
            rounds = self.gather(rounds);
            rounds.gathering += 1;
            let count = std::mem::take(&mut rounds.waiting);
            rounds.crowd = count;
            if count < FEW {
                rounds.set_end(mine, End::EachForItself, count - 1);
                self.ended.notify_all();
            }
            drop(rounds);
            let done = if count < FEW { rustix::fs::fsync(own) } else { self.sync_all() };
            let mut rounds = self.rounds.lock().unwrap_or_else(PoisonError::into_inner);
            rounds.syncing = false;
            if count >= FEW {
                rounds.set_end(mine, done.map_or_else(End::Failed, |()| End::Synced), count - 1);
            }
            self.ended.notify_all();
            return done;
        };
        drop(rounds);
        match end {
            End::Synced => Ok(()),
            End::Failed(errno) => Err(errno),
            End::EachForItself => rustix::fs::fsync(own),
        }
    }
}

impl Rounds {
    fn set_end(&mut self, round: u64, end: End, others: usize) {
        if others > 0 {
            self.ends.insert(round, (end, others));
        }
    }

    fn take_end(&mut self, round: u64) -> Option<End> {
        let (end, left) = self.ends.get_mut(&round)?;
        let end = *end;
        *left -= 1;
        if *left == 0 {
            self.ends.remove(&round);
        }
        Some(end)
    }
}

/// Since Linux 5.8 the sync of a file system reports write errors.
fn reports_write_errors(release: &str) -> bool {
    let mut parts = release.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse::<u32>().ok());
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (5, 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_wait_are_woken() {
        let folder = tempfile::tempdir().expect("can be made");
        let folder: OwnedFd = std::fs::File::open(folder.path()).expect("is there").into();
        let together = Together::default();
        std::thread::scope(|scope| {
            for _ in 0..32 {
                scope.spawn(|| {
                    for _ in 0..8 {
                        assert_eq!(sync(&together.of(&folder), &folder), Ok(()));
                    }
                });
            }
        });
        for shared in together.by_device.into_inner().expect("no thread panicked").into_values().flatten() {
            let rounds = shared.rounds.lock().expect("no thread panicked");
            assert!(rounds.ends.is_empty() && rounds.waiting == 0 && !rounds.syncing, "{rounds:?}");
        }
    }

    #[test]
    fn releases_are_compared_as_numbers() {
        for (release, expected) in
            [("6.18.44-x", true), ("5.8.0", true), ("5.10-rc1", true), ("5.4.0-150", false), ("", false)]
        {
            assert_eq!(reports_write_errors(release), expected, "{release}");
        }
    }
}
