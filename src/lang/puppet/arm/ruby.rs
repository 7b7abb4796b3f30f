//! A Ruby type as a type of the Puppet language; what has no counterpart there becomes a comment.

use std::fmt::Write;

use crate::lang::puppet::catalog::ral;
use crate::lang::puppet::names::capitalised;
use crate::lang::ruby::describe::{Allowed, Attribute, Literal, RubyType};
use crate::lang::ruby::token::Fault;

/// The types of a Ruby file as text of the Puppet language. `Err` where the file cannot be read.
pub fn translate(text: &str, file: &str) -> Result<String, Fault> {
    let types = crate::lang::ruby::describe::types(text)?;
    if types.is_empty() {
        return Err(Fault::new(1, "a file without a literal `Puppet::Type.newtype` or `register_type`"));
    }
    let mut out = format!("# From {file}. A comment \"Not translated\" names what only Ruby carries out.\n");
    for ty in &types {
        out.push('\n');
        one(ty, &mut out);
    }
    Ok(out)
}

fn one(ty: &RubyType, out: &mut String) {
    comment(&ty.doc, "", out);
    for (line, what) in &ty.rest {
        missing("", *line, what, out);
    }
    for pattern in &ty.title_patterns {
        note("", &format!("Not translated: the title pattern /{}/", pattern.replace('\n', " ")), out);
    }
    let namevars = ty.attributes.iter().filter(|attribute| attribute.is_namevar).count();
    if namevars > 1 {
        note("", "Not translated: several attributes name a resource; here the first one does", out);
    }
    let _ = writeln!(out, "type {} inherits Resource {{", capitalised(&ty.name));
    // The attribute that names a resource is the first one.
    let (first, rest): (Vec<_>, Vec<_>) = ty.attributes.iter().partition(|attribute| attribute.is_namevar);
    if first.is_empty() {
        out.push_str("  attr name, String { min => 1 }\n");
    }
    for (at, attribute) in first.into_iter().chain(rest).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        feature(attribute, at == 0, out);
    }
    out.push_str("}\n");
}

fn note(indent: &str, text: &str, out: &mut String) {
    let _ = writeln!(out, "{indent}# {text}");
}

fn comment(text: &str, indent: &str, out: &mut String) {
    for line in text.lines() {
        let line = line.trim_end();
        let _ = if line.is_empty() { writeln!(out, "{indent}#") } else { writeln!(out, "{indent}# {line}") };
    }
}

