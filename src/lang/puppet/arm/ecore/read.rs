//! An Ecore document as types of the language, as source text.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::xml::{self, Element, Problem};
use super::{FUNCTIONS_VERSION, OWN};
use crate::lang::puppet::convert::quoted;
use crate::lang::puppet::names::canonical;
use crate::lang::puppet::pn;

/// The types of a document as source text.
pub fn source(text: &str) -> Result<String, Problem> {
    let root = xml::read(text)?;
    if !root.name.ends_with("EPackage") {
        return Err((0, "the document is not a package of Ecore types".into()));
    }
    let mut classifiers = Vec::new();
    collect(&root, "", &mut classifiers);
    let kind = |element: &Element, kind: &str| element.get("xsi:type").is_some_and(|ty| ty.ends_with(kind));
    let enums: BTreeMap<String, Vec<String>> = classifiers
        .iter()
        .filter(|(_, element)| kind(element, "EEnum"))
        .map(|(name, element)| {
            let literal = |value: &Element| value.get("literal").or(value.get("name")).unwrap_or_default().to_string();
            (name.clone(), element.all("eLiterals").map(literal).collect())
        })
        .collect();
    let mut out = String::new();
    for (name, element) in classifiers.iter().filter(|(_, element)| kind(element, "EClass")) {
        class(&mut out, name, element, &enums).map_err(|why| (0, format!("{name}: {why}")))?;
    }
    Ok(out)
}

fn collect<'e>(package: &'e Element, prefix: &str, out: &mut Vec<(String, &'e Element)>) {
    for element in package.all("eClassifiers") {
        out.push((format!("{prefix}{}", canonical(element.get("name").unwrap_or_default())), element));
    }
    for below in package.all("eSubpackages") {
        collect(below, &format!("{prefix}{}::", canonical(below.get("name").unwrap_or_default())), out);
    }
}

/// The entries of an annotation, in order.
fn annotation<'e>(element: &'e Element, source: &str) -> Vec<(&'e str, &'e str)> {
    let annotations = element.all("eAnnotations").filter(|annotation| annotation.get("source") == Some(source));
    let details = annotations.flat_map(|annotation| annotation.all("details"));
    details.map(|detail| (detail.get("key").unwrap_or_default(), detail.get("value").unwrap_or_default())).collect()
}

/// The name behind a reference to a type of the document.
fn local(reference: &str) -> String {
    let path = reference.rsplit("#//").next().unwrap_or_default();
    path.split('/').map(|part| canonical(part).to_string()).collect::<Vec<_>>().join("::")
}

fn class(out: &mut String, name: &str, element: &Element, enums: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
    let own = annotation(element, OWN);
    let written = |key: &str| own.iter().find(|(known, _)| *known == key).map(|(_, value)| (*value).to_string());
    let parent = element.get("eSuperTypes").and_then(|all| all.split_whitespace().next()).map(local);
    let parent = parent.or_else(|| written("inherits"));
    let _ = write!(out, "type {name}");
    if let Some(parent) = &parent {
        let _ = write!(out, " inherits {parent}");
    }
    out.push_str(" {\n");
    let before = out.len();
    if element.get("abstract") == Some("true") {
        out.push_str("  abstract\n");
    }
    for element in element.all("eStructuralFeatures") {
        feature(out, element, enums)?;
    }
    for (key, value) in annotation(element, FUNCTIONS_VERSION) {
        if key.starts_with("invariant.") {
            let _ = writeln!(out, "  {}", pn::to_source(value)?);
        }
    }
    if let Some(kind) = written("implemented_by") {
        let params = own.iter().filter_map(|(key, value)| Some((key.strip_prefix("implemented_by.")?, value)));
        let params: Vec<String> = params.map(|(param, feature)| format!("{param} => {feature}")).collect();
        let _ = writeln!(out, "  implemented_by {kind} {{ {} }}", params.join(", "));
    }
    if out.len() == before && parent.is_none() {
        return Err("a type needs a feature or a parent".into());
    }
    out.push_str("}\n");
    Ok(())
}

