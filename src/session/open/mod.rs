//! Opening and compiling an entry: its files, the settings, what it is compiled for, and what is asked of it at once.

pub(super) mod files;
pub(super) mod reads;
pub(super) mod configure;
pub(super) mod compiled_for;
pub(super) mod check;
pub(super) mod evaluate;
pub(super) mod artifact;
pub mod doc;
pub(super) mod agreement;
pub(super) mod archives;
