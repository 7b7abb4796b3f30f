//! What a built-in kind does: looks, says what differs, and makes it so.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::graph::{Params, ResourceId, Value};
use crate::host::{Act, HostError, Look, Operation, Tell, Within};
use crate::plan::{Action, Change, Reversible};
use crate::world::Cancel;

use super::{Aliases, Schema};

/// A kind with an implementation.
pub trait Kind: Sync {
    fn schema(&self) -> &'static Schema;

    /// Looks, and says what differs from what is wanted.
    fn check(&self, turn: &Turn, look: &dyn Look) -> Result<Seen, HostError>;

    /// Makes the whole resource so, by what the check saw.
    fn apply(&self, turn: &Turn, seen: &Seen, act: &dyn Act) -> Result<Sent, HostError> {
        let mut lines = Vec::new();
        for operation in &seen.operations {
            lines.extend(operation.perform_within(act, &turn.within())?);
        }
        Ok(Sent { values: seen.sends.clone(), lines })
    }

    /// Opens what stays open while the run lives, such as a server, or brings it up to date. Called at every turn on a
    /// machine that is acted on, also where there is nothing to change.
    fn hold(&self, _turn: &Turn, _act: &dyn Act) -> Result<(), HostError> {
        Ok(())
    }

    /// The parameters of the resource that takes this one back, as the machine is now; nothing where nothing has to be.
    fn reversed(&self, _turn: &Turn, _look: &dyn Look) -> Result<Option<Params>, HostError> {
        Ok(None)
    }

    /// Whether what it writes is secret, though none of its parameters is marked so.
    fn is_secret(&self) -> bool {
        false
    }

    /// Whether a check right after an apply has to find nothing to do. A command without guards runs each time.
    fn settles(&self) -> bool {
        true
    }

    /// Whether a look does no more than read files of this machine, so that it may be had at any time: what asks a server or a
    /// program is looked at only when its turn has come.
    fn only_reads(&self) -> bool {
        false
    }

    /// What resources of this kind have in common so that only one at a time may look at it and change it, such as a
    /// table of which each keeps a line.
    fn shares(&self) -> Option<&'static str> {
        None
    }

    /// Whether a turn is next to no work and then a wait for the disk, which many turns can share. Only of a kind that
    /// applies by the operations that it saw.
    fn mostly_waits(&self, _name: &str, _params: &Params) -> bool {
        false
    }

    /// Whether an apply may change parts of the machine that the resource does not name.
    fn reaches_out(&self) -> bool {
        false
    }
}

/// One resource's turn: what is wanted, and what came to it from others.
pub struct Turn<'a> {
    pub id: &'a ResourceId,
    pub name: &'a str,
    /// With received values in place.
    pub params: &'a Params,
    /// Names of the parameters that received a value.
    pub received: &'a [Arc<str>],
    /// Something that notifies it has changed.
    pub refresh: bool,
    /// When the turn has to be over; commands are ended then.
    pub deadline: Option<Instant>,
    /// Ends commands at work.
    pub cancel: &'a Cancel,
    /// Hears what is said while a change takes long.
    pub tell: Option<&'a Tell>,
    /// Where kinds keep what has to outlive a run; `None` where this user has no such place.
    pub state: Option<&'a Path>,
    /// This machine's name among hosts.
    pub hostname: &'a str,
    /// Whether another resource receives what this one sends.
    pub is_heard: bool,
    /// The paths that resources of the graph manage.
    pub managed: &'a Managed,
}

/// The paths that resources of a graph manage, so that a purge leaves them alone, whatever name it has for them.
#[derive(Clone, Debug, Default)]
pub struct Managed {
    paths: BTreeSet<PathBuf>,
    /// Links make so many names of one that it may be any path.
    any: bool,
}

impl Managed {
    /// Adds a path, by all its names.
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

/// What a check saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub action: Action,
    pub changes: Vec<Change>,
    pub reversible: Reversible,
    /// What to say beside; empty where there is nothing.
    pub note: String,
    /// What to perform, in order.
    pub operations: Vec<Operation>,
    /// What it sends where nothing has to be done.
    pub sends: Params,
    /// What it prints.
    pub lines: Vec<String>,
}

impl Seen {
    /// Already as wanted.
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

    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.note = note.into();
        self
    }
}

/// What an apply gave.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    pub values: Params,
    /// What a command wrote, line by line.
    pub lines: Vec<String>,
}

/// A parameter that is there, known and not hidden behind a mark.
fn plain<'v>(params: &'v Params, param: &str) -> Result<Option<&'v Value>, HostError> {
    let mut value = params.get(param);
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
    /// What is left of the time for the whole turn.
    pub fn timeout(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    fn wrong(&self, param: &str, wanted: &str) -> HostError {
        HostError::Refused(format!("`{param}` is not {wanted}"))
    }

    /// A text that is set and not empty.
    pub fn text(&self, param: &str) -> Result<Option<&str>, HostError> {
        Ok(self.any_text(param)?.filter(|text| !text.is_empty()))
    }

    /// A text that is set, empty or not.
    pub fn any_text(&self, param: &str) -> Result<Option<&str>, HostError> {
        match plain(self.params, param)? {
            None => Ok(None),
            Some(Value::Str(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(param, "a string")),
        }
    }

    /// A text that is set, empty or not, and need not be UTF-8.
    pub fn any_bytes(&self, param: &str) -> Result<Option<&[u8]>, HostError> {
        match plain(self.params, param)? {
            None => Ok(None),
            Some(value) => value.as_bytes().map(Some).ok_or_else(|| self.wrong(param, "a string")),
        }
    }

    pub fn flag(&self, param: &str) -> Result<bool, HostError> {
        match plain(self.params, param)? {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(_) => Err(self.wrong(param, "a boolean")),
        }
    }

    pub fn int(&self, param: &str) -> Result<Option<i64>, HostError> {
        match plain(self.params, param)? {
            None => Ok(None),
            Some(Value::Int(value)) => Ok(Some(*value)),
            Some(_) => Err(self.wrong(param, "a whole number")),
        }
    }

    pub fn texts(&self, param: &str) -> Result<Vec<&str>, HostError> {
        match plain(self.params, param)? {
            None => Ok(Vec::new()),
            Some(Value::List(items)) => items.iter().map(|item| self.known_text(param, item)).collect(),
            Some(_) => Err(self.wrong(param, "a list of strings")),
        }
    }

    pub fn pairs(&self, param: &str) -> Result<Vec<(&str, &str)>, HostError> {
        match plain(self.params, param)? {
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

    /// The bounds of what the turn changes.
    pub fn within(&self) -> Within {
        Within { timeout: self.timeout(), cancel: self.cancel.clone(), tell: self.tell.cloned() }
    }

    /// Whether a parameter's value must never be shown.
    pub fn is_sensitive(&self, param: &str) -> bool {
        matches!(self.params.get(param), Some(Value::Sensitive(_)))
    }
}

/// A change between two texts for people.
pub fn change(property: &str, from: Option<String>, to: Option<String>) -> Change {
    let value = |text: Option<String>| text.map(|text| Value::Str(text.into()));
    Change { property: property.into(), from: value(from), to: value(to), sensitive: false }
}
