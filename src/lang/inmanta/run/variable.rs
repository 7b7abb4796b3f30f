//! Variables: plain ones are set once, lists collect values until they freeze.

use rustc_hash::FxHashSet;

use super::super::ast::Bounds;
use super::super::define::AttributeId;
use super::super::error::{Class, Raise};
use super::super::pystr;
use super::super::trace::{What, Why};
use super::super::types::EntityId;
use super::super::value::{InstanceId, Value};
use super::{CollectorId, Flow, Machine, Run, TaskId, VarId};
use crate::source::{FileId, Span};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum VarKind {
    /// Takes any value.
    #[default]
    Plain,
    /// Takes values of the type of an attribute.
    Attribute(AttributeId),
    /// Takes instances of an entity.
    Instance(EntityId),
    Flag,
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
    /// Stands for a variable that is found later, [`UNCONNECTED`] until then.
    Proxy(VarId),
}

/// Most variables have one waiter or none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Waiters {
    #[default]
    None,
    One(TaskId),
    /// A place among the lists of waiters.
    Many(u32),
}

/// The waiters of variables that have several.
#[derive(Default)]
pub(super) struct WaiterLists {
    lists: Vec<Vec<TaskId>>,
    free: Vec<u32>,
}

impl WaiterLists {
    fn add(&mut self, waiters: [TaskId; 2]) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| {
            self.lists.push(Vec::new());
            self.lists.len() as u32 - 1
        });
        self.lists[at as usize].extend(waiters);
        at
    }

    fn take(&mut self, at: u32) -> Vec<TaskId> {
        std::mem::take(&mut self.lists[at as usize])
    }

    /// Frees a place. The list keeps its memory for the next variable.
    fn free(&mut self, at: u32, empty: Vec<TaskId>) {
        self.lists[at as usize] = empty;
        self.free.push(at);
    }
}

#[derive(Debug)]
enum State {
    Unset(Waiters),
    Ready(Value),
}

/// A model has many: keep it small.
pub(super) struct Var {
    state: State,
    pub(super) kind: VarKind,
    set_at: Span,
    /// One task reads it, and nothing else does afterwards.
    is_passing: bool,
    /// Whether a listener takes the values of this proxy.
    has_listener: bool,
}

/// The result of a statement: nothing reads it.
pub(super) const DISCARDED: VarId = VarId(u32::MAX);

const UNCONNECTED: VarId = VarId(u32::MAX);

/// In place of a span where there is none.
const NOWHERE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

/// The attribute that a relation is, and of which instance.
#[derive(Clone, Copy, Debug, Default)]
pub struct Owner {
    pub attribute: AttributeId,
    pub instance: InstanceId,
}

const NOT_IDLE: u32 = u32::MAX;

/// A relation that can freeze, or a list that is being made.
#[derive(Default)]
pub struct Delayed {
    /// Nothing for a list that is being made.
    pub(super) owner: Option<Owner>,
    /// How many assignments may still set it.
    pub(super) promises: u32,
    /// Waiters that take values as they come, so that freezing does not help them.
    pub(super) gradual: u32,
    /// Its number among the idle candidates, or `NOT_IDLE`.
    idle: u32,
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

/// The listener of a proxy.
pub(super) struct Listener {
    collector: CollectorId,
    place: Span,
    /// Whether it gets them when the value is read.
    at_read: bool,
}

impl Default for Var {
    fn default() -> Self {
        Var::new(VarKind::default())
    }
}

impl Var {
    fn new(kind: VarKind) -> Self {
        Var { state: State::Unset(Waiters::None), kind, set_at: NOWHERE, is_passing: false, has_listener: false }
    }

    pub(super) fn place(&self) -> Option<Span> {
        (self.set_at != NOWHERE).then_some(self.set_at)
    }

    pub(super) fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready(_))
    }

    pub(super) fn value(&self) -> Option<&Value> {
        match &self.state {
            State::Ready(value) => Some(value),
            State::Unset(_) => None,
        }
    }
}

impl<'a> Machine<'a> {
    pub(super) fn add_var(&mut self) -> VarId {
        self.push_var(VarKind::Plain)
    }

