//! Entities, relations, indexes, types and implementations.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::ast::{BlockId, Bounds, EntityDef, Kind, NodeId, NsId, RelationDef, Top, TypeName, Word};
use super::super::error::{Class, Raise, Result};
use super::super::names::Sym;
use super::super::plugin::PluginDef;
use super::super::types::{EntityId, Ty, TypedefId};
use super::super::value::Value;
use super::{Meaning, Named, Program, Typedef};
use crate::diag::Code;
use crate::source::{FileId, Span};

/// How many others one entity may inherit from: each of them is looked at for each.
const ANCESTORS: usize = 1000;

/// The id of an attribute in the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttributeId(pub u32);

/// The id of an implementation in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImplementationId(pub u32);

/// What makes an attribute a relation.
#[derive(Clone, Debug)]
pub struct Relation {
    pub bounds: Bounds,
    /// The attribute on the other side.
    pub end: Option<AttributeId>,
    pub target: EntityId,
    /// Attributes that freeze after this one, by the project's policy.
    pub before: Vec<AttributeId>,
}

/// An attribute of an entity, or its end of a relation.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: Sym,
    pub entity: EntityId,
    pub ty: Ty,
    pub is_list: bool,
    pub span: Span,
    pub relation: Option<Relation>,
}

impl Attribute {
    fn is_multi(&self) -> bool {
        match &self.relation {
            Some(relation) => relation.bounds.high != Some(1),
            None => self.is_list,
        }
    }
}

/// An entity with its place in the inheritance and all that it defines or inherits.
#[derive(Debug)]
pub struct Entity {
    pub name: Sym,
    pub ns: NsId,
    pub parents: Vec<EntityId>,
    pub children: Vec<EntityId>,
    pub ancestors: FxHashSet<EntityId>,
    /// Its own attributes, in order.
    pub own: Vec<(Sym, AttributeId)>,
    /// All attributes, in the order of their places in an instance.
    pub all: Vec<(Sym, AttributeId)>,
    /// The places of many attributes.
    pub(super) places: FxHashMap<Sym, u32>,
    /// Own default values; `None` removes an inherited one.
    own_defaults: Vec<(Sym, Option<NodeId>)>,
    pub defaults: Vec<(Sym, NodeId)>,
    pub indexes: Vec<Arc<Vec<Sym>>>,
    /// Numbers of implements.
    pub implements: Vec<u32>,
    with_parents: bool,
    /// One statement for each implement that applies to an instance.
    pub constructors: Vec<NodeId>,
    pub span: Span,
}

/// An implementation; `entity` is absent until its class is resolved.
#[derive(Debug)]
pub struct Implementation {
    pub name: Sym,
    pub ns: NsId,
    pub entity: Option<EntityId>,
    pub body: BlockId,
    pub span: Span,
}

/// An `implement` statement, resolved.
#[derive(Debug)]
pub struct Implement {
    pub implementations: Vec<ImplementationId>,
    pub condition: NodeId,
    pub ns: NsId,
    pub span: Span,
}

/// A stand-in for places inside the compiler.
const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

