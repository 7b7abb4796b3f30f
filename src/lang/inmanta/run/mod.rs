//! Runs a model with the reference's scheduler: a queue of tasks, variables that wait, and lists that freeze.
//!
//! - task: a part of a statement; it runs once, when each of its dependencies has a value.
//! - dependency: a variable that a task reads; the task waits for those without a value.
//! - result: the variable to which a task gives its value.
//! - variable: plain (set once), a relation, or a list that collects values.
//! - proxy: a variable that represents another one until that is known, such as an attribute of a later instance.
//! - promise: a task or a block that may still add to a list, so that the list cannot freeze.
//! - freeze: to end a list: its values so far become its value, and its waiters run.
//! - queue: the tasks that can run, and the lists that could freeze; a list without a waiter is idle.
//! - listener: a task that takes the values of a list one by one, as they come (gradually), by a collector.
//! - potential, outstanding: how many waiters freezing a list would help, and how many promises hold it.
//!
//! Which models compile depends on the exact order of every queue here, so nothing is reordered and nothing runs in
//! parallel. Everything lives in arenas and is named by its number.

mod arena;
mod assign;
mod collector;
mod construct;
mod emit;
mod execute;
mod finish;
mod ids;
mod open;
mod queue;
mod scope;
mod task;
mod unset;
mod variable;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::ast::{NodeId, NsId, Operator};
use super::check::Model;
use super::context::Context;
use super::define::{AttributeId, ImplementationId, Program};
use super::error::{Class, Raise, Result};
use super::names::Sym;
use super::pattern::Pattern;
use super::pystr::Instances;
use super::trace::Trace;
use super::types::EntityId;
use super::value::{InstanceId, Value};
use crate::diag::Code;
use crate::lang::{Budget, Spent};
use crate::source::{Sources, Span};

use arena::Arena;
use collector::Collector;
use ids::{CollectorId, TaskId};
pub use ids::{ScopeId, VarId};
use queue::{Idle, WaitQueue};
use scope::Scope;
use task::{Task, Tasks};
use variable::{Delayed, Listener, Owner, Var, WaiterLists};

/// Why a task stopped.
#[derive(Debug)]
pub enum Flow {
    /// It needs a variable that has no value yet, and runs again when it has one.
    Unset(Vec<VarId>),
    Raise(Box<Raise>),
}

impl From<Box<Raise>> for Flow {
    fn from(raise: Box<Raise>) -> Self {
        Flow::Raise(raise)
    }
}

/// The result of a task: an error, or a variable to wait for, ends it early.
pub type Run<T> = std::result::Result<T, Flow>;

/// An instance of an entity.
pub struct Instance {
    pub entity: EntityId,
    /// The first of its variables: attributes in the entity's order, then `self`.
    first: VarId,
    /// The namespace in which it was constructed.
    root: NsId,
    scope: ScopeId,
    /// The instance whose implementation constructed it, and how many are above it.
    maker: Option<InstanceId>,
    depth: u32,
    /// Where it was constructed; an index may return it to several constructors. Never empty.
    places: SmallVec<[Span; 1]>,
    implementations: SmallVec<[ImplementationId; 2]>,
}

impl Instance {
    /// Where it was first constructed.
    pub fn place(&self) -> Span {
        self.places[0]
    }
}

/// What a run may cost.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub steps: u64,
    pub instances: usize,
    /// Bytes of values, and of what is needed to compute them.
    pub memory: u64,
}

/// Plugins that read all parts of their arguments.
const READ_WHOLE: [&str; 7] = ["contains", "equals", "flatten", "format", "json_dumps", "print", "unique"];

/// How often the main loop may go round, as in the reference.
const ITERATIONS: u32 = 100_000;

/// How many relations a value may pass through at once.
const PASSES: u32 = 3_000;

