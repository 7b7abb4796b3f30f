//! Checks definitions on use: binds once per frame, includes and files as frames of their own.

use super::explain::{Reason, Why};
use super::frame::{Frame, FrameId, SlotState};
use super::term::{Origin, Term, Ty};
use super::{InstanceId, Site, Solver};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::ast::{ExprId, StmtId, StmtKind, TypeNote};
use crate::lang::mcl::scope::{Hop, ScopeId, ScopeKind, SlotKind, VarTarget};
use crate::lang::mcl::types::Type;

impl Solver<'_> {
    /// The frame of a file, shared by all importers.
    pub(super) fn file(&mut self, scope: ScopeId) -> FrameId {
        if let Some(frame) = self.files.get(&scope) {
            return *frame;
        }
        let frame = self.frames.make(self.scopes, scope, None, InstanceId(0), &[]);
        self.files.insert(scope, frame);
        frame
    }

    /// Follows hops from a frame; `None` if something on the way was refused.
    pub(super) fn hop(&mut self, mut frame: FrameId, hops: &[Hop]) -> Option<FrameId> {
        for hop in hops {
            frame = match *hop {
                Hop::Up(count) => self.frames.up(frame, count)?,
                Hop::Enter(slot) => match self.force(frame, slot) {
                    SlotState::Frame(inner) => inner,
                    _ => return None,
                },
            };
        }
        Some(frame)
    }

    /// The frame and slot that a variable refers to.
    pub(super) fn slot_of(&mut self, var: ExprId, frame: FrameId) -> Option<(FrameId, u32)> {
        match self.scopes.vars.get(var)? {
            VarTarget::Slot { hops, slot, .. } => Some((self.hop(frame, hops)?, *slot)),
            VarTarget::Global(_) => None,
        }
    }

    /// The content of a slot, checked on first use.
    ///
    /// Its uses in the same scope are checked first, from a list: a chain of a hundred thousand binds needs no stack.
    /// Classes are left out, because their bodies need not use everything that they mention at every `include`.
    pub(super) fn force(&mut self, frame: FrameId, slot: u32) -> SlotState {
        if self.frames.held(frame, slot) != SlotState::Empty {
            return self.frames.held(frame, slot);
        }
        let layout = &self.scopes.scopes[self.frames.get(frame).scope];
        let mut work = vec![(slot, false)];
        while let Some((slot, ready)) = work.pop() {
            if self.frames.held(frame, slot) != SlotState::Empty {
                continue;
            }
            if ready {
                self.define(frame, slot);
                continue;
            }
            self.terms.budget.note_steps(1);
            work.push((slot, true));
            let uses = layout.slots[slot as usize].uses.iter().rev();
            work.extend(
                uses.filter(|used| self.frames.held(frame, **used) == SlotState::Empty).map(|used| (*used, false)),
            );
        }
        self.frames.held(frame, slot)
    }

    fn define(&mut self, frame: FrameId, slot: u32) {
        self.frames.hold(frame, slot, SlotState::Busy);
        let instance = std::mem::replace(&mut self.instance, self.frames.get(frame).instance);
        let held = match self.scopes.scopes[self.frames.get(frame).scope].slots[slot as usize].kind {
            SlotKind::Bind(stmt) => SlotState::Typed(self.check_bind(stmt, frame)),
            SlotKind::Include(stmt) => self.check_include(stmt, frame),
            SlotKind::File(scope) => SlotState::Frame(self.imported(scope, frame)),
            SlotKind::Func(_) | SlotKind::Class(_) => SlotState::Definition,
            SlotKind::Param(_) => SlotState::Busy,
        };
        self.instance = instance;
        self.frames.hold(frame, slot, held);
    }

    /// The frame of a file imported in a frame; its own if the file sees the surrounding names.
    fn imported(&mut self, file: ScopeId, from: FrameId) -> FrameId {
        let scopes = self.scopes;
        if scopes.scopes[file].parent.is_none() {
            return self.file(file);
        }
        let Frame { scope, parent, instance, .. } = self.frames.get(from);
        let is_class = matches!(scopes.scopes[scope].kind, ScopeKind::Class(_));
        self.frames.make(scopes, file, if is_class { Some(from) } else { parent }, instance, &[])
    }

    fn check_bind(&mut self, stmt: StmtId, frame: FrameId) -> Ty {
        let ast = self.ast;
        let StmtKind::Bind { note, value, .. } = &ast.stmts[stmt].kind else {
            return self.terms.plain(Term::Refused, Origin::Spot(0));
        };
        let found = self.check_expr(*value, frame);
        self.noted(found, note.as_ref(), *value)
    }

    /// The type of a value with an annotation.
    pub(super) fn noted(&mut self, found: Ty, note: Option<&TypeNote>, value: ExprId) -> Ty {
        let Some(note) = note else { return found };
        let wanted = self.note(note);
        self.demand(found, wanted, self.ast.exprs[value].span, Reason::Annotation);
        wanted
    }

    /// The type of an annotation.
    pub(super) fn note(&mut self, note: &TypeNote) -> Ty {
        if let Some(ty) = self.notes.get(&note.span) {
            return *ty;
        }
        if holds_variant(&note.ty) {
            self.report(
                Diagnostic::error(Code::InvalidType, note.span)
                    .label("no value has the type `variant`")
                    .help("use the type of the value, or remove the annotation"),
            );
        }
        let origin = self.spots.origin(note.span, Why::Annotation);
        let ty = self.terms.written(&note.ty, origin);
        self.notes.insert(note.span, ty);
        ty
    }

    fn check_include(&mut self, stmt: StmtId, frame: FrameId) -> SlotState {
        let (ast, scopes) = (self.ast, self.scopes);
        let StmtKind::Include { args, .. } = &ast.stmts[stmt].kind else { return SlotState::Busy };
        let found: Vec<Ty> = args.iter().map(|arg| self.check_expr(*arg, frame)).collect();
        let Some(target) = scopes.includes.get(stmt) else { return SlotState::Busy };
        let StmtKind::Class { params, body, .. } = &ast.stmts[target.class].kind else { return SlotState::Busy };
        let (Some(scope), Some(outer)) = (scopes.of_block.get(*body), self.hop(frame, &target.hops)) else {
            return SlotState::Busy;
        };
        let types: Vec<Ty> = std::iter::zip(params, std::iter::zip(args, found))
            .map(|(param, (arg, found))| self.noted(found, param.note.as_ref(), *arg))
            .collect();
        if !self.enter(ast.stmts[stmt].span) {
            return SlotState::Busy;
        }
        let from = self.frames.get(frame).instance;
        let instance = self.frames.instance(Some((from, Site::Include(stmt))));
        let inner = self.frames.make(scopes, *scope, Some(outer), instance, &types);
        self.frames.made_by(inner, stmt, frame);
        self.check_block(*body, inner);
        self.leave();
        SlotState::Frame(inner)
    }
}

fn holds_variant(ty: &Type) -> bool {
    match ty {
        Type::Variant => true,
        Type::List(item) => holds_variant(item),
        Type::Map(key, value) => holds_variant(key) || holds_variant(value),
        Type::Struct(fields) => fields.iter().any(|(_, ty)| holds_variant(ty)),
        Type::Func(params, result) => params.iter().any(|(_, ty)| holds_variant(ty)) || holds_variant(result),
        Type::Bool | Type::Str | Type::Int | Type::Float => false,
    }
}
