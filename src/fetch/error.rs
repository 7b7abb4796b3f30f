//! Why a module could not be fetched, in words, and what to do about it.

use serde::{Deserialize, Serialize};

use super::permit::Permit;
use super::tree::Offence;

/// Sent from the fetching process to its parent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", content = "detail", rename_all = "snake_case")]
pub enum FetchError {
    #[error("stopped")]
    Cancelled,
    #[error("`{url}` was not fetched: {reason}")]
    Refused { url: String, reason: String },
    #[error("cannot connect to `{host}`: {reason}")]
    Unreachable { host: String, reason: String },
    /// Something answers, and not by TLS.
    #[error("`{host}` responds, but not with https")]
    NotHttps { host: String },
    #[error("no data from `{host}` for {seconds} seconds")]
    Stalled { host: String, seconds: u64 },
    #[error("`{host}` sent less than 1 kB per second for {seconds} seconds")]
    Slow { host: String, seconds: u64 },
    #[error("it is larger than {} MiB", .limit >> 20)]
    TooLarge { limit: u64 },
    #[error("`{from}` redirects to `{to}`, which is not allowed")]
    Redirect { from: String, to: String },
    #[error("`{url}` requires a user name and a password, or refused them")]
    Unauthorized { url: String },
    #[error("no repository at `{url}` (status {status})")]
    NoRepository { url: String, status: u16 },
    #[error("`{url}` does not use the git protocol")]
    NotGit { url: String },
    #[error("ssh: {message}")]
    Ssh { message: String },
    #[error("no branch, tag or commit `{reference}`")]
    NoReference { reference: String, near: Option<String> },
    #[error("its default branch has no commit")]
    Empty,
    #[error("its tree is refused: {}", offences(.0))]
    Tree(Vec<Offence>),
    #[error("its submodule `{path}`: {error}")]
    Submodule { path: String, error: Box<FetchError> },
    /// It came by https before, and comes by nothing less.
    #[error("`{host}` used https before, but now {reason}; unencrypted git is not used instead")]
    Downgrade { host: String, reason: Box<FetchError> },
    /// It was imported by plain git, which is not allowed, and https failed.
    #[error("`{url}` is plain git, which is not allowed, and https on port {port} failed: {reason}")]
    OnlyHttps { url: String, port: u16, reason: Box<FetchError> },
    #[error("no module `{name}` in `{index}`")]
    NoRelease { name: String, index: String },
    #[error("`{index}` has no wheel of it, only its source `{file}`")]
    OnlySource { index: String, file: String },
    #[error("`{url}` is not a module index: {reason}")]
    Index { url: String, reason: String },
    #[error("`{url}` has the checksum {found}, but {wanted} was promised")]
    Checksum { url: String, wanted: String, found: String },
    #[error("its archive cannot be read: {0}")]
    Archive(String),
    #[error("its archive is refused: {0}")]
    Unfit(String),
    #[error("{path}: {reason}")]
    Disk { path: String, reason: String },
    #[error("{0}")]
    Git(String),
    /// The process that fetched ended without an answer.
    #[error("the fetch failed: {0}")]
    Ended(String),
}

impl FetchError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            FetchError::Cancelled => "try again; nothing was changed",
            FetchError::Refused { .. } | FetchError::Redirect { .. } => "import its final URL",
            FetchError::Unreachable { .. } => "check the network and the proxy settings, then try again",
            FetchError::NotHttps { .. } => "check the URL and the port",
            FetchError::Stalled { .. } | FetchError::Slow { .. } => {
                "try again, or wait longer with `--timeout` (setting `fetch-timeout`)"
            }
            FetchError::Downgrade { .. } => {
                "try again; if the host no longer supports https, remove `from` from the lock file"
            }
            FetchError::Submodule { error, .. } | FetchError::OnlyHttps { reason: error, .. } => error.help(),
            FetchError::TooLarge { .. } => "move large data out of the module, or raise `--max-size`",
            FetchError::Unauthorized { .. } => "set up a git credential helper, or use ssh://",
            FetchError::NoRepository { .. } | FetchError::NotGit { .. } => "check the URL",
            FetchError::Ssh { .. } => "try `ssh` to that host; workbench uses the same settings and keys",
            FetchError::NoReference { .. } => "check the ref after `?ref=`, or remove it to use the default branch",
            FetchError::NoRelease { .. } => "check its name, and where modules are fetched from",
            FetchError::OnlySource { .. } => {
                "build a wheel with `pip wheel --no-deps`, and put it into a folder that the project names as an index"
            }
            FetchError::Index { .. } => "check the address of the index",
            FetchError::Checksum { .. } => "try again; if it stays so, report it to the owner of the index",
            FetchError::Archive(_) | FetchError::Unfit(_) => {
                "try again; if it stays so, report it to the author of the module"
            }
            FetchError::Empty => "push a commit to it first",
            FetchError::Tree(_) => "ask its author, or allow it: `--allow copies,submodules,links,names`",
            FetchError::Disk { .. } => "free some space or change the permissions, then try again",
            FetchError::Git(_) | FetchError::Ended(_) => "try again; `git clone` may show more",
        }
    }

    /// What the user could allow to get past it.
    pub fn permits(&self) -> Vec<Permit> {
        match self {
            FetchError::Tree(offences) => offences.iter().filter_map(|offence| offence.what.permit()).collect(),
            FetchError::OnlyHttps { .. } => vec![Permit::Git],
            FetchError::Submodule { error, .. } => error.permits(),
            _ => Vec::new(),
        }
    }

    /// Whether there is nothing at this source, and another one may be tried.
    pub fn is_absent(&self) -> bool {
        matches!(self, FetchError::NoRepository { .. } | FetchError::NoRelease { .. } | FetchError::Git(_))
    }

    pub(crate) fn disk(path: &std::path::Path, error: impl std::fmt::Display) -> Self {
        // An entry in the current folder has an empty base.
        let path = if path.as_os_str().is_empty() { std::path::Path::new(".") } else { path };
        FetchError::Disk { path: path.display().to_string(), reason: error.to_string() }
    }
}

impl From<git2::Error> for FetchError {
    fn from(error: git2::Error) -> Self {
        FetchError::Git(error.message().to_owned())
    }
}

/// The first few, one after another.
fn offences(all: &[Offence]) -> String {
    const SHOWN: usize = 5;
    let mut words: Vec<String> = all.iter().take(SHOWN).map(ToString::to_string).collect();
    if all.len() > SHOWN {
        words.push(format!("and {} more", all.len() - SHOWN));
    }
    words.join("; ")
}
