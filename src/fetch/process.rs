//! Fetches in processes of their own: what a hostile server can do to C code, to memory and to time ends there.
//!
//! The asking side, which is here, starts this binary with a hidden command and writes an [`Order`] to it. The fetching
//! side writes each message as a line of JSON, and after the last one waits for another order. Killing it stops a fetch.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde::{Deserialize, Serialize};

use super::FetchError;
use super::hash::TreeHash;
use super::mirror::Progress;
use super::permit::Permit;
use super::release::{Digest, Release};
use super::transport::{Login, Patience};
use super::tree::{Offence, TreeLimits};
use super::url::{Allowed, GitUrl};
use crate::module::Form;
use crate::world::Cancel;

/// The hidden command that makes this binary the fetching side.
pub const COMMAND: &str = "fetch-module";

/// What is to be fetched, and what for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    pub url: GitUrl,
    pub task: Task,
    pub allowed: Allowed,
    pub patience: Patience,
    pub way: Way,
    /// Bytes that may be received.
    pub cap: u64,
    /// The folder of the mirrors.
    pub cache: PathBuf,
}

/// The work that an order asks for.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Task {
    /// Writes a commit's files.
    Write {
        /// This commit and no other; without one, the newest commit of the URL's ref.
        commit: Option<String>,
        limits: TreeLimits,
        /// A folder that does not exist yet; its parent does.
        folder: PathBuf,
    },
    /// Lists the versions of a module: the tags of the repository, or what an index has.
    List { index: Option<Form>, name: String },
    /// Writes the files of an archive.
    Unpack {
        file: String,
        digest: Option<Digest>,
        form: Form,
        /// The module's in its index.
        name: String,
        limits: TreeLimits,
        /// A folder that does not exist yet; its parent does.
        folder: PathBuf,
    },
    /// Looks how far the URL's ref is from a commit, and writes nothing.
    Look { locked: String },
}

/// How a `git://` URL is reached. Others have one way only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// By https, and plainly where that does not do and the user allows it.
    #[default]
    Safest,
    /// By https and by nothing else: so it came before.
    OnlyHttps,
    /// Plainly: the host answers no https.
    Plain,
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetched {
    /// What was connected to, where it is not the URL that was asked for.
    pub from: Option<String>,
    /// Empty for an archive.
    pub commit: String,
    /// The SHA-256 of the archive, as the lock writes it.
    #[serde(default)]
    pub archive: Option<String>,
    pub hash: TreeHash,
    pub files: usize,
    pub bytes: u64,
    pub left_out: Vec<Offence>,
    /// What the user allows, and this tree needed.
    pub used: Vec<Permit>,
}

/// How a remote is ahead of a commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Looked {
    /// The newest commit of the ref.
    pub now: String,
    /// How many commits it has that the other has not, and how many are only there; where both are known.
    pub apart: Option<(usize, usize)>,
    /// The subject line of the newest commit.
    pub subject: String,
}

/// A message of the fetching side, one a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
pub(super) enum Word {
    Progress(Progress),
    /// The helpers know no login; perhaps the user does. Answered by a line with [`Answer`].
    Ask {
        url: String,
    },
    /// Whether anything answers by https there.
    Https {
        answers: bool,
    },
    Done(Fetched),
    Looked(Looked),
    Listed {
        releases: Vec<Release>,
    },
    Failed {
        error: FetchError,
    },
}

/// The answer to a question for a login.
#[derive(Serialize, Deserialize)]
pub(super) struct Answer {
    pub login: Option<(String, String)>,
}

/// Gives the user's login for a URL.
pub type AskUser<'a> = dyn FnMut(&str) -> Option<Login> + 'a;

/// What the asking side does while a fetch is at work.
pub struct Watch<'a> {
    pub progress: &'a mut dyn FnMut(Progress),
    /// Hears whether anything answers by https, once that is known.
    pub https: &'a mut dyn FnMut(bool),
    /// Asks the user for a login; `None` without a user.
    pub ask: Option<&'a mut AskUser<'a>>,
    pub cancel: &'a Cancel,
}

/// Has modules fetched, one after the other.
///
/// To start a process costs as much as a small fetch. So one that served a host without a fault serves that host again;
/// another host never meets it.
pub struct Fetcher<'a> {
    program: &'a Path,
    at_rest: Option<(String, Side)>,
}

impl<'a> Fetcher<'a> {
    /// `program` is this binary.
    pub fn new(program: &'a Path) -> Self {
        Self { program, at_rest: None }
    }

    /// Fetches a module. A process that ends without an answer, or gives another answer, is an error.
    pub fn fetch(&mut self, order: &Order, watch: Watch<'_>) -> Result<Fetched, FetchError> {
        match self.converse(order, watch)? {
            Word::Done(fetched) => Ok(fetched),
            _ => Err(lost()),
        }
    }

    /// Lists the versions of a module.
    pub fn list(&mut self, order: &Order, watch: Watch<'_>) -> Result<Vec<Release>, FetchError> {
        match self.converse(order, watch)? {
            Word::Listed { releases } => Ok(releases),
            _ => Err(lost()),
        }
    }

