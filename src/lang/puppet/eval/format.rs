//! Formats: `sprintf` as Ruby has it, and those of `String.new`.

use super::convert::{self, inspect, ruby, string};
use super::stop::{Problem, Tried};
use crate::lang::puppet::number;
use crate::lang::puppet::types::{self, Ty, Type};
use crate::lang::puppet::value::Value;

/// Widths and precisions above this are cut.
const MAX_WIDTH: usize = 10_000;

/// One directive: `%-#10.3f`.
#[derive(Clone, Debug)]
struct Spec {
    flags: String,
    width: Option<usize>,
    precision: Option<usize>,
    letter: char,
    /// The opening delimiter of a container.
    delimiter: Option<char>,
}

impl Spec {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    fn pad(&self, text: String) -> String {
        let width = self.width.unwrap_or(0).min(MAX_WIDTH);
        let length = text.chars().count();
        if length >= width {
            return text;
        }
        let blanks = " ".repeat(width - length);
        if self.has('-') { text + &blanks } else { blanks + &text }
    }

    /// A number with its sign, its prefix and zeros.
    fn number(&self, negative: bool, prefix: &str, digits: &str) -> String {
        let sign = match (negative, self.has('+'), self.has(' ')) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        let mut digits = digits.to_string();
        if let Some(precision) = self.precision.filter(|_| "dixXobBu".contains(self.letter)) {
            digits = format!("{digits:0>width$}", width = precision.min(MAX_WIDTH));
        }
        let used = sign.len() + prefix.len() + digits.len();
        let width = self.width.unwrap_or(0).min(MAX_WIDTH);
        if self.has('0')
            && !self.has('-')
            && used < width
            && (self.precision.is_none() || !"dixXobBu".contains(self.letter))
        {
            digits = "0".repeat(width - used) + &digits;
        }
        self.pad(format!("{sign}{prefix}{digits}"))
    }
}

fn integer(spec: &Spec, value: i128) -> String {
    let size = value.unsigned_abs();
    let (digits, prefix) = match spec.letter {
        'x' => (format!("{size:x}"), "0x"),
        'X' => (format!("{size:X}"), "0X"),
        'o' => (format!("{size:o}"), "0"),
        'b' => (format!("{size:b}"), "0b"),
        'B' => (format!("{size:b}"), "0B"),
        _ => (size.to_string(), ""),
    };
    let prefix = if spec.has('#') && size != 0 { prefix } else { "" };
    spec.number(value < 0, prefix, &digits)
}

fn float(spec: &Spec, value: f64) -> String {
    if value.is_nan() || value.is_infinite() {
        return spec.pad(if value.is_nan() { "NaN".into() } else { "Inf".into() });
    }
    let size = value.abs();
    let precision = spec.precision.unwrap_or(6).min(MAX_WIDTH);
    let exponent = |text: String| {
        let (digits, exponent) = text.split_once('e').map(|(d, e)| (d.to_string(), e.to_string())).unwrap_or_default();
        let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent.clone()), |e| ('-', e.to_string()));
        format!("{digits}e{sign}{exponent:0>2}")
    };
    let text = match spec.letter {
        'f' => format!("{size:.precision$}"),
        'e' | 'E' => exponent(format!("{size:.precision$e}")),
        'a' | 'A' => hex_float(size),
        _ => {
            let precision = precision.max(1);
            let scientific = format!("{size:.*e}", precision - 1);
            let power: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
            let trim = |text: String| {
                if text.contains('.') && !spec.has('#') {
                    text.trim_end_matches('0').trim_end_matches('.').to_string()
                } else {
                    text
                }
            };
            if power < -4 || power >= precision as i32 {
                let (digits, rest) = scientific.split_once('e').unwrap_or((&scientific, "0"));
                exponent(format!("{}e{rest}", trim(digits.to_string())))
            } else {
                trim(format!("{size:.*}", (precision as i32 - 1 - power).max(0) as usize))
            }
        }
    };
    let text = if spec.letter.is_ascii_uppercase() { text.to_uppercase() } else { text };
    spec.number(value.is_sign_negative() && value != 0.0, "", &text)
}

fn hex_float(size: f64) -> String {
    if size == 0.0 {
        return "0x0p+0".into();
    }
    let bits = size.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1023;
    let fraction = format!("{:013x}", bits & 0x000f_ffff_ffff_ffff);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("0x1{point}{fraction}p{exponent:+}")
}

