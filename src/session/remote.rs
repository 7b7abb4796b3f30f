//! The session's side of a look at the remotes: which locked modules are behind, by how much.

use std::path::PathBuf;

use super::Session;
use super::download::{Around, DownloadOptions, NotFetched};
use crate::fetch::{self, Looked, Permit, Remote};
use crate::module::{ModuleState, ModuleTree};

/// A module's remote, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The URL as imported, without its ref.
    pub name: String,
    /// Where the module lies.
    pub path: PathBuf,
    pub reference: Option<String>,
    pub found: Found,
}

/// How it stands to the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Same,
    Behind {
        now: String,
        /// How many commits are new; where the one in the lock is known here.
        commits: Option<usize>,
        subject: String,
    },
    /// The commit in the lock is none of the remote's any more.
    Rewritten {
        now: String,
        commits: usize,
        lost: usize,
        subject: String,
    },
    /// It could not be seen.
    Unseen {
        why: String,
        help: String,
        /// What the user could allow, so that it can.
        permits: Vec<Permit>,
    },
}

impl Found {
    fn of(remote: Remote) -> Self {
        let (is_behind, is_rewritten) = (remote.is_behind(), remote.is_rewritten());
        match remote.ended {
            Err(refusal) => Found::Unseen {
                why: refusal.to_string(),
                help: refusal.help(),
                permits: refusal.permits(&remote.import),
            },
            Ok(_) if !is_behind => Found::Same,
            Ok(Looked { now, apart: Some((commits, lost)), subject }) if is_rewritten => {
                Found::Rewritten { now, commits, lost, subject }
            }
            Ok(Looked { now, apart, subject }) => {
                Found::Behind { now, commits: apart.map(|(commits, _)| commits), subject }
            }
        }
    }

    pub fn is_behind(&self) -> bool {
        matches!(self, Found::Behind { .. } | Found::Rewritten { .. })
    }

    /// In a line; nothing where there is nothing to say.
    pub fn words(&self) -> Option<String> {
        let short = |commit: &str| commit.get(..8).unwrap_or(commit).to_owned();
        let newest = |now: &str, subject: &str| match subject {
            "" => format!("the newest is {}", short(now)),
            subject => format!("the newest is {} `{subject}`", short(now)),
        };
        let plural = |n: usize| if n == 1 { "1 commit".to_owned() } else { format!("{n} commits") };
        match self {
            Found::Same => None,
            Found::Behind { now, commits: None, subject } => Some(format!("behind; {}", newest(now, subject))),
            // An older commit under the same ref: a branch or a tag was set back.
            Found::Behind { now, commits: Some(commits), subject } => {
                Some(format!("behind by {}; {}", plural(*commits), newest(now, subject)))
            }
            Found::Rewritten { now, commits: 0, lost, subject } => {
                Some(format!("its remote was set back by {}; {}", plural(*lost), newest(now, subject)))
            }
            Found::Rewritten { now, commits, lost, subject } => Some(format!(
                "its remote was rewritten: {} new, {} of the locked ones gone; {}",
                plural(*commits),
                lost,
                newest(now, subject)
            )),
            Found::Unseen { why, .. } => Some(format!("not seen: {why}")),
        }
    }
}

impl Session {
    /// Asks the remotes of all imported modules that were fetched what they have now. Only the cache is written.
    pub fn remotes(&self, options: &DownloadOptions, around: Around<'_>) -> Result<Vec<Seen>, Box<NotFetched>> {
        let tree = self.modules();
        let base = &self.entry.base;
        let imported = |path: &PathBuf| {
            let module = tree.modules.iter().find(|module| module.path == *path);
            module.is_some_and(|module| module.state != ModuleState::Unused)
        };
        self.fetch_with(options, around, &mut |order, _, hear| {
            let place = |path: &str| {
                let folders = std::iter::once(base.clone()).chain(order.search.iter().cloned());
                folders.map(|folder| folder.join(path)).find(|path| imported(path))
            };
            let remotes = fetch::remotes(order, &|locked| place(&locked.path).is_some(), hear)?;
            Ok(remotes
                .into_iter()
                .filter_map(|remote| {
                    let path = place(&remote.path)?;
                    let (name, reference) = (remote.import.clone(), remote.reference.clone());
                    Some(Seen { name, path, reference, found: Found::of(remote) })
                })
                .collect())
        })
    }
}

/// Marks the modules of a tree that are behind. One that was edited, or is missing, stays what it is.
pub fn mark_behind(tree: &mut ModuleTree, seen: &[Seen]) {
    for seen in seen.iter().filter(|seen| seen.found.is_behind()) {
        let module = tree.modules.iter_mut().find(|module| module.path == seen.path);
        if let Some(module) = module.filter(|module| module.state == ModuleState::Present) {
            module.state = ModuleState::Behind;
        }
    }
}
