//! Lists between brackets, in the two forms that mcl has: all on one line, or one element a line, each with its comma.

use super::{Parsed, Parser};
use crate::diag::Code;
use crate::lang::mcl::lexer::{Token, TokenKind as T};

impl Parser<'_> {
    /// Reads elements up to the closing bracket, and that; the opening one has been read.
    ///
    /// `expected` says what an element is, `closing` the bracket, as in "a type or `)`".
    pub(super) fn list<I>(
        &mut self,
        open: Token,
        close: T,
        closing: &str,
        item: fn(&mut Self) -> Parsed<I>,
    ) -> Parsed<Vec<I>> {
        if self.kind() == T::Newline {
            return self.list_in_lines(open, close, closing, item);
        }
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            self.no_comma()?;
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if self.kind() != T::Comma {
                let expected = format!("a comma or {closing}");
                if matches!(self.kind(), T::Equals | T::Colon) && close == T::CloseParen {
                    let help =
                        "there are no defaults, and no names for arguments: each call gives all of them, in order";
                    return Err(self.unexpected_help(&expected, Some(help)));
                }
                return Err(self.unclosed(&expected, open));
            }
            self.bump();
            if self.kind() == close {
                let help = format!(
                    "write {closing} right after the last element; only a list with one element a line has a comma there"
                );
                self.older("a list on one line has no comma at its end", help);
                self.bump();
                return Ok(items);
            }
            if self.kind() == T::Newline {
                let help = "either put the whole list on one line, or break the line after the opening bracket as well";
                return Err(self.unexpected_help("the next element on this line", Some(help)));
            }
        }
    }

    fn list_in_lines<I>(
        &mut self,
        open: Token,
        close: T,
        closing: &str,
        item: fn(&mut Self) -> Parsed<I>,
    ) -> Parsed<Vec<I>> {
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            if self.eat(close) {
                return Ok(items);
            }
            if matches!(self.kind(), T::End) {
                return Err(self.unclosed(closing, open));
            }
            self.no_comma()?;
            items.push(item(self)?);
            if self.kind() == T::Newline {
                let help = Some("in a list with one element a line each one ends with a comma, the last as well");
                self.missing_comma(help);
            } else if !self.eat(T::Comma) {
                return Err(self.unclosed("a comma", open));
            }
            if self.kind() != T::Newline {
                let help =
                    "a list that breaks its lines has one element a line, and its closing bracket on a line of its own";
                return Err(self.unexpected_help("the end of the line", Some(help)));
            }
        }
    }

    /// Reports an end of line where a comma is due; reading can go on.
    fn missing_comma(&mut self, help: Option<&str>) {
        let label = "expected a comma, found the end of the line".to_string();
        self.syntax(Code::MissingComma, label, help.map(str::to_string), None);
    }

    /// A comma before an element is one too many.
    fn no_comma(&mut self) -> Parsed<()> {
        if self.kind() != T::Comma {
            return Ok(());
        }
        let label = "there is no element before this comma".to_string();
        self.syntax(Code::ExtraComma, label, Some("remove it".to_string()), None);
        while self.eat(T::Comma) {}
        Ok(())
    }
}
