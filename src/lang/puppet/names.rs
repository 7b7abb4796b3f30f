//! Names of types, titles and tags: how they are written and compared.

use std::borrow::Cow;

use super::ast::Text;

/// A name with each segment capitalised, without leading colons.
pub fn capitalised(name: &str) -> String {
    let name = name.trim_start_matches("::");
    let mut out = String::with_capacity(name.len());
    for (at, part) in name.split("::").enumerate() {
        out.push_str(if at > 0 { "::" } else { "" });
        let mut chars = part.chars();
        out.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        out.push_str(chars.as_str());
    }
    out
}

/// A name as it is compared: without leading colons, in lower case.
pub fn lower(name: &Text) -> Text {
    let is_lower = !name.starts_with("::") && name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    if is_lower { name.clone() } else { name.trim_start_matches("::").to_lowercase().into() }
}

/// Whether a text can be a tag.
pub fn valid_tag(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && tag.chars().all(|c| c.is_alphanumeric() || "_:.-".contains(c))
}

/// A title as it is compared: of classes in lower case.
pub fn key_title<'t>(ty: &str, title: &'t str) -> Cow<'t, str> {
    match ty {
        "class" => title.trim_start_matches("::").to_lowercase().into(),
        "file" if title.len() > 1 => title.trim_end_matches('/').into(),
        _ => title.into(),
    }
}

/// A name as all names of types are compared and shown: without leading colons, each segment capitalised.
pub fn canonical(name: &str) -> Text {
    capitalised(name).into()
}

/// The module that a class or define of this name belongs to.
pub fn module_of(name: &str) -> Text {
    name.split("::").next().unwrap_or_default().into()
}
