//! Names of types, titles and tags: how they are written and compared.

use super::ast::Text;

/// A name with each segment capitalised, without leading colons.
pub fn capitalised(name: &str) -> String {
    let parts = name.trim_start_matches("::").split("::").map(|part| {
        let mut chars = part.chars();
        chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
    });
    parts.collect::<Vec<String>>().join("::")
}

/// Whether a text can be a tag.
pub fn valid_tag(tag: &str) -> bool {
    tag.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        && tag.chars().all(|c| c.is_alphanumeric() || "_:.-".contains(c))
}

/// A title as it is compared: of classes in lower case.
pub fn key_title(ty: &str, title: &str) -> Text {
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
