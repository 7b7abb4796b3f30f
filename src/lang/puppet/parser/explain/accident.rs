//! Explains what a merge, a paste or a slip of the finger left in a program.

use super::super::super::lexer::{Key, T};
use super::{Advice, Failure, Open};
use crate::diag::Code;
use crate::lang::shared::words::conflict_mark;
use crate::source::Span;

/// Methods whose block takes the parameters between two `|`.
const WITH_BLOCKS: [&str; 12] =
    ["each", "map", "filter", "reduce", "with", "then", "any", "all", "slice", "tree_each", "step", "lest"];

impl Failure<'_> {
    /// A mark of a merge that is not finished, at the failure or before it.
    pub(super) fn conflict(&self) -> Option<Advice> {
        let start = self.start(self.at).min(self.text.len());
        let end = self.text.get(start..)?.find('\n').map_or(self.text.len(), |at| start + at);
        let (from, to) = conflict_mark(self.text.get(..end)?, start)?;
        let place = Span { file: self.file, start: from as u32, end: to as u32 };
        let label = "this line is a mark of a merge that is not finished";
        let help = "write the version that you want, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`";
        Some(Advice::new(Code::MergeConflict, place, label).help(help))
    }

    /// Characters that a patch, a document or a slip left.
    pub(super) fn accident(&self, open: Option<&Open>) -> Option<Advice> {
        let here = self.source(self.at);
        let before = self.at.checked_sub(1);
        match self.kind(self.at) {
            T::Sign("+" | "-") if self.indent(self.at) == (0, true) && !self.joins(self.at + 1) => {
                let label = format!("`{here}` at the start of a line is a mark of a patch");
                let help = "apply the patch with `git apply`, or remove the sign, and each line that begins with `-`";
                Some(self.advice(self.at, Code::UnexpectedToken, label, help.into()))
            }
            T::Sign(",") if self.before(1) == Some(&T::Sign(",")) => {
                let label = "there is one `,` too many here".to_string();
                Some(self.advice(self.at, Code::UnexpectedToken, label, "remove one of the two".into()))
            }
            T::Sign("=>") if self.before(1) == Some(&T::Sign("=>")) => {
                let label = "there is one `=>` too many here".to_string();
                Some(self.advice(self.at, Code::UnexpectedToken, label, "remove one of the two".into()))
            }
            T::Ref(name) if matches!(self.kind(self.at + 1), T::Sign("=>" | "+>")) && self.expected == Some("}") => {
                let lower = name.to_lowercase();
                let label = format!("the name of the parameter `{name}` begins with a capital letter");
                Some(self.advice(self.at, Code::InvalidName, label, format!("write `{lower} => …`")))
            }
            T::Other('`') => {
                let label = "`` ` `` begins no text, and runs no command".to_string();
                let help = if self.rest(self.at).starts_with("```") {
                    "remove the line: it belongs to the document that the program is from"
                } else {
                    "write a text in `'…'`, or in `\"…${NAME}…\"`; a command's output is `generate('/bin/NAME')`"
                };
                Some(self.advice(self.at, Code::ForeignWord, label, help.into()))
            }
            T::Other(c @ ('⇒' | '→' | '➔' | '⟶' | '⟹')) => {
                let ours = if self.expected == Some("=>") || open.is_some_and(|open| open.close == '}') { "=>" } else { "->" };
                let label = format!("`{c}` is one character, and no sign of Puppet");
                Some(self.advice(self.at, Code::UnknownCharacter, label, format!("write `{ours}`")))
            }
            T::Number(number)
                if self.indent(self.at).1
                    && matches!(self.kind(self.at + 1), T::Name(_) | T::Key(_))
                    && matches!(self.kind(self.at + 2), T::Sign("=>" | "+>")) =>
            {
                let label = format!("the number {number} is before the name of a parameter");
                let help = "remove it: the number of a line is no part of a program".to_string();
                Some(self.advice(self.at, Code::UnexpectedToken, label, help))
            }
            T::Other(c) if !c.is_ascii() => {
                let label = format!("the character `{c}` is no part of the language");
                Some(self.advice(self.at, Code::UnknownCharacter, label, "remove it, or put the text into quotes".into()))
            }
            T::CloseBrace | T::CloseBrack | T::CloseParen => self.closed_in_wrong_order(open?),
            _ => self
                .half_quoted(before?)
                .or_else(|| self.missing_bars())
                .or_else(|| self.missing_question_mark(open?))
                .or_else(|| self.comment_with_slashes()),
        }
    }

    /// `root',` or `f"…"`: a quote directly behind a word.
    pub(super) fn half_quoted(&self, before: usize) -> Option<Advice> {
        if !self.joins(self.at) || !matches!(self.kind(self.at), T::Str(_) | T::Pre(_) | T::Bad(_) | T::Name(_)) {
            return None;
        }
        let rest = self.rest(self.at);
        if let T::Str(empty) = self.kind(before) {
            let quote = self.source(before).chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
            if !empty.is_empty() || self.source(before).len() != 2 {
                return None;
            }
            let label = "the text begins with too many quotes".to_string();
            let help = match rest.starts_with(quote) {
                true => "write one quote, or a text of several lines: `@(END)`, the lines, and `| END` after them".into(),
                false => format!("remove one {quote} before `{}`", self.source(self.at)),
            };
            return Some(self.advice(before, Code::UnterminatedString, label, help));
        }
        if !matches!(self.kind(before), T::Name(_) | T::Word(_) | T::Ref(_) | T::Number(_)) {
            return None;
        }
        let quote = rest.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let first = (0..=before).rev().take_while(|index| *index == before || self.joins(index + 1)).last()?;
        let mut place = self.span(before);
        place.start = self.span(first).start;
        let word = self.text.get(place.range())?;
        let behind = rest.get(1..)?;
        if behind.starts_with([',', ';', ':', ')', ']', '}', ' ', '\n', '\r']) {
            let label = format!("the text `{word}` has no quote at its beginning");
            let advice = Advice::new(Code::UnterminatedString, place, label);
            return Some(advice.help(format!("write `{quote}{word}{quote}`")));
        }
        let label = format!("`{word}` before the quote is no part of a text in Puppet");
        let help = match (word, quote) {
            ("f" | "F", _) => "remove it, and write variables as `\"…${NAME}…\"`",
            _ => "remove it, or write `,` or `=>` between the two",
        };
        Some(Advice::new(Code::ForeignWord, place, label).help(help))
    }

    /// `each $a, $b {`: the parameters of a block without their `|`.
    pub(super) fn missing_bars(&self) -> Option<Advice> {
        let first = self.at.saturating_sub(30);
        let index = (first..self.at).rev().find(|index| {
            matches!(self.kind(*index), T::Name(name) if WITH_BLOCKS.contains(&&**name))
                && index.checked_sub(1).is_some_and(|point| *self.kind(point) == T::Sign("."))
                && matches!(self.kind(index + 1), T::Var(_))
        })?;
        let line = self.line(index);
        if self.line(self.at) > line + 1 {
            return None;
        }
        let names: Vec<&str> = (index + 1..self.at)
            .take_while(|next| self.line(*next) == line && matches!(self.kind(*next), T::Var(_) | T::Sign(",")))
            .filter(|next| matches!(self.kind(*next), T::Var(_)))
            .map(|next| self.source(next))
            .collect();
        let word = self.source(index);
        let label = format!("the parameters of the block of `{word}` have no `|` around them");
        let help = format!("write `{word} |{}| {{ … }}`", names.join(", "));
        Some(self.advice(index + 1, Code::MissingSign, label, help))
    }

    /// `$a = $b {`: a selector without its `?`.
    fn missing_question_mark(&self, open: &Open) -> Option<Advice> {
        let before = open.index.checked_sub(1).filter(|_| open.close == '}')?;
        let T::Var(_) = self.kind(before) else { return None };
        let sign = before.checked_sub(1)?;
        if !matches!(self.kind(sign), T::Sign("=" | "=>") | T::OpenParen) || self.line(before) != self.line(open.index) {
            return None;
        }
        let name = self.source(before);
        let label = format!("a `?` is missing between `{name}` and `{{`");
        Some(self.advice(before, Code::MissingSign, label, format!("write `{name} ? {{`")))
    }

    /// `)}` where `})` closes.
    fn closed_in_wrong_order(&self, open: &Open) -> Option<Advice> {
        let next = match self.kind(self.at + 1) {
            T::CloseBrace => '}',
            T::CloseBrack => ']',
            T::CloseParen => ')',
            _ => return None,
        };
        let here = self.source(self.at);
        if !self.joins(self.at + 1) || next != open.close || here.starts_with(next) {
            return None;
        }
        let label = format!("`{here}{next}` closes two brackets in the wrong order");
        let advice = self.advice(self.at, Code::UnmatchedBracket, label, format!("write `{next}{here}`"));
        Some(advice.related(self.span(open.index), "the inner one begins here"))
    }

    /// `// words`.
    fn comment_with_slashes(&self) -> Option<Advice> {
        let line = self.line(self.at);
        let same = (0..=self.at).rev().take_while(|index| self.line(*index) == line);
        let index = same.into_iter().find(|index| matches!(self.kind(*index), T::Regex(text) if text.is_empty()))?;
        Some(self.advice(index, Code::ForeignWord, "`//` begins no comment in Puppet".into(), "write `#`".into()))
    }

    /// Parameters at the start of a file: the line with the name of the class before them is missing.
    pub(super) fn missing_head(&self) -> Option<Advice> {
        let begins = matches!(self.kind(self.at + 1), T::OpenBrace | T::Key(Key::Inherits) | T::Sign(">>"));
        if *self.kind(self.at) != T::CloseParen || !begins {
            return None;
        }
        let is_parameter = |index: usize| matches!(self.kind(index), T::Ref(_) | T::Var(_));
        // What another definition closes is before the parameters.
        let first = (0..self.at).rev().find(|index| *self.kind(*index) == T::CloseBrace).map_or(0, |index| index + 1);
        if !is_parameter(first) || !self.indent(first).1 {
            return None;
        }
        let label = "these parameters belong to no class, define or function".to_string();
        let help = "write `class NAME (` before them".to_string();
        let advice = self.advice(first, Code::UnmatchedBracket, label, help);
        Some(advice.related(self.span(self.at), "this `)` closes nothing"))
    }

    /// What is missing at the end of the line before.
    pub(super) fn missing_at_line_end(&self) -> Option<Advice> {
        let expected = self.expected.filter(|sign| matches!(*sign, "{" | ":" | ")" | "]" | "|" | "("))?;
        let before = self.at.checked_sub(1)?;
        // A template's tag ends the line of its code.
        let is_behind = self.indent(self.at).1
            || matches!(self.kind(self.at), T::End | T::RenderText(_) | T::RenderExpr | T::EppEnd);
        if !is_behind || matches!(self.kind(before), T::Sign(sign) if *sign != "|") {
            return None;
        }
        let last = self.source(before).lines().last().unwrap_or_default().trim();
        let last = if last.chars().count() > 40 { "this" } else { last };
        let label = format!("a `{expected}` is missing after `{last}`");
        let advice = self.advice(before, Code::MissingSign, label, format!("write `{last} {expected}`"));
        Some(advice.related(self.span(self.at), "found here"))
    }

    /// Whether a brace holds parameters or the pairs of a hash.
    pub(super) fn has_pairs(&self, open: &Open) -> bool {
        let mut depth = 0_usize;
        (open.index + 1..self.at).any(|index| match self.kind(index) {
            T::OpenBrace | T::SelectBrace | T::OpenBrack | T::ListStart | T::OpenParen | T::LineParen => {
                depth += 1;
                false
            }
            T::CloseBrace | T::CloseBrack | T::CloseParen => {
                depth = depth.saturating_sub(1);
                false
            }
            kind => depth == 0 && *kind == T::Sign("=>"),
        })
    }
}
