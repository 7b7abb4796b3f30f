//! Explains a statement that lacks a part of its form, and shows the form with the names that it has.

use super::Parser;
use super::explain::Advice;
use crate::diag::Code;
use crate::lang::inmanta::token::{Keyword, Tok};
use crate::source::Span;

/// How many characters of the text an explanation repeats.
const SHOWN: usize = 400;

/// The first of many words, with `…` for the rest.
fn listed(words: &[&str], between: &str) -> String {
    const MOST: usize = 8;
    let rest = (words.len() > MOST).then_some("…");
    words.iter().take(MOST).copied().chain(rest).collect::<Vec<_>>().join(between)
}

impl Parser<'_> {
    /// The form of the statement at hand, with the names that it has.
    pub(super) fn form(&self) -> Option<Advice> {
        let first = self.first_word();
        let here = self.source(self.at);
        let line = self.text[self.place(first).range().start..].lines().next().unwrap_or_default();
        let line = line.split('#').next().unwrap_or_default().trim();
        let line = line.char_indices().nth(SHOWN).map_or(line, |(end, _)| &line[..end]);
        let words: Vec<&str> = line
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':')))
            .map(|word| word.trim_matches(':'))
            .filter(|word| !word.is_empty())
            .collect();
        let name = |at: usize, other: &'static str| words.get(at).copied().unwrap_or(other);
        // A comprehension over several lines.
        if matches!(name(0, ""), "for" | "if") && self.innermost_bracket().is_some_and(|open| open < first) {
            return None;
        }
        if matches!(here, "then" | "do") && matches!(name(0, ""), "if" | "elif" | "for" | "else") {
            let message = format!("`{here}` is not a word of Inmanta: `:` begins a block");
            return Some(self.wrong(self.at, Code::ForeignWord, message, "write `:`".into()));
        }
        if name(0, "") == "end" && words.len() > 1 {
            let message = format!("`end` has nothing behind it, but here is `{}`", name(1, ""));
            let place = (first + 1).min(self.at);
            return Some(self.wrong(place, Code::UnexpectedToken, message, "write `end` alone on its line".into()));
        }
        let help = match name(0, "") {
            "import" => {
                let path = line.trim_start_matches("import").trim().replace(['"', '\''], "").replace(['/', '.'], "::");
                let each: Vec<String> = path.split(',').map(|path| format!("`import {}`", path.trim())).collect();
                let each: Vec<&str> = each.iter().map(String::as_str).collect();
                match each.len() {
                    1 => format!("write {}", each.concat()),
                    _ => format!("write one line for each: {}", listed(&each, " and ")),
                }
            }
            "typedef" => {
                let base = words.iter().skip(2).find(|word| **word != "as").unwrap_or(&"TYPE");
                format!("write `typedef {} as {base} matching CONDITION`", name(1, "NAME"))
            }
            "index" => {
                let attributes = words.get(2..).filter(|words| !words.is_empty());
                let attributes = attributes.map_or("ATTRIBUTE".into(), |words| listed(words, ", "));
                format!("write `index {}({attributes})`", name(1, "ENTITY"))
            }
            "implement" => {
                let others: Vec<&str> = words.iter().skip(2).copied().filter(|word| *word != "using").collect();
                let others = if others.is_empty() { "IMPLEMENTATION".into() } else { listed(&others, ", ") };
                format!("write `implement {} using {others}`", name(1, "ENTITY"))
            }
            "implementation" => format!("write `implementation {} for ENTITY:`", name(1, "NAME")),
            "entity" => format!("write `entity {}:`, or `entity {} extends PARENT:`", name(1, "NAME"), name(1, "NAME")),
            "for" => format!("write `for {} in LIST:`", name(1, "NAME")),
            "if" | "elif" => format!("write `{} CONDITION:`", name(0, "if")),
            _ if here == "{" && self.at.checked_sub(1).is_some_and(|at| matches!(self.word(at), Tok::Class(_))) => {
                let class = self.source(self.at - 1);
                format!("write `{class}(ATTRIBUTE=VALUE)`: an instance is made with parentheses")
            }
            _ => return None,
        };
        let is_known = matches!(name(0, ""), "import" | "implement" | "implementation");
        let message = if here == "{" && !is_known {
            "`{` does not fit here".to_string()
        } else {
            let shown: String = here.chars().take(SHOWN).collect();
            format!("Syntax error at token {shown}: this is no `{}` statement", name(0, "such"))
        };
        Some(self.wrong(self.at, Code::UnexpectedToken, message, help))
    }

    /// A line of an entity that is no attribute.
    pub(super) fn broken_attribute(&self) -> Option<Advice> {
        let entity = *self.open_blocks().last()?;
        let before = self.at.checked_sub(1)?;
        let here = self.source(self.at);
        let first = self.first_word();
        if !matches!(self.word(entity), Tok::Keyword(Keyword::Entity)) || first <= entity + 1 {
            return None;
        }
        let is_word = |at: usize| matches!(self.word(at), Tok::Id(_));
        let wrong = |at: usize, code: Code, message: String, help: String| Some(self.wrong(at, code, message, help));
        if matches!(self.tok(), Tok::Keyword(Keyword::If | Keyword::For)) && self.is_first(self.at) {
            let is_below = self.indent(self.at) > self.indent(entity);
            let message = format!("an entity has attributes only: `{here}` belongs into an implementation");
            let help = format!("write it below `implementation NAME for {}:`", self.source(entity + 1));
            return is_below.then(|| self.wrong(self.at, Code::Misplaced, message, help));
        }
        // `name` alone: the next line was read as its name.
        if here == "="
            && is_word(before)
            && before.checked_sub(2).is_some_and(|at| at > entity && is_word(at) && self.is_first(at))
        {
            let at = before - 2;
            if self.is_first(before - 1) && is_word(before - 1) {
                let name = self.source(at);
                let message = format!("the attribute `{name}` has no type");
                return wrong(at, Code::MissingSign, message, format!("write `TYPE {name}`, such as `string {name}`"));
            }
        }
        let ty = self.source(first);
        if here == "," && self.at == first + 2 {
            let (name, next) = (self.source(before), self.source(self.at + 1));
            let message = "`,` separates no attributes: each is on a line of its own".to_string();
            return wrong(
                self.at,
                Code::WrongSign,
                message,
                format!("write `{ty} {name}`, and `{ty} {next}` below it"),
            );
        }
        if here == "[" && self.source(before) == "?" {
            let name = self.source(self.at + 2);
            let message = "`?` is behind the brackets of a list".to_string();
            return wrong(before, Code::WrongSign, message, format!("write `{ty}[]? {name}`"));
        }
        let is_sign = matches!(here, "+" | "-" | "*" | "/" | "(" | "." | "%" | "**");
        if is_sign && (first..self.at).any(|at| self.source(at) == "=") {
            let message = format!("`{here}`: the default of an attribute is one constant");
            return wrong(
                self.at,
                Code::Misplaced,
                message,
                "write the value itself, or set it in an implementation".into(),
            );
        }
        None
    }

    /// A relation in the syntax of another version, or without its numbers.
    pub(super) fn broken_relation(&self) -> Option<Advice> {
        // A relation without its last part ends where the next statement begins.
        let at = if self.is_first(self.at) { self.at.saturating_sub(1) } else { self.at };
        let range = self.place(at).range();
        let start = self.text[..range.start.min(self.text.len())].rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let has_numbers = line.contains('[') && line.contains(']') && line.contains(':') || line.contains("[1]");
        let code = line.split('#').next().unwrap_or_default();
        let (left, sign, right) = ["--", "<-", "->", " - "].iter().find_map(|sign| {
            let (left, right) = code.split_once(sign)?;
            Some((left.trim(), *sign, right.trim()))
        })?;
        let is_entity = |text: &str| text.trim_start_matches(['[', ']']).chars().next().is_some_and(char::is_uppercase);
        if !is_entity(left) && !left.contains("::") {
            return None;
        }
        if sign == " - " && left.contains('.') && right.contains('.') {
            let message = "a relation has two signs `--` between its sides".to_string();
            return Some(self.wrong(at, Code::WrongSign, message, format!("write `{left} -- {right}`")));
        }
        let words: Vec<&str> = left.split_whitespace().collect();
        // `Service sites [0:] -- [1] Site service` of older versions.
        if let [entity, name, ..] = words[..]
            && !entity.contains('.')
            && is_entity(entity)
            && has_numbers
            && !name.starts_with('[')
        {
            let help =
                format!("write `{entity}.{name} [0:] -- ENTITY.NAME [1]`, or use `--edition 4.0.0` for the old syntax");
            let message = "this relation is in the syntax of an older version".to_string();
            return Some(self.wrong(at, Code::OlderSyntax, message, help));
        }
        if matches!(sign, "--") && left.contains('.') && !left.ends_with(']') {
            let message = "the left side of the relation has no multiplicity".to_string();
            return Some(self.wrong(at, Code::MissingSign, message, format!("write `{left} [0:] -- {right}`")));
        }
        if matches!(sign, "--") && right.contains('.') && !right.contains('[') {
            let message = "the right side of the relation has no multiplicity".to_string();
            return Some(self.wrong(at, Code::MissingSign, message, format!("write `{left} -- {right} [0:]`")));
        }
        None
    }

    /// `implement A using b if …`: the condition was read as a statement of its own.
    pub(super) fn condition_of_implement(&self) -> Option<Advice> {
        let first = if self.is_first(self.at) { self.line_before()? } else { return None };
        let line = self.line(first);
        let is_if = |at: &usize| matches!(self.word(*at), Tok::Keyword(Keyword::If)) && self.line(*at) == line;
        let at = (first + 1..self.at).find(is_if)?;
        let message = "the condition of `implement` is behind `when`, not behind `if`".to_string();
        let is_implement = matches!(self.word(first), Tok::Keyword(Keyword::Implement));
        is_implement.then(|| self.wrong(at, Code::ForeignWord, message, "write `when` in place of `if`".into()))
    }

    /// `implement A` without what is behind `using`.
    pub(super) fn incomplete_implement(&self) -> Option<Advice> {
        let last = self.at.checked_sub(1)?;
        let first = if self.is_first(self.at) { self.line_before()? } else { return None };
        let is_implement = matches!(self.word(first), Tok::Keyword(Keyword::Implement));
        if !is_implement || (first..self.at).any(|at| matches!(self.word(at), Tok::Keyword(Keyword::Using))) {
            return None;
        }
        let class = self.text.get(self.place(first + 1).range().start..self.place(last).range().end)?;
        let message = "this `implement` names no implementation".to_string();
        Some(self.wrong(first, Code::MissingSign, message, format!("write `implement {class} using IMPLEMENTATION`")))
    }

    /// A block whose first line does not end with `:`.
    pub(super) fn missing_colon(&self) -> Option<Advice> {
        let first = self.line_before()?;
        let opens = self.opens_block(first)
            || matches!(self.word(first), Tok::Keyword(Keyword::Else | Keyword::Elif)) && self.is_first(first);
        let last = self.at - 1;
        let is_open_bracket = self.innermost_bracket().is_some();
        // After `extends` and the like a name is missing first.
        let is_incomplete = matches!(self.word(last), Tok::Keyword(keyword)
            if !matches!(keyword, Keyword::Else | Keyword::True | Keyword::False | Keyword::Null | Keyword::Parents));
        if is_incomplete
            || !opens
            || is_open_bracket
            || !self.is_first(self.at)
            || matches!(self.word(last), Tok::Char(b':'))
        {
            return None;
        }
        let range = self.place(last).range();
        Some(Advice {
            code: Code::MissingSign,
            place: Span::new(self.place(last).file, range.start, range.end),
            message: format!("a `:` is missing at the end of this line, after `{}`", self.source(last)),
            related: vec![(self.place(first), "this block begins here".into())],
            help: format!("write `{}:`", self.source(last)),
        })
    }

    /// `end if`: the word behind `end` begins another statement.
    pub(super) fn word_behind_end(&self) -> Option<Advice> {
        let at = self.first_word().checked_sub(1).filter(|at| self.line(*at) < self.line(self.at))?;
        let end = at.checked_sub(1).filter(|end| self.is_first(*end) && self.source(*end) == "end")?;
        let is_word = matches!(self.word(at), Tok::Keyword(Keyword::If | Keyword::For | Keyword::Else));
        if !is_word || self.line(end) != self.line(at) {
            return None;
        }
        let message = format!("`end` has nothing behind it, but here is `{}`", self.source(at));
        Some(self.wrong(at, Code::UnexpectedToken, message, "write `end` alone on its line".into()))
    }

    /// `elif` or `else` behind the `else` of its `if`.
    pub(super) fn behind_else(&self) -> Option<Advice> {
        let here = self.source(self.at);
        if !matches!(here, "elif" | "else") || !self.is_first(self.at) {
            return None;
        }
        let same = |at: &usize| self.is_first(*at) && self.indent(*at) == self.indent(self.at);
        let before = (0..self.at).rev().filter(same).find(|at| matches!(self.source(*at), "if" | "else" | "end"))?;
        if self.source(before) != "else" {
            return None;
        }
        let message =
            format!("`{here}` comes after the `else` of line {}, which is the last branch", self.line(before));
        Some(Advice {
            code: Code::Misplaced,
            place: self.span(),
            message,
            related: vec![(self.place(before), "`else` is here".into())],
            help: "move it before that `else`".into(),
        })
    }

    /// A keyword that is used as a name.
    pub(super) fn reserved_name(&self, message: &str) -> Option<Advice> {
        let word = message.strip_prefix("Syntax error: invalid identifier, ")?.split(' ').next()?;
        // A keyword that begins a line begins a statement: the one before is not complete.
        if word != self.source(self.at) || self.is_first(self.at) {
            return None;
        }
        let first = self.source(self.first_word());
        if word == "and" && matches!(first, "implement" | "import" | "index") {
            let message = format!("`{first}` has a comma between several names, not `and`");
            return Some(self.wrong(self.at, Code::ForeignWord, message, "write `,`".into()));
        }
        let message = format!("`{word}` is a reserved word and cannot be a name");
        Some(self.wrong(self.at, Code::InvalidName, message, format!("choose another name, such as `{word}_name`")))
    }
}
