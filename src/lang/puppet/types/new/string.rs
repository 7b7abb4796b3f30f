//! `String.new`: a value as text, with a format for each type.

use crate::lang::puppet::convert::{inspect, ruby, string};
use crate::lang::puppet::format::{Spec, character, cut, formatted};
use crate::lang::puppet::stop::{Computed, Problem};
use crate::lang::puppet::types::{self, Ty, Type};
use crate::lang::puppet::value::{Map, Value};
use crate::lang::ruby::number;

/// `String.new(value, format)`.
pub fn string_new(args: &[Value]) -> Computed<String> {
    let value = match args.first() {
        Some(value) if args.len() <= 2 => value,
        _ => return Err(Problem::wrong_count("'new_String' expects between 1 and 2 arguments")),
    };
    let own = match args.get(1) {
        None | Some(Value::Default) => Vec::new(),
        Some(format @ Value::Str(_)) => {
            let ty = match value {
                Value::Array(_) | Value::Iterator(_) => types::named("Array"),
                Value::Hash(_) => types::named("Hash"),
                _ => None,
            };
            vec![(ty.unwrap_or_else(|| types::infer(value)), Format::of(format)?)]
        }
        Some(Value::Hash(map)) => formats(map)?,
        Some(other) => {
            return Err(Problem::wrong_type(format!(
                "'new_String' parameter 'string_formats' expects a value of type Default, String, or Hash, got {}",
                types::infer_generic(other)
            )));
        }
    };
    text(value, &merged(defaults()?, own), Indent { level: 0, is_first: true, breaks: false })
}

#[derive(Clone, Debug)]
struct Format {
    spec: Spec,
    separator: Option<String>,
    separator2: Option<String>,
    inner: Option<Formats>,
}

type Formats = Vec<(Ty, Format)>;

/// How deep a part of a container is, and whether it begins on a line of its own.
#[derive(Clone, Copy)]
struct Indent {
    level: usize,
    is_first: bool,
    breaks: bool,
}

impl Indent {
    fn padding(self) -> String {
        "  ".repeat(self.level)
    }

    /// What comes before the part.
    fn start(self) -> String {
        let is_own_line = self.breaks && self.level > 0 && !self.is_first;
        if is_own_line { format!("\n{}", self.padding()) } else { String::new() }
    }

    fn increased(self, breaks: bool) -> Self {
        Self { level: self.level + 1, is_first: true, breaks }
    }
}

impl Format {
    fn of(value: &Value) -> Computed<Self> {
        match value {
            Value::Str(text) => Ok(Self { spec: spec(text)?, separator: None, separator2: None, inner: None }),
            Value::Hash(map) => {
                const KEYS: [&str; 4] = ["separator", "separator2", "format", "string_formats"];
                if map.keys().any(|key| !matches!(key, Value::Str(key) if KEYS.contains(&&**key))) {
                    return Err(Problem::runtime(format!(
                        "only {} are allowed in a container format, got {}",
                        KEYS.map(|key| format!("'{key}'")).join(", "),
                        ruby(value)
                    )));
                }
                let get = |name: &str| map.get(&Value::str(name));
                let mut format = match get("format") {
                    Some(format @ Value::Str(_)) => Self::of(format)?,
                    _ => return Err(Problem::runtime("a container format needs the key 'format'")),
                };
                format.separator = get("separator").map(string);
                format.separator2 = get("separator2").map(string);
                format.inner = match get("string_formats") {
                    Some(Value::Hash(inner)) => Some(formats(inner)?),
                    _ => None,
                };
                Ok(format)
            }
            _ => Err(Problem::runtime("a format is a string or a hash")),
        }
    }

    /// This format with what only a less specific one has.
    fn over(self, lower: Format) -> Self {
        Self {
            separator: self.separator.or(lower.separator),
            separator2: self.separator2.or(lower.separator2),
            inner: match (lower.inner, self.inner) {
                (Some(lower), Some(own)) => Some(merged(lower, own)),
                (lower, own) => own.or(lower),
            },
            ..self
        }
    }
}

fn formats(map: &Map) -> Computed<Formats> {
    let mut out = Vec::new();
    for (ty, format) in map.iter() {
        let Value::Type(ty) = ty else {
            return Err(Problem::runtime("top level keys in the format hash must be data types"));
        };
        out.push((ty.clone(), Format::of(format)?));
    }
    Ok(out)
}

