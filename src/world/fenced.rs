//! What a program may read, decided in one place: its own trees and the documented facts, and everything else only if
//! no unapproved module takes part.
//!
//! An evaluator cannot attribute every read to a module, because values flow between modules. Therefore one unapproved
//! module limits the whole program. Links are resolved before the decision, so a link that leads out is a path outside.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{PathKind, Read, ReadError, Sample, World};

/// Files of this machine that facts come from.
const FACTS: [&str; 20] = [
    "/.dockerenv",
    "/etc/arch-release",
    "/etc/debian_version",
    "/etc/group",
    "/etc/hosts",
    "/etc/localtime",
    "/etc/os-release",
    "/etc/puppet/hiera.yaml",
    "/etc/puppet/puppet.conf",
    "/etc/puppetlabs/puppet/hiera.yaml",
    "/etc/puppetlabs/puppet/puppet.conf",
    "/etc/redhat-release",
    "/etc/resolv.conf",
    "/etc/selinux/config",
    "/proc/mounts",
    "/proc/net/route",
    "/run/.containerenv",
    "/usr/lib/os-release",
    "/etc/ssh/ssh_host_ecdsa_key.pub",
    "/etc/ssh/ssh_host_ed25519_key.pub",
];

/// Folders of this machine that facts, time zones and system modules come from.
const FACT_FOLDERS: [&str; 15] = [
    "/etc/facter/facts.d",
    "/etc/puppetlabs/code/modules",
    "/etc/puppetlabs/facter/facts.d",
    "/etc/ssh/ssh_host_dsa_key.pub",
    "/etc/ssh/ssh_host_rsa_key.pub",
    "/etc/zoneinfo",
    "/opt/puppetlabs/facter/facts.d",
    "/opt/puppetlabs/puppet/modules",
    "/sys/block",
    "/sys/class/dmi/id",
    "/sys/class/net",
    "/sys/fs/selinux",
    "/usr/lib/locale/TZ",
    "/usr/share/lib/zoneinfo",
    "/usr/share/zoneinfo",
];

/// Variables of the environment that facts come from; others may hold secrets.
const VARIABLES: [&str; 10] = ["HOME", "LANG", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "TZ", "USER", "HOSTNAME"];

/// More links are a loop.
const LINKS: usize = 40;

/// What only the module tree of a program shows.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// The names of its unapproved fetched modules.
    pub strangers: Vec<String>,
    /// Folders and files that its other modules import.
    pub own: Vec<PathBuf>,
}

/// Judges a program, at the first read that depends on it.
pub type Judge = dyn Fn() -> Judged + Send + Sync;

/// A read outside of the program's own trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    pub path: PathBuf,
    /// The unapproved modules that it was refused for; empty if it was allowed.
    pub refused_for: Arc<[String]>,
    /// The file and line that the program was at.
    pub at: Option<(String, u32)>,
}

/// A world with a fence around a program.
pub struct Fenced {
    inner: Arc<dyn World>,
    /// The same machine for resolving links, which is no read of the program.
    links: Arc<dyn World>,
    judge: Box<Judge>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The program's own folders and files without links; `None` before the program is evaluated.
    own: Option<HashSet<OsString>>,
    has_fetched: bool,
    /// Paths without links.
    real: HashMap<OsString, PathBuf>,
    strangers: Option<Arc<[String]>>,
    outside: Vec<Outside>,
    at: Option<(String, u32)>,
}

impl Fenced {
    /// Everything may be read until [`enclose`](Self::enclose). `judge` is called at the first read that depends on it.
    pub fn new(inner: Arc<dyn World>, links: Arc<dyn World>, judge: Box<Judge>) -> Self {
        Self { inner, links, judge, state: Mutex::default() }
    }

    /// Puts the fence around a program with these folders and files. `has_fetched`: fetched modules are near it.
    pub fn enclose(&self, own: impl IntoIterator<Item = PathBuf>, has_fetched: bool) {
        let own = own.into_iter().map(|path| self.real(&path).into()).collect();
        *self.state() = State { own: Some(own), has_fetched, ..State::default() };
    }