impl Program {
    pub(super) fn evaluate(&mut self, files: &[(NsId, Vec<Top>)], std: NsId) -> Result<()> {
        let mut entities: Vec<(EntityId, NsId, &EntityDef)> = Vec::new();
        for (ns, tops) in files {
            for top in tops {
                if let Some(entity) = self.register(*ns, top)? {
                    entities.push(entity);
                }
            }
        }
        for at in 0..self.plugins.len() {
            let PluginDef { ns, name, place, .. } = self.plugins[at];
            if let (Some(place), Some(other)) = (place, self.ns(ns).types.get(&name).copied()) {
                let message = format!("Type {}::{} is already defined", self.ns(ns).name, self.text(name));
                return Err(self.duplicate(place, self.place_of(other), message));
            }
            self.namespaces[ns.0 as usize].types.insert(name, Named::Plugin(at as u32));
        }
        let root = Word { sym: self.names.sym("Entity"), span: NOWHERE };
        self.entity = self.new_entity(root, std, NOWHERE)?;
        for (ns, top) in flat(files) {
            if let Top::Typedef(typedef) = top {
                let base = match self.find_type(typedef.base, ns)? {
                    Meaning::Primitive(ty) => ty,
                    Meaning::Named(Named::Entity(id)) => Ty::Entity(id),
                    Meaning::Named(Named::Typedef(id)) => Ty::Typedef(id),
                    Meaning::Named(_) => {
                        return Err(Raise::at(Class::Internal, typedef.base.span, "not a type to build on"));
                    }
                };
                if let Some(Named::Typedef(id)) = self.ns(ns).types.get(&typedef.name.sym) {
                    let id = id.0 as usize;
                    self.typedefs[id].base = base;
                }
            }
        }
        self.refuse_typedef_cycles()?;
        for (id, ns, entity) in self.parents_first(entities)? {
            self.evaluate_entity(id, ns, entity)?;
        }
        for (ns, top) in flat(files) {
            match top {
                Top::Implementation(def) => {
                    let id = match self.ns(ns).types.get(&def.name.sym) {
                        Some(Named::Implementation(id)) => *id,
                        _ => continue,
                    };
                    let entity = self.find_class(def.class, ns);
                    let entity = entity.map_err(|raise| raise.with_statement(def.name.span, true))?;
                    self.implementations[id.0 as usize].entity = Some(entity);
                }
                Top::Relation(relation) => self.evaluate_relation(ns, relation)?,
                _ => {}
            }
        }
        self.relate_entities(std)?;
        self.complete_attributes();
        for (ns, top) in flat(files) {
            if let Top::Index(index) = top {
                self.evaluate_index(ns, index)?;
            }
        }
        for (ns, top) in flat(files) {
            if let Top::Implement(implement) = top {
                self.evaluate_implement(ns, implement)?;
            }
        }
        Ok(())
    }

    fn duplicate(&self, place: Span, other: Span, message: String) -> Box<Raise> {
        Raise::at(Class::Duplicate, place, message).with_related(other, "first defined here")
    }

    fn place_of(&self, named: Named) -> Span {
        match named {
            Named::Entity(id) => self.entity(id).span,
            Named::Implementation(id) => self.implementations[id.0 as usize].span,
            Named::Typedef(id) => self.typedefs[id.0 as usize].span,
            Named::Plugin(id) => self.plugins[id as usize].place.unwrap_or(NOWHERE),
        }
    }

    fn define_type(&mut self, ns: NsId, word: Word, named: Named, what: &str) -> Result<()> {
        if let Some(other) = self.ns(ns).types.get(&word.sym).copied() {
            let full = format!("{}::{}", self.ns(ns).name, self.text(word.sym));
            let message = format!("{what} {full} is already defined");
            return Err(self.duplicate(word.span, self.place_of(other), message));
        }
        self.namespaces[ns.0 as usize].types.insert(word.sym, named);
        self.order.push(named);
        Ok(())
    }

    fn new_entity(&mut self, name: Word, ns: NsId, span: Span) -> Result<EntityId> {
        let id = EntityId(self.entities.len() as u32);
        self.define_type(ns, name, Named::Entity(id), "Entity")?;
        self.entities.push(Entity {
            name: name.sym,
            ns,
            parents: Vec::new(),
            children: Vec::new(),
            ancestors: FxHashSet::default(),
            own: Vec::new(),
            all: Vec::new(),
            places: FxHashMap::default(),
            own_defaults: Vec::new(),
            defaults: Vec::new(),
            indexes: Vec::new(),
            implements: Vec::new(),
            with_parents: false,
            constructors: Vec::new(),
            span,
        });
        Ok(id)
    }

