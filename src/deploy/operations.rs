//! The log of operations without a deploy: saved plans, module fetches and refused applies, one line each in a bounded
//! file.
//!
//! Deploys are not in it, because they have their journals. Nothing depends on this file: an unreadable line is skipped
//! and counted. It holds counts, names and commits, and no values of a program.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use super::{StateError, StateFolder};
use crate::host::HostError;
use crate::plan::{CompiledFor, Summary, Tally};

/// A file larger than this loses its older half, in bytes.
const CAP: u64 = 256 * 1024;
/// Longer lines are neither written nor read.
const LINE: usize = 16 * 1024;
/// Longer texts are cut, in bytes.
const WORDS: usize = 400;
/// A fetch lists at most this many modules and counts the rest.
const MODULES: usize = 40;

/// One operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// UTC, in the format of journals.
    pub time: String,
    pub user: String,
    /// The path of the entry; earlier versions recorded the typed text. Never code.
    pub entry: String,
    #[serde(flatten)]
    pub what: What,
}

/// The kind of operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum What {
    Plan(MadePlan),
    Fetch(Fetch),
    /// An apply that was refused before any change, so that an undo does not take the deploy before it for its own.
    Refused {
        /// The newest deploy at that time.
        after: u64,
    },
}

/// A plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadePlan {
    /// The content hash: of the saved plan, if it was saved.
    pub plan: String,
    /// The path of the entry; `None` for code.
    pub path: Option<PathBuf>,
    /// What it was compiled for; `None` in records of earlier versions.
    #[serde(rename = "for", default, skip_serializing_if = "Option::is_none")]
    pub compiled_for: Option<Box<CompiledFor>>,
    pub summary: Summary,
    /// The number of steps that would fail.
    pub failing: u32,
    /// The sums of the steps. Records of earlier versions have only the fields above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tally: Option<Box<Tally>>,
    /// The file of a saved plan.
    pub file: Option<PathBuf>,
}

impl MadePlan {
    /// Returns the sums of the steps, also for records of earlier versions.
    pub fn tally(&self) -> Tally {
        self.tally.as_deref().copied().unwrap_or_else(|| {
            let unknown = self.summary.unknown.saturating_sub(self.failing);
            Tally { acts: Summary { unknown, ..self.summary }, would_fail: self.failing, ..Tally::default() }
        })
    }
}

/// The changes of a fetch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetch {
    /// Name and commit.
    pub came: Vec<(String, String)>,
    /// Name, commit before, commit after.
    pub moved: Vec<(String, String, String)>,
    /// The number of further fetched or updated modules.
    pub more: usize,
    pub stayed: usize,
    /// Why a refused fetch fetched nothing.
    pub refused: Option<String>,
}

/// The readable operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Operations {
    /// Oldest first.
    pub all: Vec<Operation>,
    /// The number of unreadable lines.
    pub damaged: usize,
}

impl Operation {
    /// Cuts the texts to the limits of a line.
    fn bounded(mut self) -> Self {
        let cut = |words: &mut String| {
            *words = without_logins(words);
            words.truncate(words.floor_char_boundary(WORDS));
        };
        cut(&mut self.user);
        cut(&mut self.entry);
        if let What::Plan(plan) = &mut self.what {
            let length = serde_json::to_vec(&plan.compiled_for).map_or(usize::MAX, |text| text.len());
            plan.compiled_for.take_if(|_| length > LINE / 4);
        }
        if let What::Fetch(fetch) = &mut self.what {
            let (came, moved) = (fetch.came.len(), fetch.moved.len());
            fetch.moved.truncate(MODULES);
            fetch.came.truncate(MODULES - fetch.moved.len());
            fetch.more += came + moved - fetch.came.len() - fetch.moved.len();
            fetch.came.iter_mut().for_each(|(name, commit)| [name, commit].into_iter().for_each(cut));
            fetch.moved.iter_mut().for_each(|(name, from, to)| [name, from, to].into_iter().for_each(cut));
            fetch.refused.iter_mut().for_each(cut);
        }
        self
    }
}