    /// Looks at a remote.
    pub fn look(&mut self, order: &Order, watch: Watch<'_>) -> Result<Looked, FetchError> {
        match self.converse(order, watch)? {
            Word::Looked(looked) => Ok(looked),
            _ => Err(lost()),
        }
    }

    /// Gives the last word.
    fn converse(&mut self, order: &Order, mut watch: Watch<'_>) -> Result<Word, FetchError> {
        let host = order.url.host.clone();
        let fit = match self.at_rest.take() {
            Some((served, side)) if served == host => side.still_there(),
            Some((_, others)) => {
                others.leave();
                None
            }
            None => None,
        };
        let start = || Side::start(self.program).map_err(|error| FetchError::Ended(error.to_string()));
        let mut side = fit.map_or_else(start, Ok)?;
        let word = side.talk(order, &mut watch)?;
        if matches!(word, Word::Failed { .. }) {
            side.leave();
        } else {
            self.at_rest = Some((host, side));
        }
        match word {
            Word::Failed { error } => Err(error),
            word => Ok(word),
        }
    }
}

impl Drop for Fetcher<'_> {
    fn drop(&mut self) {
        if let Some((_, side)) = self.at_rest.take() {
            side.leave();
        }
    }
}

fn lost() -> FetchError {
    FetchError::Ended("it was killed, or ran out of memory or time".into())
}

/// A fetching side, from here. Dropped, it is killed with all that it started.
struct Side {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: mpsc::Receiver<Vec<u8>>,
}

impl Side {
    fn start(program: &Path) -> io::Result<Self> {
        const LONGEST_LINE: u64 = 1 << 20;
        let mut child = Command::new(program)
            .arg(COMMAND)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let (words, lines) = mpsc::channel();
        let side = Self { child, stdin, lines };
        let mut lines = BufReader::new(stdout.ok_or(io::ErrorKind::BrokenPipe)?);
        std::thread::Builder::new().spawn(move || {
            loop {
                let mut line = Vec::new();
                let read = io::Read::take(&mut lines, LONGEST_LINE).read_until(b'\n', &mut line);
                if !matches!(read, Ok(count) if count > 0) || words.send(line).is_err() {
                    break;
                }
            }
        })?;
        Ok(side)
    }

    /// The same, where nothing ended it while it had nothing to do.
    fn still_there(mut self) -> Option<Self> {
        self.is_there().then_some(self)
    }

    fn is_there(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn say(&mut self, word: &impl Serialize) -> Result<(), FetchError> {
        self.stdin.as_mut().and_then(|stdin| say(stdin, word).ok()).ok_or_else(lost)
    }

    /// Reads until the final message and returns it.
    fn talk(&mut self, order: &Order, watch: &mut Watch<'_>) -> Result<Word, FetchError> {
        const TICK: Duration = Duration::from_millis(20);
        self.say(order)?;
        let mut pulse = Pulse::new();
        loop {
            if watch.cancel.is_cancelled() {
                return Err(FetchError::Cancelled);
            }
            let line = match self.lines.recv_timeout(TICK) {
                Ok(line) => line,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    pulse.miss().into_iter().for_each(&mut *watch.progress);
                    continue;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(lost()),
            };
            match serde_json::from_slice(&line).map_err(|_| lost())? {
                Word::Progress(progress) => {
                    pulse.beat(progress);
                    (watch.progress)(progress);
                }
                Word::Ask { url } => {
                    let login = watch.ask.as_mut().and_then(|ask| ask(&url)).map(|login| (login.user, login.password));
                    self.say(&Answer { login })?;
                    pulse.beat(pulse.last);
                }
                Word::Https { answers } => (watch.https)(answers),
                word @ (Word::Done(_) | Word::Looked(_) | Word::Listed { .. } | Word::Failed { .. }) => {
                    return Ok(word);
                }
            }
        }
    }

    /// No order comes any more: it ends by itself, or is ended. What it left behind on purpose, such as the process in
    /// which git keeps passwords, stays.
    fn leave(mut self) {
        const GRACE: Duration = Duration::from_millis(200);
        drop(self.stdin.take());
        let begun = Instant::now();
        while begun.elapsed() < GRACE && self.is_there() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // One that was waited for has no number of its own any more.
        if self.is_there() {
            // It leads a session, unless it has just been started. What it started, such as `ssh`, ends with it.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Notes the time of the last progress, so that a silence can be reported.
struct Pulse {
    last: Progress,
    at: Instant,
    reported: u64,
}

impl Pulse {
    /// A shorter silence is none.
    const SECONDS: u64 = 2;

    fn new() -> Self {
        Self { last: Progress::default(), at: Instant::now(), reported: 0 }
    }

    fn beat(&mut self, progress: Progress) {
        *self = Self { last: progress, ..Self::new() };
    }

    /// The report of a silence, once a second.
    fn miss(&mut self) -> Option<Progress> {
        let silent = self.at.elapsed().as_secs();
        if silent < Self::SECONDS || silent == self.reported {
            return None;
        }
        self.reported = silent;
        Some(Progress { silent, ..self.last })
    }
}

pub(super) fn say(out: &mut impl Write, word: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(word)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}
