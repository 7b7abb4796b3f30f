//! Signatures of plugins as their text shows them, for calls that are checked where Python does not run.
//!
//! A type that only Python could find is `any`: nothing is refused that might fit.

use std::collections::HashMap;

use super::super::python::{Quote, plugin_names, signature};
use super::describe::{DescribedParameter, DescribedPlugin};

/// The plugins of a Python file whose signatures can be read, each with the line of its `def`.
pub fn read_plugins(module: &str, text: &str) -> Vec<(DescribedPlugin, u32)> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let plugin = |(name, line): (String, u32)| {
        let start = *starts.get((line as usize).checked_sub(1)?)?;
        // Another decorator between may change the parameters.
        let above = text.get(*starts.get((line as usize).checked_sub(2)?)?..start)?;
        above.starts_with('@').then_some(())?;
        let marker = above[1..].split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).next()?;
        (marker.rsplit('.').next() == Some("plugin")).then_some(())?;
        let head = signature(text.get(start..)?)?;
        let (_, parameters) = head.split_once('(')?;
        let (parameters, returns) = parameters.rsplit_once(')')?;
        let returns = returns.trim().strip_prefix("->").map_or("any".into(), written_type);
        let parameters = read_parameters(parameters)?;
        let plugin = DescribedPlugin {
            module: module.to_owned(),
            name,
            line,
            parameters,
            returns,
            allow_unknown: false,
            home: None,
        };
        Some((plugin, line))
    };
    // A file that renames `Context`, and a name that is defined twice, are for Python to read.
    if text.contains("Context as ") {
        return Vec::new();
    }
    let names = plugin_names(text);
    let mut counts: HashMap<String, usize> = HashMap::new();
    names.iter().for_each(|(name, _)| *counts.entry(name.clone()).or_default() += 1);
    names.into_iter().filter(|(name, _)| counts.get(name) == Some(&1)).filter_map(plugin).collect()
}

/// `None` if a parameter has no plain form.
fn read_parameters(text: &str) -> Option<Vec<DescribedParameter>> {
    let mut kind = "POSITIONAL_OR_KEYWORD";
    let mut found = Vec::new();
    for part in split(text, ',') {
        let part = part.trim();
        match part {
            "" | "/" => continue,
            "*" => {
                kind = "KEYWORD_ONLY";
                continue;
            }
            _ => {}
        }
        let (part, kind_here) = match (part.strip_prefix("**"), part.strip_prefix('*')) {
            (Some(rest), _) => (rest, "VAR_KEYWORD"),
            (None, Some(rest)) => {
                kind = "KEYWORD_ONLY";
                (rest, "VAR_POSITIONAL")
            }
            (None, None) => (part, kind),
        };
        let sides = split(part, '=');
        let (name, annotation) = match sides.first()?.split_once(':') {
            Some((name, annotation)) => (name.trim(), written_type(annotation)),
            None => (sides.first()?.trim(), "any".into()),
        };
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        found.push(DescribedParameter {
            name: name.to_owned(),
            ty: Some(annotation),
            kind: kind_here.to_owned(),
            optional: sides.len() > 1,
        });
    }
    Some(found)
}

/// The type of the model that an annotation names; `any` for what only Python can find.
fn written_type(annotation: &str) -> String {
    let annotation = annotation.trim();
    let quoted = annotation.chars().next().filter(|c| matches!(c, '"' | '\'')).and_then(|quote| {
        let inner = annotation.get(1..)?.strip_suffix(quote)?;
        (!inner.contains(quote)).then_some(inner)
    });
    if let Some(inner) = quoted {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '[' | ']' | '?');
        return match inner.trim() {
            "Context" => "context".into(),
            // Such as `"list[str]"`: Python's own types are in no quotes of the model.
            inner if inner.trim_end_matches(['[', ']', '?']).contains('[') => python_type(inner),
            inner if inner.chars().all(is_name) => inner.to_owned(),
            inner => python_type(inner),
        };
    }
    python_type(annotation)
}

fn python_type(annotation: &str) -> String {
    let annotation = annotation.trim();
    let sides = split(annotation, '|');
    if sides.len() > 1 {
        let known: Vec<&str> = sides.iter().map(|side| side.trim()).filter(|side| *side != "None").collect();
        return match (&known[..], sides.len() - known.len()) {
            ([one], 1) => nullable(inner_type(one)),
            _ => "any".into(),
        };
    }
    if let Some((name, inner)) = annotation.strip_suffix(']').and_then(|text| text.split_once('[')) {
        return match name.rsplit('.').next().unwrap_or_default() {
            "Optional" => nullable(inner_type(inner)),
            "list" | "List" | "Sequence" => match inner_type(inner).as_str() {
                "any" | "list" | "dict" => "list".into(),
                inner if inner.ends_with(['?', ']']) => "list".into(),
                inner => format!("{inner}[]"),
            },
            "dict" | "Dict" | "Mapping" => "dict".into(),
            _ => "any".into(),
        };
    }
    let name = annotation.rsplit('.').next().unwrap_or_default();
    match (annotation, name) {
        ("str", _) => "string",
        ("int", _) => "int",
        ("float", _) => "float",
        ("bool", _) => "bool",
        ("list", _) => "list",
        ("dict", _) => "dict",
        (_, "Context") => "context",
        _ => "any",
    }
    .into()
}

/// The type of an annotation inside of another; a quoted name there is one of Python, not of the model.
fn inner_type(annotation: &str) -> String {
    if annotation.trim().starts_with(['"', '\'']) { "any".into() } else { python_type(annotation) }
}

fn nullable(inner: String) -> String {
    if inner == "any" { inner } else { format!("{inner}?") }
}

/// The parts of a text between a sign that is in no brackets and in no quotes.
fn split(text: &str, sign: char) -> Vec<&str> {
    let (mut parts, mut begin, mut depth, mut quote) = (Vec::new(), 0, 0usize, Quote::default());
    for (at, c) in text.char_indices() {
        match c {
            _ if quote.covers(c) => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ if c == sign && depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::read_plugins;

    #[test]
    fn signatures_are_read() {
        let text = "@plugin\ndef a(\n    context: Context,\n    x: \"ip::cidr\", # one, two\n    y: int = 3, *more: 'string?',\n    \
                    z: Optional[str] = None, **rest: \"any\"\n) -> \"list[str]\":\n    pass\n\n@plugin(\"b\")\ndef c(x: Other, \
                    y: list[int], z: dict[str, int] | None, u=\"a,b\") -> str | None:\n    pass\n";
        let shown = |at: usize| {
            let plugins = read_plugins("m", text);
            let (plugin, line) = &plugins[at];
            let parameters = plugin.parameters.iter().map(|one| {
                let ty = one.ty.as_deref().unwrap_or("-");
                format!("{} {ty} {}{}", one.name, one.kind, if one.optional { " ?" } else { "" })
            });
            (plugin.name.clone(), *line, parameters.collect::<Vec<_>>().join(", "), plugin.returns.clone())
        };
        let plain = "POSITIONAL_OR_KEYWORD";
        let first = format!(
            "context context {plain}, x ip::cidr {plain}, y int {plain} ?, more string? VAR_POSITIONAL, z string? KEYWORD_ONLY ?, \
             rest any VAR_KEYWORD"
        );
        assert_eq!(shown(0), ("a".into(), 2, first, "string[]".into()));
        let second = format!("x any {plain}, y int[] {plain}, z dict? {plain}, u any {plain} ?");
        assert_eq!(shown(1), ("b".into(), 11, second, "string?".into()));
    }
}
