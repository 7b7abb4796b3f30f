//! Methods of texts.

use rustc_hash::{FxHashMap, FxHashSet};

use super::call::MethodResult;
use super::expr::Block;
use super::number::compared;
use super::pattern::{Sought, next_char};
use super::value::{Id, Ruby};
use super::{Machine, Ran};

impl Machine<'_> {
    /// Calls a method of a symbol; `None` if it has no such method.
    pub fn symbol_method(&mut self, line: u32, symbol: &str, name: &str, args: &[Ruby]) -> MethodResult {
        match (name, args) {
            ("to_sym", []) => Ok(Some(Ruby::Symbol(symbol.into()))),
            ("length" | "size" | "empty?" | "start_with?" | "end_with?" | "[]" | "=~" | "match?", _) => {
                let Ruby::Str(id) = self.string(symbol)? else { return Ok(None) };
                self.string_method(line, id, name, args, None)
            }
            ("upcase" | "downcase" | "capitalize", []) => Ok(Some(Ruby::Symbol(cased(name, symbol).into()))),
            _ => Ok(None),
        }
    }

    /// Calls a method of a text; `None` if it has no such method.
    pub fn string_method(
        &mut self,
        line: u32,
        id: Id,
        name: &str,
        args: &[Ruby],
        block: Option<&Block>,
    ) -> MethodResult {
        let text = self.heap.text(id).to_owned();
        if let Some(value) = self.changed(line, id, &text, name, args, block)? {
            return Ok(Some(value));
        }
        if let Some(plain) = self.plain(line, &text, name, args, block)? {
            return self.string(plain).map(Some);
        }
        if let Some(value) = self.parts(line, &text, name, args, block)? {
            return Ok(Some(value));
        }
        let value = match (name, args) {
            ("to_s" | "to_str" | "freeze" | "-@", []) => Ruby::Str(id),
            ("to_sym" | "intern", []) => Ruby::Symbol(text.into()),
            ("to_i", []) => self.leading_int(line, &text, 10)?,
            ("to_i", [Ruby::Int(radix @ 2..=36)]) => self.leading_int(line, &text, *radix as u32)?,
            ("to_f", []) => Ruby::Float(leading_float(&text)),
            ("hex", []) => self.leading_int(line, &text, 16)?,
            ("oct", []) => {
                let bare = text.trim_start().trim_start_matches(['-', '+']).to_ascii_lowercase();
                let radix = match bare.get(..2) {
                    Some("0x") => 16,
                    Some("0b") => 2,
                    Some("0d") => return self.outside(line, "`oct` of a decimal number"),
                    _ => 8,
                };
                self.leading_int(line, &text, radix)?
            }
            ("ord", []) => match text.chars().next() {
                Some(c) => Ruby::Int(i64::from(u32::from(c))),
                None => return self.fail(line, "empty string"),
            },
            ("length" | "size", []) => Ruby::Int(text.chars().count() as i64),
            ("bytesize", []) => Ruby::Int(text.len() as i64),
            ("empty?", []) => Ruby::Bool(text.is_empty()),
            ("include?", [other]) => Ruby::Bool(text.contains(&self.text(line, other)?)),
            ("start_with?" | "end_with?", _) => {
                let mut fits = false;
                for other in args {
                    fits |= match other {
                        Ruby::Regexp(regexp) => {
                            let piece = self.piece(line, &Sought::Pattern(regexp.clone()), &text, 0)?;
                            piece.is_some_and(|piece| piece.start == 0)
                        }
                        other => {
                            let other = self.text(line, other)?;
                            if name == "start_with?" { text.starts_with(&other) } else { text.ends_with(&other) }
                        }
                    };
                }
                Ruby::Bool(fits)
            }
            ("=~", [Ruby::Regexp(regexp)]) => self.find(line, &regexp.clone(), &text)?.map_or(Ruby::Nil, Ruby::Int),
            ("match" | "match?", [pattern]) => {
                let regexp = match self.sought(line, pattern)? {
                    Sought::Pattern(regexp) => regexp,
                    Sought::Text(source) => std::sync::Arc::new(crate::lang::ruby::regexp::Regexp::new(source)),
                };
                return self.regexp_method(line, &regexp, name, &[Ruby::Str(id)]);
            }
            ("<" | "<=" | ">" | ">=", [other]) => Ruby::Bool(compared(name, text.cmp(&self.text(line, other)?))),
            ("casecmp", [other]) => Ruby::Int(text.to_lowercase().cmp(&self.text(line, other)?.to_lowercase()) as i64),
            ("casecmp?", [other]) => Ruby::Bool(text.to_lowercase() == self.text(line, other)?.to_lowercase()),
            ("index" | "rindex", [other]) => {
                let at = match (self.sought(line, other)?, name) {
                    (Sought::Text(other), "rindex") => text.rfind(&other),
                    (sought, "index") => self.piece(line, &sought, &text, 0)?.map(|piece| piece.start),
                    _ => return self.outside(line, "`rindex` with a pattern"),
                };
                at.map_or(Ruby::Nil, |at| Ruby::Int(text[..at].chars().count() as i64))
            }
            ("count", [set]) => {
                let set = self.letters(line, set)?;
                Ruby::Int(text.chars().filter(|c| set.has(*c)).count() as i64)
            }
            ("[]" | "slice", _) => return self.string_at(line, &text, args),
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    /// Methods that change the text in place.
    fn changed(
        &mut self,
        line: u32,
        id: Id,
        text: &str,
        name: &str,
        args: &[Ruby],
        block: Option<&Block>,
    ) -> MethodResult {
        let whole = Ruby::Str(id);
        let made = match (name, args) {
            ("<<" | "concat", [other]) => format!("{text}{}", self.text(line, other)?),
            ("replace", [other]) => self.text(line, other)?,
            ("clear", []) => String::new(),
            ("prepend", [other]) => format!("{}{text}", self.text(line, other)?),
            ("insert", [at, other]) => {
                let (at, other) = (self.int(line, at)?, self.text(line, other)?);
                let mut chars: Vec<char> = text.chars().collect();
                let at = if at < 0 { at + 1 + chars.len() as i64 } else { at };
                let Some(at) = usize::try_from(at).ok().filter(|at| *at <= chars.len()) else {
                    return self.fail(line, format!("index {at} out of string"));
                };
                chars.splice(at..at, other.chars());
                chars.into_iter().collect()
            }
            (name, args) if name.ends_with('!') => {
                let Some(made) = self.plain(line, text, name.trim_end_matches('!'), args, block)? else {
                    return Ok(None);
                };
                let is_same = made == text;
                self.heap.set_text(id, made)?;
                return Ok(Some(if is_same { Ruby::Nil } else { whole }));
            }
            _ => return Ok(None),
        };
        self.heap.set_text(id, made)?;
        Ok(Some(whole))
    }

    /// Methods whose value is another text.
    fn plain(
        &mut self,
        line: u32,
        text: &str,
        name: &str,
        args: &[Ruby],
        block: Option<&Block>,
    ) -> Ran<Option<String>> {
        let blank = |c: char| c.is_whitespace() || c == '\0';
        Ok(Some(match (name, args) {
            ("upcase" | "downcase" | "capitalize" | "swapcase", []) => cased(name, text),
            ("strip", []) => text.trim_matches(blank).to_owned(),
            ("lstrip", []) => text.trim_start_matches(blank).to_owned(),
            ("rstrip", []) => text.trim_end_matches(blank).to_owned(),
            ("chomp", []) => text.strip_suffix('\n').map_or(text, |t| t.strip_suffix('\r').unwrap_or(t)).to_owned(),
            ("chomp" | "delete_suffix", [end]) => text.strip_suffix(&self.text(line, end)?).unwrap_or(text).to_owned(),
            ("delete_prefix", [start]) => text.strip_prefix(&self.text(line, start)?).unwrap_or(text).to_owned(),
            ("chop", []) => {
                let mut chars = text.chars();
                chars.next_back();
                chars.as_str().to_owned()
            }
            ("chr", []) => text.chars().take(1).collect(),
            ("reverse", []) => text.chars().rev().collect(),
            ("sub" | "gsub", _) => self.replaced(line, text, args, block, name == "gsub")?,
            ("tr", [from, to]) => match translated(text, &self.text(line, from)?, &self.text(line, to)?) {
                Some(made) => made,
                None => return self.outside(line, WIDE),
            },
            ("delete", [set]) => {
                let set = self.letters(line, set)?;
                text.chars().filter(|c| !set.has(*c)).collect()
            }
            ("squeeze", _) => {
                let set = args.first().map(|set| self.letters(line, set)).transpose()?;
                let mut out = String::new();
                for c in text.chars() {
                    if !(out.ends_with(c) && set.as_ref().is_none_or(|set| set.has(c))) {
                        out.push(c);
                    }
                }
                out
            }
            ("+", [other]) => format!("{text}{}", self.text(line, other)?),
            ("*", [times]) => {
                let times = self.count(line, times)?;
                self.heap.use_up(text.len().saturating_mul(times))?;
                text.repeat(times)
            }
            ("%", [values]) => {
                let values = self.heap.elements(values).to_vec();
                self.formatted(line, text, &values)?
            }
            ("ljust" | "rjust" | "center", [width, rest @ ..]) => {
                let width = self.count(line, width)?;
                self.heap.has_room(width.saturating_mul(4))?;
                let pad = rest.first().map_or(Ok(" ".to_owned()), |pad| self.text(line, pad))?;
                padded(text, name, width, &pad)
            }
            ("succ" | "next", []) => match text.parse::<u64>().ok().and_then(|number| number.checked_add(1)) {
                Some(number) => {
                    let digits = number.to_string();
                    "0".repeat(text.len().saturating_sub(digits.len())) + &digits
                }
                None => return self.outside(line, "`succ` of a text that is not a number"),
            },
            _ => return Ok(None),
        }))
    }

    /// Methods that divide the text.
    fn parts(&mut self, line: u32, text: &str, name: &str, args: &[Ruby], block: Option<&Block>) -> MethodResult {
        let parts: Vec<String> = match (name, args) {
            ("chars" | "each_char", []) => text.chars().map(String::from).collect(),
            ("lines" | "each_line", []) => text.split_inclusive('\n').map(str::to_owned).collect(),
            ("bytes", []) => {
                let bytes = text.bytes().map(|byte| Ruby::Int(i64::from(byte))).collect();
                return self.heap.array(bytes).map(Some);
            }
            ("split", _) => self.split(line, text, args)?,
            ("partition" | "rpartition", [at]) => {
                let found = match (self.sought(line, at)?, name) {
                    (Sought::Text(at), "rpartition") => text.rfind(&at).map(|start| (start, start + at.len())),
                    (sought, "partition") => self.piece(line, &sought, text, 0)?.map(|piece| (piece.start, piece.end)),
                    _ => return self.outside(line, "`rpartition` with a pattern"),
                };
                let whole = |first| if first { [text, "", ""] } else { ["", "", text] };
                let cut = |(start, end): (usize, usize)| [&text[..start], &text[start..end], &text[end..]];
                found.map_or_else(|| whole(name == "partition"), cut).map(str::to_owned).into()
            }
            ("scan", [pattern]) => {
                let sought = self.sought(line, pattern)?;
                let all = self.scan(line, text, &sought)?;
                let mut list = Vec::new();
                for found in all {
                    list.push(match &found.groups[..] {
                        [Some(whole)] => self.string(whole.as_str())?,
                        groups => self.groups(groups.get(1..).unwrap_or_default())?,
                    });
                }
                let list = self.heap.array(list)?;
                return match block {
                    Some(_) => self.method(line, &list, "each", &[], block).map(Some),
                    None => Ok(Some(list)),
                };
            }
            _ => return Ok(None),
        };
        let list = self.strings(parts)?;
        match block {
            Some(_) if name.starts_with("each_") => self.method(line, &list, "each", &[], block).map(Some),
            _ => Ok(Some(list)),
        }
    }

    fn split(&mut self, line: u32, text: &str, args: &[Ruby]) -> Ran<Vec<String>> {
        let limit = args.get(1).map_or(Ok(0), |limit| self.int(line, limit))?;
        let most = usize::try_from(limit).ok().filter(|most| *most > 0).unwrap_or(usize::MAX);
        let sought = match args.first() {
            None | Some(Ruby::Nil) => Sought::Text(" ".into()),
            Some(first) => self.sought(line, first)?,
        };
        let mut parts: Vec<String> = match &sought {
            Sought::Text(blank) if blank == " " => {
                if most == usize::MAX {
                    text.split_whitespace().map(str::to_owned).collect()
                } else {
                    let rest = text.trim_start();
                    rest.splitn(most, char::is_whitespace).map(|part| part.trim_start().to_owned()).collect()
                }
            }
            Sought::Text(at) if at.is_empty() => text.chars().map(String::from).collect(),
            sought => {
                let (mut parts, mut at, mut from) = (Vec::new(), 0, 0);
                while parts.len() + 1 < most {
                    let Some(piece) = self.piece(line, sought, text, from)? else { break };
                    self.step()?;
                    if piece.end == piece.start {
                        // An empty match divides between two characters.
                        let next = next_char(text, piece.end);
                        if next >= text.len() {
                            break;
                        }
                        from = next;
                        parts.push(text.get(at..next).unwrap_or_default().to_owned());
                        at = next;
                        continue;
                    }
                    parts.push(text.get(at..piece.start).unwrap_or_default().to_owned());
                    parts.extend(piece.found.groups.iter().skip(1).flatten().cloned());
                    at = piece.end;
                    from = piece.end;
                }
                parts.push(text.get(at..).unwrap_or_default().to_owned());
                parts
            }
        };
        if limit == 0 {
            while parts.last().is_some_and(String::is_empty) {
                parts.pop();
            }
        }
        Ok(parts)
    }

    fn string_at(&mut self, line: u32, text: &str, args: &[Ruby]) -> MethodResult {
        let chars: Vec<char> = text.chars().collect();
        let len = chars.len() as i64;
        let from_end = |at: i64| if at < 0 { at + len } else { at };
        let (from, end) = match args {
            [Ruby::Int(at)] => {
                let at = from_end(*at);
                if at < 0 || at >= len {
                    return Ok(Some(Ruby::Nil));
                }
                (at, at + 1)
            }
            [Ruby::Range(from, to)] => (from_end(*from), from_end(*to).saturating_add(1)),
            [Ruby::Int(_), Ruby::Int(..0)] => return Ok(Some(Ruby::Nil)),
            [Ruby::Int(from), Ruby::Int(count)] => (from_end(*from), from_end(*from).saturating_add(*count)),
            [Ruby::Regexp(regexp), rest @ ..] => {
                self.find(line, &regexp.clone(), text)?;
                let at = rest.first().map_or(Ok(0), |at| self.count(line, at))?;
                let group = self.found.as_ref().and_then(|found| found.groups.get(at).cloned().flatten());
                return group.map_or(Ok(Ruby::Nil), |group| self.string(group)).map(Some);
            }
            [Ruby::Str(id)] => {
                let part = self.heap.text(*id).to_owned();
                return if text.contains(&part) { self.string(part).map(Some) } else { Ok(Some(Ruby::Nil)) };
            }
            _ => return Ok(None),
        };
        if from < 0 || from > len {
            return Ok(Some(Ruby::Nil));
        }
        let end = end.clamp(from, len);
        let part: String = chars[from as usize..end as usize].iter().collect();
        self.string(part).map(Some)
    }

    /// `format`, with `*` for a width and `%{name}`, `%<name>d` for entries of a hash.
    pub fn formatted(&mut self, line: u32, text: &str, values: &[Ruby]) -> Ran<String> {
        let has_names = text.contains("%<");
        let mut made = String::new();
        let mut args: Vec<Ruby> = Vec::new();
        let mut rest = values.iter();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                made.push(c);
                continue;
            }
            let mut sign = String::from("%");
            while let Some(c) = chars.next() {
                match c {
                    '%' => {
                        sign.push('%');
                        break;
                    }
                    '*' => {
                        // `%*2$d`: the second argument is the width.
                        let mut ahead = chars.clone();
                        let digits: String = std::iter::from_fn(|| ahead.next_if(char::is_ascii_digit)).collect();
                        let at = digits.parse::<usize>().ok().filter(|_| ahead.next_if_eq(&'$').is_some());
                        let width = match at {
                            Some(at) => {
                                chars = ahead;
                                at.checked_sub(1).and_then(|at| values.get(at))
                            }
                            None => rest.next(),
                        };
                        match width {
                            Some(Ruby::Int(width)) => sign.push_str(&width.to_string()),
                            _ => return self.fail(line, "too few arguments"),
                        }
                    }
                    open @ ('{' | '<') => {
                        let close = if open == '{' { '}' } else { '>' };
                        let key: String = chars.by_ref().take_while(|c| *c != close).collect();
                        let key = super::value::Key::Symbol(key.into());
                        let table = values
                            .first()
                            .and_then(|first| if let Ruby::Hash(id) = first { self.heap.table(*id) } else { None });
                        let Some((_, value)) = table.and_then(|table| table.get(&key)).cloned() else {
                            return self.fail(line, "a key of the format is not found");
                        };
                        if open == '{' {
                            let text = self.heap.shown(&value);
                            args.push(self.string(text)?);
                            sign.push('s');
                            break;
                        }
                        args.push(value);
                    }
                    c if c.is_ascii_alphabetic() => {
                        sign.push(c);
                        if !has_names && let Some(value) = rest.next() {
                            let text = match c {
                                's' => Some(self.heap.shown(value)),
                                'p' => Some(self.heap.inspect(value)),
                                _ => None,
                            };
                            args.push(match text {
                                Some(text) => self.string(text)?,
                                None => value.clone(),
                            });
                        }
                        break;
                    }
                    c => sign.push(c),
                }
            }
            made.push_str(&sign.replace('p', "s"));
        }
        self.host.format(&self.heap, line, &made, &args)
    }
}

