//! Explains what another language writes, and what lacks a sign of Puppet.

use super::super::super::lexer::{Key, T};
use super::{Advice, Failure, Open};
use crate::diag::Code;
use crate::lang::puppet::words::{COMMON_TYPES, FOREIGN_STATEMENTS};
use crate::lang::shared::words::{conflict_mark, foreign_character};
use crate::source::Span;

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
pub(super) const FOREIGN_ENDS: [&str; 5] = ["end", "fi", "endif", "esac", "done"];

impl Failure<'_> {
    /// The mark of a merge with conflicts.
    pub(super) fn conflict(&self) -> Option<Advice> {
        let here = self.start(self.at);
        let earlier = || {
            let lines = self.text.get(..here)?.match_indices('\n').map(|(at, _)| at + 1);
            let is_mark = |at: &usize| {
                let line = &self.text.as_bytes()[*at..];
                line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ")
            };
            lines.into_iter().find(is_mark).and_then(|at| conflict_mark(self.text, at))
        };
        let (mark, label, help) = conflict_mark(self.text, here).or_else(earlier)?;
        Some(Advice::new(Code::MergeConflict, Span::new(self.file, mark.start, mark.end), label).help(help))
    }

    /// A quote or a blank that a word processor wrote.
    pub(super) fn foreign_character(&self) -> Option<Advice> {
        let T::Other(c) = self.kind(self.at) else { return None };
        let (label, help) = foreign_character(*c)?;
        Some(self.advice(self.at, Code::UnknownCharacter, label, help))
    }

    pub(super) fn foreign_word(&self) -> Option<Advice> {
        let advice = |index, label, help| self.advice(index, Code::ForeignWord, label, help);
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
                    || self.opens_block(index)
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

    /// Whether the line of a loop or a function of another language ends with `{`, near the failure.
    fn opens_block(&self, index: usize) -> bool {
        let line = self.line(index);
        let T::Name(word) = self.kind(index) else { return false };
        let last = (index..self.at).take_while(|next| self.line(*next) == line).last().unwrap_or(index);
        let is_block = !matches!(&**word, "let" | "var" | "const" | "local" | "import" | "resource" | "role");
        is_block && *self.kind(last) == T::OpenBrace && matches!(self.kind(index + 1), T::Var(_) | T::OpenParen)
    }

    /// What another language writes so, or what lacks a sign of Puppet.
    pub(super) fn foreign_construct(&self, open: Option<&Open>) -> Option<Advice> {
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
                return Some(self.advice(index, Code::ForeignWord, label, format!("write `{lower}`")));
            }
        }
        if let Some(advice) = self.foreign_value(open) {
            return Some(advice);
        }
        let here = self.source(self.at);
        match (self.kind(self.at), self.expected) {
            // Names of nodes without a comma.
            (T::Str(_) | T::Regex(_) | T::Name(_) | T::Word(_) | T::Key(Key::Default), Some("{")) => {
                let line = self.line(self.at);
                let is_node = (0..self.at).rev().take_while(|at| self.line(*at) == line);
                if is_node.last().is_some_and(|first| *self.kind(first) == T::Key(Key::Node)) {
                    let last = self.source(self.at - 1);
                    let label = format!("a comma is missing between {last} and {here}");
                    return Some(self.advice(self.at, Code::CommaNeeded, label, format!("write `,` after `{last}`")));
                }
                None
            }
            // A variable of Ruby.
            (T::Sign("@"), None) if self.joins(self.at + 1) => {
                let T::Name(name) = self.kind(self.at + 1) else { return None };
                let label = format!("`@{name}` is a variable of Ruby");
                Some(self.advice(self.at, Code::ForeignWord, label, format!("write `${name}`")))
            }
            // The type of a parameter with its own parameters in parentheses.
            (T::OpenParen | T::LineParen, _) if matches!(self.kind(before?), T::Ref(_)) && self.joins(self.at) => {
                let ty = self.source(before?);
                let inner = self.rest(self.at + 1).split([')', '\n']).next().unwrap_or_default().trim();
                let label = format!("the parameters of the type `{ty}` are in `[…]`");
                Some(self.advice(self.at, Code::WrongSign, label, format!("write `{ty}[{inner}]`")))
            }
            (T::Sign("=>"), None | Some("{"))
                if self.reads_element() && (self.expected.is_some() || *self.kind(before?) == T::CloseBrack) =>
            {
                let label = "`=>` does not compare two values".to_string();
                Some(self.advice(self.at, Code::WrongSign, label, "write `>=`, or `==`".into()))
            }
            (T::Sign("=>"), None) if *self.kind(before?) == T::CloseBrack => {
                let label = "`=>` does not order two resources".to_string();
                Some(self.advice(self.at, Code::WrongSign, label, "write `->`, or `~>` to refresh as well".into()))
            }
            (T::Var(_) | T::Str(_) | T::Pre(_), None) if sign(before) == "." => {
                let label = "`.` does not join texts".to_string();
                let help = match self.kind(self.at) {
                    T::Var(name) => format!("write one text: `\"…${{{name}}}…\"`"),
                    _ => "write one text, with variables as `${NAME}` in double quotes".into(),
                };
                Some(self.advice(before?, Code::ForeignWord, label, help))
            }
            // `String name` in a list of parameters.
            (T::Name(name), _)
                if (open.is_some_and(|open| open.close == ')') || self.in_lambda_parameters())
                    && (matches!(self.kind(before?), T::Ref(_) | T::CloseBrack)
                        || matches!(sign(before), "|" | ","))
                    && matches!(self.kind(self.at + 1), T::Sign("=" | "," | "|") | T::CloseParen) =>
            {
                let label = format!("the parameter `{name}` has no `$`");
                Some(self.advice(self.at, Code::MissingSign, label, format!("write `${name}`")))
            }
            // A path as a title or as a value.
            (T::Name(_) | T::Word(_), Some(":" | "}") | None)
                if matches!(self.kind(before?), T::Regex(_))
                    && self.joins(self.at)
                    && !matches!(sign(before?.checked_sub(1)), "=~" | "!~") =>
            {
                let start = self.span(before?).start as usize;
                let rest = self.text.get(start..).unwrap_or_default();
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '}' | ')' | ']'))
                    .unwrap_or(rest.len());
                let path = &rest[..end];
                let place = Span { start: start as u32, end: (start + end) as u32, ..self.span(self.at) };
                let mut found = self.advice(
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
                Some(self.advice(self.at, Code::WrongSign, label, format!("write `{left}::{right}`")))
            }
            (T::Sign("="), _) if self.in_query() => {
                let name = self.source(before?);
                let label = "`=` does not compare two values".to_string();
                Some(self.advice(self.at, Code::WrongSign, label, format!("write `{name} == VALUE`")))
            }
            _ => None,
        }
    }

    /// An element or a version as numbers, a form of YAML, and a parameter without a type and a `$`.
    fn foreign_value(&self, open: Option<&Open>) -> Option<Advice> {
        let before = self.at.checked_sub(1)?;
        let here = self.source(self.at);
        match (self.kind(self.at), self.expected) {
            // `$list.0` and `1.2.3`.
            (T::Number(_), None) if *self.kind(before) == T::Sign(".") => {
                let is_part = |index: &usize| {
                    let opens = matches!(self.kind(*index), T::OpenParen | T::LineParen | T::ListStart | T::OpenBrace);
                    self.joins(index + 1) && !opens && !matches!(self.kind(*index), T::Sign("," | "=" | "=>" | ":"))
                };
                let first = (0..before).rev().take_while(is_part).last()?;
                let word = &self.text[self.start(first)..];
                let end = word.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | ')' | ']' | '}'));
                let word = &word[..end.unwrap_or(word.len())];
                let is_word = |index: usize| matches!(self.kind(index), T::Number(_) | T::Name(_));
                if is_word(first) && is_word(before - 1) && !word.contains(['(', '[', '$']) {
                    let label = format!("`{word}` is not a number");
                    return Some(self.advice(before, Code::WrongSign, label, format!("write a text: `'{word}'`")));
                }
                let value = if matches!(self.kind(first), T::Var(_)) && first + 2 == self.at {
                    self.source(first)
                } else {
                    "VALUE"
                };
                let label = "`.` does not read an element".to_string();
                Some(self.advice(before, Code::WrongSign, label, format!("write `{value}[{here}]`")))
            }
            // `file: { … }` and `- name: x`.
            (T::Sign(":"), None) if matches!(self.kind(before), T::Name(_)) => {
                let name = self.source(before);
                let is_item =
                    before.checked_sub(1).is_some_and(|dash| *self.kind(dash) == T::Sign("-") && self.indent(dash).1);
                if is_item {
                    let help = "write `TYPE { 'TITLE': NAME => VALUE }`".to_string();
                    return Some(self.advice(self.at, Code::WrongSign, format!("`{name}:` is YAML, not Puppet"), help));
                }
                let is_type = COMMON_TYPES.contains(&name);
                if !is_type || *self.kind(self.at + 1) != T::OpenBrace || !self.indent(before).1 {
                    return None;
                }
                let label = format!("`:` is behind the title, not behind `{name}`");
                Some(self.advice(self.at, Code::WrongSign, label, format!("write `{name} {{ 'TITLE': … }}`")))
            }
            // `class a(b)`.
            (T::Name(name), None)
                if matches!(self.kind(before), T::OpenParen | T::LineParen)
                    && matches!(self.kind(self.at + 1), T::Sign("=" | ",") | T::CloseParen)
                    && open.is_some_and(|open| self.is_definition(open.index)) =>
            {
                let label = format!("the parameter `{name}` has no `$`");
                Some(self.advice(self.at, Code::MissingSign, label, format!("write `${name}`")))
            }
            _ => None,
        }
    }

    /// Whether a parenthesis begins the parameters of a definition.
    fn is_definition(&self, paren: usize) -> bool {
        paren
            .checked_sub(2)
            .is_some_and(|key| matches!(self.kind(key), T::Key(Key::Class | Key::Define | Key::Function)))
    }

    /// Whether the failure is between the two `|` of a lambda's parameters.
    fn in_lambda_parameters(&self) -> bool {
        let line = self.line(self.at);
        let bars = (1..self.at).filter(|index| *self.kind(*index) == T::Sign("|")).count();
        if *self.kind(0) == T::EppStart && *self.kind(1) == T::Sign("|") && bars == 1 {
            return true;
        }
        let signs = (0..self.at).rev().take_while(|index| self.line(*index) == line);
        signs.filter(|index| *self.kind(*index) == T::Sign("|")).count() == 1
    }

    /// Whether the token before the failure ends `$x` or `$x[…]`.
    fn reads_element(&self) -> bool {
        let mut depth = 0_usize;
        for index in (0..self.at).rev() {
            match self.kind(index) {
                T::CloseBrack => depth += 1,
                T::OpenBrack if depth > 0 => depth -= 1,
                T::Var(_) if depth == 0 => return true,
                _ if depth == 0 => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether the failure is between `<|` and `|>`.
    fn in_query(&self) -> bool {
        let signs = (0..self.at)
            .rev()
            .map(|index| self.kind(index))
            .take_while(|kind| !matches!(kind, T::OpenBrace | T::CloseBrace | T::Sign("|>" | "|>>")));
        signs.into_iter().any(|kind| matches!(kind, T::Sign("<|" | "<<|")))
    }
}
