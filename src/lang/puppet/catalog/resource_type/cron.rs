//! `cron`: an entry of a crontab.

use super::refusal::{PRESENCE, is_digits, items, munging};
use super::{Managed, ResourceType};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration, texts};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::value::Value;
use crate::lang::shared::calendar;

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
    refuse,
    refuse_whole,
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const SPECIAL: [&str; 9] =
    ["reboot", "yearly", "annually", "monthly", "weekly", "daily", "midnight", "hourly", "absent"];

/// A field of a time: its lowest and highest number, and the whole names that stand for numbers.
fn bounds(name: &str) -> Option<(u64, u64, &'static [&'static str])> {
    Some(match name {
        "minute" => (0, 59, &[]),
        "hour" => (0, 23, &[]),
        "monthday" => (1, 31, &[]),
        "month" => (1, 12, &calendar::MONTHS),
        "weekday" => (0, 7, &calendar::DAYS),
        _ => return None,
    })
}

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let all = items(value).into_iter();
    match name {
        "special" => all.map(|one| (one, convert::string(one))).find_map(|(one, text)| {
            (!SPECIAL.contains(&&*text)).then(|| format!("Invalid special schedule {}", convert::ruby(one)))
        }),
        "environment" => all.map(|one| (one, convert::string(one))).find_map(|(one, text)| {
            let variable = text.split_once('=').map_or("", |(name, _)| name.trim());
            let is_name = !variable.is_empty() && variable.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            (!is_name && text != "absent").then(|| format!("Invalid environment setting {}", convert::ruby(one)))
        }),
        _ => {
            let (low, high, names) = bounds(name)?;
            all.filter(|one| **one != Value::Undef).find_map(|one| {
                let text = convert::string(one);
                let is_known = match text.parse::<u64>() {
                    Ok(number) if is_digits(&text) => (low..=high).contains(&number),
                    _ => {
                        let lower = text.to_lowercase();
                        is_range(&text)
                            || matches!(&*lower, "*" | "absent")
                            || names.iter().any(|name| {
                                let name = name.to_lowercase();
                                name == lower || lower.len() == 3 && name.starts_with(&lower)
                            })
                    }
                };
                (!is_known).then(|| munging(name, one, &format!("{text} is not a valid {name}")))
            })
        }
    }
}

/// `*/5`, `1-5`, `1-5/2`: the numbers are not checked.
fn is_range(text: &str) -> bool {
    match text.strip_prefix("*/") {
        Some(step) => is_digits(step),
        None => {
            let (range, step) = text.split_once('/').map_or((text, None), |(range, step)| (range, Some(step)));
            let ends = range.split_once('-').is_some_and(|(from, to)| is_digits(from) && is_digits(to));
            ends && step.is_none_or(is_digits)
        }
    }
}

/// A word for the whole time, and a field of it.
fn refuse_whole(resource: &Resource) -> Option<String> {
    let special = resource.parameter("special").map(convert::string)?;
    if special == "absent" {
        return None;
    }
    let is_set = |name: &&&str| {
        resource.parameter(name).is_some_and(|value| !matches!(&*convert::string(value), "absent" | "*"))
    };
    let field = ["minute", "hour", "weekday", "monthday", "month"].iter().find(is_set)?;
    Some(format!("{} cannot specify both a special schedule and a value for {field}", resource.reference()))
}

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    vec![m.find("user", &m.text("user").unwrap_or_else(|| "root".into()))]
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
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
fn field(g: &Mapper, name: &'static str, words: Option<(&[&str], usize)>) -> String {
    let number = |text: String| {
        let Some((names, first)) = words else { return text };
        let lower = text.to_lowercase();
        let at = names.iter().position(|name| lower.starts_with(name));
        at.map_or(text, |at| (at + first).to_string())
    };
    let list: Vec<String> = g.list(name).into_iter().map(number).collect();
    if list.is_empty() || list == ["absent"] { "*".into() } else { list.join(",") }
}
