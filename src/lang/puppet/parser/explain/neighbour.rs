//! Explains a form that is nearly one of Puppet: what has to change is beside the failure.

use super::super::super::lexer::{Key, T};
use super::{Advice, Failure, Open};
use crate::diag::Code;
use crate::lang::puppet::words::COMMON_TYPES;

impl Failure<'_> {
    /// `file('/x') { … }`.
    pub(super) fn title_as_argument(&self) -> Option<Advice> {
        let title = self.at.checked_sub(2)?;
        let (paren, ty) = (self.at.checked_sub(3)?, self.at.checked_sub(4)?);
        let is_call = *self.kind(self.at) == T::OpenBrace
            && *self.kind(self.at - 1) == T::CloseParen
            && matches!(self.kind(title), T::Str(_) | T::Var(_) | T::Name(_))
            && matches!(self.kind(paren), T::OpenParen | T::LineParen)
            && matches!(self.kind(ty), T::Name(name) if COMMON_TYPES.contains(&&**name))
            && !ty.checked_sub(1).is_some_and(|word| matches!(self.kind(word), T::Name(_)));
        let label = "the title of a resource is inside the braces".to_string();
        let help = format!("write `{} {{ {}: … }}`", self.source(ty), self.source(title));
        is_call.then(|| self.advice(paren, Code::WrongSign, label, help))
    }

    /// Parameters of a template, a block or a node that lack a part or are at the wrong place.
    fn neighbouring_block(&self, open: Option<&Open>, before: usize) -> Option<Advice> {
        let here = self.source(self.at);
        match (self.kind(self.at), self.expected) {
            (T::Sign("|"), None) if *self.kind(0) == T::EppStart && matches!(self.kind(before), T::RenderText(_)) => {
                let label = "the parameters of a template are in its first tag".to_string();
                Some(self.advice(self.at, Code::Misplaced, label, "move this tag to the beginning of the file".into()))
            }
            (T::Key(Key::Else | Key::Elsif), _)
                if *self.kind(before) != T::CloseBrace && open.is_some_and(|open| self.is_branch(open)) =>
            {
                let label = format!("the block before `{here}` is not closed");
                let found = self.advice(self.at, Code::UnclosedBracket, label, format!("write `}} {here}`"));
                Some(match open {
                    Some(open) => found.related(self.span(open.index), "it begins here"),
                    None => found,
                })
            }
            (T::OpenBrace, None) if *self.kind(before) == T::Key(Key::Node) => {
                let label = "this `node` has no name".to_string();
                let help = "write `node default {`, or `node 'NAME' {`".to_string();
                Some(self.advice(before, Code::UnexpectedToken, label, help))
            }
            // `'a': notice('x')` in a `case`.
            (T::Name(_) | T::Var(_) | T::Str(_) | T::Pre(_) | T::Ref(_), Some("{"))
                if *self.kind(before) == T::Sign(":") =>
            {
                let label = "the statements of a value of `case` are in braces".to_string();
                Some(self.advice(
                    self.at,
                    Code::MissingSign,
                    label,
                    "write `{` before them, and `}` behind them".into(),
                ))
            }
            _ => None,
        }
    }

    /// Whether a brace begins the block of an `if`, an `elsif` or an `unless`.
    fn is_branch(&self, open: &Open) -> bool {
        let line = self.line(open.index);
        let mut same = (0..open.index).rev().take_while(|index| self.line(*index) == line);
        open.close == '}' && same.any(|index| matches!(self.kind(index), T::Key(Key::If | Key::Elsif | Key::Unless)))
    }

    /// Finds such a form at the failure.
    pub(super) fn neighbouring_form(&self, open: Option<&Open>) -> Option<Advice> {
        let before = self.at.checked_sub(1)?;
        let here = self.source(self.at);
        let last = self.source(before);
        let next = self.source(self.at + 1);
        // `gid =>` without a value: the next name is read as it.
        if *self.kind(self.at) == T::Sign("=>")
            && self.indent(before).1
            && before.checked_sub(1).is_some_and(|sign| *self.kind(sign) == T::Sign("=>"))
        {
            let name = before.saturating_sub(2);
            let label = format!("the parameter `{}` has no value", self.source(name));
            let advice =
                self.advice(name, Code::UnexpectedToken, label, "write a value behind `=>`, or remove the line".into());
            return Some(advice.related(self.span(self.at), "this is read as part of the value"));
        }
        if let (T::Name(word), Some("{")) = (self.kind(self.at), self.expected)
            && crate::diag::nearest(word, ["inherits"]).is_some()
        {
            let label = format!("`{word}` is not a word of Puppet");
            return Some(self.advice(self.at, Code::ForeignWord, label, "write `inherits`".into()));
        }
        let is_bar = matches!(self.kind(self.at), T::Sign("|") | T::Other('|'));
        if is_bar
            && self.expected == Some(":")
            && matches!(self.kind(before), T::Str(_) | T::Name(_) | T::Regex(_) | T::Ref(_))
        {
            let label = "the values of a `case` are separated by `,`".to_string();
            return Some(self.advice(self.at, Code::WrongSign, label, format!("write `{last}, {next}`")));
        }
        if matches!(self.kind(before), T::Key(crate::lang::puppet::lexer::Key::Type))
            && matches!(self.kind(self.at), T::Name(_))
        {
            let label = "the name of a type begins with a capital letter in each part".to_string();
            let ours = crate::lang::puppet::names::capitalised(here);
            return Some(self.advice(self.at, Code::InvalidName, label, format!("write `{ours}`")));
        }
        if let Some(advice) = self.neighbouring_block(open, before) {
            return Some(advice);
        }
        match (self.kind(self.at), self.expected) {
            // `|$key $value|`.
            (T::Var(_), Some("|")) if matches!(self.kind(before), T::Var(_)) => {
                let label = format!("a comma is missing between `{last}` and `{here}`");
                Some(self.advice(before, Code::CommaNeeded, label, format!("write `{last}, {here}`")))
            }
            // `'one" => two`: the quote at the end is of the other kind.
            (T::Name(_) | T::Word(_), _) if self.joins(self.at) && matches!(self.kind(before), T::Str(_)) => {
                let quote = last.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
                let other = if quote == '"' { '\'' } else { '"' };
                let (inside, _) = last.get(1..)?.split_once(other)?;
                let label = format!("this string begins with {quote}, and {other} does not end it");
                Some(self.advice(before, Code::UnterminatedString, label, format!("write `{quote}{inside}{quote}`")))
            }
            (T::Name(word), _) if &**word == "not" && *self.kind(self.at + 1) == T::Key(Key::In) => {
                let right = self.rest(self.at + 2).split(['{', '\n', ')']).next().unwrap_or_default().trim();
                let label = "`not in` is not an operator of Puppet".to_string();
                Some(self.advice(self.at, Code::ForeignWord, label, format!("write `!({last} in {right})`")))
            }
            (T::Other('~') | T::Sign("~"), _) if matches!(next, "~>" | "->") => {
                let label = format!("`{here}{next}` does not order two resources");
                let help = "write `~>` to refresh, or `->` for the order alone".to_string();
                Some(self.advice(self.at, Code::WrongSign, label, help))
            }
            (T::Sign(":"), _)
                if matches!(self.kind(before), T::Var(_))
                    && open.is_some_and(|open| open.close == ')')
                    && matches!(self.kind(self.at + 1), T::Ref(_)) =>
            {
                let label = "the type of a parameter is before its name, without `:`".to_string();
                Some(self.advice(self.at, Code::WrongSign, label, format!("write `{next} {last}`")))
            }
            (T::Sign(":"), _) if matches!(self.kind(before), T::Var(_)) && self.indent(before).1 => {
                let label = "`:` does not set a variable".to_string();
                Some(self.advice(self.at, Code::WrongSign, label, format!("write `{last} = VALUE`")))
            }
            (T::OpenBrack | T::ListStart, _) if *self.kind(before) == T::Key(Key::Class) => {
                let label = "a reference begins with a capital letter".to_string();
                Some(self.advice(before, Code::ForeignWord, label, format!("write `Class[{next}]`")))
            }
            // `string $name` in a list of parameters.
            (T::Name(_), None)
                if open.is_some_and(|open| open.close == ')') && matches!(self.kind(self.at + 1), T::Var(_)) =>
            {
                let ty: String =
                    here.chars().take(1).flat_map(char::to_uppercase).chain(here.chars().skip(1)).collect();
                let label = format!("the type `{here}` of a parameter begins with a capital letter");
                Some(self.advice(self.at, Code::ForeignWord, label, format!("write `{ty} {next}`")))
            }
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
                let found = self.advice(before, Code::MissingSign, label, "write `;` after the last parameter".into());
                Some(found.related(self.span(self.at), "the next title is here"))
            }
            _ => None,
        }
    }
}
