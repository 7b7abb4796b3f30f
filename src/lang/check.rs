//! The result of a check: a compilation, the faults of files that it does not read, and what was left unchecked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::Compiled;
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::module::{add_text, clean, shown};
use crate::source::{FileId, Place, SourceFile, Sources, Span};
use crate::world::{Read, ReadError, Sample, World};

/// A check of an entry and of its own files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checked {
    pub compiled: Compiled,
    /// Empty: everything was checked.
    pub unchecked: BTreeSet<Unchecked>,
    /// The nodes that it was compiled for.
    pub nodes: Vec<String>,
    /// The own files that compiling read.
    pub read: BTreeSet<PathBuf>,
    /// The files among the sources by their paths, as far as they are listed, and how many sources that are.
    #[serde(skip)]
    by_path: (BTreeMap<PathBuf, FileId>, usize),
}

/// Something that was checked only in part, or not at all.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unchecked {
    pub place: Option<Place>,
    /// Its kind and name, such as "class `web`".
    pub what: String,
    pub why: String,
}

impl Unchecked {
    /// Makes a note without a place: the unchecked part, and the reason.
    pub fn new(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self { place: None, what: what.into(), why: why.into() }
    }

    /// Sets the place in the program.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}

impl Checked {
    /// A compilation, with nothing else to check.
    pub fn of(compiled: Compiled) -> Self {
        Self {
            compiled,
            unchecked: BTreeSet::new(),
            nodes: Vec::new(),
            read: BTreeSet::new(),
            by_path: Default::default(),
        }
    }

    /// Adds a note, unless an equal one exists.
    pub fn note(&mut self, unchecked: Unchecked) {
        self.unchecked.insert(unchecked);
    }

    /// Adds the findings of another compilation in the same world. A file that both read stays one file.
    pub fn absorb(&mut self, other: Compiled) {
        let Compiled { sources, diagnostics, log, .. } = other;
        let own = &mut self.compiled;
        let known: BTreeMap<(Option<PathBuf>, Arc<str>), FileId> =
            own.sources.iter().map(|(id, file)| ((file.path.clone(), file.name.clone()), id)).collect();
        let ids: Vec<FileId> = sources
            .iter()
            .map(|(_, file): (_, &SourceFile)| {
                let id = known.get(&(file.path.clone(), file.name.clone())).copied();
                id.filter(|id| own.sources.file(*id).text == file.text)
                    .unwrap_or_else(|| own.sources.add(file.name.clone(), file.path.clone(), file.text.clone()))
            })
            .collect();
        let moved = |span: Span| Span { file: ids.get(span.file.0 as usize).copied().unwrap_or(span.file), ..span };
        for diagnostic in diagnostics.iter() {
            let mut diagnostic = diagnostic.clone();
            diagnostic.span = diagnostic.span.map(moved);
            diagnostic.related.iter_mut().for_each(|(span, _)| *span = moved(*span));
            own.diagnostics.push(diagnostic);
        }
        let after = own.diagnostics.iter().len();
        let mut known: BTreeSet<_> = own.log.iter().map(|entry| (entry.message.clone(), entry.place.clone())).collect();
        for mut entry in log {
            if known.insert((entry.message.clone(), entry.place.clone())) {
                entry.after = after;
                own.log.push(entry);
            }
        }
    }

    /// Reads one of the entry's own files; a file that was read already stays one file.
    pub fn file(&mut self, world: &dyn World, path: &Path) -> Option<FileId> {
        let Compiled { sources, diagnostics, .. } = &mut self.compiled;
        let (known, listed) = &mut self.by_path;
        for (id, file) in sources.iter().skip(*listed) {
            *listed += 1;
            if let Some(path) = &file.path {
                known.entry(clean(path)).or_insert(id);
            }
        }
        if let Some(file) = known.get(path) {
            return Some(*file);
        }
        let bytes = world.file(path).ok()?;
        add_text(&bytes, shown(path), Some(path.into()), sources, diagnostics)
    }

    /// How many files were read, those of the language itself left out.
    pub fn files(&self) -> usize {
        let sources = self.compiled.sources.iter().filter_map(|(_, file)| file.path.as_deref());
        sources.map(clean).chain(self.read.iter().cloned()).collect::<BTreeSet<_>>().len()
    }
}

/// A world that notes which files are read, and which reads fail.
pub struct Noting<'w> {
    inner: &'w dyn World,
    /// The name of a machine that has none.
    stand_in: Option<&'static str>,
    noted: Mutex<Noted>,
}

/// The reads of a compilation.
#[derive(Clone, Debug, Default)]
pub struct Noted {
    /// The files that were read.
    pub files: BTreeSet<PathBuf>,
    /// Failed reads, as messages show them.
    pub failed: BTreeMap<String, Read>,
    /// Whether the name of the machine was asked for, and there is none.
    pub is_nameless: bool,
}

impl<'w> Noting<'w> {
    /// Wraps a world, with nothing noted yet.
    pub fn new(inner: &'w dyn World) -> Self {
        Self { inner, stand_in: None, noted: Mutex::default() }
    }

