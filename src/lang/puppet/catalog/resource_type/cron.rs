//! `cron`: an entry of a crontab.

use super::refusal::PRESENCE;
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::kinds::{Given, Made, declaration, texts};
use crate::lang::puppet::ids::ResourceId;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "cron",
    doc: "Manages an entry in the crontab of a user.",
    requires: "its user",
    params: &[
        ("ensure", "`present` (the default) or `absent`."),
        ("command", "The command line."),
        ("user", "Whose crontab it is (default: `root`)."),
        ("target", "The file or user of the crontab (default: the one of `user`)."),
        ("minute", "0 to 59, a list, or `*`."),
        ("hour", "0 to 23, a list, or `*`."),
        ("monthday", "The day of the month, 1 to 31, a list, or `*`."),
        ("month", "1 to 12 or a name, a list, or `*`."),
        ("weekday", "0 to 7 or a name, a list, or `*`."),
        ("special", "A word such as `daily` or `reboot`, instead of the five fields."),
        ("environment", "Variables of the entry, such as `MAILTO=root`."),
    ],
    idle: "provider",
    others: "name",
    values: &[("ensure", PRESENCE)],
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    vec![m.find("user", &m.text("user").unwrap_or_else(|| "root".into()))]
}

fn map(g: &Given, _meta: &mut Meta) -> Made {
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
