//! The expression machine: a stack of tasks and a stack of values convert an expression in a frame to its value.
//!
//! A task either starts an expression ([`Task::Eval`]) or waits below one for its values. A failure unwinds the tasks:
//! a cell being filled stores it, an except with its default handles it.
//!
//! `$a + f($b)` starts as `Eval(+)`, which becomes `Binary, Eval(f($b)), Eval($a)`: the sides run, leave two values,
//! and `Binary` takes both. What `f` does not use, such as `$b`, is never evaluated.

use std::collections::BTreeMap;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::closure::{Closure, FrameId};
use super::frame::{Cell, CellId, Frames};
use super::reactive::Tracking;
use super::{Fault, Limits, operator};
use crate::diag::Code;
use crate::lang::Budget;
use crate::lang::mcl::ast::{BinaryOp, Expr, ExprId, ExprKind};
use crate::lang::mcl::builtin::{Cells, Function};
use crate::lang::mcl::scope::{Resolved, ScopeId};
use crate::lang::mcl::unify::Types;
use crate::lang::mcl::value::Value;
use crate::source::Span;
use crate::world::{Stop, World};

/// One pending task.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task {
    Eval(ExprId, FrameId),
    /// Joins the texts on top: the parts of an interpolated string.
    Join(ExprId, usize),
    List(usize),
    Map(ExprId, usize),
    Struct(ExprId),
    Binary(ExprId, BinaryOp),
    Not,
    Index(ExprId),
    Field(ExprId),
    FieldOr(ExprId, FrameId),
    Branch(ExprId, FrameId),
    Builtin(ExprId, &'static Function, FrameId),
    /// Calls the function on top with the arguments of a call.
    Enter(ExprId, FrameId),
    /// Stores the value on top in a cell.
    Store(CellId),
    /// Handles a failure above it: the default, and how many values there were.
    Except(ExprId, FrameId, usize),
    /// Makes sure that a cell is up to date, from its n-th source on.
    Check(CellId, usize),
    /// Pushes the value of a cell that is up to date now.
    Deliver(CellId, ExprId),
    /// Drops the value above this many others, or the failure in its place.
    Discard(usize),
}

/// Bytes of a list, map or struct per item, approximately.
pub(super) const ITEM: usize = size_of::<Value>();

/// Evaluates the expressions of one program in one world.
pub struct Machine<'a> {
    pub(super) program: &'a Resolved,
    pub(super) types: &'a Types,
    pub(super) limits: &'a Limits,
    /// Stops the running evaluation.
    pub(super) stop: Stop,
    pub(super) world: &'a dyn World,
    pub(super) frames: Frames,
    pub(super) tasks: Vec<Task>,
    pub(super) values: Vec<Value>,
    /// The last started expression, for the place of a reached limit.
    pub(super) here: Option<ExprId>,
    pub(super) files: FxHashMap<ScopeId, FrameId>,
    pub(super) globals: FxHashMap<&'static str, Value>,
    /// The state of built-ins.
    pub(super) remembered: Cells,
    pub(super) budget: Rc<Budget>,
    pub(super) calls: u32,
    pub(super) includes: u32,
    /// The failure inside a function value that a built-in passes on.
    pub(super) passing: Option<Fault>,
    /// The dependencies, if the evaluation is kept.
    pub(super) tracking: Option<Box<Tracking<'a>>>,
}

impl<'a> Machine<'a> {
    /// Makes a machine for one program, with a full budget and no frames.
    pub fn new(program: &'a Resolved, types: &'a Types, world: &'a dyn World, limits: &'a Limits) -> Self {
        Self {
            program,
            types,
            limits,
            stop: limits.stop.clone(),
            world,
            frames: Frames::default(),
            tasks: Vec::new(),
            values: Vec::new(),
            here: None,
            files: FxHashMap::default(),
            globals: FxHashMap::default(),
            remembered: Cells::default(),
            budget: Rc::new(Budget::new(limits.steps, limits.memory)),
            calls: 0,
            includes: 0,
            passing: None,
            tracking: None,
        }
    }

    /// The value of an expression in a frame.
    pub fn eval(&mut self, expr: ExprId, frame: FrameId) -> Result<Value, Fault> {
        self.run(Task::Eval(expr, frame))
    }

    /// Runs until everything above the existing tasks is done.
    fn run(&mut self, first: Task) -> Result<Value, Fault> {
        let (tasks, values) = (self.tasks.len(), self.values.len());
        self.tasks.push(first);
        while self.tasks.len() > tasks {
            let Some(task) = self.tasks.pop() else { break };
            if let Err(fault) = self.step(task) {
                self.recover(fault, tasks, values)?;
            }
        }
        Ok(self.pop())
    }