/// Removes user names and passwords from the addresses in a text.
fn without_logins(words: &str) -> String {
    let mut parts = words.split("://");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let host = part.find(|c: char| c == '/' || c.is_whitespace()).unwrap_or(part.len());
        clean.push_str("://");
        clean.push_str(&part[part[..host].rfind('@').map_or(0, |at| at + 1)..]);
    }
    clean
}

/// Appends an operation.
pub fn note(state: &Path, operation: Operation) -> Result<(), StateError> {
    let path = StateFolder::at(state).make_operations()?;
    let failed = |error: io::Error| StateError::from(HostError::std("write", &path, &error));
    let mut line = serde_json::to_vec(&operation.bounded()).map_err(|error| failed(error.into()))?;
    if line.len() >= LINE {
        return Err(failed(io::Error::other("the entry is too long")));
    }
    line.push(b'\n');
    let mut file = alone(&path)?;
    let length = file.seek(SeekFrom::End(0)).map_err(failed)?;
    if length > CAP {
        return halve(&path, &mut file, &line).map_err(failed);
    }
    if length > 0 {
        // An earlier write may have stopped in the middle of a line.
        let mut last = [0];
        file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(failed)?;
        if last != *b"\n" {
            line.insert(0, b'\n');
        }
    }
    file.write_all(&line).and_then(|()| file.sync_data()).map_err(failed)
}

/// Opens the file and locks it. The lock ends with the returned file.
fn alone(path: &Path) -> Result<File, StateError> {
    let failed = |errno| StateError::from(HostError::io("open", path, errno));
    loop {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        let file = ours(path, flags)?.ok_or_else(|| failed(Errno::NOENT))?;
        rustix::fs::flock(&file, FlockOperation::LockExclusive).map_err(failed)?;
        // Another process may have replaced the file during the wait.
        let here = rustix::fs::fstat(&file).map_err(failed)?;
        match rustix::fs::lstat(path) {
            Ok(there) if (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino) => return Ok(file),
            Ok(_) | Err(Errno::NOENT) => {}
            Err(errno) => return Err(failed(errno)),
        }
    }
}

/// Opens a file that only this user can access; `None` if it does not exist.
fn ours(path: &Path, flags: OFlags) -> Result<Option<File>, StateError> {
    let failed = |errno| StateError::from(HostError::io("open", path, errno));
    let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = match rustix::fs::openat(CWD, path, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => file,
        Err(Errno::NOENT) => return Ok(None),
        Err(errno) => return Err(failed(errno)),
    };
    let stat = rustix::fs::fstat(&file).map_err(failed)?;
    let is_file = rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::RegularFile;
    if !is_file || stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(StateError::Foreign(path.into()));
    }
    Ok(Some(file.into()))
}

/// Replaces the file by its newer half and one more line. A concurrent reader sees the old or the new file.
fn halve(path: &Path, file: &mut File, line: &[u8]) -> io::Result<()> {
    let kept = tail(file, CAP / 2)?;
    let mut fresh = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    fresh.write_all(&kept)?;
    if !kept.is_empty() && !kept.ends_with(b"\n") {
        fresh.write_all(b"\n")?;
    }
    fresh.write_all(line)?;
    fresh.as_file().sync_all()?;
    fresh.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Reads whole lines from the end of the file, at most this many bytes.
fn tail(file: &mut File, bytes: u64) -> io::Result<Vec<u8>> {
    let length = file.seek(SeekFrom::End(0))?;
    let start = length.saturating_sub(bytes);
    file.seek(SeekFrom::Start(start))?;
    let mut text = Vec::new();
    Read::by_ref(file).take(bytes).read_to_end(&mut text)?;
    if start > 0 {
        let first = text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |at| at + 1);
        text.drain(..first);
    }
    Ok(text)
}

