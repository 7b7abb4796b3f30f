//! Lists of things, in the two forms the language has.
//!
//! On one line: `a, b` without a trailing comma. Over lines: a line break after the opener, then every element with a
//! comma and a line break, the last one too. The forms do not mix.

use super::{Lost, Parsed, Parser};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::lexer::Kind;

impl Parser<'_> {
    /// Elements up to a closer, which is taken; the opener has been.
    pub(super) fn list<T>(
        &mut self,
        close: Kind,
        what: &str,
        mut element: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut elements = Vec::new();
        if self.take(Kind::Newline) {
            loop {
                self.newlines();
                if self.take(close) {
                    return Ok(elements);
                }
                elements.push(element(self)?);
                if !self.take(Kind::Comma) {
                    return self.missing_comma();
                }
                if self.kind() == close {
                    return self.refuse_trailing_comma();
                }
                self.expect(Kind::Newline)?;
            }
        }
        if self.take(close) {
            return Ok(elements);
        }
        loop {
            elements.push(element(self)?);
            if self.take(close) {
                return Ok(elements);
            }
            if self.kind() != Kind::Comma {
                return self.unexpected(&format!("a comma or {}", super::name(close)));
            }
            self.at += 1;
            if self.kind() == close {
                return self.refuse_trailing_comma();
            }
            if self.kind() == Kind::Newline {
                let wrong = self.wrong(what);
                return self.refuse(
                    wrong.help("a list over several lines has a line break right after its opening bracket too"),
                );
            }
        }
    }

    /// In a list over lines an element has no comma.
    fn missing_comma<T>(&mut self) -> Parsed<T> {
        let before = self.tokens[self.at - 1].span;
        if self.kind() != Kind::Newline {
            return self.unexpected("a comma");
        }
        let wrong = Diagnostic::error(Code::MissingComma, self.span())
            .label("expected a comma, found the end of the line")
            .related(before, "after this")
            .help("in a list over several lines every element ends with a comma, the last one too");
        self.refuse(wrong)
    }

    fn refuse_trailing_comma<T>(&mut self) -> Result<T, Lost> {
        let comma = self.tokens[self.at - 1].span;
        let wrong = Diagnostic::error(Code::OlderSyntax, self.span())
            .label("expected an element")
            .related(comma, "this comma")
            .help("older versions allowed a comma at the end of a list on one line; remove it");
        self.refuse(wrong)
    }
}
