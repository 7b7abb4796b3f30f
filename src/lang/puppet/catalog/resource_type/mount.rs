//! `mount`: a mounted file system and its line in `/etc/fstab`.

use super::refusal::{BOOLEAN, FLAG, invalid, items, munging};
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration, texts};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "mount",
    doc: "Manages a mounted file system and its line in `/etc/fstab`.",
    requires: "the nearest mount above it",
    params: &[
        ("ensure", "`mounted`, `unmounted`, `present` or `defined` (the line alone), or `absent`."),
        ("device", "What is mounted."),
        ("fstype", "The type of the file system."),
        ("options", "The options, with commas between."),
        ("dump", "The fifth field of the line."),
        ("pass", "The order of checks at boot."),
    ],
    idle: "blockdevice remounts target provider",
    others: "name atboot path",
    values: &[("ensure", &["defined", "present", "unmounted", "absent", "mounted"]), ("remounts", BOOLEAN)],
    refuse,
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    items(value).into_iter().find_map(|one| {
        let text = convert::string(one);
        match name {
            "fstype" | "options" | "blockdevice" if text.contains(char::is_whitespace) => {
                Some(format!("{name} must not contain whitespace: {text}"))
            }
            "fstype" | "options" if text.is_empty() => Some(format!("{name} must not be an empty string")),
            "dump" if !text.contains(['0', '1']) => Some(invalid(one, "Valid values match /(0|1)/.")),
            "atboot" if !FLAG.contains(&&*text) => Some(munging(name, one, "expected a boolean value")),
            _ => None,
        }
    })
}

/// The nearest mount above it.
fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    let name = m.name();
    let mut at = &*name;
    while let Some(slash) = at.rfind('/') {
        at = if slash == 0 { "/" } else { &at[..slash] };
        if let Some(parent) = m.find("mount", at).filter(|parent| *parent != m.id) {
            return vec![Some(parent)];
        }
        if at == "/" {
            break;
        }
    }
    Vec::new()
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let mut params = Params::default();
    let ensure = g.text("ensure").unwrap_or_else(|| "present".into());
    let (state, mounted) = match &*ensure {
        "absent" => ("absent", "no"),
        "mounted" => ("exists", "yes"),
        "unmounted" => ("exists", "no"),
        _ => ("exists", "keep"),
    };
    params.set("state", state.into());
    params.set("mounted", mounted.into());
    g.pass(&mut params, "device", "device");
    g.pass(&mut params, "fstype", "type");
    g.pass_int(&mut params, "dump", "freq");
    g.pass_int(&mut params, "pass", "passno");
    if let Some(options) = g.text("options") {
        let options = options.split(',').map(str::trim).filter(|option| !option.is_empty()).map(str::to_owned);
        params.set("option_list", texts(options));
    }
    g.ignore(&["atboot"]);
    Ok(declaration("mount", g.name(), params))
}
