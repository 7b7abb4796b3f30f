//! The functions of templates: Go's own, and the language's with underscores instead of dots.

use std::cmp::Ordering;
use std::rc::Rc;

use super::data::{Data, Width};
use crate::lang::mcl::builtin::golang::{format, html};
use crate::lang::mcl::builtin::limits::Capped;
use crate::lang::mcl::builtin::{Function, Typing, functions};
use crate::lang::mcl::print::is_printable;

/// A function with its number of arguments.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    Own { name: &'static str, least: usize, most: usize },
    Language(&'static Function),
}

const ANY: usize = usize::MAX;

/// Go's own, sorted by name.
const OWN: [(&str, usize, usize); 19] = [
    ("and", 1, ANY),
    ("call", 1, ANY),
    ("eq", 1, ANY),
    ("ge", 2, 2),
    ("gt", 2, 2),
    ("html", 0, ANY),
    ("index", 1, ANY),
    ("js", 0, ANY),
    ("le", 2, 2),
    ("len", 1, 1),
    ("lt", 2, 2),
    ("ne", 2, 2),
    ("not", 1, 1),
    ("or", 1, ANY),
    ("print", 0, ANY),
    ("printf", 1, ANY),
    ("println", 0, ANY),
    ("slice", 1, ANY),
    ("urlquery", 0, ANY),
];

impl Callee {
    /// Finds a function by its name in a template: Go's own first, then the language's.
    pub fn named(name: &str) -> Option<Self> {
        let own = OWN.iter().find(|(own, ..)| *own == name);
        own.map(|(name, least, most)| Callee::Own { name, least: *least, most: *most })
            .or_else(|| of_language(name).map(Callee::Language))
    }

    /// Returns the name of the function; a function of the language is without its module.
    pub fn name(self) -> &'static str {
        match self {
            Callee::Own { name, .. } => name,
            Callee::Language(function) => function.name,
        }
    }

    /// The problem with a number of arguments.
    pub fn counts(self, count: usize) -> Result<(), String> {
        let (least, most) = match self {
            Callee::Own { least, most, .. } => (least, most),
            Callee::Language(function) => {
                let count = parameters(function.signatures[0]).len();
                (count, count)
            }
        };
        if (least..=most).contains(&count) {
            return Ok(());
        }
        let wants = if least == most { least.to_string() } else { format!("at least {least}") };
        Err(format!("{} takes {wants} arguments, not {count}", self.name()))
    }
}

