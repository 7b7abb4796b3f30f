//! Validates a resource's parameters without reading any machine.
//!
//! Input: a kind, the name and the parameters. Output: the first error. One file for each group of kinds. Deliberately
//! absent: checks that need a machine, such as whether a device exists.
//!
//! Source: what mgmt's kinds refuse before they do anything (`engine/resources`, `Validate`).

mod address;
mod duration;
mod files;
mod guests;
pub(super) mod key;
mod machine;
mod serve;
pub mod url;

use std::sync::Arc;

use super::{FieldType, schema};
use crate::graph::{Params, Secrets, Value};

pub use files::file_path;

/// Refuses parameters that contradict each other or that are impossible on any machine.
///
/// Unknown values pass, and are validated when they are known. Hidden resources are not validated. The error contains no
/// secret.
pub fn validate(kind: &str, name: &str, params: &Params, meta: &Params) -> Result<(), String> {
    let Err(why) = places(kind, params).and_then(|()| refused(kind, name, params, meta)) else { return Ok(()) };
    let secret: Vec<String> =
        params.iter().filter(|(_, value)| value.holds_secret()).map(|(param, _)| format!("`{param}`")).collect();
    if secret.is_empty() {
        return Err(why);
    }
    let blind: Params = params.iter().map(|(param, value)| (Arc::clone(param), value.blind())).collect();
    let again = places(kind, params).and_then(|()| refused(kind, name, &blind, meta)).err();
    let redacted = Secrets::in_params(params).redact(&why, again.as_deref());
    Err(redacted.unwrap_or_else(|| format!("a sensitive value is refused, and is not shown: {}", secret.join(", "))))
}

/// Refuses values of other types than the schema has. Unknown values pass.
pub fn fits(kind: &str, params: &Params) -> Result<(), String> {
    fn is_of(ty: &FieldType, value: &Value) -> bool {
        match (ty, value) {
            (_, Value::Null | Value::Unknown | Value::Deferred(_) | Value::Ref(_)) => true,
            (ty, Value::Sensitive(inner)) => is_of(ty, inner),
            (FieldType::List(item), Value::List(items)) => items.iter().all(|value| is_of(item, value)),
            (FieldType::Map(key, item), Value::Map(pairs)) => {
                pairs.iter().all(|(name, value)| is_of(key, name) && is_of(item, value))
            }
            (ty, value) => ty.takes(value),
        }
    }
    let Some(schema) = schema(kind) else { return Ok(()) };
    for (name, value) in params.iter() {
        let Some(param) = schema.any_param(name).filter(|param| !is_of(&param.ty, value)) else { continue };
        return Err(match (param.ty, value) {
            (FieldType::Int { min, max }, Value::Int(value)) => {
                format!("`{name}` is {value}, which is not between {min} and {max}")
            }
            (ty, _) => format!("`{name}` is not of the type `{ty}`"),
        });
    }
    Ok(())
}

/// Refuses secrets where they would be recorded: the path of a changed file and the target of a link.
fn places(kind: &str, params: &Params) -> Result<(), String> {
    let is_link = || kind == "file" && params.get("symlink").and_then(Value::as_bool) == Some(true);
    let is_secret = |param: &str| params.get(param).is_some_and(Value::holds_secret);
    match () {
        () if is_secret("file") => Err("`file` cannot be sensitive: the path of a changed file is recorded".into()),
        () if is_link() && is_secret("source") => {
            Err("`source`, the target of a link, cannot be sensitive: it is recorded, and every user can read it"
                .into())
        }
        () => Ok(()),
    }
}

