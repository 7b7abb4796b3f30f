//! Types as an Ecore document, for tools of other languages: the base model as Ecore has it, the logic as annotations.

mod read;
mod xml;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

pub use read::source;

use super::FUNCTIONS_VERSION;
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::ast::arm::{Declared, Statement};
use crate::lang::puppet::convert;
use crate::lang::puppet::pn;
use crate::lang::puppet::types::model::{Member, Model};
use crate::lang::puppet::value::Value;

/// The annotation with what Ecore has no place for.
const OWN: &str = "workbench";

/// The settings of a feature that are code.
const LOGIC: [&str; 5] = ["derived", "validate", "check", "set", "get"];

/// One package, with those below it.
#[derive(Default)]
struct Package {
    types: Vec<Arc<Model>>,
    below: BTreeMap<String, Package>,
}

/// Prints types as one document.
pub fn print(models: &[Arc<Model>]) -> String {
    let mut root = Package::default();
    for model in models {
        let mut package = &mut root;
        let parts: Vec<&str> = model.name.split("::").collect();
        for part in &parts[..parts.len() - 1] {
            package = package.below.entry((*part).to_string()).or_default();
        }
        package.types.push(model.clone());
    }
    let mut out = Writer { text: String::new(), enums: enums(models) };
    out.text.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.text.push_str(concat!(
        "<ecore:EPackage xmi:version=\"2.0\" xmlns:xmi=\"http://www.omg.org/XMI\" ",
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" ",
        "xmlns:ecore=\"http://www.eclipse.org/emf/2002/Ecore\" ",
        "name=\"types\" nsURI=\"urn:workbench:types\" nsPrefix=\"types\">\n"
    ));
    out.package(&root, 1);
    out.text.push_str("</ecore:EPackage>\n");
    out.text
}

/// The name of the enum of each feature that has one, by type and feature; different from all names of types.
fn enums(models: &[Arc<Model>]) -> BTreeMap<(Text, Text), String> {
    let mut taken: std::collections::BTreeSet<String> = models.iter().map(|model| model.name.to_string()).collect();
    let mut out = BTreeMap::new();
    for model in models {
        for feature in model.definition.features().filter(|feature| matches!(feature.ty, Declared::Enum(_))) {
            let mut name = format!("{}{}", model.name, crate::lang::puppet::names::canonical(&feature.name));
            while !taken.insert(name.clone()) {
                name.push('_');
            }
            out.insert((model.name.clone(), feature.name.clone()), name);
        }
    }
    out
}

struct Writer {
    text: String,
    enums: BTreeMap<(Text, Text), String>,
}

impl Writer {
    fn package(&mut self, package: &Package, depth: usize) {
        for model in &package.types {
            self.class(model, depth);
            for feature in model.definition.features() {
                let key = (model.name.clone(), feature.name.clone());
                if let (Declared::Enum(values), Some(name)) = (&feature.ty, self.enums.get(&key).cloned()) {
                    let values: Vec<&str> = values.iter().map(|(value, _)| &**value).collect();
                    self.enumeration(&name, &values, depth);
                }
            }
        }
        for (name, below) in &package.below {
            let uri = format!("urn:workbench:types:{name}");
            self.open(depth, "eSubpackages", &[("name", name), ("nsURI", &uri), ("nsPrefix", name)], false);
            self.package(below, depth + 1);
            self.close(depth, "eSubpackages");
        }
    }

    fn enumeration(&mut self, name: &str, values: &[&str], depth: usize) {
        self.open(depth, "eClassifiers", &[("xsi:type", "ecore:EEnum"), ("name", local(name))], false);
        for (at, value) in values.iter().enumerate() {
            let at = at.to_string();
            self.open(depth + 1, "eLiterals", &[("name", *value), ("value", at.as_str()), ("literal", *value)], true);
        }
        self.close(depth, "eClassifiers");
    }

    fn class(&mut self, model: &Model, depth: usize) {
        let mut attributes = vec![("xsi:type", "ecore:EClass".to_string()), ("name", local(&model.name).to_string())];
        if model.is_abstract {
            attributes.push(("abstract", "true".into()));
        }
        if let Some(parent) = &model.parent {
            attributes.push(("eSuperTypes", reference(&parent.name)));
        }
        self.open(depth, "eClassifiers", &attributes, false);
        let mut logic = Vec::new();
        let mut own: Vec<(String, String)> = Vec::new();
        if model.is_resource && model.parent.is_none() {
            own.push(("inherits".into(), super::RESOURCE.into()));
        }
        for statement in &model.definition.statements {
            match statement {
                Statement::Invariant(invariant) => {
                    logic.push((format!("invariant.{}", logic.len() + 1), pn::invariant(invariant)));
                }
                Statement::Implementation(implementation) => {
                    own.push(("implemented_by".into(), implementation.kind.to_string()));
                    let params = implementation.params.iter();
                    own.extend(
                        params
                            .map(|((param, _), (feature, _))| (format!("implemented_by.{param}"), feature.to_string())),
                    );
                }
                Statement::Abstract | Statement::Feature(_) | Statement::Other(_) => {}
            }
        }
        self.annotation(depth + 1, FUNCTIONS_VERSION, &logic);
        self.annotation(depth + 1, OWN, &own);
        for member in model.members.iter().filter(|member| member.owner == model.name) {
            self.feature(member, depth + 1);
        }
        self.close(depth, "eClassifiers");
    }

