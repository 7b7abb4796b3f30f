//! One applier at a time: a lock that the kernel gives back when its holder dies, with the holder's name on it.

use std::io::{Read, Seek, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::host::HostError;
use crate::world::Cancel;

/// How often a held lock is tried again.
const PAUSE: Duration = Duration::from_millis(20);

/// Held as long as it lives.
#[derive(Debug)]
pub struct Lock {
    /// Closing it gives the lock back.
    _file: std::fs::File,
}

/// Who holds the lock.
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
    /// Takes the lock, waiting for as long as `patience`. `told` hears once who is waited for.
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
        // A name that cannot be written only makes the message of others shorter.
        let text = serde_json::to_string(me).unwrap_or_default();
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
        Ok(Lock { _file: file })
    }
}

/// Whether anybody holds a lock now; nothing where that is not to be seen.
///
/// It is only looked at: to take it for a moment would turn away who begins in that moment. The kernel's table is a hint. It names
/// a file by its inode, beside a device that is not always the one that the file tells; it leaves out who is of another namespace
/// of processes, and who locks it on another machine. Source: proc_locks(5).
pub fn is_held(path: &Path) -> Option<bool> {
    let stat = match rustix::fs::stat(path) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Some(false),
        Err(_) => return None,
    };
    // Whatever lies there, to open it does not wait.
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

/// A file to be found in the kernel's table of locks.
struct Sought {
    device: String,
    inode: u64,
    /// Who says in it to hold it, or did.
    pid: u32,
}

impl Sought {
    /// Whether it is in the table; nothing where one of that inode is, and may be a stranger's on another file system.
    fn is_in(&self, table: &str) -> Option<bool> {
        let of_inode: Vec<(&str, &str)> = table
            .lines()
            .filter_map(|line| {
                let fields: Vec<&str> = line.split_whitespace().collect();
                // Lines with an arrow are of those that wait themselves.
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

/// Whether the kernel's table names all who lock a file, and names it by the inode that the file tells.
fn sees_all(path: &Path) -> bool {
    // Source: the kernel's `PROC_PID_INIT_INO`.
    const FIRST_NAMESPACE: &[u8] = b"pid:[4026531836]";
    let namespace = rustix::fs::readlink("/proc/self/ns/pid", Vec::new());
    let is_first = namespace.is_ok_and(|namespace| namespace.as_bytes() == FIRST_NAMESPACE);
    #[allow(clippy::unnecessary_cast, reason = "the width differs between targets")]
    let is_here = |stat: rustix::fs::StatFs| !ELSEWHERE.contains(&(stat.f_type as u32));
    is_first && rustix::fs::statfs(path).is_ok_and(is_here)
}

/// File systems that are served from elsewhere, or that lie in layers over others: overlay, NFS, CIFS, SMB, FUSE, 9p, Ceph.
/// Source: the kernel's `magic.h`.
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

    /// A stranger's lock on another file system is not ours for its inode alone.
    #[test]
    fn a_lock_is_known_by_more_than_its_inode() {
        let file = Sought { device: "fe:01".into(), inode: 7, pid: 4711 };
        for (line, is_held) in [
            ("1: FLOCK  ADVISORY  WRITE 12 fe:01:7 0 EOF", Some(true)),
            // The device of a subvolume is another one than the file tells.
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
