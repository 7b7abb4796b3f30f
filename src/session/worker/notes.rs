//! A worker's notes: its last place, and its last words. They stay readable after it has died.
//!
//! The notes are the worker's standard error, a file in memory. The runtime writes to it when a stack overflows or
//! memory runs out. Its first bytes are the last place, which the worker overwrites without waiting for anybody.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::process::Stdio;

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

/// Notes a place, in the worker.
pub fn note(file: &str, line: u32) {
    let name = &file.as_bytes()[..file.len().min(PLACE - 8)];
    let mut bytes = Vec::with_capacity(8 + name.len());
    bytes.extend(line.to_le_bytes());
    bytes.extend((name.len() as u32).to_le_bytes());
    bytes.extend(name);
    // Without the notes, a death has no place.
    let _ = pwrite(io::stderr().as_fd(), &bytes, 0);
}
