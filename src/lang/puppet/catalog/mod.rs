//! The catalog of one node: resources, what contains what, and what the program asked for and waits for the end.

mod class;
pub mod compiler;
mod declare;
mod exported;
mod finish;
pub mod json;
mod known;
mod modify;
pub mod order;
pub mod ral;
mod refused;
pub mod secret;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use declare::flatten;
use exported::Offer;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::ast::{Collect, Form, Text};
use super::scope::ScopeId;
use super::types::{Ty, Type};
use super::value::Value;
use crate::source::Span;
use crate::world::Export;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResourceId(pub u32);

/// An attribute as written.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: Text,
    pub value: Value,
    pub appends: bool,
    pub span: Span,
}

/// An attribute as set.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub value: Value,
    /// It comes from a default, so the declaring class may replace it.
    pub is_default: bool,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    Builtin,
    Class,
    Define,
    Node,
    Stage,
}

#[derive(Clone, Debug)]
pub struct Resource {
    /// In lower case.
    pub ty: Text,
    pub title: Text,
    pub sort: Sort,
    pub parameters: IndexMap<Text, Parameter>,
    pub form: Form,
    /// It was declared with `@@`.
    pub is_exported: bool,
    /// The scope that declared it.
    pub scope: ScopeId,
    pub span: Span,
    /// Of a resource expression, the whole of it: Puppet names its line.
    pub expression: Option<Span>,
    pub tags: BTreeSet<Text>,
    pub is_evaluated: bool,
    /// The class that declared it: its subclasses may override.
    pub source: Option<Text>,
    /// Parameters that were given as undef.
    pub given_undef: Vec<Text>,
    /// Names of the parameters that were sensitive.
    pub sensitive: Vec<Text>,
}

impl Resource {
    pub fn parameter(&self, name: &str) -> Option<&Value> {
        self.parameters.get(name).map(|p| &p.value)
    }

    pub fn reference(&self) -> String {
        format!("{}[{}]", self.type_name(), self.shown_title())
    }

    pub fn type_name(&self) -> String {
        capitalised(&self.ty)
    }

    pub fn shown_title(&self) -> String {
        match self.sort {
            Sort::Class if &*self.title != "main" => capitalised(&self.title),
            _ => self.title.to_string(),
        }
    }

    pub fn add_tag(&mut self, tag: &str) {
        let tag = tag.to_lowercase();
        if !valid_tag(&tag) {
            return;
        }
        if tag.contains("::") {
            for part in tag.split("::").filter(|p| !p.is_empty()) {
                self.tags.insert(part.into());
            }
        }
        self.tags.insert(tag.trim_start_matches("::").into());
    }
}

pub fn valid_tag(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && tag.chars().all(|c| c.is_alphanumeric() || "_:.-".contains(c))
}

pub fn capitalised(name: &str) -> String {
    let parts = name.trim_start_matches("::").split("::").map(|part| {
        let mut chars = part.chars();
        chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
    });
    parts.collect::<Vec<String>>().join("::")
}

/// An override of a resource that is not there yet.
#[derive(Clone, Debug)]
pub struct Override {
    pub ty: Text,
    pub title: Text,
    pub attributes: Vec<Attribute>,
    pub scope: ScopeId,
    pub span: Span,
}

/// A collector: it runs until the end.
#[derive(Debug)]
pub struct Collector {
    pub ty: Text,
    pub exported: bool,
    pub query: Query,
    pub attributes: Vec<Attribute>,
    pub scope: ScopeId,
    pub span: Span,
    pub found: Vec<ResourceId>,
    /// The exports of other nodes were searched.
    pub is_searched: bool,
}

#[derive(Clone, Debug)]
pub enum Query {
    All,
    /// What it compares with is unknown.
    Nothing,
    And(Box<Query>, Box<Query>),
    Or(Box<Query>, Box<Query>),
    Equal(Text, Value),
    NotEqual(Text, Value),
}

/// One side of an arrow.
#[derive(Clone, Debug)]
pub enum Operand {
    Value(Value),
    Collector(usize),
}

#[derive(Clone, Debug)]
pub struct Relation {
    pub source: Operand,
    pub target: Operand,
    pub notify: bool,
    pub span: Span,
    /// The replacement of a collector that found nothing, by index of an earlier relation.
    pub before: Option<usize>,
}

#[derive(Debug, Default)]
pub struct Catalog {
    pub resources: Vec<Resource>,
    index: FxHashMap<(Text, Text), ResourceId>,
    /// What contains what.
    pub edges: Vec<(ResourceId, ResourceId)>,
    pub overrides: Vec<Override>,
    pub collectors: Vec<Collector>,
    pub relations: Vec<Relation>,
    /// Classes that were evaluated, and the node.
    pub classes: Vec<Text>,
    /// Resources that `realize` was asked for.
    pub realized: Vec<(Text, Text, Span)>,
    /// Resources that other nodes export.
    pub collected: FxHashMap<ResourceId, Export>,
    /// What other nodes export, by type; read when a collector asks for it.
    offers: FxHashMap<Text, Arc<Vec<Offer>>>,
}

/// A title as it is compared: of classes in lower case.
pub fn key_title(ty: &str, title: &str) -> Text {
    match ty {
        "class" => title.trim_start_matches("::").to_lowercase().into(),
        "file" if title.len() > 1 => title.trim_end_matches('/').into(),
        _ => title.into(),
    }
}

impl Catalog {
    /// How much there is that keeps the scope in which it was declared.
    pub fn keeps(&self) -> [usize; 4] {
        [self.resources.len(), self.overrides.len(), self.collectors.len(), self.relations.len()]
    }

    pub fn get(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: ResourceId) -> &mut Resource {
        &mut self.resources[id.0 as usize]
    }

    pub fn lookup(&self, ty: &str, title: &str) -> Option<ResourceId> {
        self.index.get(&(ty.into(), key_title(ty, title))).copied()
    }

    /// The resource that a reference names.
    pub fn find(&self, ty: &Ty) -> Option<ResourceId> {
        match &**ty {
            Type::Resource(Some(name), Some(title)) => self.lookup(name, title),
            Type::Class(Some(name)) => self.lookup("class", name),
            _ => None,
        }
    }

    pub fn add(&mut self, resource: Resource) -> ResourceId {
        let id = ResourceId(self.resources.len() as u32);
        let key = (resource.ty.clone(), key_title(&resource.ty, &resource.title));
        self.index.insert(key, id);
        self.resources.push(resource);
        id
    }

    /// Another name for a resource; `Err` is who has it already.
    pub fn alias(&mut self, ty: &Text, name: &str, id: ResourceId) -> Result<(), ResourceId> {
        let key = (ty.clone(), key_title(ty, name));
        match self.index.get(&key) {
            Some(other) if *other != id => Err(*other),
            _ => {
                self.index.insert(key, id);
                Ok(())
            }
        }
    }

    /// Whether some collector asks for exported resources.
    pub fn collects_exported(&self) -> bool {
        self.collectors.iter().any(|collector| collector.exported)
    }

    pub fn ids(&self) -> impl Iterator<Item = ResourceId> + use<> {
        (0..self.resources.len() as u32).map(ResourceId)
    }
}

/// The query of a collector, its values evaluated already.
pub fn title_of(collect: &Collect) -> Option<&Text> {
    match &collect.ty.kind {
        super::ast::Kind::Ref(name) => Some(name),
        _ => None,
    }
}