    /// Removes the fence, to read another version of the program's metadata.
    pub fn open(&self) {
        *self.state() = State::default();
    }

    /// Returns the reads outside since then.
    pub fn outside(&self) -> Vec<Outside> {
        self.state().outside.clone()
    }

    /// The state stays valid if a reader panics: each change is a single value.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn strangers(&self) -> Arc<[String]> {
        if let Some(known) = &self.state().strangers {
            return Arc::clone(known);
        }
        let Judged { strangers, own } = (self.judge)();
        let own: Vec<OsString> = own.into_iter().map(|path| self.real(&path).into()).collect();
        let mut state = self.state();
        state.own.get_or_insert_default().extend(own);
        Arc::clone(state.strangers.insert(strangers.into()))
    }

    /// Whether a path is one of the program's own, or of the facts.
    fn is_inside(&self, path: &Path) -> bool {
        if self.state().own.is_none() || is_fact(path) {
            return true;
        }
        let real = self.real(path);
        let state = self.state();
        state.own.as_ref().is_none_or(|own| real.ancestors().any(|folder| own.contains(folder.as_os_str())))
    }

    /// Reads a path, if it may be read.
    fn read_path(&self, path: &Path, what: &Read) -> Result<Sample, ReadError> {
        if self.is_inside(path) {
            return self.inner.read(what);
        }
        // Looking for a file that does not exist reveals nothing. Every program of Puppet looks for `puppet.conf` outside, and
        // judging it takes longer than compiling a small one.
        if let Read::Kind(_) = what
            && let Ok(Sample::Kind(PathKind::Missing)) = self.inner.read(what)
        {
            return Ok(Sample::Kind(PathKind::Missing));
        }
        let strangers = self.strangers();
        if self.is_inside(path) {
            return self.inner.read(what);
        }
        let is_content = matches!(what, Read::File(_) | Read::Folder(_));
        if strangers.is_empty() {
            let answer = self.inner.read(what);
            if is_content && answer.is_ok() {
                self.note_outside(path, strangers);
            }
            return answer;
        }
        self.note_outside(path, Arc::clone(&strangers));
        Err(ReadError::Refused { path: path.into(), modules: strangers.to_vec() })
    }

    fn note_outside(&self, path: &Path, refused_for: Arc<[String]>) {
        let mut state = self.state();
        if !state.outside.iter().any(|known| known.path == path) {
            let at = state.at.clone();
            state.outside.push(Outside { path: path.into(), refused_for, at });
        }
    }

    /// Resolves the links of a path, as far as it exists.
    fn real(&self, path: &Path) -> PathBuf {
        self.resolve(&self.absolute(path), LINKS)
    }

    /// The folders of a path repeat, so each is resolved once.
    fn resolve(&self, path: &Path, links: usize) -> PathBuf {
        if let Some(known) = self.state().real.get(path.as_os_str()) {
            return known.clone();
        }
        let real = match (path.parent(), path.components().next_back()) {
            (Some(folder), Some(Component::ParentDir)) => {
                let mut real = self.resolve(folder, links);
                real.pop();
                real
            }
            (Some(folder), Some(Component::Normal(name))) => {
                let folder = self.resolve(folder, links);
                let next = folder.join(name);
                match self.links.read(&Read::Link(next.clone())) {
                    Ok(Sample::Path(target)) if links > 0 => self.resolve(&folder.join(target), links - 1),
                    _ => next,
                }
            }
            _ => PathBuf::from("/"),
        };
        self.state().real.insert(path.into(), real.clone());
        real
    }

    fn absolute(&self, path: &Path) -> PathBuf {
        if path.is_absolute() {
            return path.into();
        }
        match self.links.read(&Read::WorkingFolder) {
            Ok(Sample::Path(folder)) => folder.join(path),
            _ => path.into(),
        }
    }
}

