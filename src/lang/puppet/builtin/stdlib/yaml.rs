//! Data as YAML, laid out as Ruby's library writes it: which texts have quotes, and where long lines are broken.

use std::sync::LazyLock;

use regex::Regex;

use crate::lang::puppet::value::Value;
use crate::lang::ruby::number;

/// Collections are not written deeper.
const DEPTH: usize = 200;

/// How a text is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// What is around a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Nothing,
    Mapping,
    Key,
}

/// Writes one document.
pub struct Writer {
    out: String,
    column: usize,
    step: i32,
    width: usize,
    /// The last character was a blank, or the line is empty so far.
    after_blank: bool,
    /// Nothing but blanks and list marks are in the line.
    in_margin: bool,
    /// The document ends in breaks that count.
    is_open: bool,
}

/// A document with two blanks a level and lines of about 80 characters.
pub fn document(value: &Value, step: Option<i64>, width: Option<i64>) -> String {
    let step = step.filter(|step| (2..=9).contains(step)).unwrap_or(2);
    let width = match width {
        Some(width) if width < 0 => usize::MAX,
        Some(width) if width > step * 2 => width as usize,
        _ => 80,
    };
    let mut writer = Writer {
        out: "---".into(),
        column: 3,
        step: step as i32,
        width,
        after_blank: false,
        in_margin: false,
        is_open: false,
    };
    writer.node(value, -1, Around::Nothing, 0);
    writer.indent(-1);
    if writer.is_open {
        writer.out.push_str("...\n");
    }
    writer.out
}

impl Writer {
    fn node(&mut self, value: &Value, indent: i32, around: Around, depth: usize) {
        match value {
            _ if depth > DEPTH => self.scalar("", Style::Plain, indent, around),
            Value::Array(list) if list.is_empty() => self.indicator("[]", true, false),
            Value::Hash(map) if map.is_empty() => self.indicator("{}", true, false),
            Value::Array(list) => {
                let indent = if around == Around::Mapping && !self.in_margin { indent } else { self.deeper(indent) };
                for item in list.iter() {
                    self.indent(indent);
                    self.indicator("-", true, true);
                    self.node(item, indent, Around::Nothing, depth + 1);
                }
            }
            Value::Hash(map) => {
                let indent = self.deeper(indent);
                for (key, item) in map.iter() {
                    self.entry(key, item, indent, depth);
                }
            }
            Value::Str(text) => self.text(text, indent, around),
            Value::Undef => self.scalar("", Style::Plain, indent, around),
            Value::Float(value) => self.scalar(&number::float(*value), Style::Plain, indent, around),
            Value::Default => self.scalar(":default", Style::Plain, indent, around),
            Value::Int(_) | Value::Bool(_) => self.scalar(&super::ruby::text(value), Style::Plain, indent, around),
            other => self.text(&super::ruby::text(other), indent, around),
        }
    }

    fn entry(&mut self, key: &Value, item: &Value, indent: i32, depth: usize) {
        let shown = super::ruby::text(key);
        let is_simple = !matches!(key, Value::Array(_) | Value::Hash(_)) && !shown.contains('\n') && shown.len() <= 128;
        self.indent(indent);
        if is_simple {
            self.node(key, indent, Around::Key, depth + 1);
            self.indicator(":", false, false);
        } else {
            self.indicator("?", true, true);
            self.node(key, indent, Around::Mapping, depth + 1);
            self.indent(indent);
            self.indicator(":", true, true);
        }
        self.node(item, indent, Around::Mapping, depth + 1);
    }

    fn deeper(&self, indent: i32) -> i32 {
        if indent < 0 { 0 } else { indent + self.step }
    }

    fn text(&mut self, text: &str, indent: i32, around: Around) {
        if text == "<<" {
            self.indicator("!!str", true, false);
            return self.scalar(text, Style::Single, indent, around);
        }
        self.scalar(text, wanted(text), indent, around);
    }

    fn scalar(&mut self, text: &str, style: Style, indent: i32, around: Around) {
        let (style, is_key) = (possible(text, style, around == Around::Key), around == Around::Key);
        let indent = if indent < 0 { self.step } else { indent + self.step };
        self.is_open = false;
        match style {
            Style::Plain => self.plain(text, indent, !is_key),
            Style::Single => self.single(text, indent, !is_key),
            Style::Double => self.double(text, indent, !is_key),
            Style::Literal => self.literal(text, indent),
        }
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column = if c == '\n' { 0 } else { self.column + 1 };
    }

    fn indent(&mut self, indent: i32) {
        let indent = usize::try_from(indent).unwrap_or(0);
        if !self.in_margin || self.column > indent || self.column == indent && !self.after_blank {
            self.put('\n');
        }
        while self.column < indent {
            self.put(' ');
        }
        (self.after_blank, self.in_margin) = (true, true);
    }

    fn indicator(&mut self, sign: &str, needs_blank: bool, keeps_margin: bool) {
        if needs_blank && !self.after_blank {
            self.put(' ');
        }
        sign.chars().for_each(|c| self.put(c));
        self.after_blank = false;
        self.in_margin &= keeps_margin;
    }

