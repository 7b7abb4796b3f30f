//! Heredocs: `@(TAG:syntax/escapes)`, the text on the following lines, its margin and its end.

use super::string::Escapes;
use super::{Lexed, Lexer, T};
use crate::lang::puppet::issue::{Advice, Issue, IssueName};

const LETTERS: &str = "tsrnuL$\\\n";

impl Lexer<'_> {
    pub(super) fn heredoc(&mut self) -> Lexed {
        let start = self.at;
        let rest = self.rest();
        let header_end = rest.find([')', '\n']).filter(|end| rest.as_bytes()[*end] == b')');
        let Some(header_end) = header_end else {
            return self.fail(
                start + 1,
                IssueName::HeredocUnclosedParenthesis,
                format!("Unclosed parenthesis after '@(' followed by '{}'", super::followed(&rest[2..])),
            );
        };
        let header = rest[2..header_end].to_string();
        self.at += header_end + 1;
        let (before, escapes) = match header.split_once('/') {
            Some((before, escapes)) => (before, Some(escapes.trim())),
            None => (header.as_str(), None),
        };
        let (tag, syntax) = before.split_once(':').map_or((before, ""), |(tag, syntax)| (tag, syntax.trim()));
        let tag = tag.trim();
        let quoted = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
        let (tag, interpolates) = quoted.map_or((tag, false), |tag| (tag.trim(), true));
        if tag.is_empty() {
            return self.fail(start + 1, IssueName::HeredocEmptyEndtag, "Heredoc with an empty endtag");
        }
        let chosen = match escapes {
            None => 0,
            Some("") => u16::MAX,
            Some(letters) => {
                // Any escape also enables the backslash itself.
                let mut bits = 1 << 7;
                for letter in letters.chars() {
                    let index = match "tsrnuL$".find(letter) {
                        Some(index) => index,
                        None => {
                            return self.fail(
                                start + 1,
                                IssueName::HeredocInvalidEscape,
                                format!(
                                    "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{letter}'"
                                ),
                            );
                        }
                    };
                    if bits & (1 << index) != 0 {
                        return self.fail(
                            start + 1,
                            IssueName::HeredocMultipleAtEscapes,
                            format!("An escape char for @() may only appear once. Got '{letters}'"),
                        );
                    }
                    bits |= 1 << index;
                }
                bits
            }
        };
        // `L` is written as a line break after a backslash.
        let joins = chosen & (1 << 5) != 0;
        let chosen = chosen & !(1 << 5) & 0xff | if joins { 1 << 8 } else { 0 };
        let escapes = Escapes {
            letters: if chosen == 0 { "" } else { LETTERS },
            chosen: Some(chosen),
            interpolates,
            warns: false,
        };
        self.push(T::Heredoc(syntax.into()), start, self.at);
        self.heredoc_text(start, tag, escapes)
    }

    /// Refuses a heredoc without its last line, and names a line that is nearly that.
    fn without_end<V>(&self, start: usize, tag: &str, text_start: usize) -> Result<V, Box<Issue>> {
        let text = self.text.get(text_start..).unwrap_or_default();
        let near = text.lines().enumerate().find(|(_, line)| {
            let words = line.trim_start_matches([' ', '\t', '|', '-']).trim_end();
            !words.contains(' ') && crate::diag::nearest(tag, [words]).is_some()
        });
        let before = self.text[..text_start.min(self.text.len())].matches('\n').count();
        let help = match near {
            Some((at, line)) => {
                format!("did you mean `{tag}` for `{}` in line {}?", line.trim(), before + at + 1)
            }
            None => format!("end the text with a line that holds only `| {tag}`"),
        };
        self.fail(start, IssueName::HeredocWithoutEndTaggedLine, "Heredoc without end-tagged line").map_err(|issue| {
            let label = format!("the heredoc `@({tag})` has no line with its end");
            let advice = Advice { label: Some(label), help: Some(help.into()), ..Advice::default() };
            Box::new(Issue { advice, ..*issue })
        })
    }

    fn heredoc_text(&mut self, start: usize, tag: &str, escapes: Escapes) -> Lexed {
        let resume = self.at;
        let text_start = match self.jump {
            Some(at) => at,
            None => match self.rest().find('\n') {
                Some(line) => self.at + line + 1,
                None => {
                    return self.fail(
                        start + 1,
                        IssueName::HeredocWithoutText,
                        "Heredoc without any following lines of text",
                    );
                }
            },
        };
        let mut line_start = text_start;
        let (end, margin, trims) = loop {
            let rest = &self.text[line_start..];
            if rest.is_empty() {
                return self.without_end(start + 1, tag, text_start);
            }
            let length = rest.find('\n').unwrap_or(rest.len());
            if let Some(found) = end_line(&rest[..length], tag) {
                self.jump = Some((line_start + length + 1).min(self.text.len()));
                break (line_start + found.text, found.margin, found.trims);
            }
            line_start += length + 1;
            if line_start > self.text.len() {
                return self.without_end(start + 1, tag, text_start);
            }
        };
        let jump = self.jump;
        let (text, offsets) = self.without_margin(text_start, end, margin.as_deref().unwrap_or(""), trims);
        let mut inner = Lexer {
            file: self.file,
            text: &text,
            at: 0,
            out: std::mem::take(&mut self.out),
            jump: None,
            nesting: self.nesting,
            opens_at: usize::MAX,
            epp: false,
            renders: false,
            offsets: Some(offsets),
            no_regex_before: 0,
            texts: std::mem::take(&mut self.texts),
            warnings: &mut *self.warnings,
        };
        let read = inner.interpolated(0, None, escapes);
        (self.out, self.texts) = (inner.out, inner.texts);
        self.jump = jump;
        self.at = resume;
        read
    }

    /// The lines of a heredoc without the margin, where they have it.
    fn without_margin(&self, start: usize, end: usize, margin: &str, trims: bool) -> (String, Vec<(usize, usize)>) {
        let raw = &self.text[start..end];
        let raw = if trims {
            let raw = raw.strip_suffix('\n').unwrap_or(raw);
            raw.strip_suffix('\r').unwrap_or(raw)
        } else {
            raw
        };
        let (mut text, mut offsets, mut at) = (String::with_capacity(raw.len()), Vec::new(), start);
        for line in raw.split_inclusive('\n') {
            let kept = line.strip_prefix(margin).unwrap_or(line);
            offsets.push((text.len(), self.outer(at + line.len() - kept.len())));
            text.push_str(kept);
            at += line.len();
        }
        if offsets.is_empty() {
            offsets.push((0, self.outer(start)));
        }
        (text, offsets)
    }
}

struct EndLine {
    /// Where the text ends in this line: not at its start where a text line ends in the tag.
    text: usize,
    margin: Option<String>,
    trims: bool,
}

/// `blank* (| blank*)? (- blank*)? TAG blank*` at the end of a line.
fn end_line(line: &str, tag: &str) -> Option<EndLine> {
    let before = line.trim_end().strip_suffix(tag)?;
    let blanks = |text: &str| text.trim_end().len();
    let mut at = blanks(before);
    let trims = before[..at].ends_with('-');
    if trims {
        at = blanks(&before[..at - 1]);
    }
    let has_margin = before[..at].ends_with('|');
    let mut margin = None;
    if has_margin {
        let bar = at - 1;
        at = blanks(&before[..bar]);
        margin = Some(before[at..bar].to_string());
    }
    Some(EndLine { text: at, margin, trims })
}
