//! Instances: constructors, indexes and implementations.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::super::ast::{Kind, NodeId};
use super::super::define::{Construction, Implementation, Info};
use super::super::error::{Class, Raise};
use super::super::names::Sym;
use super::super::operators;
use super::super::pystr;
use super::super::types::{EntityId, Ty};
use super::super::value::{InstanceId, Value};
use super::open::Part;
use super::task::{Dependencies, Ready};
use super::variable::DISCARDED;
use super::{IndexKey, Instance, KeyPart, Machine, Run, Scope, ScopeId, VarId};
use crate::diag::Code;
use crate::source::Span;

/// How many instances may each be made by the implementation of the one before.
const DEEPEST: u32 = 5_000;

impl Machine<'_> {
    /// Attributes that `**` and the other side of a relation give.
    fn late_arguments(
        &mut self,
        node: NodeId,
        construction: &Construction,
        ready: &Ready,
        scope: ScopeId,
    ) -> Run<Vec<(Sym, Value)>> {
        let program = self.program;
        let span = program.ast.span(node);
        let Kind::New { class, arguments } = program.ast.kind(node) else { return Ok(Vec::new()) };
        let mut late: Vec<(Sym, Value)> = Vec::new();
        for spread in &arguments.spread {
            let Value::Dict(dict) = self.execute(*spread, ready, scope)? else { continue };
            for (key, value) in &dict.items {
                let sym = program.names.find(key);
                let is_named = arguments.named.iter().any(|(word, _)| Some(word.sym) == sym);
                if is_named || late.iter().any(|(name, _)| Some(*name) == sym) {
                    let class = program.text(class.sym);
                    let message = format!("The attribute {key} is set twice in the constructor call of {class}.");
                    let help = format!("remove `{key}` from the dictionary, or from the constructor");
                    return Err(Raise::at(Class::Runtime, span, message).with_help(help).into());
                }
                let known = sym.filter(|sym| program.attribute_of(construction.entity, *sym).is_some());
                let Some(sym) = known else {
                    let message = format!("no attribute {key} on type {}", program.entity_name(construction.entity));
                    let mut raise = Raise::at(Class::Typing, span, message).with_code(Code::UnknownField);
                    raise.help = program.attribute_help(construction.entity, key);
                    return Err(raise.into());
                };
                late.push((sym, value.clone()));
            }
        }
        if let Some((around, attribute)) = construction.around {
            let holder = self.execute(around, ready, scope)?;
            let Value::Instance(instance) = holder else {
                return Err(Raise::at(Class::Internal, span, "the attribute belongs to no instance").into());
            };
            let entity = self.instances[instance.0 as usize].entity;
            let relation =
                program.attribute_of(entity, attribute).and_then(|id| program.attribute(id).relation.as_ref());
            let Some(relation) = relation else {
                let message = format!(
                    "Attempting to assign constructor of type {} to attribute that is not a relation attribute: {}",
                    program.entity_name(construction.entity),
                    program.text(attribute)
                );
                let help = "declare a relation: `ENTITY.NAME [1] -- OTHER.NAME [0:]`";
                return Err(Raise::at(Class::Runtime, span, message).with_help(help).into());
            };
            if let Some(end) = relation.end.map(|end| program.attribute(end)) {
                let is_indexed =
                    program.entity(construction.entity).indexes.iter().any(|index| index.contains(&end.name));
                let is_given = construction.direct.iter().any(|(name, _)| *name == end.name)
                    || late.iter().any(|(name, _)| *name == end.name);
                if is_indexed && !is_given && program.is_subclass(construction.entity, end.entity) {
                    late.insert(0, (end.name, Value::Instance(instance)));
                }
            }
        }
        let missing: Vec<Sym> =
            construction.missing.iter().copied().filter(|name| !late.iter().any(|(other, _)| other == name)).collect();
        if !missing.is_empty() {
            return Err(program.index_attributes_missing(node, construction.entity, &missing).into());
        }
        Ok(late)
    }

    pub(super) fn construct(&mut self, node: NodeId, ready: &Ready, scope: ScopeId) -> Run<Value> {
        let program = self.program;
        let Info::New(at) = program.info(node) else { return Ok(Value::Null) };
        let construction = &program.constructions[at as usize];
        let entity = construction.entity;
        let late = self.late_arguments(node, construction, ready, scope)?;
        let mut direct: Vec<(Sym, Value)> = Vec::with_capacity(construction.direct.len() + late.len());
        for (name, value) in &construction.direct {
            direct.push((*name, self.execute(*value, ready, scope)?));
        }
        let late_names: Vec<Sym> = late.iter().map(|(name, _)| *name).collect();
        for (name, value) in late {
            match direct.iter_mut().find(|(other, _)| *other == name) {
                Some((_, old)) => *old = value,
                None => direct.push((name, value)),
            }
        }
        let instance = self.found_or_made(node, entity, &direct, scope)?;
        let own = self.attribute_var(instance, program.self_name)?;
        let inner = self.new_scope(Scope::Variable { parent: scope, name: construction.self_name, var: own });
        for (name, value) in &construction.indirect {
            if late_names.contains(name) {
                continue;
            }
            let var = self.attribute_var(instance, *name)?;
            let mut dependencies = Dependencies::default();
            if self.is_multi(var) {
                let collector = self.new_setter(node, instance, *name, var);
                self.emit_gradual(*value, inner, collector, &mut dependencies)?;
            } else {
                self.emit(*value, inner, &mut dependencies)?;
            }
            self.new_setting(inner, dependencies, *value, var, node, (instance, *name));
        }
        self.emit_implements(instance)?;
        Ok(Value::Instance(instance))
    }

    /// Makes an instance from all of its attributes.
    pub fn construct_with(
        &mut self,
        node: NodeId,
        entity: EntityId,
        attributes: &[(Sym, Value)],
        scope: ScopeId,
    ) -> Run<InstanceId> {
        let instance = self.found_or_made(node, entity, attributes, scope)?;
        self.emit_implements(instance)?;
        Ok(instance)
    }

    /// The instance that the indexes hold, with these attributes set once more, or a new one.
    fn found_or_made(
        &mut self,
        node: NodeId,
        entity: EntityId,
        direct: &[(Sym, Value)],
        scope: ScopeId,
    ) -> Run<InstanceId> {
        let span = self.program.ast.span(node);
        let Some(instance) = self.existing(node, entity, direct)? else {
            return self.new_instance(entity, direct, scope, span);
        };
        self.instances[instance.0 as usize].places.push(span);
        for (name, value) in direct {
            self.set_attribute(instance, *name, value, span, true)?;
        }
        Ok(instance)
    }

    fn emit_implements(&mut self, instance: InstanceId) -> Run<()> {
        let program = self.program;
        let found = &self.instances[instance.0 as usize];
        let scope = found.scope;
        for statement in &program.entity(found.entity).constructors {
            self.emit_expression(*statement, scope, DISCARDED, *statement)?;
        }
        Ok(())
    }

    /// The instance that the indexes hold for these attributes.
    fn existing(&mut self, node: NodeId, entity: EntityId, direct: &[(Sym, Value)]) -> Run<Option<InstanceId>> {
        let program = self.program;
        let span = program.ast.span(node);
        let mut found: Option<InstanceId> = None;
        for index in &program.entity(entity).indexes {
            let mut query = Vec::with_capacity(index.len());
            for name in index.iter() {
                let value = direct.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone());
                query.push((*name, value.unwrap_or(Value::Null)));
            }
            let key = self.index_key(entity, &query, span)?;
            let Some(instance) = self.entities[entity.0 as usize].index.get(&key).copied() else { continue };
            if self.instances[instance.0 as usize].entity != entity {
                let first = self.instances[instance.0 as usize].places.first().copied();
                let mut raise = Raise::at(Class::Duplicate, span, "Type found in index is not an exact match");
                raise.related.extend(first.map(|place| (place, "the other instance is made here".to_string())));
                return Err(raise.into());
            }
            if found.is_some_and(|first| first != instance) {
                return Err(Raise::at(Class::IndexCollision, span, "Inconsistent indexes detected!\n").into());
            }
            found = Some(instance);
        }
        Ok(found)
    }

    /// The namespace that a scope is in, and the instance whose implementation it belongs to.
    fn origin_of(&self, mut scope: ScopeId) -> (super::NsId, Option<InstanceId>) {
        loop {
            scope = match self.scopes[scope.0 as usize] {
                Scope::Root(ns) => return (ns, None),
                Scope::Instance(id) => return (self.instances[id.0 as usize].root, Some(id)),
                Scope::Block { parent, .. } | Scope::Namespace { parent, .. } | Scope::Variable { parent, .. } => {
                    parent
                }
            };
        }
    }

    /// Instances that make further instances without end: the entities of the loop, and where each is constructed.
    fn endless(&self, entity: EntityId, mut maker: Option<InstanceId>, span: Span) -> Box<Raise> {
        let name = |entity: EntityId| self.program.entity_name(entity);
        let mut steps = vec![(entity, span)];
        while let Some(id) = maker {
            let instance = &self.instances[id.0 as usize];
            if steps.iter().any(|step| *step == (instance.entity, instance.place())) {
                break;
            }
            steps.push((instance.entity, instance.place()));
            maker = instance.maker;
        }
        steps.reverse();
        let mut names: Vec<String> = steps.iter().map(|(entity, _)| name(*entity)).collect();
        names.push(names[0].clone());
        let message = format!("this does not end: {}, {DEEPEST} levels deep", names.join(" makes "));
        let mut raise = Raise::at(Class::Compiler, span, message).with_code(Code::EvaluationLimit);
        for (entity, place) in steps.into_iter().filter(|(_, place)| *place != span) {
            raise.related.push((place, format!("{} is made here", name(entity))));
        }
        raise.with_help("give one of these implementations a condition, such as `implement … using … when …`")
    }

    fn new_instance(
        &mut self,
        entity: EntityId,
        direct: &[(Sym, Value)],
        scope: ScopeId,
        span: Span,
    ) -> Run<InstanceId> {
        let program = self.program;
        if self.instances.len() >= self.bounds.instances {
            let message = format!("the model has more than {} instances", self.bounds.instances);
            let raise = Raise::at(Class::Compiler, span, message).with_code(Code::EvaluationLimit);
            return Err(self.endless_at(raise).into());
        }
        let id = InstanceId(self.instances.len() as u32);
        let (root, maker) = self.origin_of(scope);
        let depth = maker.map_or(0, |maker| self.instances[maker.0 as usize].depth + 1);
        if depth > DEEPEST {
            return Err(self.endless(entity, maker, span).into());
        }
        let own_scope = self.new_scope(Scope::Instance(id));
        let first = VarId(self.vars.len() as u32);
        self.instances.push(Instance {
            entity,
            first,
            root,
            scope: own_scope,
            maker,
            depth,
            places: smallvec![span],
            implementations: SmallVec::new(),
        });
        for (_, attribute) in &program.entity(entity).all {
            self.new_attribute(*attribute, id);
        }
        self.new_element(Value::Instance(id));
        for (name, value) in direct {
            self.set_attribute(id, *name, value, span, true)?;
        }
        self.add_instance(entity, id, span)?;
        Ok(id)
    }

    /// Adds an instance to the lists and indexes of its entity and all above it.
    fn add_instance(&mut self, entity: EntityId, id: InstanceId, span: Span) -> Run<()> {
        let program = self.program;
        let mut open = vec![entity];
        while let Some(at) = open.pop() {
            let state = &mut self.entities[at.0 as usize];
            // Two parents may share an ancestor; without this, diamonds in a row are visited without end.
            if state.instances.last() == Some(&id) {
                continue;
            }
            state.instances.push(id);
            self.add_to_indexes(at, id, span)?;
            open.extend(program.entity(at).parents.iter().rev());
        }
        Ok(())
    }

    fn add_to_indexes(&mut self, entity: EntityId, id: InstanceId, span: Span) -> Run<()> {
        let program = self.program;
        for index in &program.entity(entity).indexes {
            let mut parts = Vec::with_capacity(index.len());
            let mut is_doubtful = false;
            for name in index.iter() {
                let var = self.attribute_var(id, *name)?;
                if !self.is_ready(var) {
                    break;
                }
                let value = self.value(var)?;
                is_doubtful |= self.is_doubtful(&value);
                parts.push((*name, self.key_part(&value)));
            }
            if parts.len() < index.len() {
                continue;
            }
            if is_doubtful {
                self.doubt(id, entity, span);
            }
            let key = IndexKey(parts.into());
            let state = &mut self.entities[entity.0 as usize];
            let pending = if state.waiting.is_empty() { None } else { state.waiting.remove(&key) };
            let other = match state.index.entry(key) {
                Entry::Occupied(entry) if *entry.get() != id => Some((*entry.get(), entry.key().clone())),
                Entry::Occupied(_) => None,
                Entry::Vacant(entry) => {
                    entry.insert(id);
                    None
                }
            };
            if let Some((other, key)) = other {
                let text = self.key_text(&key);
                let places = &self.instances[other.0 as usize].places;
                let mut raise = Raise::at(Class::Duplicate, span, format!("Duplicate key in index. {text}"));
                raise
                    .related
                    .extend(places.first().map(|place| (*place, "the first instance is made here".to_string())));
                return Err(raise.into());
            }
            if let Some(pending) = pending {
                for (target, node) in pending.lookups {
                    self.set(target, &Value::Instance(id), program.ast.span(node), true)?;
                }
            }
        }
        Ok(())
    }

    fn key_part(&self, value: &Value) -> KeyPart {
        match value {
            Value::Instance(id) => KeyPart::Instance(*id),
            Value::Str(text) => KeyPart::Str(text.clone()),
            Value::Int(number) => KeyPart::Int(*number),
            other => KeyPart::Other(pystr::repr(other, self).into()),
        }
    }

    fn key_text(&self, key: &IndexKey) -> String {
        let parts: Vec<_> = key
            .0
            .iter()
            .map(|(name, part)| {
                let value = match part {
                    KeyPart::Instance(id) => pystr::Instances::short(self, *id),
                    KeyPart::Str(text) => pystr::repr(&Value::Str(text.clone()), self),
                    KeyPart::Int(number) => number.to_string(),
                    KeyPart::Other(text) => text.to_string(),
                };
                format!("{}={value}", self.program.text(*name))
            })
            .collect();
        parts.join(", ")
    }

    /// The key of a look-up: attributes by name, numbers of float attributes as floats.
    fn index_key(&self, entity: EntityId, query: &[(Sym, Value)], span: Span) -> Run<IndexKey> {
        let program = self.program;
        let mut parts = Vec::with_capacity(query.len());
        for (name, value) in query {
            let ty = program.attribute_of(entity, *name).map(|id| &program.attribute(id).ty);
            let is_float = match ty {
                Some(Ty::Float) => true,
                Some(Ty::Nullable(inner)) => **inner == Ty::Float && !matches!(value, Value::Null),
                _ => false,
            };
            let part = if is_float && !value.is_unknown() {
                let float = operators::cast(
                    super::super::types::CastTo::Float,
                    std::slice::from_ref(value),
                    false,
                    span,
                    self,
                )?;
                self.key_part(&float)
            } else {
                self.key_part(value)
            };
            parts.push((*name, part));
        }
        parts.sort_by(|(a, _), (b, _)| program.text(*a).cmp(program.text(*b)));
        Ok(IndexKey(parts.into()))
    }

    pub(super) fn look_up(&mut self, node: NodeId, ready: &Ready, scope: ScopeId, target: VarId) -> Run<()> {
        let program = self.program;
        let span = program.ast.span(node);
        let mut query: Vec<(Arc<str>, Value)> = Vec::new();
        let (entity, arguments) = match program.ast.kind(node) {
            Kind::IndexLookup { query: arguments, .. } => {
                let Info::Index(entity) = program.info(node) else { return Ok(()) };
                (entity, arguments)
            }
            Kind::ShortIndexLookup { of, relation, query: arguments } => {
                let root = self.execute(*of, ready, scope)?;
                let wrong = |what: String| Raise::at(Class::Typing, span, what);
                let Value::Instance(instance) = root else {
                    let text = pystr::str(&root, self);
                    let message = format!("short index lookup is only possible one objects, {text} is not an object");
                    return self.raise(wrong(message).with_help("look it up by its entity: `ENTITY[ATTRIBUTE=VALUE]`"));
                };
                let name = program.text(relation.sym);
                let of = self.instances[instance.0 as usize].entity;
                let attribute = program.attribute_of(of, relation.sym).map(|id| program.attribute(id));
                let Some(found) = attribute.and_then(|attribute| attribute.relation.as_ref()) else {
                    let refused =
                        wrong(format!("short index lookup is only possible on relations, {name} is an attribute"));
                    let relations: Vec<&str> = self
                        .attributes_of(instance)
                        .filter(|(name, ..)| {
                            program.attribute_of(of, *name).is_some_and(|id| program.attribute(id).relation.is_some())
                        })
                        .map(|(name, ..)| program.text(name))
                        .collect();
                    let near = crate::diag::nearest(name, relations.iter().copied());
                    let refused = match attribute {
                        None => refused.with_label(format!("the entity has no relation `{name}`")),
                        Some(_) => refused,
                    };
                    return self.raise(match near {
                        Some(near) => refused.with_help(format!("did you mean `{near}`?")),
                        None if relations.is_empty() => {
                            refused.with_help("look the instance up by its entity: `ENTITY[ATTRIBUTE=VALUE]`")
                        }
                        None => refused.with_help(format!("its relations are {}", relations.join(", "))),
                    });
                };
                let Some(end) = found.end else {
                    let message = format!(
                        "short index lookup is only possible on bi-drectional relations, {name} is unidirectional"
                    );
                    let help = "give the relation a name on its other side, or look the instance up by its entity";
                    return self.raise(wrong(message).with_help(help));
                };
                query.push((program.names.shared(program.attribute(end).name), Value::Instance(instance)));
                (found.target, arguments)
            }
            _ => return Ok(()),
        };
        for (word, value) in &arguments.named {
            query.push((program.names.shared(word.sym), self.execute(*value, ready, scope)?));
        }
        for spread in &arguments.spread {
            let Value::Dict(dict) = self.execute(*spread, ready, scope)? else { continue };
            query.extend(dict.items.iter().cloned());
        }
        for (at, (name, _)) in query.iter().enumerate() {
            if query[..at].iter().any(|(other, _)| other == name) {
                let message = format!("Attribute {name} provided twice in index lookup");
                return Err(Raise::at(Class::Runtime, span, message).with_help("remove one of the two").into());
            }
        }
        let known: Option<Vec<(Sym, Value)>> =
            query.iter().map(|(name, value)| Some((program.names.find(name)?, value.clone()))).collect();
        let known = known.filter(|query| {
            program
                .entity(entity)
                .indexes
                .iter()
                .any(|index| index.len() == query.len() && query.iter().all(|(name, _)| index.contains(name)))
        });
        let Some(known) = known else {
            let pair = |(name, value): &(Arc<str>, Value)| format!("('{name}', {})", pystr::repr(value, self));
            let pairs: Vec<_> = query.iter().map(pair).collect();
            let message =
                format!("No index defined on {} for this lookup: [{}]", program.entity_name(entity), pairs.join(", "));
            let indexes = &program.entity(entity).indexes;
            let shown = |index: &[Sym]| {
                let names: Vec<&str> = index.iter().map(|name| program.text(*name)).collect();
                format!("`{}`", names.join(", "))
            };
            let all: Vec<String> = indexes.iter().map(|index| shown(index)).collect();
            let help = match all.is_empty() {
                true => format!("add `index {}(…)` to the model", program.text(program.entity(entity).name)),
                false => format!("its indexes are {}: name all attributes of one", all.join(" and ")),
            };
            return Err(Raise::at(Class::NotFound, span, message)
                .with_code(Code::InvalidReference)
                .with_help(help)
                .into());
        };
        if known.iter().any(|(_, value)| value.is_unknown() && self.is_doubtful(value)) {
            self.left_out.get_or_insert(span);
            let unknown = self.unknown();
            return self.set(target, &unknown, span, true);
        }
        let key = self.index_key(entity, &known, span)?;
        let state = &mut self.entities[entity.0 as usize];
        if let Some(instance) = state.index.get(&key).copied() {
            return self.set(target, &Value::Instance(instance), span, true);
        }
        let pending = state.waiting.entry(key).or_default();
        if pending.lookups.is_empty() {
            pending.number = state.awaited;
            state.awaited += 1;
        }
        pending.lookups.push((target, node));
        Ok(())
    }

    /// The implementations that ran for no instance, with their names.
    pub fn idle_implementations(&self) -> Vec<(String, Span)> {
        let ran: FxHashSet<u32> =
            self.instances.iter().flat_map(|one| &one.implementations).map(|implementation| implementation.0).collect();
        let idle = self.program.implementations.iter().zip(0..).filter(|(_, at)| !ran.contains(at));
        let named = |(one, _): (&Implementation, u32)| {
            let name = format!("{}::{}", self.program.ns(one.ns).name, self.program.names.text(one.name));
            (name.trim_start_matches("__config__::").to_owned(), one.span)
        };
        idle.map(named).collect()
    }

    /// One `implement` of an instance: runs its implementations, each at most once.
    pub(super) fn implement(&mut self, number: u32, ready: &Ready, scope: ScopeId) -> Run<Value> {
        let program = self.program;
        let implement = &program.implements[number as usize];
        let Scope::Instance(id) = self.scopes[scope.0 as usize] else { return Ok(Value::Null) };
        let condition = self.execute(implement.condition, ready, scope)?;
        match condition {
            Value::Bool(false) => return Ok(Value::Null),
            Value::Unknown(_) => {
                let bodies = implement.implementations.iter();
                let bodies = bodies.map(|one| Part::Block(program.implementations[one.0 as usize].body)).collect();
                self.leave_out(program.ast.span(implement.condition), bodies);
                return Ok(Value::Null);
            }
            Value::Bool(true) => {}
            other => {
                let text = pystr::str(&other, self);
                let message = format!(
                    "Invalid value `{text}`: the condition for a conditional implementation can only be a boolean \
                     expression"
                );
                return Err(Raise::new(Class::WrongValue, message)
                    .with_help(super::super::operators::as_bool(&other))
                    .into());
            }
        }
        for implementation in &implement.implementations {
            let instance = &mut self.instances[id.0 as usize];
            if instance.implementations.contains(implementation) {
                continue;
            }
            instance.implementations.push(*implementation);
            let found = &program.implementations[implementation.0 as usize];
            let inner = self.enter_nested(found.body, scope);
            self.emit_block(found.body, inner)?;
        }
        Ok(Value::Null)
    }

    /// Look-ups that found nothing, with the text of their key.
    pub(super) fn unmet_lookups(&self, entity: EntityId) -> Vec<(NodeId, String)> {
        let state = &self.entities[entity.0 as usize];
        let mut waiting: Vec<_> = state.waiting.iter().collect();
        waiting.sort_by_key(|(_, pending)| pending.number);
        let texts = waiting.into_iter().map(|(key, pending)| (self.key_text(key), pending));
        texts.flat_map(|(text, pending)| pending.lookups.iter().map(move |(_, node)| (*node, text.clone()))).collect()
    }

    /// Whether an implementation was selected for the instance.
    pub fn has_implementation(&self, instance: InstanceId) -> bool {
        !self.instances[instance.0 as usize].implementations.is_empty()
    }
}