    fn plain(&mut self, text: &str, indent: i32, may_break: bool) {
        if !self.after_blank && !text.is_empty() {
            self.put(' ');
        }
        let mut chars = text.chars().peekable();
        let mut after_space = false;
        while let Some(c) = chars.next() {
            let breaks = may_break && !after_space && self.column > self.width && chars.peek() != Some(&' ');
            if c == ' ' && breaks {
                self.indent(indent);
            } else {
                self.put(c);
            }
            after_space = c == ' ';
            self.in_margin &= after_space;
        }
        (self.after_blank, self.in_margin) = (false, false);
    }

    fn single(&mut self, text: &str, indent: i32, may_break: bool) {
        self.indicator("'", true, false);
        let chars: Vec<char> = text.chars().collect();
        let (mut after_space, mut after_break) = (false, false);
        for (i, c) in chars.iter().enumerate() {
            let is_inner = i > 0 && i + 1 < chars.len() && chars[i + 1] != ' ';
            match c {
                ' ' if may_break && !after_space && self.column > self.width && is_inner => self.indent(indent),
                ' ' => self.put(' '),
                '\n' => {
                    if !after_break {
                        self.put('\n');
                    }
                    self.put('\n');
                    self.in_margin = true;
                }
                c => {
                    if after_break {
                        self.indent(indent);
                    }
                    if *c == '\'' {
                        self.put('\'');
                    }
                    self.put(*c);
                    self.in_margin = false;
                }
            }
            (after_space, after_break) = (*c == ' ', *c == '\n');
        }
        if after_break {
            self.indent(indent);
        }
        self.indicator("'", false, false);
        (self.after_blank, self.in_margin) = (false, false);
    }

    fn double(&mut self, text: &str, indent: i32, may_break: bool) {
        self.indicator("\"", true, false);
        let chars: Vec<char> = text.chars().collect();
        let mut after_space = false;
        for (i, c) in chars.iter().enumerate() {
            let is_inner = i > 0 && i + 1 < chars.len();
            if *c == ' ' && may_break && !after_space && self.column > self.width && is_inner {
                self.indent(indent);
                if chars[i + 1] == ' ' {
                    self.put('\\');
                }
            } else if is_printable(*c) && !matches!(c, '"' | '\\' | '\n' | '\u{feff}') {
                self.put(*c);
            } else {
                escaped(*c).chars().for_each(|c| self.put(c));
            }
            after_space = *c == ' ';
        }
        self.indicator("\"", false, false);
        (self.after_blank, self.in_margin) = (false, false);
    }

    fn literal(&mut self, text: &str, indent: i32) {
        self.indicator("|", true, false);
        if text.starts_with([' ', '\n']) {
            self.indicator(&self.step.to_string(), false, false);
        }
        if !text.ends_with('\n') {
            self.indicator("-", false, false);
        } else if text == "\n" || text.ends_with("\n\n") {
            self.indicator("+", false, false);
            self.is_open = true;
        }
        self.put('\n');
        (self.after_blank, self.in_margin) = (true, true);
        let mut after_break = true;
        for c in text.chars() {
            if c != '\n' && after_break {
                self.indent(indent);
            }
            self.put(c);
            after_break = c == '\n';
            self.in_margin = after_break;
        }
    }
}

fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}')
        && c != '\u{feff}'
}

fn escaped(c: char) -> String {
    let short = match c {
        '\0' => '0',
        '\u{7}' => 'a',
        '\u{8}' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\u{b}' => 'v',
        '\u{c}' => 'f',
        '\r' => 'r',
        '\u{1b}' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        c if (c as u32) <= 0xff => return format!("\\x{:02X}", c as u32),
        c if (c as u32) <= 0xffff => return format!("\\u{:04X}", c as u32),
        c => return format!("\\U{:08X}", c as u32),
    };
    format!("\\{short}")
}

/// The style that a text asks for: quotes where it could be read as something else.
fn wanted(text: &str) -> Style {
    static SIGN: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r#"(?m)^[^\w][^"]*$"#).ok());
    static OCTAL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\A0[0-7]*[89]").ok());
    let is = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
    if text.trim_end_matches('\n').contains('\n') || text.ends_with("\n\n") {
        return Style::Literal;
    }
    match text {
        "y" | "n" => Style::Double,
        _ if is(&SIGN) => Style::Double,
        _ if !is_text(text) || is(&OCTAL) => Style::Single,
        _ => Style::Plain,
    }
}

