//! Fetches package archives without installing them, so that a preview knows their contents.
//!
//! The manager fetches from its own sources and checks the archives against the hashes in its lists. It writes only
//! into the given folder. An interrupted fetch leaves no archive there.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, SystemTime};

use super::{Manager, checked, manager};
use crate::host::local::{LocalLook, tool};
use crate::host::{Archive, HostError, Within, is_version};

/// How often to check the progress.
const PAUSE: Duration = Duration::from_millis(100);

/// An archive is removed if it was not fetched again within this time.
const KEPT: Duration = Duration::from_secs(60 * 24 * 3600);

/// The result of a fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FetchedArchives {
    pub archives: usize,
    /// In bytes.
    pub size: u64,
}

/// Fetches archives into an existing folder. Needs no privileges.
///
/// `within` receives the progress, cancels the fetch, and limits its time. The fetch is all or nothing.
pub fn fetch_archives(folder: &Path, archives: &[Archive], within: &Within) -> Result<FetchedArchives, HostError> {
    archives.iter().try_for_each(|archive| checked(&archive.name))?;
    if let Some(archive) = archives.iter().find(|archive| !is_version(&archive.version)) {
        return Err(HostError::Refused(format!("a version of `{}` has no name to fetch it by", archive.name)));
    }
    if archives.is_empty() {
        return Ok(FetchedArchives::default());
    }
    let look = LocalLook::new(false);
    match manager(&look)? {
        Manager::Apt => {
            make_room(folder);
            apt(folder, archives, &look, within)
        }
        Manager::Pacman => Err(not_here("`pacman -Sw` fetches them, as root")),
        Manager::Rpm => Err(not_here("`dnf install --downloadonly` fetches them, as root")),
        Manager::Apk => Err(not_here("`apk fetch` is not supported yet")),
    }
}

fn not_here(way: &str) -> HostError {
    HostError::Refused(format!("archives are only downloaded from apt sources; {way}"))
}

fn apt(folder: &Path, archives: &[Archive], look: &LocalLook, within: &Within) -> Result<FetchedArchives, HostError> {
    let failed = |error: std::io::Error| HostError::std("make a folder in", folder, &error);
    let coming = tempfile::Builder::new().prefix("coming-").tempdir_in(folder).map_err(failed)?;
    let cache = format!("Dir::Cache={}", coming.path().display());
    let archives_folder = format!("Dir::Cache::archives={}", coming.path().display());
    // The manager's index of all packages is of no use in that folder.
    let own = ["-o", &cache, "-o", &archives_folder, "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="];
    let own = [&own[..], &["-o", "Debug::NoLocking=1", "-q"]].concat();
    let named: Vec<String> = archives.iter().map(|archive| format!("{}={}", archive.name, archive.version)).collect();
    let args = |verb: &[&'static str]| -> Vec<String> {
        own.iter().chain(verb).map(|arg| (*arg).to_owned()).chain(named.iter().cloned()).collect()
    };
    let run = |verb: &[&'static str]| {
        let args = args(verb);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        tool::fetch("apt-get", &args, coming.path(), look.minder.as_deref(), within)
    };
    let expected = run(&["--print-uris", "download"])?;
    let expected: Vec<u64> = tool::lines(&expected).iter().filter_map(|line| size(line)).collect();
    let (all, total) = (archives.len(), expected.iter().sum::<u64>());
    let (ended, end) = channel();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The receiver waits to the end.
            let _ = ended.send(run(&["download"]));
        });
        loop {
            match end.recv_timeout(PAUSE) {
                Ok(done) => break done,
                Err(RecvTimeoutError::Timeout) => within.report(&progress(coming.path(), all, total)),
                Err(RecvTimeoutError::Disconnected) => {
                    break Err(HostError::Refused("apt-get failed".into()));
                }
            }
        }
    })?;
    let mut fetched = FetchedArchives::default();
    for (path, size) in there(coming.path()) {
        let Some(name) = path.file_name() else { continue };
        let into = folder.join(name);
        std::fs::rename(&path, &into).map_err(|error| HostError::std("install", &into, &error))?;
        fetched.archives += 1;
        fetched.size += size;
    }
    Ok(fetched)
}

/// Parses the size from a line such as `'http://x/hello.deb' hello_2.10-3_amd64.deb 53080 SHA256:8b...`.
fn size(line: &str) -> Option<u64> {
    line.rsplit(' ').nth(1)?.parse().ok()
}

/// Returns the archives in a folder, with their sizes.
fn there(folder: &Path) -> Vec<(PathBuf, u64)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let archives = entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "deb"));
    archives.filter_map(|entry| Some((entry.path(), entry.metadata().ok()?.len()))).collect()
}

fn progress(folder: &Path, all: usize, total: u64) -> String {
    let there = there(folder);
    let size: u64 = there.iter().map(|(_, size)| size).sum();
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let (come, size, total) = (there.len(), megabytes(size), megabytes(total));
    format!("{come} of {all} archives, {size:.1} of {total:.1} MB")
}

/// Removes old archives. Failures are ignored.
fn make_room(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|stat| stat.modified()).ok().and_then(age_of);
        if age.is_some_and(|age| age > KEPT) {
            // A killed fetch may have left a folder.
            let _ = std::fs::remove_file(entry.path()).or_else(|_| std::fs::remove_dir_all(entry.path()));
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "the age of our own files is nothing that a program reads")]
fn age_of(modified: SystemTime) -> Option<Duration> {
    SystemTime::now().duration_since(modified).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!(size("'http://x/h.deb' hello_2.10-3_amd64.deb 53080 SHA256:8b"), Some(53080));
        assert_eq!((size(""), size("a b"), size("'x' y z SHA256:1")), (None, None, None));
    }

    #[test]
    fn impossible_package_names_are_not_queried() {
        let archive = |name: &str, version: &str| Archive { name: name.into(), version: version.into() };
        let folder = tempfile::tempdir().expect("can be made");
        for wrong in [archive("-o", "1"), archive("x", "-y"), archive("x", ""), archive("../x", "1")] {
            let refused = fetch_archives(folder.path(), std::slice::from_ref(&wrong), &Within::default());
            assert!(matches!(refused, Err(HostError::Refused(_))), "{wrong:?}");
        }
        assert_eq!(fetch_archives(folder.path(), &[], &Within::default()), Ok(FetchedArchives::default()));
    }
}
