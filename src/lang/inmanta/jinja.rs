//! Values as templates see them: written as Python writes them, with the methods that Python's texts, lists and
//! dictionaries have.

use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectExt, ObjectRepr, ValueKind};
use minijinja::{Error, ErrorKind, State, Value as Jinja};

use super::pystr::{self, NoInstances};
use super::value::Value;

/// A list: one of the model, or one that a method of Python made.
#[derive(Debug)]
pub struct List {
    pub items: Vec<Jinja>,
    pub is_model: bool,
}

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Jinja) -> Option<Jinja> {
        self.items.get(usize::try_from(key.as_i64()?).ok()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.items.len())
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&text(&Jinja::from_dyn_object(Arc::clone(self))))
    }
}

/// A dictionary of the model, in its order.
#[derive(Debug)]
pub struct Dict {
    pub items: Vec<(Arc<str>, Jinja)>,
}

impl Object for Dict {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Map
    }

    fn get_value(self: &Arc<Self>, key: &Jinja) -> Option<Jinja> {
        let key = key.as_str()?;
        self.items.iter().find(|(name, _)| &**name == key).map(|(_, value)| value.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        self.mapped_enumerator(|dict| Box::new(dict.items.iter().map(|(name, _)| Jinja::from(&**name))))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.items.len())
    }

    fn render(self: &Arc<Self>, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&text(&Jinja::from_dyn_object(Arc::clone(self))))
    }
}

fn is_model(value: &Jinja) -> bool {
    value.downcast_object_ref::<Dict>().is_some()
        || value.downcast_object_ref::<List>().is_some_and(|list| list.is_model)
}

/// Python's `str` of a value.
pub fn text(value: &Jinja) -> String {
    match value.kind() {
        ValueKind::String => value.as_str().unwrap_or_default().to_string(),
        _ => {
            let mut out = String::new();
            write_repr(value, false, &mut out);
            out
        }
    }
}

/// Python's `repr`. A list or dictionary of the model has a mark, but not inside another one.
fn write_repr(value: &Jinja, in_model: bool, out: &mut String) {
    // Whoever needs the whole refuses a text of this size.
    if out.len() > pystr::LONGEST {
        return;
    }
    let inside = in_model || is_model(value);
    match value.kind() {
        ValueKind::None => out.push_str(if in_model { "null" } else { "None" }),
        ValueKind::Bool => out.push_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::Number if !value.is_integer() => match f64::try_from(value.clone()) {
            Ok(number) => out.push_str(&pystr::float(number)),
            Err(_) => out.push_str(&value.to_string()),
        },
        ValueKind::String => {
            out.push_str(&pystr::repr(&Value::str(value.as_str().unwrap_or_default()), &NoInstances));
        }
        ValueKind::Seq | ValueKind::Iterable => {
            out.push_str(if inside && !in_model { "@[" } else { "[" });
            for (at, item) in value.try_iter().into_iter().flatten().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_repr(&item, inside, out);
            }
            out.push(']');
        }
        ValueKind::Map => {
            out.push_str(if inside && !in_model { "@{" } else { "{" });
            for (at, key) in value.try_iter().into_iter().flatten().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_repr(&key, inside, out);
                out.push_str(": ");
                write_repr(&value.get_item(&key).unwrap_or_default(), inside, out);
            }
            out.push('}');
        }
        _ => out.push_str(&value.to_string()),
    }
}

fn list(items: impl IntoIterator<Item = impl Into<Jinja>>) -> Jinja {
    Jinja::from_object(List { items: items.into_iter().map(Into::into).collect(), is_model: false })
}

/// A method that Python's texts, lists and dictionaries have.
pub fn method(value: &Jinja, name: &str, args: &[Jinja]) -> Result<Jinja, Error> {
    let found = match value.kind() {
        ValueKind::String => of_text(value.as_str().unwrap_or_default(), name, args),
        ValueKind::Map => of_dict(value, name, args),
        ValueKind::Seq | ValueKind::Iterable => of_list(value, name, args),
        _ => None,
    };
    found.unwrap_or_else(|| {
        let kind = match value.kind() {
            ValueKind::String => "a text",
            ValueKind::Map => "a dictionary",
            ValueKind::Seq | ValueKind::Iterable => "a list",
            ValueKind::Number => "a number",
            ValueKind::Bool => "a bool",
            ValueKind::None => "`none`",
            _ => "this value",
        };
        Err(Error::new(ErrorKind::UnknownMethod, format!("{kind} has no method `{name}`")))
    })
}

