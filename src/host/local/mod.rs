//! This machine: read through plain paths, written only through handles on the folders that a turn looked at.

mod accounts;
mod act;
mod descendants;
mod keeper;
mod kernel;
mod look;
mod minder;
mod mounts;
mod network;
mod packages;
mod run;
mod services;
mod stream;
mod system;
mod tool;

use std::path::PathBuf;

pub use look::LocalLook;
pub use minder::mind;

use super::{Act, Host};

/// This machine, for applying. The user's guards run: it is about to be changed anyway.
#[derive(Clone, Debug)]
pub struct Local {
    look: LocalLook,
}

impl Local {
    /// The same machine, with another program that answers to [`mind`] as the minder of commands.
    pub fn minded_by(program: impl Into<PathBuf>) -> Self {
        let mut look = LocalLook::new(true);
        look.minder = Some(program.into());
        Self { look }
    }
}

impl Default for Local {
    fn default() -> Self {
        Self { look: LocalLook::new(true) }
    }
}

impl Host for Local {
    fn turn(&self) -> Box<dyn Act + '_> {
        Box::new(act::LocalTurn::new(&self.look))
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
