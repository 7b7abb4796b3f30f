//! The expression machine: a stack of tasks and a stack of values turn an expression in a frame into its value.
//!
//! A task either starts an expression ([`Task::Eval`]) or waits below one for the values it leaves. A failure walks
//! down the tasks: a cell being filled remembers it, an except with its default takes over.
//!
//! `$a + f($b)` starts as `Eval(+)`, which becomes `Binary, Eval(f($b)), Eval($a)`: the sides run, leave two values,
//! and `Binary` takes both. What `f` does not ask for, `$b` say, is never evaluated.

use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::frame::{Cell, CellId, Closure, FrameId, Frames};
use super::{Fault, Limits, operator};
use crate::diag::Code;
use crate::lang::mcl::ast::{BinaryOp, Expr, ExprId, ExprKind, StmtId, StmtKind};
use crate::lang::mcl::builtin::{Call, Cells, Failure, Function, Variable};
use crate::lang::mcl::scope::{CallTarget, Hop, Resolved, ScopeId, SlotKind, VarTarget};
use crate::lang::mcl::unify::{InstanceId, Site, Types};
use crate::lang::mcl::value::Value;
use crate::source::Span;
use crate::world::World;

/// One thing left to do.
#[derive(Clone, Copy, Debug)]
enum Task {
    Eval(ExprId, FrameId),
    /// Joins the texts on top: the parts of an interpolated string.
    Join(ExprId, usize),
    List(usize),
    Map(usize),
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
    /// Keeps the value on top in a cell.
    Store(CellId),
    /// Takes over when what is above it fails: the default, and how many values there were.
    Except(ExprId, FrameId, usize),
}

/// How long a chain of includes whose frames need each other may be.
const INCLUDE_CHAIN: u32 = 500;
/// Bytes that a list, map or struct takes for each item, roughly.
const ITEM: usize = size_of::<Value>();
/// The longest text, in bytes.
const TEXT: usize = 64 << 20;
/// Steps between two looks at the cancel flag.
const CANCEL_EVERY: u64 = 1 << 10;

/// Evaluates the expressions of one program in one world.
pub struct Machine<'a> {
    pub(super) program: &'a Resolved,
    types: &'a Types,
    pub(super) limits: &'a Limits,
    world: &'a dyn World,
    frames: Frames,
    tasks: Vec<Task>,
    values: Vec<Value>,
    /// The expression started last, to say where a limit was reached.
    here: Option<ExprId>,
    files: FxHashMap<ScopeId, FrameId>,
    globals: FxHashMap<&'static str, Value>,
    /// What builtins remember.
    remembered: Cells,
    steps: u64,
    memory: u64,
    calls: u32,
    includes: u32,
    /// The failure inside a function value that a builtin is just handing on.
    passing: Option<Fault>,
}

impl<'a> Machine<'a> {
    pub fn new(program: &'a Resolved, types: &'a Types, world: &'a dyn World, limits: &'a Limits) -> Self {
        Self {
            program,
            types,
            limits,
            world,
            frames: Frames::default(),
            tasks: Vec::new(),
            values: Vec::new(),
            here: None,
            files: FxHashMap::default(),
            globals: FxHashMap::default(),
            remembered: Cells::default(),
            steps: 0,
            memory: 0,
            calls: 0,
            includes: 0,
            passing: None,
        }
    }

    /// The value of an expression in a frame.
    pub fn eval(&mut self, expr: ExprId, frame: FrameId) -> Result<Value, Fault> {
        self.run(Task::Eval(expr, frame))
    }

    /// The frame of a file, the same for all who import it.
    pub fn file_frame(&mut self, scope: ScopeId) -> FrameId {
        if let Some(frame) = self.files.get(&scope) {
            return *frame;
        }
        let frame = self.add_frame(scope, None, InstanceId::default());
        self.files.insert(scope, frame);
        frame
    }

    /// A new frame for a branch or a loop body within another; loops give the values of their two names.
    pub fn block_frame(&mut self, scope: ScopeId, parent: FrameId, given: &[Value]) -> FrameId {
        let frame = self.add_frame(scope, Some(parent), self.frames.get(parent).instance);
        self.fill_params(scope, frame, |at| given.get(at).cloned().map(Cell::Ready));
        frame
    }

