//! Every word of a model that names something, with what it names.

use rustc_hash::FxHashMap;

use super::super::ast::{self, Arguments, BlockId, Kind, NodeId, NsId, Top};
use super::super::define::{AttributeId, Info, Meaning, Named, Program};
use super::super::names::Sym;
use super::super::types::{EntityId, Ty};
use super::super::value::Value;
use super::super::walk;
use crate::source::{Sources, Span};

/// What a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    Named(Named),
    Attribute(AttributeId),
    /// A variable, with the scope that has it.
    Variable(u32, Sym),
    Module(NsId),
    /// A type that needs no definition.
    Primitive(Sym),
    Undefined(&'static str, Sym),
}

/// A word of a file.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    pub symbol: Symbol,
    pub span: Span,
    /// It gives the name its meaning.
    pub defines: bool,
}

/// What a scope adds to the one around it.
enum Holds {
    /// The variables of a block, each with its place and its value.
    Block(FxHashMap<Sym, (Span, NodeId)>),
    /// The variable of a loop, and the list that it runs over.
    Each(Sym, NodeId),
    /// The attributes of an instance, and `self`.
    Instance(EntityId),
    /// The value that the condition of a type is about.
    Value(Sym, Ty),
}

struct Scope {
    parent: Option<u32>,
    ns: NsId,
    holds: Holds,
}

/// Reads files for their words.
pub struct Reader<'p> {
    pub program: &'p Program,
    sources: &'p Sources,
    scopes: Vec<Scope>,
    /// The scope of the file of each namespace.
    files: FxHashMap<NsId, u32>,
    pub words: Vec<Word>,
    open: Vec<(NodeId, u32)>,
}

/// How many steps the search for a type may take: a variable may be assigned to itself.
const STEPS: u32 = 100;

impl<'p> Reader<'p> {
    /// Reads every file of a program.
    pub fn read(program: &'p Program, sources: &'p Sources, files: &[(NsId, Vec<Top>)]) -> Self {
        let (scopes, words, open) = (Vec::new(), Vec::new(), Vec::new());
        let mut reader = Reader { program, sources, scopes, files: FxHashMap::default(), words, open };
        for (ns, tops) in files {
            let statements = tops.iter().filter_map(|top| match top {
                Top::Statement(node) => Some(*node),
                _ => None,
            });
            let scope = reader.enter(None, *ns, statements.collect());
            reader.files.insert(*ns, scope);
        }
        for (ns, tops) in files {
            let scope = reader.files[ns];
            tops.iter().for_each(|top| reader.top(top, *ns, scope));
            while let Some((node, scope)) = reader.open.pop() {
                reader.node(node, scope);
            }
        }
        reader.words.sort_by_key(|word| (word.span.file, word.span.start));
        reader
    }

    // Scopes

    fn scope(&mut self, parent: Option<u32>, ns: NsId, holds: Holds) -> u32 {
        self.scopes.push(Scope { parent, ns, holds });
        self.scopes.len() as u32 - 1
    }

    /// A scope with the variables that statements assign.
    fn enter(&mut self, parent: Option<u32>, ns: NsId, statements: Vec<NodeId>) -> u32 {
        let mut assigned = FxHashMap::default();
        for statement in statements {
            if let Kind::Assign { name, value } = self.program.ast.kind(statement) {
                assigned.entry(name.sym).or_insert((name.span, *value));
            }
        }
        self.scope(parent, ns, Holds::Block(assigned))
    }

    fn block(&mut self, block: BlockId, parent: u32) {
        let statements = self.program.ast.block(block).statements.clone();
        let scope = self.enter(Some(parent), self.scopes[parent as usize].ns, statements.clone());
        self.open.extend(statements.into_iter().map(|node| (node, scope)));
    }

