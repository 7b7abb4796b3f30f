//! What is directly below a node.

use super::ast::{Kind, NodeId};

/// The expressions directly below, without the statements of blocks.
pub fn children(kind: &Kind) -> Vec<NodeId> {
    let arguments = |arguments: &super::ast::Arguments| {
        let named = arguments.named.iter().map(|(_, node)| *node);
        named.chain(arguments.spread.iter().copied()).collect::<Vec<_>>()
    };
    match kind {
        Kind::Name(_) | Kind::Literal(_) | Kind::Implement(_) | Kind::Skipped | Kind::Element(_) => Vec::new(),
        Kind::Attribute { of, .. } | Kind::Regex { of, .. } => vec![*of],
        Kind::Lookup { map, key } => vec![*map, *key],
        Kind::IndexLookup { query, .. } => arguments(query),
        Kind::ShortIndexLookup { of, query, .. } => {
            let mut below = vec![*of];
            below.extend(arguments(query));
            below
        }
        Kind::IsDefined { of, .. } => of.iter().copied().collect(),
        Kind::List(items) => items.clone(),
        Kind::Dict(items) => items.iter().map(|(_, node)| *node).collect(),
        Kind::Format { parts, .. } | Kind::FormatStr { parts, .. } => parts.iter().map(|(node, _)| *node).collect(),
        Kind::And(left, right) | Kind::Or(left, right) | Kind::Binary { left, right, .. } => vec![*left, *right],
        Kind::Not(inner) | Kind::Spread(inner) => vec![*inner],
        Kind::Conditional { condition, yes, no } => vec![*condition, *yes, *no],
        Kind::Comprehension { element, list, guard, .. } => {
            let mut below = vec![*element, *list];
            below.extend(*guard);
            below
        }
        Kind::Call { positional, arguments: named, .. } => {
            let mut below = positional.clone();
            below.extend(arguments(named));
            below
        }
        Kind::New { arguments: named, .. } => arguments(named),
        Kind::Assign { value, .. } => vec![*value],
        Kind::SetAttribute { of, value, .. } => vec![*of, *value],
        Kind::For { list, .. } => vec![*list],
        Kind::If { condition, .. } => vec![*condition],
    }
}
