//! The state of `history`: the values of each spot of the program, with their start times.
//!
//! The value at an earlier time follows from the times of its changes, so nothing is sampled. When a change reaches the
//! requested age the answer changes although nothing else did: [`Past::wake`] has that time.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::lang::mcl::eval::Spot;
use crate::lang::mcl::value::{Value, same};

/// How long changes are kept beyond the requested age, in milliseconds: a program may ask for older ones next.
const MARGIN: u64 = 10_000;

/// How many changes of one value are remembered.
const CHANGES: usize = 100_000;

/// The past of all spots, as seen at one point in time.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// In milliseconds since 1970; `None` if evaluation has no time, and every value is constant.
    now: Option<u64>,
    /// For each spot, oldest first: the start time of each value.
    changes: FxHashMap<Spot, VecDeque<(u64, Value)>>,
    /// The spots in use since this was last taken, and when the first answer changes.
    asked: PastUses,
}

/// The uses of the past.
#[derive(Clone, Debug, Default)]
pub struct PastUses {
    pub spots: Vec<Spot>,
    /// When an answer changes without a change of a value.
    pub wake: Option<u64>,
}

impl PastUses {
    /// Adds later uses.
    pub fn join(&mut self, later: PastUses) {
        self.spots.extend(later.spots);
        self.wake = match (self.wake, later.wake) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
    }
}

impl Past {
    /// Advances to a point in time.
    pub fn set_now(&mut self, now: u64) {
        self.now = self.now.max(Some(now));
    }

    /// Records the current value, and returns the one of `ago` milliseconds before, or the oldest known one.
    pub fn value(&mut self, spot: Spot, value: &Value, age: u64) -> Value {
        // Functions keep the evaluation alive in which they were made.
        let Some(now) = self.now.filter(|_| !holds_functions(value)) else { return value.clone() };
        let changes = self.changes.entry(spot).or_default();
        match changes.back_mut() {
            Some((since, last)) if *since == now => *last = value.clone(),
            Some((_, last)) if same(last, value) => {}
            _ => changes.push_back((now, value.clone())),
        }
        let then = now.saturating_sub(age);
        while changes.len() > CHANGES || changes.get(1).is_some_and(|next| next.0.saturating_add(MARGIN) <= then) {
            changes.pop_front();
        }
        let later = changes.partition_point(|(since, _)| *since <= then).max(1);
        if let Some((since, _)) = changes.get(later) {
            let wake = since.saturating_add(age);
            self.asked.wake = Some(self.asked.wake.map_or(wake, |first| first.min(wake)));
        }
        self.asked.spots.push(spot);
        changes.get(later - 1).map_or_else(|| value.clone(), |(_, value)| value.clone())
    }

    /// The uses since the last call.
    pub fn take_asked(&mut self) -> PastUses {
        std::mem::take(&mut self.asked)
    }

    /// Forgets a spot that is no longer part of the program.
    pub fn forget(&mut self, spot: Spot) {
        self.changes.remove(&spot);
    }
}

fn holds_functions(value: &Value) -> bool {
    let mut left = vec![value];
    let mut fuel = 100_000_u32;
    while let Some(value) = left.pop() {
        fuel = fuel.saturating_sub(1);
        match value {
            _ if fuel == 0 => return true,
            Value::Func(_) => return true,
            Value::List(items) => left.extend(items.iter()),
            Value::Map(pairs) => left.extend(pairs.values()),
            Value::Struct(fields) => left.extend(fields.iter().map(|(_, value)| value)),
            Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Bytes(_) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_comes_of_age() {
        let mut past = Past::default();
        let (spot, mut wakes) = (Spot(1), Vec::new());
        let mut at = |now: u64, value: i64| {
            past.set_now(now);
            let old = past.value(spot, &Value::Int(value), 1000);
            wakes.push(past.take_asked().wake);
            old
        };
        assert_eq!(at(5_000, 1), Value::Int(1));
        assert_eq!(at(5_500, 2), Value::Int(1));
        assert_eq!(at(6_000, 3), Value::Int(1));
        assert_eq!(at(6_499, 3), Value::Int(1));
        assert_eq!(at(6_500, 3), Value::Int(2));
        assert_eq!(at(7_000, 3), Value::Int(3));
        assert_eq!(wakes, [None, Some(6_500), Some(6_500), Some(6_500), Some(7_000), None]);
    }

    #[test]
    fn without_time_nothing_has_a_past() {
        let mut past = Past::default();
        assert_eq!(past.value(Spot(1), &Value::Int(1), 10), Value::Int(1));
        assert_eq!(past.value(Spot(1), &Value::Int(2), 10), Value::Int(2));
    }
}
