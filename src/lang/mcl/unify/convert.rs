//! Converts written types to terms, and terms to the types of evaluation and to words.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::term::{Origin, Term, Terms, Ty};
use crate::lang::mcl::types::Type;

impl Terms {
    /// A written type.
    pub fn written(&mut self, ty: &Type, origin: Origin) -> Ty {
        match ty {
            Type::Bool => self.plain(Term::Bool, origin),
            Type::Str => self.plain(Term::Str, origin),
            Type::Int => self.plain(Term::Int, origin),
            Type::Float => self.plain(Term::Float, origin),
            // Refused at its place in the source.
            Type::Variant => self.plain(Term::Refused, origin),
            Type::List(item) => {
                let item = self.written(item, origin);
                self.list(item, origin)
            }
            Type::Map(key, value) => {
                let (key, value) = (self.written(key, origin), self.written(value, origin));
                self.map(key, value, origin)
            }
            Type::Struct(fields) => {
                let names: Vec<_> = fields.iter().map(|(name, _)| name.clone()).collect();
                let types: Vec<_> = fields.iter().map(|(_, ty)| self.written(ty, origin)).collect();
                self.structure(&names, &types, origin)
            }
            Type::Func(params, result) => {
                let params: Vec<_> = params.iter().map(|(_, ty)| self.written(ty, origin)).collect();
                let result = self.written(result, origin);
                self.func(&params, result, origin)
            }
        }
    }

    /// The type for evaluation; `None` while it contains a variable, or if it is nested absurdly deep or large.
    pub fn known(&mut self, ty: Ty) -> Option<Arc<Type>> {
        self.known_within(ty, &mut FxHashMap::default(), &mut 10_000, 200)
    }

    fn known_within(
        &mut self,
        ty: Ty,
        done: &mut FxHashMap<Ty, Arc<Type>>,
        size: &mut u32,
        depth: u32,
    ) -> Option<Arc<Type>> {
        let root = self.find(ty);
        if let Some(ty) = done.get(&root) {
            return Some(ty.clone());
        }
        *size = size.checked_sub(1)?;
        let depth = depth.checked_sub(1)?;
        let mut part = |terms: &mut Self, ty| terms.known_within(ty, done, size, depth);
        let ty = Arc::new(match self.term(root) {
            Term::Var | Term::Same(_) | Term::Refused => return None,
            Term::Bool => Type::Bool,
            Term::Str => Type::Str,
            Term::Int => Type::Int,
            Term::Float => Type::Float,
            Term::List(item) => Type::List(part(self, item)?),
            Term::Map(key, value) => Type::Map(part(self, key)?, part(self, value)?),
            Term::Struct { shape, at } => {
                let names = self.names(shape);
                let mut fields = Vec::with_capacity(names.len());
                for (i, name) in names.iter().enumerate() {
                    fields.push((name.clone(), part(self, self.part(at, i as u32))?));
                }
                Type::Struct(fields)
            }
            Term::Func { at, params } => {
                let mut list = Vec::with_capacity(params as usize);
                for i in 0..params {
                    list.push((None, part(self, self.part(at, i))?));
                }
                Type::Func(list, part(self, self.part(at, params))?)
            }
        });
        done.insert(root, ty.clone());
        Some(ty)
    }

    /// The type in words, `_` for unknown parts and `...` for parts that are nested too deep.
    pub fn show(&mut self, ty: Ty) -> String {
        let mut out = String::new();
        self.show_into(ty, &mut out, 4, &mut None);
        out
    }

    /// The same with `?1`, `?2` for parts that each use decides.
    pub fn show_general(&mut self, ty: Ty) -> String {
        let mut out = String::new();
        self.show_into(ty, &mut out, 6, &mut Some(Vec::new()));
        out
    }

    fn show_into(&mut self, ty: Ty, out: &mut String, depth: u32, holes: &mut Option<Vec<Ty>>) {
        let Some(depth) = depth.checked_sub(1).filter(|_| out.len() < 200) else { return out.push_str("...") };
        match self.term(ty) {
            Term::Var if holes.is_some() => {
                let root = self.find(ty);
                let holes = holes.get_or_insert_default();
                let at = holes.iter().position(|hole| *hole == root).unwrap_or_else(|| {
                    holes.push(root);
                    holes.len() - 1
                });
                out.push_str(&format!("?{}", at + 1));
            }
            Term::Var | Term::Same(_) | Term::Refused => out.push('_'),
            Term::List(item) => {
                out.push_str("[]");
                self.show_into(item, out, depth, holes);
            }
            Term::Map(key, value) => {
                out.push_str("map{");
                self.show_into(key, out, depth, holes);
                out.push_str(": ");
                self.show_into(value, out, depth, holes);
                out.push('}');
            }
            Term::Struct { shape, at } => {
                out.push_str("struct{");
                for (i, name) in self.names(shape).iter().enumerate() {
                    out.push_str(if i > 0 { "; " } else { "" });
                    out.push_str(name);
                    out.push(' ');
                    self.show_into(self.part(at, i as u32), out, depth, holes);
                }
                out.push('}');
            }
            Term::Func { at, params } => {
                out.push_str("func(");
                for i in 0..params {
                    out.push_str(if i > 0 { ", " } else { "" });
                    self.show_into(self.part(at, i), out, depth, holes);
                }
                out.push_str(") ");
                self.show_into(self.part(at, params), out, depth, holes);
            }
            plain => out.push_str(plain.kind()),
        }
    }
}
