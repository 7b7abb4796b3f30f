//! Validates the parameters of files: files, lines, archives, edits.

use super::key::kind_of;
use super::{Given, absolute};
use crate::graph::{Params, Value};
use crate::resource::mode::{parse_mode, parse_mode_change};
use crate::resource::ssh_authorized_key::parse_entry;

pub(super) fn augeas(given: &Given) -> Result<(), String> {
    given.needs("file")?;
    given.needs("lens")?;
    given.text("file").map_or(Ok(()), |path| absolute("file", path))?;
    match given.text("lens").filter(|lens| !lens.ends_with(".lns")) {
        Some(lens) => Err(format!("`lens` is `{lens}`; it must end in `.lns`")),
        None => Ok(()),
    }
}

/// Validates the path of a file to write, not a folder.
pub(super) fn written(param: &str, path: &str) -> Result<(), String> {
    absolute(param, path)?;
    if path.ends_with('/') { Err(format!("`{param}` ends in a slash, so it would be a folder")) } else { Ok(()) }
}

/// Validates the name of a user or a group.
pub(super) fn account(what: &str, name: &str) -> Result<(), String> {
    let is_part = |sign: char| sign == '_' || sign == '-' || sign.is_ascii_alphanumeric();
    let begins = name.starts_with(|first: char| is_part(first) && first != '-' && !first.is_ascii_digit());
    if begins && name.chars().all(is_part) && name.len() <= 31 {
        return Ok(());
    }
    Err(format!("{what} is `{name}`: up to 31 letters, digits, `_` and `-`, the first a letter or `_`"))
}

pub(super) fn archive(given: &Given) -> Result<(), String> {
    written("path", given.or_name("path"))?;
    given.list("inputs").try_for_each(|input| absolute("inputs", input))
}

pub(super) fn gzip(given: &Given) -> Result<(), String> {
    written("path", given.or_name("path"))?;
    if let Some(input) = given.text("input") {
        written("input", input)?;
    }
    match given.int("level") {
        Some(level) if !(-2..=9).contains(&level) => Err(format!("`level` is {level}; it must be from -2 to 9")),
        _ => Ok(()),
    }
}

