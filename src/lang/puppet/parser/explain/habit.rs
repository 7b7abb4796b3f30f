//! Explains what users of Python, Ruby, the shell, Ansible or Terraform write.

use super::super::super::lexer::{Key, T};
use super::{Advice, Failure, Open};
use crate::diag::Code;
use crate::source::Span;

/// Words that compare elsewhere.
const OPERATORS: [(&str, &str); 16] = [
    ("is", "=="),
    ("eq", "=="),
    ("equals", "=="),
    ("ne", "!="),
    ("neq", "!="),
    ("isnt", "!="),
    ("gt", ">"),
    ("lt", "<"),
    ("ge", ">="),
    ("gte", ">="),
    ("le", "<="),
    ("lte", "<="),
    ("matches", "=~"),
    ("AND", "and"),
    ("OR", "or"),
    ("NOT", "!"),
];

/// Tests of the shell.
const TESTS: [(&str, &str); 6] = [
    ("z", "write `$x.empty`, or `!$x`"),
    ("n", "write the variable alone: `if $x {`"),
    ("f", "files are not tested while compiling; `find_file('MODULE/FILE')` finds one of a module"),
    ("d", "files are not tested while compiling; an `exec` has `onlyif` and `creates`"),
    ("e", "files are not tested while compiling; an `exec` has `onlyif` and `creates`"),
    ("x", "files are not tested while compiling; an `exec` has `onlyif` and `creates`"),
];

