//! Parses types: `map{str: []int}`, `func(str, $x int) bool`.

use std::sync::Arc;

use smol_str::SmolStr;

use super::{Parsed, Parser, Rank};
use crate::diag::{Code, Diagnostic};
use crate::lang::mcl::ast::{ExprId, ExprKind, TypeNote};
use crate::lang::mcl::lexer::TokenKind as T;
use crate::lang::mcl::literal;
use crate::lang::mcl::types::Type;
use crate::source::Span;

/// An argument of a function type, with its place.
type FuncArg = (Option<SmolStr>, Arc<Type>, Span);

impl Parser<'_> {
    /// Whether a type can start here.
    pub(super) fn at_type(&self) -> bool {
        matches!(
            self.kind(),
            T::Bool
                | T::StrType
                | T::IntType
                | T::FloatType
                | T::Variant
                | T::OpenBrack
                | T::Map
                | T::Struct
                | T::Func
                | T::OpenCurly
        )
    }

    pub(super) fn type_note(&mut self) -> Parsed<TypeNote> {
        let start = self.token();
        let ty = self.ty()?;
        Ok(TypeNote { ty, span: self.since(start) })
    }

    pub(super) fn ty(&mut self) -> Parsed<Arc<Type>> {
        self.enter()?;
        let ty = match self.kind() {
            T::Bool => self.plain(Type::Bool),
            T::StrType => self.plain(Type::Str),
            T::IntType => self.plain(Type::Int),
            T::FloatType => self.plain(Type::Float),
            T::Variant => self.plain(Type::Variant),
            T::OpenBrack => self.list_type()?,
            T::Map => self.map_type()?,
            T::Struct => self.struct_type()?,
            T::Func => self.func_type()?,
            T::OpenCurly => {
                return Err(self.older("old syntax of map types", "write `map{...}`, such as `map{str: int}`".into()));
            }
            _ => return Err(self.unexpected("a type")),
        };
        self.leave();
        Ok(Arc::new(ty))
    }

    fn plain(&mut self, ty: Type) -> Type {
        self.bump();
        ty
    }

    fn list_type(&mut self) -> Parsed<Type> {
        self.bump();
        if self.kind() != T::CloseBrack && self.at_type() {
            let label = "the element type follows the brackets";
            return Err(self.older(label, format!("write `[]{}`", self.slice(self.token()))));
        }
        self.expect(T::CloseBrack, "`]`")?;
        Ok(Type::List(self.ty()?))
    }

    fn map_type(&mut self) -> Parsed<Type> {
        self.bump();
        self.expect(T::OpenCurly, "`{`")?;
        let key = self.ty()?;
        self.expect(T::Colon, "`:` and the type of the values")?;
        let value = self.ty()?;
        self.expect(T::CloseCurly, "`}`")?;
        Ok(Type::Map(key, value))
    }

    /// `struct{a int; b str}`, on one line, with no semicolon at its end.
    fn struct_type(&mut self) -> Parsed<Type> {
        self.bump();
        self.expect(T::OpenCurly, "`{`")?;
        let mut fields: Vec<(SmolStr, Arc<Type>, Span)> = Vec::new();
        if !self.eat(T::CloseCurly) {
            loop {
                let name = self.ident("a field's name or `}`")?;
                fields.push((name.text, self.ty()?, name.span));
                if self.eat(T::CloseCurly) {
                    break;
                }
                if self.kind() == T::Comma {
                    let help = Some("separate the fields of a struct type with `;`: `struct{a int; b str}`");
                    return Err(self.unexpected_help("`;` or `}`", help));
                }
                self.expect(T::Semicolon, "`;` or `}`")?;
            }
        }
        self.twice("field", fields.iter().map(|(name, _, span)| (name, *span)));
        Ok(Type::Struct(fields.into_iter().map(|(name, ty, _)| (name, ty)).collect()))
    }

    fn func_type(&mut self) -> Parsed<Type> {
        self.bump();
        let open = self.expect(T::OpenParen, "`(`")?;
        let args = self.list(open, T::CloseParen, "`)`", Self::func_type_arg)?;
        let returns = self.ty()?;
        self.twice("argument", args.iter().filter_map(|(name, _, span)| Some((name.as_ref()?, *span))));
        Ok(Type::Func(args.into_iter().map(|(name, ty, _)| (name, ty)).collect(), returns))
    }

    fn func_type_arg(&mut self) -> Parsed<FuncArg> {
        let start = self.token();
        let name = if self.kind() == T::Dollar { Some(self.var_name("a name")?.text) } else { None };
        let ty = self.ty()?;
        Ok((name, ty, self.since(start)))
    }

    /// Reports an annotation that contradicts its literal; all other values are left to the type checker.
    pub(super) fn check_note(&mut self, note: &TypeNote, value: ExprId) {
        let inner = self.ast.inner(value);
        let fits = match &self.ast.exprs[inner].kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) => {
                literal::type_of(self.ast, inner).is_none_or(|ty| ty == *note.ty)
            }
            ExprKind::Map(_) => matches!(&*note.ty, Type::Map(key, _) if literal::is_key(key)),
            ExprKind::Lambda { returns: Some(_), .. } => {
                literal::type_of(self.ast, inner).is_none_or(|ty| ty == *note.ty)
            }
            _ => true,
        };
        if !fits {
            // With parentheses around it, the reference stops at the last of them.
            let span = if inner == value { self.ast.exprs[value].span } else { self.span(self.last()) };
            let label = match &*note.ty {
                Type::Map(key, _) if !literal::is_key(key) => format!("`{key}` is not allowed as a map key type"),
                ty => format!("this is not a `{ty}`"),
            };
            self.report(
                Rank::Type,
                Diagnostic::error(Code::TypeMismatch, span)
                    .label(label)
                    .related(note.span, "the annotation")
                    .help("change the value or the annotation, or remove the annotation"),
            );
        }
    }

    /// Reports repeated names in a type, at the reference's place: the token that ends the type.
    fn twice<'n>(&mut self, what: &str, names: impl Iterator<Item = (&'n SmolStr, Span)>) {
        let mut seen = rustc_hash::FxHashMap::default();
        let mut problem = None;
        for (name, span) in names {
            if let Some(first) = seen.insert(name.clone(), span) {
                problem.get_or_insert((name.clone(), first, span));
            }
        }
        if let Some((name, first, second)) = problem {
            let diagnostic = Diagnostic::error(Code::InvalidType, self.span(self.last()))
                .label(format!("this type has the {what} `{name}` twice"))
                .related(first, "first here")
                .related(second, "and again here")
                .help("rename one of them");
            self.report(Rank::Type, diagnostic);
        }
    }
}