pub(super) fn file(given: &Given) -> Result<(), String> {
    let path = file_path(given.name, given.params);
    if given.filled("dirname").is_some_and(|dirname| !dirname.ends_with('/')) {
        return Err("`dirname` must end in a slash".into());
    }
    if given.filled("basename").is_some_and(|basename| basename.starts_with('/')) {
        return Err("`basename` cannot begin with a slash".into());
    }
    absolute("path", &path)?;
    given.may_be("state", &["exists", "absent"]).map_err(|why| match given.text("state") {
        Some("directory") => format!("{why}; a path that ends in `/` is a folder"),
        _ => why,
    })?;
    let givers: Vec<&str> = [
        given.is_set("content").then_some("content"),
        given.is_filled("source").then_some("source"),
        given.is_set("fragments").then_some("fragments"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if givers.len() > 1 {
        return Err(format!("`{}` and `{}` cannot both be set", givers[0], givers[1]));
    }
    if let (Some(giver), Some("absent")) = (givers.first(), given.text("state")) {
        return Err(format!("`{giver}` cannot be set with `state` absent"));
    }
    if given.is_set("selinux") && given.text("state") == Some("absent") {
        return Err("`selinux` cannot be set with `state` absent".into());
    }
    let is_dir = path.ends_with('/');
    if is_dir && matches!(givers.first(), Some(&"content" | &"fragments")) {
        return Err(format!("`{}` cannot be set for a folder (the path ends in a slash)", givers[0]));
    }
    if given.is_true("symlink") {
        file_symlink(given, is_dir)?;
    } else if let Some(source) = given.text("source").filter(|source| !source.is_empty()) {
        if source.ends_with('/') != is_dir {
            return Err("`source` and the path must both end in a slash, or neither".into());
        }
        if is_dir != given.is_true("recurse") {
            return Err(if is_dir {
                "copying a folder from `source` needs `recurse => true`".into()
            } else {
                "`recurse` is only for folders, but `source` is a file".into()
            });
        }
    }
    if given.is_true("purge") {
        if !given.is_true("recurse") {
            return Err("`purge` needs `recurse => true`".into());
        }
        if let Some(giver) = givers.first().filter(|giver| **giver != "source") {
            return Err(format!("`{giver}` cannot be set with `purge`"));
        }
    }
    for fragment in given.list("fragments") {
        absolute("fragments", fragment)?;
        if fragment == path || (fragment.ends_with('/') && path.starts_with(fragment)) {
            return Err(format!("the file is inside its own fragment `{fragment}`"));
        }
    }
    if path == "/" && given.text("state") == Some("absent") {
        return Err("the root folder cannot be absent".into());
    }
    let named = |param: &'static str| move |why: String| format!("`{param}`: {why}");
    given.filled("mode").map_or(Ok(()), |mode| parse_mode(mode).map(drop).map_err(named("mode")))?;
    let change = given.filled("mode_change");
    change.map_or(Ok(()), |change| parse_mode_change(change).map(drop).map_err(named("mode_change")))
}

fn file_symlink(given: &Given, is_dir: bool) -> Result<(), String> {
    if !given.is_filled("source") && given.text("state") == Some("exists") {
        return Err("a symbolic link needs `source`".into());
    }
    if is_dir {
        return Err("the path of a symbolic link cannot end in a slash".into());
    }
    for giver in ["content", "fragments", "recurse", "purge"] {
        if given.is_set(giver) && given.params.get(giver) != Some(&Value::Bool(false)) {
            return Err(format!("`{giver}` cannot be set for a symbolic link"));
        }
    }
    Ok(())
}

/// Returns the path of a file resource: `path` or the name, with `dirname` and `basename` replacing its parts.
pub fn file_path(name: &str, params: &Params) -> String {
    let text = |param: &str| params.get(param).and_then(Value::as_str).filter(|text| !text.is_empty());
    let path = text("path").unwrap_or(name);
    if text("dirname").is_none() && text("basename").is_none() {
        return path.to_owned();
    }
    let trimmed = path.trim_end_matches('/');
    let cut = trimmed.rfind('/').map_or(0, |at| at + 1);
    let dirname = text("dirname").unwrap_or(&path[..cut]);
    let basename = text("basename").unwrap_or(&path[cut..]);
    format!("{}/{}", dirname.trim_end_matches('/'), basename.trim_start_matches('/'))
}

pub(super) fn json_edit(given: &Given) -> Result<(), String> {
    let store = given.text("store").filter(|store| !store.is_empty()).unwrap_or(given.name);
    if !given.is_set("edits") && given.params.get("edits") != Some(&Value::Unknown) {
        return Err("`edits` is required, for example `[\".a.b = 1\"]`".into());
    }
    crate::resource::json_edit::validate(store, given.list("edits"))
}

pub(super) fn ssh_authorized_key(given: &Given) -> Result<(), String> {
    given.must_be("state", &["exists", "absent"])?;
    if let Some(user) = given.filled("user") {
        account("`user`", user)?;
    }
    let parts = ["options", "type", "key", "comment"];
    if let Some(part) = parts.into_iter().find(|part| given.is_filled("content") && given.is_filled(part)) {
        return Err(format!("`{part}` cannot be set with `content`"));
    }
    if given.is_filled("type") != given.is_filled("key") {
        return Err("set both `type` and `key`, or neither".into());
    }
    if given.is_true("by_comment") && given.text("state") == Some("absent") {
        return Ok(());
    }
    match given.text("content").filter(|content| !content.is_empty()) {
        Some(content) => parse_entry(content).map(drop),
        None if given.is_filled("key") => whole_key(given),
        None => parse_entry(given.name).map(drop),
    }
}

/// Certificates are keys of more types than are known here.
fn whole_key(given: &Given) -> Result<(), String> {
    let (Some(kind), Some(key)) = (given.text("type"), given.text("key")) else { return Ok(()) };
    match kind_of(key) {
        _ if kind.contains("-cert-") => Ok(()),
        None => Err("`key` is not a public key; it is the second word of the line in a `.pub` file".into()),
        Some(found) if found != kind => Err(format!("`type` is `{kind}`, but `key` is of type `{found}`")),
        Some(_) => Ok(()),
    }
}

pub(super) fn line(given: &Given) -> Result<(), String> {
    let file = given.text("file").unwrap_or_default();
    if !file.starts_with('~') {
        absolute("file", file)?;
    }
    if file.ends_with('/') {
        return Err("`file` ends in a slash, so it would be a folder".into());
    }
    given.must_be("state", &["exists", "absent"])
}
