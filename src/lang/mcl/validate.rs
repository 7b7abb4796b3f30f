//! Checks of a tree that need neither names nor types.
//!
//! Source: the `Init` methods of mgmt `lang/ast/structs.go`.

use rustc_hash::FxHashMap;

use super::ast::{Ast, BlockId, Expr, ExprId, ExprKind, ItemKind, Mark, Resource, StmtId, StmtKind};
use super::literal;
use super::types::Type;
use crate::diag::{Code, Diagnostic, Diagnostics, nearest};
use crate::resource::{META, meta_parameter};
use crate::source::Span;

/// Something to check.
enum Node {
    Expr(ExprId),
    Stmt(StmtId),
}

/// Checks the nodes that were added to the tree since a mark, inner parts first, as the reference does.
pub fn validate(ast: &Ast, new: Mark, diags: &mut Diagnostics) {
    let exprs = new.exprs(ast).filter(|id| matches!(ast.exprs[*id].kind, ExprKind::Struct(_) | ExprKind::Map(_)));
    let mut nodes: Vec<_> = exprs.map(|id| (ast.exprs[id].span.end, Node::Expr(id))).collect();
    nodes.extend(new.stmts(ast).map(|id| (ast.stmts[id].span.end, Node::Stmt(id))));
    nodes.sort_by_key(|(end, _)| *end);
    for (_, node) in nodes {
        match node {
            Node::Expr(id) => check_expr(ast, &ast.exprs[id], diags),
            Node::Stmt(id) => check_stmt(ast, id, diags),
        }
    }
}

fn check_stmt(ast: &Ast, id: StmtId, diags: &mut Diagnostics) {
    let stmt = &ast.stmts[id];
    match &stmt.kind {
        StmtKind::Resource(resource) | StmtKind::Collect(resource) => check_resource(resource, stmt.span, diags),
        StmtKind::For { body, .. } | StmtKind::ForKv { body, .. } => check_loop(ast, id, *body, diags),
        StmtKind::Import { name, .. } if name.is_empty() => diags.push(
            Diagnostic::error(Code::InvalidImport, stmt.span)
                .label("this import is empty")
                .help("import a system module (`fmt`), a file (`x.mcl`), a folder (`x/`) or a URL"),
        ),
        _ => {}
    }
}

fn check_expr(ast: &Ast, expr: &Expr, diags: &mut Diagnostics) {
    match &expr.kind {
        ExprKind::Struct(fields) => {
            let mut seen = FxHashMap::default();
            for (name, _) in fields {
                if let Some(before) = seen.insert(&name.text, name.span) {
                    diags.push(
                        Diagnostic::error(Code::DuplicateField, expr.span)
                            .label(format!("this struct has two fields `{}`", name.text))
                            .related(before, "the first")
                            .related(name.span, "the second")
                            .help("field names must be unique: remove or rename one"),
                    );
                }
            }
        }
        ExprKind::Map(pairs) => check_keys(ast, expr.span, pairs, diags),
        _ => {}
    }
}

fn check_keys(ast: &Ast, map: Span, pairs: &[(ExprId, ExprId)], diags: &mut Diagnostics) {
    let mut seen = FxHashMap::default();
    let mut first: Option<(Type, Span)> = None;
    for (key, _) in pairs {
        let span = ast.exprs[*key].span;
        if let Some(ty) = literal::type_of(ast, *key) {
            match &first {
                Some((other, there)) if *other != ty => diags.push(
                    Diagnostic::error(Code::InvalidMapKey, span)
                        .label(format!("this key is of type {ty}, the keys before it are of type {other}"))
                        .related(*there, format!("this is a {other}"))
                        .help("all keys of a map must have the same type: a number in quotes is a str"),
                ),
                Some(_) => {}
                None if literal::is_key(&ty) => first = Some((ty, span)),
                None => {
                    let wrong = Diagnostic::error(Code::InvalidMapKey, map).related(span, "this one");
                    let label = "a key cannot be a list, a map, a function, or a struct that contains one";
                    return diags.push(wrong.label(label).help("use a string, a number or a struct of these"));
                }
            }
        }
        let Some(value) = literal::value_of(ast, *key) else { continue };
        if let Some(before) = seen.insert(value, span) {
            diags.push(
                Diagnostic::error(Code::DuplicateKey, map)
                    .label("duplicate key in this map")
                    .related(before, "the first")
                    .related(span, "the second")
                    .help("a key can only have one value: remove one"),
            );
        }
    }
}

fn check_resource(resource: &Resource, span: Span, diags: &mut Diagnostics) {
    let mut seen = FxHashMap::default();
    for item in &resource.items {
        let (name, shown) = match &item.kind {
            ItemKind::Field { name, .. } => (format!("field {}", name.text), format!("`{}`", name.text)),
            ItemKind::Meta { param, .. } => {
                if meta_parameter(&param.text).is_none() {
                    let unknown = Diagnostic::error(Code::UnknownMeta, param.span)
                        .label(format!("unknown meta parameter `Meta:{}`", param.text));
                    let near = nearest(&param.text, META.iter().map(|m| m.name))
                        .map(|near| format!("did you mean `Meta:{near}`?"));
                    diags.push(unknown.help(near.unwrap_or_else(|| {
                        format!(
                            "the meta parameters are {}",
                            META.iter().map(|m| m.name).collect::<Vec<_>>().join(", ")
                        )
                    })));
                }
                (format!("meta {}", param.text), format!("`Meta:{}`", param.text))
            }
            // Duplicates are found when their types are known: in the function graph.
            ItemKind::MetaStruct { .. } | ItemKind::Edge { .. } => continue,
        };
        if let Some(before) = seen.insert(name, item.span) {
            diags.push(
                Diagnostic::error(Code::DuplicateField, item.span)
                    .label(format!("this resource sets {shown} twice"))
                    .related(before, "first set here")
                    .related(span, "in this resource")
                    .help("remove one; to choose between two values, use `if` in one of them"),
            );
        }
    }
}

/// An import does not depend on a loop's variables, so none may be directly in a loop's body.
fn check_loop(ast: &Ast, stmt: StmtId, body: BlockId, diags: &mut Diagnostics) {
    for inner in &ast.blocks[body].stmts {
        if let StmtKind::Import { .. } = ast.stmts[*inner].kind {
            diags.push(
                Diagnostic::error(Code::MisplacedImport, ast.stmts[stmt].span)
                    .label("a loop cannot contain an import")
                    .related(ast.stmts[*inner].span, "the import")
                    .help("move the import before the loop"),
            );
        }
    }
}
