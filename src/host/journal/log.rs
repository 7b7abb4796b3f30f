//! The journal file of one deploy: entries are appended, and concurrent turns share one sync.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::frame::{self, Fault, Hash};
use super::record::Record;

/// The number of waiting turns from which the sync waits for more.
const CROWD: usize = 4;

/// How long the sync waits for more turns, as long as new ones arrive.
const GATHER: Duration = Duration::from_millis(1);

/// A journal open for writing.
#[derive(Debug)]
pub struct Journal {
    file: OwnedFd,
    path: PathBuf,
    end: Mutex<Tail>,
    synced: Condvar,
}

#[derive(Debug)]
struct Tail {
    next: u64,
    hash: Hash,
    length: u64,
    /// The number of durable entries.
    durable: u64,
    /// A thread is syncing for all.
    syncing: bool,
    /// How many threads wait for the next sync, and how many waited for the last.
    waiting: usize,
    crowd: usize,
    /// After a failed sync the state on disk is unknown, so no operation may begin any more.
    broken: Option<Errno>,
}

impl Journal {
    /// Creates a journal. Its name in the folder is durable when this returns.
    pub fn create(path: &Path) -> Result<Self, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(CWD, path, flags, Mode::RUSR | Mode::WUSR)?;
        write_all(&file, frame::MAGIC, 0)?;
        rustix::fs::fsync(&file)?;
        sync_folder(path)?;
        Ok(Self::from(file, path, 0, frame::first_hash(), frame::MAGIC.len() as u64))
    }

    /// Reopens an interrupted journal: keeps the valid prefix and cuts off a torn end.
    pub fn reopen(path: &Path) -> Result<(Self, Vec<Record>, Option<Fault>), Errno> {
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
        let bytes = read_all(&file)?;
        let (records, scan) = records(&bytes);
        if scan.good < bytes.len() {
            rustix::fs::ftruncate(&file, scan.good as u64)?;
        }
        if scan.good == 0 {
            write_all(&file, frame::MAGIC, 0)?;
        }
        rustix::fs::fsync(&file)?;
        let length = scan.good.max(frame::MAGIC.len()) as u64;
        Ok((Self::from(file, path, scan.frames.len() as u64, scan.head(), length), records, scan.fault))
    }

    fn from(file: OwnedFd, path: &Path, next: u64, hash: Hash, length: u64) -> Self {
        let tail = Tail { next, hash, length, durable: next, syncing: false, waiting: 0, crowd: 0, broken: None };
        Self { file, path: path.into(), end: Mutex::new(tail), synced: Condvar::new() }
    }

    /// Returns the path of the journal file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the hash of the last entry.
    pub fn head(&self) -> Hash {
        self.tail().hash
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends entries in one write. Returns the number of the first one. They are not durable yet.
    pub fn append(&self, records: &[Record]) -> Result<u64, Errno> {
        self.append_with(records.len(), |at, _| records[at].clone())
    }

    /// The same for entries that contain their own number.
    pub fn append_with(&self, count: usize, record: impl Fn(usize, u64) -> Record) -> Result<u64, Errno> {
        let mut tail = self.tail();
        if let Some(errno) = tail.broken {
            return Err(errno);
        }
        let (first, mut hash) = (tail.next, tail.hash);
        let mut buffer = Vec::with_capacity(512 * count);
        for at in 0..count {
            let number = first + at as u64;
            let payload = serde_json::to_vec(&record(at, number)).map_err(|_| Errno::INVAL)?;
            if payload.len() > frame::PAYLOAD_CAP {
                return Err(Errno::FBIG);
            }
            hash = frame::push(&mut buffer, &hash, number, &payload);
        }
        if let Err(errno) = write_all(&self.file, &buffer, tail.length) {
            // A partial entry would hide all later ones.
            if rustix::fs::ftruncate(&self.file, tail.length).is_err() {
                tail.broken = Some(errno);
            }
            return Err(errno);
        }
        tail.next += count as u64;
        tail.length += buffer.len() as u64;
        tail.hash = hash;
        Ok(first)
    }

    /// Waits until all entries before `until` are durable. The first waiting thread syncs for all entries present.
    pub fn commit(&self, until: u64) -> Result<(), Errno> {
        let mut tail = self.tail();
        tail.waiting += 1;
        loop {
            if let Some(errno) = tail.broken {
                return Err(errno);
            }
            if tail.durable >= until {
                return Ok(());
            }
            if tail.syncing {
                tail = self.synced.wait(tail).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            tail.syncing = true;
            // After many waiters more are likely, and one sync costs less than two.
            let mut before = 0;
            while tail.crowd >= CROWD && tail.waiting > before {
                before = tail.waiting;
                drop(tail);
                std::thread::sleep(GATHER);
                tail = self.tail();
            }
            tail.crowd = std::mem::take(&mut tail.waiting);
            let reached = tail.next;
            drop(tail);
            let done = rustix::fs::fdatasync(&self.file).and_then(|()| self.is_named());
            tail = self.tail();
            tail.syncing = false;
            match done {
                Ok(()) => tail.durable = tail.durable.max(reached),
                Err(errno) => tail.broken = Some(errno),
            }
            self.synced.notify_all();
        }
    }

    /// A durable file without a name is lost all the same, for example if a user removed the state folder.
    fn is_named(&self) -> Result<(), Errno> {
        match rustix::fs::fstat(&self.file)?.st_nlink {
            0 => Err(Errno::NOENT),
            _ => Ok(()),
        }
    }

    /// Appends one entry and waits until it is durable.
    pub fn write(&self, record: Record) -> Result<u64, Errno> {
        let number = self.append(&[record])?;
        self.commit(number + 1)?;
        Ok(number)
    }
}

/// The fault of a complete entry of an unknown form.
pub const UNREADABLE: &str = "has content that this version cannot read";

/// Whether the rest of a journal after a bad entry holds complete or nearly complete entries.
///
/// A crash leaves none, because it tears the last one. The length at both ends distinguishes an altered entry from a
/// torn one.
pub fn has_entries(rest: &[u8]) -> bool {
    const BEGIN: &[u8] = b"{\"record\":";
    let begins = rest.windows(BEGIN.len()).enumerate().filter(|(_, window)| *window == BEGIN);
    begins.into_iter().any(|(at, _)| frame::is_closed(rest, at))
}

/// Reads the entries of a journal's valid prefix. A complete entry of an unknown form also ends the prefix.
pub fn records(bytes: &[u8]) -> (Vec<Record>, frame::Scan) {
    let mut scan = frame::scan(bytes);
    let mut records = Vec::with_capacity(scan.frames.len());
    for at in 0..scan.frames.len() {
        let found = &scan.frames[at];
        match serde_json::from_slice(&bytes[found.payload.clone()]) {
            Ok(record) => records.push(record),
            Err(_) => {
                let begin = found.payload.start - 12;
                scan.fault = Some(Fault { number: found.number, at: begin, why: UNREADABLE });
                scan.good = begin;
                scan.frames.truncate(at);
                break;
            }
        }
    }
    (records, scan)
}

/// Reads a journal for display.
pub fn read(path: &Path) -> Result<Vec<u8>, Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    read_all(&rustix::fs::openat(CWD, path, flags, Mode::empty())?)
}

