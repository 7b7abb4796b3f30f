//! The git state of a folder: its commit, and whether it was edited since.

use std::path::Path;

use git2::{Repository, RepositoryOpenFlags, StatusOptions};

/// A checkout of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// The commit, in full.
    pub revision: String,
    pub edited: bool,
}

/// The checkout with this folder as its top; `None` for folders inside a larger repository, and outside of any.
pub fn checkout(folder: &Path) -> Option<Checkout> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let none: [&Path; 0] = [];
    let repository = Repository::open_ext(folder, RepositoryOpenFlags::NO_SEARCH, none).ok()?;
    let revision = repository.head().ok()?.peel_to_commit().ok()?.id().to_string();
    let mut options = StatusOptions::new();
    options.include_untracked(true).include_ignored(false).exclude_submodules(true);
    let edited = repository.statuses(Some(&mut options)).is_ok_and(|statuses| !statuses.is_empty());
    Some(Checkout { revision, edited })
}
