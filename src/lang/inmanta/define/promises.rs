//! Promises that an `if` or a `for` makes for the assignments inside it.

use super::super::ast::{BlockId, Kind, NodeId};
use super::super::names::Sym;
use super::Program;

/// An assignment to an attribute inside a block: whoever holds it may still set the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    pub of: NodeId,
    pub attribute: Sym,
    /// The assignment.
    pub statement: NodeId,
}

impl Program {
    /// The promises of a block: assignments to attributes of what is not a variable of the block itself.
    pub(super) fn block_promises(&self, block: BlockId) -> Vec<Promise> {
        let variables = self.variables_of(block);
        let mut found = Vec::new();
        for statement in &self.ast.block(block).statements {
            match self.ast.kind(*statement) {
                Kind::SetAttribute { of, name, .. } => {
                    found.push(Promise { of: *of, attribute: *name, statement: *statement });
                }
                Kind::For { .. } | Kind::If { .. } => {
                    found.extend(self.promises.get(statement).into_iter().flatten().copied());
                }
                _ => {}
            }
        }
        found.retain(|promise| self.root_variable(promise.of).is_none_or(|root| variables.find(root).is_none()));
        found
    }

    fn root_variable(&self, mut node: NodeId) -> Option<Sym> {
        loop {
            match self.ast.kind(node) {
                Kind::Attribute { of, .. } => node = *of,
                Kind::Name(sym) => return Some(*sym),
                _ => return None,
            }
        }
    }
}
