//! The behaviour of a built-in kind: check, report differences, and apply.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::graph::{Params, ResourceId, Value};
use crate::host::{Act, HostError, Look, Operation, Progress, Within};
use crate::plan::{Action, Change, Reversible};
use crate::world::Cancel;

use super::reader::{Reader, Typed};
use super::{Aliases, Schema};

/// A kind with an implementation.
pub trait Kind: Sync {
    fn schema(&self) -> &'static Schema;

    /// Refuses parameters that contradict each other or that are impossible on any machine. Unknown values pass.
    fn validate(&self, _given: &Reader) -> Result<(), String> {
        Ok(())
    }

    /// The same, and what the turn needs of the parameters, so that each is parsed once.
    fn read(&self, given: &Reader) -> Result<Typed, String> {
        self.validate(given).map(|()| Typed::default())
    }

    /// Compares the resource with the desired state.
    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Checked, HostError>;

    /// Applies the whole resource, according to the check.
    fn apply(&self, turn: &Turn, seen: &Checked, act: &dyn Act) -> Result<Sent, HostError> {
        let mut lines = Vec::new();
        for operation in &seen.operations {
            lines.extend(act.perform_within(operation, &turn.within())?);
        }
        Ok(Sent { values: seen.sends.clone(), lines })
    }

    /// Opens or updates what stays open for the lifetime of the run, such as a server. Called at every turn of a live
    /// run, even if there is nothing to change.
    fn hold(&self, _turn: &Turn, _act: &dyn Act) -> Result<(), HostError> {
        Ok(())
    }

    /// Returns the parameters of the resource that reverses this one to the present state; `None` if there is nothing
    /// to reverse.
    fn reversed(&self, _turn: &Turn, _look: &dyn Look) -> Result<Option<Params>, HostError> {
        Ok(None)
    }

    /// Whether it writes secrets, even if no parameter is marked secret.
    fn is_secret(&self) -> bool {
        false
    }

    /// Whether a check directly after an apply must find nothing to do. A command without guards runs each time.
    fn converges(&self) -> bool {
        true
    }

    /// Whether a check only reads files of this machine, so that it may run at any time. A check that asks a server or
    /// a program runs only in its turn.
    fn only_reads(&self) -> bool {
        false
    }

    /// The shared object that only one resource of this kind may check and change at a time, such as a table with one
    /// line per resource.
    fn shares(&self) -> Option<&'static str> {
        None
    }

    /// Whether a turn mostly waits for the disk, so that many turns can share the wait. Only for a kind that applies
    /// exactly the operations of its check.
    fn mostly_waits(&self, _name: &str, _params: &Params) -> bool {
        false
    }

    /// Whether an apply may change undeclared parts of the machine.
    fn reaches_out(&self) -> bool {
        false
    }
}

/// One resource's turn: the desired state, and the inputs from other resources.
pub struct Turn<'a> {
    pub id: &'a ResourceId,
    pub name: &'a str,
    /// With received values inserted.
    pub params: &'a Params,
    /// The same as the kind read them.
    pub typed: &'a Typed,
    /// Names of the parameters that received a value.
    pub received: &'a [Arc<str>],
    /// A resource that notifies it has changed.
    pub refresh: bool,
    /// The deadline of the turn. Running commands are ended then.
    pub deadline: Option<Instant>,
    /// Ends running commands.
    pub cancel: &'a Cancel,
    /// Receives progress messages of a long change.
    pub progress: Option<&'a Progress>,
    /// The folder where kinds store data that outlives a run; `None` if this user has none.
    pub state: Option<&'a Path>,
    /// This machine's host name.
    pub hostname: &'a str,
    /// Whether another resource receives the values that this one sends.
    pub is_received: bool,
    /// The paths that resources of the graph manage.
    pub managed: &'a Managed,
}

/// The paths that resources of a graph manage, under all names, so that a purge keeps them.
#[derive(Clone, Debug, Default)]
pub struct Managed {
    paths: BTreeSet<PathBuf>,
    /// A path has so many aliases that it may be any path.
    any: bool,
}

impl Managed {
    /// Adds a path with all of its names.
    pub fn add(&mut self, path: &Path, aliases: &mut Aliases) {
        match aliases.all(path) {
            Some(all) => self.paths.extend(all),
            None => self.any = true,
        }
    }

    /// Whether a path, or something below it, is managed.
    pub fn holds(&self, path: &Path) -> bool {
        self.any || self.paths.range(path.to_path_buf()..).next().is_some_and(|there| there.starts_with(path))
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    pub action: Action,
    pub changes: Vec<Change>,
    pub reversible: Reversible,
    /// A note; empty if there is none.
    pub note: String,
    /// The operations to perform, in order.
    pub operations: Vec<Operation>,
    /// The sent values if nothing is to be done.
    pub sends: Params,
    /// The lines that it prints.
    pub lines: Vec<String>,
}

impl Checked {
    /// Unchanged.
    pub fn right() -> Self {
        Self {
            action: Action::None,
            changes: Vec::new(),
            reversible: Reversible::Yes,
            note: String::new(),
            operations: Vec::new(),
            sends: Params::default(),
            lines: Vec::new(),
        }
    }

