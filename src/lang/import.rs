//! An import that a user adds to a program: what is wanted, and the one line that a file would get.

use std::path::PathBuf;

use crate::module::unheard;

/// An import that the user wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewImport {
    /// As it will stand in the statement.
    pub name: String,
    /// The file to add it to; the entry's own where none is named.
    pub file: Option<PathBuf>,
    /// `as` this; by the last part of its name otherwise.
    pub alias: Option<String>,
}

/// One line more in a file, not written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportEdit {
    pub name: String,
    pub path: PathBuf,
    /// Where the new line stands, from 1.
    pub line: usize,
    /// The statement, without its line break.
    pub statement: String,
    pub before: String,
    pub after: String,
}

impl ImportEdit {
    /// What its name says and nobody hears, with what to write instead.
    pub fn warning(&self) -> Option<String> {
        unheard(&self.name).map(|(words, help)| format!("{words}; {help}"))
    }

    /// The new line between those around it, each with `+` or a space before it.
    pub fn diff(&self) -> Vec<String> {
        const AROUND: usize = 2;
        let lines: Vec<&str> = self.after.lines().collect();
        let at = self.line - 1;
        let shown = at.saturating_sub(AROUND)..(at + AROUND + 1).min(lines.len());
        shown.map(|line| format!("{} {}", if line == at { '+' } else { ' ' }, lines[line])).collect()
    }
}
