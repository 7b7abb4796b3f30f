//! The meta parameters that one body sets twice: `Meta => struct{...}` names all of them, so nothing may stand beside it.

use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::lang::mcl::ast::{Ast, ItemKind, Resource, StmtKind};
use crate::lang::mcl::scope::Scopes;
use crate::source::Span;

/// Reports every such body in what the program reaches, whether its branch is taken or not.
pub fn check_meta(ast: &Ast, scopes: &Scopes, diags: &mut Diagnostics) {
    for (block, _) in scopes.of_block.iter() {
        for stmt in &ast.blocks[block].stmts {
            let statement = &ast.stmts[*stmt];
            if let StmtKind::Resource(resource) | StmtKind::Collect(resource) = &statement.kind {
                check(resource, statement.span, diags);
            }
        }
    }
}

fn check(resource: &Resource, span: Span, diags: &mut Diagnostics) {
    let whole = resource.items.iter().find(|item| matches!(item.kind, ItemKind::MetaStruct { .. }));
    let Some(whole) = whole else { return };
    let is_other = |kind: &ItemKind| matches!(kind, ItemKind::Meta { .. } | ItemKind::MetaStruct { .. });
    if let Some(other) = resource.items.iter().find(|item| item.span != whole.span && is_other(&item.kind)) {
        diags.push(
            Diagnostic::error(Code::DuplicateMeta, span)
                .label("sets a meta parameter twice")
                .related(whole.span, "all meta parameters are set here")
                .related(other.span, "set again here")
                .help("leave one of them out"),
        );
    }
}
