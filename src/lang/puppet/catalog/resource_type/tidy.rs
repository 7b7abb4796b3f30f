//! `tidy`: removes old or large files. Not implemented here.

use super::ResourceType;
use super::refusal::{BOOLEAN, FLAG, is_digits, munging};
use crate::lang::puppet::catalog::Resource;
use crate::lang::puppet::convert;
use crate::lang::puppet::value::Value;

pub(super) const TYPE: ResourceType = ResourceType {
    name: "tidy",
    namevar: "path",
    doc: "Removes old or large files. Not implemented here.",
    params: &[
        ("path", "The folder."),
        ("age", "The age."),
        ("size", "The size."),
        ("recurse", "Whether to look below the folder."),
    ],
    others: "max_files matches rmdirs type backup name",
    values: &[("rmdirs", FLAG), ("type", &["atime", "mtime", "ctime"])],
    refuse,
    ..ResourceType::PLAIN
};

fn refuse(resource: &Resource, name: &str, value: &Value) -> Option<String> {
    let text = convert::string(value);
    match name {
        "age" => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            match (&text[..digits], &text[digits..]) {
                ("", _) | (_, "") if !matches!(value, Value::Str(age) if is_digits(age)) => {
                    Some(format!("Invalid tidy age {text}"))
                }
                (_, "") => None,
                (_, unit) if unit.len() == 1 && !"smhdw".contains(&unit.to_lowercase()) => {
                    Some(format!("Invalid age unit '{unit}'"))
                }
                (_, unit) if unit.chars().count() > 1 && !unit.chars().all(char::is_alphabetic) => {
                    Some(format!("Invalid tidy age {text}"))
                }
                _ => None,
            }
        }
        "size" => {
            let digits = text.bytes().take_while(u8::is_ascii_digit).count();
            (digits == 0 || matches!(value, Value::Int(_)))
                .then(|| munging(name, value, &format!("Invalid tidy size {text}")))
        }
        "recurse" if !BOOLEAN.contains(&&*text) && text != "inf" && !is_digits(&text) => {
            Some(munging(name, value, &format!("Invalid recurse value {}", convert::ruby(value))))
        }
        "matches" => {
            let recurse = resource.parameter("recurse").map(convert::string).unwrap_or_default();
            ["", "0", "false"]
                .contains(&&*recurse)
                .then(|| "Tidy can't use matches with recurse 0, false, or undef".into())
        }
        _ => None,
    }
}
