//! Formatting of source files on this machine: what a file would look like, and putting it there in one piece.

use std::io::{self, Write};
use std::path::Path;

use super::{Report, job, panicked};
use crate::diag::{Diagnostics, Stage};
use crate::lang::mcl;
use crate::module::load_text;
use crate::source::Sources;
use crate::world::Live;

/// A file as it is and as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatted {
    pub before: String,
    pub after: String,
}

/// Formats one file's text, and leaves the file alone.
pub fn format_file(path: &str) -> Result<Formatted, Box<Report>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Parse));
    let file = load_text(&Live::new(), Path::new(path), None, &mut sources, &mut diagnostics);
    let Some(file) = file else { return Err(Box::new(Report { sources, diagnostics })) };
    let before = sources.file(file).text.to_string();
    match job::run(|| mcl::format::format(file, &before, &mut diagnostics)) {
        Ok(Some(after)) => Ok(Formatted { before, after }),
        Ok(None) => Err(Box::new(Report { sources, diagnostics })),
        Err(bug) => Err(Box::new(Report { sources, diagnostics: panicked(&bug, Stage::Parse) })),
    }
}

/// Puts a file's new text in its place by one rename, so that nobody ever sees half of it.
#[expect(clippy::disallowed_methods, reason = "the user asked for this very file to be written; no host is managed")]
pub fn replace_file(path: &str, text: &str) -> io::Result<()> {
    // A link keeps leading to the file that is written.
    let path = Path::new(path).canonicalize()?;
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(path.metadata()?.permissions())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
