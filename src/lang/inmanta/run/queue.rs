//! The queue of freeze candidates, with the order that a project may ask for.

use std::collections::{BTreeSet, VecDeque};

use super::super::define::AttributeId;
use super::super::error::{Class, Raise, Result};
use super::ids::VarId;

/// Relations without a rule first, then those with one in the order of the rules, then everything else.
pub(super) struct WaitQueue {
    plain: VecDeque<VarId>,
    ruled: Vec<(AttributeId, VecDeque<VarId>)>,
    /// The rule whose variables come next.
    next: usize,
    others: VecDeque<VarId>,
}

impl WaitQueue {
    pub(super) fn new(order: Vec<AttributeId>) -> Self {
        let ruled = order.into_iter().map(|attribute| (attribute, VecDeque::new())).collect();
        WaitQueue { plain: VecDeque::new(), ruled, next: 0, others: VecDeque::new() }
    }

    /// An empty queue with the same rules.
    pub(super) fn emptied(&self) -> Self {
        WaitQueue::new(self.ruled.iter().map(|(attribute, _)| *attribute).collect())
    }

    /// Removes every candidate, starts again at the first rule and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.plain.clear();
        self.ruled.iter_mut().for_each(|(_, vars)| vars.clear());
        self.next = 0;
        self.others.clear();
    }

    /// Whether it is empty, with or without a rule.
    pub(super) fn is_empty(&self) -> bool {
        self.plain.is_empty() && self.others.is_empty() && self.ruled.iter().all(|(_, vars)| vars.is_empty())
    }

    pub(super) fn push(&mut self, var: VarId, attribute: Option<AttributeId>) {
        if let Some(at) = self.push_kept(var, attribute)
            && at < self.next
        {
            self.next = 0;
        }
    }

    /// Adds without going back to an earlier rule.
    pub(super) fn push_kept(&mut self, var: VarId, attribute: Option<AttributeId>) -> Option<usize> {
        let Some(attribute) = attribute else {
            self.others.push_back(var);
            return None;
        };
        let Some(at) = self.ruled.iter().position(|(other, _)| *other == attribute) else {
            self.plain.push_back(var);
            return None;
        };
        self.ruled[at].1.push_back(var);
        Some(at)
    }

    pub(super) fn pop(&mut self) -> Option<VarId> {
        if let Some(var) = self.plain.pop_front() {
            return Some(var);
        }
        while let Some((_, vars)) = self.ruled.get_mut(self.next) {
            if let Some(var) = vars.pop_front() {
                return Some(var);
            }
            self.next += 1;
        }
        self.others.pop_front()
    }
}

/// Candidates that nothing waits for, in the order in which they became idle.
#[derive(Default)]
pub(super) struct Idle {
    list: Vec<Option<VarId>>,
    count: usize,
    /// Those that got a waiter since.
    awakened: BTreeSet<u32>,
}

impl Idle {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds a candidate and gives its number.
    pub(super) fn push(&mut self, var: VarId) -> u32 {
        self.list.push(Some(var));
        self.count += 1;
        self.list.len() as u32 - 1
    }

    pub(super) fn awaken(&mut self, number: u32) {
        self.awakened.insert(number);
    }

    /// The candidates that got a waiter since this was last asked, in order.
    pub(super) fn awakened(&mut self) -> Vec<(u32, VarId)> {
        let awakened = std::mem::take(&mut self.awakened);
        awakened.into_iter().filter_map(|at| Some((at, (*self.list.get(at as usize)?)?))).collect()
    }

    pub(super) fn remove(&mut self, number: u32) {
        if self.list.get_mut(number as usize).is_some_and(|place| place.take().is_some()) {
            self.count -= 1;
        }
    }

    /// Takes the newest.
    pub(super) fn pop(&mut self) -> Option<VarId> {
        while let Some(place) = self.list.pop() {
            self.awakened.remove(&(self.list.len() as u32));
            if place.is_some() {
                self.count -= 1;
                return place;
            }
        }
        None
    }
}

/// The attributes of the rules, each after those that go before it.
pub(super) fn freeze_order(rules: &[(AttributeId, AttributeId)]) -> Result<Vec<AttributeId>> {
    let mut nodes: Vec<AttributeId> = Vec::new();
    for (first, then) in rules {
        for attribute in [first, then] {
            if !nodes.contains(attribute) {
                nodes.push(*attribute);
            }
        }
    }
    let mut order: Vec<AttributeId> = Vec::new();
    while order.len() < nodes.len() {
        let is_free = |node: &AttributeId| {
            !order.contains(node) && rules.iter().all(|(first, then)| then != node || order.contains(first))
        };
        let Some(next) = nodes.iter().copied().find(is_free) else {
            let raise = Raise::new(Class::PrecedenceCycle, "A cycle exists in the relation precedence policy");
            return Err(raise.with_help("remove one of the rules of `relation_precedence_policy`"));
        };
        order.push(next);
    }
    Ok(order)
}
