//! Explains a sign of the wrong kind, and a missing comma.

use super::super::super::lexer::{Key, T};
use super::{Advice, Failure, Open};
use crate::diag::Code;
use crate::source::Span;

impl Failure<'_> {
    /// A sign of the wrong kind: `=` for `=>`, `=` for `==`, `,` for `:` and the like.
    pub(super) fn wrong_sign(&self, open: Option<&Open>) -> Option<Advice> {
        let wrong = |label, help| self.advice(self.at, Code::WrongSign, label, help);
        let in_braces = open.is_some_and(|open| open.close == '}');
        let name = self.before(1).and_then(|kind| match kind {
            T::Name(name) => Some(name.to_string()),
            T::Key(key) => Some(key.as_str().to_string()),
            T::Str(_) if !matches!(self.expected, Some(":")) => Some(self.source(self.at - 1).to_string()),
            T::Number(_) | T::Regex(_) | T::Var(_) | T::CloseBrack if self.expected == Some("=>") => {
                Some(self.source(self.at - 1).to_string())
            }
            _ => None,
        });
        let sign = match self.kind(self.at) {
            T::Sign(sign) => *sign,
            _ => "",
        };
        let is_tilde = matches!(self.kind(self.at), T::Other('~') | T::Sign("~"));
        if is_tilde && matches!(self.kind(self.at + 1), T::Sign("=" | "=>" | "==")) && self.joins(self.at + 1) {
            return Some(wrong("`~=` is not an operator of Puppet".into(), "write `=~` to match".into()));
        }
        if sign == ">" && self.joins(self.at) && self.before(1) == Some(&T::Sign("=>")) {
            return Some(wrong("`=>>` does not set a parameter".into(), "write `=>`".into()));
        }
        if matches!(sign, "->" | ":" | "=>" | ">")
            && self.expected == Some("{")
            && self.before(1) == Some(&T::CloseParen)
        {
            let ty = self.source(self.at + 1);
            if !matches!(self.kind(self.at + 1), T::Ref(_)) {
                let label = format!("`{sign}` does not begin the body of a function");
                return Some(wrong(label, "write the body in braces: `{ … }`".into()));
            }
            let label = format!("`{sign}` does not give the type of a result");
            return Some(wrong(label, format!("write `>> {ty}`")));
        }
        if let Some(name) = &name
            && in_braces
            && matches!(sign, "=" | "==" | ":" | "->" | "-" | ">" | "+=" | ">=")
            && !(sign == ":" && matches!(self.expected, Some("{" | "}")) && self.before(2) != Some(&T::Sign(",")))
        {
            if sign == ":"
                && *self.kind(self.at + 1) == T::OpenBrace
                && let Some(open) = open.filter(|open| !self.has_pairs(open) && self.is_block(open.index))
            {
                let label = format!("{name} is a value of a `case`, and there is no `case` around it");
                let advice = wrong(label, "write `case VALUE {` before the first of these values".into());
                return Some(advice.related(self.span(open.index), "the block around it begins here"));
            }
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
                let label = format!("a `:` is missing after the title {title}");
                let mut advice = self.advice(last, Code::MissingSign, label, format!("write `{title}:`"));
                advice.place = Some(place);
                return Some(advice.related(self.span(self.at), "the parameters begin here"));
            }
            if let Some(advice) = self.open_case(open, sign) {
                return Some(advice);
            }
            let line = self.rest(self.at).lines().next().unwrap_or_default();
            if let (",", Some((others, _))) = (sign, line.split_once(':')) {
                let label = "several titles are a list".to_string();
                return Some(wrong(label, format!("write `[{title}{}]:`", others.trim_end())));
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
            if crate::diag::nearest(ty, ["node"]).is_some() {
                let label = format!("`{ty}` is not a word of Puppet");
                let help = "did you mean `node`?".into();
                return Some(self.advice(self.at - 2, Code::ForeignWord, label, help));
            }
            let help = format!("write `{ty} {{ {title}: … }}`");
            return Some(wrong("the title of a resource is inside the braces".into(), help));
        }
        if let (Some(T::Key(Key::Class | Key::Define)), T::Ref(name)) = (self.before(1), self.kind(self.at)) {
            let help = format!("write `{}`", name.to_lowercase());
            return Some(wrong(format!("the name `{name}` begins with a capital letter"), help));
        }
        None
    }

    /// An assignment in a `case` whose bracket is open.
    fn open_case(&self, open: Option<&Open>, sign: &str) -> Option<Advice> {
        let is_case = open.is_some_and(|open| {
            let line = self.line(open.index);
            let first = (0..open.index).rev().take_while(|index| self.line(*index) == line).last();
            first.is_some_and(|first| *self.kind(first) == T::Key(Key::Case))
        });
        let open = open.filter(|_| is_case && sign == "=" && matches!(self.before(1), Some(T::Var(_))))?;
        let line = self.line(open.index);
        let label = format!(
            "this `{{` of `case` is not closed: the statement of line {} begins before its `}}`",
            self.line(self.at)
        );
        let help = format!("add `}}` after the last line that belongs to line {line}");
        let advice = self.advice(open.index, Code::UnclosedBracket, label, help);
        Some(advice.related(self.span(self.at - 1), "found here"))
    }

    /// Whether a brace begins the body of a definition or of a condition.
    fn is_block(&self, brace: usize) -> bool {
        let line = self.line(brace);
        let first = (0..brace).rev().take_while(|index| self.line(*index) == line).last().unwrap_or(brace);
        matches!(self.kind(first), T::CloseParen | T::CloseBrace)
            || matches!(
                self.kind(first),
                T::Key(Key::Class | Key::Define | Key::Node | Key::Function | Key::If | Key::Elsif | Key::Else)
            )
    }

    /// Whether `KEY =>` with a key of several tokens begins at the failure, such as `Optional[a] =>`.
    fn begins_pair(&self) -> bool {
        const MOST: usize = 12;
        let line = self.line(self.at);
        let same = (self.at + 1..self.at + MOST).take_while(|index| self.line(*index) == line);
        let mut before_comma = same.take_while(|index| *self.kind(*index) != T::Sign(","));
        let begins = matches!(self.kind(self.at), T::Ref(_) | T::Pre(_) | T::Var(_) | T::Number(_));
        begins && before_comma.any(|index| *self.kind(index) == T::Sign("=>"))
    }

    /// Two elements without a comma between them.
    pub(super) fn missing_comma(&self, open: Option<&Open>) -> Option<Advice> {
        let ends_value = self.ends_value(self.at.checked_sub(1)?);
        let here = self.kind(self.at);
        let begins_value = matches!(
            here,
            T::Name(_) | T::Word(_) | T::Ref(_) | T::Var(_) | T::Str(_) | T::Number(_) | T::Pre(_) | T::Key(_)
        ) || matches!(here, T::ListStart | T::OpenBrace | T::Sign("*"));
        let is_pair = matches!(here, T::Name(_) | T::Str(_) | T::Key(_) | T::Sign("*"))
            && matches!(self.kind(self.at + 1), T::Sign("=>" | "+>"))
            || open.is_some_and(|open| self.has_pairs(open)) && self.begins_pair();
        let in_list = open.is_some_and(|open| open.close != '}');
        if !(ends_value && begins_value && (is_pair || in_list) && open.is_some()) {
            return None;
        }
        // `$a 'x',` in a list of parameters.
        let owner = open.map(|open| self.owner(open.index)).unwrap_or_default();
        if matches!(self.before(1), Some(T::Var(_)))
            && open.is_some_and(|open| open.close == ')')
            && (owner.contains("class") || owner.contains("define") || owner.contains("function"))
            && !matches!(here, T::Var(_) | T::Ref(_))
        {
            let (name, value) = (self.source(self.at - 1), self.source(self.at));
            let label = format!("a `=` is missing between `{name}` and its default");
            let help = format!("write `{name} = {value}`");
            return Some(self.advice(self.at - 1, Code::MissingSign, label, help));
        }
        let last = self.source(self.at - 1);
        let last = match last.contains('\n') || last.len() > 40 {
            true => "the value before".to_string(),
            false => format!("`{last}`"),
        };
        let before = self.span(self.at - 1);
        let text = self.source(self.at - 1);
        let start = before.start + text.rfind('\n').map_or(0, |at| at as u32 + 1);
        let label = format!("a comma is missing after this, before {}", self.quoted());
        let advice = Advice::new(Code::CommaNeeded, Span { start, ..before }, label)
            .related(self.span(self.at), "the next element begins here")
            .help(format!("write a comma after {last}"));
        Some(advice)
    }
}