/// Ruby's `sprintf`.
pub fn sprintf(format: &str, args: &[Value]) -> Tried<String> {
    let mut out = String::new();
    let mut chars = format.chars().peekable();
    let mut next = 0;
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = Spec { flags: String::new(), width: None, precision: None, letter: '%', delimiter: None };
        let mut named: Option<Value> = None;
        let mut take = |position: Option<usize>| -> Tried {
            let index = position.unwrap_or_else(|| {
                next += 1;
                next - 1
            });
            args.get(index).cloned().ok_or_else(|| Problem::runtime("too few arguments"))
        };
        let mut position = None;
        loop {
            match chars.peek().copied() {
                Some(flag @ ('-' | '+' | ' ' | '0' | '#')) => {
                    spec.flags.push(flag);
                    chars.next();
                }
                Some(open @ ('<' | '{')) => {
                    chars.next();
                    let close = if open == '<' { '>' } else { '}' };
                    let name: String = chars.by_ref().take_while(|c| *c != close).collect();
                    let found = args.first().and_then(|h| h.get(&name)).cloned();
                    let Some(found) = found else {
                        return Err(Problem::runtime(format!("key{open}{name}{close} not found")));
                    };
                    if open == '{' {
                        out.push_str(&spec.pad(string(&found)));
                        spec.letter = '\0';
                        break;
                    }
                    named = Some(found);
                }
                Some('*') => {
                    chars.next();
                    if let Value::Int(width) = take(None)? {
                        if width < 0 {
                            spec.flags.push('-');
                        }
                        spec.width = usize::try_from(width.unsigned_abs()).ok();
                    }
                }
                Some(d) if d.is_ascii_digit() => {
                    let mut digits = String::new();
                    while let Some(d) = chars.next_if(char::is_ascii_digit) {
                        digits.push(d);
                    }
                    if chars.next_if_eq(&'$').is_some() {
                        position = digits.parse::<usize>().ok().and_then(|p| p.checked_sub(1));
                    } else {
                        spec.width = digits.parse().ok();
                    }
                }
                Some('.') => {
                    chars.next();
                    let mut digits = String::new();
                    while let Some(d) = chars.next_if(char::is_ascii_digit) {
                        digits.push(d);
                    }
                    spec.precision = Some(digits.parse().unwrap_or(0));
                }
                Some(letter) => {
                    chars.next();
                    spec.letter = letter;
                    break;
                }
                None => return Err(Problem::runtime("incomplete format specifier; use %% (double %) instead")),
            }
        }
        match spec.letter {
            '\0' => continue,
            '%' => {
                out.push('%');
                continue;
            }
            _ => {}
        }
        let value = match named {
            Some(value) => value,
            None => take(position)?,
        };
        out.push_str(&formatted(&spec, &value)?);
    }
    Ok(out)
}

fn as_number(value: &Value) -> Tried {
    Ok(match value {
        Value::Int(_) | Value::Float(_) => value.clone(),
        Value::Str(text) => {
            number::parse(text).ok_or_else(|| Problem::runtime(format!("invalid value for Float(): \"{text}\"")))?
        }
        Value::Timestamp(value) | Value::Timespan(value) => Value::Float(*value as f64 / 1e9),
        other => return Err(Problem::runtime(format!("can't convert {} into Integer", types::infer_generic(other)))),
    })
}

fn formatted(spec: &Spec, value: &Value) -> Tried<String> {
    Ok(match spec.letter {
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' | 'b' | 'B' => match as_number(value)? {
            Value::Int(value) if value < 0 && "xXobB".contains(spec.letter) && !spec.has('+') && !spec.has(' ') => {
                let text = match spec.letter {
                    'x' => format!("..f{:x}", (value & 0xff_ffff_ffff) as u64).replace("fffffffff", "f"),
                    _ => integer(spec, i128::from(value)),
                };
                spec.pad(text)
            }
            Value::Int(value) => integer(spec, i128::from(value)),
            Value::Float(value) => integer(spec, value.floor() as i128),
            _ => String::new(),
        },
        'f' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' => match as_number(value)? {
            Value::Int(value) => float(spec, value as f64),
            Value::Float(value) => float(spec, value),
            _ => String::new(),
        },
        'c' => match value {
            Value::Int(code) => spec.pad(u32::try_from(*code).ok().and_then(char::from_u32).unwrap_or('?').to_string()),
            other => spec.pad(string(other).chars().take(1).collect()),
        },
        's' => {
            let text = match value {
                Value::Array(_) | Value::Hash(_) => ruby(value),
                other => string(other),
            };
            spec.pad(cut(text, spec.precision))
        }
        'p' => spec.pad(cut(ruby(value), spec.precision)),
        other => return Err(Problem::runtime(format!("malformed format string - %{other}"))),
    })
}

