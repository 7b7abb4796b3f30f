//! The definition stage: namespaces, types and what every name of a node means, before the first statement runs.

mod entity;
mod normalise;
mod precedence;
mod promises;

use rustc_hash::FxHashMap;

use super::ast::{Ast, BlockId, NodeId, NsId, Top, Word};
use super::check::DirectCall;
use super::error::{Class, Raise, Result};
use super::load::Loaded;
use super::names::{Names, Sym};
use super::plugin::{Described, PluginDef, Signature};
use super::python::ResourceClass;
use super::types::{EntityId, Ty, TypedefId};
use crate::diag::Code;
use crate::source::Span;

pub use entity::{Attribute, AttributeId, Entity, Implement, Implementation, ImplementationId};
pub use normalise::{Comprehension, Construction, Info};
pub use promises::Promise;

/// The definition behind a name of a type table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    Entity(EntityId),
    Implementation(ImplementationId),
    Typedef(TypedefId),
    Plugin(u32),
}

/// A namespace, with its types and the namespaces that are visible in it.
#[derive(Debug, Default)]
pub struct Namespace {
    pub name: String,
    pub parent: Option<NsId>,
    pub types: FxHashMap<Sym, Named>,
    /// Namespaces by the names that are visible here, with the import that made them visible.
    pub visible: FxHashMap<Sym, (NsId, Option<Span>)>,
    /// The statements of its file.
    pub block: Option<BlockId>,
}

/// A defined type: its base, and the condition that its values must meet.
#[derive(Debug)]
pub struct Typedef {
    pub name: Sym,
    pub ns: NsId,
    pub base: Ty,
    pub condition: NodeId,
    pub span: Span,
}

/// The variables of a block, by place.
#[derive(Debug, Default)]
pub struct Variables {
    pub names: Vec<Sym>,
    index: FxHashMap<Sym, u32>,
}

impl Variables {
    fn of(list: Vec<Sym>) -> Self {
        let mut made = Variables::default();
        for sym in list {
            made.add(sym);
        }
        made
    }

    fn add(&mut self, sym: Sym) {
        if self.find(sym).is_none() {
            self.names.push(sym);
            if self.names.len() == 9 {
                self.index = self.names.iter().enumerate().map(|(at, sym)| (*sym, at as u32)).collect();
            } else if self.names.len() > 9 {
                self.index.insert(sym, self.names.len() as u32 - 1);
            }
        }
    }

    /// Returns the place of a variable by its name.
    pub fn find(&self, sym: Sym) -> Option<u32> {
        if self.names.len() > 8 {
            return self.index.get(&sym).copied();
        }
        self.names.iter().position(|name| *name == sym).map(|at| at as u32)
    }
}

/// Beyond this many, attributes are found by a table.
const FEW: usize = 16;

impl Entity {
    /// The place of an attribute in `all`.
    pub fn place(&self, name: Sym) -> Option<u32> {
        if self.all.len() > FEW {
            return self.places.get(&name).copied();
        }
        self.all.iter().position(|(other, _)| *other == name).map(|at| at as u32)
    }
}

/// Everything that is known before the model runs.
pub struct Program {
    pub ast: Ast,
    pub names: Names,
    pub namespaces: Vec<Namespace>,
    ns_by_name: FxHashMap<Sym, NsId>,
    pub entities: Vec<Entity>,
    /// The type of the instances of each entity.
    pub entity_types: Vec<Ty>,
    pub attributes: Vec<Attribute>,
    pub implementations: Vec<Implementation>,
    pub implements: Vec<Implement>,
    pub typedefs: Vec<Typedef>,
    pub plugins: Vec<PluginDef>,
    /// Calls a built-in plugin in the condition of a type.
    pub call_direct: DirectCall,
    /// What is known of the Python plugins, and their signatures in the same order.
    pub described: Described,
    pub signatures: Vec<Signature>,
    /// The resource types that modules declare.
    pub classes: Vec<ResourceClass>,
    /// Every registered type, in the order of registration.
    order: Vec<Named>,
    /// Blocks of files, in the order in which they are emitted.
    pub blocks: Vec<BlockId>,
    /// Annotations of relations, by block: evaluated with its statements.
    pub annotations: FxHashMap<NsId, Vec<NodeId>>,
    pub info: Vec<Info>,
    pub promises: FxHashMap<NodeId, Vec<Promise>>,
    pub variables: Vec<Variables>,
    pub constructions: Vec<Construction>,
    pub comprehensions: Vec<Comprehension>,
    /// Names that the compiler itself uses.
    pub self_name: Sym,
    pub entity: EntityId,
    /// The folders of modules.
    pub modules: FxHashMap<String, std::path::PathBuf>,
}

