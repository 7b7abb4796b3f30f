//! Values as text, by Python's rules: `str`, `repr` and `format`.

use num_bigint::BigInt;
use num_traits::Signed;

use super::value::{InstanceId, Value};
use crate::lang::shared::printf;

/// How instances are written.
pub trait Instances {
    /// `str`: the type, and where it was made.
    fn long(&self, instance: InstanceId) -> String;
    /// `repr`: the type and an address.
    fn short(&self, instance: InstanceId) -> String;
}

/// Where no instance can occur.
pub struct NoInstances;

impl Instances for NoInstances {
    fn long(&self, instance: InstanceId) -> String {
        self.short(instance)
    }

    fn short(&self, instance: InstanceId) -> String {
        format!("instance {:02x}", instance.0)
    }
}

/// Python's `str`.
pub fn str(value: &Value, instances: &dyn Instances) -> String {
    match value {
        Value::Str(text) => text.to_string(),
        Value::Instance(instance) => instances.long(*instance),
        _ => repr(value, instances),
    }
}

/// Python's `repr`.
pub fn repr(value: &Value, instances: &dyn Instances) -> String {
    let mut out = String::new();
    write_repr(value, instances, &mut out);
    out
}

/// No text of a value is made longer: parts can be shared, so that a few lines make one that fits into no memory.
pub const LONGEST: usize = 64 << 20;

fn write_repr(value: &Value, instances: &dyn Instances, out: &mut String) {
    // Whoever needs the whole refuses a text of this size.
    if out.len() > LONGEST {
        return;
    }
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "True" } else { "False" }),
        Value::Int(number) => out.push_str(&number.to_string()),
        Value::Big(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&float(*number)),
        Value::Str(text) => quote(text, out),
        Value::List(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if out.len() > LONGEST {
                    return;
                }
                if at > 0 {
                    out.push_str(", ");
                }
                write_repr(item, instances, out);
            }
            out.push(']');
        }
        Value::Dict(dict) => {
            out.push('{');
            for (at, (key, item)) in dict.items.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                quote(key, out);
                out.push_str(": ");
                write_repr(item, instances, out);
            }
            out.push('}');
        }
        Value::Instance(instance) => out.push_str(&instances.short(*instance)),
        Value::Unknown(id) => out.push_str(&format!("<inmanta.execute.util.Unknown object at 0x{:012x}>", id)),
        Value::Skipped => out.push_str("<object object>"),
    }
}

fn quote(text: &str, out: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(quote);
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if character == quote => {
                out.push('\\');
                out.push(character);
            }
            _ if is_printable(character) => out.push(character),
            _ => {
                let code = u32::from(character);
                out.push_str(&match code {
                    0..=0xff => format!("\\x{code:02x}"),
                    0x100..=0xffff => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                });
            }
        }
    }
    out.push(quote);
}

fn is_printable(character: char) -> bool {
    match character {
        ' ' => true,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => false,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{fff9}'..='\u{fffb}' => false,
        _ => !character.is_control() && !character.is_whitespace(),
    }
}

/// The shortest text that reads back as the number, with an exponent where Python writes one.
pub fn float(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_string();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf".to_string() } else { "-inf".to_string() };
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let (digits, exponent) = printf::digits(number.abs(), None);
    format!("{sign}{}", printf::placed(&digits, exponent, -4..16, true))
}

/// Why a value cannot be formatted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatError {
    /// Python's `ValueError`.
    Value(String),
    /// Python's `TypeError`.
    Type(String),
}

/// A format specification, `[[fill]align][sign][#][0][width][grouping][.precision][type]`.
struct Spec {
    fill: char,
    align: Option<char>,
    sign: Option<char>,
    is_alternate: bool,
    width: usize,
    grouping: Option<char>,
    precision: Option<usize>,
    form: Option<char>,
}

/// The widest text that a format may make.
const WIDEST: usize = 1 << 20;

