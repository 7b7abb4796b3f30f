//! `cron`, `host`, `mount` and `ssh_authorized_key`: lines of tables that others may edit too.

use super::{Given, Made, declaration, texts};
use crate::graph::{Meta, Params, Value as Ours};

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

pub fn cron(g: &Given, _meta: &mut Meta) -> Made {
    let name = g.name();
    let mut params = Params::default();
    params.set("state", g.state());
    // The line by which Puppet finds the entry again.
    params.set("marker", Ours::Str(format!("# Puppet Name: {name}").into()));
    g.pass(&mut params, "user", "user");
    match g.text("target") {
        Some(target) if target.starts_with('/') => params.set("file", Ours::Str(target.into())),
        Some(target) if params.get("user").is_none() => params.set("user", Ours::Str(target.into())),
        _ => {}
    }
    let fields = [
        ("minute", None),
        ("hour", None),
        ("monthday", None),
        ("month", Some((&MONTHS[..], 1))),
        ("weekday", Some((&DAYS[..], 0))),
    ];
    let fields: Vec<String> = fields.into_iter().map(|(name, words)| field(g, name, words)).collect();
    let time = match g.text("special").filter(|word| word != "absent") {
        Some(word) => format!("@{word}"),
        None => fields.join(" "),
    };
    if g.is_present() {
        params.set("time", Ours::Str(time.into()));
        g.pass(&mut params, "command", "command");
        let environment = g.list("environment").into_iter().filter(|variable| variable != "absent");
        params.set("environment", texts(environment));
    } else {
        g.ignore(&["command", "environment"]);
    }
    Ok(declaration("crontab", name, params))
}

/// One field of a time: numbers, where names stand for some.
fn field(g: &Given, name: &'static str, words: Option<(&[&str], usize)>) -> String {
    let number = |text: String| {
        let Some((names, first)) = words else { return text };
        let lower = text.to_lowercase();
        let at = names.iter().position(|name| lower.starts_with(name));
        at.map_or(text, |at| (at + first).to_string())
    };
    let list: Vec<String> = g.list(name).into_iter().map(number).collect();
    if list.is_empty() || list == ["absent"] { "*".into() } else { list.join(",") }
}

pub fn host(g: &Given, _meta: &mut Meta) -> Made {
    let name = g.name();
    let mut params = Params::default();
    params.set("state", g.state());
    params.set("file", Ours::Str(g.text("target").unwrap_or_else(|| "/etc/hosts".into()).into()));
    params.set("word", Ours::Int(1));
    if g.is_present() {
        let mut line = format!("{}\t{name}", g.text("ip").ok_or("`ip` is not set")?);
        let aliases = g.list("host_aliases");
        if !aliases.is_empty() {
            line.push_str(&format!("\t{}", aliases.join(" ")));
        }
        if let Some(comment) = g.text("comment").filter(|comment| !comment.is_empty()) {
            line.push_str(&format!("\t# {comment}"));
        }
        params.set("line", Ours::Str(line.into()));
    } else {
        g.ignore(&["ip", "host_aliases", "comment"]);
    }
    Ok(declaration("entry", name, params))
}

pub fn mount(g: &Given, _meta: &mut Meta) -> Made {
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

pub fn ssh_authorized_key(g: &Given, _meta: &mut Meta) -> Made {
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