/// The methods that a value of this kind has here, for a help.
pub fn methods(kind: &str) -> &'static [&'static str] {
    match kind {
        "a text" => &TEXT_METHODS,
        "a dictionary" => &["get", "items", "keys", "values"],
        "a list" => &["count", "index"],
        _ => &[],
    }
}

const TEXT_METHODS: [&str; 28] = [
    "capitalize",
    "center",
    "count",
    "endswith",
    "find",
    "format",
    "isalnum",
    "isalpha",
    "isdigit",
    "islower",
    "isspace",
    "isupper",
    "join",
    "ljust",
    "lower",
    "lstrip",
    "removeprefix",
    "removesuffix",
    "replace",
    "rjust",
    "rstrip",
    "split",
    "splitlines",
    "startswith",
    "strip",
    "title",
    "upper",
    "zfill",
];

fn of_dict(value: &Jinja, name: &str, args: &[Jinja]) -> Option<Result<Jinja, Error>> {
    let keys = || value.try_iter().into_iter().flatten();
    let item = |key: &Jinja| value.get_item(key).unwrap_or_default();
    Some(Ok(match (name, args) {
        ("items", []) => list(keys().map(|key| list([key.clone(), item(&key)]))),
        ("keys", []) => list(keys()),
        ("values", []) => list(keys().map(|key| item(&key))),
        ("get", [key, rest @ ..]) => match item(key) {
            found if !found.is_undefined() => found,
            _ => rest.first().cloned().unwrap_or_else(|| Jinja::from(())),
        },
        _ => return None,
    }))
}

fn of_list(value: &Jinja, name: &str, args: &[Jinja]) -> Option<Result<Jinja, Error>> {
    let mut items = value.try_iter().into_iter().flatten();
    Some(match (name, args) {
        ("count", [wanted]) => Ok(Jinja::from(items.filter(|item| item == wanted).count())),
        ("index", [wanted]) => match items.position(|item| item == *wanted) {
            Some(at) => Ok(Jinja::from(at)),
            None => Err(Error::new(ErrorKind::InvalidOperation, format!("{} is not in the list", text(wanted)))),
        },
        _ => return None,
    })
}

fn of_text(own: &str, name: &str, args: &[Jinja]) -> Option<Result<Jinja, Error>> {
    let word = |at: usize| args.get(at).and_then(Jinja::as_str);
    let count = |at: usize| args.get(at).and_then(Jinja::as_i64);
    let whole = |test: fn(char) -> bool| !own.is_empty() && own.chars().all(test);
    let cut = |c: char| word(0).map_or(c.is_whitespace(), |set| set.contains(c));
    let made = match name {
        "upper" => Jinja::from(own.to_uppercase()),
        "lower" => Jinja::from(own.to_lowercase()),
        "title" => Jinja::from(titled(own)),
        "capitalize" => {
            let mut letters = own.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            Jinja::from(first + &letters.as_str().to_lowercase())
        }
        "strip" => Jinja::from(own.trim_matches(cut)),
        "lstrip" => Jinja::from(own.trim_start_matches(cut)),
        "rstrip" => Jinja::from(own.trim_end_matches(cut)),
        "split" => {
            let most = count(1).and_then(|most| usize::try_from(most).ok()).map_or(usize::MAX, |most| most + 1);
            match word(0) {
                Some("") => return Some(Err(Error::new(ErrorKind::InvalidOperation, "empty separator"))),
                Some(sign) => list(own.splitn(most, sign)),
                None => list(own.split_whitespace()),
            }
        }
        "splitlines" => list(own.lines()),
        "startswith" => Jinja::from(own.starts_with(word(0)?)),
        "endswith" => Jinja::from(own.ends_with(word(0)?)),
        "removeprefix" => Jinja::from(own.strip_prefix(word(0)?).unwrap_or(own)),
        "removesuffix" => Jinja::from(own.strip_suffix(word(0)?).unwrap_or(own)),
        "find" => Jinja::from(own.find(word(0)?).map_or(-1, |at| own[..at].chars().count() as i64)),
        "count" => Jinja::from(own.matches(word(0)?).count()),
        "replace" => {
            let (old, new) = (word(0)?, word(1)?);
            let grows = own.matches(old).count().saturating_mul(new.len()) > pystr::LONGEST;
            if grows {
                return Some(Err(Error::new(ErrorKind::InvalidOperation, "the text is too long")));
            }
            Jinja::from(own.replace(old, new))
        }
        "join" => {
            let mut made = String::new();
            for (at, item) in args.first()?.try_iter().ok()?.enumerate() {
                if at > 0 {
                    made.push_str(own);
                }
                made.push_str(item.as_str()?);
                if made.len() > pystr::LONGEST {
                    return Some(Err(Error::new(ErrorKind::InvalidOperation, "the text is too long")));
                }
            }
            Jinja::from(made)
        }
        "format" => return Some(formatted(own, args)),
        "isdigit" => Jinja::from(whole(|c| c.is_numeric())),
        "isalpha" => Jinja::from(whole(char::is_alphabetic)),
        "isalnum" => Jinja::from(whole(char::is_alphanumeric)),
        "isspace" => Jinja::from(whole(char::is_whitespace)),
        "isupper" => Jinja::from(own.chars().any(char::is_uppercase) && !own.chars().any(char::is_lowercase)),
        "islower" => Jinja::from(own.chars().any(char::is_lowercase) && !own.chars().any(char::is_uppercase)),
        "zfill" => {
            let (sign, digits) = own.split_at(usize::from(own.starts_with(['-', '+'])));
            Jinja::from(format!("{sign}{}{digits}", missing(own, count(0)?, "0")))
        }
        "ljust" => Jinja::from(format!("{own}{}", missing(own, count(0)?, word(1).unwrap_or(" ")))),
        "rjust" => Jinja::from(format!("{}{own}", missing(own, count(0)?, word(1).unwrap_or(" ")))),
        "center" => {
            let fill = missing(own, count(0)?, word(1).unwrap_or(" "));
            // Python puts the odd one on the left of a text in an odd width.
            let size = fill.chars().count();
            let left = size / 2 + (size & count(0)?.unsigned_abs() as usize & 1);
            let left: String = fill.chars().take(left).collect();
            Jinja::from(format!("{left}{own}{}", &fill[left.len()..]))
        }
        _ => return None,
    };
    Some(Ok(made))
}

