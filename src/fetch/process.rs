//! One fetch in a process of its own: what a hostile server can do to C code, to memory and to time ends there.
//!
//! The asking side starts this binary with a hidden command and writes one [`Order`] to it. The fetching side limits
//! itself, fetches, judges the tree, writes it to an empty folder, and tells each [`Word`] on a line of JSON. A fetch is
//! stopped by killing it.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use serde::{Deserialize, Serialize};

use super::FetchError;
use super::hash::TreeHash;
use super::login;
use super::mirror::{Mirror, Progress, set_patience};
use super::transport::{Job, Login, Patience};
use super::tree::{Offence, TreeLimits, judge};
use super::url::{Allowed, GitUrl, Transport};
use crate::world::Cancel;

/// The hidden command that makes this binary the fetching side.
pub const COMMAND: &str = "fetch-module";

/// What is to be fetched, and where to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Order {
    pub url: GitUrl,
    /// This commit and no other; without one, what the URL's ref stands for.
    pub commit: Option<String>,
    pub allowed: Allowed,
    pub limits: TreeLimits,
    /// Bytes that may be received.
    pub cap: u64,
    /// Where the mirrors lie.
    pub cache: PathBuf,
    /// A folder that does not exist yet; its parent does.
    pub folder: PathBuf,
}

/// What came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fetched {
    /// What was connected to, where it is not the URL that was asked for.
    pub from: Option<String>,
    pub commit: String,
    pub hash: TreeHash,
    pub files: usize,
    pub bytes: u64,
    pub left_out: Vec<Offence>,
}

/// What the fetching side says, one a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "word", rename_all = "snake_case")]
enum Word {
    Progress(Progress),
    /// The helpers know no login; perhaps the user does. Answered by a line with [`Answer`].
    Ask {
        url: String,
    },
    Done(Fetched),
    Failed {
        error: FetchError,
    },
}

/// The answer to a question for a login.
#[derive(Serialize, Deserialize)]
struct Answer {
    login: Option<(String, String)>,
}

/// Gives the user's login for a URL.
pub type AskUser<'a> = dyn FnMut(&str) -> Option<Login> + 'a;

/// What the asking side does while a fetch is at work.
pub struct Watch<'a> {
    pub progress: &'a mut dyn FnMut(Progress),
    /// Asks the user for a login; `None` where nobody can be asked.
    pub ask: Option<&'a mut AskUser<'a>>,
    pub cancel: &'a Cancel,
}

/// Fetches in a process of its own. `program` is this binary.
pub fn fetch(program: &Path, order: &Order, mut watch: Watch<'_>) -> Result<Fetched, FetchError> {
    let ended = |error: &dyn std::fmt::Display| FetchError::Ended(error.to_string());
    let mut child = Command::new(program)
        .arg(COMMAND)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| ended(&error))?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(FetchError::Ended("it has no pipes".into()));
    };
    let answered = talk(&mut stdin, stdout, order, &mut watch);
    stop(child);
    answered
}

/// An answer is in, or none is wanted any more.
fn stop(mut child: Child) {
    const GRACE: Duration = Duration::from_millis(200);
    let begun = Instant::now();
    while begun.elapsed() < GRACE {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(Duration::from_millis(1)),
            _ => return,
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn talk(
    stdin: &mut impl Write,
    stdout: impl io::Read + Send + 'static,
    order: &Order,
    watch: &mut Watch<'_>,
) -> Result<Fetched, FetchError> {
    const TICK: Duration = Duration::from_millis(20);
    const LONGEST_LINE: u64 = 1 << 20;
    let lost = || FetchError::Ended("it was killed, or ran out of memory or time".into());
    say(stdin, order).map_err(|_| lost())?;
    let (words, heard) = mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stdout);
        loop {
            let mut line = Vec::new();
            let read = io::Read::take(&mut lines, LONGEST_LINE).read_until(b'\n', &mut line);
            if !matches!(read, Ok(count) if count > 0) || words.send(line).is_err() {
                break;
            }
        }
    });
    loop {
        if watch.cancel.is_cancelled() {
            return Err(FetchError::Cancelled);
        }
        let line = match heard.recv_timeout(TICK) {
            Ok(line) => line,
            Err(mpsc::RecvTimeoutError::Timeout) => continue,
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(lost()),
        };
        match serde_json::from_slice(&line).map_err(|_| lost())? {
            Word::Progress(progress) => (watch.progress)(progress),
            Word::Ask { url } => {
                let login = watch.ask.as_mut().and_then(|ask| ask(&url)).map(|login| (login.user, login.password));
                say(stdin, &Answer { login }).map_err(|_| lost())?;
            }
            Word::Done(fetched) => return Ok(fetched),
            Word::Failed { error } => return Err(error),
        }
    }
}

