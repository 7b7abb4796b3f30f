//! The answer that is required before a machine is changed: one rule for the screens and the command line.

/// The required answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// `y`: everything can be undone.
    Yes,
    /// This word in full: some of it cannot be undone, or the user has not seen all of it.
    Word(String),
}

impl Agreement {
    /// Returns the required answer for applying a plan.
    pub fn for_plan(has_lost: bool, machine: &str) -> Self {
        if has_lost { Self::name(machine) } else { Self::Yes }
    }

    /// Returns the required answer for every attach and resume: the machine's name, or `apply` if it has none.
    pub fn name(machine: &str) -> Self {
        let name = machine.trim();
        Self::Word(if name.is_empty() { "apply".into() } else { name.into() })
    }
}

/// Returns the name of this machine, as programs see it.
pub fn machine() -> String {
    crate::world::own_hostname()
}