    fn register<'t>(&mut self, ns: NsId, top: &'t Top) -> Result<Option<(EntityId, NsId, &'t EntityDef)>> {
        match top {
            Top::Entity(entity) => {
                let id = self.new_entity(entity.name, ns, entity.name.span)?;
                return Ok(Some((id, ns, entity)));
            }
            Top::Implementation(def) => {
                let id = ImplementationId(self.implementations.len() as u32);
                let class = self.text(def.class.sym).to_string();
                if let Some(other) = self.ns(ns).types.get(&def.name.sym).copied() {
                    let name = self.text(def.name.sym);
                    let full = format!("{}::{name}", self.ns(ns).name);
                    let message = format!("Implementation {full} for type {class} is already defined");
                    return Err(self.duplicate(def.name.span, self.place_of(other), message));
                }
                self.define_type(ns, def.name, Named::Implementation(id), "Implementation")?;
                self.implementations.push(Implementation {
                    name: def.name.sym,
                    ns,
                    entity: None,
                    body: def.body,
                    span: def.name.span,
                });
            }
            Top::Typedef(def) => {
                let id = TypedefId(self.typedefs.len() as u32);
                self.define_type(ns, def.name, Named::Typedef(id), "TypeConstraint")?;
                self.typedefs.push(Typedef {
                    name: def.name.sym,
                    ns,
                    base: Ty::Any,
                    condition: def.condition,
                    span: def.name.span,
                });
            }
            Top::Import(import) => {
                let name = self.text(import.name.sym).to_string();
                let target = self.ns_named(&name);
                let visible = &mut self.namespaces[ns.0 as usize].visible;
                if let Some((_, Some(other))) = visible.get(&import.alias.sym).copied() {
                    let message = "Two import statements have the same name".to_string();
                    return Err(self.duplicate(import.span, other, message));
                }
                visible.insert(import.alias.sym, (target, Some(import.span)));
            }
            _ => {}
        }
        Ok(None)
    }

    /// A type that builds on itself would be checked without end.
    fn refuse_typedef_cycles(&self) -> Result<()> {
        for start in &self.typedefs {
            let mut at = &start.base;
            for _ in 0..=self.typedefs.len() {
                match at {
                    Ty::Typedef(id) => at = &self.typedefs[id.0 as usize].base,
                    _ => break,
                }
            }
            if matches!(at, Ty::Typedef(_)) {
                let raise = Raise::at(Class::Typing, start.span, "a type cannot build on itself");
                return Err(raise.with_help("write `string`, `int` or another type after `as`"));
            }
        }
        Ok(())
    }

    fn parent_words(&mut self, entity: &EntityDef) -> Vec<Word> {
        if !entity.parents.is_empty() {
            return entity.parents.clone();
        }
        vec![Word { sym: self.names.sym("std::Entity"), span: entity.name.span }]
    }

    /// Entities with parents before children.
    fn parents_first<'t>(
        &mut self,
        entities: Vec<(EntityId, NsId, &'t EntityDef)>,
    ) -> Result<Vec<(EntityId, NsId, &'t EntityDef)>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            Fresh,
            Open,
            Done,
        }
        let by_id: FxHashMap<EntityId, usize> = entities.iter().enumerate().map(|(at, e)| (e.0, at)).collect();
        let mut marks = vec![Mark::Fresh; entities.len()];
        let mut sorted = Vec::with_capacity(entities.len());
        for start in 0..entities.len() {
            let mut open = vec![(start, None::<Vec<EntityId>>)];
            while let Some((at, parents)) = open.pop() {
                if marks[at] == Mark::Done {
                    continue;
                }
                let (_, ns, def) = entities[at];
                let mut rest = match parents {
                    Some(rest) => rest,
                    None => {
                        marks[at] = Mark::Open;
                        let mut ids = Vec::new();
                        for word in self.parent_words(def) {
                            let found = self.find_class(word, ns);
                            ids.push(found.map_err(|raise| raise.with_statement(def.span, true))?);
                        }
                        ids.reverse();
                        ids
                    }
                };
                match rest.pop() {
                    Some(parent) => {
                        open.push((at, Some(rest)));
                        let Some(&next) = by_id.get(&parent) else { continue };
                        match marks[next] {
                            Mark::Open => {
                                let first = open.iter().position(|(node, _)| *node == next).unwrap_or(0);
                                let cycle: Vec<_> = open[first..]
                                    .iter()
                                    .rev()
                                    .map(|(node, _)| self.entity_name(entities[*node].0))
                                    .collect();
                                let message = format!("Entity can not be its own parent {}", cycle.join(","));
                                let mut raise = Raise::at(Class::Cycle, def.span, message);
                                for (node, _) in &open[first..] {
                                    let (id, ..) = entities[*node];
                                    let name = self.entity_name(id);
                                    raise.related.push((self.entity(id).span, format!("`{name}` is defined here")));
                                }
                                return Err(raise);
                            }
                            Mark::Fresh => open.push((next, None)),
                            Mark::Done => {}
                        }
                    }
                    None => {
                        marks[at] = Mark::Done;
                        sorted.push(entities[at]);
                    }
                }
            }
        }
        Ok(sorted)
    }

    /// The type of an attribute as it is written.
    fn declared_type(&self, declared: &TypeName, ns: NsId) -> Result<Ty> {
        let base = match self.find_type(declared.base, ns)? {
            Meaning::Primitive(ty) => ty,
            Meaning::Named(Named::Entity(id)) => Ty::Entity(id),
            Meaning::Named(Named::Typedef(id)) => Ty::Typedef(id),
            Meaning::Named(_) => {
                let message = "Attributes can only be a type. Entities need to be defined as relations.";
                let name = self.text(declared.base.sym);
                let help = format!(
                    "`{name}` is no type: write `string`, `int` or a `typedef`; an entity is reached by a relation"
                );
                return Err(Raise::at(Class::Typing, declared.base.span, message).with_help(help));
            }
        };
        let listed = if declared.is_list { Ty::List(Box::new(base)) } else { base };
        Ok(if declared.is_nullable { Ty::Nullable(Box::new(listed)) } else { listed })
    }

    fn evaluate_entity(&mut self, id: EntityId, ns: NsId, def: &EntityDef) -> Result<()> {
        let with_place = |raise: Box<Raise>| raise.with_statement(def.span, true);
        for attribute in &def.attributes {
            let ty = self.declared_type(&attribute.declared, ns).map_err(with_place)?;
            let made = Attribute {
                name: attribute.name.sym,
                entity: id,
                ty,
                is_list: attribute.declared.is_list,
                span: attribute.name.span,
                relation: None,
            };
            self.add_attribute(made)?;
            self.entities[id.0 as usize].own_defaults.push((attribute.name.sym, attribute.default));
        }
        let words = self.parent_words(def);
        for (at, word) in words.iter().enumerate() {
            if words[..at].iter().any(|other| other.sym == word.sym) {
                let raise = Raise::at(Class::Typing, def.span, "same parent defined twice").with_edit(word.span);
                return Err(raise.with_help(format!("remove one of the two `{}`", self.text(word.sym))));
            }
        }
        for word in words {
            let parent = self.find_class(word, ns).map_err(with_place)?;
            let entity = &mut self.entities[id.0 as usize];
            entity.parents.push(parent);
            entity.ancestors.insert(parent);
            let above = self.entity(parent).ancestors.clone();
            self.entities[id.0 as usize].ancestors.extend(above);
            if self.entity(id).ancestors.len() > ANCESTORS {
                let message = format!("an entity inherits from more than {ANCESTORS} others");
                return Err(Raise::at(Class::Compiler, word.span, message).with_code(Code::EvaluationLimit));
            }
            self.entities[parent.0 as usize].children.push(id);
        }
        let mut known: FxHashMap<Sym, AttributeId> = self.entity(id).own.iter().copied().collect();
        let mut ancestors: Vec<_> = self.entity(id).ancestors.iter().copied().collect();
        ancestors.sort_unstable();
        for parent in ancestors {
            for (name, other) in self.entity(parent).own.clone() {
                let Some(mine) = known.insert(name, other) else { continue };
                let (mine, other) = (self.attribute(mine), self.attribute(other));
                if mine.ty != other.ty {
                    return Err(self.duplicate(mine.span, other.span, "Incompatible attributes".to_string()));
                }
            }
        }
        Ok(())
    }

    fn add_attribute(&mut self, attribute: Attribute) -> Result<AttributeId> {
        let (entity, name) = (attribute.entity, attribute.name);
        if let Some((_, other)) = self.entity(entity).own.iter().find(|(other, _)| *other == name) {
            let (text, of) = (self.text(name), self.text(self.entity(entity).name));
            let message = format!("attribute '{text}' already exists on entity '{of}'");
            let first = self.attribute(*other).span;
            return Err(self.duplicate(first, attribute.span, message).with_edit(attribute.span));
        }
        let id = AttributeId(self.attributes.len() as u32);
        self.attributes.push(attribute);
        self.entities[entity.0 as usize].own.push((name, id));
        Ok(id)
    }

    fn add_relation(&mut self, entity: EntityId, target: EntityId, name: Word, bounds: Bounds) -> Result<AttributeId> {
        self.add_attribute(Attribute {
            name: name.sym,
            entity,
            ty: Ty::Entity(target),
            is_list: false,
            span: name.span,
            relation: Some(Relation { bounds, end: None, target, before: Vec::new() }),
        })
    }

    fn evaluate_relation(&mut self, ns: NsId, def: &RelationDef) -> Result<()> {
        let left = self.find_class(def.left.class, ns)?;
        let right = self.find_class(def.right.class, ns)?;
        let left_end = match def.left.attribute {
            Some((name, bounds)) => Some((self.add_relation(right, left, name, bounds)?, name.sym)),
            None => None,
        };
        let right_end = match (def.right.attribute, left_end) {
            // A relation of a class with itself under one name is its own other side.
            (Some((name, _)), Some((end, sym))) if left == right && name.sym == sym => Some(end),
            (Some((name, bounds)), _) => Some(self.add_relation(left, right, name, bounds)?),
            (None, _) => None,
        };
        if let (Some((left_end, _)), Some(right_end)) = (left_end, right_end) {
            self.set_end(left_end, right_end);
            self.set_end(right_end, left_end);
        }
        if !def.annotations.is_empty() {
            self.annotations.entry(ns).or_default().extend(&def.annotations);
        }
        Ok(())
    }

    fn set_end(&mut self, attribute: AttributeId, end: AttributeId) {
        if let Some(relation) = &mut self.attributes[attribute.0 as usize].relation {
            relation.end = Some(end);
        }
    }

    /// `std::Entity` has `requires` and `provides`.
    fn relate_entities(&mut self, std: NsId) -> Result<()> {
        let name = |program: &mut Self, text: &str| Word { sym: program.names.sym(text), span: NOWHERE };
        let class = name(self, "std::Entity");
        let any = Bounds { low: 0, high: None };
        let (requires, provides) = (name(self, "requires"), name(self, "provides"));
        let side = |name: Word| super::super::ast::RelationSide { class, attribute: Some((name, any)) };
        let def = RelationDef { left: side(requires), right: side(provides), annotations: Vec::new(), doc: None };
        self.evaluate_relation(std, &def)
    }

    /// All attributes and defaults of each entity: those of its ancestors, each after its own ancestors and right before
    /// left, then its own. What two parents share comes once, so what one of them overrides stays overridden.
    fn complete_attributes(&mut self) {
        let mut lines: Vec<Vec<EntityId>> = vec![Vec::new(); self.entities.len()];
        for id in self.parents_before_children() {
            let mut line = Vec::new();
            let mut seen = FxHashSet::default();
            for parent in self.entity(id).parents.iter().rev() {
                line.extend(lines[parent.0 as usize].iter().copied().filter(|one| seen.insert(*one)));
            }
            line.push(id);
            let mut all: Vec<(Sym, AttributeId)> = Vec::new();
            let mut defaults: Vec<(Sym, Option<NodeId>)> = Vec::new();
            for entity in line.iter().map(|one| self.entity(*one)) {
                for (name, attribute) in &entity.own {
                    put(&mut all, *name, *attribute);
                }
                for (name, default) in &entity.own_defaults {
                    put(&mut defaults, *name, *default);
                }
            }
            lines[id.0 as usize] = line;
            let entity = &mut self.entities[id.0 as usize];
            if all.len() > super::FEW {
                entity.places = all.iter().zip(0..).map(|((name, _), at)| (*name, at)).collect();
            }
            entity.all = all;
            entity.defaults = defaults.into_iter().filter_map(|(name, default)| Some((name, default?))).collect();
        }
    }

    /// Every entity, each after its parents.
    pub(super) fn parents_before_children(&self) -> Vec<EntityId> {
        let mut order: Vec<EntityId> = (0..self.entities.len() as u32).map(EntityId).collect();
        order.sort_by_key(|id| self.entity(*id).ancestors.len());
        order
    }

    /// Finds an attribute of an entity by its name, own or inherited.
    pub fn attribute_of(&self, entity: EntityId, name: Sym) -> Option<AttributeId> {
        let entity = self.entity(entity);
        entity.place(name).map(|place| entity.all[place as usize].1)
    }

    fn evaluate_index(&mut self, ns: NsId, def: &super::super::ast::IndexDef) -> Result<()> {
        let entity = self.find_class(def.class, ns)?;
        let full = self.entity_name(entity);
        for word in &def.attributes {
            let name = self.text(word.sym);
            let Some(attribute) = self.attribute_of(entity, word.sym).map(|id| self.attribute(id)) else {
                let message = format!("Attribute '{name}' referenced in index is not defined in entity {full}");
                let mut raise = Raise::at(Class::NotFound, def.span, message).with_code(Code::UnknownField);
                raise.edit = Some(word.span);
                raise.help = self.attribute_help(entity, name);
                return Err(raise);
            };
            if attribute.relation.as_ref().is_some_and(|relation| relation.bounds.low == 0) {
                let message =
                    format!("Index can not contain optional relations, Relation ' {name}.{full}' is optional");
                return Err(Raise::at(Class::Index, def.span, message));
            }
            if attribute.is_multi() {
                let message = format!("Index can not contain list attributes, Attribute ' {name}.{full}' is a list");
                return Err(Raise::at(Class::Index, def.span, message));
            }
        }
        let written: Vec<Sym> = def.attributes.iter().map(|word| word.sym).collect();
        let mut sorted = written.clone();
        sorted.sort_by(|a, b| self.text(*a).cmp(self.text(*b)));
        let sorted = Arc::new(sorted);
        let mut open = vec![entity];
        while let Some(id) = open.pop() {
            let entity = &mut self.entities[id.0 as usize];
            if entity.indexes.iter().any(|index| **index == written) {
                continue;
            }
            entity.indexes.push(sorted.clone());
            open.extend(entity.children.iter().rev());
            if entity.indexes.len() > 1000 {
                return Err(Raise::at(Class::Index, def.span, "an entity has more than 1000 indexes"));
            }
        }
        Ok(())
    }

    fn evaluate_implement(&mut self, ns: NsId, def: &super::super::ast::ImplementDef) -> Result<()> {
        let with_place = |raise: Box<Raise>| raise.with_statement(def.class.span, true);
        let entity = self.find_class(def.class, ns).map_err(with_place)?;
        self.entities[entity.0 as usize].with_parents |= def.with_parents;
        let mut implementations = Vec::new();
        for word in &def.implementations {
            let found = self.find_type(*word, ns).map_err(|raise| {
                let names = self.implementations.iter().map(|one| self.text(one.name));
                match crate::diag::nearest(self.text(word.sym), names) {
                    Some(near) => with_place(raise.with_help(format!("did you mean `{near}`?"))),
                    None => {
                        let fits = |one: &&Implementation| {
                            one.ns == ns && one.entity.is_some_and(|of| self.is_subclass(entity, of))
                        };
                        let known: Vec<String> = (self.implementations.iter().filter(fits).take(8))
                            .map(|one| format!("`{}`", self.text(one.name)))
                            .collect();
                        let name = self.entity_name(entity);
                        with_place(match known.is_empty() || self.text(word.sym).contains("::") {
                            true => raise,
                            false => {
                                raise.with_help(format!("the implementations of `{name}` are {}", known.join(", ")))
                            }
                        })
                    }
                }
            })?;
            let Meaning::Named(Named::Implementation(id)) = found else {
                let message = format!("{} is not an implementation", self.text(word.sym));
                let help = "write the name of an `implementation` after `using`";
                return Err(Raise::at(Class::Internal, word.span, message).with_help(help));
            };
            let implementation = &self.implementations[id.0 as usize];
            if let Some(of) = implementation.entity
                && !self.is_subclass(entity, of)
            {
                let message = format!(
                    "Type mismatch: cannot use {} as implementation for  {} because its implementing type is {}",
                    self.text(implementation.name),
                    self.entity_name(entity),
                    self.entity_name(of)
                );
                let (own, entity) = (self.text(implementation.name), self.entity_name(of));
                let help = format!("write `implement {entity} using {own}`, or an implementation for this entity");
                let raise = Raise::at(Class::Typing, def.class.span, message).with_help(help);
                return Err(raise.with_related(implementation.span, format!("`{own}` is for `{entity}`")));
            }
            implementations.push(id);
        }
        let number = self.implements.len() as u32;
        self.implements.push(Implement { implementations, condition: def.condition, ns, span: def.class.span });
        self.entities[entity.0 as usize].implements.push(number);
        Ok(())
    }

    /// The implements that apply to an entity, with those of its parents where it asks for them.
    pub(super) fn implements_of(&self, entity: EntityId) -> Vec<u32> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut open = vec![entity];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            let entity = self.entity(id);
            found.extend(&entity.implements);
            if entity.with_parents {
                open.extend(entity.parents.iter().rev());
            }
        }
        found
    }

    /// The value of a default, where it is a constant.
    pub(super) fn constant(&self, node: NodeId) -> Option<Value> {
        match self.ast.kind(node) {
            Kind::Literal(value) => Some(value.clone()),
            Kind::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    match self.constant(*item)? {
                        Value::List(inner) => values.extend(inner.iter().cloned()),
                        value => values.push(value),
                    }
                }
                Some(Value::list(values))
            }
            _ => None,
        }
    }

    pub(super) fn own_defaults(&self, entity: EntityId) -> Vec<(Sym, NodeId)> {
        let own = &self.entity(entity).own_defaults;
        own.iter().filter_map(|(name, default)| Some((*name, (*default)?))).collect()
    }
}

fn flat(files: &[(NsId, Vec<Top>)]) -> impl Iterator<Item = (NsId, &Top)> {
    files.iter().flat_map(|(ns, tops)| tops.iter().map(|top| (*ns, top)))
}

/// Replaces the value of a name, or adds it at the end.
fn put<T>(list: &mut Vec<(Sym, T)>, name: Sym, value: T) {
    match list.iter_mut().find(|(other, _)| *other == name) {
        Some((_, old)) => *old = value,
        None => list.push((name, value)),
    }
}
