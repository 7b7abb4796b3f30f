//! Parses TOML and text to values, and reports errors with their places.

use std::ops::Range;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::setting::{SETTINGS, Setting, Type, setting};
use super::value::{Binding, ThemeChoice, Value, Written};
use super::{policies, targets};
use crate::diag::{Code, Diagnostic, Diagnostics, nearest};
use crate::lang::Limits;
use crate::source::{FileId, Span};

/// A value of a file with its place.
pub type Read = (&'static Setting, Value, Span);

/// Reads a whole file. Faulty settings are reported and ignored.
pub fn read(file: FileId, text: &str, diags: &mut Diagnostics) -> Vec<Read> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let is_broken = !errors.is_empty();
    for error in errors {
        let span = at(file, text, error.span().unwrap_or(0..0));
        diags.push(invalid(span, error.message()).help("the file is TOML: one `name = \"value\"` per line"));
    }
    // A part of a broken file could mean something else than the whole.
    if is_broken {
        return Vec::new();
    }
    let mut reader = Reader { file, text, faults: Vec::new(), read: Vec::new() };
    reader.table("", table.get_ref());
    let Reader { mut faults, mut read, .. } = reader;
    // Tables are sorted by name, but errors are reported from the top.
    faults.sort_by_key(|fault| fault.span);
    read.sort_by_key(|(.., span)| *span);
    faults.into_iter().for_each(|fault| diags.push(fault));
    read
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    faults: Vec<Diagnostic>,
    read: Vec<Read>,
}