impl Spec {
    fn parse(text: &str) -> Result<Self, FormatError> {
        let invalid = || FormatError::Value("Invalid format specifier".to_string());
        let characters: Vec<char> = text.chars().collect();
        let is_align = |at: usize| characters.get(at).is_some_and(|c| matches!(c, '<' | '>' | '=' | '^'));
        let mut at = 0;
        let mut spec = Spec {
            fill: ' ',
            align: None,
            sign: None,
            is_alternate: false,
            width: 0,
            grouping: None,
            precision: None,
            form: None,
        };
        if characters.len() > 1 && is_align(1) {
            spec.fill = characters[0];
            spec.align = Some(characters[1]);
            at = 2;
        } else if is_align(0) {
            spec.align = Some(characters[0]);
            at = 1;
        }
        if let Some(sign @ ('+' | '-' | ' ')) = characters.get(at) {
            spec.sign = Some(*sign);
            at += 1;
        }
        if characters.get(at) == Some(&'z') {
            at += 1;
        }
        if characters.get(at) == Some(&'#') {
            spec.is_alternate = true;
            at += 1;
        }
        if characters.get(at) == Some(&'0') {
            if spec.align.is_none() {
                spec.fill = '0';
                spec.align = Some('=');
            }
            at += 1;
        }
        let number = |at: &mut usize| -> Result<Option<usize>, FormatError> {
            let start = *at;
            while characters.get(*at).is_some_and(char::is_ascii_digit) {
                *at += 1;
            }
            if start == *at {
                return Ok(None);
            }
            let digits: String = characters[start..*at].iter().collect();
            match digits.parse::<usize>() {
                Ok(number) if number <= WIDEST => Ok(Some(number)),
                _ => Err(FormatError::Value("Too many decimal digits in format string".to_string())),
            }
        };
        spec.width = number(&mut at)?.unwrap_or(0);
        if let Some(grouping @ (',' | '_')) = characters.get(at) {
            spec.grouping = Some(*grouping);
            at += 1;
        }
        if characters.get(at) == Some(&'.') {
            at += 1;
            let missing = || FormatError::Value("Format specifier missing precision".to_string());
            spec.precision = Some(number(&mut at)?.ok_or_else(missing)?);
        }
        if let Some(form) = characters.get(at) {
            spec.form = Some(*form);
            at += 1;
        }
        if at < characters.len() { Err(invalid()) } else { Ok(spec) }
    }

    /// Fills a text up to the width. The sign stays in front of the filling where the alignment is `=`.
    fn pad(&self, sign: &str, body: &str, default: char) -> String {
        let len = sign.chars().count() + body.chars().count();
        let missing = self.width.saturating_sub(len);
        let fill = |count: usize| std::iter::repeat_n(self.fill, count).collect::<String>();
        match self.align.unwrap_or(default) {
            '<' => format!("{sign}{body}{}", fill(missing)),
            '^' => format!("{}{sign}{body}{}", fill(missing / 2), fill(missing - missing / 2)),
            '=' => format!("{sign}{}{body}", fill(missing)),
            _ => format!("{}{sign}{body}", fill(missing)),
        }
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        printf::sign(is_negative, self.sign == Some('+'), self.sign == Some(' '))
    }

    fn unknown_code(&self, of: &str) -> FormatError {
        let form = self.form.unwrap_or(' ');
        FormatError::Value(format!("Unknown format code '{form}' for object of type '{of}'"))
    }

    fn text(&self, text: &str) -> Result<String, FormatError> {
        if !matches!(self.form, None | Some('s')) {
            return Err(self.unknown_code("str"));
        }
        if self.sign.is_some() {
            return Err(FormatError::Value("Sign not allowed in string format specifier".to_string()));
        }
        if self.align == Some('=') && self.fill != '0' {
            return Err(FormatError::Value("'=' alignment not allowed in string format specifier".to_string()));
        }
        if self.grouping.is_some() {
            return Err(FormatError::Value("Cannot specify ',' with 's'.".to_string()));
        }
        let body: String = text.chars().take(self.precision.unwrap_or(usize::MAX)).collect();
        let align = if self.align == Some('=') { Some('<') } else { self.align };
        Ok(Spec { align, ..*self }.pad("", &body, '<'))
    }

    fn integer(&self, number: &BigInt) -> Result<String, FormatError> {
        let magnitude = number.abs();
        let (prefix, digits) = match self.form {
            None | Some('d' | 'n') => ("", magnitude.to_string()),
            Some('b') => ("0b", magnitude.to_str_radix(2)),
            Some('o') => ("0o", magnitude.to_str_radix(8)),
            Some('x') => ("0x", magnitude.to_str_radix(16)),
            Some('X') => ("0X", magnitude.to_str_radix(16).to_uppercase()),
            Some('c') => {
                let code = u32::try_from(number).ok().and_then(char::from_u32);
                let character = code.ok_or_else(|| FormatError::Value("%c arg not in range(0x110000)".to_string()))?;
                return Ok(self.pad("", &character.to_string(), '<'));
            }
            Some('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%') => {
                let float = num_traits::ToPrimitive::to_f64(number).unwrap_or(f64::INFINITY);
                return self.float(float);
            }
            _ => return Err(self.unknown_code("int")),
        };
        if self.precision.is_some() {
            return Err(FormatError::Value("Precision not allowed in integer format specifier".to_string()));
        }
        let group = if matches!(self.form, Some('b' | 'o' | 'x' | 'X')) { 4 } else { 3 };
        let sign = format!("{}{}", self.sign(number.is_negative()), if self.is_alternate { prefix } else { "" });
        Ok(self.pad(&sign, &self.grouped(&digits, group, sign.len()), '>'))
    }