fn feature(out: &mut String, element: &Element, enums: &BTreeMap<String, Vec<String>>) -> Result<(), String> {
    let is_reference = element.get("xsi:type").is_some_and(|ty| ty.ends_with("EReference"));
    let name = element.get("name").unwrap_or_default();
    let ty = element.get("eType").unwrap_or_default();
    let is_data = ty.contains("ecore:EDataType") || ty.contains("emf/2002/Ecore#");
    let values = if is_data { None } else { enums.get(&local(ty)) };
    let ty = match (values, is_reference) {
        (_, true) => local(ty),
        (Some(values), _) => format!("enum[{}]", values.join(", ")),
        (None, _) => simple(ty).to_string(),
    };
    let _ = write!(out, "  {} {name}", if is_reference { "has" } else { "attr" });
    if !ty.is_empty() {
        let _ = write!(out, ", {ty}");
    }
    let settings = settings(element, is_reference, values.is_some(), &ty)?;
    match settings.len() {
        0 => {}
        1 if !settings[0].contains('\n') => {
            let _ = write!(out, " {{ {} }}", settings[0]);
        }
        _ => {
            out.push_str(" {\n");
            settings.iter().for_each(|setting| {
                let _ = writeln!(out, "    {},", setting.replace('\n', "\n    "));
            });
            out.push_str("  }");
        }
    }
    out.push('\n');
    Ok(())
}

fn simple(ty: &str) -> &'static str {
    match ty.rsplit("#//").next().unwrap_or_default() {
        "ELong" | "EInt" | "EShort" | "EByte" | "ELongObject" | "EIntegerObject" | "EBigInteger" => "Integer",
        "EDouble" | "EFloat" | "EDoubleObject" | "EFloatObject" => "Float",
        "EBoolean" | "EBooleanObject" => "Boolean",
        "EString" | "EChar" => "String",
        _ => "",
    }
}

fn settings(element: &Element, is_reference: bool, is_enum: bool, ty: &str) -> Result<Vec<String>, String> {
    let is = |name: &str, value: &str| element.get(name) == Some(value);
    let number = |name: &str| element.get(name).and_then(|text| text.parse::<i64>().ok());
    let logic = annotation(element, FUNCTIONS_VERSION);
    let has = |key: &str| logic.iter().any(|(known, _)| *known == key);
    let mut out = Vec::new();
    let min = number("lowerBound").unwrap_or(0);
    if min > 0 {
        out.push(format!("min => {min}"));
    }
    match number("upperBound").unwrap_or(1) {
        -1 if min > 1 => {}
        -1 => out.push("max => unbound".into()),
        1 if min <= 1 => {}
        max => out.push(format!("max => {max}")),
    }
    if is_reference && !is("containment", "true") {
        out.push("containment => false".into());
    }
    if is("transient", "true") && !has("derived") {
        out.push("transient => true".into());
    }
    if is("unsettable", "true") {
        out.push("unsettable => true".into());
    }
    if is("changeable", "false") && (!has("derived") || has("set")) {
        out.push("setable => false".into());
    }
    if let Some(text) = element.get("defaultValueLiteral").filter(|_| !is_reference && !has("derived")) {
        let own = annotation(element, OWN).into_iter().find(|(key, _)| *key == "default").map(|(_, value)| value);
        let value = match (own, ty) {
            (Some(value), _) => value.to_string(),
            (None, "Integer" | "Float" | "Boolean") => text.to_string(),
            (None, _) if is_enum && is_word(text) => text.to_string(),
            (None, _) => quoted(text),
        };
        out.push(format!("default => {value}"));
    }
    for (key, value) in logic {
        out.push(format!("{key} => {}", pn::to_source(value)?));
    }
    Ok(out)
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
