//! Fetching in commands: its options, its progress, and how it is cancelled.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::args::Global;
use super::ask_login;
use super::exit::Exit;
use super::face::{Aside, Face, count};
use crate::session::{
    Around, AskAnyTime, Cancel, DownloadOptions, FetchEvent, Interrupts, NotFetched, Permit, Progress, Session,
    in_bytes,
};
use crate::source::printable;

/// The options of every command that fetches.
#[derive(Args, Clone, Debug)]
pub struct FetchArgs {
    /// Allow more than the setting `fetch-allow`
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    pub allow: Vec<Allow>,
    /// Largest size of a module, in MiB
    #[arg(long, default_value_t = 256, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub max_size: u64,
    /// How many modules are fetched at once
    #[arg(short, long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: u16,
    /// Give up when a server sends nothing for this many seconds [default: the settings' `fetch-timeout`, else 30]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Allow {
    /// git:// without encryption, if https fails
    Git,
    /// http:// without encryption
    Http,
    /// Paths on this machine: file:///path/ and git:///path/
    File,
    /// Modules with symbolic links or submodules, without the links and submodules unless `copies` or `submodules` is
    /// allowed too
    Links,
    /// Symbolic links within a module; each is replaced by a copy of its target
    Copies,
    /// Submodules, fetched like their module
    Submodules,
    /// File names that are not portable: case clashes, `a:b`, `-x`
    Names,
}

impl From<Allow> for Permit {
    fn from(allow: Allow) -> Self {
        match allow {
            Allow::Git => Permit::Git,
            Allow::Http => Permit::Http,
            Allow::File => Permit::File,
            Allow::Links => Permit::Links,
            Allow::Copies => Permit::Copies,
            Allow::Submodules => Permit::Submodules,
            Allow::Names => Permit::Names,
        }
    }
}

impl FetchArgs {
    /// The settings, overridden by these flags.
    pub fn options(&self, session: &Session) -> DownloadOptions {
        let mut options = session.download_options();
        options.permits.extend(self.allow.iter().copied().map(Permit::from));
        options.silence = self.timeout.map_or(options.silence, Duration::from_secs);
        DownloadOptions { max_size: self.max_size << 20, jobs: self.jobs.into(), ..options }
    }
}

/// Runs a fetch; errors are already reported if this returns an exit code.
pub fn run<T>(
    face: &Face,
    global: &Global,
    silence: Duration,
    work: impl FnOnce(Around<'_>) -> Result<T, Box<NotFetched>>,
) -> Result<T, Exit> {
    let cancel = Cancel::default();
    let interrupts = Interrupts::catch_for(cancel.clone())
        .map_err(|error| face.refuse(&format!("signals cannot be caught: {error}"), "try again"))?;
    let is_live = io::stderr().is_terminal() && !global.plain && !global.quiet;
    let ticker = Mutex::new(Ticker::new(face.aside(), is_live, silence));
    // A question suspends the progress line.
    let ask = |url: &str| {
        let _quiet = ticker.lock().unwrap_or_else(PoisonError::into_inner);
        ask_login::login(url, &cancel)
    };
    let ask = ask_login::can_ask().then_some(&ask as &AskAnyTime<'_>);
    let mut report = |event| ticker.lock().unwrap_or_else(PoisonError::into_inner).follow(event);
    let ended = work(Around { cancel: &cancel, ask, report: &mut report });
    ticker.lock().unwrap_or_else(PoisonError::into_inner).clear();
    match ended {
        Ok(done) => Ok(done),
        Err(_) if interrupts.count() > 0 => {
            face.note("stopped; nothing was changed");
            Err(Exit::Stopped)
        }
        Err(not) => Err(face.report(&not.report)),
    }
}

/// The progress: one line that is redrawn on a terminal, else a line per module.
struct Ticker {
    aside: Aside,
    is_live: bool,
    under_way: BTreeMap<String, Progress>,
    came: usize,
    of: usize,
    /// The bytes of finished fetches.
    bytes: u64,
    begun: Instant,
    drawn: Option<Instant>,
    /// How long a server may be silent.
    patience: Duration,
}

/// Without a terminal, silence is reported at this interval, in seconds.
const TELL_SILENCE: u64 = 10;

/// How long nothing has arrived, and the limit.
fn silence(progress: &Progress, patience: Duration) -> String {
    format!("no data for {} s, timeout at {}", progress.silent, patience.as_secs())
}

impl Ticker {
    fn new(aside: Aside, is_live: bool, patience: Duration) -> Self {
        Self {
            aside,
            is_live,
            patience,
            under_way: BTreeMap::new(),
            came: 0,
            of: 0,
            bytes: 0,
            begun: Instant::now(),
            drawn: None,
        }
    }

    fn follow(&mut self, event: FetchEvent) {
        match event {
            FetchEvent::Round { fetching, .. } => self.of += fetching,
            FetchEvent::Begun { name } => {
                self.under_way.insert(name, Progress::default());
            }
            FetchEvent::Progress { name, progress } => {
                if !self.is_live && progress.silent > 0 && progress.silent.is_multiple_of(TELL_SILENCE) {
                    self.aside.note(format_args!("{name}: {}", silence(&progress, self.patience)));
                }
                self.under_way.insert(name, progress);
            }
            FetchEvent::Fetched { name, files, bytes } => {
                self.bytes += self.under_way.remove(&name).map_or(0, |progress| progress.bytes);
                self.came += 1;
                if !self.is_live {
                    self.aside.note(format_args!("fetched {name}: {}, {}", count(files, "file"), in_bytes(bytes)));
                }
            }
            FetchEvent::Checked { name } | FetchEvent::Failed { name } => {
                self.bytes += self.under_way.remove(&name).map_or(0, |progress| progress.bytes);
            }
            FetchEvent::Waiting => self.aside.note("waiting for another download of the same entry"),
        }
        const PACE: Duration = Duration::from_millis(100);
        if self.is_live && self.drawn.is_none_or(|drawn| drawn.elapsed() >= PACE) {
            self.draw();
        }
    }

    fn draw(&mut self) {
        self.drawn = Some(Instant::now());
        let bytes = self.bytes + self.under_way.values().map(|progress| progress.bytes).sum::<u64>();
        let rate = (bytes as f64 / self.begun.elapsed().as_secs_f64().max(0.1)) as u64;
        let objects = |sum: fn(&Progress) -> usize| self.under_way.values().map(sum).sum::<usize>();
        let (got, of) = (objects(|progress| progress.objects), objects(|progress| progress.of_objects));
        let silent = self.under_way.iter().max_by_key(|(_, progress)| progress.silent);
        let rest = match silent.filter(|(_, progress)| progress.silent > 0) {
            // The slowest one.
            Some((name, progress)) => format!("{}: {name}", silence(progress, self.patience)),
            None => self.under_way.keys().map(String::as_str).collect::<Vec<_>>().join(" "),
        };
        let line = format!(
            "fetching {}/{}  {} ({}/s)  {got}/{of} objects  {rest}",
            self.came,
            self.of,
            in_bytes(bytes),
            in_bytes(rate),
        );
        let line: String = printable(&line).as_str().chars().take(78).collect();
        let _ = write!(io::stderr(), "\r\x1b[2K{line}");
        let _ = io::stderr().flush();
    }

    fn clear(&mut self) {
        if self.is_live && self.drawn.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[2K");
        }
    }
}
