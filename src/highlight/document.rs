//! Text with its syntax tree, which follows edits.

use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tree_sitter::{InputEdit, ParseOptions, ParseState, Parser, Point, Tree};

use super::grammar::Grammar;
use super::template;

/// Files over this many bytes are shown plain.
const MAX_BYTES: usize = 2 << 20;
/// Files with a line of more characters than this are shown plain.
const MAX_COLUMNS: usize = 10_000;
/// Text with more open brackets than this is shown plain: walking a deeper tree would delay every key.
const MAX_DEPTH: usize = 1_000;
/// The time limit for one parse. The largest ordinary file needs a third of it; only error recovery on text that is
/// hardly in the language takes longer, and is cancelled.
const MAX_TIME: Duration = Duration::from_secs(1);

/// Why a text is shown without colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// No grammar knows this kind of file.
    NoGrammar,
    /// Over 2 MiB.
    TooLarge,
    /// A line has over 10,000 characters.
    LongLine,
    /// Over 1,000 brackets are open at one place.
    TooDeep,
    /// The parser gave up on text that is too broken.
    TooBroken,
}

impl Plain {
    /// A few words for a status line.
    pub fn reason(self) -> &'static str {
        match self {
            Plain::NoGrammar => "no grammar for this kind of file",
            Plain::TooLarge => "larger than 2 MiB",
            Plain::LongLine => "a line is over 10,000 characters long",
            Plain::TooDeep => "nested over 1,000 deep",
            Plain::TooBroken => "too broken to highlight",
        }
    }
}

/// A text and its syntax. Cheap to clone, so a background job can make the next one.
#[derive(Clone, Debug)]
pub struct Document {
    text: Arc<str>,
    line_starts: Vec<usize>,
    grammar: Option<Grammar>,
    tree: Result<Tree, Plain>,
}

impl Document {
    /// Parses a text; without a grammar it is plain.
    pub fn new(text: impl Into<Arc<str>>, grammar: Option<Grammar>) -> Self {
        let text = text.into();
        let line_starts = line_starts(&text);
        let tree = parse(&text, &line_starts, grammar, None);
        Self { text, line_starts, grammar, tree }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the grammar; `None` for plain text.
    pub fn grammar(&self) -> Option<Grammar> {
        self.grammar
    }

    /// Why there are no colours; `None` if there are.
    pub fn plain(&self) -> Option<Plain> {
        self.tree.as_ref().err().copied()
    }

    /// Whether the grammar finds an error. A plain text is not checked.
    pub fn has_error(&self) -> bool {
        self.tree.as_ref().is_ok_and(|tree| tree.root_node().has_error())
    }

    /// The syntax tree as tree-sitter prints it, for tests of the grammar; empty for plain text.
    pub fn s_expression(&self) -> String {
        self.tree.as_ref().map(|tree| tree.root_node().to_sexp()).unwrap_or_default()
    }

    /// How many lines there are: one more than line breaks, as editors count.
    pub fn line_count(&self) -> usize {
        self.line_starts.len()
    }

    /// The bytes of a line, counted from 0, without its line break; empty past the end.
    pub fn line_range(&self, line: usize) -> Range<usize> {
        let Some(start) = self.line_starts.get(line).copied() else { return self.text.len()..self.text.len() };
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        start..end
    }

    /// Replaces a range, and parses again what that affected.
    ///
    /// The range is clamped to the text and to whole characters.
    pub fn edit(&mut self, range: Range<usize>, replacement: &str) {
        let start = floor(&self.text, range.start);
        let end = floor(&self.text, range.end.max(range.start));
        let text: Arc<str> = [&self.text[..start], replacement, &self.text[end..]].concat().into();
        let new_starts = line_starts(&text);
        let edit = InputEdit {
            start_byte: start,
            old_end_byte: end,
            new_end_byte: start + replacement.len(),
            start_position: point(&self.line_starts, start),
            old_end_position: point(&self.line_starts, end),
            new_end_position: point(&new_starts, start + replacement.len()),
        };
        let old = self.tree.as_mut().ok().map(|tree| {
            tree.edit(&edit);
            &*tree
        });
        self.tree = parse(&text, &new_starts, self.grammar, old);
        self.text = text;
        self.line_starts = new_starts;
    }

    /// Takes a new version of the whole text, such as a file that changed on disk, as one edit.
    pub fn replace(&mut self, text: &str) {
        let same_start = self.text.bytes().zip(text.bytes()).take_while(|(old, new)| old == new).count();
        let start = floor(text, same_start);
        let old_rest = &self.text.as_bytes()[start..];
        let new_rest = &text.as_bytes()[start..];
        let same_end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| old == new).count();
        // Both ends are the same bytes, so one character boundary works for both.
        let mut new_end = text.len() - same_end;
        while !text.is_char_boundary(new_end) {
            new_end += 1;
        }
        let old_end = self.text.len() - (text.len() - new_end);
        if start < old_end || start < new_end {
            self.edit(start..old_end, &text[start..new_end]);
        }
    }

    pub(super) fn tree(&self) -> Option<(&Tree, Grammar)> {
        Some((self.tree.as_ref().ok()?, self.grammar?))
    }
}

