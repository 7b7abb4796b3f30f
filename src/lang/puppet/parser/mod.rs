//! Tokens to the tree. The first problem ends the reading, as in the reference.

mod arm;
mod definition;
mod explain;
mod expr;
mod resource;
mod statement;

use self::explain::{Failure, Lines};
pub use self::statement::STATEMENT_CALLS;
use super::ast::{Epp, Expr, Kind, Parameter, Program, Text};
use super::issue::{Issue, IssueName};
use super::lexer::{self, Key, T, Token, Warning};
use crate::source::{FileId, Span};

/// Deeper nesting is refused: whoever walks the tree recurses as deep.
const MAX_DEPTH: usize = 400;

/// Longer chains of one kind of operator are refused, for the same reason.
const MAX_CHAIN: usize = 1_000;

pub(super) type Parsed<V> = Result<V, Box<Issue>>;

/// Reads a manifest, or a template where `epp`.
pub fn parse(file: FileId, text: &str, epp: bool, warnings: &mut Vec<Warning>) -> Parsed<Program> {
    let tokens = lexer::lex(file, text, epp, warnings);
    let names = Vec::new();
    let mut parser = Parser { file, text, tokens, at: 0, depth: 0, names, in_type: false, block_follows: false };
    let body = if epp { parser.epp()? } else { parser.statements_until(|t| matches!(t, T::End))? };
    Ok(Program { body })
}

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// The classes around: what is defined in them has their names before its own.
    names: Vec<Text>,
    /// The body of a type with features is around.
    in_type: bool,
    /// A block has to follow the expression that is read.
    block_follows: bool,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek(&self) -> &T {
        &self.token().kind
    }

    fn ahead(&self, distance: usize) -> &T {
        &self.tokens[(self.at + distance).min(self.tokens.len() - 1)].kind
    }

    fn is(&self, sign: &str) -> bool {
        matches!(self.peek(), T::Sign(found) if *found == sign)
    }

    fn is_ahead(&self, distance: usize, sign: &str) -> bool {
        matches!(self.ahead(distance), T::Sign(found) if *found == sign)
    }

    fn here(&self) -> Span {
        let token = self.token();
        Span { file: self.file, start: token.start, end: token.end }
    }

    /// The place of the token before.
    fn last(&self) -> Span {
        let token = &self.tokens[self.at.saturating_sub(1).min(self.tokens.len() - 1)];
        Span { file: self.file, start: token.start, end: token.end }
    }

    fn advance(&mut self) -> Span {
        let here = self.here();
        self.at += 1;
        here
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        self.at += usize::from(found);
        found
    }

    fn accept_kind(&mut self, kind: &T) -> bool {
        let found = self.peek() == kind;
        self.at += usize::from(found);
        found
    }

    fn accept_key(&mut self, key: Key) -> bool {
        self.accept_kind(&T::Key(key))
    }

    fn expect(&mut self, sign: &'static str) -> Parsed<Span> {
        if self.is(sign) { Ok(self.advance()) } else { self.syntax_error_expecting(Some(sign)) }
    }

    fn expect_kind(&mut self, kind: &T) -> Parsed<Span> {
        if self.peek() == kind { Ok(self.advance()) } else { self.syntax_error_expecting(kind.sign()) }
    }

    fn syntax_error<V>(&self) -> Parsed<V> {
        self.syntax_error_expecting(None)
    }

    /// Fails at the present token, where `expected` or, without it, an expression belongs.
    fn syntax_error_expecting<V>(&self, expected: Option<&'static str>) -> Parsed<V> {
        let span = self.here();
        let mut issue = match self.peek() {
            T::Bad(issue) if issue.name != IssueName::UnclosedQuote => return Err(issue.clone()),
            T::Bad(issue) => (**issue).clone(),
            T::End => Issue::parse(span, IssueName::SyntaxError, "Syntax error at end of input"),
            token => Issue::parse(span, IssueName::SyntaxError, format!("Syntax error at '{}'", token.quoted())),
        };
        let failure = self.failure(expected);
        match issue.name {
            IssueName::UnclosedQuote => issue.advice = failure.unclosed_quote().unwrap_or(issue.advice),
            _ => issue.advice = failure.explain(),
        }
        Err(Box::new(issue))
    }

    /// The failure of a block, given the place of its brace.
    fn block_failure(&self, brace: Span) -> Failure<'_> {
        let at = self.tokens.partition_point(|token| token.start < brace.start);
        Failure { at, ..self.failure(None) }
    }

    fn failure(&self, expected: Option<&'static str>) -> Failure<'_> {
        let lines = Lines::new(self.text);
        Failure { file: self.file, text: self.text, tokens: &self.tokens, at: self.at, expected, lines }
    }

    fn fail<V>(&self, span: Span, message: impl Into<String>) -> Parsed<V> {
        Err(Box::new(Issue::parse(span, IssueName::Unnamed, message)))
    }

    /// Runs one level deeper.
    fn deeper<V>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<V>) -> Parsed<V> {
        if self.depth >= MAX_DEPTH {
            let issue = Issue::parse(self.here(), IssueName::Unnamed, format!("nested more than {MAX_DEPTH} deep"));
            return Err(Box::new(issue.help("give inner parts names with variables or functions")));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    fn check_chain(&self, length: usize) -> Parsed<()> {
        if length > MAX_CHAIN {
            let issue =
                Issue::parse(self.here(), IssueName::Unnamed, format!("more than {MAX_CHAIN} operators in one chain"));
            return Err(Box::new(issue.help("split the expression with variables")));
        }
        Ok(())
    }

    fn epp(&mut self) -> Parsed<Expr> {
        let start = self.expect_kind(&T::EppStart)?;
        let mut params: Vec<Parameter> = Vec::new();
        let mut has_params = false;
        if self.is("|") {
            self.advance();
            has_params = true;
            params = self.parameters_until("|")?;
            self.expect("|")?;
        }
        let body = self.statements_until(|t| matches!(t, T::End))?;
        let span = start.to(self.last());
        Ok(Expr::new(span, Kind::Epp(Box::new(Epp { params, has_params, body }))))
    }
}
