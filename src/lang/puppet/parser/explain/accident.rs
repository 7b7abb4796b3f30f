//! Explains what a merge, a paste or a slip of the finger left in a program.

use super::super::super::lexer::{Key, T};
use super::{Advice, Failure, Open};
use crate::diag::Code;
use crate::source::Span;

/// Methods whose block takes the parameters between two `|`.
const WITH_BLOCKS: [&str; 12] =
    ["each", "map", "filter", "reduce", "with", "then", "any", "all", "slice", "tree_each", "step", "lest"];

impl Failure<'_> {
    /// Characters that a patch, a document or a slip left.
    pub(super) fn accident(&self, all: &[Open]) -> Option<Advice> {
        let open = all.last();
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
                let ours =
                    if self.expected == Some("=>") || open.is_some_and(|open| open.close == '}') { "=>" } else { "->" };
                let label = format!("`{c}` is one character, and no sign of Puppet");
                Some(self.advice(self.at, Code::UnknownCharacter, label, format!("write `{ours}`")))
            }
            T::Number(number)
                if self.indent(self.at).1
                    && matches!(self.kind(self.at + 1), T::Name(_) | T::Key(_))
                    && matches!(self.kind(self.at + 2), T::Sign("=>" | "+>")) =>
            {
                let label = format!("the number {number} is before the name of a parameter");
                let help = "remove it: the number of a line is not part of a program".to_string();
                Some(self.advice(self.at, Code::UnexpectedToken, label, help))
            }
            T::Other(c) if !c.is_ascii() => {
                self.comment_with_slashes().or_else(|| self.half_quoted_letters()).or_else(|| {
                    let label = format!("the character `{c}` is not part of the language");
                    let help = "remove it, or put the text into quotes".into();
                    Some(self.advice(self.at, Code::UnknownCharacter, label, help))
                })
            }
            T::CloseBrace | T::CloseBrack | T::CloseParen if self.assigned_pair().is_none() => self
                .bare_interpolation()
                .or_else(|| self.closed_in_wrong_order(all))
                .or_else(|| self.missing_bars())
                .or_else(|| self.accident_in_list(open).filter(|_| matches!(self.before(1), Some(T::Sign(_))))),
            _ => self.accident_in_list(open).or_else(|| {
                self.half_quoted(before?)
                    .or_else(|| self.quote_inside())
                    .or_else(|| self.missing_bars())
                    .or_else(|| self.missing_question_mark(open?))
                    .or_else(|| self.comment_with_slashes())
            }),
        }
    }

    /// A slip in a list, between signs, or at the end of the program.
    fn accident_in_list(&self, open: Option<&Open>) -> Option<Advice> {
        let here = self.source(self.at);
        match self.kind(self.at) {
            T::Sign(",")
                if self.expected == Some("=>")
                    && self.assigned_pair().is_none()
                    && matches!(self.before(1), Some(T::Name(_) | T::Key(_))) =>
            {
                let name = self.source(self.at - 1);
                let label = format!("the parameter `{name}` has no value");
                Some(self.advice(self.at - 1, Code::UnexpectedToken, label, format!("write `{name} => VALUE`")))
            }
            T::Sign(",") | T::CloseBrace if self.expected == Some("=>") && self.assigned_pair().is_some() => {
                let sign = self.assigned_pair()?;
                let key = self.source(sign - 1);
                let label = format!("`{}` sets no value here", self.source(sign));
                Some(self.advice(sign, Code::WrongSign, label, format!("write `{key} => VALUE`")))
            }
            T::Ref(_)
                if *self.kind(self.at + 1) == T::OpenBrack
                    && self.before(1) == Some(&T::CloseBrack)
                    && !self.indent(self.at).1 =>
            {
                let label = "several references are a list, with commas between them".to_string();
                let help = format!("write `[TYPE['TITLE'], {here}['TITLE']]`");
                Some(self.advice(self.at, Code::CommaNeeded, label, help))
            }
            T::Sign("/") | T::Other('/') if matches!(self.before(1), Some(T::Sign("=~" | "!~"))) => {
                let label = "the regular expression that begins here has no closing `/`".to_string();
                Some(self.advice(self.at, Code::UnterminatedString, label, "write `/` behind it".into()))
            }
            T::Sign(sign @ (";" | "."))
                if open.is_some_and(|open| open.close != '}') && (*sign == ";" || self.ends_line(self.at)) =>
            {
                let label = format!("`{sign}` does not separate the elements of a list");
                Some(self.advice(self.at, Code::WrongSign, label, "write `,`".into()))
            }
            T::Sign(">") if self.before(1) == Some(&T::Sign("*")) && self.expected == Some("=>") => {
                let label = "`*>` sets no parameters".to_string();
                Some(self.advice(self.at - 1, Code::WrongSign, label, "write `* => $hash`".into()))
            }
            T::Sign(">") if matches!(self.before(1), Some(T::Sign("-" | "=" | "~"))) && !self.joins(self.at) => {
                let sign = format!("{}>", self.source(self.at - 1));
                let label = format!("the two characters of `{sign}` are not together");
                Some(self.advice(self.at - 1, Code::WrongSign, label, format!("write `{sign}`")))
            }
            T::Sign("=>") if self.expected.is_none() => self.pair_without_brace(open),
            T::Sign("|") if self.method_without_point().is_some() => self.method_without_point(),
            T::CloseBrace if matches!(self.before(1), Some(T::Sign("->" | "~>" | "<-" | "<~"))) => {
                let sign = self.source(self.at - 1);
                let label = format!("`{sign}` has no resource behind it");
                let help = format!("remove `{sign}`, or write a reference behind it");
                Some(self.advice(self.at - 1, Code::UnexpectedToken, label, help))
            }
            T::End
                if matches!(
                    self.before(1),
                    Some(T::Sign("/" | "*" | "+" | "-" | "=" | "=>" | "->" | "~>" | "." | "=="))
                ) =>
            {
                let last = self.at - 1;
                let sign = self.source(last);
                let label = format!("`{sign}` has no value behind it");
                Some(self.advice(
                    last,
                    Code::UnexpectedToken,
                    label,
                    format!("remove `{sign}`, or write a value behind it"),
                ))
            }
            T::OpenBrace if self.before(1) == Some(&T::Key(Key::Inherits)) => {
                let label = "the name of a class is missing behind `inherits`".to_string();
                let help = "write `inherits CLASS`, or remove `inherits`".to_string();
                Some(self.advice(self.at - 1, Code::UnexpectedToken, label, help))
            }
            _ => None,
        }
    }

    /// `root',` or `f"…"`: a quote directly behind a word.
    pub(super) fn half_quoted(&self, before: usize) -> Option<Advice> {
        let may_begin = matches!(self.kind(self.at), T::Str(_) | T::Pre(_) | T::Bad(_) | T::Name(_));
        if !self.joins(self.at) || !may_begin || self.open_interpolation().is_some() {
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
                true => {
                    "write one quote, or a text of several lines: `@(END)`, the lines, and `| END` after them".into()
                }
                false => format!("remove one {quote} before `{}`", self.source(self.at)),
            };
            return Some(self.advice(before, Code::UnterminatedString, label, help));
        }
        // A path is read as a regular expression and a word.
        if matches!(self.kind(before), T::Regex(_)) && self.indent(before).0 > 0 {
            let rest = self.rest(before);
            let end =
                rest.find(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ',' | ';')).unwrap_or(rest.len());
            let quote = rest[end..].chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
            let path = &rest[..end];
            let place = Span { end: self.span(before).start + end as u32, ..self.span(before) };
            let label = format!("the text `{path}` has no quote at its beginning");
            let advice = Advice::new(Code::UnterminatedString, place, label);
            return Some(advice.help(format!("write `{quote}{path}{quote}`")));
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
        let label = format!("`{word}` before the quote is not part of a text in Puppet");
        let help = match (word, quote) {
            ("f" | "F", _) => "remove it, and write variables as `\"…${NAME}…\"`",
            _ => "remove it, or write `,` or `=>` between the two",
        };
        Some(Advice::new(Code::ForeignWord, place, label).help(help))
    }

    /// `été'`: a word with letters that no name has.
    fn half_quoted_letters(&self) -> Option<Advice> {
        let at = self.start(self.at);
        let is_inside = |c: &char| c.is_alphanumeric() || *c == '_';
        let begin = at - self.text.get(..at)?.chars().rev().take_while(is_inside).map(char::len_utf8).sum::<usize>();
        let end = at + self.rest(self.at).chars().take_while(is_inside).map(char::len_utf8).sum::<usize>();
        let quote = self.text[end..].chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        if self.text[..begin].ends_with(['\'', '"']) {
            return None;
        }
        let word = &self.text[begin..end];
        let label = format!("the text `{word}` has no quote at its beginning");
        let advice = Advice::new(Code::UnterminatedString, Span::new(self.file, begin, end), label);
        Some(advice.help(format!("write `{quote}{word}{quote}`")))
    }

    /// `class a { b => 1 }` and `$a = 'b' => 1`.
    fn pair_without_brace(&self, open: Option<&Open>) -> Option<Advice> {
        let key = self.at.checked_sub(1)?;
        let sign = key.checked_sub(1)?;
        let name = self.source(key);
        if *self.kind(sign) == T::Sign("=") && matches!(self.kind(key), T::Str(_) | T::Name(_)) {
            let label = format!("the hash that begins with `{name} =>` has no `{{`");
            return Some(self.advice(
                sign,
                Code::UnclosedBracket,
                label,
                "write `= {`, and `}` behind the last pair".into(),
            ));
        }
        let open = open.filter(|open| open.index == sign)?;
        let line = self.line(open.index);
        let first = (0..open.index).rev().take_while(|index| self.line(*index) == line).last()?;
        if *self.kind(first) != T::Key(Key::Class) || first + 2 != open.index {
            return None;
        }
        let class = self.source(first + 1);
        let label =
            format!("`class {class} {{` defines a class, and `{name} =>` is a parameter of one that is declared");
        let advice = self.advice(first, Code::WrongSign, label, format!("write `class {{ '{class}':`"));
        Some(advice.related(self.span(key), "the parameter is here"))
    }

    /// `$list each |$x|`.
    fn method_without_point(&self) -> Option<Advice> {
        let word = self.at.checked_sub(1)?;
        let value = word.checked_sub(1)?;
        let T::Name(name) = self.kind(word) else { return None };
        let is_value = matches!(self.kind(value), T::Var(_) | T::CloseBrack | T::CloseParen);
        if !WITH_BLOCKS.contains(&&**name) || !is_value || self.line(value) != self.line(word) {
            return None;
        }
        let label = format!("a `.` is missing before `{name}`");
        Some(self.advice(word, Code::MissingSign, label, format!("write `{}.{name} |$x| {{ … }}`", self.source(value))))
    }

    /// `unles $a {`: a slip in the keyword of a condition.
    pub(super) fn slip_of_condition(&self) -> Option<Advice> {
        const NEAR: usize = 40;
        let after_brace = |index: &usize| {
            let begins = index.checked_sub(1).is_some_and(|before| *self.kind(before) == T::CloseBrace);
            begins && matches!(self.kind(*index), T::Name(_)) && *self.kind(index + 1) == T::OpenBrace
        };
        if let Some(index) = (self.at.saturating_sub(NEAR)..self.at).rev().find(after_brace)
            && crate::diag::nearest(self.source(index), ["else"]).is_some()
            && self.line(index) == self.line(index - 1)
        {
            let label = format!("`{}` is not a word of Puppet", self.source(index));
            return Some(self.advice(index, Code::ForeignWord, label, "did you mean `else`?".into()));
        }
        let near = |word: &str| match word {
            "iff" | "fi" => Some("if"),
            word if word.len() < 3 => None,
            word => crate::diag::nearest(word, ["if", "unless", "case", "elsif"]),
        };
        let (index, near) = (self.at.saturating_sub(NEAR)..self.at).rev().find_map(|index| {
            let begins = matches!(self.kind(index + 1), T::Var(_) | T::Sign("!") | T::LineParen | T::OpenParen);
            if !begins || !matches!(self.kind(index), T::Name(_)) || !self.indent(index).1 {
                return None;
            }
            let line = self.line(index);
            let last = (index..self.at).take_while(|next| self.line(*next) == line).last()?;
            (*self.kind(last) == T::OpenBrace).then_some((index, near(self.source(index))?))
        })?;
        let word = self.source(index);
        let label = format!("`{word}` is not a word of Puppet");
        Some(self.advice(index, Code::ForeignWord, label, format!("did you mean `{near}`?")))
    }

    /// Whether a token is the last of its line.
    fn ends_line(&self, index: usize) -> bool {
        self.line(index + 1) > self.line(index)
    }

    /// `'key' = value` in a hash: the `=` on the line of the failure.
    fn assigned_pair(&self) -> Option<usize> {
        if self.expected != Some("=>") {
            return None;
        }
        let line = self.line(self.at.checked_sub(1)?);
        let same = (1..self.at).rev().take_while(|index| self.line(*index) == line);
        let sign = same.into_iter().find(|index| matches!(self.kind(*index), T::Sign("=" | "," | ":")))?;
        // `File { owner: 'root' }`.
        let of_defaults = *self.kind(sign) == T::Sign(":")
            && sign > 2
            && *self.kind(sign - 2) == T::OpenBrace
            && matches!(self.kind(sign - 3), T::Ref(_));
        (of_defaults || *self.kind(sign) == T::Sign("=") && matches!(self.kind(sign - 1), T::Str(_) | T::Name(_)))
            .then_some(sign)
    }

    /// `${name}` outside of a text.
    fn bare_interpolation(&self) -> Option<Advice> {
        let name = self.at.checked_sub(1)?;
        let dollar = self.at.checked_sub(3)?;
        let is_dollar = self.source(dollar) == "$" && *self.kind(dollar + 1) == T::OpenBrace && self.joins(dollar + 1);
        if !is_dollar || !matches!(self.kind(name), T::Name(_) | T::Var(_)) {
            return None;
        }
        let place = Span { start: self.span(dollar).start, ..self.span(self.at) };
        let name = self.source(name).trim_start_matches('$');
        let label = format!("`${{{name}}}` is for texts in double quotes");
        Some(Advice::new(Code::WrongSign, place, label).help(format!("write `${name}`")))
    }

    /// `"…"word…"`: a quote inside of a text ends it.
    fn quote_inside(&self) -> Option<Advice> {
        let before = self.at.checked_sub(1)?;
        let quote = self.source(before).chars().last().filter(|quote| matches!(quote, '\'' | '"'))?;
        let is_text =
            matches!(self.kind(before), T::Str(_) | T::Post(_)) && self.source(before) != format!("{quote}{quote}");
        let word = self.source(self.at);
        let rest = self.rest(self.at).lines().next()?;
        let is_word = matches!(self.kind(self.at), T::Name(_) | T::Word(_) | T::Ref(_) | T::Number(_));
        // A quote of the other kind in it was meant to end it.
        let other = if quote == '"' { '\'' } else { '"' };
        if !is_text || !is_word || !self.joins(self.at) || !rest.contains(quote) || self.source(before).contains(other)
        {
            return None;
        }
        let label = format!("the {quote} before `{word}` ends the text");
        let help = format!("write `\\{quote}` for a quote inside of the text");
        Some(self.advice(self.at, Code::UnterminatedString, label, help))
    }

    /// `each $a, $b {`: the parameters of a block without their `|`.
    pub(super) fn missing_bars(&self) -> Option<Advice> {
        let first = self.at.saturating_sub(30);
        let index = (first..self.at).rev().find(|index| {
            matches!(self.kind(*index), T::Name(name) if WITH_BLOCKS.contains(&&**name))
                && index.checked_sub(1).is_some_and(|point| *self.kind(point) == T::Sign("."))
                && (matches!(self.kind(index + 1), T::Var(_)) || self.parenthesized_names(index + 1))
        })?;
        let line = self.line(index);
        const MOST_LINES: usize = 3;
        if self.line(self.at) > line + MOST_LINES {
            return None;
        }
        let is_name = |kind: &T| matches!(kind, T::Var(_) | T::Sign(",") | T::OpenParen | T::LineParen);
        let names: Vec<&str> = (index + 1..self.at)
            .take_while(|next| self.line(*next) == line && is_name(self.kind(*next)))
            .filter(|next| matches!(self.kind(*next), T::Var(_)))
            .map(|next| self.source(next))
            .collect();
        let word = self.source(index);
        let label = format!("the parameters of the block of `{word}` have no `|` around them");
        let help = format!("write `{word} |{}| {{ … }}`", names.join(", "));
        Some(self.advice(index + 1, Code::MissingSign, label, help))
    }

    /// `($a, $b) {`: variables in parentheses before a block.
    fn parenthesized_names(&self, open: usize) -> bool {
        const MOST: usize = 8;
        if !matches!(self.kind(open), T::OpenParen | T::LineParen) || !matches!(self.kind(open + 1), T::Var(_)) {
            return false;
        }
        let is_name = |index: &usize| matches!(self.kind(*index), T::Var(_) | T::Sign(","));
        let names = (open + 1..open + MOST).take_while(is_name).count();
        *self.kind(open + 1 + names) == T::CloseParen && *self.kind(open + 2 + names) == T::OpenBrace
    }

    /// `$a = $b {`: a selector without its `?`.
    fn missing_question_mark(&self, open: &Open) -> Option<Advice> {
        let before = open.index.checked_sub(1).filter(|_| open.close == '}')?;
        let line = self.line(open.index);
        let first = match self.kind(before) {
            T::Var(_) => before,
            T::CloseBrack => {
                let mut same = (0..before).rev().take_while(|index| self.line(*index) == line);
                same.find(|index| matches!(self.kind(*index), T::Var(_)))?
            }
            _ => return None,
        };
        let sign = first.checked_sub(1)?;
        if !matches!(self.kind(sign), T::Sign("=" | "=>")) || self.line(sign) != line {
            return None;
        }
        let name = self.text.get(self.start(first)..self.span(before).end as usize)?;
        let label = format!("a `?` is missing between `{name}` and `{{`");
        Some(self.advice(before, Code::MissingSign, label, format!("write `{name} ? {{`")))
    }

    /// `)}` where `})` closes.
    fn closed_in_wrong_order(&self, all: &[Open]) -> Option<Advice> {
        let [around @ .., outer, open] = all else { return None };
        let next = match self.kind(self.at + 1) {
            T::CloseBrace => '}',
            T::CloseBrack => ']',
            T::CloseParen => ')',
            _ => return None,
        };
        let here = self.source(self.at);
        if !self.joins(self.at + 1) || next != open.close || here.starts_with(next) || !here.starts_with(outer.close) {
            return None;
        }
        // Where another bracket stays open, one is missing.
        let behind = self.source(self.at + 2);
        let is_complete = |open: &Open| open.close == '}' || behind.starts_with([',', open.close]);
        if around.last().is_some_and(|open| !is_complete(open)) {
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
        // Behind a value it is read as two divisions.
        let is_comment = |index: &usize| match self.kind(*index) {
            T::Regex(text) => text.is_empty(),
            T::Sign("/") => *self.kind(index + 1) == T::Sign("/") && self.joins(index + 1),
            _ => false,
        };
        let index = same.into_iter().find(is_comment)?;
        Some(self.advice(index, Code::ForeignWord, "`//` begins no comment in Puppet".into(), "write `#`".into()))
    }

    /// Parameters at the start of a file: the line with the name of the class before them is missing.
    pub(super) fn missing_head(&self, open: Option<&Open>) -> Option<Advice> {
        if let Some(advice) = open.and_then(|open| self.head_with_brace(open)) {
            return Some(advice);
        }
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

    /// `class a {` before parameters, and `function f TYPE $x`.
    fn head_with_brace(&self, open: &Open) -> Option<Advice> {
        let line = self.line(open.index);
        let first = (0..open.index).rev().take_while(|index| self.line(*index) == line).last()?;
        let is_head =
            matches!(self.kind(first), T::Key(Key::Class | Key::Define | Key::Function)) && first + 2 == open.index;
        let begins_body = *self.kind(self.at + 1) == T::OpenBrace;
        if !is_head || open.close != '}' || *self.kind(self.at) != T::CloseParen || !begins_body {
            return None;
        }
        let name = self.source(first + 1);
        let label = format!("the parameters of `{name}` are in parentheses, and this `{{` begins its body");
        let advice = self.advice(open.index, Code::WrongSign, label, format!("write `{name} (`"));
        Some(advice.related(self.span(self.at), "the parameters end here"))
    }

    /// A head of a definition with what only another one has, or without its parenthesis.
    pub(super) fn wrong_head(&self) -> Option<Advice> {
        let line = self.line(self.at);
        let first = (0..self.at).rev().take_while(|index| self.line(*index) == line).last()?;
        let T::Key(key @ (Key::Class | Key::Define | Key::Function)) = self.kind(first) else { return None };
        let name = self.source(first + 1);
        match self.kind(self.at) {
            T::Sign(">>") if *key != Key::Function && self.expected == Some("{") => {
                let label = format!("a {} returns no value", key.as_str());
                let help = format!("write `function {name}` for a function, or remove `>>` and the type");
                Some(self.advice(self.at, Code::Misplaced, label, help))
            }
            T::Ref(_) | T::Var(_) if self.at == first + 2 && self.expected == Some("{") => {
                let label = format!("the parameters of `{name}` have no `(` before them");
                Some(self.advice(self.at, Code::MissingSign, label, format!("write `{name}(`, and `)` behind them")))
            }
            _ => None,
        }
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
        let may_end = matches!(self.kind(before), T::Name(_) | T::Str(_) | T::Post(_) | T::Var(_));
        if expected == ":" && !may_end {
            return None;
        }
        let last = self.source(before).lines().last().unwrap_or_default().trim();
        let last = if last.chars().count() > 40 { "this" } else { last };
        let label = format!("a `{expected}` is missing after `{last}`");
        let advice = self.advice(before, Code::MissingSign, label, format!("write `{last} {expected}`"));
        Some(advice.related(self.span(self.at), "found here"))
    }

    /// Whether a brace holds a title; it is near.
    pub(super) fn has_title(&self, open: &Open) -> bool {
        const MOST: usize = 40;
        self.holds_sign(open, self.at.min(open.index + MOST), ":")
    }

    /// Whether a brace holds parameters or the pairs of a hash.
    pub(super) fn has_pairs(&self, open: &Open) -> bool {
        self.holds_sign(open, self.at, "=>")
    }

    /// Whether a sign is in a brace before `end`, and in no bracket inside of it.
    fn holds_sign(&self, open: &Open, end: usize, sign: &str) -> bool {
        let mut depth = 0_usize;
        (open.index + 1..end).any(|index| match self.kind(index) {
            T::OpenBrace | T::SelectBrace | T::OpenBrack | T::ListStart | T::OpenParen | T::LineParen => {
                depth += 1;
                false
            }
            T::CloseBrace | T::CloseBrack | T::CloseParen => {
                depth = depth.saturating_sub(1);
                false
            }
            kind => depth == 0 && matches!(kind, T::Sign(found) if *found == sign),
        })
    }
}
