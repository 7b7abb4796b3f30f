//! How bytes of git's protocol travel: https and http by our HTTP library, ssh by the user's own program, plain git over
//! a socket.
//!
//! libgit2 keeps only the text of an error and hands no options on to transports of others. So a [`Job`] holds the
//! options of a fetch and its error; the transports find it by their thread.

mod daemon;
mod get;
mod http;
mod ssh;

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError};
use std::time::Duration;

use git2::transport::Transport as GitTransport;
use serde::{Deserialize, Serialize};

use super::FetchError;
use super::url::{Allowed, GitUrl};

pub use get::{get, resolve};

/// How long a connection may take to come about, and how long a server may be silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Patience {
    pub connect: Duration,
    pub silence: Duration,
}

impl Patience {
    /// A connection that takes longer does not come about.
    const CONNECT: Duration = Duration::from_secs(15);

    /// Makes the limits for a silence. A connection may take at most 15 seconds.
    pub fn of(silence: Duration) -> Self {
        Self { connect: silence.min(Self::CONNECT), silence }
    }
}

/// A user name and a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Login {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Gives a login for a URL; asked again with `refused` when the first one did not do.
pub type Ask = dyn Fn(&str, Option<&Login>) -> Option<Login> + Send + Sync;

/// What one fetch may do, and what became of it.
pub struct Job {
    pub allowed: Allowed,
    pub patience: Patience,
    /// Bytes that may be received.
    pub cap: u64,
    pub ask: Box<Ask>,
    /// Nothing of the repository is here: there is nothing to agree on with the server.
    pub is_first: bool,
    bytes: AtomicU64,
    pace: Mutex<Pace>,
    /// Somebody answered.
    is_answered: AtomicBool,
    /// Nothing listened where a connection was tried.
    is_dead: AtomicBool,
    error: Mutex<Option<FetchError>>,
}

impl Job {
    /// Makes a job. `cap` is the limit of received bytes.
    pub fn new(allowed: Allowed, patience: Patience, cap: u64, ask: Box<Ask>, is_first: bool) -> Self {
        Self {
            allowed,
            patience,
            cap,
            ask,
            is_first,
            bytes: AtomicU64::new(0),
            pace: Mutex::default(),
            is_answered: AtomicBool::new(false),
            is_dead: AtomicBool::new(false),
            error: Mutex::new(None),
        }
    }

    /// Returns the bytes received so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether there was anybody to connect to, as far as that was tried.
    pub fn was_answered(&self) -> bool {
        self.is_answered.load(Ordering::Relaxed) || !self.is_dead.load(Ordering::Relaxed)
    }

    /// The error of a transport, more precise than that of libgit2.
    pub fn take_error(&self) -> Option<FetchError> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Notes the first error, and gives one for libgit2, which must not hold a zero byte.
    fn fail(&self, error: FetchError) -> git2::Error {
        let text = error.to_string().replace('\0', "\u{fffd}");
        self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        git2::Error::from_str(&text)
    }

    fn fail_io(&self, error: FetchError) -> io::Error {
        io::Error::other(self.fail(error).message().to_owned())
    }

    /// Counts received bytes and the time waited for them. Fails above the size limit or below the speed limit.
    fn arrived(&self, host: &str, count: usize, waited: Duration) -> io::Result<()> {
        let before = self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        if before + count as u64 > self.cap {
            return Err(self.fail_io(FetchError::TooLarge { limit: self.cap }));
        }
        let silence = self.patience.silence;
        let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
        if count > 0 && pace.is_too_slow(count, waited, silence) {
            return Err(self.fail_io(FetchError::Slow { host: host.to_owned(), seconds: silence.as_secs() }));
        }
        Ok(())
    }

    /// Judges a URL once more: the user's git settings may have put another one in its place.
    fn admit(&self, url: &str) -> Result<GitUrl, git2::Error> {
        let refused = |reason: String| self.fail(FetchError::Refused { url: url.to_owned(), reason });
        let parsed = GitUrl::parse(url).map_err(|error| refused(error.to_string()))?;
        if self.allowed.permits(parsed.transport) {
            Ok(parsed)
        } else {
            Err(refused(format!("`{}` is not allowed", parsed.transport.scheme())))
        }
    }
}

/// Received bytes per time waited. Local work such as unpacking does not count.
#[derive(Default)]
struct Pace {
    bytes: u64,
    waited: Duration,
}

impl Pace {
    /// Bytes in a second. A server that sends less is cut off, as with git's `http.lowSpeedLimit`.
    const LEAST: u64 = 1000;

    /// Whether less than the least came in a whole `span` of waiting.
    fn is_too_slow(&mut self, count: usize, waited: Duration, span: Duration) -> bool {
        self.bytes += count as u64;
        self.waited += waited;
        if self.waited < span {
            return false;
        }
        let whole = std::mem::take(self);
        (whole.bytes as f64) < Self::LEAST as f64 * whole.waited.as_secs_f64()
    }
}

thread_local! {
    static JOB: RefCell<Option<Arc<Job>>> = const { RefCell::new(None) };
}

/// Runs `work` with a job that the transports of this thread find.
pub fn with_job<T>(job: &Arc<Job>, work: impl FnOnce() -> T) -> T {
    register();
    JOB.with_borrow_mut(|slot| *slot = Some(Arc::clone(job)));
    let done = work();
    JOB.with_borrow_mut(|slot| *slot = None);
    done
}

fn job() -> Result<Arc<Job>, git2::Error> {
    JOB.with_borrow(Clone::clone).ok_or_else(|| git2::Error::from_str("no fetch is under way on this thread"))
}

/// Puts our transports in place of libgit2's, once for the process.
#[expect(unsafe_code, reason = "registering must not race with the making of other transports; it comes before all")]
fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for scheme in ["http", "https"] {
            let made = move |remote: &git2::Remote<'_>| GitTransport::smart(remote, true, http::Http::default());
            // SAFETY: `Once` lets one thread in, and every user of git2 that makes a transport comes through here first.
            let registered = unsafe { git2::transport::register(scheme, made) };
            debug_assert!(registered.is_ok(), "{scheme} is registered once");
        }
        let made = |remote: &git2::Remote<'_>| GitTransport::smart(remote, false, daemon::Daemon);
        // SAFETY: as above.
        let registered = unsafe { git2::transport::register("git", made) };
        debug_assert!(registered.is_ok(), "git is registered once");
        for scheme in ["ssh", "git+ssh", "ssh+git"] {
            let made = |remote: &git2::Remote<'_>| GitTransport::smart(remote, false, ssh::Ssh);
            // SAFETY: as above.
            let registered = unsafe { git2::transport::register(scheme, made) };
            debug_assert!(registered.is_ok(), "{scheme} is registered once");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trickle_is_too_slow_once_the_span_is_over() {
        let (second, span) = (Duration::from_secs(1), Duration::from_secs(30));
        let mut pace = Pace::default();
        let slow: Vec<bool> = (0..30).map(|_| pace.is_too_slow(999, second, span)).collect();
        assert_eq!(slow.iter().position(|slow| *slow), Some(29), "less than 1 kB/s for 30 s");
        assert!((0..300).all(|_| !pace.is_too_slow(1000, second, span)), "1 kB/s is enough");
        // A burst pays for the rest of its span only.
        assert!(!pace.is_too_slow(1 << 20, second, span));
        assert!((0..59).any(|_| pace.is_too_slow(1, second, span)));
        assert!(!pace.is_too_slow(1, span / 2, span), "a short answer may take its time");
    }
}
