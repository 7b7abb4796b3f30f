//! Finds the type of an expression: one arm for each form of the language.

use super::Solver;
use super::explain::{Reason, Why};
use super::frame::{FrameId, SlotState};
use super::task::Task;
use super::term::{Origin, Term, Ty};
use crate::lang::mcl::ast::{BinaryOp, ExprId, ExprKind, Name, Param, TypeNote};
use crate::lang::mcl::scope::VarTarget;
use crate::source::Span;

impl Solver<'_> {
    /// The type of an expression in a frame.
    pub(super) fn check_expr(&mut self, expr: ExprId, frame: FrameId) -> Ty {
        let expr = self.ast.inner(expr);
        if !self.enter(self.ast.exprs[expr].span) {
            return self.refused(expr);
        }
        let instance = std::mem::replace(&mut self.instance, self.frames.get(frame).instance);
        let ty = self.check_form(expr, frame);
        self.instance = instance;
        if self.asked == Some(expr) {
            self.seen.push(ty);
        }
        if !self.terms.is_known_ground(ty) {
            self.open.push((expr, ty));
        }
        self.solve_woken();
        self.leave();
        ty
    }

    fn check_form(&mut self, expr: ExprId, frame: FrameId) -> Ty {
        let ast = self.ast;
        match &ast.exprs[expr].kind {
            ExprKind::Bool(_) => self.plain_at(expr, Term::Bool),
            ExprKind::Int(_) => self.plain_at(expr, Term::Int),
            ExprKind::Float(_) => self.plain_at(expr, Term::Float),
            ExprKind::Str(_) => self.plain_at(expr, Term::Str),
            ExprKind::Interpolated(parts) => self.check_interpolated(expr, parts, frame, ast.exprs[expr].span),
            ExprKind::List(items) => self.check_list(expr, items, frame),
            ExprKind::Map(entries) => self.check_map(expr, entries, frame),
            ExprKind::Struct(fields) => self.check_struct(expr, fields, frame),
            ExprKind::Call { func, args } => self.check_call(expr, &func.text, args, frame),
            ExprKind::CallVar { args, .. } => self.check_call_var(expr, args, frame),
            ExprKind::CallLambda { func, args } => self.check_call_lambda(expr, *func, args, frame),
            ExprKind::Var(_) => self.check_var(expr, frame),
            ExprKind::Lambda { params, returns, body } => {
                self.check_lambda(expr, params, returns.as_ref(), *body, frame)
            }
            ExprKind::If { condition, then, else_part } => {
                self.check_condition(*condition, frame);
                let first = self.check_expr(*then, frame);
                let second = self.check_expr(*else_part, frame);
                self.demand(second, first, ast.exprs[*else_part].span, Reason::Branches);
                first
            }
            ExprKind::Binary { op, left, right, .. } => self.check_binary(expr, *op, *left, *right, frame),
            ExprKind::Not(inner) => {
                let found = self.check_expr(*inner, frame);
                self.demand_plain(found, Term::Bool, ast.exprs[*inner].span, Reason::Logic("not"));
                self.plain_at(expr, Term::Bool)
            }
            ExprKind::Index { value, index } => {
                let (value, index) = (self.check_expr(*value, frame), self.check_expr(*index, frame));
                let result = self.terms.var(Origin::Expr(expr));
                self.attempt(Task::Index { expr, value, index, result });
                result
            }
            ExprKind::Field { value, field } => self.check_field(expr, *value, field, frame),
            ExprKind::FieldOr { value, field, default } => self.check_field_or(expr, *value, field, *default, frame),
            ExprKind::Except { value, default } => {
                let value = self.check_expr(*value, frame);
                let found = self.check_expr(*default, frame);
                self.demand(found, value, ast.exprs[*default].span, Reason::Default);
                value
            }
            // `check_expr` skips parentheses; errors are already reported.
            ExprKind::Paren(_) | ExprKind::Broken => self.refused(expr),
        }
    }

    /// Text with variables in it. `blame` is the place for errors: its own, or that of its use as a name.
    pub(super) fn check_interpolated(&mut self, expr: ExprId, parts: &[ExprId], frame: FrameId, blame: Span) -> Ty {
        for part in parts {
            let found = self.check_expr(*part, frame);
            let reason = if blame == self.ast.exprs[expr].span { Reason::Interpolated } else { Reason::NameText };
            self.demand_plain(found, Term::Str, blame, reason);
        }
        self.plain_at(expr, Term::Str)
    }

    fn check_list(&mut self, expr: ExprId, items: &[ExprId], frame: FrameId) -> Ty {
        let item = self.check_alike(expr, items.iter().copied(), Reason::Element, frame);
        self.terms.list(item, Origin::Expr(expr))
    }

    fn check_map(&mut self, expr: ExprId, entries: &[(ExprId, ExprId)], frame: FrameId) -> Ty {
        let key = self.check_alike(expr, entries.iter().map(|(key, _)| *key), Reason::Key, frame);
        let value = self.check_alike(expr, entries.iter().map(|(_, value)| *value), Reason::Value, frame);
        self.attempt(Task::MapKey { expr, key });
        self.terms.map(key, value, Origin::Expr(expr))
    }

    /// Expressions that must all have one type.
    fn check_alike(
        &mut self,
        whole: ExprId,
        mut items: impl Iterator<Item = ExprId>,
        reason: Reason,
        frame: FrameId,
    ) -> Ty {
        let Some(first) = items.next() else { return self.terms.var(Origin::Expr(whole)) };
        let ty = self.check_expr(first, frame);
        for item in items {
            let found = self.check_expr(item, frame);
            self.demand(found, ty, self.ast.exprs[item].span, reason);
        }
        ty
    }

    fn check_struct(&mut self, expr: ExprId, fields: &[(Name, ExprId)], frame: FrameId) -> Ty {
        let types: Vec<Ty> = fields.iter().map(|(_, value)| self.check_expr(*value, frame)).collect();
        let names: Vec<_> = fields.iter().map(|(name, _)| name.text.clone()).collect();
        self.terms.structure(&names, &types, Origin::Expr(expr))
    }

    pub(super) fn check_var(&mut self, expr: ExprId, frame: FrameId) -> Ty {
        let scopes = self.scopes;
        match scopes.vars.get(expr) {
            Some(VarTarget::Global(variable)) => self.variable(expr, variable),
            Some(VarTarget::Slot { hops, slot, .. }) => match self.hop(frame, hops).map(|at| self.force(at, *slot)) {
                Some(SlotState::Typed(ty)) => ty,
                _ => self.refused(expr),
            },
            None => self.refused(expr),
        }
    }

    /// A lambda is checked in place: its parameters have one type however often it is called.
    fn check_lambda(
        &mut self,
        expr: ExprId,
        params: &[Param],
        returns: Option<&TypeNote>,
        body: ExprId,
        frame: FrameId,
    ) -> Ty {
        let Some(scope) = self.scopes.of_lambda.get(expr) else { return self.refused(expr) };
        let types: Vec<Ty> = params
            .iter()
            .map(|param| match &param.note {
                Some(note) => self.note(note),
                None => {
                    let origin = self.spots.origin(param.span, Why::Parameter);
                    self.terms.var(origin)
                }
            })
            .collect();
        let instance = self.frames.get(frame).instance;
        let inner = self.frames.make(self.scopes, *scope, Some(frame), instance, &types);
        let result = self.check_body(body, returns, inner);
        self.terms.func(&types, result, Origin::Expr(expr))
    }

    /// The body of a function, in its frame.
    pub(super) fn check_body(&mut self, body: ExprId, returns: Option<&TypeNote>, frame: FrameId) -> Ty {
        let found = self.check_expr(body, frame);
        let Some(note) = returns else { return found };
        let wanted = self.note(note);
        self.demand(found, wanted, self.ast.exprs[body].span, Reason::Returns);
        wanted
    }

    fn check_binary(&mut self, expr: ExprId, op: BinaryOp, left: ExprId, right: ExprId, frame: FrameId) -> Ty {
        let (first, second) = (self.check_expr(left, frame), self.check_expr(right, frame));
        let span = self.ast.exprs[expr].span;
        match op {
            BinaryOp::And | BinaryOp::Or => {
                for (found, side) in [(first, left), (second, right)] {
                    self.demand_plain(found, Term::Bool, self.ast.exprs[side].span, Reason::Logic(op.as_str()));
                }
                self.plain_at(expr, Term::Bool)
            }
            BinaryOp::In => {
                let wanted = self.terms.list(first, Origin::Expr(left));
                self.demand(second, wanted, span, Reason::In);
                self.attempt(Task::Operand { expr, op, ty: first });
                self.plain_at(expr, Term::Bool)
            }
            _ => {
                let same = self.demand(first, second, span, Reason::Operands(op));
                if same {
                    self.attempt(Task::Operand { expr, op, ty: first });
                }
                match op {
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul if same => first,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => self.refused(expr),
                    BinaryOp::Div => self.plain_at(expr, Term::Float),
                    _ => self.plain_at(expr, Term::Bool),
                }
            }
        }
    }

    fn check_field(&mut self, expr: ExprId, value: ExprId, field: &Name, frame: FrameId) -> Ty {
        let value = self.check_expr(value, frame);
        if let Term::Struct { shape, at } = self.terms.term(value)
            && let Some(found) = self.terms.field(shape, at, &field.text)
        {
            return found;
        }
        let result = self.terms.var(Origin::Expr(expr));
        self.attempt(Task::Field { expr, value, result });
        result
    }

    /// If the field is known to exist its type counts, and the default is checked at the very end.
    fn check_field_or(&mut self, expr: ExprId, value: ExprId, field: &Name, default: ExprId, frame: FrameId) -> Ty {
        let value = self.check_expr(value, frame);
        let default = self.check_expr(default, frame);
        let Term::Struct { shape, at } = self.terms.term(value) else {
            self.attempt(Task::FieldOr { expr, value, result: default });
            return default;
        };
        let Some(found) = self.terms.field(shape, at, &field.text) else { return default };
        if self.terms.unify(found, default).is_err() {
            self.late.push(Task::FieldOr { expr, value, result: default });
        }
        found
    }
}