/// A promise of an `if` or a `for`: it may still set an attribute.
struct BlockPromise {
    /// The variable, once the instance is known.
    var: Option<VarId>,
    is_tracked: bool,
    is_fulfilled: bool,
}

/// A key of an index: the names of the attributes and the values, as they are written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct IndexKey(Box<[(Sym, KeyPart)]>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum KeyPart {
    Instance(InstanceId),
    Str(std::sync::Arc<str>),
    /// Python's `repr` of anything else.
    Other(Box<str>),
    Int(i64),
}

/// The look-ups that wait for one key, and when the first of them began to wait.
#[derive(Default)]
struct PendingLookups {
    number: u32,
    lookups: Vec<(VarId, NodeId)>,
}

#[derive(Default)]
struct EntityState {
    instances: Vec<InstanceId>,
    index: FxHashMap<IndexKey, InstanceId>,
    /// Look-ups that wait for an instance, in order.
    waiting: FxHashMap<IndexKey, PendingLookups>,
    /// How many keys were waited for so far.
    awaited: u32,
}

/// The state of a run.
pub struct Machine<'a> {
    pub program: &'a Program,
    pub sources: &'a Sources,
    pub context: &'a dyn Context,
    vars: Arena<Var>,
    delayed: Arena<Delayed>,
    /// The relations to exactly one instance.
    singles: Arena<Owner>,
    /// The listeners of proxies.
    listeners: FxHashMap<VarId, Listener>,
    /// Variables that only one task reads, free for the next one.
    free_vars: Vec<VarId>,
    waiter_lists: WaiterLists,
    tasks: Tasks,
    scopes: Arena<Scope>,
    ns_scopes: Vec<Option<ScopeId>>,
    pub instances: Vec<Instance>,
    entities: Vec<EntityState>,
    collectors: Vec<Collector>,
    /// Those of all blocks, by number.
    block_promises: Vec<BlockPromise>,
    run_queue: VecDeque<TaskId>,
    waiting: WaitQueue,
    idle: Idle,
    annotations: Vec<(VarId, Span)>,
    patterns: FxHashMap<NodeId, std::result::Result<Pattern, String>>,
    unknowns: u32,
    passes: u32,
    bounds: Bounds,
    pub trace: Trace,
    pub output: String,
    /// Plugins that were not run, with a place of a call.
    pub not_run: RefCell<Vec<(u32, Span)>>,
    /// What templates wrote nothing for, each as a warning.
    pub gaps: RefCell<Vec<Raise>>,
    /// References, by the number of their unknown value: equal references have one key.
    references: FxHashMap<u32, Arc<str>>,
    reference_keys: FxHashMap<Arc<str>, u32>,
    /// A statement that was left out because of an unknown value.
    pub left_out: Option<Span>,
    /// What such statements would fill.
    unfilled: open::Open,
    /// What is not complete and may be so because of that.
    pub open: Vec<(Option<Span>, String)>,
    /// The list that a late value was for.
    pub late: Option<AttributeId>,
    /// A step is a task that ran; bytes are those of values.
    budget: Budget,
    /// The value of every list that freezes without one.
    empty_list: Value,
}

impl Instances for Machine<'_> {
    fn long(&self, instance: InstanceId) -> String {
        let found = &self.instances[instance.0 as usize];
        let places: Vec<_> = found.places.iter().map(|place| self.place(*place)).collect();
        format!("{} (instantiated at {})", self.program.entity_name(found.entity), places.join(","))
    }

    fn short(&self, instance: InstanceId) -> String {
        let found = &self.instances[instance.0 as usize];
        format!("{} {:02x}", self.program.entity_name(found.entity), 0x7f00_0000_u64 + u64::from(instance.0) * 16)
    }
}