    fn float(&self, number: f64) -> Result<String, FormatError> {
        let is_negative = number.is_sign_negative() && !number.is_nan();
        let magnitude = number.abs();
        let precision = self.precision.unwrap_or(6);
        let mut body = if !number.is_finite() {
            if number.is_nan() { "nan".to_string() } else { "inf".to_string() }
        } else {
            match self.form {
                None if self.precision.is_none() => float(magnitude),
                Some('f' | 'F') => printf::fixed(magnitude, precision),
                Some('%') => printf::fixed(magnitude * 100.0, precision) + "%",
                Some('e' | 'E') => printf::exponential(magnitude, Some(precision)),
                None | Some('g' | 'G' | 'n') => general(magnitude, precision.max(1), self.form.is_none()),
                _ => return Err(self.unknown_code("float")),
            }
        };
        if matches!(self.form, Some('E' | 'F' | 'G')) {
            body = body.to_uppercase();
        }
        if self.grouping.is_some() {
            let end = body.find(|c: char| !c.is_ascii_digit()).unwrap_or(body.len());
            body = format!("{}{}", self.grouped(&body[..end], 3, 0), &body[end..]);
        }
        Ok(self.pad(self.sign(is_negative), &body, '>'))
    }

    /// Digits in groups; zeros that fill are grouped too.
    fn grouped(&self, digits: &str, size: usize, sign: usize) -> String {
        let Some(mark) = self.grouping else { return digits.to_string() };
        let mut digits = digits.to_string();
        let long = |count: usize| count + (count - 1) / size;
        if self.fill == '0' && self.align == Some('=') {
            while sign + long(digits.len() + 1) <= self.width {
                digits.insert(0, '0');
            }
        }
        let mut out = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(size) {
                out.push(mark);
            }
            out.push(digit);
        }
        out
    }
}

/// The `g` form: significant digits without zeros at the end.
fn general(magnitude: f64, precision: usize, keeps_point: bool) -> String {
    let (digits, exponent) = printf::digits(magnitude, Some(precision));
    let end = precision as i32 - i32::from(keeps_point && precision > 1);
    printf::placed(printf::trimmed(&digits), exponent, -4..end, keeps_point)
}

/// Python's `format(value, spec)`.
pub fn format(value: &Value, spec: &str, instances: &dyn Instances) -> Result<String, FormatError> {
    if spec.is_empty() {
        return Ok(str(value, instances));
    }
    match value {
        Value::Str(text) => Spec::parse(spec)?.text(text),
        Value::Float(number) => Spec::parse(spec)?.float(*number),
        Value::Bool(_) | Value::Int(_) | Value::Big(_) => {
            let spec = Spec::parse(spec)?;
            match value.as_big() {
                _ if matches!(spec.form, Some('s')) => Err(spec.unknown_code(value.type_name())),
                Some(number) => spec.integer(&number),
                None => Ok(String::new()),
            }
        }
        _ => {
            let name = value.type_name();
            Err(FormatError::Type(format!("unsupported format string passed to {name}.__format__")))
        }
    }
}

/// One part of a format string: text, and perhaps a field after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    pub field: Option<Field>,
}

/// A field of a format string: `{name!conversion:spec}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub conversion: Option<char>,
    pub spec: String,
}

/// The parts of a format string, as Python's `Formatter().parse` gives them. A doubled brace ends a part.
pub fn pieces(text: &str) -> Result<Vec<Piece>, String> {
    let characters: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let mut literal = String::new();
        let mut field = None;
        while at < characters.len() {
            let character = characters[at];
            at += 1;
            if !matches!(character, '{' | '}') {
                literal.push(character);
                continue;
            }
            if characters.get(at) == Some(&character) {
                literal.push(character);
                at += 1;
            } else if character == '}' {
                return Err("Single '}' encountered in format string".to_string());
            } else if at == characters.len() {
                return Err("Single '{' encountered in format string".to_string());
            } else {
                field = Some(read_field(&characters, &mut at)?);
            }
            break;
        }
        pieces.push(Piece { text: literal, field });
    }
    Ok(pieces)
}

