//! Patterns as Go writes them, for an engine with a syntax of its own: same words, and the same meaning of each.
//!
//! Source: Go's `regexp/syntax` documentation.

/// The same pattern in the engine's syntax; an error for what only the engine would take.
pub fn translated(pattern: &str) -> Result<String, &'static str> {
    let mut reader = Reader { rest: pattern, out: String::with_capacity(pattern.len() + 8) };
    while let Some(c) = reader.next() {
        match c {
            '\\' => reader.escape(false)?,
            '[' => reader.class()?,
            '(' => reader.group()?,
            // Braces that count nothing are plain.
            '{' if !counts(reader.rest) => reader.out.push_str("\\{"),
            '*' | '+' | '?' => reader.repeat(c)?,
            c => reader.out.push(c),
        }
    }
    Ok(reader.out)
}

struct Reader<'a> {
    rest: &'a str,
    out: String,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// Copies a sign where it is the next.
    fn take(&mut self, sign: char) {
        if let Some(rest) = self.rest.strip_prefix(sign) {
            self.rest = rest;
            self.out.push(sign);
        }
    }

    /// What follows a backslash. Its classes are of ASCII in Go, of all letters in the engine.
    fn escape(&mut self, in_class: bool) -> Result<(), &'static str> {
        let Some(c) = self.next() else { return Err("a backslash stands at its end") };
        match c {
            'd' if in_class => self.out.push_str("0-9"),
            's' if in_class => self.out.push_str("\\t\\n\\x0C\\r\\x20"),
            'w' if in_class => self.out.push_str("0-9A-Za-z_"),
            'd' => self.out.push_str("[0-9]"),
            's' => self.out.push_str("[\\t\\n\\x0C\\r\\x20]"),
            'w' => self.out.push_str("[0-9A-Za-z_]"),
            'D' => self.out.push_str("[^0-9]"),
            'S' => self.out.push_str("[^\\t\\n\\x0C\\r\\x20]"),
            'W' => self.out.push_str("[^0-9A-Za-z_]"),
            'b' if !in_class => self.out.push_str("(?-u:\\b)"),
            'Q' => self.quoted(),
            '1'..='9' if !self.rest.starts_with(|c: char| c.is_digit(8)) => {
                return Err("there are no references back to a group");
            }
            '<' | '>' => return Err("`\\<` and `\\>` are not known; `\\b` is the edge of a word"),
            // What is named in braces is no count.
            'p' | 'P' | 'x' if self.rest.starts_with('{') => {
                let (name, rest) = self.rest.split_at(self.rest.find('}').map_or(self.rest.len(), |at| at + 1));
                self.out.extend(['\\', c]);
                self.out.push_str(name);
                self.rest = rest;
            }
            c => self.out.extend(['\\', c]),
        }
        Ok(())
    }

    /// `\Q...\E`: all of it as it is.
    fn quoted(&mut self) {
        let (text, rest) = self.rest.split_once("\\E").unwrap_or((self.rest, ""));
        self.out.push_str(&regex::escape(text));
        self.rest = rest;
    }

    /// `[...]`: a class in a class, and what is common to two, are of the engine alone.
    fn class(&mut self) -> Result<(), &'static str> {
        self.out.push('[');
        self.take('^');
        let mut first = true;
        while let Some(c) = self.next() {
            match c {
                ']' if first => self.out.push_str("\\]"),
                ']' => {
                    self.out.push(']');
                    return Ok(());
                }
                '\\' => self.escape(true)?,
                '[' if self.rest.starts_with(':') && self.rest.contains(":]") => {
                    let end = self.rest.find(":]").map_or(0, |at| at + 2);
                    self.out.push('[');
                    self.out.push_str(&self.rest[..end]);
                    self.rest = &self.rest[end..];
                }
                '[' | '&' | '~' => self.out.extend(['\\', c]),
                c => self.out.push(c),
            }
            first = false;
        }
        Ok(())
    }

    fn group(&mut self) -> Result<(), &'static str> {
        self.out.push('(');
        let Some(asked) = self.rest.strip_prefix('?') else { return Ok(()) };
        let look = ["=", "!", "<=", "<!"].iter().any(|begins| asked.starts_with(begins));
        if look {
            return Err("there is no looking ahead or behind");
        }
        if asked.starts_with('P') || asked.starts_with('<') {
            return Ok(());
        }
        let flags = asked.split([':', ')']).next().unwrap_or_default();
        match flags.chars().all(|c| matches!(c, 'i' | 'm' | 's' | 'U' | '-')) {
            true => Ok(()),
            false => Err("the flags are `i`, `m`, `s` and `U`"),
        }
    }

    /// One sign of repetition, lazy or not; a second one repeats nothing.
    fn repeat(&mut self, sign: char) -> Result<(), &'static str> {
        self.out.push(sign);
        self.take('?');
        match self.rest.starts_with(['*', '+', '?']) {
            true => Err("one repetition follows another"),
            false => Ok(()),
        }
    }
}

/// Whether what follows an open brace is a count: `3}`, `3,}` or `3,5}`.
fn counts(rest: &str) -> bool {
    let Some((inner, _)) = rest.split_once('}') else { return false };
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match inner.split_once(',') {
        None => number(inner),
        Some((least, most)) => number(least) && (most.is_empty() || number(most)),
    }
}

#[cfg(test)]
mod tests {
    use super::translated;

    fn matches(pattern: &str, text: &str) -> bool {
        let pattern = translated(pattern).expect("the pattern is right");
        regex::Regex::new(&pattern).expect("the translation is right").is_match(text)
    }

    #[test]
    fn patterns_mean_what_they_mean_in_go() {
        for (pattern, text, want) in [
            (r"^\d+$", "42", true),
            (r"^\d$", "\u{665}", false),
            (r"^\w+$", "é", false),
            (r"^[\w-]+$", "a-b", true),
            (r"^[^\s]$", " ", false),
            (r"^[\D]$", "a", true),
            (r"\bb\b", "a b c", true),
            (r"^\Qa.b*\E+$", "a.b**", true),
            (r"^\Qa.b", "axb", false),
            (r"^[]a]+$", "]a", true),
            (r"^[a[b]+$", "a[b", true),
            (r"^[a&&b]+$", "&", true),
            (r"^[[:alpha:]]+$", "ab", true),
            (r"^\pL\p{Greek}$", "aα", true),
            (r"^a{2}$", "aa", true),
            (r"^a{,2}$", "a{,2}", true),
            (r"^{$", "{", true),
            (r"(?i)^AB$", "ab", true),
            (r"(?U)^a+?$", "aa", true),
            (r"^(?P<n>a)(?<m>b)(?:c)$", "abc", true),
            (r"(?s)^.$", "\n", true),
            (r"^\x41\x{42}$", "AB", true),
        ] {
            assert_eq!(matches(pattern, text), want, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn what_go_does_not_have_is_refused() {
        for pattern in [r"(?=a)", r"(?!a)", r"(?<=a)b", r"(?<!a)b", r"(a)\1", r"a**", r"a+*", r"(?x)a", r"\<a", "a\\"] {
            assert!(translated(pattern).is_err(), "{pattern}");
        }
    }
}
