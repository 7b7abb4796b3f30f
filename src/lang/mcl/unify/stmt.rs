//! Checks acting statements, with everything they use.

use super::Solver;
use super::explain::{Reason, Why};
use super::frame::FrameId;
use super::task::Task;
use super::term::{Term, Ty};
use crate::lang::mcl::ast::{BlockId, ExprId, StmtId, StmtKind};

impl Solver<'_> {
    /// Checks the statements of a block in its own frame. Binds, functions, classes and imports wait until they are
    /// used.
    pub(super) fn check_block(&mut self, block: BlockId, frame: FrameId) {
        let ast = self.ast;
        let instance = std::mem::replace(&mut self.instance, self.frames.get(frame).instance);
        for stmt in &ast.blocks[block].stmts {
            if !self.enter(ast.stmts[*stmt].span) {
                break;
            }
            self.check_stmt(*stmt, frame);
            self.solve_woken();
            self.leave();
        }
        self.instance = instance;
    }

    fn check_stmt(&mut self, stmt: StmtId, frame: FrameId) {
        let ast = self.ast;
        let span = ast.stmts[stmt].span;
        match &ast.stmts[stmt].kind {
            StmtKind::Bind { .. } | StmtKind::Func { .. } | StmtKind::Class { .. } | StmtKind::Import { .. } => {}
            StmtKind::Include { .. } => {
                if let Some(slot) = self.scopes.slot_of.get(stmt) {
                    self.force(frame, *slot);
                }
            }
            StmtKind::If { condition, then, else_part } => {
                self.check_condition(*condition, frame);
                self.check_inner(*then, frame, &[]);
                if let Some(else_part) = else_part {
                    self.check_inner(*else_part, frame, &[]);
                }
            }
            StmtKind::For { index, list, body, .. } => {
                let item = self.check_iterated(*list, frame);
                let origin = self.spots.origin(index.span, Why::Index);
                let index = match self.terms.term(item) {
                    // The subject was refused: nothing more is reported.
                    Term::Refused => item,
                    _ => self.terms.plain(Term::Int, origin),
                };
                self.check_inner(*body, frame, &[index, item]);
            }
            StmtKind::ForKv { map, body, .. } => {
                let (key, value) = self.check_iterated_map(*map, frame);
                self.check_inner(*body, frame, &[key, value]);
            }
            StmtKind::Panic { args } => self.check_panic(args, span, frame),
            StmtKind::Resource(resource) => self.check_resource(resource, span, frame, false),
            StmtKind::Collect(resource) => self.check_resource(resource, span, frame, true),
            StmtKind::Edge { halves } => self.check_edge(halves, span, frame),
        }
    }

    /// A branch or the body of a loop.
    fn check_inner(&mut self, block: BlockId, frame: FrameId, params: &[Ty]) {
        let Some(scope) = self.scopes.of_block.get(block) else { return };
        let instance = self.frames.get(frame).instance;
        let inner = self.frames.make(self.scopes, *scope, Some(frame), instance, params);
        self.check_block(block, inner);
    }

    pub(super) fn check_condition(&mut self, condition: ExprId, frame: FrameId) {
        let found = self.check_expr(condition, frame);
        self.demand_plain(found, Term::Bool, self.ast.exprs[condition].span, Reason::Condition);
    }

    fn check_iterated(&mut self, list: ExprId, frame: FrameId) -> Ty {
        let found = self.check_expr(list, frame);
        if let Term::List(item) = self.terms.term(found) {
            return item;
        }
        let span = self.ast.exprs[list].span;
        let origin = self.spots.origin(span, Why::Loop);
        let item = self.terms.var(origin);
        let wanted = self.terms.list(item, origin);
        if !self.demand(found, wanted, span, Reason::Loop) {
            return self.refused(list);
        }
        item
    }

    fn check_iterated_map(&mut self, map: ExprId, frame: FrameId) -> (Ty, Ty) {
        let found = self.check_expr(map, frame);
        if let Term::Map(key, value) = self.terms.term(found) {
            return (key, value);
        }
        let span = self.ast.exprs[map].span;
        let origin = self.spots.origin(span, Why::Loop);
        let (key, value) = (self.terms.var(origin), self.terms.var(origin));
        let wanted = self.terms.map(key, value, origin);
        if !self.demand(found, wanted, span, Reason::LoopMap) {
            return (self.refused(map), self.refused(map));
        }
        (key, value)
    }

    /// `panic(bool)`, `panic(str)` or `panic(bool, str)`.
    fn check_panic(&mut self, args: &[ExprId], span: crate::source::Span, frame: FrameId) {
        let found: Vec<Ty> = args.iter().map(|arg| self.check_expr(*arg, frame)).collect();
        match found[..] {
            [only] => self.attempt(Task::Panic { expr: args[0], ty: only }),
            [condition, message] => {
                self.demand_plain(condition, Term::Bool, self.ast.exprs[args[0]].span, Reason::Panic);
                self.demand_plain(message, Term::Str, self.ast.exprs[args[1]].span, Reason::Panic);
            }
            _ => self.wrong_count(
                span,
                "panic",
                "1 or 2 arguments",
                found.len(),
                "use `panic(condition)`, `panic(text)` or `panic(condition, text)`",
            ),
        }
    }
}
