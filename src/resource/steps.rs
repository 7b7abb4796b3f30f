//! Collects the operations of a resource, and whether they can be undone.

use super::Checked;
use super::kind::change;
use crate::graph::Value;
use crate::host::{HostError, Look, Operation, SystemChange};
use crate::plan::{Action, Change, Reversible};

/// The collected operations.
#[derive(Default)]
pub(super) struct Steps {
    changes: Vec<Change>,
    operations: Vec<Operation>,
    /// The notes.
    notes: Vec<String>,
    /// What an undo cannot restore.
    unrestored: Vec<String>,
    reversible: Option<Reversible>,
}

impl Steps {
    /// Adds a difference between the present and the desired state.
    pub fn differs(&mut self, property: &str, from: Option<String>, to: Option<String>) {
        self.changes.push(change(property, from, to));
    }

    /// The same for the content of a file.
    pub fn content_differs(&mut self, property: &str, from: Option<Value>, to: Value) {
        self.changes.push(Change { property: property.into(), from, to: Some(to), sensitive: false });
    }

    /// Adds an operation on files. The journal stores what they replace.
    pub fn file(&mut self, operation: Operation) {
        self.operations.push(operation);
    }

    /// Adds another change, which defines whether it can be undone.
    pub fn change(&mut self, change: SystemChange, look: &dyn Look) -> Result<(), HostError> {
        let inverse = change.inverse(look)?;
        self.reversible = self.reversible.max(Some(inverse.reversible));
        if !inverse.why.is_empty() && !self.unrestored.contains(&inverse.why) {
            self.unrestored.push(inverse.why);
        }
        self.operations.push(Operation::System(change));
        Ok(())
    }

    /// Adds a note about the step. Notes are joined by `; `.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Whether no operation was collected. Differences and notes do not count.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Returns the result of the check: unchanged if nothing was collected.
    pub fn seen(self, action: Action) -> Checked {
        if self.operations.is_empty() {
            return Checked::right().with_note(self.notes.join("; "));
        }
        let reversible = self.reversible.unwrap_or(Reversible::Yes);
        let mut notes = self.notes;
        match reversible {
            Reversible::Yes => {}
            Reversible::Partly => notes.push(format!("can be partly undone: {}", self.unrestored.join(", "))),
            Reversible::No => notes.push(format!("cannot be undone: {}", self.unrestored.join(", "))),
        }
        let note = notes.join("; ");
        Checked { action, changes: self.changes, operations: self.operations, reversible, note, ..Checked::right() }
    }
}
