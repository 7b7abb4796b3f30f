//! Types as they are written: `[]str`, `map{str: int}`, `struct{a int; b str}`, `func(str, $x int) bool`.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Parsed, Parser};
use crate::diag::{Code, Diagnostic, Diagnostics, Stage};
use crate::lang::mcl::ast::{Ast, Param, TypeNote};
use crate::lang::mcl::lexer::{Keyword, Kind, lex};
use crate::lang::mcl::types::Type;
use crate::source::FileId;

/// Parses a text that is nothing but a type.
pub fn parse_type(text: &str) -> Option<Arc<Type>> {
    let mut diags = Diagnostics::new(Stage::Parse);
    let tokens = lex(FileId(0), text, &mut diags);
    let mut ast = Ast::default();
    let mut parser =
        Parser { text, tokens: tokens.list, at: 0, ast: &mut ast, diags: &mut diags, depth: 0, mistakes: 0 };
    let ty = parser.ty().ok().filter(|_| parser.kind() == Kind::End);
    ty.filter(|_| !diags.has_errors())
}

impl Parser<'_> {
    /// A type, if one starts here.
    pub(super) fn note(&mut self) -> Parsed<Option<TypeNote>> {
        use Keyword::{Bool, Float, Func, Int, Map, Str, Struct, Variant};
        let starts = match self.kind() {
            Kind::OpenBracket => true,
            Kind::OpenCurly => return self.older_map(),
            Kind::Keyword(word) => matches!(word, Bool | Str | Int | Float | Map | Struct | Func | Variant),
            _ => false,
        };
        if !starts {
            return Ok(None);
        }
        let start = self.span();
        let ty = self.ty()?;
        Ok(Some(TypeNote { ty, span: self.since(start) }))
    }

    /// `{str: float}`, once a map's type. A block may start here too; only a type has a colon behind its first word.
    fn older_map(&mut self) -> Parsed<Option<TypeNote>> {
        let is_type =
            matches!(self.ahead(1), Kind::Keyword(Keyword::Str | Keyword::Int | Keyword::Bool | Keyword::Float));
        if !is_type || self.ahead(2) != Kind::Colon {
            return Ok(None);
        }
        let wrong = Diagnostic::error(Code::OlderSyntax, self.span())
            .label("the older form of a map's type")
            .help("write `map{` instead of `{`: a map of texts to floats is `map{str: float}`");
        self.refuse(wrong)
    }

    fn ty(&mut self) -> Parsed<Arc<Type>> {
        self.deeper(|this| this.ty_here().map(Arc::new))
    }

    fn ty_here(&mut self) -> Parsed<Type> {
        let kind = self.kind();
        if kind == Kind::OpenBracket {
            self.at += 1;
            if self.kind() != Kind::CloseBracket {
                let wrong = self.wrong("`]`");
                return self.refuse(wrong.help("a list's type is written with its brackets in front: `[]str`"));
            }
            self.at += 1;
            return Ok(Type::List(self.ty()?));
        }
        let Kind::Keyword(word) = kind else { return self.unexpected("a type") };
        self.at += 1;
        match word {
            Keyword::Bool => Ok(Type::Bool),
            Keyword::Str => Ok(Type::Str),
            Keyword::Int => Ok(Type::Int),
            Keyword::Float => Ok(Type::Float),
            Keyword::Variant => Ok(Type::Variant),
            Keyword::Map => {
                self.expect(Kind::OpenCurly)?;
                let key = self.ty()?;
                self.expect(Kind::Colon)?;
                let value = self.ty()?;
                self.expect(Kind::CloseCurly)?;
                Ok(Type::Map(key, value))
            }
            Keyword::Struct => self.struct_type(),
            Keyword::Func => {
                self.expect(Kind::OpenParen)?;
                let params = self.list(Kind::CloseParen, "a type", Self::func_type_param)?;
                Ok(Type::Func(params, self.ty()?))
            }
            _ => {
                self.at -= 1;
                self.unexpected("a type")
            }
        }
    }

    fn func_type_param(&mut self) -> Parsed<(Option<SmolStr>, Arc<Type>)> {
        let name = match self.take(Kind::Dollar) {
            true => Some(self.identifier("a name")?.text),
            false => None,
        };
        Ok((name, self.ty()?))
    }

    fn struct_type(&mut self) -> Parsed<Type> {
        self.expect(Kind::OpenCurly)?;
        let mut fields: Vec<(SmolStr, Arc<Type>)> = Vec::new();
        if self.take(Kind::CloseCurly) {
            return Ok(Type::Struct(fields));
        }
        loop {
            if self.kind() != Kind::Identifier {
                return self.unexpected("the name of a field");
            }
            let name = self.word();
            self.at += 1;
            let ty = self.ty()?;
            if fields.iter().any(|(have, _)| *have == name) {
                let twice = Diagnostic::error(Code::DuplicateField, self.tokens[self.at - 1].span)
                    .label(format!("field `{name}` is there already"))
                    .help("each field of a struct has a name of its own");
                return self.refuse(twice);
            }
            fields.push((name, ty));
            if self.take(Kind::CloseCurly) {
                return Ok(Type::Struct(fields));
            }
            if self.kind() != Kind::Semicolon {
                return self.unexpected("`;` or `}`");
            }
            self.at += 1;
        }
    }

    /// `($a, $b str)` of a definition.
    pub(super) fn params(&mut self) -> Parsed<Vec<Param>> {
        self.expect(Kind::OpenParen)?;
        self.list(Kind::CloseParen, "`$` and a name", |this| {
            let start = this.expect(Kind::Dollar)?;
            let name = this.identifier("a name")?;
            let note = this.note()?;
            Ok(Param { name, note, span: this.since(start) })
        })
    }
}
