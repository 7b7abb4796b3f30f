//! This machine: read through plain paths, written only through handles on the folders that a turn inspected.

mod accounts;
mod act;
mod descendants;
mod follow;
mod keeper;
mod kernel;
mod restore;
mod look;
mod messages;
mod minder;
mod mounts;
mod network;
mod packages;
mod run;
mod services;
mod unchanged;
mod stream;
mod system;
pub(in crate::host) mod together;
mod tool;
mod web;

use std::path::PathBuf;
use std::sync::Arc;

pub use descendants::group_without_children;
pub use follow::{Followed, Following, follow};
pub use look::LocalLook;
pub use minder::{mind, own_program};
pub use packages::{FetchedArchives, fetch_archives};
pub use services::follow_unit;
pub use web::LiveWeb;

pub(in crate::host) use act::{LocalTurn, Temporary, Written, names_in, synced_dir};
pub(in crate::host) use restore::remove_leftovers;

use super::{Act, Host, Web};

/// This machine, for applying. The user's guards run, because the machine is about to change anyway.
#[derive(Clone, Debug)]
pub struct Local {
    look: LocalLook,
    /// A part of each temporary file's name.
    tag: String,
    /// Shared with the hosts of later runs, so that servers stay open.
    web: Arc<LiveWeb>,
    together: Arc<together::Together>,
}

impl Local {
    /// The same machine with another program as the minder of commands. It must call [`mind`].
    pub fn minded_by(program: impl Into<PathBuf>) -> Self {
        let mut look = LocalLook::new(true);
        look.minder = Some(program.into());
        Self { look, ..Self::default() }
    }
}

impl Default for Local {
    fn default() -> Self {
        Self::tagged(std::process::id().to_string())
    }
}

impl Local {
    /// Temporary files have this tag, so that recovery recognises those of an interrupted run.
    pub fn tagged(tag: String) -> Self {
        Self { look: LocalLook::new(true), tag, web: Arc::default(), together: Arc::default() }
    }

    /// The same machine with servers that are already open.
    pub fn with_web(self, web: Arc<LiveWeb>) -> Self {
        Self { web, ..self }
    }

    pub(in crate::host) fn local_turn(&self) -> LocalTurn<'_> {
        LocalTurn::new(&self.look, &self.tag, &self.web, &self.together)
    }
}

impl Host for Local {
    fn turn(&self) -> Box<dyn Act + '_> {
        Box::new(self.local_turn())
    }

    fn web(&self) -> Option<&dyn Web> {
        Some(&*self.web)
    }

    fn is_dry(&self) -> bool {
        false
    }

    fn turns(&self) -> usize {
        0
    }

    fn back_to(&self, _turns: usize) -> bool {
        false
    }
}