impl Program {
    /// Registers every type, evaluates the definitions and resolves names.
    pub fn define(loaded: Loaded, call_direct: DirectCall) -> Result<Program> {
        let (program, defined) = Program::define_anyway(loaded, call_direct);
        defined.map(|()| program)
    }

    /// The same, with what is defined so far where a definition has an error.
    pub fn define_anyway(loaded: Loaded, call_direct: DirectCall) -> (Program, Result<()>) {
        let Loaded { mut names, ast, files, plugins, described, classes, modules, .. } = loaded;
        let self_name = names.sym("self");
        let mut program = Program {
            ast,
            names,
            namespaces: Vec::new(),
            ns_by_name: FxHashMap::default(),
            entities: Vec::new(),
            entity_types: Vec::new(),
            attributes: Vec::new(),
            implementations: Vec::new(),
            implements: Vec::new(),
            typedefs: Vec::new(),
            plugins,
            call_direct,
            described,
            signatures: Vec::new(),
            classes,
            order: Vec::new(),
            blocks: Vec::new(),
            annotations: FxHashMap::default(),
            info: Vec::new(),
            promises: FxHashMap::default(),
            variables: Vec::new(),
            constructions: Vec::new(),
            comprehensions: Vec::new(),
            self_name,
            entity: EntityId(0),
            modules,
        };
        for name in &loaded.namespaces {
            program.add_namespace(name);
        }
        let std = program.ns_named("std");
        let std_name = program.names.sym("std");
        for (id, namespace) in program.namespaces.iter_mut().enumerate() {
            let own = program.names.sym(&namespace.name);
            namespace.visible.insert(own, (NsId(id as u32), None));
            namespace.visible.insert(std_name, (std, None));
        }
        let mut tops: Vec<(NsId, Vec<Top>)> = Vec::new();
        for file in files {
            let mut statements = Vec::new();
            let mut definitions = Vec::new();
            for top in file.tops {
                match top {
                    Top::Statement(node) => statements.push(node),
                    Top::Doc(_) => {}
                    other => definitions.push(other),
                }
            }
            let block = program.ast.add_block(file.ns, statements);
            program.namespaces[file.ns.0 as usize].block = Some(block);
            program.blocks.push(block);
            tops.push((file.ns, definitions));
        }
        let defined = program.resolve_all(&tops, std);
        (program, defined)
    }

    fn resolve_all(&mut self, tops: &[(NsId, Vec<Top>)], std: NsId) -> Result<()> {
        self.evaluate(tops, std)?;
        self.resolve_signatures()?;
        self.entity_types = (0..self.entities.len() as u32).map(|id| Ty::Entity(EntityId(id))).collect();
        self.normalise_all()
    }

    fn resolve_signatures(&mut self) -> Result<()> {
        let described = std::mem::take(&mut self.described);
        for plugin in &described.plugins {
            if let Some((ns, place)) = plugin.home {
                let signature = Signature::resolve(plugin, (ns, place), !described.runs(), self)?;
                self.signatures.push(signature);
            }
        }
        self.described = described;
        Ok(())
    }

