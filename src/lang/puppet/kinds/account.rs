//! `user` and `group`.

use super::{Given, Made, declaration, texts};
use crate::graph::{Meta, Params, Value as Ours};

pub fn group(g: &Given, _meta: &mut Meta) -> Made {
    let mut params = Params::default();
    params.set("state", g.state());
    g.pass_int(&mut params, "gid", "gid");
    Ok(declaration("group", g.name(), params))
}

pub fn user(g: &Given, _meta: &mut Meta) -> Made {
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
