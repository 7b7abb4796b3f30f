//! `workbench download`: fetches the modules that an entry imports from git, and says what came.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use crate::cli::args::{Entry, Global};
use crate::cli::ask_login;
use crate::cli::exit::Exit;
use crate::cli::face::{Aside, Face, count};
use crate::cli::open::open;
use crate::cli::paint::Role;
use crate::session::{Allowed, AskAnyTime, Cancel, DownloadOptions, Downloaded, Heard, Interrupts, Progress, in_bytes};
use crate::source::printable;

/// Fetch the git modules that an entry imports, and theirs
///
/// What is missing is fetched into the module path, locked in `workbench.lock`, and put in place all at once. What the
/// lock holds is fetched as locked.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  workbench download site/\n  workbench download --update site/\n  \
                  workbench download --locked site/        for CI: nothing but what the lock says\n\n\
                  https and ssh are always taken, git:// as https. A module that was edited is left alone; with\n\
                  --update it is refused.")]
pub struct Download {
    #[command(flatten)]
    pub entry: Entry,
    /// Move locked modules to what their refs stand for now
    #[arg(long, conflicts_with = "locked")]
    pub update: bool,
    /// Refuse whatever the lock does not hold exactly
    #[arg(long)]
    pub locked: bool,
    /// What else is taken
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    pub allow: Vec<Allow>,
    /// How many MiB a module may have
    #[arg(long, default_value_t = 256, value_name = "MIB", value_parser = clap::value_parser!(u64).range(1..=65536))]
    pub max_size: u64,
    /// How many modules are fetched at once
    #[arg(short, long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Allow {
    /// git:// without encryption, where https does not do
    Git,
    /// http:// without encryption
    Http,
    /// Paths on this machine: file:///path/ and git:///path/
    File,
    /// Modules with symbolic links or submodules, which are left out
    Links,
}

impl Download {
    pub fn run(&self, face: &mut Face, global: &Global) -> io::Result<Exit> {
        let session = match open(face, global, &self.entry) {
            Ok(session) => session,
            Err(exit) => return Ok(exit),
        };
        let cancel = Cancel::default();
        let interrupts = Interrupts::catch_for(cancel.clone())?;
        let is_allowed = |what| self.allow.contains(&what);
        let options = DownloadOptions {
            update: self.update,
            locked: self.locked,
            allowed: Allowed {
                git: is_allowed(Allow::Git),
                http: is_allowed(Allow::Http),
                file: is_allowed(Allow::File),
            },
            leave_out_links: is_allowed(Allow::Links),
            max_size: self.max_size << 20,
            jobs: self.jobs.into(),
        };
        let is_live = io::stderr().is_terminal() && !global.plain && !global.quiet;
        let ticker = Mutex::new(Ticker::new(face.aside(), is_live));
        // Who asks keeps the line to themselves.
        let ask = |url: &str| {
            let _quiet = ticker.lock().unwrap_or_else(PoisonError::into_inner);
            ask_login::login(url, &cancel)
        };
        let ask = ask_login::can_ask().then_some(&ask as &AskAnyTime<'_>);
        let ended = session.download(&options, &cancel, ask, &mut |heard| {
            ticker.lock().unwrap_or_else(PoisonError::into_inner).hear(heard);
        });
        ticker.lock().unwrap_or_else(PoisonError::into_inner).clear();
        match ended {
            Err(_) if interrupts.count() > 0 => {
                face.say("stopped; nothing was changed");
                Ok(Exit::Stopped)
            }
            Err(report) => Ok(face.report(&report)),
            Ok(summary) => tell(face, &summary).map(|()| Exit::Done),
        }
    }
}

fn tell(face: &mut Face, summary: &Downloaded) -> io::Result<()> {
    let short = |commit: &str| commit.get(..10).unwrap_or(commit).to_owned();
    if summary.finished_earlier {
        face.say("finished an earlier download that had been cut off");
    }
    for (name, commit) in &summary.came {
        writeln!(face.out, "{} {}  {}", face.paint.role(Role::Create, "+ came "), printable(name), short(commit))?;
    }
    for (name, before, now) in &summary.moved {
        let moved = format!("{} -> {}", short(before), short(now));
        writeln!(face.out, "{} {}  {moved}", face.paint.role(Role::Change, "~ moved"), printable(name))?;
    }
    for (mark, names) in [("edited, left alone", &summary.edited), ("not fetched by us, left alone", &summary.kept)] {
        for name in names {
            writeln!(face.out, "  {mark}: {}", printable(name))?;
        }
    }
    for (name, left_out) in &summary.left_out {
        for offence in left_out {
            writeln!(face.out, "  left out of {}: {offence}", printable(name))?;
        }
    }
    for path in &summary.unused {
        writeln!(face.out, "  nobody imports it any more: {}", printable(path))?;
    }
    let (came, moved) = (summary.came.len(), summary.moved.len());
    let stayed = summary.stayed.len() + summary.edited.len() + summary.kept.len();
    writeln!(face.out, "{} came, {moved} moved, {stayed} stayed", count(came, "module"))
}

/// What is under way: one line that is drawn over on a terminal, a line for each module otherwise.
struct Ticker {
    aside: Aside,
    is_live: bool,
    under_way: BTreeMap<String, Progress>,
    came: usize,
    of: usize,
    /// Bytes of fetches that ended.
    bytes: u64,
    begun: Instant,
    drawn: Option<Instant>,
}

impl Ticker {
    fn new(aside: Aside, is_live: bool) -> Self {
        Self {
            aside,
            is_live,
            under_way: BTreeMap::new(),
            came: 0,
            of: 0,
            bytes: 0,
            begun: Instant::now(),
            drawn: None,
        }
    }

    fn hear(&mut self, heard: Heard) {
        match heard {
            Heard::Round { fetching, .. } => self.of += fetching,
            Heard::Begun { name } => {
                self.under_way.insert(name, Progress::default());
            }
            Heard::Progress { name, progress } => {
                self.under_way.insert(name, progress);
            }
            Heard::Came { name, files, bytes } => {
                self.bytes += self.under_way.remove(&name).map_or(0, |progress| progress.bytes);
                self.came += 1;
                if !self.is_live {
                    self.aside.say(format_args!("fetched {name}: {}, {}", count(files, "file"), in_bytes(bytes)));
                }
            }
            Heard::Failed { name } => {
                self.under_way.remove(&name);
            }
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
        let names: Vec<&str> = self.under_way.keys().map(String::as_str).collect();
        let line = format!(
            "fetching {}/{}  {} ({}/s)  {got}/{of} objects  {}",
            self.came,
            self.of,
            in_bytes(bytes),
            in_bytes(rate),
            names.join(" ")
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
