//! Explains a syntax error: what is missing or foreign, where that began, and what to write instead.
//!
//! Runs only after the parser failed. It reads the words before the failure and the one at it.

use super::Parser;
use crate::diag::Code;
use crate::lang::inmanta::error::Raise;
use crate::lang::inmanta::token::{Compare, Keyword, Tok};
use crate::source::Span;

/// What an explanation changes of an error.
struct Advice {
    code: Code,
    place: Span,
    message: String,
    related: Vec<(Span, String)>,
    help: String,
}

/// Words of other languages with the word of Inmanta.
const FOREIGN_WORDS: [(&str, &str); 5] =
    [("elsif", "elif"), ("elseif", "elif"), ("None", "null"), ("nil", "null"), ("def", "entity")];

impl Parser<'_> {
    /// Adds to a syntax error at the word at hand what is wrong and how to repair it.
    pub(super) fn explain(&self, mut raise: Box<Raise>) -> Box<Raise> {
        let advice = self
            .foreign_sign()
            .or_else(|| self.unclosed_string())
            .or_else(|| self.foreign_word())
            .or_else(|| self.missing_colon())
            .or_else(|| self.missing_end())
            .or_else(|| self.bracket());
        if let Some(Advice { code, place, message, related, help }) = advice {
            raise.code = Some(code);
            raise.place = Some(place);
            raise.message = message;
            raise.related = related;
            raise.help = Some(help);
        } else if raise.help.is_none() {
            raise.help = Some(format!("remove {}, or complete the statement before it", self.quoted()));
        }
        raise
    }

    fn word(&self, at: usize) -> &Tok {
        self.tokens.get(at).map_or(&Tok::End, |token| &token.tok)
    }

    fn place(&self, at: usize) -> Span {
        self.tokens[at.min(self.tokens.len() - 1)].span
    }

    fn source(&self, at: usize) -> &str {
        self.text.get(self.place(at).range()).unwrap_or_default()
    }

    fn quoted(&self) -> String {
        match self.tok() {
            Tok::End => "the end of the file".into(),
            _ => {
                let first = self.source(self.at).lines().next().unwrap_or_default();
                format!("`{}`", first.chars().take(40).collect::<String>())
            }
        }
    }

    fn line(&self, at: usize) -> usize {
        let start = self.place(at).range().start.min(self.text.len());
        self.text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1
    }

    /// Whether a word is the first of its line.
    fn is_first(&self, at: usize) -> bool {
        let start = self.place(at).range().start.min(self.text.len());
        let line = self.text.as_bytes()[..start].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        line.iter().all(|byte| matches!(byte, b' ' | b'\t'))
    }

    /// The first word of the line before the word at hand.
    fn line_before(&self) -> Option<usize> {
        let last = self.at.checked_sub(1)?;
        (0..=last).rev().find(|at| self.is_first(*at))
    }

    fn opens_block(&self, at: usize) -> bool {
        let keyword = match self.word(at) {
            Tok::Keyword(keyword) => *keyword,
            _ => return false,
        };
        self.is_first(at) && matches!(keyword, Keyword::Entity | Keyword::Implementation | Keyword::If | Keyword::For)
    }

    /// The blocks that are open at the word at hand, by their first words.
    fn open_blocks(&self) -> Vec<usize> {
        let mut open = Vec::new();
        let mut brackets = 0usize;
        for at in 0..self.at.min(self.tokens.len()) {
            match self.word(at) {
                Tok::Char(b'(' | b'[' | b'{') => brackets += 1,
                Tok::Char(b')' | b']' | b'}') => brackets = brackets.saturating_sub(1),
                _ => {}
            }
            // A comprehension has its own `for` and `if`.
            if brackets == 0 && self.opens_block(at) {
                open.push(at);
            } else if matches!(self.word(at), Tok::Keyword(Keyword::End)) {
                open.pop();
            }
        }
        open
    }

    fn block_name(&self, at: usize) -> String {
        match self.word(at) {
            Tok::Keyword(Keyword::If | Keyword::For) => format!("`{}`", self.source(at)),
            _ => format!("`{} {}`", self.source(at), self.source(at + 1)),
        }
    }

    fn foreign_sign(&self) -> Option<Advice> {
        let here = self.source(self.at);
        let (sign, word) = [("&", "and"), ("|", "or"), ("!", "not")].into_iter().find(|(sign, _)| here == *sign)?;
        let shown = match sign {
            "!" => "!",
            "&" => "&&",
            _ => "||",
        };
        Some(Advice {
            code: Code::ForeignWord,
            place: self.span(),
            message: format!("`{shown}` is written `{word}` in Inmanta"),
            related: Vec::new(),
            help: format!("write `{word}`"),
        })
    }

    /// A quote that begins a string without an end on its line.
    fn unclosed_string(&self) -> Option<Advice> {
        let quote = self.source(self.at);
        if !matches!(quote, "\"" | "'") || !matches!(self.tok(), Tok::Bad(_)) {
            return None;
        }
        Some(Advice {
            code: Code::UnterminatedString,
            place: self.span(),
            message: format!("the string that begins here has no closing {quote} on its line"),
            related: Vec::new(),
            help: format!("add {quote} where the text ends; a text over several lines needs three quotes"),
        })
    }

    fn foreign_word(&self) -> Option<Advice> {
        let advice = |at: usize, message: String, help: String| Advice {
            code: Code::ForeignWord,
            place: self.place(at),
            message,
            related: Vec::new(),
            help,
        };
        let before = self.at.checked_sub(1);
        if matches!(self.tok(), Tok::Keyword(Keyword::If))
            && before.is_some_and(|at| matches!(self.word(at), Tok::Keyword(Keyword::Else)))
        {
            let message = "`else if` is written `elif` in Inmanta".into();
            return Some(advice(self.at, message, "write `elif CONDITION:`".into()));
        }
        // The word itself is read as a name; the failure comes at the word behind it.
        for at in [Some(self.at), before].into_iter().flatten() {
            if let Some((foreign, ours)) = FOREIGN_WORDS.iter().find(|(foreign, _)| *foreign == self.source(at)) {
                let message = format!("`{foreign}` is not a word of Inmanta");
                return Some(advice(at, message, format!("write `{ours}`")));
            }
        }
        let first = self.line_before().filter(|_| !self.is_first(self.at))?;
        let is_condition = matches!(self.word(first), Tok::Keyword(Keyword::If | Keyword::Elif));
        let wrong = |message: &str, help: &str| Advice {
            code: Code::WrongSign,
            place: self.span(),
            message: message.into(),
            related: Vec::new(),
            help: help.into(),
        };
        if is_condition && self.is_char(b'=') {
            return Some(wrong("`=` assigns a value and cannot be a condition", "write `==` to compare two values"));
        }
        let in_entity =
            self.open_blocks().last().is_some_and(|at| matches!(self.word(*at), Tok::Keyword(Keyword::Entity)));
        if in_entity && matches!(self.tok(), Tok::Compare(Compare::Equal)) {
            return Some(wrong("`==` does not set a default", "write `=` before the default of an attribute"));
        }
        None
    }

    /// A block whose first line does not end with `:`.
    fn missing_colon(&self) -> Option<Advice> {
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

    /// A block without `end`, or an `end` without a block.
    fn missing_end(&self) -> Option<Advice> {
        let open = self.open_blocks();
        let is_definition = matches!(self.tok(), Tok::Keyword(keyword) if keyword.begins()) && self.is_first(self.at);
        let is_end = matches!(self.tok(), Tok::Keyword(Keyword::End));
        if is_end && open.is_empty() {
            return Some(Advice {
                code: Code::UnmatchedBracket,
                place: self.span(),
                message: "this `end` closes no block".into(),
                related: Vec::new(),
                help: "remove it, or add the first line of its block".into(),
            });
        }
        let at = open.last().filter(|_| self.innermost_bracket().is_none())?;
        if !is_definition && !matches!(self.tok(), Tok::End) {
            return None;
        }
        let name = self.block_name(*at);
        Some(Advice {
            code: Code::UnclosedBracket,
            place: self.span(),
            message: format!("{name} of line {} has no `end` before {}", self.line(*at), self.quoted()),
            related: vec![(self.place(*at), "this block is not closed".into())],
            help: format!("add `end` after the last line of {name}"),
        })
    }

    /// The bracket that is open at the word at hand.
    fn innermost_bracket(&self) -> Option<usize> {
        let mut open = Vec::new();
        for at in 0..self.at.min(self.tokens.len()) {
            match self.word(at) {
                Tok::Char(b'(' | b'[' | b'{') => open.push(at),
                Tok::Char(b')' | b']' | b'}') => drop(open.pop()),
                _ => {}
            }
        }
        open.pop()
    }

    fn bracket(&self) -> Option<Advice> {
        let inner = self.innermost_bracket();
        let close = |at: usize| match self.word(at) {
            Tok::Char(b'(') => ')',
            Tok::Char(b'[') => ']',
            _ => '}',
        };
        let closes = match self.tok() {
            Tok::Char(byte @ (b')' | b']' | b'}')) => Some(char::from(*byte)),
            _ => None,
        };
        let Some(open) = inner else {
            let closes = closes?;
            return Some(Advice {
                code: Code::UnmatchedBracket,
                place: self.span(),
                message: format!("this `{closes}` closes nothing"),
                related: Vec::new(),
                help: "remove it, or add its opening bracket".into(),
            });
        };
        let wanted = close(open);
        let is_statement = self.is_first(self.at)
            && matches!(self.tok(), Tok::Keyword(keyword) if keyword.begins() || *keyword == Keyword::End);
        if closes.is_some_and(|closes| closes != wanted) || matches!(self.tok(), Tok::End) || is_statement {
            return Some(Advice {
                code: Code::UnclosedBracket,
                place: self.span(),
                message: format!("found {} before the `{wanted}` of line {}", self.quoted(), self.line(open)),
                related: vec![(self.place(open), format!("this `{}` is not closed", self.source(open)))],
                help: format!("add `{wanted}` before {}", self.quoted()),
            });
        }
        let ends_value = |tok: &Tok| {
            matches!(
                tok,
                Tok::Id(_)
                    | Tok::Int(_)
                    | Tok::BigInt(_)
                    | Tok::Float(_)
                    | Tok::Str(_)
                    | Tok::RawStr(_)
                    | Tok::FormatStr(_)
                    | Tok::LongStr(_)
                    | Tok::Char(b')' | b']' | b'}')
                    | Tok::Keyword(Keyword::True | Keyword::False | Keyword::Null)
            )
        };
        let begins_value = ends_value(self.tok()) && closes.is_none() || matches!(self.tok(), Tok::Class(_));
        if !begins_value || !self.at.checked_sub(1).is_some_and(|at| ends_value(self.word(at))) {
            return None;
        }
        Some(Advice {
            code: Code::CommaNeeded,
            place: self.span(),
            message: format!("a comma is missing before {}", self.quoted()),
            related: vec![(self.place(self.at - 1), "the element before ends here".into())],
            help: format!("write a comma after `{}`", self.source(self.at - 1)),
        })
    }
}
