//! The fetching side: it takes an order, limits itself, fetches, judges the tree, and writes it to an empty folder.

use std::fs;
use std::io::{self, BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use git2::{Oid, Repository};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Resource, Rlimit, Signal, getpriority_process, getrlimit, set_parent_process_death_signal, setrlimit, setsid,
};
use rustix::time::{ClockId, clock_gettime};

use super::index::{self, Page};
use super::lock::SHA256;
use super::mirror::{Brought, Mirror, Need, Progress};
use super::process::{Answer, Fetched, Looked, Order, Task, Way, Word, say};
use super::release::{Digest, Release};
use super::submodule::Submodules;
use super::transport::{Job, Login, get, with_job};
use super::tree::{TreeLimits, judge};
use super::unpack::{Unpacked, unpack};
use super::url::{GitUrl, Transport, UrlError};
use super::{FetchError, archive, login};
use crate::module::Form;

/// The fetching side: orders on stdin, words on stdout. It ends when no order comes any more, or one failed.
pub fn serve() -> io::Result<()> {
    leave_session();
    let stdin = Arc::new(Mutex::new(BufReader::new(io::stdin())));
    loop {
        let mut line = String::new();
        if stdin.lock().unwrap_or_else(PoisonError::into_inner).read_line(&mut line)? == 0 {
            return Ok(());
        }
        let order: Order = serde_json::from_str(&line)?;
        limit_self(&order);
        if is_left() {
            return Ok(());
        }
        let line = Line { order: &order, stdin: Arc::clone(&stdin) };
        match line.work() {
            Ok(word) => say(&mut io::stdout(), &word)?,
            Err(error) => return say(&mut io::stdout(), &Word::Failed { error }),
        }
    }
}

/// Starts a session of its own, which the terminal cannot stop or end, and gives it the priority of its only process: the
/// kernel divides processor time among sessions first, and uses the priority of a process only inside one (`sched(7)`,
/// autogroups).
fn leave_session() {
    // Not granted to who leads a group already: then it is apart as it is.
    let _ = setsid();
    let patience = getpriority_process(None).unwrap_or_default();
    if patience > 0 {
        // Kernels without such groups look at the process.
        let _ = fs::write("/proc/self/autogroup", patience.to_string());
    }
}

/// Bounds on memory, time and files for whatever a server sends. A limit that the system refuses to set stays as it was.
fn limit_self(order: &Order) {
    const MEMORY: u64 = 3 << 30;
    const SECONDS: u64 = 900;
    // The next order has limits of its own, so only those that are in force are set.
    let bound = |of: Resource, most: u64| {
        let maximum = getrlimit(of).maximum;
        let _ = setrlimit(of, Rlimit { current: Some(maximum.map_or(most, |least| least.min(most))), maximum });
    };
    bound(Resource::As, MEMORY);
    bound(Resource::Cpu, spent().as_secs() + SECONDS);
    bound(Resource::Core, 0);
    bound(Resource::Fsize, order.cap.saturating_mul(4).max(1 << 30));
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
}

/// Whether the ordering process has ended: the system ends this process with its parent only if the parent was alive when the
/// signal was set.
fn is_left() -> bool {
    let stdin = rustix::stdio::stdin();
    let mut orders = [PollFd::new(&stdin, PollFlags::empty())];
    let has_hung_up = poll(&mut orders, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok();
    has_hung_up && orders[0].revents().contains(PollFlags::HUP)
}

/// What this process took of its processors.
fn spent() -> Duration {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    Duration::from_secs(u64::try_from(spent.tv_sec).unwrap_or_default())
}

/// The fetching side at work: its order, and the way back to who gave it.
struct Line<'a> {
    order: &'a Order,
    stdin: Arc<Mutex<BufReader<io::Stdin>>>,
}