/// Whether a plain scalar is read as a text again.
fn is_text(text: &str) -> bool {
    static WORD: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^[^\d.:-]?[\p{Alphabetic}_\s!@#$%\^&*(){}<>|/\\~;=]+").ok());
    static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let patterns = [
            r"-?\d{4}-\d{1,2}-\d{1,2}(?:[Tt]|\s+)\d{1,2}:\d\d:\d\d(?:\.\d*)?(?:\s*(?:Z|[-+]\d{1,2}:?(?:\d\d)?))?",
            r"\d{4}-(?:1[012]|0\d|\d)-(?:[12]\d|3[01]|0\d|\d)",
            r"(?i:[-+]?\.inf|\.nan)",
            r":.+",
            r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}(?:\.[0-9_]*)?",
            r"[-+]?(?:[0-9][0-9_,]*)?\.[0-9]*(?:[eE][-+][0-9]+)?",
            r"[-+]?0b[0-1_,]+|[-+]?0[0-7_,]+|[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)|[-+]?0x[0-9a-fA-F_,]+",
        ];
        Regex::new(&format!("^(?:{})$", patterns.join("|"))).ok()
    });
    let is = |regex: &LazyLock<Option<Regex>>| regex.as_ref().is_some_and(|regex| regex.is_match(text));
    if text.is_empty() {
        return false;
    }
    if is(&WORD) || text.contains('\n') {
        let lower = text.to_lowercase();
        return !matches!(&*lower, "~" | "null" | "yes" | "true" | "on" | "no" | "false" | "off");
    }
    !is(&OTHER) || matches!(text, "." | "-." | "+.")
}

/// The style that a text can have.
fn possible(text: &str, wanted: Style, is_key: bool) -> Style {
    let chars: Vec<char> = text.chars().collect();
    let is_blank = |c: Option<&char>| c.is_none_or(|c| matches!(c, ' ' | '\t' | '\n'));
    let is_break = |c: Option<&char>| c == Some(&'\n');
    let mut has_sign = text.starts_with("---") || text.starts_with("...");
    let (mut is_special, mut space_after_break) = (false, false);
    for (i, c) in chars.iter().enumerate() {
        let (before, after) = (i.checked_sub(1).and_then(|i| chars.get(i)), chars.get(i + 1));
        has_sign |= match c {
            '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`'
                if i == 0 =>
            {
                true
            }
            '?' | '-' if i == 0 => is_blank(after),
            ':' => is_blank(after),
            '#' => is_blank(before),
            _ => false,
        };
        is_special |= !is_printable(*c) || *c == ' ' && is_break(after);
        space_after_break |= *c == ' ' && is_break(before);
    }
    let edge = |c: Option<&char>| matches!(c, Some(' ' | '\n'));
    let (has_break, ends_blank) = (text.contains('\n'), chars.last() == Some(&' '));
    let is_bare = !has_sign && !is_special && !has_break && !edge(chars.first()) && !edge(chars.last());
    match wanted {
        _ if is_key && has_break => Style::Double,
        Style::Literal if !is_special && !ends_blank && !is_key => Style::Literal,
        Style::Literal | Style::Double => Style::Double,
        Style::Plain if is_bare && !(text.is_empty() && is_key) => Style::Plain,
        _ if is_special || space_after_break => Style::Double,
        _ => Style::Single,
    }
}

#[cfg(test)]
mod tests {
    use super::document;
    use crate::lang::puppet::value::Value;

    /// What Psych 4.0.3 with libyaml 0.2.5 writes.
    #[test]
    fn texts_are_quoted_as_psych_quotes_them() {
        let pairs = [
            ("yes", "'yes'"),
            ("1", "'1'"),
            ("é", "é"),
            ("a: b", "'a: b'"),
            (" lead", "\" lead\""),
            ("trail ", "'trail '"),
            ("#c", "\"#c\""),
            ("it's", "it's"),
            ("say \"x\"", "say \"x\""),
            ("\"q\"", "'\"q\"'"),
            ("a:", "'a:'"),
            ("http://x", "http://x"),
            ("12:30", "'12:30'"),
            ("2020-01-01", "'2020-01-01'"),
            ("0644", "'0644'"),
            ("0889", "'0889'"),
            ("1e3", "1e3"),
            ("<<", "!!str '<<'"),
            ("n", "\"n\""),
            (" a\nb", "|2-\n   a\n  b"),
            ("a \nb", "\"a \\nb\""),
            ("a\tb", "\"a\\tb\""),
            ("a #b", "'a #b'"),
            ("", "''"),
            ("a\n", "'a\n\n  '"),
        ];
        for (text, written) in pairs {
            assert_eq!(document(&Value::str(text), None, None), format!("--- {written}\n"), "{text:?}");
        }
    }

    #[test]
    fn collections_are_laid_out_as_psych_does() {
        let text = |t: &str| Value::str(t);
        let list = Value::array(vec![Value::Int(1), Value::array(vec![Value::Undef])]);
        let map = Value::hash([(text("a"), list), (text("b"), Value::hash(Default::default()))].into_iter().collect());
        assert_eq!(document(&map, None, None), "---\na:\n- 1\n- -\nb: {}\n");
        let inner = Value::array(vec![map]);
        assert_eq!(document(&inner, Some(4), None), "---\n-   a:\n    - 1\n    -   -\n    b: {}\n");
        let long = Value::str("word ".repeat(30));
        let line = "word ".repeat(16);
        assert_eq!(document(&long, None, None), format!("--- '{}\n  {}'\n", line.trim_end(), "word ".repeat(14)));
    }
}
