//! Formatting of source files on this machine: what a file would look like, and putting it there in one piece.

use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, fchown};
use std::path::Path;

use super::{Options, Report, job, panicked};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::lang::{Migrated, is_built, language};
use crate::module::{LanguageName, add_text, load_text};
use crate::source::Sources;
use crate::world::Live;

/// A file as it is and as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formatted {
    pub before: String,
    pub after: String,
    /// Older forms that were rewritten, by line.
    pub rewrites: Vec<(usize, String)>,
}

/// What to format.
#[derive(Clone, Copy, Debug)]
pub enum Text<'a> {
    File(&'a str),
    /// Standard input, read whole.
    Stdin(&'a [u8]),
}

/// Whether older forms of the language are rewritten too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forms {
    Kept,
    Migrated,
}

/// Formats one text, and leaves the file alone.
///
/// What has no extension of a language is in the language of `options`, or in the first language.
pub fn format_text(text: Text<'_>, forms: Forms, options: &Options) -> Result<Formatted, Box<Report>> {
    let (mut sources, mut diagnostics) = (Sources::default(), Diagnostics::new(Stage::Parse));
    let told = match text {
        Text::File(path) => LanguageName::of_file(Path::new(path)),
        Text::Stdin(_) => None,
    };
    let name = options.language.or(told).unwrap_or_default();
    options.check_flags(name, "this text")?;
    let (language, choices) = (language(name), &options.choices);
    let file = match text {
        Text::File(path) => match is_built(name) {
            false => {
                let label = format!("`{path}` is {}, which this version cannot format", name.title());
                let known = LanguageName::default().title();
                let diagnostic = Diagnostic::placeless(Code::UnsupportedLanguage).label(label);
                diagnostics.push(diagnostic.help(format!("only {known} can be formatted")));
                None
            }
            true => load_text(&Live::new(), Path::new(path), None, &mut sources, &mut diagnostics),
        },
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
        // Places are those of the text at hand: what stays wrong is told as it was found.
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

/// The source files that a path means: itself, or all below a folder, sorted. Hidden folders are left out.
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
            // Links are not followed: they may lead in circles, or out of the folder.
            let kind = entry.file_type()?;
            if kind.is_dir() && !hidden {
                folders.push(entry.path());
            } else if kind.is_file() && LanguageName::of_file(&entry.path()).is_some_and(is_built) {
                found.push(entry.path().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Puts a file's new text in its place by one rename, so that nobody ever sees half of it; in the file itself where it has
/// other names, or an owner that a new one could not have. A file that nobody may write to stays as it is.
#[expect(clippy::disallowed_methods, reason = "the user asked for this very file to be written; no host is managed")]
pub fn replace_file(path: &str, text: &str) -> io::Result<()> {
    // A link keeps leading to the file that is written.
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

/// Writes a file that is not there yet, as the user asked for it.
pub fn write_new_file(path: &Path, text: &str) -> io::Result<()> {
    std::fs::File::create_new(path)?.write_all(text.as_bytes())
}