/// The content of an entry; `None` if it is missing or torn.
type Payload = Option<Vec<u8>>;

/// Reads a journal's first and last entry, without the entries between and unverified. `None` for a torn one.
pub fn ends(path: &Path) -> Result<(Payload, Payload), Errno> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(CWD, path, flags, Mode::empty())?;
    let size = rustix::fs::fstat(&file)?.st_size.cast_unsigned();
    let head = read_part(&file, 0, frame::MAGIC.len() + 4)?;
    let head = frame::first_end(&head).map(|end| read_part(&file, 0, end)).transpose()?;
    let first = head.and_then(|head| Some(head[frame::first(&head)?].to_vec()));
    let tail = read_part(&file, size.saturating_sub(4), 4)?;
    let last =
        frame::last(size, &tail).map(|at| read_part(&file, at.start, (at.end - at.start) as usize)).transpose()?;
    Ok((first, last))
}

/// Reads the existing bytes of a range.
fn read_part(file: &OwnedFd, at: u64, length: usize) -> Result<Vec<u8>, Errno> {
    let mut bytes = vec![0; length];
    let mut count = 0;
    while count < length {
        match rustix::io::pread(file, &mut bytes[count..], at + count as u64) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    bytes.truncate(count);
    Ok(bytes)
}

fn read_all(file: &OwnedFd) -> Result<Vec<u8>, Errno> {
    let mut bytes = Vec::new();
    let mut buffer = vec![0; 256 << 10];
    loop {
        match rustix::io::pread(file, &mut buffer[..], bytes.len() as u64) {
            Ok(0) => return Ok(bytes),
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

fn write_all(file: &OwnedFd, mut bytes: &[u8], mut at: u64) -> Result<(), Errno> {
    while !bytes.is_empty() {
        match rustix::io::pwrite(file, bytes, at) {
            Ok(0) => return Err(Errno::IO),
            Ok(count) => {
                bytes = &bytes[count..];
                at += count as u64;
            }
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Makes a name in a folder durable.
pub fn sync_folder(path: &Path) -> Result<(), Errno> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    rustix::fs::fsync(rustix::fs::openat(CWD, folder, flags, Mode::empty())?)
}
