//! Resource statements and the elements of their bodies.

use super::{Parsed, Parser};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::ast::{ExprId, ItemKind, Name, Relation, Resource, ResourceItem};
use crate::lang::mcl::lexer::Kind;

impl Parser<'_> {
    /// `kind[:kind] name { body }`
    pub(super) fn resource(&mut self) -> Parsed<Resource> {
        let kind = self.kind_name()?;
        let name = self.expr()?;
        self.deeper(|this| {
            this.expect(Kind::OpenCurly)?;
            let mut items = Vec::new();
            loop {
                this.newlines();
                if this.take(Kind::CloseCurly) {
                    return Ok(Resource { kind, name, items });
                }
                items.push(this.item()?);
                if this.take(Kind::Comma) {
                    continue;
                }
                let before = this.tokens[this.at - 1].span;
                if !matches!(this.kind(), Kind::Newline | Kind::CloseCurly) {
                    return this.unexpected("a comma");
                }
                let wrong = Diagnostic::error(Code::MissingComma, this.span())
                    .label("expected a comma")
                    .related(before, "after this")
                    .help("every line of a resource's body ends with a comma, the last one too");
                return this.refuse(wrong);
            }
        })
    }

    /// `http:server`
    fn kind_name(&mut self) -> Parsed<Name> {
        let first = self.plain_identifier("the kind of a resource")?;
        let mut text = first.text.to_string();
        while self.take(Kind::Colon) {
            text.push(':');
            text.push_str(&self.plain_identifier("the kind of a resource")?.text);
        }
        Ok(Name { text: text.into(), span: self.since(first.span) })
    }

    fn item(&mut self) -> Parsed<ResourceItem> {
        let start = self.span();
        let (kind, condition) = match self.kind() {
            Kind::Identifier => {
                let name = self.plain_identifier("a parameter")?;
                self.expect(Kind::Rocket)?;
                let (value, condition) = self.conditional()?;
                (ItemKind::Field { name, value }, condition)
            }
            Kind::Capitalized => self.capitalized_item()?,
            Kind::Keyword(_) => {
                let word = self.word();
                let wrong = self.wrong("a parameter");
                return self.refuse(
                    wrong.help(format!("`{word}` is a word of the language; no parameter can have that name")),
                );
            }
            _ => return self.unexpected("a parameter, `Meta`, `Before`, `Depend`, `Notify`, `Listen` or `}`"),
        };
        Ok(ResourceItem { kind, condition, span: self.since(start) })
    }

    fn capitalized_item(&mut self) -> Parsed<(ItemKind, Option<ExprId>)> {
        let relation = match self.word().as_str() {
            "Before" => Relation::Before,
            "Depend" => Relation::Depend,
            "Notify" => Relation::Notify,
            "Listen" => Relation::Listen,
            "Meta" => return self.meta(),
            _ => {
                let wrong = self.wrong("`Meta`, `Before`, `Depend`, `Notify` or `Listen`");
                return self.refuse(wrong.help("parameters are lower case"));
            }
        };
        self.at += 1;
        self.expect(Kind::Rocket)?;
        let condition = match self.kind() {
            Kind::Capitalized => None,
            _ => {
                let condition = self.expr()?;
                self.expect(Kind::Elvis)?;
                Some(condition)
            }
        };
        let half = self.half()?;
        if let Some(field) = &half.field {
            let wrong = Diagnostic::error(Code::UnexpectedToken, field.span).label("expected a comma");
            return self.refuse(wrong.help("values are sent by an edge statement of their own, outside the body"));
        }
        Ok((ItemKind::Edge { relation, half }, condition))
    }

    /// `Meta:param => value` or `Meta => struct{...}`
    fn meta(&mut self) -> Parsed<(ItemKind, Option<ExprId>)> {
        self.at += 1;
        let param = match self.take(Kind::Colon) {
            true => Some(self.plain_identifier("a meta parameter")?),
            false => None,
        };
        self.expect(Kind::Rocket)?;
        let (value, condition) = self.conditional()?;
        let kind = match param {
            Some(param) => ItemKind::Meta { param, value },
            None => ItemKind::MetaStruct { value },
        };
        Ok((kind, condition))
    }

    /// `value` or `condition ?: value`
    fn conditional(&mut self) -> Parsed<(ExprId, Option<ExprId>)> {
        let first = self.expr()?;
        match self.take(Kind::Elvis) {
            true => Ok((self.expr()?, Some(first))),
            false => Ok((first, None)),
        }
    }
}
