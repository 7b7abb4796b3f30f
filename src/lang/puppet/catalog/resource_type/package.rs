//! `package`: a package of the package manager.

use super::refusal::{BOOLEAN, FLAG, invalid};
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "package",
    doc: "Manages a package with the package manager of the machine.",
    requires: "the files of `source`, `adminfile` and `responsefile`",
    params: &[
        ("name", "The name of the package (default: the title)."),
        (
            "ensure",
            "`installed` or `present` (the default), `absent`, `purged` (with its configuration), `latest`, `held`, or a version.",
        ),
        ("mark", "`hold` sets it aside from changes (apt only), `none` gives it free."),
        ("provider", "Only those of the machine's own package manager, such as `apt` or `dnf`."),
        ("source", "Refused: packages are only taken from the sources of the package manager."),
    ],
    idle: "install_options uninstall_options adminfile responsefile configfiles reinstall_on_refresh category \
        description enable_only flavor install_only instance package_settings platform root status vendor \
        command allowcdrom",
    others: "allow_virtual",
    values: &[
        ("configfiles", &["keep", "replace"]),
        ("allow_virtual", FLAG),
        ("reinstall_on_refresh", BOOLEAN),
        ("allowcdrom", BOOLEAN),
        ("mark", &["hold", "none"]),
    ],
    refuse,
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    match name {
        "ensure" if convert::string(value).is_empty() => {
            Some(invalid(value, "Valid values are present, absent, purged, disabled, latest. Valid values match /./."))
        }
        "name" if matches!(value, Value::Array(_)) => Some("Name must be a String not Array".into()),
        _ => None,
    }
}

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    let paths = ["source", "adminfile", "responsefile"].into_iter().filter_map(|name| m.text(name));
    paths.map(|path| m.find("file", &path)).collect()
}

/// Providers that are the machine's own package manager.
const OWN: [&str; 9] = ["apt", "aptitude", "dpkg", "dnf", "yum", "rpm", "pacman", "apk", "zypper"];

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
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
