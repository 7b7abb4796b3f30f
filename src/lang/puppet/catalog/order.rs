//! In which order the resources are applied: explicit edges, automatic ones, containers as begin and end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::resource_type::Groups;
use super::{Sort, ral};
use crate::graph::order::loops;
use crate::lang::puppet::ast::Form;
use crate::lang::puppet::catalog::Finished;
use crate::lang::puppet::ids::ResourceId;
use crate::source::Span;

/// An edge between resources, containers not expanded.
pub struct Relationship {
    pub source: ResourceId,
    pub target: ResourceId,
    pub refresh: bool,
    /// The metaparameter or arrow; `None` for an automatic one.
    pub span: Option<Span>,
}

/// The order of a catalog, with its relationships and its cycles.
pub struct Ordered {
    pub relationships: Vec<Relationship>,
    /// Without containers.
    pub order: Vec<ResourceId>,
    pub cycles: Vec<Vec<ResourceId>>,
}

/// The relationships and the order of a finished catalog.
pub fn order(e: &Finished<'_>) -> Ordered {
    let relationships = relationships(e);
    let count = e.catalog.resources.len();
    // Of every resource a begin and an end; of plain ones they are the same.
    let is_container = |id: ResourceId| e.catalog.get(id).sort != Sort::Builtin;
    let begin = |id: ResourceId| id.0 as usize * 2;
    let end = |id: ResourceId| id.0 as usize * 2 + usize::from(is_container(id));
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count * 2];
    let mut waits = vec![0usize; count * 2];
    let mut seen = FxHashSet::default();
    let mut add = |from: usize, to: usize, next: &mut Vec<Vec<usize>>, waits: &mut Vec<usize>| {
        if seen.insert((from, to)) {
            next[from].push(to);
            waits[to] += 1;
        }
    };
    let is_there = |id: ResourceId| e.catalog.get(id).form == Form::Regular;
    for id in e.catalog.ids().filter(|id| is_container(*id)) {
        add(begin(id), end(id), &mut next, &mut waits);
    }
    for (container, id) in &e.catalog.edges {
        if is_there(*id) && is_there(*container) {
            add(begin(*container), begin(*id), &mut next, &mut waits);
            add(end(*id), end(*container), &mut next, &mut waits);
        }
    }
    for relation in &relationships {
        add(end(relation.source), begin(relation.target), &mut next, &mut waits);
    }
    let mut ready: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
    let exists = |node: usize| {
        let id = ResourceId((node / 2) as u32);
        is_there(id) && (node.is_multiple_of(2) || is_container(id))
    };
    for node in (0..count * 2).filter(|n| exists(*n) && waits[*n] == 0) {
        ready.push(Reverse(node));
    }
    let mut order = Vec::new();
    let mut done = vec![false; count * 2];
    while let Some(Reverse(node)) = ready.pop() {
        done[node] = true;
        let id = ResourceId((node / 2) as u32);
        if !is_container(id) {
            order.push(id);
        }
        for to in &next[node] {
            waits[*to] -= 1;
            if waits[*to] == 0 {
                ready.push(Reverse(*to));
            }
        }
    }
    let left: Vec<usize> = (0..count * 2).filter(|n| exists(*n) && !done[*n]).collect();
    let edges = left.iter().flat_map(|from| next[*from].iter().map(|to| (*from, *to)));
    let groups = if left.is_empty() { Vec::new() } else { loops(count * 2, edges) };
    let cycles = groups.iter().map(|part| members(part, &is_container)).collect();
    Ordered { relationships, order, cycles }
}

/// The resources of a cycle. Containers are named where nothing else is in it.
fn members(part: &[usize], is_container: &dyn Fn(ResourceId) -> bool) -> Vec<ResourceId> {
    let mut ids: Vec<ResourceId> = part.iter().map(|node| ResourceId((node / 2) as u32)).collect();
    ids.dedup();
    if !ids.iter().all(|id| is_container(*id)) {
        ids.retain(|id| !is_container(*id));
    }
    ids
}

/// The relationships of a finished catalog: declared ones, then automatic ones.
pub fn relationships(e: &Finished<'_>) -> Vec<Relationship> {
    let mut out: Vec<Relationship> = Vec::new();
    let mut pairs: FxHashSet<(ResourceId, ResourceId)> = FxHashSet::default();
    let mut seen: FxHashSet<(ResourceId, ResourceId, bool)> = FxHashSet::default();
    let mut arrows = e.catalog.arrows.clone();
    arrows.sort_by_key(|arrow| (arrow.owner, arrow.kind));
    for arrow in arrows.iter().filter(|arrow| e.catalog.get(arrow.target).form == Form::Regular) {
        let (source, target) = arrow.ends();
        let refresh = arrow.refreshes();
        pairs.insert((source, target));
        if seen.insert((source, target, refresh)) {
            out.push(Relationship { source, target, refresh, span: Some(arrow.span) });
        }
    }
    let groups = Groups::default();
    let plain = e.catalog.ids().filter(|id| {
        let resource = e.catalog.get(*id);
        resource.form == Form::Regular && resource.sort == Sort::Builtin
    });
    let automatic = plain.flat_map(|id| ral::automatic(e, id, &groups)).filter(|(source, target)| source != target);
    let automatic = automatic.map(|(source, target)| (source, target, false));
    for (source, target, refresh) in automatic.chain(e.catalog.automatic.iter().copied()) {
        if pairs.contains(&(source, target)) || pairs.contains(&(target, source)) {
            continue;
        }
        pairs.insert((source, target));
        out.push(Relationship { source, target, refresh, span: None });
    }
    out
}
