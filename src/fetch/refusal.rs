//! Reasons to refuse a whole download: a wrong module, lock or request.

use std::path::PathBuf;

use super::FetchError;
use super::download::{ImportPlace, NeededModule};
use super::hash::TreeHash;
use super::lock::LockError;
use super::permit::Permit;
use super::url::UrlError;
use crate::diag::Code;

/// A refusal, with the imports that it concerns.
#[derive(Debug)]
pub struct Refused {
    pub wanted: Option<NeededModule>,
    pub refusal: Refusal,
}

impl Refused {
    /// What the user could allow to get past it.
    pub fn permits(&self) -> Vec<Permit> {
        self.refusal.permits()
    }

    pub(super) fn placeless(refusal: Refusal) -> Self {
        Self { wanted: None, refusal }
    }
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error(transparent)]
    Url(#[from] UrlError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    #[error("{0}")]
    Lock(#[from] LockError),
    #[error("it is not in the lock file")]
    NotLocked,
    #[error("{} is required, the lock file has {}", shown(asked), shown(locked))]
    LockMoved { locked: Option<String>, asked: Option<String> },
    #[error("{} and {} are required", shown(&one.0), shown(&other.0))]
    RefsDisagree { one: Box<(Option<String>, ImportPlace)>, other: Box<(Option<String>, ImportPlace)> },
    #[error("{}", no_version(.ranges, .there.as_deref()))]
    NoVersion { ranges: Vec<(String, ImportPlace)>, there: Option<String> },
    #[error("it was edited in {}: its files have the hash {is}, the lock file has {locked}", .path.display())]
    Edited { path: PathBuf, is: TreeHash, locked: TreeHash },
    /// The same revision brought other files than those in the lock.
    #[error("its files have the hash {is}, the lock file has {locked}")]
    OtherTree { is: TreeHash, locked: TreeHash },
    #[error("another content came than the one in the lock file: {came}, the lock file has {locked}")]
    OtherRevision { came: String, locked: String },
    #[error("{} is outside of the project", .path.display())]
    Outside { path: PathBuf },
    #[error("an earlier download was interrupted, and it changes the lock file")]
    Unfinished,
    #[error("{} is your own checkout", .path.display())]
    OwnCheckout { path: PathBuf },
}

fn shown(reference: &Option<String>) -> String {
    reference.as_ref().map_or_else(|| "the default branch".into(), |reference| format!("`{reference}`"))
}

/// No version is in all ranges: each range with the module that requires it, and the newest version.
fn no_version(ranges: &[(String, ImportPlace)], there: Option<&str>) -> String {
    let by = |(range, asked): &(String, ImportPlace)| format!("`{range}` ({}:{})", asked.file.display(), asked.line);
    let ranges = ranges.iter().map(by).collect::<Vec<_>>().join(" and ");
    match there {
        None => "it has no released version".into(),
        Some(there) if ranges.is_empty() => format!("only the prerelease {there} is there"),
        Some(there) => format!("no version fits {ranges}; the newest is {there}"),
    }
}

impl Refusal {
    /// Whether there is nothing at this source, and another one may be tried.
    pub(super) fn is_absent(&self) -> bool {
        match self {
            Refusal::Fetch(error) => error.is_absent(),
            Refusal::NoVersion { .. } => true,
            _ => false,
        }
    }

    /// What the user could allow to get past it.
    pub fn permits(&self) -> Vec<Permit> {
        match self {
            Refusal::Url(UrlError::NotAllowed(word)) => Permit::parse(word).into_iter().collect(),
            Refusal::Fetch(error) => error.permits(),
            _ => Vec::new(),
        }
    }

    /// Returns the diagnostic code of the refusal.
    pub fn code(&self) -> Code {
        match self {
            Refusal::Url(_) => Code::UrlRefused,
            Refusal::Fetch(_) => Code::ModuleNotFetched,
            Refusal::Lock(_) => Code::InvalidLock,
            Refusal::NotLocked
            | Refusal::LockMoved { .. }
            | Refusal::OtherTree { .. }
            | Refusal::OtherRevision { .. }
            | Refusal::Unfinished => Code::LockDrift,
            Refusal::Outside { .. } => Code::ModuleNotFetched,
            Refusal::RefsDisagree { .. } => Code::RefsDisagree,
            Refusal::NoVersion { ranges, .. } if ranges.len() > 1 => Code::RefsDisagree,
            Refusal::NoVersion { .. } => Code::ModuleNotFetched,
            Refusal::Edited { .. } | Refusal::OwnCheckout { .. } => Code::ModuleEdited,
        }
    }

    /// Returns what the user can do.
    pub fn help(&self) -> String {
        match self {
            Refusal::Url(error) => error.help().into(),
            Refusal::Fetch(FetchError::NoReference { near: Some(near), .. }) => format!("did you mean `{near}`?"),
            Refusal::Fetch(error) => error.help().into(),
            Refusal::Lock(_) => "restore it from version control, or delete it and download again".into(),
            Refusal::NotLocked | Refusal::LockMoved { .. } => "`workbench download` without `--locked` adds it".into(),
            Refusal::OtherTree { .. } | Refusal::OtherRevision { .. } => {
                "restore the lock file from version control; or review the module, and use `--update` to lock it again"
                    .into()
            }
            Refusal::Outside { .. } => {
                "change the folder of modules to one in the project, or name it with `--module-path`".into()
            }
            Refusal::Unfinished => "`workbench download` without `--locked` finishes it".into(),
            Refusal::RefsDisagree { .. } => "a folder can have only one version: use the same ref for both".into(),
            Refusal::NoVersion { .. } => {
                "ask for a range that all of them accept; nothing older is tried for the others".into()
            }
            Refusal::Edited { path, .. } => {
                format!("commit and push your edits, or move {} away, then fetch again", path.display())
            }
            Refusal::OwnCheckout { .. } => "update it with git, or move it away".into(),
        }
    }
}
