//! The finished catalog as Puppet's JSON, with relationships and order.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map as JsonMap, Value as Json, json};

use super::order::{self, Ordered, Relationship};
use super::{Resource, Sort, ral};
use crate::lang::puppet::ast::{Form, Text};
use crate::lang::puppet::catalog::Finished;
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::types::Type;
use crate::lang::puppet::value::Value;

impl Finished<'_> {
    /// The catalog as JSON.
    pub fn catalog_json(&self) -> String {
        serde_json::to_string(self).expect("plain data can always be written")
    }

    fn resource_json(&self, resource: &Resource) -> Json {
        let place = self.inputs.sources.place(resource.expression.unwrap_or(resource.span));
        let mut parameters = JsonMap::new();
        let namevar = self.program.namevar(&resource.ty);
        for (name, parameter) in &resource.parameters {
            let is_title =
                Some(&**name) == namevar && matches!(&parameter.value, Value::Str(text) if *text == resource.title);
            if is_title && resource.sort == Sort::Builtin {
                continue;
            }
            // Catalogs of Puppet have them in small letters.
            parameters.insert(name.to_lowercase(), parameter_json(&parameter.value));
        }
        let texts =
            |list: &mut dyn Iterator<Item = &Text>| Json::Array(list.map(|text| text.to_string().into()).collect());
        let mut out = JsonMap::new();
        let mut set = |name: &str, value: Json| out.insert(name.to_owned(), value);
        set("type", resource.type_name().into());
        set("title", resource.shown_title().into());
        set("tags", texts(&mut resource.tags.iter()));
        set("file", place.file.to_string().into());
        set("line", place.line.into());
        set("exported", resource.is_exported.into());
        if resource.form != Form::Regular {
            set("virtual", true.into());
        }
        set("parameters", Json::Object(parameters));
        if !resource.sensitive.is_empty() {
            set("sensitive_parameters", texts(&mut resource.sensitive.iter()));
        }
        Json::Object(out)
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
        let reference = |id: ResourceId| catalog.get(id).reference_shown();
        let is_virtual = |resource: &Resource| resource.form == Form::Virtual;
        let resources = || catalog.resources.iter().filter(|r| !is_virtual(r)).map(|r| self.resource_json(r));
        let contained = || catalog.edges.iter().filter(|(_, inner)| !is_virtual(catalog.get(*inner)));
        let edge = |(outer, inner): &(ResourceId, ResourceId)| json!({"source": reference(*outer), "target": reference(*inner)});
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
        let relationship = |r: &Relationship| json!({"source": reference(r.source), "target": reference(r.target), "refresh": r.refresh, "auto": r.span.is_none()});
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

impl Resource {
    /// As references of the catalog are written.
    pub fn reference_shown(&self) -> String {
        self.reference()
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
