//! `concat_file` of the module concat: a file whose content is put together from fragments.

use super::{Managed, ResourceType, file};
use crate::graph::{Meta, Params, Value as Ours};
use crate::lang::puppet::ast::Form;
use crate::lang::puppet::catalog::kinds::{MapResult, Mapper, declaration};
use crate::lang::puppet::catalog::{Resource, secret};
use crate::lang::puppet::convert;
use crate::lang::puppet::ids::ResourceId;
use crate::lang::puppet::unknown::{is_in, without_deferred};
use crate::lang::puppet::value::Value;
use serde_json::{Map, Value as Json};
use std::cmp::Ordering;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "concat_file",
    namevar: "path",
    is_of_module: true,
    doc: "Manages a file whose content is put together from fragments. A type of the module concat.",
    requires: "the folder around it",
    params: &[
        ("path", "The file."),
        ("ensure", "`present` (the default) or `absent`."),
        ("tag", "Fragments with this tag, or one of these tags, belong to it too."),
        ("owner", "The owner."),
        ("group", "The group."),
        ("mode", "The mode."),
        ("order", "`numeric` (the default) or `alpha`."),
        ("ensure_newline", "Adds a newline to each fragment without one."),
        ("format", "`plain` (the default), or how fragments are merged as JSON. YAML is not merged here."),
        ("force", "Of two values of a key, the first one counts."),
        ("replace", "`false` keeps the content of a file that exists."),
        ("create_empty_file", "`false` removes a file without content."),
    ],
    idle: "backup show_diff validate_cmd selinux_ignore_defaults selrange selrole seltype seluser",
    order,
    map: Some(map),
    ..ResourceType::PLAIN
};

fn order(m: &Managed) -> Vec<Option<ResourceId>> {
    vec![m.find("file", &m.e.name_of(m.resource))]
}

fn map(g: &Mapper, _meta: &mut Meta) -> MapResult {
    let path = g.name();
    let mut params = Params::default();
    let fragments = fragments(g, &path)?;
    let content = content(g, &fragments)?;
    g.ignore(&["tag", "order", "ensure_newline", "format", "force", "create_empty_file", "backup", "show_diff"]);
    let is_left_out = g.flag("create_empty_file") == Some(false) && content.as_ref().is_some_and(Vec::is_empty);
    if !g.is_present() || is_left_out {
        g.ignore(&["owner", "group", "mode", "replace", "selinux_ignore_defaults"]);
        params.set("state", "absent".into());
        return Ok(declaration("file", path, params));
    }
    params.set("state", "exists".into());
    params.set("swap", Ours::Bool(true));
    file::attributes(g, &mut params);
    if g.flag("replace") == Some(false) {
        params.set("keep_content", Ours::Bool(true));
    }
    let content = match content.map(String::from_utf8) {
        None => Ours::Unknown,
        Some(Ok(text)) => Ours::Str(text.into()),
        Some(Err(bytes)) => Ours::Bytes(bytes.into_bytes().into()),
    };
    let is_secret = fragments.iter().any(|fragment| fragment.is_secret);
    params.set(
        "content",
        if is_secret && content != Ours::Unknown { Ours::Sensitive(Box::new(content)) } else { content },
    );
    Ok(declaration("file", path, params))
}

struct Fragment {
    order: String,
    name: String,
    /// Nothing where it is unknown.
    content: Option<Vec<u8>>,
    is_secret: bool,
}

/// The fragments of a file: those that name its path or title, or that have its tag.
fn fragments(g: &Mapper, path: &str) -> Result<Vec<Fragment>, String> {
    let title = &g.resource.title;
    let tag = g.value("tag");
    let is_own = |resource: &&Resource| {
        let target = resource.parameter("target").map(convert::string);
        let has_tag = match (resource.parameter("tag"), tag) {
            (Some(own), Some(tag)) => own == tag || matches!(tag, Value::Array(list) if list.contains(own)),
            _ => false,
        };
        target.is_some_and(|target| target == path || target == **title) || has_tag
    };
    let all =
        g.e.catalog
            .resources
            .iter()
            .filter(|resource| &*resource.ty == "concat_fragment" && resource.form == Form::Regular);
    all.filter(is_own).map(|resource| fragment(g, resource)).collect()
}

fn fragment(g: &Mapper, resource: &Resource) -> Result<Fragment, String> {
    // Its name may be a secret.
    let name = match secret::blind(g.e.hiera, resource) {
        Some(_) => resource.title.to_string(),
        None => g.e.name_of(resource),
    };
    let (content, is_marked) = match resource.parameter("content") {
        Some(Value::Sensitive(inner)) => (Some(&**inner), true),
        other => (other, false),
    };
    let is_unknown = |value: &Value| is_in(value) || without_deferred(value).is_some();
    let mut content = match (content, resource.parameter("source")) {
        (Some(value), _) => (!is_unknown(value)).then(|| convert::string(value).into_bytes()),
        (None, Some(source)) => {
            let mut sources = Vec::new();
            crate::lang::puppet::value::flatten(source, &mut sources);
            let paths = sources.iter().map(|source| g.source(&convert::string(source)));
            let paths = paths.collect::<Result<Vec<_>, _>>()?;
            let found = paths.iter().find_map(|path| g.e.inputs.files.read(path));
            Some(found.ok_or_else(|| format!("no source of the fragment `{name}` can be read"))?)
        }
        (None, None) => return Err(format!("the fragment `{name}` has neither `content` nor `source`")),
    };
    if let Some(content) = content.as_mut().filter(|content| !content.ends_with(b"\n"))
        && g.flag("ensure_newline") == Some(true)
    {
        content.push(b'\n');
    }
    let is_secret = is_marked || secret::blind(g.e.hiera, resource).is_some();
    let order = resource.parameter("order").map_or_else(|| "10".into(), convert::string);
    Ok(Fragment { order, name, content, is_secret })
}