    /// Gives a machine without a name another one.
    #[must_use]
    pub fn named(mut self, name: &'static str) -> Self {
        self.stand_in = Some(name);
        self
    }

    /// Returns a copy of the notes so far.
    pub fn noted(&self) -> Noted {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl World for Noting<'_> {
    fn read(&self, what: &Read) -> Result<Sample, ReadError> {
        let answer = self.inner.read(what);
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        match (&answer, what, self.stand_in) {
            (Ok(Sample::Text(name)), Read::Hostname, Some(stand_in)) if name.is_empty() => {
                noted.is_nameless = true;
                return Ok(Sample::Text(stand_in.into()));
            }
            (Ok(_), Read::File(path), _) => {
                noted.files.insert(clean(path));
            }
            (Err(error), ..) => {
                noted.failed.insert(error.to_string(), what.clone());
            }
            _ => {}
        }
        answer
    }

    fn note(&self, file: &str, line: u32) {
        self.inner.note(file, line);
    }
}

/// The first error in a file of data.
pub struct Fault {
    pub code: Code,
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    pub why: String,
    pub help: String,
}

/// Checks text in a file of data.
pub fn data(
    file: FileId,
    sources: &Sources,
    diagnostics: &mut Diagnostics,
    read: impl FnOnce(&str) -> Result<(), Fault>,
) {
    let source = sources.file(file);
    if let Err(Fault { code, line, column, why, help }) = read(&source.text) {
        let range = source.line_range(u32::try_from(line).unwrap_or(1));
        let text = source.text.get(range.clone()).unwrap_or_default();
        let indent = text.len() - text.trim_start().len();
        let before: usize = text.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        let start = range.start + before.max(indent).min(text.len());
        let span = Span::new(file, start, range.end.max(start));
        diagnostics.push(Diagnostic::error(code, span).label(why).help(help));
    }
}

/// The first error of a YAML text.
pub fn yaml(text: &str) -> Result<(), Fault> {
    use serde::de::Deserialize;
    for document in serde_yaml::Deserializer::from_str(text) {
        serde_yaml::Value::deserialize(document).map_err(|error| {
            let (line, column) = error.location().map_or((1, 1), |at| (at.line(), at.column()));
            let (why, help) = crate::module::yaml_advice(text, line, &error.to_string());
            Fault { code: Code::InvalidData, line, column, why, help }
        })?;
    }
    Ok(())
}

/// The first error of a JSON text.
pub fn json(text: &str) -> Result<(), Fault> {
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) else { return Ok(()) };
    let message = error.to_string();
    let why = message.split(" at line ").next().unwrap_or_default();
    let (mut line, mut column) = (error.line().max(1), error.column().max(1));
    let at = |line: usize| text.lines().nth(line - 1).unwrap_or_default();
    if why.starts_with("EOF") {
        (line, column) = (text.trim_end().lines().count().max(1), 1);
    }
    let is_comment = at(line).chars().nth(column.saturating_sub(1)).is_some_and(|c| matches!(c, '/' | '#'));
    // The fault is at the end of the line before.
    let is_comma = why.starts_with("expected `,`");
    let is_trailing =
        why == "trailing comma" || why == "key must be a string" && at(line).trim().starts_with(['}', ']']);
    let is_before = (is_comma || is_trailing) && !is_comment && line > 1 && !at(line - 1).trim().is_empty();
    if is_before {
        (line, column) = (line - 1, 1);
    }
    let (why, help) = match why {
        _ if is_comma && is_before => ("the next entry follows without a comma", "write `,` at the end of this line"),
        _ if is_comma => ("the next entry follows without a comma", "write `,` between the entries"),
        _ if is_trailing => ("a comma follows the last entry", "remove the comma before the closing bracket"),
        _ if why.starts_with("EOF") && why.ends_with("list") => {
            ("the file ends before its list is closed", "add `]` at the end")
        }
        _ if why.starts_with("EOF") && why.ends_with("object") => {
            ("the file ends before its object is closed", "add `}` at the end")
        }
        _ if why.starts_with("EOF") => ("the file ends before its value is complete", "write the rest of the value"),
        _ if is_comment => ("JSON has no comments", "remove the comment, or write the data as YAML"),
        _ if at(line).contains('\'') => ("JSON has no texts in single quotes", "write double quotes: `\"…\"`"),
        "key must be a string" => ("a key is a text in double quotes", "write `\"KEY\": VALUE`"),
        "expected `:`" => ("a value follows its key without a colon", "write `\"KEY\": VALUE`"),
        _ if why.starts_with("control character") => {
            ("a text ends in the line in which it begins", "close the text with `\"`, and write a line break as `\\n`")
        }
        "invalid escape" => ("a text has a backslash before a letter that needs none", "write a backslash as `\\\\`"),
        "trailing characters" => ("more text follows the end of the value", "remove it, or put the values into a list"),
        why => (why, "write valid JSON: text in double quotes, `,` between entries, and each bracket closed"),
    };
    Err(Fault { code: Code::InvalidData, line, column, why: why.into(), help: help.into() })
}
