//! Validates the parameters of commands, packages, services, accounts, mounts and settings.

use super::address::{is_address, is_network};
use super::files::account;
use super::{Given, absolute, duration};
use crate::graph::Value;
use crate::host::is_field_name;
use crate::resource::cron::TRIGGERS;
use crate::resource::signal::signal;

pub(super) fn cron(given: &Given) -> Result<(), String> {
    given.is_one_of("state", &["exists", "absent"])?;
    given.may_be("startup", &["enabled", "disabled"])?;
    if given.text("state") == Some("absent") && !given.is_filled("trigger") {
        return Ok(());
    }
    given.must_be("trigger", TRIGGERS)?;
    given.needs("time")
}

pub(super) fn exec(given: &Given) -> Result<(), String> {
    if given.is_filled("shell") && given.is_set("args") {
        return Err("`args` cannot be set with `shell`".into());
    }
    if given.is_set("args") && given.or_name("cmd").split_whitespace().nth(1).is_some() {
        return Err("`args` cannot be set if `cmd` contains arguments".into());
    }
    if let Some(name) = given.text("sig").filter(|name| !name.is_empty()) {
        signal(name)?;
    }
    if let Some(path) = given.text("creates").filter(|path| !path.is_empty()) {
        absolute("creates", path)?;
    }
    for param in ["watchfiles", "mtimes"] {
        given.list(param).try_for_each(|path| absolute(param, path))?;
    }
    if let Some(Value::Map(pairs)) = given.params.get("env") {
        for (key, _) in pairs {
            if key.as_str().is_some_and(|key| !is_variable(key)) {
                return Err("`env`: names have letters, digits and `_`, and do not start with a digit".into());
            }
        }
    }
    Ok(())
}

/// Whether a text is a valid name of an environment variable.
fn is_variable(name: &str) -> bool {
    let is_part = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
    name.starts_with(|first: char| is_part(first) && !first.is_ascii_digit()) && name.chars().all(is_part)
}

/// Shells and systemd give their own meanings to higher codes.
pub(super) fn exit(given: &Given) -> Result<(), String> {
    match given.params.get("code").and_then(Value::as_int) {
        Some(code) if !(0..=125).contains(&code) => Err(format!("`code` is {code}; it must be from 0 to 125")),
        _ => Ok(()),
    }
}

pub(super) fn group(given: &Given) -> Result<(), String> {
    given.must_be("state", &["exists", "absent"])?;
    account("the name", given.name)
}

pub(super) fn kv(given: &Given) -> Result<(), String> {
    let style = given.params.get("skipcmpstyle").and_then(Value::as_int).unwrap_or(0);
    let is_compared = given.is_true("skiplessthan");
    if is_compared && !(0..=1).contains(&style) {
        return Err("`skipcmpstyle` must be 0 (numbers) or 1 (strings)".into());
    }
    match given.text("value").filter(|_| is_compared && style == 0) {
        Some(value) if value.parse::<i64>().is_err() => Err(format!("`value` is `{value}`, which is not a number")),
        _ => Ok(()),
    }
}

pub(super) fn mount(given: &Given) -> Result<(), String> {
    given.must_be("state", &["exists", "absent"])?;
    if given.name.contains("//") {
        return Err("the name contains two slashes in a row".into());
    }
    Ok(())
}

pub(super) fn msg(given: &Given) -> Result<(), String> {
    given.must_be("priority", &crate::resource::msg::PRIORITIES)?;
    let Some(Value::Map(fields)) = given.params.get("fields") else { return Ok(()) };
    match fields.iter().filter_map(|(name, _)| name.as_str()).find(|name| !is_field_name(name)) {
        Some(name) => {
            Err(format!("`{name}` is not a valid field: use letters, digits and `_`, without `_` at the start"))
        }
        None => Ok(()),
    }
}

