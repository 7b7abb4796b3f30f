//! A value that does not have the type that a parameter wants: where it is written, and what to write.

use std::path::Path;

use rustc_hash::FxHashSet;

use super::ast::{Expr, Kind, Parameter, Text};
use super::convert;
use super::eval::Evaluator;
use super::issue::{self, IssueName};
use super::lookup::{Origin, Search as _, nested_line};
use super::stop::{Help, Run, fail, help, runtime};
use super::types::{self, Mismatch, Ty, Type, What};
use super::value::Value;
use crate::diag::{Code, nearest};
use crate::lang::puppet::environment::Inputs;
use crate::source::Span;

/// As many types are tried for the keys of a part.
const MOST_TYPES: usize = 1_000;

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
            let help = self.loader().unknown_data_type(&name);
            let label = format!("there is no type `{name}`");
            return runtime(span, message).code(Code::UnknownType).edit(place).label(label).help(help);
        }
        // A value of `--set` is shown nowhere.
        let advice = match &source {
            Source::Data(None) => help::EXPECTED.into(),
            Source::Given(place) => match self.inputs.bare_variable(*place, value) {
                Some(name) => format!("did you mean `${name}`?").into(),
                None => value_help(ty, value),
            },
            _ => value_help(ty, value),
        };
        let mismatch = Mismatch::first(ty, value);
        let mut path = mismatch.keys();
        let (advice, other) = match (&mismatch.what, mismatch.surplus_key(ty, value)) {
            // One key is missing and another is too much: the name is wrong.
            (What::MissingKey(key), Some(other)) => {
                (format!("rename the key `{other}`: did you mean `{key}`?").into(), Some(other))
            }
            (What::UnknownKey(key), _) => (advice, Some(key.clone())),
            _ => (advice, None),
        };
        path.extend(other.map(|key| key.to_string()));
        let declared = format!("`{}` is declared here", param.name);
        let refused = fail(span, IssueName::WrongType, message).help(advice).related(param.span, declared);
        match source {
            Source::Data(Some(origin)) => {
                let key = format!("{}::{}", title.to_lowercase(), param.name);
                let part = path.iter().try_fold(value.clone(), |value, key| part(&value, key));
                // A merged value has its parts from several files.
                let own = part.filter(|_| !path.is_empty()).and_then(|part| self.hiera.holds_part(&key, &path, &part));
                let (file, line) = own.unwrap_or_else(|| (origin.path.clone(), origin.line));
                let place = self.inputs.line_in_data(&file, line + u32::from(is_bare_list(value)), &path);
                let level = format!("the data of the level `{}` is used here", origin.level);
                let refused = refused.edit(place).related(span, level);
                let written =
                    self.inputs.sources.file(place.file).text.get(place.range()).unwrap_or_default().to_string();
                if let Some((why, help)) = self.data().missing_in_line(&written) {
                    return refused.label(why).help(help);
                }
                // Options of the type are data too, and may be in a level that has no file.
                match self.inputs.level_without_file(&self.hiera).filter(|_| ty.to_string().starts_with("Sensitive")) {
                    Some((level, label, help)) => {
                        refused.related(place, "this value is used").edit(level).label(label).help(help)
                    }
                    None => refused,
                }
            }
            Source::Data(None) => refused,
            Source::Default(place) => refused.edit(place),
            Source::Given(place) => {
                let written = self.inputs.sources.file(place.file).text.get(place.range()).unwrap_or_default();
                // The value of `* => $hash` and of `create_resources` comes from elsewhere, often from data.
                if written != &*param.name
                    && let Some((file, line, mut keys)) = self.hiera.holds(title, &param.name, value)
                {
                    keys.extend(path);
                    let place = self.inputs.line_in_data(&file, line, &keys);
                    return refused.edit(place).related(span, "used here");
                }
                refused.edit(place)
            }
        }
    }

    /// A name in the expression of a type that is no type.
    pub fn unknown_type_in(&mut self, expr: &Expr) -> Option<(Span, String)> {
        match &expr.kind {
            Kind::Ref(name) => {
                let Ok(Value::Type(ty)) = self.named_type(name, expr.span) else { return None };
                let Type::Resource(Some(lower), None) = &*ty else { return None };
                if matches!(&**lower, "class" | "node" | "stage")
                    || self.loader().sort_of(&lower.clone(), expr.span).is_ok()
                {
                    return None;
                }
                Some((expr.span, name.to_string()))
            }
            Kind::Access(left, keys) => {
                self.unknown_type_in(left).or_else(|| keys.iter().find_map(|key| self.unknown_type_in(key)))
            }
            Kind::Hash(entries) => entries
                .iter()
                .find_map(|entry| self.unknown_type_in(&entry.key).or_else(|| self.unknown_type_in(&entry.value))),
            _ => None,
        }
    }
}

