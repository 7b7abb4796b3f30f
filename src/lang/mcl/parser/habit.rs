//! Habits of other languages: help for programs written like one of them.

use super::{Failed, Parser};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::builtin::{Function, functions};
use crate::lang::mcl::habit;
use crate::lang::mcl::lexer::{Token, TokenKind as T};
use crate::source::Span;

impl Parser<'_> {
    /// The habit of another language at the current token, and the mcl equivalent.
    #[cold]
    pub(super) fn habit(&self) -> Option<String> {
        let token = self.token();
        let text = self.slice(token);
        let last = self.last();
        if last.kind == T::Str && self.slice(last).contains("\\\\\"") {
            return Some("a string cannot end with a backslash: it escapes the closing quote".into());
        }
        if matches!(token.kind, T::Capitalized | T::Minus) && self.is_in_word() {
            let name = habit::plain_name(self.word_around());
            return Some(format!("names have lower-case letters, digits and `_`: `{name}`"));
        }
        let is_close = last.end == token.start;
        if token.kind == T::Capitalized
            && let Some((first, second)) = self.line_begin()
            && (first.kind, second.kind) == (T::Ident, T::OpenBrack)
        {
            let name = self.slice(first);
            let kind: String = name.chars().take(1).flat_map(char::to_uppercase).chain(name.chars().skip(1)).collect();
            return Some(format!("a reference to a resource begins with a capital letter: `{kind}[\"NAME\"]`"));
        }
        if token.kind == T::Dollar && last.kind == T::Func {
            return Some("a function's name has no `$`: `func name($x) { ... }`".into());
        }
        if token.kind == T::Equals && is_equal(self.slice(last)) && last.end == token.start {
            return Some("write `==` to compare: there is no `===`".into());
        }
        if token.kind == T::Rocket && self.line_begin().is_some_and(|(first, _)| first.kind == T::Capitalized) {
            return Some("an edge is written with `->`: `Kind[\"a\"] -> Kind[\"b\"]`".into());
        }
        if let Some(help) = self.type_habit(token, text, last).or_else(|| self.sign_habit(token, last)) {
            return Some(help);
        }
        let is_type = matches!(token.kind, T::Bool | T::StrType | T::IntType | T::FloatType);
        if is_type && self.peek(1) == T::Dollar {
            let name = self.tokens.get(self.at + 2).map_or("name", |name| self.slice(*name));
            return Some(format!("a type follows its name: `${name} {text}`"));
        }
        if token.kind == T::Dollar && last.kind == T::Include {
            let name = self.tokens.get(self.at + 1).map_or("name", |name| self.slice(*name));
            return Some(format!("a class's name has no `$`: `include {name}`"));
        }
        if token.kind == T::Rocket && self.innermost() == Some(T::OpenBrack) {
            return Some("a map is in braces: `{\"key\" => value}`".into());
        }
        let is_value = matches!(self.peek(1), T::Str | T::Dollar | T::OpenBrack | T::Int | T::True | T::False);
        if token.kind == T::Ident
            && last.kind == T::CloseCurly
            && let Some(help) = habit::statement(text).filter(|help| *help == habit::ELSE_IF)
        {
            return Some(help.into());
        }
        if token.kind == T::Ident && is_value && self.peek(2) != T::OpenCurly && self.innermost() == Some(T::OpenCurly)
        {
            return Some(format!("a field has an arrow before its value: `{text} => value,`"));
        }
        if token.kind == T::Int && last.kind == T::Dot && is_close {
            let name =
                self.at.checked_sub(2).and_then(|at| self.tokens.get(at)).map_or("list", |name| self.slice(*name));
            return Some(format!("an element of a list is in square brackets: `${name}[{text}]`"));
        }
        if token.kind == T::Rocket && last.kind == T::CloseParen {
            return Some("a function as a value is `func($x) { ... }`".into());
        }
        if token.kind == T::Include && last.kind == T::Equals {
            return Some("`include` is a statement; `include name(...) as alias` gives its variables a name".into());
        }
        let help = match token.kind {
            T::Dot if self.peek(1) == T::Int || last.kind == T::Int && is_close => {
                "a float needs digits on both sides of the point: `1.0`, `0.5`"
            }
            kind if kind.is_name() && is_close && matches!(last.kind, T::Int | T::Float) => {
                "only decimal numbers are allowed, without suffix: `1000.0`, `255`"
            }
            T::Int | T::Float if text.starts_with('-') => "to subtract, put a space after the minus: `$a - 1`",
            T::Minus => "only number literals can have a minus sign; write `0 - $x`",
            T::Divide if self.peek(1) == T::Divide || self.peek(1) == T::Multiply || last.kind == T::Divide => {
                "comments start with `#`"
            }
            T::Dollar if self.peek(1).is_keyword() => "this is a reserved word; use another name",
            T::Else => "`else` must be on the line of the closing brace: `} else {`",
            kind if kind.is_keyword() && last.kind == T::Dollar => "this is a reserved word; use another name",
            T::Equals if self.is_after_if() => "`=` defines a variable; use `==` to compare",
            T::Colon if self.peek(1) == T::Equals => "`:=` is written `=`",
            T::Dot if last.kind == T::Str => "join strings with `+`",
            T::Dot => "only names contain dots; for a struct field use `->name`",
            T::Lt if self.peek(1) == T::Lt => "a string can span several lines between its quotes",
            T::Capitalized if self.peek(1) == T::OpenBrack => {
                "a resource is not a value: it is only allowed in edges, `Before`, `Depend`, `Notify` and `Listen`, where the \
                name can be a list: `Depend => File[[\"/a\", \"/b\"]],`"
            }
            T::Capitalized => habit::value(text)?,
            T::Newline if matches!(last.kind, T::Equals | T::Rocket | T::Plus | T::And | T::Or | T::Comma) => {
                "the value must start on the same line; only brackets can span several lines"
            }
            _ => return None,
        };
        Some(help.to_string())
    }

    /// A type as other languages write it.
    fn type_habit(&self, token: Token, text: &str, last: Token) -> Option<String> {
        let after = |distance: usize| self.tokens.get(self.at + distance).map_or("", |token| self.slice(*token));
        let is_type = |kind: T| matches!(kind, T::Bool | T::StrType | T::IntType | T::FloatType | T::Struct | T::Map);
        let before = |distance: usize| self.at.checked_sub(distance).and_then(|at| self.tokens.get(at));
        let is_name = last.kind.is_name() && before(2).is_some_and(|sigil| sigil.kind == T::Dollar);
        if token.kind == T::OpenBrack && last.kind == T::Map {
            return Some(format!("a map type is `map{{{}: {}}}`", after(1), after(3)));
        }
        if token.kind == T::OpenBrack && self.peek(1) == T::CloseBrack && is_type(last.kind) {
            return Some(format!("the brackets of a list type come first: `[]{}`", self.slice(last)));
        }
        if token.kind == T::Ident && self.peek(1) == T::OpenBrack && is_type(self.peek(2)) && habit::ty(text).is_some()
        {
            return Some(format!("a list type is `[]{}`", after(2)));
        }
        if token.kind == T::Colon && is_name && (is_type(self.peek(1)) || self.peek(1) == T::OpenBrack) {
            return Some(format!("a type follows its name without a colon: `${} {}`", self.slice(last), after(1)));
        }
        if matches!(token.kind, T::Capitalized | T::Ident) && is_name && habit::plain_type(text).is_some() {
            let (name, ty) = (self.slice(last), habit::plain_type(text).unwrap_or_default());
            let ty = if ty == "[]str" && self.peek(1) == T::Lt { format!("[]{}", after(2)) } else { ty.to_string() };
            return Some(format!("types are `bool`, `str`, `int`, `float`, `[]str` and others: `${name} {ty}`"));
        }
        if text == "x"
            && matches!(last.kind, T::Ident | T::Int | T::CloseParen)
            && last.end < token.start
            && self.peek(1) == T::Int
        {
            return Some(format!("to multiply, write `*`: `* {}`", after(1)));
        }
        if token.kind == T::Arrow && last.kind == T::CloseParen && is_type(self.peek(1)) {
            return Some(format!("the type of the result follows without `->`: `) {} {{ ... }}`", after(1)));
        }
        // `fn($x str)` is read as a call.
        if is_type(token.kind) && is_name {
            let mut line = (1..self.at).rev().take_while(|at| self.tokens[*at].kind != T::Newline);
            let word =
                line.find(|at| self.tokens[*at].kind == T::OpenParen).map_or("", |at| self.slice(self.tokens[at - 1]));
            if matches!(word, "fn" | "function" | "lambda" | "fun" | "def") {
                return Some(format!("`{word}` is written `func`: `func(${} {text}) {{ ... }}`", self.slice(last)));
            }
        }
        None
    }

    /// A sign as other languages write it: of edges, of meta parameters, of the arguments of an `include`.
    fn sign_habit(&self, token: Token, last: Token) -> Option<String> {
        let (first, second) = self.line_begin()?;
        let is_edge = first.kind == T::Capitalized && last.kind == T::CloseBrack;
        if is_edge && token.kind == T::Lt {
            return Some("an edge points to the right: `Kind[\"first\"] -> Kind[\"second\"]`".into());
        }
        if is_edge && token.kind == T::Minus {
            return Some("an edge is written with `->`: `Kind[\"a\"] -> Kind[\"b\"]`".into());
        }
        if token.kind == T::Dot && self.slice(last) == "Meta" {
            let name = self.tokens.get(self.at + 1).map_or("name", |name| self.slice(*name));
            return Some(format!("a meta parameter has a colon before its name: `Meta:{name} => ...`"));
        }
        let is_value = matches!(token.kind, T::Str | T::Dollar | T::OpenBrack | T::Int);
        let name = self.text.get(second.start as usize..token.start as usize).unwrap_or_default().trim();
        if token.kind == T::Dollar && last.kind == T::As {
            let name = self.tokens.get(self.at + 1).map_or("name", |name| self.slice(*name));
            return Some(format!("an alias has no `$`: `as {name}`"));
        }
        if last.kind == T::Lt && token.kind == T::Gt && last.end == token.start {
            return Some("`<>` is written `!=`".into());
        }
        let is_plain = last.kind.is_name() && self.at > 1 && self.tokens[self.at - 2].kind == T::Dollar;
        if token.kind == T::Rocket && is_plain && self.peek(1).is_name() && last.end == token.start {
            let field = self.tokens.get(self.at + 1).map_or("field", |name| self.slice(*name));
            return Some(format!("a field is read with `->`: `${}->{field}`", self.slice(last)));
        }
        if token.kind == T::Comma && first.kind == T::Ident && second.kind == T::Str && last.start == second.start {
            let next = self.tokens.get(self.at + 1).map_or("\"b\"", |name| self.slice(*name));
            return Some(format!(
                "several names are a list: `{} [{}, {next}] {{`",
                self.slice(first),
                self.slice(second)
            ));
        }
        if first.kind == T::Include && is_value && second.start < token.start && !name.contains(['(', ' ']) {
            return Some(format!("the arguments are in parentheses: `include {name}(...)`"));
        }
        None
    }

    /// The help for a `(` that begins no call: a list in parentheses, or a call as a statement.
    pub(super) fn not_a_call(&self, open: Token) -> Option<String> {
        if self.slice(open) != "(" || self.kind() != T::Comma {
            return None;
        }
        let at = self.tokens.iter().position(|token| token.start == open.start)?;
        let before = at.checked_sub(1).and_then(|at| self.tokens.get(at))?;
        let is_first = at.checked_sub(2).and_then(|at| self.tokens.get(at)).is_none_or(|t| t.kind == T::Newline);
        match before.kind {
            T::Ident if is_first => {
                let name = self.slice(*before);
                Some(format!("a statement is no call: write `include {name}(…)` for a class, or `$x = {name}(…)`"))
            }
            T::Equals | T::Rocket | T::Comma | T::OpenBrack => Some("a list is in square brackets: `[1, 2]`".into()),
            _ => None,
        }
    }

    /// The closing brace above an `else` that begins a line.
    pub(super) fn brace_above_else(&self) -> Option<Token> {
        let mut before = self.tokens[..self.at].iter().rev();
        let newlines = before.by_ref().take_while(|token| token.kind == T::Newline).count();
        let brace = self.tokens[..self.at - newlines].last()?;
        (self.kind() == T::Else && newlines > 0 && brace.kind == T::CloseCurly).then_some(*brace)
    }

    /// The first closing brace before the current token, or that itself, which is indented more than the line that it closes.
    pub(super) fn deeper_brace(&self) -> Option<Token> {
        let indent = |token: &Token| {
            let start = self.text[..token.start as usize].rfind('\n').map_or(0, |at| at + 1);
            let line = &self.text[start..];
            let width = line.len() - line.trim_start_matches([' ', '\t']).len();
            (width, start + width == token.start as usize)
        };
        let mut open: Vec<usize> = Vec::new();
        self.tokens[..=self.at.min(self.tokens.len() - 1)].iter().copied().find(|token| match token.kind {
            T::OpenCurly => {
                open.push(indent(token).0);
                false
            }
            T::CloseCurly => {
                let (width, is_first) = indent(token);
                open.pop().is_some_and(|begin| is_first && width > begin)
            }
            _ => false,
        })
    }

    /// The bracket that is open at the current token.
    fn innermost(&self) -> Option<T> {
        let mut closed = 0_usize;
        for token in self.tokens[..self.at].iter().rev() {
            match token.kind {
                T::CloseCurly | T::CloseParen | T::CloseBrack => closed += 1,
                T::OpenCurly | T::OpenParen | T::OpenBrack if closed == 0 => return Some(token.kind),
                T::OpenCurly | T::OpenParen | T::OpenBrack => closed -= 1,
                _ => {}
            }
        }
        None
    }

    /// The first two tokens of the current line.
    fn line_begin(&self) -> Option<(Token, Token)> {
        let start = self.tokens[..self.at].iter().rposition(|token| token.kind == T::Newline).map_or(0, |at| at + 1);
        Some((*self.tokens.get(start)?, *self.tokens.get(start + 1)?))
    }

    /// Whether an `if` on this line has no body yet.
    fn is_after_if(&self) -> bool {
        let before = self.tokens[..self.at].iter().rev().map(|token| token.kind);
        before.take_while(|kind| !matches!(kind, T::Newline | T::OpenCurly)).any(|kind| kind == T::If)
    }

    /// Whether a statement must start here, so that a bracket before it was left open.
    pub(super) fn is_statement_ahead(&self) -> bool {
        match self.kind() {
            T::Class | T::Include | T::Import | T::For | T::ForKv | T::Panic => true,
            T::Func => self.peek(1).is_name(),
            T::Dollar => self.peek(1).is_name() && self.peek(2) == T::Equals,
            T::Ident => {
                let mut ahead = 1;
                while self.peek(ahead) == T::Colon && self.peek(ahead + 1).is_name() {
                    ahead += 2;
                }
                self.peek(ahead) == T::Str
            }
            _ => false,
        }
    }

    /// Whether the token is inside of a word of another language: `maxWorkers`, `max-workers`, `$Workers`.
    fn is_in_word(&self) -> bool {
        let (token, last) = (self.token(), self.last());
        let is_close = last.end == token.start;
        match token.kind {
            T::Minus => {
                is_close
                    && last.kind == T::Ident
                    && self.tokens.get(self.at + 1).is_some_and(|next| next.kind.is_name() && next.start == token.end)
            }
            _ => is_close && (last.kind.is_name() || matches!(last.kind, T::Dollar | T::Dot | T::Arrow)),
        }
    }

    /// Letters, digits, dashes and underscores around the current token.
    fn word_around(&self) -> &str {
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let (bytes, at) = (self.text.as_bytes(), self.token().start as usize);
        let start = at - bytes[..at].iter().rev().take_while(|b| is_part(b)).count();
        let end = at + bytes[at..].iter().take_while(|b| is_part(b)).count();
        &self.text[start..end]
    }

    /// The text before the current token, if it spans lines up to this one.
    pub(super) fn open_quote(&self) -> Option<Span> {
        let (token, last) = (self.token(), self.last());
        // Nothing is before the first token.
        let between = self.text.get(last.end as usize..token.start as usize)?;
        let is_open = last.kind == T::Str
            && self.slice(last).contains('\n')
            && !between.contains('\n')
            && token.kind != T::Newline;
        // The words behind a quote may fit at first: `"… file "/etc/motd" {`.
        let begin = self.tokens[..self.at].iter().rposition(|token| token.kind == T::Newline).map_or(0, |at| at + 1);
        let swallows = |pair: &&[Token]| {
            let is_long = pair[0].kind == T::Str && self.slice(pair[0]).contains('\n');
            is_long && pair[0].end == pair[1].start && continues_text(pair[1].kind)
        };
        let earlier = self.tokens[begin..=self.at.min(self.tokens.len() - 1)].windows(2).find(swallows);
        let quote = if is_open { Some(last) } else { earlier.map(|pair| pair[0]) };
        quote.map(|quote| Span { end: quote.start + 1, ..self.span(quote) })
    }

    /// A string over several lines with a name directly behind it: its own end is probably missing.
    pub(super) fn swallowing_string(&self) -> Option<Diagnostic> {
        let pair = self.tokens.windows(2).find(|pair| {
            pair[0].kind == T::Str
                && self.slice(pair[0]).contains('\n')
                && (pair[1].kind.is_name()
                    || matches!(pair[1].kind, T::Divide | T::Int)
                    || pair[0].end == pair[1].start && continues_text(pair[1].kind))
        })?;
        let open = Span { end: pair[0].start + 1, ..self.span(pair[0]) };
        let problem = Diagnostic::error(Code::UnterminatedString, open)
            .label("the string that begins here has no closing quote on its line")
            .help("add `\"` where the text ends; a string can span several lines");
        Some(problem.related(self.span(pair[1]), "the text after the next quote is read as code"))
    }

    /// A statement was given up. If it starts with a word of another language, that is the mistake.
    #[cold]
    pub(super) fn blame_first_word(&mut self, start: Token, before: usize) {
        if start.kind != T::Ident || self.problems.len() <= before {
            return;
        }
        let word = self.slice(start);
        let Some(help) = habit::statement(word) else { return };
        let rest = self.text.get(start.end as usize..).unwrap_or_default().trim_start_matches([' ', '$']);
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let help = match word {
            "let" | "var" | "const" | "local" | "set" if !name.is_empty() => {
                format!("write `${name} = value`, without `{word}`")
            }
            _ => help.to_string(),
        };
        let span = self.span(start);
        if let Some((_, problem)) = self.problems.last_mut().filter(|(_, p)| p.code == Code::UnexpectedToken) {
            *problem = Diagnostic::error(Code::UnexpectedToken, span)
                .label(format!("a statement cannot start with `{word}`"))
                .help(help);
        }
    }

    /// Skips the lines below a statement that was given up, as far as they belong to it: those indented deeper, and the
    /// text of a heredoc.
    #[cold]
    pub(super) fn skip_deeper(&mut self, start: Token) {
        let indent = |at: u32| at as usize - self.text[..at as usize].rfind('\n').map_or(0, |at| at + 1);
        let own = indent(start.start);
        if let Some(end) = self.heredoc_end(start) {
            while self.token().start < end && self.kind() != T::End {
                self.bump();
            }
            return;
        }
        let braces = self.braces;
        while !matches!(self.kind(), T::End | T::CloseCurly | T::Newline) && indent(self.token().start) > own {
            while !(matches!(self.kind(), T::End | T::Newline) || self.kind() == T::CloseCurly && self.braces <= braces)
            {
                self.bump();
            }
            if self.kind() == T::Newline {
                self.bump();
            }
        }
    }

    /// The end of the text of `<<WORD` on the statement's line.
    fn heredoc_end(&self, start: Token) -> Option<u32> {
        let line = self.text[start.start as usize..].lines().next()?;
        let word = line.split_once("<<")?.1.trim_start_matches(['-', '~']).trim().trim_matches(['"', '\'']);
        if word.is_empty() || !word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return None;
        }
        let body = start.start as usize + line.len() + 1;
        let mut at = body;
        for line in self.text.get(body..)?.split_inclusive('\n') {
            at += line.len();
            if line.trim() == word {
                return Some(at as u32);
            }
        }
        None
    }

    /// A word in place of a value, without the parentheses of a call.
    #[cold]
    pub(super) fn bare_word(&mut self, word: &str) -> Failed {
        let help = match habit::value(word) {
            Some(help) => {
                let label = format!("`{word}` is not a value of mcl");
                return self.syntax(Code::ForeignWord, label, Some(help.to_string()), None);
            }
            None if self.kind() == T::Equals && self.innermost() == Some(T::OpenParen) => {
                "arguments have no names: write the values alone, in the order of the parameters".to_string()
            }
            None if self.is_in_dashes() => format!(
                "a field is read with `->`: `$value->{word}`; names have `_`, and a difference has blanks and `$`: `$a - ${word}`"
            ),
            None if self.defines_function(word) => {
                format!("to use it as a value, write `func($x) {{ {word}($x) }}`; a variable is `${word}`")
            }
            None => called(word).unwrap_or_else(|| format!("a variable is `${word}`, a string is `\"{word}\"`")),
        };
        self.unexpected_help("`(` after a function's name", Some(&help))
    }

    /// Whether the word before the current token follows a dash that touches the name before it, as in `$a-b`.
    fn is_in_dashes(&self) -> bool {
        let before = |distance: usize| self.at.checked_sub(distance).and_then(|at| self.tokens.get(at));
        let (Some(word), Some(dash), Some(name)) = (before(1), before(2), before(3)) else { return false };
        dash.kind == T::Minus && dash.end == word.start && name.end == dash.start && name.kind.is_name()
    }

    /// Whether the file has a `func` of this name.
    fn defines_function(&self, name: &str) -> bool {
        self.tokens
            .windows(2)
            .any(|pair| pair[0].kind == T::Func && pair[1].kind.is_name() && self.slice(pair[1]) == name)
    }
}

/// Whether a token directly behind a closing quote shows that the quote begins a text.
fn continues_text(kind: T) -> bool {
    kind.is_name()
        || matches!(kind, T::Divide | T::Int | T::Float | T::Minus | T::Dollar | T::Dot | T::Str | T::Capitalized)
}

fn is_equal(text: &str) -> bool {
    matches!(text, "==" | "!=")
}

/// How to call a built-in function with this name.
fn called(word: &str) -> Option<String> {
    let is_named = |function: &&Function| match function.module.rsplit('/').next() {
        Some(module) if !module.is_empty() => word.split_once('.') == Some((module, function.name)),
        _ => word == function.name,
    };
    let function = functions().iter().find(is_named)?;
    Some(match function.signatures.iter().all(|signature| signature.starts_with("func()")) {
        true => format!("call it with parentheses: `{word}()`"),
        false => format!("call it as `{word}(...)`; to use it as a value, write `func($x) {{ {word}($x) }}`"),
    })
}
