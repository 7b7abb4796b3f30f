//! A value that does not have the type that a parameter wants: where it is written, and what to write.

use std::path::Path;

use super::ast::{Expr, Kind, Parameter, Text};
use super::convert;
use super::eval::Evaluator;
use super::issue::{self, IssueName};
use super::lookup::Origin;
use super::stop::{Help, Run, fail, help};
use super::types::{self, Ty, Type};
use super::value::Value;
use crate::diag::{Code, nearest};
use crate::source::Span;

/// Where the value of a parameter comes from.
pub enum Source {
    Given(Span),
    Data(Option<Origin>),
    Default(Span),
}

impl Evaluator<'_> {
    /// Refuses the value of a parameter of a class or define, at the place where it is written.
    pub fn refuse_value<V>(
        &mut self,
        (label, title): (&str, &str),
        param: &Parameter,
        (ty, value): (&Ty, &Value),
        source: Source,
        span: Span,
    ) -> Run<V> {
        let message = types::parameter_mismatch(label, &param.name, ty, value);
        if let Some((place, name)) = param.ty.as_ref().and_then(|ty| self.unknown_type_in(ty)) {
            let help = self.unknown_data_type(&name);
            let label = format!("there is no type `{name}`");
            return self.runtime(span, message).code(Code::UnknownType).edit(place).label(label).help(help);
        }
        // A value of `--set` is shown nowhere.
        let advice = match &source {
            Source::Data(None) => help::EXPECTED.into(),
            Source::Given(place) => match self.bare_variable(*place, value) {
                Some(name) => format!("did you mean `${name}`?").into(),
                None => key_help(&message, ty).unwrap_or_else(|| value_help(&message, value)),
            },
            _ => key_help(&message, ty).unwrap_or_else(|| value_help(&message, value)),
        };
        let path = path_in(&message);
        let declared = format!("`{}` is declared here", param.name);
        let refused = fail(span, IssueName::WrongType, &*message).help(advice).related(param.span, declared);
        match source {
            Source::Data(Some(origin)) => {
                let place = self.line_in_data(&origin.path, origin.line + u32::from(is_bare_list(value)), &path);
                let level = format!("the data of the level `{}` is used here", origin.level);
                refused.edit(place).related(span, level)
            }
            Source::Data(None) => refused,
            Source::Default(place) => refused.edit(place),
            Source::Given(place) => {
                let written = self.sources.file(place.file).text.get(place.range()).unwrap_or_default();
                // The value of `* => $hash` and of `create_resources` comes from elsewhere, often from data.
                if written != &*param.name
                    && let Some((file, line, mut keys)) = self.hiera.holds(title, &param.name, value)
                {
                    keys.extend(path);
                    let place = self.line_in_data(&file, line, &keys);
                    return refused.edit(place).related(span, "used here");
                }
                refused.edit(place)
            }
        }
    }

    /// A word without quotes at a parameter that is the name of a variable of the file.
    fn bare_variable(&self, place: Span, value: &Value) -> Option<String> {
        let Value::Str(word) = value else { return None };
        let text = &self.sources.file(place.file).text;
        let rest = text.get(place.range().start..)?.lines().next()?;
        let written = rest.split_once("=>").map_or(rest, |(_, written)| written).trim();
        let is_bare = written.trim_end_matches([',', ' ', ';', '}']) == &**word;
        (is_bare && text.contains(&format!("${word}"))).then(|| word.to_string())
    }

    /// A name in the expression of a type that is no type.
    pub fn unknown_type_in(&mut self, expr: &Expr) -> Option<(Span, String)> {
        match &expr.kind {
            Kind::Ref(name) => {
                let Ok(Value::Type(ty)) = self.named_type(name, expr.span) else { return None };
                let Type::Resource(Some(lower), None) = &*ty else { return None };
                if matches!(&**lower, "class" | "node" | "stage") || self.sort_of(&lower.clone(), expr.span).is_ok() {
                    return None;
                }
                Some((expr.span, name.to_string()))
            }
            Kind::Access(left, keys) => {
                self.unknown_type_in(left).or_else(|| keys.iter().find_map(|key| self.unknown_type_in(key)))
            }
            _ => None,
        }
    }

    /// The line of a key in a file of data, or that of a part of its value.
    pub fn line_in_data(&mut self, path: &Path, line: u32, keys: &[String]) -> Span {
        let text = self.files.read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
        let line = nested_line(&text, line as usize, keys);
        self.span_in_file(path, &text, line, 1)
    }

    /// A place in a file that is no program: the line without the blanks around it.
    pub fn span_in_file(&mut self, path: &Path, text: &str, line: usize, column: usize) -> Span {
        let file = self.sources.add(self.shown(path), Some(path.to_path_buf()), text);
        let range = self.sources.file(file).line_range(line as u32);
        let shown = self.sources.file(file).text.get(range.clone()).unwrap_or_default();
        let blanks = shown.len() - shown.trim_start().len();
        let before: usize = shown.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        let start = range.start + before.max(if column == 1 { blanks } else { 0 }).min(shown.len());
        let end = range.start + shown.trim_end().len();
        Span::new(file, start, end.max(start))
    }
}

