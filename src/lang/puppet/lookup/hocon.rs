//! HOCON, as far as data needs it: comments, paths as keys, text without quotes, objects that are merged.
//!
//! `include` and `${…}` are refused: they would read something else than the file.

use super::yaml::{Document, Wrong};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::value::{Map, Value};

/// Objects and lists inside of one another.
const MAX_DEPTH: usize = 100;

/// Reads a file.
pub fn read(text: &str) -> Result<Document, Wrong> {
    let mut reader = Reader { chars: text.chars().collect(), at: 0, lines: Vec::new() };
    reader.blank(true);
    let is_object = reader.peek() == Some('{');
    let map = if is_object {
        reader.at += 1;
        reader.object(true, 0)?
    } else {
        reader.object(false, 0)?
    };
    reader.blank(true);
    if reader.peek().is_some() {
        return Err(reader.wrong("there is more text behind the object"));
    }
    let lines = reader.lines.into_iter().collect();
    Ok(Document { value: Value::hash(map), lines, ..Document::default() })
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    /// The lines of the outermost keys.
    lines: Vec<(Text, u32)>,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn looking_at(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    fn line(&self) -> u32 {
        let before = self.chars.get(..self.at.min(self.chars.len())).unwrap_or_default();
        before.iter().filter(|c| **c == '\n').count() as u32 + 1
    }

    fn wrong(&self, message: impl Into<String>) -> Wrong {
        let before = self.chars.get(..self.at.min(self.chars.len())).unwrap_or_default();
        let column = before.iter().rev().take_while(|c| **c != '\n').count() as u32 + 1;
        Wrong { message: message.into(), line: self.line(), column, help: None }
    }

    /// Passes blanks and comments, and line breaks if they may be passed.
    fn blank(&mut self, lines: bool) {
        loop {
            match self.peek() {
                Some('\n') if !lines => return,
                Some(c) if c.is_whitespace() || c == '\u{feff}' => self.at += 1,
                Some('#') => self.skip_line(),
                Some('/') if self.looking_at("//") => self.skip_line(),
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// Passes what is between two members: a comma or a line break.
    fn between(&mut self) -> bool {
        self.blank(false);
        let had_line = self.peek() == Some('\n');
        self.blank(true);
        let had_comma = self.peek() == Some(',');
        if had_comma {
            self.at += 1;
            self.blank(true);
        }
        had_line || had_comma
    }

    fn object(&mut self, has_brace: bool, depth: usize) -> Result<Map, Wrong> {
        if depth > MAX_DEPTH {
            return Err(self.wrong(format!("objects are nested more than {MAX_DEPTH} deep")));
        }
        let mut map = Map::default();
        self.blank(true);
        loop {
            match self.peek() {
                Some('}') if has_brace => {
                    self.at += 1;
                    return Ok(map);
                }
                None if !has_brace => return Ok(map),
                None => return Err(self.wrong("an object has no `}`")),
                _ => {}
            }
            let line = self.line();
            let path = self.path()?;
            if depth == 0
                && let Some(first) = path.first()
            {
                self.lines.push((first.as_str().into(), line));
            }
            self.blank(false);
            let adds = self.looking_at("+=");
            match self.peek() {
                Some('{') => {}
                Some(':' | '=') => self.at += 1,
                _ if adds => self.at += 2,
                _ => return Err(self.wrong("expected `=`, `:` or `{` behind a key")),
            }
            self.blank(true);
            let value = self.value(depth + 1)?;
            put(&mut map, &path, value, adds);
            let is_end = |c: Option<char>| c.is_none() || (has_brace && c == Some('}'));
            if !self.between() && !is_end(self.peek()) {
                return Err(self.wrong("expected a comma or a new line"));
            }
        }
    }

    /// A key: names with dots between them.
    fn path(&mut self) -> Result<Vec<String>, Wrong> {
        if ["include ", "include\t", "include\""].iter().any(|word| self.looking_at(word)) {
            return Err(self.wrong("`include` is not supported"));
        }
        let mut path = Vec::new();
        loop {
            self.blank(false);
            let mut name = String::new();
            match self.peek() {
                Some('"') => name = self.quoted()?,
                _ => {
                    while let Some(c) = self.peek().filter(|c| !".:={}[],\n\"+#`^?!@*&\\$".contains(*c)) {
                        name.push(c);
                        self.at += 1;
                    }
                    name.truncate(name.trim_end().len());
                    if name.is_empty() {
                        return Err(self.wrong("expected a key"));
                    }
                }
            }
            path.push(name);
            if self.peek() != Some('.') {
                return Ok(path);
            }
            self.at += 1;
        }
    }

    fn quoted(&mut self) -> Result<String, Wrong> {
        if self.looking_at("\"\"\"") {
            self.at += 3;
            let start = self.at;
            while !self.looking_at("\"\"\"") {
                if self.peek().is_none() {
                    return Err(self.wrong("a text has no closing quotes"));
                }
                self.at += 1;
            }
            let text = self.chars.get(start..self.at).unwrap_or_default().iter().collect();
            self.at += 3;
            return Ok(text);
        }
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                None | Some('\n') => return Err(self.wrong("a text has no closing quote")),
                Some('\\') => self.at += 2,
                Some('"') => break,
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let literal: String = self.chars.get(start..self.at).unwrap_or_default().iter().collect();
        serde_json::from_str(&literal).map_err(|_| self.wrong("a text has a wrong escape"))
    }

    fn value(&mut self, depth: usize) -> Result<Value, Wrong> {
        if depth > MAX_DEPTH {
            return Err(self.wrong(format!("values are nested more than {MAX_DEPTH} deep")));
        }
        let mut whole: Option<Value> = None;
        loop {
            let part = match self.peek() {
                Some('{') => {
                    self.at += 1;
                    Value::hash(self.object(true, depth)?)
                }
                Some('[') => self.list(depth)?,
                _ => break,
            };
            whole = Some(match (whole, part) {
                (Some(Value::Hash(map)), Value::Hash(more)) => {
                    let mut out = (*map).clone();
                    more.iter().for_each(|(key, value)| put_one(&mut out, key.clone(), value.clone()));
                    Value::hash(out)
                }
                (Some(Value::Array(list)), Value::Array(more)) => Value::array([&list[..], &more[..]].concat()),
                (None, part) => part,
                _ => return Err(self.wrong("an object and a list cannot be joined")),
            });
            self.blank(false);
        }
        match whole {
            Some(value) => Ok(value),
            None => self.simple(),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Wrong> {
        self.at += 1;
        let mut list = Vec::new();
        self.blank(true);
        loop {
            match self.peek() {
                Some(']') => {
                    self.at += 1;
                    return Ok(Value::array(list));
                }
                None => return Err(self.wrong("a list has no `]`")),
                _ => list.push(self.value(depth + 1)?),
            }
            if !self.between() && self.peek() != Some(']') {
                return Err(self.wrong("expected a comma or a new line"));
            }
        }
    }

    /// Texts with and without quotes up to the end of the value.
    fn simple(&mut self) -> Result<Value, Wrong> {
        let (mut text, mut is_quoted) = (String::new(), false);
        loop {
            match self.peek() {
                Some('"') => {
                    text.push_str(&self.quoted()?);
                    is_quoted = true;
                }
                Some('$') if self.looking_at("${") => {
                    return Err(self.wrong("substitutions `${…}` are not supported"));
                }
                Some('/') if self.looking_at("//") => break,
                Some(c) if !"{}[]:=,+#`^?!@*&\\\n$".contains(c) => {
                    text.push(c);
                    self.at += 1;
                }
                Some(c) if ":=+?!@*&^`$".contains(c) => {
                    return Err(self.wrong(format!("`{c}` has to be in quotes")));
                }
                _ => break,
            }
        }
        if is_quoted {
            return Ok(Value::str(text.trim_end()));
        }
        Ok(match text.trim() {
            "" => return Err(self.wrong("expected a value")),
            "null" => Value::Undef,
            "true" | "on" | "yes" => Value::Bool(true),
            "false" | "off" | "no" => Value::Bool(false),
            plain => match (plain.parse::<i64>(), plain.parse::<f64>()) {
                (Ok(number), _) => Value::Int(number),
                (_, Ok(number)) if plain.starts_with(|c: char| c.is_ascii_digit() || c == '-') => Value::Float(number),
                _ => Value::str(plain),
            },
        })
    }
}

fn put(map: &mut Map, path: &[String], value: Value, adds: bool) {
    let [first, rest @ ..] = path else { return };
    let key = Value::str(first.as_str());
    if rest.is_empty() {
        let value = match (adds, map.get(&key)) {
            (true, Some(Value::Array(list))) => Value::array([&list[..], &[value]].concat()),
            (true, _) => Value::array(vec![value]),
            (false, _) => value,
        };
        return put_one(map, key, value);
    }
    let mut inner = match map.get(&key) {
        Some(Value::Hash(inner)) => (**inner).clone(),
        _ => Map::default(),
    };
    put(&mut inner, rest, value, adds);
    map.insert(key, Value::hash(inner));
}

/// Later values replace earlier ones; objects are merged.
fn put_one(map: &mut Map, key: Value, value: Value) {
    let value = match (map.get(&key), value) {
        (Some(Value::Hash(before)), Value::Hash(more)) => {
            let mut out = (**before).clone();
            more.iter().for_each(|(key, value)| put_one(&mut out, key.clone(), value.clone()));
            Value::hash(out)
        }
        (_, value) => value,
    };
    map.insert(key, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::puppet::convert;

    #[test]
    fn reads_the_forms_of_data() {
        let text = "# c\n\"ntp::servers\" = [a.example, \"b\"] // d\nweb { port: 80, tls = on }\nweb.name = my site\nn: null\nf=1.5\n";
        let document = read(text).expect("it is HOCON");
        let expected = "{'ntp::servers' => ['a.example', 'b'], 'web' => {'port' => 80, 'tls' => true, 'name' => 'my site'}, 'n' => undef, 'f' => 1.5}";
        assert_eq!(convert::inspect(&document.value), expected);
        assert_eq!(document.lines.get("n"), Some(&5));
        assert!(read("x").is_err());
        for wrong in ["a = ${b}", "include \"x\"", "a = {", "a = [1", "a: \"x", "a = 1 }"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert!(read(&"a{".repeat(5000)).is_err());
    }
}