/// The last character boundary at or before an offset.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1)).collect()
}

fn point(line_starts: &[usize], offset: usize) -> Point {
    let row = line_starts.partition_point(|start| *start <= offset) - 1;
    Point::new(row, offset - line_starts[row])
}

fn parse(text: &str, line_starts: &[usize], grammar: Option<Grammar>, old: Option<&Tree>) -> Result<Tree, Plain> {
    let grammar = grammar.ok_or(Plain::NoGrammar)?;
    if text.len() > MAX_BYTES {
        return Err(Plain::TooLarge);
    }
    if has_long_line(text, line_starts) {
        return Err(Plain::LongLine);
    }
    if is_too_deep(text) {
        return Err(Plain::TooDeep);
    }
    let mut parser = Parser::new();
    parser.set_language(&grammar.parts().language).expect("the grammar's version is the runtime's, as a test shows");
    if grammar == Grammar::Epp {
        let ranges = template::code(text, &|offset| point(line_starts, offset));
        parser.set_included_ranges(&ranges).expect("the pieces of code are in order");
    }
    let deadline = Instant::now() + MAX_TIME;
    let mut keep_on = |_: &ParseState| {
        if Instant::now() < deadline { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let bytes = text.as_bytes();
    let options = ParseOptions::new().progress_callback(&mut keep_on);
    parser
        .parse_with_options(&mut |offset, _| bytes.get(offset..).unwrap_or_default(), old, Some(options))
        .ok_or(Plain::TooBroken)
}

fn has_long_line(text: &str, line_starts: &[usize]) -> bool {
    let ends = line_starts.iter().skip(1).map(|next| next - 1).chain([text.len()]);
    line_starts
        .iter()
        .zip(ends)
        .any(|(start, end)| end - start > MAX_COLUMNS && text[*start..end].chars().count() > MAX_COLUMNS)
}

/// Counts brackets in comments and strings too: precise enough for a limit that no ordinary text reaches.
fn is_too_deep(text: &str) -> bool {
    let mut depth = 0usize;
    text.bytes().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "class c($a) {\n\tfile \"/tmp/é${a}\" {\n\t\tstate => \"exists\",\n\t}\n}\n$x = [1, 2]\n";

    proptest! {
        /// After any edit, the updated tree equals that of a fresh parse, unless the text is broken: error recovery may
        /// choose another repair.
        #[test]
        fn edits_follow(start in 0usize..90, len in 0usize..30, new in "[a-z\"{}$\n é]{0,8}") {
            let mut document = Document::new(TEXT, Some(Grammar::Mcl));
            document.edit(start..start + len, &new);
            let fresh = Document::new(document.text(), Some(Grammar::Mcl));
            prop_assert_eq!(&document.line_starts, &fresh.line_starts);
            if !fresh.has_error() {
                prop_assert_eq!(document.s_expression(), fresh.s_expression());
            }
            let mut back = document;
            back.replace(TEXT);
            prop_assert_eq!(back.text(), TEXT);
            prop_assert!(!back.has_error());
        }
    }

    /// Edits below, inside and above a heredoc, and in the text around the code of a template.
    #[test]
    fn heredocs_and_templates_follow_edits() {
        let puppet = "$x = @(\"END\")\n  a ${b}\n  | END\nnotice $x\n";
        let template = "<%- | $x | -%>\na <%= $x %> b\n<% if $x { -%>\nc\n<% } -%>\n";
        for (text, grammar) in [(puppet, Grammar::Puppet), (template, Grammar::Epp)] {
            let document = Document::new(text, Some(grammar));
            assert!(!document.has_error(), "{}", document.s_expression());
            for at in 0..text.len() {
                for new in ["x", "\n", " END", "\"", "%>"] {
                    let mut edited = document.clone();
                    edited.edit(at..at, new);
                    let fresh = Document::new(edited.text(), Some(grammar));
                    if !fresh.has_error() {
                        assert_eq!(edited.s_expression(), fresh.s_expression(), "{new:?} at {at} of {text:?}");
                    }
                    edited.edit(at..at + new.len(), "");
                    assert_eq!(edited.s_expression(), document.s_expression(), "{new:?} at {at} of {text:?} and back");
                }
            }
        }
    }

    #[test]
    fn large_long_and_deep_texts_are_plain() {
        let mcl = Some(Grammar::Mcl);
        assert_eq!(Document::new("x\n".repeat(MAX_BYTES), mcl).plain(), Some(Plain::TooLarge));
        assert_eq!(Document::new("é".repeat(MAX_COLUMNS + 1), mcl).plain(), Some(Plain::LongLine));
        assert_eq!(Document::new(format!("# {}\n", "é".repeat(MAX_COLUMNS - 2)), mcl).plain(), None);
        assert_eq!(Document::new("[\n".repeat(MAX_DEPTH + 1), mcl).plain(), Some(Plain::TooDeep));
        assert_eq!(Document::new("[]\n".repeat(MAX_DEPTH + 1), mcl).plain(), None);
        assert_eq!(Document::new("", None).plain(), Some(Plain::NoGrammar));
    }
}
