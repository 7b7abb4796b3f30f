//! Formats expressions, with the author's parentheses and literals.

use super::Printer;
use crate::lang::mcl::ast::{ExprId, ExprKind, Param, TypeNote};
use crate::lang::mcl::lexer::TokenKind;
use crate::source::Span;

impl Printer<'_> {
    pub(super) fn expr(&mut self, id: ExprId) {
        let ast = self.ast;
        let span = ast.exprs[id].span;
        match &ast.exprs[id].kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Interpolated(_)
            | ExprKind::Broken => self.source(span),
            ExprKind::Var(_) => self.squeezed(span),
            ExprKind::List(items) => self.exprs(span.start, span.end - 1, items),
            ExprKind::Map(entries) => self.map(span, entries),
            ExprKind::Struct(fields) => {
                self.word("struct");
                let open = self.token_at(span.start + 1).start;
                self.list(
                    open,
                    span.end - 1,
                    fields,
                    |_, (name, _)| name.span.start,
                    |this, (name, value)| {
                        this.word(&name.text);
                        this.word(" => ");
                        this.expr(*value);
                        this.end(*value)
                    },
                );
            }
            ExprKind::Call { func, args } | ExprKind::CallVar { func, args } => {
                self.squeezed(func.span);
                self.args(func.span.end, span.end, args);
            }
            ExprKind::CallLambda { func, args } => {
                self.expr(*func);
                self.args(self.end(*func), span.end, args);
            }
            ExprKind::Lambda { params, returns, body } => {
                self.word("func");
                self.function(span.start + 1, params, returns.as_ref(), *body);
            }
            ExprKind::If { condition, then, else_part } => self.if_else(span, *condition, *then, *else_part),
            ExprKind::Binary { op, left, right, .. } => {
                self.expr(*left);
                self.word(" ");
                self.word(op.as_str());
                self.word(" ");
                self.expr(*right);
            }
            ExprKind::Except { value, default } => {
                self.expr(*value);
                self.word(" <|> ");
                self.expr(*default);
            }
            ExprKind::Not(inner) => {
                self.word("not ");
                self.expr(*inner);
            }
            ExprKind::Index { value, index } => {
                self.expr(*value);
                self.word("[");
                self.expr(*index);
                self.word("]");
            }
            ExprKind::Field { value, field } => {
                self.expr(*value);
                self.word("->");
                self.word(&field.text);
            }
            ExprKind::FieldOr { value, field, default } => {
                self.expr(*value);
                self.word("->");
                self.word(&field.text);
                self.word(" <|> ");
                self.expr(*default);
            }
            ExprKind::Paren(inner) => {
                self.word("(");
                self.expr(*inner);
                self.word(")");
            }
        }
        self.at = span.end;
    }

    pub(super) fn end(&self, id: ExprId) -> u32 {
        self.ast.exprs[id].span.end
    }

    fn start(&self, id: ExprId) -> u32 {
        self.ast.exprs[id].span.start
    }

    fn exprs(&mut self, open: u32, close: u32, items: &[ExprId]) {
        self.list(
            open,
            close,
            items,
            |this, item| this.start(*item),
            |this, item| {
                this.expr(*item);
                this.end(*item)
            },
        );
    }

    fn map(&mut self, span: Span, entries: &[(ExprId, ExprId)]) {
        self.list(
            span.start,
            span.end - 1,
            entries,
            |this, (key, _)| this.start(*key),
            |this, (key, value)| {
                this.expr(*key);
                this.word(" => ");
                this.expr(*value);
                this.end(*value)
            },
        );
    }

    /// `(a, b)` between the end of the callee and the end of the call.
    pub(super) fn args(&mut self, from: u32, end: u32, args: &[ExprId]) {
        let open = self.token_at(from).start;
        self.exprs(open, end - 1, args);
    }

    /// `($a, $b int)`, which starts after `from`; returns its end.
    pub(super) fn params(&mut self, from: u32, params: &[Param]) -> u32 {
        let open = self.token_at(from).start;
        let inside = params.last().map_or(open + 1, |last| last.span.end);
        let next = self.token_at(inside);
        let close = if next.kind == TokenKind::Comma { self.token_at(next.end) } else { next }.start;
        self.list(
            open,
            close,
            params,
            |_, param| param.span.start,
            |this, param| {
                this.squeezed(param.name.span);
                if let Some(note) = &param.note {
                    this.word(" ");
                    this.note(note);
                }
                param.span.end
            },
        );
        close + 1
    }

    /// `(params) [type] { body }`, which starts after `from`.
    pub(super) fn function(&mut self, from: u32, params: &[Param], returns: Option<&TypeNote>, body: ExprId) {
        let mut from = self.params(from, params);
        self.word(" ");
        if let Some(note) = returns {
            self.note(note);
            self.word(" ");
            from = note.span.end;
        }
        let open = self.token_at(from).start;
        let close = self.token_at(self.end(body)).start;
        let in_lines = self.breaks_around(open, body, close);
        self.braced(open, body, close, in_lines);
    }

    fn if_else(&mut self, span: Span, condition: ExprId, then: ExprId, else_part: ExprId) {
        self.word("if ");
        self.expr(condition);
        self.word(" ");
        let then_open = self.token_at(self.end(condition)).start;
        let then_close = self.token_at(self.end(then)).start;
        let else_word = self.token_at(then_close + 1);
        let else_open = self.token_at(else_word.end).start;
        let else_close = span.end - 1;
        let in_lines =
            self.breaks_around(then_open, then, then_close) || self.breaks_around(else_open, else_part, else_close);
        self.braced(then_open, then, then_close, in_lines);
        self.word(" else ");
        self.braced(else_open, else_part, else_close, in_lines);
    }

    /// Whether the author broke the line on either side of a body.
    fn breaks_around(&self, open: u32, body: ExprId, close: u32) -> bool {
        self.breaks_between(open, self.start(body)) || self.breaks_between(self.end(body), close)
    }

    /// `{ body }`, on three lines or on one.
    fn braced(&mut self, open: u32, body: ExprId, close: u32, in_lines: bool) {
        self.bracket(open);
        if in_lines {
            self.indent += 1;
            self.line(self.start(body));
            self.expr(body);
            self.close(close);
        } else {
            self.word(" ");
            self.expr(body);
            self.word(" ");
            self.bracket(close);
        }
    }
}
