//! Recursion through names: finds every cycle of references and reports each in one diagnostic.

use crate::diag::{Code, Diagnostic};
use crate::graph::order::loops;
use crate::source::Span;

/// The references between declarations, with their places.
#[derive(Debug, Default)]
pub struct References {
    list: Vec<(u32, u32, Span)>,
}

impl References {
    /// Declaration `from` refers to declaration `to` at a place.
    pub fn add(&mut self, from: u32, to: u32, at: Span) {
        self.list.push((from, to, at));
    }

    /// One diagnostic for each cycle, at its first reference, in order of place.
    pub fn cycles(&self, declarations: u32) -> Vec<Diagnostic> {
        if self.are_acyclic(declarations) {
            return Vec::new();
        }
        let edges = self.list.iter().map(|(from, to, _)| (*from as usize, *to as usize));
        let mut group_of = vec![None; declarations as usize];
        for (at, group) in loops(declarations as usize, edges).into_iter().enumerate() {
            group.into_iter().for_each(|member| group_of[member] = Some(at));
        }
        let place = |(from, to, span): &(u32, u32, Span)| {
            let group = group_of[*from as usize].filter(|group| group_of[*to as usize] == Some(*group))?;
            Some((group, *span))
        };
        let mut places: Vec<(usize, Span)> = self.list.iter().filter_map(place).collect();
        places.sort_unstable();
        places.dedup();
        let mut found: Vec<_> = places.chunk_by(|a, b| a.0 == b.0).map(diagnostic).collect();
        found.sort_by_key(|d| d.span);
        found
    }

    /// Whether there is no cycle, as in nearly every program: removes unreferenced declarations until nothing is left.
    fn are_acyclic(&self, declarations: u32) -> bool {
        let mut starts = vec![0u32; declarations as usize + 1];
        let mut referred = vec![0u32; declarations as usize];
        for (from, to, _) in &self.list {
            starts[*from as usize + 1] += 1;
            referred[*to as usize] += 1;
        }
        for at in 0..declarations as usize {
            starts[at + 1] += starts[at];
        }
        let mut next = starts.clone();
        let mut targets = vec![0u32; self.list.len()];
        for (from, to, _) in &self.list {
            let slot = &mut next[*from as usize];
            targets[*slot as usize] = *to;
            *slot += 1;
        }
        let mut free: Vec<u32> = (0..declarations).filter(|at| referred[*at as usize] == 0).collect();
        let mut taken = 0;
        while let Some(at) = free.pop() {
            taken += 1;
            for to in &targets[starts[at as usize] as usize..starts[at as usize + 1] as usize] {
                referred[*to as usize] -= 1;
                if referred[*to as usize] == 0 {
                    free.push(*to);
                }
            }
        }
        taken == declarations
    }
}

fn diagnostic(places: &[(usize, Span)]) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(Code::RecursiveReference, places[0].1)
        .label(if places.len() == 1 { "this definition refers to itself" } else { "the cycle starts here" })
        .help("mcl has no recursion: remove one of these, use another name for a new value, and `iter.map` or `iter.reduce` for lists");
    for (_, span) in &places[1..] {
        diagnostic = diagnostic.related(*span, "and continues here");
    }
    diagnostic
}