/// Reads all operations. Unreadable lines are counted and skipped.
pub fn operations(state: &Path) -> Result<Operations, StateError> {
    let path = StateFolder::at(state).operations();
    let Some(mut file) = ours(&path, OFlags::RDONLY)? else { return Ok(Operations::default()) };
    let text = tail(&mut file, 2 * CAP).map_err(|error| HostError::std("read", &path, &error))?;
    let mut read = Operations::default();
    for line in text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice(line) {
            Ok(operation) if line.len() < LINE => read.all.push(operation),
            _ => read.damaged += 1,
        }
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(number: usize) -> Operation {
        let what = What::Plan(MadePlan { plan: number.to_string(), ..MadePlan::default() });
        Operation { time: format!("2026-11-22T12:03:{number:02}Z"), user: "ana".into(), entry: "web".into(), what }
    }

    fn state() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    #[test]
    fn notes_return_in_order_and_only_to_their_owner() {
        use std::os::unix::fs::PermissionsExt;
        let state = state();
        assert_eq!(operations(state.path()).expect("none is no error"), Operations::default());
        let fetch = Fetch { moved: vec![("a/b/".into(), "1".into(), "2".into())], ..Fetch::default() };
        let all = vec![plan(1), Operation { what: What::Fetch(fetch), ..plan(2) }];
        for operation in &all {
            note(state.path(), operation.clone()).expect("it is written");
        }
        assert_eq!(operations(state.path()).expect("they are read"), Operations { all, damaged: 0 });
        let mode = std::fs::metadata(state.path().join("operations")).expect("it is there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_line_that_was_cut_off_or_is_no_line_is_counted_and_passed_over() {
        let state = state();
        note(state.path(), plan(1)).expect("it is written");
        let path = state.path().join("operations");
        let mut text = std::fs::read(&path).expect("it is there");
        text.extend(b"\xff\x00\x1b[31m\n{\"time\":\"now\"}\n\n{\"time\":\"2026");
        std::fs::write(&path, text).expect("it is written");
        note(state.path(), plan(2)).expect("it is written");
        let read = operations(state.path()).expect("they are read");
        assert_eq!(read, Operations { all: vec![plan(1), plan(2)], damaged: 3 });
    }

    #[test]
    fn it_stays_small_and_keeps_the_newest() {
        let state = state();
        let long = |number: usize| Operation { entry: "x".repeat(10_000), ..plan(number) };
        for number in 0..1_000 {
            note(state.path(), long(number)).expect("it is written");
        }
        let length = std::fs::metadata(state.path().join("operations")).expect("it is there").len();
        assert!(length < CAP + LINE as u64, "{length}");
        let read = operations(state.path()).expect("they are read");
        assert_eq!(read.damaged, 0);
        assert!(read.all.len() > 100, "{}", read.all.len());
        let What::Plan(last) = &read.all[read.all.len() - 1].what else { panic!("a plan") };
        assert_eq!(last.plan, "999");
        assert_eq!(read.all[0].entry.len(), WORDS);
    }

    #[test]
    fn two_that_write_at_once_lose_nothing() {
        let state = state();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let path = state.path();
                scope.spawn(move || (0..25).for_each(|at| note(path, plan(thread * 25 + at)).expect("it is written")));
            }
        });
        let read = operations(state.path()).expect("they are read");
        assert_eq!((read.all.len(), read.damaged), (100, 0));
    }

    #[test]
    fn no_login_is_written_down() {
        let state = state();
        let refused = Some("`x`: https://ana:s3cret@host/a and git://t0ken@host: no answer, mail@host".into());
        note(state.path(), Operation { what: What::Fetch(Fetch { refused, ..Fetch::default() }), ..plan(1) })
            .expect("it is written");
        let text = std::fs::read_to_string(state.path().join("operations")).expect("it is there");
        assert!(!text.contains("s3cret") && !text.contains("t0ken"), "{text}");
        assert!(text.contains("https://host/a and git://host: no answer, mail@host"), "{text}");
    }

    #[test]
    fn foreign_files_are_refused() {
        let state = state();
        std::os::unix::fs::symlink("/etc/passwd", state.path().join("operations")).expect("a link");
        assert!(operations(state.path()).is_err());
        assert!(note(state.path(), plan(1)).is_err());
    }
}