pub(super) fn net(given: &Given) -> Result<(), String> {
    given.may_be("state", &["up", "down"])?;
    if let Some(address) = given.list("addrs").find(|address| !is_network(address)) {
        return Err(format!("`addrs` contains `{address}`; expected for example `192.0.2.4/24`"));
    }
    match given.filled("gateway") {
        Some(gateway) if !is_address(gateway) => Err(format!("`gateway` is `{gateway}`, which is not an address")),
        _ => Ok(()),
    }
}

pub(super) fn pkg(given: &Given) -> Result<(), String> {
    match given.text("state") {
        Some("") => Err("`state` is empty; use for example `installed`".into()),
        Some("latest") => Err("`state` is `latest`; use `newest` for the newest version".into()),
        _ => Ok(()),
    }
}

/// Validates the source of firmware.
pub(super) fn firmware_source(given: &Given) -> Result<(), String> {
    let Some(age) = given.filled("refresh_age") else {
        let is_managed = given.is_set("enabled") || given.is_filled("refresh_age");
        return if is_managed { Ok(()) } else { Err("`enabled` or `refresh_age` must be set".into()) };
    };
    match duration::parse(age) {
        None => Err(format!("`refresh_age` is `{age}`; it is like `24h` or `30m`")),
        Some(..=0) => Err(format!("`refresh_age` is `{age}`, which is not above 0")),
        Some(_) if given.params.get("enabled") == Some(&Value::Bool(false)) => {
            Err("`enabled` is false, so `refresh_age` cannot be set".into())
        }
        Some(_) => Ok(()),
    }
}

pub(super) fn firmware(given: &Given) -> Result<(), String> {
    given.must_be("state", &["newest"])?;
    if given.list("exclude").any(str::is_empty) { Err("`exclude` holds an empty text".into()) } else { Ok(()) }
}

pub(super) fn gsettings(given: &Given) -> Result<(), String> {
    let names_both = given.name.split(' ').filter(|part| !part.is_empty()).count() == 2
        && given.name.matches(' ').count() == 1
        && !given.is_filled("schema")
        && !given.is_filled("key");
    if !names_both {
        given.needs("schema")?;
        given.needs("key")?;
    }
    given.must_be("type", &["bool", "str", "int", "custom"])?;
    let (Some(ty), Some(value)) = (given.text("type"), given.params.get("value")) else {
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

pub(super) fn schedule(given: &Given) -> Result<(), String> {
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

pub(super) fn svc(given: &Given) -> Result<(), String> {
    given.may_be("state", &["running", "stopped"])?;
    given.may_be("startup", &["enabled", "disabled"])
}

pub(super) fn sysctl(given: &Given) -> Result<(), String> {
    let name = given.name;
    if name.contains(['/', '=']) || name.starts_with('.') || name.ends_with('.') || name.trim() != name {
        return Err(format!("the name is `{name}`; expected for example `vm.swappiness`"));
    }
    given.needs("value")?;
    if given.text("value").is_some_and(|value| value.trim() != value) {
        return Err("`value` starts or ends with a space".into());
    }
    let is_off = |param: &str| given.params.get(param) == Some(&Value::Bool(false));
    if is_off("runtime") && is_off("persist") {
        return Err("`runtime` and `persist` are both false, so nothing would be set".into());
    }
    match given.filled("path").filter(|_| !is_off("persist")) {
        Some(path) if !path.ends_with(".conf") => Err(format!("`path` is `{path}`; it must end in `.conf`")),
        Some(path) => absolute("path", path),
        None => Ok(()),
    }
}

pub(super) fn user(given: &Given) -> Result<(), String> {
    account("the name", given.name)?;
    given.must_be("state", &["exists", "absent"])?;
    if given.is_set("gid") && given.is_set("group") {
        return Err("`gid` and `group` cannot both be set".into());
    }
    if let Some(group) = given.text("group") {
        account("`group`", group)?;
    }
    for group in given.list("groups") {
        account("`groups`", group)?;
        if given.text("group") == Some(group) || given.name == group {
            return Err(format!("`groups` contains the main group `{group}`"));
        }
    }
    match given.text("homedir") {
        Some(home) if !home.ends_with('/') => Err("`homedir` must end in a slash".into()),
        _ => Ok(()),
    }
}
