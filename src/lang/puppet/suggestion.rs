//! Near names among known ones, and the words of a help that names them.

use crate::diag::nearest;
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::value::{Map, Value};

/// A question with the name that was probably meant.
pub fn did_you_mean(near: &str) -> String {
    format!("did you mean `{near}`?")
}

/// The name that was probably meant.
///
/// Of names with `::` the parts are compared: a long module that both have makes no name near. Then come a name that is
/// a part of the other (`nginx`, `nginx-full`), the same name elsewhere (`base`, `profile::base`) and a short form of
/// only one name (`db`, `database`).
pub fn closest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.trim_start_matches("::");
    let names: Vec<&str> = names.into_iter().filter(|other| *other != name).collect();
    let own: Vec<&str> = name.split("::").collect();
    let split: Vec<(&str, Vec<&str>)> = names.iter().map(|other| (*other, other.split("::").collect())).collect();
    // All parts but one are the same.
    for at in (0..own.len()).rev() {
        let is_alike = |parts: &[&str]| {
            parts.len() == own.len() && parts.iter().zip(&own).enumerate().all(|(i, (a, b))| i == at || a == b)
        };
        let alike: Vec<&(&str, Vec<&str>)> = split.iter().filter(|(_, parts)| is_alike(parts)).collect();
        let parts = || alike.iter().map(|(_, parts)| parts[at]);
        let near = nearest(own[at], parts()).or_else(|| part_of(own[at], parts()));
        if let Some(near) = near {
            return alike.iter().find(|(_, parts)| parts[at] == near).map(|(other, _)| *other);
        }
    }
    let (module, last) = (own[0], own[own.len() - 1]);
    // The module is right, or the last part.
    let of_module = |parts: &[&str]| own.len() > 1 && parts.len() > 1 && parts[0] == module;
    let elsewhere = || split.iter().filter(|(_, parts)| parts.last() == Some(&last)).map(|(other, _)| *other);
    nearest(name, split.iter().filter(|(_, parts)| !of_module(parts)).map(|(other, _)| *other))
        .or_else(|| {
            let rest = |other: &'a str| other.split_once("::").map(|(_, rest)| rest);
            let all: Vec<&str> = split.iter().filter(|(_, parts)| of_module(parts)).map(|(other, _)| *other).collect();
            let near = nearest(name.split_once("::")?.1, all.iter().filter_map(|other| rest(other)))?;
            all.into_iter().find(|other| rest(other) == Some(near))
        })
        .or_else(|| {
            elsewhere()
                .next()
                .filter(|first| last.len() > 2 && (own.len() > 1 || elsewhere().all(|other| other == *first)))
        })
}

/// The only name that has this one as a part, or is a part of it, or that this one is short for.
fn part_of<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    const LEAST: usize = 3;
    let is_part = |other: &&str| {
        let (short, long) = if name.len() < other.len() { (name, *other) } else { (*other, name) };
        short.len() >= LEAST && long.contains(short) && !long.contains('/')
    };
    let is_short = |other: &&str| {
        let mut rest = other.chars();
        name.len() >= 2
            && name.len() * 2 <= other.len()
            && name.chars().next() == other.chars().next()
            && name.chars().all(|c| rest.any(|other| other == c))
    };
    let only = |fits: &dyn Fn(&&'a str) -> bool| {
        let mut found: Vec<&str> = names.clone().filter(fits).collect();
        found.dedup();
        if let [only] = found[..] { Some(only) } else { None }
    };
    // Of several, the one with the fewest more letters.
    let parts = names.clone().filter(is_part);
    let begins = |other: &&str| {
        let (few, many) = (name.len().min(other.len()), name.len().max(other.len()));
        few >= 2 && many <= few * 3 && (name.starts_with(other) || other.starts_with(name))
    };
    let near = parts.min_by_key(|other| other.len().abs_diff(name.len()));
    near.or_else(|| only(&is_short)).or_else(|| only(&begins))
}

/// What to do about a text with `${NAME}` in it that was written in single quotes.
pub fn unread_variable(text: &str) -> Option<String> {
    let at = text.find('$')?;
    let begins_name = text[at + 1..].starts_with(|c: char| c == '{' || c.is_ascii_lowercase() || c == ':');
    begins_name.then(|| format!("a text in single quotes reads no variables: write `\"{text}\"`"))
}

/// `a`, `b` and so on, at most `most`.
pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    let more = if names.len() > most { ", …" } else { "" };
    let shown: Vec<String> = names.iter().take(most).map(|name| format!("`{name}`")).collect();
    shown.join(", ") + more
}

/// The key of a hash that was probably meant; of several levels, the first one that is missing.
pub fn unknown_hash_key(map: &Map, key: &str) -> Option<String> {
    let keys: Vec<Text> =
        map.keys().filter_map(|key| if let Value::Str(key) = key { Some(key.clone()) } else { None }).collect();
    if let Some(near) = nearest(key, keys.iter().map(|key| &**key)) {
        return Some(format!("did you mean `'{near}'`?"));
    }
    if keys.is_empty() || keys.len() > 12 {
        return None;
    }
    Some(format!("its keys are {}", keys.iter().map(|key| format!("`'{key}'`")).collect::<Vec<_>>().join(", ")))
}
