//! Units: parts of statements that run when everything they need has a value.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::ast::{Kind, NodeId};
use super::super::error::{Class, Raise};
use super::super::names::Sym;
use super::super::operators;
use super::super::pystr;
use super::super::value::{InstanceId, Value};
use super::variable::DISCARDED;
use super::{CollectorId, Flow, Machine, Run, ScopeId, UnitId, VarId};
use crate::source::Span;

/// Under what an expression finds what it needs.
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

/// A key and the number of its need: a variable, a collector, or the first of the promises.
#[derive(Clone, Copy, Debug)]
struct Item {
    key: u32,
    need: u32,
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
        (self.key >> SHIFT <= 2).then_some(VarId(self.need))
    }
}

/// What a unit needs, in order; a key that comes again replaces its value. Most units need one or two variables.
#[derive(Debug, Default)]
pub(super) struct Needs {
    items: SmallVec<[Item; 2]>,
    /// The places of the keys, where there are many.
    index: Option<Box<FxHashMap<u32, u32>>>,
}

/// Beyond this many, needs are found by a table.
const FEW: usize = 12;

impl Needs {
    fn put(&mut self, key: Key, need: u32) {
        let key = Item::packed(key);
        if let Some(at) = self.find(key) {
            self.items[at].need = need;
            return;
        }
        self.items.push(Item { key, need });
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
        Some(self.items[self.find(Item::packed(key))?].need)
    }

    fn vars(&self) -> impl Iterator<Item = VarId> + '_ {
        self.items.iter().filter_map(|item| item.var())
    }

    pub(super) fn len(&self) -> usize {
        self.items.len()
    }
}

/// Needs that all have a value.
pub(super) struct Ready<'n> {
    needs: &'n Needs,
}

impl Ready<'_> {
    pub(super) fn var(&self, key: Key) -> Option<VarId> {
        self.needs.get(key).map(VarId)
    }

    pub(super) fn collector(&self, node: NodeId) -> Option<CollectorId> {
        self.needs.get(Key::Collector(node)).map(CollectorId)
    }

    /// The first of the promises of a statement.
    pub(super) fn promises(&self, node: NodeId) -> Option<u32> {
        self.needs.get(Key::Promises(node))
    }
}

/// What a unit does.
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
pub(super) struct Unit {
    pub work: Work,
    scope: ScopeId,
    /// How many needs have no value, and one more until it is complete.
    pub missing: u32,
    needs: Needs,
    /// Units are numbered as they are made.
    pub created: u64,
}

impl Unit {
    pub(super) fn is_live(&self) -> bool {
        !matches!(self.work, Work::Free)
    }

    pub(super) fn needs(&self) -> Vec<VarId> {
        self.needs.vars().collect()
    }
}

