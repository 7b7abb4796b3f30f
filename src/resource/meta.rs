//! The meta parameters of every resource: type, default and effect on the engine.

use crate::graph::{Params, Value};

use super::schema::FieldType;

/// One meta parameter.
#[derive(Clone, Copy, Debug)]
pub struct MetaParameter {
    pub name: &'static str,
    pub ty: FieldType,
    /// Its default.
    pub default: MetaDefault,
    pub doc: &'static str,
}

impl MetaParameter {
    /// Whether a value is the same as the default.
    pub fn is_default(&self, value: &Value) -> bool {
        match (value, self.default) {
            (Value::Bool(value), MetaDefault::Bool(default)) => *value == default,
            (Value::Int(value), MetaDefault::Int(default)) => *value == default,
            (Value::Float(value), MetaDefault::Float(default)) => *value == default,
            (Value::List(items), MetaDefault::EmptyList) => items.is_empty(),
            _ => false,
        }
    }
}

/// A default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetaDefault {
    Bool(bool),
    Int(i64),
    Float(f64),
    EmptyList,
}

const fn meta(name: &'static str, ty: FieldType, default: MetaDefault, doc: &'static str) -> MetaParameter {
    MetaParameter { name, ty, default, doc }
}

/// All meta parameters, in the order of mcl's `Meta => struct{...}`.
pub static META: &[MetaParameter] = &[
    meta("noop", FieldType::Bool, MetaDefault::Bool(false), "Reports changes without making them."),
    meta("retry", FieldType::I16, MetaDefault::Int(0), "Number of retries after a failure; -1 for no limit."),
    meta("retryreset", FieldType::Bool, MetaDefault::Bool(false), "Resets the retry count after a success."),
    meta("delay", FieldType::U64, MetaDefault::Int(0), "Milliseconds between two retries."),
    meta("timeout", FieldType::U64, MetaDefault::Int(0), "Milliseconds that a step may take; 0 for no limit."),
    meta("poll", FieldType::I32, MetaDefault::Int(0), "Seconds between checks, instead of watching; -1 checks once."),
    meta("limit", FieldType::Float, MetaDefault::Float(f64::INFINITY), "Events per second."),
    meta("burst", FieldType::INT, MetaDefault::Int(0), "Number of events at once; required with `limit`."),
    meta("reset", FieldType::Bool, MetaDefault::Bool(false), "Resets the retry count when the parameters change."),
    meta("sema", FieldType::STRS, MetaDefault::EmptyList, "Semaphores to hold: `id`, or `id:N` for N at once."),
    meta(
        "rewatch",
        FieldType::Bool,
        MetaDefault::Bool(false),
        "Retries it with the next graph after it failed permanently.",
    ),
    meta("realize", FieldType::Bool, MetaDefault::Bool(false), "Accepted for compatibility; does nothing."),
    meta("dollar", FieldType::Bool, MetaDefault::Bool(false), "Allows a name that starts with a dollar sign."),
    meta("hidden", FieldType::Bool, MetaDefault::Bool(false), "Does not apply it here; it is still exported."),
    meta(
        "export",
        FieldType::STRS,
        MetaDefault::EmptyList,
        "Hosts that can `collect` it; `*` for all. Apply stores it for other programs on this machine, without secrets.",
    ),
    meta(
        "reverse",
        FieldType::Bool,
        MetaDefault::Bool(false),
        "Reverts it when it is removed from the program; only for `file` and `net`.",
    ),
    meta("autoedge", FieldType::Bool, MetaDefault::Bool(true), "Adds automatic dependencies for it."),
    meta("autogroup", FieldType::Bool, MetaDefault::Bool(true), "Allows grouping it with others."),
];

/// Returns the meta parameter with a name.
pub fn meta_parameter(name: &str) -> Option<&'static MetaParameter> {
    META.iter().find(|m| m.name == name)
}

/// Refuses meta parameters that contradict each other or the kind.
pub fn validate_meta(kind: &str, meta: &Params) -> Result<(), String> {
    let limited = match meta.get("limit") {
        Some(Value::Float(limit)) => limit.is_finite(),
        _ => false,
    };
    let burst = meta.get("burst").and_then(Value::as_int).unwrap_or(0);
    if limited && burst == 0 {
        return Err("`limit` is set, so `burst` must be above 0".into());
    }
    let poll = meta.get("poll").and_then(Value::as_int).unwrap_or(0);
    match kind {
        "bmc:firmware" | "bmc:power" if poll == 0 => {
            return Err("it cannot be watched, so `Meta:poll` must be set".into());
        }
        "hetzner:vm" if poll < 1 => return Err("it cannot be watched, so `Meta:poll` must be set".into()),
        "virt" if poll != 0 => return Err("it is watched, so `Meta:poll` cannot be set".into()),
        _ => {}
    }
    let mut hosts = meta.get("export").and_then(Value::as_list).unwrap_or_default().iter();
    if hosts.any(|host| host.as_str() == Some("")) {
        return Err("`export` holds a host without a name".into());
    }
    for sema in meta.get("sema").and_then(Value::as_list).unwrap_or_default() {
        if let Some(text) = sema.as_str() {
            semaphore(text)?;
        }
    }
    Ok(())
}

/// Parses a semaphore written as `id` or `id:N` into its name and size. An `N` that is not a positive number belongs to
/// the name.
pub fn semaphore(text: &str) -> Result<(&str, u32), String> {
    if text.is_empty() || text.parse::<i64>().is_ok() {
        return Err(format!("the semaphore `{text}` has no name"));
    }
    let size = text.rsplit_once(':').and_then(|(_, size)| size.parse().ok()).filter(|size| *size > 0);
    Ok((text, size.unwrap_or(1)))
}
