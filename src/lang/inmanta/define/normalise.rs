//! Resolves every name that can be resolved before the model runs.

use super::super::ast::{Arguments, BlockId, Kind, NodeId, NsId, Word};
use super::super::error::{Class, Raise, Result};
use super::super::names::Sym;
use super::super::pystr::NoInstances;
use super::super::types::{CastTo, EntityId, Ty};
use super::{Meaning, Named, Program, Variables};
use crate::diag::Code;

/// What is known about a node.
#[derive(Clone, Copy, Debug, Default)]
pub enum Info {
    #[default]
    None,
    /// A call of a primitive type.
    Cast(CastTo),
    Plugin(u32),
    New(u32),
    Index(EntityId),
    Comprehension(u32),
}

/// How a constructor makes its instance.
#[derive(Debug)]
pub struct Construction {
    pub entity: EntityId,
    /// Attributes that are part of an index: needed before the instance is made.
    pub direct: Vec<(Sym, NodeId)>,
    /// The others: set afterwards.
    pub indirect: Vec<(Sym, NodeId)>,
    /// Attributes of an index that only `**` or the other side of a relation can give.
    pub missing: Vec<Sym>,
    /// The assignment around it: the instance and its attribute.
    pub around: Option<(NodeId, Sym)>,
    /// Under this name the values of its attributes find the new instance.
    pub self_name: Sym,
}

/// The parts of a comprehension that its source does not hold.
#[derive(Clone, Copy, Debug)]
pub struct Comprehension {
    /// What is evaluated for an element: the expression, or a condition around it.
    pub element: NodeId,
    /// The same for an element that is not known.
    pub unknown: NodeId,
}

/// What a value is assigned to.
#[derive(Clone)]
struct Target {
    of: NodeId,
    attribute: Sym,
    hint: Option<Ty>,
}

impl Program {
    pub(super) fn normalise_all(&mut self) -> Result<()> {
        self.info.resize(self.ast.node_count(), Info::None);
        let registered = self.order.clone();
        for named in &registered {
            if let Named::Typedef(id) = named {
                let condition = self.typedefs[id.0 as usize].condition;
                self.normalise(condition, None)?;
            }
        }
        self.variables.resize_with(self.ast.block_count(), Variables::default);
        for named in &registered {
            if let Named::Entity(id) = named {
                self.normalise_entity(*id)?;
            }
        }
        for named in &registered {
            if let Named::Implementation(id) = named {
                let super::Implementation { body, span, .. } = self.implementations[id.0 as usize];
                self.normalise_block(body).map_err(|raise| raise.with_statement(span, false))?;
            }
        }
        for block in self.blocks.clone() {
            let ns = self.ast.block(block).ns;
            for annotation in self.annotations.get(&ns).cloned().unwrap_or_default() {
                self.normalise(annotation, None)?;
            }
            self.normalise_block(block)?;
        }
        self.info.resize(self.ast.node_count(), Info::None);
        Ok(())
    }

    fn normalise_entity(&mut self, id: EntityId) -> Result<()> {
        for (name, default) in self.own_defaults(id) {
            let Some(attribute) = self.entity(id).own.iter().find(|(other, _)| *other == name) else { continue };
            let (ty, span) = {
                let attribute = self.attribute(attribute.1);
                (attribute.ty.clone(), attribute.span)
            };
            let checked = match self.constant(default) {
                Some(value) => super::super::check::validate(self, &ty, &value, &NoInstances),
                None => Err(Raise::new(Class::Runtime, "the default value is not a constant")),
            };
            checked.map_err(|mut raise| {
                // An error inside the condition of a type stays there.
                if raise.statement.is_none_or(|at| self.typedefs.iter().any(|typedef| typedef.span == at)) {
                    raise.set_statement(span, true);
                    raise.place = Some(span);
                }
                raise
            })?;
        }
        for (name, own) in self.entity(id).own.clone() {
            if self.attribute(own).relation.is_none() {
                continue;
            }
            for parent in self.entity(id).parents.clone() {
                if let Some(other) = self.attribute_of(parent, name) {
                    let (own, other) = (self.attribute(own), self.attribute(other));
                    let message = format!(
                        "Attribute name {} is already defined in {}, unable to define relationship",
                        self.text(name),
                        self.text(self.entity(other.entity).name)
                    );
                    return Err(
                        Raise::at(Class::Duplicate, own.span, message).with_related(other.span, "first defined here")
                    );
                }
            }
        }
        for number in self.entity(id).implements.clone() {
            let condition = self.implements[number as usize].condition;
            self.normalise(condition, None)?;
        }
        for number in self.implements_of(id) {
            let (span, ns) = {
                let implement = &self.implements[number as usize];
                (implement.span, implement.ns)
            };
            let node = self.ast.add(Kind::Implement(number), span, ns);
            self.entities[id.0 as usize].constructors.push(node);
        }
        Ok(())
    }