fn defaults() -> Computed<Formats> {
    let rows = [
        ("Float", "%f"),
        ("Numeric", "%d"),
        ("Array", "%a"),
        ("Hash", "%h"),
        ("Binary", "%B"),
        ("Object", "%p"),
        ("Any", "%s"),
    ];
    let inner = || -> Computed<Formats> { Ok(vec![(Type::Any.into(), Format::of(&Value::str("%p"))?)]) };
    let mut out = Vec::new();
    for (name, text) in rows {
        let Some(ty) = types::named(name) else { continue };
        let mut format = Format::of(&Value::str(text))?;
        if matches!(name, "Array" | "Hash") {
            format.inner = Some(inner()?);
        }
        out.push((ty, format));
    }
    Ok(out)
}

/// Formats of a program over the standard ones: a wider type of the program hides what is narrower below.
fn merged(lower: Formats, higher: Formats) -> Formats {
    let mut lower: Formats = lower
        .into_iter()
        .filter(|(ty, _)| !higher.iter().any(|(above, _)| above != ty && types::assignable(above, ty)))
        .collect();
    let mut out = Vec::new();
    for (ty, format) in higher {
        let format = match lower.iter().position(|(below, _)| *below == ty) {
            Some(at) => format.over(lower.remove(at).1),
            None => format,
        };
        out.push((ty, format));
    }
    out.extend(lower);
    out
}

/// The most specific format for a value.
fn format_for<'f>(formats: &'f Formats, value: &Value) -> Option<&'f Format> {
    let mut best: Option<&(Ty, Format)> = None;
    for entry in formats {
        if types::is_instance(&entry.0, value)
            && best.is_none_or(|b| types::assignable(&b.0, &entry.0) && b.0 != entry.0)
        {
            best = Some(entry);
        }
    }
    best.map(|(_, format)| format)
}

fn spec(text: &str) -> Computed<Spec> {
    let refused = || {
        Problem::runtime(format!(
            "The format '{text}' is not a valid format on the form '%<flags><width>.<prec><format>'"
        ))
    };
    let mut chars = text.chars().peekable();
    if chars.next() != Some('%') {
        return Err(refused());
    }
    let mut spec = Spec { flags: String::new(), width: None, precision: None, letter: 's', delimiter: None };
    while let Some(flag) = chars.next_if(|c| " +-#0[{(<|".contains(*c)) {
        if "[{(<|".contains(flag) {
            if spec.delimiter.is_some() {
                return Err(Problem::runtime("Only one of the delimiters [ { ( < | can be given in the format flags"));
            }
            spec.delimiter = Some(flag);
        }
        if spec.has(flag) {
            return Err(Problem::runtime(format!("The same flag can only be used once, got '{text}'")));
        }
        spec.flags.push(flag);
    }
    let digits: String = std::iter::from_fn(|| chars.next_if(char::is_ascii_digit)).collect();
    spec.width = match digits.is_empty() {
        true => None,
        false => Some(digits.parse().map_err(|_| refused())?),
    };
    if chars.next_if_eq(&'.').is_some() {
        let digits: String = std::iter::from_fn(|| chars.next_if(char::is_ascii_digit)).collect();
        spec.precision = Some(digits.parse().map_err(|_| refused())?);
    }
    spec.letter = chars.next().filter(char::is_ascii_alphabetic).ok_or_else(refused)?;
    if chars.next().is_some() {
        return Err(refused());
    }
    spec.check()?;
    Ok(spec)
}

/// Ruby's own formatting, which knows no delimiters.
fn kernel(spec: &Spec, letter: char, value: &Value) -> Computed<String> {
    match spec.delimiter {
        Some(delimiter) => Err(Problem::runtime(format!("malformed format string - %{delimiter}"))),
        None => formatted(&Spec { letter, ..spec.clone() }, value),
    }
}

