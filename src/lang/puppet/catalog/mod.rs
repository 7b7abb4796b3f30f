//! The catalog of one node: resources, what contains what, and what the program asked for and waits for the end.

mod class;
pub mod compiler;
mod declare;
mod exported;
mod finish;
mod finished;
pub mod json;
pub mod kinds;
mod known;
mod modify;
pub mod order;
pub mod ral;
pub mod resource_type;
mod resource;
pub mod secret;

use std::sync::Arc;

use super::ids::{ResourceId, ScopeId};
use super::names::key_title;

pub use finished::Finished;
pub use resource::{Arrow, ArrowKind, Attribute, OTHERS, Offer, Parameter, Parameters, Resource, Sort, Tags};

use rustc_hash::FxHashMap;

use super::ast::Text;
use super::types::{Ty, Type};
use super::value::Value;
use crate::source::Span;
use crate::world::Export;

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

/// The condition of a collector.
#[derive(Clone, Debug)]
pub enum Query {
    All,
    /// It compares with an unknown value.
    Unknown,
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

/// An arrow between two operands, from the one that is applied first.
#[derive(Clone, Debug)]
pub struct Relation {
    pub source: Operand,
    pub target: Operand,
    pub notify: bool,
    pub span: Span,
    /// The replacement of a collector that found nothing, by index of an earlier relation.
    pub before: Option<usize>,
}

/// The catalog of a node during its compilation.
#[derive(Debug, Default)]
pub struct Catalog {
    pub resources: Vec<Resource>,
    /// By type, then by title.
    index: FxHashMap<Text, FxHashMap<Text, ResourceId>>,
    /// What contains what.
    pub edges: Vec<(ResourceId, ResourceId)>,
    pub overrides: Vec<Override>,
    pub collectors: Vec<Collector>,
    pub relations: Vec<Relation>,
    /// The relationships that resources declare, as soon as the catalog is finished.
    pub arrows: Vec<Arrow>,
    /// Relationships that types of modules add: source, target, and whether it refreshes.
    pub automatic: Vec<(ResourceId, ResourceId, bool)>,
    /// What a type of a module refuses.
    pub refused: Option<(String, Span)>,
    /// Classes that were evaluated, and the node.
    pub classes: Vec<Text>,
    /// Resources that `realize` was asked for.
    pub realized: Vec<(Text, Text, Span)>,
    /// Resources that other nodes export.
    pub collected: FxHashMap<ResourceId, Export>,
    /// What other nodes export, by type; read when a collector asks for it.
    offers: FxHashMap<Text, Arc<Vec<Offer>>>,
}

impl Catalog {
    /// How much there is that keeps the scope in which it was declared.
    pub fn keeps(&self) -> [usize; 4] {
        [self.resources.len(), self.overrides.len(), self.collectors.len(), self.relations.len()]
    }

    /// Returns a resource.
    pub fn get(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0 as usize]
    }

    /// Returns a resource for changes.
    pub fn get_mut(&mut self, id: ResourceId) -> &mut Resource {
        &mut self.resources[id.0 as usize]
    }

    /// Finds a resource by its type in lower case and its title.
    pub fn lookup(&self, ty: &str, title: &str) -> Option<ResourceId> {
        let titles = self.index.get(ty)?;
        let found = titles.get(&*key_title(ty, title)).copied();
        // A package is also found by its name, if no provider is set.
        if found.is_none() && ty == "package" {
            return titles.get(&*package_key(title, "")).copied();
        }
        found
    }

    /// The resource that a reference names.
    pub fn find(&self, ty: &Ty) -> Option<ResourceId> {
        match &**ty {
            Type::Resource(Some(name), Some(title)) => self.lookup(name, title),
            Type::Class(Some(name)) => self.lookup("class", name),
            _ => None,
        }
    }

    /// Adds a resource, and returns its id. An earlier resource of the same type and title is no longer found by them.
    pub fn add(&mut self, resource: Resource) -> ResourceId {
        let id = ResourceId(self.resources.len() as u32);
        let key = shared(&key_title(&resource.ty, &resource.title), &resource.title);
        self.index.entry(resource.ty.clone()).or_default().insert(key, id);
        self.resources.push(resource);
        id
    }

    /// The resource that a text such as `Notify[b]` names.
    pub fn reference(&self, text: &str) -> Option<ResourceId> {
        let (ty, rest) = text.split_once('[')?;
        let title = rest.strip_suffix(']')?;
        let title = title.trim_matches(['\'', '"']);
        self.lookup(&ty.to_lowercase(), title)
    }

    /// Another name for a resource; `Err` is who has it already.
    pub fn alias(&mut self, ty: &Text, name: &str, id: ResourceId) -> Result<(), ResourceId> {
        let titles = self.index.entry(ty.clone()).or_default();
        match titles.get(&*key_title(ty, name)) {
            Some(other) if *other != id => Err(*other),
            Some(_) => Ok(()),
            None => {
                titles.insert(key_title(ty, name).into(), id);
                Ok(())
            }
        }
    }

    /// Whether some collector asks for exported resources.
    pub fn collects_exported(&self) -> bool {
        self.collectors.iter().any(|collector| collector.exported)
    }

    /// Returns the ids of all resources in the order of their declaration.
    pub fn ids(&self) -> impl Iterator<Item = ResourceId> + use<> {
        (0..self.resources.len() as u32).map(ResourceId)
    }
}

/// A text, the same one as another where they are equal.
fn shared(text: &str, other: &Text) -> Text {
    if *text == **other { other.clone() } else { text.into() }
}

/// What distinguishes packages besides their titles.
fn package_key(name: &str, provider: &str) -> String {
    format!("{name}\0{provider}")
}
