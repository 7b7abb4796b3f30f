//! An import that a user adds to a program: the request, and the new line of a file.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::module::unused_url_parts;

/// A requested import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewImport {
    /// The name in the statement.
    pub name: String,
    /// The file to change; `None` for the entry's own.
    pub file: Option<PathBuf>,
    /// The name after `as`; `None` for the last part of its name.
    pub alias: Option<String>,
}

/// A new line of a file, not written yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportEdit {
    pub name: String,
    pub path: PathBuf,
    /// The number of the new line, from 1.
    pub line: usize,
    /// The statement, without its line break.
    pub statement: String,
    pub before: String,
    pub after: String,
}

impl ImportEdit {
    /// A warning about an ignored part of its name, with the fix.
    pub fn warning(&self) -> Option<String> {
        unused_url_parts(&self.name).map(|(words, help)| format!("{words}; {help}"))
    }

    /// The new line between its neighbours, each with `+` or a space before it.
    pub fn diff(&self) -> Vec<String> {
        const AROUND: usize = 2;
        let lines: Vec<&str> = self.after.lines().collect();
        let at = self.line - 1;
        let shown = at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len());
        shown.map(|line| format!("{} {}", if line == at { '+' } else { ' ' }, lines[line])).collect()
    }
}
