//! Explains a syntax error: what is missing or foreign, where that began, and what to write instead.
//!
//! Runs only after the parser failed. It reads the words before the failure and the one at it.

use super::Parser;
use crate::diag::Code;
use crate::lang::inmanta::error::Raise;
use crate::lang::inmanta::token::{Compare, Keyword, Tok};
use crate::lang::shared::words::foreign_character;
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
const FOREIGN_WORDS: [(&str, &str); 18] = [
    ("implements", "implement ENTITY using IMPLEMENTATION"),
    ("new", "ENTITY(ATTRIBUTE=VALUE)"),
    ("elsif", "elif CONDITION:"),
    ("elseif", "elif CONDITION:"),
    ("foreach", "for NAME in LIST:"),
    ("while", "for NAME in LIST:"),
    ("unless", "if not CONDITION:"),
    ("switch", "if CONDITION:"),
    ("def", "implementation NAME for ENTITY:"),
    ("function", "implementation NAME for ENTITY:"),
    ("func", "implementation NAME for ENTITY:"),
    ("class", "entity NAME:"),
    ("type", "typedef NAME as TYPE matching CONDITION"),
    ("struct", "entity NAME:"),
    ("interface", "entity NAME:"),
    ("include", "import MODULE"),
    ("let", "NAME = VALUE"),
    ("var", "NAME = VALUE"),
];

/// Values of other languages with the value of Inmanta.
const FOREIGN_VALUES: [(&str, &str); 5] =
    [("None", "null"), ("nil", "null"), ("undef", "null"), ("True", "true"), ("False", "false")];

/// How many characters of the text an explanation repeats.
const SHOWN: usize = 400;

/// The first of many words, with `…` for the rest.
fn listed(words: &[&str], between: &str) -> String {
    const MOST: usize = 8;
    let rest = (words.len() > MOST).then_some("…");
    words.iter().take(MOST).copied().chain(rest).collect::<Vec<_>>().join(between)
}

