//! The machine as typed facets, and the hosts that stand in for it: local, overlay, memory.
//!
//! [`Look`] only reads; [`Act`] also writes, and is all that a kind gets for one turn. [`Overlay`] keeps writes in memory
//! over any `Look`, so a preview is an apply on another host and cannot write: it never holds an `Act` of the machine.
//! What an overlay cannot know has a footprint: below a path that an unknown step may create, a missing file is
//! [`HostError::Unknown`] and not missing.
//! Deliberately absent: what any kind wants of the machine (`resource/`), and when (`engine/`).

mod accounts;
mod commands;
mod error;
mod files;
#[allow(clippy::disallowed_methods, reason = "this is where the machine is looked at and changed")]
mod local;
mod memory;
mod operation;
mod overlay;

pub use accounts::{Identity, LookAccounts};
pub use commands::{ActCommands, Command, LookCommands, Output};
pub use error::HostError;
pub use files::{ActFiles, FileImage, FileKind, LookFiles, Owner, READ_CAP, Stat, split_path};
pub use local::{Local, LocalLook, mind};
pub use memory::Memory;
pub use operation::Operation;
pub use overlay::Overlay;

/// Everything that can be asked of a machine without changing it.
pub trait Look: LookFiles + LookAccounts + LookCommands + Send + Sync {}

impl<T: LookFiles + LookAccounts + LookCommands + Send + Sync> Look for T {}

/// A machine for the time of one turn: what is looked at and what is done through it belong together.
pub trait Act: Look + ActFiles + ActCommands {
    /// Whether an answer of this turn rested on what earlier turns would have done.
    fn leaned(&self) -> bool {
        false
    }
}

/// A machine that takes turns.
pub trait Host: Send + Sync {
    /// Opens a turn.
    fn turn(&self) -> Box<dyn Act + '_>;

    /// Whether nothing is written, so that outcomes are predictions.
    fn is_dry(&self) -> bool;

    /// How many turns were opened, for [`Host::back_to`].
    fn turns(&self) -> usize;

    /// Takes all turns back but the first `turns`, exactly. `false` where this host cannot.
    fn back_to(&self, turns: usize) -> bool;
}
