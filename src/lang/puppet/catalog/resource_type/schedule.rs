//! `schedule`: when resources may be applied.

use super::refusal::{is_digits, items, munging};
use super::{ResourceType, nothing};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "schedule",
    doc: "Says when resources with `schedule => NAME` may be applied.",
    params: &[
        ("period", "`hourly`, `daily`, `weekly`, `monthly` or `never`."),
        ("periodmatch", "`number` counts calendar periods, `distance` (the default) the time since the last apply."),
        ("range", "Hours such as `22:30 - 4`; also a list."),
        ("repeat", "How often in one period (default: 1)."),
        ("weekday", "Days on which it may be applied."),
    ],
    others: "name",
    values: &[("period", &["hourly", "daily", "weekly", "monthly", "never"]), ("periodmatch", &["number", "distance"])],
    refuse,
    map: Some(nothing),
    ..ResourceType::PLAIN
};

fn refuse(_resource: &Resource, name: &str, value: &Value) -> Option<String> {
    const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    let text = convert::string(value);
    match name {
        "range" => items(value).into_iter().find_map(|one| {
            let text = convert::string(one);
            let Some((from, to)) = text.split_once('-') else { return Some(format!("Invalid range value '{text}'")) };
            for end in [from.trim(), to.trim()] {
                for (part, what, most) in
                    end.split(':').zip([("hour", 24), ("minute", 60), ("second", 60)]).map(|(p, (w, m))| (p, w, m))
                {
                    if !is_digits(part) {
                        return Some(format!("Invalid range value '{text}'"));
                    }
                    if part.parse::<u32>().is_ok_and(|number| number > most || what != "hour" && number >= most) {
                        return Some(munging(name, one, &format!("Invalid {what} '{part}'")));
                    }
                }
            }
            None
        }),
        "repeat" if !matches!(value, Value::Int(_)) && !is_digits(&text) => Some("Repeat must be a number".into()),
        "weekday" => items(value).into_iter().map(convert::string).find_map(|day| {
            let lower = day.to_lowercase();
            let is_number = is_digits(&day) && day.parse::<u8>().is_ok_and(|number| number < 7);
            let is_name = lower.len() >= 3 && DAYS.iter().any(|name| lower.starts_with(name));
            (!is_number && !is_name).then(|| format!("{day} is not a valid day of the week"))
        }),
        _ => None,
    }
}
