//! What makes a resource's parameters impossible, told without looking at any machine.

use crate::graph::{Params, Value};
use crate::host::is_field_name;

use super::mode::parse_mode;
use super::signal::signal;
use super::ssh_authorized_key::parse_entry;

/// Refuses parameters that contradict each other or that no machine could have.
///
/// Values that are not known yet pass; they are looked at again when they are there. Hidden resources are not validated.
pub fn validate(kind: &str, name: &str, params: &Params) -> Result<(), String> {
    if name.is_empty() {
        return Err("the name is empty".into());
    }
    let given = Given { name, params };
    match kind {
        "cron" => cron(&given),
        "exec" => exec(&given),
        "exit" => exit(&given),
        "file" => file(&given),
        "group" => given.must_be("state", &["exists", "absent"]),
        "gzip" | "tar" | "deploy:tar" => absolute("path", given.path()),
        "http:client" => http_client(&given),
        "http:server:file" => {
            rooted("filename", given.text("filename").filter(|path| !path.is_empty()).unwrap_or(name))
        }
        "http:server:flag" | "http:server:proxy" => rooted("path", given.path()),
        "json:edit" => json_edit(&given),
        "kv" => kv(&given),
        "line" => line(&given),
        "mount" => given.may_be("state", &["exists", "absent"]),
        "msg" => msg(&given),
        "net" => given.may_be("state", &["up", "down"]),
        "nspawn" => given.may_be("state", &["running", "stopped"]),
        "pkg" => pkg(&given),
        "ssh:authorized_key" => ssh_authorized_key(&given),
        "svc" => svc(&given),
        "test" => test(&given),
        "user" => user(&given),
        _ => Ok(()),
    }
}

/// The parameters with the name, which stands in for some of them.
struct Given<'a> {
    name: &'a str,
    params: &'a Params,
}

impl<'a> Given<'a> {
    /// A parameter as text, where it is set and known.
    fn text(&self, param: &str) -> Option<&'a str> {
        self.params.get(param).and_then(Value::as_str)
    }

    fn is_set(&self, param: &str) -> bool {
        match self.params.get(param) {
            None | Some(Value::Null) => false,
            Some(Value::List(items)) => !items.is_empty(),
            Some(_) => true,
        }
    }

    /// Set, and not the empty text that stands for "not set" where a parameter has no other way to say it.
    fn is_filled(&self, param: &str) -> bool {
        self.is_set(param) && self.text(param) != Some("")
    }

    fn is_true(&self, param: &str) -> bool {
        self.params.get(param).and_then(Value::as_bool) == Some(true)
    }

    fn list(&self, param: &str) -> impl Iterator<Item = &'a str> {
        self.params.get(param).and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str)
    }

    fn path(&self) -> &'a str {
        self.text("path").filter(|path| !path.is_empty()).unwrap_or(self.name)
    }

    fn may_be(&self, param: &str, words: &[&str]) -> Result<(), String> {
        match self.text(param) {
            None | Some("") => Ok(()),
            Some(word) if words.contains(&word) => Ok(()),
            Some(word) => Err(format!("`{param}` is `{word}`; it can be {}", either(words))),
        }
    }

    fn must_be(&self, param: &str, words: &[&str]) -> Result<(), String> {
        if self.is_filled(param) {
            self.may_be(param, words)
        } else {
            Err(format!("`{param}` must be {}", either(words)))
        }
    }
}

fn either(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
}

fn absolute(param: &str, path: &str) -> Result<(), String> {
    if path.contains('\0') {
        return Err(format!("`{param}` holds a zero byte"));
    }
    if path.starts_with('/') { Ok(()) } else { Err(format!("`{param}` is `{path}`, which is not an absolute path")) }
}

fn cron(given: &Given) -> Result<(), String> {
    given.may_be("state", &["exists", "absent"])?;
    given.may_be("startup", &["enabled", "disabled"])
}

fn exec(given: &Given) -> Result<(), String> {
    if given.is_filled("shell") && given.is_set("args") {
        return Err("`shell` takes `cmd` whole, so `args` cannot be set".into());
    }
    if let Some(name) = given.text("sig").filter(|name| !name.is_empty()) {
        signal(name)?;
    }
    if let Some(path) = given.text("creates").filter(|path| !path.is_empty()) {
        absolute("creates", path)?;
    }
    for param in ["watchfiles", "mtimes"] {
        given.list(param).try_for_each(|path| absolute(param, path))?;
    }
    if let Some(Value::Map(pairs)) = given.params.get("env") {
        for (key, _) in pairs {
            if key.as_str().is_some_and(|key| key.is_empty() || key.contains(['=', '\0'])) {
                return Err("a name in `env` is empty or holds `=` or a zero byte".into());
            }
        }
    }
    Ok(())
}

