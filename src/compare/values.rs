//! Whether two values lead to the same end state, and the lines in which two texts differ.

use similar::{ChangeTag, TextDiff};

use crate::graph::{Resource, Value};

/// Parameters that have no effect on a file that is absent.
const OF_PRESENT_FILES: [&str; 16] = [
    "content",
    "source",
    "mode",
    "owner",
    "group",
    "target",
    "checksum",
    "checksum_value",
    "replace",
    "show_diff",
    "seltype",
    "seluser",
    "selrole",
    "links",
    "fragments",
    "swap",
];

/// Whether two values lead to the same end state: an array of one and its item, a number and its text.
pub fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Sensitive(one), Value::Sensitive(other)) | (Value::Deferred(one), Value::Deferred(other)) => {
            is_same(one, other)
        }
        (Value::Sensitive(one), other) | (other, Value::Sensitive(one)) => is_same(one, other),
        (Value::List(ones), Value::List(others)) => are_same(ones, others),
        (Value::List(list), item) | (item, Value::List(list)) => matches!(&list[..], [only] if is_same(only, item)),
        (Value::Map(ones), Value::Map(others)) => {
            ones.len() == others.len()
                && ones
                    .iter()
                    .all(|(key, value)| others.iter().any(|(other, found)| key == other && is_same(value, found)))
        }
        (Value::Struct(ones), Value::Struct(others)) => {
            ones.len() == others.len()
                && ones.iter().zip(others).all(|((a, one), (b, other))| a == b && is_same(one, other))
        }
        (Value::Str(text), scalar) | (scalar, Value::Str(text)) => {
            scalar.as_str() == Some(text) || as_text(scalar).is_some_and(|written| written == **text)
        }
        (one, other) => one == other,
    }
}

fn are_same(ones: &[Value], others: &[Value]) -> bool {
    ones.len() == others.len() && ones.iter().zip(others).all(|(one, other)| is_same(one, other))
}

/// The text of a number or a truth value.
fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => Some(value.to_json().to_string()),
        _ => None,
    }
}

/// Whether a parameter has no effect, because the file is absent on both sides.
pub(super) fn has_no_effect(param: &str, one: &Resource, other: &Resource) -> bool {
    let is_absent = |resource: &Resource| {
        let declared = resource.meant();
        let state = ["state", "ensure"].iter().find_map(|name| declared.params.get(name));
        &*declared.kind == "file" && state.and_then(Value::as_str) == Some("absent")
    };
    OF_PRESENT_FILES.contains(&param) && is_absent(one) && is_absent(other)
}

/// The lines that only the first text has, and those that only the second has, in order.
pub fn changed_lines(one: &str, other: &str) -> (Vec<String>, Vec<String>) {
    let diff = TextDiff::from_lines(one, other);
    let (mut gone, mut new) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        match change.tag() {
            ChangeTag::Delete => gone.push(change.value().to_owned()),
            ChangeTag::Insert => new.push(change.value().to_owned()),
            ChangeTag::Equal => {}
        }
    }
    (gone, new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_end_states_are_no_change() {
        let list = |items: &[Value]| Value::List(items.to_vec());
        for (one, other, same) in [
            (list(&["a".into()]), "a".into(), true),
            (list(&["a".into(), "b".into()]), "a".into(), false),
            (list(&["a".into(), "b".into()]), list(&["b".into(), "a".into()]), false),
            (Value::Int(644), "644".into(), true),
            (Value::Int(644), "0644".into(), false),
            (Value::Bool(true), "true".into(), true),
            (Value::Null, "".into(), false),
            (Value::Sensitive(Box::new("a".into())), "b".into(), false),
        ] {
            assert_eq!(is_same(&one, &other), same, "{one:?} {other:?}");
            assert_eq!(is_same(&other, &one), same, "{other:?} {one:?}");
        }
    }
}
