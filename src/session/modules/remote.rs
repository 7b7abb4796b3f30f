//! Comparing the lock with the remotes: which locked modules are behind, and by how much.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::fetch::{self, CachedLatest, Latest, Looked, Permit, Remote};
use crate::module::{Module, ModuleState, ModuleTree};
use crate::session::Session;
use crate::session::modules::download::{Around, DownloadOptions, NotFetched, places, wanted};
use crate::world::{Read, Sample, World as _};

/// The state of a module's remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteState {
    /// The URL in the import, without its ref.
    pub name: String,
    /// The folder of the module.
    pub path: PathBuf,
    pub reference: Option<String>,
    pub found: RemoteNews,
    /// When it was checked, in words such as `2 h ago`; nothing if that was just now.
    pub looked: Option<String>,
}

impl RemoteState {
    /// In a line; nothing without news.
    pub fn words(&self) -> Option<String> {
        let words = self.found.words()?;
        Some(match &self.looked {
            Some(looked) => format!("{words} (checked {looked})"),
            None => words,
        })
    }
}

/// How it compares with the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RemoteNews {
    Same,
    Behind {
        now: String,
        /// The number of new commits, if the locked commit is known here.
        commits: Option<usize>,
        subject: String,
    },
    /// The versions of a module that comes as an archive.
    Versions {
        locked: String,
        newest: String,
        /// Whether the newest version is newer than the locked one.
        is_newer: bool,
        /// The newest version that all requirements allow, if it is newer than the locked one.
        fitting: Option<String>,
    },
    /// The remote no longer has the commit in the lock.
    Rewritten {
        now: String,
        commits: usize,
        lost: usize,
        subject: String,
    },
    /// It could not be checked.
    Unseen {
        why: String,
        help: String,
        /// What the user could allow for another attempt.
        permits: Vec<Permit>,
    },
}

impl RemoteNews {
    /// `allowed` is what the user allows already.
    fn of(remote: Remote, allowed: &BTreeSet<Permit>) -> Self {
        let (is_behind, is_rewritten) = (remote.is_behind(), remote.is_rewritten());
        match remote.ended {
            Err(refusal) => RemoteNews::Unseen {
                why: refusal.to_string(),
                help: refusal.help(),
                permits: refusal.permits().into_iter().filter(|permit| !allowed.contains(permit)).collect(),
            },
            Ok(Latest::Version { locked, newest, is_newer, fitting }) => {
                RemoteNews::Versions { locked, newest, is_newer, fitting }
            }
            Ok(Latest::Commit(_)) if !is_behind => RemoteNews::Same,
            Ok(Latest::Commit(Looked { now, apart: Some((commits, lost)), subject })) if is_rewritten => {
                RemoteNews::Rewritten { now, commits, lost, subject }
            }
            Ok(Latest::Commit(Looked { now, apart, subject })) => {
                RemoteNews::Behind { now, commits: apart.map(|(commits, _)| commits), subject }
            }
        }
    }

    /// Whether the remote has something newer than the lock, or has rewritten its history.
    pub fn is_behind(&self) -> bool {
        matches!(
            self,
            RemoteNews::Behind { .. } | RemoteNews::Rewritten { .. } | RemoteNews::Versions { fitting: Some(_), .. }
        )
    }

    /// In a line; nothing without news.
    pub fn words(&self) -> Option<String> {
        let short = |commit: &str| commit.get(..8).unwrap_or(commit).to_owned();
        let newest = |now: &str, subject: &str| match subject {
            "" => format!("the newest is {}", short(now)),
            subject => format!("the newest is {} `{subject}`", short(now)),
        };
        let plural = |n: usize| if n == 1 { "1 commit".to_owned() } else { format!("{n} commits") };
        match self {
            RemoteNews::Same => None,
            RemoteNews::Behind { now, commits: None, subject } => Some(format!("behind; {}", newest(now, subject))),
            // The ref has an older commit: a branch or a tag was reset.
            RemoteNews::Behind { now, commits: Some(commits), subject } => {
                Some(format!("behind by {}; {}", plural(*commits), newest(now, subject)))
            }
            RemoteNews::Rewritten { now, commits: 0, lost, subject } => {
                Some(format!("the remote was reset by {}; {}", plural(*lost), newest(now, subject)))
            }
            RemoteNews::Rewritten { now, commits, lost, subject } => Some(format!(
                "the remote history was rewritten: {} new, {} of the locked ones removed; {}",
                plural(*commits),
                lost,
                newest(now, subject)
            )),
            RemoteNews::Versions { locked, newest, fitting: Some(fitting), .. } if fitting == newest => {
                Some(format!("behind at {locked}; the newest is {newest}"))
            }
            RemoteNews::Versions { locked, newest, fitting: Some(fitting), .. } => {
                Some(format!("behind at {locked}; {fitting} fits, the newest is {newest}, which does not fit"))
            }
            RemoteNews::Versions { newest, is_newer: true, fitting: None, .. } => {
                Some(format!("the newest is {newest}, which does not fit"))
            }
            RemoteNews::Versions { is_newer: false, fitting: None, .. } => None,
            RemoteNews::Unseen { why, .. } => Some(format!("could not be checked: {why}")),
        }
    }
}