fn cased(name: &str, text: &str) -> String {
    match name {
        "upcase" => text.to_uppercase(),
        "downcase" => text.to_lowercase(),
        "capitalize" => {
            let mut chars = text.chars();
            chars
                .next()
                .map_or_else(String::new, |c| c.to_uppercase().chain(chars.as_str().to_lowercase().chars()).collect())
        }
        _ => text
            .chars()
            .flat_map(
                |c| if c.is_uppercase() { c.to_lowercase().collect::<Vec<_>>() } else { c.to_uppercase().collect() },
            )
            .collect(),
    }
}

fn padded(text: &str, name: &str, width: usize, pad: &str) -> String {
    let missing = width.saturating_sub(text.chars().count());
    if pad.is_empty() {
        return text.to_owned();
    }
    let fill = |count: usize| pad.chars().cycle().take(count).collect::<String>();
    match name {
        "ljust" => format!("{text}{}", fill(missing)),
        "rjust" => format!("{}{text}", fill(missing)),
        _ => format!("{}{text}{}", fill(missing / 2), fill(missing - missing / 2)),
    }
}

const WIDE: &str = "a range of more than 65,536 characters";

/// The characters of a set such as `a-z`; nothing where a range is too wide.
fn set(text: &str) -> Option<Vec<char>> {
    let chars: Vec<char> = text.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = chars.get(at) {
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some('-'), Some(end)) if c <= end => {
                if u32::from(*end) - u32::from(*c) >= 1 << 16 {
                    return None;
                }
                out.extend(*c..=*end);
                at += 3;
            }
            _ => {
                out.push(*c);
                at += 1;
            }
        }
    }
    Some(out)
}