    fn feature(&mut self, member: &Member, depth: usize) {
        let feature = &member.feature;
        let kind = if feature.is_reference { "ecore:EReference" } else { "ecore:EAttribute" };
        let mut attributes = vec![("xsi:type", kind.to_string()), ("name", feature.name.to_string())];
        let mut add = |name: &'static str, value: String| attributes.push((name, value));
        if member.min > 0 {
            add("lowerBound", member.min.to_string());
        }
        if member.is_list() {
            add("upperBound", member.max.map_or("-1".into(), |max| max.to_string()));
        }
        add("eType", self.ty(member));
        if let Some(default) = &member.default {
            add("defaultValueLiteral", convert::string(default));
        }
        let flags = [
            ("containment", feature.is_reference && feature.flag("containment") != Some(false), "true"),
            ("derived", member.is_derived(), "true"),
            ("transient", member.is_transient(), "true"),
            ("unsettable", member.is_unsettable(), "true"),
            ("changeable", !member.is_setable(), "false"),
        ];
        flags.iter().filter(|(_, holds, _)| *holds).for_each(|(name, _, value)| add(name, (*value).into()));
        let logic: Vec<(String, String)> =
            LOGIC.iter().filter_map(|name| Some((name.to_string(), pn::logic(feature.logic(name)?)))).collect();
        let mut own = Vec::new();
        // Without a type, the document does not show what the default is.
        if let (Declared::Any, Some(Value::Int(_) | Value::Float(_) | Value::Bool(_))) = (&feature.ty, &member.default)
        {
            own.push(("default".to_string(), convert::inspect(member.default.as_ref().unwrap_or(&Value::Undef))));
        }
        let is_empty = logic.is_empty() && own.is_empty();
        self.open(depth, "eStructuralFeatures", &attributes, is_empty);
        if !is_empty {
            self.annotation(depth + 1, FUNCTIONS_VERSION, &logic);
            self.annotation(depth + 1, OWN, &own);
            self.close(depth, "eStructuralFeatures");
        }
    }

    fn ty(&self, member: &Member) -> String {
        let data = |name: &str| format!("ecore:EDataType http://www.eclipse.org/emf/2002/Ecore#//{name}");
        match &member.feature.ty {
            Declared::Any => data("EJavaObject"),
            Declared::Enum(_) => {
                let key = (member.owner.clone(), member.name().clone());
                self.enums.get(&key).map(|name| reference(name)).unwrap_or_default()
            }
            Declared::Named(name, _) if member.feature.is_reference => reference(name),
            Declared::Named(name, _) => data(match &**name {
                "Integer" => "ELong",
                "Float" => "EDouble",
                "Boolean" => "EBoolean",
                _ => "EString",
            }),
        }
    }

    fn annotation(&mut self, depth: usize, source: &str, details: &[(String, String)]) {
        if details.is_empty() {
            return;
        }
        self.open(depth, "eAnnotations", &[("source", source)], false);
        for (key, value) in details {
            self.open(depth + 1, "details", &[("key", key.as_str()), ("value", value.as_str())], true);
        }
        self.close(depth, "eAnnotations");
    }

    fn open<V: AsRef<str>>(&mut self, depth: usize, name: &str, attributes: &[(&str, V)], is_empty: bool) {
        let _ = write!(self.text, "{:width$}<{name}", "", width = depth * 2);
        for (name, value) in attributes {
            let _ = write!(self.text, " {name}=\"{}\"", escaped(value.as_ref()));
        }
        self.text.push_str(if is_empty { "/>\n" } else { ">\n" });
    }

    fn close(&mut self, depth: usize, name: &str) {
        let _ = writeln!(self.text, "{:width$}</{name}>", "", width = depth * 2);
    }
}

/// The last part of a name.
fn local(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or(name)
}

/// How the document refers to a type of its own.
fn reference(name: &str) -> String {
    format!("#//{}", name.replace("::", "/"))
}

/// A text as the value of an attribute; what XML cannot hold is replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
