//! The finished catalog as Puppet's JSON, with relationships and order.

use serde_json::{Map as JsonMap, Value as Json, json};

use super::order::{self, Ordered};
use super::{Resource, Sort, ral};
use crate::lang::puppet::ast::Form;
use crate::lang::puppet::catalog::Finished;
use crate::lang::puppet::convert;
use crate::lang::puppet::types::Type;
use crate::lang::puppet::value::Value;

impl Finished<'_> {
    /// The catalog as JSON.
    pub fn catalog_json(&self) -> Json {
        let resources: Vec<Json> =
            self.catalog.resources.iter().filter(|r| r.form != Form::Virtual).map(|r| self.resource_json(r)).collect();
        let edges: Vec<Json> = self
            .catalog
            .edges
            .iter()
            .filter(|(_, b)| self.catalog.get(*b).form != Form::Virtual)
            .map(|(a, b)| json!({"source": self.catalog.get(*a).reference_shown(), "target": self.catalog.get(*b).reference_shown()}))
            .collect();
        let classes: Vec<&str> = self.catalog.classes.iter().map(|c| &**c).collect();
        let mut out = JsonMap::new();
        out.insert("name".into(), json!(self.inputs.settings.node));
        out.insert("catalog_format".into(), json!(2));
        out.insert("environment".into(), json!(self.inputs.settings.environment_name));
        out.insert("resources".into(), json!(resources));
        out.insert("edges".into(), json!(edges));
        out.insert("classes".into(), json!(classes));
        match ral::refusal(self) {
            Some((text, ..)) => {
                out.insert("ral_error".into(), json!(text));
            }
            None => {
                let Ordered { relationships, order, cycles } = order::order(self);
                let relationships: Vec<Json> = relationships
                    .iter()
                    .map(|r| json!({"source": self.catalog.get(r.source).reference_shown(), "target": self.catalog.get(r.target).reference_shown(), "refresh": r.refresh, "auto": r.span.is_none()}))
                    .collect();
                out.insert("relationships".into(), json!(relationships));
                if cycles.is_empty() {
                    out.insert(
                        "order".into(),
                        json!(order.iter().map(|id| self.catalog.get(*id).reference_shown()).collect::<Vec<_>>()),
                    );
                } else {
                    let cycles: Vec<Vec<String>> = cycles
                        .iter()
                        .map(|c| c.iter().map(|id| self.catalog.get(*id).reference_shown()).collect())
                        .collect();
                    out.insert("cycles".into(), json!(cycles));
                }
            }
        }
        Json::Object(out)
    }

    fn resource_json(&self, resource: &Resource) -> Json {
        let place = self.inputs.sources.place(resource.expression.unwrap_or(resource.span));
        let mut parameters = JsonMap::new();
        let namevar = self.program.namevar(&resource.ty);
        for (name, parameter) in &resource.parameters {
            let is_title = Some(name) == namevar.as_ref()
                && matches!(&parameter.value, Value::Str(text) if *text == resource.title);
            if is_title && resource.sort == Sort::Builtin {
                continue;
            }
            // Catalogs of Puppet have them in small letters.
            parameters.insert(name.to_lowercase(), parameter_json(&parameter.value));
        }
        let mut out = JsonMap::new();
        out.insert("type".into(), json!(resource.type_name()));
        out.insert("title".into(), json!(resource.shown_title()));
        out.insert("tags".into(), json!(resource.tags.iter().map(|t| &**t).collect::<Vec<_>>()));
        out.insert("file".into(), json!(&*place.file));
        out.insert("line".into(), json!(place.line));
        out.insert("exported".into(), json!(resource.is_exported));
        if resource.form != Form::Regular {
            out.insert("virtual".into(), json!(true));
        }
        out.insert("parameters".into(), Json::Object(parameters));
        if !resource.sensitive.is_empty() {
            out.insert(
                "sensitive_parameters".into(),
                json!(resource.sensitive.iter().map(|s| &**s).collect::<Vec<_>>()),
            );
        }
        Json::Object(out)
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