/// Whether a path belongs to the documented facts. These folders belong to the system, so their links are its own.
fn is_fact(path: &Path) -> bool {
    let text = path.as_os_str();
    // The comparison of bytes is the cheap one, and most paths are no facts.
    let is_below = |folder: &&str| text.as_bytes().starts_with(folder.as_bytes()) && path.starts_with(folder);
    FACTS.iter().any(|fact| text == *fact)
        || FACT_FOLDERS.iter().any(is_below) && path.components().all(|part| part != Component::ParentDir)
}

impl World for Fenced {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        match what {
            Read::File(path) | Read::Kind(path) | Read::Folder(path) | Read::Link(path) => self.read_path(path, what),
            // Every program with facts reads it, so the cheap question comes first.
            Read::Environment if self.state().has_fetched => {
                let Sample::Pairs(mut pairs) = self.inner.read(what)? else { return self.inner.read(what) };
                if !self.strangers().is_empty() {
                    let is_plain = |name: &str| name.starts_with("LC_") || name.starts_with("FACTER_");
                    pairs.retain(|name, _| VARIABLES.contains(&name.as_str()) || is_plain(name));
                }
                Ok(Sample::Pairs(pairs))
            }
            other => self.inner.read(other),
        }
    }

    fn note(&self, file: &str, line: u32) {
        match &mut self.state().at {
            Some((name, at)) if name == file => *at = line,
            at => *at = Some((file.to_owned(), line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Memory;
    use super::*;

    fn world() -> Arc<dyn World> {
        let file = |path: &str, text: &str| (Read::File(path.into()), Sample::Bytes(text.as_bytes().into()));
        let link = |path: &str, to: &str| (Read::Link(path.into()), Sample::Path(to.into()));
        let samples = [
            file("/site/main.pp", "main"),
            file("/etc/shadow", "secret"),
            file("/etc/os-release", "ID=debian"),
            file("/lib/main.pp", "lib"),
            file("/site/files/out", "secret"),
            file("/site/up/../../etc/shadow", "secret"),
            link("/site/files/out", "../../etc/shadow"),
            (Read::Kind("/etc/shadow".into()), Sample::Kind(PathKind::File)),
        ];
        Arc::new(samples.into_iter().fold(Memory::default(), |world, (read, sample)| world.with(read, sample)))
    }

    fn fence(strangers: &[&str]) -> Fenced {
        let names: Vec<String> = strangers.iter().map(|name| (*name).to_owned()).collect();
        let fenced = Fenced::new(
            world(),
            world(),
            Box::new(move || Judged { strangers: names.clone(), own: vec!["/lib".into()] }),
        );
        fenced.enclose([PathBuf::from("/site")], true);
        fenced
    }

    #[test]
    fn an_unapproved_module_limits_a_program_to_its_trees_and_the_facts() {
        let fenced = fence(&["bad"]);
        let world: &dyn World = &fenced;
        world.note("main.pp", 3);
        for path in ["/site/main.pp", "/etc/os-release", "/lib/main.pp"] {
            assert!(world.file(Path::new(path)).is_ok(), "{path}");
        }
        for path in ["/etc/shadow", "/site/files/out", "/site/up/../../etc/shadow", "/proc/self/environ"] {
            let refused = world.file(Path::new(path));
            assert!(matches!(refused, Err(ReadError::Refused { .. })), "{path}: {refused:?}");
        }
        assert_eq!(world.kind(Path::new("/etc/shadow")), PathKind::Missing);
        assert_eq!(fenced.outside().len(), 4);
        assert!(fenced.outside().iter().all(|read| read.at == Some(("main.pp".into(), 3))));
    }

    #[test]
    fn an_approved_program_reads_everything_and_its_reads_are_listed() {
        let fenced = fence(&[]);
        let world: &dyn World = &fenced;
        for path in ["/etc/shadow", "/etc/os-release", "/site/main.pp", "/lib/main.pp", "/etc/shadow"] {
            assert!(world.file(Path::new(path)).is_ok(), "{path}");
        }
        let outside: Vec<_> = fenced.outside().into_iter().map(|read| read.path).collect();
        assert_eq!(outside, [PathBuf::from("/etc/shadow")]);
    }
}