impl Model for Machine<'_> {
    fn entity_of(&self, instance: InstanceId) -> Option<EntityId> {
        self.instances.get(instance.0 as usize).map(|instance| instance.entity)
    }

    fn ask(&self, program: &Program, request: &Arc<str>) -> Option<std::result::Result<String, String>> {
        self.context.plugin(&program.described.modules, request).transpose()
    }

    fn not_run(&self, plugin: u32, place: Span) {
        let mut all = self.not_run.borrow_mut();
        if !all.iter().any(|(other, _)| *other == plugin) {
            all.push((plugin, place));
        }
    }
}

impl<'a> Machine<'a> {
    /// Makes a machine for a program; nothing runs yet.
    pub fn new(program: &'a Program, sources: &'a Sources, context: &'a dyn Context, bounds: Bounds) -> Self {
        let mut entities = Vec::new();
        entities.resize_with(program.entities.len(), EntityState::default);
        Machine {
            program,
            sources,
            context,
            vars: Arena::new(),
            delayed: Arena::new(),
            singles: Arena::new(),
            listeners: FxHashMap::default(),
            free_vars: Vec::new(),
            waiter_lists: WaiterLists::default(),
            tasks: Tasks::new(),
            scopes: Arena::new(),
            ns_scopes: vec![None; program.namespaces.len()],
            instances: Vec::new(),
            entities,
            collectors: Vec::new(),
            block_promises: Vec::new(),
            run_queue: VecDeque::new(),
            waiting: WaitQueue::new(Vec::new()),
            idle: Idle::default(),
            annotations: Vec::new(),
            patterns: FxHashMap::default(),
            unknowns: 0,
            passes: 0,
            bounds,
            trace: Trace::default(),
            output: String::new(),
            not_run: RefCell::default(),
            gaps: RefCell::default(),
            references: FxHashMap::default(),
            reference_keys: FxHashMap::default(),
            left_out: None,
            unfilled: open::Open::default(),
            open: Vec::new(),
            late: None,
            budget: Budget::new(bounds.steps, bounds.memory),
            empty_list: Value::list(Vec::new()),
        }
    }

    /// A place as the reference writes it.
    pub fn place(&self, span: Span) -> String {
        let file = self.sources.file(span.file);
        format!("{}:{}", file.name, file.line_at(span.start))
    }

    /// The same with the column.
    fn exact_place(&self, span: Span) -> String {
        format!("{}:{}", self.place(span), self.sources.file(span.file).line_column(span.start).1)
    }

    /// The variable of an attribute, or of `self`.
    fn slot(&self, instance: &Instance, name: Sym) -> Option<VarId> {
        let entity = self.program.entity(instance.entity);
        // `self` is the instance, also where an attribute has that name.
        if name == self.program.self_name {
            return Some(VarId(instance.first.0 + entity.all.len() as u32));
        }
        entity.place(name).map(|place| VarId(instance.first.0 + place))
    }

    /// The attributes of an instance with their variables, in order.
    pub fn attributes_of(&self, id: InstanceId) -> impl Iterator<Item = (Sym, AttributeId, VarId)> {
        let instance = &self.instances[id.0 as usize];
        let all = self.program.entity(instance.entity).all.iter().zip(instance.first.0..);
        let others = all.filter(|((name, _), _)| *name != self.program.self_name);
        others.map(|((name, attribute), at)| (*name, *attribute, VarId(at)))
    }

    /// Returns the variable of an attribute of an instance. Fails if the entity has no such attribute.
    pub fn attribute_var(&self, id: InstanceId, name: Sym) -> Result<VarId> {
        let instance = &self.instances[id.0 as usize];
        self.slot(instance, name).ok_or_else(|| {
            let text = self.program.text(name);
            let ty = self.program.entity_name(instance.entity);
            let message = format!("could not find attribute with name: {text} in type {ty}");
            let mut raise = Raise::new(Class::NotFound, message).with_code(Code::UnknownField);
            raise.help = self.program.attribute_help(instance.entity, text);
            raise
        })
    }

    /// A new value that is not known.
    pub fn unknown(&mut self) -> Value {
        self.unknowns += 1;
        Value::Unknown(self.unknowns)
    }

