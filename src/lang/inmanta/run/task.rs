//! Tasks: parts of statements that run when each of their dependencies has a value.

use std::ops::{Index, IndexMut};

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::ast::{Kind, NodeId};
use super::super::error::{Class, Raise};
use super::super::names::Sym;
use super::super::operators;
use super::super::pystr;
use super::super::value::{InstanceId, Value};
use super::arena::Arena;
use super::open::Part;
use super::variable::DISCARDED;
use super::{CollectorId, Flow, Machine, Run, ScopeId, TaskId, VarId};
use crate::source::Span;

/// The key of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Name(Sym),
    Node(NodeId),
    /// Who takes the values of an expression as they come.
    Collector(NodeId),
    /// The promises of a statement.
    Promises(NodeId),
    More(u32),
}

/// A key with the number of a variable, a collector, or the first of the promises.
#[derive(Clone, Copy, Debug)]
struct Item {
    key: u32,
    number: u32,
}

/// What is packed into a key beside its number.
const KIND: u32 = 0b111 << SHIFT;
const SHIFT: u32 = 29;

impl Item {
    fn packed(key: Key) -> u32 {
        let (kind, number) = match key {
            Key::Name(sym) => (0, sym.0),
            Key::Node(node) => (1, node.0),
            Key::More(number) => (2, number),
            Key::Collector(node) => (3, node.0),
            Key::Promises(node) => (4, node.0),
        };
        kind << SHIFT | number & !KIND
    }

    fn var(self) -> Option<VarId> {
        (self.key >> SHIFT <= 2).then_some(VarId(self.number))
    }
}

/// The dependencies of a task, in order; a key that comes again replaces its value. Most tasks read one or two variables.
#[derive(Debug, Default)]
pub(super) struct Dependencies {
    items: SmallVec<[Item; 2]>,
    /// The places of the keys, where there are many.
    index: Option<Box<FxHashMap<u32, u32>>>,
}

/// Beyond this many, dependencies are found by a table.
const FEW: usize = 12;

impl Dependencies {
    fn put(&mut self, key: Key, number: u32) {
        let key = Item::packed(key);
        if let Some(at) = self.find(key) {
            self.items[at].number = number;
            return;
        }
        self.items.push(Item { key, number });
        if let Some(index) = &mut self.index {
            index.insert(key, self.items.len() as u32 - 1);
        } else if self.items.len() > FEW {
            let index = self.items.iter().zip(0..).map(|(item, at)| (item.key, at)).collect();
            self.index = Some(Box::new(index));
        }
    }

    pub(super) fn var(&mut self, key: Key, var: VarId) {
        self.put(key, var.0);
    }

    pub(super) fn collector(&mut self, node: NodeId, collector: CollectorId) {
        self.put(Key::Collector(node), collector.0);
    }

    pub(super) fn promises(&mut self, node: NodeId, first: u32) {
        self.put(Key::Promises(node), first);
    }

    fn find(&self, key: u32) -> Option<usize> {
        if let Some(index) = &self.index {
            return index.get(&key).map(|at| *at as usize);
        }
        self.items.iter().position(|item| item.key == key)
    }

    fn get(&self, key: Key) -> Option<u32> {
        Some(self.items[self.find(Item::packed(key))?].number)
    }

    fn vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.items.iter().filter_map(|item| item.var())
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
}

/// Dependencies that all have a value.
pub(super) struct Ready<'n> {
    dependencies: &'n Dependencies,
}

impl Ready<'_> {
    pub(super) fn var(&self, key: Key) -> Option<VarId> {
        self.dependencies.get(key).map(VarId)
    }

    pub(super) fn collector(&self, node: NodeId) -> Option<CollectorId> {
        self.dependencies.get(Key::Collector(node)).map(CollectorId)
    }

    /// The first of the promises of a statement.
    pub(super) fn promises(&self, node: NodeId) -> Option<u32> {
        self.dependencies.get(Key::Promises(node))
    }
}

