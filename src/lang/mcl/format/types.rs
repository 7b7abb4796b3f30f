//! Formats types token by token: the tree does not have the place of each of their parts.

use super::Printer;
use crate::lang::mcl::ast::TypeNote;
use crate::lang::mcl::lexer::{Token, TokenKind as T};

impl Printer<'_> {
    pub(super) fn note(&mut self, note: &TypeNote) {
        let first = self.tokens.partition_point(|t| t.start < note.span.start);
        let after = self.tokens.partition_point(|t| t.start < note.span.end);
        let tokens = &self.tokens[first..after];
        let mut before: Option<Token> = None;
        for token in tokens {
            if token.kind == T::Newline {
                continue;
            }
            self.type_token(*token, before);
            before = Some(*token);
        }
    }

    fn type_token(&mut self, token: Token, before: Option<Token>) {
        let opened = before.is_some_and(|b| b.kind == T::OpenParen);
        let closes = token.kind == T::CloseParen;
        let breaks = before.is_some_and(|b| self.breaks_between(b.end, token.start));
        if breaks && !(opened && closes && !self.has_comment_before(token.start)) {
            self.indent += usize::from(opened);
            if closes {
                return self.close(token.start);
            }
            self.line(token.start);
        } else if before.is_some_and(|b| is_apart(b.kind, token.kind)) {
            self.word(" ");
        }
        self.out.push_str(&self.text[token.start as usize..token.end as usize]);
        self.at = token.end;
    }
}

/// Whether there is a blank between two tokens of a type.
fn is_apart(before: T, token: T) -> bool {
    match before {
        T::Comma | T::Colon | T::Semicolon => true,
        // The result of a function, also after its arguments.
        T::CloseParen => !matches!(token, T::Comma | T::Semicolon | T::Colon | T::CloseCurly | T::CloseParen),
        // The name of a field or an argument.
        T::Ident | T::Collect => true,
        T::Map => token != T::OpenCurly,
        _ => false,
    }
}