    /// A variable whose value is not known.
    pub(super) fn new_unknown(&mut self) -> VarId {
        let unknown = self.unknown();
        VarId(self.vars.push(Var { state: State::Ready(unknown), ..Var::new(VarKind::Plain) }))
    }

    /// A variable between two tasks: it is free again when the second has run.
    pub(super) fn new_passing(&mut self, kind: VarKind) -> VarId {
        let var = Var { is_passing: true, ..Var::new(kind) };
        match self.free_vars.pop() {
            Some(free) => {
                self.vars[free.0 as usize] = var;
                free
            }
            None => VarId(self.vars.push(var)),
        }
    }

    fn push_var(&mut self, kind: VarKind) -> VarId {
        VarId(self.vars.push(Var::new(kind)))
    }

    /// Frees a variable that only a task read which has run.
    pub(super) fn release(&mut self, var: VarId) {
        let found = &mut self.vars[var.0 as usize];
        if found.is_passing {
            if found.has_listener {
                self.listeners.remove(&var);
            }
            found.state = State::Unset(Waiters::None);
            self.free_vars.push(var);
        }
    }

    /// A variable that has its value already.
    pub(super) fn new_element(&mut self, value: Value) -> VarId {
        VarId(self.vars.push(Var { state: State::Ready(value), ..Var::new(VarKind::Element) }))
    }

    pub(super) fn new_literal_list(&mut self) -> VarId {
        let at = self.push_delayed(None);
        self.push_var(VarKind::Literal(at))
    }

    pub(super) fn new_proxy(&mut self, listener: Option<(CollectorId, Span)>) -> VarId {
        let proxy = self.new_passing(VarKind::Proxy(UNCONNECTED));
        if let Some((collector, place)) = listener {
            self.vars[proxy.0 as usize].has_listener = true;
            self.listeners.insert(proxy, Listener { collector, place, at_read: false });
        }
        proxy
    }

    fn push_delayed(&mut self, owner: Option<Owner>) -> u32 {
        self.delayed.push(Delayed {
            owner,
            promises: 0,
            gradual: 0,
            idle: NOT_IDLE,
            is_queued: false,
            items: Vec::new(),
            more: None,
        })
    }

    /// The variable of an attribute of a new instance.
    pub(super) fn new_attribute(&mut self, attribute: AttributeId, instance: InstanceId) {
        let program = self.program;
        let Some(relation) = &program.attribute(attribute).relation else {
            self.push_var(VarKind::Attribute(attribute));
            return;
        };
        let owner = Owner { attribute, instance };
        if let (1, Some(1)) = (relation.bounds.low, relation.bounds.high) {
            let at = self.singles.push(owner);
            self.push_var(VarKind::Single(at));
            return;
        }
        let at = self.push_delayed(Some(owner));
        let (kind, is_queued) = match (relation.bounds.low, relation.bounds.high) {
            (0, Some(1)) => (VarKind::Optional(at), true),
            (low, _) => (VarKind::List(at), low <= 0),
        };
        let var = self.push_var(kind);
        if is_queued {
            self.queue(var);
        }
    }

    pub(super) fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    pub(super) fn delayed_at(&self, var: VarId) -> Option<usize> {
        match self.var(var).kind {
            VarKind::List(at) | VarKind::Optional(at) | VarKind::Literal(at) => Some(at as usize),
            _ => None,
        }
    }

    /// Whether it can freeze: relations to one instance cannot.
    pub(in crate::lang::inmanta) fn is_delayed(&self, var: VarId) -> bool {
        matches!(self.var(var).kind, VarKind::List(_) | VarKind::Optional(_) | VarKind::Literal(_))
    }

    /// The attribute and the instance of a relation.
    pub fn owner_of(&self, var: VarId) -> Option<Owner> {
        match self.var(var).kind {
            VarKind::Single(at) => Some(self.singles[at as usize]),
            _ => self.delayed_of(var)?.owner,
        }
    }

    /// Returns the attribute of a relation's variable.
    pub fn attribute_of(&self, var: VarId) -> Option<AttributeId> {
        self.owner_of(var).map(|owner| owner.attribute)
    }

