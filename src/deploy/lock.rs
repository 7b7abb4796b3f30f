//! One applier at a time: a lock with the holder's name. The kernel releases it when the holder dies.

use std::io::{Read, Seek, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::host::HostError;
use crate::world::Cancel;

/// The interval between attempts to take a held lock.
const PAUSE: Duration = Duration::from_millis(20);

/// The lock is held while this value lives.
#[derive(Debug)]
pub struct Lock {
    /// Closing the file releases the lock.
    _file: std::fs::File,
}

/// The holder of the lock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub since: String,
    pub command: String,
}

/// Why the lock was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockError {
    Held(Holder),
    Failed(HostError),
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.pid == 0 {
            return f.write_str("an unknown process");
        }
        write!(f, "process {}, `{}`, since {}", self.pid, self.command, self.since)
    }
}

impl Lock {
    /// Takes the lock, waiting up to `patience`. `told` receives the current holder once.
    pub fn take(
        path: &Path,
        me: &Holder,
        patience: Duration,
        cancel: &Cancel,
        told: &mut dyn FnMut(&Holder),
    ) -> Result<Lock, LockError> {
        let failed = |errno| LockError::Failed(HostError::io("lock", path, errno));
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(CWD, path, flags, Mode::RUSR | Mode::WUSR).map_err(failed)?;
        let mut file = std::fs::File::from(file);
        let begun = Instant::now();
        let mut said = false;
        loop {
            match rustix::fs::flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) => {}
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(failed(errno)),
            }
            if begun.elapsed() >= patience || cancel.is_cancelled() {
                return Err(LockError::Held(holder(&mut file)));
            }
            if !std::mem::replace(&mut said, true) {
                told(&holder(&mut file));
            }
            std::thread::sleep(PAUSE.min(patience));
        }
        // If this write fails, other processes show a shorter message.
        let text = serde_json::to_string(me).unwrap_or_default();
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
        Ok(Lock { _file: file })
    }
}

/// Whether some process holds the lock now; `None` if that cannot be determined.
///
/// This only inspects the lock: taking it briefly would reject another applier that starts in that moment. The kernel's
/// table is a hint. It names a file by inode and by a device number that may differ from the file's own. It omits
/// processes in other namespaces and holders on other machines. Source: proc_locks(5).
pub fn is_held(path: &Path) -> Option<bool> {
    let stat = match rustix::fs::stat(path) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Some(false),
        Err(_) => return None,
    };
    // `NONBLOCK`: opening must not wait, whatever the file type.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(CWD, path, flags, Mode::empty());
    let file = Sought {
        device: format!("{:02x}:{:02x}", rustix::fs::major(stat.st_dev), rustix::fs::minor(stat.st_dev)),
        inode: stat.st_ino,
        pid: file.map_or(0, |file| holder(&mut file.into()).pid),
    };
    let table = rustix::fs::openat(CWD, "/proc/locks", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).ok()?;
    let mut locks = String::new();
    std::fs::File::from(table).read_to_string(&mut locks).ok()?;
    match file.is_in(&locks) {
        Some(false) if !sees_all(path) => None,
        told => told,
    }
}

/// A file to find in the kernel's table of locks.
struct Sought {
    device: String,
    inode: u64,
    /// The process that the file names as holder, now or earlier.
    pid: u32,
}

impl Sought {
    /// Whether the file is in the table; `None` if the table has the inode on what may be a different file system.
    fn is_in(&self, table: &str) -> Option<bool> {
        let of_inode: Vec<(&str, &str)> = table
            .lines()
            .filter_map(|line| {
                let fields: Vec<&str> = line.split_whitespace().collect();
                // Lines with an arrow are waiting processes.
                let [_, "FLOCK", _, _, pid, file, ..] = fields[..] else { return None };
                let (device, inode) = file.rsplit_once(':')?;
                (inode.parse() == Ok(self.inode)).then_some((pid, device))
            })
            .collect();
        let is_ours =
            |(pid, device): &(&str, &str)| *device == self.device || self.pid != 0 && pid.parse() == Ok(self.pid);
        match of_inode.iter().any(is_ours) {
            true => Some(true),
            false => of_inode.is_empty().then_some(false),
        }
    }
}

/// Whether the kernel's table shows every holder of the file under the file's own inode.
fn sees_all(path: &Path) -> bool {
    // Source: the kernel's `PROC_PID_INIT_INO`.
    const FIRST_NAMESPACE: &[u8] = b"pid:[4026531836]";
    let namespace = rustix::fs::readlink("/proc/self/ns/pid", Vec::new());
    let is_first = namespace.is_ok_and(|namespace| namespace.as_bytes() == FIRST_NAMESPACE);
    #[allow(clippy::unnecessary_cast, reason = "the width differs between targets")]
    let is_here = |stat: rustix::fs::StatFs| !ELSEWHERE.contains(&(stat.f_type as u32));
    is_first && rustix::fs::statfs(path).is_ok_and(is_here)
}

/// Network and layered file systems: overlay, NFS, CIFS, SMB, FUSE, 9p, Ceph. Source: the kernel's `magic.h`.
const ELSEWHERE: [u32; 7] = [0x794c_7630, 0x6969, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997, 0x00c3_6400];

fn holder(file: &mut std::fs::File) -> Holder {
    const CAP: u64 = 64 << 10;
    let mut text = String::new();
    let read = file.rewind().and_then(|()| file.take(CAP).read_to_string(&mut text));
    read.ok().and_then(|_| serde_json::from_str(&text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same inode on another file system is a different lock.
    #[test]
    fn a_lock_is_known_by_more_than_its_inode() {
        let file = Sought { device: "fe:01".into(), inode: 7, pid: 4711 };
        for (line, is_held) in [
            ("1: FLOCK  ADVISORY  WRITE 12 fe:01:7 0 EOF", Some(true)),
            // A subvolume's device number differs from the one in the file's metadata.
            ("1: FLOCK  ADVISORY  WRITE 4711 00:2c:7 0 EOF", Some(true)),
            ("1: FLOCK  ADVISORY  WRITE 12 00:2c:7 0 EOF", None),
            ("1: FLOCK  ADVISORY  WRITE 4711 fe:01:17 0 EOF", Some(false)),
            ("1: POSIX  ADVISORY  WRITE 4711 fe:01:7 0 EOF", Some(false)),
            ("1: -> FLOCK  ADVISORY  WRITE 4711 fe:01:7 0 EOF", Some(false)),
            ("", Some(false)),
        ] {
            assert_eq!(file.is_in(line), is_held, "{line}");
        }
        let nobody = Sought { pid: 0, ..file };
        assert_eq!(nobody.is_in("1: FLOCK  ADVISORY  WRITE 0 00:2c:7 0 EOF"), None);
        assert_eq!(
            nobody.is_in("1: FLOCK ADVISORY WRITE 9 00:2c:7 0 EOF\n2: FLOCK ADVISORY WRITE 9 fe:01:7 0 EOF"),
            Some(true)
        );
    }
}