fn file(given: &Given) -> Result<(), String> {
    let path = file_path(given.name, given.params);
    absolute("path", &path)?;
    given.may_be("state", &["exists", "absent"])?;
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
        return Err(format!("`{giver}` cannot be set where the file shall be absent"));
    }
    let is_dir = path.ends_with('/');
    if is_dir && matches!(givers.first(), Some(&"content" | &"fragments")) {
        return Err(format!("`{}` cannot be set for a folder (the path ends in a slash)", givers[0]));
    }
    if given.is_true("symlink") {
        file_symlink(given, is_dir)?;
    } else if let Some(source) = given.text("source").filter(|source| !source.is_empty()) {
        absolute("source", source)?;
        if source.ends_with('/') != is_dir {
            return Err("`source` and the path must both end in a slash, or neither".into());
        }
    }
    for fragment in given.list("fragments") {
        absolute("fragments", fragment)?;
        if fragment == path || (fragment.ends_with('/') && path.starts_with(fragment)) {
            return Err(format!("the file lies inside its own fragment `{fragment}`"));
        }
    }
    if path == "/" && given.text("state") == Some("absent") {
        return Err("the root folder cannot be absent".into());
    }
    match given.text("mode") {
        None | Some("") => Ok(()),
        Some(mode) => parse_mode(mode).map(drop),
    }
}

fn file_symlink(given: &Given, is_dir: bool) -> Result<(), String> {
    let removes = given.text("state") == Some("absent");
    if !given.is_filled("source") && !removes {
        return Err("a symbolic link needs `source`".into());
    }
    if is_dir {
        return Err("the path of a symbolic link cannot end in a slash".into());
    }
    Ok(())
}

/// The path a file resource is about: `path` or the name, with `dirname` and `basename` put in the place of its parts.
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

fn http_client(given: &Given) -> Result<(), String> {
    absolute("file", given.text("file").filter(|path| !path.is_empty()).unwrap_or(given.name))?;
    if let Some(hash) = given.text("sha256").filter(|hash| !hash.is_empty())
        && (hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()))
    {
        return Err(format!("`sha256` is `{hash}`, which is not 64 hexadecimal digits"));
    }
    match given.text("url") {
        Some(url) if !(url.starts_with("http://") || url.starts_with("https://")) => {
            Err(format!("`url` is `{url}`, which begins with neither `https://` nor `http://`"))
        }
        None if !given.is_set("url") => Err("`url` must be set".into()),
        _ => Ok(()),
    }
}

/// A path on a server.
fn rooted(param: &str, path: &str) -> Result<(), String> {
    if path.starts_with('/') {
        Ok(())
    } else {
        Err(format!("`{param}` is `{path}`, which does not begin with a slash"))
    }
}

fn json_edit(given: &Given) -> Result<(), String> {
    let store = given.text("store").filter(|store| !store.is_empty()).unwrap_or(given.name);
    if !given.is_set("edits") && given.params.get("edits") != Some(&Value::Unknown) {
        return Err("`edits` must be set, such as `[\".a.b = 1\",]`".into());
    }
    super::json_edit::validate(store, given.list("edits"))
}

fn kv(given: &Given) -> Result<(), String> {
    let style = given.params.get("skipcmpstyle").and_then(Value::as_int).unwrap_or(0);
    let is_compared = given.is_true("skiplessthan");
    if is_compared && !(0..=1).contains(&style) {
        return Err("`skipcmpstyle` can be 0 for numbers or 1 for text".into());
    }
    match given.text("value").filter(|_| is_compared && style == 0) {
        Some(value) if value.parse::<i64>().is_err() => Err(format!("`value` is `{value}`, which is not a number")),
        _ => Ok(()),
    }
}

fn ssh_authorized_key(given: &Given) -> Result<(), String> {
    given.must_be("state", &["exists", "absent"])?;
    let parts = ["options", "type", "key", "comment"];
    if let Some(part) = parts.into_iter().find(|part| given.is_filled("content") && given.is_filled(part)) {
        return Err(format!("`content` is the whole entry, so `{part}` cannot be set beside"));
    }
    if given.is_filled("type") != given.is_filled("key") {
        return Err("`type` and `key` are set together or not at all".into());
    }
    match given.text("content").filter(|content| !content.is_empty()) {
        Some(content) => parse_entry(content).map(drop),
        None if given.is_filled("key") => Ok(()),
        None => parse_entry(given.name).map(drop),
    }
}

