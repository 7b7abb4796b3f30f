//! `package` and `service`.

use super::{Given, Made, declaration};
use crate::graph::{Meta, Params, Value as Ours};

/// Providers that are the machine's own package manager.
const OWN: [&str; 9] = ["apt", "aptitude", "dpkg", "dnf", "yum", "rpm", "pacman", "apk", "zypper"];

pub fn package(g: &Given, _meta: &mut Meta) -> Made {
    if let Some(provider) = g.text("provider").filter(|name| !OWN.contains(&&**name)) {
        return Err(format!("`provider => {provider}`: only the machine's own package manager is used"));
    }
    if g.value("source").is_some() {
        return Err("`source`: a package is only taken from the package manager's own places".into());
    }
    let mut params = Params::default();
    let state = match g.text("ensure").as_deref() {
        None | Some("present" | "installed" | "true") => "installed".to_owned(),
        Some("absent" | "false") => "uninstalled".into(),
        Some("latest") => "newest".into(),
        Some("purged") => {
            params.set("purge", Ours::Bool(true));
            "uninstalled".into()
        }
        Some("held") => {
            params.set("hold", "yes".into());
            "installed".into()
        }
        Some(other @ "disabled") => return Err(format!("`ensure => {other}`")),
        Some(version) => {
            params.set("allowdowngrade", Ours::Bool(true));
            version.to_owned()
        }
    };
    params.set("state", Ours::Str(state.into()));
    match g.text("mark").as_deref() {
        Some("hold") => params.set("hold", "yes".into()),
        Some("none") => params.set("hold", "no".into()),
        _ => {}
    }
    g.ignore(&["allow_virtual"]);
    Ok(declaration("pkg", g.name(), params))
}

/// Commands of a service, and what we call them.
const COMMANDS: [(&str, &str); 4] =
    [("start", "startcmd"), ("stop", "stopcmd"), ("restart", "restartcmd"), ("status", "statuscmd")];

/// Providers that ask systemd.
const MANAGED: [&str; 3] = ["systemd", "debian", "redhat"];

pub fn service(g: &Given, _meta: &mut Meta) -> Made {
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