/// The content of the file; nothing where a fragment is unknown.
fn content(g: &Mapper, fragments: &[Fragment]) -> Result<Option<Vec<u8>>, String> {
    let mut ordered: Vec<&Fragment> = fragments.iter().collect();
    if g.text("order").as_deref() == Some("alpha") {
        ordered.sort_by_cached_key(|fragment| alphabetical(fragment));
    } else {
        let mut refused = false;
        ordered.sort_by(|a, b| {
            let (order, is_mixed) = numeric(a, b);
            refused |= is_mixed;
            order
        });
        if refused {
            return Err("fragments are ordered by numbers and by words, which cannot be compared".into());
        }
    }
    let known: Option<Vec<&[u8]>> = ordered.iter().map(|fragment| fragment.content.as_deref()).collect();
    let Some(known) = known else { return Ok(None) };
    let format = g.text("format").unwrap_or_else(|| "plain".into());
    if format == "plain" {
        return Ok(Some(known.concat()));
    }
    if format == "yaml" {
        return Err("`format => yaml`: fragments are only merged as JSON or plain text".into());
    }
    let parsed = ordered.iter().zip(known).map(|(fragment, content)| {
        let json = serde_json::from_slice::<Json>(content);
        json.map_err(|why| format!("the fragment `{}` is not JSON: {why}", fragment.name))
    });
    let parsed = parsed.collect::<Result<Vec<_>, _>>()?;
    let is_forced = g.flag("force") == Some(true);
    let made = if format.contains("array") {
        Json::Array(parsed)
    } else {
        parsed.into_iter().try_fold(Json::Object(Map::new()), |have, more| merged(have, more, is_forced))?
    };
    let text =
        if format.ends_with("pretty") { serde_json::to_string_pretty(&made) } else { serde_json::to_string(&made) };
    text.map(|text| Some(text.into_bytes())).map_err(|why| why.to_string())
}

/// Order and name, where digits are a number and come before words; and whether a number was compared with a word.
fn numeric(a: &Fragment, b: &Fragment) -> (Ordering, bool) {
    let key = |fragment: &Fragment| format!("{}___{}", fragment.order, fragment.name);
    let (a, b) = (key(a), key(b));
    for (a, b) in a.splitn(2, "___").zip(b.splitn(2, "___")) {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let order = match (is_number(a), is_number(b)) {
            (true, true) => {
                let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            }
            (false, false) => a.cmp(b),
            (a, b) => return (b.cmp(&a), true),
        };
        if order != Ordering::Equal {
            return (order, false);
        }
    }
    (Ordering::Equal, false)
}

fn alphabetical(fragment: &Fragment) -> (String, String) {
    let key = format!("{}___{}", fragment.order, fragment.name);
    let (order, name) = key.split_once("__").unwrap_or((&key, ""));
    (order.to_owned(), name.to_owned())
}

/// Merges deeply; a key with two values needs `force`, and then the first one counts.
fn merged(have: Json, more: Json, is_forced: bool) -> Result<Json, String> {
    let is_empty = |value: &Json| match value {
        Json::Null => true,
        Json::Array(list) => list.is_empty(),
        Json::Object(map) => map.is_empty(),
        _ => false,
    };
    if is_empty(&more) {
        return Ok(have);
    }
    if is_empty(&have) {
        return Ok(more);
    }
    match (have, more) {
        (Json::Array(mut have), Json::Array(more)) => {
            for item in more {
                if !have.contains(&item) {
                    have.push(item);
                }
            }
            Ok(Json::Array(have))
        }
        (Json::Object(mut have), Json::Object(more)) => {
            for (key, value) in more {
                let Some(old) = have.get_mut(&key) else {
                    have.insert(key, value);
                    continue;
                };
                if old.is_object() && value.is_object() || old.is_array() && value.is_array() {
                    *old = merged(old.take(), value, is_forced)?;
                } else if *old != value && !is_forced {
                    return Err(format!("the key `{key}` has two values; `force` takes the first one"));
                }
            }
            Ok(Json::Object(have))
        }
        _ => Err("the fragments are not all objects".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(order: &str, name: &str) -> Fragment {
        Fragment { order: order.into(), name: name.into(), content: Some(Vec::new()), is_secret: false }
    }

    #[test]
    fn numbers_and_words_sort_in_their_own_order() {
        assert_eq!(numeric(&fragment("9", "b"), &fragment("10", "a")), (Ordering::Less, false));
        assert_eq!(numeric(&fragment("010", "b"), &fragment("10", "a")), (Ordering::Greater, false));
        assert_eq!(numeric(&fragment("a", "x"), &fragment("10", "x")), (Ordering::Greater, true));
        assert!(alphabetical(&fragment("9", "b")) > alphabetical(&fragment("10", "a")));
    }

    #[test]
    fn a_key_with_two_values_needs_force() {
        let json = |text: &str| serde_json::from_str::<Json>(text).expect("the test has JSON");
        let (a, b) = (r#"{"a":{"b":1},"l":[1]}"#, r#"{"a":{"c":2},"l":[1,2]}"#);
        let both = merged(json(a), json(b), false).expect("no key has two values");
        assert_eq!(both["a"]["c"], 2);
        assert_eq!(both["l"], json("[1,2]"));
        assert!(merged(json(r#"{"a":1}"#), json(r#"{"a":2}"#), false).is_err());
        assert_eq!(merged(json(r#"{"a":1}"#), json(r#"{"a":2}"#), true), Ok(json(r#"{"a":1}"#)));
    }
}