fn line(given: &Given) -> Result<(), String> {
    let file = given.text("file").unwrap_or_default();
    if !file.starts_with('~') {
        absolute("file", file)?;
    }
    if file.ends_with('/') {
        return Err("`file` ends in a slash, so it would be a folder".into());
    }
    given.must_be("state", &["exists", "absent"])
}

fn pkg(given: &Given) -> Result<(), String> {
    if given.is_filled("state") { Ok(()) } else { Err("`state` must be set, such as `installed`".into()) }
}

fn svc(given: &Given) -> Result<(), String> {
    given.may_be("state", &["running", "stopped"])?;
    given.may_be("startup", &["enabled", "disabled"])
}

/// Shells and systemd give meanings of their own to codes above.
fn exit(given: &Given) -> Result<(), String> {
    match given.params.get("code").and_then(Value::as_int) {
        Some(code) if !(0..=125).contains(&code) => Err(format!("`code` is {code}; it goes from 0 to 125")),
        _ => Ok(()),
    }
}

fn msg(given: &Given) -> Result<(), String> {
    given.must_be("priority", &super::msg::PRIORITIES)?;
    let Some(Value::Map(fields)) = given.params.get("fields") else { return Ok(()) };
    match fields.iter().filter_map(|(name, _)| name.as_str()).find(|name| !is_field_name(name)) {
        Some(name) => Err(format!("`{name}` cannot be a field: letters, digits and `_`, and no `_` at its begin")),
        None => Ok(()),
    }
}

fn test(given: &Given) -> Result<(), String> {
    if given.is_true("validatebool") {
        return Err("`validatebool` is true, which asks for this error".into());
    }
    match given.text("validateerror") {
        None | Some("") => Ok(()),
        Some(error) => Err(error.to_owned()),
    }
}

fn user(given: &Given) -> Result<(), String> {
    given.may_be("state", &["exists", "absent"])?;
    if given.is_set("gid") && given.is_filled("group") {
        return Err("`gid` and `group` cannot both be set".into());
    }
    match given.text("homedir") {
        Some(home) if !home.ends_with('/') => Err("`homedir` must end in a slash".into()),
        Some(home) => absolute("homedir", home),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, name: &str, params: &[(&str, Value)]) -> Result<(), String> {
        validate(kind, name, &params.iter().map(|(k, v)| ((*k).into(), v.clone())).collect())
    }

    #[test]
    fn a_file_takes_its_content_from_one_place() {
        let list = |path: &str| Value::List(vec![path.into()]);
        assert!(check("file", "/a", &[("content", "x".into())]).is_ok());
        assert!(check("file", "/a", &[("content", "".into()), ("source", "/b".into())]).is_err());
        assert!(check("file", "/a", &[("content", "".into()), ("source", "".into())]).is_ok());
        assert!(check("file", "/a", &[("content", "x".into()), ("state", "absent".into())]).is_err());
        assert!(check("file", "/a/", &[("content", "x".into())]).is_err());
        assert!(check("file", "/a/", &[("source", "/b".into())]).is_err());
        assert!(check("file", "/a/all", &[("fragments", list("/a/"))]).is_err());
        assert!(check("file", "/b/all", &[("fragments", list("/a/"))]).is_ok());
        assert!(check("file", "a", &[]).is_err());
        assert!(check("file", "/a\0b", &[]).is_err());
        assert!(check("file", "/a", &[("content", Value::Unknown)]).is_ok());
    }

    #[test]
    fn dirname_and_basename_replace_their_part_of_the_path() {
        let path = |name, pairs: &[(&str, &str)]| {
            file_path(name, &pairs.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect())
        };
        assert_eq!(path("/a/b", &[("dirname", "/c/")]), "/c/b");
        assert_eq!(path("/a/b/", &[("dirname", "/c")]), "/c/b/");
        assert_eq!(path("/a/b", &[("basename", "x")]), "/a/x");
        assert_eq!(path("n", &[("path", "/p/q")]), "/p/q");
    }

    #[test]
    fn other_kinds_refuse_what_cannot_be() {
        assert!(check("exec", "x", &[("shell", "/bin/sh".into()), ("args", Value::List(vec!["a".into()]))]).is_err());
        assert!(check("pkg", "x", &[]).is_err());
        assert!(check("svc", "x", &[("state", "up".into())]).is_err());
        assert!(check("user", "x", &[("homedir", "/home/x".into())]).is_err());
        assert!(check("test", "x", &[("validateerror", "no".into())]).is_err());
        assert!(check("nothing-known", "x", &[]).is_ok());
    }
}