/// Letters as `a-z` or `^a-z` names them.
struct Letters {
    named: FxHashSet<char>,
    is_other: bool,
}

impl Letters {
    fn read(text: &str) -> Option<Self> {
        Some(match text.strip_prefix('^') {
            Some(rest) if !rest.is_empty() => Self { named: set(rest)?.into_iter().collect(), is_other: true },
            _ => Self { named: set(text)?.into_iter().collect(), is_other: false },
        })
    }

    fn has(&self, c: char) -> bool {
        self.named.contains(&c) != self.is_other
    }
}

fn translated(text: &str, from: &str, to: &str) -> Option<String> {
    let to = set(to)?;
    let (from, is_other) = match from.strip_prefix('^') {
        Some(rest) if !rest.is_empty() => (set(rest)?, true),
        _ => (set(from)?, false),
    };
    let mut places = FxHashMap::default();
    for (at, c) in from.into_iter().enumerate() {
        places.entry(c).or_insert(at);
    }
    let one = |c: char| match places.get(&c) {
        None if is_other => to.last().copied(),
        Some(at) if !is_other => to.get(*at).or(to.last()).copied(),
        _ => Some(c),
    };
    Some(text.chars().filter_map(one).collect())
}

impl Machine<'_> {
    fn letters(&self, line: u32, set: &Ruby) -> Ran<Letters> {
        match Letters::read(&self.text(line, set)?) {
            Some(letters) => Ok(letters),
            None => self.outside(line, WIDE),
        }
    }

    /// The integer at the start of a text, or 0.
    pub fn leading_int(&self, line: u32, text: &str, radix: u32) -> Ran {
        self.int_or_outside(line, leading_int(text, radix))
    }
}

