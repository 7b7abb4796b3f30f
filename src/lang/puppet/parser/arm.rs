//! Types written in the language: what their bodies are made of. Its words are keywords only where this file expects them.

use std::sync::Arc;

use super::{Parsed, Parser};
use crate::lang::puppet::ast::arm::{
    Declared, Definition, Feature, Form, Implementation, Invariant, Logic, Setting, Statement,
};
use crate::lang::puppet::ast::{Expr, Kind, Text};
use crate::lang::puppet::issue::{Issue, IssueName};
use crate::lang::puppet::lexer::{Key, T};
use crate::lang::puppet::names::canonical;
use crate::source::Span;

/// A type with more statements is refused.
const MAX_STATEMENTS: usize = 100_000;

/// The words that make a body one of these types.
const STATEMENTS: [&str; 3] = ["has", "invariant", "abstract"];

impl Parser<'_> {
    /// A type with features, where one begins behind `type`; `None` leaves everything unread.
    pub(super) fn arm_type(&mut self, start: Span) -> Parsed<Option<Expr>> {
        let at = self.at;
        let name_span = self.here();
        let Some(name) = self.arm_name() else { return Ok(None) };
        let has_parent = *self.peek() == T::Key(Key::Inherits);
        if !(has_parent || *self.peek() == T::OpenBrace && self.holds_statements()) {
            self.at = at;
            return Ok(None);
        }
        let name_span = name_span.to(self.last());
        let parent = if has_parent { Some(self.arm_parent()?) } else { None };
        self.expect_kind(&T::OpenBrace)?;
        let was_body = std::mem::replace(&mut self.in_type, true);
        let statements = self.deeper(Self::arm_statements)?;
        self.in_type = was_body;
        let end = self.expect_kind(&T::CloseBrace)?;
        let span = start.to(end);
        let definition = Definition { span, name: canonical(&name), name_span, parent, statements };
        Ok(Some(Expr::new(span, Kind::ArmType(Arc::new(definition)))))
    }

    fn arm_parent(&mut self) -> Parsed<(Text, Span)> {
        self.advance();
        let start = self.here();
        match self.arm_name() {
            Some(name) => Ok((canonical(&name), start.to(self.last()))),
            None => self.syntax_error(),
        }
    }

    /// A type's name, in either case; its parts may be several tokens without a blank between them.
    fn arm_name(&mut self) -> Option<String> {
        let part = |token: &T| match token {
            T::Name(name) | T::Ref(name) => Some(name.clone()),
            _ => None,
        };
        let mut name = part(self.peek())?.to_string();
        let mut end = self.advance();
        while let Some(more) = part(self.peek()).filter(|more| more.starts_with("::") && self.here().start == end.end) {
            name.push_str(&more);
            end = self.advance();
        }
        Some(name)
    }

    /// Whether a body, whose brace is next, holds a statement of these types on its own level.
    fn holds_statements(&self) -> bool {
        let mut depth = 0usize;
        for token in &self.tokens[self.at.min(self.tokens.len())..] {
            match &token.kind {
                T::OpenBrace | T::SelectBrace | T::OpenParen | T::LineParen | T::OpenBrack | T::ListStart => depth += 1,
                T::CloseBrace | T::CloseParen | T::CloseBrack => depth = depth.saturating_sub(1),
                T::Key(Key::Attr) if depth == 1 => return true,
                T::Name(name) if depth == 1 && STATEMENTS.contains(&&**name) => return true,
                _ => {}
            }
            if depth == 0 {
                return false;
            }
        }
        false
    }

    fn arm_statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        while *self.peek() != T::CloseBrace {
            if statements.len() >= MAX_STATEMENTS {
                let issue = Issue::parse(
                    self.here(),
                    IssueName::Unnamed,
                    format!("more than {MAX_STATEMENTS} statements in a type"),
                );
                return Err(Box::new(issue.help("move features into a type that this one inherits from")));
            }
            statements.push(self.arm_statement()?);
        }
        Ok(statements)
    }

    fn arm_statement(&mut self) -> Parsed<Statement> {
        match self.peek().clone() {
            T::Key(Key::Attr) => self.arm_feature(false),
            T::Name(name) => match &*name {
                "has" => self.arm_feature(true),
                "abstract" => {
                    self.advance();
                    Ok(Statement::Abstract)
                }
                "invariant" => self.arm_invariant(),
                "implemented_by" => self.arm_implementation(),
                _ => self.syntax_error(),
            },
            T::Key(Key::Class | Key::Define | Key::Node | Key::Function | Key::Type) => {
                Ok(Statement::Other(self.deeper(Self::operand)?))
            }
            _ => self.syntax_error(),
        }
    }

    fn arm_feature(&mut self, is_reference: bool) -> Parsed<Statement> {
        let span = self.advance();
        let (name, _) = self.arm_word()?;
        let ty = match self.accept(",") {
            true => self.arm_feature_type(is_reference)?,
            false if is_reference => return self.syntax_error(),
            false => Declared::Any,
        };
        let mut settings = Vec::new();
        if self.accept_kind(&T::OpenBrace) {
            loop {
                let (name, span) = self.arm_word()?;
                self.expect("=>")?;
                settings.push(Setting { span, name, value: self.arm_logic(true)? });
                if !self.accept(",") || *self.peek() == T::CloseBrace {
                    break;
                }
            }
            self.expect_kind(&T::CloseBrace)?;
        }
        Ok(Statement::Feature(Arc::new(Feature { span, is_reference, name, ty, settings })))
    }

    fn arm_feature_type(&mut self, is_reference: bool) -> Parsed<Declared> {
        let is_enum = matches!(self.peek(), T::Name(name) if &**name == "enum")
            && matches!(self.ahead(1), T::OpenBrack | T::ListStart);
        if !is_enum || is_reference {
            let start = self.here();
            return match self.arm_name() {
                Some(name) => Ok(Declared::Named(canonical(&name), start.to(self.last()))),
                None => self.syntax_error(),
            };
        }
        self.advance();
        self.advance();
        let mut values = vec![self.arm_word()?];
        while self.accept(",") && *self.peek() != T::CloseBrack {
            values.push(self.arm_word()?);
        }
        self.expect_kind(&T::CloseBrack)?;
        Ok(Declared::Enum(values))
    }

    /// A word of letters, digits and `_`, keywords included.
    fn arm_word(&mut self) -> Parsed<(Text, Span)> {
        let word: Text = match self.peek() {
            T::Name(name) | T::Word(name) | T::Ref(name) => name.clone(),
            T::Key(key) => key.as_str().into(),
            _ => return self.syntax_error(),
        };
        if !word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return self.syntax_error();
        }
        Ok((word, self.advance()))
    }

    /// A block, a lambda or, where that may be, one expression.
    fn arm_logic(&mut self, takes_value: bool) -> Parsed<Logic> {
        let start = self.here();
        let form = match self.peek() {
            T::OpenBrace => Form::Block(self.braced()?),
            T::Sign("|") => match self.lambda()? {
                Some(lambda) => Form::Lambda(lambda),
                None => return self.syntax_error(),
            },
            _ if takes_value => Form::Value(self.arm_value()?),
            _ => return self.syntax_error(),
        };
        Ok(Logic { span: start.to(self.last()), form })
    }

    /// One expression; a keyword alone is a word.
    fn arm_value(&mut self) -> Parsed<Expr> {
        match self.peek() {
            T::Key(key)
                if !matches!(key, Key::Undef | Key::True | Key::False)
                    && matches!(self.ahead(1), T::Sign(",") | T::CloseBrace) =>
            {
                let word = key.as_str().into();
                Ok(Expr::new(self.advance(), Kind::Name(word)))
            }
            _ => self.expression(),
        }
    }

    fn arm_invariant(&mut self) -> Parsed<Statement> {
        let span = self.advance();
        let title = match self.peek() {
            T::Str(_) | T::Pre(_) => Some(self.primary()?),
            _ => None,
        };
        let check = self.arm_logic(false)?;
        Ok(Statement::Invariant(Arc::new(Invariant { span, title, check })))
    }

    fn arm_implementation(&mut self) -> Parsed<Statement> {
        let span = self.advance();
        let (kind, _) = self.arm_word()?;
        self.expect_kind(&T::OpenBrace)?;
        let mut params = Vec::new();
        while *self.peek() != T::CloseBrace {
            let param = self.arm_word()?;
            self.expect("=>")?;
            params.push((param, self.arm_word()?));
            if !self.accept(",") {
                break;
            }
        }
        self.expect_kind(&T::CloseBrace)?;
        Ok(Statement::Implementation(Arc::new(Implementation { span, kind, params })))
    }

    /// The hash in braces behind `T.new`, on the same line, unless a block has to follow here.
    pub(super) fn arm_braces(&mut self, functor: &Expr) -> Parsed<Option<Expr>> {
        let is_new = match &functor.kind {
            Kind::Member(receiver, name) => {
                matches!(&name.kind, Kind::Name(name) if &**name == "new")
                    && matches!(receiver.kind, Kind::Ref(_) | Kind::Var(_))
            }
            _ => false,
        };
        if !is_new || self.block_follows || *self.peek() != T::OpenBrace {
            return Ok(None);
        }
        let between = self.last().range().end..self.here().range().start;
        if self.text.get(between).is_none_or(|blank| blank.contains('\n')) {
            return Ok(None);
        }
        self.hash().map(Some)
    }

    /// An expression behind which a block has to follow.
    pub(super) fn before_block(&mut self) -> Parsed<Expr> {
        let was = std::mem::replace(&mut self.block_follows, true);
        let test = self.expression();
        self.block_follows = was;
        test
    }

    /// Runs something inside of brackets or braces, where no block has to follow.
    pub(super) fn inside<V>(&mut self, work: impl FnOnce(&mut Self) -> Parsed<V>) -> Parsed<V> {
        let was = std::mem::replace(&mut self.block_follows, false);
        let done = work(self);
        self.block_follows = was;
        done
    }

    /// Whether `not` is an operator here: in the body of a type, before an operand.
    pub(super) fn is_not(&self) -> bool {
        let is_word = self.in_type && matches!(self.peek(), T::Name(name) if &**name == "not");
        is_word
            && match self.ahead(1) {
                T::Sign(sign) => matches!(*sign, "!" | "-"),
                T::CloseBrace | T::CloseParen | T::CloseBrack | T::OpenBrace | T::SelectBrace | T::End => false,
                _ => true,
            }
    }
}
