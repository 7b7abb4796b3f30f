//! Variables: plain ones are set once, lists collect values until they freeze.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::super::ast::Bounds;
use super::super::define::AttributeId;
use super::super::error::{Class, Raise};
use super::super::pystr;
use super::super::trace::{What, Why};
use super::super::types::Ty;
use super::super::value::{InstanceId, Value};
use super::{CollectorId, Flow, Machine, Run, UnitId, VarId};
use crate::source::{FileId, Span};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VarKind {
    Plain,
    /// The element of a comprehension: it can be passed on as it is.
    Element,
    /// A relation to exactly one instance.
    Single(u32),
    /// A relation to many.
    List(u32),
    /// A relation to one or none.
    Optional(u32),
    /// The values of a list that is being made.
    Literal(u32),
    /// Stands for a variable that is found later.
    Proxy(u32),
}

/// Most variables have one waiter or none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Waiters {
    #[default]
    None,
    One(UnitId),
    /// A place among the machine's crowds.
    Many(u32),
}

pub(super) struct Var<'a> {
    pub(super) value: Value,
    pub(super) ty: Option<&'a Ty>,
    pub(super) kind: VarKind,
    waiters: Waiters,
    pub(super) set_at: Span,
    pub(super) is_ready: bool,
    /// One unit reads it, and nothing else does afterwards.
    is_passing: bool,
}

/// The result of a statement: nothing reads it.
pub(super) const DISCARDED: VarId = VarId(u32::MAX);

/// In place of a span where there is none.
const NOWHERE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

/// A relation, or a list that is being made.
pub struct Delayed {
    /// Nothing for a list that is being made.
    pub attribute: Option<AttributeId>,
    pub instance: InstanceId,
    /// How many assignments may still set it.
    pub(super) promises: u32,
    /// Waiters that take values as they come, so that freezing does not help them.
    pub(super) gradual: u32,
    /// Its number among the idle candidates.
    idle: Option<u32>,
    pub(super) is_queued: bool,
    /// The values so far.
    pub(super) items: Vec<Value>,
    /// What few lists have.
    pub(super) more: Option<Box<More>>,
}

#[derive(Default)]
pub(super) struct More {
    pub(super) listeners: Vec<CollectorId>,
    /// The values so far, of a long list.
    pub(super) seen: FxHashSet<InstanceId>,
}

impl Delayed {
    pub(super) fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }
}

pub(super) struct Proxy {
    pub(super) target: Option<VarId>,
    pub(super) listener: Option<(CollectorId, Span)>,
    /// Whether the listener is told when the value is read.
    pub(super) tells: bool,
    pub(super) waiters: Vec<UnitId>,
}

impl<'a> Var<'a> {
    fn new(kind: VarKind, ty: Option<&'a Ty>) -> Self {
        let (value, waiters) = (Value::Null, Waiters::None);
        Var { value, ty, kind, waiters, set_at: NOWHERE, is_ready: false, is_passing: false }
    }

    pub(super) fn place(&self) -> Option<Span> {
        (self.set_at != NOWHERE).then_some(self.set_at)
    }
}

impl<'a> Machine<'a> {
    pub(super) fn add_var(&mut self) -> VarId {
        self.push_var(VarKind::Plain, None)
    }

    /// A variable between two units: it is free again when the second has run.
    pub(super) fn new_passing(&mut self, ty: Option<&'a Ty>) -> VarId {
        let var = Var { is_passing: true, ..Var::new(VarKind::Plain, ty) };
        match self.free_vars.pop() {
            Some(free) => {
                self.vars[free.0 as usize] = var;
                free
            }
            None => VarId(self.vars.push(var)),
        }
    }

    fn push_var(&mut self, kind: VarKind, ty: Option<&'a Ty>) -> VarId {
        VarId(self.vars.push(Var::new(kind, ty)))
    }