/// The language's function for a name with underscores, if its types are simple and it has no state.
fn of_language(name: &str) -> Option<&'static Function> {
    let spelled = |f: &Function| match f.module {
        "" => name == "concat" && f.name == "concat",
        "test" | "golang/math/rand" => false,
        module => name.strip_suffix(f.name).and_then(|rest| rest.strip_suffix('_')).is_some_and(|have| {
            have.len() == module.len()
                && have.bytes().zip(module.bytes()).all(|(a, b)| a == b || (a == b'_' && b == b'/'))
        }),
    };
    let takes_simple = |signature: &'static str| parameters(signature).iter().all(|ty| !ty.contains(['{', '(']));
    let simple = |f: &Function| {
        f.typing == Typing::Signature
            && f.signatures.len() == 1
            && !f.signatures[0].contains('?')
            && takes_simple(f.signatures[0])
    };
    functions().iter().find(|f| spelled(f) && simple(f))
}

/// The types in `func(name type, name type) type`, which are simple.
pub fn parameters(signature: &'static str) -> Vec<&'static str> {
    let inner = signature.strip_prefix("func(").and_then(|rest| rest.split(')').next()).unwrap_or_default();
    inner.split(", ").filter_map(|parameter| parameter.split_once(' ')).map(|(_, ty)| ty).collect()
}

/// Calls one of Go's own, except `and` and `or`, which do not evaluate all arguments.
pub fn call(name: &str, args: &[Data]) -> Result<Data, String> {
    match name {
        "call" => Err(format!("a {} cannot be called", args[0].type_name())),
        "eq" => equals_any(args),
        "ne" => Ok(Data::Bool(!equal(&args[0], &args[1])?)),
        "lt" => Ok(Data::Bool(compare(args)?.is_lt())),
        "le" => Ok(Data::Bool(compare(args)?.is_le())),
        "gt" => Ok(Data::Bool(compare(args)?.is_gt())),
        "ge" => Ok(Data::Bool(compare(args)?.is_ge())),
        "html" => Ok(Data::text(&html::escape(&joined(args)?).replace('\0', "\u{fffd}"))),
        "js" => Ok(Data::text(&script(&joined(args)?))),
        "urlquery" => Ok(Data::text(&query(&joined(args)?))),
        "index" => args[1..].iter().try_fold(args[0].clone(), |value, key| index(&value, key)),
        "slice" => slice(&args[0], &args[1..]),
        "len" => length(&args[0]),
        "not" => Ok(Data::Bool(!args[0].truth())),
        "print" => written(|out| format::print(out, args)),
        "println" => written(|out| format::print_line(out, args)),
        _ => match &args[0] {
            Data::Str(text) => written(|out| format::printf(out, text, &args[1..])),
            other => Err(format!("its format must be a string, not {}", other.type_name())),
        },
    }
}

fn written(write: impl FnOnce(&mut Capped) -> std::fmt::Result) -> Result<Data, String> {
    let mut out = Capped(String::new());
    write(&mut out).map_err(|_| "the text is too long".to_owned())?;
    Ok(Data::Str(out.0.into()))
}

fn joined(args: &[Data]) -> Result<Rc<str>, String> {
    match args {
        [Data::Str(text)] => Ok(text.clone()),
        args => match written(|out| format::print(out, args))? {
            Data::Str(text) => Ok(text),
            _ => Ok("".into()),
        },
    }
}

/// For texts in JavaScript.
fn script(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '\'' | '"' => out.extend(['\\', c]),
            '<' | '>' | '&' | '=' => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c if u32::from(c) < 0x20 || (!c.is_ascii() && !is_printable(c)) => {
                out.push_str(&format!("\\u{:04X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}

/// For a part of a query in a URL.
fn query(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn equals_any(args: &[Data]) -> Result<Data, String> {
    comparable(&args[0])?;
    if args.len() < 2 {
        return Err("there is nothing to compare with".into());
    }
    for other in &args[1..] {
        if equal(&args[0], other)? {
            return Ok(Data::Bool(true));
        }
    }
    Ok(Data::Bool(false))
}

fn comparable(data: &Data) -> Result<(), String> {
    match data {
        Data::List(_) | Data::Map(_) => Err(format!("a {} cannot be compared", data.type_name())),
        _ => Ok(()),
    }
}

fn equal(a: &Data, b: &Data) -> Result<bool, String> {
    comparable(a)?;
    comparable(b)?;
    match (a, b) {
        (Data::Float(a), Data::Float(b)) => Ok(a == b),
        (Data::Nil, other) | (other, Data::Nil) => Ok(matches!(other, Data::Nil)),
        (a, b) if a.has_kind_of(b) => Ok(a.order(b).is_eq()),
        (a, b) => Err(incomparable(a, b)),
    }
}

fn compare(args: &[Data]) -> Result<Ordering, String> {
    let (a, b) = (&args[0], &args[1]);
    let ordered = |data: &Data| matches!(data, Data::Int(..) | Data::Float(_) | Data::Str(_));
    if let Some(other) = [a, b].into_iter().find(|data| !ordered(data)) {
        return Err(format!("a {} cannot be ordered", other.type_name()));
    }
    match (a, b) {
        (Data::Float(a), Data::Float(b)) => Ok(a.partial_cmp(b).unwrap_or(Ordering::Greater)),
        (a, b) if a.has_kind_of(b) => Ok(a.order(b)),
        (a, b) => Err(incomparable(a, b)),
    }
}

fn incomparable(a: &Data, b: &Data) -> String {
    format!("{} and {} cannot be compared", a.type_name(), b.type_name())
}

impl Data {
    fn has_kind_of(&self, other: &Data) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

fn index(value: &Data, key: &Data) -> Result<Data, String> {
    match value {
        Data::Nil => Err("nil has no items".into()),
        Data::List(items) => {
            let at = place(key, items.len(), false)?;
            Ok(items[at].clone())
        }
        Data::Str(text) => {
            let at = place(key, text.len(), false)?;
            Ok(Data::Int(i64::from(text.as_bytes()[at]), Width::Byte))
        }
        Data::Map(map) => {
            let wanted = map.pairs.first().map_or_else(|| "string".into(), |(key, _)| key.type_name());
            let fits = map.pairs.first().is_none_or(|(known, _)| known.has_kind_of(key));
            match fits {
                true => Ok(map.get(key).cloned().unwrap_or(Data::Nil)),
                false => Err(format!("its keys are {wanted}, not {}", key.type_name())),
            }
        }
        other => Err(format!("a {} has no items", other.type_name())),
    }
}

/// An index within a length, or also its end.
fn place(key: &Data, length: usize, end: bool) -> Result<usize, String> {
    let Data::Int(at, _) = key else { return Err(format!("an index is a number, not {}", key.type_name())) };
    let fits = |at: &usize| *at < length || (end && *at == length);
    usize::try_from(*at).ok().filter(fits).ok_or_else(|| format!("the index {at} is out of range: there are {length}"))
}

fn slice(value: &Data, bounds: &[Data]) -> Result<Data, String> {
    let length = match value {
        Data::Str(text) => text.len(),
        Data::List(items) => items.len(),
        other => return Err(format!("a {} cannot be sliced", other.type_name())),
    };
    let most = if matches!(value, Data::Str(_)) { 2 } else { 3 };
    if bounds.len() > most {
        return Err(format!("it takes {most} indexes at most, not {}", bounds.len()));
    }
    let bounds = bounds.iter().map(|key| place(key, length, true)).collect::<Result<Vec<_>, _>>()?;
    let (start, end) = (bounds.first().copied().unwrap_or(0), bounds.get(1).copied().unwrap_or(length));
    if start > end || bounds.get(2).is_some_and(|most| end > *most) {
        return Err(format!("the index {start} is beyond the index {end}"));
    }
    match value {
        Data::Str(text) => {
            let part = text.get(start..end).ok_or("it would cut a character in two")?;
            Ok(Data::text(part))
        }
        Data::List(items) => Ok(Data::List(Rc::new(items[start..end].to_vec()))),
        _ => Ok(Data::Nil),
    }
}

fn length(value: &Data) -> Result<Data, String> {
    let length = match value {
        Data::Str(text) => text.len(),
        Data::List(items) => items.len(),
        Data::Map(map) => map.pairs.len(),
        other => return Err(format!("a {} has no length", other.type_name())),
    };
    Ok(Data::Int(length as i64, Width::Int))
}
