//! This machine: read through plain paths, written only through handles on the folders that a turn looked at.

mod act;
mod look;
mod run;

pub use look::LocalLook;

use super::{Act, Host};

/// This machine, for applying.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl Host for Local {
    fn turn(&self) -> Box<dyn Act + '_> {
        Box::new(act::LocalTurn::default())
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
