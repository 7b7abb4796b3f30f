//! The finished catalog as Puppet's JSON, with relationships and order.

use std::borrow::Cow;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::order::{self, Ordered, Relationship};
use super::{Parameter, Resource, Sort, ral};
use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::catalog::Finished;
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::types::Type;
use crate::lang::puppet::value::Value;

/// A resource as catalogs have it.
#[derive(Serialize)]
struct ResourceJson<'a> {
    #[serde(rename = "type")]
    ty: String,
    title: Cow<'a, str>,
    tags: Vec<&'a str>,
    file: &'a str,
    line: u32,
    exported: bool,
    #[serde(rename = "virtual", skip_serializing_if = "std::ops::Not::not")]
    is_virtual: bool,
    parameters: JsonMap<String, Json>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sensitive_parameters: Vec<&'a str>,
}

/// A resource inside of a container.
#[derive(Serialize)]
struct EdgeJson {
    source: String,
    target: String,
}

/// One resource before another.
#[derive(Serialize)]
struct RelationshipJson {
    source: String,
    target: String,
    refresh: bool,
    auto: bool,
}

impl Finished<'_> {
    /// The catalog as JSON.
    pub fn catalog_json(&self) -> String {
        /// Bytes of a resource with its relationships, roughly.
        const EACH: usize = 512;
        let mut out = Vec::with_capacity(self.catalog.resources.len() * EACH);
        serde_json::to_writer(&mut out, self).expect("plain data can always be written");
        String::from_utf8(out).expect("JSON is UTF-8")
    }

    fn resource_json<'a>(&'a self, resource: &'a Resource) -> ResourceJson<'a> {
        let span = resource.expression.unwrap_or(resource.span);
        let file = self.inputs.sources.file(span.file);
        let namevar = self.program.namevar(&resource.ty).filter(|_| resource.sort == Sort::Builtin);
        let is_title = |(name, parameter): &(&Text, &Parameter)| {
            Some(&***name) == namevar && matches!(&parameter.value, Value::Str(text) if *text == resource.title)
        };
        let parameters = resource.parameters.iter().filter(|given| !is_title(given));
        ResourceJson {
            ty: resource.type_name(),
            title: resource.shown_title(),
            tags: resource.tags.iter().map(|tag| &**tag).collect(),
            file: &file.name,
            line: file.line_at(span.start),
            exported: resource.is_exported,
            is_virtual: resource.form != Form::Regular,
            // Catalogs of Puppet have them in small letters.
            parameters: parameters.map(|(name, given)| (name.to_lowercase(), parameter_json(&given.value))).collect(),
            sensitive_parameters: resource.sensitive.iter().map(|name| &**name).collect(),
        }
    }
}

/// Makes its elements while they are written: a catalog may have many.
struct List<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for List<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

impl Serialize for Finished<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let catalog = self.catalog;
        let reference = |id: ResourceId| catalog.get(id).reference();
        let is_virtual = |resource: &Resource| resource.form == Form::Virtual;
        let resources = || catalog.resources.iter().filter(|r| !is_virtual(r)).map(|r| self.resource_json(r));
        let contained = || catalog.edges.iter().filter(|(_, inner)| !is_virtual(catalog.get(*inner)));
        let edge = |(outer, inner): &(ResourceId, ResourceId)| EdgeJson {
            source: reference(*outer),
            target: reference(*inner),
        };
        let mut out = serializer.serialize_map(None)?;
        out.serialize_entry("name", &self.inputs.settings.node)?;
        out.serialize_entry("catalog_format", &2)?;
        out.serialize_entry("environment", &self.inputs.settings.environment_name)?;
        out.serialize_entry("resources", &List(resources))?;
        out.serialize_entry("edges", &List(|| contained().map(edge)))?;
        out.serialize_entry("classes", &List(|| catalog.classes.iter().map(|class| &**class)))?;
        if let Some((text, ..)) = ral::refusal(self) {
            out.serialize_entry("ral_error", &text)?;
            return out.end();
        }
        let Ordered { relationships, order, cycles } = order::order(self);
        let relationship = |r: &Relationship| RelationshipJson {
            source: reference(r.source),
            target: reference(r.target),
            refresh: r.refresh,
            auto: r.span.is_none(),
        };
        out.serialize_entry("relationships", &List(|| relationships.iter().map(relationship)))?;
        if cycles.is_empty() {
            out.serialize_entry("order", &List(|| order.iter().map(|id| reference(*id))))?;
        } else {
            let cycle = |cycle: &Vec<ResourceId>| cycle.iter().map(|id| reference(*id)).collect::<Vec<_>>();
            out.serialize_entry("cycles", &List(|| cycles.iter().map(cycle)))?;
        }
        out.end()
    }
}

/// A parameter's value; references are strings.
fn parameter_json(value: &Value) -> Json {
    match value {
        Value::Type(ty) => match &**ty {
            Type::Resource(Some(name), Some(title)) => {
                json!(format!("{}[{title}]", crate::lang::puppet::names::capitalised(name)))
            }
            Type::Class(Some(name)) => json!(format!("Class[{}]", crate::lang::puppet::names::capitalised(name))),
            _ => convert::json(value),
        },
        Value::Array(list) => Json::Array(list.iter().map(parameter_json).collect()),
        Value::Hash(map) if map.keys().all(|k| matches!(k, Value::Str(_))) => {
            Json::Object(map.iter().map(|(k, v)| (convert::string(k), parameter_json(v))).collect())
        }
        other => convert::json(other),
    }
}