    fn delayed_of(&self, var: VarId) -> Option<&Delayed> {
        self.delayed_at(var).map(|at| &self.delayed[at])
    }

    /// The variable that a chain of proxies leads to.
    pub(super) fn resolved(&self, mut var: VarId) -> Option<VarId> {
        while let VarKind::Proxy(target) = self.var(var).kind {
            if target == UNCONNECTED {
                return None;
            }
            var = target;
        }
        Some(var)
    }

    /// Whether the variable has its value.
    pub fn is_ready(&self, var: VarId) -> bool {
        self.peek(var).is_some()
    }

    /// Whether the variable collects the values of a list.
    pub fn is_multi(&self, var: VarId) -> bool {
        matches!(self.var(var).kind, VarKind::List(_))
    }

    /// The value, if there is one. Notifies no listener.
    pub fn peek(&self, var: VarId) -> Option<&Value> {
        self.var(self.resolved(var)?).value()
    }

    /// Where a variable was set.
    pub fn place_of(&self, var: VarId) -> Option<Span> {
        self.var(self.resolved(var)?).place()
    }

    /// How many values a relation has so far.
    pub fn length(&self, var: VarId) -> usize {
        match (self.var(var).value(), self.delayed_at(var)) {
            (Some(Value::List(items)), Some(_)) => items.len(),
            (_, Some(at)) => self.delayed[at].items.len(),
            _ => 0,
        }
    }

    pub(super) fn value(&mut self, var: VarId) -> Run<Value> {
        match self.var(var).kind {
            VarKind::Proxy(UNCONNECTED) => Err(Flow::Unset(vec![var])),
            VarKind::Proxy(target) => {
                let value = self.value(target)?;
                if self.var(var).has_listener && self.listeners.get(&var).is_some_and(|listener| listener.at_read) {
                    self.vars[var.0 as usize].has_listener = false;
                    if let Some(Listener { collector, place, .. }) = self.listeners.remove(&var) {
                        self.receive_flat(collector, &value, place)?;
                    }
                }
                Ok(value)
            }
            kind => match (self.var(var).value(), kind) {
                (None, _) => Err(Flow::Unset(vec![var])),
                (Some(Value::Null), VarKind::Optional(_)) => Err(self.no_optional(var).into()),
                (Some(value), _) => Ok(value.clone()),
            },
        }
    }

    fn no_optional(&self, var: VarId) -> Box<Raise> {
        let owner = self.owner_of(var);
        let attribute = owner.map(|owner| self.program.attribute(owner.attribute));
        let message = format!(
            "Optional variable accessed that has no value (attribute `{}.{}` of `{}`)",
            attribute.map_or_else(String::new, |attribute| self.program.entity_name(attribute.entity)),
            attribute.map_or("", |attribute| self.program.text(attribute.name)),
            owner.map_or_else(String::new, |owner| pystr::Instances::long(self, owner.instance))
        );
        Raise::new(Class::OptionalValue, message)
    }

    /// The same without the value: an error where there is none.
    pub(super) fn read(&mut self, var: VarId) -> Run<()> {
        let found = self.var(var);
        match (found.kind, found.value()) {
            (VarKind::Proxy(UNCONNECTED), _) => Err(Flow::Unset(vec![var])),
            (VarKind::Proxy(target), _) if !found.has_listener => self.read(target),
            (VarKind::Proxy(_), _) => self.value(var).map(|_| ()),
            (_, None) => Err(Flow::Unset(vec![var])),
            (VarKind::Optional(_), Some(Value::Null)) => Err(self.no_optional(var).into()),
            (_, Some(_)) => Ok(()),
        }
    }

    // Waiting

    pub(super) fn wait(&mut self, task: TaskId, var: VarId) {
        self.tasks[task].missing += 1;
        self.wait_for(task, var);
    }

