//! Patterns: what they find, and what replaces it.

use std::sync::Arc;

use super::call::MethodResult;
use super::expr::Block;
use super::value::{Id, Match, Ruby};
use super::{Halt, Machine, Ran};
use crate::lang::ruby::regexp::Regexp;

/// A pattern or a plain text that is looked for.
pub enum Sought {
    Pattern(Arc<Regexp>),
    Text(String),
}

/// A piece of a text that was found: its bytes and its groups.
pub struct Piece {
    pub start: usize,
    pub end: usize,
    pub found: Match,
}

impl Machine<'_> {
    /// Converts a value to a pattern or plain text. Fails if it is neither.
    pub fn sought(&self, line: u32, value: &Ruby) -> Ran<Sought> {
        match value {
            Ruby::Regexp(regexp) => Ok(Sought::Pattern(regexp.clone())),
            other => self.text(line, other).map(Sought::Text),
        }
    }

    /// The first match from a byte on.
    pub fn piece(&self, line: u32, sought: &Sought, text: &str, from: usize) -> Ran<Option<Piece>> {
        let Some(rest) = text.get(from..) else { return Ok(None) };
        match sought {
            Sought::Text(plain) => Ok(rest.find(plain.as_str()).map(|at| {
                let (start, end) = (from + at, from + at + plain.len());
                let groups = vec![Some(plain.clone())];
                Piece { start, end, found: Match { groups, start, end, ..Match::default() } }
            })),
            Sought::Pattern(regexp) => {
                let refused = |why: String| Halt::outside(line, format!("the pattern /{}/ ({why})", regexp.source));
                let compiled = regexp.compiled().map_err(refused)?;
                let captures = compiled.captures_from_pos(text, from).map_err(|why| refused(why.to_string()))?;
                let Some((captures, whole)) = captures.and_then(|found| found.get(0).map(|whole| (found, whole)))
                else {
                    return Ok(None);
                };
                let groups = captures.iter().map(|group| group.map(|group| group.as_str().to_owned())).collect();
                let names = compiled.capture_names().map(|name| name.map(str::to_owned)).collect();
                let (start, end) = (whole.start(), whole.end());
                Ok(Some(Piece { start, end, found: Match { groups, names, start, end, ..Match::default() } }))
            }
        }
    }

    /// Matches and remembers the groups, as `=~` does. Gives the place in characters.
    pub fn find(&mut self, line: u32, regexp: &Arc<Regexp>, text: &str) -> Ran<Option<i64>> {
        let piece = self.piece(line, &Sought::Pattern(regexp.clone()), text, 0)?;
        let at = piece.as_ref().map(|piece| text[..piece.start].chars().count() as i64);
        self.found = piece.map(|piece| Match { text: text.into(), ..piece.found });
        Ok(at)
    }

    /// `match`
    pub fn matched(&mut self, line: u32, regexp: &Arc<Regexp>, text: &str) -> Ran {
        self.find(line, regexp, text)?;
        match self.found.clone() {
            Some(found) => self.heap.found(found),
            None => Ok(Ruby::Nil),
        }
    }

    /// `sub` and `gsub`
    pub fn replaced(&mut self, line: u32, text: &str, args: &[Ruby], block: Option<&Block>, all: bool) -> Ran<String> {
        let Some(first) = args.first() else { return self.fail(line, "wrong number of arguments") };
        let sought = self.sought(line, first)?;
        let mut out = String::with_capacity(text.len());
        let shared: Arc<str> = if block.is_some() { text.into() } else { Arc::default() };
        let mut at = 0;
        let mut from = 0;
        while let Some(piece) = self.piece(line, &sought, text, from)? {
            self.step()?;
            out.push_str(text.get(at..piece.start).unwrap_or_default());
            let whole = piece.found.groups.first().cloned().flatten().unwrap_or_default();
            match (args.get(1), block) {
                (Some(Ruby::Hash(table)), _) => {
                    let key = super::value::Key::Str(whole);
                    let value =
                        self.heap.table(*table).and_then(|table| table.get(&key)).map(|(_, value)| value.clone());
                    out.push_str(&value.map_or_else(String::new, |value| self.heap.shown(&value)));
                }
                (Some(with), _) => {
                    let with = self.text(line, with)?;
                    expand(&with, &piece.found, &mut out);
                }
                (None, Some(block)) => {
                    let whole = self.string(whole)?;
                    self.found = Some(Match { text: shared.clone(), ..piece.found.clone() });
                    let answer = self.yields(line, block, &[whole])?;
                    out.push_str(&self.heap.shown(&answer));
                }
                (None, None) => return self.outside(line, "`gsub` without a replacement"),
            }
            self.heap.has_room(out.len())?;
            at = piece.end;
            from = if piece.end > piece.start { piece.end } else { next_char(text, piece.end) };
            if piece.end == piece.start {
                out.push_str(text.get(at..from.min(text.len())).unwrap_or_default());
                at = from.min(text.len());
            }
            if !all || from > text.len() {
                break;
            }
        }
        out.push_str(text.get(at..).unwrap_or_default());
        Ok(out)
    }

    /// Everything that a pattern finds.
    pub fn scan(&mut self, line: u32, text: &str, sought: &Sought) -> Ran<Vec<Match>> {
        let mut out = Vec::new();
        let mut from = 0;
        while let Some(piece) = self.piece(line, sought, text, from)? {
            self.step()?;
            from = if piece.end > piece.start { piece.end } else { next_char(text, piece.end) };
            out.push(piece.found);
            if from > text.len() {
                break;
            }
        }
        Ok(out)
    }

    /// Calls a method of a regular expression; `None` if it has no such method.
    pub fn regexp_method(&mut self, line: u32, regexp: &Arc<Regexp>, name: &str, args: &[Ruby]) -> MethodResult {
        Ok(Some(match (name, args) {
            ("=~" | "match" | "match?" | "===", [Ruby::Nil]) => match name {
                "match?" | "===" => Ruby::Bool(false),
                _ => Ruby::Nil,
            },
            ("=~", [text]) => {
                let text = self.text(line, text)?;
                self.find(line, regexp, &text)?.map_or(Ruby::Nil, Ruby::Int)
            }
            ("match", [text]) => {
                let text = self.text(line, text)?;
                self.matched(line, regexp, &text)?
            }
            ("match?", [text]) => {
                let text = self.text(line, text)?;
                Ruby::Bool(self.piece(line, &Sought::Pattern(regexp.clone()), &text, 0)?.is_some())
            }
            ("source", []) => self.string(&*regexp.source)?,
            _ => return Ok(None),
        }))
    }

    /// Calls a method of a match; `None` if it has no such method.
    pub fn match_method(&mut self, line: u32, id: Id, name: &str, args: &[Ruby]) -> MethodResult {
        let found = self.heap.matched(id);
        let group = |at: usize| found.groups.get(at).cloned().flatten();
        let text = match (name, args) {
            ("[]", [Ruby::Int(at)]) => {
                let at = if *at < 0 { at.saturating_add(found.groups.len() as i64) } else { *at };
                usize::try_from(at).ok().and_then(group)
            }
            // As of a list of all groups.
            ("[]", [Ruby::Range(..)] | [_, _]) | ("values_at", _) => {
                let all = self.groups(&found.groups)?;
                return self.method(line, &all, name, args, None).map(Some);
            }
            ("begin" | "end", [Ruby::Int(0)]) => {
                let at = if name == "begin" { found.start } else { found.end };
                let count = found.text.get(..at).map_or(0, |before| before.chars().count());
                return Ok(Some(Ruby::Int(count as i64)));
            }
            ("names", []) => return self.strings(found.names.iter().flatten().cloned().collect::<Vec<_>>()).map(Some),
            ("size" | "length", []) => return Ok(Some(Ruby::Int(found.groups.len() as i64))),
            ("[]", [key @ (Ruby::Str(_) | Ruby::Symbol(_))]) => {
                let key = self.text(line, key)?;
                found.names.iter().position(|name| name.as_deref() == Some(&key)).and_then(group)
            }
            ("to_s", []) => group(0),
            ("pre_match", []) => Some(found.before().to_owned()),
            ("post_match", []) => Some(found.after().to_owned()),
            ("captures" | "to_a", []) => {
                let from = usize::from(name == "captures");
                return self.groups(&found.groups[from.min(found.groups.len())..]).map(Some);
            }
            _ => return Ok(None),
        };
        text.map_or(Ok(Ruby::Nil), |text| self.string(text)).map(Some)
    }

    /// Groups as a list of texts.
    pub fn groups(&mut self, groups: &[Option<String>]) -> Ran {
        let list = groups.iter().map(|group| match group {
            Some(text) => self.heap.string(text.as_str()),
            None => Ok(Ruby::Nil),
        });
        let list = list.collect::<Ran<Vec<_>>>()?;
        self.heap.array(list)
    }
}

/// Returns the place behind the character at a place; behind the end where there is none.
pub fn next_char(text: &str, at: usize) -> usize {
    at + text.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

/// A replacement with `\1`, `\0` and `\k<name>`.
fn expand(with: &str, found: &Match, out: &mut String) {
    let mut chars = with.chars().peekable();
    let group = |at: usize| found.groups.get(at).cloned().flatten().unwrap_or_default();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('&') => out.push_str(&group(0)),
            Some('k') if chars.peek() == Some(&'<') => {
                let name: String = chars.by_ref().skip(1).take_while(|c| *c != '>').collect();
                let at = found.names.iter().position(|have| have.as_deref() == Some(&name));
                out.push_str(&at.map(group).unwrap_or_default());
            }
            Some('\\') => out.push('\\'),
            Some(c) => match c.to_digit(10) {
                Some(at) => out.push_str(&group(at as usize)),
                None => out.extend(['\\', c]),
            },
            None => out.push('\\'),
        }
    }
}

/// A text as a pattern that finds it.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => {
                if ".*?+^$|()[]{}\\-# ".contains(c) {
                    out.push('\\');
                }
                out.push(c);
            }
        }
    }
    out
}