/// The integer at the start of a text, or 0; nothing where it is outside of 64 bits.
fn leading_int(text: &str, radix: u32) -> Option<i64> {
    let text = text.trim_start();
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefix = match radix {
        16 => "0x",
        8 => "0o",
        2 => "0b",
        _ => "",
    };
    let has_prefix = !prefix.is_empty() && rest.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let digits = if has_prefix { rest.get(2..).unwrap_or_default() } else { rest };
    let (mut value, mut may_part) = (0i64, false);
    for c in digits.chars() {
        match c.to_digit(radix) {
            Some(digit) => {
                value = value.checked_mul(i64::from(radix))?.checked_add(sign * i64::from(digit))?;
                may_part = true;
            }
            // One underscore may be between two digits.
            None if c == '_' && may_part => may_part = false,
            None => break,
        }
    }
    Some(value)
}

/// The number at the start of a text, or 0.
fn leading_float(text: &str) -> f64 {
    let text = text.trim_start();
    let digits = |at: usize| at + text[at..].bytes().take_while(u8::is_ascii_digit).count();
    let sign = |at: usize| at + usize::from(text[at..].starts_with(['+', '-']));
    let whole = digits(sign(0));
    let mut end = whole;
    if text[whole..].starts_with('.') && digits(whole + 1) > whole + 1 {
        end = digits(whole + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let from = sign(end + 1);
        if digits(from) > from {
            end = digits(from);
        }
    }
    text[..end].parse().unwrap_or(0.0)
}
