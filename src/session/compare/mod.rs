//! Compares two programs: opens both sides, compiles them for one node or for many, and collects the differences.
//!
//! Both sides see one sample of the machine, so that only the programs differ. A side in a git revision reads the work
//! tree from that revision. For many nodes each thread has one worker for each side, which stays for all nodes of the
//! thread; only differences are stored, so the memory does not depend on the number of nodes. *Accepted*: a node that
//! does not compile on one side; it is a finding, and the others are compared. Deliberately absent: what a difference
//! is (`compare`).

mod asked;
mod meaning;
mod node;
mod one_node;
mod policy;
mod recorded;
mod side;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::compare::{Collector, Comparison, Difference, Fault, Finding, Outcome, What, differences, unknown_on_both};
use crate::diag::Stage;
use crate::graph::{Graph, Node as GraphNode, Resource};
use crate::lang::Compiled;
use crate::plan::{Action, Offered, Query};
use crate::session::Session;
use crate::world::{Cancel, World};
use one_node::OneNode;

pub(in crate::session) use meaning::empty;
pub(in crate::session) use side::test_side;

pub use asked::{Ask, compare_plans};
pub use meaning::compare_meaning;
pub use node::{Node, NodesError, read_nodes};
pub use recorded::{NotRecorded, deploy_document, recorded};
pub use side::{Side, SideError, Sides, open_sides};

/// Which rows are reported.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    query: Query,
    /// Names of parameters, and whether each is left out.
    params: Vec<(String, bool)>,
}

impl Filter {
    /// Parses the words of a query, and `param:NAME`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (mut params, mut rest) = (Vec::new(), Vec::new());
        for word in text.split_whitespace() {
            let (is_negated, bare) = word.strip_prefix('!').map_or((false, word), |bare| (true, bare));
            match bare.strip_prefix("param:") {
                Some(name) => params.push((name.to_owned(), is_negated)),
                None => rest.push(word),
            }
        }
        Ok(Self { query: Query::parse(&rest.join(" "))?, params })
    }

    fn keeps(&self, row: &Difference, old: &Graph, new: &Graph) -> bool {
        let is_param = |name: &str| matches!(&row.what, What::Parameter(change) if change.property == name);
        if self.params.iter().any(|(name, is_negated)| is_param(name) == *is_negated) {
            return false;
        }
        let resource = |graph: &'_ Graph| -> Option<Resource> {
            match graph.node(graph.find(&row.resource)?) {
                GraphNode::Resource(resource) => Some(resource.clone()),
                GraphNode::Anchor(_) => None,
            }
        };
        if self.query == Query::default() {
            return true;
        }
        let action = match row.what {
            What::Added => Action::Create,
            What::Removed => Action::Remove,
            _ => Action::Change,
        };
        match resource(new).or_else(|| resource(old)) {
            Some(resource) => self.query.fits(&Offered { action: Some(action), ..Offered::resource(&resource) }),
            None => self.query.fits(&Offered { action: Some(action), ..Offered::text(&row.resource.0) }),
        }
    }
}

/// Compares two programs, each compiled once. Returns both results too, for their diagnostics.
pub fn compare_once(sides: [&Session; 2], filter: &Filter, cancel: &Cancel) -> (Comparison, [Compiled; 2]) {
    let [one, other] = sides;
    let (one, other) = std::thread::scope(|scope| {
        let first = scope.spawn(|| one.compile(Stage::Eval, cancel));
        let second = other.compile(Stage::Eval, cancel);
        (first.join(), second)
    });
    // Compiling reports its own panics.
    let one = one.unwrap_or_else(|_| Compiled::new(Graph::default(), Default::default(), other.diagnostics.clone()));
    let mut all = Collector::new(vec![String::new()]);
    let outcome = outcome(&one, &other, filter);
    all.add_violations(0, policy::violations(sides, &outcome, [&one.graph, &other.graph]));
    all.add(0, outcome);
    all.add_unknown(unknown_on_both(&one.graph, &other.graph));
    (all.finish(), [one, other])
}

fn outcome(one: &Compiled, other: &Compiled, filter: &Filter) -> Outcome {
    let fault = |side: &Compiled| Fault::of(&side.diagnostics, &side.sources);
    match [fault(one), fault(other)] {
        [None, None] => {
            let mut rows = differences(&one.graph, &other.graph);
            rows.retain(|row| filter.keeps(row, &one.graph, &other.graph));
            Outcome::Compared(rows)
        }
        faults => Outcome::Fails(Box::new(faults)),
    }
}