    /// The frame of the class that an `include` names, made when first asked for.
    pub fn include_frame(&mut self, include: StmtId, frame: FrameId) -> Result<FrameId, Fault> {
        match self.program.scopes.slot_of.get(include) {
            Some(slot) => self.held_frame(frame, *slot),
            None => self.class_frame(include, frame),
        }
    }

    /// Takes a step of the budget, and looks at the cancel flag now and then.
    pub fn tick(&mut self, span: Option<Span>) -> Result<(), Fault> {
        self.steps += 1;
        if self.steps.is_multiple_of(CANCEL_EVERY) && self.limits.cancel.is_cancelled() {
            return Err(self.limit(Code::Cancelled, span, "stopped here"));
        }
        if self.steps > self.limits.steps {
            let said = format!("still not done after {} steps", self.limits.steps);
            return Err(self.limit(Code::EvaluationLimit, span, said));
        }
        Ok(())
    }

    /// Takes bytes of the budget.
    pub fn charge(&mut self, bytes: usize, span: Option<Span>) -> Result<(), Fault> {
        self.memory = self.memory.saturating_add(bytes as u64);
        if self.memory > self.limits.memory {
            let said = format!("values take more than {} MiB", self.limits.memory >> 20);
            return Err(self.limit(Code::EvaluationLimit, span, said));
        }
        Ok(())
    }

    /// Takes the bytes of a text of the budget, if it is not too long by itself.
    fn charge_text(&mut self, bytes: usize, span: Span) -> Result<(), Fault> {
        if bytes > TEXT {
            let said = format!("the text would be longer than {} MiB", TEXT >> 20);
            return Err(self.limit(Code::EvaluationLimit, Some(span), said));
        }
        self.charge(bytes, Some(span))
    }

    /// How many bytes are left of the budget.
    pub fn memory_left(&self) -> u64 {
        self.limits.memory.saturating_sub(self.memory)
    }

    fn limit(&self, code: Code, span: Option<Span>, message: impl Into<String>) -> Fault {
        let here = span.or_else(|| self.here.map(|expr| self.span(expr)));
        let start = || Span::new(crate::source::FileId(0), 0, 0);
        Fault::fatal(code, here.unwrap_or_else(start), message)
    }

    /// Works until everything above the tasks that were there is done.
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