    /// The value of a reference, which an agent reads: unknown, and the same for the same key.
    pub fn reference(&mut self, key: &str) -> Value {
        if let Some(number) = self.reference_keys.get(key) {
            return Value::Unknown(*number);
        }
        self.unknowns += 1;
        let key: Arc<str> = key.into();
        self.reference_keys.insert(key.clone(), self.unknowns);
        self.references.insert(self.unknowns, key);
        Value::Unknown(self.unknowns)
    }

    /// The key of a reference.
    pub fn reference_key(&self, value: &Value) -> Option<&Arc<str>> {
        let Value::Unknown(number) = value else { return None };
        self.references.get(number)
    }

    /// Whether one of two values is unknown only because a plugin did not run, or both may be one instance.
    pub(super) fn may_be(&self, one: &Value, other: &Value) -> bool {
        (one.is_unknown() || other.is_unknown()) && !self.not_run.borrow().is_empty() || self.may_be_same(one, other)
    }

    /// Applies the project's rules of the form `a::A.r before b::B.s`.
    pub fn set_precedence(&mut self, rules: &[(AttributeId, AttributeId)]) -> Result<()> {
        self.waiting = WaitQueue::new(queue::freeze_order(rules)?);
        Ok(())
    }

    /// Runs the model to its end.
    pub fn run(&mut self) -> Result<()> {
        for block in &self.program.blocks {
            let ns = self.program.ast.block(*block).ns;
            let root = self.new_scope(Scope::Root(ns));
            let scope = self.enter_block(*block, root);
            self.ns_scopes[ns.0 as usize] = Some(scope);
        }
        let ran = self.emit_files().and_then(|()| self.iterate());
        match ran {
            Ok(()) => self.finish(),
            Err(Flow::Raise(raise)) => Err(raise),
            Err(Flow::Unset(_)) => Err(Raise::new(Class::Internal, "a statement waits outside of the queue")),
        }
    }

    fn emit_files(&mut self) -> Run<()> {
        for block in &self.program.blocks {
            let ns = self.program.ast.block(*block).ns;
            let Some(scope) = self.ns_scopes[ns.0 as usize] else { continue };
            for node in self.program.annotations.get(&ns).into_iter().flatten() {
                let var = self.add_var();
                let place = self.program.ast.span(*node);
                self.annotations.push((var, place));
                self.emit_expression(*node, scope, var, *node)
                    .map_err(|flow| task::with_statement(flow, place, false))?;
            }
            self.emit_block(*block, scope)?;
        }
        Ok(())
    }

    fn iterate(&mut self) -> Run<()> {
        let mut iterations = 0;
        while !(self.run_queue.is_empty() && self.waiting.is_empty() && self.idle.is_empty()) {
            iterations += 1;
            if iterations > ITERATIONS {
                return Err(self.no_fixed_point().into());
            }
            while let Some(task) = self.run_queue.pop_front() {
                self.budget.note_steps(1);
                if self.budget.is_time_to_look() {
                    self.check_bounds(task)?;
                }
                self.run_task(task)?;
            }
            if self.freeze_waiting() || self.freeze_awakened() || self.freeze_cycle() || self.free_waiting() {
                continue;
            }
            // Nothing waits any more: what is left freezes, the newest first.
            while let Some(var) = self.idle.pop() {
                self.set_idle(var, None);
                self.freeze(var, super::trace::Why::Leftover);
            }
        }
        Ok(())
    }

    /// Lists close without end.
    fn no_fixed_point(&self) -> Box<Raise> {
        let message = format!("Could not complete model, max_iterations {ITERATIONS} reached.");
        let mut raise = Raise::new(Class::Compiler, message).with_code(Code::EvaluationLimit);
        raise.place = self.run_queue.front().map(|task| self.task_place(*task));
        raise
            .with_help("each list that is read here makes an instance with a list that is read in turn: give it an end")
    }

