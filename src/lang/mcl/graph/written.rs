//! Finds the place of a resource's invalid parameters in the text.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use crate::lang::mcl::ast::{Ast, ItemKind, Resource, StmtKind};
use crate::source::Span;

/// The resources of a program by place; collected once, and only if there is an error.
pub struct Written<'a> {
    ast: &'a Ast,
    resources: OnceCell<FxHashMap<Span, &'a Resource>>,
}

impl<'a> Written<'a> {
    /// Makes an empty index; the resources are collected on first use.
    pub fn new(ast: &'a Ast) -> Self {
        Self { ast, resources: OnceCell::new() }
    }

    /// The place where the resource at `span` sets a parameter.
    ///
    /// A default that is not in the text has no place.
    pub fn parameter(&self, span: Span, name: &str) -> Option<Span> {
        let found = self.resources.get_or_init(|| resources(self.ast)).get(&span)?;
        found.items.iter().find(|item| sets(&item.kind, name)).map(|item| item.span)
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
