//! What a resource type refuses: a value outside of the allowed ones, or two that exclude each other.

use super::{ResourceType, find};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::value::Value;
use crate::lang::puppet::{convert, unknown};

pub(super) const BOOLEAN: &[&str] = &["true", "false"];
pub(super) const FLAG: &[&str] = &["true", "false", "yes", "no"];
pub(super) const PRESENCE: &[&str] = &["present", "absent"];

/// Parameters of every type that are one of some words.
const OF_ALL: &[(&str, &[&str])] = &[
    ("loglevel", &["debug", "info", "notice", "warning", "err", "alert", "emerg", "crit", "verbose"]),
    ("noop", BOOLEAN),
];

/// Why a type refuses a resource, as the text of the error.
pub fn refused(resource: &Resource) -> Option<String> {
    let ty = find(&resource.ty).unwrap_or(&ResourceType::PLAIN);
    let failed = |name: &str, why: String| format!("Parameter {name} failed on {}: {why}", resource.reference());
    let is_known = |value: &Value| !unknown::is_in(value);
    let provider = resource.parameter("provider").filter(|value| is_known(value)).map(convert::string);
    if let Some(provider) = provider
        && !ty.providers.is_empty()
        && !ty.providers.contains(&&*provider)
    {
        return Some(failed("provider", format!("Invalid {} provider '{provider}'", ty.name)));
    }
    for (name, parameter) in resource.parameters.iter().filter(|(_, parameter)| is_known(&parameter.value)) {
        let value = &parameter.value;
        if let Some(why) = words(ty, name, value).or_else(|| (ty.refuse)(resource, name, value)) {
            return Some(failed(name, why));
        }
    }
    let name = resource.parameter(ty.namevar).filter(|value| is_known(value)).map(convert::string);
    let name = name.unwrap_or_else(|| resource.title.to_string());
    if let Some(why) = ty.refuse_name.and_then(|refuse| refuse(&name)) {
        return Some(failed(ty.namevar, why));
    }
    if !resource.parameters.values().all(|parameter| is_known(&parameter.value)) {
        return None;
    }
    if ty.namevar == "path" && !ty.is_of_module && !resource.parameters.contains_key("path") {
        let title = &resource.title;
        if !title.starts_with('/') {
            return Some(failed("path", format!("File paths must be fully qualified, not '{title}'")));
        }
    }
    (ty.refuse_whole)(resource).map(|why| format!("Validation of {} failed: {why}", resource.reference()))
}

fn words(ty: &ResourceType, name: &str, value: &Value) -> Option<String> {
    let (_, known) = OF_ALL.iter().chain(ty.values).find(|(parameter, _)| *parameter == name)?;
    let text = match value {
        Value::Bool(_) | Value::Int(_) | Value::Str(_) | Value::Type(_) => convert::string(value),
        _ => return None,
    };
    (!known.contains(&&*text)).then(|| invalid(value, &format!("Valid values are {}.", known.join(", "))))
}

pub(super) fn invalid(value: &Value, known: &str) -> String {
    format!("Invalid value {}. {known}", convert::ruby(value))
}

/// One value, or each of a list.
pub(super) fn items(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    }
}

pub(super) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn is_octal(text: &str) -> bool {
    let digits = if text.len() > 4 { text.strip_prefix('0').unwrap_or(text) } else { text };
    (1..=4).contains(&digits.len()) && digits.bytes().all(|b| (b'0'..=b'7').contains(&b))
}

pub(super) fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Int(value) => Some(*value as f64),
        Value::Float(value) => Some(*value),
        Value::Str(text) => text.trim().parse().ok(),
        Value::Array(list) => as_float(list.first()?),
        _ => None,
    }
}

pub(super) fn munging(name: &str, value: &Value, why: &str) -> String {
    format!("Munging failed for value {} in class {name}: {why}", convert::ruby(value))
}
