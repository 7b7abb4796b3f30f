//! Explains a syntax error: what is missing or foreign, where that began, and what to write instead.
//!
//! Runs only after the parser failed. It reads the tokens before the failure and the one at it.

use super::super::issue::Advice;
use super::super::lexer::{Key, T, Token};
use crate::diag::Code;
use crate::lang::shared::words::foreign_character;
use crate::source::{FileId, Span};

/// The tokens up to a syntax error.
pub(super) struct Failure<'t> {
    pub file: FileId,
    pub text: &'t str,
    pub tokens: &'t [Token],
    /// The index of the token that does not fit.
    pub at: usize,
    /// The token that the parser needs there, as written; `None` for an expression.
    pub expected: Option<&'static str>,
}

/// A bracket that is open at the failure.
#[derive(Clone, Copy)]
struct Open {
    index: usize,
    close: char,
}

/// Words of other languages with the word of Puppet.
const FOREIGN_WORDS: [(&str, &str); 10] = [
    ("NULL", "undef"),
    ("elseif", "elsif"),
    ("elif", "elsif"),
    ("else_if", "elsif"),
    ("elsief", "elsif"),
    ("switch", "case"),
    ("None", "undef"),
    ("null", "undef"),
    ("nil", "undef"),
    ("True", "true"),
];

/// Words that close a block elsewhere.
const FOREIGN_ENDS: [&str; 5] = ["end", "fi", "endif", "esac", "done"];

/// Words that begin a statement elsewhere, and what Puppet writes.
const FOREIGN_STATEMENTS: [(&str, &str); 14] = [
    ("foreach", "$list.each |$item| { … }"),
    ("for", "$list.each |$item| { … }"),
    ("while", "$list.each |$item| { … }"),
    ("until", "$list.each |$item| { … }"),
    ("def", "function NAME(TYPE $parameter) { … }"),
    ("func", "function NAME(TYPE $parameter) { … }"),
    ("fn", "function NAME(TYPE $parameter) { … }"),
    ("let", "$name = VALUE"),
    ("var", "$name = VALUE"),
    ("const", "$name = VALUE"),
    ("local", "$name = VALUE"),
    ("resource", "TYPE { 'TITLE': … }"),
    ("import", "include CLASS"),
    ("role", "class NAME { … }"),
];