    /// Counts a value that was just made.
    fn pay(&mut self, value: &Value, place: Span) -> Result<()> {
        let size = match value {
            Value::Str(text) => text.len(),
            Value::List(items) => items.len() * size_of::<Value>(),
            Value::Dict(dict) => dict.items.len() * (size_of::<Value>() + 40),
            _ => return Ok(()),
        };
        // Large values take longer: the limit of steps counts them too.
        let payment = self.budget.text(size).and_then(|()| self.budget.build(size));
        self.paid(payment, place)
    }

    /// The outcome of a payment.
    fn paid(&self, payment: std::result::Result<(), Spent>, place: Span) -> Result<()> {
        payment.map_err(|spent| Raise::at(Class::Runtime, place, spent.message()).with_code(Code::EvaluationLimit))
    }

    /// Spends the steps of reading a value, without the parts of its parts.
    fn read_value(&self, value: &Value, place: Span) -> Result<()> {
        let payment = match value {
            Value::Str(text) => self.budget.text(text.len()),
            Value::List(items) => self.budget.items(items.len()),
            Value::Dict(dict) => self.budget.items(dict.items.len()),
            _ => return Ok(()),
        };
        self.paid(payment, place)
    }

    /// Spends the steps of reading a value and all its parts. Parts are shared, so a few lines can make more of them than
    /// can ever be read.
    fn read_all(&self, value: &Value, place: Span) -> Result<()> {
        self.read_value(value, place)?;
        if matches!(value, Value::List(_) | Value::Dict(_)) {
            self.paid(self.budget.spend(1), place)?;
        }
        match value {
            Value::List(items) => items.iter().try_for_each(|item| self.read_all(item, place)),
            Value::Dict(dict) => dict.items.iter().try_for_each(|(_, item)| self.read_all(item, place)),
            _ => Ok(()),
        }
    }

    /// Spends the steps of an operator on two values.
    fn read_operands(&self, operator: Operator, left: &Value, right: &Value, place: Span) -> Result<()> {
        let is_whole = matches!(left, Value::List(_) | Value::Dict(_));
        match operator {
            Operator::In if is_whole => self.read_all(right, place),
            Operator::In => self.read_value(right, place),
            Operator::Compare(_) if is_whole => self.read_all(left, place),
            _ => self.read_value(left, place),
        }
    }

