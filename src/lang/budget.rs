//! What one compilation may spend, whatever its language: steps and bytes.
//!
//! Work is paid here before it is done, by its size, so that time and memory are a consequence of the limits. Built-in
//! functions, templates and the evaluators share one budget: who holds it may pay at any depth.

use std::cell::Cell;

/// Bytes of text that are read or copied in one step.
const TEXT_PER_STEP: usize = 32;

/// Elements that are visited in one step.
const ITEMS_PER_STEP: usize = 4;

/// Steps between two checks for cancellation.
const LOOK_EVERY: u64 = 256;

/// The limits of a compilation, and how much of them is spent.
#[derive(Debug)]
pub struct Budget {
    most_steps: u64,
    most_bytes: u64,
    steps: Cell<u64>,
    /// Bytes of values that were built, freed or not.
    built: Cell<u64>,
    next_look: Cell<u64>,
}

/// The limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// More than this many steps.
    Steps(u64),
    /// More than this many bytes.
    Bytes(u64),
}

impl Spent {
    /// The limit as a message names it.
    pub fn message(self) -> String {
        match self {
            Spent::Steps(most) => format!("not finished after {most} steps"),
            Spent::Bytes(most) => format!("values need more than {} MiB", most >> 20),
        }
    }
}

impl Default for Budget {
    /// A budget without limits.
    fn default() -> Self {
        Self::new(u64::MAX, u64::MAX)
    }
}

impl Budget {
    /// A full budget of steps and bytes.
    pub fn new(steps: u64, bytes: u64) -> Self {
        Self { most_steps: steps, most_bytes: bytes, steps: Cell::new(0), built: Cell::new(0), next_look: Cell::new(0) }
    }

    /// Spends steps.
    pub fn spend(&self, steps: u64) -> Result<(), Spent> {
        self.note_steps(steps);
        self.check_steps()
    }

    /// Spends the steps of reading a text or of copying it.
    pub fn text(&self, bytes: usize) -> Result<(), Spent> {
        self.spend((bytes / TEXT_PER_STEP) as u64)
    }

    /// Spends the steps of visiting elements.
    pub fn items(&self, count: usize) -> Result<(), Spent> {
        self.spend((count / ITEMS_PER_STEP) as u64)
    }

    /// Spends bytes that are built, freed later or not.
    pub fn build(&self, bytes: usize) -> Result<(), Spent> {
        self.note(bytes);
        self.check_bytes()
    }

    /// Whether this many bytes can be built: for a size that is known before the work, and paid with its result.
    pub fn has_room(&self, bytes: usize) -> Result<(), Spent> {
        if bytes as u64 <= self.room() { Ok(()) } else { Err(Spent::Bytes(self.most_bytes)) }
    }

    /// Counts steps where nothing can fail; the next payment does.
    pub fn note_steps(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// Counts bytes where nothing can fail; the next payment does.
    pub fn note(&self, bytes: usize) {
        self.built.set(self.built.get().saturating_add(bytes as u64));
        if self.built.get() > self.most_bytes {
            self.next_look.set(0);
        }
    }

    /// Fails if a limit is reached.
    pub fn check(&self) -> Result<(), Spent> {
        self.check_steps()?;
        self.check_bytes()
    }

    fn check_steps(&self) -> Result<(), Spent> {
        if self.steps.get() <= self.most_steps { Ok(()) } else { Err(Spent::Steps(self.most_steps)) }
    }

    fn check_bytes(&self) -> Result<(), Spent> {
        if self.built.get() <= self.most_bytes { Ok(()) } else { Err(Spent::Bytes(self.most_bytes)) }
    }

    /// Whether it is time to look for a limit or a cancellation. The price of a step stays small that way.
    pub fn is_time_to_look(&self) -> bool {
        if self.steps.get() < self.next_look.get() {
            return false;
        }
        self.next_look.set(self.steps.get().saturating_add(LOOK_EVERY).min(self.most_steps.saturating_add(1)));
        true
    }

    /// Steps that were spent.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Bytes that may still be built.
    pub fn room(&self) -> u64 {
        self.most_bytes.saturating_sub(self.built.get())
    }

    /// Bytes that were built.
    pub fn built(&self) -> u64 {
        self.built.get()
    }

    /// Makes the budget full again; returns the bytes that were built.
    pub fn refill(&self) -> u64 {
        self.steps.set(0);
        self.next_look.set(0);
        self.built.take()
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Spent};

    #[test]
    fn the_last_step_and_the_last_byte_are_free() {
        let budget = Budget::new(10, 100);
        assert_eq!((budget.spend(10), budget.spend(1)), (Ok(()), Err(Spent::Steps(10))));
        assert_eq!((budget.has_room(100), budget.has_room(101)), (Ok(()), Err(Spent::Bytes(100))));
        assert_eq!((budget.build(100), budget.build(1)), (Ok(()), Err(Spent::Bytes(100))));
        assert_eq!((budget.refill(), budget.check()), (101, Ok(())));
    }

    #[test]
    fn a_limit_that_is_only_noted_is_found_at_the_next_look() {
        let budget = Budget::new(1000, 100);
        assert!(budget.is_time_to_look() && !budget.is_time_to_look());
        budget.note(101);
        assert!(budget.is_time_to_look());
        assert_eq!(budget.check(), Err(Spent::Bytes(100)));
    }
}
