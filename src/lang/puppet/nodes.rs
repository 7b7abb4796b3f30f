//! The `node` statement that a node gets.

use std::sync::Arc;

use super::ast::{Expr, Kind, NodeDefinition};
use crate::lang::ruby::regexp::Regexp;

/// Returns the statement as `node_for`, and calls `unread` with each pattern before it that our engine cannot read.
pub fn node_and_unread<'n>(
    nodes: &'n [Arc<NodeDefinition>],
    name: &str,
    unread: &mut dyn FnMut(&'n Expr, String),
) -> Option<(&'n Arc<NodeDefinition>, &'n Expr)> {
    let hosts = || nodes.iter().flat_map(|node| node.matches.iter().map(move |host| (node, host)));
    hosts()
        .find(|(_, host)| matches!(&host.kind, Kind::Str(text) if text.to_lowercase() == name))
        .or_else(|| {
            hosts().find(|(_, host)| {
                let Kind::Regex(source) = &host.kind else { return false };
                Regexp::new(Arc::clone(source)).is_match(name).unwrap_or_else(|why| {
                    unread(host, why);
                    false
                })
            })
        })
        .or_else(|| {
            let is_default = |host: &Expr| match &host.kind {
                Kind::Default => true,
                Kind::Str(text) => text.eq_ignore_ascii_case("default"),
                _ => false,
            };
            hosts().find(|(_, host)| is_default(host))
        })
}

/// Returns the statement for a node, with the host of it that matches: the node's own name, else the first pattern, else
/// `default`. `name` is in lower case.
pub fn node_for<'n>(nodes: &'n [Arc<NodeDefinition>], name: &str) -> Option<(&'n Arc<NodeDefinition>, &'n Expr)> {
    node_and_unread(nodes, name, &mut |_, _| {})
}