impl Machine<'_> {
    pub(super) fn new_unit(&mut self, scope: ScopeId, needs: Needs, work: Work) -> UnitId {
        self.created += 1;
        let unit = Unit { work, scope, missing: 1, needs, created: self.created };
        let id = match self.free_units.pop() {
            Some(id) => {
                self.units[id.0 as usize] = unit;
                id
            }
            None => UnitId(self.units.push(unit)),
        };
        for at in 0..self.units[id.0 as usize].needs.len() {
            if let Some(var) = self.units[id.0 as usize].needs.items[at].var() {
                self.wait(id, var);
            }
        }
        self.wake(id);
        id
    }

    /// An expression or a statement whose value goes to a variable.
    pub(super) fn new_execution(&mut self, scope: ScopeId, needs: Needs, node: NodeId, result: VarId, owner: NodeId) {
        let counts = result != DISCARDED && self.promise(result, Some(self.program.ast.span(owner)));
        self.new_unit(scope, needs, Work::Execute { node, result, counts, owner });
    }

    pub(super) fn new_setting(
        &mut self,
        scope: ScopeId,
        needs: Needs,
        node: NodeId,
        result: VarId,
        statement: NodeId,
        (instance, name): (InstanceId, Sym),
    ) {
        let counts = self.promise(result, Some(self.program.ast.span(statement)));
        self.new_unit(scope, needs, Work::SetAttribute { node, result, counts, statement, instance, name });
    }

    /// Where a unit comes from.
    pub(super) fn unit_place(&self, unit: UnitId) -> Span {
        let span = |node: NodeId| self.program.ast.span(node);
        match &self.units[unit.0 as usize].work {
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

    /// Whether a unit is one that takes the values of a list as they come.
    pub(super) fn takes_as_they_come(&self, unit: UnitId) -> bool {
        match &self.units[unit.0 as usize].work {
            Work::Execute { node, .. } => matches!(self.program.ast.kind(*node), Kind::For { .. }),
            Work::SetAttribute { result, .. } => self.is_multi(*result),
            _ => false,
        }
    }

    /// The units that still wait, oldest first.
    pub(super) fn live_units(&self) -> Vec<UnitId> {
        let mut live: Vec<_> = self
            .units
            .iter()
            .enumerate()
            .filter(|(_, unit)| unit.is_live())
            .map(|(at, unit)| (unit.created, at))
            .collect();
        live.sort_unstable();
        live.into_iter().map(|(_, at)| UnitId(at as u32)).collect()
    }

    /// Runs a unit. One that finds that it needs more is kept, and waits again.
    pub(super) fn execute_unit(&mut self, id: UnitId) -> Run<()> {
        let at = id.0 as usize;
        let mut work = std::mem::take(&mut self.units[at].work);
        // Only calls read files.
        if let Work::Call { node, .. } = &work {
            self.context.note(self.sources, self.program.ast.span(*node));
        }
        let needs = std::mem::take(&mut self.units[at].needs);
        let scope = self.units[at].scope;
        self.passes = 0;
        match self.execute_work(&mut work, &needs, scope) {
            Ok(()) => {
                self.free_units.push(id);
                needs.vars().for_each(|var| self.release(var));
                Ok(())
            }
            Err(Flow::Unset(vars)) => {
                let more = needs.len() as u32;
                self.units[at].work = work;
                self.units[at].needs = needs;
                for (count, var) in vars.into_iter().enumerate() {
                    self.units[at].needs.var(Key::More(more + count as u32), var);
                    self.wait(id, var);
                }
                Ok(())
            }
            Err(raise) => Err(raise),
        }
    }

    /// Reads every need, in order. Reading tells listeners.
    fn ready<'n>(&mut self, needs: &'n Needs) -> Run<Ready<'n>> {
        self.ready_first(needs, needs.len())
    }

    fn ready_first<'n>(&mut self, needs: &'n Needs, count: usize) -> Run<Ready<'n>> {
        for item in &needs.items[..count] {
            if let Some(var) = item.var() {
                self.read(var)?;
            }
        }
        Ok(Ready { needs })
    }

    fn execute_work(&mut self, work: &mut Work, needs: &Needs, scope: ScopeId) -> Run<()> {
        let span = |node: NodeId, machine: &Self| machine.program.ast.span(node);
        match work {
            Work::Free => Ok(()),
            Work::Execute { node, result, counts, owner } => {
                let place = span(*owner, self);
                let run = |machine: &mut Self| {
                    let ready = machine.ready(needs)?;
                    let value = machine.execute(*node, &ready, scope)?;
                    machine.deliver(*result, *counts, &value, *node)
                };
                run(self).map_err(|flow| with_statement(flow, place, false))
            }
            Work::SetAttribute { node, result, counts, statement, instance, name } => {
                let place = span(*statement, self);
                let run = |machine: &mut Self| {
                    let ready = machine.ready(needs)?;
                    let value = machine.execute(*node, &ready, scope)?;
                    machine.deliver(*result, *counts, &value, *node)
                };
                match run(self) {
                    Err(Flow::Raise(mut raise)) if raise.class.is_runtime() => {
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
            Work::FindInstance { statement } => {
                let place = span(*statement, self);
                self.found_instance(*statement, needs, scope).map_err(|flow| with_statement(flow, place, true))
            }
            Work::LookUp { node, target } => {
                let place = span(*node, self);
                let run = |machine: &mut Self| {
                    let ready = machine.ready(needs)?;
                    machine.look_up(*node, &ready, scope, *target)
                };
                run(self).map_err(|flow| with_statement(flow, place, true))
            }
            Work::Lazy { node, target } => {
                let place = span(*node, self);
                self.decide_lazy(*node, *target, needs, scope).map_err(|flow| with_statement(flow, place, true))
            }
            Work::Choose { node, target, lhs, taken } => {
                let place = span(*node, self);
                let is_second = taken.is_some();
                self.choose(*node, *target, *lhs, *taken, needs, scope).map_err(|flow| match flow {
                    Flow::Raise(mut raise) if is_second && raise.class.is_runtime() => {
                        raise.set_statement(place, true);
                        raise.place = Some(place);
                        raise.into()
                    }
                    other => other,
                })
            }
            Work::Hook { hook } => {
                let place = span(hook.node, self);
                self.run_hook(*hook, needs, scope).map_err(|flow| match flow {
                    Flow::Raise(mut raise) if raise.class.is_runtime() => {
                        raise.set_statement(place, true);
                        raise.place = Some(place);
                        raise.into()
                    }
                    other => other,
                })
            }
            Work::IsDefined { collector, var } => self.settle_is_defined(*collector, *var),
            Work::Comprehend { node, collector } => {
                let place = span(*node, self);
                let run = |machine: &mut Self| {
                    let ready = machine.ready(needs)?;
                    machine.complete_comprehension(*node, *collector, &ready, scope)
                };
                run(self).map_err(|flow| match flow {
                    Flow::Raise(mut raise) if raise.class.is_runtime() => {
                        raise.set_statement(place, true);
                        raise.place = Some(place);
                        raise.into()
                    }
                    other => other,
                })
            }
            Work::Gather { collector, results } => self.gather(*collector, results),
            Work::Call { node, result, base, arguments } => {
                let place = span(*node, self);
                if arguments.is_none() {
                    let run = |machine: &mut Self| {
                        let ready = machine.ready_first(needs, *base as usize)?;
                        machine.call_arguments(*node, &ready, scope)
                    };
                    let made = run(self).map_err(|flow| with_statement(flow, place, false))?;
                    *arguments = Some(Box::new(made));
                }
                let Some(called) = arguments else { return Ok(()) };
                self.call(*node, called, scope, *result).map_err(|flow| with_statement(flow, place, true))
            }
        }
    }

    /// Sets the result of a unit, and keeps its promise.
    fn deliver(&mut self, result: VarId, counts: bool, value: &Value, node: NodeId) -> Run<()> {
        if result == DISCARDED {
            return Ok(());
        }
        let place = self.program.ast.span(node);
        self.set(result, value, place, true)?;
        self.fulfil(result, counts, Some(place));
        Ok(())
    }

    fn found_instance(&mut self, statement: NodeId, needs: &Needs, scope: ScopeId) -> Run<()> {
        let program = self.program;
        let Kind::SetAttribute { of, name, value, extends } = program.ast.kind(statement) else { return Ok(()) };
        let place = program.ast.span(statement);
        let ready = self.ready(needs)?;
        let found = self.execute(*of, &ready, scope)?;
        let Value::Instance(instance) = found else {
            let text = pystr::str(&found, self);
            let message = format!("The object is not an Entity but a {} with value {text}", found.type_name());
            return Err(Raise::at(Class::Typing, place, message).into());
        };
        let var = self.attribute_var(instance, *name)?;
        let is_multi = self.is_multi(var);
        if *extends && !is_multi {
            let message = "Can not use += on relations with multiplicity 1";
            return Err(Raise::at(Class::Typing, place, message).into());
        }
        let mut needs = Needs::default();
        if is_multi {
            let collector = self.new_setter(statement, instance, *name, var);
            self.emit_gradual(*value, scope, collector, &mut needs)?;
        } else {
            self.emit(*value, scope, &mut needs)?;
        }
        self.new_setting(scope, needs, *value, var, statement, (instance, *name));
        Ok(())
    }

    fn decide_lazy(&mut self, node: NodeId, target: VarId, needs: &Needs, scope: ScopeId) -> Run<()> {
        let program = self.program;
        let place = program.ast.span(node);
        let (left, right, is_and) = match program.ast.kind(node) {
            Kind::And(left, right) => (*left, *right, true),
            Kind::Or(left, right) => (*left, *right, false),
            _ => return Ok(()),
        };
        let ready = self.ready(needs)?;
        let value = self.execute(left, &ready, scope)?;
        if value.is_unknown() {
            return self.set(target, &value, place, true);
        }
        let flag = operators::side(&value, is_and, true, place, self)?;
        if flag != is_and {
            return self.set(target, &Value::Bool(flag), place, true);
        }
        let mut needs = Needs::default();
        self.emit(right, scope, &mut needs)?;
        self.new_execution(scope, needs, right, target, node);
        Ok(())
    }

    fn choose(
        &mut self,
        node: NodeId,
        target: VarId,
        lhs: Option<CollectorId>,
        taken: Option<bool>,
        needs: &Needs,
        scope: ScopeId,
    ) -> Run<()> {
        let program = self.program;
        let place = program.ast.span(node);
        let Kind::Conditional { condition, yes, no } = program.ast.kind(node) else { return Ok(()) };
        let ready = self.ready(needs)?;
        if let Some(taken) = taken {
            let value = self.execute(if taken { *yes } else { *no }, &ready, scope)?;
            return self.set(target, &value, place, true);
        }
        let flag = match self.execute(*condition, &ready, scope)? {
            Value::Bool(flag) => flag,
            Value::Unknown(_) => {
                let unknown = self.unknown();
                return self.set(target, &unknown, place, true);
            }
            other => {
                let what = "the condition for a conditional expression must be";
                return Err(operators::no_bool(&other, what, place, self).into());
            }
        };
        let branch = if flag { *yes } else { *no };
        let mut needs = Needs::default();
        match lhs {
            Some(lhs) => self.emit_gradual(branch, scope, lhs, &mut needs)?,
            None => self.emit(branch, scope, &mut needs)?,
        }
        self.new_unit(scope, needs, Work::Choose { node, target, lhs, taken: Some(flag) });
        Ok(())
    }

    fn run_hook(&mut self, hook: Hook, needs: &Needs, scope: ScopeId) -> Run<()> {
        let Some(of) = hook.of else {
            let var = self.lookup(scope, hook.name)?;
            return self.hooked(hook.target, var, scope);
        };
        if hook.passes_unset {
            for var in needs.vars() {
                match self.value(var) {
                    Err(Flow::Raise(raise)) if raise.class == Class::OptionalValue => {
                        // What leads to the variable is free when this unit has run.
                        let var = self.resolved(var).unwrap_or(var);
                        return self.hooked(hook.target, var, scope);
                    }
                    other => other?,
                };
            }
        }
        let ready = self.ready(needs)?;
        let value = self.execute(of, &ready, scope)?;
        let Value::Instance(instance) = value else {
            let name = self.program.text(hook.name);
            let text = pystr::str(&value, self);
            let message = match &value {
                Value::List(_) => format!("can not get attribute {name}, {text} is not an entity but a list"),
                other => format!(
                    "can not get attribute {name}, {} is not an entity but a {} with value '{text}'",
                    self.program.written(of),
                    other.type_name()
                ),
            };
            return Err(Raise::at(Class::Runtime, self.program.ast.span(hook.node), message).into());
        };
        let var = self.attribute_var(instance, hook.name)?;
        self.hooked(hook.target, var, scope)
    }

    fn hooked(&mut self, target: HookTarget, var: VarId, scope: ScopeId) -> Run<()> {
        match target {
            HookTarget::Proxy(proxy) => self.connect(proxy, var),
            HookTarget::Promise(at) => {
                if !self.eager[at as usize].is_fulfilled {
                    let is_tracked = self.promise(var, None);
                    let eager = &mut self.eager[at as usize];
                    eager.var = Some(var);
                    eager.is_tracked = is_tracked;
                }
                Ok(())
            }
            HookTarget::IsDefined(collector) => self.watch_is_defined(collector, var, scope),
        }
    }

    pub(super) fn schedule_hook(&mut self, hook: Hook, scope: ScopeId) -> Run<()> {
        let Some(of) = hook.of else {
            return self.run_hook(hook, &Needs::default(), scope);
        };
        let mut needs = Needs::default();
        self.emit_with(of, scope, hook.passes_unset, &mut needs)?;
        self.new_unit(scope, needs, Work::Hook { hook });
        Ok(())
    }
}

/// Gives an error a statement.
pub(super) fn with_statement(flow: Flow, place: Span, replace: bool) -> Flow {
    match flow {
        Flow::Raise(mut raise) => {
            raise.set_statement(place, replace);
            Flow::Raise(raise)
        }
        other => other,
    }
}