/// What a text lacks of a width.
fn missing(own: &str, width: i64, fill: &str) -> String {
    let width = usize::try_from(width).unwrap_or(0).min(pystr::LONGEST);
    fill.chars().take(1).collect::<String>().repeat(width.saturating_sub(own.chars().count()))
}

fn titled(own: &str) -> String {
    let mut made = String::with_capacity(own.len());
    let mut is_inside = false;
    for letter in own.chars() {
        match is_inside {
            true => made.extend(letter.to_lowercase()),
            false => made.extend(letter.to_uppercase()),
        }
        is_inside = letter.is_alphabetic();
    }
    made
}

/// `"…".format(…)` with fields in their order, by number or by name.
fn formatted(own: &str, args: &[Jinja]) -> Result<Jinja, Error> {
    let wrong = |why: String| Error::new(ErrorKind::InvalidOperation, why);
    let named = args.last().filter(|last| last.is_kwargs());
    let mut made = String::new();
    let mut next = 0;
    for piece in pystr::pieces(own).map_err(wrong)? {
        made.push_str(&piece.text);
        let Some(field) = piece.field else { continue };
        let found = match field.name.as_str() {
            "" => {
                next += 1;
                args.get(next - 1).cloned()
            }
            name => match name.parse::<usize>() {
                Ok(at) => args.get(at).cloned(),
                Err(_) => named.and_then(|named| named.get_attr(name).ok()).filter(|value| !value.is_undefined()),
            },
        };
        let Some(found) = found else {
            return Err(wrong(format!("no value for the field `{{{}}}`", field.name)));
        };
        let value = match found.kind() {
            ValueKind::Number => match (found.as_i64(), f64::try_from(found.clone())) {
                (Some(number), _) if found.is_integer() => Value::Int(number),
                (_, Ok(number)) => Value::Float(number),
                _ => Value::str(text(&found)),
            },
            _ => Value::str(text(&found)),
        };
        match pystr::format(&value, &field.spec, &NoInstances) {
            Ok(text) => made.push_str(&text),
            Err(pystr::FormatError::Value(why) | pystr::FormatError::Type(why)) => return Err(wrong(why)),
        }
        if made.len() > pystr::LONGEST {
            return Err(wrong("the text is too long".into()));
        }
    }
    Ok(Jinja::from(made))
}

/// The callback of an environment for methods.
pub fn call_method(_: &mut State, value: &Jinja, name: &str, args: &[Jinja]) -> Result<Jinja, Error> {
    method(value, name, args)
}
