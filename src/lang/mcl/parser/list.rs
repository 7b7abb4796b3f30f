//! Parses lists between brackets, in the two forms of mcl: all on one line, or one element per line, each with its
//! comma.

use super::{Parsed, Parser};
use crate::diag::Code;
use crate::lang::mcl::lexer::{Token, TokenKind as T};

impl Parser<'_> {
    /// Reads elements up to and including the closing bracket; the opening one has been read.
    ///
    /// `expected` describes an element, `closing` the bracket, as in "a type or `)`".
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
                    let is_type = matches!(
                        self.peek(1),
                        T::Bool | T::StrType | T::IntType | T::FloatType | T::OpenBrack | T::Struct | T::Map
                    );
                    let help = match self.kind() {
                        T::Colon if is_type => {
                            let ty = self.item_from(self.at + 1);
                            format!("a type follows its name without a colon: `${} {ty}`", self.slice(self.last()))
                        }
                        _ => "there are no default or named arguments: pass all arguments in order".to_string(),
                    };
                    return Err(self.unexpected_help(&expected, Some(&help)));
                }
                return Err(self.unclosed(&expected, open));
            }
            self.bump();
            if self.kind() == close {
                let help = format!(
                    "remove the comma before {closing}; only a list with one element per line ends with a comma"
                );
                self.older("a list on one line has no trailing comma", help);
                self.bump();
                return Ok(items);
            }
            if self.kind() == T::Newline {
                let sign = match close {
                    T::CloseParen => ')',
                    T::CloseBrack => ']',
                    _ => '}',
                };
                let help = format!(
                    "add the missing `{sign}` on this line; a list over several lines begins on a line of its own"
                );
                return Err(self.unexpected_help("the next element on this line", Some(&help)));
            }
        }
    }

    /// The source from a token to the end of its line, or to the comma or bracket that ends the element.
    fn item_from(&self, first: usize) -> &str {
        let mut depth = 0_usize;
        let mut last = first;
        for (at, token) in self.tokens.iter().enumerate().skip(first) {
            match token.kind {
                T::OpenParen | T::OpenBrack | T::OpenCurly => depth += 1,
                T::CloseParen | T::CloseBrack | T::CloseCurly | T::Comma | T::Equals if depth == 0 => break,
                T::CloseParen | T::CloseBrack | T::CloseCurly => depth -= 1,
                T::Newline | T::End => break,
                _ => {}
            }
            last = at;
        }
        match (self.tokens.get(first), self.tokens.get(last)) {
            (Some(first), Some(last)) => &self.text[first.start as usize..last.end as usize],
            _ => "str",
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
            if self.kind() == T::End || self.is_statement_ahead() {
                return Err(self.unclosed(closing, open));
            }
            self.no_comma()?;
            items.push(item(self)?);
            if self.kind() == T::Newline {
                let help = Some("with one element per line, every element ends with a comma, also the last");
                self.missing_comma(help);
            } else if !self.eat(T::Comma) {
                return Err(self.unclosed("a comma", open));
            }
            if self.kind() != T::Newline {
                let help =
                    "a list over several lines has one element per line, and its closing bracket on a separate line";
                return Err(self.unexpected_help("the end of the line", Some(help)));
            }
        }
    }

    /// Reports an end of line in place of a comma; parsing can continue.
    fn missing_comma(&mut self, help: Option<&str>) {
        let label = "expected a comma, found the end of the line".to_string();
        self.syntax(Code::MissingComma, label, help.map(str::to_string), None);
    }

    /// Refuses a comma before an element.
    fn no_comma(&mut self) -> Parsed<()> {
        if self.kind() != T::Comma {
            return Ok(());
        }
        let label = "no element before this comma".to_string();
        self.syntax(Code::ExtraComma, label, Some("remove it".to_string()), None);
        while self.eat(T::Comma) {}
        Ok(())
    }
}
