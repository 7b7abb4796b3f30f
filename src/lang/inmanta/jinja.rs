//! Values as templates see them: written as Python writes them, with the methods that Python's texts, lists and
//! dictionaries have.

use std::str::SplitWhitespace;
use std::sync::Arc;

use minijinja::value::{Enumerator, Object, ObjectExt, ObjectRepr, Tuple, ValueKind};
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
        _ => repr(value),
    }
}

/// Python's `repr` of a value.
pub fn repr(value: &Jinja) -> String {
    let mut out = String::new();
    write_repr(value, false, &mut out);
    out
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
            let is_tuple = value.is_tuple();
            out.push_str(match (inside && !in_model, is_tuple) {
                (true, _) => "@[",
                (_, true) => "(",
                _ => "[",
            });
            for (at, item) in value.try_iter().into_iter().flatten().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                write_repr(&item, inside, out);
            }
            if is_tuple && value.len() == Some(1) {
                out.push(',');
            }
            out.push(if is_tuple { ')' } else { ']' });
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
    let (args, named) = match args.split_last() {
        Some((last, rest)) if last.is_kwargs() => (rest, Some(last)),
        _ => (args, None),
    };
    let kind = match value.kind() {
        ValueKind::String => "a text",
        ValueKind::Map => "a dictionary",
        ValueKind::Seq | ValueKind::Iterable => "a list",
        ValueKind::Number => "a number",
        ValueKind::Bool => "a bool",
        ValueKind::None => "`none`",
        _ => "this value",
    };
    let refused = || {
        if methods(kind).any(|known| known == name) {
            return template_error(format!("`{name}` with these arguments is not supported here"));
        }
        if other_methods(kind).any(|known| known == name) {
            return template_error(format!("the method `{name}` is not supported here"));
        }
        Error::new(ErrorKind::UnknownMethod, format!("{kind} has no method `{name}`"))
    };
    if let (ValueKind::String, "format") = (value.kind(), name) {
        return formatted(value.as_str().unwrap_or_default(), args, named);
    }
    let args = match named {
        Some(named) => &placed(value, name, args, named).ok_or_else(refused)?,
        None => args,
    };
    let found = match value.kind() {
        ValueKind::String => of_text(value.as_str().unwrap_or_default(), name, args),
        ValueKind::Map => of_dict(value, name, args),
        ValueKind::Seq | ValueKind::Iterable => of_list(value, name, args),
        _ => None,
    };
    found.unwrap_or_else(|| Err(refused()))
}

/// The arguments of a method with the named ones at their places.
fn placed(value: &Jinja, name: &str, args: &[Jinja], named: &Jinja) -> Option<Vec<Jinja>> {
    let names: &[(&str, Jinja)] = match name {
        "split" | "rsplit" => &[("sep", Jinja::from(())), ("maxsplit", Jinja::from(-1))],
        "splitlines" => &[("keepends", Jinja::from(false))],
        // A dictionary of Python itself takes no named arguments.
        "get" if is_model(value) => &[("key", Jinja::UNDEFINED), ("default", Jinja::from(()))],
        _ => return None,
    };
    let mut args = args.to_vec();
    let mut left = named.len()?;
    for (name, default) in names.get(args.len()..)? {
        match named.get_attr(name).ok().filter(|given| !given.is_undefined()) {
            Some(given) => {
                left -= 1;
                args.push(given);
            }
            None => args.push(default.clone()),
        }
    }
    (left == 0).then_some(args)
}

/// Makes an error of a template.
pub fn template_error(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, why.into())
}

/// The methods that a value of this kind has here, for a help.
pub fn methods(kind: &str) -> SplitWhitespace<'static> {
    let names = match kind {
        "a text" => TEXT_METHODS,
        "a dictionary" => "get items keys values",
        "a list" => "count index",
        _ => "",
    };
    names.split_whitespace()
}

const TEXT_METHODS: &str = "\
    capitalize center count endswith find format index isalnum isalpha isdigit islower isspace isupper join \
    ljust lower lstrip partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip \
    split splitlines startswith strip title upper zfill";

