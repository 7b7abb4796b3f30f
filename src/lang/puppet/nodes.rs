//! The `node` statement that a node gets.

use std::sync::Arc;

use super::ast::{Expr, Kind, NodeDefinition};
use crate::lang::ruby::regexp::Regexp;

/// Returns the statement for a node, with the host of it that matches: the node's own name, else the first pattern, else
/// `default`. `name` is in lower case.
pub fn node_for<'n>(nodes: &'n [Arc<NodeDefinition>], name: &str) -> Option<(&'n Arc<NodeDefinition>, &'n Expr)> {
    let find = |matches: &dyn Fn(&Kind) -> bool| {
        let mut hosts = nodes.iter().flat_map(|node| node.matches.iter().map(move |host| (node, host)));
        hosts.find(|(_, host)| matches(&host.kind))
    };
    let is_match = |source: &Arc<str>| Regexp::new(Arc::clone(source)).is_match(name).unwrap_or(false);
    find(&|host| matches!(host, Kind::Str(text) if text.to_lowercase() == name))
        .or_else(|| find(&|host| matches!(host, Kind::Regex(source) if is_match(source))))
        .or_else(|| find(&|host| matches!(host, Kind::Default)))
}
