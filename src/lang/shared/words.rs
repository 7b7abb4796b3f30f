//! The word under the cursor: its place, the others that mean the same, and the comment above a definition.

use std::ops::Range;

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

/// The mark of a merge with conflicts that a place is inside of: where it is, what is wrong, and how to repair it.
pub fn conflict_mark(text: &str, at: usize) -> Option<(Range<usize>, String, String)> {
    const WIDTH: usize = 7;
    let bytes = text.as_bytes();
    let at = at.min(bytes.len());
    let before = &bytes[at.saturating_sub(WIDTH)..at];
    let start = at - before.iter().rev().take_while(|byte| **byte != b'\n').count();
    if start > 0 && bytes[start - 1] != b'\n' {
        return None;
    }
    let sign = bytes.get(start).filter(|sign| matches!(sign, b'<' | b'=' | b'>' | b'|'))?;
    let end = start + bytes[start..].iter().take(WIDTH + 1).take_while(|byte| *byte == sign).count();
    let is_mark = end - start == WIDTH && matches!(bytes.get(end), None | Some(b' ' | b'\n' | b'\r'));
    is_mark.then(|| {
        let label = format!("`{}` is the mark of a merge with conflicts", &text[start..end]);
        (
            start..end,
            label,
            "keep one of the two versions, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`".into(),
        )
    })
}

/// The comment lines right above a definition, without their signs.
pub fn comment_above(file: &SourceFile, definition: Span) -> String {
    let mut lines = Vec::new();
    let mut line = file.line_at(definition.start);
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