/// Compares two programs for each node. `progress` receives the number of finished nodes.
///
/// A program for several hosts is compiled once, and its resources for each node are compared.
pub fn compare_nodes(
    sides: [&Session; 2],
    nodes: &[Node],
    filter: &Filter,
    cancel: &Cancel,
    progress: &(dyn Fn(usize) + Sync),
) -> Comparison {
    let names: Vec<String> = nodes.iter().map(|node| node.name.clone()).collect();
    let takes_node = |session: &Session| session.takes_node();
    if !sides.iter().any(|session| takes_node(session)) {
        let (comparison, [one, other]) = compare_once(sides, filter, cancel);
        let is_for_hosts = |compiled: &Compiled| compiled.graph.resources().any(|(_, one)| one.target.is_some());
        if comparison.failing > 0 || is_for_hosts(&one) || is_for_hosts(&other) {
            return by_target(names, comparison, &one.graph, &other.graph);
        }
    }
    let all = Mutex::new(Collector::new(names));
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(nodes.len().max(1));
    let prepared = sides.map(|session| session.prepare_nodes(cancel));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let [(world_a, options_a), (world_b, options_b)] = &prepared;
                let machines = [world_a, world_b].map(|world| OneNode::new(Arc::clone(world) as Arc<dyn World>));
                let [a, b] = &machines;
                let mut compilers = [
                    options_a.as_ref().map(|options| sides[0].node_compiler(a, options)),
                    options_b.as_ref().map(|options| sides[1].node_compiler(b, options)),
                ];
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(node) = nodes.get(at).filter(|_| !cancel.is_cancelled()) else { return };
                    let facts = node.facts.read();
                    for (machine, session) in machines.iter().zip(sides) {
                        machine.become_node(node, facts.clone(), session.takes_node());
                    }
                    // Both workers compile at the same time.
                    for (compiler, session) in compilers.iter_mut().zip(sides) {
                        if let Ok(compiler) = compiler {
                            compiler.begin(session.choices_for(node));
                        }
                    }
                    let [one, other] = compilers.each_mut().map(|compiler| match compiler {
                        Ok(compiler) => compiler.end(),
                        Err(report) => {
                            Compiled::new(Graph::default(), report.sources.clone(), report.diagnostics.clone())
                        }
                    });
                    let outcome = outcome(&one, &other, filter);
                    let broken = policy::violations(sides, &outcome, [&one.graph, &other.graph]);
                    if !cancel.is_cancelled() {
                        let unknown = unknown_on_both(&one.graph, &other.graph);
                        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                        all.add(at as u32, outcome);
                        all.add_violations(at as u32, broken);
                        all.add_unknown(unknown);
                        drop(all);
                        progress(done.fetch_add(1, Ordering::Relaxed) + 1);
                    }
                }
            });
        }
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner).finish()
}

/// Distributes the differences of a program for several hosts to its hosts.
fn by_target(names: Vec<String>, once: Comparison, old: &Graph, new: &Graph) -> Comparison {
    let target = |row: &Difference| {
        let of = |graph: &Graph| graph.find(&row.resource).and_then(|at| graph.resource(at)?.target.clone());
        of(new).or_else(|| of(old))
    };
    let mut all = Collector::new(names.clone());
    all.add_unknown(once.unknown);
    for (at, name) in (0..).zip(&names) {
        let mut rows = Vec::new();
        let (mut faults, mut violations) = ([None, None], Vec::new());
        for found in &once.found {
            match &found.finding {
                Finding::Violation(broken) => {
                    let of = |graph: &Graph, id| graph.find(id).and_then(|at| graph.resource(at)?.target.clone());
                    let is_here = |id| of(new, id).or_else(|| of(old, id)).is_none_or(|target| *target == **name);
                    if broken.resources.iter().any(is_here) {
                        violations.push(broken.clone());
                    }
                }
                Finding::Difference(row) => {
                    if target(row).is_none_or(|target| *target == **name) {
                        rows.push(row.clone());
                    }
                }
                Finding::Fault { side, both, fault } => {
                    faults[side % 2] = Some(fault.clone());
                    if *both {
                        faults = [Some(fault.clone()), Some(fault.clone())];
                    }
                }
            }
        }
        all.add_violations(at, violations);
        let fails = faults.iter().any(Option::is_some);
        all.add(at, if fails { Outcome::Fails(Box::new(faults)) } else { Outcome::Compared(rows) });
    }
    all.finish()
}
