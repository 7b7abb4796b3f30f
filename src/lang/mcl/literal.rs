//! The type and value of an expression from its own text alone, before any name is resolved.
//!
//! Strings count as written, escapes and variables included. Source: the `Type` and `Value` methods of mgmt
//! `lang/ast/structs.go`, as far as they work right after parsing.

use std::sync::Arc;

use smol_str::SmolStr;

use super::ast::{Ast, ExprId, ExprKind};
use super::types::Type;

/// The type of an expression, if its text determines it: not that of an empty list, a variable, a call or an operator.
pub fn type_of(ast: &Ast, expr: ExprId) -> Option<Type> {
    match &ast.exprs[expr].kind {
        ExprKind::Bool(_) => Some(Type::Bool),
        ExprKind::Int(_) => Some(Type::Int),
        ExprKind::Float(_) => Some(Type::Float),
        ExprKind::Str(_) => Some(Type::Str),
        ExprKind::List(items) => Some(Type::List(common(ast, items.iter())?)),
        ExprKind::Map(pairs) => {
            let key = common(ast, pairs.iter().map(|(key, _)| key))?;
            Some(Type::Map(key, common(ast, pairs.iter().map(|(_, value)| value))?))
        }
        ExprKind::Struct(fields) if !fields.is_empty() => {
            let fields = fields.iter().map(|(name, value)| Some((name.text.clone(), Arc::new(type_of(ast, *value)?))));
            fields.collect::<Option<Vec<_>>>().map(Type::Struct)
        }
        ExprKind::Lambda { params, returns, body } => {
            let params = params.iter().map(|p| Some((None, p.note.as_ref()?.ty.clone())));
            let params = params.collect::<Option<Vec<(Option<SmolStr>, _)>>>()?;
            let returns = returns.as_ref().map(|note| note.ty.clone());
            Some(Type::Func(params, returns.or_else(|| type_of(ast, *body).map(Arc::new))?))
        }
        ExprKind::If { then, else_part: other, .. } | ExprKind::Except { value: then, default: other } => {
            match (type_of(ast, *then), type_of(ast, *other)) {
                (Some(one), Some(two)) => (one == two).then_some(one),
                (one, two) => one.or(two),
            }
        }
        ExprKind::Paren(inner) => type_of(ast, *inner),
        _ => None,
    }
}

/// The common type of all elements, if there are any.
fn common<'a>(ast: &Ast, mut items: impl Iterator<Item = &'a ExprId>) -> Option<Arc<Type>> {
    let first = type_of(ast, *items.next()?)?;
    items.all(|item| type_of(ast, *item).as_ref() == Some(&first)).then(|| Arc::new(first))
}

/// The value of an expression as text that distinguishes it from others of its type.
pub fn value_of(ast: &Ast, expr: ExprId) -> Option<String> {
    match &ast.exprs[expr].kind {
        ExprKind::Bool(value) => Some(value.to_string()),
        ExprKind::Int(value) => Some(value.to_string()),
        // Both zeros are one key.
        ExprKind::Float(value) => Some((value + 0.0).to_string()),
        ExprKind::Str(raw) => Some(format!("{raw:?}")),
        ExprKind::Struct(fields) => {
            let fields = fields.iter().map(|(name, value)| Some(format!("{}:{}", name.text, value_of(ast, *value)?)));
            Some(fields.collect::<Option<Vec<_>>>()?.join(","))
        }
        ExprKind::If { condition, then, else_part } => {
            let holds = value_of(ast, *condition)?;
            value_of(ast, if holds == "true" { *then } else { *else_part })
        }
        ExprKind::Paren(inner) | ExprKind::Except { value: inner, .. } => value_of(ast, *inner),
        _ => None,
    }
}

/// Whether a map can have keys of this type.
pub fn is_key(ty: &Type) -> bool {
    match ty {
        Type::Bool | Type::Str | Type::Int | Type::Float => true,
        Type::Struct(fields) => fields.iter().all(|(_, field)| is_key(field)),
        Type::List(_) | Type::Map(..) | Type::Func(..) | Type::Variant => false,
    }
}
