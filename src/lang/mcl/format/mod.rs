//! The standard layout of source: prints a file's tree, with its comments and its author's blank lines.
//!
//! Tabs indent. Runs of blank lines become one, and there are none at a file's start or end. Whether a list, a map or a
//! function's body is on one line or on several is the author's choice; a resource's body has one field per line.
//! Formatted text formats to itself, and no token and no comment is added, changed or lost.
//!
//! A comment reaches to the end of its line, and mcl allows a line break only where this printer makes one, or may. So
//! comments are inserted in one place: at the start of a line, those before the next token are written.
//!
//! Source: mgmt `lang/format`, behaviour only.

mod expr;
mod list;
mod stmt;
mod types;

#[cfg(test)]
mod generated;
#[cfg(test)]
mod tests;

use super::ast::{Ast, Stmt};
use super::lexer::{Token, TokenKind, lex};
use super::parser;
use crate::diag::Diagnostics;
use crate::source::{FileId, Span};

/// Formats a file; `None` with diagnostics if its syntax is wrong.
pub fn format(file: FileId, text: &str, diags: &mut Diagnostics) -> Option<String> {
    let before = diags.error_count();
    let mut ast = Ast::default();
    let parsed = parser::parse(&mut ast, file, text, diags);
    if diags.error_count() > before {
        return None;
    }
    let tokens = lex(file, text, &mut Vec::new());
    let mut printer = Printer::new(&ast, text, &tokens.list, &parsed.comments);
    printer.stmts(&ast.blocks[parsed.body].stmts);
    Some(printer.finish())
}

struct Printer<'a> {
    ast: &'a Ast,
    text: &'a str,
    tokens: &'a [Token],
    /// Those not yet written.
    comments: &'a [Span],
    out: String,
    indent: usize,
    /// The end of the written part of the source.
    at: u32,
}

impl<'a> Printer<'a> {
    fn new(ast: &'a Ast, text: &'a str, tokens: &'a [Token], comments: &'a [Span]) -> Self {
        Self { ast, text, tokens, comments, out: String::with_capacity(text.len() + 16), indent: 0, at: 0 }
    }

    fn finish(mut self) -> String {
        self.comments_before(self.text.len() as u32);
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }

    fn stmts(&mut self, stmts: &[super::ast::StmtId]) {
        let ast = self.ast;
        for id in stmts {
            let Stmt { kind, span } = &ast.stmts[*id];
            self.line(span.start);
            self.stmt(kind, *span);
            self.at = span.end;
        }
    }

    // Lines and comments.

    /// Starts a line for the part at `start`, after the comments before it.
    fn line(&mut self, start: u32) {
        self.comments_before(start);
        self.new_line(start);
    }

    /// Writes the comments before `end`: one at the end of the current line, the others on their own lines.
    fn comments_before(&mut self, end: u32) {
        while let Some((comment, rest)) = self.comments.split_first().filter(|(c, _)| c.start < end) {
            self.comments = rest;
            if self.breaks_before(comment.start) == 0 && !self.out.is_empty() {
                self.out.push(' ');
            } else {
                self.new_line(comment.start);
            }
            self.out.push_str(&self.text[comment.range()]);
            self.at = comment.end;
        }
    }

    /// Breaks the line, with a blank line if the author left some; not before a file's first line.
    fn new_line(&mut self, start: u32) {
        if !self.out.is_empty() {
            self.out.push_str(if self.breaks_before(start) > 1 { "\n\n" } else { "\n" });
        }
        self.out.extend(std::iter::repeat_n('\t', self.indent));
    }

    /// How many line breaks the source has between the written part and `start`.
    fn breaks_before(&self, start: u32) -> usize {
        let gap = self.text.as_bytes().get(self.at as usize..start as usize).unwrap_or_default();
        gap.iter().filter(|b| **b == b'\n').count()
    }

    // Parts.

    fn word(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// The source text, unchanged.
    fn source(&mut self, span: Span) {
        self.out.push_str(&self.text[span.range()]);
    }

    /// The source text, without its white space.
    fn squeezed(&mut self, span: Span) {
        let text = self.text;
        self.out.extend(text[span.range()].chars().filter(|c| !c.is_ascii_whitespace()));
    }

    fn has_comment_before(&self, end: u32) -> bool {
        self.comments.first().is_some_and(|c| c.start < end)
    }

    fn breaks_between(&self, start: u32, end: u32) -> bool {
        self.text.as_bytes().get(start as usize..end as usize).unwrap_or_default().contains(&b'\n')
    }

    /// The first token at or after `from`, except line breaks.
    fn token_at(&self, from: u32) -> Token {
        let index = self.tokens.partition_point(|t| t.start < from);
        let mut rest = self.tokens[index.min(self.tokens.len() - 1)..].iter();
        let last = self.tokens[self.tokens.len() - 1];
        *rest.find(|t| t.kind != TokenKind::Newline).unwrap_or(&last)
    }
}
