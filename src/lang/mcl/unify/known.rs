//! Values that are known before evaluation: formats of `fmt.printf`, names of resources.
//!
//! Follows variables through binds and class arguments, and `if` expressions whose condition is known. Calls and
//! operators are not followed, because the language does not: `test "a" + "b" {}` is refused, `test "ab" {}` is not.
//! Some values are known to be text although the text is unknown: of either branch, of a default, of a variable with
//! the annotation `str`.

use std::sync::Arc;

use smol_str::SmolStr;

use super::Solver;
use super::frame::{FrameId, SlotState};
use super::term::Term;
use crate::lang::mcl::ast::{ExprId, ExprKind, StmtKind};
use crate::lang::mcl::scope::{SlotKind, VarTarget};
use crate::lang::mcl::types::Type;

/// The known part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StaticValue {
    Bool(bool),
    /// `None`: the text is unknown, such as one with variables.
    Str(Option<SmolStr>),
    /// Of any other kind.
    Other(&'static str),
}

impl StaticValue {
    /// Returns the kind of the value's type, as messages name it.
    pub fn kind(&self) -> &'static str {
        match self {
            StaticValue::Bool(_) => Term::Bool.kind(),
            StaticValue::Str(_) => Term::Str.kind(),
            StaticValue::Other(kind) => kind,
        }
    }
}

impl Solver<'_> {
    /// The known part of an expression's value. Every variable on the way is checked once.
    pub(super) fn known(&mut self, expr: ExprId, frame: FrameId) -> Option<StaticValue> {
        let mut passed = Vec::new();
        let known = self.follow(expr, frame, &mut passed);
        for slot in passed {
            self.values.insert(slot, known.clone());
        }
        known
    }

    fn follow(
        &mut self,
        mut expr: ExprId,
        mut frame: FrameId,
        passed: &mut Vec<(FrameId, u32)>,
    ) -> Option<StaticValue> {
        let ast = self.ast;
        loop {
            self.terms.budget.note_steps(1);
            match &ast.exprs[expr].kind {
                ExprKind::Bool(value) => return Some(StaticValue::Bool(*value)),
                ExprKind::Str(text) => return Some(StaticValue::Str(Some(text.clone()))),
                ExprKind::Interpolated(_) => return Some(StaticValue::Str(None)),
                ExprKind::Int(_) => return Some(StaticValue::Other("int")),
                ExprKind::Float(_) => return Some(StaticValue::Other("float")),
                ExprKind::List(_) => return Some(StaticValue::Other("list")),
                ExprKind::Map(_) => return Some(StaticValue::Other("map")),
                ExprKind::Struct(_) => return Some(StaticValue::Other("struct")),
                ExprKind::Lambda { .. } => return Some(StaticValue::Other("func")),
                ExprKind::Paren(inner) => expr = *inner,
                ExprKind::If { condition, then, else_part } => {
                    if !self.enter(ast.exprs[expr].span) {
                        return None;
                    }
                    let known = self.known(*condition, frame);
                    self.leave();
                    let Some(StaticValue::Bool(taken)) = known else { return None };
                    expr = if taken { *then } else { *else_part };
                }
                ExprKind::Var(_) => match self.scopes.vars.get(expr)? {
                    // It is known to be text; which text depends on the machine.
                    VarTarget::Global(variable) => return (variable.ty == "str").then_some(StaticValue::Str(None)),
                    VarTarget::Slot { .. } => {
                        let slot = self.slot_of(expr, frame)?;
                        if let Some(known) = self.values.get(&slot) {
                            return known.clone();
                        }
                        passed.push(slot);
                        (expr, frame) = self.definition(slot)?;
                    }
                },
                _ => return None,
            }
        }
    }

    /// Whether an expression is known to be text, whatever the text may be.
    pub(super) fn is_text(&mut self, expr: ExprId, frame: FrameId) -> bool {
        match self.known(expr, frame) {
            Some(known) => matches!(known, StaticValue::Str(_)),
            None => self.is_text_expr(expr, frame),
        }
    }

    fn is_text_expr(&mut self, expr: ExprId, frame: FrameId) -> bool {
        let ast = self.ast;
        self.terms.budget.note_steps(1);
        match &ast.exprs[expr].kind {
            ExprKind::Str(_) | ExprKind::Interpolated(_) => true,
            ExprKind::Paren(inner) => self.is_text_expr(*inner, frame),
            ExprKind::If { then: one, else_part: two, .. } | ExprKind::Except { value: one, default: two } => {
                if !self.enter(ast.exprs[expr].span) {
                    return false;
                }
                let found = self.is_text_expr(*one, frame) || self.is_text_expr(*two, frame);
                self.leave();
                found
            }
            ExprKind::CallLambda { func, .. } => match &ast.exprs[ast.inner(*func)].kind {
                ExprKind::Lambda { params, returns, body } if params.iter().all(|p| p.note.is_some()) => {
                    match returns {
                        Some(note) => *note.ty == Type::Str,
                        None => self.is_text_expr(*body, frame),
                    }
                }
                _ => false,
            },
            ExprKind::Var(_) => {
                let Some(slot) = self.slot_of(expr, frame) else { return self.is_text_variable(expr) };
                if let Some(found) = self.texts.get(&slot) {
                    return *found;
                }
                self.texts.insert(slot, false);
                let found = match (self.annotation(slot), self.definition(slot)) {
                    (Some(note), _) => *note == Type::Str,
                    (None, Some((value, home))) => {
                        self.enter(ast.exprs[expr].span) && {
                            let found = self.is_text_expr(value, home);
                            self.leave();
                            found
                        }
                    }
                    (None, None) => false,
                };
                self.texts.insert(slot, found);
                found
            }
            _ => false,
        }
    }

    /// Whether a built-in variable is text.
    fn is_text_variable(&self, expr: ExprId) -> bool {
        matches!(self.scopes.vars.get(expr), Some(VarTarget::Global(variable)) if variable.ty == "str")
    }

    /// The annotation of a bind.
    fn annotation(&self, (frame, slot): (FrameId, u32)) -> Option<Arc<Type>> {
        let scope = &self.scopes.scopes[self.frames.get(frame).scope];
        let SlotKind::Bind(stmt) = scope.slots.get(slot as usize)?.kind else { return None };
        match &self.ast.stmts[stmt].kind {
            StmtKind::Bind { note, .. } => note.as_ref().map(|note| note.ty.clone()),
            _ => None,
        }
    }

    /// The expression of a slot, with its frame: of a bind its value, of a class's parameter the argument of the
    /// `include`.
    pub(super) fn definition(&self, (frame, slot): (FrameId, u32)) -> Option<(ExprId, FrameId)> {
        let found = self.frames.get(frame);
        match self.scopes.scopes[found.scope].slots.get(slot as usize)?.kind {
            SlotKind::Bind(stmt) => match &self.ast.stmts[stmt].kind {
                StmtKind::Bind { value, .. } => Some((*value, frame)),
                _ => None,
            },
            SlotKind::Param(index) => {
                let (include, from) = found.include?;
                match &self.ast.stmts[include].kind {
                    StmtKind::Include { args, .. } => Some((*args.get(index as usize)?, from)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether a slot has been given its type already.
    pub(super) fn is_typed(&self, frame: FrameId, slot: u32) -> bool {
        matches!(self.frames.held(frame, slot), SlotState::Typed(_))
    }
}
