//! What later deploys left where an undo looks: that is ours, and no stranger's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{History, StateError};
use crate::host::journal::Image;

/// Who wrote last at each path, of the deploys that came after one and stand.
#[derive(Clone, Debug, Default)]
pub struct Since(BTreeMap<PathBuf, (u64, Option<Image>)>);

impl Since {
    /// What came after a deploy. A journal that cannot be read says nothing of anybody.
    pub fn of(history: &History, deploy: u64) -> Result<Self, StateError> {
        let mut since = BTreeMap::new();
        for summary in history.standing()? {
            let summary = summary?;
            if summary.deploy <= deploy {
                break;
            }
            let Ok(later) = history.read(summary.deploy) else { continue };
            for step in later.steps.into_iter().rev().filter(|step| step.was_done()) {
                if let Some(path) = step.intent.deed.path() {
                    since.entry(path.to_path_buf()).or_insert((summary.deploy, step.after));
                }
            }
        }
        Ok(Self(since))
    }

    /// The deploy that left at a path what lies there now.
    pub fn left(&self, path: &Path, now: &Image) -> Option<u64> {
        let (deploy, after) = self.0.get(path)?;
        after.as_ref().is_some_and(|after| after.agrees(now)).then_some(*deploy)
    }

    /// The newest deploy that wrote at a path, or below it.
    pub fn wrote(&self, path: &Path) -> Option<u64> {
        let below = self.0.range(path.to_path_buf()..).take_while(|(there, _)| there.starts_with(path));
        below.map(|(_, (deploy, _))| *deploy).max()
    }
}