impl Session {
    /// Asks the remotes of all fetched imports for their commits. Writes only the cache.
    pub fn remotes(&self, options: &DownloadOptions, around: Around<'_>) -> Result<Vec<RemoteState>, Box<NotFetched>> {
        let (tree, at) = (self.modules(), self.seconds());
        let base = &self.entry.base;
        let imported = tree.modules.iter().filter(|module| module.state != ModuleState::Unused);
        let imported: Vec<_> = imported.map(|module| (fetch::real(&module.path), &module.path)).collect();
        let as_imported = |path: PathBuf| {
            let module_folder = fetch::real(&path);
            imported.iter().find(|(real, _)| *real == module_folder).map(|(_, path)| (*path).clone())
        };
        self.fetch_with(options, around, &mut |order, search, report| {
            let place = |path: &str| {
                let folders = std::iter::once(base.clone()).chain(order.search.iter().cloned());
                folders.map(|folder| folder.join(path)).find_map(as_imported)
            };
            let wanted = wanted(&*self.world, &self.entry, &self.tree_in(&*self.world, search));
            let remotes = fetch::remotes(order, &wanted, &|locked| place(&locked.path).is_some(), report)?;
            let known = |remote: &Remote| {
                Some(CachedLatest {
                    import: remote.import.clone(),
                    reference: remote.reference.clone(),
                    locked: remote.locked.clone(),
                    at,
                    remote: remote.ended.as_ref().ok()?.clone(),
                })
            };
            // If this fails, the next call asks again.
            let _ = fetch::remember(order.cache, order.base, remotes.iter().filter_map(known).collect());
            Ok(remotes
                .into_iter()
                .filter_map(|remote| {
                    let path = place(&remote.path)?;
                    let (name, reference) = (remote.import.clone(), remote.reference.clone());
                    Some(RemoteState {
                        name,
                        path,
                        reference,
                        found: RemoteNews::of(remote, &options.permits),
                        looked: None,
                    })
                })
                .collect())
        })
    }
}

impl Session {
    /// The last known state of the remotes of a tree's modules, unless the lock has changed since.
    pub fn remembered(&self, tree: &ModuleTree) -> Vec<RemoteState> {
        let Some((_, cache)) = places() else { return Vec::new() };
        let now = self.seconds();
        let seen = fetch::remembered(&cache, &self.entry.base).into_iter().filter_map(|known| {
            let is_it = |module: &&Module| {
                module.name.trim_end_matches('/') == known.import && module.revision.as_ref() == Some(&known.locked)
            };
            let module = tree.modules.iter().find(is_it)?;
            let (name, path, reference) = (known.import.clone(), module.path.clone(), known.reference.clone());
            let looked = Some(ago(now.saturating_sub(known.at)));
            let remote = Remote {
                path: String::new(),
                import: known.import,
                locked: known.locked,
                reference: known.reference,
                ended: Ok(known.remote),
            };
            Some(RemoteState { name, path, reference, found: RemoteNews::of(remote, &BTreeSet::new()), looked })
        });
        seen.collect()
    }

    /// Returns the time in seconds since 1970; 0 without a clock.
    fn seconds(&self) -> i64 {
        match self.world.read(&Read::Now) {
            Ok(Sample::Integer(seconds)) => seconds,
            _ => 0,
        }
    }
}

/// Formats an age in seconds.
fn ago(seconds: i64) -> String {
    match seconds {
        ..60 => "just now".into(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// How many modules are behind, and how many could not be checked.
pub fn behind_words(seen: &[RemoteState]) -> String {
    let behind = seen.iter().filter(|seen| seen.found.is_behind()).count();
    let unseen = seen.iter().filter(|seen| matches!(seen.found, RemoteNews::Unseen { .. })).count();
    let modules = if seen.len() == 1 { "fetched module" } else { "fetched modules" };
    match (behind, unseen) {
        (_, 0) => format!("{behind} of {} {modules} behind", seen.len()),
        (0, _) => format!("could not check {unseen} of {} {modules}", seen.len()),
        (_, _) => format!("{behind} behind, could not check {unseen} of {} {modules}", seen.len()),
    }
}

/// Marks the modules of a tree that are behind. An edited or missing module keeps its state.
pub fn mark_behind(tree: &mut ModuleTree, seen: &[RemoteState]) {
    for seen in seen.iter().filter(|seen| seen.found.is_behind()) {
        let module = tree.modules.iter_mut().find(|module| module.path == seen.path);
        if let Some(module) = module.filter(|module| module.state == ModuleState::Present) {
            module.state = ModuleState::Behind;
        }
    }
}
