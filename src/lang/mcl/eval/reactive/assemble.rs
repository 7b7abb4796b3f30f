//! Updates the graph from the declarations of units: in place if only parameters differ, else rebuilt.

use rustc_hash::FxHashSet;

use super::input::{InputId, Inputs};
use super::splice::splice;
use super::tracker::Cause;
use super::unit::{UnitId, Units};
use crate::diag::Diagnostics;
use crate::graph::delta::{Delta, Fate, delta};
use crate::graph::{Draft, Graph, Node, NodeIndex, Params, Reason, ResourceId};
use crate::lang::mcl::graph::{self, Decl, Declared};
use crate::lang::mcl::scope::Resolved;
use crate::resource::{autoedge, validate};
use crate::world::Stop;

/// A unit that ran, or was removed.
pub struct Touched {
    pub unit: Option<UnitId>,
    /// Its declarations before.
    pub before: Declared,
    pub cause: Option<Cause>,
}

/// The graph, and its sources.
#[derive(Default)]
pub struct Assembly {
    pub graph: Graph,
    /// The reads while building it: the host's name, for collected resources.
    reads: FxHashSet<InputId>,
    /// Whether the graph equals the last declarations of the units, each resource from exactly one of them.
    is_plain: bool,
    /// Whether it is plain, every edge is declared once, and nothing is hidden or exported.
    is_simple: bool,
}

impl Assembly {
    /// Forces the next graph to be rebuilt.
    pub fn forget_order(&mut self) {
        self.is_plain = false;
    }

    /// Forces the next graph to be rebuilt if building the current one read this input.
    pub fn input_changed(&mut self, input: InputId) {
        self.is_plain &= !self.reads.contains(&input);
    }

    /// Whether building the graph read this input.
    pub fn uses(&self, input: InputId) -> bool {
        self.reads.contains(&input)
    }

    /// Updates the graph, and returns the differences. With errors it stays as it was.
    pub fn renew(
        &mut self,
        units: &Units,
        touched: &[Touched],
        program: &Resolved,
        inputs: &Inputs,
        stop: &Stop,
        diags: &mut Diagnostics,
    ) -> Delta {
        if units.failed > 0 {
            self.is_plain = false;
            report_faults(units, diags);
            return Delta::default();
        }
        if self.is_plain && touched.is_empty() {
            return Delta::default();
        }
        match self.is_plain.then(|| replacements(units, touched)).flatten() {
            Some(pairs) => self.replace(&pairs),
            None => match self.spliced(units, touched, program, stop) {
                Some(delta) => delta,
                None => self.build(units, program, inputs, stop, diags),
            },
        }
    }

    /// Sets the parameters of existing resources.
    fn replace(&mut self, pairs: &[(&Params, ResourceId)]) -> Delta {
        let mut changed: Vec<(NodeIndex, ResourceId)> = Vec::new();
        for (params, id) in pairs {
            let Some(at) = self.graph.find(id) else { continue };
            let Node::Resource(resource) = self.graph.node_mut(at) else { continue };
            let Some(wanted) = resource.wanted_mut() else { continue };
            if wanted.params != **params {
                changed.push((at, id.clone()));
            }
            wanted.params = Params::clone(params);
        }
        changed.sort_unstable_by_key(|(at, _)| *at);
        Delta { resources: changed.into_iter().map(|(_, id)| (id, Fate::Changed)).collect(), edges: false }
    }

    /// Splices the differences into the graph, if that is simple.
    fn spliced(&mut self, units: &Units, touched: &[Touched], program: &Resolved, stop: &Stop) -> Option<Delta> {
        if !(self.is_plain && self.is_simple) {
            return None;
        }
        let (graph, delta) = splice(&self.graph, units, touched, &program.sources, stop)?;
        self.graph = graph;
        Some(delta)
    }

    fn build(
        &mut self,
        units: &Units,
        program: &Resolved,
        inputs: &Inputs,
        stop: &Stop,
        diags: &mut Diagnostics,
    ) -> Delta {
        let mut declared = Declared::default();
        for (_, unit) in units.in_order() {
            declared.resources.extend_from_slice(&unit.declared.resources);
            declared.links.extend_from_slice(&unit.declared.links);
            declared.collects.extend_from_slice(&unit.declared.collects);
        }
        let has_collects = !declared.collects.is_empty();
        let is_own = |decl: &Decl| decl.meta.get("export").is_none() && decl.meta.get("hidden").is_none();
        let are_own = declared.resources.iter().all(is_own);
        let (count, links) = (declared.resources.len(), declared.links.len());
        let (old, errors) = (std::mem::take(&mut self.graph), diags.error_count());
        let new = graph::build(program, declared, inputs, stop, &Draft::default(), diags);
        self.reads = inputs.take_log().into_iter().collect();
        if diags.error_count() > errors {
            (self.graph, self.is_plain) = (old, false);
            return Delta::default();
        }
        self.is_plain = !has_collects && new.len() == count;
        let edges = new.edges().iter().filter(|edge| edge.reason != Reason::Auto).count();
        self.is_simple = are_own && edges == links;
        self.graph = new;
        delta(&old, &self.graph)
    }
}

/// The changed parameters, if nothing else differs: neither names nor order nor exports. `None` if more may differ.
fn replacements<'a>(units: &'a Units, touched: &'a [Touched]) -> Option<Vec<(&'a Params, ResourceId)>> {
    let mut pairs = Vec::new();
    for Touched { unit, before, .. } in touched {
        let now = &units.get((*unit)?)?.declared;
        if before.resources.len() != now.resources.len()
            || before.links != now.links
            || !(before.collects.is_empty() && now.collects.is_empty())
        {
            return None;
        }
        for (old, new) in before.resources.iter().zip(&now.resources) {
            if !is_alike(old, new) {
                return None;
            }
            pairs.push((&new.params, new.id()));
        }
    }
    Some(pairs)
}

/// Whether two declarations differ at most in parameters that do not affect the order.
fn is_alike(old: &Decl, new: &Decl) -> bool {
    let differing = |a: &Params, b: &Params| {
        a.iter().all(|(name, value)| b.get(name) == Some(value) || !autoedge::looks_at(&new.kind, name))
    };
    old.kind == new.kind
        && old.name == new.name
        && old.meta == new.meta
        && new.meta.get("export").is_none()
        && new.meta.get("hidden").is_none()
        && old.container == new.container
        && differing(&old.params, &new.params)
        && differing(&new.params, &old.params)
        && validate(&new.kind, &new.name, &new.params, &new.meta).is_ok()
}

/// The failures of all units, each once.
fn report_faults(units: &Units, diags: &mut Diagnostics) {
    let mut seen = FxHashSet::default();
    for fault in units.in_order().filter_map(|(_, unit)| unit.fault.as_ref()) {
        if seen.insert((fault.span, &fault.message)) {
            diags.push(fault.clone().into_diagnostic());
        }
    }
}
