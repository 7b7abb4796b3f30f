//! The type of one expression in words, for display; errors elsewhere only leave parts unknown.

use super::explain::Why;
use super::frame::FrameId;
use super::term::Ty;
use super::{Limits, Solver};
use crate::diag::{Diagnostics, Stage};
use crate::lang::mcl::ast::{Ast, ExprId, Param, StmtId, StmtKind};
use crate::lang::mcl::scope::{ScopeKind, Scopes, SlotKind};
use crate::source::Sources;

/// How many types of one expression in several instances are shown.
const SHOWN: usize = 3;

/// The subject of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Expr(ExprId),
    /// A `func` statement, in its general form.
    Func(StmtId),
}

/// The type of something in words. `None` if nothing is known.
pub fn describe(ast: &Ast, scopes: &Scopes, sources: &Sources, limits: &Limits, asked: Subject) -> Option<String> {
    let mut diags = Diagnostics::new(Stage::Type);
    let entry = scopes.entry?;
    let mut solver = Solver::new(ast, scopes, sources, limits, &mut diags);
    solver.asked = match asked {
        Subject::Expr(expr) => Some(ast.inner(expr)),
        Subject::Func(_) => None,
    };
    let frame = solver.file(entry);
    if let ScopeKind::File(body) = scopes.scopes[entry].kind {
        solver.check_block(body, frame);
    }
    solver.solve_woken();
    let files: Vec<FrameId> = solver.files.values().copied().collect();
    for frame in files {
        if solver.seen.is_empty() {
            solver.explore(frame, asked);
        }
    }
    solver.seen_types()
}

impl Solver<'_> {
    /// Checks unused definitions of a file, with parameters of any type.
    fn explore(&mut self, frame: FrameId, asked: Subject) {
        let scopes = self.scopes;
        let slots = &scopes.scopes[self.frames.get(frame).scope].slots;
        for (slot, kind) in slots.iter().map(|slot| slot.kind).enumerate() {
            match kind {
                SlotKind::Bind(_) | SlotKind::Include(_) => {
                    self.force(frame, slot as u32);
                }
                SlotKind::Func(func) => {
                    let general = self.general_func(func, frame);
                    if asked == Subject::Func(func) {
                        self.seen.extend(general);
                    }
                }
                SlotKind::Class(class) => self.general_class(class, frame, asked),
                SlotKind::Param(_) | SlotKind::File(_) => {}
            }
            self.solve_woken();
            if !self.seen.is_empty() {
                return;
            }
        }
    }

    /// The type of a `func` whose parameters have any type that its body allows.
    fn general_func(&mut self, func: StmtId, frame: FrameId) -> Option<Ty> {
        let (ast, scopes) = (self.ast, self.scopes);
        let StmtKind::Func { params, returns, body, name } = &ast.stmts[func].kind else { return None };
        let scope = scopes.of_func.get(func)?;
        let types = self.general_params(params);
        let instance = self.frames.get(frame).instance;
        let inner = self.frames.make(scopes, *scope, Some(frame), instance, &types);
        let result = self.check_body(*body, returns.as_ref(), inner);
        let origin = self.spots.origin(name.span, Why::Parameter);
        Some(self.terms.func(&types, result, origin))
    }

    fn general_class(&mut self, class: StmtId, frame: FrameId, asked: Subject) {
        let (ast, scopes) = (self.ast, self.scopes);
        let StmtKind::Class { params, body, .. } = &ast.stmts[class].kind else { return };
        let Some(scope) = scopes.of_block.get(*body) else { return };
        let types = self.general_params(params);
        let instance = self.frames.get(frame).instance;
        let inner = self.frames.make(scopes, *scope, Some(frame), instance, &types);
        self.check_block(*body, inner);
        // Nested classes are few levels deep: their frames are made one by one, up to the limit of all checks.
        if self.seen.is_empty() && self.enter(ast.stmts[class].span) {
            self.explore(inner, asked);
            self.leave();
        }
    }

    fn general_params(&mut self, params: &[Param]) -> Vec<Ty> {
        let general = |param: &Param| match &param.note {
            Some(note) => self.note(note),
            None => {
                let origin = self.spots.origin(param.span, Why::Parameter);
                self.terms.var(origin)
            }
        };
        params.iter().map(general).collect()
    }

    /// The types that were found, each once.
    fn seen_types(&mut self) -> Option<String> {
        let mut types: Vec<String> = Vec::new();
        for ty in std::mem::take(&mut self.seen) {
            let words = self.terms.show_general(ty);
            if !types.contains(&words) {
                types.push(words);
            }
        }
        let more = types.len() > SHOWN;
        types.truncate(SHOWN);
        if more {
            types.push("...".to_string());
        }
        (!types.is_empty()).then(|| types.join(" or "))
    }
}