    fn normalise_block(&mut self, block: BlockId) -> Result<()> {
        let statements = self.ast.block(block).statements.clone();
        let declared = statements.iter().filter_map(|statement| match self.ast.kind(*statement) {
            Kind::Assign { name, .. } => Some(name.sym),
            _ => None,
        });
        self.variables[block.0 as usize] = Variables::of(declared.collect());
        for statement in statements {
            self.normalise_statement(statement).map_err(|mut raise| {
                if matches!(raise.class, Class::TypeNotFound | Class::MissingImport | Class::AmbiguousType) {
                    raise.set_statement(self.ast.span(statement), false);
                }
                raise
            })?;
        }
        Ok(())
    }

    fn normalise_statement(&mut self, statement: NodeId) -> Result<()> {
        match self.ast.kind(statement).clone() {
            Kind::Assign { value, .. } => self.normalise(value, None),
            Kind::SetAttribute { of, name, value, .. } => {
                self.normalise(value, Some(Target { of, attribute: name, hint: None }))
            }
            Kind::For { variable, list, body } => {
                self.normalise(list, None)?;
                self.normalise_block(body)?;
                self.variables[body.0 as usize].add(variable.sym);
                let promises = self.block_promises(body);
                self.keep_promises(statement, promises);
                Ok(())
            }
            Kind::If { condition, yes, no } => {
                self.normalise(condition, None)?;
                self.normalise_block(yes)?;
                self.normalise_block(no)?;
                let mut promises = self.block_promises(yes);
                promises.extend(self.block_promises(no));
                self.keep_promises(statement, promises);
                Ok(())
            }
            _ => self.normalise(statement, None),
        }
    }

    fn keep_promises(&mut self, statement: NodeId, promises: Vec<super::Promise>) {
        if !promises.is_empty() {
            self.promises.insert(statement, promises);
        }
    }

    fn set_info(&mut self, node: NodeId, info: Info) {
        let at = node.0 as usize;
        if self.info.len() <= at {
            self.info.resize(at + 1, Info::None);
        }
        self.info[at] = info;
    }

    fn normalise(&mut self, node: NodeId, target: Option<Target>) -> Result<()> {
        let (kind, span, ns) = {
            let node = self.ast.node(node);
            (node.kind.clone(), node.span, node.ns)
        };
        match kind {
            Kind::Name(sym) => {
                if let Some((path, _)) = self.text(sym).rsplit_once("::").filter(|_| self.names.is_path(sym)) {
                    self.find_namespace(path, ns).map_err(|raise| raise.with_statement(span, true))?;
                }
                Ok(())
            }
            // The reference does not look at the variables of attributes here.
            Kind::Attribute { .. } => Ok(()),
            Kind::List(items) => {
                for item in items {
                    self.normalise(item, target.clone())?;
                }
                Ok(())
            }
            Kind::Conditional { condition, yes, no } => {
                self.normalise(condition, None)?;
                self.normalise(yes, target.clone())?;
                self.normalise(no, target)
            }
            Kind::Comprehension { element, variable, list, guard } => {
                self.normalise(element, target)?;
                self.normalise(list, None)?;
                let unknown = self.ast.add(Kind::Element(variable), span, ns);
                let mut made = Comprehension { element, unknown };
                if let Some(condition) = guard {
                    self.normalise(condition, None)?;
                    let no = self.ast.add(Kind::Skipped, span, ns);
                    made.element = self.ast.add(Kind::Conditional { condition, yes: element, no }, span, ns);
                    made.unknown = self.ast.add(Kind::Conditional { condition, yes: unknown, no }, span, ns);
                }
                self.comprehensions.push(made);
                self.set_info(node, Info::Comprehension(self.comprehensions.len() as u32 - 1));
                Ok(())
            }
            Kind::Call { name, positional, arguments } => {
                for child in positional {
                    self.normalise(child, None)?;
                }
                self.normalise_arguments(&arguments)?;
                let info = self.call_target(name, ns)?;
                self.set_info(node, info);
                Ok(())
            }
            Kind::IndexLookup { class, query } => {
                self.normalise_arguments(&query)?;
                let entity = self.find_class(class, ns)?;
                self.set_info(node, Info::Index(entity));
                Ok(())
            }
            Kind::New { class, arguments } => self.normalise_new(node, class, &arguments, ns, target),
            other => {
                for child in super::super::walk::children(&other) {
                    self.normalise(child, None)?;
                }
                Ok(())
            }
        }
    }

