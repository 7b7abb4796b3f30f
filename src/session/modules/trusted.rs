//! The approvals of a run, checked again under the lock, because the wait for it may have been long.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::deploy::{Approvals, StateFolder};
use crate::fetch::altered;
use crate::host::HostError;
use crate::session::modules::trust::Fetched;
use crate::session::{ApplyError, StateError};

/// The fetched modules of a run. Plain data, so that it can be sent to another process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::session) struct Trusted {
    /// The folder of the user's approvals.
    state: PathBuf,
    /// The approvals that the run depends on: name and hash.
    approved: Vec<(String, String)>,
    /// The checked modules: name, folder and hash.
    trees: Vec<(String, PathBuf, String)>,
}

impl Trusted {
    /// `fetched` may act. The unpacked files of a bundle at `bundle` were hashed together.
    pub fn new(fetched: &[Fetched], bundle: Option<&PathBuf>, approvals: &Approvals, state: &StateFolder) -> Self {
        let approved = fetched.iter().filter(|module| approvals.has(&module.hash));
        let trees = fetched.iter().filter(|module| Some(&module.path) != bundle);
        Self {
            state: state.path().into(),
            approved: approved.map(|module| (module.name.clone(), module.hash.clone())).collect(),
            trees: trees.map(|module| (module.name.clone(), module.path.clone(), module.hash.clone())).collect(),
        }
    }

    /// Fails if an approval was withdrawn or a module has changed. Requires the lock.
    pub fn holds_still(&self) -> Result<(), ApplyError> {
        let mut gone = Vec::new();
        if !self.approved.is_empty() {
            let approvals = Approvals::read(&StateFolder::at(&self.state))?;
            gone.extend(self.approved.iter().filter(|(_, hash)| !approvals.has(hash)).map(|(name, _)| name.clone()));
        }
        let trees: Vec<_> = self.trees.iter().map(|(_, path, hash)| (path.clone(), hash.clone())).collect();
        let altered = altered(&trees).map_err(|error| StateError::from(HostError::Refused(error.to_string())))?;
        gone.extend(altered.into_iter().map(|at| self.trees[at].0.clone()));
        gone.dedup();
        if gone.is_empty() { Ok(()) } else { Err(ApplyError::Altered(gone)) }
    }
}