fn say(out: &mut impl Write, word: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(word)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

/// The fetching side: an order on stdin, words on stdout.
pub fn serve() -> io::Result<()> {
    let mut line = String::new();
    let mut stdin = BufReader::new(io::stdin());
    stdin.read_line(&mut line)?;
    let order: Order = serde_json::from_str(&line)?;
    limit_self(&order);
    let patience = Patience::default();
    set_patience(patience.connect, patience.silence);
    let word = match work(&order, patience, stdin) {
        Ok(fetched) => Word::Done(fetched),
        Err(error) => Word::Failed { error },
    };
    say(&mut io::stdout(), &word)
}

/// Bounds on memory, time and files for whatever a server sends. A limit that the system refuses to set stays as it was.
fn limit_self(order: &Order) {
    const MEMORY: u64 = 3 << 30;
    const SECONDS: u64 = 900;
    let bound = |most: u64| Rlimit { current: Some(most), maximum: Some(most) };
    let _ = setrlimit(Resource::As, bound(MEMORY));
    let _ = setrlimit(Resource::Cpu, bound(SECONDS));
    let _ = setrlimit(Resource::Core, bound(0));
    let _ = setrlimit(Resource::Fsize, bound(order.cap.saturating_mul(4).max(1 << 30)));
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

fn work(order: &Order, patience: Patience, stdin: BufReader<io::Stdin>) -> Result<Fetched, FetchError> {
    let mirror = Mirror::open(&order.cache, &order.url)?;
    let here = order.commit.as_deref().filter(|commit| mirror.has(commit));
    let from = match here {
        Some(_) => None,
        None => connect(order, patience, &mirror, stdin)?,
    };
    let reference = order.commit.as_deref().or(order.url.reference.as_deref());
    let commit = mirror.resolve(reference)?;
    let repository = mirror.repository();
    let tree = judge(repository, repository.find_commit(commit)?.tree_id(), &order.limits)?;
    let hash = tree.write(repository, &make_folder(&order.folder)?)?;
    let (files, bytes) = (tree.files(), tree.bytes);
    Ok(Fetched { from, commit: commit.to_string(), hash, files, bytes, left_out: tree.left_out })
}

/// Fetches by the transport that was asked for. `git://` is tried as https first: most hosts have both, and one is safe.
/// Gives the URL that did where it is another one.
fn connect(
    order: &Order,
    patience: Patience,
    mirror: &Mirror,
    stdin: BufReader<io::Stdin>,
) -> Result<Option<String>, FetchError> {
    let stdin = Arc::new(Mutex::new(stdin));
    let attempt = |url: &GitUrl| {
        let used: Arc<Mutex<Option<(String, Login)>>> = Arc::default();
        let ask = asker(Arc::clone(&stdin), Arc::clone(&used));
        let job = Arc::new(Job::new(order.allowed, patience, order.cap, ask));
        let mut last = Instant::now();
        let fetched = mirror.fetch(url, &job, &mut |progress| {
            const PACE: Duration = Duration::from_millis(50);
            if last.elapsed() >= PACE {
                last = Instant::now();
                let _ = say(&mut io::stdout(), &Word::Progress(progress));
            }
        });
        if let (Ok(()), Some((url, login))) = (&fetched, &*used.lock().unwrap_or_else(PoisonError::into_inner)) {
            login::approve(url, login);
        }
        fetched
    };
    if order.url.transport != Transport::Git {
        return attempt(&order.url).map(|()| None);
    }
    let safe = order.url.by(Transport::Https);
    match attempt(&safe) {
        Ok(()) => Ok(Some(safe.to_string())),
        Err(_) if order.allowed.git => attempt(&order.url).map(|()| None),
        Err(error) => Err(error),
    }
}

/// First the helpers, then the user; a login that was refused is told to the helpers.
fn asker(
    stdin: Arc<Mutex<BufReader<io::Stdin>>>,
    used: Arc<Mutex<Option<(String, Login)>>>,
) -> Box<super::transport::Ask> {
    Box::new(move |url, refused| {
        if let Some(refused) = refused {
            login::reject(url, refused);
        }
        let known = if refused.is_none() { login::from_helpers(url) } else { None };
        let login = known.or_else(|| ask_user(&stdin, url))?;
        *used.lock().unwrap_or_else(PoisonError::into_inner) = Some((url.to_owned(), login.clone()));
        Some(login)
    })
}

fn ask_user(stdin: &Mutex<BufReader<io::Stdin>>, url: &str) -> Option<Login> {
    say(&mut io::stdout(), &Word::Ask { url: url.to_owned() }).ok()?;
    let mut line = String::new();
    stdin.lock().unwrap_or_else(PoisonError::into_inner).read_line(&mut line).ok()?;
    let answer: Answer = serde_json::from_str(&line).ok()?;
    let (user, password) = answer.login?;
    Some(Login { user, password })
}

fn make_folder(folder: &Path) -> Result<OwnedFd, FetchError> {
    fs::create_dir(folder).map_err(|error| FetchError::disk(folder, error))?;
    let opened = fs::File::open(folder).map_err(|error| FetchError::disk(folder, error))?;
    Ok(OwnedFd::from(opened))
}