    fn normalise_arguments(&mut self, arguments: &Arguments) -> Result<()> {
        for (_, child) in &arguments.named {
            self.normalise(*child, None)?;
        }
        for child in &arguments.spread {
            self.normalise(*child, None)?;
        }
        Ok(())
    }

    fn call_target(&self, name: Word, ns: NsId) -> Result<Info> {
        Ok(match self.find_type(name, ns)? {
            Meaning::Named(Named::Plugin(id)) => Info::Plugin(id),
            Meaning::Primitive(Ty::Str) => Info::Cast(CastTo::Str),
            Meaning::Primitive(Ty::Float) => Info::Cast(CastTo::Float),
            Meaning::Primitive(Ty::Number) => Info::Cast(CastTo::Number),
            Meaning::Primitive(Ty::Int) => Info::Cast(CastTo::Int),
            Meaning::Primitive(Ty::Bool) => Info::Cast(CastTo::Bool),
            _ => {
                let text = self.text(name.sym);
                let message = format!("Can not call '{text}', can only call plugin or primitive type cast");
                let help = match text.rsplit("::").next().is_some_and(|last| last.starts_with(char::is_uppercase)) {
                    true => format!("an instance takes its values by name: `{text}(ATTRIBUTE=VALUE)`"),
                    false => format!("`{text}` is no plugin: correct the name, or write a plugin with it"),
                };
                return Err(Raise::at(Class::Runtime, name.span, message).with_help(help));
            }
        })
    }

    fn normalise_new(
        &mut self,
        node: NodeId,
        class: Word,
        arguments: &Arguments,
        ns: NsId,
        target: Option<Target>,
    ) -> Result<()> {
        let span = self.ast.span(node);
        let entity = self.class_of(node, class, ns, target.as_ref())?;
        let named: Vec<(Sym, NodeId)> = arguments.named.iter().map(|(word, value)| (word.sym, *value)).collect();
        let mut all = self.entity(entity).defaults.clone();
        for (name, value) in &named {
            match all.iter_mut().find(|(other, _)| other == name) {
                Some((_, old)) => *old = *value,
                None => all.push((*name, *value)),
            }
        }
        let mut indexed: Vec<Sym> = Vec::new();
        let mut missing: Vec<Sym> = Vec::new();
        for index in &self.entity(entity).indexes {
            for name in index.iter() {
                if all.iter().any(|(other, _)| other == name) {
                    indexed.push(*name);
                } else {
                    missing.push(*name);
                }
            }
        }
        let mut around = None;
        if !missing.is_empty() {
            around = target.as_ref().map(|target| (target.of, target.attribute));
            if arguments.spread.is_empty() && (around.is_none() || missing.len() > 1) {
                return Err(self.index_attributes_missing(node, entity, &missing));
            }
        }
        let self_name = self.names.fresh();
        let self_node = self.ast.add(Kind::Name(self_name), span, ns);
        for (word, value) in &arguments.named {
            let Some(attribute) = self.attribute_of(entity, word.sym) else {
                return Err(self.no_attribute(*word, entity));
            };
            let target = (!indexed.contains(&word.sym)).then(|| {
                let ty = self.attribute(attribute).ty.clone();
                Target { of: self_node, attribute: word.sym, hint: Some(ty) }
            });
            self.normalise(*value, target)?;
        }
        for spread in &arguments.spread {
            self.normalise(*spread, None)?;
        }
        let (direct, indirect) = all.into_iter().partition(|(name, _)| indexed.contains(name));
        self.constructions.push(Construction { entity, direct, indirect, missing, around, self_name });
        self.set_info(node, Info::New(self.constructions.len() as u32 - 1));
        Ok(())
    }

    fn no_attribute(&self, word: Word, entity: EntityId) -> Box<Raise> {
        let message = format!("no attribute {} on type {}", self.text(word.sym), self.entity_name(entity));
        let mut raise = Raise::at(Class::Typing, word.span, message).with_code(Code::UnknownField);
        raise.help = self.attribute_help(entity, self.text(word.sym));
        raise
    }

