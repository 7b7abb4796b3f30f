//! Parses resources, their bodies, and the ends of edges.

use super::{Failed, Parsed, Parser, Rank};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::ast::{EdgeHalf, ExprId, ExprKind, ItemKind, Relation, Resource, ResourceItem};
use crate::lang::mcl::habit;
use crate::lang::mcl::lexer::{Token, TokenKind as T};
use crate::source::Span;

/// An item with its condition, `None` if its first word has no meaning; and the place of its value.
type ParsedItem = (Option<(ItemKind, Option<ExprId>)>, Span);

impl Parser<'_> {
    /// `kind name { items }`
    pub(super) fn resource(&mut self) -> Parsed<Resource> {
        if self.kind() == T::Ident && self.peek(1) == T::Dot {
            return Err(self.call_as_statement());
        }
        // A name in parentheses, or a call at a place without calls.
        let called = self.peek(1) == T::OpenParen;
        let kind = self.kind_name(T::Ident, "a resource's kind")?;
        if matches!(self.kind(), T::Equals | T::Rocket) {
            let help = format!("a variable is defined as `${} = ...`", kind.text);
            return Err(self.unexpected_help("the resource's name", Some(&help)));
        }
        let (braced, before) = (self.kind() == T::OpenCurly, self.problems.len());
        let name = self.expr().inspect_err(|_| {
            if let Some((_, problem)) = self.problems.get_mut(before).filter(|_| braced) {
                problem.help = Some(format!("the name comes before the brace: `{} \"name\" {{ ... }}`", kind.text));
                problem.span = Some(kind.span);
                problem.label = format!("this `{}` has no name", kind.text);
            }
        })?;
        if called && self.kind() != T::OpenCurly {
            let help = Some("a call returns a value: `$result = ...`");
            return Err(self.unexpected_help("`{` and the resource's fields", help));
        }
        if self.kind() != T::OpenCurly {
            return Err(self.no_body(&kind.text, name));
        }
        let open = self.bump();
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            if self.eat(T::CloseCurly) {
                return Ok(Resource { kind, name, items });
            }
            if self.kind() == T::End || self.is_statement_ahead() {
                return Err(self.unclosed("`}`", open));
            }
            items.extend(self.item()?);
        }
    }

    /// `a.b(...)` or `a.b "name"` in place of a statement.
    #[cold]
    fn call_as_statement(&mut self) -> Failed {
        let mut ahead = 0;
        let mut kind = String::new();
        while self.peek(ahead).is_name() {
            kind.push_str(self.slice(self.tokens[self.at + ahead]));
            kind.push(':');
            ahead += 1 + usize::from(self.peek(ahead + 1) == T::Dot);
        }
        let help = match self.peek(ahead) {
            T::Str => format!("join the parts of a kind with colons: `{}`", kind.trim_end_matches(':')),
            _ => "a call returns a value: `$result = ...`".to_string(),
        };
        self.unexpected_help("a statement", Some(&help))
    }

    /// Something other than a body follows a resource's name.
    #[cold]
    fn no_body(&mut self, kind: &str, name: ExprId) -> Failed {
        let capital = |kind: &str| kind[..1].to_ascii_uppercase() + &kind[1..];
        let help = match (&self.ast.exprs[name].kind, self.kind()) {
            (ExprKind::Index { .. } | ExprKind::Field { .. } | ExprKind::List(_), T::Newline | T::Arrow) => {
                let kind = capital(kind);
                format!("the ends of an edge start with a capital letter: `{kind}[\"a\"] -> {kind}[\"b\"]`")
            }
            (ExprKind::Map(_) | ExprKind::Struct(_), T::Newline) => {
                format!("a resource has a name before its body: `{kind} \"name\" {{ ... }}`")
            }
            (_, T::Newline) => {
                "a resource needs a body that starts on the same line, also if it is empty: `{}`".to_string()
            }
            (_, T::Str) => format!("a resource has one name: `{kind} \"name\" {{ ... }}`"),
            _ => return self.unexpected("`{` and the resource's fields"),
        };
        self.unexpected_help("`{` and the resource's fields", Some(&help))
    }

    /// One item and its comma; `None` if it has been reported and parsing can continue.
    fn item(&mut self) -> Parsed<Option<ResourceItem>> {
        let start = self.token();
        let (item, value) = match start.kind {
            T::Ident => self.field_item()?,
            T::Capitalized => self.word_item()?,
            kind if kind.is_keyword() => {
                let help = "a reserved word cannot be a field name";
                return Err(self.unexpected_help("a field or `}`", Some(help)));
            }
            _ => return Err(self.unexpected("a field or `}`")),
        };
        let span = self.since(start);
        match self.kind() {
            T::Comma => {
                self.bump();
            }
            T::Newline | T::CloseCurly => self.missing_item_comma(value),
            _ => return Err(self.unexpected("a comma")),
        }
        Ok(item.map(|(kind, condition)| ResourceItem { kind, condition, span }))
    }

    /// `field => [condition ?:] value`
    fn field_item(&mut self) -> Parsed<ParsedItem> {
        let name = self.ident("a field")?;
        if matches!(self.kind(), T::Equals | T::Colon) {
            let help = match name.text.as_str() {
                "meta" => "it starts with a capital letter: `Meta:noop => true,`".to_string(),
                name => format!("a field is `{name} => value,`"),
            };
            return Err(self.unexpected_help("`=>`", Some(&help)));
        }
        self.expect(T::Rocket, "`=>`")?;
        if self.kind() == T::Capitalized && self.peek(1) == T::OpenBrack {
            let relation = habit::relation(&name.text).unwrap_or("Depend");
            let kind = self.slice(self.token());
            let help = match habit::relation(&name.text) {
                Some(_) => format!("`{}` is written `{relation} => {kind}[...],`", name.text),
                None => format!("an edge is `{relation} => {kind}[...],`"),
            };
            return Err(self.unexpected_help("a value", Some(&help)));
        }
        let (condition, value, span) = self.conditional()?;
        Ok((Some((ItemKind::Field { name, value }, condition)), span))
    }

    /// `[condition ?:] value`, with the span of both.
    fn conditional(&mut self) -> Parsed<(Option<ExprId>, ExprId, Span)> {
        let start = self.token();
        let first = self.expr()?;
        let (condition, value) = if self.eat(T::Elvis) { (Some(first), self.expr()?) } else { (None, first) };
        Ok((condition, value, self.since(start)))
    }

    /// An item that starts with a capitalized word: `Meta` or a relation.
    fn word_item(&mut self) -> Parsed<ParsedItem> {
        let word = self.bump();
        let text = self.slice(word);
        if self.eat(T::Colon) {
            let param = self.ident("a meta parameter")?;
            self.expect(T::Rocket, "`=>`")?;
            let (condition, value, span) = self.conditional()?;
            if text != "Meta" {
                self.unknown_word(word, format!("write `Meta:{} => ...`", param.text));
                return Ok((None, span));
            }
            return Ok((Some((ItemKind::Meta { param, value }, condition)), span));
        }
        if self.kind() != T::Rocket {
            let expected = if text == "Meta" { "`:` and a meta parameter, or `=>`" } else { "`=>`" };
            return Err(self.unexpected(expected));
        }
        self.bump();
        let start = self.token();
        if text != "Meta" && start.kind == T::Ident && matches!(self.peek(1), T::OpenBrack | T::Colon) {
            self.edge_half()?;
        }
        if text == "Meta" && start.kind != T::Capitalized {
            let (condition, value, span) = self.conditional()?;
            return Ok((Some((ItemKind::MetaStruct { value }, condition)), span));
        }
        let condition = if start.kind == T::Capitalized {
            None
        } else {
            let condition = self.expr()?;
            if self.kind() != T::Elvis {
                let lower = text.to_lowercase();
                let help = match habit::relation(text) {
                    None if text != "Meta" => format!("a parameter begins with a small letter: `{lower} => ...`"),
                    _ => "it takes a resource: `Depend => File[\"/tmp/hello\"],`".to_string(),
                };
                if habit::relation(text).is_none() && text != "Meta" {
                    self.unknown_word(word, help);
                    return Ok((None, self.since(start)));
                }
                return Err(self.unexpected_help("`?:` and a resource", Some(&help)));
            }
            self.bump();
            Some(condition)
        };
        let half = self.edge_half()?;
        let span = self.since(start);
        let relation = match text {
            "Before" => Relation::Before,
            "Depend" => Relation::Depend,
            "Notify" => Relation::Notify,
            "Listen" => Relation::Listen,
            _ => {
                let help = match habit::relation(text) {
                    Some(relation) => format!("write `{relation} => ...`"),
                    None => "use `Before`, `Depend`, `Notify`, `Listen` or `Meta`".into(),
                };
                self.unknown_word(word, help);
                return Ok((None, span));
            }
        };
        Ok((Some((ItemKind::Edge { relation, half }, condition)), span))
    }

    #[cold]
    fn unknown_word(&mut self, word: Token, help: String) {
        let problem = Diagnostic::error(Code::UnknownMeta, self.span(word))
            .label(format!("`{}` has no meaning in a resource", self.slice(word)))
            .help(help);
        self.report(Rank::Body, problem);
    }

    /// Reports, at the value, a missing comma.
    #[cold]
    fn missing_item_comma(&mut self, value: Span) {
        let problem = Diagnostic::error(Code::MissingComma, value)
            .label("expected a comma after this")
            .help("every field ends with a comma, also the last");
        self.report(Rank::Syntax, problem);
    }

    /// `Kind["name"]`
    pub(super) fn edge_half(&mut self) -> Parsed<EdgeHalf> {
        let start = self.token();
        if start.kind == T::Ident && matches!(self.peek(1), T::OpenBrack | T::Colon) {
            let help = "a reference to a resource starts with a capital letter: `File[\"/tmp/hello\"]`";
            return Err(self.unexpected_help("a resource", Some(help)));
        }
        let kind = self.kind_name(T::Capitalized, "a resource such as `File[\"/tmp/hello\"]`")?;
        if self.kind() == T::Str {
            let help = format!(
                "declare a resource in lower case, `{} ... {{ ... }}`; capital letters refer to it in an edge",
                kind.text
            );
            return Err(self.unexpected_help("`[` and the resource's name", Some(&help)));
        }
        let open = self.expect(T::OpenBrack, "`[` and the resource's name")?;
        let name = self.expr()?;
        if !self.eat(T::CloseBrack) {
            return Err(self.unclosed("`]`", open));
        }
        Ok(EdgeHalf { kind, name, field: None, span: self.since(start) })
    }
}
