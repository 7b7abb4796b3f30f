//! What happened to the lists of a model: who set them, who waited, who froze them and why.

use super::run::VarId;
use crate::source::Span;

/// Why a list froze.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It reached its upper bound, or was set to null.
    Full,
    /// A statement waited for its values and nothing known could still add one.
    Waiter,
    /// Statements waited for one another, and this list was the first to give in.
    Cycle,
    /// Nothing was left to do.
    Leftover,
}

/// An event in the life of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A value was added here.
    Set,
    /// A statement waits here for the frozen value.
    Wait,
    /// A statement takes values here as they come.
    Listen,
    /// An assignment here will set it.
    Promise,
    /// The promise was kept, or turned out to be empty.
    Fulfil,
    Freeze(Why),
}

/// One event, in the order in which they happened.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub var: VarId,
    pub what: What,
    pub place: Option<Span>,
}

/// Every event of a run, up to a limit.
#[derive(Debug, Default)]
pub struct Trace {
    pub events: Vec<Event>,
    pub is_on: bool,
}

/// How many events are kept.
const MOST: usize = 4_000_000;

impl Trace {
    /// Records an event, if the trace is on and has room.
    pub fn note(&mut self, var: VarId, what: What, place: Option<Span>) {
        if self.is_on && self.events.len() < MOST {
            self.events.push(Event { var, what, place });
        }
    }

    /// Returns the events of one variable, in order.
    pub fn of(&self, var: VarId) -> impl Iterator<Item = &Event> {
        self.events.iter().filter(move |event| event.var == var)
    }
}