    /// Walks down to whoever catches a failure; cells on the way remember it.
    fn recover(&mut self, fault: Fault, tasks: usize, values: usize) -> Result<(), Fault> {
        let shared = Rc::new(fault);
        while self.tasks.len() > tasks {
            match self.tasks.pop() {
                Some(Task::Store(cell)) => self.frames.set(cell, Cell::Failed(shared.clone())),
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

    fn step(&mut self, task: Task) -> Result<(), Fault> {
        match task {
            Task::Eval(expr, frame) => return self.start(expr, frame),
            Task::Join(expr, count) => self.join(expr, count)?,
            Task::List(count) => {
                self.charge(count * ITEM, None)?;
                let items = self.take(count);
                self.values.push(Value::list(items));
            }
            Task::Map(count) => {
                self.charge(count * 2 * ITEM, None)?;
                let mut pairs = BTreeMap::new();
                let mut items = self.take(count * 2).into_iter();
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
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
                let item = operator::index(&value, &index, self.span(expr))?;
                self.values.push(item);
            }
            Task::Field(expr) => self.field(expr)?,
            Task::FieldOr(expr, frame) => self.field_or(expr, frame),
            Task::Branch(expr, frame) => {
                let holds = operator::truth(&self.pop());
                if let ExprKind::If { then, otherwise, .. } = self.expr(expr).kind {
                    self.tasks.push(Task::Eval(if holds { then } else { otherwise }, frame));
                }
            }
            Task::Builtin(expr, function, frame) => self.call_builtin(expr, function, frame)?,
            Task::Enter(expr, frame) => self.enter(expr, frame)?,
            Task::Store(cell) => {
                let value = self.values.last().cloned().unwrap_or(Value::Bool(false));
                self.frames.set(cell, Cell::Ready(value));
            }
            Task::Except(..) => {}
        }
        Ok(())
    }

    /// Starts an expression: a plain one leaves its value, any other becomes tasks.
    fn start(&mut self, expr: ExprId, frame: FrameId) -> Result<(), Fault> {
        self.here = Some(expr);
        self.tick(None)?;
        if self.tasks.len() > self.limits.depth {
            let said = format!("more than {} values wait for each other", self.limits.depth);
            return Err(self.limit(Code::EvaluationLimit, None, said));
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
                self.tasks.push(Task::Map(pairs.len()));
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

    /// Leaves a task that waits for the values of some expressions, evaluated in order.
    fn then(
        &mut self,
        task: Task,
        exprs: impl IntoIterator<Item = ExprId, IntoIter: DoubleEndedIterator>,
        frame: FrameId,
    ) {
        self.tasks.push(task);
        self.tasks.extend(exprs.into_iter().rev().map(|expr| Task::Eval(expr, frame)));
    }

    /// Asks for the value of what a `Var` or `CallVar` expression names.
    fn start_var(&mut self, expr: ExprId, frame: FrameId) -> Result<(), Fault> {
        match self.program.scopes.vars.get(expr) {
            Some(VarTarget::Slot { hops, slot }) => {
                let frame = self.walk(frame, hops)?;
                self.force(frame, *slot, expr)
            }
            Some(VarTarget::Global(variable)) => {
                let value = self.global(variable);
                self.values.push(value);
                Ok(())
            }
            None => Err(self.lost(expr)),
        }
    }

    fn global(&mut self, variable: &'static Variable) -> Value {
        let world = self.world;
        self.globals.entry(variable.name).or_insert_with(|| (variable.value)(world)).clone()
    }

    /// Asks for the value of a cell: computed now if it is not there yet.
    fn force(&mut self, frame: FrameId, slot: u32, expr: ExprId) -> Result<(), Fault> {
        let cell = self.frames.cell_id(frame, slot);
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
        self.tasks.extend([Task::Store(cell), Task::Eval(value, within)]);
        Ok(())
    }

    /// The expression that a slot is bound to.
    fn bound(&self, frame: FrameId, slot: u32) -> Option<ExprId> {
        match self.slot_kind(frame, slot) {
            SlotKind::Bind(stmt) => match self.program.ast.stmts[stmt].kind {
                StmtKind::Bind { value, .. } => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    fn slot_kind(&self, frame: FrameId, slot: u32) -> SlotKind {
        self.program.scopes.scopes[self.frames.get(frame).scope].slots[slot as usize].kind
    }

    /// Goes from frame to frame.
    fn walk(&mut self, mut frame: FrameId, hops: &[Hop]) -> Result<FrameId, Fault> {
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
    fn held_frame(&mut self, frame: FrameId, slot: u32) -> Result<FrameId, Fault> {
        let cell = self.frames.cell_id(frame, slot);
        if let Cell::Frame(held) = self.frames.cell(cell) {
            return Ok(*held);
        }
        let held = match self.slot_kind(frame, slot) {
            SlotKind::File(scope) => self.file_frame(scope),
            SlotKind::Include(include) => self.class_frame(include, frame)?,
            _ => return Err(self.limit(Code::EvaluationFailed, None, "neither an import nor an include")),
        };
        self.frames.set(cell, Cell::Frame(held));
        Ok(held)
    }

    fn class_frame(&mut self, include: StmtId, frame: FrameId) -> Result<FrameId, Fault> {
        let program = self.program;
        let statement = &program.ast.stmts[include];
        let (Some(target), StmtKind::Include { args, .. }) = (program.scopes.includes.get(include), &statement.kind)
        else {
            return Err(Fault::fatal(Code::UnknownClass, statement.span, "not included"));
        };
        if self.includes > INCLUDE_CHAIN {
            let said = format!("more than {INCLUDE_CHAIN} includes, each from within another");
            return Err(Fault::fatal(Code::EvaluationLimit, statement.span, said));
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
        let held = self.add_frame(*scope, Some(outer?), self.instance(frame, Site::Include(include)));
        self.charge(args.len() * ITEM, Some(statement.span))?;
        self.fill_params(*scope, held, |at| args.get(at).map(|arg| Cell::Waiting(*arg, frame)));
        Ok(held)
    }

    /// The instance in which a call or an include runs.
    fn instance(&self, frame: FrameId, site: Site) -> InstanceId {
        let outer = self.frames.get(frame).instance;
        self.types.children.get(&(outer, site)).copied().unwrap_or_default()
    }

    fn add_frame(&mut self, scope: ScopeId, parent: Option<FrameId>, instance: InstanceId) -> FrameId {
        let slots = self.program.scopes.scopes[scope].slots.len();
        self.memory += (slots * size_of::<Cell>() + size_of::<super::frame::Frame>()) as u64;
        self.frames.add(scope, slots, parent, instance)
    }

    /// Fills the cells of parameters.
    fn fill_params(&mut self, scope: ScopeId, frame: FrameId, given: impl Fn(usize) -> Option<Cell>) {
        for (slot, layout) in self.program.scopes.scopes[scope].slots.iter().enumerate() {
            if let SlotKind::Param(at) = layout.kind
                && let Some(cell) = given(at as usize)
            {
                self.frames.set(self.frames.cell_id(frame, slot as u32), cell);
            }
        }
    }

    fn start_call(&mut self, expr: ExprId, args: &[ExprId], frame: FrameId) -> Result<(), Fault> {
        match self.program.scopes.calls.get(expr) {
            Some(CallTarget::Builtin(function)) => {
                self.then(Task::Builtin(expr, function, frame), args.iter().copied(), frame);
                Ok(())
            }
            Some(CallTarget::Func { hops, func }) => {
                let outer = self.walk(frame, hops)?;
                let (Some(scope), StmtKind::Func { body, .. }) =
                    (self.program.scopes.of_func.get(*func), &self.program.ast.stmts[*func].kind)
                else {
                    return Err(self.lost(expr));
                };
                let inner = self.add_frame(*scope, Some(outer), self.instance(frame, Site::Call(expr)));
                self.charge(0, None)?;
                self.fill_params(*scope, inner, |at| args.get(at).map(|arg| Cell::Waiting(*arg, frame)));
                self.tasks.push(Task::Eval(*body, inner));
                Ok(())
            }
            None => Err(self.lost(expr)),
        }
    }

    /// Calls the function value on top with the arguments of the call.
    fn enter(&mut self, expr: ExprId, frame: FrameId) -> Result<(), Fault> {
        let function = self.pop();
        let (ExprKind::CallVar { args, .. } | ExprKind::CallLambda { args, .. }) = &self.expr(expr).kind else {
            return Err(self.lost(expr));
        };
        let (body, inner) = self.lambda_frame(&function, |at| args.get(at).map(|arg| Cell::Waiting(*arg, frame)))?;
        self.tasks.push(Task::Eval(body, inner));
        Ok(())
    }

    /// The body of a function value and a new frame for it.
    fn lambda_frame(
        &mut self,
        function: &Value,
        given: impl Fn(usize) -> Option<Cell>,
    ) -> Result<(ExprId, FrameId), Fault> {
        let not_callable = |machine: &Self| machine.limit(Code::EvaluationFailed, None, "not a function");
        let Value::Func(closure) = function else { return Err(not_callable(self)) };
        let (Some(scope), ExprKind::Lambda { body, .. }) =
            (self.program.scopes.of_lambda.get(closure.lambda), &self.expr(closure.lambda).kind)
        else {
            return Err(not_callable(self));
        };
        let instance = self.frames.get(closure.frame).instance;
        let frame = self.add_frame(*scope, Some(closure.frame), instance);
        self.charge(0, None)?;
        self.fill_params(*scope, frame, given);
        Ok((*body, frame))
    }

    fn call_builtin(&mut self, expr: ExprId, function: &'static Function, frame: FrameId) -> Result<(), Fault> {
        let ExprKind::Call { args, .. } = &self.expr(expr).kind else { return Err(self.lost(expr)) };
        let args = self.take(args.len());
        let span = self.span(expr);
        let world = self.world;
        let result = self.types.results.get(&(self.frames.get(frame).instance, expr)).map(|ty| &**ty);
        let (folder, root) = (self.folder(span), self.folder_of(0));
        // A function that calls back may lead to others that remember; none of those remembers itself.
        let calls_back = args.iter().any(|arg| matches!(arg, Value::Func(_)));
        let mut cells = if calls_back { Cells::default() } else { std::mem::take(&mut self.remembered) };
        let answer = {
            let mut apply = |function: &Value, args: &[Value]| self.apply(function, args);
            let (apply, cells) = (&mut apply, &mut cells);
            (function.call)(&mut Call { args: &args, result, world, folder, root, apply, cells })
        };
        if !calls_back {
            self.remembered = cells;
        }
        let passing = self.passing.take();
        match answer {
            Ok(value) => {
                self.charge(weight(&value), Some(span))?;
                self.values.push(value);
                Ok(())
            }
            Err(failure) => Err(match passing {
                Some(fault) if fault.message == failure.message => fault,
                _ if failure.catchable => Fault::catchable(span, failure.message),
                _ => Fault::fatal(Code::EvaluationFailed, span, failure.message),
            }),
        }
    }

    /// Calls a function value for a builtin: the machine runs within itself.
    fn apply(&mut self, function: &Value, args: &[Value]) -> Result<Value, Failure> {
        let answer = if self.calls >= self.limits.calls {
            let said = format!("functions call each other more than {} deep", self.limits.calls);
            Err(self.limit(Code::EvaluationLimit, None, said))
        } else {
            self.calls += 1;
            let answer = self
                .lambda_frame(function, |at| args.get(at).cloned().map(Cell::Ready))
                .and_then(|(body, frame)| self.eval(body, frame));
            self.calls -= 1;
            answer
        };
        answer.map_err(|fault| {
            let failure = Failure { message: fault.message.clone(), catchable: fault.catchable };
            self.passing = Some(fault);
            failure
        })
    }

    /// The folder of the module that holds a place.
    fn folder(&self, span: Span) -> &'a Path {
        let files = &self.program.files;
        self.folder_of(files.iter().position(|file| file.tree.file == span.file).unwrap_or_default())
    }

    fn folder_of(&self, file: usize) -> &'a Path {
        self.program.files.get(file).map_or(Path::new(""), |file| &file.base)
    }

    fn join(&mut self, expr: ExprId, count: usize) -> Result<(), Fault> {
        let parts = self.take(count);
        let text = |part: &Value| match part {
            Value::Str(text) => Some(text.clone()),
            _ => None,
        };
        let parts: Vec<Rc<str>> = parts.iter().filter_map(text).collect();
        self.charge_text(parts.iter().map(|part| part.len()).sum(), self.span(expr))?;
        self.values.push(Value::str(parts.concat()));
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
        let mut budget = self.limits.steps.saturating_sub(self.steps);
        let value = operator::binary(op, &left, &right, span, &mut budget);
        self.steps = self.limits.steps.saturating_sub(budget);
        let value = value?;
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

    fn expr(&self, expr: ExprId) -> &'a Expr {
        &self.program.ast.exprs[expr]
    }

    fn span(&self, expr: ExprId) -> Span {
        self.program.ast.exprs[expr].span
    }

    fn pop(&mut self) -> Value {
        self.values.pop().expect("every task leaves one value for the one that waits for it")
    }

    fn take(&mut self, count: usize) -> Vec<Value> {
        self.values.split_off(self.values.len().saturating_sub(count))
    }

    /// An earlier stage should have refused this; without its answer there is no value.
    fn lost(&self, expr: ExprId) -> Fault {
        Fault::fatal(Code::EvaluationFailed, self.span(expr), "has no value")
    }
}

/// Bytes of a value itself, without those that its items hold.
fn weight(value: &Value) -> usize {
    match value {
        Value::Str(text) => text.len(),
        Value::List(items) => items.len() * ITEM,
        Value::Map(pairs) => pairs.len() * 2 * ITEM,
        Value::Struct(fields) => fields.len() * (ITEM + size_of::<SmolStr>()),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Func(_) => 0,
    }
}