    /// A unit has run: what only it read is free.
    pub(super) fn release(&mut self, var: VarId) {
        let found = &mut self.vars[var.0 as usize];
        if matches!(found.kind, VarKind::Proxy(_)) {
            self.free_proxies.push(var);
        } else if found.is_passing {
            found.value = Value::Null;
            self.free_vars.push(var);
        }
    }

    /// A variable that has its value already.
    pub(super) fn new_element(&mut self, value: Value) -> VarId {
        let var = self.push_var(VarKind::Element, None);
        self.vars[var.0 as usize].value = value;
        self.vars[var.0 as usize].is_ready = true;
        var
    }

    pub(super) fn new_literal_list(&mut self) -> VarId {
        let at = self.push_delayed(None, InstanceId(0));
        self.push_var(VarKind::Literal(at), None)
    }

    pub(super) fn new_proxy(&mut self, listener: Option<(CollectorId, Span)>) -> VarId {
        if let Some(free) = self.free_proxies.pop()
            && let VarKind::Proxy(at) = self.var(free).kind
        {
            let proxy = &mut self.proxies[at as usize];
            proxy.waiters.clear();
            *proxy = Proxy { target: None, listener, tells: false, waiters: std::mem::take(&mut proxy.waiters) };
            return free;
        }
        let at = self.proxies.push(Proxy { target: None, listener, tells: false, waiters: Vec::new() });
        self.push_var(VarKind::Proxy(at), None)
    }

    fn push_delayed(&mut self, attribute: Option<AttributeId>, instance: InstanceId) -> u32 {
        self.delayed.push(Delayed {
            attribute,
            instance,
            promises: 0,
            gradual: 0,
            idle: None,
            is_queued: false,
            items: Vec::new(),
            more: None,
        })
    }

    /// The variable of an attribute of a new instance.
    pub(super) fn new_attribute(&mut self, attribute: AttributeId, instance: InstanceId) -> VarId {
        let program = self.program;
        let found = program.attribute(attribute);
        let Some(relation) = &found.relation else { return self.push_var(VarKind::Plain, Some(&found.ty)) };
        let at = self.push_delayed(Some(attribute), instance);
        let (kind, is_queued) = match (relation.bounds.low, relation.bounds.high) {
            (1, Some(1)) => (VarKind::Single(at), false),
            (0, Some(1)) => (VarKind::Optional(at), true),
            (low, _) => (VarKind::List(at), low <= 0),
        };
        let var = self.push_var(kind, Some(&found.ty));
        if is_queued {
            self.queue(var);
        }
        var
    }