    fn add_namespace(&mut self, name: &str) -> NsId {
        let sym = self.names.sym(name);
        let id = NsId(self.namespaces.len() as u32);
        self.ns_by_name.insert(sym, id);
        let parent = name.rsplit_once("::").and_then(|(parent, _)| self.names.find(parent));
        let parent = parent.and_then(|parent| self.ns_by_name.get(&parent).copied());
        self.namespaces.push(Namespace { name: name.to_string(), parent, ..Namespace::default() });
        id
    }

    fn ns_named(&mut self, name: &str) -> NsId {
        let sym = self.names.sym(name);
        match self.ns_by_name.get(&sym) {
            Some(id) => *id,
            None => self.add_namespace(name),
        }
    }

    /// Finds a namespace by its full name.
    pub fn find_ns(&self, name: &str) -> Option<NsId> {
        self.ns_by_name.get(&self.names.find(name)?).copied()
    }

    /// Returns the definition behind a full name.
    pub fn find_full(&self, full: &str) -> Option<Named> {
        let (ns, name) = full.rsplit_once("::")?;
        self.ns(self.find_ns(ns)?).types.get(&self.names.find(name)?).copied()
    }

    /// Returns a namespace.
    pub fn ns(&self, id: NsId) -> &Namespace {
        &self.namespaces[id.0 as usize]
    }

    /// Returns an entity.
    pub fn entity(&self, id: EntityId) -> &Entity {
        &self.entities[id.0 as usize]
    }

    /// Returns an attribute.
    pub fn attribute(&self, id: AttributeId) -> &Attribute {
        &self.attributes[id.0 as usize]
    }

    /// Returns the text of a name.
    pub fn text(&self, sym: Sym) -> &str {
        self.names.text(sym)
    }

    /// `namespace::Name`.
    pub fn entity_name(&self, id: EntityId) -> String {
        let entity = self.entity(id);
        format!("{}::{}", self.ns(entity.ns).name, self.text(entity.name))
    }

    /// The entity of a full name.
    pub fn find_entity(&self, full: &str) -> Option<EntityId> {
        match self.find_full(full)? {
            Named::Entity(id) => Some(id),
            _ => None,
        }
    }

    /// The type of a name as seen from a namespace.
    pub fn find_type(&self, word: Word, ns: NsId) -> Result<Meaning> {
        let name = self.text(word.sym);
        let missing = |class: Class, ns: NsId, more: String| {
            let message = format!("could not find type {name} in namespace {}{more}", self.ns(ns).name);
            Raise::placed(class, word.span, message)
        };
        if let Some((path, last)) = name.rsplit_once("::") {
            let target = self.names.find(path).and_then(|path| self.ns(ns).visible.get(&path));
            let Some((target, _)) = target else {
                let more = format!(".\nTry importing the module with `import {path}`");
                let raise = missing(Class::MissingImport, ns, more);
                return Err(raise.with_help(self.near_import(path, last, ns)));
            };
            let found = self.names.find(last).and_then(|last| self.ns(*target).types.get(&last));
            return match found {
                Some(named) => Ok(Meaning::Named(*named)),
                None => Err(missing(Class::TypeNotFound, *target, String::new()).with_help(self.near_type(name, ns))),
            };
        }
        if let Some(primitive) = Ty::primitive(name) {
            return Ok(Meaning::Primitive(primitive));
        }
        let mut at = Some(ns);
        while let Some(here) = at {
            if let Some(named) = self.ns(here).types.get(&word.sym) {
                return Ok(Meaning::Named(*named));
            }
            at = self.ns(here).parent;
        }
        Err(missing(Class::TypeNotFound, ns, String::new()).with_help(self.near_type(name, ns)))
    }