fn missing(indent: &str, line: u32, what: &str, out: &mut String) {
    note(indent, &format!("Not translated, line {line}: {}", what.replace('\n', " ")), out);
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn feature(attribute: &Attribute, is_identity: bool, out: &mut String) {
    comment(&attribute.doc, "  ", out);
    for (line, what) in &attribute.rest {
        missing("  ", *line, what, out);
    }
    let name = &attribute.name;
    if ral::is_metaparameter(name) {
        return note("  ", &format!("Not translated: `{name}` is a parameter of every resource already"), out);
    }
    if matches!(&**name, "it" | "meta") || !is_name(name) {
        return note("  ", &format!("Not translated: `{name}` cannot name an attribute"), out);
    }
    let Shape { ty, mut settings, mut is_list } = shape(attribute);
    is_list |= attribute.takes_list;
    if is_identity {
        settings.insert(0, "min => 1".to_owned());
    }
    if is_list {
        settings.push("max => unbound".into());
    }
    if let Some(default) = &attribute.default {
        match written(default, &ty) {
            Some(text) => settings.push(format!("default => {text}")),
            None => note("  ", &format!("Not translated: the default {default:?} does not fit"), out),
        }
    }
    if ty.is_none()
        && let Some(theirs) = &attribute.ty
    {
        note("  ", &format!("Not translated: the type {}", theirs.replace('\n', " ")), out);
    }
    let ty = match ty {
        Some(Ty::Basic(name)) => format!(", {name}"),
        Some(Ty::Enum(words)) => format!(", enum[{}]", words.join(", ")),
        None => String::new(),
    };
    let settings = if settings.is_empty() { String::new() } else { format!(" {{ {} }}", settings.join(", ")) };
    let _ = writeln!(out, "  attr {name}{ty}{settings}");
}

enum Ty {
    Basic(&'static str),
    Enum(Vec<String>),
}

/// What an attribute takes.
struct Shape {
    ty: Option<Ty>,
    settings: Vec<String>,
    is_list: bool,
}

fn shape(attribute: &Attribute) -> Shape {
    let plain = |ty| Shape { ty, settings: Vec::new(), is_list: false };
    if attribute.is_boolean {
        return plain(Some(Ty::Basic("Boolean")));
    }
    if let Some(ty) = &attribute.ty {
        return typed(ty);
    }
    if attribute.values.is_empty() {
        return plain(None);
    }
    let words: Option<Vec<String>> = attribute.values.iter().map(word).collect();
    if let Some(mut words) = words {
        let mut seen = std::collections::BTreeSet::new();
        words.retain(|word| seen.insert(word.clone()));
        return plain(Some(Ty::Enum(words)));
    }
    // A value of any type is compared as text.
    let tests = attribute.values.iter().map(|value| match value {
        Allowed::Word(word) => format!("\"${{it}}\" == '{}'", word.replace('\\', "\\\\").replace('\'', "\\'")),
        Allowed::Pattern(pattern) => format!("\"${{it}}\" =~ /{}/", pattern.replace('\n', "\\n").replace('/', "\\/")),
    });
    let check = format!("check => {{ {} }}", tests.collect::<Vec<_>>().join(" or "));
    Shape { ty: None, settings: vec![check], is_list: false }
}

fn word(value: &Allowed) -> Option<String> {
    match value {
        Allowed::Word(word) if is_name(word) => Some(word.clone()),
        _ => None,
    }
}

/// A type of the Resource API, as far as one of ours says the same.
fn typed(ty: &str) -> Shape {
    let ty = ty.trim();
    let inside = |name: &str| ty.strip_prefix(name)?.trim_start().strip_prefix('[')?.strip_suffix(']');
    if let Some(inner) = inside("Optional") {
        return typed(inner.trim_matches(['\'', '"']));
    }
    if let Some(inner) = inside("Array") {
        return Shape { is_list: true, ..typed(inner.split(',').next().unwrap_or_default()) };
    }
    if let Some(inner) = inside("Enum") {
        let words: Vec<String> =
            inner.split(',').map(|word| word.trim().trim_matches(['\'', '"']).to_owned()).collect();
        if words.iter().all(|word| is_name(word)) {
            return Shape { ty: Some(Ty::Enum(words)), settings: Vec::new(), is_list: false };
        }
    }
    let basic = ["String", "Integer", "Float", "Boolean"].into_iter().find(|name| *name == ty).map(Ty::Basic);
    Shape { ty: basic, settings: Vec::new(), is_list: false }
}

/// A default as it is written; nothing where the attribute cannot have it.
fn written(default: &Literal, ty: &Option<Ty>) -> Option<String> {
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    Some(match (default, ty) {
        (Literal::Text(text), Some(Ty::Basic("Boolean"))) if matches!(&**text, "true" | "false") => text.clone(),
        (Literal::Bool(value), Some(Ty::Basic("Boolean")) | None) => value.to_string(),
        (Literal::Bool(value), Some(Ty::Enum(words))) if words.contains(&value.to_string()) => {
            quoted(&value.to_string())
        }
        (Literal::Text(text), Some(Ty::Enum(words))) if words.contains(text) => text.clone(),
        (Literal::Text(text), None | Some(Ty::Basic("String"))) => quoted(text),
        (Literal::Int(number), None | Some(Ty::Basic("Integer" | "Float"))) => number.to_string(),
        (Literal::Float(number), None | Some(Ty::Basic("Float"))) => number.to_string(),
        _ => return None,
    })
}
