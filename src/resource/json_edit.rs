//! The kind `json:edit`: edits a JSON document by declared steps, such as `.a.b = 1` and `del(.a.c)`.

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::edit::Edited;
use super::reader::{Param, Reader, Typed};
use super::{Checked, Kind, Schema, Turn, kv, schema};
use crate::graph::Value;
use crate::host::{HostError, Look, Owner};

/// The kind `json:edit`, which edits a JSON document by declared steps.
pub struct JsonEdit;

impl Kind for JsonEdit {
    fn schema(&self) -> &'static Schema {
        schema("json:edit").expect("the schemas name every built-in kind")
    }

    fn read(&self, given: &Reader) -> Result<Typed, String> {
        parse_store(given.or_name("store"))?;
        if !given.is_set("edits") && given.get("edits") != Some(&Value::Unknown) {
            return Err("`edits` is required, for example `[\".a.b = 1\"]`".into());
        }
        let parsed = |edits: Vec<String>| edits.iter().map(|edit| parse_edit(edit)).collect();
        let edits: Param<Vec<Edit>> = given.texts_param("edits").parse("edits", parsed)?;
        Ok(Typed::new(edits))
    }

    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError> {
        let edits: &Param<Vec<Edit>> = turn.typed.get()?;
        let edits = edits.get()?.map_or(&[][..], Vec::as_slice);
        let handle = turn.text("store")?.unwrap_or(turn.name);
        match parse_store(handle).map_err(HostError::Refused)? {
            Store::File(path) => {
                let file = Edited::look(turn, path.into(), look)?;
                if !file.is_there() {
                    return Err(HostError::Missing { path: path.into() });
                }
                let Some(have) = &file.content else { return Ok(file.unknown()) };
                let edited = edited(have, edits).map_err(HostError::Refused)?;
                Ok(edited.map_or_else(Checked::right, |wanted| file.turn_into(Some(wanted), 0o600, Owner::default())))
            }
            Store::Key(key) => {
                let file = kv::look_up(turn, kv::place(turn, key, false)?, look)?;
                let Some(have) = &file.content else { return Ok(file.unknown()) };
                let have = if file.is_there() { &**have } else { b"{}" };
                match edited(have, edits).map_err(HostError::Refused)? {
                    None => Ok(Checked::right()),
                    Some(wanted) => kv::stored(turn, &file, wanted, look),
                }
            }
        }
    }
}

/// The place of the document.
enum Store<'a> {
    File(&'a str),
    /// In the shared store.
    Key(&'a str),
}

fn parse_store(handle: &str) -> Result<Store<'_>, String> {
    let path = handle.strip_prefix("file://").unwrap_or(handle);
    if path.starts_with('/') {
        return Ok(Store::File(path));
    }
    match handle.strip_prefix("etcd:///").filter(|key| !key.is_empty()) {
        Some(key) => Ok(Store::Key(key)),
        None => Err(format!("`{handle}` is not an absolute path, `file:///path` or `etcd:///key`")),
    }
}

/// One step.
#[derive(Debug, PartialEq)]
struct Edit {
    keys: Vec<String>,
    /// `None` removes.
    value: Option<Json>,
}

fn parse_edit(text: &str) -> Result<Edit, String> {
    let wrong = |why: &str| format!("the edit `{text}` {why}");
    let whole = text.trim();
    if let Some(rest) = whole.strip_prefix("del") {
        let path = rest.trim_start().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let path = path.ok_or_else(|| wrong("is not of the form `del(.a.b)`"))?;
        return match parse_keys(path.trim()) {
            Some((keys, "")) => Ok(Edit { keys, value: None }),
            _ => Err(wrong("needs a path to remove, such as `.a.b`")),
        };
    }
    let (keys, rest) = parse_keys(whole).ok_or_else(|| wrong("does not start with a path such as `.a.b`"))?;
    let value = rest.strip_prefix('=').ok_or_else(|| wrong("has no `=` after its path"))?;
    let value = serde_json::from_str::<Json>(value)
        .map_err(|error| wrong(&format!("does not set a valid JSON value: {error}")))?;
    Ok(Edit { keys, value: Some(value) })
}

/// Parses the keys of a path such as `.a["b c"].d`. Also returns the text after it.
fn parse_keys(text: &str) -> Option<(Vec<String>, &str)> {
    let mut rest = text.strip_prefix('.')?.trim_start();
    let mut keys = Vec::new();
    loop {
        let key;
        (key, rest) = if let Some(inner) = rest.strip_prefix('[') { bracket_key(inner)? } else { plain_key(rest)? };
        keys.push(key);
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('.') {
            rest = after.trim_start();
        } else if !rest.starts_with('[') {
            return Some((keys, rest));
        }
    }
}

