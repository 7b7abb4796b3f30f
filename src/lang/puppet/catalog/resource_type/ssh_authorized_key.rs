//! `ssh_authorized_key`: a key that may log in as a user.

use super::refusal::PRESENCE;
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::kinds::{Given, Made, declaration, texts};
use crate::lang::puppet::ids::ResourceId;

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
    values: &[("ensure", PRESENCE)],
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    vec![m.text("user").and_then(|user| m.find("user", &user))]
}

fn map(g: &Given, _meta: &mut Meta) -> Made {
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
