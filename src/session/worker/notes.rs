//! A worker's notes: its last place, and its last words. They stay readable after it has died.
//!
//! The notes are the worker's standard error, a file in memory. The runtime writes to it when a stack overflows or
//! memory runs out. Its first bytes are the last place, which the worker overwrites as it goes.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{pread, pwrite};

/// The bytes of the place: a line number, then a file name.
const PLACE: usize = 4096;

/// The bytes of the last words that are read.
const WORDS: usize = 4096;

/// The parent's end.
#[derive(Debug)]
pub struct Notes(File);

impl Notes {
    /// Creates empty notes in memory. The worker's standard error starts after the place.
    pub fn new() -> io::Result<Self> {
        let file = File::from(memfd_create("workbench-worker", MemfdFlags::CLOEXEC)?);
        rustix::fs::seek(&file, rustix::fs::SeekFrom::Start(PLACE as u64))?;
        Ok(Self(file))
    }

    /// The worker's standard error.
    pub fn for_child(&self) -> io::Result<Stdio> {
        Ok(self.0.try_clone()?.into())
    }

    /// The file name and line that the worker was last at; 0 for no line.
    pub fn place(&self) -> Option<(String, u32)> {
        let mut bytes = [0; PLACE];
        let count = pread(&self.0, &mut bytes, 0).ok()?;
        let bytes = bytes.get(..count)?;
        let line = u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?);
        let len = u32::from_le_bytes(bytes.get(4..8)?.try_into().ok()?) as usize;
        let name = bytes.get(8..8 + len).filter(|name| !name.is_empty())?;
        Some((String::from_utf8_lossy(name).into_owned(), line))
    }

    /// What the runtime wrote before the end.
    pub fn words(&self) -> String {
        let mut bytes = [0; WORDS];
        let count = pread(&self.0, &mut bytes, PLACE as u64).unwrap_or_default();
        String::from_utf8_lossy(&bytes[..count.min(WORDS)]).into_owned()
    }
}

/// How often the worker's place is written. Longer than that passes before a stack overflows.
const PAUSE: Duration = Duration::from_millis(5);

/// Where the worker is. Setting it costs next to nothing; another thread writes it down.
#[derive(Default)]
pub struct Spot {
    place: Mutex<(String, u32)>,
    is_new: AtomicBool,
    works: Mutex<bool>,
    begins: Condvar,
}

impl Spot {
    /// Sets the worker's place: a file and a line from 1.
    pub fn set(&self, file: &str, line: u32) {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.1 == line && place.0 == file {
            return;
        }
        if place.0 != file {
            file.clone_into(&mut place.0);
        }
        place.1 = line;
        self.is_new.store(true, Ordering::Relaxed);
    }

    /// Writes the place down, if it is a new one.
    pub fn flush(&self) {
        if self.is_new.swap(false, Ordering::Relaxed) {
            let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
            write(&place.0, place.1);
        }
    }

    /// Whether there is work. Without any, nothing wakes up.
    pub fn works(&self, works: bool) {
        *self.works.lock().unwrap_or_else(PoisonError::into_inner) = works;
        self.begins.notify_all();
    }

    /// Writes the place down from time to time, for ever.
    pub fn keep_flushing(&self) {
        loop {
            let works = self.works.lock().unwrap_or_else(PoisonError::into_inner);
            drop(self.begins.wait_while(works, |works| !*works).unwrap_or_else(PoisonError::into_inner));
            std::thread::sleep(PAUSE);
            self.flush();
        }
    }
}

fn write(file: &str, line: u32) {
    let name = &file.as_bytes()[..file.len().min(PLACE - 8)];
    let mut bytes = Vec::with_capacity(8 + name.len());
    bytes.extend(line.to_le_bytes());
    bytes.extend((name.len() as u32).to_le_bytes());
    bytes.extend(name);
    // Without the notes, a death has no place.
    let _ = pwrite(io::stderr().as_fd(), &bytes, 0);
}
