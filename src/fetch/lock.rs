//! `workbench.lock`: every fetched module with its URL, the ref or the version asked for, the commit or the SHA-256 of its
//! archive, and the hash of its files.
//!
//! Version 2 has versions and archives. A lock without them is written as version 1, which older versions of workbench read.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::FetchError;
use super::hash::TreeHash;
use super::permit::Permit;
use super::url::{GitUrl, UrlError};
use crate::module::clean;
use crate::source::printable;

/// The file's name, beside the entry's metadata.
pub const LOCK_FILE: &str = "workbench.lock";

/// The newest version that is read.
const VERSION: u32 = 2;

const HEADER: &str = "# The commit of every fetched module. Written by `workbench download`; keep it \
under version control.\n";

/// The entries of all modules, in the order of their paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    version: u32,
    #[serde(rename = "module", default, skip_serializing_if = "Vec::is_empty")]
    pub modules: Vec<Locked>,
}

/// One module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Locked {
    /// The URL as imported, without its ref; the module's name if another file names its source.
    pub import: String,
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// What was connected to, where it is another URL; of an archive, its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Its path, relative to this file or to the module path that it is below.
    pub path: String,
    /// The version that was picked among those that fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Empty for an archive.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub commit: String,
    /// The SHA-256 of the archive, with `sha256:` before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
    pub hash: TreeHash,
    /// What of its tree the user allowed beyond files and folders with plain names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Permit>,
    /// Whether those who made this lock let it act on their machines; an update takes that away.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approved: bool,
    /// The commit that they approved last, where an update took that away.
    #[serde(rename = "approved-before", default, skip_serializing_if = "Option::is_none")]
    pub approved_before: Option<String>,
}

impl Locked {
    /// The commit that was approved last in this lock.
    pub fn approved_commit(&self) -> Option<&String> {
        if self.approved { self.commit() } else { self.approved_before.as_ref() }
    }

    /// The commit; nothing for an archive.
    pub fn commit(&self) -> Option<&String> {
        Some(&self.commit).filter(|commit| !commit.is_empty())
    }

    /// The commit, or the digits of the archive's SHA-256: what names exactly this content.
    pub fn revision(&self) -> &str {
        let archive = || self.archive.as_deref().map(|sum| sum.strip_prefix(SHA256).unwrap_or(sum));
        self.commit().map(String::as_str).or_else(archive).unwrap_or_default()
    }

    /// The version, or else the revision: what people compare.
    pub fn shown(&self) -> &str {
        self.version.as_deref().unwrap_or_else(|| self.revision())
    }

    /// What is wrong with an entry that names no exact content, or a folder outside of the project.
    fn fault(&self) -> Option<&'static str> {
        let is_hex = |text: &str, lengths: &[usize]| {
            lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_sha256 = |text: &str| text.strip_prefix(SHA256).is_some_and(|digits| is_hex(digits, &[64]));
        let is_below = |path: &str| {
            let part = |part: &str| !matches!(part, "" | "." | ".." | ".git") && !part.contains(['\\', '\0']);
            path.split('/').all(part)
        };
        match (self.commit(), &self.archive) {
            (None, None) => Some("has neither `commit` nor `archive`"),
            (Some(_), Some(_)) => Some("has both `commit` and `archive`"),
            (Some(commit), None) if !is_hex(commit, &[40, 64]) => Some("has a `commit` that is not the id of one"),
            (None, Some(archive)) if !is_sha256(archive) => Some("has an `archive` that is not a SHA-256"),
            (None, Some(_)) if self.version.is_none() => Some("has an `archive` without its `version`"),
            _ if !is_sha256(&self.hash.0) => Some("has a `hash` that is not a SHA-256"),
            _ if !is_below(&self.path) => Some("has a `path` that is not a folder below the lock file or module path"),
            _ => None,
        }
    }

    /// The repository that it came from, as it was asked for.
    pub fn url(&self) -> Result<GitUrl, UrlError> {
        let url = GitUrl::parse(&self.import).or_else(|error| match &self.from {
            Some(from) => GitUrl::parse(from),
            None => Err(error),
        });
        Ok(GitUrl { reference: self.reference.clone(), ..url? })
    }
}

/// The prefix of an archive's SHA-256.
pub const SHA256: &str = "sha256:";

impl Default for Lock {
    fn default() -> Self {
        Self { version: 1, modules: Vec::new() }
    }
}

