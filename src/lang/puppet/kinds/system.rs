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
        Some(other @ ("held" | "purged" | "disabled")) => return Err(format!("`ensure => {other}`")),
        Some(version) => {
            params.set("allowdowngrade", Ours::Bool(true));
            version.to_owned()
        }
    };
    params.set("state", Ours::Str(state.into()));
    g.ignore(&["allow_virtual"]);
    Ok(declaration("pkg", g.name(), params))
}

/// A service with commands of its own, which our services do not run.
const COMMANDS: [&str; 6] = ["start", "stop", "status", "restart", "pattern", "binary"];

pub fn service(g: &Given, _meta: &mut Meta) -> Made {
    if let Some(command) = COMMANDS.into_iter().find(|command| g.value(command).is_some()) {
        return Err(format!("`{command}`: only systemd starts and stops services here"));
    }
    if let Some(provider) = g.text("provider").filter(|name| !["systemd", "debian", "redhat"].contains(&&**name)) {
        return Err(format!("`provider => {provider}`: only systemd starts and stops services here"));
    }
    let mut params = Params::default();
    match g.text("ensure").as_deref() {
        Some("running" | "true") => params.set("state", "running".into()),
        Some("stopped" | "false") => params.set("state", "stopped".into()),
        _ => {}
    }
    match g.text("enable").as_deref() {
        Some("true") => params.set("startup", "enabled".into()),
        Some("false") => params.set("startup", "disabled".into()),
        Some(other) => return Err(format!("`enable => {other}`")),
        None => {}
    }
    params.set("restart", Ours::Bool(true));
    g.ignore(&["hasstatus", "hasrestart"]);
    Ok(declaration("svc", g.name(), params))
}
