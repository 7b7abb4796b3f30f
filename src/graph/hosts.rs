//! Which hosts a graph is for.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Graph, Node, NodeIndex, Resource};

/// The hosts of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Hosts {
    /// This machine only.
    #[default]
    Here,
    /// One host, which is another one.
    Other(Arc<str>),
    /// Several hosts. Resources for the others are neither checked nor applied here.
    Several {
        /// By name, without this machine.
        others: Vec<Arc<str>>,
        /// Whether some resources are for this machine.
        has_here: bool,
    },
}

impl Hosts {
    /// Returns the one host that the graph is for, if it is another one.
    pub fn other(self) -> Option<Arc<str>> {
        match self {
            Hosts::Other(other) => Some(other),
            Hosts::Here | Hosts::Several { .. } => None,
        }
    }
}

impl Graph {
    /// Marks the resources for other hosts, if the program is for several hosts. A program for one host is not marked:
    /// the user may accept that host as this machine.
    pub fn mark_elsewhere(&mut self) {
        let targets: BTreeSet<Option<Arc<str>>> =
            self.resources().map(|(_, resource)| resource.target.clone()).collect();
        if targets.len() < 2 {
            return;
        }
        for at in (0..self.len() as u32).map(NodeIndex) {
            if self.resource(at).is_some_and(|resource| resource.target.is_some())
                && let Node::Resource(resource) = self.node_mut(at)
            {
                resource.is_elsewhere = true;
            }
        }
    }

    /// Returns the hosts that the graph is for.
    pub fn hosts(&self) -> Hosts {
        let (mut others, mut is_marked, mut has_here) = (BTreeSet::new(), false, false);
        for (_, Resource { target, is_elsewhere, .. }) in self.resources() {
            is_marked |= is_elsewhere;
            match target {
                // Most resources have the target of the one before.
                Some(target) if others.last() == Some(target) => {}
                Some(target) => drop(others.insert(Arc::clone(target))),
                None => has_here = true,
            }
        }
        match others.pop_first() {
            None => Hosts::Here,
            Some(other) if !is_marked => Hosts::Other(other),
            Some(first) => Hosts::Several { others: std::iter::once(first).chain(others).collect(), has_here },
        }
    }
}
