//! The signatures of plugins: names and types of the arguments, and of the result.

use super::super::ast::{NsId, Word};
use super::super::define::{Meaning, Named, Program};
use super::super::error::{Class, Raise, Result};
use super::super::types::Ty;
use super::describe::DescribedPlugin;
use crate::diag::Code;
use crate::source::Span;

/// A plugin as calls are checked against it.
#[derive(Debug)]
pub struct Signature {
    /// As the worker calls it.
    pub function: String,
    /// As the model calls it.
    pub full: String,
    pub parameters: Vec<Parameter>,
    /// Takes more arguments than these, and under other names.
    pub more: Option<Ty>,
    pub named: Option<Ty>,
    pub returns: Ty,
    pub allow_unknown: bool,
}

/// A parameter of a plugin.
#[derive(Debug)]
pub struct Parameter {
    pub name: String,
    pub ty: Ty,
    pub is_optional: bool,
    pub only_named: bool,
}

impl Signature {
    /// As the language could write it.
    pub fn text(&self, program: &Program) -> String {
        let ty = |ty: &Ty| program.type_text(ty);
        let mut parameters: Vec<String> = Vec::new();
        for parameter in &self.parameters {
            let mark = if parameter.is_optional { " = …" } else { "" };
            parameters.push(format!("{}: {}{mark}", parameter.name, ty(&parameter.ty)));
        }
        parameters.extend(self.more.iter().map(|more| format!("*{}", ty(more))));
        parameters.extend(self.named.iter().map(|named| format!("**{}", ty(named))));
        format!("({}) -> {}", parameters.join(", "), ty(&self.returns))
    }

    /// Finds the types of a plugin. Where its signature is only read, a type that is not found is Python's own.
    pub fn resolve(
        plugin: &DescribedPlugin,
        (ns, place): (NsId, Span),
        is_read: bool,
        program: &mut Program,
    ) -> Result<Signature> {
        let known = |written: &str, ns: NsId, place: Span, program: &mut Program| match ty(written, ns, place, program)
        {
            Err(_) if is_read => Ok(Ty::Any),
            found => found,
        };
        let full = format!("{}::{}", program.ns(ns).name, plugin.name);
        let mut signature = Signature {
            function: format!("{}.{}", plugin.module, plugin.name),
            full,
            parameters: Vec::new(),
            more: None,
            named: None,
            returns: known(&plugin.returns, ns, place, program)?,
            allow_unknown: plugin.allow_unknown,
        };
        for parameter in &plugin.parameters {
            let Some(written) = &parameter.ty else {
                let message = format!(
                    "All arguments of plugin '{}' should be annotated: '{}' has no annotation",
                    signature.full, parameter.name
                );
                let raise = Raise::placed(Class::Runtime, place, message).with_code(Code::InvalidPlugin);
                return Err(raise.with_help(format!("write its type, as in `{}: \"string\"`", parameter.name)));
            };
            if written == "context" {
                continue;
            }
            let ty = known(written, ns, place, program)?;
            match parameter.kind.as_str() {
                "VAR_POSITIONAL" => signature.more = Some(ty),
                "VAR_KEYWORD" => signature.named = Some(ty),
                kind => signature.parameters.push(Parameter {
                    name: parameter.name.clone(),
                    ty,
                    is_optional: parameter.optional,
                    only_named: kind == "KEYWORD_ONLY",
                }),
            }
        }
        Ok(signature)
    }
}

/// The type of an annotation.
pub fn ty(written: &str, ns: NsId, place: Span, program: &mut Program) -> Result<Ty> {
    let written = written.trim();
    if let Some(inner) = written.strip_suffix('?') {
        return Ok(Ty::Nullable(Box::new(ty(inner, ns, place, program)?)));
    }
    if let Some(inner) = written.strip_suffix("[]") {
        return Ok(Ty::List(Box::new(ty(inner, ns, place, program)?)));
    }
    match written {
        "any" | "null" | "expression" => return Ok(Ty::Any),
        "list" => return Ok(Ty::AnyList),
        "dict" => return Ok(Ty::AnyDict),
        _ => {}
    }
    let sym = program.names.sym(written);
    match program.find_type(Word { sym, span: place }, ns)? {
        Meaning::Primitive(ty) => Ok(ty),
        Meaning::Named(Named::Entity(id)) => Ok(Ty::Entity(id)),
        Meaning::Named(Named::Typedef(id)) => Ok(Ty::Typedef(id)),
        Meaning::Named(_) => Err(Raise::placed(Class::Typing, place, format!("{written} is not a type"))),
    }
}
