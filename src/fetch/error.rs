//! Why a module could not be fetched, in words, and what to do about it.

use serde::{Deserialize, Serialize};

use super::permit::Permit;
use super::tree::Offence;

/// Crosses from the process that fetches to the one that asked for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[serde(tag = "error", content = "detail", rename_all = "snake_case")]
pub enum FetchError {
    #[error("stopped")]
    Cancelled,
    #[error("`{url}` was not fetched: {reason}")]
    Refused { url: String, reason: String },
    #[error("`{host}` cannot be reached: {reason}")]
    Unreachable { host: String, reason: String },
    /// Something answers, and not by TLS.
    #[error("`{host}` answers, and does not speak https there")]
    NotHttps { host: String },
    #[error("`{host}` sent nothing for {seconds} seconds")]
    Stalled { host: String, seconds: u64 },
    #[error("it is larger than {} MiB", .limit >> 20)]
    TooLarge { limit: u64 },
    #[error("`{from}` redirects to `{to}`, which is not followed")]
    Redirect { from: String, to: String },
    #[error("`{url}` wants a user name and a password, or refuses those it got")]
    Unauthorized { url: String },
    #[error("no repository is there (`{url}` answers {status})")]
    NoRepository { url: String, status: u16 },
    #[error("`{url}` does not speak git's protocol")]
    NotGit { url: String },
    #[error("ssh: {said}")]
    Ssh { said: String },
    #[error("there is no branch, tag or commit `{reference}`")]
    NoReference { reference: String, near: Option<String> },
    #[error("its default branch has no commit")]
    Empty,
    #[error("its tree is refused: {}", offences(.0))]
    Tree(Vec<Offence>),
    #[error("its submodule `{path}`: {error}")]
    Submodule { path: String, error: Box<FetchError> },
    /// It came by https before, and comes by nothing less.
    #[error("`{host}` gave it by https before, and now {reason}; plain git is not taken instead")]
    Downgrade { host: String, reason: Box<FetchError> },
    #[error("{path}: {reason}")]
    Disk { path: String, reason: String },
    #[error("{0}")]
    Git(String),
    /// The process that fetched ended without an answer.
    #[error("the fetch ended early: {0}")]
    Ended(String),
}

impl FetchError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            FetchError::Cancelled => "start it again; nothing was changed",
            FetchError::Refused { .. } | FetchError::Redirect { .. } => "import it by the URL that it really has",
            FetchError::Unreachable { .. } => "look at the network and the proxy settings, and try again",
            FetchError::NotHttps { .. } => {
                "compare the port with what the host shows; import it by the URL that it has"
            }
            FetchError::Stalled { .. } => "try again; `--timeout`, or `fetch-timeout` in your settings, waits longer",
            FetchError::Downgrade { .. } => "try again; where the host gave https up, take `from` out of the lock",
            FetchError::Submodule { error, .. } => error.help(),
            FetchError::TooLarge { .. } => "a module is code; keep large data elsewhere, or raise `--max-size`",
            FetchError::Unauthorized { .. } => "set up a credential helper of git's, or import it by ssh://",
            FetchError::NoRepository { .. } | FetchError::NotGit { .. } => "compare the URL with what the host shows",
            FetchError::Ssh { .. } => "try `ssh` to that host by hand; its settings and keys are used as they are",
            FetchError::NoReference { .. } => "look at the ref after `?ref=`, or leave it out for the default branch",
            FetchError::Empty => "push something to it first",
            FetchError::Tree(_) => {
                "ask its author, or say what of it is taken: `--allow copies,submodules,links,names`"
            }
            FetchError::Disk { .. } => "make room or change the permissions, and try again",
            FetchError::Git(_) | FetchError::Ended(_) => "try again; if it stays so, `git clone` may say more",
        }
    }

    /// What the user could allow to get past it.
    pub fn permits(&self) -> Vec<Permit> {
        match self {
            FetchError::Tree(offences) => offences.iter().filter_map(|offence| offence.what.permit()).collect(),
            FetchError::Submodule { error, .. } => error.permits(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn disk(path: &std::path::Path, error: impl std::fmt::Display) -> Self {
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