    pub(super) fn var(&self, id: VarId) -> &Var<'a> {
        &self.vars[id.0 as usize]
    }

    pub(super) fn delayed_at(&self, var: VarId) -> Option<usize> {
        match self.var(var).kind {
            VarKind::Single(at) | VarKind::List(at) | VarKind::Optional(at) | VarKind::Literal(at) => Some(at as usize),
            _ => None,
        }
    }

    /// Whether it can freeze: relations to one instance cannot.
    pub(in crate::lang::inmanta) fn is_delayed(&self, var: VarId) -> bool {
        matches!(self.var(var).kind, VarKind::List(_) | VarKind::Optional(_) | VarKind::Literal(_))
    }

    pub(super) fn attribute_of(&self, var: VarId) -> Option<AttributeId> {
        self.delayed_at(var).and_then(|at| self.delayed[at].attribute)
    }

    pub fn delayed_of(&self, var: VarId) -> Option<&Delayed> {
        self.delayed_at(var).map(|at| &self.delayed[at])
    }

    /// The variable that a chain of stand-ins leads to.
    pub(super) fn resolved(&self, mut var: VarId) -> Option<VarId> {
        while let VarKind::Proxy(at) = self.var(var).kind {
            var = self.proxies[at as usize].target?;
        }
        Some(var)
    }

    pub fn is_ready(&self, var: VarId) -> bool {
        self.resolved(var).is_some_and(|var| self.var(var).is_ready)
    }

    pub fn is_multi(&self, var: VarId) -> bool {
        matches!(self.var(var).kind, VarKind::List(_))
    }

    /// The value without telling listeners; nothing where there is none.
    pub fn peek(&self, var: VarId) -> Option<&Value> {
        let var = self.resolved(var)?;
        self.var(var).is_ready.then(|| &self.var(var).value)
    }

    /// How many values a relation has so far.
    pub fn length(&self, var: VarId) -> usize {
        match (&self.var(var).value, self.delayed_at(var)) {
            (Value::List(items), Some(_)) => items.len(),
            (_, Some(at)) => self.delayed[at].items.len(),
            _ => 0,
        }
    }

    pub(super) fn value(&mut self, var: VarId) -> Run<Value> {
        match self.var(var).kind {
            VarKind::Proxy(at) => {
                let at = at as usize;
                let Some(target) = self.proxies[at].target else { return Err(Flow::Unset(vec![var])) };
                let value = self.value(target)?;
                if self.proxies[at].tells {
                    self.proxies[at].tells = false;
                    if let Some((listener, place)) = self.proxies[at].listener.take() {
                        self.receive_flat(listener, &value, place)?;
                    }
                }
                Ok(value)
            }
            _ if !self.var(var).is_ready => Err(Flow::Unset(vec![var])),
            VarKind::Optional(at) if matches!(self.var(var).value, Value::Null) => {
                let delayed = &self.delayed[at as usize];
                let name = delayed.attribute.map(|id| self.program.attribute(id).name);
                let entity = delayed.attribute.map(|id| self.program.entity_name(self.program.attribute(id).entity));
                let message = format!(
                    "Optional variable accessed that has no value (attribute `{}.{}` of `{}`)",
                    entity.unwrap_or_default(),
                    name.map_or("", |name| self.program.text(name)),
                    pystr::Instances::long(self, delayed.instance)
                );
                Err(Raise::new(Class::OptionalValue, message).into())
            }
            _ => Ok(self.var(var).value.clone()),
        }
    }

    /// The same without the value: an error where there is none.
    pub(super) fn read(&mut self, var: VarId) -> Run<()> {
        let found = self.var(var);
        match found.kind {
            VarKind::Proxy(at) => match self.proxies[at as usize] {
                Proxy { target: Some(target), tells: false, .. } => self.read(target),
                _ => self.value(var).map(|_| ()),
            },
            VarKind::Optional(_) => self.value(var).map(|_| ()),
            _ if found.is_ready => Ok(()),
            _ => Err(Flow::Unset(vec![var])),
        }
    }

    // Waiting

    pub(super) fn wait(&mut self, unit: UnitId, var: VarId) {
        self.units[unit.0 as usize].missing += 1;
        self.wait_for(unit, var);
    }

    fn wait_for(&mut self, unit: UnitId, mut var: VarId) {
        while let VarKind::Proxy(at) = self.var(var).kind {
            match self.proxies[at as usize].target {
                Some(target) => var = target,
                None => {
                    self.proxies[at as usize].waiters.push(unit);
                    return;
                }
            }
        }
        if self.var(var).is_ready {
            self.wake(unit);
            return;
        }
        if self.trace.is_on && self.is_delayed(var) {
            let place = self.unit_place(unit);
            self.trace.note(var, What::Wait, Some(place));
        }
        self.add_waiter(unit, var);
    }

    fn add_waiter(&mut self, unit: UnitId, var: VarId) {
        let found = &mut self.vars[var.0 as usize];
        match found.waiters {
            Waiters::None => found.waiters = Waiters::One(unit),
            Waiters::One(first) => {
                let at = match self.free_crowds.pop() {
                    Some(at) => at,
                    None => {
                        self.crowds.push(Vec::new());
                        self.crowds.len() as u32 - 1
                    }
                };
                self.crowds[at as usize].extend([first, unit]);
                found.waiters = Waiters::Many(at);
            }
            Waiters::Many(at) => self.crowds[at as usize].push(unit),
        }
        if let VarKind::List(at) | VarKind::Optional(at) = found.kind
            && let Some(number) = self.delayed[at as usize].idle
        {
            self.idle.stir(number);
        }
    }

    fn waiters(&self, var: VarId) -> &[UnitId] {
        match &self.var(var).waiters {
            Waiters::None => &[],
            Waiters::One(one) => std::slice::from_ref(one),
            Waiters::Many(at) => &self.crowds[*at as usize],
        }
    }

    pub(super) fn wake(&mut self, unit: UnitId) {
        let found = &mut self.units[unit.0 as usize];
        found.missing -= 1;
        if found.missing == 0 {
            self.run_queue.push_back(unit);
        }
    }

    pub(super) fn wake_waiters(&mut self, var: VarId) {
        match std::mem::take(&mut self.vars[var.0 as usize].waiters) {
            Waiters::None => {}
            Waiters::One(unit) => self.wake(unit),
            Waiters::Many(at) => {
                let mut crowd = std::mem::take(&mut self.crowds[at as usize]);
                crowd.drain(..).for_each(|unit| self.wake(unit));
                self.crowds[at as usize] = crowd;
                self.free_crowds.push(at);
            }
        }
    }

    /// Connects a stand-in to its variable.
    pub(super) fn connect(&mut self, proxy: VarId, target: VarId) -> Run<()> {
        let VarKind::Proxy(at) = self.var(proxy).kind else { return Ok(()) };
        let at = at as usize;
        self.proxies[at].target = Some(target);
        if let Some((listener, place)) = self.proxies[at].listener {
            if self.listen(target, listener, place)? {
                self.proxies[at].listener = None;
            } else {
                self.proxies[at].tells = true;
            }
        }
        for unit in std::mem::take(&mut self.proxies[at].waiters) {
            self.wait_for(unit, target);
        }
        Ok(())
    }

    /// Gives the values to a listener as they come, where the variable can do so.
    pub(super) fn listen(&mut self, var: VarId, listener: CollectorId, place: Span) -> Run<bool> {
        match self.var(var).kind {
            VarKind::Element => {
                let value = self.var(var).value.clone();
                self.receive(listener, &value, place)?;
                Ok(true)
            }
            VarKind::List(at) => {
                let at = at as usize;
                let mut next = 0;
                while let Some(value) = self.list_item(var, next) {
                    self.receive(listener, &value, place)?;
                    next += 1;
                }
                if !self.var(var).is_ready {
                    self.trace.note(var, What::Listen, Some(place));
                    let is_gradual = self.is_pure_gradual(listener);
                    let delayed = &mut self.delayed[at];
                    if delayed.more().listeners.contains(&listener) {
                        delayed.gradual += 1;
                        return Ok(true);
                    }
                    delayed.more().listeners.push(listener);
                    delayed.gradual += u32::from(is_gradual);
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    pub(super) fn list_item(&self, var: VarId, at: usize) -> Option<Value> {
        match &self.var(var).value {
            Value::List(items) => items.get(at).cloned(),
            _ => self.delayed[self.delayed_at(var)?].items.get(at).cloned(),
        }
    }

    // Promises and freezing

    /// Takes a promise to set the variable; whether it counts.
    pub(super) fn promise(&mut self, var: VarId, place: Option<Span>) -> bool {
        if !self.is_delayed(var) || self.var(var).is_ready {
            return false;
        }
        let Some(at) = self.delayed_at(var) else { return false };
        self.delayed[at].promises += 1;
        self.trace.note(var, What::Promise, place);
        true
    }

    pub(super) fn fulfil(&mut self, var: VarId, is_counted: bool, place: Option<Span>) {
        if self.var(var).is_ready || !self.is_delayed(var) {
            return;
        }
        let Some(at) = self.delayed_at(var) else { return };
        if is_counted {
            self.delayed[at].promises = self.delayed[at].promises.saturating_sub(1);
            self.trace.note(var, What::Fulfil, place);
        }
        if let VarKind::Literal(_) = self.var(var).kind {
            if self.delayed[at].promises == 0 {
                self.freeze(var, Why::Full);
            }
        } else if self.can_freeze(var) {
            self.queue(var);
        }
    }

    /// How many assignments may still set it.
    pub(super) fn outstanding(&self, var: VarId) -> u32 {
        self.delayed_of(var).map_or(0, |delayed| delayed.promises)
    }

    /// Whether it has enough values and nobody promised more.
    pub(super) fn can_freeze(&self, var: VarId) -> bool {
        let Some(at) = self.delayed_at(var) else { return self.var(var).is_ready };
        let delayed = &self.delayed[at];
        match self.var(var).kind {
            VarKind::List(_) => delayed.promises == 0 && delayed.items.len() >= self.bounds_of(at).0,
            VarKind::Optional(_) => delayed.promises == 0,
            _ => self.var(var).is_ready,
        }
    }

    /// How many waiters freezing would help.
    pub(super) fn potential(&self, var: VarId) -> i64 {
        let Some(delayed) = self.delayed_of(var) else { return 0 };
        let waiters = self.waiters(var).len() as i64;
        let ruled = i64::from(delayed.attribute.is_some_and(|attribute| self.is_ruled(attribute)));
        match self.var(var).kind {
            VarKind::List(_) => waiters - i64::from(delayed.gradual) + ruled,
            VarKind::Optional(_) => waiters + ruled,
            _ => 0,
        }
    }

    /// How many values a relation holds at least, and at most.
    pub(super) fn bounds_of(&self, at: usize) -> (usize, Option<usize>) {
        let attribute = self.delayed[at].attribute.map(|id| self.program.attribute(id));
        let bounds = attribute.and_then(|attribute| attribute.relation.as_ref()).map(|relation| relation.bounds);
        let bounds = bounds.unwrap_or(Bounds { low: 0, high: None });
        (bounds.low.max(0) as usize, bounds.high.map(|high| high.max(0) as usize))
    }

    pub(super) fn is_ruled(&self, attribute: AttributeId) -> bool {
        let relation = &self.program.attribute(attribute).relation;
        relation.as_ref().is_some_and(|relation| !relation.before.is_empty())
    }

    pub(super) fn queue(&mut self, var: VarId) {
        let Some(at) = self.delayed_at(var) else { return };
        if !self.delayed[at].is_queued {
            self.delayed[at].is_queued = true;
            let attribute = self.delayed[at].attribute;
            self.waiting.push(var, attribute);
        }
    }

    /// Nothing waits for a candidate: it is idle until something does.
    pub(super) fn lay_aside(&mut self, var: VarId) {
        let number = self.idle.push(var);
        self.set_idle(var, Some(number));
    }

    pub(super) fn set_idle(&mut self, var: VarId, number: Option<u32>) {
        if let Some(at) = self.delayed_at(var) {
            self.delayed[at].idle = number;
        }
    }

    pub(super) fn unqueue(&mut self, var: VarId) {
        if let Some(at) = self.delayed_at(var) {
            self.delayed[at].is_queued = false;
        }
    }

    pub(super) fn freeze(&mut self, var: VarId, why: Why) {
        if self.var(var).is_ready {
            return;
        }
        let Some(at) = self.delayed_at(var) else { return };
        if self.trace.is_on && !matches!(self.var(var).kind, VarKind::Literal(_)) {
            let waiters = self.waiters(var);
            let urgent = waiters.iter().find(|unit| !self.takes_as_they_come(**unit)).or(waiters.first());
            let place = urgent.map(|unit| self.unit_place(*unit));
            self.trace.note(var, What::Freeze(why), place);
        }
        let is_list = !matches!(self.var(var).kind, VarKind::Optional(_));
        let delayed = &mut self.delayed[at];
        delayed.is_queued = true;
        delayed.promises = 0;
        delayed.more = None;
        let items = std::mem::take(&mut delayed.items);
        let found = &mut self.vars[var.0 as usize];
        found.is_ready = true;
        if is_list {
            found.value = Value::List(Arc::new(items));
        }
        self.wake_waiters(var);
    }
}