    /// Spends the steps of reading the arguments of a plugin.
    fn read_arguments<'v>(&self, name: &str, arguments: impl Iterator<Item = &'v Value>, place: Span) -> Result<()> {
        let is_whole = READ_WHOLE.contains(&name);
        for argument in arguments {
            match is_whole {
                true => self.read_all(argument, place)?,
                false => self.read_value(argument, place)?,
            }
        }
        Ok(())
    }

    /// How many steps were made.
    pub fn steps(&self) -> u64 {
        self.budget.steps()
    }

    /// Roughly the bytes that the run holds.
    fn memory(&self) -> u64 {
        let held = self.vars.len() * size_of::<Var>()
            + self.tasks.len() * (size_of::<Task>() + 64)
            + self.scopes.len() * size_of::<Scope>()
            + self.delayed.len() * (size_of::<Delayed>() + 64)
            + self.instances.len() * (size_of::<Instance>() + 128)
            + self.collectors.len() * size_of::<Collector>()
            + self.block_promises.len() * size_of::<BlockPromise>();
        self.budget.built().saturating_add(held as u64)
    }

    fn check_memory(&self, place: Span) -> Result<()> {
        if self.memory() <= self.bounds.memory {
            return Ok(());
        }
        let message = format!("the model needs more than {} MiB", self.bounds.memory >> 20);
        Err(self.endless_at(Raise::at(Class::Compiler, place, message).with_code(Code::EvaluationLimit)))
    }

    /// An error of a limit, at the statement that makes most of what there is.
    pub(super) fn endless_at(&self, mut raise: Box<Raise>) -> Box<Raise> {
        const LAST: usize = 1000;
        const RAISE: &str = "if the model is meant to be that large, raise the limit with `--limit NAME=NUMBER`";
        let mut counts: FxHashMap<Span, usize> = FxHashMap::default();
        for instance in self.instances.iter().rev().take(LAST) {
            *counts.entry(instance.place()).or_default() += 1;
        }
        let most = counts.into_iter().max_by_key(|(place, count)| (*count, std::cmp::Reverse(*place)));
        raise.help = Some(format!("an implementation that makes an instance of its own entity never ends; {RAISE}"));
        match most.filter(|(_, count)| count * 3 >= LAST) {
            Some((place, _)) => {
                let made = self.instances.iter().filter(|instance| instance.place() == place).count();
                raise.related.extend(raise.place.filter(|at| *at != place).map(|at| (at, "reached here".into())));
                raise.message = format!("{}: {made} instances were made here", raise.message);
                raise.place = Some(place);
                raise.help = Some(format!(
                    "what is made here may make this run again: give it a condition, or read another list; {RAISE}"
                ));
            }
            None if self.instances.len() < LAST => {
                raise.help = Some(format!("shorter lists make fewer values; {RAISE}"));
            }
            None => {}
        }
        raise
    }

    fn check_bounds(&self, task: TaskId) -> Result<()> {
        let place = self.task_place(task);
        self.context.note(self.sources, place);
        let limit = |message: String| {
            Err(self.endless_at(Raise::at(Class::Compiler, place, message).with_code(Code::EvaluationLimit)))
        };
        if self.budget.steps() > self.bounds.steps {
            return limit(format!("the model did not end after {} steps", self.bounds.steps));
        }
        self.check_memory(place)?;
        if let Some((code, message)) = self.context.stopped() {
            return Err(Raise::at(Class::Compiler, place, message).with_code(code));
        }
        Ok(())
    }

    /// Freezes the first candidate that somebody waits for and nobody may still set.
    fn freeze_waiting(&mut self) -> bool {
        while let Some(var) = self.waiting.pop() {
            if self.is_ready(var) {
                continue;
            }
            if self.potential(var) <= 0 {
                self.make_idle(var);
            } else if self.outstanding(var) > 0 {
                self.unqueue(var);
            } else {
                self.freeze(var, super::trace::Why::Waiter);
                return true;
            }
        }
        false
    }

    /// The same for candidates that nobody waited for when they were looked at.
    fn freeze_awakened(&mut self) -> bool {
        let mut awake = Vec::new();
        for (number, var) in self.idle.awakened() {
            if !self.is_ready(var) && self.potential(var) > 0 {
                self.idle.remove(number);
                self.set_idle(var, None);
                awake.push(var);
            }
        }
        self.waiting.clear();
        for var in awake {
            self.waiting.push_kept(var, self.attribute_of(var));
        }
        while let Some(var) = self.waiting.pop() {
            if self.outstanding(var) > 0 {
                self.unqueue(var);
            } else {
                self.freeze(var, super::trace::Why::Waiter);
                return true;
            }
        }
        false
    }

    /// Nothing moves: tasks wait for lists that wait for promises. The first such list freezes.
    fn freeze_cycle(&mut self) -> bool {
        let mut candidates = self.waiting.emptied();
        for task in self.tasks.waiting() {
            for var in self.tasks[task].dependencies() {
                let Some(var) = self.resolved(var) else { continue };
                if self.is_delayed(var) && !self.is_ready(var) && self.outstanding(var) > 0 && self.potential(var) > 0 {
                    candidates.push_kept(var, self.attribute_of(var));
                }
            }
        }
        let Some(var) = candidates.pop() else { return false };
        self.freeze(var, super::trace::Why::Cycle);
        true
    }
}