/// In single quotes where they do, else in double quotes; a backslash stays as it is in single quotes.
fn quoted(text: &str, double: bool) -> String {
    if !double && !text.chars().any(|c| c < ' ') {
        let mut out = String::from("'");
        let mut is_escaped = false;
        for c in text.chars() {
            if c == '\'' && !is_escaped {
                out.push('\\');
            }
            is_escaped = c == '\\' && !is_escaped;
            out.push(c);
        }
        out.push('\'');
        return out;
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' | '$' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c < ' ' => out.push_str(&format!("\\u{{{:X}}}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn bad<V>(spec: &Spec, kind: &str, known: &str) -> Computed<V> {
    Err(Problem::runtime(format!(
        "Illegal format '{}' specified for value of {kind} type - expected one of the characters '{known}'",
        spec.letter
    )))
}

fn text(value: &Value, formats: &Formats, indent: Indent) -> Computed<String> {
    if indent.level > 100 {
        return Err(Problem::runtime("the value is nested too deep").help("give inner parts names with variables"));
    }
    let standard = Format::of(&Value::str("%s"))?;
    let format = format_for(formats, value).unwrap_or(&standard);
    let spec = &format.spec;
    let is_alt = spec.has('#');
    let padded = |text: &str| -> String { spec.pad(cut(text.to_string(), spec.precision)) };
    let plain = |text: &str| kernel(spec, 's', &Value::str(text));
    Ok(match value {
        Value::Array(list) => array(list, format, formats, indent)?,
        Value::Iterator(items) => text(&Value::array(items.items.clone()), formats, indent)?,
        Value::Hash(map) => hash(map, format, formats, indent)?,
        Value::Undef => padded(undef(spec)?),
        Value::Default => padded(default(spec)?),
        Value::Bool(value) => boolean(*value, spec)?,
        Value::Int(number) => match spec.letter {
            'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'p' => kernel(spec, spec.letter, value)?,
            'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => kernel(spec, spec.letter, &Value::Float(*number as f64))?,
            'c' => {
                let c = character(*number)?;
                plain(&if is_alt { format!("\"{c}\"") } else { c })?
            }
            's' => kernel(spec, if is_alt { 'p' } else { 's' }, &Value::str(number.to_string()))?,
            _ => return bad(spec, "Integer", "dxXobBeEfgGaAspc"),
        },
        Value::Float(float) => match spec.letter {
            'd' | 'x' | 'X' | 'o' | 'b' | 'B' => kernel(spec, spec.letter, &Value::Float(float.trunc()))?,
            'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' | 'p' => kernel(spec, spec.letter, value)?,
            's' => {
                let shown = number::float(*float);
                plain(&if is_alt { format!("\"{shown}\"") } else { shown })?
            }
            _ => return bad(spec, "Float", "dxXobBeEfgGaAsp"),
        },
        Value::Str(given) => {
            let changed = match spec.letter {
                's' => return plain(given),
                'p' => return Ok(padded(&quoted(given, is_alt))),
                'd' => given.to_lowercase(),
                'u' => given.to_uppercase(),
                'c' => capital(given),
                'C' => given.split("::").map(capital).collect::<Vec<_>>().join("::"),
                't' => given.trim().to_string(),
                _ => return bad(spec, "String", "cCudspt"),
            };
            if is_alt { padded(&quoted(&changed, false)) } else { plain(&changed)? }
        }
        Value::Regexp(regexp) => match spec.letter {
            'p' => plain(&inspect(value))?,
            's' if is_alt => plain(&quoted(&regexp.source, false))?,
            's' => plain(&regexp.source)?,
            _ => return bad(spec, "Regexp", "sp"),
        },
        Value::Type(ty) => match spec.letter {
            's' if is_alt => plain(&format!("\"{ty}\""))?,
            's' | 'p' => plain(&crate::lang::puppet::types::written_out(ty))?,
            _ => return bad(spec, "Type", "sp"),
        },
        Value::Uri(uri) => match spec.letter {
            'p' => inspect(value),
            's' => plain(&if is_alt { quoted(uri, false) } else { uri.to_string() })?,
            _ => return bad(spec, "URI", "sp"),
        },
        Value::Binary(bytes) => binary(bytes, spec, &string(value))?,
        Value::Object(object) => match spec.letter {
            'p' if is_alt || indent.breaks => {
                let (inside, outside) = (indent.increased(true).padding(), indent.padding());
                let entries: Vec<String> = object
                    .entries()
                    .into_iter()
                    .map(|(name, value)| format!("\n{inside}'{name}' => {}", inspect(&value)))
                    .collect();
                format!("{}({{{}\n{outside}}})", types::object_name(&object.ty), entries.join(","))
            }
            's' | 'p' | 'q' => string(value),
            _ => return bad(spec, "Object", "spq"),
        },
        // Of what Ruby's own formatting shows, a secret says that it is one.
        Value::Sensitive(_) if spec.letter == 'p' => plain("#<Sensitive [value redacted]>")?,
        Value::SemVer(_) | Value::SemVerRange(_) if spec.letter == 'p' => plain(&string(value))?,
        Value::Timespan(_) | Value::Timestamp(_) if spec.letter == 'p' => plain(&inspect(value))?,
        other => kernel(spec, spec.letter, other)?,
    })
}

/// How `undef` is written.
fn undef(spec: &Spec) -> Computed<&'static str> {
    Ok(match (spec.letter, spec.has('#')) {
        ('n', true) => "null",
        ('n', false) => "nil",
        ('u', true) => "undefined",
        ('u' | 'p', false) => "undef",
        ('p', true) => "\"undef\"",
        ('s', true) => "\"\"",
        ('s', false) => "",
        ('v', _) => "n/a",
        ('V', _) => "N/A",
        ('d' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A', _) => "NaN",
        _ => return bad(spec, "Undef", "nudxXobBeEfgGaAvVsp"),
    })
}

/// How `default` is written.
fn default(spec: &Spec) -> Computed<&'static str> {
    Ok(match (spec.letter, spec.has('#')) {
        ('d' | 's' | 'p', true) => "\"default\"",
        ('d' | 's' | 'p', false) => "default",
        ('D', true) => "\"Default\"",
        ('D', false) => "Default",
        _ => return bad(spec, "Default", "dDsp"),
    })
}

