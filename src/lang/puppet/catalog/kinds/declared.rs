//! Resources of types that the program defines: their features as parameters of the kind that they name.

use std::sync::Arc;

use super::{MapResult, Mapper, declaration};
use crate::graph::{Params, Value as Ours};
use crate::lang::puppet::arm::{Carried, CarriedParam};
use crate::lang::puppet::convert;
use crate::lang::puppet::unknown::is_in;
use crate::lang::puppet::value::Value;

/// Converts a resource of such a type to the kind that it names. Fails if the kind does not exist or refuses a value.
pub fn declared(g: &Mapper, carried: &Carried) -> MapResult {
    let no_kind = || format!("there is no kind `{}`", carried.kind);
    let schema = crate::resource::kind(&carried.kind).map(|kind| kind.schema()).ok_or_else(no_kind)?;
    // Any feature may be computed of a secret one.
    let has_secret = !g.resource.sensitive.is_empty();
    let mut params = Params::default();
    for CarriedParam { name, feature, value, is_plain } in &carried.params {
        let is_secret = has_secret && !is_plain;
        let plain = if is_in(value) { Some(Ours::Unknown) } else { ours(value) };
        let takes = plain == Some(Ours::Unknown)
            || schema.any_param(name).is_some_and(|param| plain.as_ref().is_some_and(|value| param.ty.takes(value)));
        let Some(plain) = plain.filter(|_| takes) else {
            let shown = if is_secret { "its value".into() } else { convert::inspect(value) };
            return Err(format!("`{name}` of the kind `{}` cannot be {shown}, from `{feature}`", carried.kind));
        };
        params.set(&**name, if is_secret { Ours::Sensitive(Box::new(plain)) } else { plain });
    }
    if carried.is_secret_name {
        return Err("its name depends on a sensitive value, and names are shown and recorded".into());
    }
    g.ignore_all();
    Ok(declaration(&carried.kind, carried.name.as_str(), params))
}

fn ours(value: &Value) -> Option<Ours> {
    Some(match value {
        Value::Bool(value) => Ours::Bool(*value),
        Value::Int(value) => Ours::Int(*value),
        Value::Float(value) => Ours::Float(*value),
        Value::Str(text) => Ours::Str(Arc::from(&**text)),
        Value::Array(list) => Ours::List(list.iter().map(ours).collect::<Option<_>>()?),
        _ => return None,
    })
}
