//! What somebody has to answer before a machine is changed: one rule for the screens and the command line.

/// The answer that agrees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// `y`: all of it can be undone.
    Yes,
    /// This word, typed whole: some of it cannot be undone, or nobody has seen all of it.
    Word(String),
}

impl Agreement {
    /// What an apply of a plan asks for.
    pub fn for_plan(has_lost: bool, machine: &str) -> Self {
        if has_lost { Self::name(machine) } else { Self::Yes }
    }

    /// What every attach and every resume asks for: the name of the machine, or `apply` where it has none.
    pub fn name(machine: &str) -> Self {
        let name = machine.trim();
        Self::Word(if name.is_empty() { "apply".into() } else { name.into() })
    }
}

/// The name of this machine, as programs see it.
pub fn machine() -> String {
    crate::world::own_hostname()
}