fn boolean(value: bool, spec: &Spec) -> Computed<String> {
    let word = match (spec.letter, value) {
        ('t' | 's' | 'p', true) => "true",
        ('t' | 's' | 'p', false) => "false",
        ('T', true) => "True",
        ('T', false) => "False",
        ('y', true) => "yes",
        ('y', false) => "no",
        ('Y', true) => "Yes",
        ('Y', false) => "No",
        ('d' | 'x' | 'X' | 'o' | 'b' | 'B', _) => {
            return kernel(spec, spec.letter, &Value::Int(i64::from(value)));
        }
        ('e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A', _) => {
            return kernel(spec, spec.letter, &Value::Float(f64::from(u8::from(value))));
        }
        _ => return bad(spec, "Boolean", "tTyYdxXobBeEfgGaAsp"),
    };
    let is_short = spec.has('#') && "tTyY".contains(spec.letter);
    let word = if is_short { &word[..1] } else { word };
    Ok(spec.pad(cut(word.to_string(), spec.precision)))
}

fn binary(bytes: &[u8], spec: &Spec, base64: &str) -> Computed<String> {
    let letter = if spec.has('#') { 'p' } else { 's' };
    Ok(match spec.letter {
        's' => match (std::str::from_utf8(bytes), spec.has('#')) {
            (Ok(text), _) => kernel(spec, letter, &Value::str(text))?,
            (Err(_), true) => kernel(spec, letter, &Value::str(String::from_utf8_lossy(bytes)))?,
            (Err(_), false) => {
                return Err(Problem::runtime("The given Binary value cannot be encoded as UTF-8"));
            }
        },
        'p' => format!("Binary(\"{}\")", kernel(spec, 's', &Value::str(base64))?),
        'b' => {
            let lines: Vec<String> =
                base64.as_bytes().chunks(60).map(|line| format!("{}\n", String::from_utf8_lossy(line))).collect();
            kernel(spec, letter, &Value::str(lines.concat()))?
        }
        'B' => kernel(spec, letter, &Value::str(base64))?,
        'u' => kernel(spec, letter, &Value::str(base64.replace('+', "-").replace('/', "_")))?,
        't' => kernel(spec, letter, &Value::str("Binary"))?,
        'T' => kernel(spec, letter, &Value::str("BINARY"))?,
        _ => return bad(spec, "Binary", "bButTsp"),
    })
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Hash(_) | Value::Object(_))
}