    /// What a name of a variable means in a scope.
    fn variable(&self, name: Sym, scope: u32) -> Symbol {
        let program = self.program;
        let missing = Symbol::Undefined("variable", name);
        if let Some((path, last)) = program.text(name).rsplit_once("::") {
            let ns = program.find_namespace(path, self.scopes[scope as usize].ns).ok();
            let scope = ns.and_then(|ns| self.files.get(&ns));
            return match scope.zip(program.names.find(last)) {
                Some((scope, last)) if self.has(*scope, last) => Symbol::Variable(*scope, last),
                _ => missing,
            };
        }
        let mut at = Some(scope);
        while let Some(scope) = at {
            if let Holds::Instance(entity) = self.scopes[scope as usize].holds
                && let Some(attribute) = program.attribute_of(entity, name)
            {
                return Symbol::Attribute(attribute);
            }
            if self.has(scope, name) {
                return Symbol::Variable(scope, name);
            }
            at = self.scopes[scope as usize].parent;
        }
        missing
    }

    fn has(&self, scope: u32, name: Sym) -> bool {
        match &self.scopes[scope as usize].holds {
            Holds::Block(assigned) => assigned.contains_key(&name),
            Holds::Each(variable, _) => *variable == name,
            Holds::Instance(_) => name == self.program.self_name,
            Holds::Value(own, _) => *own == name || name == self.program.self_name,
        }
    }

    // Types

    /// The type of an expression, where it can be found without running the model.
    fn type_within(&self, node: NodeId, scope: u32, steps: u32) -> Option<Ty> {
        let steps = steps.checked_sub(1)?;
        let program = self.program;
        Some(match program.ast.kind(node) {
            Kind::Name(name) => return self.type_of_symbol(self.variable(*name, scope), steps),
            Kind::Attribute { of, name } => {
                let attribute = self.attribute(*of, name.sym, scope, steps)?;
                return self.type_of_symbol(Symbol::Attribute(attribute), steps);
            }
            Kind::New { class, .. } | Kind::IndexLookup { class, .. } => {
                return self.class(*class, self.scopes[scope as usize].ns).map(Ty::Entity);
            }
            Kind::ShortIndexLookup { of, relation, .. } => {
                let attribute = self.attribute(*of, relation.sym, scope, steps)?;
                program.attribute(attribute).ty.clone()
            }
            Kind::Literal(value) => match value {
                Value::Bool(_) => Ty::Bool,
                Value::Int(_) | Value::Big(_) => Ty::Int,
                Value::Float(_) => Ty::Float,
                Value::Str(_) => Ty::Str,
                Value::List(_) => Ty::LiteralList,
                Value::Dict(_) => Ty::LiteralDict,
                _ => return None,
            },
            Kind::Format { .. } | Kind::FormatStr { .. } => Ty::Str,
            Kind::Dict(_) => Ty::LiteralDict,
            Kind::List(items) => match items.first().and_then(|item| self.type_within(*item, scope, steps)) {
                Some(Ty::List(inner)) => Ty::List(inner),
                Some(inner) => Ty::List(Box::new(inner)),
                None => Ty::LiteralList,
            },
            Kind::IsDefined { .. } | Kind::And(..) | Kind::Or(..) | Kind::Not(_) | Kind::Regex { .. } => Ty::Bool,
            Kind::Binary { operator: ast::Operator::Compare(_) | ast::Operator::In, .. } => Ty::Bool,
            Kind::Binary { left, .. } => return self.type_within(*left, scope, steps),
            Kind::Conditional { yes, .. } => return self.type_within(*yes, scope, steps),
            Kind::Call { name, .. } => match program.find_type(*name, self.scopes[scope as usize].ns).ok()? {
                Meaning::Primitive(ty) => ty,
                Meaning::Named(Named::Plugin(id)) => return super::super::std::result_of(program, id),
                Meaning::Named(_) => return None,
            },
            _ => return None,
        })
    }

    /// Returns the type of an attribute or variable, as far as the text shows it. `steps` limits the search through
    /// definitions.
    pub fn type_of_symbol(&self, symbol: Symbol, steps: u32) -> Option<Ty> {
        let program = self.program;
        match symbol {
            Symbol::Attribute(id) => {
                let attribute = program.attribute(id);
                Some(match &attribute.relation {
                    Some(relation) if relation.bounds.high != Some(1) => Ty::List(Box::new(attribute.ty.clone())),
                    _ => attribute.ty.clone(),
                })
            }
            Symbol::Variable(scope, name) => match &self.scopes[scope as usize].holds {
                Holds::Block(assigned) => self.type_within(assigned.get(&name)?.1, scope, steps),
                Holds::Each(_, list) => {
                    let around = self.scopes[scope as usize].parent?;
                    match self.type_within(*list, around, steps)? {
                        Ty::List(inner) => Some(*inner),
                        _ => None,
                    }
                }
                Holds::Instance(entity) => Some(Ty::Entity(*entity)),
                Holds::Value(_, ty) => Some(ty.clone()),
            },
            _ => None,
        }
    }

