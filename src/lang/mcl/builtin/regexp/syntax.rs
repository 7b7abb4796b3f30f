//! Translates Go's patterns for an engine with its own syntax: the same patterns are valid, and match the same.
//!
//! Only whether a pattern matches is used, so groups need no names and repetitions need not be lazy.
//!
//! Source: Go's `regexp/syntax`.

mod class;

/// The limit of nested repetitions, multiplied.
const MOST_REPEATS: u64 = 1000;

/// A pattern in the engine's syntax.
#[derive(Debug)]
pub struct Translated {
    pub text: String,
    /// The largest product of nested repetitions: the compile cost grows with it.
    pub weight: u64,
}

/// The same pattern in the engine's syntax, or the error.
pub fn translated(pattern: &str) -> Result<Translated, String> {
    let mut reader = Reader { rest: pattern, out: String::with_capacity(pattern.len() + 8), open: Vec::new() };
    let mut group = Group::default();
    while let Some(c) = reader.next() {
        match c {
            '(' => reader.group(&mut group)?,
            ')' => reader.close(&mut group)?,
            '|' => {
                reader.out.push('|');
                group.last = None;
                group.repeated = false;
            }
            '*' | '+' => reader.repeat(&mut group, &c.to_string(), (0, None))?,
            '?' => reader.repeat(&mut group, "?", (0, Some(1)))?,
            '{' => match count(reader.rest)? {
                Some((least, most, rest)) => {
                    let text = &pattern[pattern.len() - reader.rest.len() - 1..pattern.len() - rest.len()];
                    reader.rest = rest;
                    reader.repeat(&mut group, text, (least, most))?;
                }
                None => reader.item(&mut group, "\\{"),
            },
            '\\' => reader.escape(&mut group)?,
            '[' => {
                let class = class::class(&mut reader)?;
                reader.item(&mut group, &class);
            }
            '^' | '$' | '.' => reader.item(&mut group, &c.to_string()),
            c => reader.item(&mut group, &regex::escape(&c.to_string())),
        }
    }
    if !reader.open.is_empty() {
        return Err("a group is not closed".into());
    }
    Ok(Translated { text: reader.out, weight: group.weight })
}

struct Reader<'a> {
    rest: &'a str,
    out: String,
    /// The open groups.
    open: Vec<Group>,
}

/// An open group.
#[derive(Debug)]
struct Group {
    /// Its start in the output.
    start: usize,
    /// The last repeatable part: its end, and its weight.
    last: Option<(usize, u64)>,
    /// Whether the last part was a repetition.
    repeated: bool,
    /// The largest weight in it.
    weight: u64,
}

impl Default for Group {
    fn default() -> Self {
        Group { start: 0, last: None, repeated: false, weight: 1 }
    }
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    fn skip(&mut self, sign: char) -> bool {
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Writes a repeatable part.
    fn item(&mut self, group: &mut Group, text: &str) {
        self.out.push_str(text);
        group.last = Some((self.out.len(), 1));
        group.repeated = false;
    }

    /// A repetition, lazy or not. Flags between it and its operand stay after it.
    fn repeat(&mut self, group: &mut Group, sign: &str, (least, most): (u64, Option<u64>)) -> Result<(), String> {
        self.skip('?');
        if group.repeated {
            return Err(format!("`{sign}` follows another repetition"));
        }
        let Some((end, weight)) = group.last else { return Err(format!("`{sign}` has nothing to repeat")) };
        let times = most.unwrap_or(least);
        let weight = if most == Some(0) { 1 } else { weight * times.max(1) };
        if weight > MOST_REPEATS && (least >= 2 || most.is_some_and(|most| most >= 2)) {
            return Err(format!("`{sign}` repeats more than {MOST_REPEATS} times"));
        }
        self.out.insert_str(end, sign);
        group.last = Some((end + sign.len(), weight));
        group.weight = group.weight.max(weight);
        group.repeated = true;
        Ok(())
    }

    /// The escape after a backslash outside of a class. Its classes are ASCII in Go, but Unicode in the engine.
    fn escape(&mut self, group: &mut Group) -> Result<(), String> {
        let item = match self.rest.chars().next() {
            Some('A') => "\\A".to_owned(),
            Some('z') => "\\z".to_owned(),
            Some('b') => "(?-u:\\b)".to_owned(),
            // The first part matches only between two letters, and not within a multi-byte one.
            Some('B') => "(?:(?:\\b|\\B)(?-u:\\B))".to_owned(),
            Some('C') => return Err("`\\C` is not known".into()),
            Some('Q') => {
                let (text, rest) = self.rest[1..].split_once("\\E").unwrap_or((&self.rest[1..], ""));
                self.rest = rest;
                for c in text.chars() {
                    self.item(group, &regex::escape(&c.to_string()));
                }
                return Ok(());
            }
            _ => {
                let item = class::escaped(self)?.alone();
                self.item(group, &item);
                return Ok(());
            }
        };
        self.next();
        self.item(group, &item);
        Ok(())
    }

    /// The part after an open parenthesis.
    fn group(&mut self, group: &mut Group) -> Result<(), String> {
        if let Some(asked) = self.rest.strip_prefix('?') {
            if let Some(named) = asked.strip_prefix("P<").or(asked.strip_prefix('<')) {
                let look = named.starts_with(['=', '!']);
                let (name, rest) = named.split_once('>').unwrap_or_default();
                let is_name = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
                if look {
                    return Err("lookahead and lookbehind are not supported".into());
                }
                if name.is_empty() || !name.chars().all(is_name) {
                    return Err("a group's name has letters, digits and `_`".into());
                }
                self.rest = rest;
            } else {
                let (text, opens, rest) = flags(asked)?;
                self.rest = rest;
                if !opens {
                    self.out.push_str(&text);
                    group.repeated = false;
                    return Ok(());
                }
                return self.open(group, &text);
            }
        }
        self.open(group, "(?:")
    }

    fn open(&mut self, group: &mut Group, text: &str) -> Result<(), String> {
        let inner = Group { start: self.out.len(), ..Group::default() };
        self.open.push(std::mem::replace(group, inner));
        self.out.push_str(text);
        Ok(())
    }

    fn close(&mut self, group: &mut Group) -> Result<(), String> {
        let Some(outer) = self.open.pop() else { return Err("`)` without `(`".into()) };
        let inner = std::mem::replace(group, outer);
        debug_assert!(inner.start <= self.out.len());
        self.out.push(')');
        group.last = Some((self.out.len(), inner.weight));
        group.repeated = false;
        group.weight = group.weight.max(inner.weight);
        Ok(())
    }
}

/// Flags in the engine's syntax, each once; whether they open a group; the rest.
fn flags(asked: &str) -> Result<(String, bool, &str), String> {
    let wrong = || "the flags are `i`, `m`, `s` and `U`".to_owned();
    if asked.starts_with(['=', '!']) {
        return Err("lookahead and lookbehind are not supported".into());
    }
    let mut set: Vec<(char, bool)> = Vec::new();
    let (mut on, mut is_flag) = (true, true);
    for (at, sign) in asked.char_indices() {
        match sign {
            'i' | 'm' | 's' | 'U' => {
                set.retain(|(flag, _)| *flag != sign);
                set.push((sign, on));
                is_flag = true;
            }
            '-' if on => (on, is_flag) = (false, false),
            ':' | ')' if is_flag => {
                let all = |wanted: bool| set.iter().filter(move |(_, on)| *on == wanted).map(|(flag, _)| *flag);
                let off: String = all(false).collect();
                let off = if off.is_empty() { off } else { format!("-{off}") };
                let text = format!("(?{}{off}", all(true).collect::<String>());
                let is_empty = text.len() == 2;
                let text = if sign == ')' && is_empty { String::new() } else { format!("{text}{sign}") };
                return Ok((text, sign == ':', &asked[at + 1..]));
            }
            _ => return Err(wrong()),
        }
    }
    Err(wrong())
}

/// The minimum and maximum of a count, and the rest.
type Count<'a> = (u64, Option<u64>, &'a str);

