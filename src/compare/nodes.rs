//! The comparison of all nodes: each distinct change once, with the nodes that it is on.

use rustc_hash::FxHashMap;

use super::fault::Fault;
use super::graphs::{Difference, What};
use super::values::changed_lines;
use crate::graph::Value;
use crate::plan::policy::{Rule, Violation};

/// The result of one node.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Compared(Vec<Difference>),
    /// At least one side does not compile.
    Fails(Box<[Option<Fault>; 2]>),
}

/// One change, or one failure.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    Difference(Difference),
    /// A side does not compile: 0 is the first side. `both`: for the same reason as the other one.
    Fault {
        side: usize,
        both: bool,
        fault: Fault,
    },
    /// The new side breaks a policy.
    Violation(Violation),
}

/// A finding with its nodes, as numbers into [`Comparison::nodes`], in order.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingAt {
    pub finding: Finding,
    pub nodes: Vec<u32>,
}

/// Everything that differs between two sides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// The names of the nodes; one empty name without nodes.
    pub nodes: Vec<String>,
    /// In the order in which they were found.
    pub found: Vec<FindingAt>,
    pub equal: usize,
    pub changed: usize,
    pub failing: usize,
    /// How many resources have values that neither side knows, which are not compared.
    pub unknown: usize,
}

impl Comparison {
    /// Whether nothing differs and both sides compile.
    pub fn is_equal(&self) -> bool {
        self.changed == 0 && self.failing == 0
    }

    /// Whether a policy forbids the changes.
    pub fn is_denied(&self) -> bool {
        self.found.iter().any(|found| matches!(&found.finding, Finding::Violation(one) if one.rule == Rule::Deny))
    }

    /// The findings in groups with the same nodes, those on most nodes first.
    pub fn groups(&self) -> Vec<(&[u32], Vec<&Finding>)> {
        let mut groups: Vec<(&[u32], Vec<&Finding>)> = Vec::new();
        let mut at: FxHashMap<&[u32], usize> = FxHashMap::default();
        for found in &self.found {
            let group = *at.entry(&found.nodes).or_insert_with(|| {
                groups.push((&found.nodes, Vec::new()));
                groups.len() - 1
            });
            groups[group].1.push(&found.finding);
        }
        groups.sort_by_key(|(nodes, _)| std::cmp::Reverse(nodes.len()));
        groups
    }

    /// The names of nodes.
    pub fn names<'a>(&'a self, nodes: &'a [u32]) -> impl Iterator<Item = &'a str> {
        nodes.iter().filter_map(|at| self.nodes.get(*at as usize)).map(String::as_str)
    }
}

/// Collects the results of nodes, in any order.
#[derive(Debug, Default)]
pub struct Collector {
    comparison: Comparison,
    known: FxHashMap<String, usize>,
}

impl Collector {
    /// Starts a comparison of these nodes, without changes.
    pub fn new(nodes: Vec<String>) -> Self {
        Self { comparison: Comparison { nodes, ..Comparison::default() }, known: FxHashMap::default() }
    }

    /// Adds resources with values that neither side knows.
    pub fn add_unknown(&mut self, resources: usize) {
        self.comparison.unknown += resources;
    }

    /// Adds the policies that a node's new program breaks.
    pub fn add_violations(&mut self, node: u32, violations: Vec<Violation>) {
        violations.into_iter().for_each(|violation| self.put(node, Finding::Violation(violation)));
    }

    /// Adds the result of a node.
    pub fn add(&mut self, node: u32, outcome: Outcome) {
        match outcome {
            Outcome::Compared(rows) if rows.is_empty() => self.comparison.equal += 1,
            Outcome::Compared(rows) => {
                self.comparison.changed += 1;
                rows.into_iter().for_each(|row| self.put(node, Finding::Difference(row)));
            }
            Outcome::Fails(faults) => {
                self.comparison.failing += 1;
                let both = matches!(&*faults, [Some(one), Some(other)] if one.words() == other.words());
                for (side, fault) in faults.into_iter().enumerate().skip(usize::from(both)) {
                    let Some(fault) = fault else { continue };
                    self.put(node, Finding::Fault { side, both, fault });
                }
            }
        }
    }

