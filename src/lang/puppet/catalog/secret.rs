//! Resources with their secrets taken out, so that no text about a resource depends on one.

use std::sync::Arc;

use super::Resource;
use crate::graph::{HIDDEN, Secrets};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::convert;
use crate::lang::puppet::lookup::Hiera;
use crate::lang::puppet::value::Value;

/// A resource with a fixed text in the place of each secret.
pub struct Blind {
    pub resource: Resource,
    /// The parameters that are secret.
    pub names: Vec<Text>,
    pub secrets: Secrets,
}

/// Takes the secrets out of a resource. `None` if it has none.
pub fn blind(hiera: &Hiera, resource: &Resource) -> Option<Blind> {
    let is_secret = |name: &Text, value: &Value| {
        resource.sensitive.contains(name) || matches!(value, Value::Sensitive(_)) || hiera.holds_secret(value)
    };
    let named = resource.parameters.iter().filter(|(name, parameter)| is_secret(name, &parameter.value));
    let names: Vec<Text> = named.map(|(name, _)| name.clone()).collect();
    if names.is_empty() {
        return None;
    }
    let mut blind = Blind { resource: resource.clone(), names, secrets: Secrets::default() };
    let mut texts = Vec::new();
    for name in &blind.names {
        if let Some(parameter) = blind.resource.parameters.get_mut(name) {
            parameter.value = without(&parameter.value, &mut texts, 0);
        }
    }
    blind.secrets = Secrets::in_texts(texts);
    Some(blind)
}

/// Replaces every scalar.
fn without(value: &Value, texts: &mut Vec<String>, depth: usize) -> Value {
    const DEPTH: usize = 64;
    match value {
        Value::Undef | Value::Default | Value::Unknown(_) => value.clone(),
        Value::Array(list) if depth < DEPTH => {
            Value::array(list.iter().map(|item| without(item, texts, depth + 1)).collect())
        }
        Value::Hash(map) if depth < DEPTH => {
            Value::hash(map.iter().map(|(key, value)| (key.clone(), without(value, texts, depth + 1))).collect())
        }
        Value::Sensitive(inner) if depth < DEPTH => Value::Sensitive(Arc::new(without(inner, texts, depth + 1))),
        other => {
            texts.push(convert::string(other));
            Value::str(HIDDEN)
        }
    }
}

impl Blind {
    /// A text that a resource gave, without secrets. `again` is what its blind form gives.
    pub fn redact(&self, text: String, again: Option<String>) -> String {
        self.secrets.redact(&text, again.as_deref()).unwrap_or_else(|| {
            let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
            format!("a sensitive value is refused, and is not shown: {}", names.join(", "))
        })
    }
}

/// Returns the refusal of a resource, without its secrets.
pub fn redact(hiera: &Hiera, resource: &Resource, refusal: impl Fn(&Resource) -> Option<String>) -> Option<String> {
    let text = refusal(resource)?;
    Some(match blind(hiera, resource) {
        None => text,
        Some(blind) => match blind.secrets.redact(&text, refusal(&blind.resource).as_deref()) {
            Some(text) => text,
            None => format!("Validation of {} failed: {}", resource.reference(), blind.redact(text, None)),
        },
    })
}
