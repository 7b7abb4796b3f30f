//! Expressions: the ladder of operators, what follows an operand, and operands.

use std::sync::Arc;

use super::{Parsed, Parser};
use crate::lang::puppet::ast::{Call, Choice, Entry, Expr, Kind, Lambda, Op, Text};
use crate::lang::puppet::issue::{Issue, IssueName};
use crate::lang::puppet::lexer::{Key, T};
use crate::source::Span;

/// The infix operators with how tight they bind; all are left-associative.
#[derive(Clone, Copy)]
enum Infix {
    Or,
    And,
    Select,
    Op(Op),
}

const SELECT: u8 = 3;
const MINUS: u8 = 11;
const SPLAT: u8 = 12;
const NOT: u8 = 13;

fn infix(token: &T) -> Option<(Infix, u8)> {
    let op = match token {
        T::Key(Key::Or) => return Some((Infix::Or, 1)),
        T::Key(Key::And) => return Some((Infix::And, 2)),
        T::Key(Key::In) => (Op::In, 10),
        T::Sign("?") => return Some((Infix::Select, SELECT)),
        T::Sign("<") => (Op::Less, 4),
        T::Sign("<=") => (Op::LessEqual, 4),
        T::Sign(">") => (Op::Greater, 4),
        T::Sign(">=") => (Op::GreaterEqual, 4),
        T::Sign("==") => (Op::Equal, 5),
        T::Sign("!=") => (Op::NotEqual, 5),
        T::Sign("<<") => (Op::LeftShift, 6),
        T::Sign(">>") => (Op::RightShift, 6),
        T::Sign("+") => (Op::Add, 7),
        T::Sign("-") => (Op::Subtract, 7),
        T::Sign("*") => (Op::Multiply, 8),
        T::Sign("/") => (Op::Divide, 8),
        T::Sign("%") => (Op::Modulo, 8),
        T::Sign("=~") => (Op::Match, 9),
        T::Sign("!~") => (Op::NoMatch, 9),
        _ => return None,
    };
    Some((Infix::Op(op.0), op.1))
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|p| p.ladder(0))
    }

    /// An expression of operators that bind tighter than `floor`.
    fn ladder(&mut self, floor: u8) -> Parsed<Expr> {
        let mut left = self.prefixed()?;
        let mut length = 0;
        while let Some((op, level)) = infix(self.peek()) {
            if level <= floor {
                break;
            }
            length += 1;
            self.check_chain(length)?;
            let span = self.advance();
            left = match op {
                Infix::Select => {
                    let selector = self.selector(left)?;
                    self.behind(selector)?
                }
                Infix::Or | Infix::And | Infix::Op(_) => {
                    let right = Box::new(self.deeper(|p| p.ladder(level))?);
                    let left = Box::new(left);
                    let kind = match op {
                        Infix::Or => Kind::Or(left, right),
                        Infix::And => Kind::And(left, right),
                        Infix::Op(op) => Kind::Binary(op, left, right),
                        Infix::Select => Kind::Nop,
                    };
                    Expr::new(span, kind)
                }
            };
        }
        Ok(left)
    }

    fn prefixed(&mut self) -> Parsed<Expr> {
        let (make, level): (fn(Box<Expr>) -> Kind, u8) = match self.peek() {
            T::Sign("-") => (Kind::Negate, MINUS),
            T::Sign("*") => (Kind::Unfold, SPLAT),
            T::Sign("!") => (Kind::Not, NOT),
            T::Name(_) if self.is_not() => (Kind::Not, NOT),
            _ => return self.operand(),
        };
        let span = self.advance();
        let inner = self.deeper(|p| p.ladder(level))?;
        Ok(Expr::new(span.to(inner.span), make(Box::new(inner))))
    }

    /// `? { a => b }` or `? a => b`, the question mark read already.
    fn selector(&mut self, left: Expr) -> Parsed<Expr> {
        let mut entries = Vec::new();
        if self.accept_kind(&T::SelectBrace) {
            loop {
                entries.push(self.entry()?);
                if !self.accept(",") || *self.peek() == T::CloseBrace {
                    break;
                }
            }
            self.expect_kind(&T::CloseBrace)?;
        } else {
            entries.push(self.entry()?);
        }
        let span = left.span;
        Ok(Expr::new(span, Kind::Selector(Box::new(left), entries)))
    }

    fn entry(&mut self) -> Parsed<Entry> {
        let key = self.expression()?;
        self.expect("=>")?;
        let value = self.expression()?;
        Ok(Entry { span: key.span, key, value })
    }

    /// An operand with what follows it: `[…]`, `.name`, `(…)`, a lambda, a collector's query.
    pub(super) fn operand(&mut self) -> Parsed<Expr> {
        let first = self.primary()?;
        self.behind(first)
    }

    /// What follows an operand or a selector.
    fn behind(&mut self, mut expr: Expr) -> Parsed<Expr> {
        let mut length = 0;
        loop {
            length += 1;
            self.check_chain(length)?;
            let start = expr.span;
            expr = match self.peek() {
                T::OpenBrack => {
                    self.advance();
                    let keys = self.entries(&T::CloseBrack)?;
                    if keys.is_empty() {
                        return self.syntax_error();
                    }
                    let end = self.expect_kind(&T::CloseBrack)?;
                    Expr::new(start.to(end), Kind::Access(Box::new(expr), keys))
                }
                T::Sign(".") => self.method(expr)?,
                T::OpenParen => {
                    self.advance();
                    let args = self.entries(&T::CloseParen)?;
                    let end = self.expect_kind(&T::CloseParen)?;
                    let lambda = self.lambda()?;
                    let lambda_span = lambda.as_ref().map_or(end, |l| l.span);
                    let call = Call { functor: expr, args, lambda, lambda_span, is_method: false, is_value: true };
                    Expr::new(start.to(end), Kind::Call(Box::new(call)))
                }
                T::Sign("<|" | "<<|") => self.collect(expr)?,
                _ => return Ok(expr),
            };
        }
    }

    fn method(&mut self, receiver: Expr) -> Parsed<Expr> {
        let start = receiver.span;
        let dot = self.advance();
        let name: Text = match self.peek() {
            T::Name(name) => name.clone(),
            T::Key(key @ (Key::Type | Key::Function)) => key.as_str().into(),
            _ => return self.syntax_error(),
        };
        let at = self.advance();
        let functor =
            Expr::new(dot.to(at), Kind::Member(Box::new(receiver), Box::new(Expr::new(at, Kind::Name(name)))));
        let mut args = Vec::new();
        let mut end = at;
        if *self.peek() == T::OpenParen {
            self.advance();
            args = self.entries(&T::CloseParen)?;
            end = self.expect_kind(&T::CloseParen)?;
        } else if let Some(hash) = self.arm_braces(&functor)? {
            end = hash.span;
            args.push(hash);
        }
        let lambda = self.lambda()?;
        let lambda_span = lambda.as_ref().map_or(end, |l| l.span);
        let call = Call { functor, args, lambda, lambda_span, is_method: true, is_value: true };
        Ok(Expr::new(start.to(end), Kind::Call(Box::new(call))))
    }

    /// `|params| >> Type { … }`, if one is here.
    pub(super) fn lambda(&mut self) -> Parsed<Option<Arc<Lambda>>> {
        if !self.is("|") {
            return Ok(None);
        }
        let start = self.advance();
        let params = self.parameters_until("|")?;
        self.expect("|")?;
        let returns = self.return_type()?;
        let body = self.braced()?;
        Ok(Some(Arc::new(Lambda { span: start.to(self.last()), params, returns, body })))
    }

    /// Arguments, keys or elements up to a closing token; pairs become a hash.
    pub(super) fn entries(&mut self, close: &T) -> Parsed<Vec<Expr>> {
        let mut list: Vec<Expr> = Vec::new();
        let mut in_pairs = false;
        while self.peek() != close {
            let expr = self.element()?;
            if self.is("=>") {
                self.advance();
                let value = self.element()?;
                let span = expr.span.to(value.span);
                let entry = Entry { span: expr.span, key: expr, value };
                match list.last_mut() {
                    Some(Expr { kind: Kind::Hash(entries), .. }) if in_pairs => entries.push(entry),
                    _ => list.push(Expr::new(span, Kind::Hash(vec![entry]))),
                }
                in_pairs = true;
            } else {
                list.push(expr);
                in_pairs = false;
            }
            if !self.accept(",") {
                break;
            }
            if self.is(",") {
                return self.syntax_error();
            }
        }
        Ok(list)
    }

    /// An element of an array or a hash: an assignment, or a keyword as a name.
    fn element(&mut self) -> Parsed<Expr> {
        if let T::Key(key) = self.peek()
            && !matches!(key, Key::Default | Key::Undef | Key::True | Key::False)
            && matches!(self.ahead(1), T::Sign("=>" | ",") | T::CloseBrack | T::CloseBrace)
        {
            let name = key.as_str().into();
            let span = self.advance();
            return Ok(Expr::new(span, Kind::Str(name)));
        }
        self.inside(Self::assignment)
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let span = self.here();
        let kind = match self.peek().clone() {
            T::Name(name) => Kind::Name(name),
            T::Word(text) | T::Str(text) => Kind::Str(text),
            T::Ref(name) => Kind::Ref(name),
            T::Var(name) => Kind::Var(name),
            T::Number(text) => number(&text),
            T::Regex(source) => Kind::Regex(source),
            T::Key(Key::True) => Kind::Bool(true),
            T::Key(Key::False) => Kind::Bool(false),
            T::Key(Key::Undef) => Kind::Undef,
            T::Key(Key::Default) => Kind::Default,
            T::Key(key @ (Key::Attr | Key::Private)) => Kind::Reserved(key.as_str().into()),
            T::Key(Key::Type) if *self.ahead(1) == T::OpenParen => Kind::Name("type".into()),
            T::Key(Key::If | Key::Unless) => return self.condition(),
            T::Key(Key::Case) => return self.case(),
            T::Key(Key::Class) => return self.class(),
            T::Key(Key::Define) => return self.define(),
            T::Key(Key::Node) => return self.node(),
            T::Key(Key::Function) => return self.function(),
            T::Key(Key::Type) => return self.type_definition(),
            T::Pre(_) => return self.concatenation(),
            T::Heredoc(syntax) => return self.heredoc(syntax),
            T::ListStart | T::OpenBrack => {
                self.advance();
                let list = self.entries(&T::CloseBrack)?;
                let end = self.expect_kind(&T::CloseBrack)?;
                return Ok(Expr::new(span.to(end), Kind::Array(list)));
            }
            T::OpenBrace | T::SelectBrace => return self.hash(),
            T::OpenParen | T::LineParen => {
                self.advance();
                let inner = self.inside(Self::assignment)?;
                let end = self.expect_kind(&T::CloseParen)?;
                return Ok(Expr::new(span.to(end), Kind::Paren(Box::new(inner))));
            }
            T::RenderText(text) => Kind::RenderText(text),
            T::RenderExpr => return self.render(),
            _ => return self.syntax_error(),
        };
        self.advance();
        Ok(Expr::new(span, kind))
    }

    pub(super) fn hash(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        let mut entries = Vec::new();
        while *self.peek() != T::CloseBrace {
            let key = self.element()?;
            self.expect("=>")?;
            let value = self.element()?;
            entries.push(Entry { span: key.span, key, value });
            if !self.accept(",") {
                break;
            }
        }
        let end = self.expect_kind(&T::CloseBrace)?;
        Ok(Expr::new(start.to(end), Kind::Hash(entries)))
    }

    fn concatenation(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let mut parts = Vec::new();
        let text = |parser: &mut Self, text: Text, parts: &mut Vec<Expr>| {
            let span = parser.advance();
            if !text.is_empty() {
                parts.push(Expr::new(span, Kind::Str(text)));
            }
        };
        loop {
            match self.peek().clone() {
                T::Pre(piece) | T::Mid(piece) => {
                    text(self, piece, &mut parts);
                    if matches!(self.peek(), T::Mid(_) | T::Post(_)) {
                        let here = self.here();
                        parts.push(Expr::new(here, Kind::Text(Box::new(Expr::new(here, Kind::Undef)))));
                        continue;
                    }
                    let value = self.interpolated()?;
                    let span = value.span;
                    parts.push(Expr::new(span, Kind::Text(Box::new(value))));
                    if !matches!(self.peek(), T::Mid(_) | T::Post(_)) {
                        return self.syntax_error();
                    }
                }
                T::Post(piece) => {
                    text(self, piece, &mut parts);
                    return Ok(Expr::new(start.to(self.last()), Kind::Concat(parts)));
                }
                _ => return self.syntax_error(),
            }
        }
    }

    fn interpolated(&mut self) -> Parsed<Expr> {
        let value = self.inside(Self::assignment)?;
        match &value.kind {
            Kind::Bool(_) => self.fail(value.span, "a boolean literal cannot be interpolated"),
            _ => Ok(value),
        }
    }

    fn heredoc(&mut self, syntax: Text) -> Parsed<Expr> {
        let start = self.advance();
        let text = match self.peek().clone() {
            T::Str(text) => Expr::new(self.advance(), Kind::Str(text)),
            _ => self.concatenation()?,
        };
        Ok(Expr::new(start, Kind::Heredoc { syntax, text: Box::new(text) }))
    }

    /// `if`, `elsif` or `unless`.
    fn condition(&mut self) -> Parsed<Expr> {
        let unless = *self.peek() == T::Key(Key::Unless);
        let start = self.advance();
        let test = Box::new(self.before_block()?);
        let then = Box::new(self.braced()?);
        let other = match self.peek() {
            T::Key(Key::Elsif) if unless => {
                let issue = Issue::parse(self.here(), IssueName::Unnamed, "'elsif' is not supported with 'unless'");
                return Err(Box::new(issue.help("write `if !(CONDITION) { … } elsif …` in place of `unless`")));
            }
            T::Key(Key::Elsif) => self.deeper(Self::condition)?,
            T::Key(Key::Else) => {
                self.advance();
                self.braced()?
            }
            _ => Expr::new(self.last(), Kind::Nop),
        };
        let span = start.to(self.last());
        Ok(Expr::new(span, Kind::If { unless, test, then, other: Box::new(other) }))
    }

    fn case(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        let test = self.before_block()?;
        self.expect_kind(&T::OpenBrace)?;
        let mut choices = Vec::new();
        while *self.peek() != T::CloseBrace || choices.is_empty() {
            let span: Span = self.here();
            let mut values = vec![self.expression()?];
            while self.accept(",") {
                if self.is(":") {
                    break;
                }
                values.push(self.expression()?);
            }
            self.expect(":")?;
            let then = self.braced()?;
            choices.push(Choice { span, values, then });
        }
        let end = self.expect_kind(&T::CloseBrace)?;
        Ok(Expr::new(start.to(end), Kind::Case(Box::new(test), choices)))
    }

    /// `<%= expression %>` or `<%= { statements } %>`.
    fn render(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        let is_block = *self.peek() == T::OpenBrace && !self.looks_like_hash();
        let inner = if is_block { self.braced()? } else { self.expression()? };
        if !matches!(self.peek(), T::EppEnd) {
            return self.syntax_error();
        }
        self.advance();
        Ok(Expr::new(start.to(inner.span), Kind::Render(Box::new(inner))))
    }

    fn looks_like_hash(&self) -> bool {
        *self.ahead(1) == T::CloseBrace || self.is_ahead(2, "=>")
    }
}

/// A number as written; a value outside of 64 bits is refused later.
fn number(text: &str) -> Kind {
    let lower = text.to_ascii_lowercase();
    let radix_value = |digits: &str, radix: u32| i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    if let Some(hex) = lower.strip_prefix("0x") {
        return Kind::Int { value: radix_value(hex, 16), radix: 16 };
    }
    if lower.contains(['.', 'e']) {
        return Kind::Float(lower.parse().unwrap_or(f64::INFINITY));
    }
    if lower.len() > 1 && lower.starts_with('0') {
        return Kind::Int { value: radix_value(&lower, 8), radix: 8 };
    }
    Kind::Int { value: radix_value(&lower, 10), radix: 10 }
}
