//! Every symbol of a program's text, with its meaning.

use smol_str::SmolStr;

use super::ast::{EdgeHalf, ExprId, ExprKind, ItemKind, Param, Resource, StmtId, StmtKind};
use super::builtin::{Function, Variable};
use super::links::Named;
use super::scope::{CallTarget, Resolved, ScopeId, SlotKind, VarTarget};
use crate::source::Span;

/// The meaning of a word; two words with the same one mean the same thing.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A `$name = ...`, a `func` or a `class`.
    Stmt(StmtId),
    /// The n-th parameter of a function, class or loop.
    Param(ScopeId, u32),
    Function(&'static Function),
    Global(&'static Variable),
    /// A resource that is declared, or named by one end of an edge.
    Resource(Named),
    /// A kind and its parameter.
    Field(SmolStr, SmolStr),
    Meta(SmolStr),
    Module(SmolStr),
    /// An undefined name: its namespace, and the name.
    Undefined(&'static str, SmolStr),
    /// Not a word: any other expression.
    Value(ExprId),
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Symbol::Stmt(a), Symbol::Stmt(b)) => a == b,
            (Symbol::Param(a, n), Symbol::Param(b, m)) => (a, n) == (b, m),
            (Symbol::Function(a), Symbol::Function(b)) => (a.module, a.name) == (b.module, b.name),
            (Symbol::Global(a), Symbol::Global(b)) => a.name == b.name,
            (Symbol::Resource(a), Symbol::Resource(b)) => a.means(b),
            (Symbol::Meta(a), Symbol::Meta(b)) => a == b,
            (Symbol::Module(a), Symbol::Module(b)) => a == b,
            (Symbol::Field(a, x), Symbol::Field(b, y)) => (a, x) == (b, y),
            (Symbol::Undefined(a, x), Symbol::Undefined(b, y)) => (a, x) == (b, y),
            (Symbol::Value(a), Symbol::Value(b)) => a == b,
            _ => false,
        }
    }
}

/// A word, with its place.
#[derive(Clone, Debug)]
pub struct Word {
    pub span: Span,
    pub symbol: Symbol,
    /// Its expression.
    pub expr: Option<ExprId>,
    /// Whether this is its definition.
    pub defines: bool,
    /// The type annotation of a parameter.
    pub note: Option<String>,
}

/// All words of all files, in order of place.
pub fn words(resolved: &Resolved) -> Vec<Word> {
    let mut list = List { resolved, words: Vec::new() };
    resolved.ast.exprs.iter().for_each(|(id, expr)| list.expr(id, &expr.kind));
    resolved.ast.stmts.iter().for_each(|(id, stmt)| list.stmt(id, &stmt.kind));
    list.words.sort_by_key(|word| word.span);
    list.words
}

struct List<'a> {
    resolved: &'a Resolved,
    words: Vec<Word>,
}

impl List<'_> {
    fn add(&mut self, span: Span, symbol: Symbol, expr: Option<ExprId>, defines: bool) {
        self.words.push(Word { span, symbol, expr, defines, note: None });
    }

    fn expr(&mut self, id: ExprId, kind: &ExprKind) {
        let scopes = &self.resolved.scopes;
        match kind {
            ExprKind::Var(name) | ExprKind::CallVar { func: name, .. } => {
                let symbol = match scopes.vars.get(id) {
                    Some(VarTarget::Global(variable)) => Symbol::Global(variable),
                    Some(VarTarget::Slot { scope, slot, .. }) => match scopes.scopes[*scope].slots[*slot as usize].kind
                    {
                        SlotKind::Bind(stmt) => Symbol::Stmt(stmt),
                        _ => Symbol::Param(*scope, *slot),
                    },
                    None => Symbol::Undefined("variable", name.text.clone()),
                };
                let expr = matches!(kind, ExprKind::Var(_)).then_some(id);
                self.add(name.span, symbol, expr, false);
            }
            ExprKind::Call { func, .. } => match scopes.calls.get(id) {
                Some(CallTarget::Builtin(function)) => self.add(func.span, Symbol::Function(function), None, false),
                Some(CallTarget::Func { func: stmt, .. }) => self.add(func.span, Symbol::Stmt(*stmt), None, false),
                None => self.add(func.span, Symbol::Undefined("function", func.text.clone()), None, false),
            },
            ExprKind::Lambda { params, .. } => self.params(scopes.of_lambda.get(id).copied(), params),
            _ => {}
        }
    }

    fn stmt(&mut self, id: StmtId, kind: &StmtKind) {
        let scopes = &self.resolved.scopes;
        match kind {
            StmtKind::Bind { name, .. } => self.add(name.span, Symbol::Stmt(id), None, true),
            StmtKind::Func { name, params, .. } => {
                self.add(name.span, Symbol::Stmt(id), None, true);
                self.params(scopes.of_func.get(id).copied(), params);
            }
            StmtKind::Class { path, params, body } => {
                if let Some(name) = path.last() {
                    self.add(name.span, Symbol::Stmt(id), None, true);
                }
                self.params(scopes.of_block.get(*body).copied(), params);
            }
            StmtKind::For { index, value, body, .. } | StmtKind::ForKv { key: index, value, body, .. } => {
                let Some(scope) = scopes.of_block.get(*body).copied() else { return };
                for (n, name) in [index, value].into_iter().enumerate() {
                    self.add(name.span, Symbol::Param(scope, n as u32), None, true);
                }
            }
            StmtKind::Include { class, .. } => {
                let symbol = match scopes.includes.get(id) {
                    Some(target) => Symbol::Stmt(target.class),
                    None => Symbol::Undefined("class", class.text.clone()),
                };
                self.add(class.span, symbol, None, false);
            }
            StmtKind::Import { name, name_span, .. } => {
                self.add(*name_span, Symbol::Module(name.clone()), None, false);
            }
            StmtKind::Resource(resource) | StmtKind::Collect(resource) => self.resource(resource),
            StmtKind::Edge { halves } => halves.iter().for_each(|half| self.half(half)),
            StmtKind::If { .. } | StmtKind::Panic { .. } => {}
        }
    }

    fn params(&mut self, scope: Option<ScopeId>, params: &[Param]) {
        let Some(scope) = scope else { return };
        for (n, param) in params.iter().enumerate() {
            let note = param.note.as_ref().map(|note| note.ty.to_string());
            let symbol = Symbol::Param(scope, n as u32);
            self.words.push(Word { span: param.name.span, symbol, expr: None, defines: true, note });
        }
    }

    fn resource(&mut self, resource: &Resource) {
        let named = Named::of(self.resolved, &resource.kind, resource.name);
        self.add(named.span, Symbol::Resource(named), None, true);
        for item in &resource.items {
            match &item.kind {
                ItemKind::Field { name, .. } => {
                    let symbol = Symbol::Field(resource.kind.text.clone(), name.text.clone());
                    self.add(name.span, symbol, None, false);
                }
                ItemKind::Meta { param, .. } => self.add(param.span, Symbol::Meta(param.text.clone()), None, false),
                ItemKind::Edge { half, .. } => self.half(half),
                ItemKind::MetaStruct { .. } => {}
            }
        }
    }

    fn half(&mut self, half: &EdgeHalf) {
        let named = Named::of(self.resolved, &half.kind, half.name);
        self.add(named.span, Symbol::Resource(named), None, false);
        if let Some(field) = &half.field {
            let symbol = Symbol::Field(half.kind.text.clone(), field.text.clone());
            self.add(field.span, symbol, None, false);
        }
    }
}