/// The count after an open brace, `3}`, `3,}` or `3,5}`; `None` if the brace is plain.
fn count(rest: &str) -> Result<Option<Count<'_>>, String> {
    let Some((inner, after)) = rest.split_once('}') else { return Ok(None) };
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (is_number && (text.len() == 1 || !text.starts_with('0'))).then(|| text.parse().unwrap_or(u64::MAX))
    };
    let (least, most) = match inner.split_once(',') {
        None => (number(inner), number(inner).map(Some)),
        Some((least, "")) => (number(least), Some(None)),
        Some((least, most)) => (number(least), number(most).map(Some)),
    };
    let (Some(least), Some(most)) = (least, most) else { return Ok(None) };
    if least.max(most.unwrap_or(0)) > MOST_REPEATS || most.is_some_and(|most| most < least) {
        return Err(format!("`{{{inner}}}` is not a count from 0 to {MOST_REPEATS}"));
    }
    Ok(Some((least, most, after)))
}

#[cfg(test)]
mod tests {
    use super::translated;

    fn matches(pattern: &str, text: &str) -> bool {
        let pattern = translated(pattern).expect("the pattern is right");
        regex::bytes::Regex::new(&pattern.text).expect("the translation is right").is_match(text.as_bytes())
    }

    #[test]
    fn patterns_match_like_go() {
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
            (r"\B", "é", true),
            (r"\B", "aéb", false),
            (r"^[\s-a]$", "A", false),
            (r"^[\pL-z]+$", "é-", true),
            (r"^\p{^Lu}\P{^Lu}$", "aA", true),
            (r"^(a|b)(?im)*$", "abab", true),
            (r"^(?P<1>a)(?P<1>b)$", "ab", true),
            (r"\x{D800}|\p{Cs}", "a", false),
            (r"^[^\x{D7FF}-\x{DFFF}]$", "a", true),
            (r"(?ii-m)^A$", "a", true),
            (r"^a{01}$", "a{01}", true),
        ] {
            assert_eq!(matches(pattern, text), want, "{pattern} on {text:?}");
        }
    }

    #[test]
    fn what_go_does_not_have_is_refused() {
        let more =
            [r"[[:foo:]]", r"\u0041", "[a--b]", "a{2}{3}", "a*{2}", "a{1001}", "(a{100}){100}", r"\p{Alphabetic}"];
        for pattern in more.into_iter().chain(["(?-)", "(a", "a)", "[a", "(?i)*", "(*a)", "a|*", r"\8", r"\p{", r"\xG"])
        {
            assert!(translated(pattern).is_err(), "{pattern}");
        }
        for pattern in [r"(?=a)", r"(?!a)", r"(?<=a)b", r"(?<!a)b", r"(a)\1", r"a**", r"a+*", r"(?x)a", "a\\"] {
            assert!(translated(pattern).is_err(), "{pattern}");
        }
    }
}