/// The work of a task.
#[derive(Debug, Default)]
pub(super) enum Work {
    /// Nothing: a free place.
    #[default]
    Free,
    /// Evaluates an expression or runs a statement.
    Execute { node: NodeId, result: VarId, counts: bool, owner: NodeId },
    /// Evaluates a value and sets an attribute.
    SetAttribute { node: NodeId, result: VarId, counts: bool, statement: NodeId, instance: InstanceId, name: Sym },
    /// An assignment to an attribute, once the instance is known.
    FindInstance { statement: NodeId },
    /// A look-up by index.
    LookUp { node: NodeId, target: VarId },
    /// The left side of `and` or `or`.
    Lazy { node: NodeId, target: VarId },
    /// A conditional expression; then the branch that was taken.
    Choose { node: NodeId, target: VarId, lhs: Option<CollectorId>, taken: Option<bool> },
    /// An attribute, once its instance is known.
    Hook { hook: Hook },
    /// `is defined`, once the variable is complete.
    IsDefined { collector: CollectorId, var: VarId },
    /// The list of a comprehension.
    Comprehend { node: NodeId, collector: CollectorId },
    /// The elements of a comprehension.
    Gather { collector: CollectorId, results: Box<[VarId]> },
    /// A call of a function.
    Call { node: NodeId, result: VarId, base: u32, arguments: Option<Box<Called>> },
}