impl Reader<'_> {
    /// The settings below a name; `prefix` ends in a dot unless it is empty.
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        for (key, value) in table.iter() {
            let name = format!("{prefix}{}", key.get_ref());
            let group = format!("{name}.");
            if let Some(setting) = setting(&name) {
                self.setting(setting, value);
            } else if SETTINGS.iter().any(|setting| setting.name.starts_with(&group)) {
                match value.get_ref() {
                    DeValue::Table(inner) => self.table(&group, inner),
                    _ => self.wrong(value.span(), "expected a table of settings", &format!("write [{name}]")),
                }
            } else {
                let span = self.at(key.span());
                self.faults.push(unknown(&name, span));
            }
        }
    }

    fn setting(&mut self, setting: &'static Setting, value: &Spanned<DeValue<'_>>) {
        let example = format!("for example `{}`", setting.example);
        let read = match (setting.ty, value.get_ref()) {
            (Type::Text, DeValue::String(text)) if !text.trim().is_empty() => Some(Value::Text(text.to_string())),
            (Type::Flag, DeValue::Boolean(on)) => Some(Value::Flag(*on)),
            (Type::Number(least, most), DeValue::Integer(written)) => {
                let number = u64::from_str_radix(written.as_str(), written.radix()).ok();
                let fits = number.filter(|number| (least..=most).contains(number));
                if fits.is_none() {
                    let range =
                        if most < i64::MAX as u64 { format!("{least} to {most}") } else { format!("{least} or more") };
                    return self.wrong(value.span(), &format!("`{}` must be {range}", setting.name), &example);
                }
                fits.map(Value::Number)
            }
            (Type::Folders, _) => self.folders(value),
            (Type::Words, _) => self.words(value),
            (Type::Choices(choices), _) => match self.words(value) {
                Some(Value::Words(words)) => match chosen(choices, words) {
                    Ok(words) => Some(words),
                    Err(why) => return self.wrong(value.span(), &why, &example),
                },
                _ => None,
            },
            (Type::Theme, _) => self.theme(value),
            (Type::Keys, DeValue::Table(table)) => Some(self.keys(table)),
            (Type::Targets, DeValue::Table(table)) => Some(self.targets(table)),
            (Type::Policies, DeValue::Array(tables)) => Some(self.policies(tables)),
            _ => None,
        };
        match read {
            Some(read) => {
                let span = self.at(value.span());
                self.read.push((setting, read, span));
            }
            None => self.wrong(value.span(), &format!("`{}` must be {}", setting.name, a(setting.ty)), &example),
        }
    }

    fn folders(&self, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let folder = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
            DeValue::String(text) if !text.is_empty() => Some(PathBuf::from(text.as_ref())),
            _ => None,
        };
        let folders = match value.get_ref() {
            DeValue::Array(values) => values.iter().map(folder).collect::<Option<Vec<_>>>()?,
            _ => vec![folder(value)?],
        };
        Some(Value::Folders(folders))
    }

    fn words(&self, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let word = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
            DeValue::String(text) if !text.is_empty() && !text.contains(char::is_whitespace) => Some(text.to_string()),
            _ => None,
        };
        let words = match value.get_ref() {
            DeValue::Array(values) => values.iter().map(word).collect::<Option<Vec<_>>>()?,
            _ => vec![word(value)?],
        };
        Some(Value::Words(words))
    }

    fn theme(&self, value: &Spanned<DeValue<'_>>) -> Option<Value> {
        let name = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
            DeValue::String(text) if !text.is_empty() => Some(self.written(text, value.span())),
            _ => None,
        };
        let choice = match value.get_ref() {
            DeValue::Table(table) if table.len() == 2 => {
                ThemeChoice::ByTerminal { light: name(table.get("light")?)?, dark: name(table.get("dark")?)? }
            }
            _ => named(name(value)?),
        };
        Some(Value::Theme(choice))
    }

    /// `"ctrl-s" = "filter"` for all screens, `step = { "n" = "step" }` for one.
    fn keys(&mut self, table: &DeTable<'_>) -> Value {
        let mut bindings = Vec::new();
        for (key, value) in table.iter() {
            let written = self.written(key.get_ref(), key.span());
            match value.get_ref() {
                DeValue::String(action) => {
                    let action = self.written(action, value.span());
                    bindings.push(Binding { screen: None, keys: written, action });
                }
                DeValue::Table(inner) => {
                    for (key, value) in inner.iter() {
                        let DeValue::String(action) = value.get_ref() else {
                            self.no_action(value.span());
                            continue;
                        };
                        let keys = self.written(key.get_ref(), key.span());
                        let action = self.written(action, value.span());
                        bindings.push(Binding { screen: Some(written.clone()), keys, action });
                    }
                }
                _ => self.no_action(value.span()),
            }
        }
        bindings.sort_by_key(|binding: &Binding| binding.keys.span);
        Value::Keys(bindings.into())
    }

    fn targets(&mut self, table: &DeTable<'_>) -> Value {
        let mut found = Vec::new();
        for (name, value) in table.iter() {
            match targets::read(self.written(name.get_ref(), name.span()), value) {
                Ok(target) => found.push(target),
                Err((Some(span), label, help)) => self.wrong(span, &label, &help),
                Err((None, label, help)) => {
                    self.faults.push(Diagnostic::placeless(Code::InvalidSetting).label(label).help(help));
                }
            }
        }
        found.sort_by_key(|target| target.name.span);
        Value::Targets(found)
    }

    fn policies(&mut self, tables: &[Spanned<DeValue<'_>>]) -> Value {
        let mut found = Vec::new();
        for value in tables {
            let span = self.at(value.span());
            match policies::read(value, span) {
                Ok((policy, doubt)) => {
                    found.push(policy);
                    if let Some((span, label, help)) = doubt {
                        let span = self.at(span);
                        self.faults.push(Diagnostic::warning(Code::UnknownParameter, span).label(label).help(help));
                    }
                }
                Err((span, label, help)) => self.wrong(span, &label, &help),
            }
        }
        Value::Policies(found)
    }

    fn no_action(&mut self, span: Range<usize>) {
        self.wrong(span, "not an action", "`workbench keys` lists the actions; `\"none\"` frees a key");
    }

    fn written(&self, text: &str, span: Range<usize>) -> Written {
        Written { text: text.to_string(), span: Some(self.at(span)) }
    }

    fn wrong(&mut self, span: Range<usize>, label: &str, help: &str) {
        let span = self.at(span);
        self.faults.push(invalid(span, label).help(help));
    }

    fn at(&self, range: Range<usize>) -> Span {
        at(self.file, self.text, range)
    }
}