    /// Replaces the note.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// The result of an apply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    pub values: Params,
    /// The output of a command, line by line.
    pub lines: Vec<String>,
}

/// Returns the value of a parameter without the mark of a secret, if it is set. An unknown one is an error.
pub(super) fn plain<'v>(mut value: Option<&'v Value>, param: &str) -> Result<Option<&'v Value>, HostError> {
    while let Some(Value::Sensitive(inner)) = value {
        value = Some(inner);
    }
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Unknown | Value::Deferred(_)) => Err(HostError::UnknownValue { param: param.to_owned() }),
        Some(value) => Ok(Some(value)),
    }
}

impl Turn<'_> {
    /// Returns the remaining time of the turn.
    pub fn timeout(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    fn wrong(&self, param: &str, wanted: &str) -> HostError {
        HostError::Refused(format!("`{param}` is not {wanted}"))
    }

    /// Returns a text that is set and not empty.
    pub fn text(&self, param: &str) -> Result<Option<&str>, HostError> {
        Ok(self.any_text(param)?.filter(|text| !text.is_empty()))
    }

    /// Returns a text that is set, empty or not.
    pub fn any_text(&self, param: &str) -> Result<Option<&str>, HostError> {
        match plain(self.params.get(param), param)? {
            None => Ok(None),
            Some(Value::Str(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(param, "a string")),
        }
    }

    /// Returns a text that is set, empty or not, and need not be UTF-8.
    pub fn any_bytes(&self, param: &str) -> Result<Option<&[u8]>, HostError> {
        match plain(self.params.get(param), param)? {
            None => Ok(None),
            Some(value) => value.as_bytes().map(Some).ok_or_else(|| self.wrong(param, "a string")),
        }
    }

    /// Returns a boolean; `false` if it is unset. An unknown value or another type is an error.
    pub fn flag(&self, param: &str) -> Result<bool, HostError> {
        match plain(self.params.get(param), param)? {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Err(self.wrong(param, "a boolean")),
        }
    }

    /// Returns an integer that is set. An unknown value or another type is an error.
    pub fn int(&self, param: &str) -> Result<Option<i64>, HostError> {
        match plain(self.params.get(param), param)? {
            None => Ok(None),
            Some(Value::Int(value)) => Ok(Some(*value)),
            Some(_) => Err(self.wrong(param, "a whole number")),
        }
    }

    /// Returns a list of strings; an empty one if it is unset. An unknown element or another type is an error.
    pub fn texts(&self, param: &str) -> Result<Vec<&str>, HostError> {
        match plain(self.params.get(param), param)? {
            None => Ok(Vec::new()),
            Some(Value::List(items)) => items.iter().map(|item| self.known_text(param, item)).collect(),
            Some(_) => Err(self.wrong(param, "a list of strings")),
        }
    }

    /// Returns a map of strings as pairs in their order; no pairs if it is unset. An unknown key or value, or another
    /// type, is an error.
    pub fn pairs(&self, param: &str) -> Result<Vec<(&str, &str)>, HostError> {
        match plain(self.params.get(param), param)? {
            None => Ok(Vec::new()),
            Some(Value::Map(pairs)) => pairs
                .iter()
                .map(|(key, value)| Ok((self.known_text(param, key)?, self.known_text(param, value)?)))
                .collect(),
            Some(_) => Err(self.wrong(param, "a map of strings")),
        }
    }

    fn known_text<'v>(&self, param: &str, value: &'v Value) -> Result<&'v str, HostError> {
        match (value.as_str(), value) {
            (Some(text), _) => Ok(text),
            (None, Value::Unknown | Value::Deferred(_)) => Err(HostError::UnknownValue { param: param.to_owned() }),
            _ => Err(self.wrong(param, "made of strings")),
        }
    }

    /// Returns the limits of the turn's changes.
    pub fn within(&self) -> Within {
        Within { timeout: self.timeout(), cancel: self.cancel.clone(), progress: self.progress.cloned() }
    }

    /// Whether a parameter's value must never be shown.
    pub fn is_sensitive(&self, param: &str) -> bool {
        matches!(self.params.get(param), Some(Value::Sensitive(_)))
    }
}

/// Makes a change between two texts for display.
pub fn change(property: &str, from: Option<String>, to: Option<String>) -> Change {
    let value = |text: Option<String>| text.map(|text| Value::Str(text.into()));
    Change { property: property.into(), from: value(from), to: value(to), sensitive: false }
}
