//! Explains a bracket that is not closed, or that closes nothing.

use super::super::super::lexer::{Key, T};
use super::{Advice, Failure};
use crate::diag::Code;
use crate::source::Span;

/// A bracket that is open at the failure.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) index: usize,
    pub(super) close: char,
}

impl Failure<'_> {
    /// The brackets that are open at the failure, and a brace whose partner is indented less than its line: its own
    /// closing brace is probably missing.
    pub(super) fn open_brackets(&self) -> (Vec<Open>, Option<usize>) {
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

    /// `<%- | $a, $b -%>` without the second `|`.
    pub(super) fn unclosed_parameters(&self) -> Option<Advice> {
        let begins = *self.kind(0) == T::EppStart && *self.kind(1) == T::Sign("|");
        let is_behind = matches!(self.kind(self.at), T::RenderExpr | T::RenderText(_) | T::End);
        if !begins || !is_behind || (2..=self.at).any(|index| *self.kind(index) == T::Sign("|")) {
            return None;
        }
        let label = "the parameters that begin here have no second `|`".to_string();
        let advice = self.advice(1, Code::UnclosedBracket, label, "write `|` before the `-%>` behind them".into());
        Some(advice.related(self.span(self.at), "found here"))
    }

    /// `if ($a {`: the block begins inside of the parenthesis.
    pub(super) fn unclosed_condition(&self, open: &[Open]) -> Option<Advice> {
        let [.., outer, inner] = open else { return None };
        let line = self.line(inner.index);
        let first = (0..outer.index).rev().take_while(|index| self.line(*index) == line).last()?;
        let begins_block = (first..outer.index)
            .any(|index| matches!(self.kind(index), T::Key(Key::If | Key::Elsif | Key::Unless | Key::Case)));
        let is_value = matches!(self.kind(inner.index.checked_sub(1)?), T::Sign(_) | T::OpenParen | T::LineParen);
        let fits = outer.close == ')' && inner.close == '}' && self.line(outer.index) == line;
        if !fits || !begins_block || is_value || self.line(inner.index + 1) == line {
            return None;
        }
        let label = "this `(` is not closed before the block begins".to_string();
        let advice = self.advice(outer.index, Code::UnclosedBracket, label, "add `)` before the `{`".into());
        Some(advice.related(self.span(inner.index), "the block begins here"))
    }

    /// `elsif {`: the block is read as a hash.
    pub(super) fn missing_condition(&self) -> Option<Advice> {
        let first = self.at.saturating_sub(60);
        let index = (first..self.at).rev().find(|index| {
            let is_word = matches!(self.kind(*index), T::Key(Key::If | Key::Elsif | Key::Unless));
            is_word && matches!(self.kind(index + 1), T::OpenBrace | T::SelectBrace)
        })?;
        let word = self.source(index);
        let help = if word == "elsif" {
            "write `else`, or a condition before the `{`"
        } else {
            "write a condition before the `{`"
        };
        Some(self.advice(index, Code::UnexpectedToken, format!("`{word}` has no condition"), help.into()))
    }

    /// `<| a == 1 >`.
    pub(super) fn unclosed_collector(&self) -> Option<Advice> {
        let start = (0..self.at).rev().find(|index| matches!(self.kind(*index), T::Sign("<|" | "<<|")))?;
        let line = self.line(start);
        let is_closed = (start..self.at).any(|index| matches!(self.kind(index), T::Sign("|>" | "|>>")));
        let is_half = self.at.checked_sub(1).is_some_and(|before| {
            matches!(self.kind(before), T::Sign(">" | ">>" | "|")) && self.line(before) == line && !is_closed
        });
        let is_arrow = matches!(self.kind(self.at), T::Sign("~>" | "->" | "<~" | "<-")) || is_half;
        let close = match self.expected {
            Some(close @ ("|>" | "|>>")) if *self.kind(self.at) != T::Sign("=") => close,
            None if !is_closed && (self.line(self.at) == line || is_half) && is_arrow => {
                if *self.kind(start) == T::Sign("<|") { "|>" } else { "|>>" }
            }
            _ => return None,
        };
        let behind = (start + 1..self.at).take_while(|index| self.line(*index) == line);
        let sign = behind.into_iter().find(|index| matches!(self.kind(*index), T::Sign(">" | ">>" | "|")));
        let open = self.source(start);
        let label = match sign {
            Some(sign) => format!("`{}` does not close this `{open}`", self.source(sign)),
            None => format!("this `{open}` is not closed"),
        };
        let advice = self.advice(sign.unwrap_or(start), Code::UnclosedBracket, label, format!("write `{close}`"));
        Some(advice.related(self.span(self.at), "found here"))
    }

    /// `Struct[a => 1]`: the keys lack their braces.
    fn bare_keys(&self, inner: &Open) -> Option<Advice> {
        let is_type = matches!(self.kind(inner.index.checked_sub(1)?), T::Ref(_));
        let is_pair = matches!(self.kind(inner.index + 1), T::Name(_) | T::Str(_) | T::Key(_))
            && *self.kind(inner.index + 2) == T::Sign("=>");
        // `f('x', a => 1 })`: the pairs of a hash in a call.
        if inner.close == ')' && *self.kind(self.at) == T::CloseBrace {
            let is_pair = |index: usize| {
                matches!(self.kind(index), T::Name(_) | T::Str(_) | T::Key(_)) && *self.kind(index + 1) == T::Sign("=>")
            };
            let at = (inner.index + 1..self.at).find(|index| is_pair(*index))?;
            let key = self.source(at);
            let label = format!("the hash that begins with `{key} =>` has no `{{`");
            return Some(self.advice(at, Code::UnclosedBracket, label, format!("write `{{` before `{key}`")));
        }
        if inner.close != ']' || !is_type || !is_pair {
            return None;
        }
        let ty = self.source(inner.index - 1);
        let label = format!("the keys of `{ty}` are in braces");
        Some(self.advice(
            inner.index,
            Code::UnclosedBracket,
            label,
            format!("write `{ty}[{{`, and close it with `}}]`"),
        ))
    }

    /// `"Hello ${name"`.
    pub(super) fn unclosed_interpolation(&self) -> Option<Advice> {
        let label = "the `${` of this string has no `}`".to_string();
        let help = "write `}` after the expression".to_string();
        Some(self.advice(self.open_interpolation()?, Code::UnclosedBracket, label, help))
    }

    /// A bracket that is not closed, or that closes nothing.
    pub(super) fn bracket(&self, open: &[Open], suspect: Option<usize>) -> Option<Advice> {
        let here = self.kind(self.at);
        if let Some(bare) = open.last().and_then(|inner| self.bare_keys(inner)) {
            return Some(bare);
        }
        if let Some(index) = self.open_interpolation() {
            if let Some(inner) = open.last().filter(|inner| inner.index > index && *here != T::End) {
                let close = inner.close;
                let advice = self.unclosed(inner.index, close, "the expression ends before its".into());
                return Some(advice.help(format!("add `{close}` before the `}}`")));
            }
            return self.unclosed_interpolation();
        }
        if let (Some(inner), T::Var(_)) = (open.last(), here)
            && inner.close == ']'
            && inner.index.checked_sub(1).is_some_and(|ty| matches!(self.kind(ty), T::Ref(_)))
            && self.line(inner.index) == self.line(self.at)
        {
            let ty = self.source(inner.index - 1);
            let label = format!("the `[` of the type `{ty}` is not closed before {}", self.quoted());
            let help = format!("write `]` before {}", self.quoted());
            return Some(self.advice(inner.index, Code::UnclosedBracket, label, help));
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
            (None, Some(inner)) if self.foreign_end(&super::foreign::FOREIGN_ENDS).is_some() => {
                let index = self.foreign_end(&super::foreign::FOREIGN_ENDS)?;
                let label = format!("`{}` does not end a block in Puppet", self.source(index));
                let advice = self.advice(index, Code::ForeignWord, label, "close the block with `}`".into());
                Some(advice.related(self.span(inner.index), "a block that begins here is not closed"))
            }
            (None, Some(inner)) => {
                let index = suspect.unwrap_or(inner.index);
                Some(self.unclosed(index, inner.close, "the file ends before its".into()))
            }
            (Some(']'), None) if self.braced_type().is_some() => {
                let index = self.braced_type()?;
                let ty = self.source(index - 1);
                let label = format!("the parameters of the type `{ty}` begin with `[`");
                let advice = self.advice(index, Code::UnmatchedBracket, label, format!("write `{ty}[{{`"));
                Some(advice.related(self.span(self.at), "this `]` closes nothing"))
            }
            (Some('}'), None) if self.surplus_brace().is_some() => {
                let index = self.surplus_brace()?;
                let help = format!("remove the `}}` of line {}", self.line(index));
                let advice = self.advice(index, Code::UnmatchedBracket, "there is one `}` too many here".into(), help);
                match index == self.at {
                    true => Some(advice),
                    false => Some(advice.related(self.span(self.at), "so that this `}` closes nothing")),
                }
            }
            (Some(close), None) => Some(self.advice(
                self.at,
                Code::UnmatchedBracket,
                format!("this `{close}` closes nothing"),
                format!("remove it, or add its opening bracket before line {}", self.line(self.at)),
            )),
            (Some(']'), Some(inner))
                if inner.close == ')'
                    && inner.index > 0
                    && self.joins(inner.index)
                    && matches!(self.kind(inner.index - 1), T::Ref(_)) =>
            {
                let ty = self.source(inner.index - 1);
                let label = format!("the parameters of the type `{ty}` begin with `[`");
                let advice = self.advice(inner.index, Code::UnmatchedBracket, label, format!("write `{ty}[`"));
                Some(advice.related(self.span(self.at), "this `]` closes them"))
            }
            (Some(close), Some(inner))
                if !open.iter().any(|open| open.close == close) && self.line(inner.index) == self.line(self.at) =>
            {
                let (begin, end) = (self.source(inner.index), inner.close);
                let label = format!("`{close}` does not close the `{begin}` of this line");
                let advice = self.advice(self.at, Code::UnmatchedBracket, label, format!("write `{end}`"));
                Some(advice.related(self.span(inner.index), format!("`{begin}` is here")))
            }
            (Some(close), Some(_)) if !open.iter().any(|open| open.close == close) => Some(self.advice(
                self.at,
                Code::UnmatchedBracket,
                format!("this `{close}` closes nothing"),
                format!("remove `{close}`, or add its opening bracket before it"),
            )),
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
            return match self.expected {
                Some("=>") => is_block || is_outside && *self.kind(self.at) != T::CloseBrace,
                Some("}") => is_outside && (self.has_pairs(inner) || self.has_title(inner)),
                _ => false,
            };
        }
        is_block && inner.close == ')' || is_first && indent <= self.indent(inner.index).0 && self.at > inner.index + 1
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
        let label = format!("this `{open}`{} is not closed: {found} `{close}`", self.owner(index));
        let help = format!("add `{close}` after the last line that belongs to line {line}");
        self.advice(index, Code::UnclosedBracket, label, help).related(found_here, "found here")
    }

    /// The construct that a bracket belongs to, by the first words of its line.
    pub(super) fn owner(&self, index: usize) -> String {
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
}