fn plain_key(text: &str) -> Option<(String, &str)> {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    (!key.is_empty() && !key.starts_with(|c: char| c.is_ascii_digit())).then(|| (key.to_owned(), rest))
}

fn bracket_key(text: &str) -> Option<(String, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text.trim_start()).into_iter::<String>();
    let key = stream.next()?.ok().filter(|key| !key.is_empty())?;
    let rest = text.trim_start().get(stream.byte_offset()..)?;
    Some((key, rest.trim_start().strip_prefix(']')?))
}

/// Returns the edited document with its old indentation; `None` if the edits change nothing.
fn edited(document: &[u8], edits: &[Edit]) -> Result<Option<Vec<u8>>, String> {
    let before: Json =
        serde_json::from_slice(document).map_err(|error| format!("the document is not JSON: {error}"))?;
    let mut after = before.clone();
    for edit in edits {
        let root = after.as_object_mut().ok_or("the document is not a JSON object")?;
        apply(root, edit)?;
    }
    if !before.is_object() {
        return Err("the document is not a JSON object".into());
    }
    if after == before {
        return Ok(None);
    }
    let mut text = Vec::new();
    let indent = indent_of(document);
    let formatter = serde_json::ser::PrettyFormatter::with_indent(&indent);
    let written = after.serialize(&mut serde_json::Serializer::with_formatter(&mut text, formatter));
    written.map_err(|error| error.to_string())?;
    text.push(b'\n');
    Ok(Some(text))
}

fn apply(root: &mut Map<String, Json>, edit: &Edit) -> Result<(), String> {
    let Some((last, folders)) = edit.keys.split_last() else { return Ok(()) };
    let mut at = root;
    for key in folders {
        if edit.value.is_none() && !at.contains_key(key) {
            return Ok(());
        }
        let child = at.entry(key.as_str()).or_insert_with(|| Json::Object(Map::new()));
        at = child.as_object_mut().ok_or_else(|| format!("`{key}` is not a JSON object"))?;
    }
    match &edit.value {
        Some(value) => drop(at.insert(last.clone(), value.clone())),
        // The remaining keys stay in order.
        None => drop(at.shift_remove(last)),
    }
    Ok(())
}

/// Returns the indentation of the first indented line; by default a tab.
fn indent_of(document: &[u8]) -> Vec<u8> {
    let lines = document.split(|byte| *byte == b'\n').skip(1);
    let mut indents = lines.map(|line| line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count());
    match indents.find(|length| *length > 0) {
        Some(length @ 1..=8) => {
            let line = document
                .split(|byte| *byte == b'\n')
                .skip(1)
                .find(|line| line.starts_with(b" ") || line.starts_with(b"\t"));
            line.map_or_else(|| b"\t".to_vec(), |line| line[..length].to_vec())
        }
        _ => b"\t".to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(document: &str, edits: &[&str]) -> Result<Option<String>, String> {
        let edits: Result<Vec<Edit>, String> = edits.iter().map(|edit| parse_edit(edit)).collect();
        let text = edited(document.as_bytes(), &edits?)?;
        Ok(text.map(|text| String::from_utf8(text).expect("JSON is text")))
    }

    #[test]
    fn edits_set_and_remove_and_keep_the_rest_as_it_is() {
        let done =
            run("{\n  \"z\": 1,\n  \"a\": {\"b\": 2}\n}", &[".a[\"c d\"].e = [1, true]", "del(.a.b)", "del(.no.such)"]);
        let wanted = "{\n  \"z\": 1,\n  \"a\": {\n    \"c d\": {\n      \"e\": [\n        1,\n        true\n      ]\n    }\n  }\n}\n";
        assert_eq!(done, Ok(Some(wanted.into())));
        assert_eq!(run("{\"a\":1}", &[".a = 1", "del( .b )"]), Ok(None));
        assert!(run("{\"a\":1}", &[".a.b = 1"]).is_err());
        assert!(run("[]", &[".a = 1"]).is_err());
        for bad in
            ["a = 1", ".a", ".a = ", ".a = 1 2", ".1a = 2", ".[\"\"] = 1", ".a[0] = 1", "del(.a) x", "del .a", ". = {}"]
        {
            assert!(parse_edit(bad).is_err(), "{bad}");
        }
    }
}
