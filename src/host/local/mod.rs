//! This machine: read through plain paths, written only through handles on the folders that a turn looked at.

mod act;
mod look;
mod run;
mod stream;

pub use look::LocalLook;

use super::{Act, Host};

/// This machine, for applying. The user's guards run: it is about to be changed anyway.
#[derive(Clone, Debug)]
pub struct Local {
    look: LocalLook,
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
