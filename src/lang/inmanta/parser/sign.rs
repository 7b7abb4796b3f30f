//! Explains signs of other languages, and an entity where a plain type belongs, with what Inmanta has instead.

use super::Parser;
use super::explain::Advice;
use crate::diag::Code;
use crate::lang::inmanta::token::{Keyword, Tok};

impl Parser<'_> {
    /// A sign of a shell, of a template, or of a value that can be missing.
    pub(super) fn sign_of_others(&self) -> Option<Advice> {
        let here = self.source(self.at);
        let rest = self.text.get(self.span().range().end..).unwrap_or_default();
        let word =
            |at: usize, message: &str, help: String| Some(self.wrong(at, Code::ForeignWord, message.into(), help));
        let before = self.at.checked_sub(1);
        let earlier = before.map_or("", |at| self.source(at));
        let touches = |one: usize| self.place(one).end == self.place(one + 1).start;
        match here {
            "`" => word(
                self.at,
                "a text has double quotes, not backquotes",
                "write `\"…\"`; a model runs no commands".into(),
            ),
            "$" if rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '{' | '_')) => {
                let name = rest.trim_start_matches('{');
                let end =
                    name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | ':'))).unwrap_or(name.len());
                word(self.at, "a variable has no `$` before its name", format!("write `{}`", &name[..end]))
            }
            "%" if earlier == "{" => {
                let message = "`{% … %}` is a tag of templates: a model has statements";
                word(before?, message, "write `if CONDITION:` or `for NAME in LIST:`, and `end`".into())
            }
            "{" if earlier == "{" => {
                let name = rest.split("}}").next().unwrap_or_default().trim().lines().next().unwrap_or_default();
                let message = "`{{ … }}` is a value only inside a text";
                let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
                if name.is_empty() || !name.chars().all(is_name) {
                    return word(before?, message, "write the value without the double braces".into());
                }
                word(before?, message, format!("write `{name}`, or `\"{{{{ {name} }}}}\"` for a text"))
            }
            "?" if earlier == "?" => {
                let message = "`??` is not a sign of Inmanta";
                word(self.at, message, "write `NAME is defined ? NAME : OTHER`".into())
            }
            "/" if earlier == "/" && !before.is_some_and(|at| self.is_first(at)) => {
                word(self.at, "`//` is not a sign of Inmanta", "write `int(VALUE / OTHER)` for a whole quotient".into())
            }
            "." if rest.starts_with('.')
                && !matches!(self.word(self.first_word()), Tok::Class(_))
                && matches!(before.map(|at| self.word(at)), Some(Tok::Int(_))) =>
            {
                let help = "write `std::sequence(COUNT, start=FIRST)`".into();
                word(self.at, "a range is a list of `std::sequence`", help)
            }
            "=" if earlier == "]"
                && self.open_blocks().is_empty()
                && !(self.first_word()..self.at).any(|at| self.source(at) == "=") =>
            {
                let message = "a value of a dictionary or a list never changes";
                word(self.at, message, "write it where the dictionary is made: `{\"KEY\": VALUE}`".into())
            }
            ">" if matches!(earlier, "<-" | "--") && touches(before?) => {
                let message = format!("`{earlier}>` is not a sign of Inmanta: a relation has `--` between its sides");
                word(before?, &message, "write `--`".into())
            }
            "=" if matches!(self.source(self.at + 1), ">" | "<") && touches(self.at) && self.is_condition() => {
                let sign = self.source(self.at + 1);
                let message = format!("`={sign}` is not a sign of Inmanta");
                word(self.at, &message, format!("write `{sign}=` to compare two values"))
            }
            ":" if self.source(self.first_word()) == "implement" && self.is_first(self.at + 1) => {
                word(self.at, "`implement` begins no block, so it ends without `:`", "remove `:`".into())
            }
            _ => None,
        }
    }

    /// Whether the line at hand has a condition.
    fn is_condition(&self) -> bool {
        matches!(self.source(self.first_word()), "typedef" | "if" | "elif" | "implement")
    }

    /// A relation, or an attribute of an entity, in the lines of an entity.
    pub(super) fn entity_as_type(&self) -> Option<Advice> {
        let entity = self.open_blocks().last().copied()?;
        let is_class = |at: usize| matches!(self.word(at), Tok::Class(_));
        let is_inside = matches!(self.word(entity), Tok::Keyword(Keyword::Entity))
            && self.at > entity + 1
            && self.indent(self.at) > self.indent(entity);
        if !is_inside || !self.is_first(self.at) || !is_class(self.at) {
            return None;
        }
        let (own, here) = (self.source(entity + 1), self.source(self.at));
        match self.word(self.at + 1) {
            Tok::Char(b'.') => {
                let message = "a relation is declared behind the entity, not inside it".to_string();
                Some(self.wrong(self.at, Code::Misplaced, message, format!("move it behind the `end` of `{own}`")))
            }
            Tok::Id(_) => {
                let name = self.source(self.at + 1);
                let message = format!("an attribute holds a plain value: `{here}` is reached by a relation");
                let help = format!("write `{own}.{name} [1] -- {here}` behind the `end` of `{own}`");
                Some(self.wrong(self.at, Code::ForeignWord, message, help))
            }
            _ => None,
        }
    }
}
