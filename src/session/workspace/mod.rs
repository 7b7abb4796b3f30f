//! The user's own files: formatting, searching and editing them, new modules, and what the faces save.

pub(super) mod editor;
pub(super) mod lending;
pub(super) mod format;
pub(super) mod find;
#[allow(clippy::disallowed_methods, reason = "what the faces keep is written and read here")]
pub mod keepsakes;
pub(super) mod nearby;
#[allow(clippy::disallowed_methods, reason = "the tutor's folder is ours")]
pub(super) mod lesson;
