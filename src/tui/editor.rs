//! The user's editor in our terminal.

use std::path::Path;

use super::terminal::Guard;
use crate::session;

/// Runs the user's editor in the terminal and waits for it.
pub fn edit(guard: &Guard, set: Option<&str>, path: &Path, line: u32) -> Result<(), String> {
    guard.leave();
    session::edit(&session::editor(set).unwrap_or_else(|| "vi".into()), path, line)
}
