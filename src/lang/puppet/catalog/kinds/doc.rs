//! What the built-in resource types take, in a sentence each, and what of it has no effect here.

use std::sync::Arc;

use crate::lang::puppet::catalog::resource_type;
use crate::lang::{DeclaredKind, DeclaredParam};

/// The documentation of a type: its own sentences where there are some, and else its parameters.
pub fn doc(name: &str) -> Option<DeclaredKind> {
    let ty = resource_type::find(name)?;
    let mut doc = if ty.doc.is_empty() { "A type of Puppet.".to_owned() } else { ty.doc.to_owned() };
    if ty.map.is_none() && !["stage", "resources", "tidy"].contains(&name) {
        doc.push_str(" Not implemented here: it is shown, and blocks what depends on it.");
    }
    doc.push_str(&format!("\nThe title is its `{}` unless that is set.", ty.namevar));
    if !ty.requires.is_empty() {
        doc.push_str(&format!("\nDepends automatically on {}, where these are managed.", ty.requires));
    }
    if !ty.idle.is_empty() {
        doc.push_str(&format!("\nWithout effect here: {}.", ty.idle.split_whitespace().collect::<Vec<_>>().join(", ")));
    }
    let param = |name: &str, doc: &str| {
        let ty = if name == ty.namevar { "name" } else { "" };
        DeclaredParam { name: Arc::from(name), ty: ty.into(), is_required: false, doc: doc.into() }
    };
    let params = match ty.params {
        [] => ty.parameters().map(|name| param(name, "")).collect(),
        documented => documented.iter().map(|(name, doc)| param(name, doc)).collect(),
    };
    Some(DeclaredKind { name: name.into(), params, doc, source: None })
}
