//! Classes, defines, nodes, functions, type aliases and their parameters.

use std::sync::Arc;

use super::{Parsed, Parser};
use crate::lang::puppet::ast::{
    Definition, Expr, Function, Kind, NodeDefinition, Parameter, Text, TypeAlias, TypeDefinition,
};
use crate::lang::puppet::lexer::{Key, T};

impl Parser<'_> {
    /// The name of a class or a define.
    fn definition_name(&mut self) -> Parsed<Text> {
        match self.peek().clone() {
            T::Name(name) | T::Word(name) | T::Ref(name) => {
                self.advance();
                Ok(name)
            }
            T::Key(Key::Class) => self.fail(self.here(), "'class' keyword not allowed at this location"),
            T::Str(_) | T::Pre(_) => self.fail(self.here(), "A quoted string is not valid as a name here"),
            _ => self.syntax_error(),
        }
    }

    /// A name with those of the classes around it.
    fn qualified(&self, name: &Text) -> Text {
        match self.names.last() {
            Some(outer) => format!("{outer}::{name}").into(),
            None => name.clone(),
        }
    }

    pub(super) fn class(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        let name = self.definition_name()?;
        let name = self.qualified(&name);
        let params = self.parameter_list()?;
        let parent = match self.accept_key(Key::Inherits) {
            true if self.accept_key(Key::Default) => Some("default".into()),
            true => Some(self.definition_name()?),
            false => None,
        };
        self.names.push(name.clone());
        let body = self.braced()?;
        self.names.pop();
        let span = start.to(self.last());
        Ok(Expr::new(span, Kind::Class(Arc::new(Definition { span, name, params, parent, body }))))
    }

    pub(super) fn define(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        let name = self.definition_name()?;
        let name = self.qualified(&name);
        let params = self.parameter_list()?;
        let body = self.braced()?;
        let span = start.to(self.last());
        Ok(Expr::new(span, Kind::Define(Arc::new(Definition { span, name, params, parent: None, body }))))
    }

    pub(super) fn function(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        let name = match self.peek().clone() {
            T::Name(name) | T::Word(name) | T::Ref(name) => {
                self.advance();
                name
            }
            _ => return self.syntax_error(),
        };
        let params = self.parameter_list()?;
        let returns = self.return_type()?;
        let body = self.braced()?;
        let span = start.to(self.last());
        Ok(Expr::new(span, Kind::Function(Arc::new(Function { span, name, params, returns, body }))))
    }

    pub(super) fn return_type(&mut self) -> Parsed<Option<Expr>> {
        if self.accept(">>") { Ok(Some(self.type_reference()?)) } else { Ok(None) }
    }

    /// A type name with its parameters.
    fn type_reference(&mut self) -> Parsed<Expr> {
        let T::Ref(name) = self.peek().clone() else { return self.syntax_error() };
        let span = self.advance();
        let mut ty = Expr::new(span, Kind::Ref(name));
        while matches!(self.peek(), T::OpenBrack) {
            self.advance();
            let keys = self.entries(&T::CloseBrack)?;
            let end = self.expect_kind(&T::CloseBrack)?;
            ty = Expr::new(span.to(end), Kind::Access(Box::new(ty), keys));
        }
        Ok(ty)
    }

    fn parameter_list(&mut self) -> Parsed<Vec<Parameter>> {
        if !matches!(self.peek(), T::OpenParen | T::LineParen) {
            return Ok(Vec::new());
        }
        self.advance();
        let params = self.parameters_until(")")?;
        self.expect_kind(&T::CloseParen)?;
        Ok(params)
    }

    /// Parameters up to a sign that is not read.
    pub(super) fn parameters_until(&mut self, close: &str) -> Parsed<Vec<Parameter>> {
        let mut params = Vec::new();
        while !(self.is(close) || close == ")" && *self.peek() == T::CloseParen) {
            params.push(self.parameter()?);
            if !self.accept(",") {
                break;
            }
        }
        Ok(params)
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let ty = if matches!(self.peek(), T::Ref(_)) { Some(self.type_reference()?) } else { None };
        let captures_rest = self.accept("*");
        let T::Var(name) = self.peek().clone() else { return self.syntax_error() };
        let span = self.advance();
        let value = if self.accept("=") { Some(self.expression()?) } else { None };
        Ok(Parameter { span, name, ty, value, captures_rest })
    }

    pub(super) fn node(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        let mut matches = vec![self.host_name()?];
        while self.accept(",") {
            if *self.peek() == T::OpenBrace || *self.peek() == T::Key(Key::Inherits) {
                break;
            }
            matches.push(self.host_name()?);
        }
        let parent = if self.accept_key(Key::Inherits) { Some(self.host_name()?) } else { None };
        let body = self.braced()?;
        let span = start.to(self.last());
        Ok(Expr::new(span, Kind::Node(Arc::new(NodeDefinition { span, matches, parent, body }))))
    }

    fn host_name(&mut self) -> Parsed<Expr> {
        let span = self.here();
        let kind = match self.peek().clone() {
            T::Key(Key::Default) => Kind::Default,
            T::Regex(source) => Kind::Regex(source),
            T::Str(text) => Kind::Str(text),
            T::Pre(_) | T::Heredoc(_) => return self.operand(),
            T::Name(_) | T::Word(_) | T::Number(_) => {
                let mut name = String::new();
                loop {
                    match self.peek().clone() {
                        T::Name(part) | T::Word(part) | T::Number(part) => name.push_str(&part),
                        _ => return self.syntax_error(),
                    }
                    self.advance();
                    if !self.accept(".") {
                        return Ok(Expr::new(span.to(self.last()), Kind::Str(name.into())));
                    }
                    name.push('.');
                }
            }
            _ => return self.syntax_error(),
        };
        self.advance();
        Ok(Expr::new(span, kind))
    }

    /// `type A = T`, `type A[…] = […]`, `type A { … }`.
    pub(super) fn type_definition(&mut self) -> Parsed<Expr> {
        let start = self.advance();
        if let Some(definition) = self.arm_type(start)? {
            return Ok(definition);
        }
        let T::Ref(name) = self.peek().clone() else { return self.syntax_error() };
        let name_span = self.here();
        let left = self.type_reference()?;
        let is_name = matches!(left.kind, Kind::Ref(_));
        if is_name && *self.peek() == T::OpenBrace {
            let body = self.braced()?;
            let span = start.to(self.last());
            return Ok(Expr::new(span, Kind::TypeDefinition(Arc::new(TypeDefinition { span, name, body }))));
        }
        self.expect("=")?;
        let ty = self.alias_value()?;
        if is_name {
            let alias = TypeAlias { span: name_span, name, ty };
            return Ok(Expr::new(name_span, Kind::TypeAlias(Arc::new(alias))));
        }
        Ok(Expr::new(left.span, Kind::TypeMapping(Box::new(left), Box::new(ty))))
    }

    fn alias_value(&mut self) -> Parsed<Expr> {
        let value = self.expression()?;
        // `Parent { attributes }` is an object type with a parent.
        if matches!(value.kind, Kind::Ref(_)) && *self.peek() == T::OpenBrace {
            let init = self.expression()?;
            let span = value.span.to(init.span);
            let entry = crate::lang::puppet::ast::Entry {
                span: value.span,
                key: Expr::new(value.span, Kind::Name("parent".into())),
                value,
            };
            let Expr { kind: Kind::Hash(mut entries), span: hash_span } = init else { return Ok(init) };
            entries.insert(0, entry);
            let object = Expr::new(span, Kind::Ref("Object".into()));
            return Ok(Expr::new(
                span,
                Kind::Access(Box::new(object), vec![Expr::new(hash_span, Kind::Hash(entries))]),
            ));
        }
        Ok(value)
    }
}
