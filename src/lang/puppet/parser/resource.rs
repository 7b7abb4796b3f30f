//! Resources, defaults, overrides and collectors. The text before the brace decides which one it is.

use super::{Parsed, Parser};
use crate::lang::puppet::ast::{
    Attribute, AttributeKind, Body, Collect, Defaults, Entry, Expr, Form, Kind, Resource, Text,
};
use crate::lang::puppet::issue::{Issue, IssueName};
use crate::lang::puppet::lexer::{Key, T};
use crate::source::Span;

/// What the expression left of a brace means.
enum Shape {
    Resource,
    Defaults,
    Override,
    Unknown,
}

fn shape(left: &Expr) -> Shape {
    match &left.kind {
        Kind::Name(_) => Shape::Resource,
        Kind::Ref(_) => Shape::Defaults,
        Kind::Access(left, keys) => match &left.kind {
            Kind::Ref(name) if name.eq_ignore_ascii_case("resource") && keys.len() == 1 => Shape::Defaults,
            _ => Shape::Override,
        },
        _ => Shape::Unknown,
    }
}

impl Parser<'_> {
    pub(super) fn resource(&mut self) -> Parsed<Expr> {
        let start = self.here();
        let form = match self.peek() {
            T::Sign("@") => Some((Form::Virtual, "Virtual (@)")),
            T::Sign("@@") => Some((Form::Exported, "Exported (@@)")),
            _ => None,
        };
        if let Some((wanted, words)) = form {
            self.advance();
            let mut inner = self.deeper(Self::resource)?;
            match &mut inner.kind {
                Kind::Resource(resource) => resource.form = wanted,
                Kind::Defaults(defaults) | Kind::Override(defaults) => defaults.form = wanted,
                _ => return self.fail(start, format!("{words} can only be applied to a Resource Expression")),
            }
            inner.span = start.to(inner.span);
            return Ok(inner);
        }
        if matches!(self.peek(), T::Key(Key::Class)) && *self.ahead(1) == T::OpenBrace {
            let span = self.advance();
            self.advance();
            let bodies = self.bodies()?;
            let end = self.expect_kind(&T::CloseBrace)?;
            let ty = Expr::new(span, Kind::Name("class".into()));
            let resource = Resource { form: Form::Regular, ty, bodies };
            return Ok(Expr::new(span.to(end), Kind::Resource(Box::new(resource))));
        }
        let left = self.expression()?;
        if *self.peek() == T::OpenBrace { self.resource_of(left) } else { Ok(left) }
    }

    fn resource_of(&mut self, left: Expr) -> Parsed<Expr> {
        let open = self.advance();
        let start = left.span;
        if !self.is_attribute() && *self.peek() != T::CloseBrace {
            let bodies = self.bodies()?;
            let end = self.expect_kind(&T::CloseBrace)?;
            let resource = Resource { form: Form::Regular, ty: left, bodies };
            return Ok(Expr::new(start.to(end), Kind::Resource(Box::new(resource))));
        }
        let ops = self.attributes()?;
        let end = self.expect_kind(&T::CloseBrace)?;
        let target = match shape(&left) {
            Shape::Unknown => return self.not_a_resource(start, open),
            Shape::Resource => {
                if ops.iter().any(|op| !matches!(op.kind, AttributeKind::Set(_))) {
                    return self.fail(open, "Syntax error resource body without title or hash with +>");
                }
                let entries = ops.into_iter().map(|op| {
                    let name: Text = match op.kind {
                        AttributeKind::Set(name) => name,
                        AttributeKind::Append(_) | AttributeKind::Splat => "".into(),
                    };
                    Entry { span: op.span, key: Expr::new(op.span, Kind::Name(name)), value: op.value }
                });
                let hash = Expr::new(open.to(end), Kind::Hash(entries.collect()));
                return self.name_and_hash(left, hash);
            }
            Shape::Defaults => Kind::Defaults,
            Shape::Override => Kind::Override,
        };
        let target = target(Box::new(Defaults { form: Form::Regular, target: left, ops }));
        Ok(Expr::new(start.to(end), target))
    }

    fn not_a_resource<V>(&self, at: Span, brace: Span) -> Parsed<V> {
        let message = "Expression is not valid as a resource, resource-default, or resource-override";
        let mut issue = Issue::parse(at, IssueName::Unnamed, message);
        issue.advice = self.block_failure(brace).explain_block().unwrap_or_default();
        Err(Box::new(issue))
    }

    fn bodies(&mut self) -> Parsed<Vec<Body>> {
        let mut bodies = Vec::new();
        loop {
            let title = self.expression()?;
            let span = title.span;
            self.expect(":")?;
            // An empty list of attributes may come first.
            self.accept(",");
            let ops = self.attributes()?;
            bodies.push(Body { span, title, ops });
            if !self.accept(";") || *self.peek() == T::CloseBrace {
                return Ok(bodies);
            }
        }
    }

    fn is_attribute(&self) -> bool {
        let names = matches!(self.peek(), T::Name(_) | T::Key(_)) && matches!(self.ahead(1), T::Sign("=>" | "+>"));
        names || self.is("*") && self.is_ahead(1, "=>")
    }

    /// Attributes up to whatever follows them.
    pub(super) fn attributes(&mut self) -> Parsed<Vec<Attribute>> {
        let mut ops = Vec::new();
        while matches!(self.peek(), T::Name(_) | T::Key(_) | T::Sign("*")) {
            let name: Option<Text> = match self.peek() {
                T::Name(name) => Some(name.clone()),
                T::Key(Key::True | Key::False) => return self.syntax_error(),
                T::Key(key) => Some(key.as_str().into()),
                _ => None,
            };
            let span = self.advance();
            let kind = match name {
                None => {
                    self.expect("=>")?;
                    AttributeKind::Splat
                }
                Some(name) if self.accept("=>") => AttributeKind::Set(name),
                Some(name) if self.accept("+>") => AttributeKind::Append(name),
                Some(_) => return self.syntax_error_expecting(Some("=>")),
            };
            let value = self.expression()?;
            ops.push(Attribute { span, kind, value });
            if !self.accept(",") {
                break;
            }
        }
        Ok(ops)
    }

    /// `Type <| query |> { … }` or `<<| |>>`, the type read already.
    pub(super) fn collect(&mut self, ty: Expr) -> Parsed<Expr> {
        let start = ty.span;
        let exported = self.is("<<|");
        self.advance();
        let close = if exported { "|>>" } else { "|>" };
        let query = if self.is(close) { None } else { Some(self.expression()?) };
        let mut end = self.expect(close)?;
        let mut ops = Vec::new();
        if *self.peek() == T::OpenBrace {
            self.advance();
            ops = self.attributes()?;
            end = self.expect_kind(&T::CloseBrace)?;
        }
        Ok(Expr::new(start.to(end), Kind::Collect(Box::new(Collect { ty, exported, query, ops }))))
    }
}