    /// Unwinds to the handler of a failure; cells on the way store it.
    pub(super) fn recover(&mut self, fault: Fault, tasks: usize, values: usize) -> Result<(), Fault> {
        if fault.is_cut_off() && self.limits.stop.ends_all() {
            // These cells are not used again.
            self.tasks.truncate(tasks);
            return Err(fault);
        }
        let shared = Rc::new(fault);
        while self.tasks.len() > tasks {
            match self.tasks.pop() {
                Some(Task::Store(cell)) => self.store(cell, Cell::Failed(shared.clone())),
                Some(Task::Discard(height)) => {
                    self.values.truncate(height);
                    return Ok(());
                }
                Some(Task::Except(default, frame, height)) if shared.catchable => {
                    self.values.truncate(height);
                    self.tasks.push(Task::Eval(default, frame));
                    return Ok(());
                }
                _ => {}
            }
        }
        self.values.truncate(values);
        Err(Rc::try_unwrap(shared).unwrap_or_else(|shared| (*shared).clone()))
    }

    pub(super) fn step(&mut self, task: Task) -> Result<(), Fault> {
        match task {
            Task::Eval(expr, frame) => return self.start(expr, frame),
            Task::Join(expr, count) => self.join(expr, count)?,
            Task::List(count) => {
                self.charge(count * ITEM, None)?;
                let items = self.take(count);
                self.values.push(Value::list(items));
            }
            Task::Map(expr, count) => {
                let span = self.span(expr);
                self.charge(count * 2 * ITEM, Some(span))?;
                let mut pairs = BTreeMap::new();
                let mut items = self.take(count * 2).into_iter();
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    operator::measure(&key, &self.budget).ok_or_else(|| operator::too_large(span))?;
                    pairs.insert(key, value);
                }
                self.values.push(Value::Map(Rc::new(pairs)));
            }
            Task::Struct(expr) => self.make_struct(expr)?,
            Task::Binary(expr, op) => self.binary(expr, op)?,
            Task::Not => {
                let value = !operator::truth(&self.pop());
                self.values.push(Value::Bool(value));
            }
            Task::Index(expr) => {
                let (index, value) = (self.pop(), self.pop());
                let span = self.span(expr);
                let item = operator::index(&value, &index, span, &self.budget)?;
                self.values.push(item);
            }
            Task::Field(expr) => self.field(expr)?,
            Task::FieldOr(expr, frame) => self.field_or(expr, frame),
            Task::Branch(expr, frame) => {
                let holds = operator::truth(&self.pop());
                if let ExprKind::If { then, else_part, .. } = self.expr(expr).kind {
                    self.tasks.push(Task::Eval(if holds { then } else { else_part }, frame));
                }
            }
            Task::Builtin(expr, function, frame) => self.call_builtin(expr, function, frame)?,
            Task::Enter(expr, frame) => self.enter(expr, frame)?,
            Task::Store(cell) => {
                let value = self.values.last().cloned().unwrap_or(Value::Bool(false));
                self.store(cell, Cell::Ready(value));
            }
            Task::Check(cell, at) => self.check(cell, at),
            Task::Deliver(cell, expr) => self.deliver(cell, expr)?,
            Task::Discard(_) => drop(self.pop()),
            Task::Except(..) => {}
        }
        Ok(())
    }

    /// Starts an expression: a plain one pushes its value, any other becomes tasks.
    fn start(&mut self, expr: ExprId, frame: FrameId) -> Result<(), Fault> {
        self.here = Some(expr);
        self.tick(None)?;
        if self.tasks.len() > self.limits.depth {
            let message = format!("evaluation is nested more than {} levels deep", self.limits.depth);
            return Err(self.limit(Code::EvaluationLimit, None, message));
        }
        match &self.expr(expr).kind {
            ExprKind::Bool(value) => self.values.push(Value::Bool(*value)),
            ExprKind::Int(value) => self.values.push(Value::Int(*value)),
            ExprKind::Float(value) => self.values.push(Value::Float(*value)),
            ExprKind::Str(text) => {
                self.charge(text.len(), None)?;
                self.values.push(Value::str(text.as_str()));
            }
            ExprKind::Lambda { .. } => self.values.push(Value::Func(Rc::new(Closure { lambda: expr, frame }))),
            ExprKind::Paren(inner) => self.tasks.push(Task::Eval(*inner, frame)),
            ExprKind::Var(_) => self.start_var(expr, frame)?,
            ExprKind::Call { args, .. } => self.start_call(expr, args, frame)?,
            ExprKind::CallVar { .. } => {
                self.tasks.push(Task::Enter(expr, frame));
                self.start_var(expr, frame)?;
            }
            ExprKind::CallLambda { func, .. } => self.then(Task::Enter(expr, frame), [*func], frame),
            ExprKind::Interpolated(parts) => self.then(Task::Join(expr, parts.len()), parts.iter().copied(), frame),
            ExprKind::List(items) => self.then(Task::List(items.len()), items.iter().copied(), frame),
            ExprKind::Map(pairs) => {
                self.tasks.push(Task::Map(expr, pairs.len()));
                for (key, value) in pairs.iter().rev() {
                    self.tasks.extend([Task::Eval(*value, frame), Task::Eval(*key, frame)]);
                }
            }
            ExprKind::Struct(fields) => self.then(Task::Struct(expr), fields.iter().map(|(_, value)| *value), frame),
            ExprKind::If { condition, .. } => self.then(Task::Branch(expr, frame), [*condition], frame),
            ExprKind::Binary { op, left, right, .. } => self.then(Task::Binary(expr, *op), [*left, *right], frame),
            ExprKind::Not(inner) => self.then(Task::Not, [*inner], frame),
            ExprKind::Index { value, index } => self.then(Task::Index(expr), [*value, *index], frame),
            ExprKind::Field { value, .. } => self.then(Task::Field(expr), [*value], frame),
            ExprKind::FieldOr { value, .. } => self.then(Task::FieldOr(expr, frame), [*value], frame),
            ExprKind::Except { value, default } => {
                self.then(Task::Except(*default, frame, self.values.len()), [*value], frame);
            }
            ExprKind::Broken => return Err(self.lost(expr)),
        }
        Ok(())
    }

    /// Pushes a task that waits for the values of some expressions, evaluated in order.
    pub(super) fn then(
        &mut self,
        task: Task,
        exprs: impl IntoIterator<Item = ExprId, IntoIter: DoubleEndedIterator>,
        frame: FrameId,
    ) {
        self.tasks.push(task);
        self.tasks.extend(exprs.into_iter().rev().map(|expr| Task::Eval(expr, frame)));
    }

    fn join(&mut self, expr: ExprId, count: usize) -> Result<(), Fault> {
        let parts = self.take(count);
        let parts: Vec<&[u8]> = parts.iter().filter_map(Value::as_bytes).collect();
        self.charge_text(parts.iter().map(|part| part.len()).sum(), self.span(expr))?;
        self.values.push(Value::text(parts.concat()));
        Ok(())
    }

    fn make_struct(&mut self, expr: ExprId) -> Result<(), Fault> {
        let ExprKind::Struct(names) = &self.expr(expr).kind else { return Err(self.lost(expr)) };
        self.charge(names.len() * (ITEM + size_of::<SmolStr>()), None)?;
        let values = self.take(names.len());
        let fields = names.iter().zip(values).map(|((name, _), value)| (name.text.clone(), value)).collect();
        self.values.push(Value::Struct(Rc::new(fields)));
        Ok(())
    }

    fn binary(&mut self, expr: ExprId, op: BinaryOp) -> Result<(), Fault> {
        let (right, left) = (self.pop(), self.pop());
        let span = self.span(expr);
        if op == BinaryOp::Add {
            self.charge_text(weight(&left) + weight(&right), span)?;
        }
        let value = operator::binary(op, &left, &right, span, &self.budget)?;
        self.values.push(value);
        Ok(())
    }

    fn field(&mut self, expr: ExprId) -> Result<(), Fault> {
        let value = self.pop();
        let ExprKind::Field { field, .. } = &self.expr(expr).kind else { return Err(self.lost(expr)) };
        let value = operator::field(&value, &field.text).ok_or_else(|| self.lost(expr))?;
        self.values.push(value);
        Ok(())
    }

    fn field_or(&mut self, expr: ExprId, frame: FrameId) {
        let value = self.pop();
        if let ExprKind::FieldOr { field, default, .. } = &self.expr(expr).kind {
            match operator::field(&value, &field.text) {
                Some(value) => self.values.push(value),
                None => self.tasks.push(Task::Eval(*default, frame)),
            }
        }
    }

    pub(super) fn expr(&self, expr: ExprId) -> &'a Expr {
        &self.program.ast.exprs[expr]
    }

    pub(super) fn span(&self, expr: ExprId) -> Span {
        self.program.ast.exprs[expr].span
    }

    pub(super) fn pop(&mut self) -> Value {
        self.values.pop().expect("every task leaves one value for the one that waits for it")
    }

    pub(super) fn take(&mut self, count: usize) -> Vec<Value> {
        self.values.split_off(self.values.len().saturating_sub(count))
    }

    /// An earlier stage should have refused this; without its result there is no value.
    pub(super) fn lost(&self, expr: ExprId) -> Fault {
        Fault::fatal(Code::UndefinedValue, self.span(expr), "has no value")
    }
}

/// Bytes of a value itself, without those of its items.
pub(super) fn weight(value: &Value) -> usize {
    match value {
        Value::Str(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) => items.len() * ITEM,
        Value::Map(pairs) => pairs.len() * 2 * ITEM,
        Value::Struct(fields) => fields.len() * (ITEM + size_of::<SmolStr>()),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) => 0,
    }
}