fn refused(kind: &str, name: &str, params: &Params, meta: &Params) -> Result<(), String> {
    if name.is_empty() {
        return Err("the name is empty".into());
    }
    if let Some((param, _)) = params.iter().find(|(param, value)| value.holds_bytes() && !takes_bytes(kind, param)) {
        return Err(format!("`{param}` is not UTF-8"));
    }
    let given = Given { name, params };
    match kind {
        "augeas" => files::augeas(&given),
        "aws:ec2" => guests::ec2(&given),
        "bmc:firmware" => guests::firmware(&given),
        "bmc:power" => guests::power(&given),
        "consul:kv" => serve::consul(&given),
        "cron" => machine::cron(&given),
        "deploy:tar" | "tar" => files::archive(&given),
        "dhcp:host" | "virt:network:host" => address::lease(&given),
        "dhcp:range" => serve::dhcp_range(&given),
        "dhcp:server" => serve::dhcp_server(&given),
        "docker:container" => guests::container(&given),
        "docker:image" => guests::image(&given),
        "exec" => machine::exec(&given),
        "exit" => machine::exit(&given),
        "file" => files::file(&given),
        "firewalld" => serve::firewalld(&given),
        "fwupd:device" => given.needs("version"),
        "fwupd:remote" => machine::firmware_source(&given),
        "fwupd:system" => machine::firmware(&given),
        "group" => machine::group(&given),
        "gsettings" => machine::gsettings(&given),
        "gzip" => files::gzip(&given),
        "hetzner:vm" => guests::hetzner(&given),
        "http:client" => serve::http_client(&given, meta),
        "http:server" | "tftp:server" => serve::server(&given),
        "http:server:file" | "tftp:file" => serve::served_file(&given),
        "http:server:flag" => serve::rooted("path", given.or_name("path")),
        "http:server:proxy" => serve::proxy(&given),
        "http:server:ui" => serve::form(&given),
        "http:server:ui:input" => given.not_both("value", "store"),
        "json:edit" => files::json_edit(&given),
        "kv" => machine::kv(&given),
        "line" => files::line(&given),
        "mount" => machine::mount(&given),
        "msg" => machine::msg(&given),
        "net" => machine::net(&given),
        "nspawn" => guests::nspawn(&given),
        "pkg" => machine::pkg(&given),
        "remote" => serve::remote(&given),
        "schedule" => machine::schedule(&given),
        "ssh:authorized_key" => files::ssh_authorized_key(&given),
        "svc" => machine::svc(&given),
        "sysctl" => machine::sysctl(&given),
        "test" => test(&given),
        "user" => machine::user(&given),
        "virt" => guests::virt(&given),
        "virt:builder" => guests::builder(&given),
        "virt:network" => guests::network(&given),
        "virt:network:range" => guests::range(&given),
        _ => Ok(()),
    }
}

/// Whether a parameter may be text that is not UTF-8.
fn takes_bytes(kind: &str, param: &str) -> bool {
    matches!(
        (kind, param),
        ("file", "content") | ("http:server:file" | "tftp:file", "data") | ("print", "msg") | ("test" | "value", _)
    )
}

/// The parameters with the name, which is the default of some of them.
struct Given<'a> {
    name: &'a str,
    params: &'a Params,
}

impl<'a> Given<'a> {
    /// Returns a parameter as text, if it is set and known.
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

    /// Whether a parameter is set. An empty text counts as unset if the parameter has no other way to be unset.
    fn is_filled(&self, param: &str) -> bool {
        self.is_set(param) && self.text(param) != Some("")
    }

    fn is_true(&self, param: &str) -> bool {
        self.params.get(param).and_then(Value::as_bool) == Some(true)
    }