    /// What to do about a module that is not imported, by the name in it that is meant.
    fn near_import(&self, path: &str, last: &str, ns: NsId) -> String {
        let has = |ns: NsId| self.ns(ns).types.keys().any(|sym| self.text(*sym) == last);
        let visible = self.ns(ns).visible.iter().filter(|(_, (target, _))| has(*target));
        let mut visible: Vec<&str> = visible.map(|(name, _)| self.text(*name)).collect();
        visible.sort_unstable();
        if let Some(near) = crate::diag::nearest(path, visible.iter().copied()) {
            return format!("did you mean `{near}::{last}`?");
        }
        // The name is that of a module's alias, whose import is without it.
        if let Some(module) = visible.iter().find(|name| name.starts_with(path)) {
            return format!("write `{module}::{last}`, or `import {module} as {path}`");
        }
        // One imported module has it, under another name.
        visible.retain(|name| *name != "std");
        if let [other] = visible[..] {
            return format!("write `{other}::{last}`, or `import {other} as {path}`");
        }
        let is_part = |name: &str| name.strip_suffix(path).is_some_and(|before| before.ends_with("::"));
        let numbers = (0..self.namespaces.len() as u32).map(NsId);
        let part = numbers.filter(|ns| has(*ns)).map(|ns| self.ns(ns).name.as_str()).find(|name| is_part(name));
        let is_visible = |full: &str| self.names.find(full).is_some_and(|name| self.ns(ns).visible.contains_key(&name));
        match part {
            Some(full) if is_visible(full) => {
                format!("write `{full}::{last}`, or `import {full} as {path}` at the top of the file")
            }
            Some(full) => format!("write `import {full} as {path}` at the top of the file"),
            None => format!("write `import {path}` at the top of the file"),
        }
    }

    /// What to do about a name that is no type, entity, plugin or implementation.
    fn near_type(&self, name: &str, ns: NsId) -> String {
        let (path, last) = name.rsplit_once("::").map_or((None, name), |(path, last)| (Some(path), last));
        let types = |ns: NsId| self.ns(ns).types.keys().map(|sym| self.text(*sym));
        let mut names: Vec<String> = Vec::new();
        match path.and_then(|path| self.names.find(path).and_then(|path| self.ns(ns).visible.get(&path))) {
            Some((target, _)) => names.extend(types(*target).map(str::to_string)),
            None => {
                let spaces = std::iter::successors(Some(ns), |ns| self.ns(*ns).parent);
                names.extend(spaces.flat_map(types).map(str::to_string));
                names.extend(Ty::PRIMITIVES.iter().map(ToString::to_string));
            }
        }
        const OTHERS: [(&str, &str); 17] = [
            ("range", "std::sequence"),
            ("none", "std::none"),
            ("parent", "parents"),
            ("size", "std::count"),
            ("str", "string"),
            ("String", "string"),
            ("integer", "int"),
            ("Integer", "int"),
            ("boolean", "bool"),
            ("Boolean", "bool"),
            ("double", "float"),
            ("list", "string[]"),
            ("text", "string"),
            ("map", "dict"),
            ("hash", "dict"),
            ("object", "dict"),
            ("Array", "string[]"),
        ];
        if let Some((_, ours)) = OTHERS.iter().find(|(other, _)| *other == last) {
            return format!("did you mean `{ours}`?");
        }
        let shown = |near: &str| path.map_or(near.to_string(), |path| format!("{path}::{near}"));
        names.sort();
        if let Some(near) = crate::diag::nearest(last, names.iter().map(String::as_str)) {
            return format!("did you mean `{}`?", shown(near));
        }
        let is_module = self.names.find(name).and_then(|sym| self.ns(ns).visible.get(&sym));
        if let Some((target, _)) = is_module {
            let mut entities: Vec<&str> = types(*target).filter(|name| name.starts_with(char::is_uppercase)).collect();
            entities.sort_unstable();
            let shown: Vec<String> = entities.iter().take(4).map(|entity| format!("`{name}::{entity}`")).collect();
            return format!(
                "`{name}` is a module: write {}",
                if shown.is_empty() { format!("`{name}::NAME`") } else { shown.join(" or ") }
            );
        }
        // The same name in a module that is imported.
        let mut visible: Vec<_> =
            self.ns(ns).visible.iter().map(|(path, (target, _))| (self.text(*path), *target)).collect();
        visible.sort_by_key(|(path, _)| *path);
        let other = visible.iter().find(|(_, target)| types(*target).any(|name| name == last));
        match other {
            Some((other, _)) => format!("did you mean `{other}::{last}`?"),
            None => match path {
                Some(path) => {
                    let is_lower = last.starts_with(char::is_lowercase);
                    let of_kind = |name: &&String| name.starts_with(char::is_lowercase) == is_lower;
                    let few = names.iter().filter(of_kind).count() <= 12;
                    let known: Vec<String> =
                        names.iter().filter(of_kind).filter(|_| few).map(|name| format!("`{name}`")).collect();
                    match (known.is_empty(), is_lower) {
                        (false, _) => {
                            format!("`{path}` has {}: correct the name, or define it there", known.join(", "))
                        }
                        (true, true) => format!(
                            "`{path}` has no such plugin or type: write it in the plugins of that module, or correct the name"
                        ),
                        (true, false) => format!("define `{last}` in the module `{path}`, or correct the name"),
                    }
                }
                None => "define it, or import the module that has it".into(),
            },
        }
    }