fn read_field(characters: &[char], at: &mut usize) -> Result<Field, String> {
    let mut field = Field { name: String::new(), conversion: None, spec: String::new() };
    let mut in_brackets = false;
    let mut stop = ' ';
    while let Some(&character) = characters.get(*at) {
        *at += 1;
        match character {
            '{' => return Err("unexpected '{' in field name".to_string()),
            '[' => in_brackets = true,
            ']' => in_brackets = false,
            '}' | ':' | '!' if !in_brackets => {
                stop = character;
                break;
            }
            _ => {}
        }
        field.name.push(character);
    }
    if stop == '}' {
        return Ok(field);
    }
    if stop == ' ' {
        return Err("expected '}' before end of string".to_string());
    }
    if stop == '!' {
        let Some(conversion) = characters.get(*at) else {
            return Err("end of string while looking for conversion specifier".to_string());
        };
        field.conversion = Some(*conversion);
        *at += 1;
        match characters.get(*at) {
            Some('}') => {
                *at += 1;
                return Ok(field);
            }
            Some(':') => *at += 1,
            Some(_) => return Err("expected ':' after conversion specifier".to_string()),
            None => return Err("unmatched '{' in format spec".to_string()),
        }
    }
    let mut open = 1;
    while let Some(&character) = characters.get(*at) {
        *at += 1;
        match character {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Ok(field);
        }
        field.spec.push(character);
    }
    Err("unmatched '{' in format spec".to_string())
}

/// Python's `str` of a plain value of a graph.
pub fn of_graph(value: &crate::graph::Value) -> String {
    use crate::graph::Value as Graph;
    match value {
        Graph::Null => "None".into(),
        Graph::Bool(flag) => if *flag { "True" } else { "False" }.into(),
        Graph::Int(number) => number.to_string(),
        Graph::Float(number) => float(*number),
        value => value.as_str().map_or_else(|| format!("{value:?}"), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::Value;
    use super::{NoInstances, float, format, pieces, repr};

    #[test]
    fn floats_are_written_as_in_python() {
        for (number, text) in [
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e16, "1e+16"),
            (1e-5, "1e-05"),
            (123_456.75, "123456.75"),
            (0.0001, "0.0001"),
        ] {
            assert_eq!(float(number), text);
        }
    }

    #[test]
    fn values_are_written_as_in_python() {
        let list = Value::list(vec![Value::Int(1), Value::str("it's"), Value::Null, Value::Bool(true)]);
        assert_eq!(repr(&list, &NoInstances), "[1, \"it's\", null, True]");
    }

    #[test]
    fn formats_follow_python() {
        let formatted = |value: Value, spec: &str| format(&value, spec, &NoInstances);
        for (value, spec, text) in [
            (Value::Int(42), "05", "00042"),
            (Value::Int(-42), "+d", "-42"),
            (Value::Int(1_234_567), ",", "1,234,567"),
            (Value::Int(255), "#x", "0xff"),
            (Value::Float(3.144), ".2f", "3.14"),
            (Value::Float(1.5), "8.3f", "   1.500"),
            (Value::Float(0.00001234), ".3g", "1.23e-05"),
            (Value::Float(0.25), "%", "25.000000%"),
            (Value::str("ab"), "^6", "  ab  "),
            (Value::str("abc"), "*>5.2", "***ab"),
            (Value::Bool(true), "d", "1"),
        ] {
            assert_eq!(formatted(value, spec).as_deref(), Ok(text), "{spec}");
        }
        assert!(formatted(Value::str("a"), "d").is_err());
        assert!(formatted(Value::Null, "5").is_err());
    }

    #[test]
    fn format_strings_are_cut_into_pieces() {
        let names = |text: &str| -> Vec<Option<String>> {
            let pieces = pieces(text).unwrap_or_default();
            pieces.into_iter().map(|piece| piece.field.map(|field| field.name)).collect()
        };
        assert_eq!(names("a{b}c{{d"), [Some("b".into()), None, None]);
        assert!(pieces("{b").is_err() && pieces("}").is_err() && pieces("{").is_err());
    }
}
