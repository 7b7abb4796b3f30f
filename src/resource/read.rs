//! Reads the parameters of a resource with its kind's own reader, without any machine.
//!
//! The last stage of every language reports what a reader refuses; the turn of the resource gets what it made.
//! Deliberately absent: checks that need a machine, such as whether a device exists.

use std::sync::Arc;

use super::reader::{Reader, Typed};
use super::validate::refused;
use super::{FieldType, kind as implementation, schema};
use crate::graph::{Params, Secrets, Value};

/// Reads the parameters of a resource. Refuses those that contradict each other or that are impossible on any machine.
///
/// Unknown values pass, and are read again when they are known. Hidden resources are not read. The error contains no
/// secret, and the names of the refused parameters in backticks.
pub fn read(kind: &str, name: &str, params: &Params, meta: &Params) -> Result<Typed, String> {
    let why = match places(kind, params).and_then(|()| read_open(kind, &Reader::new(name, params, meta))) {
        Ok(typed) => return Ok(typed),
        Err(why) => why,
    };
    let secret: Vec<String> =
        params.iter().filter(|(_, value)| value.holds_secret()).map(|(param, _)| format!("`{param}`")).collect();
    if secret.is_empty() {
        return Err(why);
    }
    let blind: Params = params.iter().map(|(param, value)| (Arc::clone(param), value.blind())).collect();
    let again = places(kind, params).and_then(|()| read_open(kind, &Reader::new(name, &blind, meta))).err();
    let redacted = Secrets::in_params(params).redact(&why, again.as_deref());
    Err(redacted.unwrap_or_else(|| format!("a sensitive value is refused, and is not shown: {}", secret.join(", "))))
}

/// The same, where only the refusal matters.
pub fn validate(kind: &str, name: &str, params: &Params, meta: &Params) -> Result<(), String> {
    read(kind, name, params, meta).map(drop)
}

fn read_open(kind: &str, given: &Reader) -> Result<Typed, String> {
    if given.name.is_empty() {
        return Err("the name is empty".into());
    }
    let is_refused = |param: &str, value: &Value| value.holds_bytes() && !takes_bytes(kind, param);
    if let Some((param, _)) = given.params.iter().find(|(param, value)| is_refused(param, value)) {
        return Err(format!("`{param}` is not UTF-8"));
    }
    match implementation(alike(kind)) {
        Some(implemented) => implemented.read(given),
        None => refused(kind, given).map(|()| Typed::default()),
    }
}

/// Returns the kind whose reader reads a kind that has only a schema.
fn alike(kind: &str) -> &str {
    match kind {
        "deploy:tar" => "tar",
        "tftp:server" => "http:server",
        "tftp:file" => "http:server:file",
        other => other,
    }
}

/// Refuses values of other types than the schema has. Unknown values pass.
pub fn fits(kind: &str, params: &Params) -> Result<(), String> {
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

fn is_of(ty: &FieldType, value: &Value) -> bool {
    match (ty, value) {
        (FieldType::Any, _) | (_, Value::Null | Value::Unknown | Value::Deferred(_) | Value::Ref(_)) => true,
        (ty, Value::Sensitive(inner)) => is_of(ty, inner),
        (FieldType::List(item), Value::List(items)) => items.iter().all(|value| is_of(item, value)),
        (FieldType::Map(key, item), Value::Map(pairs)) => {
            pairs.iter().all(|(name, value)| is_of(key, name) && is_of(item, value))
        }
        (FieldType::Struct(fields), Value::Struct(values)) => {
            let is_field = |((name, ty), (have, value)): (&(&str, FieldType), &(Arc<str>, Value))| {
                *name == &**have && is_of(ty, value)
            };
            fields.len() == values.len() && fields.iter().zip(values).all(is_field)
        }
        (ty, value) => ty.takes(value),
    }
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

/// Whether a parameter may be text that is not UTF-8.
fn takes_bytes(kind: &str, param: &str) -> bool {
    matches!(
        (kind, param),
        ("file", "content") | ("http:server:file" | "tftp:file", "data") | ("print", "msg") | ("test" | "value", _)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource::file_path;

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
    fn other_kinds_refuse_impossible_values() {
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
    fn a_range_states_its_mask_once() {
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
