//! Twins: one resource that is declared twice.
//!
//! Equal ones are one. Packages are merged if their states agree (`installed` with `newest` is `newest`). Any other
//! pair is refused. An export must be the same for each host.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Decl;
use crate::diag::{Code, Diagnostic};
use crate::graph::{Declaration, Params, Resource, ResourceId, Value};
use crate::resource::{FieldType, Parameter, Schema, file_path};
use crate::source::Span;

/// The ids of resources that are not hidden; only needed for hidden ones, so it is empty without any.
pub fn visible(decls: &[Decl]) -> FxHashSet<ResourceId> {
    if !decls.iter().any(|decl| decl.flag("hidden")) {
        return FxHashSet::default();
    }
    decls.iter().filter(|decl| !decl.flag("hidden")).map(Decl::id).collect()
}

/// Merges a twin, or returns the differences.
pub fn merge(first: &mut Resource, again: &Decl) -> Result<(), String> {
    let differs = differing(first, again);
    if differs.is_empty() {
        return Ok(());
    }
    let Some(Declaration { params, .. }) = first.wanted_mut() else { return Err(in_words(&differs)) };
    match state(params, again.schema).zip(state(&again.params, again.schema)) {
        Some(("installed", "newest")) if is_state_of_package(&differs, again) => {
            params.set("state", "newest".into());
            Ok(())
        }
        Some(("newest", "installed")) if is_state_of_package(&differs, again) => Ok(()),
        _ => Err(in_words(&differs)),
    }
}

fn state<'a>(params: &'a Params, schema: &Schema) -> Option<&'a str> {
    match params.get("state") {
        Some(state) => state.as_str(),
        None => schema.param("state")?.default.map(|text| text.trim_matches('"')),
    }
}

/// Packages agree if only their states differ.
fn is_state_of_package(differs: &[Differs], again: &Decl) -> bool {
    &*again.kind == "pkg" && differs == [Differs::Param("state")]
}

/// How two declarations of one resource differ.
#[derive(Debug, PartialEq)]
pub enum Differs {
    Meta(Arc<str>),
    Param(&'static str),
}

impl fmt::Display for Differs {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Differs::Meta(name) => write!(f, "`Meta:{name}`"),
            Differs::Param(name) => write!(f, "`{name}`"),
        }
    }
}

/// All differences, as the end of a sentence.
pub fn in_words(differs: &[Differs]) -> String {
    match differs {
        [meta @ Differs::Meta(_)] => format!("{meta} differs"),
        [param] => format!("its {param} differs"),
        several => {
            let names: Vec<String> = several.iter().map(Differs::to_string).collect();
            format!("{} differ", names.join(", "))
        }
    }
}

/// The differences between two declarations of one resource; the state comes last of the parameters.
pub fn differing(first: &Resource, again: &Decl) -> Vec<Differs> {
    differences(&first.meant().params, &first.meta, again)
}

/// The same of parameters and meta parameters.
pub fn differences(params: &Params, meta: &Params, again: &Decl) -> Vec<Differs> {
    let meta = differing_meta(meta, &again.meta, again.schema).into_iter().map(Differs::Meta);
    meta.chain(differing_params(params, again).map(Differs::Param)).collect()
}

/// The differing meta parameters of two resources.
///
/// Lists are equal in any order, and parameters that the kind does not use are ignored.
fn differing_meta(one: &Params, two: &Params, schema: &Schema) -> Vec<Arc<str>> {
    let counts = |name: &str| match name {
        "retryreset" => false,
        "autoedge" => schema.autoedge,
        "autogroup" => schema.autogroup,
        "reverse" => schema.reverse,
        _ => true,
    };
    let differs = |name: &str, value: &Value, others: &Params| {
        counts(name) && !others.get(name).is_some_and(|other| is_same_list(value, other))
    };
    let changed = one.iter().filter(|(name, value)| differs(name, value, two));
    let added = two.iter().filter(|(name, value)| one.get(name).is_none() && differs(name, value, one));
    changed.chain(added).map(|(name, _)| name.clone()).collect()
}