    fn attribute(&self, of: NodeId, name: Sym, scope: u32, steps: u32) -> Option<AttributeId> {
        match self.type_within(of, scope, steps)? {
            Ty::Entity(entity) => self.program.attribute_of(entity, name),
            _ => None,
        }
    }

    fn class(&self, word: ast::Word, ns: NsId) -> Option<EntityId> {
        self.program.find_class(word, ns).ok()
    }

    // Words

    fn add(&mut self, symbol: Symbol, span: Span, defines: bool) {
        self.words.push(Word { symbol, span, defines });
    }

    fn type_word(&mut self, word: ast::Word, ns: NsId) {
        let symbol = match self.program.find_type(word, ns) {
            Ok(Meaning::Named(named)) => Symbol::Named(named),
            Ok(Meaning::Primitive(_)) => Symbol::Primitive(word.sym),
            Err(_) => Symbol::Undefined("type", word.sym),
        };
        self.add(symbol, word.span, false);
    }

    /// A name that a definition gives a meaning in its namespace.
    fn defined(&mut self, word: ast::Word, ns: NsId) {
        if let Some(named) = self.program.ns(ns).types.get(&word.sym) {
            self.add(Symbol::Named(*named), word.span, true);
        }
    }

    fn attribute_word(&mut self, entity: Option<EntityId>, word: ast::Word, defines: bool) {
        let found = entity.and_then(|entity| self.program.attribute_of(entity, word.sym));
        let symbol = found.map_or(Symbol::Undefined("attribute", word.sym), Symbol::Attribute);
        self.add(symbol, word.span, defines && found.is_some_and(|id| self.program.attribute(id).span == word.span));
    }

    fn top(&mut self, top: &Top, ns: NsId, scope: u32) {
        match top {
            Top::Doc(_) => {}
            Top::Statement(node) => self.open.push((*node, scope)),
            Top::Entity(def) => {
                self.defined(def.name, ns);
                def.parents.iter().for_each(|parent| self.type_word(*parent, ns));
                let entity = self.class(def.name, ns);
                for attribute in &def.attributes {
                    self.type_word(attribute.declared.base, ns);
                    self.attribute_word(entity, attribute.name, true);
                    self.open.extend(attribute.default.map(|node| (node, scope)));
                }
            }
            Top::Implementation(def) => {
                self.defined(def.name, ns);
                self.type_word(def.class, ns);
                let inside = match self.class(def.class, ns) {
                    Some(entity) => self.scope(Some(scope), ns, Holds::Instance(entity)),
                    None => scope,
                };
                self.block(def.body, inside);
            }
            Top::Implement(def) => {
                self.type_word(def.class, ns);
                def.implementations.iter().for_each(|word| self.type_word(*word, ns));
                let inside = match self.class(def.class, ns) {
                    Some(entity) => self.scope(Some(scope), ns, Holds::Instance(entity)),
                    None => scope,
                };
                self.open.push((def.condition, inside));
            }
            Top::Relation(def) => {
                for (side, other) in [(&def.left, &def.right), (&def.right, &def.left)] {
                    self.type_word(side.class, ns);
                    if let Some((name, _)) = side.attribute {
                        let entity = self.class(other.class, ns);
                        self.attribute_word(entity, name, true);
                    }
                }
                self.open.extend(def.annotations.iter().map(|node| (*node, scope)));
            }
            Top::Typedef(def) => {
                self.defined(def.name, ns);
                self.type_word(def.base, ns);
                let ty = Ty::primitive(self.program.text(def.base.sym)).unwrap_or(Ty::Any);
                let inside = self.scope(Some(scope), ns, Holds::Value(def.name.sym, ty));
                self.open.push((def.condition, inside));
            }
            Top::Defaults(def) => self.open.push((def.constructor, scope)),
            Top::Index(def) => {
                self.type_word(def.class, ns);
                let entity = self.class(def.class, ns);
                def.attributes.iter().for_each(|word| self.attribute_word(entity, *word, false));
            }
            Top::Import(def) => {
                if let Some((module, _)) = self.program.ns(ns).visible.get(&def.alias.sym) {
                    self.add(Symbol::Module(*module), def.name.span, false);
                }
            }
        }
    }

