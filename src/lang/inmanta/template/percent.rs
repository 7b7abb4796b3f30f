//! `%` of Python in templates: between a text and its values it fills the text in, between numbers it is a remainder.
//!
//! The engine knows only the remainder, so a template is rewritten before it is read: `LEFT % RIGHT` becomes a filter of
//! `LEFT`. Text, comments and `raw` stay as they are, and so does the number of lines.

use std::ops::Range;

use minijinja::value::{Kwargs, Rest, ValueKind};
use minijinja::{Error, ErrorKind, Value as Jinja};
use num_bigint::BigInt;

use super::super::jinja::{self, template_error};
use super::super::pystr::{self, NoInstances};
use super::super::value::Value;

/// The name of the filter: no template can write it by accident.
pub const FILTER: &str = "__percent";

/// A part of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// A text, a number or a name.
    Value,
    Open,
    Close,
    /// `.` and `|`: what follows belongs to the value before.
    Chain,
    /// `*`, `/`, `//` and `**`: they bind as tightly as `%`, or more tightly.
    Times,
    Percent,
    Other,
}

/// The words that are no values.
const WORDS: [&str; 16] = [
    "if",
    "else",
    "elif",
    "for",
    "in",
    "is",
    "not",
    "and",
    "or",
    "set",
    "include",
    "import",
    "from",
    "call",
    "filter",
    "recursive",
];

/// A template with its `%` between values as filters.
pub fn rewritten(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(at) = text[from..].find('{').map(|at| from + at) {
        let rest = &text[at..];
        let end = match rest.as_bytes().get(1) {
            Some(b'#') => rest.find("#}").map(|end| at + end + 2),
            Some(b'%') if is_raw(rest) => end_of_raw(rest).map(|end| at + end),
            Some(b'{' | b'%') => {
                let parts = parts_of(text, at + 2);
                let end = parts.last().map_or(at + 2, |(_, range)| range.end);
                made.push_str(&text[from..at + 2]);
                write_tag(text, at + 2..end, &parts, &mut made);
                from = end;
                continue;
            }
            _ => Some(at + 1),
        };
        let end = end.unwrap_or(text.len());
        made.push_str(&text[from..end]);
        from = end;
    }
    made.push_str(&text[from..]);
    made
}