fn is_same_list(one: &Value, two: &Value) -> bool {
    match (one.as_list(), two.as_list()) {
        (Some(one), Some(two)) => {
            let sorted = |list: &[Value]| {
                let mut texts: Vec<_> = list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
                texts.sort_unstable();
                texts
            };
            one == two || sorted(one) == sorted(two)
        }
        _ => one == two,
    }
}

/// The differing parameters of two resources; the state comes last.
fn differing_params<'a>(one: &'a Params, again: &'a Decl) -> impl Iterator<Item = &'static str> {
    let (schema, name) = (again.schema, &*again.name);
    let differs = move |param: &&Parameter| {
        if schema.kind == "file" && matches!(param.name, "path" | "dirname" | "basename") {
            // Three ways to write one path; the first represents all.
            return param.name == "path" && file_path(name, one) != file_path(name, &again.params);
        }
        let (one, two) = (effective(one, schema, param, name), effective(&again.params, schema, param, name));
        !(one == two || is_unordered(schema.kind, param.name) && is_same(one.as_deref(), two.as_deref()))
    };
    let others = schema.params.iter().filter(|param| param.name != "state");
    others.chain(schema.param("state")).filter(differs).map(|param| param.name)
}

/// Lists without a significant order.
fn is_unordered(kind: &str, param: &str) -> bool {
    matches!((kind, param), ("docker:container", "cmd" | "env") | ("net", "addrs"))
}

fn is_same(one: Option<&Value>, two: Option<&Value>) -> bool {
    one.zip(two).is_some_and(|(one, two)| is_same_list(one, two))
}

/// The effective value of a parameter: the default or the name if it is not set, `None` for the zero value.
fn effective<'a>(params: &'a Params, schema: &Schema, param: &Parameter, name: &str) -> Option<Cow<'a, Value>> {
    let Some(value) = params.get(param.name) else {
        let is_name =
            matches!((schema.kind, param.name), ("kv", "key") | ("schedule", "namespace") | ("remote", "remote"));
        return if is_name { Some(Cow::Owned(name.into())) } else { default(param).map(Cow::Owned) };
    };
    let plain = !param.optional && param.ty != FieldType::Any;
    if plain && param.default.is_none() && is_zero(value) { None } else { Some(Cow::Borrowed(value)) }
}

/// The default of a parameter, if it is a plain value.
fn default(param: &Parameter) -> Option<Value> {
    let text = param.default?;
    Some(match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match text.parse() {
            Ok(number) => Value::Int(number),
            Err(_) => text.strip_prefix('"')?.strip_suffix('"')?.into(),
        },
    })
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Bool(value) => !value,
        Value::Int(value) => *value == 0,
        Value::Float(value) => *value == 0.0,
        Value::Str(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(pairs) => pairs.is_empty(),
        Value::Struct(fields) => fields.iter().all(|(_, value)| is_zero(value)),
        _ => false,
    }
}

/// The exports: kind, name and host.
#[derive(Default)]
pub struct Exports(FxHashMap<(ResourceId, Arc<str>), Exported>);

struct Exported {
    params: Params,
    meta: Params,
    span: Span,
}

impl Exports {
    /// Records a resource's exports; an error if something else is exported under its name.
    pub fn note(&mut self, decl: &Decl) -> Result<(), Diagnostic> {
        for host in hosts(decl) {
            let Exported { params, meta, span: first } = self
                .0
                .entry((decl.id(), host.clone()))
                .or_insert_with(|| Exported { params: decl.params.clone(), meta: decl.meta.clone(), span: decl.span });
            let differs = differences(params, meta, decl);
            if !differs.is_empty() {
                let label = format!("`{}` is exported to `{host}` again, and {}", decl.id().0, in_words(&differs));
                return Err(Diagnostic::error(Code::DuplicateResource, decl.span)
                    .label(label)
                    .related(*first, "first exported here")
                    .help("make them equal, or rename one of them"));
            }
        }
        Ok(())
    }
}

/// The hosts that a resource is exported to.
pub fn hosts(decl: &Decl) -> Vec<Arc<str>> {
    let list = decl.meta.get("export").and_then(Value::as_list).unwrap_or(&[]);
    list.iter().filter_map(Value::as_str).map(Arc::from).collect()
}
