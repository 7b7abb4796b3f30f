//! Those who take values as they come: assignments to relations, loops, comprehensions and `is defined`.

use super::super::ast::{Kind, NodeId};
use super::super::define::Info;
use super::super::error::{Class, Raise};
use super::super::names::Sym;
use super::super::value::{InstanceId, Value};
use super::open::Part;
use super::task::{Dependencies, Key, Ready, Work};
use super::variable::VarKind;
use super::{CollectorId, Flow, Machine, Run, Scope, ScopeId, VarId};
use crate::source::Span;

pub(super) enum Collector {
    /// Adds values to a relation.
    Set {
        statement: NodeId,
        instance: InstanceId,
        name: Sym,
        var: VarId,
    },
    /// Runs the body of a `for`.
    Loop {
        statement: NodeId,
        scope: ScopeId,
    },
    Comprehension(Box<Comprehending>),
    /// Knows the answer at the first value.
    IsDefined {
        owner: NodeId,
        target: VarId,
    },
}

pub(super) struct Comprehending {
    node: NodeId,
    scope: ScopeId,
    lhs: Option<CollectorId>,
    results: Vec<VarId>,
    target: VarId,
}

impl Machine<'_> {
    fn new_collector(&mut self, collector: Collector) -> CollectorId {
        self.collectors.push(collector);
        CollectorId(self.collectors.len() as u32 - 1)
    }

    pub(super) fn new_setter(&mut self, statement: NodeId, instance: InstanceId, name: Sym, var: VarId) -> CollectorId {
        self.new_collector(Collector::Set { statement, instance, name, var })
    }

    pub(super) fn new_loop(&mut self, statement: NodeId, scope: ScopeId) -> CollectorId {
        self.new_collector(Collector::Loop { statement, scope })
    }

    pub(super) fn new_is_defined(&mut self, owner: NodeId, target: VarId) -> CollectorId {
        self.new_collector(Collector::IsDefined { owner, target })
    }

    pub(super) fn new_comprehension(
        &mut self,
        node: NodeId,
        scope: ScopeId,
        lhs: Option<CollectorId>,
        target: VarId,
    ) -> CollectorId {
        let made = Comprehending { node, scope, lhs, results: Vec::new(), target };
        self.new_collector(Collector::Comprehension(Box::new(made)))
    }

    pub(super) fn collector_place(&self, id: CollectorId) -> Span {
        let node = match &self.collectors[id.0 as usize] {
            Collector::Set { statement, .. } | Collector::Loop { statement, .. } => *statement,
            Collector::Comprehension(made) => made.node,
            Collector::IsDefined { owner, .. } => *owner,
        };
        self.program.ast.span(node)
    }

    /// Whether freezing its source never helps it.
    pub(super) fn is_pure_gradual(&self, id: CollectorId) -> bool {
        !matches!(self.collectors[id.0 as usize], Collector::IsDefined { .. })
    }

    /// Gives one value. Returns whether the collector takes no more.
    pub(super) fn receive(&mut self, id: CollectorId, value: &Value, place: Span) -> Run<bool> {
        match &self.collectors[id.0 as usize] {
            Collector::Set { statement, instance, name, var } => {
                let (statement, instance, name, var) = (*statement, *instance, *name, *var);
                let at = self.program.ast.span(statement);
                match self.set(var, value, place, true) {
                    Err(Flow::Raise(mut raise)) if raise.class.is_runtime() => {
                        raise.set_statement(at, false);
                        if raise.class == Class::Attribute {
                            return Err(raise.into());
                        }
                        Err(self.attribute_error(at, instance, name, raise).into())
                    }
                    other => other.map(|()| false),
                }
            }
            Collector::Loop { statement, scope } => {
                let (statement, scope) = (*statement, *scope);
                let program = self.program;
                let Kind::For { variable, body, .. } = program.ast.kind(statement) else { return Ok(false) };
                if value.is_unknown() {
                    self.leave_out(program.ast.span(statement), vec![Part::Block(*body)]);
                    return Ok(false);
                }
                let inner = self.enter_nested(*body, scope);
                let var = self.lookup(inner, variable.sym)?;
                self.set(var, value, program.ast.span(statement), true)?;
                self.emit_block(*body, inner)?;
                Ok(false)
            }
            Collector::Comprehension(made) => {
                let (node, scope, lhs) = (made.node, made.scope, made.lhs);
                self.receive_element(id, node, scope, lhs, value)?;
                Ok(false)
            }
            Collector::IsDefined { owner, target } => {
                if value.is_unknown() {
                    return Ok(false);
                }
                let (at, target) = (self.program.ast.span(*owner), *target);
                self.set(target, &Value::Bool(true), at, true)?;
                Ok(true)
            }
        }
    }

    /// Gives a value, or each value of a list.
    pub(super) fn receive_flat(&mut self, id: CollectorId, value: &Value, place: Span) -> Run<()> {
        match value {
            Value::List(items) => {
                for (at, item) in items.iter().enumerate() {
                    if at.is_multiple_of(1024) {
                        self.check_memory(place)?;
                    }
                    if self.receive(id, item, place)? {
                        break;
                    }
                }
                Ok(())
            }
            value => self.receive(id, value, place).map(|_| ()),
        }
    }

    fn receive_element(
        &mut self,
        id: CollectorId,
        node: NodeId,
        scope: ScopeId,
        lhs: Option<CollectorId>,
        value: &Value,
    ) -> Run<()> {
        let program = self.program;
        let Kind::Comprehension { variable, .. } = program.ast.kind(node) else { return Ok(()) };
        let Info::Comprehension(at) = program.info(node) else { return Ok(()) };
        let parts = program.comprehensions[at as usize];
        let element = self.new_element(value.clone());
        let scope = self.new_scope(Scope::Variable { parent: scope, name: *variable, var: element });
        let result = self.new_passing(VarKind::Plain);
        if let Collector::Comprehension(made) = &mut self.collectors[id.0 as usize] {
            made.results.push(result);
        }
        let expression = if value.is_unknown() { parts.unknown } else { parts.element };
        if value.is_unknown() {
            self.leave_out(program.ast.span(node), vec![Part::Node(parts.element)]);
        }
        let mut dependencies = Dependencies::default();
        match lhs {
            None => self.emit(expression, scope, &mut dependencies)?,
            Some(lhs) => self.emit_gradual(expression, scope, lhs, &mut dependencies)?,
        }
        self.new_execution(scope, dependencies, expression, result, expression);
        Ok(())
    }

    /// All values of the list are known: waits for what is made of each.
    pub(super) fn complete_comprehension(
        &mut self,
        node: NodeId,
        id: CollectorId,
        ready: &Ready,
        scope: ScopeId,
    ) -> Run<()> {
        let program = self.program;
        let Kind::Comprehension { list, .. } = program.ast.kind(node) else { return Ok(()) };
        let place = program.ast.span(node);
        let all = self.execute(*list, ready, scope)?;
        if !matches!(all, Value::List(_) | Value::Unknown(_)) {
            let message =
                format!("A list comprehension can only be applied to lists and relations, got {}", all.type_name());
            let help = match &all {
                Value::Dict(_) => "loop over its keys: `[… for KEY in std::dict_keys(DICT)]`",
                Value::Int(_) => "loop over numbers: `[… for NAME in std::sequence(COUNT)]`",
                _ => "write a list after `in`: `[A, B]`, or a relation to several instances",
            };
            return Err(Raise::at(Class::Typing, place, message).with_help(help).into());
        }
        let has_results = match &self.collectors[id.0 as usize] {
            Collector::Comprehension(made) => !made.results.is_empty(),
            _ => true,
        };
        if !has_results {
            self.receive_flat(id, &all, place)?;
        }
        let results: Box<[VarId]> = match &self.collectors[id.0 as usize] {
            Collector::Comprehension(made) => made.results.as_slice().into(),
            _ => Box::default(),
        };
        let mut dependencies = Dependencies::default();
        for (at, var) in results.iter().enumerate() {
            dependencies.var(Key::More(at as u32), *var);
        }
        self.new_task(scope, dependencies, Work::Gather { collector: id, results });
        Ok(())
    }

    /// The result of a comprehension: what the guard left, in the order of the list.
    pub(super) fn gather(&mut self, id: CollectorId, results: &[VarId]) -> Run<()> {
        let (target, node) = match &self.collectors[id.0 as usize] {
            Collector::Comprehension(made) => (made.target, made.node),
            _ => return Ok(()),
        };
        let mut values = Vec::with_capacity(results.len());
        for var in results {
            match self.value(*var)? {
                Value::Skipped => {}
                Value::List(items) => values.extend(items.iter().cloned()),
                value => values.push(value),
            }
        }
        let place = self.program.ast.span(node);
        let list = Value::list(values);
        self.pay(&list, place)?;
        self.set(target, &list, place, true)
    }

    // `is defined`

    pub(super) fn watch_is_defined(&mut self, id: CollectorId, var: VarId, scope: ScopeId) -> Run<()> {
        if self.is_ready(var) {
            return self.decide_is_defined(id, var);
        }
        let place = self.collector_place(id);
        self.listen(var, id, place)?;
        let mut dependencies = Dependencies::default();
        dependencies.var(Key::More(0), var);
        self.new_task(scope, dependencies, Work::IsDefined { collector: id, var });
        Ok(())
    }

    pub(super) fn decide_is_defined(&mut self, id: CollectorId, var: VarId) -> Run<()> {
        let Collector::IsDefined { owner, target } = &self.collectors[id.0 as usize] else { return Ok(()) };
        let (place, target) = (self.program.ast.span(*owner), *target);
        let answer = match self.value(var) {
            Err(Flow::Raise(raise)) if raise.class == Class::OptionalValue => Value::Bool(false),
            other => match other? {
                Value::Unknown(_) => self.unknown(),
                Value::Null => Value::Bool(false),
                Value::List(items) if items.is_empty() => Value::Bool(false),
                Value::List(items) if items.iter().all(Value::is_unknown) => self.unknown(),
                _ => Value::Bool(true),
            },
        };
        self.set(target, &answer, place, true)
    }
}