fn cut(text: String, precision: Option<usize>) -> String {
    match precision {
        Some(most) => text.chars().take(most).collect(),
        None => text,
    }
}

/// `String.new(value, format)`.
pub fn string_new(args: &[Value]) -> Tried<String> {
    let value = match args.first() {
        Some(value) if args.len() <= 2 => value,
        _ => return Err(Problem::runtime("'new_String' expects between 1 and 2 arguments")),
    };
    let formats = match args.get(1) {
        None | Some(Value::Default) => Vec::new(),
        Some(Value::Str(format)) => vec![
            (types::infer_generic(value), Format::of(&Value::Str(format.clone()))?),
            (Type::Any.into(), Format::of(&Value::Str(format.clone()))?),
        ],
        Some(Value::Hash(map)) => {
            let mut formats = Vec::new();
            for (ty, format) in map.iter() {
                let Value::Type(ty) = ty else { return Err(Problem::runtime("the keys of formats are types")) };
                formats.push((ty.clone(), Format::of(format)?));
            }
            formats
        }
        Some(other) => {
            return Err(Problem::runtime(format!(
                "'new_String' parameter 'string_formats' expects a value of type Default, String, or Hash, got {}",
                types::infer_generic(other)
            )));
        }
    };
    let is_plain = matches!(args.get(1), Some(Value::Str(_)));
    let mut formats = formats;
    if is_plain {
        // One format is for the value itself; what is in it has the standard ones.
        formats.truncate(1);
        formats[0].0 = exact(value);
    }
    Converter { formats }.text(value, 0)
}

fn exact(value: &Value) -> Ty {
    match value {
        Value::Array(_) => types::named("Array"),
        Value::Hash(_) => types::named("Hash"),
        Value::Object(_) | Value::Iterator(_) => None,
        _ => None,
    }
    .unwrap_or_else(|| types::generalise(&types::infer(value)))
}

#[derive(Clone, Debug)]
struct Format {
    spec: Spec,
    separator: Option<String>,
    separator2: Option<String>,
    inner: Vec<(Ty, Format)>,
}

impl Format {
    fn of(value: &Value) -> Tried<Self> {
        match value {
            Value::Str(text) => Ok(Self { spec: spec(text)?, separator: None, separator2: None, inner: Vec::new() }),
            Value::Hash(map) => {
                let get = |name: &str| map.get(&Value::str(name));
                let text = |name: &str| get(name).map(string);
                let mut inner = Vec::new();
                if let Some(Value::Hash(formats)) = get("string_formats") {
                    for (ty, format) in formats.iter() {
                        if let Value::Type(ty) = ty {
                            inner.push((ty.clone(), Self::of(format)?));
                        }
                    }
                }
                let spec = match get("format") {
                    Some(Value::Str(format)) => spec(format)?,
                    _ => spec("%a").map(|mut s| {
                        s.letter = 's';
                        s
                    })?,
                };
                Ok(Self { spec, separator: text("separator"), separator2: text("separator2"), inner })
            }
            _ => Err(Problem::runtime("a format is a string or a hash")),
        }
    }
}

fn spec(text: &str) -> Tried<Spec> {
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
    let mut digits = String::new();
    while let Some(d) = chars.next_if(char::is_ascii_digit) {
        digits.push(d);
    }
    spec.width = digits.parse().ok();
    if chars.next_if_eq(&'.').is_some() {
        let mut digits = String::new();
        while let Some(d) = chars.next_if(char::is_ascii_digit) {
            digits.push(d);
        }
        spec.precision = digits.parse().ok();
    }
    spec.letter = chars.next().filter(char::is_ascii_alphabetic).ok_or_else(refused)?;
    if chars.next().is_some() {
        return Err(refused());
    }
    Ok(spec)
}

struct Converter {
    formats: Vec<(Ty, Format)>,
}

impl Converter {
    /// The most specific format for a value.
    fn format(&self, value: &Value) -> Option<&Format> {
        let mut best: Option<&(Ty, Format)> = None;
        for entry in &self.formats {
            if types::is_instance(&entry.0, value) && best.is_none_or(|b| types::assignable(&b.0, &entry.0)) {
                best = Some(entry);
            }
        }
        best.map(|(_, format)| format)
    }