fn delimiters(spec: &Spec, standard: (&'static str, &'static str)) -> (&'static str, &'static str) {
    match spec.delimiter {
        Some('[') => ("[", "]"),
        Some('{') => ("{", "}"),
        Some('(') => ("(", ")"),
        Some('<') => ("<", ">"),
        Some(_) => ("|", "|"),
        None if spec.has(' ') => ("", ""),
        None => standard,
    }
}

/// What is in a container has the container's formats, except for containers, which have those of the whole.
fn inner<'f>(format: &'f Format, all: &'f Formats, value: &Value) -> &'f Formats {
    match &format.inner {
        Some(inner) if !is_container(value) => inner,
        _ => all,
    }
}

fn array(list: &[Value], format: &Format, formats: &Formats, indent: Indent) -> Computed<String> {
    let spec = &format.spec;
    if !"asp".contains(spec.letter) {
        return bad(spec, "Array", "asp");
    }
    let is_alt = spec.has('#');
    let separator = format.separator.as_deref().unwrap_or(", ");
    let (open, close) = delimiters(spec, ("[", "]"));
    let indent = Indent { breaks: is_alt || indent.breaks, ..indent };
    let mut out = indent.start() + open;
    let children = indent.increased(is_alt);
    let is_nested = |value: &Value| matches!(value, Value::Array(_) | Value::Hash(_));
    let mut parts = Vec::new();
    for value in list {
        parts.push(text(value, inner(format, formats, value), Indent { is_first: false, ..children })?);
    }
    let mut widest = vec![0];
    for (value, part) in list.iter().zip(&parts) {
        match widest.last_mut() {
            Some(last) if !is_nested(value) => *last += part.chars().count(),
            _ => widest.push(0),
        }
    }
    let breaks_by_size = is_alt && spec.width.is_some_and(|width| widest.iter().any(|w| *w > width));
    for (i, (value, part)) in list.iter().zip(&parts).enumerate() {
        if i == 0 {
            if breaks_by_size && !is_nested(value) {
                out.push(' ');
            }
        } else {
            out.push_str(separator);
            let is_behind = is_alt && list.get(i - 1).is_some_and(is_nested) && !is_nested(value);
            if breaks_by_size && !is_nested(value) || is_behind {
                if !out.ends_with('\n') {
                    out.truncate(out.trim_end().len());
                }
                out.push('\n');
                out.push_str(&children.padding());
            }
        }
        if out.ends_with(' ') && part.starts_with('\n') {
            out.truncate(out.trim_end().len());
        }
        out.push_str(part);
    }
    out.push_str(close);
    Ok(out)
}

fn hash(map: &Map, format: &Format, formats: &Formats, indent: Indent) -> Computed<String> {
    let spec = &format.spec;
    if spec.letter == 'a' {
        let pairs = map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect();
        return text(&Value::array(pairs), formats, indent);
    }
    if !"hsp".contains(spec.letter) {
        return bad(spec, "Hash", "hasp");
    }
    let is_alt = spec.has('#');
    let mut separator = format.separator.clone().unwrap_or_else(|| ", ".into());
    let arrow = format.separator2.as_deref().unwrap_or(" => ");
    if is_alt && !separator.ends_with('\n') {
        separator.truncate(separator.trim_end().len());
    }
    if is_alt {
        separator.push('\n');
    }
    let (open, close) = delimiters(spec, ("{", "}"));
    let indent = Indent { breaks: is_alt || indent.breaks, ..indent };
    let children = indent.increased(false);
    let padding = if is_alt { children.padding() } else { String::new() };
    let mut entries = Vec::new();
    for (key, value) in map.iter() {
        let key = text(key, inner(format, formats, key), children)?;
        let value = text(value, inner(format, formats, value), children)?;
        entries.push(format!("{padding}{key}{arrow}{value}"));
    }
    let mut out = indent.start() + open;
    out.push_str(if is_alt { "\n" } else { "" });
    out.push_str(&entries.join(&separator));
    if is_alt {
        out.push('\n');
        out.push_str(&indent.padding());
    }
    out.push_str(close);
    Ok(out)
}

/// The text with its first letter in upper case and the others in lower case.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars.as_str().to_lowercase().chars()).collect())
}
