//! A finished model as the exporter reads it: instances with their attributes, types and places.

use std::sync::Arc;

use super::super::plugin;
use super::super::pystr;
use super::super::run::Machine;
use super::super::types::EntityId;
use super::super::value::{InstanceId, Value};
use super::fields::plain;
use crate::graph;
use crate::lang::DeclaredParam;
use crate::source::{Place, Span};

/// A read-only view of a model after its run.
#[derive(Clone, Copy)]
pub struct Finished<'m, 'a>(&'m Machine<'a>);

impl<'m, 'a> Finished<'m, 'a> {
    /// Wraps a machine whose run is complete.
    pub fn of(machine: &'m Machine<'a>) -> Self {
        Finished(machine)
    }

    /// Every instance with its entity, in the order of construction.
    pub fn instances(self) -> impl Iterator<Item = (InstanceId, EntityId)> + 'm {
        self.0.instances.iter().zip(0..).map(|(instance, at)| (InstanceId(at), instance.entity))
    }

    /// Returns the value of an attribute of an instance, if it exists and has one.
    pub fn attribute(self, id: InstanceId, name: &str) -> Option<&'m Value> {
        let sym = self.0.program.names.find(name)?;
        self.0.peek(self.0.attribute_var(id, sym).ok()?)
    }

    /// The attributes of an instance that are no relations.
    pub fn fields(self, id: InstanceId) -> Vec<(Arc<str>, graph::Value)> {
        let program = self.0.program;
        let own = self.0.attributes_of(id).filter(|(_, attribute, _)| program.attribute(*attribute).relation.is_none());
        let fields =
            own.filter_map(|(name, _, var)| Some((program.names.shared(name), plain(self.0.peek(var)?, self.0))));
        fields.collect()
    }

    fn is_reference(self, value: &Value) -> bool {
        match value {
            Value::List(items) => items.iter().any(|item| self.is_reference(item)),
            Value::Dict(dict) => dict.items.iter().any(|(_, item)| self.is_reference(item)),
            value => self.0.reference_key(value).is_some(),
        }
    }

    /// The attributes that are references, or hold some.
    pub fn references(self, id: InstanceId) -> Vec<(Arc<str>, graph::Value)> {
        let program = self.0.program;
        let attributes = self.0.attributes_of(id);
        let made = attributes.filter(|(_, _, var)| self.0.peek(*var).is_some_and(|value| self.is_reference(value)));
        made.map(|(name, ..)| (program.names.shared(name), graph::Value::Unknown)).collect()
    }

    /// A value as a value of a graph.
    pub fn plain(self, value: &Value) -> graph::Value {
        plain(value, self.0)
    }

    /// The fields that the resource class of an entity computes in Python.
    pub fn exported(self, entity: &str, fields: &[&str], id: InstanceId) -> plugin::Exported {
        plugin::export(self.0, entity, fields, id)
    }

    /// The text of a value.
    pub fn text(self, value: &Value) -> String {
        pystr::str(value, self.0)
    }

    /// Where an instance was first constructed.
    pub fn place(self, id: InstanceId) -> Option<Span> {
        Some(self.0.instances[id.0 as usize].place())
    }

    /// Where an attribute of an instance was set.
    pub fn place_of(self, id: InstanceId, name: &str) -> Option<Span> {
        let sym = self.0.program.names.find(name)?;
        self.0.place_of(self.0.attribute_var(id, sym).ok()?)
    }

    /// A place for the graph.
    pub fn shown(self, place: Span) -> Place {
        self.0.sources.place(place)
    }

    /// Finds an entity by its full name, such as `std::File`.
    pub fn find_entity(self, name: &str) -> Option<EntityId> {
        self.0.program.find_entity(name)
    }

    /// Returns the ids of all entities in the order of their definition.
    pub fn entities(self) -> impl Iterator<Item = EntityId> {
        (0..self.0.program.entities.len() as u32).map(EntityId)
    }

    /// Whether an entity is another or extends it.
    pub fn is_subclass(self, child: EntityId, of: EntityId) -> bool {
        self.0.program.is_subclass(child, of)
    }

    /// The place of an entity, and its attributes that are no relations.
    pub fn described(self, entity: EntityId) -> (Span, Vec<DeclaredParam>) {
        let program = self.0.program;
        let entity = program.entity(entity);
        let own = entity
            .all
            .iter()
            .filter(|(name, attribute)| *name != program.self_name && program.attribute(*attribute).relation.is_none());
        let params = own.map(|(name, attribute)| DeclaredParam {
            name: program.names.shared(*name),
            ty: program.type_text(&program.attribute(*attribute).ty),
            is_required: !entity.defaults.iter().any(|(other, _)| other == name),
            doc: String::new(),
        });
        (entity.span, params.collect())
    }
}
