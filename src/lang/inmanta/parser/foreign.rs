//! Explains what is written as in another language: its signs, words and forms, with what Inmanta has instead.

use super::Parser;
use super::explain::Advice;
use crate::diag::Code;
use crate::lang::inmanta::token::{Compare, Keyword, Tok};
use crate::lang::shared::words::{conflict_mark, foreign_character};
use crate::source::Span;

/// Words of other languages with the word of Inmanta.
const FOREIGN_WORDS: [(&str, &str); 24] = [
    ("implements", "implement ENTITY using IMPLEMENTATION"),
    ("new", "ENTITY(ATTRIBUTE=VALUE)"),
    ("elsif", "elif CONDITION:"),
    ("elseif", "elif CONDITION:"),
    ("foreach", "for NAME in LIST:"),
    ("while", "for NAME in LIST:"),
    ("unless", "if not CONDITION:"),
    ("switch", "if CONDITION:"),
    ("def", A_FUNCTION),
    ("function", A_FUNCTION),
    ("func", A_FUNCTION),
    ("class", "entity NAME:"),
    ("type", "typedef NAME as TYPE matching CONDITION"),
    ("struct", "entity NAME:"),
    ("interface", "entity NAME:"),
    ("include", "import MODULE"),
    ("let", "NAME = VALUE"),
    ("var", "NAME = VALUE"),
    ("const", "NAME = VALUE"),
    ("match", "if CONDITION:"),
    ("case", "elif CONDITION:"),
    ("print", "std::print(VALUE)"),
    ("echo", "std::print(VALUE)"),
    ("lambda", "[VALUE for NAME in LIST]"),
];

const A_FUNCTION: &str =
    "implementation NAME for ENTITY:` for statements of each instance; a function is a plugin in Python: `@plugin";

/// Values of other languages with the value of Inmanta.
const FOREIGN_VALUES: [(&str, &str); 5] =
    [("None", "null"), ("nil", "null"), ("undef", "null"), ("True", "true"), ("False", "false")];

