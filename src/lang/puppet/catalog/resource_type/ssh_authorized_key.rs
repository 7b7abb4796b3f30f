//! `ssh_authorized_key`: a key that may log in as a user.

use super::refusal::{FLAG, PRESENCE, items, munging};
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration, texts};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "ssh_authorized_key",
    doc: "Manages a key that may log in as a user. The title is the comment that names the entry.",
    requires: "its user",
    params: &[
        ("ensure", "`present` (the default) or `absent`."),
        ("user", "The user whose file it is in."),
        ("target", "The file, instead of the one of the user."),
        ("type", "The type of the key, such as `ssh-ed25519`."),
        ("key", "The key itself, without spaces."),
        ("options", "Options before the key."),
    ],
    idle: "drop_privileges provider",
    others: "name",
    values: &[("ensure", PRESENCE), ("type", KEY_TYPES)],
    refuse,
    refuse_whole,
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

/// The types of keys, with their short names.
pub(super) const KEY_TYPES: &[&str] = &[
    "ssh-dss",
    "ssh-rsa",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "ssh-ed25519",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "sk-ssh-ed25519@openssh.com",
    "ssh-rsa-cert-v01@openssh.com",
    "ssh-ed25519-cert-v01@openssh.com",
    "ssh-dss-cert-v01@openssh.com",
    "ecdsa-sha2-nistp256-cert-v01@openssh.com",
    "ecdsa-sha2-nistp384-cert-v01@openssh.com",
    "ecdsa-sha2-nistp521-cert-v01@openssh.com",
    "dsa",
    "ed25519",
    "rsa",
    "ecdsa-sk",
    "ed25519-sk",
];

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    items(value).into_iter().find_map(|one| {
        let text = convert::string(one);
        match name {
            "key" if text.contains(char::is_whitespace) => Some(format!("Key must not contain whitespace: {text}")),
            "drop_privileges" if !FLAG.contains(&&*text) => Some(munging(name, one, "expected a boolean value")),
            _ => None,
        }
    })
}

fn refuse_whole(resource: &Resource) -> Option<String> {
    let has = |name: &str| resource.parameter(name).is_some();
    (!has("user") && !has("target")).then(|| "Attribute 'user' or 'target' is mandatory".into())
}

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    vec![m.text("user").and_then(|user| m.find("user", &user))]
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let name = g.name();
    let mut params = Params::default();
    params.set("state", g.state());
    params.set("by_comment", Ours::Bool(true));
    params.set("comment", Ours::Str((&*name).into()));
    g.pass(&mut params, "user", "user");
    g.pass(&mut params, "target", "file");
    if params.get("user").is_none() && params.get("file").is_none() {
        return Err("neither `user` nor `target` is set".into());
    }
    if !g.is_present() {
        g.ignore(&["type", "key", "options"]);
        return Ok(declaration("ssh:authorized_key", name, params));
    }
    let kind = g.text("type").unwrap_or_default();
    let kind = match &*kind {
        "rsa" => "ssh-rsa",
        "dsa" | "dss" => "ssh-dss",
        "ed25519" => "ssh-ed25519",
        other => other,
    };
    params.set("type", kind.into());
    g.pass(&mut params, "key", "key");
    let options = g.list("options").into_iter().filter(|option| option != "absent");
    params.set("options", texts(options));
    Ok(declaration("ssh:authorized_key", name, params))
}