    /// A help for an unknown attribute of an entity: the probable one, or all that it has.
    pub fn attribute_help(&self, entity: EntityId, name: &str) -> Option<String> {
        let names = self.entity(entity).all.iter().map(|(name, _)| self.text(*name));
        if let Some(near) = crate::diag::nearest(name, names) {
            return Some(format!("did you mean `{near}`?"));
        }
        // Its own ones come first: the name of one of them is probably meant.
        let found = self.entity(entity);
        let inherited = found.all.iter().filter(|(name, _)| !found.own.iter().any(|(own, _)| own == name));
        let all = found.own.iter().chain(inherited).map(|(name, _)| self.text(*name));
        let names: Vec<String> = all
            .filter(|name| !matches!(*name, "self" | "requires" | "provides"))
            .take(12)
            .map(|name| format!("`{name}`"))
            .collect();
        (!names.is_empty()).then(|| format!("`{}` has {}", self.entity_name(entity), names.join(", ")))
    }

    /// Makes the error for a constructor that omits attributes of an index.
    pub fn index_attributes_missing(&self, node: NodeId, entity: EntityId, missing: &[Sym]) -> Box<Raise> {
        let full = self.entity_name(entity);
        let mut message = "Invalid Constructor call:".to_string();
        for name in missing {
            let attribute = self.attribute_of(entity, *name).map(|id| self.attribute(id));
            let is_relation = attribute.is_some_and(|attribute| attribute.relation.is_some());
            let kind = if is_relation { "relation" } else { "attribute" };
            let name = self.text(*name);
            message.push_str(&format!("\n\t* Missing {kind} '{name}'. The {kind} {full}.{name} is part of an index."));
        }
        let given: Vec<String> = missing.iter().map(|name| format!("{}=…", self.text(*name))).collect();
        let help = format!("add `{}` to this constructor of {full}", given.join(", "));
        let raise = Raise::at(Class::IndexAttributeMissing, self.ast.span(node), message);
        // A misspelt name is the cause of a missing one.
        let words: &[(Word, NodeId)] = match self.ast.kind(node) {
            Kind::New { arguments, .. } => &arguments.named,
            _ => &[],
        };
        let odd = words.iter().map(|(word, _)| *word).filter(|word| self.attribute_of(entity, word.sym).is_none());
        let names = || missing.iter().map(|name| self.text(*name));
        let near = odd.filter_map(|word| Some((word, crate::diag::nearest(self.text(word.sym), names())?))).next();
        match near {
            Some((word, near)) => raise
                .with_code(Code::UnknownField)
                .with_edit(word.span)
                .with_label(format!("{full} has no attribute `{}`", self.text(word.sym)))
                .with_help(format!("did you mean `{near}`?")),
            None => raise.with_help(help),
        }
    }

    /// The entity that a constructor makes. A name without a namespace may also be one that the attribute takes.
    fn class_of(&self, node: NodeId, class: Word, ns: NsId, target: Option<&Target>) -> Result<EntityId> {
        let local = match self.find_type(class, ns) {
            Ok(Meaning::Named(Named::Entity(id))) => Ok(id),
            Ok(_) => return Err(Raise::at(Class::Internal, class.span, "not an entity")),
            Err(raise) => Err(raise),
        };
        let Some(hint) = target.and_then(|target| target.hint.as_ref()) else { return local };
        let wrong = |ty: String| {
            let message = format!("Can not assign a value of type {ty} to a variable of type {}", self.type_text(hint));
            let help = match hint {
                Ty::Entity(wanted) => format!("write an instance of `{}`", self.entity_name(*wanted)),
                hint => {
                    format!("write a value of the type `{}`, or declare a relation to the entity", self.type_text(hint))
                }
            };
            Raise::at(Class::Typing, self.ast.span(node), message).with_help(help)
        };
        let Ty::Entity(wanted) = hint else { return Err(wrong(self.text(class.sym).to_string())) };
        match local {
            Ok(id) if self.is_subclass(id, *wanted) => Ok(id),
            Ok(id) => Err(wrong(self.entity_name(id))),
            Err(raise) => {
                if self.text(class.sym).contains("::") {
                    return Err(raise);
                }
                let mut candidates: Vec<EntityId> = (0..self.entities.len() as u32)
                    .map(EntityId)
                    .filter(|id| self.entity(*id).name == class.sym && self.is_subclass(*id, *wanted))
                    .collect();
                match candidates.len() {
                    0 => Err(raise),
                    1 => Ok(candidates.remove(0)),
                    count => {
                        let mut names: Vec<_> = candidates.iter().map(|id| self.entity_name(*id)).collect();
                        names.sort();
                        let message = format!(
                            "Could not determine namespace for type {}. {count} possible candidates exists: [{}]. To \
                             resolve this, use the fully qualified name instead of the short name.",
                            self.text(class.sym),
                            names.join(", ")
                        );
                        let help = format!("write `{}`", names.join("` or `"));
                        Err(Raise::placed(Class::AmbiguousType, class.span, message).with_help(help))
                    }
                }
            }
        }
    }
}