    /// The entity of a name; anything else is an error inside the reference.
    pub fn find_class(&self, word: Word, ns: NsId) -> Result<EntityId> {
        match self.find_type(word, ns)? {
            Meaning::Named(Named::Entity(id)) => Ok(id),
            _ => Err(Raise::at(Class::Internal, word.span, format!("{} is not an entity", self.text(word.sym)))),
        }
    }

    /// The namespace that a path of a variable names.
    pub fn find_namespace(&self, path: &str, ns: NsId) -> Result<NsId> {
        let found = self.names.find(path).and_then(|path| self.ns(ns).visible.get(&path));
        found.map(|(ns, _)| *ns).ok_or_else(|| {
            let message = format!("Namespace {path} not found.\nTry importing it with `import {path}`");
            let names = self.ns(ns).visible.keys().map(|name| self.text(*name));
            let help = match crate::diag::nearest(path, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write `import {path}` at the top of the file"),
            };
            Raise::new(Class::NotFound, message).with_code(Code::UnknownImport).with_help(help)
        })
    }

    /// Lets one relation freeze before another, or takes that back.
    pub fn set_before(&mut self, first: AttributeId, then: AttributeId, is_set: bool) {
        if let Some(relation) = &mut self.attributes[first.0 as usize].relation {
            if is_set {
                relation.before.push(then);
            } else {
                relation.before.pop();
            }
        }
    }

    /// Returns the full name of a plugin: `namespace::name`.
    pub fn plugin_name(&self, id: u32) -> String {
        let plugin = &self.plugins[id as usize];
        format!("{}::{}", self.ns(plugin.ns).name, self.text(plugin.name))
    }

    /// Whether an entity is another or extends it.
    pub fn is_subclass(&self, child: EntityId, of: EntityId) -> bool {
        child == of || self.entity(child).ancestors.contains(&of)
    }

    /// Returns what the name in a node refers to, if that is known before the run.
    pub fn info(&self, node: NodeId) -> Info {
        self.info.get(node.0 as usize).copied().unwrap_or(Info::None)
    }

    /// Returns the variables of a block.
    pub fn variables_of(&self, block: BlockId) -> &Variables {
        &self.variables[block.0 as usize]
    }

    /// The text of a type as the language writes it.
    pub fn type_text(&self, ty: &Ty) -> String {
        match ty {
            Ty::Entity(id) => self.entity_name(*id),
            Ty::Typedef(id) => {
                let typedef = &self.typedefs[id.0 as usize];
                format!("{}::{}", self.ns(typedef.ns).name, self.text(typedef.name))
            }
            Ty::List(inner) => format!("{}[]", self.type_text(inner)),
            Ty::Nullable(inner) => format!("{}?", self.type_text(inner)),
            other => other.text().to_string(),
        }
    }
}

/// What a type name means.
#[derive(Clone, Debug, PartialEq)]
pub enum Meaning {
    Primitive(Ty),
    Named(Named),
}