    fn arguments(&mut self, entity: Option<EntityId>, arguments: &Arguments) {
        arguments.named.iter().for_each(|(word, _)| self.attribute_word(entity, *word, false));
    }

    fn node(&mut self, node: NodeId, scope: u32) {
        let program = self.program;
        let (kind, span) = (program.ast.kind(node), program.ast.span(node));
        let ns = self.scopes[scope as usize].ns;
        match kind {
            Kind::Name(name) => {
                let symbol = self.variable(*name, scope);
                self.add(symbol, self.inside(span, program.text(*name)), false);
            }
            Kind::Attribute { of, name } => {
                let found = self.attribute(*of, name.sym, scope, STEPS);
                let symbol = found.map_or(Symbol::Undefined("attribute", name.sym), Symbol::Attribute);
                self.add(symbol, self.inside(name.span, program.text(name.sym)), false);
            }
            Kind::Assign { name, .. } => self.add(Symbol::Variable(scope, name.sym), name.span, true),
            Kind::SetAttribute { of, name, .. } => {
                let found = self.attribute(*of, *name, scope, STEPS);
                let symbol = found.map_or(Symbol::Undefined("attribute", *name), Symbol::Attribute);
                self.add(symbol, self.last(span, program.text(*name)), false);
            }
            Kind::Call { name, .. } => self.type_word(*name, ns),
            Kind::New { class, arguments } | Kind::IndexLookup { class, query: arguments } => {
                let made = match program.info(node) {
                    Info::New(at) => program.constructions.get(at as usize).map(|made| made.entity),
                    _ => self.class(*class, ns),
                };
                match made {
                    Some(entity) => self.add(Symbol::Named(Named::Entity(entity)), class.span, false),
                    None => self.type_word(*class, ns),
                }
                self.arguments(made, arguments);
            }
            Kind::ShortIndexLookup { of, relation, query } => {
                let found = self.attribute(*of, relation.sym, scope, STEPS);
                let symbol = found.map_or(Symbol::Undefined("attribute", relation.sym), Symbol::Attribute);
                self.add(symbol, relation.span, false);
                let relation = found.and_then(|id| program.attribute(id).relation.as_ref());
                self.arguments(relation.map(|relation| relation.target), query);
            }
            Kind::For { variable, list, body } => {
                let inside = self.scope(Some(scope), ns, Holds::Each(variable.sym, *list));
                self.add(Symbol::Variable(inside, variable.sym), variable.span, true);
                self.block(*body, inside);
            }
            Kind::If { yes, no, .. } => {
                self.block(*yes, scope);
                self.block(*no, scope);
            }
            Kind::Comprehension { element, variable, list, guard } => {
                let inside = self.scope(Some(scope), ns, Holds::Each(*variable, *list));
                self.open.push((*list, scope));
                self.open.push((*element, inside));
                self.open.extend(guard.map(|guard| (guard, inside)));
                return;
            }
            _ => {}
        }
        self.open.extend(walk::children(kind).into_iter().map(|child| (child, scope)));
    }

    /// The place of a name inside of a span, which is larger in a text: `"{{ name }}"`.
    fn inside(&self, span: Span, name: &str) -> Span {
        let text = self.sources.text(span);
        let at = text.find(name).unwrap_or(0);
        if text.len() < name.len() { span } else { part(span, at, name.len()) }
    }

    /// The place of the last word before an `=` or a `+=`, which the span may or may not hold.
    fn last(&self, span: Span, name: &str) -> Span {
        let text = &self.sources.file(span.file).text;
        let before = text.get(..span.end as usize).unwrap_or_default();
        match before.rfind(name) {
            Some(at) => Span::new(span.file, at, at + name.len()),
            None => span,
        }
    }
}

fn part(span: Span, from: usize, length: usize) -> Span {
    let start = span.start as usize + from;
    Span::new(span.file, start, start + length)
}
