//! Text as the user wrote it: files, spans, and the mapping from a byte to a line and column.
//!
//! Spans are byte offsets; people see lines and columns from 1, columns in characters, the end excluded. Deliberately
//! absent: reading files. Text arrives through `world`, so that it can be frozen.

mod hex;
mod printable;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

pub use hex::hex;
pub use printable::{Printable, headline, is_hostile, joiners, printable, unjoined};

/// A file in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileId(pub u32);

/// A range of bytes in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// A range of bytes; offsets over 4 GiB cannot occur, because the file size limit is far below.
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Self { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that contains both; they are in one file.
    pub fn to(self, other: Span) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether the other is within this one.
    pub fn contains(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// The bytes as a range, for slicing the file's text.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// One file: its shown path, its text, and the starts of its lines.
#[derive(Debug, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct SourceFile {
    /// As shown and as printed in JSON: relative to the current folder, or `<stdin>`, `<argument>`.
    pub name: Arc<str>,
    /// Its real path; `None` for code that was given as text.
    pub path: Option<PathBuf>,
    pub text: Arc<str>,
    #[serde(skip)]
    line_starts: Vec<u32>,
    /// The line of the last search, from 0. The next one is mostly near it.
    #[serde(skip)]
    last_line: AtomicU32,
}

/// The parts of a file that cross a process border.
#[derive(Deserialize)]
struct Written {
    name: Arc<str>,
    path: Option<PathBuf>,
    text: Arc<str>,
}

impl From<Written> for SourceFile {
    fn from(Written { name, path, text }: Written) -> Self {
        Self::new(name, path, text)
    }
}

impl SourceFile {
    fn new(name: Arc<str>, path: Option<PathBuf>, text: Arc<str>) -> Self {
        let line_starts =
            std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i as u32 + 1)).collect();
        Self { name, path, text, line_starts, last_line: AtomicU32::new(0) }
    }

    /// Line and column, both from 1, of a byte offset; the column counts characters.
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line_index(offset);
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).clamp(start, self.text.len());
        let column = self.text.as_bytes()[start..end].iter().filter(|b| (**b as i8) >= -0x40).count();
        (line as u32 + 1, column as u32 + 1)
    }

    /// The line of a byte offset, from 1.
    pub fn line_at(&self, offset: u32) -> u32 {
        self.line_index(offset) as u32 + 1
    }

    fn line_index(&self, offset: u32) -> usize {
        let last = self.last_line.load(Ordering::Relaxed) as usize;
        let is_in = |line: usize| {
            let next = self.line_starts.get(line + 1);
            self.line_starts[line] <= offset && next.is_none_or(|next| offset < *next)
        };
        let near = [last, last + 1].into_iter().find(|line| *line < self.line_starts.len() && is_in(*line));
        let line = near.unwrap_or_else(|| self.line_starts.partition_point(|start| *start <= offset) - 1);
        if line != last {
            self.last_line.store(line as u32, Ordering::Relaxed);
        }
        line
    }

    /// The text of a line, counted from 1, without its line break.
    pub fn line(&self, line: u32) -> &str {
        &self.text[self.line_range(line)]
    }

    /// Its bytes; empty if there is no such line.
    pub fn line_range(&self, line: u32) -> std::ops::Range<usize> {
        let index = (line as usize).saturating_sub(1);
        let Some(start) = self.line_starts.get(index).map(|start| *start as usize) else { return 0..0 };
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |next| *next as usize);
        start..start + self.text[start..end].trim_end_matches(['\n', '\r']).len()
    }

    /// How many lines there are; an empty file has one.
    pub fn line_count(&self) -> u32 {
        self.line_starts.len() as u32
    }
}

/// Every file that a compilation read. It only grows, so spans stay valid.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Sources {
    files: Vec<Arc<SourceFile>>,
}

impl Sources {
    /// Adds a file; the same path may be added twice, each keeps its own id.
    pub fn add(&mut self, name: impl Into<Arc<str>>, path: Option<PathBuf>, text: impl Into<Arc<str>>) -> FileId {
        let id = FileId(self.files.len() as u32);
        self.files.push(Arc::new(SourceFile::new(name.into(), path, text.into())));
        id
    }

    /// Removes the texts that the receiver of these files has, by path, and returns their files.
    pub fn take_texts(&mut self, has: impl Fn(&Path, &str) -> bool) -> Vec<FileId> {
        let mut taken = Vec::new();
        for (file, at) in self.files.iter_mut().zip(0..) {
            if file.path.as_ref().is_some_and(|path| has(path, &file.text)) {
                *file = Arc::new(SourceFile::new(Arc::clone(&file.name), file.path.clone(), "".into()));
                taken.push(FileId(at));
            }
        }
        taken
    }

    /// The counterpart of [`Sources::take_texts`].
    pub fn put_texts(&mut self, taken: &[FileId], text_of: impl Fn(&Path) -> Option<Arc<str>>) {
        for at in taken {
            if let Some(file) = self.files.get_mut(at.0 as usize)
                && let Some(text) = file.path.as_deref().and_then(&text_of)
            {
                *file = Arc::new(SourceFile::new(Arc::clone(&file.name), file.path.clone(), text));
            }
        }
    }

    /// Whether both consist of the same files, read once.
    pub fn shares(&self, other: &Sources) -> bool {
        self.files.len() == other.files.len() && self.files.iter().zip(&other.files).all(|(a, b)| Arc::ptr_eq(a, b))
    }

    /// Returns the file with this id. Panics for an id of other sources.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// The file that was read from a path.
    pub fn by_path(&self, path: &Path) -> Option<FileId> {
        self.files.iter().position(|f| f.path.as_deref() == Some(path)).map(|i| FileId(i as u32))
    }

    /// Returns the files in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), &**f))
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.range()).unwrap_or("")
    }

    /// The span of a place; `None` if it is not in one of these files.
    pub fn span(&self, place: &Place) -> Option<Span> {
        let (id, file) = self.iter().find(|(_, file)| *file.name == *place.file)?;
        let offset = |line: u32, column: u32| {
            let range = file.line_range(line);
            let line = file.text.get(range.clone())?;
            let rest = line.char_indices().nth((column as usize).checked_sub(1)?);
            Some(range.start + rest.map_or(line.len(), |(at, _)| at))
        };
        let start = offset(place.line, place.column)?;
        Some(Span::new(id, start, offset(place.end_line, place.end_column)?.max(start)))
    }

    /// The place of a span, for everything that leaves `lang/`.
    pub fn place(&self, span: Span) -> Place {
        let file = self.file(span.file);
        let (line, column) = file.line_column(span.start);
        let (end_line, end_column) = file.line_column(span.end);
        Place { file: Arc::clone(&file.name), line, column, end_line, end_column }
    }
}

/// A span as lines and columns, independent of [`Sources`]: for graphs, plans and JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", printable(&self.file), self.line, self.column)
    }
}
