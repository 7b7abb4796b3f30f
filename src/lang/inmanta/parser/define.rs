//! Definitions: entities, relations, implementations, types, indexes and imports.

use super::super::Edition;
use super::super::ast::{
    AttributeDef, Bounds, DefaultsDef, EntityDef, ImplementDef, ImplementationDef, ImportDef, IndexDef, Kind, NodeId,
    RelationDef, RelationSide, Top, TypeName, TypedefDef, Word,
};
use super::super::error::{Class, Raise, Result};
use super::super::token::{Keyword, Tok};
use super::super::value::Value;
use super::Parser;
use crate::diag::Code;
use crate::source::Span;

const CAPITAL: &str = "Invalid identifier: Entity names must start with a capital";
const LOWER: &str = "Invalid identifier: attribute names must start with a lower case character";

impl Parser<'_> {
    pub(super) fn definition(&mut self) -> Result<Top> {
        let span = self.span();
        let Tok::Keyword(keyword) = *self.tok() else { return Err(self.unexpected()) };
        self.take();
        match keyword {
            Keyword::Entity => self.entity(span),
            Keyword::Implement => self.implement(),
            Keyword::Implementation => self.implementation(),
            Keyword::Typedef => self.typedef(),
            Keyword::Index => self.index(span),
            _ => self.import(span),
        }
    }

    fn import(&mut self, span: Span) -> Result<Top> {
        let before = &self.text[..span.range().start.min(self.text.len())];
        let before = before.rsplit('\n').next().unwrap_or_default().trim();
        let name = self.plain_path()?;
        let is_path = |text: &&str| {
            !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '-'))
        };
        if let Some(module) = before.strip_prefix("from ").map(str::trim).filter(is_path) {
            let full = format!("{}::{}", module.replace('.', "::"), self.names.text(name.sym));
            return Err(self
                .syntax_error(span, "`from … import` is no statement of Inmanta")
                .with_code(Code::ForeignWord)
                .with_help(format!("write `import {full}`")));
        }
        let alias = if self.take_keyword(Keyword::As).is_some() { self.expect_id()? } else { name };
        if self.has_hyphen(name.sym) {
            let message = format!(
                "{} is not a valid module name: hyphens are not allowed, please use underscores instead.",
                self.names.text(name.sym)
            );
            return Err(Raise::placed(Class::Compiler, name.span, message));
        }
        self.refuse_hyphen(alias)?;
        Ok(Top::Import(ImportDef { name, alias, span }))
    }

    fn entity(&mut self, span: Span) -> Result<Top> {
        let (name, is_class) = match *self.tok() {
            Tok::Class(sym) => (Word { sym, span: self.take() }, true),
            _ => (self.expect_id()?, false),
        };
        let mut parents = Vec::new();
        if self.take_keyword(Keyword::Extends).is_some() {
            let mut is_wrong = None;
            loop {
                let start = self.span();
                match self.class_path()? {
                    Some(class) => parents.push(class),
                    None => is_wrong = is_wrong.or(Some(start)),
                }
                if self.take_char(b',').is_none() {
                    break;
                }
            }
            if let Some(place) = is_wrong {
                if !self.is_char(b':') {
                    return Err(self.unexpected());
                }
                let written = self.text.get(place.range()).unwrap_or_default().to_string();
                return Err(self
                    .syntax_error(place, CAPITAL)
                    .with_code(Code::InvalidName)
                    .with_label(format!("`{written}` is the name of no entity: those begin with a capital letter"))
                    .with_help(format!("name an entity, such as `{}`; a type cannot be extended", capital(&written))));
            }
        }
        self.expect_char(b':')?;
        let doc = self.inside(Self::take_doc);
        let mut attributes = Vec::new();
        while !self.is_keyword(Keyword::End) {
            attributes.push(self.inside(|parser| {
                parser.begin_line();
                parser.attribute()
            })?);
        }
        self.begin_line();
        self.take();
        if !is_class {
            let raise = self.syntax_error(name.span, CAPITAL).with_code(Code::InvalidName);
            return Err(raise.with_help(format!("write `{}`", capital(self.names.text(name.sym)))));
        }
        self.refuse_hyphen(name)?;
        Ok(Top::Entity(EntityDef { name, parents, attributes, doc, span }))
    }

    fn attribute(&mut self) -> Result<AttributeDef> {
        if let Some(place) = self.take_keyword(Keyword::Dict) {
            let base = Word { sym: self.names.sym("dict"), span: place };
            let is_nullable = self.take_char(b'?').is_some();
            return self.dict_attribute(TypeName { base, is_list: false, is_nullable });
        }
        let base = self.plain_path()?;
        let is_list = self.take_char(b'[').is_some();
        if is_list {
            self.expect_char(b']')?;
        }
        let is_nullable = self.take_char(b'?').is_some();
        let (name, is_class) = self.attribute_word()?;
        let mut default = None;
        if self.take_char(b'=').is_some() {
            if let Some(open) = self.take_char(b'[') {
                default = Some(self.constants(open)?);
            } else if self.take_keyword(Keyword::Undef).is_none() {
                default = Some(self.constant()?);
            }
        }
        if is_class {
            let goes_on = matches!(self.tok(), Tok::Id(_) | Tok::Keyword(Keyword::Dict | Keyword::End));
            return Err(if goes_on { self.syntax_error(name.span, LOWER) } else { self.unexpected() });
        }
        self.refuse_hyphen(name)?;
        Ok(AttributeDef { declared: TypeName { base, is_list, is_nullable }, name, default })
    }

    fn attribute_word(&mut self) -> Result<(Word, bool)> {
        match *self.tok() {
            Tok::Class(sym) => Ok((Word { sym, span: self.take() }, true)),
            _ => Ok((self.expect_id()?, false)),
        }
    }

    fn dict_attribute(&mut self, declared: TypeName) -> Result<AttributeDef> {
        let (name, is_class) = self.attribute_word()?;
        let mut default = None;
        if self.take_char(b'=').is_some() {
            if self.is_keyword(Keyword::Null) {
                let span = self.take();
                if is_class {
                    return Err(self.syntax_error(name.span, LOWER));
                }
                if !declared.is_nullable {
                    let name_text = self.names.text(name.sym);
                    let message =
                        format!("null can not be assigned to dict, did you mean \"dict? {name_text} = null\"");
                    return Err(self.syntax_error(name.span, message));
                }
                default = Some(self.add(Kind::Literal(Value::Null), span, &[])?);
            } else {
                default = Some(self.dict()?);
            }
        }
        if is_class {
            return Err(self.syntax_error(name.span, LOWER));
        }
        self.refuse_hyphen(name)?;
        Ok(AttributeDef { declared, name, default })
    }

    /// The list of constants of a default value, which stays a list of parts.
    fn constants(&mut self, open: Span) -> Result<NodeId> {
        let mut items = Vec::new();
        while !self.is_char(b']') {
            items.push(self.constant()?);
            if self.take_char(b',').is_none() {
                break;
            }
        }
        self.expect_char(b']')?;
        let children = items.clone();
        self.add(Kind::List(items), open, &children)
    }

    fn implement(&mut self) -> Result<Top> {
        let class = self.expect_class()?;
        self.expect_keyword(Keyword::Using)?;
        let mut implementations = Vec::new();
        let mut with_parents = false;
        loop {
            if self.take_keyword(Keyword::Parents).is_some() {
                with_parents = true;
            } else {
                implementations.push(self.plain_path()?);
            }
            if self.take_char(b',').is_none() {
                break;
            }
        }
        let condition = if self.take_keyword(Keyword::When).is_some() {
            self.expression(0)?
        } else {
            self.add(Kind::Literal(Value::Bool(true)), class.span, &[])?
        };
        self.take_doc();
        if with_parents && !matches!(self.ast.kind(condition), Kind::Literal(Value::Bool(true))) {
            return Err(Raise::at(Class::Runtime, class.span, "Conditional implementation with parents not allowed"));
        }
        Ok(Top::Implement(ImplementDef { class, implementations, with_parents, condition }))
    }

    fn implementation(&mut self) -> Result<Top> {
        let name = self.expect_id()?;
        self.expect_keyword(Keyword::For)?;
        let class = self.expect_class()?;
        self.expect_char(b':')?;
        let doc = self.inside(Self::take_doc);
        let body = self.block()?;
        self.refuse_hyphen(name)?;
        Ok(Top::Implementation(ImplementationDef { name, class, body, doc }))
    }

    fn index(&mut self, span: Span) -> Result<Top> {
        let class = self.expect_class()?;
        self.expect_char(b'(')?;
        let mut attributes = vec![self.expect_id()?];
        while self.take_char(b',').is_some() {
            attributes.push(self.expect_id()?);
        }
        self.expect_char(b')')?;
        Ok(Top::Index(IndexDef { class, attributes, span }))
    }

    fn typedef(&mut self) -> Result<Top> {
        if let Tok::Class(sym) = *self.tok() {
            let name = Word { sym, span: self.take() };
            self.expect_keyword(Keyword::As)?;
            let start = self.at;
            let class = self.class_path()?;
            if class.is_none() || !self.is_char(b'(') {
                return Err(self.unexpected());
            }
            self.at = start;
            let (constructor, _) = self.primary()?;
            if self.edition == Edition::V4 {
                return Ok(Top::Defaults(DefaultsDef { name, constructor }));
            }
            return Err(self.syntax_error(name.span, "The use of default constructors is no longer supported"));
        }
        let name = self.expect_id()?;
        self.expect_keyword(Keyword::As)?;
        let base = if self.is_keyword(Keyword::Dict) && self.edition == Edition::V4 {
            Word { sym: self.names.sym("dict"), span: self.take() }
        } else {
            self.plain_path()?
        };
        let condition = match self.tok().clone() {
            Tok::Regex(pattern) => {
                let span = self.take();
                self.regex(pattern, span)?
            }
            _ => {
                self.expect_keyword(Keyword::Matching)?;
                self.expression(0)?
            }
        };
        let doc = self.take_doc();
        if !self.ends_definition() {
            return Err(self.unexpected());
        }
        if !self.mentions_self(condition, name) {
            let message = "typedef expressions should reference the self variable";
            let raise = Raise::at(Class::Typing, name.span, message);
            return Err(match self.ast.kind(condition) {
                Kind::Literal(Value::Str(pattern)) => raise
                    .with_label("the condition is a text, and no text reads `self`")
                    .with_help(format!("a regular expression is between slashes: write `/{pattern}/`")),
                _ => raise.with_help("write a condition on `self`, such as `self > 0`"),
            });
        }
        self.refuse_hyphen(name)?;
        Ok(Top::Typedef(TypedefDef { name, base, condition, doc }))
    }

    /// Whether the condition of a type reads the value.
    fn mentions_self(&self, condition: NodeId, name: Word) -> bool {
        let is_value = |sym| sym == name.sym || self.names.text(sym) == "self";
        let mut open = vec![condition];
        while let Some(node) = open.pop() {
            match self.ast.kind(node) {
                Kind::Name(sym) if is_value(*sym) => return true,
                kind => open.extend(super::super::walk::children(kind)),
            }
        }
        false
    }

    /// A relation, or a statement.
    pub(super) fn relation_or_statement(&mut self) -> Result<Option<Top>> {
        let start = self.at;
        if matches!(self.tok(), Tok::Class(_) | Tok::Id(_)) && self.skips_class() {
            let is_relation = self.is_char(b'.');
            let is_old = self.edition == Edition::V4 && matches!(self.tok(), Tok::Id(_));
            self.at = start;
            if is_relation {
                return self.relation().map(|relation| Some(Top::Relation(relation)));
            }
            if is_old {
                return self.old_relation().map(|relation| Some(Top::Relation(relation)));
            }
        }
        self.at = start;
        Ok(self.statement()?.map(Top::Statement))
    }

    /// Moves over the name of a class, without judging it.
    fn skips_class(&mut self) -> bool {
        loop {
            match self.tok() {
                Tok::Class(_) => {
                    self.at += 1;
                    return true;
                }
                Tok::Id(_) if matches!(self.next_tok(), Tok::Separator) => self.at += 2,
                _ => return false,
            }
        }
    }

    fn bounds(&mut self) -> Result<Bounds> {
        self.expect_char(b'[')?;
        let low = self.bound()?;
        let bounds = match (low, self.take_char(b':').is_some()) {
            (Some(low), false) => Bounds { low, high: Some(low) },
            (None, false) => return Err(self.unexpected()),
            (low, true) => {
                let high = self.bound()?;
                if low.is_none() && high.is_none() {
                    return Err(self.unexpected());
                }
                Bounds { low: low.unwrap_or(0), high }
            }
        };
        self.expect_char(b']')?;
        Ok(bounds)
    }

    fn bound(&mut self) -> Result<Option<i64>> {
        match *self.tok() {
            Tok::Int(number) => {
                self.take();
                Ok(Some(number))
            }
            _ => Ok(None),
        }
    }

    fn relation(&mut self) -> Result<RelationDef> {
        let class = self.expect_class()?;
        self.expect_char(b'.')?;
        let name = self.expect_id()?;
        let bounds = self.bounds()?;
        let mut annotations = Vec::new();
        if matches!(self.tok(), Tok::Relation) {
            self.take();
        } else {
            annotations.push(self.expression(0)?);
            while self.take_char(b',').is_some() {
                annotations.push(self.expression(0)?);
            }
        }
        let other = self.expect_class()?;
        let mut left = RelationSide { class, attribute: None };
        if self.take_char(b'.').is_some() {
            let name = self.expect_id()?;
            left.attribute = Some((name, self.bounds()?));
        }
        let doc = self.take_doc();
        let right = RelationSide { class: other, attribute: Some((name, bounds)) };
        for side in [&right, &left] {
            if let Some((name, _)) = side.attribute {
                self.refuse_hyphen(name)?;
            }
        }
        Ok(RelationDef { left, right, annotations, doc })
    }

    /// `File file [1:] -- [1] Service service`: the name beside a class is the attribute of the other class.
    fn old_relation(&mut self) -> Result<RelationDef> {
        let class = self.expect_class()?;
        let name = self.expect_id()?;
        let bounds = self.bounds()?;
        if !matches!(self.tok(), Tok::Relation) {
            return Err(self.unexpected());
        }
        self.take();
        let other_bounds = self.bounds()?;
        let other = self.expect_class()?;
        let other_name = self.expect_id()?;
        let doc = self.take_doc();
        Ok(RelationDef {
            left: RelationSide { class, attribute: Some((name, bounds)) },
            right: RelationSide { class: other, attribute: Some((other_name, other_bounds)) },
            annotations: Vec::new(),
            doc,
        })
    }
}

/// A name with a capital letter at its front.
fn capital(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