/// The keys and indexes that a message names on the way to the value that does not fit.
fn path_in(message: &str) -> Vec<String> {
    let words = [" expects ", " unrecognized key "];
    let line = message.lines().find(|line| words.iter().any(|words| line.contains(words))).unwrap_or_default();
    let before = line.split(words[0]).next().unwrap_or_default();
    let (before, unknown) = before.split_once(words[1]).map_or((before, None), |(before, key)| (before, Some(key)));
    let mut keys = Vec::new();
    let mut rest = before;
    loop {
        let entry = rest.find(" entry '").map(|at| (at, " entry '".len(), '\''));
        let index = rest.find(" index ").map(|at| (at, " index ".len(), ' '));
        let Some((at, length, end)) = entry.into_iter().chain(index).min() else {
            keys.extend(unknown.and_then(|key| Some(key.strip_prefix('\'')?.split('\'').next()?.to_string())));
            return keys;
        };
        let found = &rest[at + length..];
        let stop = found.find(end).unwrap_or(found.len());
        keys.push(found[..stop].to_string());
        rest = &found[stop..];
    }
}

/// The line of a part of a value in YAML: a key of a hash below the line, or an element of a list by its number.
fn nested_line(text: &str, line: usize, keys: &[String]) -> usize {
    let lines: Vec<&str> = text.lines().collect();
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    let (mut at, mut limit) = (line, lines.len());
    for key in keys {
        let Some(own) = lines.get(at.saturating_sub(1)).map(|line| indent(line)) else { break };
        let end = (at..limit).find(|next| {
            let line = lines[*next];
            !line.trim().is_empty() && indent(line) <= own && !line.trim_start().starts_with('-')
        });
        limit = end.unwrap_or(limit);
        let number: Option<usize> = key.parse().ok();
        let mut elements = 0;
        let found = (at..limit).find(|next| {
            let line = lines[*next].trim_start();
            let is_element = line.starts_with("- ") || line == "-";
            elements += usize::from(is_element);
            let line = line.trim_start_matches("- ");
            let is_key = ["", "'", "\""].iter().any(|quote| {
                line.strip_prefix(quote)
                    .and_then(|line| line.strip_prefix(key.as_str()))
                    .and_then(|line| line.strip_prefix(quote))
                    .is_some_and(|line| line.trim_start().starts_with(':'))
            });
            is_key || number.is_some_and(|number| is_element && elements == number + 1)
        });
        match found {
            Some(found) => at = found + 1,
            None => break,
        }
    }
    at
}

/// YAML reads lines with `-` and no blank behind it as one text.
fn is_bare_list(value: &Value) -> bool {
    matches!(value, Value::Str(text) if text.starts_with('-') && !text.starts_with("- ") && text.len() > 1)
}

/// What to do about a key that a Struct does not have, or that is missing.
fn key_help(message: &str, ty: &Ty) -> Option<issue::Text> {
    let mut path = path_in(message);
    let missing = message.split_once("expects a value for key '").and_then(|(_, rest)| rest.split('\'').next());
    if let Some(key) = missing {
        let member = members(ty, &path)?.into_iter().find(|(name, _)| &**name == key);
        let ty = member.map_or_else(String::new, |(_, ty)| format!(", a value of type {ty}"));
        return Some(format!("add the key `{key}`{ty}").into());
    }
    if !message.contains(" unrecognized key ") {
        return None;
    }
    let key = path.pop()?;
    let names: Vec<Text> = members(ty, &path)?.into_iter().map(|(name, _)| name).collect();
    Some(match nearest(&key, names.iter().map(|name| &**name)) {
        Some(near) => format!("did you mean `{near}`?").into(),
        None => format!("the keys are {}", names.join(", ")).into(),
    })
}

/// The keys of the Struct at the end of a path through a type.
fn members(ty: &Ty, path: &[String]) -> Option<Vec<(Text, Ty)>> {
    match &**ty {
        Type::Alias(alias) => members(alias.resolved.get()?, path),
        Type::Optional(inner) | Type::NotUndef(inner) | Type::Sensitive(inner) => members(inner, path),
        Type::Variant(types) => types.iter().find_map(|ty| members(ty, path)),
        Type::Hash(_, inner, _) | Type::Array(inner, _) => members(inner, path.get(1..)?),
        Type::Struct(list) => match path.split_first() {
            None => Some(list.iter().map(|member| (member.name.clone(), member.ty.clone())).collect()),
            Some((key, rest)) => members(&list.iter().find(|member| *member.name == **key)?.ty, rest),
        },
        _ => None,
    }
}

