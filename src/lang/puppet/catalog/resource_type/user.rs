//! `user`: a user account.

use super::refusal::{BOOLEAN, FLAG, PRESENCE, invalid, is_digits, items, munging};
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration, texts};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "user",
    doc: "Manages a user account.",
    requires: "its group and groups",
    params: &[
        ("ensure", "`present` (the default) or `absent`."),
        ("uid", "Its number."),
        ("gid", "Its main group, by name or number."),
        ("groups", "Other groups."),
        ("membership", "`minimum` (the default): it stays in other groups; `inclusive`: it leaves them."),
        ("home", "The home folder."),
        ("managehome", "Creates the home folder with the account. Refused for an account that is removed."),
        ("shell", "The login shell."),
        ("comment", "The full name, or another comment."),
        ("system", "A new account gets a number for system accounts."),
        ("allowdupe", "Allows two users with the same number."),
        ("password", "Refused: hashes of passwords are not changed."),
    ],
    idle: "salt iterations password_min_age password_max_age password_warn_days expiry purge_ssh_keys \
        forcelocal loginclass provider",
    others: "name attributes attribute_membership auth_membership auths ia_load_module key_membership keys \
        profile_membership profiles project role_membership roles",
    values: &[("membership", &["inclusive", "minimum"]), ("system", FLAG), ("allowdupe", FLAG)],
    providers: &[
        "useradd",
        "adduser",
        "aix",
        "directoryservice",
        "hpuxuseradd",
        "ldap",
        "openbsd",
        "pw",
        "user_role_add",
    ],
    refuse,
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    match name {
        "ensure" if text == "role" => {
            Some("Provider useradd must have features 'manages_solaris_rbac' to set 'ensure' to 'role'".into())
        }
        "ensure" if !PRESENCE.contains(&&*text) => Some(invalid(value, "Valid values are present, absent, role.")),
        "managehome" | "forcelocal" if !FLAG.contains(&&*text) => {
            Some(munging(name, value, "expected a boolean value"))
        }
        "password" if text.contains(':') => Some("Passwords cannot include ':'".into()),
        "password_min_age" | "password_max_age" if !is_digits(text.trim_start_matches('-')) => {
            let which = if name == "password_min_age" { "minimum" } else { "maximum" };
            Some(format!("Password {which} age must be provided as a number."))
        }
        "expiry" if text != "absent" && !is_date(&text) => {
            Some("Expiry dates must be YYYY-MM-DD or the string \"absent\"".into())
        }
        "groups" => items(value).into_iter().map(convert::string).find_map(|group| match &*group {
            "" => {
                Some("Group names must not be empty. If you want to specify \"no groups\" pass an empty array".into())
            }
            group if is_digits(group) => Some("Group names must be provided, not GID numbers.".into()),
            group if group.contains(',') => {
                Some("Group names must be provided as an array, not a comma-separated list.".into())
            }
            _ => None,
        }),
        "purge_ssh_keys" => items(value).into_iter().map(convert::string).find_map(|path| {
            let is_known = BOOLEAN.contains(&&*path) || path.starts_with(['/', '~', '%']);
            (!is_known).then(|| format!("Paths to keyfiles must be absolute, not {path}"))
        }),
        _ => None,
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.len() == 3 && parts.iter().zip([4, 2, 2]).all(|(part, length)| is_digits(part) && part.len() == length)
}

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    let main = m.text("gid").map(|gid| m.find("group", &gid).or_else(|| m.group_of(&gid)));
    main.into_iter().chain(m.list("groups").iter().map(|group| m.find("group", group))).collect()
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let mut params = Params::default();
    params.set("state", g.state());
    if !g.is_present() {
        if g.flag("managehome") == Some(true) {
            return Err("removing a home folder with its user (`managehome`)".into());
        }
        return Ok(declaration("user", g.name(), params));
    }
    if g.value("password").is_some() {
        return Err("`password`: the hash of a password is not changed".into());
    }
    g.pass_int(&mut params, "uid", "uid");
    let main = g.text("gid");
    match g.int("gid") {
        Some(gid) => params.set("gid", Ours::Int(gid)),
        None => g.pass(&mut params, "gid", "group"),
    }
    let name = g.name();
    let groups: Vec<String> = g.list("groups");
    let is_inclusive = g.text("membership").as_deref() == Some("inclusive");
    if is_inclusive || !groups.is_empty() {
        let others = groups.into_iter().filter(|group| Some(group) != main.as_ref());
        params.set("groups", texts(others));
        params.set("more_groups", Ours::Bool(!is_inclusive));
    }
    if let Some(home) = g.text("home") {
        params.set("homedir", Ours::Str(format!("{}/", home.trim_end_matches('/')).into()));
    }
    g.pass(&mut params, "shell", "shell");
    g.pass(&mut params, "comment", "comment");
    g.pass_flag(&mut params, "allowdupe", "allowduplicateuid");
    g.pass_flag(&mut params, "managehome", "makes_home");
    g.pass_flag(&mut params, "system", "system");
    Ok(declaration("user", name, params))
}
