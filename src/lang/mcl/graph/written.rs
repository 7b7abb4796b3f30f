//! Where the text says what a resource's check found fault with.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::lang::mcl::ast::{Ast, ItemKind, Resource, StmtKind};
use crate::source::Span;

/// The resources of a program by where they stand; gone through once, and only where something is at fault.
pub struct Written<'a> {
    ast: &'a Ast,
    resources: OnceCell<FxHashMap<Span, &'a Resource>>,
}

impl<'a> Written<'a> {
    pub fn new(ast: &'a Ast) -> Self {
        Self { ast, resources: OnceCell::new() }
    }

    /// Where the resource that stands at `span` sets the parameters that `why` names in backticks, in the order of that.
    ///
    /// What is left out of the text, as a default, is not there.
    pub fn parameters(&self, span: Span, why: &str) -> Vec<Span> {
        let found = self.resources.get_or_init(|| resources(self.ast)).get(&span);
        let names = why.split('`').skip(1).step_by(2);
        let named = |name| found?.items.iter().find(|item| sets(&item.kind, name)).map(|item| item.span);
        names.filter_map(named).collect()
    }
}

fn resources(ast: &Ast) -> FxHashMap<Span, &Resource> {
    let mut resources = FxHashMap::default();
    for (_, stmt) in ast.stmts.iter() {
        if let StmtKind::Resource(resource) = &stmt.kind {
            resources.insert(stmt.span, resource);
        }
    }
    resources
}

fn sets(item: &ItemKind, name: &str) -> bool {
    match item {
        ItemKind::Field { name: field, .. } => field.text == name,
        ItemKind::Meta { param, .. } => param.text == name,
        ItemKind::Edge { .. } | ItemKind::MetaStruct { .. } => false,
    }
}
