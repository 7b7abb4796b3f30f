//! The git commit of a program, so that deploys follow the chain of commits.

use std::path::Path;

use git2::{ErrorCode, Repository, StatusOptions};

use super::TargetError;
use crate::source::printable;

/// The origin of a program in git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Commit {
        id: String,
        parent: Option<String>,
    },
    /// Not in a repository.
    Untracked,
    /// The user turned the check off.
    Unasked,
}

/// Returns the commit of the working tree that contains a folder. Fails if the tree has changes.
pub fn origin(folder: &Path) -> Result<Origin, TargetError> {
    let failed = |error: git2::Error| TargetError::Git(printable(error.message()).to_string());
    let repository = match Repository::discover(folder) {
        Err(error) if error.code() == ErrorCode::NotFound => return Ok(Origin::Untracked),
        repository => repository.map_err(failed)?,
    };
    let Some(root) = repository.workdir() else { return Ok(Origin::Untracked) };
    let root = printable(&root.to_string_lossy()).to_string();
    let mut options = StatusOptions::new();
    options.include_untracked(true).include_ignored(false).recurse_untracked_dirs(false);
    if !repository.statuses(Some(&mut options)).map_err(failed)?.is_empty() {
        return Err(TargetError::Dirty(root));
    }
    let head = repository.head().and_then(|head| head.peel_to_commit()).map_err(failed)?;
    Ok(Origin::Commit { id: head.id().to_string(), parent: head.parent_id(0).ok().map(|id| id.to_string()) })
}
