//! Names in the machine: finds the cell of a name from frame to frame, and computes its value on first use.

use super::closure::FrameId;
use super::frame::{Cell, Frame, Layout};
use super::machine::{ITEM, Machine, Task};
use super::{Fault, Spot};
use crate::diag::Code;
use crate::lang::mcl::ast::{BlockId, ExprId, StmtId, StmtKind};
use crate::lang::mcl::builtin::Variable;
use crate::lang::mcl::scope::{Hop, ScopeId, ScopeKind, SlotKind, VarTarget};
use crate::lang::mcl::unify::{InstanceId, Site};
use crate::lang::mcl::value::Value;

/// How long a chain of includes whose frames need each other may be.
const INCLUDE_CHAIN: u32 = 500;

impl Machine<'_> {
    /// The statements of the entry file, and their frame.
    pub(super) fn entry(&mut self) -> Option<(BlockId, FrameId)> {
        let scope = self.program.scopes.entry?;
        let ScopeKind::File(block) = self.program.scopes.scopes[scope].kind else { return None };
        Some((block, self.file_frame(scope)))
    }

    /// The frame of a file, shared by all importers.
    pub(super) fn file_frame(&mut self, scope: ScopeId) -> FrameId {
        if let Some(frame) = self.files.get(&scope) {
            return *frame;
        }
        let frame = self.add_frame(scope, None, InstanceId::default(), Spot::default().within(scope));
        self.files.insert(scope, frame);
        frame
    }

    /// The frame of a file imported in a frame; its own if the file sees the surrounding names.
    fn imported_frame(&mut self, file: ScopeId, from: FrameId) -> FrameId {
        if self.program.scopes.scopes[file].parent.is_none() {
            return self.file_frame(file);
        }
        let Frame { scope, parent, instance, spot, .. } = self.frames.get(from);
        let is_class = matches!(self.program.scopes.scopes[scope].kind, ScopeKind::Class(_));
        self.add_frame(file, if is_class { Some(from) } else { parent }, instance, spot.within(file))
    }

    /// A new frame for a branch or a loop body within another, with the values of a loop's two names.
    pub(super) fn block_frame(&mut self, scope: ScopeId, parent: FrameId, given: &[Value]) -> FrameId {
        let Frame { instance, spot, .. } = self.frames.get(parent);
        let spot = given.first().map_or(spot.within(scope), |key| spot.within(scope).keyed(key));
        let frame = self.add_frame(scope, Some(parent), instance, spot);
        self.fill_params(scope, frame, |at| given.get(at).cloned().map(Cell::Ready));
        frame
    }

    /// The frame of the class in an `include`, made on first use.
    pub(super) fn include_frame(&mut self, include: StmtId, frame: FrameId) -> Result<FrameId, Fault> {
        match self.program.scopes.slot_of.get(include) {
            Some(slot) => self.held_frame(frame, *slot),
            None => self.class_frame(include, frame),
        }
    }

    /// Uses the value of a `Var` or `CallVar` expression.
    pub(super) fn start_var(&mut self, expr: ExprId, frame: FrameId) -> Result<(), Fault> {
        match self.program.scopes.vars.get(expr) {
            Some(VarTarget::Slot { hops, slot, .. }) => {
                let frame = self.walk(frame, hops)?;
                self.force(frame, *slot, expr)
            }
            Some(VarTarget::Global(variable)) => {
                let value = self.global(variable, expr);
                self.values.push(value);
                Ok(())
            }
            None => Err(self.lost(expr)),
        }
    }

    pub(super) fn global(&mut self, variable: &'static Variable, expr: ExprId) -> Value {
        let world = self.world;
        if self.tracking.is_some() {
            let value = (variable.value)(world);
            self.note_reads(expr);
            return value;
        }
        self.globals.entry(variable.name).or_insert_with(|| (variable.value)(world)).clone()
    }

    /// Uses the value of a cell: computes it if it is missing.
    pub(super) fn force(&mut self, frame: FrameId, slot: u32, expr: ExprId) -> Result<(), Fault> {
        let cell = self.frames.cell_id(frame, slot);
        if self.tracking.is_some() && self.ask(cell, expr) {
            return Ok(());
        }
        let (value, within) = match self.frames.cell(cell) {
            Cell::Ready(value) => {
                self.values.push(value.clone());
                return Ok(());
            }
            Cell::Failed(fault) => return Err((**fault).clone()),
            Cell::Waiting(value, within) => (*value, *within),
            Cell::Empty => match self.bound(frame, slot) {
                Some(value) => (value, frame),
                None => return Err(self.lost(expr)),
            },
            Cell::Busy => return Err(Fault::fatal(Code::RecursiveReference, self.span(expr), "needs its own value")),
            Cell::Frame(_) => return Err(self.lost(expr)),
        };
        self.frames.set(cell, Cell::Busy);
        if let Some(tracking) = &mut self.tracking {
            tracking.tracker.begin_cell(cell, (value, within), None);
        }
        self.tasks.extend([Task::Store(cell), Task::Eval(value, within)]);
        Ok(())
    }

    /// The expression of a slot.
    pub(super) fn bound(&self, frame: FrameId, slot: u32) -> Option<ExprId> {
        match self.slot_kind(frame, slot) {
            SlotKind::Bind(stmt) => match self.program.ast.stmts[stmt].kind {
                StmtKind::Bind { value, .. } => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn slot_kind(&self, frame: FrameId, slot: u32) -> SlotKind {
        self.program.scopes.scopes[self.frames.get(frame).scope].slots[slot as usize].kind
    }

    /// Goes from frame to frame.
    pub(super) fn walk(&mut self, mut frame: FrameId, hops: &[Hop]) -> Result<FrameId, Fault> {
        for hop in hops {
            match hop {
                Hop::Up(count) => {
                    for _ in 0..*count {
                        frame = self.frames.get(frame).parent.expect("scoping counted the frames around this one");
                    }
                }
                Hop::Enter(slot) => frame = self.held_frame(frame, *slot)?,
            }
        }
        Ok(frame)
    }

    /// The frame in a slot of an import or an include.
    pub(super) fn held_frame(&mut self, frame: FrameId, slot: u32) -> Result<FrameId, Fault> {
        let cell = self.frames.cell_id(frame, slot);
        if let Cell::Frame(held) = self.frames.cell(cell) {
            return Ok(*held);
        }
        let held = match self.slot_kind(frame, slot) {
            SlotKind::File(scope) => self.imported_frame(scope, frame),
            SlotKind::Include(include) => self.class_frame(include, frame)?,
            _ => return Err(self.limit(Code::UndefinedValue, None, "not an import or include")),
        };
        self.frames.set(cell, Cell::Frame(held));
        Ok(held)
    }

    pub(super) fn class_frame(&mut self, include: StmtId, frame: FrameId) -> Result<FrameId, Fault> {
        let program = self.program;
        let statement = &program.ast.stmts[include];
        let (Some(target), StmtKind::Include { args, .. }) = (program.scopes.includes.get(include), &statement.kind)
        else {
            return Err(Fault::fatal(Code::UnknownClass, statement.span, "not included"));
        };
        if self.includes > INCLUDE_CHAIN {
            let message = format!("more than {INCLUDE_CHAIN} includes, each from within another");
            return Err(Fault::fatal(Code::EvaluationLimit, statement.span, message));
        }
        self.includes += 1;
        let outer = self.walk(frame, &target.hops);
        self.includes -= 1;
        let StmtKind::Class { body, .. } = program.ast.stmts[target.class].kind else {
            return Err(Fault::fatal(Code::UnknownClass, statement.span, "not a class"));
        };
        let Some(scope) = program.scopes.of_block.get(body) else {
            return Err(Fault::fatal(Code::UnknownClass, statement.span, "its body has no scope"));
        };
        let (instance, spot) =
            (self.instance(frame, Site::Include(include)), self.frames.get(frame).spot.within(include));
        let held = self.add_frame(*scope, Some(outer?), instance, spot);
        self.charge(args.len() * ITEM, Some(statement.span))?;
        self.fill_params(*scope, held, |at| args.get(at).map(|arg| Cell::Waiting(*arg, frame)));
        Ok(held)
    }

    /// The instance in which a call or an include runs.
    pub(super) fn instance(&self, frame: FrameId, site: Site) -> InstanceId {
        let outer = self.frames.get(frame).instance;
        self.types.children.get(&(outer, site)).copied().unwrap_or_default()
    }

    pub(super) fn add_frame(
        &mut self,
        scope: ScopeId,
        parent: Option<FrameId>,
        instance: InstanceId,
        spot: Spot,
    ) -> FrameId {
        let slots = self.program.scopes.scopes[scope].slots.len();
        self.budget.note(slots * size_of::<Cell>() + size_of::<Frame>());
        self.frames.add(Layout { scope, slots }, parent, instance, spot)
    }

    /// Fills the cells of parameters.
    pub(super) fn fill_params(&mut self, scope: ScopeId, frame: FrameId, given: impl Fn(usize) -> Option<Cell>) {
        for (slot, layout) in self.program.scopes.scopes[scope].slots.iter().enumerate() {
            if let SlotKind::Param(at) = layout.kind
                && let Some(cell) = given(at as usize)
            {
                self.frames.set(self.frames.cell_id(frame, slot as u32), cell);
            }
        }
    }
}