impl Failure<'_> {
    /// Explains the failure and says how to repair it.
    pub fn explain(&self) -> Advice {
        let (open, suspect) = self.open_brackets();
        self.swallowing_string()
            .or_else(|| self.foreign_character())
            .or_else(|| self.unclosed_tag())
            .or_else(|| self.foreign_word())
            .or_else(|| self.foreign_construct(open.last()))
            .or_else(|| self.wrong_sign(open.last()))
            .or_else(|| self.bracket(&open, suspect))
            .or_else(|| self.missing_comma(open.last()))
            .unwrap_or_else(|| self.unexpected(open.last()))
    }

    /// Finds the string that lacks its quote, if it is not the one that the lexer reports.
    pub fn unclosed_quote(&self) -> Option<Advice> {
        self.swallowing_string()
    }

    /// Explains a block that belongs to no resource or statement.
    pub fn explain_block(&self) -> Option<Advice> {
        let (open, _) = self.open_brackets();
        self.swallowing_string().or_else(|| self.foreign_word()).or_else(|| self.wrong_sign(open.last()))
    }

    /// A quote or a blank that a word processor wrote.
    fn foreign_character(&self) -> Option<Advice> {
        let T::Other(c) = self.kind(self.at) else { return None };
        let (label, help) = foreign_character(*c)?;
        let place = Some(self.span(self.at));
        Some(Advice { code: Code::UnknownCharacter, place, label, related: Vec::new(), help: Some(help) })
    }

    /// A tag of a template that another tag begins before its end.
    fn unclosed_tag(&self) -> Option<Advice> {
        let here = self.span(self.at);
        let start = self.text.get(..here.start as usize)?.rfind("<%")?;
        let inside = &self.text[start + 2..];
        let end = inside.find("%>").unwrap_or(inside.len());
        let next = inside.find("<%");
        let is_open = next.map_or(end == inside.len(), |next| next < end);
        // A tag that was closed before the failure is another's fault.
        if !is_open || start + 2 + end < here.start as usize {
            return None;
        }
        let line = inside.lines().next().unwrap_or_default();
        Some(Advice {
            code: Code::InvalidTemplate,
            place: Some(Span { start: start as u32, end: (start + 2 + line.trim_end().len()) as u32, ..here }),
            label: "the tag that begins here is not closed".into(),
            related: Vec::new(),
            help: Some("close it with `%>` before the text continues".into()),
        })
    }

    fn kind(&self, index: usize) -> &T {
        self.tokens.get(index).map_or(&T::End, |token| &token.kind)
    }

    fn before(&self, distance: usize) -> Option<&T> {
        self.at.checked_sub(distance).map(|index| self.kind(index))
    }

    fn span(&self, index: usize) -> Span {
        let index = index.min(self.tokens.len().saturating_sub(1));
        let (start, end) = self.tokens.get(index).map_or((0, 0), |token| (token.start, token.end));
        Span { file: self.file, start, end }
    }

    fn line(&self, index: usize) -> usize {
        let start = self.tokens.get(index).map_or(0, |token| token.start as usize).min(self.text.len());
        self.text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// The width of the blanks before the first token of a token's line, and whether the token is that first one.
    fn indent(&self, index: usize) -> (usize, bool) {
        let start = self.tokens.get(index).map_or(0, |token| token.start as usize).min(self.text.len());
        let line = self.text.as_bytes()[..start].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let width = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        (width, width == line.len())
    }

    fn source(&self, index: usize) -> &str {
        let Span { start, end, .. } = self.span(index);
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The brackets that are open at the failure, and a brace whose partner is indented less than its line: its own
    /// closing brace is probably missing.
    fn open_brackets(&self) -> (Vec<Open>, Option<usize>) {
        let mut open: Vec<Open> = Vec::new();
        let mut suspect = None;
        for index in 0..self.at.min(self.tokens.len()) {
            let close = match self.kind(index) {
                T::OpenBrace | T::SelectBrace => Some('}'),
                T::OpenBrack | T::ListStart => Some(']'),
                T::OpenParen | T::LineParen => Some(')'),
                _ => None,
            };
            if let Some(close) = close {
                open.push(Open { index, close });
            } else if matches!(self.kind(index), T::CloseBrace | T::CloseBrack | T::CloseParen) {
                let Some(last) = open.pop() else { continue };
                let (indent, is_first) = self.indent(index);
                if last.close == '}' && is_first && indent < self.indent(last.index).0 {
                    suspect.get_or_insert(last.index);
                }
            }
        }
        (open, suspect)
    }

    /// A string over several lines with a word directly behind it: its own closing quote is missing, and it ends at
    /// the opening quote of the next string.
    fn swallowing_string(&self) -> Option<Advice> {
        let mut begun = Vec::new();
        let start = (0..self.at.min(self.tokens.len())).find_map(|index| {
            let start = match self.kind(index) {
                T::Pre(_) => {
                    begun.push(index);
                    return None;
                }
                T::Post(_) => begun.pop()?,
                T::Str(_) => index,
                _ => return None,
            };
            self.swallows(start, index).then_some(start)
        })?;
        let quote = self.source(start).chars().next()?;
        let first_line = self.rest(start).lines().next().map_or(1, str::len);
        let mut place = self.span(start);
        place.end = place.start + first_line as u32;
        Some(Advice {
            code: Code::UnterminatedString,
            place: Some(place),
            label: format!("this string has no closing {quote} on its line"),
            related: vec![(self.span(self.at), "the text after it is read as code from here".into())],
            help: Some(format!("add {quote} where the text ends")),
        })
    }

    /// Whether a string from one token to another has a line break in it and ends directly before a word.
    fn swallows(&self, start: usize, end: usize) -> bool {
        let is_heredoc = start.checked_sub(1).is_some_and(|before| matches!(self.kind(before), T::Heredoc(_)));
        let range = self.span(start).start as usize..self.span(end).end as usize;
        let source = self.text.get(range).unwrap_or_default();
        if is_heredoc || !source.starts_with(['\'', '"']) || !source.contains('\n') {
            return false;
        }
        let may_follow = matches!(
            self.kind(end + 1),
            T::Sign("," | ";" | ":" | "." | "?" | "=>" | "|")
                | T::CloseBrace
                | T::CloseBrack
                | T::CloseParen
                | T::OpenBrack
                | T::EppEnd
                | T::End
                | T::Mid(_)
                | T::Post(_)
        );
        match self.kind(end + 1) {
            T::Bad(_) => source.contains("=>"),
            _ => self.span(end).end == self.span(end + 1).start && !may_follow,
        }
    }

    /// The text of the file from a token on.
    fn rest(&self, index: usize) -> &str {
        self.text.get(self.span(index).start as usize..).unwrap_or_default()
    }

    fn foreign_word(&self) -> Option<Advice> {
        let advice = |index: usize, label: String, help: String| Advice {
            code: Code::ForeignWord,
            place: Some(self.span(index)),
            label,
            related: Vec::new(),
            help: Some(help),
        };
        if *self.kind(self.at) == T::Key(Key::If) && self.before(1) == Some(&T::Key(Key::Else)) {
            let label = "`else if` is written `elsif` in Puppet";
            return Some(advice(self.at, label.into(), "write `elsif CONDITION { … }`".into()));
        }
        // A word of the same statement: an unknown word is read as a value first, and the failure comes later.
        let first = self.at.saturating_sub(24);
        for index in (first..=self.at).rev() {
            let (T::Name(word) | T::Word(word) | T::Ref(word)) = self.kind(index) else { continue };
            let follows_brace = index > 0 && *self.kind(index - 1) == T::CloseBrace;
            if let Some((_, ours)) = FOREIGN_WORDS.iter().find(|(foreign, _)| *foreign == &**word)
                && (follows_brace || !ours.starts_with("els"))
                && (index == self.at || follows_brace || *ours == "case")
            {
                let label = format!("`{word}` is not a word of Puppet");
                return Some(advice(index, label, format!("write `{ours}`")));
            }
            let is_statement = self.indent(index).1 || follows_brace;
            let is_name = !matches!(self.kind(index + 1), T::Sign("=>" | ":") | T::OpenBrace);
            if let Some((_, ours)) = FOREIGN_STATEMENTS.iter().find(|(foreign, _)| *foreign == &**word)
                && is_statement
                && is_name
                && (self.line(index) == self.line(self.at)
                    || matches!(self.kind(index + 1), T::Var(_)) && self.line(index) + 1 == self.line(self.at))
            {
                let label = format!("`{word}` is not a word of Puppet");
                return Some(advice(index, label, format!("write `{ours}`")));
            }
            let is_last = index + 1 == self.at && *self.kind(self.at) == T::End && is_statement;
            if (index == self.at || is_last) && FOREIGN_ENDS.contains(&&**word) {
                let label = format!("`{word}` does not end a block in Puppet");
                return Some(advice(index, label, "close the block with `}`".into()));
            }
        }
        let twice = |sign: &str| {
            let is = |kind: Option<&T>| match kind {
                Some(T::Sign(found)) => *found == sign,
                Some(T::Other(c)) => sign.starts_with(*c),
                _ => false,
            };
            let next = self.kind(self.at + 1);
            is(Some(self.kind(self.at))) && (is(Some(next)) || is(self.before(1)))
        };
        for (sign, word) in [("&", "and"), ("|", "or")] {
            if twice(sign) {
                let label = format!("`{sign}{sign}` is written `{word}` in Puppet");
                return Some(advice(self.at, label, format!("write `{word}`")));
            }
        }
        None
    }

    /// Whether a token follows the one before it without a blank.
    fn joins(&self, index: usize) -> bool {
        index > 0 && self.span(index - 1).end == self.span(index).start
    }

    /// What another language writes so, or what lacks a sign of Puppet.
    fn foreign_construct(&self, open: Option<&Open>) -> Option<Advice> {
        let advice = |index: usize, code: Code, label: String, help: String| Advice {
            code,
            place: Some(self.span(index)),
            label,
            related: Vec::new(),
            help: Some(help),
        };
        let sign = |index: Option<usize>| match index.map(|index| self.kind(index)) {
            Some(T::Sign(sign)) => *sign,
            _ => "",
        };
        let before = self.at.checked_sub(1);
        // A keyword with a capital letter, at the start of its line.
        let first = self.at.saturating_sub(8);
        for index in (first..=self.at).rev() {
            let T::Ref(word) = self.kind(index) else { continue };
            let lower = word.to_lowercase();
            let is_keyword = ["class", "define", "node", "function", "if", "unless", "case", "include", "contain"]
                .contains(&&*lower);
            let next = self.kind(index + 1);
            let is_other = matches!(next, T::OpenBrace | T::OpenBrack | T::Sign(_) | T::CloseParen);
            if is_keyword && self.indent(index).1 && !is_other {
                let label = format!("`{word}` begins with a capital letter");
                return Some(advice(index, Code::ForeignWord, label, format!("write `{lower}`")));
            }
        }
        let here = self.source(self.at);
        if let Some(found) = self.neighbouring_form(open) {
            return Some(found);
        }
        match (self.kind(self.at), self.expected) {
            // Names of nodes without a comma.
            (T::Str(_) | T::Regex(_) | T::Name(_) | T::Word(_) | T::Key(Key::Default), Some("{")) => {
                let line = self.line(self.at);
                let is_node = (0..self.at).rev().take_while(|at| self.line(*at) == line);
                if is_node.last().is_some_and(|first| *self.kind(first) == T::Key(Key::Node)) {
                    let last = self.source(self.at - 1);
                    let label = format!("a comma is missing between {last} and {here}");
                    return Some(advice(self.at, Code::CommaNeeded, label, format!("write `,` after `{last}`")));
                }
                None
            }
            // A variable of Ruby.
            (T::Sign("@"), None) if self.joins(self.at + 1) => {
                let T::Name(name) = self.kind(self.at + 1) else { return None };
                let label = format!("`@{name}` is a variable of Ruby");
                Some(advice(self.at, Code::ForeignWord, label, format!("write `${name}`")))
            }
            (T::Sign("=>"), None) if *self.kind(before?) == T::CloseBrack => {
                let label = "`=>` does not order two resources".to_string();
                Some(advice(self.at, Code::WrongSign, label, "write `->`, or `~>` to refresh as well".into()))
            }
            (T::Var(_) | T::Str(_) | T::Pre(_), None) if sign(before) == "." => {
                let label = "`.` does not join texts".to_string();
                let help = match self.kind(self.at) {
                    T::Var(name) => format!("write one text: `\"…${{{name}}}…\"`"),
                    _ => "write one text, with variables as `${NAME}` in double quotes".into(),
                };
                Some(advice(before?, Code::ForeignWord, label, help))
            }
            // `String name` in a list of parameters.
            (T::Name(name), _)
                if open.is_some_and(|open| open.close == ')')
                    && matches!(self.kind(before?), T::Ref(_) | T::CloseBrack)
                    && matches!(self.kind(self.at + 1), T::Sign("=" | ",") | T::CloseParen) =>
            {
                let label = format!("the parameter `{name}` has no `$`");
                Some(advice(self.at, Code::MissingSign, label, format!("write `${name}`")))
            }
            // A path as a title.
            (T::Name(_) | T::Word(_), Some(":"))
                if matches!(self.kind(before?), T::Regex(_)) && self.joins(self.at) =>
            {
                let start = self.span(before?).start as usize;
                let rest = self.text.get(start..).unwrap_or_default();
                let end = rest.find(|c: char| c.is_whitespace() || c == ':').unwrap_or(rest.len());
                let path = &rest[..end];
                let place = Span { start: start as u32, end: (start + end) as u32, ..self.span(self.at) };
                let mut found = advice(
                    self.at,
                    Code::WrongSign,
                    format!("{path} is a text without quotes"),
                    format!("write `'{path}'`"),
                );
                found.place = Some(place);
                Some(found)
            }
            // One colon in a name.
            (T::Sign(":"), _) if self.joins(self.at) && self.joins(self.at + 1) => {
                let (T::Name(left), T::Name(right)) = (self.kind(before?), self.kind(self.at + 1)) else { return None };
                let label = "the parts of a name have `::` between them".to_string();
                Some(advice(self.at, Code::WrongSign, label, format!("write `{left}::{right}`")))
            }
            (T::Sign("="), _) if self.in_query() => {
                let name = self.source(before?);
                let label = "`=` does not compare two values".to_string();
                Some(advice(self.at, Code::WrongSign, label, format!("write `{name} == VALUE`")))
            }
            _ => None,
        }
    }

    /// A form that is nearly one of Puppet: what has to change is beside the failure.
    fn neighbouring_form(&self, open: Option<&Open>) -> Option<Advice> {
        let before = self.at.checked_sub(1)?;
        let advice = |index: usize, code: Code, label: String, help: String| {
            Some(Advice { code, place: Some(self.span(index)), label, related: Vec::new(), help: Some(help) })
        };
        let here = self.source(self.at);
        let last = self.source(before);
        match (self.kind(self.at), self.expected) {
            // `|$key $value|`.
            (T::Var(_), Some("|")) if matches!(self.kind(before), T::Var(_)) => {
                let label = format!("a comma is missing between `{last}` and `{here}`");
                advice(before, Code::CommaNeeded, label, format!("write `{last}, {here}`"))
            }
            // `'one" => two`: the quote at the end is of the other kind.
            (T::Name(_) | T::Word(_), _) if self.joins(self.at) && matches!(self.kind(before), T::Str(_)) => {
                let quote = last.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
                let other = if quote == '"' { '\'' } else { '"' };
                let (inside, _) = last.get(1..)?.split_once(other)?;
                let label = format!("this string begins with {quote}, and {other} does not end it");
                advice(before, Code::UnterminatedString, label, format!("write `{quote}{inside}{quote}`"))
            }
            (T::Name(word), _) if &**word == "not" && self.kind(self.at + 1) == &T::Key(Key::In) => {
                let right = self.rest(self.at + 2).split(['{', '\n', ')']).next().unwrap_or_default().trim();
                let label = "`not in` is no operator of Puppet".to_string();
                advice(self.at, Code::ForeignWord, label, format!("write `!({last} in {right})`"))
            }
            (T::Other('~') | T::Sign("~"), _)
                if self.source(self.at + 1) == "~>" || self.source(self.at + 1) == "->" =>
            {
                let sign = self.source(self.at + 1);
                let label = format!("`{here}{sign}` does not order two resources");
                advice(self.at, Code::WrongSign, label, "write `~>` to refresh, or `->` for the order alone".into())
            }
            (T::Sign(":"), _) if matches!(self.kind(before), T::Var(_)) && self.indent(before).1 => {
                let label = "`:` does not set a variable".to_string();
                advice(self.at, Code::WrongSign, label, format!("write `{last} = VALUE`"))
            }
            (T::OpenBrack | T::ListStart, _) if matches!(self.kind(before), T::Key(Key::Class)) => {
                let label = "a reference begins with a capital letter".to_string();
                advice(before, Code::ForeignWord, label, format!("write `Class[{}]`", self.source(self.at + 1)))
            }
            // `string $name` in a list of parameters.
            (T::Name(_), None)
                if open.is_some_and(|open| open.close == ')') && matches!(self.kind(self.at + 1), T::Var(_)) =>
            {
                let ty: String =
                    here.chars().take(1).flat_map(char::to_uppercase).chain(here.chars().skip(1)).collect();
                let label = format!("the type `{here}` of a parameter begins with a capital letter");
                advice(self.at, Code::ForeignWord, label, format!("write `{ty} {}`", self.source(self.at + 1)))
            }
            // Two bodies of a resource without `;`.
            (kind, Some("}")) if open.is_some_and(|open| open.close == '}') && self.indent(self.at).1 => {
                let is_title = matches!(
                    kind,
                    T::Str(_) | T::Pre(_) | T::Var(_) | T::OpenBrack | T::ListStart | T::Key(Key::Default)
                );
                let line = self.rest(self.at).lines().next().unwrap_or_default().trim_end();
                if !is_title || !line.ends_with(':') {
                    return None;
                }
                let label = "a `;` is missing before the next title".to_string();
                let mut found = advice(before, Code::MissingSign, label, "write `;` after the last parameter".into())?;
                found.related.push((self.span(self.at), "the next title is here".into()));
                Some(found)
            }
            _ => None,
        }
    }

    /// Whether the failure is between `<|` and `|>`.
    fn in_query(&self) -> bool {
        let signs = (0..self.at)
            .rev()
            .map(|index| self.kind(index))
            .take_while(|kind| !matches!(kind, T::OpenBrace | T::CloseBrace | T::Sign("|>" | "|>>")));
        signs.into_iter().any(|kind| matches!(kind, T::Sign("<|" | "<<|")))
    }

    /// A sign of the wrong kind: `=` for `=>`, `=` for `==`, `,` for `:` and the like.
    fn wrong_sign(&self, open: Option<&Open>) -> Option<Advice> {
        let wrong = |label: String, help: String| Advice {
            code: Code::WrongSign,
            place: Some(self.span(self.at)),
            label,
            related: Vec::new(),
            help: Some(help),
        };
        let in_braces = open.is_some_and(|open| open.close == '}');
        let name = self.before(1).and_then(|kind| match kind {
            T::Name(name) => Some(name.to_string()),
            T::Key(key) => Some(key.as_str().to_string()),
            T::Str(_) if !matches!(self.expected, Some(":")) => Some(self.source(self.at - 1).to_string()),
            _ => None,
        });
        let sign = match self.kind(self.at) {
            T::Sign(sign) => *sign,
            _ => "",
        };
        if let Some(name) = &name
            && in_braces
            && matches!(sign, "=" | "==" | ":" | "->" | "-" | ">" | "+=" | ">=")
            && !(sign == ":" && matches!(self.expected, Some("{" | "}")) && self.before(2) != Some(&T::Sign(",")))
        {
            let label = format!("`{sign}` does not set a parameter");
            return Some(wrong(label, format!("write `{name} => VALUE`")));
        }
        if self.expected == Some(":") && sign == "=>" && self.before(2) == Some(&T::Sign(";")) {
            let mut advice = wrong(
                "`;` ends the parameters of this title, but more parameters follow".into(),
                "write `,` between parameters".into(),
            );
            advice.place = Some(self.span(self.at - 2));
            return Some(advice);
        }
        if self.expected == Some(":") && sign == "=>" {
            return Some(wrong(
                "found `=>` where `:` belongs".into(),
                "write `:` after a title or a case value".into(),
            ));
        }
        if self.expected == Some(":") {
            let title = self.at.checked_sub(1).map_or("TITLE", |index| self.source(index));
            let title = if title.contains('\n') { "TITLE" } else { title };
            let begins = matches!(self.kind(self.at), T::Name(_) | T::Key(_))
                && matches!(self.kind(self.at + 1), T::Sign("=>" | "+>"));
            if begins {
                let last = self.at.saturating_sub(1);
                let begin = match self.kind(last) {
                    T::Post(_) => (0..last).rev().find(|index| matches!(self.kind(*index), T::Pre(_))).unwrap_or(last),
                    _ => last,
                };
                let place = Span { start: self.span(begin).start, ..self.span(last) };
                let title = self.text.get(place.range()).filter(|title| !title.contains('\n')).unwrap_or(title);
                let mut advice = self.missing(":", format!("a `:` is missing after the title {title}"));
                advice.help = Some(format!("write `{title}:`"));
                advice.place = Some(place);
                advice.related = vec![(self.span(self.at), "the parameters begin here".into())];
                return Some(advice);
            }
            if matches!(sign, "," | ";" | "=") {
                return Some(wrong(format!("a title ends with `:`, not with `{sign}`"), format!("write `{title}:`")));
            }
        }
        if sign == "=" && self.expected == Some("{") {
            let help = "write `==` to compare two values";
            return Some(wrong("`=` assigns a value and cannot be a condition".into(), help.into()));
        }
        if *self.kind(self.at) == T::OpenBrace
            && matches!(self.before(1), Some(T::Str(_) | T::Post(_)))
            && matches!(self.before(2), Some(T::Name(_)))
        {
            let (ty, title) = (self.source(self.at - 2), self.source(self.at - 1));
            let help = format!("write `{ty} {{ {title}: … }}`");
            return Some(wrong("the title of a resource is inside the braces".into(), help));
        }
        if let (Some(T::Key(Key::Class | Key::Define)), T::Ref(name)) = (self.before(1), self.kind(self.at)) {
            let help = format!("write `{}`", name.to_lowercase());
            return Some(wrong(format!("the name `{name}` begins with a capital letter"), help));
        }
        None
    }

    /// A bracket that is not closed, or that closes nothing.
    fn bracket(&self, open: &[Open], suspect: Option<usize>) -> Option<Advice> {
        let here = self.kind(self.at);
        if let Some(index) = self.open_interpolation() {
            if let Some(inner) = open.last().filter(|inner| inner.index > index && *here != T::End) {
                let close = inner.close;
                let advice = self.unclosed(inner.index, close, "the expression ends before its".into());
                return Some(Advice { help: Some(format!("add `{close}` before the `}}`")), ..advice });
            }
            return Some(Advice {
                code: Code::UnclosedBracket,
                place: Some(self.span(index)),
                label: "the `${` of this string has no `}`".into(),
                related: Vec::new(),
                help: Some("write `}` after the expression".into()),
            });
        }
        if let Some(inner) = open.last()
            && self.begins_statement(inner)
        {
            let found = format!("{} begins before its", self.quoted());
            return Some(self.unclosed(inner.index, inner.close, found));
        }
        let found = match here {
            T::CloseBrace => Some('}'),
            T::CloseBrack => Some(']'),
            T::CloseParen => Some(')'),
            T::End => None,
            _ => return None,
        };
        match (found, open.last()) {
            (None, None) => None,
            (None, Some(inner)) => {
                let index = suspect.unwrap_or(inner.index);
                Some(self.unclosed(index, inner.close, "the file ends before its".into()))
            }
            (Some(']'), None) if self.braced_type().is_some() => {
                let index = self.braced_type()?;
                let ty = self.source(index - 1);
                Some(Advice {
                    code: Code::UnmatchedBracket,
                    place: Some(self.span(index)),
                    label: format!("the parameters of the type `{ty}` begin with `[`"),
                    related: vec![(self.span(self.at), "this `]` closes nothing".into())],
                    help: Some(format!("write `{ty}[{{`")),
                })
            }
            (Some('}'), None) if self.surplus_brace().is_some() => {
                let index = self.surplus_brace()?;
                let mut related = vec![(self.span(self.at), "so that this `}` closes nothing".into())];
                related.retain(|_| index != self.at);
                Some(Advice {
                    code: Code::UnmatchedBracket,
                    place: Some(self.span(index)),
                    label: "there is one `}` too many here".into(),
                    related,
                    help: Some(format!("remove the `}}` of line {}", self.line(index))),
                })
            }
            (Some(close), None) => Some(Advice {
                code: Code::UnmatchedBracket,
                place: Some(self.span(self.at)),
                label: format!("this `{close}` closes nothing"),
                related: Vec::new(),
                help: Some(format!("remove it, or add its opening bracket before line {}", self.line(self.at))),
            }),
            (Some(close), Some(_)) if !open.iter().any(|open| open.close == close) => Some(Advice {
                code: Code::UnmatchedBracket,
                place: Some(self.span(self.at)),
                label: format!("this `{close}` closes nothing"),
                related: Vec::new(),
                help: Some(format!("remove `{close}`, or add its opening bracket before it")),
            }),
            (Some(close), Some(inner)) if inner.close != close => {
                Some(self.unclosed(inner.index, inner.close, format!("found `{close}` before its")))
            }
            _ => None,
        }
    }

    /// The brace directly behind the name of a type, where `[` belongs.
    fn braced_type(&self) -> Option<usize> {
        (1..self.at).rev().find(|index| {
            *self.kind(*index) == T::OpenBrace && self.joins(*index) && matches!(self.kind(index - 1), T::Ref(_))
        })
    }

    /// A closing brace that is indented more than the line that it closes.
    fn surplus_brace(&self) -> Option<usize> {
        let mut open: Vec<usize> = Vec::new();
        (0..self.at.min(self.tokens.len())).find(|index| match self.kind(*index) {
            T::OpenBrace | T::SelectBrace => {
                open.push(*index);
                false
            }
            T::CloseBrace => {
                let (indent, is_first) = self.indent(*index);
                open.pop().is_some_and(|start| is_first && indent > self.indent(start).0)
            }
            _ => false,
        })
    }

    /// Whether the token at the failure belongs to a new statement, so that the bracket before it lacks its partner.
    fn begins_statement(&self, inner: &Open) -> bool {
        let is_block = *self.kind(self.at) == T::OpenBrace;
        let (indent, is_first) = self.indent(self.at);
        if inner.close == '}' {
            // `name {` among parameters, or a statement where the next pair would be.
            let is_outside = is_first && indent <= self.indent(inner.index).0;
            return self.expected == Some("=>") && (is_block || is_outside && *self.kind(self.at) != T::CloseBrace);
        }
        is_block && inner.close == ')' || is_first && indent <= self.indent(inner.index).0 && self.at > inner.index + 1
    }

    /// The beginning of a string whose interpolation is open at the failure.
    fn open_interpolation(&self) -> Option<usize> {
        let mut open = Vec::new();
        for index in 0..self.at.min(self.tokens.len()) {
            match self.kind(index) {
                T::Pre(_) => open.push(index),
                T::Post(_) => drop(open.pop()),
                _ => {}
            }
        }
        open.pop()
    }

    fn unclosed(&self, index: usize, close: char, found: String) -> Advice {
        let open = self.source(index);
        let line = self.line(index);
        let mut found_here = self.span(self.at);
        if *self.kind(self.at) == T::End {
            // The last character, so that the place has text.
            let end = self.text.trim_end().len() as u32;
            found_here = Span { start: end.saturating_sub(1), end, ..found_here };
        }
        Advice {
            code: Code::UnclosedBracket,
            place: Some(self.span(index)),
            label: format!("this `{open}`{} is not closed: {found} `{close}`", self.owner(index)),
            related: vec![(found_here, "found here".into())],
            help: Some(format!("add `{close}` after the last line that belongs to line {line}")),
        }
    }

    /// The construct that a bracket belongs to, by the first words of its line.
    fn owner(&self, index: usize) -> String {
        let line = self.line(index);
        let first = (0..index).rev().take_while(|at| self.line(*at) == line).last().unwrap_or(index);
        let words = match self.kind(first) {
            T::Key(key @ (Key::Class | Key::Define | Key::Function | Key::Node)) => {
                format!("{} {}", key.as_str(), self.source(first + 1))
            }
            T::Key(key) => key.as_str().to_string(),
            T::CloseBrace => self.source(first + 1).to_string(),
            T::Name(name) if *self.kind(first + 1) == T::OpenBrace => name.to_string(),
            _ => return String::new(),
        };
        format!(" of `{words}`")
    }

    /// Two elements without a comma between them.
    fn missing_comma(&self, open: Option<&Open>) -> Option<Advice> {
        let ends_value = matches!(
            self.before(1)?,
            T::Name(_)
                | T::Word(_)
                | T::Ref(_)
                | T::Var(_)
                | T::Str(_)
                | T::Number(_)
                | T::Regex(_)
                | T::Post(_)
                | T::Key(Key::True | Key::False | Key::Undef | Key::Default)
                | T::CloseBrace
                | T::CloseBrack
                | T::CloseParen
        );
        let here = self.kind(self.at);
        let begins_value = matches!(
            here,
            T::Name(_) | T::Word(_) | T::Ref(_) | T::Var(_) | T::Str(_) | T::Number(_) | T::Pre(_) | T::Key(_)
        ) || matches!(here, T::ListStart | T::OpenBrace | T::Sign("*"));
        let is_pair = matches!(here, T::Name(_) | T::Str(_) | T::Key(_) | T::Sign("*"))
            && matches!(self.kind(self.at + 1), T::Sign("=>" | "+>"));
        let in_list = open.is_some_and(|open| open.close != '}');
        if !(ends_value && begins_value && (is_pair || in_list) && open.is_some()) {
            return None;
        }
        let last = self.source(self.at - 1);
        let last = if last.contains('\n') || last.len() > 40 { "the value before" } else { last };
        let mut advice = self.missing(",", format!("a comma is missing after this, before {}", self.quoted()));
        let before = self.span(self.at - 1);
        let text = self.source(self.at - 1);
        let start = before.start + text.rfind('\n').map_or(0, |at| at as u32 + 1);
        advice.place = Some(Span { start, ..before });
        advice.related = vec![(self.span(self.at), "the next element begins here".into())];
        advice.help = Some(format!("write a comma after `{last}`"));
        if last == "the value before" {
            advice.help = Some("write a comma after the value before".into());
        }
        Some(advice)
    }

    fn missing(&self, sign: &str, label: String) -> Advice {
        let code = if sign == "," { Code::CommaNeeded } else { Code::MissingSign };
        Advice { code, place: Some(self.span(self.at)), label, related: Vec::new(), help: None }
    }

    fn quoted(&self) -> String {
        match self.kind(self.at) {
            T::End => "the end of the file".into(),
            _ => {
                let source = self.source(self.at);
                let source = source.lines().next().unwrap_or_default();
                let short: String = source.chars().take(40).collect();
                format!("`{short}`")
            }
        }
    }

    /// No better explanation: what was found, what belongs here, and the construct around.
    fn unexpected(&self, open: Option<&Open>) -> Advice {
        let found = self.quoted();
        let label = match self.expected {
            Some(expected) => format!("found {found} where `{expected}` belongs"),
            None => format!("found {found} where a value or a statement belongs"),
        };
        let help = match self.expected {
            Some(expected) => format!("write `{expected}` before {found}"),
            None if self.kind(self.at) == &T::End => "complete the last statement".into(),
            None => format!("remove {found}, or add a value before it"),
        };
        let related = open.map(|open| (self.span(open.index), format!("inside this `{}`", self.source(open.index))));
        Advice {
            code: Code::UnexpectedToken,
            place: Some(self.span(self.at)),
            label,
            related: related.into_iter().filter(|(span, _)| span.end < self.span(self.at).start).collect(),
            help: Some(help),
        }
    }
}