/// One limit in the form of `--limit` and `WORKBENCH_LIMITS`.
pub fn limit(written: &str) -> Result<(&'static Setting, Value), String> {
    Limits::default().set(written)?;
    let (name, number) = written.split_once('=').expect("a limit that can be set has both sides");
    let number = number.trim().replace('_', "").parse().map_err(|_| String::from("not a whole number"))?;
    let setting = setting(&format!("limits.{}", name.trim())).expect("each limit is a setting; a test compares them");
    Ok((setting, Value::Number(number)))
}

/// A value in the form of variables.
pub fn from_text(setting: &Setting, text: &str) -> Result<Value, String> {
    match setting.ty {
        Type::Text => Ok(Value::Text(text.into())),
        Type::Flag => match text.to_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(Value::Flag(true)),
            "false" | "0" | "no" | "off" => Ok(Value::Flag(false)),
            _ => Err("expected `true` or `false`".into()),
        },
        Type::Number(least, most) => match text.trim().parse() {
            Ok(number) if (least..=most).contains(&number) => Ok(Value::Number(number)),
            _ => Err(format!("expected a whole number from {least} to {most}")),
        },
        Type::Folders => {
            Ok(Value::Folders(text.split(':').filter(|path| !path.is_empty()).map(PathBuf::from).collect()))
        }
        Type::Words => Ok(Value::Words(text.split_whitespace().map(str::to_string).collect())),
        Type::Choices(choices) => {
            let words = text.split([',', ' ']).filter(|word| !word.is_empty()).map(str::to_string);
            chosen(choices, words.collect())
        }
        Type::Theme => Ok(Value::Theme(named(Written { text: text.into(), span: None }))),
        Type::Keys => Err("keys can only be set in a file".into()),
        Type::Targets => Err("targets can only be set in a file".into()),
        Type::Policies => Err("policies can only be set in a file".into()),
    }
}

/// Checks that all words are allowed.
fn chosen(choices: &[&str], words: Vec<String>) -> Result<Value, String> {
    match words.iter().find(|word| !choices.contains(&word.as_str())) {
        Some(word) => Err(format!("`{word}` is not one of {}", choices.join(", "))),
        None => Ok(Value::Words(words)),
    }
}

/// `auto` is not a theme's name.
pub fn named(name: Written) -> ThemeChoice {
    if name.text == "auto" { ThemeChoice::Auto } else { ThemeChoice::Named(name) }
}

fn unknown(name: &str, span: Span) -> Diagnostic {
    let leaf = name.rsplit('.').next().unwrap_or(name);
    let elsewhere = || SETTINGS.iter().map(|s| s.name).find(|full| full.rsplit('.').next() == Some(leaf));
    let help = match nearest(name, names()).or_else(elsewhere) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`workbench config explain` lists all settings".into(),
    };
    Diagnostic::warning(Code::UnknownSetting, span).label(format!("`{name}`")).help(help)
}

/// Every name in a file: settings, and the tables that contain them.
pub fn names() -> impl Iterator<Item = &'static str> {
    let tables = SETTINGS.iter().filter_map(|setting| Some(setting.name.rsplit_once('.')?.0));
    SETTINGS.iter().map(|setting| setting.name).chain(tables)
}

fn a(ty: Type) -> &'static str {
    match ty {
        Type::Text => "a string",
        Type::Flag => "`true` or `false`",
        Type::Number(..) => "a whole number",
        Type::Folders => "a list of folders",
        Type::Words | Type::Choices(_) => "a list of words",
        Type::Theme => "a theme's name, or `{ light = \"day\", dark = \"night\" }`",
        Type::Keys => "a table of keys and actions",
        Type::Targets => "a table of targets",
        Type::Policies => "a list of tables with `when` and `message`",
    }
}

/// Makes an error about an invalid setting, with the problem as its label.
pub fn invalid(span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(Code::InvalidSetting, span).label(label)
}

/// The parser's range may be at the end of the text, or within a character.
fn at(file: FileId, text: &str, range: Range<usize>) -> Span {
    let start = text.floor_char_boundary(range.start.min(text.len()));
    Span::new(file, start, text.ceil_char_boundary(range.end.min(text.len())).max(start))
}
