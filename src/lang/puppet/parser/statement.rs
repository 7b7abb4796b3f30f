//! Statements, assignments and relationships. Calls without parentheses are made of a list of statements, as in the reference.

use super::{Parsed, Parser};
use crate::lang::puppet::ast::{AssignOp, Call, Expr, Kind, RelationOp};
use crate::lang::puppet::lexer::T;
use crate::source::Span;

/// The functions that can be called without parentheses.
pub const STATEMENT_CALLS: [&str; 16] = [
    "require", "realize", "include", "contain", "tag", "debug", "info", "notice", "warning", "err", "fail", "import",
    "break", "next", "return", "emerg",
];

/// A statement as written: expressions with commas between them may become the arguments of a call.
struct Statement {
    list: Vec<Expr>,
    first_comma: Option<Span>,
}

impl Parser<'_> {
    /// Statements up to a token that ends them, as one expression.
    pub(super) fn statements_until(&mut self, ends: fn(&T) -> bool) -> Parsed<Expr> {
        let start = self.here();
        let mut list = Vec::new();
        while !ends(self.peek()) {
            if self.accept(";") {
                if list.is_empty() {
                    self.at -= 1;
                    return self.syntax_error();
                }
                continue;
            }
            list.push(self.statement()?);
        }
        let list = self.transform_calls(list)?;
        Ok(block(list, start))
    }

    /// `{ statements }`.
    pub(super) fn braced(&mut self) -> Parsed<Expr> {
        self.expect_kind(&T::OpenBrace)?;
        let ends = |t: &T| matches!(t, T::CloseBrace | T::End | T::Bad(_));
        let body = self.deeper(|p| p.inside(|p| p.statements_until(ends)))?;
        self.expect_kind(&T::CloseBrace)?;
        Ok(body)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let mut list = vec![self.assignment()?];
        let mut first_comma = None;
        while self.is(",") {
            let comma = self.advance();
            first_comma.get_or_insert(comma);
            list.push(self.assignment()?);
        }
        Ok(Statement { list, first_comma })
    }

    fn transform_calls(&mut self, statements: Vec<Statement>) -> Parsed<Vec<Expr>> {
        let mut out: Vec<Expr> = Vec::with_capacity(statements.len());
        for Statement { mut list, first_comma } in statements {
            let name = match out.last().map(|e| &e.kind) {
                Some(Kind::Name(name)) => Some(name.clone()),
                _ => None,
            };
            if name.as_ref().is_some_and(|name| STATEMENT_CALLS[..15].contains(&&**name)) {
                if let Some(functor) = out.pop() {
                    out.push(call(functor, list));
                }
            } else if let Some(comma) = first_comma {
                let message = match name {
                    Some(name) => format!(
                        "attempt to pass argument list to the function '{name}' which cannot be called without parentheses"
                    ),
                    None => "illegal comma separated argument list".into(),
                };
                return self.fail(comma, message);
            } else if let Some(mut expr) = list.pop() {
                if let Kind::Call(call) = &mut expr.kind
                    && !call.is_method
                {
                    call.is_value = false;
                }
                out.push(expr);
            }
        }
        Ok(out)
    }

    /// A name followed by a hash: no resource, perhaps a call.
    pub(super) fn name_and_hash(&mut self, name: Expr, hash: Expr) -> Parsed<Expr> {
        let span = name.span;
        let statements =
            vec![Statement { list: vec![name], first_comma: None }, Statement { list: vec![hash], first_comma: None }];
        let list = self.transform_calls(statements)?;
        Ok(block(list, span))
    }

    pub(super) fn assignment(&mut self) -> Parsed<Expr> {
        self.deeper(|p| {
            let left = p.relationship()?;
            let op = match p.peek() {
                T::Sign("=") => AssignOp::Set,
                T::Sign("+=") => AssignOp::Append,
                T::Sign("-=") => AssignOp::Delete,
                _ => return Ok(left),
            };
            let span = p.advance();
            let right = p.assignment()?;
            Ok(Expr::new(span, Kind::Assign(op, Box::new(left), Box::new(right))))
        })
    }

    fn relationship(&mut self) -> Parsed<Expr> {
        let first = self.resource()?;
        let mut rest = Vec::new();
        loop {
            let op = match self.peek() {
                T::Sign("->") => RelationOp::Before,
                T::Sign("~>") => RelationOp::Notify,
                T::Sign("<-") => RelationOp::Require,
                T::Sign("<~") => RelationOp::Subscribe,
                _ => break,
            };
            let span = self.advance();
            rest.push((op, span, self.resource()?));
        }
        match rest.first() {
            None => Ok(first),
            Some((_, span, _)) => Ok(Expr::new(*span, Kind::Relation { first: Box::new(first), rest })),
        }
    }
}

fn call(functor: Expr, mut args: Vec<Expr>) -> Expr {
    for arg in &mut args {
        if let Kind::Call(call) = &mut arg.kind {
            call.is_value = true;
        }
    }
    let span = args.last().map_or(functor.span, |last| functor.span.to(last.span));
    let lambda_span = span;
    let call = Call { functor, args, lambda: None, lambda_span, is_method: false, is_value: false };
    Expr::new(span, Kind::Call(Box::new(call)))
}

/// One expression, or a block of several.
fn block(mut list: Vec<Expr>, start: Span) -> Expr {
    if list.len() == 1
        && let Some(only) = list.pop()
    {
        return only;
    }
    match (list.first(), list.last()) {
        (Some(first), Some(last)) => Expr::new(first.span.to(last.span), Kind::Block(list)),
        _ => Expr::new(Span { end: start.start, ..start }, Kind::Nop),
    }
}