    fn put(&mut self, node: u32, finding: Finding) {
        let all = &mut self.comparison.found;
        let Some(at) = self.known.get(&key(&finding)).copied() else {
            self.known.insert(key(&finding), all.len());
            all.push(FindingAt { finding, nodes: vec![node] });
            return;
        };
        let found = &mut all[at];
        found.nodes.push(node);
        // The first node in order shows the change, whichever was ready first.
        if node < found.nodes[0] {
            let last = found.nodes.len() - 1;
            found.nodes.swap(0, last);
            found.finding = finding;
        }
    }

    /// The comparison, whose order does not depend on which node was ready first.
    pub fn finish(mut self) -> Comparison {
        let mut keys: Vec<String> = vec![String::new(); self.comparison.found.len()];
        for (key, at) in self.known {
            keys[at] = key;
        }
        for found in &mut self.comparison.found {
            found.nodes.sort_unstable();
            found.nodes.dedup();
        }
        let found = std::mem::take(&mut self.comparison.found);
        let mut keyed: Vec<_> = found.into_iter().zip(keys).collect();
        keyed.sort_by(|(one, a), (other, b)| (one.nodes.first(), a).cmp(&(other.nodes.first(), b)));
        self.comparison.found = keyed.into_iter().map(|(found, _)| found).collect();
        self.comparison
    }
}

/// What makes two findings one. Texts count by their differing lines, because a node's name may be in the others.
fn key(finding: &Finding) -> String {
    match finding {
        Finding::Fault { side, both, fault } => {
            let place = fault.place.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("\u{10ffff}{side}{both} {} {} {place}", fault.code, fault.words())
        }
        Finding::Violation(Violation { rule, when, by, resources, .. }) => {
            let resources: Vec<&str> = resources.iter().map(|id| &*id.0).collect();
            format!("\u{10fffe}{} {when} {by} {}", rule.as_str(), resources.join("\0"))
        }
        Finding::Difference(Difference { resource, what, .. }) => {
            let detail = match what {
                What::Parameter(change) => match (&change.from, &change.to) {
                    (Some(Value::Str(from)), Some(Value::Str(to))) if from.contains('\n') || to.contains('\n') => {
                        format!("{}\0{:?}", change.property, changed_lines(from, to))
                    }
                    (from, to) => {
                        let text = |value: &Option<Value>| value.as_ref().map(|value| value.to_json().to_string());
                        format!("{}\0{:?}\0{:?}", change.property, text(from), text(to))
                    }
                },
                what => what.words(),
            };
            format!("{}\0{}\0{detail}", resource.0, what.word())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Graph, Node, Resource};

    fn graph(content: &str) -> Graph {
        let mut graph = Graph::default();
        let params = [("content".into(), Value::from(content))].into_iter().collect();
        let _ = graph.add(Node::Resource(Resource::new("file", "/a", params)));
        graph
    }

    #[test]
    fn the_same_lines_are_one_change_on_all_nodes() {
        let mut all = Collector::new(vec!["b".into(), "a".into(), "c".into()]);
        for (node, name) in [(2, "c"), (0, "b")] {
            let rows = super::super::differences(&graph(&format!("{name}\none\n")), &graph(&format!("{name}\ntwo\n")));
            all.add(node, Outcome::Compared(rows));
        }
        all.add(1, Outcome::Compared(super::super::differences(&graph("a\n"), &graph("a\n"))));
        let comparison = all.finish();
        assert_eq!((comparison.equal, comparison.changed, comparison.failing), (1, 2, 0));
        assert_eq!(comparison.found.len(), 1);
        assert_eq!(comparison.found[0].nodes, [0, 2]);
    }
}
