//! Validates the parameters of settings, firmware and schedules.

use super::{Reader, absolute, duration};
use crate::graph::Value;

pub(super) fn augeas(given: &Reader) -> Result<(), String> {
    given.needs("file")?;
    given.needs("lens")?;
    given.text("file").map_or(Ok(()), |path| absolute("file", path))?;
    match given.text("lens").filter(|lens| !lens.ends_with(".lns")) {
        Some(lens) => Err(format!("`lens` is `{lens}`; it must end in `.lns`")),
        None => Ok(()),
    }
}

/// Validates the source of firmware.
pub(super) fn firmware_source(given: &Reader) -> Result<(), String> {
    let Some(age) = given.filled("refresh_age") else {
        let is_managed = given.is_set("enabled") || given.is_filled("refresh_age");
        return if is_managed { Ok(()) } else { Err("`enabled` or `refresh_age` must be set".into()) };
    };
    match duration::parse(age) {
        None => Err(format!("`refresh_age` is `{age}`; it is like `24h` or `30m`")),
        Some(..=0) => Err(format!("`refresh_age` is `{age}`, which is not above 0")),
        Some(_) if given.get("enabled") == Some(&Value::Bool(false)) => {
            Err("`enabled` is false, so `refresh_age` cannot be set".into())
        }
        Some(_) => Ok(()),
    }
}

pub(super) fn firmware(given: &Reader) -> Result<(), String> {
    given.must_be("state", &["newest"])?;
    if given.list("exclude").any(str::is_empty) { Err("`exclude` holds an empty text".into()) } else { Ok(()) }
}

pub(super) fn gsettings(given: &Reader) -> Result<(), String> {
    let names_both = given.name.split(' ').filter(|part| !part.is_empty()).count() == 2
        && given.name.matches(' ').count() == 1
        && !given.is_filled("schema")
        && !given.is_filled("key");
    if !names_both {
        given.needs("schema")?;
        given.needs("key")?;
    }
    given.must_be("type", &["bool", "str", "int", "custom"])?;
    let (Some(ty), Some(value)) = (given.text("type"), given.get("value")) else {
        return given.needs("value");
    };
    let fits = match (ty, value) {
        (_, Value::Unknown | Value::Deferred(_) | Value::Sensitive(_)) => true,
        ("bool", Value::Bool(_)) | ("int", Value::Int(_)) => true,
        ("str" | "custom", value) => value.as_bytes().is_some(),
        _ => false,
    };
    if fits { Ok(()) } else { Err(format!("`value` is not of the type that `type` names, `{ty}`")) }
}

pub(super) fn schedule(given: &Reader) -> Result<(), String> {
    given.may_be("strategy", &["alpha", "rr"])?;
    if given.is_true("persist") && given.int("ttl").is_some_and(|ttl| ttl > 0) {
        return Err("`ttl` cannot be set with `persist`".into());
    }
    let others = ["strategy", "max", "ttl"].into_iter().find(|param| given.is_set(param));
    let beside = others.or(given.is_true("persist").then_some("persist"));
    match beside.filter(|_| given.is_true("withdraw")) {
        Some(param) => Err(format!("`{param}` cannot be set with `withdraw`")),
        None => Ok(()),
    }
}