impl Failure<'_> {
    /// The value before a `?`, in parentheses where a selector needs them.
    fn tested(&self, mark: usize) -> String {
        let Some(last) = mark.checked_sub(1) else { return "VALUE".into() };
        let line = self.line(mark);
        let mut same = (0..mark).rev().take_while(|index| self.line(*index) == line);
        let sign = same.find(|index| matches!(self.kind(*index), T::Sign("=" | "=>")));
        match sign.and_then(|sign| self.text.get(self.span(sign).end as usize..self.start(mark))).map(str::trim) {
            Some(value) if value.contains(' ') && !value.starts_with('(') => format!("({value})"),
            Some(value) => value.into(),
            None if matches!(self.kind(last), T::CloseBrack | T::CloseParen) => "VALUE".into(),
            None => self.source(last).into(),
        }
    }

    /// Finds such a form at the failure.
    pub(super) fn habit(&self, open: Option<&Open>) -> Option<Advice> {
        let foreign = |index, label: String, help: String| Some(self.advice(index, Code::ForeignWord, label, help));
        let before = self.at.checked_sub(1)?;
        let here = self.source(self.at);
        let last = self.source(before);
        let early = self.word_of_shell(before).or_else(|| self.foreign_type(before, open));
        if let Some(advice) = early.or_else(|| self.foreign_pair(before, open)) {
            return Some(advice);
        }
        match self.kind(self.at) {
            T::Other('~') | T::Sign("~")
                if self.ends_value(before)
                    && self.expected == Some("{")
                    && !(self.joins(self.at + 1) && matches!(self.kind(self.at + 1), T::Sign(_))) =>
            {
                let label = "`~` is not an operator of Puppet".to_string();
                Some(self.advice(self.at, Code::WrongSign, label, "write `=~` to match".into()))
            }
            T::Sign("=>") if *self.kind(before) == T::CloseBrace && self.indent(self.at).1 => {
                let label = "`=>` does not order two resources".to_string();
                let help = "write `->`, or `~>` to refresh as well".to_string();
                Some(self.advice(self.at, Code::WrongSign, label, help))
            }
            T::Name(word) | T::Ref(word) if !self.indent(self.at).1 => {
                if let Some((_, ours)) = OPERATORS.iter().find(|(other, _)| *other == &**word)
                    && self.ends_value(before)
                {
                    return foreign(
                        self.at,
                        format!("`{word}` is not an operator of Puppet"),
                        format!("write `{ours}`"),
                    );
                }
                if &**word == "then" && self.expected == Some("{") {
                    return foreign(self.at, "`then` is not a word of Puppet".into(), "write `{`".into());
                }
                if &**word == "do" && self.expected == Some("{") {
                    return foreign(self.at, "`do` is not a word of Puppet".into(), "write `{`".into());
                }
                if &**word == "for" && open.is_some_and(|open| open.close != '}') && self.ends_value(before) {
                    let label = "`for` makes no list in Puppet".into();
                    return foreign(self.at, label, "write `$list.map |$x| { … }`".into());
                }
                None
            }
            T::Sign(";") if self.expected == Some("{") => {
                let is_then = matches!(self.kind(self.at + 1), T::Name(word) if matches!(&**word, "then" | "do"));
                let word = self.source(self.at + 1);
                let help = "write the condition without brackets, and `{`: `if CONDITION {`";
                is_then
                    .then(|| foreign(self.at, format!("`; {word}` begins no block in Puppet"), help.into()))
                    .flatten()
            }
            T::Key(Key::Else) if self.expected == Some("{") => {
                let line = self.line(self.at);
                let word = (0..self.at).rev().take_while(|index| self.line(*index) == line);
                let word = word.into_iter().find(|index| *self.kind(*index) == T::Key(Key::If))?;
                let range = self.span(word).end as usize..self.span(self.at).start as usize;
                let test = self.text.get(range)?.trim();
                let label = "`if` has its values in braces, behind the condition".to_string();
                let help = format!("write `if {test} {{ VALUE }} else {{ VALUE }}`");
                foreign(word, label, help)
            }
            // `a ? b : c`.
            _ if *self.kind(before) == T::Sign("?") && self.expected == Some("{") => {
                let value = self.tested(before);
                let other = self.rest(self.at).lines().next().unwrap_or_default();
                let (yes, no) = other.split_once(':').unwrap_or((here, "VALUE"));
                let no = no.trim().trim_end_matches([',', ';', ')', '}']);
                let label = "the values of `?` are in braces".to_string();
                let help = format!("write `{value} ? {{ true => {}, default => {no} }}`", yes.trim());
                Some(self.advice(before, Code::WrongSign, label, help))
            }
            T::Sign(":") if self.expected == Some("=>") && self.before(2) == Some(&T::Sign("?")) => {
                let value = self.tested(self.at - 2);
                let other = self.rest(self.at + 1).lines().next().unwrap_or_default();
                let other = other.trim().trim_end_matches([',', ';', ')', '}']);
                let label = "the values of `?` are in braces".to_string();
                let help = format!("write `{value} ? {{ true => {last}, default => {other} }}`");
                Some(self.advice(self.at - 2, Code::WrongSign, label, help))
            }
            // `$list[0:2]`.
            T::Sign(":")
                if self.expected == Some("]") && open.is_some_and(|open| *self.kind(open.index) == T::OpenBrack) =>
            {
                let label = "`:` selects no part of a list".to_string();
                let help = format!("write the first index and the number of elements: `[{last}, NUMBER]`");
                Some(self.advice(self.at, Code::WrongSign, label, help))
            }
            T::Sign("<<" | "<<|")
                if matches!(self.kind(self.at + 1), T::Ref(_) | T::Name(_) | T::Word(_) | T::Str(_) | T::Sign("-"))
                    || self.rest(self.at).starts_with("<<~") =>
            {
                let tag: String = self
                    .rest(self.at)
                    .chars()
                    .skip(2)
                    .skip_while(|c| matches!(c, '-' | '~' | '\'' | '"'))
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect();
                let tag = if tag.is_empty() { "END" } else { &tag };
                let label = format!("`<<{tag}` begins no text of several lines");
                let help = format!("write `@({tag})`, the text on the next lines, and `| {tag}` on a line after it");
                Some(self.advice(self.at, Code::ForeignWord, label, help))
            }
            T::CloseBrace | T::Sign("|" | ".") | T::Other('|') => self.variable_of_jinja(before),
            _ => None,
        }
    }

    /// A test, an operator or another word of the shell, Python or Ruby before the place.
    fn word_of_shell(&self, before: usize) -> Option<Advice> {
        let foreign = |index, label: String, help: String| Some(self.advice(index, Code::ForeignWord, label, help));
        let T::Name(word) = self.kind(before) else { return None };
        let is_test = before.checked_sub(1).is_some_and(|sign| *self.kind(sign) == T::Sign("-")) && self.joins(before);
        if is_test && let Some((_, help)) = TESTS.iter().find(|(test, _)| *test == &**word) {
            let place = before.saturating_sub(1);
            return foreign(place, format!("`-{word}` is a test of the shell"), (*help).to_string());
        }
        if is_test && let Some((_, ours)) = OPERATORS.iter().find(|(other, _)| *other == &**word) {
            let place = before.saturating_sub(1);
            return foreign(place, format!("`-{word}` is an operator of the shell"), format!("write `{ours}`"));
        }
        if &**word == "not" && !matches!(self.kind(self.at), T::Key(_) | T::Sign(_)) {
            let rest = self.rest(self.at).lines().next().unwrap_or_default();
            let ends = [" {", " and ", " or ", ")", ","].iter().filter_map(|end| rest.find(end)).min();
            let value = &rest[..ends.unwrap_or(rest.len())];
            return foreign(before, "`not` is written `!` in Puppet".into(), format!("write `!{value}`"));
        }
        if &**word == "do" && *self.kind(self.at) == T::Sign("|") {
            let help = "remove `do`, and write the block in braces: `|$x| { … }`";
            return foreign(before, "`do` begins no block in Puppet".into(), help.into());
        }
        None
    }

    /// Signs of several characters, and a block inside of the parentheses of a call.
    fn foreign_pair(&self, before: usize, open: Option<&Open>) -> Option<Advice> {
        let (here, last) = (self.source(self.at), self.source(before));
        const SIGNS: [(&str, &str); 6] = [
            ("===", "write `==`: it compares without the case of letters"),
            ("!==", "write `!=`"),
            ("<>", "write `!=`"),
            ("++", "a variable gets its value once: write `$next = $value + 1`"),
            ("--", "a variable gets its value once: write `$next = $value - 1`"),
            ("??", "write `pick($a, $b)` of stdlib, or `$a ? { undef => $b, default => $a }`"),
        ];
        if matches!(self.kind(self.at), T::Sign(_) | T::Other(_))
            && matches!(self.kind(before), T::Sign(_) | T::Other(_))
        {
            let both = format!("{last}{here}");
            if self.joins(self.at)
                && let Some((sign, help)) = SIGNS.iter().find(|(sign, _)| *sign == both)
            {
                let place = Span { start: self.span(before).start, ..self.span(self.at) };
                let label = format!("`{sign}` is not an operator of Puppet");
                return Some(Advice::new(Code::ForeignWord, place, label).help(*help));
            }
        }
        // `map { |$x| … }`.
        let word = before.checked_sub(1).unwrap_or(before);
        if *self.kind(self.at) == T::Sign("|")
            && *self.kind(before) == T::OpenBrace
            && matches!(self.kind(word), T::Name(_) | T::CloseParen)
        {
            let word = if matches!(self.kind(word), T::Name(_)) { self.source(word) } else { "NAME(…)" };
            let label = "the parameters of a block are before its `{`".to_string();
            return Some(self.advice(self.at, Code::WrongSign, label, format!("write `{word} |$x| {{ … }}`")));
        }
        // `|$x| => { … }`.
        if *self.kind(self.at) == T::Sign("=>") && *self.kind(before) == T::Sign("|") && self.expected == Some("{") {
            let label = "`=>` does not begin the body of a block".to_string();
            return Some(self.advice(self.at, Code::WrongSign, label, "remove `=>`: write `|$x| { … }`".into()));
        }
        // `map(|$x| { … })`.
        if *self.kind(self.at) == T::Sign("|")
            && matches!(self.kind(before), T::OpenParen | T::LineParen | T::Sign(","))
            && open.is_some_and(|open| open.close == ')')
        {
            let label = "the block of a call is behind its parentheses".to_string();
            let help = "write `NAME(…) |$x| { … }`".to_string();
            return Some(self.advice(self.at, Code::WrongSign, label, help));
        }
        None
    }

    /// `{{ name }}`.
    fn variable_of_jinja(&self, name: usize) -> Option<Advice> {
        let last = self.source(name);
        let inner = name.checked_sub(1)?;
        let outer = inner.checked_sub(1)?;
        let is_template = matches!(self.kind(name), T::Name(_) | T::Var(_))
            && *self.kind(inner) == T::OpenBrace
            && *self.kind(outer) == T::OpenBrace
            && self.joins(inner);
        if !is_template {
            return None;
        }
        let place = Span { start: self.span(outer).start, ..self.span(name) };
        let label = format!("`{{{{ {last} }}}}` is a variable of Jinja, not of Puppet");
        let variable = last.trim_start_matches('$');
        let help = format!("write `${variable}`, or `${{{variable}}}` inside of a text in double quotes");
        Some(Advice::new(Code::ForeignWord, place, label).help(help))
    }

    /// `Array<String>`, `String?`, `String|Integer` and `Hash{…}` as the type of a parameter.
    fn foreign_type(&self, before: usize, open: Option<&Open>) -> Option<Advice> {
        let T::Ref(ty) = self.kind(before) else { return None };
        if open.is_none_or(|open| open.close != ')') {
            return None;
        }
        let next = self.source(self.at + 1);
        let ours = match self.kind(self.at) {
            T::Sign("<") => format!("{ty}[{next}]"),
            T::Sign("?") => format!("Optional[{ty}]"),
            T::Sign("|") | T::Other('|') if matches!(self.kind(self.at + 1), T::Ref(_)) => {
                format!("Variant[{ty}, {next}]")
            }
            T::OpenBrace | T::SelectBrace if self.joins(self.at) => {
                let inside = self.rest(self.at + 1).split(['}', '\n']).next().unwrap_or_default();
                format!("{ty}[{}]", inside.trim().replace(" =>", ","))
            }
            _ => return None,
        };
        let label = format!("`{}` is no sign of a type in Puppet", self.source(self.at));
        Some(self.advice(self.at, Code::WrongSign, label, format!("write `{ours}`")))
    }

    /// `package:` at the end of a line, as in YAML.
    pub(super) fn yaml(&self) -> Option<Advice> {
        let before = self.at.checked_sub(1)?;
        let T::Name(name) = self.kind(before) else { return None };
        let is_last = self.line(self.at + 1) > self.line(self.at);
        let is_item = matches!(self.kind(self.at + 1), T::Sign("-") | T::Name(_));
        if *self.kind(self.at) != T::Sign(":") || !self.indent(before).1 || !is_last || !is_item {
            return None;
        }
        let label = format!("`{name}:` is YAML, not Puppet");
        let help = format!("write `{name} {{ 'TITLE':`, then `NAME => VALUE,` on each line, and `}}`");
        Some(self.advice(before, Code::ForeignWord, label, help))
    }

    /// A word that closes a block elsewhere, alone on its line.
    pub(super) fn foreign_end(&self, ends: &[&str]) -> Option<usize> {
        (0..self.at.min(self.tokens.len())).rev().find(|index| {
            let T::Name(word) = self.kind(*index) else { return false };
            let next = self.kind(index + 1);
            let is_alone = self.indent(*index).1
                || index
                    .checked_sub(1)
                    .is_some_and(|before| matches!(self.kind(before), T::RenderText(_) | T::EppEnd | T::EppStart));
            let is_last = self.line(index + 1) > self.line(*index)
                || matches!(next, T::RenderText(_) | T::EppEnd | T::RenderExpr | T::End);
            ends.contains(&&**word) && is_alone && is_last
        })
    }

    /// Whether a token ends a value.
    pub(super) fn ends_value(&self, index: usize) -> bool {
        matches!(
            self.kind(index),
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
        )
    }
}
