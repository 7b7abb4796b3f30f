//! `service`: a service of the machine.

use super::ResourceType;
use super::refusal::{BOOLEAN, invalid};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "service",
    doc: "Manages a service with systemd, or with commands of its own. A refresh restarts it if it runs.",
    params: &[
        ("name", "The name of the unit (default: the title)."),
        ("ensure", "`running` or `stopped`."),
        ("enable", "`true` or `false`: whether it starts at boot."),
        ("start", "Starts it, instead of systemd."),
        ("stop", "Stops it, instead of systemd."),
        ("restart", "Restarts it, instead of systemd."),
        ("status", "Succeeds while it runs. A preview runs it only with `--run-guards`."),
        ("hasstatus", "`false`: it runs while a process matches `pattern`."),
        ("pattern", "A pattern of command lines (default: the name)."),
        ("binary", "With `provider => base`: the program to start and to search for."),
        ("hasrestart", "Accepted: systemd always can restart a service."),
        ("provider", "`systemd`, or `base` for commands alone."),
    ],
    idle: "timeout control flags manifest path logonaccount logonpassword",
    values: &[
        ("enable", &["true", "false", "manual", "mask", "delayed"]),
        ("hasstatus", BOOLEAN),
        ("hasrestart", BOOLEAN),
    ],
    refuse,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let is_wrong = name == "ensure" && !["stopped", "running", "true", "false"].contains(&&*convert::string(value));
    is_wrong.then(|| invalid(value, "Valid values are stopped, running."))
}

/// Commands of a service, and what we call them.
const COMMANDS: [(&str, &str); 4] =
    [("start", "startcmd"), ("stop", "stopcmd"), ("restart", "restartcmd"), ("status", "statuscmd")];

/// Providers that ask systemd.
const MANAGED: [&str; 3] = ["systemd", "debian", "redhat"];

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let provider = g.text("provider").unwrap_or_else(|| "systemd".into());
    let is_base = provider == "base";
    if !is_base && !MANAGED.contains(&&*provider) {
        return Err(format!(
            "`provider => {provider}`: only systemd or the commands of a service start and stop it here"
        ));
    }
    let mut params = Params::default();
    match g.text("ensure").as_deref() {
        Some("running" | "true") => params.set("state", "running".into()),
        Some("stopped" | "false") => params.set("state", "stopped".into()),
        _ => {}
    }
    if !is_base {
        match g.text("enable").as_deref() {
            Some("true") => params.set("startup", "enabled".into()),
            Some("false") => params.set("startup", "disabled".into()),
            Some(other) => return Err(format!("`enable => {other}`")),
            None => {}
        }
    }
    for (theirs, ours) in COMMANDS {
        g.pass(&mut params, theirs, ours);
    }
    if is_base {
        params.set("no_manager", Ours::Bool(true));
        if params.get("startcmd").is_none() {
            g.pass(&mut params, "binary", "startcmd");
        }
    }
    // Without a status of its own, a service is looked for among the processes.
    let by_pattern = is_base || g.flag("hasstatus") == Some(false);
    if by_pattern && params.get("statuscmd").is_none() {
        let pattern = g.text("pattern").or_else(|| g.text("binary")).unwrap_or_else(|| g.name());
        params.set("pattern", Ours::Str(pattern.into()));
    }
    params.set("restart", Ours::Bool(true));
    g.ignore(&["hasstatus", "hasrestart", "pattern"]);
    Ok(declaration("svc", g.name(), params))
}