    fn wait_for(&mut self, task: TaskId, mut var: VarId) {
        while let VarKind::Proxy(target) = self.var(var).kind {
            if target == UNCONNECTED {
                break;
            }
            var = target;
        }
        if self.var(var).is_ready() {
            self.wake(task);
            return;
        }
        if self.trace.is_on && self.is_delayed(var) {
            let place = self.task_place(task);
            self.trace.note(var, What::Wait, Some(place));
        }
        self.add_waiter(task, var);
    }

    fn add_waiter(&mut self, task: TaskId, var: VarId) {
        let found = &mut self.vars[var.0 as usize];
        let State::Unset(waiters) = &mut found.state else { return };
        match *waiters {
            Waiters::None => *waiters = Waiters::One(task),
            Waiters::One(first) => {
                *waiters = Waiters::Many(self.waiter_lists.add([first, task]));
            }
            Waiters::Many(at) => self.waiter_lists.lists[at as usize].push(task),
        }
        if let VarKind::List(at) | VarKind::Optional(at) = found.kind {
            let number = self.delayed[at as usize].idle;
            if number != NOT_IDLE {
                self.idle.awaken(number);
            }
        }
    }

    fn waiters(&self, var: VarId) -> &[TaskId] {
        match &self.var(var).state {
            State::Unset(Waiters::One(one)) => std::slice::from_ref(one),
            State::Unset(Waiters::Many(at)) => &self.waiter_lists.lists[*at as usize],
            State::Unset(Waiters::None) | State::Ready(_) => &[],
        }
    }

    pub(super) fn wake(&mut self, task: TaskId) {
        let found = &mut self.tasks[task];
        found.missing -= 1;
        if found.missing == 0 {
            self.run_queue.push_back(task);
        }
    }

    /// Gives a variable its value. The caller wakes the waiters.
    pub(super) fn make_ready(&mut self, var: VarId, value: Value, place: Option<Span>) -> Waiters {
        let found = &mut self.vars[var.0 as usize];
        if let Some(place) = place {
            found.set_at = place;
        }
        match std::mem::replace(&mut found.state, State::Ready(value)) {
            State::Unset(waiters) => waiters,
            State::Ready(_) => Waiters::None,
        }
    }

    pub(super) fn wake_all(&mut self, waiters: Waiters) {
        self.each_waiter(waiters, Self::wake);
    }

    fn each_waiter(&mut self, waiters: Waiters, act: impl Fn(&mut Self, TaskId)) {
        match waiters {
            Waiters::None => {}
            Waiters::One(task) => act(self, task),
            Waiters::Many(at) => {
                let mut list = self.waiter_lists.take(at);
                list.drain(..).for_each(|task| act(self, task));
                self.waiter_lists.free(at, list);
            }
        }
    }

    /// Connects a proxy to its variable.
    pub(super) fn connect(&mut self, proxy: VarId, target: VarId) -> Run<()> {
        let found = &mut self.vars[proxy.0 as usize];
        let VarKind::Proxy(_) = found.kind else { return Ok(()) };
        found.kind = VarKind::Proxy(target);
        if found.has_listener
            && let Some(Listener { collector, place, .. }) = self.listeners.get(&proxy)
        {
            if self.listen(target, *collector, *place)? {
                self.listeners.remove(&proxy);
                self.vars[proxy.0 as usize].has_listener = false;
            } else if let Some(listener) = self.listeners.get_mut(&proxy) {
                listener.at_read = true;
            }
        }
        let state = &mut self.vars[proxy.0 as usize].state;
        if let State::Unset(waiters) = std::mem::replace(state, State::Unset(Waiters::None)) {
            self.each_waiter(waiters, |machine, task| machine.wait_for(task, target));
        }
        Ok(())
    }