impl Line<'_> {
    fn work(&self) -> Result<Word, FetchError> {
        match &self.order.task {
            Task::Write { commit, limits, folder } => self.write(commit.as_deref(), limits, folder).map(Word::Done),
            Task::Look { locked } => self.look(locked).map(Word::Looked),
            Task::List { index, name } => self.list(*index, name).map(|releases| Word::Listed { releases }),
            Task::Unpack { file, digest, form, name, limits, folder } => {
                let (mut archive, sum) = self.archive(file, digest.as_ref())?;
                let unpacked = unpack(&mut archive, *form, name, limits, &make_folder(folder)?)?;
                let Unpacked { hash, files, bytes, left_out, used } = unpacked;
                let (from, archive) = (Some(file.clone()), Some(format!("{SHA256}{sum}")));
                Ok(Word::Done(Fetched { from, commit: String::new(), archive, hash, files, bytes, left_out, used }))
            }
        }
    }

    fn list(&self, form: Option<Form>, name: &str) -> Result<Vec<Release>, FetchError> {
        let url = &self.order.url;
        let Some(form) = form else {
            let mirror = Mirror::open(&self.order.cache, url)?;
            self.connect(url, self.order.way, Need::All, &mirror)?;
            return mirror.tags();
        };
        let mut read = |url: &str, accept: &str| {
            /// A page of an index is not larger.
            const PAGE: u64 = 32 << 20;
            let job = self.job(PAGE.min(self.order.cap));
            let mut body = Vec::new();
            let got = with_job(&job, || get(&job, url, accept, &mut body, &mut |_| {}))?;
            Ok(Page { url: got.url, content_type: got.content_type, body })
        };
        index::list(url, form, name, &mut read)
    }

    /// An archive, and its SHA-256.
    fn archive(&self, file: &str, digest: Option<&Digest>) -> Result<(fs::File, String), FetchError> {
        let job = self.job(self.order.cap);
        let mut pace = Pace::default();
        let mut tell = |bytes| pace.tell(Progress { bytes, ..Progress::default() });
        with_job(&job, || archive::open(&self.order.cache, file, digest, &job, &mut tell))
    }

    /// A job that asks for no login.
    fn job(&self, cap: u64) -> Arc<Job> {
        Arc::new(Job::new(self.order.allowed, self.order.patience, cap, Box::new(|_, _| None), false))
    }

    fn write(&self, commit: Option<&str>, limits: &TreeLimits, folder: &Path) -> Result<Fetched, FetchError> {
        let url = &self.order.url;
        let mirror = Mirror::open(&self.order.cache, url)?;
        let here = commit.filter(|commit| mirror.has(commit));
        let reference = url.reference.as_deref();
        let from = match here {
            Some(_) => None,
            None => {
                let locked = commit.and_then(|commit| Oid::from_str(commit).ok());
                let need = Need::Tip { reference, commit: locked };
                let came = self.connect(url, self.order.way, need, &mirror)?;
                if commit.map_or_else(|| mirror.resolve(reference).is_err(), |commit| !mirror.has(commit)) {
                    self.bring_rest(&came, &mirror)?;
                }
                came.from(url)
            }
        };
        let commit = mirror.resolve(commit.or(reference))?;
        // Two that need each other as submodules must not wait for each other.
        let repository = mirror.into_repository();
        let mut bring = |url: &GitUrl, commit: &str| self.bring(url, commit);
        let mut submodules = Submodules::new(url, &mut bring);
        let tree = judge(&repository, repository.find_commit(commit)?.tree_id(), limits, &mut submodules)?;
        let others = submodules.into_repositories();
        let homes: Vec<&Repository> = std::iter::once(&repository).chain(&others).collect();
        let hash = tree.write(&homes, &make_folder(folder)?)?;
        let (files, bytes) = (tree.files(), tree.bytes);
        let used = tree.used.iter().copied().collect();
        Ok(Fetched {
            from,
            commit: commit.to_string(),
            archive: None,
            hash,
            files,
            bytes,
            left_out: tree.left_out,
            used,
        })
    }

    /// A submodule's repository.
    fn bring(&self, url: &GitUrl, commit: &str) -> Result<Repository, FetchError> {
        let refused = |error: UrlError| FetchError::Refused { url: url.to_string(), reason: error.to_string() };
        url.check_allowed(self.order.allowed).map_err(refused)?;
        let mirror = Mirror::open(&self.order.cache, url)?;
        if !mirror.has(commit) {
            self.connect(url, Way::Safest, Need::All, &mirror)?;
            mirror.resolve(Some(commit))?;
        }
        Ok(mirror.into_repository())
    }

    fn look(&self, locked: &str) -> Result<Looked, FetchError> {
        let mirror = Mirror::open(&self.order.cache, &self.order.url)?;
        let reference = self.order.url.reference.as_deref();
        let need = Need::Tip { reference, commit: None };
        let came = self.connect(&self.order.url, self.order.way, need, &mirror)?;
        // The commits between the two give the distance.
        if !mirror.resolve(reference).is_ok_and(|now| now.to_string() == locked) {
            self.bring_rest(&came, &mirror)?;
        }
        let now = mirror.resolve(reference)?;
        let apart = Oid::from_str(locked).ok().and_then(|locked| mirror.apart(now, locked));
        Ok(Looked { now: now.to_string(), apart, subject: mirror.subject(now) })
    }

    /// Fetches by the transport that was asked for. `git://` is tried as https first: most hosts have both, and one is
    /// safe.
    fn connect(&self, url: &GitUrl, way: Way, need: Need<'_>, mirror: &Mirror) -> Result<Came, FetchError> {
        let by = |url: &GitUrl| {
            let url = url.clone();
            move |brought| Came { url, brought }
        };
        if url.transport != Transport::Git || way == Way::Plain && self.order.allowed.git {
            return self.attempt(url, need, mirror).0.map(by(url));
        }
        let safe = url.by(Transport::Https);
        let (ended, answers) = self.attempt(&safe, need, mirror);
        let _ = say(&mut io::stdout(), &Word::Https { answers });
        match ended {
            Ok(brought) => Ok(by(&safe)(brought)),
            // It was ordered under another scheme, which was not tried.
            Err(
                reason @ (FetchError::Unreachable { .. }
                | FetchError::NotHttps { .. }
                | FetchError::Stalled { .. }
                | FetchError::NoRepository { .. }
                | FetchError::NotGit { .. }
                | FetchError::Unauthorized { .. }),
            ) if !self.order.allowed.git => {
                const HTTPS: u16 = 443;
                let port = safe.port.unwrap_or(HTTPS);
                Err(FetchError::OnlyHttps { url: url.to_string(), port, reason: Box::new(reason) })
            }
            Err(error) if !self.order.allowed.git => Err(error),
            Err(error) if way == Way::OnlyHttps => {
                Err(FetchError::Downgrade { host: url.host.clone(), reason: Box::new(error) })
            }
            Err(_) => self.attempt(url, need, mirror).0.map(by(url)),
        }
    }

    /// Fetches all that an earlier fetch left out, from where that came.
    fn bring_rest(&self, came: &Came, mirror: &Mirror) -> Result<(), FetchError> {
        match came.brought {
            Brought::All => Ok(()),
            Brought::Tip => self.attempt(&came.url, Need::All, mirror).0.map(drop),
        }
    }

    /// One try, and whether anything answered at all.
    fn attempt(&self, url: &GitUrl, need: Need<'_>, mirror: &Mirror) -> (Result<Brought, FetchError>, bool) {
        let used: Arc<Mutex<Option<(String, Login)>>> = Arc::default();
        let ask = asker(Arc::clone(&self.stdin), Arc::clone(&used));
        let job = Arc::new(Job::new(self.order.allowed, self.order.patience, self.order.cap, ask, mirror.is_empty()));
        let mut pace = Pace::default();
        let fetched = mirror.fetch(url, need, &job, &mut |progress| pace.tell(progress));
        if let (Ok(_), Some((url, login))) = (&fetched, &*used.lock().unwrap_or_else(PoisonError::into_inner)) {
            login::approve(url, login);
        }
        (fetched, job.was_answered())
    }
}

/// Progress reports, at most one in 50 ms.
struct Pace(Instant);

impl Default for Pace {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Pace {
    fn tell(&mut self, progress: Progress) {
        const PACE: Duration = Duration::from_millis(50);
        if self.0.elapsed() >= PACE {
            self.0 = Instant::now();
            let _ = say(&mut io::stdout(), &Word::Progress(progress));
        }
    }
}

/// A connection with the bytes received from it.
struct Came {
    url: GitUrl,
    brought: Brought,
}

impl Came {
    /// The URL that did, where it is not the one that was asked for.
    fn from(&self, asked: &GitUrl) -> Option<String> {
        (self.url.transport != asked.transport).then(|| self.url.to_string())
    }
}

/// First the helpers, then the user; the helpers get a report of a refused login.
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
