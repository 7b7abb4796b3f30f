//! The relations that a statement would fill which was left out because a plugin did not run: their values are not all known.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::ast::{BlockId, Kind, NodeId};
use super::super::define::{AttributeId, Info};
use super::super::names::Sym;
use super::super::trace::Why;
use super::super::types::EntityId;
use super::super::value::{InstanceId, Value};
use super::super::walk::children;
use super::variable::VarKind;
use super::{Machine, VarId};
use crate::source::Span;

/// What statements that were left out may have done.
#[derive(Default)]
pub(super) struct Open {
    relations: FxHashSet<AttributeId>,
    blocks: FxHashSet<BlockId>,
    entities: FxHashSet<EntityId>,
    nodes: FxHashSet<NodeId>,
    names: FxHashSet<Sym>,
    /// Instances whose index key is not known: each may be the same as another one of its entity.
    doubtful: FxHashSet<InstanceId>,
    /// The entities whose indexes hold such instances.
    doubted: FxHashSet<EntityId>,
}

/// What was left out.
pub(super) enum Part {
    Block(BlockId),
    Node(NodeId),
    /// The implementations that apply to an instance.
    Entity(EntityId),
}

impl Machine<'_> {
    /// Whether a value holds one that is not known because a plugin did not run. Parts may be shared, so that there are too
    /// many to visit: then it counts as one that does.
    pub fn holds_open(&self, value: &Value) -> bool {
        const MOST: usize = 1 << 20;
        fn holds_unknown(value: &Value, left: &mut usize) -> bool {
            *left = left.saturating_sub(1);
            match value {
                _ if *left == 0 => true,
                Value::List(items) => items.iter().any(|value| holds_unknown(value, left)),
                Value::Dict(dict) => dict.items.iter().any(|(_, value)| holds_unknown(value, left)),
                value => value.is_unknown(),
            }
        }
        if self.not_run.borrow().is_empty() {
            return false;
        }
        let mut left = MOST;
        let holds = holds_unknown(value, &mut left);
        self.budget.note_steps((MOST - left) as u64 / 16);
        holds
    }

    /// Whether a list has items that a plugin which did not run would give.
    pub fn is_open_list(&self, value: &Value) -> bool {
        let Value::List(items) = value else { return false };
        !self.not_run.borrow().is_empty() && items.iter().any(Value::is_unknown)
    }

    /// Parts of the model that are left out because a plugin did not run. Relations that they may fill are open from now on.
    pub(super) fn leave_out(&mut self, place: Span, mut parts: Vec<Part>) {
        if self.not_run.borrow().is_empty() {
            return;
        }
        self.left_out.get_or_insert(place);
        let program = self.program;
        while let Some(part) = parts.pop() {
            match part {
                Part::Block(block) => {
                    if self.unfilled.blocks.insert(block) {
                        parts.extend(program.ast.block(block).statements.iter().copied().map(Part::Node));
                    }
                }
                Part::Entity(entity) => {
                    if self.unfilled.entities.insert(entity) {
                        parts.extend(self.made_for(entity));
                    }
                }
                Part::Node(node) => {
                    if !self.unfilled.nodes.insert(node) {
                        continue;
                    }
                    self.budget.note_steps(1);
                    let kind = program.ast.kind(node);
                    parts.extend(children(kind).into_iter().map(Part::Node));
                    match kind {
                        Kind::For { body, .. } => parts.push(Part::Block(*body)),
                        Kind::If { yes, no, .. } => parts.extend([Part::Block(*yes), Part::Block(*no)]),
                        Kind::SetAttribute { name, .. } => self.open_named(*name),
                        Kind::New { arguments, .. } => {
                            let Info::New(at) = program.info(node) else { continue };
                            let entity = program.constructions[at as usize].entity;
                            for (word, _) in &arguments.named {
                                self.open_end(program.attribute_of(entity, word.sym));
                            }
                            if !arguments.spread.is_empty() {
                                let all = program.entity(entity).all.iter();
                                all.for_each(|(_, attribute)| self.open_end(Some(*attribute)));
                            }
                            parts.push(Part::Entity(entity));
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    /// The bodies that run for a new instance of an entity.
    fn made_for(&self, entity: EntityId) -> Vec<Part> {
        let program = self.program;
        let numbers = program.entity(entity).constructors.iter().filter_map(|node| match program.ast.kind(*node) {
            Kind::Implement(number) => Some(*number as usize),
            _ => None,
        });
        let implementations = numbers.flat_map(|number| &program.implements[number].implementations);
        implementations.map(|one| Part::Block(program.implementations[one.0 as usize].body)).collect()
    }

    /// Every relation of this name may get a value, and so may its other side.
    fn open_named(&mut self, name: Sym) {
        let program = self.program;
        if !self.unfilled.names.insert(name) {
            return;
        }
        self.budget.note_steps(program.attributes.len() as u64 / 16 + 1);
        for (attribute, at) in program.attributes.iter().zip(0..) {
            if attribute.name == name && attribute.relation.is_some() {
                self.unfilled.relations.insert(AttributeId(at));
                self.open_end(Some(AttributeId(at)));
            }
        }
    }

    /// The other side of a relation may get a value.
    pub(super) fn open_end(&mut self, attribute: Option<AttributeId>) {
        let relation = attribute.and_then(|attribute| self.program.attribute(attribute).relation.as_ref());
        if let Some(end) = relation.and_then(|relation| relation.end)
            && !self.not_run.borrow().is_empty()
        {
            self.unfilled.relations.insert(end);
        }
    }

    /// Whether a relation may miss values that a statement would have set which was left out.
    pub(super) fn is_open(&self, attribute: AttributeId) -> bool {
        self.unfilled.relations.contains(&attribute)
    }

    /// Whether a part of an index key is not known, because a plugin did not run or its instance is a doubtful one.
    pub(super) fn is_doubtful(&self, part: &Value) -> bool {
        match part {
            Value::Instance(id) => self.unfilled.doubtful.contains(id),
            part => part.is_unknown() && self.reference_key(part).is_none() && !self.not_run.borrow().is_empty(),
        }
    }

    /// An instance gets into an index with a key that is not known.
    pub(super) fn doubt(&mut self, id: InstanceId, entity: EntityId, place: Span) {
        self.left_out.get_or_insert(place);
        self.unfilled.doubtful.insert(id);
        self.unfilled.doubted.insert(entity);
    }

    /// Whether an instance may be the same as another one, so that its relations may hold more than is set here.
    fn may_coincide(&self, id: InstanceId) -> bool {
        let own = self.instances[id.0 as usize].entity;
        let mut doubted = self.unfilled.doubted.iter();
        doubted.any(|of| self.program.is_subclass(own, *of) && self.entities[of.0 as usize].instances.len() > 1)
    }

    /// Whether two values differ only in instances that may be one, or a list may hold a value by such an instance.
    pub(super) fn may_be_same(&self, one: &Value, other: &Value) -> bool {
        if self.unfilled.doubted.is_empty() {
            return false;
        }
        match (one, other) {
            (Value::Instance(a), Value::Instance(b)) => {
                let is_doubtful = self.unfilled.doubtful.contains(a) || self.unfilled.doubtful.contains(b);
                a != b && is_doubtful && self.may_coincide(*a) && self.may_coincide(*b)
            }
            (Value::Instance(_) | Value::Dict(_), Value::List(items)) => {
                !items.contains(one) && items.iter().any(|item| self.may_be_same(one, item))
            }
            (Value::List(a), Value::List(b)) => {
                let mut pairs = a.iter().zip(b.iter());
                a.len() == b.len()
                    && one != other
                    && pairs.all(|(one, other)| one == other || self.may_be_same(one, other))
            }
            (Value::Dict(a), Value::Dict(b)) => {
                let is_near = |one: &Value, other: &Value| one == other || self.may_be_same(one, other);
                a.items.len() == b.items.len()
                    && one != other
                    && a.items.iter().all(|(key, one)| b.get(key).is_some_and(|other| is_near(one, other)))
            }
            _ => false,
        }
    }

    /// Whether a list holds two instances that may be one.
    fn holds_doubles(&self, value: &Value) -> bool {
        let Value::List(items) = value else { return false };
        !self.unfilled.doubtful.is_empty()
            && items.len() > 1
            && items.iter().any(
                |item| matches!(item, Value::Instance(id) if self.unfilled.doubtful.contains(id) && self.may_coincide(*id)),
            )
    }

    /// Nothing moves, and statements wait for values that only a statement would give which was left out: those values are
    /// unknown. Whether there were any.
    pub(super) fn free_waiting(&mut self) -> bool {
        if self.left_out.is_none() {
            return false;
        }
        let waiting = self.tasks.waiting();
        self.budget.note_steps(waiting.len() as u64);
        let mut wanted: Vec<VarId> = Vec::new();
        let mut results: FxHashSet<VarId> = FxHashSet::default();
        let mut needs: FxHashMap<VarId, VarId> = FxHashMap::default();
        for task in waiting {
            let own = wanted.len();
            for var in self.tasks[task].dependencies() {
                let Some(var) = self.resolved(var) else { continue };
                if !self.is_ready(var) && !matches!(self.var(var).kind, VarKind::Literal(_) | VarKind::Proxy(_)) {
                    wanted.push(var);
                }
            }
            let Some(result) = self.tasks[task].result() else { continue };
            results.insert(result);
            if let Some(var) = wanted.get(own) {
                needs.entry(result).or_insert(*var);
            }
        }
        // What a statement gives that waits itself comes later, unless all wait for each other.
        let mut first: Vec<VarId> = wanted.iter().copied().filter(|var| !results.contains(var)).collect();
        if first.is_empty() {
            first = one_of_each_ring(&wanted, &needs);
        }
        if first.is_empty() {
            first.extend(wanted.first());
        }
        first.iter().for_each(|var| self.free(*var));
        !first.is_empty()
    }

    fn free(&mut self, var: VarId) {
        if self.is_ready(var) {
            return;
        }
        let unknown = self.unknown();
        match self.var(var).kind {
            VarKind::List(_) => {
                if let Some(attribute) = self.attribute_of(var) {
                    self.unfilled.relations.insert(attribute);
                }
                self.freeze(var, Why::Leftover);
            }
            VarKind::Optional(_) => self.freeze_with(var, unknown, None, Why::Leftover),
            _ => {
                self.open_end(self.attribute_of(var));
                let waiters = self.make_ready(var, unknown, None);
                self.wake_all(waiters);
            }
        }
    }

    /// The value of an open relation that closes: one more that is not known, unless it is full.
    pub(super) fn with_unknown(&mut self, at: usize, value: Value) -> Value {
        let owner = self.delayed[at].owner;
        let is_open = owner.is_some_and(|owner| self.is_open(owner.attribute) || self.may_coincide(owner.instance));
        if !is_open && !self.holds_doubles(&value) {
            return value;
        }
        match value {
            Value::List(items) if Some(items.len()) != self.bounds_of(at).1 => {
                let mut items = items.to_vec();
                if !items.last().is_some_and(Value::is_unknown) {
                    items.push(self.unknown());
                }
                Value::list(items)
            }
            Value::Null => self.unknown(),
            value => value,
        }
    }
}

/// One value of each ring of values that wait for each other: the first that is wanted. `needs` has what a value waits for.
fn one_of_each_ring(wanted: &[VarId], needs: &FxHashMap<VarId, VarId>) -> Vec<VarId> {
    let mut walks: FxHashMap<VarId, usize> = FxHashMap::default();
    let mut rings = Vec::new();
    for (walk, start) in wanted.iter().enumerate() {
        let mut var = *start;
        let seen = loop {
            if let Some(seen) = walks.get(&var) {
                break Some(*seen);
            }
            walks.insert(var, walk);
            match needs.get(&var) {
                Some(next) => var = *next,
                None => break None,
            }
        };
        if seen == Some(walk) {
            rings.push(var);
        }
    }
    rings
}