/// Methods of Python that a value of this kind does not have here.
fn other_methods(kind: &str) -> SplitWhitespace<'static> {
    let names = match kind {
        "a text" => {
            "casefold encode expandtabs format_map isascii isdecimal isidentifier isnumeric isprintable \
             istitle maketrans swapcase translate"
        }
        "a dictionary" => "clear copy pop popitem setdefault update",
        "a list" => "append clear copy extend insert pop remove reverse sort",
        _ => "",
    };
    names.split_whitespace()
}

fn of_dict(value: &Jinja, name: &str, args: &[Jinja]) -> Option<Result<Jinja, Error>> {
    let keys = || value.try_iter().into_iter().flatten();
    let item = |key: &Jinja| value.get_item(key).unwrap_or_default();
    Some(Ok(match (name, args) {
        ("items", []) => list(keys().map(|key| Tuple::from([key.clone(), item(&key)]))),
        ("keys", []) => list(keys()),
        ("values", []) => list(keys().map(|key| item(&key))),
        ("get", [key] | [key, _]) => match item(key) {
            found if !found.is_undefined() => found,
            _ => args.get(1).cloned().unwrap_or_else(|| Jinja::from(())),
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
            None => Err(template_error(format!("{} is not in the list", text(wanted)))),
        },
        _ => return None,
    })
}

/// An argument of a method of a text.
#[derive(Clone, Copy)]
enum Argument<'a> {
    Text(&'a str),
    Count(i64),
    Flag(bool),
    None,
    Other(&'a Jinja),
}

impl<'a> Argument<'a> {
    fn of(value: &'a Jinja) -> Self {
        match value.kind() {
            ValueKind::String => value.as_str().map_or(Argument::Other(value), Argument::Text),
            ValueKind::Bool => Argument::Flag(value.is_true()),
            ValueKind::None => Argument::None,
            ValueKind::Number if value.is_integer() => value.as_i64().map_or(Argument::Other(value), Argument::Count),
            _ => Argument::Other(value),
        }
    }
}

/// White space as Python sees it.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\x1c'..='\x1f').contains(&c)
}

/// A method of a text; `None` where it does not take such arguments.
fn of_text(own: &str, name: &str, args: &[Jinja]) -> Option<Result<Jinja, Error>> {
    use Argument::{Count, Flag, Other, Text};
    let args: Vec<Argument> = args.iter().map(Argument::of).collect();
    let whole = |test: fn(char) -> bool| !own.is_empty() && own.chars().all(test);
    let most = |count: i64| usize::try_from(count).unwrap_or(usize::MAX);
    let place = |at: Option<usize>| at.map(|at| own[..at].chars().count() as i64);
    let found = |at: Option<usize>| place(at).map(Jinja::from).ok_or_else(|| template_error("substring not found"));
    let starts = |test: fn(&str, &str) -> bool, tuple: &Jinja| {
        let words: Option<Vec<Jinja>> = tuple.is_tuple().then(|| tuple.try_iter().ok().map(Iterator::collect))?;
        let words = words?;
        let is_text = words.iter().all(|word| word.as_str().is_some());
        is_text.then(|| Jinja::from(words.iter().filter_map(Jinja::as_str).any(|word| test(own, word))))
    };
    let three = |parts: [&str; 3]| Jinja::from(Tuple::from(parts.map(Jinja::from)));
    let split_at = |at: Option<usize>, sign: &str, is_last: bool| match at {
        Some(at) => three([&own[..at], sign, &own[at + sign.len()..]]),
        None if is_last => three(["", "", own]),
        None => three([own, "", ""]),
    };
    let made = match (name, args.as_slice()) {
        ("upper", []) => Jinja::from(own.to_uppercase()),
        ("lower", []) => Jinja::from(own.to_lowercase()),
        ("title", []) => Jinja::from(titled(own)),
        ("capitalize", []) => {
            let mut letters = own.chars();
            let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
            Jinja::from(first + &letters.as_str().to_lowercase())
        }
        ("strip", [] | [Argument::None]) => Jinja::from(own.trim_matches(is_space)),
        ("lstrip", [] | [Argument::None]) => Jinja::from(own.trim_start_matches(is_space)),
        ("rstrip", [] | [Argument::None]) => Jinja::from(own.trim_end_matches(is_space)),
        ("strip", [Text(set)]) => Jinja::from(own.trim_matches(|c| set.contains(c))),
        ("lstrip", [Text(set)]) => Jinja::from(own.trim_start_matches(|c| set.contains(c))),
        ("rstrip", [Text(set)]) => Jinja::from(own.trim_end_matches(|c| set.contains(c))),
        ("split" | "rsplit", [Text("")] | [Text(""), Count(_)]) => return Some(Err(template_error("empty separator"))),
        ("split", [Text(sign)]) => list(own.split(sign)),
        ("split", [Text(sign), Count(count)]) => list(own.splitn(most(*count).saturating_add(1), sign)),
        ("rsplit", [Text(sign)]) => backwards(own.rsplit(sign).collect()),
        ("rsplit", [Text(sign), Count(count)]) => {
            backwards(own.rsplitn(most(*count).saturating_add(1), sign).collect())
        }
        ("split" | "rsplit", [] | [Argument::None]) => list(own.split(is_space).filter(|word| !word.is_empty())),
        ("split", [Argument::None, Count(count)]) => {
            let (mut words, mut rest) = (Vec::new(), own.trim_start_matches(is_space));
            while let Some(at) = rest.find(is_space).filter(|_| words.len() < most(*count)) {
                words.push(&rest[..at]);
                rest = rest[at..].trim_start_matches(is_space);
            }
            words.extend((!rest.is_empty()).then_some(rest));
            list(words)
        }
        ("splitlines", []) => list(lines(own, false)),
        ("splitlines", [Flag(keeps)]) => list(lines(own, *keeps)),
        ("splitlines", [Count(keeps)]) => list(lines(own, *keeps != 0)),
        ("startswith", [Text(word)]) => Jinja::from(own.starts_with(word)),
        ("endswith", [Text(word)]) => Jinja::from(own.ends_with(word)),
        ("startswith", [Other(words)]) => starts(|own, word| own.starts_with(word), words)?,
        ("endswith", [Other(words)]) => starts(|own, word| own.ends_with(word), words)?,
        ("removeprefix", [Text(word)]) => Jinja::from(own.strip_prefix(word).unwrap_or(own)),
        ("removesuffix", [Text(word)]) => Jinja::from(own.strip_suffix(word).unwrap_or(own)),
        ("find", [Text(word)]) => Jinja::from(place(own.find(word)).unwrap_or(-1)),
        ("rfind", [Text(word)]) => Jinja::from(place(own.rfind(word)).unwrap_or(-1)),
        ("index", [Text(word)]) => return Some(found(own.find(word))),
        ("rindex", [Text(word)]) => return Some(found(own.rfind(word))),
        ("partition" | "rpartition", [Text("")]) => return Some(Err(template_error("empty separator"))),
        ("partition", [Text(sign)]) => split_at(own.find(sign), sign, false),
        ("rpartition", [Text(sign)]) => split_at(own.rfind(sign), sign, true),
        ("count", [Text(word)]) => Jinja::from(own.matches(word).count()),
        ("replace", [Text(old), Text(new)]) => return Some(replaced(own, old, new, usize::MAX)),
        ("replace", [Text(old), Text(new), Count(count)]) => return Some(replaced(own, old, new, most(*count))),
        ("join", [Text(letters)]) => return joined(own, letters.chars().map(Jinja::from)),
        ("join", [Other(items)]) => return joined(own, items.try_iter().ok()?),
        ("isdigit", []) if own.chars().all(|c| c.is_ascii() || !c.is_numeric()) => {
            Jinja::from(whole(|c| c.is_ascii_digit()))
        }
        ("isalpha", []) => Jinja::from(whole(char::is_alphabetic)),
        ("isalnum", []) => Jinja::from(whole(char::is_alphanumeric)),
        ("isspace", []) => Jinja::from(whole(is_space)),
        ("isupper", []) => Jinja::from(own.chars().any(char::is_uppercase) && !own.chars().any(char::is_lowercase)),
        ("islower", []) => Jinja::from(own.chars().any(char::is_lowercase) && !own.chars().any(char::is_uppercase)),
        ("zfill", [Count(width)]) => {
            let (sign, digits) = own.split_at(usize::from(own.starts_with(['-', '+'])));
            Jinja::from(format!("{sign}{}{digits}", missing(own, *width, "0")))
        }
        ("ljust" | "rjust" | "center", [Count(width)]) => adjusted(own, name, *width, " "),
        ("ljust" | "rjust" | "center", [Count(width), Text(fill)]) if fill.chars().count() == 1 => {
            adjusted(own, name, *width, fill)
        }
        _ => return None,
    };
    Some(Ok(made))
}

fn backwards(mut words: Vec<&str>) -> Jinja {
    words.reverse();
    list(words)
}

/// The lines of a text as Python divides it.
fn lines(own: &str, keeps_ends: bool) -> Vec<&str> {
    const ENDS: [char; 10] = ['\n', '\r', '\x0b', '\x0c', '\x1c', '\x1d', '\x1e', '\u{85}', '\u{2028}', '\u{2029}'];
    let (mut lines, mut rest) = (Vec::new(), own);
    while let Some(at) = rest.find(ENDS) {
        let letter = rest[at..].chars().next().map_or(1, char::len_utf8);
        let end = at + if rest[at..].starts_with("\r\n") { 2 } else { letter };
        lines.push(&rest[..if keeps_ends { end } else { at }]);
        rest = &rest[end..];
    }
    lines.extend((!rest.is_empty()).then_some(rest));
    lines
}

fn replaced(own: &str, old: &str, new: &str, most: usize) -> Result<Jinja, Error> {
    let grows = own.matches(old).count().min(most).saturating_mul(new.len()) > pystr::LONGEST;
    if grows {
        return Err(template_error("the text is too long"));
    }
    Ok(Jinja::from(own.replacen(old, new, most)))
}

fn joined(own: &str, items: impl Iterator<Item = Jinja>) -> Option<Result<Jinja, Error>> {
    let mut made = String::new();
    for (at, item) in items.enumerate() {
        if at > 0 {
            made.push_str(own);
        }
        made.push_str(item.as_str()?);
        if made.len() > pystr::LONGEST {
            return Some(Err(template_error("the text is too long")));
        }
    }
    Some(Ok(Jinja::from(made)))
}

fn adjusted(own: &str, name: &str, width: i64, fill: &str) -> Jinja {
    let fill = missing(own, width, fill);
    let size = fill.chars().count();
    let left = match name {
        "ljust" => 0,
        "rjust" => size,
        // Python puts the odd one on the left of a text in an odd width.
        _ => size / 2 + (size & width.unsigned_abs() as usize & 1),
    };
    let left: String = fill.chars().take(left).collect();
    Jinja::from(format!("{left}{own}{}", &fill[left.len()..]))
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
fn formatted(own: &str, args: &[Jinja], named: Option<&Jinja>) -> Result<Jinja, Error> {
    let mut made = String::new();
    let mut next = 0;
    let mut has_numbers = false;
    for piece in pystr::pieces(own).map_err(template_error)? {
        made.push_str(&piece.text);
        let Some(field) = piece.field else { continue };
        let found = match field.name.as_str() {
            "" => {
                next += 1;
                args.get(next - 1).cloned()
            }
            name => match name.parse::<usize>() {
                Ok(at) => {
                    has_numbers = true;
                    args.get(at).cloned()
                }
                Err(_) => named.and_then(|named| named.get_attr(name).ok()).filter(|value| !value.is_undefined()),
            },
        };
        let Some(found) = found else {
            return Err(template_error(format!("no value for the field `{{{}}}`", field.name)));
        };
        let is_plain = matches!(found.kind(), ValueKind::Number | ValueKind::String) || field.spec.is_empty();
        if !is_plain || has_numbers && next > 0 {
            return Err(template_error("`format` with this field is not supported here"));
        }
        let found = match field.conversion {
            None => found,
            Some('s') => Jinja::from(text(&found)),
            Some('r') => Jinja::from(repr(&found)),
            Some(sign) => return Err(template_error(format!("`!{sign}` in a format is not supported here"))),
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
            Err(pystr::FormatError::Value(why) | pystr::FormatError::Type(why)) => return Err(template_error(why)),
        }
        if made.len() > pystr::LONGEST {
            return Err(template_error("the text is too long"));
        }
    }
    Ok(Jinja::from(made))
}

/// The callback of an environment for methods.
pub fn call_method(_: &mut State, value: &Jinja, name: &str, args: &[Jinja]) -> Result<Jinja, Error> {
    method(value, name, args)
}