    /// Gives the values to a listener as they come, where the variable can do so.
    pub(super) fn listen(&mut self, var: VarId, listener: CollectorId, place: Span) -> Run<bool> {
        match self.var(var).kind {
            VarKind::Element => {
                if let Some(value) = self.var(var).value().cloned() {
                    self.receive(listener, &value, place)?;
                }
                Ok(true)
            }
            VarKind::List(at) => {
                let at = at as usize;
                let mut next = 0;
                while let Some(value) = self.list_item(var, next) {
                    self.receive(listener, &value, place)?;
                    next += 1;
                }
                if !self.var(var).is_ready() {
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
        match self.var(var).value() {
            Some(Value::List(items)) => items.get(at).cloned(),
            _ => self.delayed[self.delayed_at(var)?].items.get(at).cloned(),
        }
    }

    // Promises and freezing

    /// Takes a promise to set the variable; whether it counts.
    pub(super) fn promise(&mut self, var: VarId, place: Option<Span>) -> bool {
        if !self.is_delayed(var) || self.var(var).is_ready() {
            return false;
        }
        let Some(at) = self.delayed_at(var) else { return false };
        self.delayed[at].promises += 1;
        self.trace.note(var, What::Promise, place);
        true
    }

    pub(super) fn fulfil(&mut self, var: VarId, is_counted: bool, place: Option<Span>) {
        if self.var(var).is_ready() || !self.is_delayed(var) {
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
        let Some(at) = self.delayed_at(var) else { return self.var(var).is_ready() };
        let delayed = &self.delayed[at];
        match self.var(var).kind {
            VarKind::List(_) => delayed.promises == 0 && delayed.items.len() >= self.bounds_of(at).0,
            VarKind::Optional(_) => delayed.promises == 0,
            _ => self.var(var).is_ready(),
        }
    }

    /// How many waiters freezing would help.
    pub(super) fn potential(&self, var: VarId) -> i64 {
        let Some(delayed) = self.delayed_of(var) else { return 0 };
        let waiters = self.waiters(var).len() as i64;
        let ruled = i64::from(delayed.owner.is_some_and(|owner| self.is_ruled(owner.attribute)));
        match self.var(var).kind {
            VarKind::List(_) => waiters - i64::from(delayed.gradual) + ruled,
            VarKind::Optional(_) => waiters + ruled,
            _ => 0,
        }
    }

    /// How many values a relation holds at least, and at most.
    pub(super) fn bounds_of(&self, at: usize) -> (usize, Option<usize>) {
        let attribute = self.delayed[at].owner.map(|owner| self.program.attribute(owner.attribute));
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
            let attribute = self.delayed[at].owner.map(|owner| owner.attribute);
            self.waiting.push(var, attribute);
        }
    }

    /// Nothing waits for a candidate: it is idle until something does.
    pub(super) fn make_idle(&mut self, var: VarId) {
        let number = self.idle.push(var);
        self.set_idle(var, Some(number));
    }

    pub(super) fn set_idle(&mut self, var: VarId, number: Option<u32>) {
        if let Some(at) = self.delayed_at(var) {
            self.delayed[at].idle = number.unwrap_or(NOT_IDLE);
        }
    }

    pub(super) fn unqueue(&mut self, var: VarId) {
        if let Some(at) = self.delayed_at(var) {
            self.delayed[at].is_queued = false;
        }
    }

    pub(super) fn freeze(&mut self, var: VarId, why: Why) {
        self.freeze_with(var, Value::Null, None, why);
    }

    /// Closes a relation: a list with the values that it has, one to an optional instance with this value.
    pub(super) fn freeze_with(&mut self, var: VarId, value: Value, place: Option<Span>, why: Why) {
        if self.var(var).is_ready() {
            return;
        }
        let Some(at) = self.delayed_at(var) else { return };
        if self.trace.is_on && !matches!(self.var(var).kind, VarKind::Literal(_)) {
            let waiters = self.waiters(var);
            let urgent = waiters.iter().find(|task| !self.is_listener(**task)).or(waiters.first());
            let place = urgent.map(|task| self.task_place(*task));
            self.trace.note(var, What::Freeze(why), place);
        }
        let is_list = !matches!(self.var(var).kind, VarKind::Optional(_));
        let delayed = &mut self.delayed[at];
        delayed.is_queued = true;
        delayed.promises = 0;
        delayed.more = None;
        let items = std::mem::take(&mut delayed.items);
        let value = match is_list {
            true if items.is_empty() => self.empty_list.clone(),
            true => Value::list(items),
            false => value,
        };
        let value = self.with_unknown(at, value);
        let waiters = self.make_ready(var, value, place);
        self.wake_all(waiters);
    }
}
