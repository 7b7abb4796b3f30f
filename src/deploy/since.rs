//! The changes of later deploys at the paths of an undo, as opposed to changes of other programs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{History, StateError};
use crate::host::journal::{Image, Purpose};

/// The last writer of each path among the later deploys that are still in effect.
#[derive(Clone, Debug, Default)]
pub struct Since(BTreeMap<PathBuf, (Later, Option<Image>)>);

/// A later deploy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Later {
    pub deploy: u64,
    /// The deploy that it undid, if it is an undo. Undoing it would apply that deploy again.
    pub undoes: Option<u64>,
}

impl Later {
    /// Returns the deploy to undo first; `None` if undoing this one would not help.
    pub fn to_take_back(self) -> Option<u64> {
        self.undoes.is_none().then_some(self.deploy)
    }

    /// Describes the later change and what to do about it.
    pub fn words(self) -> String {
        match self {
            Later { deploy, undoes: None } => format!("deploy {deploy} changed it since; undo that first"),
            Later { deploy, undoes: Some(of) } => {
                format!("deploy {deploy} restored it since, when it undid deploy {of}")
            }
        }
    }
}

impl Since {
    /// Collects the deploys after `deploy`. Unreadable journals are ignored.
    pub fn of(history: &History, deploy: u64) -> Result<Self, StateError> {
        let mut since = BTreeMap::new();
        for summary in history.in_effect()? {
            let summary = summary?;
            if summary.deploy <= deploy {
                break;
            }
            let Ok(later) = history.read(summary.deploy) else { continue };
            let undoes = if let Purpose::Undo { deploy } = later.begin.purpose { Some(deploy) } else { None };
            let by = Later { deploy: summary.deploy, undoes };
            for step in later.steps.into_iter().rev().filter(|step| step.was_done()) {
                if let Some(path) = step.intent.operation.path() {
                    since.entry(path.to_path_buf()).or_insert((by, step.after));
                }
            }
        }
        Ok(Self(since))
    }

    /// Returns the deploy that left the present state of a path.
    pub fn left(&self, path: &Path, now: &Image) -> Option<Later> {
        let (later, after) = self.0.get(path)?;
        after.as_ref().is_some_and(|after| after.agrees(now)).then_some(*later)
    }

    /// Returns the number of the newest deploy that wrote a path.
    pub fn wrote_at(&self, path: &Path) -> Option<u64> {
        self.0.get(path).map(|(later, _)| later.deploy)
    }

    /// Returns the newest deploy that wrote at or below a path.
    pub fn wrote(&self, path: &Path) -> Option<Later> {
        let below = self.0.range(path.to_path_buf()..).take_while(|(there, _)| there.starts_with(path));
        below.map(|(_, (later, _))| *later).max()
    }
}
