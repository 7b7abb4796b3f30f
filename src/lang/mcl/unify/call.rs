//! Types calls: of `func` statements, each with its own types, and of functions in variables, which have one type.

use super::explain::Reason;
use super::frame::FrameId;
use super::term::{Clash, ClashKind, Origin, Term, Ty};
use super::{Site, Solver};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::ast::{ExprId, ExprKind, StmtId, StmtKind};
use crate::lang::mcl::scope::{CallTarget, Hop, ScopeKind, SlotKind};
use crate::source::Span;

impl Solver<'_> {
    pub(super) fn check_call(&mut self, expr: ExprId, name: &str, args: &[ExprId], frame: FrameId) -> Ty {
        let scopes = self.scopes;
        match scopes.calls.get(expr) {
            Some(CallTarget::Builtin(function)) => self.check_builtin(expr, function, args, frame),
            Some(CallTarget::Func { hops, func }) => self.check_call_func(expr, name, (hops, *func), args, frame),
            None => self.refused(expr),
        }
    }

    /// Checks the body of a `func` for this call alone.
    fn check_call_func(
        &mut self,
        expr: ExprId,
        name: &str,
        (hops, func): (&[Hop], StmtId),
        args: &[ExprId],
        frame: FrameId,
    ) -> Ty {
        let (ast, scopes) = (self.ast, self.scopes);
        let found: Vec<Ty> = args.iter().map(|arg| self.check_expr(*arg, frame)).collect();
        let span = ast.exprs[expr].span;
        let StmtKind::Func { params, returns, body, .. } = &ast.stmts[func].kind else { return self.refused(expr) };
        if params.len() != found.len() {
            let label = format!("`{name}` takes {}, but gets {}", count(params.len()), found.len());
            let named: Vec<_> = params.iter().map(|param| format!("${}", param.name.text)).collect();
            let place = params.first().map_or(ast.stmts[func].span, |param| param.span);
            let place = params.last().map_or(place, |param| place.to(param.span));
            self.report(
                Diagnostic::error(Code::ArgumentCount, span)
                    .label(label)
                    .related(place, "defined here")
                    .help(format!("pass all of them: `{name}({})`", named.join(", "))),
            );
            return self.refused(expr);
        }
        let (Some(scope), Some(outer)) = (scopes.of_func.get(func), self.hop(frame, hops)) else {
            return self.refused(expr);
        };
        if let Some(slot) = scopes.slot_of.get(func) {
            self.force(outer, *slot);
        }
        let mut types = Vec::with_capacity(found.len());
        for (i, (param, ty)) in std::iter::zip(params, found).enumerate() {
            types.push(match &param.note {
                None => ty,
                Some(note) => {
                    let wanted = self.note(note);
                    if let Err(clash) = self.terms.unify(ty, wanted) {
                        self.wrong_argument(expr, args[i], ty, wanted, clash, (name, i, &param.name.text));
                    }
                    wanted
                }
            });
        }
        if !self.enter(span) {
            return self.refused(expr);
        }
        let from = self.frames.get(frame).instance;
        let instance = self.frames.instance(Some((from, Site::Call(expr))));
        let inner = self.frames.make(scopes, *scope, Some(outer), instance, &types);
        let caller = std::mem::replace(&mut self.instance, instance);
        let result = self.check_body(*body, returns.as_ref(), inner);
        self.instance = caller;
        self.leave();
        result
    }

    /// `$name(args)`. A mismatch is reported at the function, where all its calls meet.
    pub(super) fn check_call_var(&mut self, expr: ExprId, args: &[ExprId], frame: FrameId) -> Ty {
        let found: Vec<Ty> = args.iter().map(|arg| self.check_expr(*arg, frame)).collect();
        let callee = self.check_var(expr, frame);
        let blame = self.defined_at(expr, frame).unwrap_or(self.ast.exprs[expr].span);
        self.call_value(expr, callee, &found, blame)
    }

    /// `func(..) {..}(args)`
    pub(super) fn check_call_lambda(&mut self, expr: ExprId, func: ExprId, args: &[ExprId], frame: FrameId) -> Ty {
        let found: Vec<Ty> = args.iter().map(|arg| self.check_expr(*arg, frame)).collect();
        let callee = self.check_expr(func, frame);
        self.call_value(expr, callee, &found, self.ast.exprs[func].span)
    }

    fn call_value(&mut self, expr: ExprId, callee: Ty, args: &[Ty], blame: Span) -> Ty {
        let result = match self.terms.term(callee) {
            Term::Refused => return self.refused(expr),
            Term::Func { at, params } if params as usize == args.len() => {
                let clash = (0..params).zip(args).find_map(|(i, arg)| {
                    let param = self.terms.part(at, i);
                    self.terms.unify(param, *arg).err()
                });
                match clash {
                    None => return self.terms.part(at, params),
                    Some(clash) => {
                        self.wrong_call(expr, callee, args, clash, blame);
                        return self.refused(expr);
                    }
                }
            }
            _ => self.terms.var(Origin::Expr(expr)),
        };
        let called = self.terms.func(args, result, Origin::Expr(expr));
        if let Err(clash) = self.terms.unify(callee, called) {
            self.wrong_call(expr, callee, args, clash, blame);
            return self.refused(expr);
        }
        result
    }

    fn wrong_call(&mut self, expr: ExprId, callee: Ty, args: &[Ty], clash: Clash, blame: Span) {
        let call = self.ast.exprs[expr].span;
        if clash.why == ClashKind::Params
            && let Term::Func { params, .. } = self.terms.term(callee)
        {
            let (takes, gets) = (count(params as usize), args.len());
            self.report(
                Diagnostic::error(Code::ArgumentCount, blame)
                    .label(format!("this function takes {takes}"))
                    .related(call, format!("it gets {gets}"))
                    .help("pass one value for each parameter"),
            );
            return;
        }
        let result = self.terms.var(Origin::Expr(expr));
        let called = self.terms.func(args, result, Origin::Expr(expr));
        self.mismatch(callee, called, clash, blame, Reason::Called(call));
    }

    /// A mismatched argument is reported at the call, with the argument beside it.
    pub(super) fn wrong_argument(
        &mut self,
        call: ExprId,
        arg: ExprId,
        found: Ty,
        wanted: Ty,
        clash: Clash,
        (function, index, name): (&str, usize, &str),
    ) {
        let (span, place) = (self.ast.exprs[call].span, self.ast.exprs[arg].span);
        self.mismatch(found, wanted, clash, span, Reason::Argument { function, index, name, place });
    }

    /// The place of the function in a variable: the value of a bind, a class's argument, or a parameter.
    fn defined_at(&mut self, var: ExprId, frame: FrameId) -> Option<Span> {
        let ast = self.ast;
        let (frame, slot) = self.slot_of(var, frame)?;
        if let Some((expr, _)) = self.definition((frame, slot)) {
            return Some(ast.exprs[ast.inner(expr)].span);
        }
        let scope = &self.scopes.scopes[self.frames.get(frame).scope];
        let SlotKind::Param(index) = scope.slots.get(slot as usize)?.kind else { return None };
        let params = match scope.kind {
            ScopeKind::Func(stmt) => match &ast.stmts[stmt].kind {
                StmtKind::Func { params, .. } => params,
                _ => return None,
            },
            ScopeKind::Lambda(expr) => match &ast.exprs[expr].kind {
                ExprKind::Lambda { params, .. } => params,
                _ => return None,
            },
            _ => return None,
        };
        params.get(index as usize).map(|param| param.span)
    }
}

/// "1 argument", "2 arguments"
pub fn count(number: usize) -> String {
    format!("{number} argument{}", if number == 1 { "" } else { "s" })
}
