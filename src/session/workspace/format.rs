//! Formats source files on this machine, and replaces them atomically.

use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::Path;

use crate::diag::{Diagnostics, Stage};
use crate::lang::{Migrated, language};
use crate::module::{LanguageName, add_text, load_text};
use crate::session::{Options, Report, job, panicked};
use crate::source::Sources;
use crate::world::Live;

/// A file before and after formatting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatted {
    pub before: String,
    pub after: String,
    /// The rewritten older forms, by line.
    pub rewrites: Vec<(usize, String)>,
}

/// The text to format.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    File(&'a str),
    /// The complete standard input.
    Stdin(&'a [u8]),
}

/// Whether older forms of the language are rewritten too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forms {
    Kept,
    Migrated,
}

/// Formats one text, and does not write the file.
///
/// A file without a known extension is in the language of `options`, or in the first language.
pub fn format_text(text: Text<'_>, forms: Forms, options: &Options) -> Result<Formatted, Box<Report>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Parse));
    let detected = match text {
        Text::File(path) => LanguageName::of_file(Path::new(path)),
        Text::Stdin(_) => None,
    };
    let name = options.language.or(detected).unwrap_or_default();
    options.check_flags(name, "this text")?;
    let (language, choices) = (language(name), &options.choices);
    let file = match text {
        Text::File(path) => load_text(&Live::new(), Path::new(path), None, &mut sources, &mut diagnostics),
        Text::Stdin(bytes) => add_text(bytes, "<stdin>", None, &mut sources, &mut diagnostics),
    };
    let Some(file) = file else { return Err(Box::new(Report { sources, diagnostics })) };
    let before = sources.file(file).text.to_string();
    let work = || {
        let migrated = match forms {
            Forms::Kept => Migrated { text: before.clone(), rewrites: Vec::new() },
            Forms::Migrated => match language.migrate(file, &before) {
                Ok(migrated) => migrated,
                Err(refused) => {
                    diagnostics.push(refused);
                    return None;
                }
            },
        };
        // The places are those of the text that was parsed, so remaining errors are reported as found.
        let tried = language.format(file, &migrated.text, choices, &mut Diagnostics::new(Stage::Parse));
        if tried.is_none() {
            language.format(file, &before, choices, &mut diagnostics);
        }
        tried.map(|after| (after, migrated.rewrites))
    };
    match job::run(work) {
        Ok(Some((after, rewrites))) => Ok(Formatted { before, after, rewrites }),
        Ok(None) => Err(Box::new(Report { sources, diagnostics })),
        Err(bug) => Err(Box::new(Report { sources, diagnostics: panicked(&bug, Stage::Parse) })),
    }
}

/// Returns the source files of a path: the file itself, or all below a folder, sorted. Hidden folders are left out.
#[expect(clippy::disallowed_methods, reason = "the user named this folder to be formatted; no host is managed")]
pub fn source_files(path: &str) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(path).to_path_buf()];
    if !folders[0].is_dir() {
        return Ok(vec![path.to_string()]);
    }
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            // Links are not followed: they may form cycles or leave the folder.
            let kind = entry.file_type()?;
            if kind.is_dir() && !hidden {
                folders.push(entry.path());
            } else if kind.is_file() && LanguageName::of_file(&entry.path()).is_some() {
                found.push(entry.path().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Replaces a file by one rename, so that no process sees half of it. If the file has other names, or an owner that a
/// new file could not have, writes into the file. A read-only file stays unchanged.
#[expect(clippy::disallowed_methods, reason = "the user asked for this very file to be written; no host is managed")]
pub fn replace_file(path: &str, text: &str) -> io::Result<()> {
    // A link stays, and its target is written.
    let path = Path::new(path).canonicalize()?;
    let about = path.metadata()?;
    if about.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if about.nlink() > 1 || fchown(file.as_file(), Some(about.uid()), Some(about.gid())).is_err() {
        return std::fs::write(path, text);
    }
    file.as_file().set_permissions(about.permissions())?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a new file with the user's default permissions.
pub fn write_new_file(path: &Path, text: &str) -> io::Result<()> {
    std::fs::File::create_new(path)?.write_all(text.as_bytes())
}