    fn text(&self, value: &Value, depth: usize) -> Tried<String> {
        if depth > 100 {
            return Err(Problem::runtime("the value is nested too deep"));
        }
        let format = self.format(value);
        let Some(format) = format else {
            return Ok(match value {
                Value::Array(_) | Value::Hash(_) => self.container(value, None, depth)?,
                // Texts inside of containers are quoted.
                _ if depth > 0 => inspect(value),
                other => string(other),
            });
        };
        let spec = &format.spec;
        let bad = |kind: &str, known: &str| {
            Problem::runtime(format!(
                "Illegal format '{}' specified for value of {kind} type - expected one of the characters '{known}'",
                spec.letter
            ))
        };
        let padded = |text: String| spec.pad(cut(text, spec.precision));
        Ok(match value {
            Value::Array(_) | Value::Hash(_) => self.container(value, Some(format), depth)?,
            Value::Undef => match spec.letter {
                'n' => padded(if spec.has('#') { "null".into() } else { "nil".into() }),
                'u' => padded(if spec.has('#') { "undefined".into() } else { "undef".into() }),
                'v' => padded("n/a".into()),
                'V' => padded("N/A".into()),
                'd' | 'x' | 'X' | 'o' | 'b' | 'B' | 'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => padded("NaN".into()),
                's' => padded(if spec.has('#') { "\"\"".into() } else { String::new() }),
                'p' => padded(if spec.has('#') { "'undef'".into() } else { "undef".into() }),
                _ => return Err(bad("Undef", "nudxXobBeEfgGaAvVsp")),
            },
            Value::Default => match spec.letter {
                'd' | 's' | 'p' => padded(if spec.has('#') { "\"default\"".into() } else { "default".into() }),
                'D' => padded(if spec.has('#') { "\"Default\"".into() } else { "Default".into() }),
                _ => return Err(bad("Default", "dDsp")),
            },
            Value::Bool(value) => match spec.letter {
                't' => padded(if spec.has('#') { (if *value { "t" } else { "f" }).into() } else { value.to_string() }),
                'T' => padded(if spec.has('#') {
                    (if *value { "T" } else { "F" }).into()
                } else {
                    (if *value { "True" } else { "False" }).into()
                }),
                'y' => padded(if spec.has('#') {
                    (if *value { "y" } else { "n" }).into()
                } else {
                    (if *value { "yes" } else { "no" }).into()
                }),
                'Y' => padded(if spec.has('#') {
                    (if *value { "Y" } else { "N" }).into()
                } else {
                    (if *value { "Yes" } else { "No" }).into()
                }),
                'd' | 'x' | 'X' | 'o' | 'b' | 'B' => integer(spec, i128::from(*value)),
                'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => float(spec, f64::from(u8::from(*value))),
                's' | 'p' => padded(value.to_string()),
                _ => return Err(bad("Boolean", "tTyYdxXobBeEfgGaAsp")),
            },
            Value::Int(value) => match spec.letter {
                'd' | 'x' | 'X' | 'o' | 'b' | 'B' => integer(spec, i128::from(*value)),
                'p' => integer(&Spec { letter: 'd', ..spec.clone() }, i128::from(*value)),
                'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => float(spec, *value as f64),
                'c' => {
                    let c = u32::try_from(*value).ok().and_then(char::from_u32).unwrap_or('?').to_string();
                    padded(if spec.has('#') { format!("\"{c}\"") } else { c })
                }
                's' => padded(if spec.has('#') { format!("\"{value}\"") } else { value.to_string() }),
                _ => return Err(bad("Integer", "dxXobBeEfgGaAspc")),
            },
            Value::Float(value) => match spec.letter {
                'd' | 'x' | 'X' | 'o' | 'b' | 'B' => integer(spec, value.trunc() as i128),
                'e' | 'E' | 'f' | 'g' | 'G' | 'a' | 'A' => float(spec, *value),
                'p' => match (spec.width, spec.precision) {
                    (None, None) => number::float(*value),
                    _ => float(&Spec { letter: 'g', ..spec.clone() }, *value),
                },
                's' => {
                    padded(if spec.has('#') { format!("\"{}\"", number::float(*value)) } else { number::float(*value) })
                }
                _ => return Err(bad("Float", "dxXobBeEfgGaAsp")),
            },
            Value::Str(text) => {
                let text = match spec.letter {
                    's' => text.to_string(),
                    'p' => {
                        return Ok(spec.pad(cut(
                            if spec.has('#') {
                                format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
                            } else {
                                inspect(value)
                            },
                            spec.precision,
                        )));
                    }
                    'd' => text.to_lowercase(),
                    'u' => text.to_uppercase(),
                    'c' => capital(text),
                    'C' => text.split("::").map(capital).collect::<Vec<_>>().join("::"),
                    't' => text.trim().to_string(),
                    _ => return Err(bad("String", "cCudspt")),
                };
                padded(if spec.has('#') {
                    inspect(&Value::str(text)).replace('\'', if spec.letter == 's' { "\"" } else { "'" })
                } else {
                    text
                })
            }
            Value::Regexp(_) => match spec.letter {
                'p' => padded(inspect(value)),
                's' => {
                    let source = inspect(value);
                    padded(if spec.has('#') { format!("\"{source}\"") } else { source })
                }
                _ => return Err(bad("Regexp", "sp")),
            },
            Value::Type(ty) => match spec.letter {
                's' => padded(if spec.has('#') { format!("\"{ty}\"") } else { ty.to_string() }),
                'p' => padded(ty.to_string()),
                _ => return Err(bad("Type", "sp")),
            },
            Value::Binary(bytes) => match spec.letter {
                's' => padded(String::from_utf8_lossy(bytes).into_owned()),
                'p' => padded(inspect(value)),
                _ => padded(string(value)),
            },
            other => match spec.letter {
                'p' => padded(inspect(other)),
                's' | 'd' => padded(string(other)),
                'q' | 'Q' => padded(convert::quoted(&string(other))),
                _ => return Err(bad("Object", "spq")),
            },
        })
    }