/// Why a lock cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    #[error("{0}")]
    Unreadable(String),
    /// With the bytes of the text that are at fault, where that is known.
    #[error("{message}")]
    Invalid { message: String, at: Option<std::ops::Range<usize>> },
    #[error("it has version {0}, made by a newer workbench")]
    Newer(u32),
}

impl Lock {
    /// Reads a lock's text.
    pub fn parse(text: &str) -> Result<Self, LockError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let invalid = |error: toml::de::Error| LockError::Invalid { message: error.message().into(), at: error.span() };
        let head: Head = toml::from_str(text).map_err(invalid)?;
        if head.version > VERSION {
            return Err(LockError::Newer(head.version));
        }
        let lock: Self = toml::from_str(text).map_err(invalid)?;
        match lock.fault() {
            None => Ok(lock),
            Some((at, message)) => Err(LockError::Invalid { message, at: place_of_entry(text, at) }),
        }
    }

    /// The first entry without data to compare a fetch with, and the reason.
    fn fault(&self) -> Option<(usize, String)> {
        let mut paths = BTreeSet::new();
        let of = |locked: &Locked| locked.fault().map(str::to_owned);
        let twice = |locked: &Locked| format!("has the same path as another one: `{}`", printable(&locked.path));
        self.modules.iter().enumerate().find_map(|(at, locked)| {
            let is_new = paths.insert(&locked.path);
            let why = of(locked).or_else(|| (!is_new).then(|| twice(locked)))?;
            Some((at, format!("the entry of `{}` {why}", printable(&locked.import))))
        })
    }

    /// Reads the lock of a folder; an empty one where there is none.
    pub fn read(folder: &Path) -> Result<Self, LockError> {
        let path = folder.join(LOCK_FILE);
        match fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(LockError::Unreadable(error.to_string())),
        }
    }

    /// The same, with an error that names the file.
    pub fn of_folder(folder: &Path) -> Result<Self, FetchError> {
        Self::read(folder).map_err(|error| FetchError::disk(&folder.join(LOCK_FILE), error))
    }

    /// As it is written.
    pub fn text(&self) -> String {
        let is_newer = |locked: &Locked| locked.version.is_some() || locked.archive.is_some();
        let version = if self.modules.iter().any(is_newer) { VERSION } else { 1 };
        let lock = Self { version, modules: self.modules.clone() };
        let body = toml::to_string(&lock).expect("strings and numbers always make TOML");
        format!("{HEADER}{body}")
    }

    /// Writes the file atomically. A file with the same content is not touched.
    pub fn write(&self, folder: &Path) -> Result<(), FetchError> {
        let path = folder.join(LOCK_FILE);
        let text = self.text();
        if fs::read_to_string(&path).is_ok_and(|there| there == text) || (self.modules.is_empty() && !path.exists()) {
            return Ok(());
        }
        let failed = |error: std::io::Error| FetchError::disk(&path, error);
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut file = tempfile::Builder::new()
            .prefix(".workbench-lock-")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .tempfile_in(here)
            .map_err(failed)?;
        file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(failed)?;
        file.persist(&path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// Returns the locked module with this path.
    pub fn find(&self, path: &str) -> Option<&Locked> {
        self.modules.iter().find(|module| module.path == path)
    }
}

/// The bytes of an entry in a lock's text.
fn place_of_entry(text: &str, at: usize) -> Option<std::ops::Range<usize>> {
    #[derive(Deserialize)]
    struct Places {
        module: Vec<toml::Spanned<serde::de::IgnoredAny>>,
    }
    let places: Places = toml::from_str(text).ok()?;
    places.module.get(at).map(toml::Spanned::span)
}

/// The path of a module as the lock in `folder` writes it: the same whatever the spelling of the two.
pub fn lock_path(folder: &Path, module: &Path, module_folder: &str) -> String {
    let plain = |path: &Path| clean(&std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match plain(module).strip_prefix(plain(folder)) {
        Ok(below) => below.to_string_lossy().trim_end_matches('/').to_owned(),
        Err(_) => module_folder.to_owned(),
    }
}

/// The folders of all locked modules that are below another one.
pub fn nested(all: &[PathBuf], module: &Path) -> Vec<PathBuf> {
    all.iter().filter(|path| path.as_path() != module && path.starts_with(module)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_the_same_however_it_was_named() {
        let here = std::env::current_dir().expect("there is one");
        let (inside, outside) = (here.join("modules/h/x"), here.join("../modules/h/x"));
        for folder in ["", ".", "./", &here.to_string_lossy()] {
            for module in ["modules/h/x", "./modules/h/x/", "a/../modules/h/x", &inside.to_string_lossy()] {
                assert_eq!(lock_path(Path::new(folder), Path::new(module), "h/x"), "modules/h/x", "{folder} {module}");
            }
            for module in ["/elsewhere/h/x", "../modules/h/x", &outside.to_string_lossy()] {
                assert_eq!(lock_path(Path::new(folder), Path::new(module), "h/x"), "h/x", "{folder} {module}");
            }
        }
    }

    #[test]
    fn its_own_output_is_readable() {
        let lock = Lock {
            modules: vec![Locked {
                import: "https://h.example/x".into(),
                reference: Some("v1".into()),
                from: None,
                path: "modules/h.example/x".into(),
                version: None,
                commit: "0".repeat(40),
                archive: None,
                hash: TreeHash(format!("{SHA256}{}", "2".repeat(64))),
                allow: vec![Permit::Copies],
                approved: true,
                approved_before: None,
            }],
            ..Lock::default()
        };
        assert!(lock.text().contains("\nversion = 1\n"), "an older workbench reads it");
        assert_eq!(Lock::parse(&lock.text()).as_ref(), Ok(&lock));
        let mut newer = lock.clone();
        newer.modules[0].commit.clear();
        newer.modules[0].archive = Some(format!("{SHA256}{}", "1".repeat(64)));
        newer.modules[0].version = Some("9.7.0".into());
        assert!(newer.text().contains("\nversion = 2\n") && !newer.text().contains("\ncommit"), "{}", newer.text());
        let read = Lock::parse(&newer.text()).expect("it was just written").modules;
        assert_eq!((read[0].shown(), read[0].revision()), ("9.7.0", &*"1".repeat(64)));
        assert_eq!(read, newer.modules);
        assert_eq!(Lock::parse("version = 9\nx = 1\n"), Err(LockError::Newer(9)));
        assert!(matches!(
            Lock::parse("version = 1\n[[module]]\nimport = 1\n"),
            Err(LockError::Invalid { at: Some(_), .. })
        ));
    }

    #[test]
    fn an_entry_without_exact_content_or_with_a_path_out_is_refused() {
        let entry = |lines: &str| {
            format!("version = 2\n[[module]]\nimport = \"x\"\n{lines}hash = \"{SHA256}{}\"\n", "2".repeat(64))
        };
        let commit = format!("commit = \"{}\"\n", "0".repeat(40));
        let archive = format!("version = \"1\"\narchive = \"{SHA256}{}\"\n", "1".repeat(64));
        let path = |path: &str| entry(&format!("path = {path:?}\n{commit}"));
        let both = entry(&format!("path = \"x\"\n{commit}"));
        for (text, why) in [
            (entry("path = \"x\"\n"), "neither `commit` nor `archive`"),
            (entry(&format!("path = \"x\"\n{commit}{archive}")), "both `commit` and `archive`"),
            (entry("path = \"x\"\ncommit = \"main\"\n"), "not the id of one"),
            (entry("path = \"x\"\narchive = \"md5:0123\"\n"), "not a SHA-256"),
            (entry(&format!("path = \"x\"\n{archive}")).replace("version = \"1\"\n", ""), "without its `version`"),
            (entry(&format!("path = \"x\"\n{archive}")).replace("2222", "22"), "`hash` that is not a SHA-256"),
            (format!("{both}{}", both.split_once('\n').expect("it has lines").1), "same path"),
            (path("/etc/x"), "`path`"),
            (path("../x"), "`path`"),
            (path("a/../../x"), "`path`"),
            (path("."), "`path`"),
            (path(""), "`path`"),
            (path("modules//x"), "`path`"),
            (path(".git/hooks"), "`path`"),
        ] {
            match Lock::parse(&text) {
                Err(LockError::Invalid { message, at: Some(_) }) => assert!(message.contains(why), "{message}: {text}"),
                other => panic!("{other:?}: {text}"),
            }
        }
        assert!(Lock::parse(&both).is_ok() && Lock::parse(&entry(&format!("path = \"x\"\n{archive}"))).is_ok());
    }
}