/// What to write in place of a value, from the words that say what is wrong with it.
pub fn value_help(message: &str, value: &Value) -> issue::Text {
    let line = message.lines().find(|line| line.contains(" expects ")).unwrap_or_default();
    let expected = line.split(" expects ").nth(1).unwrap_or_default();
    let value = path_in(message).iter().try_fold(value.clone(), |value, key| part(&value, key));
    let Some(value) = value else { return help::EXPECTED.into() };
    let wants = |name: &str| {
        let expected = expected.split(", got").next().unwrap_or_default();
        expected.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
    };
    let number = if let Value::Str(text) = &value { text.trim().parse::<i64>().ok() } else { None };
    if let Some((_, values)) = expected.split_once("Enum[") {
        let values = values.split(']').next().unwrap_or_default();
        let all: Vec<&str> = values.split(", ").map(|value| value.trim_matches('\'')).collect();
        let near = nearest(&convert::string(&value), all.iter().copied());
        return match near {
            Some(near) => format!("did you mean `'{near}'`?").into(),
            None => format!("write one of {values}").into(),
        };
    }
    match &value {
        Value::Undef if !expected.is_empty() => {
            let ty = expected.trim_start_matches("an ").trim_start_matches("a ").split(" value").next().unwrap_or("T");
            format!("give it a value, or declare the parameter as `Optional[{ty}]`").into()
        }
        Value::Str(text) if (wants("Integer") || wants("Numeric")) && number.is_some() => {
            format!("write the number without quotes: `{}`", text.trim()).into()
        }
        Value::Str(text) if wants("Boolean") && matches!(&**text, "true" | "false" | "yes" | "no") => {
            let word = if matches!(&**text, "true" | "yes") { "true" } else { "false" };
            format!("write it without quotes: `{word}`").into()
        }
        Value::Int(_) | Value::Float(_) | Value::Bool(_) if wants("String") || wants("Pattern") => {
            format!("put it into quotes: `'{}'`", convert::string(&value)).into()
        }
        Value::Type(ty) if matches!(&**ty, Type::Resource(Some(name), None) if matches!(&**name, "none" | "null" | "nil")) => {
            "write `undef` for no value".into()
        }
        Value::Int(_) if expected.contains("Integer[") => {
            let range = expected.split("Integer[").nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
            match range.split_once(", ") {
                Some((low, "default")) => format!("write a number from {low}").into(),
                Some((low, high)) => format!("write a number from {low} to {high}").into(),
                None => format!("write a number from {range}").into(),
            }
        }
        Value::Hash(_) if wants("Array") => "write a list: `[…]`, or lines that begin with `- ` in YAML".into(),
        Value::Str(_) if wants("Array") && is_bare_list(&value) => {
            "write a blank between `-` and the value of each line: `- value`".into()
        }
        Value::Str(_) | Value::Int(_) if wants("Array") => {
            format!("write a list: `[{}]`", convert::inspect(&value)).into()
        }
        _ if expected.is_empty() => help::EXPECTED.into(),
        _ => {
            let wanted = expected.split(", got").next().unwrap_or_default();
            format!("write {wanted}, or change the declared type").into()
        }
    }
}

/// A part of a value by its key or its number.
fn part(value: &Value, key: &str) -> Option<Value> {
    match value {
        Value::Hash(map) => map.get(&Value::str(key)).cloned(),
        Value::Array(list) => list.get(key.parse::<usize>().ok()?).cloned(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{nested_line, path_in};

    #[test]
    fn parts_of_data_are_found_by_their_keys() {
        let text = "a: 1\nweb:\n  shop:\n    port: 81\n  'blog':\n    list:\n    - x\n    - port: 2\nb: 2\n";
        let line = |keys: &[&str]| nested_line(text, 2, &keys.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(line(&[]), 2);
        assert_eq!(line(&["shop", "port"]), 4);
        assert_eq!(line(&["blog"]), 5);
        assert_eq!(line(&["blog", "list", "1"]), 8);
        assert_eq!(line(&["nothing"]), 2);
    }

    #[test]
    fn messages_name_the_way_to_a_part() {
        let message = "Class[W]:\n  parameter 'v' entry 'blog' index 2 expects an Integer value, got String";
        assert_eq!(path_in(message), ["blog", "2"]);
        assert!(path_in("parameter 'v' expects a String value, got Integer").is_empty());
    }
}
