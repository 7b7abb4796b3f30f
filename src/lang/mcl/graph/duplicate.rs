//! Twins: what happens when one resource is declared twice.
//!
//! Equal ones are one. Packages are merged where their states agree (`installed` with `newest` is `newest`). Any other
//! pair is refused. What is exported must be the same for each host it goes to.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Decl;
use crate::diag::{Code, Diagnostic};
use crate::graph::{Params, Resource, ResourceId, Value};
use crate::resource::{FieldType, Schema};
use crate::source::Span;

/// The ids of resources that are not hidden; only looked up for hidden ones, so it stays empty without any.
pub fn visible(decls: &[Decl]) -> FxHashSet<ResourceId> {
    if !decls.iter().any(|decl| decl.flag("hidden")) {
        return FxHashSet::default();
    }
    decls.iter().filter(|decl| !decl.flag("hidden")).map(Decl::id).collect()
}

/// Merges a twin, or says how it differs.
pub fn merge(first: &mut Resource, again: &Decl) -> Result<(), String> {
    if let Some(name) = differing_meta(&first.meta, &again.meta) {
        return Err(format!("`Meta:{name}` differs"));
    }
    let mergeable = &*again.kind == "pkg";
    let params = &mut first.declared.params;
    for param in again.schema.params {
        let (one, two) =
            (effective(params, again.schema, param.name), effective(&again.params, again.schema, param.name));
        if one == two {
            continue;
        }
        let states = (one.and_then(Value::as_str), two.and_then(Value::as_str));
        match states {
            (Some("installed"), Some("newest")) if mergeable && param.name == "state" => {
                params.set(param.name, "newest".into());
            }
            (Some("newest"), Some("installed")) if mergeable && param.name == "state" => {}
            _ => return Err(format!("its `{}` differs", param.name)),
        }
    }
    Ok(())
}

/// The first meta parameter that two resources do not share.
fn differing_meta(one: &Params, two: &Params) -> Option<Arc<str>> {
    let missing = |a: &Params, b: &Params| {
        a.iter().find(|(name, value)| b.get(name) != Some(value)).map(|(name, _)| name.clone())
    };
    missing(one, two).or_else(|| missing(two, one))
}

/// What a parameter amounts to: where unset is the zero value, both are nothing.
fn effective<'a>(params: &'a Params, schema: &Schema, name: &str) -> Option<&'a Value> {
    let value = params.get(name)?;
    let param = schema.param(name)?;
    let plain = !param.optional && param.ty != FieldType::Any;
    if plain && is_zero(value) { None } else { Some(value) }
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

/// What is exported: kind, name and the host it goes to.
#[derive(Default)]
pub struct Exports(FxHashMap<(ResourceId, Arc<str>), (Params, Span)>);

impl Exports {
    /// Notes what a resource exports; an error where something else is exported under its name.
    pub fn note(&mut self, decl: &Decl) -> Result<(), Diagnostic> {
        for host in hosts(decl) {
            let (there, first) =
                self.0.entry((decl.id(), host.clone())).or_insert_with(|| (decl.params.clone(), decl.span));
            let differs = |param: &&crate::resource::Parameter| {
                effective(there, decl.schema, param.name) != effective(&decl.params, decl.schema, param.name)
            };
            if let Some(param) = decl.schema.params.iter().find(differs) {
                let label =
                    format!("`{}` is exported to `{host}` again, and its `{}` differs", decl.id().0, param.name);
                return Err(Diagnostic::error(Code::DuplicateResource, decl.span)
                    .label(label)
                    .related(*first, "first exported here")
                    .help("make them say the same, or give one another name"));
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
