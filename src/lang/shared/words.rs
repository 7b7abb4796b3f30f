//! The word under the cursor: its place, the others that mean the same, and the comment above a definition.

use crate::lang::Here;
use crate::source::{FileId, SourceFile, Sources, Span};

/// The byte at a line and column, both from 1; `None` after the end of the line.
pub fn offset(file: &SourceFile, (line, column): (u32, u32)) -> Option<usize> {
    if line == 0 || line > file.line_count() {
        return None;
    }
    let range = file.line_range(line);
    let before = file.text[range.clone()].char_indices().nth((column as usize).checked_sub(1)?)?.0;
    Some(range.start + before)
}

/// The smallest of some words around a byte of a file.
pub fn smallest<W>(words: impl Iterator<Item = W>, span: impl Fn(&W) -> Span, file: FileId, at: usize) -> Option<W> {
    let around = words.filter(|word| span(word).file == file && span(word).range().contains(&at));
    around.min_by_key(|word| span(word).range().len())
}

/// Characters that a word processor writes, and what belongs there.
const FOREIGN_CHARACTERS: [(char, &str); 13] = [
    ('‘', "'"),
    ('’', "'"),
    ('‚', "'"),
    ('“', "\""),
    ('”', "\""),
    ('„', "\""),
    ('«', "\""),
    ('»', "\""),
    ('–', "-"),
    ('—', "-"),
    ('\u{a0}', " "),
    ('\u{200b}', ""),
    ('\u{feff}', ""),
];

/// What is wrong with a character that a word processor wrote, and how to repair it.
pub fn foreign_character(c: char) -> Option<(String, String)> {
    let code = u32::from(c);
    let (_, ours) = FOREIGN_CHARACTERS.iter().find(|(foreign, _)| *foreign == c)?;
    Some(match *ours {
        "" => (format!("an invisible character, U+{code:04X}"), "delete it".into()),
        " " => (format!("a non-breaking space, U+{code:04X}"), "replace it by a plain space".into()),
        "-" => (format!("`{c}` is a dash, not a minus sign"), "write `-`".into()),
        _ => (format!("`{c}` is a typographic quote, which begins no text"), format!("write `{ours}` around the text")),
    })
}

/// The first mark that a merge with conflicts leaves in a text, as its range; `=======` counts at one place only.
pub fn conflict_mark(text: &str, place: usize) -> Option<(usize, usize)> {
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end();
        let is_mark = ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|mark| line.starts_with(mark))
            || line == "=======" && (start..=start + line.len()).contains(&place);
        if is_mark {
            return Some((start, start + line.len()));
        }
        start += whole.len();
    }
    None
}

/// The comment lines right above a definition, without their signs.
pub fn comment_above(file: &SourceFile, definition: Span) -> String {
    let mut lines = Vec::new();
    let mut line = file.line_column(definition.start).0;
    while line > 1 {
        line -= 1;
        let Some(text) = file.line(line).trim().strip_prefix('#') else { break };
        lines.push(text.strip_prefix(' ').unwrap_or(text).to_string());
    }
    lines.reverse();
    lines.join("\n")
}

impl Here {
    /// A symbol with the places of its definition and its uses, and nothing else.
    pub fn of(
        what: &'static str,
        name: String,
        word: Span,
        defined: Option<Span>,
        uses: impl Iterator<Item = Span>,
        sources: &Sources,
    ) -> Self {
        Here {
            what: what.into(),
            name,
            ty: None,
            doc: String::new(),
            place: sources.place(word),
            defined: defined.map(|span| sources.place(span)),
            uses: uses.map(|span| sources.place(span)).collect(),
            resource: None,
            undefined: None,
            data: Vec::new(),
            merged: None,
        }
    }
}