impl Inputs<'_> {
    /// A word without quotes at a parameter that is the name of a variable of the file.
    fn bare_variable(&self, place: Span, value: &Value) -> Option<String> {
        let Value::Str(word) = value else { return None };
        let text = &self.sources.file(place.file).text;
        let rest = text.get(place.range().start..)?.lines().next()?;
        let written = rest.split_once("=>").map_or(rest, |(_, written)| written).trim();
        let is_bare = written.trim_end_matches([',', ' ', ';', '}']) == &**word;
        (is_bare && text.contains(&format!("${word}"))).then(|| word.to_string())
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

/// YAML reads lines with `-` and no blank behind it as one text.
fn is_bare_list(value: &Value) -> bool {
    let is_item = |word: &str| word.len() > 1 && word.starts_with('-');
    matches!(value, Value::Str(text) if !text.is_empty() && text.split(' ').all(is_item))
}

/// What to do about a key that a Struct does not have, or that is missing.
fn key_help(mismatch: &Mismatch, ty: &Ty) -> Option<issue::Text> {
    let members = || members(ty, &mismatch.keys(), &mut { MOST_TYPES });
    match &mismatch.what {
        What::MissingKey(key) => {
            let member = members()?.into_iter().find(|(name, _)| name == key);
            let ty = member.map_or_else(String::new, |(_, ty)| format!(", a value of type {ty}"));
            Some(format!("add the key `{key}`{ty}").into())
        }
        What::UnknownKey(key) => {
            let names: Vec<Text> = members()?.into_iter().map(|(name, _)| name).collect();
            Some(match nearest(key, names.iter().map(|name| &**name)) {
                Some(near) => format!("did you mean `{near}`?").into(),
                None => format!("the keys are {}", names.join(", ")).into(),
            })
        }
        _ => None,
    }
}

/// The keys of the Struct at the end of a path through a type. `left` bounds the types that are tried.
fn members(ty: &Ty, path: &[String], left: &mut usize) -> Option<Vec<(Text, Ty)>> {
    alternatives(ty).iter().find_map(|ty| {
        *left = left.checked_sub(1)?;
        match &**ty {
            Type::Hash(_, inner, _) | Type::Array(inner, _) => members(inner, path.get(1..)?, left),
            Type::Struct(list) => match path.split_first() {
                None => Some(list.iter().map(|member| (member.name.clone(), member.ty.clone())).collect()),
                Some((key, rest)) => members(&list.iter().find(|member| *member.name == **key)?.ty, rest, left),
            },
            _ => None,
        }
    })
}

/// The types that a type names in place of itself. An alias may name itself, and two may name each other.
fn alternatives(ty: &Ty) -> Vec<Ty> {
    let (mut found, mut aliases, mut open) = (Vec::new(), FxHashSet::default(), vec![ty]);
    while let Some(ty) = open.pop() {
        match &**ty {
            Type::Alias(alias) if aliases.insert(&alias.name) => open.extend(alias.resolved.get()),
            Type::Alias(_) => {}
            Type::Optional(inner) | Type::NotUndef(inner) | Type::Sensitive(inner) => open.push(inner),
            Type::Variant(types) => open.extend(types.iter().rev()),
            _ => found.push(ty.clone()),
        }
    }
    found
}

/// What to write in place of a value that does not fit a type.
pub fn value_help(ty: &Ty, value: &Value) -> issue::Text {
    let mismatch = Mismatch::first(ty, value);
    if let Some(help) = key_help(&mismatch, ty) {
        return help;
    }
    let part = mismatch.keys().iter().try_fold(value.clone(), |value, key| part(&value, key));
    let Some(value) = part else { return help::EXPECTED.into() };
    let (What::Type(expected, _) | What::Match(expected, _)) = &mismatch.what else {
        return "change the number of elements, or the declared type".into();
    };
    let all = alternatives(expected);
    let wants = |fits: fn(&Type) -> bool| all.iter().any(|ty| fits(ty));
    let wants_list = wants(|ty| matches!(ty, Type::Array(..)));
    let values: Vec<&Text> = all
        .iter()
        .flat_map(|ty| match &**ty {
            Type::Enum { values, .. } => &values[..],
            _ => &[],
        })
        .collect();
    if !values.is_empty() {
        return match nearest(&convert::string(&value), values.iter().map(|value| &***value)) {
            Some(near) => format!("did you mean `'{near}'`?").into(),
            None => {
                let values: Vec<String> = values.iter().map(|value| format!("'{value}'")).collect();
                format!("write one of {}", values.join(", ")).into()
            }
        };
    }
    let range = all.iter().find_map(|ty| match **ty {
        Type::Integer(low, high) if (low, high) != (i64::MIN, i64::MAX) => Some((low, high)),
        _ => None,
    });
    match (&value, range) {
        (Value::Undef, _) => format!("give it a value, or declare the parameter as `Optional[{expected}]`").into(),
        (Value::Str(text), _)
            if wants(|ty| matches!(ty, Type::Integer(..) | Type::Numeric)) && text.trim().parse::<i64>().is_ok() =>
        {
            format!("write the number without quotes: `{}`", text.trim()).into()
        }
        (Value::Str(text), _)
            if wants(|ty| matches!(ty, Type::Integer(..) | Type::Numeric)) && leading_number(text).is_some() =>
        {
            format!("write a number without a unit: `{}`", leading_number(text).unwrap_or_default()).into()
        }
        (Value::Str(text), _)
            if wants(|ty| matches!(ty, Type::Boolean(_))) && matches!(&**text, "true" | "false" | "yes" | "no") =>
        {
            let word = matches!(&**text, "true" | "yes");
            format!("write it without quotes: `{word}`").into()
        }
        (_, _) if wants(|ty| matches!(ty, Type::Boolean(_))) && !matches!(value, Value::Type(_)) => {
            "write `true` or `false`, without quotes".into()
        }
        (Value::Int(_) | Value::Float(_) | Value::Bool(_), _)
            if wants(|ty| matches!(ty, Type::String(_) | Type::Literal(_) | Type::Pattern(_))) =>
        {
            format!("put it into quotes: `'{}'`", convert::string(&value)).into()
        }
        (Value::Type(ty), _)
            if matches!(&**ty, Type::Undef)
                || matches!(&**ty, Type::Resource(Some(name), None) if matches!(&**name, "none" | "null" | "nil")) =>
        {
            "write `undef` for no value".into()
        }
        (Value::Int(_), Some((low, i64::MAX))) => format!("write a number from {low}").into(),
        (Value::Int(_), Some((i64::MIN, high))) => format!("write a number up to {high}").into(),
        (Value::Int(_), Some((low, high))) => format!("write a number from {low} to {high}").into(),
        (Value::Array(_), _) if wants(|ty| matches!(ty, Type::Hash(..) | Type::Struct(_))) => {
            "write a hash: `{ KEY => VALUE }`, or lines `KEY: VALUE` without `- ` in YAML".into()
        }
        (Value::Hash(_), _) if wants_list => "write a list: `[…]`, or lines that begin with `- ` in YAML".into(),
        (Value::Str(_), _) if wants_list && is_bare_list(&value) => {
            "write a blank between `-` and the value of each line: `- value`".into()
        }
        (Value::Str(_) | Value::Int(_), _) if wants_list => {
            format!("write a list: `[{}]`", convert::inspect(&value)).into()
        }
        _ => format!("write {}, or change the declared type", mismatch.expectation()).into(),
    }
}

/// The digits that a text begins with.
fn leading_number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some(&text[..end]).filter(|digits| !digits.is_empty())
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
    use super::nested_line;

    #[test]
    fn parts_of_data_are_found_by_their_keys() {
        let text = "a: 1\nweb:\n  shop:\n    port: 81\n  'blog':\n    list:\n    - x\n    - port: 2\nb: 2\n";
        let line = |keys: &[&str]| nested_line(text, 2, &keys.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(line(&[]), 2);
        assert_eq!(line(&["shop", "port"]), 4);
        assert_eq!(line(&["blog"]), 5);
        assert_eq!(line(&["blog", "list", "1"]), 8);
        assert_eq!(line(&["blog", "list", "1", "port"]), 8);
        let text = "a:\n  - role: x\n    grant: y\n  - role: z\n    grant: q\n";
        let keys = ["1", "grant"].map(str::to_string);
        assert_eq!(nested_line(text, 1, &keys), 5);
        assert_eq!(line(&["nothing"]), 2);
    }
}