/// Evaluated arguments.
#[derive(Debug, Default)]
pub(super) struct Called {
    pub positional: Vec<Value>,
    pub named: Vec<(std::sync::Arc<str>, Value)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Hook {
    pub of: Option<NodeId>,
    pub name: Sym,
    pub target: HookTarget,
    /// Whether an optional value on the way that is missing is passed on.
    pub passes_unset: bool,
    /// The node that errors point to.
    pub node: NodeId,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum HookTarget {
    Proxy(VarId),
    IsDefined(CollectorId),
    Promise(u32),
}

#[derive(Debug, Default)]
pub(super) struct Task {
    pub work: Work,
    scope: ScopeId,
    /// How many dependencies have no value, and one more until it is complete.
    pub missing: u32,
    dependencies: Dependencies,
    /// Tasks are numbered in order.
    pub created: u64,
}

impl Task {
    pub(super) fn is_live(&self) -> bool {
        !matches!(self.work, Work::Free)
    }

    /// The variable that it sets when it ends.
    pub(super) fn result(&self) -> Option<VarId> {
        match self.work {
            Work::Execute { result, .. } | Work::SetAttribute { result, .. } | Work::Call { result, .. } => {
                Some(result)
            }
            Work::LookUp { target, .. } | Work::Lazy { target, .. } | Work::Choose { target, .. } => Some(target),
            _ => None,
        }
    }

    pub(super) fn dependencies(&self) -> Vec<VarId> {
        self.dependencies.vars().collect()
    }
}

/// The tasks of a run, with the free places among them.
pub(super) struct Tasks {
    all: Arena<Task>,
    free: Vec<TaskId>,
    created: u64,
}

impl Tasks {
    pub(super) fn new() -> Self {
        Tasks { all: Arena::new(), free: Vec::new(), created: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    fn add(&mut self, task: Task) -> TaskId {
        self.created += 1;
        let task = Task { created: self.created, ..task };
        match self.free.pop() {
            Some(id) => {
                self.all[id.0 as usize] = task;
                id
            }
            None => TaskId(self.all.push(task)),
        }
    }

    /// The tasks that still wait, oldest first.
    pub(super) fn waiting(&self) -> Vec<TaskId> {
        let live = self.all.iter().zip(0..).filter(|(task, _)| task.is_live());
        let mut live: Vec<(u64, u32)> = live.map(|(task, at)| (task.created, at)).collect();
        live.sort_unstable();
        live.into_iter().map(|(_, at)| TaskId(at)).collect()
    }
}

impl Index<TaskId> for Tasks {
    type Output = Task;

    fn index(&self, id: TaskId) -> &Task {
        &self.all[id.0 as usize]
    }
}

impl IndexMut<TaskId> for Tasks {
    fn index_mut(&mut self, id: TaskId) -> &mut Task {
        &mut self.all[id.0 as usize]
    }
}

impl Machine<'_> {
    pub(super) fn new_task(&mut self, scope: ScopeId, dependencies: Dependencies, work: Work) -> TaskId {
        let id = self.tasks.add(Task { work, scope, missing: 1, dependencies, created: 0 });
        for at in 0..self.tasks[id].dependencies.len() {
            if let Some(var) = self.tasks[id].dependencies.items[at].var() {
                self.wait(id, var);
            }
        }
        self.wake(id);
        id
    }

    /// An expression or a statement whose value goes to a variable.
    pub(super) fn new_execution(
        &mut self,
        scope: ScopeId,
        dependencies: Dependencies,
        node: NodeId,
        result: VarId,
        owner: NodeId,
    ) {
        let counts = result != DISCARDED && self.promise(result, Some(self.program.ast.span(owner)));
        self.new_task(scope, dependencies, Work::Execute { node, result, counts, owner });
    }

    pub(super) fn new_setting(
        &mut self,
        scope: ScopeId,
        dependencies: Dependencies,
        node: NodeId,
        result: VarId,
        statement: NodeId,
        (instance, name): (InstanceId, Sym),
    ) {
        let counts = self.promise(result, Some(self.program.ast.span(statement)));
        self.new_task(scope, dependencies, Work::SetAttribute { node, result, counts, statement, instance, name });
    }

    /// The place of the statement of a task.
    pub(super) fn task_place(&self, task: TaskId) -> Span {
        let span = |node: NodeId| self.program.ast.span(node);
        match &self.tasks[task].work {
            Work::Execute { owner, .. } => span(*owner),
            Work::SetAttribute { statement, .. } | Work::FindInstance { statement } => span(*statement),
            Work::LookUp { node, .. }
            | Work::Lazy { node, .. }
            | Work::Choose { node, .. }
            | Work::Comprehend { node, .. }
            | Work::Call { node, .. } => span(*node),
            Work::Hook { hook } => span(hook.node),
            Work::IsDefined { collector, .. } | Work::Gather { collector, .. } => self.collector_place(*collector),
            Work::Free => Span::new(crate::source::FileId(0), 0, 0),
        }
    }

    /// Whether a task is a listener of a list.
    pub(super) fn is_listener(&self, task: TaskId) -> bool {
        match &self.tasks[task].work {
            Work::Execute { node, .. } => matches!(self.program.ast.kind(*node), Kind::For { .. }),
            Work::SetAttribute { result, .. } => self.is_multi(*result),
            _ => false,
        }
    }

    /// Runs a task. One that finds another dependency waits again.
    pub(super) fn run_task(&mut self, id: TaskId) -> Run<()> {
        let mut work = std::mem::take(&mut self.tasks[id].work);
        // Only calls read files.
        if let Work::Call { node, .. } = &work {
            self.context.note(self.sources, self.program.ast.span(*node));
        }
        let dependencies = std::mem::take(&mut self.tasks[id].dependencies);
        let scope = self.tasks[id].scope;
        self.passes = 0;
        match self.execute_work(&mut work, &dependencies, scope) {
            Ok(()) => {
                self.tasks.free.push(id);
                dependencies.vars().for_each(|var| self.release(var));
                Ok(())
            }
            Err(Flow::Unset(vars)) => {
                let more = dependencies.len() as u32;
                self.tasks[id].work = work;
                self.tasks[id].dependencies = dependencies;
                for (count, var) in vars.into_iter().enumerate() {
                    self.tasks[id].dependencies.var(Key::More(more + count as u32), var);
                    self.wait(id, var);
                }
                Ok(())
            }
            Err(raise) => Err(raise),
        }
    }

    /// Reads every dependency, in order. Reading notifies listeners.
    fn ready<'n>(&mut self, dependencies: &'n Dependencies) -> Run<Ready<'n>> {
        self.ready_first(dependencies, dependencies.len())
    }

    fn ready_first<'n>(&mut self, dependencies: &'n Dependencies, count: usize) -> Run<Ready<'n>> {
        for item in &dependencies.items[..count] {
            if let Some(var) = item.var() {
                self.read(var)?;
            }
        }
        Ok(Ready { dependencies })
    }

    fn execute_work(&mut self, work: &mut Work, dependencies: &Dependencies, scope: ScopeId) -> Run<()> {
        let program = self.program;
        let place = |node: NodeId| program.ast.span(node);
        match work {
            Work::Free => Ok(()),
            Work::Execute { node, result, counts, owner } => self
                .evaluate(*node, *result, *counts, dependencies, scope)
                .map_err(|flow| with_statement(flow, place(*owner), false)),
            Work::SetAttribute { node, result, counts, statement, instance, name } => {
                match self.evaluate(*node, *result, *counts, dependencies, scope) {
                    Err(Flow::Raise(mut raise)) if raise.class.is_runtime() => {
                        let place = place(*statement);
                        match raise.class {
                            Class::Attribute => {
                                raise.set_statement(place, false);
                                return Err(raise.into());
                            }
                            Class::OptionalValue => {
                                raise.set_statement(place, true);
                                raise.place = Some(place);
                            }
                            _ => raise.set_statement(place, false),
                        }
                        Err(self.attribute_error(place, *instance, *name, raise).into())
                    }
                    other => other,
                }
            }
            Work::FindInstance { statement } => self
                .found_instance(*statement, dependencies, scope)
                .map_err(|flow| with_statement(flow, place(*statement), true)),
            Work::LookUp { node, target } => {
                let run = |machine: &mut Self| {
                    let ready = machine.ready(dependencies)?;
                    machine.look_up(*node, &ready, scope, *target)
                };
                run(self).map_err(|flow| with_statement(flow, place(*node), true))
            }
            Work::Lazy { node, target } => self
                .decide_lazy(*node, *target, dependencies, scope)
                .map_err(|flow| with_statement(flow, place(*node), true)),
            Work::Choose { node, target, lhs, taken } => {
                let is_second = taken.is_some();
                self.choose(*node, *target, *lhs, *taken, dependencies, scope)
                    .map_err(|flow| if is_second { moved_to(flow, place(*node)) } else { flow })
            }
            Work::Hook { hook } => {
                self.run_hook(*hook, dependencies, scope).map_err(|flow| moved_to(flow, place(hook.node)))
            }
            Work::IsDefined { collector, var } => self.decide_is_defined(*collector, *var),
            Work::Comprehend { node, collector } => {
                let run = |machine: &mut Self| {
                    let ready = machine.ready(dependencies)?;
                    machine.complete_comprehension(*node, *collector, &ready, scope)
                };
                run(self).map_err(|flow| moved_to(flow, place(*node)))
            }
            Work::Gather { collector, results } => self.gather(*collector, results),
            Work::Call { node, result, base, arguments } => {
                if arguments.is_none() {
                    let run = |machine: &mut Self| {
                        let ready = machine.ready_first(dependencies, *base as usize)?;
                        machine.call_arguments(*node, &ready, scope)
                    };
                    let made = run(self).map_err(|flow| with_statement(flow, place(*node), false))?;
                    *arguments = Some(Box::new(made));
                }
                let Some(called) = arguments else { return Ok(()) };
                self.call(*node, called, scope, *result).map_err(|flow| with_statement(flow, place(*node), true))
            }
        }
    }

    /// Evaluates an expression, or runs a statement, for the result of a task.
    fn evaluate(
        &mut self,
        node: NodeId,
        result: VarId,
        counts: bool,
        dependencies: &Dependencies,
        scope: ScopeId,
    ) -> Run<()> {
        let ready = self.ready(dependencies)?;
        let value = self.execute(node, &ready, scope)?;
        self.deliver(result, counts, &value, node)
    }

    /// Sets the result of a task, and fulfils its promise.
    fn deliver(&mut self, result: VarId, counts: bool, value: &Value, node: NodeId) -> Run<()> {
        if result == DISCARDED {
            return Ok(());
        }
        let place = self.program.ast.span(node);
        self.set(result, value, place, true)?;
        self.fulfil(result, counts, Some(place));
        Ok(())
    }

    fn found_instance(&mut self, statement: NodeId, dependencies: &Dependencies, scope: ScopeId) -> Run<()> {
        let program = self.program;
        let Kind::SetAttribute { of, name, value, extends } = program.ast.kind(statement) else { return Ok(()) };
        let place = program.ast.span(statement);
        let ready = self.ready(dependencies)?;
        let found = self.execute(*of, &ready, scope)?;
        let Value::Instance(instance) = found else {
            let text = pystr::str(&found, self);
            let message = format!("The object is not an Entity but a {} with value {text}", found.type_name());
            let name = program.text(*name);
            let help = format!("set `{name}` of an instance: `INSTANCE.{name} = VALUE`");
            return Err(Raise::at(Class::Typing, place, message).with_help(help).into());
        };
        let var = self.attribute_var(instance, *name)?;
        let is_multi = self.is_multi(var);
        if *extends && !is_multi {
            let message = "Can not use += on relations with multiplicity 1";
            let name = program.text(*name);
            let help = format!("`{name}` takes one value: write `=`, once; only a relation such as `[0:]` takes `+=`");
            return Err(Raise::at(Class::Typing, place, message).with_help(help).into());
        }
        let mut dependencies = Dependencies::default();
        if is_multi {
            let collector = self.new_setter(statement, instance, *name, var);
            self.emit_gradual(*value, scope, collector, &mut dependencies)?;
        } else {
            self.emit(*value, scope, &mut dependencies)?;
        }
        self.new_setting(scope, dependencies, *value, var, statement, (instance, *name));
        Ok(())
    }

    fn decide_lazy(&mut self, node: NodeId, target: VarId, dependencies: &Dependencies, scope: ScopeId) -> Run<()> {
        let program = self.program;
        let place = program.ast.span(node);
        let (left, right, is_and) = match program.ast.kind(node) {
            Kind::And(left, right) => (*left, *right, true),
            Kind::Or(left, right) => (*left, *right, false),
            _ => return Ok(()),
        };
        let ready = self.ready(dependencies)?;
        let value = self.execute(left, &ready, scope)?;
        if value.is_unknown() {
            self.leave_out(place, vec![Part::Node(right)]);
            return self.set(target, &value, place, true);
        }
        let flag = operators::side(&value, is_and, true, place, self)?;
        if flag != is_and {
            return self.set(target, &Value::Bool(flag), place, true);
        }
        let mut dependencies = Dependencies::default();
        self.emit(right, scope, &mut dependencies)?;
        self.new_execution(scope, dependencies, right, target, node);
        Ok(())
    }

    fn choose(
        &mut self,
        node: NodeId,
        target: VarId,
        lhs: Option<CollectorId>,
        taken: Option<bool>,
        dependencies: &Dependencies,
        scope: ScopeId,
    ) -> Run<()> {
        let program = self.program;
        let place = program.ast.span(node);
        let Kind::Conditional { condition, yes, no } = program.ast.kind(node) else { return Ok(()) };
        let ready = self.ready(dependencies)?;
        if let Some(taken) = taken {
            let value = self.execute(if taken { *yes } else { *no }, &ready, scope)?;
            return self.set(target, &value, place, true);
        }
        let flag = match self.execute(*condition, &ready, scope)? {
            Value::Bool(flag) => flag,
            Value::Unknown(_) => {
                self.leave_out(place, vec![Part::Node(*yes), Part::Node(*no)]);
                let unknown = self.unknown();
                return self.set(target, &unknown, place, true);
            }
            other => {
                let what = "the condition for a conditional expression must be";
                return Err(operators::no_bool(&other, what, place, self).into());
            }
        };
        let branch = if flag { *yes } else { *no };
        let mut dependencies = Dependencies::default();
        match lhs {
            Some(lhs) => self.emit_gradual(branch, scope, lhs, &mut dependencies)?,
            None => self.emit(branch, scope, &mut dependencies)?,
        }
        self.new_task(scope, dependencies, Work::Choose { node, target, lhs, taken: Some(flag) });
        Ok(())
    }

    fn run_hook(&mut self, hook: Hook, dependencies: &Dependencies, scope: ScopeId) -> Run<()> {
        let Some(of) = hook.of else {
            let var = self.lookup(scope, hook.name)?;
            return self.hooked(hook.target, var, scope);
        };
        if hook.passes_unset {
            for var in dependencies.vars() {
                match self.value(var) {
                    Err(Flow::Raise(raise)) if raise.class == Class::OptionalValue => {
                        // The proxies of the variable are free when this task has run.
                        let var = self.resolved(var).unwrap_or(var);
                        return self.hooked(hook.target, var, scope);
                    }
                    other => other?,
                };
            }
        }
        let ready = self.ready(dependencies)?;
        let value = self.execute(of, &ready, scope)?;
        let Value::Instance(instance) = value else {
            let name = self.program.text(hook.name);
            let text = pystr::str(&value, self);
            let written = self.program.written(of);
            let message = match &value {
                Value::List(_) => format!("can not get attribute {name}, {text} is not an entity but a list"),
                other => format!(
                    "can not get attribute {name}, {written} is not an entity but a {} with value '{text}'",
                    other.type_name()
                ),
            };
            if value.is_unknown() && !self.not_run.borrow().is_empty() {
                // The plugin would have returned an instance.
                let unknown = self.new_unknown();
                return self.hooked(hook.target, unknown, scope);
            }
            let mut raise = Raise::at(Class::Runtime, self.program.ast.span(hook.node), message);
            raise.help = match &value {
                Value::Dict(_) => Some(format!("write `{written}[\"{name}\"]` for a key of a dictionary")),
                Value::List(_) => Some(format!("write `[item.{name} for item in {written}]` for each of a list")),
                Value::Null => Some(format!("`{written}` is null: ask `{written} is defined` first")),
                Value::Str(_) if name.ends_with(')') => {
                    Some("a field of an f-string is a name: give the value a variable first, and write `{NAME}`".into())
                }
                _ => Some(format!("only instances have attributes: `{written}` is a plain value")),
            };
            return Err(raise.into());
        };
        let var = self.attribute_var(instance, hook.name)?;
        self.hooked(hook.target, var, scope)
    }

    fn hooked(&mut self, target: HookTarget, var: VarId, scope: ScopeId) -> Run<()> {
        match target {
            HookTarget::Proxy(proxy) => self.connect(proxy, var),
            HookTarget::Promise(at) => {
                if !self.block_promises[at as usize].is_fulfilled {
                    let is_tracked = self.promise(var, None);
                    let promise = &mut self.block_promises[at as usize];
                    promise.var = Some(var);
                    promise.is_tracked = is_tracked;
                }
                Ok(())
            }
            HookTarget::IsDefined(collector) => self.watch_is_defined(collector, var, scope),
        }
    }

    pub(super) fn schedule_hook(&mut self, hook: Hook, scope: ScopeId) -> Run<()> {
        let Some(of) = hook.of else {
            return self.run_hook(hook, &Dependencies::default(), scope);
        };
        let mut dependencies = Dependencies::default();
        self.emit_with(of, scope, hook.passes_unset, &mut dependencies)?;
        self.new_task(scope, dependencies, Work::Hook { hook });
        Ok(())
    }
}

/// Gives an error of the run a statement that is also its place.
fn moved_to(flow: Flow, place: Span) -> Flow {
    match flow {
        Flow::Raise(mut raise) if raise.class.is_runtime() => {
            raise.set_statement(place, true);
            raise.place = Some(place);
            raise.into()
        }
        other => other,
    }
}

/// Gives an error a statement.
pub(super) fn with_statement(flow: Flow, place: Span, replace: bool) -> Flow {
    match flow {
        Flow::Raise(raise) => Flow::Raise(raise.with_statement(place, replace)),
        other => other,
    }
}