impl Parser<'_> {
    /// Adds to a syntax error at the word at hand what is wrong and how to repair it.
    pub(super) fn explain(&self, mut raise: Box<Raise>) -> Box<Raise> {
        let advice = self
            .foreign_character()
            .or_else(|| self.foreign_sign())
            .or_else(|| self.word_behind_end())
            .or_else(|| self.swallowing_string())
            .or_else(|| self.unclosed_string())
            .or_else(|| self.foreign_word())
            .or_else(|| self.foreign_form())
            .or_else(|| self.foreign_sign_of_two())
            .or_else(|| self.foreign_statement())
            .or_else(|| self.broken_attribute())
            .or_else(|| self.broken_relation())
            .or_else(|| self.reserved_name(&raise.message))
            .or_else(|| self.missing_colon())
            .or_else(|| self.incomplete_implement())
            .or_else(|| self.missing_end())
            .or_else(|| self.bracket())
            .or_else(|| self.behind_else())
            .or_else(|| self.form().filter(|_| !matches!(self.tok(), Tok::Bad(_))));
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

    /// A sign of other languages that is two words here.
    fn foreign_sign_of_two(&self) -> Option<Advice> {
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

    /// `end if`: the word behind `end` begins another statement.
    fn word_behind_end(&self) -> Option<Advice> {
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
    fn behind_else(&self) -> Option<Advice> {
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

    /// The first word of the statement at hand.
    fn first_word(&self) -> usize {
        (0..=self.at).rev().find(|at| self.is_first(*at)).unwrap_or(self.at)
    }

    /// A line of an entity that is no attribute.
    fn broken_attribute(&self) -> Option<Advice> {
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

    /// `implement A` without what is behind `using`.
    fn incomplete_implement(&self) -> Option<Advice> {
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

    /// The form of the statement at hand, with the names that it has.
    fn form(&self) -> Option<Advice> {
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
        let at = at.min(self.tokens.len() - 1);
        let Some(before) = at.checked_sub(1) else { return true };
        let gap = self.text.as_bytes().get(self.place(before).range().end..self.place(at).range().start);
        gap.is_some_and(|gap| gap.contains(&b'\n'))
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

    fn wrong(&self, at: usize, code: Code, message: String, help: String) -> Advice {
        Advice { code, place: self.place(at), message, related: Vec::new(), help }
    }

    /// A quote or a blank that a word processor wrote.
    fn foreign_character(&self) -> Option<Advice> {
        let here = self.source(self.at).chars().next()?;
        let (message, help) = foreign_character(here)?;
        Some(self.wrong(self.at, Code::UnknownCharacter, message, help))
    }

    /// A text of several lines with a word directly behind it: its own end is missing, and it ends at the beginning of
    /// the next one.
    fn swallowing_string(&self) -> Option<Advice> {
        let at = (0..self.at).rev().take(400).find(|at| {
            let source = self.source(*at);
            let is_long = matches!(self.word(*at), Tok::LongStr(_)) && source.starts_with("\"\"\"");
            let behind = self.text.get(self.place(*at).range().end..).unwrap_or_default();
            let next = behind.trim_start_matches([' ', '\t']).chars().next();
            is_long && source.contains('\n') && next.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })?;
        let range = self.place(at).range();
        Some(Advice {
            code: Code::UnterminatedString,
            place: Span::new(self.place(at).file, range.start, range.start + 3),
            message: "the text that begins here has no closing `\"\"\"`".into(),
            related: vec![(self.span(), "the text after the next `\"\"\"` is read as code".into())],
            help: "add `\"\"\"` where the text ends".into(),
        })
    }

    /// A form of other languages within a line, such as `for x of list`.
    fn foreign_form(&self) -> Option<Advice> {
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
            return sign(message, format!("write `std::{name}(VALUE, …)`, or give the value a name first"));
        }
        if here == "else" && !self.is_first(self.at) && (first..self.at).any(|at| self.source(at) == "if") {
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
    fn foreign_statement(&self) -> Option<Advice> {
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

    /// A relation in the syntax of another version, or without its numbers.
    fn broken_relation(&self) -> Option<Advice> {
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

    /// A keyword that is used as a name.
    fn reserved_name(&self, message: &str) -> Option<Advice> {
        let word = message.strip_prefix("Syntax error: invalid identifier, ")?.split(' ').next()?;
        // A keyword that begins a line begins a statement: the one before is not complete.
        if word != self.source(self.at) || self.is_first(self.at) {
            return None;
        }
        let message = format!("`{word}` is a reserved word and cannot be a name");
        Some(self.wrong(self.at, Code::InvalidName, message, format!("choose another name, such as `{word}_name`")))
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
        let rest = self.text.get(self.span().range().start..).unwrap_or_default();
        if quote == "\"\"" && rest.starts_with("\"\"\"") && !rest[3..].contains("\"\"\"") {
            let start = self.span().range().start;
            return Some(Advice {
                code: Code::UnterminatedString,
                place: Span::new(self.span().file, start, start + 3),
                message: "the text that begins here has no closing `\"\"\"`".into(),
                related: Vec::new(),
                help: "add `\"\"\"` where the text ends".into(),
            });
        }
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
            if let Some((foreign, ours)) = FOREIGN_VALUES.iter().find(|(foreign, _)| *foreign == self.source(at)) {
                let message = format!("`{foreign}` is not a word of Inmanta");
                return Some(advice(at, message, format!("write `{ours}`")));
            }
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
        if is_end {
            return None;
        }
        let at = open.last().filter(|_| self.innermost_bracket().is_none())?;
        // In an entity `A.b` and `implement` begin what is outside of it.
        let is_entity = matches!(self.word(*at), Tok::Keyword(Keyword::Entity));
        let begin = (0..=self.at).rev().find(|at| self.is_first(*at)).unwrap_or(self.at);
        let is_outside = is_entity && self.indent(begin) <= self.indent(*at) && begin > *at;
        if !is_definition && !is_outside && !matches!(self.tok(), Tok::End) {
            return None;
        }
        // The outermost block with an indented block after it is complete; one at the margin of the next is not.
        let same = open.iter().rev().find(|at| self.indent(**at) >= self.indent(begin));
        let at = if is_definition && !is_entity { same.unwrap_or(at) } else { at };
        let name = self.block_name(*at);
        Some(Advice {
            code: Code::UnclosedBracket,
            place: self.place(*at),
            message: format!("{name} of line {} has no `end` before {}", self.line(*at), self.quoted()),
            related: vec![(self.shown_place(), "found here".into())],
            help: format!("add `end` after the last line of {name}"),
        })
    }

    /// The place of the word at hand; the last character at the end of the file.
    fn shown_place(&self) -> Span {
        match self.tok() {
            Tok::End => {
                let end = self.text.trim_end().len();
                Span::new(self.span().file, end.saturating_sub(1), end)
            }
            _ => self.span(),
        }
    }

    /// The width of the blanks before the first word of a word's line.
    fn indent(&self, at: usize) -> usize {
        let start = self.place(at).range().start.min(self.text.len());
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = &self.text[line..];
        line.len() - line.trim_start_matches([' ', '\t']).len()
    }

    fn unclosed(&self, open: usize, wanted: char) -> Advice {
        Advice {
            code: Code::UnclosedBracket,
            place: self.place(open),
            message: format!(
                "this `{}` is not closed: found {} before its `{wanted}`",
                self.source(open),
                self.quoted()
            ),
            related: vec![(self.shown_place(), "found here".into())],
            help: format!("add `{wanted}` before {}", self.quoted()),
        }
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
            return Some(self.unclosed(open, wanted));
        }
        // `name = …` or `a::B(…)` on a line of its own begins another statement.
        let begin = (0..=self.at).rev().find(|at| self.is_first(*at)).unwrap_or(self.at);
        let begins_call = matches!(self.word(begin + 1), Tok::Separator) && begin > open;
        let is_outside = self.indent(begin) <= self.indent(open);
        if begins_call && is_outside {
            return Some(self.unclosed(open, wanted));
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
        let is_statement = self.is_first(self.at)
            && self.indent(self.at) <= self.indent(open)
            && matches!(self.word(self.at + 1), Tok::Char(b'=') | Tok::Separator);
        if is_statement {
            return Some(self.unclosed(open, wanted));
        }
        Some(Advice {
            code: Code::CommaNeeded,
            place: self.place(self.at - 1),
            message: format!("a comma is missing after this, before {}", self.quoted()),
            related: vec![(self.span(), "the next element begins here".into())],
            help: format!("write a comma after `{}`", self.source(self.at - 1)),
        })
    }
}
