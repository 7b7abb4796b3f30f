//! Expressions that produce a value and nothing else.

use crate::lang::puppet::ast::{Expr, Kind, Text};

/// Whether evaluating it has no effect but its value.
pub(super) fn is_idem(expr: &Expr) -> bool {
    match &expr.kind {
        Kind::Nop
        | Kind::Undef
        | Kind::Default
        | Kind::Bool(_)
        | Kind::Int { .. }
        | Kind::Float(_)
        | Kind::Str(_)
        | Kind::Regex(_)
        | Kind::Name(_)
        | Kind::Ref(_)
        | Kind::Var(_)
        | Kind::Concat(_)
        | Kind::Heredoc { .. }
        | Kind::Array(_)
        | Kind::Hash(_)
        | Kind::Not(_)
        | Kind::Negate(_)
        | Kind::Unfold(_)
        | Kind::And(..)
        | Kind::Or(..)
        | Kind::Access(..) => true,
        Kind::Binary(op, ..) => {
            !matches!(op, crate::lang::puppet::ast::Op::Match | crate::lang::puppet::ast::Op::NoMatch)
        }
        Kind::Paren(inner) => is_idem(inner),
        Kind::Block(list) => list.iter().all(is_idem),
        Kind::Selector(left, entries) => is_idem(left) && entries.iter().all(|e| is_idem(&e.value)),
        Kind::Case(test, choices) => is_idem(test) && choices.iter().all(|c| is_idem(&c.then)),
        Kind::If { test, then, other, .. } => is_idem(test) && is_idem(then) && is_idem(other),
        _ => false,
    }
}

/// The last statement of a body, if it only produces a value.
pub(super) fn ends_idem(body: &Expr) -> Option<&Expr> {
    if matches!(body.kind, Kind::Nop) || resource_without_title(body).is_some() {
        return None;
    }
    let last = body.statements().last()?;
    (is_idem(last) && resource_without_title(last).is_none()).then_some(last)
}

/// `notify { message => 1 }`: a name and a hash.
pub(super) fn resource_without_title(expr: &Expr) -> Option<&Text> {
    match &expr.kind {
        Kind::Block(list) => match &list[..] {
            [Expr { kind: Kind::Name(name), .. }, Expr { kind: Kind::Hash(_), .. }] => Some(name),
            _ => None,
        },
        _ => None,
    }
}