    fn list(&self, param: &str) -> impl Iterator<Item = &'a str> {
        self.params.get(param).and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str)
    }

    /// Returns a parameter as text, if it is not empty.
    fn filled(&self, param: &str) -> Option<&'a str> {
        self.text(param).filter(|text| !text.is_empty())
    }

    /// Returns a parameter, or the name if it is unset.
    fn or_name(&self, param: &str) -> &'a str {
        self.filled(param).unwrap_or(self.name)
    }

    fn int(&self, param: &str) -> Option<i64> {
        self.params.get(param).and_then(Value::as_int)
    }

    fn needs(&self, param: &str) -> Result<(), String> {
        if self.is_filled(param) { Ok(()) } else { Err(format!("`{param}` must be set")) }
    }

    fn not_both(&self, one: &str, other: &str) -> Result<(), String> {
        let both = self.is_filled(one) && self.is_filled(other);
        if both { Err(format!("`{one}` and `{other}` cannot both be set")) } else { Ok(()) }
    }

    fn may_be(&self, param: &str, words: &[&str]) -> Result<(), String> {
        match self.text(param) {
            None | Some("") => Ok(()),
            Some(word) if words.contains(&word) => Ok(()),
            Some(word) => Err(format!("`{param}` is `{word}`; it must be {}", either(words))),
        }
    }

    /// Checks that a parameter is one of the words. Unset means the first one, and an empty text is invalid.
    fn is_one_of(&self, param: &str, words: &[&str]) -> Result<(), String> {
        match self.text(param) {
            Some("") => Err(format!("`{param}` is empty; it must be {}", either(words))),
            _ => self.may_be(param, words),
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
        return Err(format!("`{param}` contains a zero byte"));
    }
    if path.starts_with('/') { Ok(()) } else { Err(format!("`{param}` is `{path}`, which is not an absolute path")) }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, name: &str, params: &[(&str, Value)]) -> Result<(), String> {
        validate(kind, name, &params.iter().map(|(k, v)| ((*k).into(), v.clone())).collect(), &Params::default())
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
        assert!(check("file", "/a", &[("source", "b".into())]).is_ok());
        assert!(check("file", "/a", &[("content", Value::Bytes([255].into()))]).is_ok());
        assert!(check("file", "/a", &[("owner", Value::Bytes([255].into()))]).is_err());
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
        assert!(check("pkg", "x", &[]).is_ok());
        assert!(check("pkg", "x", &[("state", "latest".into())]).is_err());
        assert!(check("svc", "x", &[("state", "up".into())]).is_err());
        assert!(check("user", "x", &[("homedir", "/home/x".into())]).is_err());
        assert!(check("test", "x", &[("validateerror", "no".into())]).is_err());
        assert!(check("nothing-known", "x", &[]).is_ok());
        assert!(check("user", "x", &[("state", "exists".into()), ("homedir", "x/".into())]).is_ok());
        assert!(check("aws:ec2", "x", &[("state", "running".into()), ("region", "here".into())]).is_err());
        assert!(check("remote", "ssh://u:p@h", &[]).is_err());
        assert!(check("remote", "ssh://u:p@h", &[("allow_cleartext_password", Value::Bool(true))]).is_ok());
        assert!(check("consul:kv", "ftp://h/k", &[]).is_err());
        assert!(check("dhcp:range", "192.0.2.0/24", &[]).is_ok());
        assert!(check("dhcp:range", "n", &[("network", "255.255.255.255/32".into())]).is_err());
    }

    #[test]
    fn a_range_says_its_mask_once() {
        let range = |mask: &str, from: &str| {
            check("dhcp:range", "n", &[("from", from.into()), ("to", "192.0.2.9".into()), ("mask", mask.into())])
        };
        for (mask, from) in [("/24", "192.0.2.1"), ("255.255.255.0", "192.0.2.1"), ("", "192.0.2.1/24")] {
            assert_eq!(range(mask, from), Ok(()), "{mask} {from}");
        }
        for (mask, from) in [
            ("", "192.0.2.1"),
            ("/24", "192.0.2.1/24"),
            ("/33", "192.0.2.1"),
            ("255.0.255.0", "192.0.2.1"),
            ("0.0.0.0", "192.0.2.1"),
            ("24", "192.0.2.1"),
            ("/24", "2001:db8::1"),
            ("/24", "x"),
        ] {
            assert!(range(mask, from).is_err(), "{mask} {from}");
        }
    }
}
