//! JSON text as `encoding` reads it: the first value of a text, with its numbers as written.
//!
//! `serde_json` does not fit: it treats `2.0` and `2` alike and refuses text after the value.

use std::collections::BTreeMap;

/// How deep values may be nested.
const DEPTH: u32 = 128;

/// A value of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Json {
    Null,
    Bool(bool),
    /// As written.
    Number(String),
    Text(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Its kind, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a bool",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::Array(_) => "an array",
            Json::Object(_) => "an object",
        }
    }
}

/// Reads the first value of a text and ignores the rest. An error has the problem and its byte.
pub fn first_value(text: &str) -> Result<Json, String> {
    let mut reader = Reader { text, at: 0 };
    reader.value(DEPTH).map_err(|what| format!("{what} at byte {}", reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

type Read<T> = Result<T, &'static str>;

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The next byte that is not white space.
    fn next_sign(&mut self) -> Option<u8> {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.peek()
    }

    fn value(&mut self, depth: u32) -> Read<Json> {
        let depth = depth.checked_sub(1).ok_or("nested too deep")?;
        match self.next_sign() {
            None => Err("the text ends too early"),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number().map(Json::Number),
            Some(_) => {
                let words = [("true", Json::Bool(true)), ("false", Json::Bool(false)), ("null", Json::Null)];
                let known = words.into_iter().find(|(word, _)| self.text[self.at..].starts_with(word));
                let (word, value) = known.ok_or("no value begins")?;
                self.at += word.len();
                Ok(value)
            }
        }
    }

    fn array(&mut self, depth: u32) -> Read<Json> {
        let mut items = Vec::new();
        self.at += 1;
        if self.next_sign() == Some(b']') {
            self.at += 1;
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            if self.ends(b']')? {
                return Ok(Json::Array(items));
            }
        }
    }

    fn object(&mut self, depth: u32) -> Read<Json> {
        let mut pairs = BTreeMap::new();
        self.at += 1;
        if self.next_sign() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(pairs));
        }
        loop {
            if self.next_sign() != Some(b'"') {
                return Err("a key must be a string");
            }
            let key = self.string()?;
            if self.next_sign() != Some(b':') {
                return Err("a colon is missing");
            }
            self.at += 1;
            pairs.insert(key, self.value(depth)?);
            if self.ends(b'}')? {
                return Ok(Json::Object(pairs));
            }
        }
    }

    /// Skips a comma or the closing bracket; returns whether it was the bracket.
    fn ends(&mut self, close: u8) -> Read<bool> {
        let sign = self.next_sign().filter(|sign| *sign == b',' || *sign == close).ok_or("a comma is missing")?;
        self.at += 1;
        Ok(sign == close)
    }

    fn digits(&mut self) -> Read<()> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > from { Ok(()) } else { Err("a digit is missing") }
    }

    /// A number ends at the first character that does not fit: digits after a leading zero do not belong to it.
    fn number(&mut self) -> Read<String> {
        let from = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(self.text[from..self.at].to_owned())
    }

    fn string(&mut self) -> Read<String> {
        let mut out = String::new();
        self.at += 1;
        loop {
            let c = self.text[self.at..].chars().next().ok_or("a string does not end")?;
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(out);
                }
                '\\' => out.push(self.escape()?),
                c if c < ' ' => return Err("a control character is not escaped"),
                c => {
                    self.at += c.len_utf8();
                    out.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Read<char> {
        const WRONG: &str = "an escape is unknown";
        let kind = self.text.as_bytes().get(self.at + 1).copied().ok_or("a string does not end")?;
        let plain = match kind {
            b'"' | b'\\' | b'/' => char::from(kind),
            b'b' => '\x08',
            b'f' => '\x0c',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.unit(self.at).ok_or(WRONG)?;
                self.at += 6;
                let low = (0xd800..0xdc00).contains(&high).then(|| self.unit(self.at)).flatten();
                let pair = low.and_then(|low| char::decode_utf16([high, low]).next()?.ok());
                if pair.is_some() {
                    self.at += 6;
                }
                // A lone surrogate is not a character.
                return Ok(pair.or(char::from_u32(high.into())).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => return Err(WRONG),
        };
        self.at += 2;
        Ok(plain)
    }

    /// The number in `\u00e9`.
    fn unit(&self, at: usize) -> Option<u16> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        is_number.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, first_value};

    #[test]
    fn the_first_value_counts() {
        let number = |text: &str| Json::Number(text.to_owned());
        let text = |text: &str| Json::Text(text.to_owned());
        for (input, want) in [
            ("01", number("0")),
            ("-0 x", number("-0")),
            ("1.50e+2,", number("1.50e+2")),
            (" truely", Json::Bool(true)),
            ("[] ]", Json::Array(Vec::new())),
            ("[1, [null]]", Json::Array(vec![number("1"), Json::Array(vec![Json::Null])])),
            ("{\"a\":1,\"a\":2}", Json::Object([("a".to_owned(), number("2"))].into())),
            ("\"\\u00e9\\ud83d\\ude00\\ud800\\n\\/\"rest", text("é😀\u{fffd}\n/")),
        ] {
            assert_eq!(first_value(input), Ok(want), "{input}");
        }
        for wrong in
            ["", " ", "-", "1.", "1e", "[1", "[01]", "[1,]", "{\"a\"}", "{1:2}", "\"a", "\"\\q\"", "\"\n\"", "x"]
        {
            assert!(first_value(wrong).is_err(), "{wrong}");
        }
        assert!(first_value(&"[".repeat(1000)).is_err());
    }
}