    fn container(&self, value: &Value, format: Option<&Format>, depth: usize) -> Tried<String> {
        let is_hash = matches!(value, Value::Hash(_));
        let letter = format.map_or('p', |f| f.spec.letter);
        let known = if is_hash { "hasp" } else { "asp" };
        if !known.contains(letter) {
            let kind = if is_hash { "Hash" } else { "Array" };
            return Err(Problem::runtime(format!(
                "Illegal format '{letter}' specified for value of {kind} type - expected one of the characters '{known}'"
            )));
        }
        if is_hash && letter == 'a' {
            let Value::Hash(map) = value else { return Ok(String::new()) };
            let list = map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect();
            return self.container(&Value::array(list), format, depth);
        }
        let spec = format.map(|f| &f.spec);
        let is_alt = spec.is_some_and(|s| s.has('#'));
        let open = match spec.and_then(|s| s.delimiter) {
            Some('|') => ("|", "|"),
            Some('[') => ("[", "]"),
            Some('{') => ("{", "}"),
            Some('(') => ("(", ")"),
            Some('<') => ("<", ">"),
            Some(_) | None if is_hash => ("{", "}"),
            _ => ("[", "]"),
        };
        let separator =
            format.and_then(|f| f.separator.clone()).unwrap_or_else(|| if is_alt { ",".into() } else { ", ".into() });
        let arrow = format.and_then(|f| f.separator2.clone()).unwrap_or_else(|| " => ".into());
        let inner = match format {
            Some(format) if !format.inner.is_empty() => Converter { formats: format.inner.clone() },
            _ => Converter { formats: self.formats.clone() },
        };
        let item = |value: &Value| -> Tried<String> { inner.text(value, depth + 1) };
        let mut items = Vec::new();
        match value {
            Value::Array(list) => {
                for value in list.iter() {
                    items.push((item(value)?, matches!(value, Value::Array(_) | Value::Hash(_))));
                }
            }
            Value::Hash(map) => {
                for (key, value) in map.iter() {
                    items.push((format!("{}{arrow}{}", item(key)?, item(value)?), false));
                }
            }
            _ => {}
        }
        let mut out = String::from(open.0);
        let indent = "  ".repeat(depth + 1);
        for (i, (text, _)) in items.iter().enumerate() {
            if i > 0 {
                out.push_str(&separator);
            }
            if is_alt && is_hash {
                out.push('\n');
                out.push_str(&indent);
            } else if is_alt && i > 0 {
                out.push(' ');
            }
            out.push_str(text);
        }
        if is_alt && is_hash && !items.is_empty() {
            out.push('\n');
            out.push_str(&"  ".repeat(depth));
        }
        out.push_str(open.1);
        Ok(match spec {
            Some(spec) => spec.pad(out),
            None => out,
        })
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |c| c.to_uppercase().chain(chars).collect())
}