impl Parser<'_> {
    /// The mark of a merge with conflicts.
    pub(super) fn conflict(&self) -> Option<Advice> {
        let (mark, message, help) = conflict_mark(self.text, self.span().range().start)?;
        let place = Span::new(self.span().file, mark.start, mark.end);
        Some(Advice { code: Code::MergeConflict, place, message, related: Vec::new(), help })
    }

    /// A quote or a blank that a word processor wrote.
    pub(super) fn foreign_character(&self) -> Option<Advice> {
        let here = self.source(self.at).chars().next()?;
        let (message, help) = foreign_character(here)?;
        Some(self.wrong(self.at, Code::UnknownCharacter, message, help))
    }

    pub(super) fn foreign_sign(&self) -> Option<Advice> {
        let here = self.source(self.at);
        if let Some(advice) = self.sign_of_others() {
            return Some(advice);
        }
        let (sign, word) = [("&", "and"), ("|", "or"), ("!", "not")].into_iter().find(|(sign, _)| here == *sign)?;
        let shown = match sign {
            "!" => "!",
            "&" => "&&",
            _ => "||",
        };
        let message = format!("`{shown}` is written `{word}` in Inmanta");
        Some(self.wrong(self.at, Code::ForeignWord, message, format!("write `{word}`")))
    }

    /// A sign of other languages that is two words here.
    pub(super) fn foreign_sign_of_two(&self) -> Option<Advice> {
        let here = self.source(self.at);
        let before = self.at.checked_sub(1)?;
        let touches = |one: usize| self.place(one).end == self.place(one + 1).start;
        let pair = format!("{}{here}", self.source(before));
        let wrong = |at: usize, sign: &str, help: String| {
            Some(self.wrong(at, Code::WrongSign, format!("`{sign}` is no sign of Inmanta"), help))
        };
        match here {
            ">" if pair == "<>" && touches(before) => wrong(before, "<>", "write `!=`".into()),
            ":" if self.source(self.at + 1) == "=" && touches(self.at) => wrong(self.at, ":=", "write `=`".into()),
            "-" if pair == "---" && touches(before) => wrong(before, "---", "write `--` between the sides".into()),
            "*" | "**" if matches!(&*pair, "***" | "****") && touches(before) => {
                wrong(before, &pair, format!("write `**{}`", self.source(self.at + 1)))
            }
            "+" | "-" if (pair == "++" || pair == "--") && touches(before) => {
                let name = before.checked_sub(1).filter(|at| matches!(self.word(*at), Tok::Id(_)))?;
                let name = self.source(name);
                let help =
                    format!("a variable has one value: give the next one another name, as in `next = {name} {here} 1`");
                wrong(before, &pair, help)
            }
            _ => None,
        }
    }

    pub(super) fn foreign_word(&self) -> Option<Advice> {
        let advice = |at: usize, message: String, help: String| self.wrong(at, Code::ForeignWord, message, help);
        let before = self.at.checked_sub(1);
        if matches!(self.tok(), Tok::Keyword(Keyword::If))
            && before.is_some_and(|at| matches!(self.word(at), Tok::Keyword(Keyword::Else)))
        {
            let message = "`else if` is written `elif` in Inmanta".into();
            return Some(advice(self.at, message, "write `elif CONDITION:`".into()));
        }
        // The word itself is read as a name; the failure comes at the word behind it.
        for at in [Some(self.at), before].into_iter().flatten() {
            if let Some((foreign, ours)) = FOREIGN_VALUES.iter().find(|(foreign, _)| *foreign == self.source(at)) {
                let message = format!("`{foreign}` is not a word of Inmanta");
                return Some(advice(at, message, format!("write `{ours}`")));
            }
        }
        if let Some((at, near)) = self.near_keyword() {
            let word = self.source(at);
            let message = format!("`{word}` begins no statement");
            return Some(advice(at, message, format!("did you mean `{near}`?")));
        }
        // A word that begins the statement, or another word of its line that no name can be.
        let begin = (0..=self.at).rev().find(|at| self.is_first(*at))?;
        if begin != self.at
            && let Some((foreign, ours)) = FOREIGN_WORDS.iter().find(|(foreign, _)| *foreign == self.source(begin))
            && !matches!(self.word(begin + 1), Tok::Char(b'=' | b'.'))
        {
            let message = format!("`{foreign}` is not a word of Inmanta");
            return Some(advice(begin, message, format!("write `{ours}`")));
        }
        if let Some(at) = before
            .filter(|_| self.is_char(b':'))
            .and_then(|last| (begin..=last).rev().take(8).find(|at| self.source(*at) == "lambda"))
        {
            let message = "`lambda` is not a word of Inmanta".into();
            let help = "write `[VALUE for NAME in LIST if CONDITION]`, or a plugin in Python".into();
            return Some(advice(at, message, help));
        }
        let first = self.line_before().filter(|_| !self.is_first(self.at))?;
        let is_condition = matches!(self.word(first), Tok::Keyword(Keyword::If | Keyword::Elif));
        let wrong = |message: &str, help: &str| self.wrong(self.at, Code::WrongSign, message.into(), help.into());
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

    /// The first word of the line, if it is nearly a keyword that begins a definition, and the line goes on like one.
    fn near_keyword(&self) -> Option<(usize, &'static str)> {
        const KEYWORDS: [&str; 8] =
            ["entity", "implementation", "implement", "typedef", "import", "index", "extends", "elif"];
        let begin = (0..=self.at).rev().find(|at| self.is_first(*at))?;
        let goes_on = matches!(self.word(begin + 1), Tok::Id(_) | Tok::Class(_)) && !self.is_first(begin + 1);
        let word = self.source(begin);
        let is_odd = begin != self.at && goes_on && word.len() > 3 && matches!(self.word(begin), Tok::Id(_));
        let in_entity =
            self.open_blocks().last().is_some_and(|at| matches!(self.word(*at), Tok::Keyword(Keyword::Entity)));
        // A type in an entity looks the same.
        let near = crate::diag::nearest(word, KEYWORDS).filter(|_| is_odd)?;
        (!in_entity || self.at > begin + 2).then_some((begin, near))
    }

    /// A comment of other languages.
    pub(super) fn foreign_comment(&self) -> Option<Advice> {
        let follows =
            |sign: &str| self.text.get(self.place(self.at).range().start..).unwrap_or_default().starts_with(sign);
        let sign = ["//", "/*"].into_iter().find(|sign| follows(sign)).filter(|_| self.is_first(self.at))?;
        let message = format!("a comment begins with `#` in Inmanta, not with `{sign}`");
        Some(self.wrong(self.at, Code::ForeignWord, message, "write `# …`".into()))
    }

    /// A statement that is nearly one of Inmanta: its parts are there, in another order or with other words.
    pub(super) fn neighbouring_statement(&self) -> Option<Advice> {
        let here = self.source(self.at);
        let before = self.at.checked_sub(1)?;
        let first = self.first_word();
        let earlier = |steps: usize| self.at.checked_sub(steps).map_or("", |at| self.source(at));
        let line = self.text[self.place(first).range().start..].lines().next().unwrap_or_default();
        let opener = self.innermost_bracket();
        let is_in = |open: &str| opener.is_some_and(|at| self.source(at) == open);
        let word = |at: usize, message: String, help: String| Some(self.wrong(at, Code::ForeignWord, message, help));
        if self.source(first) == "implement" {
            let words: Vec<&str> = line.split_whitespace().collect();
            if let (["implement", name, "for", entity, ..], "for") = (&words[..], here) {
                let message = "`implement` names the entity first, and the implementation after `using`".to_string();
                let help = format!("write `implement {} using {name}`", entity.trim_end_matches(':'));
                return word(self.at, message, help);
            }
            if let (["implement", entity, "when", rest @ ..], "when") = (&words[..], here)
                && let Some(at) = rest.iter().position(|word| *word == "using")
            {
                let (condition, names) = (rest[..at].join(" "), rest[at + 1..].join(" "));
                let message = "the condition of `implement` is behind its implementations".to_string();
                return word(self.at, message, format!("write `implement {entity} using {names} when {condition}`"));
            }
        }
        if here == "when" && is_in("[") {
            let message = "a comprehension has its condition after `if`".to_string();
            return word(self.at, message, "write `if`".into());
        }
        if matches!(here, "undefined" | "undef" | "null" | "None" | "empty") && earlier(1) == "is" {
            let name = self.text[..self.place(before).range().start].trim_end();
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
            let name = &name[name.trim_end_matches(is_name).len()..];
            let message = format!("`is {here}` is no test of Inmanta");
            return word(self.at, message, format!("write `not {name} is defined`"));
        }
        self.neighbouring_value().or_else(|| self.neighbouring_relation())
    }

    /// A value that is written as in another language.
    fn neighbouring_value(&self) -> Option<Advice> {
        let here = self.source(self.at);
        let before = self.at.checked_sub(1)?;
        let first = self.first_word();
        let earlier = |steps: usize| self.at.checked_sub(steps).map_or("", |at| self.source(at));
        let opener = self.innermost_bracket();
        let is_in = |open: &str| opener.is_some_and(|at| self.source(at) == open);
        let sign = |message: String, help: String| Some(self.wrong(self.at, Code::WrongSign, message, help));
        let joins = |at: usize| self.place(at).end == self.place(at + 1).start;
        if here == ":"
            && joins(before)
            && joins(self.at)
            && matches!(self.word(self.at + 1), Tok::Class(_) | Tok::Id(_))
        {
            let (module, name) = (self.source(before), self.source(self.at + 1));
            return sign(
                "the parts of a name have `::` between them, not `:`".into(),
                format!("write `{module}::{name}`"),
            );
        }
        if here == "." && matches!(self.word(before), Tok::Class(_)) && self.source(first) != "index" {
            let (entity, name) = (self.source(before), self.source(self.at + 1));
            let message = format!("`{entity}` is an entity: only its instances have values");
            return Some(self.wrong(
                self.at,
                Code::ForeignWord,
                message,
                format!("read it from an instance: `INSTANCE.{name}`"),
            ));
        }
        if matches!(here, "," | ")")
            && (first..self.at).any(|at| self.source(at) == "?")
            && !(first..self.at).any(|at| self.source(at) == ":")
        {
            let message = "this condition has a value for true; the value for false is missing".to_string();
            return Some(self.wrong(self.at, Code::MissingSign, message, "write `CONDITION ? VALUE : OTHER`".into()));
        }
        let of_class = opener.and_then(|at| at.checked_sub(1)).filter(|at| matches!(self.word(*at), Tok::Class(_)));
        if here == ","
            && matches!(self.word(before), Tok::Id(_))
            && matches!(earlier(2), "(" | ",")
            && let Some(class) = of_class.filter(|_| is_in("("))
        {
            let (class, value) = (self.source(class), self.source(before));
            let message = format!("an instance of `{class}` takes its values by name");
            return Some(self.wrong(
                before,
                Code::WrongSign,
                message,
                format!("write `ATTRIBUTE={value}`, with the name of the attribute"),
            ));
        }
        // `(a, b)` is no value: no call and no constructor is before the bracket.
        let is_group = |at: usize| !matches!(self.word(at), Tok::Id(_) | Tok::Class(_));
        if here == ","
            && is_in("(")
            && let Some(open) = opener.filter(|at| at.checked_sub(1).is_none_or(is_group))
        {
            let of_text = open.checked_sub(1).is_some_and(|at| self.source(at) == "%");
            let (message, help) = match of_text {
                true => (
                    "`%` divides numbers: it fills in no text".to_string(),
                    "write `\"{{ name }}\"` or `f\"{name}\"`, or `std::format(\"{} {}\", VALUE, VALUE)`".to_string(),
                ),
                false => {
                    let rest = &self.text[self.place(open).range().end..];
                    let values = rest.lines().next().and_then(|line| Some(line.split_once(')')?.0));
                    let help = format!("write `[{}]`", values.unwrap_or("VALUE, VALUE"));
                    ("a list of values is in `[…]`".to_string(), help)
                }
            };
            return Some(self.wrong(open, Code::WrongSign, message, help));
        }
        if matches!(self.tok(), Tok::Compare(_)) && matches!(earlier(1), "and" | "or") {
            let (value, word_before) = (if self.source(first) == "typedef" { "self" } else { "VALUE" }, earlier(1));
            let message = format!("`{word_before}` joins two whole conditions: the left side of `{here}` is missing");
            return Some(self.wrong(
                self.at,
                Code::UnexpectedToken,
                message,
                format!("write `{word_before} {value} {here} …`"),
            ));
        }
        None
    }

    /// A relation, an attribute or a statement of a block that is written as in another language.
    fn neighbouring_relation(&self) -> Option<Advice> {
        let here = self.source(self.at);
        let before = self.at.checked_sub(1)?;
        let first = self.first_word();
        let earlier = |steps: usize| self.at.checked_sub(steps).map_or("", |at| self.source(at));
        let line = self.text[self.place(first).range().start..].lines().next().unwrap_or_default();
        let opener = self.innermost_bracket();
        let is_in = |open: &str| opener.is_some_and(|at| self.source(at) == open);
        let word = |at: usize, message: String, help: String| Some(self.wrong(at, Code::ForeignWord, message, help));
        let sign = |message: String, help: String| Some(self.wrong(self.at, Code::WrongSign, message, help));
        let is_relation = line.contains("--");
        if is_relation && here == "[" && earlier(2) == "." {
            let (ty, name) = (earlier(3), self.source(before));
            if matches!(ty, "string" | "int" | "bool" | "float" | "number" | "dict") {
                let at = self.at.saturating_sub(3);
                let message = format!("`{ty}` is no entity: a relation is between two entities");
                return word(at, message, format!("write `{ty} {name}` as an attribute of the entity"));
            }
        }
        let bracket_of_name =
            opener.and_then(|at| at.checked_sub(1)).filter(|at| matches!(self.word(*at), Tok::Class(_)));
        if is_relation
            && is_in("[")
            && let Some(name) = bracket_of_name.filter(|at| *at == first || here == ":")
        {
            let entity = self.source(name);
            let message = format!("the relation of `{entity}` has no name");
            // The bracket may be open: the numbers are those that are written.
            let written = self.text[self.place(name).range().end..].lines().next().unwrap_or_default();
            let numbers = written.split_once(']').map(|(left, _)| left.trim()).filter(|left| !left.contains("--"));
            let numbers = numbers.map_or("[0:]".into(), |left| format!("{left}]"));
            return Some(self.wrong(name, Code::MissingSign, message, format!("write `{entity}.NAME {numbers}`")));
        }
        if here == "import"
            && self.is_first(self.at)
            && self.open_blocks().last().is_some_and(|at| self.indent(self.at) > self.indent(*at))
        {
            let message = "`import` is no statement of a block".to_string();
            return Some(self.wrong(self.at, Code::Misplaced, message, "move it to the top of the file".into()));
        }
        let in_entity =
            self.open_blocks().last().is_some_and(|at| matches!(self.word(*at), Tok::Keyword(Keyword::Entity)));
        if here == ":" && opener.is_none() && before == first && !in_entity && matches!(self.word(before), Tok::Id(_)) {
            let name = self.source(before);
            let message = "a variable has `=` before its value, not `:`".to_string();
            return sign(message, format!("write `{name} = VALUE`"));
        }
        // `a = b = 1 ? 2 : 3` and `f(a.b = 1 ? 2 : 3)`.
        let behind = self.text[self.span().range().end.min(self.text.len())..].lines().next().unwrap_or_default();
        if here == "=" && (behind.contains(" ? ") || self.source(first) == "implement") {
            let message = "`=` assigns a value and cannot be a condition".to_string();
            return sign(message, "write `==` to compare two values".into());
        }
        if here == "-" && self.is_first(self.at) && matches!(earlier(1), "in" | ":" | "=") {
            let mut items = Vec::new();
            let mut at = self.at;
            while self.source(at) == "-" && self.is_first(at) && items.len() < 8 {
                items.push(self.source(at + 1));
                at += 2;
            }
            let message = "a list is in `[…]`, not in lines with `-`".to_string();
            return sign(message, format!("write `[{}]`", items.join(", ")));
        }
        if here == "," && is_in("(") && self.source(first) == "typedef" {
            let open = opener.unwrap_or(self.at);
            let end =
                self.text[self.place(open).range().start..].find(')').map(|end| self.place(open).range().start + end);
            let values = end.and_then(|end| self.text.get(self.place(open).range().end..end)).unwrap_or("VALUE, VALUE");
            let message = "a list of values is in `[…]`".to_string();
            return Some(self.wrong(open, Code::WrongSign, message, format!("write `[{values}]`")));
        }
        self.neighbouring_attribute()
    }

    /// An attribute that is written as in another language.
    fn neighbouring_attribute(&self) -> Option<Advice> {
        let here = self.source(self.at);
        let before = self.at.checked_sub(1)?;
        let first = self.first_word();
        let word = |at: usize, message: String, help: String| Some(self.wrong(at, Code::ForeignWord, message, help));
        let sign = |message: String, help: String| Some(self.wrong(self.at, Code::WrongSign, message, help));
        let entity =
            self.open_blocks().last().copied().filter(|at| matches!(self.word(*at), Tok::Keyword(Keyword::Entity)));
        // A line at the margin of the entity is outside of it: the `end` is missing.
        let is_inside = |at: usize, entity: usize| self.indent(at) > self.indent(entity);
        if let Some(entity) = entity.filter(|entity| first > *entity + 1) {
            let is_name = |at: usize| matches!(self.word(at), Tok::Id(_));
            // Three names in a line: the word of another language is before the type, or behind the name.
            let lines = (entity + 2..=first).filter(|at| self.is_first(*at) && is_inside(*at, entity));
            for at in lines {
                let has_three = is_name(at) && is_name(at + 1) && is_name(at + 2);
                if has_three
                    && !self.is_first(at + 1)
                    && !self.is_first(at + 2)
                    && !matches!(self.word(at + 1), Tok::Separator)
                {
                    let is_behind =
                        matches!(self.source(at), "string" | "int" | "bool" | "float" | "number" | "list" | "dict");
                    let (at, ty) = if is_behind { (at + 2, at) } else { (at, at + 1) };
                    let (odd, ty, name) = (self.source(at), self.source(ty), self.source(ty + 1));
                    let message = format!("`{odd}` does not belong here: an attribute is its type and its name");
                    return word(at, message, format!("write `{ty} {name}`"));
                }
            }
            if !is_inside(first, entity) {
                return None;
            }
            // `"string" name`: a type has no quotes.
            if let Tok::Str(_) = self.word(first)
                && is_name(first + 1)
                && !self.is_first(first + 1)
            {
                let (ty, name) = (self.source(first).trim_matches(['"', '\'']), self.source(first + 1));
                let message = "a type is written without quotes".to_string();
                return Some(self.wrong(first, Code::WrongSign, message, format!("write `{ty} {name}`")));
            }
            // `string name?` and `string name[]`: the sign belongs to the type.
            if matches!(here, "?" | "[") && before == first + 1 && is_name(first) && is_name(before) {
                let (ty, name) = (self.source(first), self.source(before));
                let mark = if here == "?" { "?" } else { "[]" };
                return sign(
                    format!("`{mark}` belongs to the type, not to the name"),
                    format!("write `{ty}{mark} {name}`"),
                );
            }
            // `name = value` without a type; the line before was complete.
            let is_instance = matches!(self.word(self.at + 1), Tok::Class(_));
            if here == "=" && before == first && is_name(before) && is_instance {
                let message = "an entity declares attributes, and no instances".to_string();
                let help = "move it behind the `end` of the entity".to_string();
                return Some(self.wrong(before, Code::Misplaced, message, help));
            }
            if here == "=" && before == first && is_name(before) {
                let name = self.source(before);
                let ty = match self.word(self.at + 1) {
                    Tok::Int(_) => "int",
                    Tok::Str(_) | Tok::LongStr(_) | Tok::RawStr(_) => "string",
                    Tok::Float(_) => "float",
                    Tok::Keyword(Keyword::True | Keyword::False) => "bool",
                    _ => "TYPE",
                };
                let message = format!("the attribute `{name}` has no type");
                return Some(self.wrong(before, Code::MissingSign, message, format!("write `{ty} {name} = …`")));
            }
        }
        None
    }

    /// A form of other languages within a line, such as `for x of list`.
    pub(super) fn foreign_form(&self) -> Option<Advice> {
        let here = self.source(self.at);
        let before = self.at.checked_sub(1)?;
        let earlier = |steps: usize| self.at.checked_sub(steps).map_or("", |at| self.source(at));
        let first = (0..=self.at).rev().find(|at| self.is_first(*at))?;
        let opener = self.innermost_bracket();
        let is_in = |open: &str| opener.is_some_and(|at| self.source(at) == open);
        let sign = |message: String, help: String| Some(self.wrong(self.at, Code::WrongSign, message, help));
        let word = |message: String, help: String| Some(self.wrong(self.at, Code::ForeignWord, message, help));
        let line = self.text[self.place(first).range().start..].lines().next().unwrap_or_default();
        if here == "," && earlier(2) == "for" && before == first + 1 {
            let (key, value) = (self.source(before), self.source(self.at + 1));
            let message = "a loop has one variable".to_string();
            let help = format!("write `for {value} in LIST`, or `for {key} in std::dict_keys(DICT)`");
            return sign(message, help);
        }
        if here == "not" && earlier(1) == "is" {
            let name = self.text[..self.place(before).range().start].trim_end();
            let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
            let name = &name[name.trim_end_matches(is_name).len()..];
            let help = match self.source(self.at + 1) {
                "defined" => format!("write `not {name} is defined`"),
                _ => format!("write `{name} != VALUE`, or `not {name} is defined`"),
            };
            return word("`not` comes before the whole condition".into(), help);
        }
        if here == "dict" && earlier(1) == "=" || matches!(here, "list" | "dict") && self.source(self.at + 1) == "(" {
            let empty = if here == "list" { "[]" } else { "{}" };
            return word(format!("`{here}(…)` is no value of Inmanta"), format!("write `{empty}`"));
        }
        if matches!(self.tok(), Tok::Class(_)) && self.source(first) == "implementation" && self.at == first + 2 {
            let name = self.source(before);
            let message = "an implementation names its entity after `for`".to_string();
            return word(message, format!("write `implementation {name} for {here}:`"));
        }
        if here == ":" && is_in("(") && matches!(self.word(before), Tok::Id(_)) && matches!(earlier(2), "(" | ",") {
            let name = self.source(before);
            return sign("an argument has `=` before its value, not `:`".into(), format!("write `{name}=VALUE`"));
        }
        let is_value = matches!(self.tok(), Tok::Str(_) | Tok::Int(_) | Tok::Float(_) | Tok::FormatStr(_));
        if is_value
            && is_in("(")
            && matches!(earlier(1), "(" | ",")
            && opener.and_then(|at| at.checked_sub(1)).is_some_and(|at| matches!(self.word(at), Tok::Class(_)))
        {
            let class = opener.map_or("", |at| self.source(at - 1));
            let message = format!("an instance of `{class}` takes its values by name");
            return sign(message, format!("write `ATTRIBUTE={here}`, with the name of the attribute"));
        }
        // A quote inside a text ends it.
        let touches = self.place(before).end == self.span().start;
        if matches!(self.word(before), Tok::Str(_)) && touches && matches!(self.tok(), Tok::Id(_) | Tok::Class(_)) {
            let quote = self.source(before).chars().next_back().unwrap_or('"');
            let other = if quote == '"' { '\'' } else { '"' };
            let end = self.place(before).range().end;
            return Some(Advice {
                code: Code::WrongSign,
                place: Span::new(self.span().file, end - 1, end),
                message: format!("this {quote} ends the string"),
                related: Vec::new(),
                help: format!("write `\\{quote}` for a quote inside it, or put the string into {other}"),
            });
        }
        let own_line = self.text[..self.span().range().start.min(self.text.len())].rfind('\n').unwrap_or(0);
        let line_before = self.text[..own_line].rfind('\n').map_or(0, |at| at + 1);
        if opener.is_none()
            && self.is_first(self.at)
            && !matches!(self.word(before), Tok::Char(b'?'))
            && let Some(mark) = (0..self.at)
                .rev()
                .take_while(|at| self.place(*at).range().start >= line_before && self.source(*at) != ":")
                .find(|at| self.source(*at) == "?")
        {
            let message = "this condition has a value for true; the value for false is missing".to_string();
            let help = "write `CONDITION ? VALUE : OTHER`".to_string();
            return Some(self.wrong(mark, Code::MissingSign, message, help));
        }
        if here == "of" && earlier(2) == "for" {
            let name = self.source(before);
            return word("a loop names its list after `in`".into(), format!("write `for {name} in LIST`"));
        }
        if here == "with" && self.source(first) == "implement" {
            return word("`implement` names implementations after `using`".into(), "write `using`".into());
        }
        if here == "of" && self.source(first) == "implementation" {
            return word("an implementation names its entity after `for`".into(), "write `for`".into());
        }
        if here == "." && self.source(first) == "import" {
            let name = line.trim_start_matches("import").trim().replace('.', "::");
            let message = "the parts of a module's name are separated by `::`, not by `.`".to_string();
            return sign(message, format!("write `import {name}`"));
        }
        if here == "(" && self.source(first) == "entity" && before == first + 1 {
            let name = self.source(before);
            let parent = self.source(self.at + 1);
            let parent = if parent == ")" { "PARENT" } else { parent };
            return sign(
                "an entity names its parents after `extends`, not in `(…)`".into(),
                format!("write `entity {name} extends {parent}:`"),
            );
        }
        let is_attribute = earlier(1) == "=" && self.at == first + 3;
        if here == "{" && is_attribute && matches!(self.word(first), Tok::Id(_)) {
            let name = self.source(first + 1);
            let ty = self.source(first);
            let message = format!("`{ty}` has no dictionary as its default, only an attribute of type `dict` has one");
            return Some(self.wrong(first, Code::TypeMismatch, message, format!("write `dict {name} = {{…}}`")));
        }
        self.foreign_bracket(first)
    }

    /// A value in brackets, a method, a condition or a comment written as in other languages, in a statement from `first`.
    fn foreign_bracket(&self, first: usize) -> Option<Advice> {
        let here = self.source(self.at);
        let before = self.at.checked_sub(1)?;
        let opener = self.innermost_bracket();
        let is_in = |open: &str| opener.is_some_and(|at| self.source(at) == open);
        let sign = |message: String, help: String| Some(self.wrong(self.at, Code::WrongSign, message, help));
        let line = self.text[self.place(first).range().start..].lines().next().unwrap_or_default();
        let is_relation = line.contains("--") || line.contains("->") || line.contains("<-");
        if is_in("[")
            && is_relation
            && (matches!(here, "*" | "." | "," | "n" | "N") || matches!(self.tok(), Tok::Id(_) | Tok::Float(_)))
        {
            let open = opener.map_or(0, |at| self.place(at).range().end);
            let written = self.text[open..].split(']').next().unwrap_or_default();
            let bounds = written.replace("..", ":").replace(',', ":").replace(['*', 'n', 'N', ' '], "");
            let bounds = match bounds.as_str() {
                "" => "0:".to_string(),
                bounds => bounds.to_string(),
            };
            let message = format!(
                "`[{written}]` is no multiplicity: it has a lower bound, `:` and an upper bound, or no upper one"
            );
            return sign(message, format!("write `[{bounds}]`"));
        }
        if is_in("{") && here == "=" && matches!(self.word(before), Tok::Str(_)) && self.source(self.at + 1) != ">" {
            let key = self.source(before);
            let message = "a dictionary has `:` between a key and its value, not `=`".to_string();
            return sign(message, format!("write `{key}: VALUE`"));
        }
        if here == "for" && self.source(before) == "[" {
            let name = self.source(self.at + 1);
            let rest = &self.text[self.place(self.at + 3).range().start..];
            let list = rest.split([':', '\n']).next().unwrap_or_default().trim();
            let is_closed = list.matches('[').count() >= list.matches(']').count();
            let list = if is_closed { list } else { list.trim_end_matches(']') };
            let message = "the value of a comprehension comes before its `for`".to_string();
            return sign(message, format!("write `[{name} for {name} in {list}]`"));
        }
        if here == "*" && is_in("(") && matches!(self.source(before), "(" | ",") {
            let name = self.source(self.at + 1);
            let message = "a dictionary of arguments has two stars".to_string();
            return sign(message, format!("write `**{name}`"));
        }
        let has_else = || {
            self.text[self.place(self.at).range().start..].lines().next().is_some_and(|rest| rest.contains(" else "))
        };
        if here == "if" && !self.is_first(self.at) && self.source(before) != "else" && !is_in("[") && has_else() {
            let message = "a conditional value is written with `?` and `:`, not with `if` and `else`".to_string();
            return Some(self.wrong(self.at, Code::ForeignWord, message, "write `CONDITION ? VALUE : OTHER`".into()));
        }
        if is_in("{") && here == "=" && self.source(self.at + 1) == ">" {
            let key = self.source(before);
            let message = "a dictionary has `:` between a key and its value, not `=>`".to_string();
            return sign(message, format!("write `{key}: VALUE`"));
        }
        if is_in("{") && matches!(self.tok(), Tok::Id(_) | Tok::Class(_)) && matches!(self.source(before), "{" | ",") {
            return sign("a key of a dictionary is a text in quotes".into(), format!("write `\"{here}\": VALUE`"));
        }
        if here == "." && matches!(self.word(before), Tok::Str(_) | Tok::Char(b')' | b']')) {
            let name = self.source(self.at + 1);
            let message = "a value has no methods; a plugin takes it as an argument".to_string();
            let help = match name {
                "each" | "map" | "forEach" | "foreach" | "filter" => {
                    "write `for NAME in LIST:`, or `[VALUE for NAME in LIST]`".to_string()
                }
                _ if !name.starts_with(|c: char| c.is_alphabetic()) => "write `+` to join two texts".to_string(),
                _ => format!("write `std::{name}(VALUE, …)`, or give the value a name first"),
            };
            return sign(message, help);
        }
        let has = |word: &str| (first..self.at).any(|at| self.source(at) == word);
        if here == "else" && !self.is_first(self.at) && (has("if") || has("then")) {
            let message = "a conditional value is written with `?` and `:`, not with `if` and `else`".to_string();
            return Some(self.wrong(self.at, Code::ForeignWord, message, "write `CONDITION ? VALUE : OTHER`".into()));
        }
        if matches!(here, "/" | "*" | "**") && self.source(before) == "/" && self.is_first(before) {
            let message = format!("a comment begins with `#` in Inmanta, not with `/{here}`");
            return Some(self.wrong(before, Code::ForeignWord, message, "write `# …`".into()));
        }
        None
    }

    /// An attribute written as in other languages: `name: type`, or with a sign at its end.
    pub(super) fn foreign_statement(&self) -> Option<Advice> {
        let open = self.open_blocks();
        let in_entity = open.last().is_some_and(|at| matches!(self.word(*at), Tok::Keyword(Keyword::Entity)));
        let before = self.at.checked_sub(1)?;
        let first = (0..=self.at).rev().find(|at| self.is_first(*at)).unwrap_or(self.at);
        let generic = self.source(first);
        if in_entity
            && self.at <= first + 2
            && self.source(first + 1) == "["
            && self.source(first + 3) == "]"
            && matches!(generic, "Optional" | "List" | "list" | "Set" | "set" | "Sequence" | "Array" | "array")
        {
            let (inner, name) = (self.source(first + 2), self.source(first + 4));
            let sign = if generic == "Optional" { "?" } else { "[]" };
            let message = format!("`{generic}[{inner}]` is no type of Inmanta");
            return Some(self.wrong(first, Code::ForeignWord, message, format!("write `{inner}{sign} {name}`")));
        }
        if in_entity && self.is_char(b':') && self.is_first(before) && matches!(self.word(before), Tok::Id(_)) {
            let (name, ty) = (self.source(before), self.source(self.at + 1));
            let message = "an attribute has its type before its name, without `:`".to_string();
            return Some(self.wrong(self.at, Code::WrongSign, message, format!("write `{ty} {name}`")));
        }
        let here = self.source(self.at);
        if here == ";" {
            let message = "`;` ends no statement in Inmanta".to_string();
            return Some(self.wrong(self.at, Code::ForeignWord, message, "remove `;`".into()));
        }
        if here == "{" && self.line_before().is_some_and(|first| self.opens_block(first)) {
            let message = "a block has no braces in Inmanta".to_string();
            let help = "end this line with `:`, and the block with `end`".to_string();
            return Some(self.wrong(self.at, Code::WrongSign, message, help));
        }
        let follows =
            |sign: &str| self.text.get(self.place(self.at).range().start..).unwrap_or_default().starts_with(sign);
        let starts_comment = (follows("//") || follows("/*")) && self.is_first(self.at);
        if starts_comment || here == "/" && self.is_first(self.at) {
            let sign = if follows("/*") { "/*" } else { "//" };
            let message = format!("a comment begins with `#` in Inmanta, not with `{sign}`");
            return Some(self.wrong(self.at, Code::ForeignWord, message, "write `# …`".into()));
        }
        // `=` and `>` are two words.
        if here == ">" && self.source(before) == "=" && self.place(before).end == self.span().start {
            let name = before.checked_sub(1).map_or("NAME", |at| self.source(at));
            let message = "`=>` sets no argument in Inmanta".to_string();
            return Some(self.wrong(before, Code::WrongSign, message, format!("write `{name}=VALUE`")));
        }
        if matches!(self.tok(), Tok::Compare(Compare::Equal)) && self.innermost_bracket().is_some() {
            let name = self.source(before);
            let message = "`==` sets no argument".to_string();
            let is_argument = matches!(self.word(before), Tok::Id(_));
            return is_argument.then(|| self.wrong(self.at, Code::WrongSign, message, format!("write `{name}=VALUE`")));
        }
        None
    }
}
