//! In which order the resources are applied: explicit edges, automatic ones, containers as begin and end.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::{Sort, ral};
use crate::lang::puppet::ast::Form;
use crate::lang::puppet::catalog::Finished;
use crate::lang::puppet::ids::ResourceId;

/// An edge between resources, containers not expanded.
pub struct Relationship {
    pub source: ResourceId,
    pub target: ResourceId,
    pub refresh: bool,
    pub auto: bool,
}

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
    let mut seen = HashSet::new();
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
    let cycles = if left.is_empty() { Vec::new() } else { cycles(&next, &left, &is_container) };
    Ordered { relationships, order, cycles }
}

fn relationships(e: &Finished<'_>) -> Vec<Relationship> {
    let mut out: Vec<Relationship> = Vec::new();
    let mut pairs: HashSet<(ResourceId, ResourceId)> = HashSet::new();
    let mut seen: HashSet<(ResourceId, ResourceId, bool)> = HashSet::new();
    let mut arrows = e.catalog.arrows.clone();
    arrows.sort_by_key(|arrow| (arrow.owner, arrow.kind));
    for arrow in arrows.iter().filter(|arrow| e.catalog.get(arrow.target).form == Form::Regular) {
        let (source, target) = arrow.ends();
        let refresh = arrow.refreshes();
        pairs.insert((source, target));
        if seen.insert((source, target, refresh)) {
            out.push(Relationship { source, target, refresh, auto: false });
        }
    }
    for id in e.catalog.ids() {
        if e.catalog.get(id).form != Form::Regular || e.catalog.get(id).sort != Sort::Builtin {
            continue;
        }
        for (source, target) in ral::automatic(e, id) {
            if source == target || pairs.contains(&(source, target)) || pairs.contains(&(target, source)) {
                continue;
            }
            pairs.insert((source, target));
            out.push(Relationship { source, target, refresh: false, auto: true });
        }
    }
    out
}

/// The strongly connected parts among the nodes that were never ready.
fn cycles(next: &[Vec<usize>], left: &[usize], is_container: &dyn Fn(ResourceId) -> bool) -> Vec<Vec<ResourceId>> {
    let mut reversed: Vec<Vec<usize>> = vec![Vec::new(); next.len()];
    for from in left {
        for to in &next[*from] {
            reversed[*to].push(*from);
        }
    }
    let inside: HashSet<usize> = left.iter().copied().collect();
    let mut finished = Vec::new();
    let mut seen = HashSet::new();
    for start in left {
        let mut stack = vec![(*start, 0)];
        if !seen.insert(*start) {
            continue;
        }
        while let Some((node, at)) = stack.pop() {
            match next[node].get(at) {
                Some(to) => {
                    stack.push((node, at + 1));
                    if inside.contains(to) && seen.insert(*to) {
                        stack.push((*to, 0));
                    }
                }
                None => finished.push(node),
            }
        }
    }
    let mut taken = HashSet::new();
    let mut out = Vec::new();
    for start in finished.iter().rev() {
        if !taken.insert(*start) {
            continue;
        }
        let mut part = vec![*start];
        let mut stack = vec![*start];
        while let Some(node) = stack.pop() {
            for from in &reversed[node] {
                if inside.contains(from) && taken.insert(*from) {
                    part.push(*from);
                    stack.push(*from);
                }
            }
        }
        let is_loop = part.len() > 1 || next[*start].contains(start);
        if is_loop {
            part.sort_unstable();
            let mut ids: Vec<ResourceId> = part.into_iter().map(|n| ResourceId((n / 2) as u32)).collect();
            ids.dedup();
            // Containers are named where nothing else is in the cycle.
            if !ids.iter().all(|id| is_container(*id)) {
                ids.retain(|id| !is_container(*id));
            }
            out.push(ids);
        }
    }
    out
}