fn is_raw(tag: &str) -> bool {
    let word = tag[2..].trim_start_matches(['-', '+']).trim_start();
    word.strip_prefix("raw").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

fn end_of_raw(tag: &str) -> Option<usize> {
    let end = tag.find("endraw")?;
    Some(end + tag[end..].find("%}")? + 2)
}

/// The parts of the tag that begins before `from`, up to its end.
fn parts_of(text: &str, from: usize) -> Vec<(Part, Range<usize>)> {
    let bytes = text.as_bytes();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let mut parts = Vec::new();
    let mut braces = 0usize;
    // The sign at the beginning of a tag trims blanks.
    let mut at = from + usize::from(matches!(bytes.get(from), Some(b'-' | b'+')));
    while let Some(byte) = bytes.get(at) {
        let next = bytes.get(at + 1);
        let (part, size) = match byte {
            b'%' | b'}' if next == Some(&b'}') && braces == 0 => break,
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'"' | b'\'' => {
                let mut end = at + 1;
                while bytes.get(end).is_some_and(|other| other != byte) {
                    end += if bytes[end] == b'\\' { 2 } else { 1 };
                }
                (Part::Value, (end + 1).min(bytes.len()) - at)
            }
            byte if is_name(byte) => {
                let size = bytes[at..].iter().take_while(|byte| is_name(byte)).count();
                let is_number = byte.is_ascii_digit() && bytes.get(at + size) == Some(&b'.');
                let digits = bytes[at..].iter().skip(size + 1).take_while(|byte| byte.is_ascii_digit()).count();
                let size = if is_number && digits > 0 { size + 1 + digits } else { size };
                let is_word = WORDS.contains(&&text[at..at + size]);
                (if is_word { Part::Other } else { Part::Value }, size)
            }
            b'(' | b'[' | b'{' => {
                braces += usize::from(*byte == b'{');
                (Part::Open, 1)
            }
            b')' | b']' | b'}' => {
                braces = braces.saturating_sub(usize::from(*byte == b'}'));
                (Part::Close, 1)
            }
            b'.' | b'|' => (Part::Chain, 1),
            b'*' | b'/' => (Part::Times, 1 + usize::from(next == Some(byte))),
            b'%' => (Part::Percent, 1),
            _ => (Part::Other, 1),
        };
        parts.push((part, at..at + size));
        at += size;
    }
    parts
}

fn write_tag(text: &str, tag: Range<usize>, parts: &[(Part, Range<usize>)], made: &mut String) {
    let mut from = tag.start;
    let closes = closing(parts);
    // For each open bracket, whether the value at hand is a part of a product or has a sign.
    let mut products = vec![false];
    // Where the filters end that are open.
    let mut ends: Vec<usize> = Vec::new();
    for (at, (part, range)) in parts.iter().enumerate() {
        while ends.last() == Some(&at) {
            ends.pop();
            made.push_str(&text[from..range.start]);
            made.push(')');
            from = range.start;
        }
        let follows_value = at.checked_sub(1).is_some_and(|at| matches!(parts[at].0, Part::Value | Part::Close));
        let is_product = products.last().copied().unwrap_or_default();
        match part {
            Part::Percent if follows_value && !is_product => {
                let Some(end) = end_of_operand(text, parts, &closes, at + 1) else { continue };
                made.push_str(&text[from..range.start]);
                made.push('|');
                made.push_str(FILTER);
                made.push('(');
                from = range.end;
                ends.push(end);
            }
            Part::Open => products.push(false),
            Part::Close if products.len() > 1 => {
                products.pop();
            }
            Part::Times | Part::Percent | Part::Other => {
                let is_sign = !follows_value && matches!(&text[range.clone()], "-" | "+");
                if let Some(product) = products.last_mut() {
                    *product = *part != Part::Other || is_sign;
                }
            }
            Part::Value | Part::Chain | Part::Close => {}
        }
    }
    made.push_str(&text[from..tag.end]);
    ends.iter().for_each(|_| made.push(')'));
}

/// Behind the operand that begins at a part: a value with its attributes, calls, filters and powers.
fn end_of_operand(text: &str, parts: &[(Part, Range<usize>)], closes: &[usize], mut at: usize) -> Option<usize> {
    let part = |at: usize| parts.get(at).map(|(part, _)| *part);
    let sign = |at: usize| parts.get(at).map_or("", |(_, range)| &text[range.clone()]);
    let closed = |open: usize| closes.get(open).copied().filter(|end| *end > 0);
    loop {
        while matches!(sign(at), "-" | "+") {
            at += 1;
        }
        at = match part(at)? {
            Part::Value => at + 1,
            Part::Open => closed(at)?,
            _ => return None,
        };
        loop {
            at = match part(at) {
                Some(Part::Chain) if part(at + 1) == Some(Part::Value) => at + 2,
                Some(Part::Open) if sign(at) != "{" => closed(at)?,
                _ => break,
            };
        }
        if sign(at) != "**" {
            return Some(at);
        }
        at += 1;
    }
}

/// For each opening bracket, what is behind the one that closes it; 0 for other parts.
fn closing(parts: &[(Part, Range<usize>)]) -> Vec<usize> {
    let mut closes = vec![0; parts.len()];
    let mut open = Vec::new();
    for (at, (part, _)) in parts.iter().enumerate() {
        match part {
            Part::Open => open.push(at),
            Part::Close => {
                if let Some(open) = open.pop() {
                    closes[open] = at + 1;
                }
            }
            _ => {}
        }
    }
    closes
}

/// `left % right`.
pub fn remainder(left: &Jinja, right: &Jinja) -> Result<Jinja, Error> {
    if let Some(text) = left.as_str() {
        let is_tuple = right.is_tuple();
        let values: Vec<Jinja> = match right.try_iter() {
            Ok(values) if is_tuple => values.collect(),
            _ => vec![right.clone()],
        };
        let has_keys = right.kind() == ValueKind::Map || right.kind() == ValueKind::Seq && !is_tuple;
        let names = has_keys.then_some(right);
        return filled(text, &values, names).map(Jinja::from);
    }
    let number = |value: &Jinja| matches!(value.kind(), ValueKind::Number | ValueKind::Bool);
    let refused = || {
        let why =
            format!("`%` is between two numbers, or a text and its values, not {} and {}", left.kind(), right.kind());
        template_error(why)
    };
    if !number(left) || !number(right) {
        return Err(refused());
    }
    if let (Some(left), Some(right)) = (whole(left), whole(right)) {
        let remainder = left.checked_rem(right).ok_or_else(|| template_error("division by zero"))?;
        let is_across = remainder != 0 && (remainder < 0) != (right < 0);
        return Ok(Jinja::from(if is_across { remainder + right } else { remainder }));
    }
    let float = |value: &Jinja| f64::try_from(value.clone()).map_err(|_| refused());
    let (left, right) = (float(left)?, float(right)?);
    if right == 0.0 {
        return Err(template_error("division by zero"));
    }
    let remainder = left % right;
    let is_across = remainder != 0.0 && (remainder < 0.0) != (right < 0.0);
    Ok(Jinja::from(if is_across { remainder + right } else { remainder }))
}

fn whole(value: &Jinja) -> Option<i128> {
    match value.kind() {
        ValueKind::Bool => Some(i128::from(value.is_true())),
        _ if value.is_integer() => i128::try_from(value.clone()).ok(),
        _ => None,
    }
}

/// The filter `format`: `"%s" | format(value)`.
pub fn format(text: &Jinja, values: Rest<Jinja>, names: Kwargs) -> Result<String, Error> {
    let text = jinja::text(text);
    let has_names = names.args().next().is_some();
    if has_names && !values.is_empty() {
        return Err(template_error("`format` takes values by place or by name, not both"));
    }
    let names: Option<Jinja> = has_names.then(|| names.into());
    let values: &[Jinja] = if names.is_some() { &[] } else { &values };
    filled(&text, values, names.as_ref())
}

/// A text with its `%s`, `%d` and so on filled in, as Python does.
fn filled(text: &str, values: &[Jinja], names: Option<&Jinja>) -> Result<String, Error> {
    let mut made = String::new();
    let mut values = values.iter();
    let mut uses_names = false;
    let mut pieces = text.split('%');
    made.push_str(pieces.next().unwrap_or_default());
    let mut rest = text.get(made.len()..).unwrap_or_default();
    while let Some(field) = rest.strip_prefix('%') {
        let mut field = field;
        let mut value = None;
        if let Some(named) = field.strip_prefix('(') {
            let (name, behind) =
                named.split_once(')').ok_or_else(|| template_error("this format string has an open `(`"))?;
            let names = names.ok_or_else(|| template_error("this format string needs a mapping"))?;
            let found = names.get_item(&Jinja::from(name)).ok().filter(|value| !value.is_undefined());
            value = Some(found.ok_or_else(|| template_error(format!("no value for `{name}` of the format string")))?);
            uses_names = true;
            field = behind;
        }
        let mut next =
            || values.next().cloned().ok_or_else(|| template_error("this format string has more fields than values"));
        let flags = &field[..field.len() - field.trim_start_matches(['-', '+', ' ', '0', '#']).len()];
        field = &field[flags.len()..];
        let width = number(&mut field, &mut next)?;
        let precision = match field.strip_prefix('.') {
            Some(behind) => {
                field = behind;
                Some(number(&mut field, &mut next)?.unwrap_or(0))
            }
            None => None,
        };
        field = field.trim_start_matches(['h', 'l', 'L']);
        let sign = field.chars().next().ok_or_else(|| template_error("this format string ends within a field"))?;
        rest = &field[sign.len_utf8()..];
        if sign == '%' {
            made.push('%');
        } else {
            let value = match value {
                Some(value) => value,
                None => next()?,
            };
            if value.is_undefined() {
                return Err(Error::from(ErrorKind::UndefinedError));
            }
            let width = width.unwrap_or(0);
            let is_left = flags.contains('-') || width < 0;
            let spec = Field { flags, is_left, width: width.unsigned_abs() as usize, precision, sign };
            made.push_str(&spec.written(&value)?);
        }
        let literal = &rest[..rest.find('%').unwrap_or(rest.len())];
        made.push_str(literal);
        rest = &rest[literal.len()..];
        if made.len() > pystr::LONGEST {
            return Err(template_error("the text is too long"));
        }
    }
    let is_left_over = names.is_none() && values.next().is_some();
    if is_left_over && !uses_names {
        return Err(template_error("this format string has fewer fields than values"));
    }
    Ok(made)
}

/// A width or a precision; `*` is the next value.
fn number(field: &mut &str, next: &mut dyn FnMut() -> Result<Jinja, Error>) -> Result<Option<i64>, Error> {
    if let Some(behind) = field.strip_prefix('*') {
        *field = behind;
        return next()?.as_i64().map(Some).ok_or_else(|| template_error("`*` of a format string needs a whole number"));
    }
    let digits = &field[..field.len() - field.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
    *field = &field[digits.len()..];
    if digits.is_empty() {
        return Ok(None);
    }
    let number = digits.parse::<i64>().ok().filter(|number| *number <= pystr::LONGEST as i64);
    number.map(Some).ok_or_else(|| template_error("a width of this format string is too large"))
}

/// One field of a format string.
struct Field<'t> {
    flags: &'t str,
    is_left: bool,
    width: usize,
    precision: Option<i64>,
    sign: char,
}

impl Field<'_> {
    fn written(&self, value: &Jinja) -> Result<String, Error> {
        let shown = match self.sign {
            's' => jinja::text(value),
            'r' | 'a' => jinja::repr(value),
            'c' => match whole(value).and_then(|code| u32::try_from(code).ok()).and_then(char::from_u32) {
                Some(letter) => letter.to_string(),
                None => jinja::text(value),
            },
            _ => return self.numeric(value),
        };
        let most = self.precision.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(0));
        let shown: String = if self.sign == 'c' { shown } else { shown.chars().take(most).collect() };
        Ok(self.padded(shown))
    }

    fn padded(&self, shown: String) -> String {
        let missing = self.width.min(pystr::LONGEST).saturating_sub(shown.chars().count());
        let blanks = " ".repeat(missing);
        if self.is_left { shown + &blanks } else { blanks + &shown }
    }

    fn numeric(&self, value: &Jinja) -> Result<String, Error> {
        let is_whole = matches!(self.sign, 'd' | 'i' | 'u' | 'x' | 'X' | 'o');
        if !is_whole && !matches!(self.sign, 'e' | 'E' | 'f' | 'F' | 'g' | 'G') {
            return Err(template_error(format!("a format string cannot contain `%{}`", self.sign)));
        }
        let refused = || {
            template_error(format!("`%{}` of a format string needs a number, not {}", self.sign, jinja::repr(value)))
        };
        if !matches!(value.kind(), ValueKind::Number | ValueKind::Bool) {
            return Err(refused());
        }
        let float = f64::try_from(value.clone()).ok().or_else(|| whole(value).map(|number| number as f64));
        let number = match whole(value) {
            Some(number) if is_whole => Value::integer(BigInt::from(number)),
            None if matches!(self.sign, 'd' | 'i' | 'u') && !value.is_integer() => {
                let float = float.filter(|number| number.is_finite()).ok_or_else(refused)?;
                Value::integer(format!("{:.0}", float.trunc()).parse().map_err(|_| refused())?)
            }
            _ if is_whole => return Err(refused()),
            _ => Value::Float(float.ok_or_else(refused)?),
        };
        let has = |flag: char| self.flags.contains(flag);
        let sign = if has('+') {
            "+"
        } else if has(' ') {
            " "
        } else {
            ""
        };
        let form = if matches!(self.sign, 'i' | 'u') { 'd' } else { self.sign };
        let alternate = if has('#') { "#" } else { "" };
        let zeros =
            if has('0') && !self.is_left && self.width > 0 { format!("0{}", self.width) } else { String::new() };
        let precision = match self.precision {
            Some(digits) if !is_whole => format!(".{digits}"),
            Some(_) => {
                return Err(template_error("a precision of a whole number in a format string is not supported here"));
            }
            None => String::new(),
        };
        let spec = format!("{sign}{alternate}{zeros}{precision}{form}");
        match pystr::format(&number, &spec, &NoInstances) {
            Ok(shown) => Ok(self.padded(shown)),
            Err(pystr::FormatError::Value(why) | pystr::FormatError::Type(why)) => Err(template_error(why)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    /// Only what is a `%` between values becomes a filter, with the operand that belongs to it.
    #[test]
    fn percent_becomes_a_filter() {
        let same = ["{% if a %}b{% endif %}", "100 % {{ a }}", "{# \"a\" % b #}", "{{ a * b % c }}", "{{ -a % b }}"];
        same.iter().for_each(|text| assert_eq!(rewritten(text), *text));
        let raw = "{% raw %}{{ \"a\" % b }}{% endraw %}";
        assert_eq!(rewritten(raw), raw);
        assert_eq!(rewritten("{{ \"%s\" % x }}"), "{{ \"%s\" |__percent( x) }}");
        assert_eq!(rewritten("{{ \"%s\" % (a, b) ~ c }}"), "{{ \"%s\" |__percent( (a, b) )~ c }}");
        assert_eq!(rewritten("{{ a.b % c.d[0] | f(1) + 2 }}"), "{{ a.b |__percent( c.d[0] | f(1) )+ 2 }}");
        assert_eq!(rewritten("{% if a %2 == 0 %}"), "{% if a |__percent(2 )== 0 %}");
        assert_eq!(rewritten("{{ {\"a\": 1}[\"a\"] % 2}}"), "{{ {\"a\": 1}[\"a\"] |__percent( 2)}}");
    }
}
